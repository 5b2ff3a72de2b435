"""Labels that follow another convention than the references: each lost label finds its call."""

from __future__ import annotations

import pytest

from refract_asp import Refractor

TOOL = {
    "name": "Next",
    "effect": "read",
    "parameters": {"x": {"type": "string", "required": True}},
    "returns": {"o": {"type": "string"}},
}


@pytest.mark.slow
@pytest.mark.parametrize("label", ["var{}", None], ids=["other labels", "no labels"])
def test_many_labels_for_many_calls_are_no_puzzle(label: str | None) -> None:
    """Each label is paid for at its own place: counted over calls this took minutes at 12 calls."""
    calls = [{"name": "Next", "arguments": {"x": "start"}, "label": label and label.format(1)}]
    calls += [
        {"name": "Next", "arguments": {"x": f"$step{n - 1}.o$"}, "label": label and label.format(n)}
        for n in range(2, 41)
    ]
    result = Refractor({"tools": [TOOL]}, time_limit=30).repair(calls)
    assert (result.verdict, result.optimal) == ("repaired", True)
    assert [call.label for call in result.sequence.calls[:39]] == [f"step{n}" for n in range(1, 40)]
