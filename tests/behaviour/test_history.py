"""What was executed, what memory holds, and calls that are there twice."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, check, repair
from refract_asp.model import Call, Constant

TOOLS = {
    "tools": [
        {
            "name": "Search",
            "effect": "read",
            "parameters": {
                "query": {"type": "string", "required": True},
                "page": {"type": "integer"},
            },
            "returns": {"id": {"type": "string"}},
        },
        {
            "name": "Show",
            "effect": "read",
            "parameters": {"id": {"type": "string", "required": True}},
        },
    ]
}
TWICE = 'Search(query="x")\nSearch(query="x")'
THRICE = f'{TWICE}\nSearch(query="x")'


@pytest.fixture(scope="module")
def tools() -> Catalog:
    return Catalog.load(TOOLS)


def test_what_was_executed_is_not_judged(tools: Catalog) -> None:
    """It may have failed for that very reason, and nothing can be changed about it."""
    history = 'Serch()\nSearch()\nSearch(query="x", colour="red")'
    assert check('Search(query="x")', tools, history=history).verdict == "valid"
    assert repair('Serch(query="x")', tools, history=history).verdict == "repaired"


def test_a_history_may_be_given_as_calls(tools: Catalog) -> None:
    history = [Call(name="Search", label="a", arguments={"query": Constant(value="x")})]
    assert check('Show(id="$a.id$")', tools, history=history).verdict == "valid"


def test_a_call_is_tried_three_times(tools: Catalog) -> None:
    given = 'Search(query="x")'
    assert repair(given, tools, history=TWICE).verdict == "valid"
    result = repair(given, tools, history=THRICE)
    assert result.verdict == "unrepairable"
    assert result.unresolved == (0,)
    assert str(result.sequence) == given
    assert repair(given, tools, history=THRICE, max_tries=4).verdict == "valid"


def test_a_call_is_not_mended_into_one_that_was_tried_too_often(tools: Catalog) -> None:
    given = 'Search(qery="x")'
    assert repair(given, tools, history=TWICE).verdict == "repaired"
    result = repair(given, tools, history=THRICE)
    assert result.verdict == "needs_input"
    assert str(result.sequence) == "ask(query)\nSearch(query=query)"
    given = 'Serch(query="x")'
    assert repair(given, tools, history=TWICE).verdict == "repaired"
    assert repair(given, tools, history=THRICE).verdict == "unrepairable"


def test_another_argument_makes_another_try(tools: Catalog) -> None:
    assert check('Search(query="x", page=2)', tools, history=THRICE).verdict == "valid"


def test_what_a_try_read_counts(tools: Catalog) -> None:
    """The same reference to another call is another value."""
    tried = "\n".join(['a = Search(query="x")', *['Show(id="$a.id$")'] * 3])
    assert check('Show(id="$a.id$")', tools, history=tried).verdict == "invalid"
    again = 'a = Search(query="y")\nShow(id="$a.id$")'
    assert check(again, tools, history=tried).verdict == "valid"


def test_an_executed_call_without_a_label_cannot_be_read(tools: Catalog) -> None:
    result = repair("Show()", tools, history='Search(query="x")')
    assert "$" not in str(result.sequence)
    assert result.verdict == "needs_input"


def test_an_executed_call_keeps_its_label(tools: Catalog) -> None:
    result = repair('Show(id="$b.id$")', tools, history='a = Search(query="x")')
    assert 'Show(id="$a.id$")' in str(result.sequence)


def test_memory_is_not_read_under_a_label_that_a_call_bears(tools: Catalog) -> None:
    """What is printed would read from the call."""
    result = repair("a = Show(id=1)\nb = Search()", tools, memory={"a": {"query": "London"}})
    assert '"$a.query$"' not in str(result.sequence)
    assert check(result.answer({"query": "x"}, confirmed=True), tools).verdict == "valid"


def test_a_mended_call_that_is_there_already_goes(tools: Catalog) -> None:
    result = repair('a = Search(query="x")\na = Search(qery="x")\nShow(id="1")', tools)
    assert str(result.sequence) == 'a = Search(query="x")\nShow(id="1")'
    assert result.verdict == "repaired"


def test_two_calls_of_one_unknown_tool_become_one(tools: Catalog) -> None:
    result = repair('a = Serch(query="x")\na = Serch(query="x")', tools)
    assert str(result.sequence) == 'a = Search(query="x")'
    assert [edit.kind for edit in result.edits] == ["rename_tool", "delete_call"]


def test_what_looks_like_a_label_in_a_text_does_not_become_one(tools: Catalog) -> None:
    """`$var1$` is text while nothing bears it, so no new call may bear it."""
    result = repair('Search(query="costs $var1$")\nShow(id="$lost.id$")', tools)
    assert 'Search(query="costs $var1$")' in str(result.sequence)
    assert "var1 = " not in str(result.sequence)
    answered = result.answer(dict.fromkeys(result.sequence.asks, "x"), confirmed=True)
    assert check(answered, tools).verdict == "valid"
