"""Measures worked out by hand: for each case what is given, expected and answered, and what that comes to."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp.evaluation import Recorded, Score, run
from refract_asp.evaluation.summary import summary_of

from .small_cases import GOLD, SLIP, cases, row

Worked = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""The row of a case, what was recorded, and fields of its score."""

ASKS = ["ask(query)", "Search(query=query)"]
TWO = ['a = Search(query="x")', 'b = Search(query="y")', 'Book(id="$a.id$")']
FOUND = ["a = Search(query=1)", 'return {"place": "$a.id$"}']
BY_HAND: dict[str, Worked] = {
    "other labels": (
        row("", SLIP, GOLD),
        {"answer": ['z = Search(query="Rome")', 'Book(id="$z.id$")'], "verdict": "repaired"},
        {
            "restored": True,
            "exact": False,
            "detected": True,
            "executable": True,
            "sound": True,
            "off": 0,
        },
    ),
    "other order": (
        row("", ["Serch(query=1)", "Search(query=2)"], ["Search(query=1)", "Search(query=2)"]),
        {"answer": ["Search(query=2)", "Search(query=1)"], "verdict": "repaired"},
        {"restored": True, "exact": False, "off": 0, "asks": 0},
    ),
    "reads from the other call": (
        row("", [*TWO[:2], 'Book(id="$c.id$")'], TWO),
        {"answer": [*TWO[:2], 'Book(id="$b.id$")'], "verdict": "repaired"},
        {
            "restored": False,
            "exact": False,
            "executable": True,
            "changed": 1,
            "off": 1,
            "silent": (),
        },
    ),
    "asked under another name": (
        row("", ["Search()"], ASKS),
        {"answer": ["ask(town)", "Search(query=town)"], "verdict": "needs_input"},
        {
            "restored": True,
            "exact": True,
            "asked_rightly": True,
            "asks": 1,
            "executable": False,
            "sound": True,
        },
    ),
    "filled in place of asking": (
        row("", ["Search()"], ASKS),
        {"answer": ['Search(query="Rome")'], "verdict": "repaired"},
        {
            "restored": False,
            "silent": ("query",),
            "asked_rightly": False,
            "executable": True,
            "sound": True,
        },
    ),
    "filled, to be confirmed": (
        row("", ["Search()"], ASKS),
        {"answer": ['confirm(query="Rome")', 'Search(query="Rome")'], "verdict": "needs_input"},
        {"restored": False, "confirmed": True, "silent": (), "asked_rightly": False},
    ),
    "another good answer": (
        row("", SLIP, GOLD, also=[['Search(query="Rome")', "ask(id)", "Book(id=id)"]]),
        {
            "answer": ["ask(which)", 'Search(query="Rome")', "Book(id=which)"],
            "verdict": "needs_input",
        },
        {"restored": True, "exact": False, "off": 0, "asks": 1},
    ),
    "open, any constant in an added call": (
        row("", GOLD[1:], GOLD, open=[{"call": 0, "parameters": ["query"]}]),
        {"answer": ['a = Search(query="Oslo")', GOLD[1]], "verdict": "repaired"},
        {"restored": True, "exact": False, "silent": ("query",)},
    ),
    "open, asked for": (
        row("", GOLD[1:], GOLD, open=[{"call": 0, "parameters": ["query"]}]),
        {"answer": ["ask(query)", "a = Search(query=query)", GOLD[1]], "verdict": "needs_input"},
        {"restored": True, "silent": (), "asks": 1},
    ),
    "open, and another thing wrong": (
        row("", GOLD[1:], GOLD, open=[{"call": 0, "parameters": ["query"]}]),
        {"answer": ['a = Search(query="Oslo", limit=3)', GOLD[1]], "verdict": "repaired"},
        {"restored": False},
    ),
    "from memory": (
        row("", ["Search()"], ['Search(query="$city$")'], memory={"city": "Rome"}),
        {"answer": ['Search(query="$city$")'], "verdict": "repaired"},
        {"restored": True, "exact": True, "executable": True, "asks": 0},
    ),
    "a constant in place of memory": (
        row("", ["Search()"], ['Search(query="$city$")'], memory={"city": "Rome"}),
        {"answer": ['Search(query="Rome")'], "verdict": "repaired"},
        {"restored": False, "exact": False, "executable": True, "changed": 2, "off": 1},
    ),
    "returned as well": (
        row("", ["a = Serch(query=1)", FOUND[1]], FOUND),
        {"answer": ["b = Search(query=1)", 'return {"place": "$b.id$"}'], "verdict": "repaired"},
        {"restored": True, "exact": False},
    ),
    "something else returned": (
        row("", ["a = Serch(query=1)", FOUND[1]], FOUND),
        {"answer": [FOUND[0], 'return {"place": "$a.items$"}'], "verdict": "repaired"},
        {"restored": False, "exact": False},
    ),
    "left alone": (
        row("", GOLD, GOLD),
        {"answer": GOLD, "verdict": "valid"},
        {"restored": True, "exact": True, "detected": False, "changed": 0, "executable": True},
    ),
    "not judged, and left alone": (
        row("", GOLD, GOLD),
        {"answer": GOLD, "verdict": "unknown"},
        {"restored": True, "detected": False},
    ),
    "changed without need": (
        row("", GOLD, GOLD),
        {"answer": ['a = Search(query="Oslo")', GOLD[1]]},
        {"restored": False, "detected": True, "changed": 1, "off": 1},
    ),
    "called right, and is not": (
        row("", SLIP, GOLD),
        {"answer": SLIP, "verdict": "valid"},
        {"restored": False, "detected": False, "executable": False, "sound": False, "off": 1},
    ),
}
ROWS = [{**given, "id": name} for name, (given, _, _) in BY_HAND.items()]
RUN = run(
    cases([*ROWS, row("right without answer", GOLD, GOLD), row("wrong without answer")]),
    {"peer": Recorded.load([{**said, "id": name} for name, (_, said, _) in BY_HAND.items()])},
)
SCORES = {each.id: each.scores["peer"] for each in RUN.rows}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_score(name: str) -> None:
    assert SCORES[name].error is None
    wanted = BY_HAND[name][2]
    assert {field: getattr(SCORES[name], field) for field in wanted} == wanted


def test_no_answer_earns_nothing() -> None:
    none = Score(error="no answer was recorded.")
    assert SCORES["right without answer"] == SCORES["wrong without answer"] == none


def test_the_figures() -> None:
    shares = summary_of(RUN).overall.figures["peer"].shares
    counted = {name: (found.count, found.of) for name, found in shares.items()}
    # 20 cases: 4 are right, 2 have no answer; 3 expect an ask, 3 others have something open.
    assert counted["restored"] == (8, 16)
    assert counted["exact"] == (2, 16)
    assert counted["confirmed"] == (1, 16)
    assert counted["detected"] == (14, 16)
    assert counted["false_alarms"] == (1, 4)
    assert counted["asked_rightly"] == (1, 3)
    assert counted["asked_needlessly"] == (1, 10)
    assert counted["silent"] == (3, 16)
    assert counted["errors"] == (2, 20)


def test_a_right_case_without_answer_is_not_left_alone() -> None:
    (right,) = [group for group in summary_of(RUN).groups["kind"] if group.value == "none"]
    title, found = right.figures["peer"].headline
    assert (title, found.count, found.of) == ("left alone", 2, 4)
