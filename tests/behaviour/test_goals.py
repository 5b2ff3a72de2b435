"""Goals and levels through the API: how they are written, what they refuse, and what they leave alone."""

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Goal, Refractor, check, compress, repair
from refract_asp.errors import FormatError, InputError
from refract_asp.formats.given import load_goals
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

FIND = TABLES["find"]
FIND["returns"] = {"roomKey": {"type": "string"}}
CATALOG = Catalog.load({"tools": [FIND, TABLES["book"]]})
NO_GOALS = read_yaml(Path(__file__).with_name("no_goals.yaml"))
FOUND = 'var1 = Find(city="Rome")'
BOOKED = FOUND + '\nvar2 = Book(roomKey="$var1.roomKey$")'


WRITTEN = [
    ("Book", Goal.tool("Book")),
    (' Book(nights=2, key="$v.key$") ', Goal.tool("Book", {"nights": 2, "key": "$v.key$"})),
    ("field receipt", Goal.field("receipt")),
    ("Find  before Book", Goal.before("Find", "Book")),
    ({"tool": "Book", "arguments": {"nights": 2}}, Goal.tool("Book", {"nights": 2})),
    ({"tool": "Book"}, Goal.tool("Book")),
    ({"field": "receipt"}, Goal.field("receipt")),
    ({"before": ["Find", "Book"]}, Goal.before("Find", "Book")),
    (Goal.field("x"), Goal.field("x")),
]


@pytest.mark.parametrize(("written", "goal"), WRITTEN)
def test_how_goals_are_written(written: Any, goal: Goal) -> None:
    assert load_goals([written]) == (goal,)
    assert load_goals([str(goal)]) == (goal,)
    assert Goal.model_validate(goal.model_dump(mode="json")) == goal


def test_a_file_of_goals(tmp_path: Path) -> None:
    file = tmp_path / "goals.yaml"
    file.write_text("- Book\n- field receipt\n- {before: [Find, Book]}\n", "utf-8")
    assert [str(goal) for goal in load_goals(file)] == ["Book", "field receipt", "Find before Book"]
    assert load_goals('["Book"]') == load_goals("- Book") == load_goals("Book")
    assert load_goals(None) == load_goals(()) == ()


@pytest.mark.parametrize(("goals", "message"), [*NO_GOALS, (["Book"] * 101, "too many")])
def test_what_is_no_goal_is_refused(goals: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(FOUND, CATALOG, goals=goals)


def test_a_mistake_in_a_file_is_told_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "goals.yaml"
    file.write_text("- Book\n- {fields: 1}\n", "utf-8")
    with pytest.raises(FormatError, match=r"goals\.yaml:2: \[1\]"):
        load_goals(file)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InputError, match="Use admissible, achieves_goals or cheapest"):
        check(FOUND, CATALOG, level="best")  # type: ignore[arg-type]


def test_the_violation_names_the_goal() -> None:
    (violation,) = check(FOUND, CATALOG, goals="Book(nights=2)").violations
    told = (violation.code, violation.call, violation.given)
    assert told == ("unmet_goal", None, "Book(nights=2)")


def test_needless_calls_are_told() -> None:
    calls = FOUND + '\nvar2 = Find(city="Oslo")\nvar3 = Book(roomKey="$var1.roomKey$")'
    report = check(calls, CATALOG, goals="Book", level="cheapest")
    assert [(each.code, each.call) for each in report.violations] == [("needless_call", 1)]


GONE = [(FOUND + '\nvar2 = Find(city="Rome")', None, (1, 0)), (FOUND, FOUND, (0, -1))]


@pytest.mark.parametrize(("calls", "history", "gone"), GONE)
def test_what_stands_for_a_call_that_goes_is_told(calls: str, history: Any, gone: Any) -> None:
    result = compress(calls, CATALOG, history=history or ())
    assert [(e.call, e.instead) for e in result.edits if e.kind == "delete_call"] == [gone]


def test_facts_are_those_of_the_level() -> None:
    facts = Refractor(CATALOG).facts(BOOKED, goals="Book", level="cheapest")
    assert 'in_loose(1,"roomKey",0).' in facts
    assert "in_goal" not in Refractor(CATALOG).facts(BOOKED)


@pytest.mark.slow
def test_goals_of_one_tool_are_met_in_their_order() -> None:
    wanted = [f'Find(city="{number}")' for number in range(100)]
    result = repair("", CATALOG, goals=wanted, time_limit=30)
    assert (result.verdict, result.sequence.dump("pretty")) == ("repaired", wanted)


@pytest.mark.slow
def test_many_copies_leave_one_call() -> None:
    result = compress("\n".join(f'v{number} = Find(city="Rome")' for number in range(200)), CATALOG)
    assert (len(result.sequence.calls), result.truncated) == (1, ())


@pytest.mark.parametrize(("calls", "goal", "unresolved"), TABLES["a goal of a call beyond repair"])
def test_a_goal_of_a_call_beyond_repair_stays_open(calls: Any, goal: str, unresolved: Any) -> None:
    """The call is told as unresolved, and the goal with it where no other call meets it."""
    result = repair(calls, {"tools": [FIND, TABLES["either"]]}, goals=[goal])
    assert (result.verdict, [*result.unresolved]) == ("unrepairable", unresolved)
    assert result.unmet == (() if goal == "Find before Look" else (goal,))
    assert str(result.sequence) == str(result.given)
