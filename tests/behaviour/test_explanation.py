"""`result.explanation()`: why each edit is as it is, and what would be without it."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, Refractor, RepairResult, repair
from refract_asp.model.explanation import Explanation, Reason

KEY = {"key": {"type": "string", "required": True}}
TOOLS = {
    "tools": [
        {
            "name": "Find",
            "effect": "read",
            "returns": {"key": {"type": "string"}, "tag": {"type": "string"}},
        },
        {"name": "Book", "effect": "read", "parameters": KEY},
    ]
}


def only(result: RepairResult) -> Reason:
    (reason,) = result.explanation().reasons
    return reason


def test_an_edit_is_compared_with_the_cheapest_repair_without_it() -> None:
    result = repair('a = Find()\nBook(key="$a.kye$")', TOOLS)
    reason = only(result)
    assert (reason.edit, reason.outcome) == (result.edits[0], "dearer")
    assert [violation.code for violation in reason.violations] == ["unknown_field"]
    (instead,) = reason.instead
    assert instead.kind == "rebind"
    assert str(instead.after) == "$a.tag$"
    assert reason.extra == {2: 14}


def test_that_nothing_else_mends_it_is_said() -> None:
    result = repair("Book()", TOOLS, known_tools_only=True)
    assert only(result).outcome == "none"
    assert only(result).extra == {}
    assert "nothing else mends it" in result.explain()


def test_a_call_that_only_a_rename_mends_would_stay() -> None:
    reason = only(repair('Bok(key="x")', TOOLS))
    assert (reason.outcome, reason.unresolved) == ("dearer", (0,))
    assert (
        "nothing else mends it: call 1 stays as it was, for"
        in repair('Bok(key="x")', TOOLS).explain()
    )


def test_what_follows_is_no_choice_of_its_own() -> None:
    result = repair("Find()\nBook()", TOOLS)
    reasons = {reason.edit.kind: reason for reason in result.explanation().reasons}
    assert reasons["add_label"].outcome == "follows"
    assert reasons["fill"].outcome == "dearer"


@pytest.mark.slow
def test_an_added_call_a_label_a_move_and_a_form() -> None:
    cases = {
        'Book(key="$x.key$")': "add_call",
        'b = Book(key="$a.key$")\na = Find()': "move_call",
        'Book(key=["x"])': "transform",
        'Find()\nBook(key="$a.key$")': "add_label",
        'Book(key="x", colour="red")': "drop_argument",
        'a = Book(key="x")\na = Book(key="x")': "delete_call",
    }
    for given, kind in cases.items():
        result = repair(given, TOOLS)
        reasons = {reason.edit.kind: reason for reason in result.explanation().reasons}
        assert reasons[kind].outcome in ("dearer", "equal", "none"), given
    assert reasons["delete_call"].outcome == "none"


def test_equal_repairs_are_told(catalog: Catalog) -> None:
    given = """
    var1 = SkyScrapperSearchAirport(query="New York")
    var2 = SkyScrapperSearchAirport(query="London")
    var3 = SkyScrapperFlightSearch(originSkyId="$var9.skyId$", destinationSkyId="L", originEntityId="1", destinationEntityId="2", date="2024-08-15")
    """  # noqa: E501
    result = Refractor(catalog).repair(given)
    assert result.ambiguous
    reasons = {reason.edit.kind: reason for reason in result.explanation().reasons}
    assert reasons["rename_label"].outcome == "equal"
    assert reasons["rename_label"].extra == {2: 0}


def test_an_explanation_is_data(catalog: Catalog) -> None:
    explanation = repair('a = Find()\nBook(key="$a.kye$")', TOOLS).explanation()
    assert Explanation.model_validate(explanation.model_dump(mode="json")) == explanation
    assert sum(each.cost for each in explanation.criteria) == sum(explanation.total.values())


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_without_time_nothing_is_compared(catalog: Catalog, limit: float) -> None:
    result = Refractor(catalog).repair('SkyScrapperSearchAirport(qury="x")', time_limit=limit)
    assert all(reason.outcome == "unknown" for reason in result.explanation().reasons)


def test_a_copy_that_somebody_reads(catalog: Catalog) -> None:
    """Asked again, the control that found all optima would search without end, whatever the time limit."""
    given = """
    a = SkyScrapperSearchAirport(query="Rome")
    b = SkyScrapperSearchAirport(query="Rome")
    c = TripadvisorSearchLocation(query="$b.skyId$")
    """
    result = Refractor(catalog).compress(given)
    reasons = {reason.edit.kind: reason for reason in result.explanation().reasons}
    assert reasons["rebind"].outcome == "follows"
    assert reasons["delete_call"].outcome == "dearer"
    assert reasons["delete_call"].extra[100] == 1
    text = " ".join(result.explain().split())
    assert "the call is left out; call 1 (a) stands for it" in text
    assert "instead: +1 in calls, -4 at level 2: the call stays" in text


def test_a_call_that_was_executed_stands_for_a_copy(catalog: Catalog) -> None:
    done = 'a = SkyScrapperSearchAirport(query="Rome")'
    given = (
        'b = SkyScrapperSearchAirport(query="Rome")\nTripadvisorSearchLocation(query="$b.skyId$")'
    )
    result = Refractor(catalog).compress(given, {"a": {"skyId": "ROM"}}, history=done)
    text = " ".join(result.explain().split())
    assert "an executed call stands for it" in text, text


def test_a_call_that_a_goal_adds_is_explained() -> None:
    """Without it the goal would stay open, which costs more."""
    result = repair("", {"tools": [{"name": "A", "effect": "read"}]}, goals=["A"])
    (reason,) = result.explanation().reasons
    assert (reason.edit.kind, reason.outcome) == ("add_call", "dearer")
    assert "A is added" in result.explain()
