"""Measures worked out by hand: for each case what is given, expected and answered, and what that comes to."""

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Refractor, Sequence
from refract_asp.evaluation import Answer, Recorded, Score, run, score_of
from refract_asp.evaluation.summary import summary_of
from yaml_files import read_yaml

from .small_cases import GOLD, SLIP, TOOLS, case, cases, row

ASKS = ["ask(query)", "Search(query=query)"]
BY_HAND: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("by_hand.yaml"))
HEAD = ("id", "given", "expected")
GIVEN = [row(*map(each.get, HEAD), **each.get("more", {})) for each in BY_HAND]
ANSWERS = [{key: each.get(key) for key in ("id", "answer", "verdict")} for each in BY_HAND]
WITHOUT = [row("right without answer", GOLD, GOLD), row("wrong without answer")]
RUN = run(cases([*GIVEN, *WITHOUT]), {"peer": Recorded.load(ANSWERS)})
SCORES = {each.id: each.scores["peer"] for each in RUN.rows}


@pytest.mark.parametrize("worked", BY_HAND, ids=lambda each: each["id"])
def test_a_score(worked: dict[str, Any]) -> None:
    score = SCORES[worked["id"]].model_dump(mode="json")
    assert score["error"] is None
    assert {field: score[field] for field in worked["score"]} == worked["score"]


def test_no_answer_earns_nothing() -> None:
    none = Score(error="no answer was recorded.")
    assert SCORES["right without answer"] == SCORES["wrong without answer"] == none


def test_the_figures() -> None:
    """Of 27 cases 4 are right, 2 have no answer; 5 expect an ask, 5 others have something open."""
    shares = summary_of(RUN).overall.figures["peer"].shares
    counted = {f"{name} {found.count}/{found.of}" for name, found in shares.items()}
    wanted = "restored 11/23, exact 4/23, confirmed 1/23, detected 20/23, false_alarms 1/4"
    wanted += ", asked_rightly 1/5, asked_needlessly 1/13, silent 4/23, errors 2/27"
    assert set(wanted.split(", ")) <= counted


def scored(answer: Any, given: Any = SLIP, expected: Any = GOLD, **said: Any) -> Score:
    checker = Refractor(TOOLS)
    found = Answer(Sequence.load(answer), **said)
    return score_of(case(given, expected), found, lambda each: checker.check(each).verdict)


def test_an_answer_that_is_as_good_to_the_system() -> None:
    score = scored(SLIP, alternatives=(Sequence.load(GOLD),))
    assert (score.restored, score.near) == (False, True)


DETECTED = [
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
]


@pytest.mark.parametrize(("verdict", "answer", "detected", "sound"), DETECTED)
def test_what_is_said_is_detected(verdict: Any, answer: Any, detected: bool, sound: bool) -> None:
    found = scored(answer, verdict=verdict)
    assert (found.detected, found.sound) == (detected, sound)


def test_of_calls_that_are_as_many_each_is_the_one_in_its_place() -> None:
    two = ['Search(query="Rome")', "Search()"]
    wanted = ["ask(query)", two[0], "Search(query=query)"]
    filled = ['Search(query="Rome")', 'Search(query="Oslo")']
    assert scored(filled, two, wanted).silent == ("query",)
    assert scored(filled[::-1], two, wanted, origins=(1, 0)).silent == ("query",)
