"""A call in which something is wrong, and that is made again directly after it, is left out."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, RepairResult, repair

TOOLS = {
    "tools": [
        {
            "name": "Search",
            "effect": "read",
            "parameters": {
                "query": {"type": "string", "required": True},
                "page": {"type": "string"},
            },
            "returns": {"id": {"type": "string"}},
        },
        {
            "name": "Show",
            "effect": "read",
            "parameters": {"id": {"type": "string", "required": True}},
            "returns": {"text": {"type": "string"}},
        },
    ]
}
RIGHT = 'a = Search(query="x", page="2")'


@pytest.fixture
def tools() -> Catalog:
    return Catalog.load(TOOLS)


def mended(text: str, tools: Catalog) -> RepairResult:
    result = repair(text + '\nb = Show(id="$a.id$")', tools)
    assert result.optimal
    return result


@pytest.mark.parametrize(
    "attempt",
    [
        'a = Search(page="2")',
        'a = Search(qeury="x", page="2")',
        'a = Search(query="$z.id$", page="2")',
        'a = Search(query="x", page=2)',
        "a = Search(page=2)",
    ],
    ids=["missing", "misspelt", "reads nothing", "wrong type", "missing and wrong type"],
)
def test_an_attempt_that_was_made_again_goes(attempt: str, tools: Catalog) -> None:
    result = mended(f"{attempt}\n{RIGHT}", tools)
    assert str(result.sequence).splitlines() == [RIGHT, 'b = Show(id="$a.id$")']
    assert result.verdict == "repaired"


def test_a_call_that_says_something_else_stays(tools: Catalog) -> None:
    result = mended(f'a = Search(page="3")\n{RIGHT}', tools)
    assert len(result.sequence.calls) == 3
    assert result.asks


def test_what_an_executed_call_read_is_not_judged() -> None:
    """Nor is it mended: only the new call of that kind is."""
    tools = {
        "tools": [
            {
                "name": "Use",
                "effect": "read",
                "parameters": {"days": {"type": "array", "required": True}},
            }
        ]
    }
    given = 'Use(days="$day$")'
    result = repair(given, tools, {"day": "x"}, history="\n".join([given] * 3))
    assert [violation.call for violation in result.violations] == [0, 0]
    assert str(result.sequence) == 'Use(days=["$day$"])'


def test_a_valid_call_is_made_twice_if_somebody_wants_that(tools: Catalog) -> None:
    result = mended(f'a = Search(query="x")\n{RIGHT}', tools)
    assert result.verdict == "valid"
