"""Goals and levels through the API: how they are written, what they refuse, and what they leave alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Goal, Refractor, check, compress, repair
from refract_asp.errors import FormatError, InputError
from refract_asp.formats.given import load_goals

FIND = {
    "name": "Find",
    "effect": "read",
    "parameters": {"city": {"type": "string", "required": True}},
}
FIND["returns"] = {"roomKey": {"type": "string"}}
BOOK = {
    "name": "Book",
    "effect": "write",
    "parameters": {"roomKey": {"type": "string", "required": True}, "nights": {"type": "integer"}},
    "returns": {"receipt": {"type": "string"}},
}
CATALOG = Catalog.load({"tools": [FIND, BOOK]})
FOUND = 'var1 = Find(city="Rome")'
BOOKED = FOUND + '\nvar2 = Book(roomKey="$var1.roomKey$")'


@pytest.mark.parametrize(
    ("written", "goal"),
    [
        ("Book", Goal.tool("Book")),
        (
            ' Book(nights=2, roomKey="$var1.roomKey$") ',
            Goal.tool("Book", {"nights": 2, "roomKey": "$var1.roomKey$"}),
        ),
        ("field receipt", Goal.field("receipt")),
        ("Find  before Book", Goal.before("Find", "Book")),
        ({"tool": "Book", "arguments": {"nights": 2}}, Goal.tool("Book", {"nights": 2})),
        ({"tool": "Book"}, Goal.tool("Book")),
        ({"field": "receipt"}, Goal.field("receipt")),
        ({"before": ["Find", "Book"]}, Goal.before("Find", "Book")),
        (Goal.field("x"), Goal.field("x")),
    ],
)
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


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ("two words", "is no goal"),
        ("", "is no goal"),
        ("Book(", "is no goal"),
        ("Book(roomKey=1)\nFind()", "is no goal"),
        (3, "no list of goals"),
        ([3], "is no goal"),
        ([{"tool": "Book", "args": {}}], "is no goal"),
        ([{"tool": "Book", "arguments": [1]}], "no mapping"),
        ([{"tool": "Book", "arguments": {"roomKey": "a $x.y$ b"}}], "references inside"),
        (["Book"] * 101, "too many"),
        ("Boook", "no tool. The nearest are Book"),
        ("Find before Bok", "no tool"),
        ("Book(colour=1)", "does not take. It takes roomKey, nights"),
        ('Book(roomKey="$var9.key$")', "no call bears that label"),
        ('Book(nights="many")', "does not fit its schema"),
    ],
)
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


def test_goals_do_not_matter_to_the_level_admissible() -> None:
    assert check(FOUND, CATALOG, goals="Book", level="admissible").verdict == "valid"
    assert repair(FOUND, CATALOG, goals="Book", level="admissible").verdict == "valid"


def test_the_violation_names_the_goal() -> None:
    (violation,) = check(FOUND, CATALOG, goals="Book(nights=2)").violations
    assert (violation.code, violation.call, violation.given) == (
        "unmet_goal",
        None,
        "Book(nights=2)",
    )


def test_a_goal_adds_the_call_that_it_takes() -> None:
    result = repair(FOUND, CATALOG, goals="Book(nights=2)")
    assert result.sequence.dump("pretty") == [FOUND, 'Book(roomKey="$var1.roomKey$", nights=2)']
    assert result.verdict == "repaired"
    assert result.edits[0].kind == "add_call"


def test_a_field_of_a_tool_that_may_change_something_is_confirmed() -> None:
    result = repair(FOUND, CATALOG, goals="field receipt")
    assert result.verdict == "needs_input"
    assert [each.reason for each in result.confirms] == ["the added call may change something"]


def test_what_was_executed_or_is_known_meets_a_goal() -> None:
    assert check("", CATALOG, goals="Find", history=FOUND).verdict == "valid"
    assert check("", CATALOG, {"receipt": "42"}, goals="field receipt").verdict == "valid"
    assert check("", CATALOG, {"var7": {"receipt": "42"}}, goals="field receipt").verdict == "valid"
    assert check("", CATALOG, {"var7": {}}, goals="field receipt").verdict == "invalid"


def test_a_goal_binds_what_a_given_call_lacks() -> None:
    result = repair("Book()", CATALOG, goals='Book(roomKey="K")')
    assert result.sequence.dump("pretty") == ['Book(roomKey="K")']


def test_a_repaired_call_may_meet_the_goal() -> None:
    result = repair(BOOKED.replace("Book", "Boook"), CATALOG, goals="Book")
    assert str(result.sequence) == BOOKED


def test_denied_tools_meet_no_goal() -> None:
    result = repair(FOUND, CATALOG, goals="field receipt", deny=["Book"])
    assert (result.verdict, result.unmet) == ("unrepairable", ("field receipt",))


def test_known_tools_only_takes_the_tools_of_goals_too() -> None:
    result = repair(FOUND, CATALOG, goals="Book", known_tools_only=True)
    assert len(result.sequence.calls) == 2


def test_needless_calls_are_told_and_left_out() -> None:
    calls = FOUND + '\nvar2 = Find(city="Oslo")\nvar3 = Book(roomKey="$var1.roomKey$")'
    report = check(calls, CATALOG, goals="Book", level="cheapest")
    assert [(each.code, each.call) for each in report.violations] == [("needless_call", 1)]
    result = repair(calls, CATALOG, goals="Book", level="cheapest")
    assert result.sequence.dump("pretty") == [FOUND, 'var3 = Book(roomKey="$var1.roomKey$")']


def test_two_calls_with_other_values_do_not_stand_for_each_other() -> None:
    """Of two cities each is meant, though both are found by the same tool."""
    tool = {
        "name": "Compare",
        "effect": "read",
        "parameters": {name: {"type": "string", "required": True} for name in ("first", "second")},
    }
    calls = (
        FOUND
        + '\nvar2 = Find(city="Oslo")\nCompare(first="$var1.roomKey$", second="$var2.roomKey$")'
    )
    catalog = {"tools": [FIND, tool]}
    assert repair(calls, catalog, goals="Compare", level="cheapest").verdict == "valid"
    assert compress(calls, catalog).verdict == "valid"


def test_a_call_that_changes_something_is_made_as_often_as_it_is_given() -> None:
    twice = BOOKED + '\nvar3 = Book(roomKey="$var1.roomKey$")'
    assert compress(twice, CATALOG).verdict == "valid"
    around = BOOKED + '\nvar3 = Find(city="Rome")\nvar4 = Book(roomKey="$var3.roomKey$")'
    assert compress(around, CATALOG).verdict == "valid"


def test_an_attempt_at_something_else_stays() -> None:
    """What is wrong in it is not what the other call says."""
    calls = 'var1 = Find(cty="Rome")\nvar2 = Find(city="Oslo")'
    assert len(compress(calls, CATALOG).sequence.calls) == 2


def test_an_attempt_that_was_put_right_goes() -> None:
    for wrong in ('Find(cty="Rome")', "Find()", 'Fnd(city="Rome")', 'Find(city="$var9.x$")'):
        result = compress(f'var1 = {wrong}\nvar2 = Find(city="Rome")', CATALOG)
        assert len(result.sequence.calls) == 1, wrong
        assert str(result.sequence).endswith('Find(city="Rome")')


def test_what_stands_for_a_call_that_goes_is_told() -> None:
    result = compress(FOUND + '\nvar2 = Find(city="Rome")', CATALOG)
    assert [(edit.call, edit.instead) for edit in result.edits if edit.kind == "delete_call"] == [
        (1, 0)
    ]
    result = compress(FOUND, CATALOG, history=FOUND)
    assert [(edit.call, edit.instead) for edit in result.edits if edit.kind == "delete_call"] == [
        (0, -1)
    ]


def test_copies_of_a_tool_of_unknown_effect_go_and_are_risky() -> None:
    tool = {"name": "Ask", "parameters": {"text": {"type": "string"}}}
    result = compress('a = Ask(text="x")\nb = Ask(text="x")', {"tools": [tool]})
    assert len(result.sequence.calls) == 1
    assert result.edits[0].risky is not None
    assert result.verdict == "repaired"


def test_facts_are_those_of_the_level() -> None:
    facts = Refractor(CATALOG).facts(BOOKED, goals="Book", level="cheapest")
    assert 'in_loose(1,"roomKey",0).' in facts
    assert "in_goal" not in Refractor(CATALOG).facts(BOOKED)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 9, 100])
def test_goals_of_one_tool_are_met_in_their_order(count: int) -> None:
    wanted = [f'Find(city="{number}")' for number in range(count)]
    result = repair("", CATALOG, goals=wanted, time_limit=30)
    assert result.verdict == "repaired"
    assert result.sequence.dump("pretty") == wanted


NIGHTS = FOUND + '\nvar2 = Book(roomKey="$var1.roomKey$", nights='


def test_what_a_goal_binds_goes_to_the_call_that_lacks_it() -> None:
    """Else the room would be booked twice."""
    result = repair(BOOKED, CATALOG, goals="Book(nights=3)")
    assert str(result.sequence) == NIGHTS + "3)"
    assert [edit.kind for edit in result.edits] == ["fill"]


def test_a_second_call_that_changes_something_is_confirmed() -> None:
    result = repair(NIGHTS + "2)", CATALOG, goals="Book(nights=3)")
    assert len(result.sequence.calls) == 3
    assert "the added call may change something" in {each.reason for each in result.confirms}


def test_what_memory_holds_is_confirmed_for_a_call_that_changes_something() -> None:
    memory = {"roomKey": "K7"}
    result = repair(BOOKED, CATALOG, memory, goals="Book", level="cheapest")
    assert [call.name for call in result.sequence.calls] == ["Book"]
    assert result.verdict == "needs_input"
    mapped = repair(
        BOOKED,
        CATALOG,
        memory,
        goals="Book",
        level="cheapest",
        mappings=[("roomKey", "Book.roomKey")],
    )
    assert mapped.verdict == "repaired"


def test_of_two_copies_the_first_one_stays() -> None:
    copies = 'a = Find(city="Rome")\nb = Find(city="Rome")\nc = Book(roomKey="$b.roomKey$")'
    for result in (
        compress(copies, CATALOG),
        repair(copies, CATALOG, goals="Book", level="cheapest"),
    ):
        assert (result.verdict, result.ambiguous) == ("repaired", False)
        assert result.sequence.dump("pretty") == [
            'a = Find(city="Rome")',
            'c = Book(roomKey="$a.roomKey$")',
        ]


def test_an_executed_call_stands_for_none_that_needs_what_it_did_not_give() -> None:
    history = 'z = Find(city="Rome")'
    assert compress(BOOKED, CATALOG, {"z": {"roomKey": None}}, history).verdict == "valid"
    found = compress(BOOKED, CATALOG, {"z": {"roomKey": "K"}}, history)
    assert found.sequence.dump("pretty") == ['var2 = Book(roomKey="$z.roomKey$")']


def test_memory_says_nothing_of_what_a_label_meant_before() -> None:
    tool = {"name": "Look", "effect": "read", "parameters": {"roomKey": {"type": "string"}}}
    tool["returns"] = {"roomKey": {"type": "string"}}
    history = 'a = Find(city="Rome")\na = Look(roomKey="$a.roomKey$")'
    again = 'a = Look(roomKey="$a.roomKey$")'
    assert (
        compress(again, {"tools": [FIND, tool]}, {"a": {"roomKey": "K"}}, history).verdict
        == "valid"
    )


@pytest.mark.slow
def test_many_copies_leave_one_call() -> None:
    result = compress("\n".join(f'v{number} = Find(city="Rome")' for number in range(200)), CATALOG)
    assert (len(result.sequence.calls), result.truncated) == (1, ())
