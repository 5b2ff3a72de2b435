"""The text of a fit, as it is printed at 80 columns."""

from __future__ import annotations

import re

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.costs.weighing import Conflict, Fit, Score, Unreachable, Wish
from refract_asp.report.costs import fit_text

FILLED = Wish(
    name="filled", place="a.jsonl:3", wanted={"fill": 1, "fit_distance": 3}, other={"ask": 1}
)
ASKING = Wish(
    name="a.jsonl:9", place="a.jsonl:9", wanted={"ask": 1}, other={"fill": 1, "fit_distance": 3}
)
EVERYTHING = Fit(
    start="mine",
    weights={"weight_ask": 40, "weight_fill": 13},
    changed={"weight_ask": (35, 40), "weight_leave_unresolved": (2000, 2400)},
    fixed=("guess", "split"),
    before=Score(examples=20, exact=9, tied=1),
    after=Score(examples=20, exact=14),
    held_out_before=Score(examples=5, exact=2),
    held_out_after=Score(examples=5, exact=3),
    unreachable=(
        Unreachable(
            name="trip-7", place="a.jsonl:7", reason='no rule offers "Lisbon" as query of call 1'
        ),
        Unreachable(
            name="a.jsonl:8", place="a.jsonl:8", reason="the wanted sequence is wrong itself: x y"
        ),
    ),
    conflicts=(
        Conflict(examples=("filled", "a.jsonl:9"), wishes=(FILLED, ASKING)),
        Conflict(examples=("same",), wishes=(Wish(name="same"),)),
        Conflict(examples=("more",), wishes=(Wish(name="more", wanted={"fill_added": 2}),)),
        Conflict(examples=("one", "two")),
    ),
    unexplained=("unknown",),
    without=2,
    skipped=1,
    rounds=30,
    stopped="rounds",
)


@pytest.mark.parametrize(
    "fit",
    [
        pytest.param(EVERYTHING, id="everything"),
        pytest.param(Fit(start="default", weights={}, rounds=1), id="nothing"),
    ],
)
def test_text(fit: Fit, snapshot: SnapshotAssertion) -> None:
    assert fit_text(fit, file="mine.lp") == snapshot


def test_only_some_are_named() -> None:
    text = fit_text(EVERYTHING, show=1)
    assert "filled" in text
    assert "no weights can satisfy (4):" in text
    assert "  and 3 more" in text


def test_colours_change_nothing_else() -> None:
    painted = fit_text(EVERYTHING, color=True)
    assert painted != fit_text(EVERYTHING)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == fit_text(EVERYTHING)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_are_wrapped(width: int) -> None:
    assert all(len(line) <= width for line in fit_text(EVERYTHING, width=width).splitlines())
