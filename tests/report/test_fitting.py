"""The text of a fit, as it is printed at 80 columns."""

from __future__ import annotations

import re

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.costs.weighing import Conflict, Fit, Score, Unreachable
from refract_asp.report.costs import fit_text

EVERYTHING = Fit(
    start="mine",
    weights={"weight_ask": 40, "weight_fill": 13},
    changed={"weight_ask": (35, 40), "weight_leave_unresolved": (2000, 2400)},
    fixed=("guess", "split"),
    before=Score(examples=20, exact=9, tied=1),
    after=Score(examples=20, exact=14),
    unreachable=(
        Unreachable(
            name="trip-7", place="a.jsonl:7", reason='no rule offers "Lisbon" as query of call 1'
        ),
        Unreachable(
            name="a.jsonl:8", place="a.jsonl:8", reason="the wanted sequence is wrong itself: x y"
        ),
    ),
    conflicts=(
        Conflict(examples=("filled", "a.jsonl:9")),
        Conflict(examples=("one",)),
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
    assert "no weights can satisfy together (2):" in text
    assert "filled" in text
    assert "  and 1 more" in text


def test_colours_change_nothing_else() -> None:
    painted = fit_text(EVERYTHING, color=True)
    assert painted != fit_text(EVERYTHING)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == fit_text(EVERYTHING)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_are_wrapped(width: int) -> None:
    assert all(len(line) <= width for line in fit_text(EVERYTHING, width=width).splitlines())
