"""The text of a comparison, as it is printed at 80 columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog
from refract_asp.costs import Comparison, compare
from refract_asp.evaluation.cost_models import Closeness, ComparedModel
from refract_asp.report.costs import comparison_text

DATA = Path(__file__).resolve().parents[2] / "docs" / "examples" / "repairs.jsonl"


@pytest.fixture(scope="module")
def found() -> Comparison:
    from refract_asp.resources import catalog_path

    comparison = compare(DATA, Catalog.load(catalog_path("travel")))
    here = tuple(d.model_copy(update={"place": Path(d.place).name}) for d in comparison.differences)
    models = [m.model_copy(update={"median_seconds": 0.01}) for m in (comparison.a, comparison.b)]
    return comparison.model_copy(update={"differences": here, "a": models[0], "b": models[1]})


@pytest.mark.slow
@pytest.mark.parametrize("show", [0, 2, 5])
def test_text(found: Comparison, show: int, snapshot: SnapshotAssertion) -> None:
    assert comparison_text(found, show=show) == snapshot


def test_colours_change_nothing_else(found: Comparison) -> None:
    painted = comparison_text(found, color=True)
    assert "\x1b[32m+ " in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == comparison_text(found)


def test_prose_is_wrapped_and_calls_are_not(found: Comparison) -> None:
    for width in (60, 80, 200):
        lines = comparison_text(found, width=width).splitlines()
        prose = [line for line in lines if line[:2] not in ("+ ", "- ", "? ", "  ")]
        assert all(len(line) <= width for line in prose)


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ((1, 0, 1.0), "1.00 (two-sided sign test): this may well be chance."),
        ((9, 1, 0.0215), "0.021 (two-sided sign test): this is unlikely to be chance."),
        ((12, 1, 0.0034), "0.003 (two-sided sign test): this is hardly chance."),
        ((99, 0, 1e-29), "less than 0.001 (two-sided sign test): this is hardly chance."),
    ],
)
def test_chance_in_words(split: tuple[int, int, float], words: str) -> None:
    a, b, p = split
    closeness = Closeness(
        examples=a + b,
        a_closer=a,
        b_closer=b,
        equal=0,
        a_exact=a,
        b_exact=b,
        a_mean=0,
        b_mean=0,
        p_value=p,
    )
    model = ComparedModel(name="default")
    text = comparison_text(Comparison(a=model, b=model, examples=a + b, closeness=closeness))
    assert words in text.replace("\n", " ")


def test_what_went_wrong_is_said(snapshot: SnapshotAssertion) -> None:
    a = ComparedModel(name="mine.lp", constants={"weight_ask": 5, "weight_add_call": 1}, unproven=2)
    b = ComparedModel(name="other\x1b[2J.lp", unanswered=1)
    assert (
        comparison_text(Comparison(a=a, b=b, examples=1, skipped=3, interrupted=True)) == snapshot
    )


def test_no_examples(snapshot: SnapshotAssertion) -> None:
    model = ComparedModel(name="default")
    assert comparison_text(Comparison(a=model, b=model)) == snapshot
