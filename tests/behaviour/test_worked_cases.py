"""Worked cases, each file of `cases` a document: tools, calls that are wrong, and what a repair makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Refractor, RepairResult
from yaml_files import read_yaml

FILES = sorted(Path(__file__).with_name("cases").glob("*.yaml"))
COMPILED: dict[str, Refractor] = {}
KNOWN = ("memory", "history", "goals", "level")


def cases() -> Iterator[Any]:
    for file in FILES:
        document = read_yaml(file)
        for name, case in document.pop("cases").items():
            yield pytest.param({**document, **case}, id=f"{file.stem}: {name}")


def said(result: RepairResult) -> dict[str, Any]:
    """Return what a case may say of a result, by the name under which it does."""
    return {
        "verdict": result.verdict,
        "repaired": str(result.sequence),
        "codes": [violation.code for violation in result.violations],
        "messages": [violation.message for violation in result.violations],
        "outcomes": [each.verdict for each in result.outcomes],
        "asks": list(result.sequence.asks),
        "edits": [edit.kind for edit in result.edits],
        "patterns": [edit.pattern for edit in result.edits],
        "unresolved": list(result.unresolved),
        "unmet": list(result.unmet),
        "tools": [call.name for call in result.sequence.calls],
        "labels": [call.label for call in result.sequence.calls],
        "confirmed": [confirm.call for confirm in result.confirms],
        "ambiguous": result.ambiguous,
        "undecided": list(result.undecided),
        "total": result.total,
        "cost": result.cost,
        "alternatives": [str(other.sequence) for other in result.alternatives],
    }


@pytest.mark.parametrize("case", list(cases()))
def test_a_case(case: dict[str, Any], tmp_path: Path) -> None:
    case = dict(case)
    options = dict(case.pop("options", {}))
    if "rules" in case:
        own = tmp_path / "own.lp"
        own.write_text(case.pop("rules"), "utf-8")
        options["encodings"] = [*options.get("encodings", ()), own]
    is_answered, key = case.pop("answered", True), repr((case["catalog"], options))
    refractor = COMPILED.get(key) or Refractor(case["catalog"], **options)
    COMPILED[key] = refractor
    del case["catalog"]
    calls, by = case.pop("calls"), case.pop("by", "repair")
    known = {name: case.pop(name) for name in KNOWN if name in case}
    result = getattr(refractor, by)(calls, **known)
    found, text = said(result), str(result.sequence)
    case.pop("why", None)
    for name, expected in case.items():
        if name in ("holds", "lacks"):
            assert (expected in text) == (name == "holds"), text
        elif name == "ends":
            assert text.endswith(expected.strip()), text
        elif name == "alternative":
            assert any(expected in other for other in found["alternatives"])
        elif name == "reason":
            assert expected in " | ".join(confirm.reason for confirm in result.confirms)
        else:
            told = expected.strip() if isinstance(expected, str) else expected
            assert found[name] == told, name
    if is_answered and result.verdict in ("repaired", "needs_input"):
        answered = result.answer(confirmed=True)
        assert refractor.check(answered, **known).violations == ()
