"""Reports: as they are read, in 80 and 200 columns, as a page; and that nothing hostile gets through."""

import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Sequence
from refract_asp.evaluation import Refract, Run, nearest, run, unchanged
from refract_asp.evaluation.reports import compared_text, run_text
from refract_asp.evaluation.runs import errors_of, misses_of
from refract_asp.evaluation.summary import summary_of
from refract_asp.evaluation.versus import compare_runs

from .small_cases import ROWS, cases, row

EVIL = "</script><svg onload=alert(1)>\"'&{{1234*1000}}{%x%}\x1b[31m\u202e"


def timed(found: Run) -> Run:
    """Return a run whose times are the same each time."""
    rows = []
    for number, each in enumerate(found.rows, start=1):
        scores = {}
        for place, (name, score) in enumerate(each.scores.items(), start=1):
            check = 0.001 * number if score.check_seconds is not None else None
            taken = {"seconds": 0.01 * number / place**4, "check_seconds": check}
            scores[name] = score.model_copy(update=taken)
        rows.append(each.model_copy(update={"scores": scores}))
    return found.model_copy(update={"rows": tuple(rows), "versions": {"refract-asp": "1.0"}})


SYSTEMS = {"refract": Refract(), "none": unchanged, "nearest": nearest}
FOUND = timed(run(cases(), SYSTEMS, source="cases.jsonl"))
OLD = {"refract": Refract(cost_model="refraction"), "nearest": unchanged}
BEFORE = timed(run(cases(ROWS[:4]), OLD))


def hostile() -> Run:
    said: Any = {"kind": EVIL, "mutations": [{"kind": EVIL, "what": EVIL, "variant": EVIL}]}
    call = f"Serch(query={EVIL[:30]!r})".replace("'", '"')
    given = row(EVIL, [call], ["Search(query=1)"], dials={EVIL: EVIL, "n": 1}, **said)
    other = row(f"{EVIL}2", ["Search(query=2)"], ["Search(query=1)"], dials={EVIL: "x", "n": 2})

    def raising(*_: Any) -> Any:
        raise ValueError(EVIL)

    return run(cases([given, other]), {EVIL: raising, "none": unchanged}, source=EVIL)


@pytest.mark.parametrize("width", [80, 200])
def test_text(width: int, snapshot: SnapshotAssertion) -> None:
    text = run_text(FOUND, summary_of(FOUND), misses=2, width=width)
    tables = text.partition("refract, miss")[0]
    assert max(map(len, tables.splitlines())) <= width
    assert text == snapshot


def test_two_runs_as_text(snapshot: SnapshotAssertion) -> None:
    assert compared_text(compare_runs(BEFORE, FOUND), BEFORE, FOUND) == snapshot


def test_colour_changes_nothing_but_colours() -> None:
    plain = run_text(FOUND, summary_of(FOUND), misses=2)
    colored = run_text(FOUND, summary_of(FOUND), misses=2, color=True)
    assert plain != colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain
    two = compare_runs(BEFORE, FOUND)
    assert "\x1b[1m" in compared_text(two, BEFORE, FOUND, color=True)


def test_a_partial_run_says_so() -> None:
    part = FOUND.model_copy(update={"complete": False})
    assert "interrupted: this is what was found so far." in run_text(part, summary_of(part))
    assert "(interrupted)" in compared_text(compare_runs(part, FOUND), part, FOUND)


def test_misses_begin_with_those_that_could_be_known() -> None:
    rows = [{**ROWS[3], "id": "first"}, row("second", ["Search()"], ["Search(query=1)"])]
    found = run(cases(rows), {"none": unchanged})
    assert [miss.id for miss in misses_of(found, "none")] == ["second", "first"]


def test_hostile_names_stay_text() -> None:
    found = hostile()
    both = compared_text(compare_runs(found, found), found, found)
    for told in (run_text(found, summary_of(found), misses=5), both):
        assert "\x1b" not in told
        assert "\u202e" not in told


@pytest.mark.slow
def test_why_there_is_no_answer() -> None:
    def failing(sequence: Sequence, *_: Any) -> Any:
        raise ValueError(len(str(sequence)) if "Rome" in str(sequence) else "no Rome")

    found = run(cases(), {"mine": failing, "none": unchanged})
    told = errors_of(found, "mine")
    assert told[0] == "mine: no answer to 2 cases, as lost: ValueError: no Rome"
    assert len(told) == 4
    assert told[3] == "mine: no answer to 1 further case."
    assert errors_of(found, "none") == []
    assert told[0] in run_text(found, summary_of(found), width=200)
