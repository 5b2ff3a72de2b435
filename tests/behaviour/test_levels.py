"""A cost model with several levels: each is told, also one at which nothing has to be paid."""

from __future__ import annotations

from pathlib import Path

from refract_asp import Catalog, repair
from refract_asp.resources import cost_model_path


def test_a_level_at_which_nothing_is_paid_costs_nothing(tmp_path: Path) -> None:
    text = cost_model_path("default", None).read_text("utf-8")
    for kind, level in (("move_call", 7), ("split", 1)):
        text = text.replace(f"criterion({kind}, priority_edits", f"criterion({kind}, {level}")
    model = tmp_path / "levels.lp"
    model.write_text(text, "utf-8")
    tools = Catalog.load(
        "tools: [{name: Search, parameters: {query: {type: string, required: true}}}]"
    )
    result = repair("Search()", tools, cost_model=model)
    assert result.total == {7: 0, 2: 35, 1: 0}
    assert list(result.total) == [7, 2, 1]
    assert result.lower_bound == result.total
