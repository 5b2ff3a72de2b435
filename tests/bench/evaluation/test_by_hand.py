"""Measures worked out by hand: for each case what is given, expected and answered, and what that comes to."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Refractor, Sequence
from refract_asp.evaluation import Answer, Recorded, Score, run, score_of
from refract_asp.evaluation.summary import summary_of

from .small_cases import GOLD, SLIP, TOOLS, case, cases, row

LOST = ["Search()"]
ASKS = ["ask(query)", "Search(query=query)"]
OSLO = ['a = Search(query="Oslo")', GOLD[1]]
TWO = ['a = Search(query="x")', 'b = Search(query="y")', 'Book(id="$a.id$")']
FOUND = ["a = Search(query=1)", 'return {"place": "$a.id$"}']
OPEN = {"open": [{"call": 0, "parameters": ["query"]}]}
CITY: Any = {"memory": {"city": "Rome"}}
MISS = {"restored": False, "exact": False}
EXACT = {"restored": True, "exact": True}
SAME = {"restored": True, "exact": False}
Worked = tuple[Any, Any, dict[str, Any], Any, str | None, dict[str, Any]]
"""What is given and expected, what else a case says, the answer, its verdict, and fields of its score."""

BY_HAND: dict[str, Worked] = {
    "token for token": (
        *(SLIP, GOLD, {}, GOLD, "repaired"),
        {**EXACT, "near": True, "off": 0, "changed": 1, "executable": True, "sound": True},
    ),
    "other labels": (
        *(SLIP, GOLD, {}, ['z = Search(query="Rome")', 'Book(id="$z.id$")'], "repaired"),
        {**SAME, "detected": True, "executable": True, "sound": True, "off": 0},
    ),
    "other order": (
        ["Serch(query=1)", "Search(query=2)"],
        ["Search(query=1)", "Search(query=2)"],
        *({}, ["Search(query=2)", "Search(query=1)"], "repaired"),
        {**SAME, "off": 0, "asks": 0},
    ),
    "another value": (*(SLIP, GOLD, {}, OSLO, None), {**MISS, "near": False, "off": 1}),
    "reads from the other call": (
        *([*TWO[:2], 'Book(id="$c.id$")'], TWO, {}, [*TWO[:2], 'Book(id="$b.id$")'], "repaired"),
        {**MISS, "executable": True, "changed": 1, "off": 1, "silent": ()},
    ),
    "asked under another name": (
        *(LOST, ASKS, {}, ["ask(town)", "Search(query=town)"], "needs_input"),
        {**EXACT, "asked_rightly": True, "asks": 1, "executable": False, "sound": True},
    ),
    "something else is asked": (
        *(LOST, ASKS, {}, ["ask(n)", 'Search(query="Rome", limit=n)'], "needs_input"),
        {**MISS, "asked_rightly": False, "asks": 1},
    ),
    "nothing is asked": (*(LOST, ASKS, {}, LOST, None), {"asked_rightly": False}),
    "filled in place of asking": (
        *(LOST, ASKS, {}, ['Search(query="Rome")'], "repaired"),
        {**MISS, "silent": ("query",), "confirmed": False, "executable": True, "sound": True},
    ),
    "filled, to be confirmed": (
        *(LOST, ASKS, {}, ['confirm(query="Rome")', 'Search(query="Rome")'], "needs_input"),
        {**MISS, "confirmed": True, "silent": (), "asked_rightly": False},
    ),
    "another good answer": (
        *(SLIP, GOLD, {"also": [LOST, ['Search(query="Rome")', "ask(id)", "Book(id=id)"]]}),
        *(["ask(which)", 'Search(query="Rome")', "Book(id=which)"], "needs_input"),
        {**SAME, "off": 0, "asks": 1},
    ),
    "open, any constant in an added call": (
        *(GOLD[1:], GOLD, OPEN, OSLO, "repaired"),
        {**SAME, "silent": ("query",)},
    ),
    "open, any constant in a given call": (SLIP, GOLD, OPEN, OSLO, None, {"restored": True}),
    "open, asked for": (
        *(GOLD[1:], GOLD, OPEN, ["ask(query)", "a = Search(query=query)", GOLD[1]], "needs_input"),
        {"restored": True, "silent": (), "asks": 1},
    ),
    "open, and another thing wrong": (
        *(GOLD[1:], GOLD, OPEN, ['a = Search(query="Oslo", limit=3)', GOLD[1]], "repaired"),
        {"restored": False},
    ),
    "from memory": (
        *(LOST, ['Search(query="$city$")'], CITY, ['Search(query="$city$")'], "repaired"),
        {**EXACT, "executable": True, "asks": 0},
    ),
    "a constant in place of memory": (
        *(LOST, ['Search(query="$city$")'], CITY, ['Search(query="Rome")'], "repaired"),
        {**MISS, "executable": True, "changed": 2, "off": 1},
    ),
    "what memory does not hold": (
        *(LOST, ['Search(query="$city$")'], {}, ['Search(query="$city$")'], None),
        {**EXACT, "executable": False},
    ),
    "returned as well": (
        *(["a = Serch(query=1)", FOUND[1]], FOUND, {}),
        *(["b = Search(query=1)", 'return {"place": "$b.id$"}'], "repaired", SAME),
    ),
    "something else returned": (
        *(["a = Serch(query=1)", FOUND[1]], FOUND, {}),
        *([FOUND[0], 'return {"place": "$a.items$"}'], "repaired", MISS),
    ),
    "left alone": (
        *(GOLD, GOLD, {}, GOLD, "valid"),
        {**EXACT, "detected": False, "changed": 0, "executable": True},
    ),
    "not judged, and left alone": (GOLD, GOLD, {}, GOLD, "unknown", {**EXACT, "detected": False}),
    "changed without need": (
        *(GOLD, GOLD, {}, OSLO, None),
        {**MISS, "detected": True, "changed": 1, "off": 1},
    ),
    "called right, and is not": (
        *(SLIP, GOLD, {}, SLIP, "valid"),
        {**MISS, "detected": False, "executable": False, "sound": False, "off": 1},
    ),
}
RUN = run(
    cases(
        [
            *(row(name, given, gold, **more) for name, (given, gold, more, *_) in BY_HAND.items()),
            *(row("right without answer", GOLD, GOLD), row("wrong without answer")),
        ]
    ),
    {
        "peer": Recorded.load(
            [
                {"id": name, "answer": answer, "verdict": verdict}
                for name, (*_, answer, verdict, _) in BY_HAND.items()
            ]
        )
    },
)
SCORES = {each.id: each.scores["peer"] for each in RUN.rows}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_score(name: str) -> None:
    assert SCORES[name].error is None
    wanted = BY_HAND[name][-1]
    assert {field: getattr(SCORES[name], field) for field in wanted} == wanted


def test_no_answer_earns_nothing() -> None:
    none = Score(error="no answer was recorded.")
    assert SCORES["right without answer"] == SCORES["wrong without answer"] == none


def test_the_figures() -> None:
    """Of 26 cases 4 are right, 2 have no answer; 5 expect an ask, 4 others have something open."""
    shares = summary_of(RUN).overall.figures["peer"].shares
    counted = {name: (found.count, found.of) for name, found in shares.items()}
    wanted = {
        "restored": (11, 22),
        "exact": (4, 22),
        "confirmed": (1, 22),
        "detected": (19, 22),
        "false_alarms": (1, 4),
        "asked_rightly": (1, 5),
        "asked_needlessly": (1, 13),
        "silent": (4, 22),
        "errors": (2, 26),
    }
    assert {name: counted[name] for name in wanted} == wanted
    (right,) = [group for group in summary_of(RUN).groups["kind"] if group.value == "none"]
    title, found = right.figures["peer"].headline  # one without answer is not left alone
    assert (title, found.count, found.of) == ("left alone", 2, 4)


def scored(answer: Any, given: Any = SLIP, expected: Any = GOLD, **said: Any) -> Score:
    checker = Refractor(TOOLS)
    found = Answer(Sequence.load(answer), **said)
    return score_of(case(given, expected), found, lambda each: checker.check(each).verdict)


def test_an_answer_that_is_as_good_to_the_system() -> None:
    score = scored(SLIP, alternatives=(Sequence.load(GOLD),))
    assert (score.restored, score.near) == (False, True)


@pytest.mark.parametrize(
    ("verdict", "answer", "detected", "sound"),
    [
        ("valid", GOLD, False, True),
        ("valid", SLIP, False, False),
        ("repaired", SLIP, True, False),
        ("repaired", ASKS, True, False),
        ("needs_input", ASKS, True, True),
        ("needs_input", SLIP, True, False),
        ("unrepairable", SLIP, True, True),
        ("unknown", SLIP, False, True),
        ("unknown", GOLD, True, True),
        (None, SLIP, False, False),
        (None, GOLD, True, True),
        (None, ['b = Serch(query="Rome")', 'Book(id="$b.id$")'], True, False),
    ],
)
def test_what_is_said_is_detected_and_has_to_be_so(
    verdict: Any, answer: Any, detected: bool, sound: bool
) -> None:
    found = scored(answer, verdict=verdict)
    assert (found.detected, found.sound) == (detected, sound)


def test_of_calls_that_are_as_many_each_is_the_one_in_its_place() -> None:
    two = ['Search(query="Rome")', "Search()"]
    wanted = ["ask(query)", two[0], "Search(query=query)"]
    filled = ['Search(query="Rome")', 'Search(query="Oslo")']
    assert scored(filled, two, wanted).silent == ("query",)
    assert scored(filled[::-1], two, wanted, origins=(1, 0)).silent == ("query",)
