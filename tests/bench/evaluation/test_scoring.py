"""What an answer is worth, on cases that are scored by hand."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Refractor, Sequence
from refract_asp.evaluation import Answer, Score, score_of

from .small_cases import GOLD, SLIP, TOOLS, case

LOST = ["Search()"]
ASKED = ["ask(query)", "Search(query=query)"]


def scored(answer: Any, sequence: Any = SLIP, expected: Any = GOLD, **more: Any) -> Score:
    said = {key: more.pop(key) for key in ("verdict", "origins", "alternatives") if key in more}
    given = case(sequence, expected, **more)
    checker = Refractor(TOOLS)
    return score_of(
        given,
        Answer(Sequence.load(answer), **said),
        lambda sequence: checker.check(sequence, given.memory).verdict,
    )


def test_the_expected_sequence_token_for_token() -> None:
    score = scored(GOLD)
    assert (score.restored, score.exact, score.near, score.off) == (True, True, True, 0)
    assert (score.executable, score.sound, score.changed) == (True, True, 1)


def test_another_label_is_restored_and_not_exact() -> None:
    score = scored(['x = Search(query="Rome")', 'Book(id="$x.id$")'])
    assert (score.restored, score.exact) == (True, False)


def test_another_value_is_a_miss() -> None:
    score = scored(['a = Search(query="Oslo")', GOLD[1]])
    assert (score.restored, score.near, score.off, score.executable) == (False, False, 1, True)


def test_other_good_answers_restore_too() -> None:
    other = ['a = Search(query="Oslo")', GOLD[1]]
    assert scored(other, also=[["Search()"], other]).restored


def test_what_is_open_may_differ() -> None:
    other = ['a = Search(query="Oslo")', GOLD[1]]
    assert scored(other, open=[{"call": 0, "parameters": ["query"]}]).restored


def test_an_answer_that_is_as_good_to_the_system() -> None:
    score = scored(SLIP, alternatives=(Sequence.load(GOLD),))
    assert (score.restored, score.near) == (False, True)


@pytest.mark.parametrize(
    ("verdict", "answer", "detected"),
    [
        ("valid", GOLD, False),
        ("repaired", SLIP, True),
        ("unknown", SLIP, False),
        ("unknown", GOLD, True),
        (None, SLIP, False),
        (None, GOLD, True),
        (None, ['b = Serch(query="Rome")', 'Book(id="$b.id$")'], True),
    ],
)
def test_detected_is_what_is_said_or_else_what_is_changed(
    verdict: Any, answer: Any, detected: bool
) -> None:
    assert scored(answer, verdict=verdict).detected is detected


@pytest.mark.parametrize(
    ("verdict", "answer", "sound"),
    [
        ("valid", SLIP, False),
        ("repaired", SLIP, False),
        ("repaired", ASKED, False),
        ("needs_input", ASKED, True),
        ("needs_input", SLIP, False),
        ("unrepairable", SLIP, True),
        ("unknown", SLIP, True),
        (None, SLIP, False),
        (None, GOLD, True),
    ],
)
def test_an_answer_that_is_said_to_be_right_has_to_be(
    verdict: Any, answer: Any, sound: bool
) -> None:
    assert scored(answer, verdict=verdict).sound is sound


def test_asks_have_to_be_those_that_are_expected() -> None:
    right = scored(ASKED, LOST, ASKED)
    assert (right.restored, right.asked_rightly, right.asks, right.executable) == (
        True,
        True,
        1,
        False,
    )
    named = scored(["ask(q)", "Search(query=q)"], LOST, ASKED)
    assert (named.restored, named.asked_rightly) == (True, True)
    other = scored(["ask(n)", 'Search(query="Rome", limit=n)'], LOST, ASKED)
    assert (other.restored, other.asked_rightly, other.asks) == (False, False, 1)
    assert not scored(LOST, LOST, ASKED).asked_rightly


def test_a_value_that_nobody_gave_is_silently_filled() -> None:
    filled = scored(['Search(query="Rome")'], LOST, ASKED)
    assert (filled.silent, filled.confirmed) == (("query",), False)
    asked = scored(['confirm(query="Rome")', 'Search(query="Rome")'], LOST, ASKED)
    assert (asked.silent, asked.confirmed, asked.restored) == ((), True, False)
    assert scored(ASKED, LOST, ASKED).silent == ()


def test_of_calls_that_are_as_many_each_is_the_one_in_its_place() -> None:
    two = ['Search(query="Rome")', "Search()"]
    wanted = ["ask(query)", two[0], "Search(query=query)"]
    assert scored(['Search(query="Rome")', 'Search(query="Oslo")'], two, wanted).silent == (
        "query",
    )
    swapped = scored(['Search(query="Oslo")', 'Search(query="Rome")'], two, wanted, origins=(1, 0))
    assert swapped.silent == ("query",)


def test_memory_counts_for_what_is_executable() -> None:
    reading = ['Book(id="$known.id$")']
    assert not scored(reading, reading, reading).executable
    assert scored(reading, reading, reading, memory={"known": {"id": "7"}}).executable


def test_a_right_case_is_restored_when_it_is_left_alone() -> None:
    assert scored(GOLD, GOLD, verdict="valid").restored
    score = scored(['a = Search(query="Oslo")', GOLD[1]], GOLD)
    assert (score.restored, score.detected) == (False, True)
