"""The text of a fit, as it is printed at 80 columns."""

import re

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.costs.fit import Fit
from refract_asp.report.costs import fit_text

from .renderings import cases

EVERYTHING = Fit.model_validate(cases("fit"))


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
    assert "  and 1 more" in text


def test_lines_are_wrapped_and_colours_change_nothing_else() -> None:
    painted = fit_text(EVERYTHING, color=True)
    assert painted != fit_text(EVERYTHING)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == fit_text(EVERYTHING)
    assert all(len(line) <= 60 for line in fit_text(EVERYTHING, width=60).splitlines())
