"""A cost model with several levels: each is told, also one at which nothing has to be paid."""

from pathlib import Path

from declaring import NEEDED, tool
from refract_asp import RepairResult, repair
from refract_asp.resources import cost_model_path


def repaired(folder: Path, more: str) -> RepairResult:
    """Repair a call that lacks an argument, with the default model and more."""
    model = folder / "levels.lp"
    model.write_text(cost_model_path("default").read_text("utf-8") + more, "utf-8")
    return repair("Search()", {"tools": [tool("Search", query=NEEDED)]}, cost_model=model)


def test_a_level_at_which_nothing_is_paid_costs_nothing(tmp_path: Path) -> None:
    result = repaired(tmp_path, "level(move_call, 7). level(split, 1).")
    assert result.total == {7: 0, 2: 35, 1: 0}
    assert list(result.total) == [7, 2, 1]
    assert result.lower_bound == result.total


def test_a_kind_that_is_ranked_twice_is_paid_twice(tmp_path: Path) -> None:
    result = repaired(tmp_path, "criterion(ask, 5, 1).")
    assert result.total == {5: 1, 2: 35}
    assert result.cost == {"ask": 36}
    assert result.cost_by_level == {5: {"ask": 1}, 2: {"ask": 35}}
    assert sum(sum(edit.cost.values()) for edit in result.edits) == 36
