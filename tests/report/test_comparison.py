"""The text of a comparison, as it is printed at 80 columns."""

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog
from refract_asp.costs import Comparison, compare
from refract_asp.evaluation.cost_models import ComparedModel
from refract_asp.report.costs import comparison_text
from refract_asp.report.terminal import chance_text
from refract_asp.resources import catalog_path

DATA = Path(__file__).resolve().parents[2] / "docs" / "examples" / "repairs.jsonl"


@pytest.fixture(scope="module")
def found() -> Comparison:
    comparison = compare(DATA, Catalog.load(catalog_path("travel")))
    here = tuple(d.model_copy(update={"place": Path(d.place).name}) for d in comparison.differences)
    models = [m.model_copy(update={"median_seconds": 0.01}) for m in (comparison.a, comparison.b)]
    return comparison.model_copy(update={"differences": here, "a": models[0], "b": models[1]})


@pytest.mark.slow
@pytest.mark.parametrize("show", [0, 2])
def test_text(found: Comparison, show: int, snapshot: SnapshotAssertion) -> None:
    """Prose is wrapped and calls are not; colours change nothing else."""
    text = comparison_text(found, show=show)
    assert text == snapshot
    painted = comparison_text(found, show=show, color=True)
    assert painted != text
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == text
    lines = comparison_text(found, show=show, width=60).splitlines()
    assert all(len(line) <= 60 for line in lines if line[:2] not in ("+ ", "- ", "? ", "  "))


CHANCES = [
    (1.0, "1.00 (two-sided sign test): this may well be chance."),
    (0.0215, "0.021 (two-sided sign test): this is unlikely to be chance."),
    (0.0034, "0.003 (two-sided sign test): this is hardly chance."),
    (1e-29, "less than 0.001 (two-sided sign test): this is hardly chance."),
]


@pytest.mark.parametrize(("p_value", "words"), CHANCES)
def test_chance_in_words(p_value: float, words: str) -> None:
    assert chance_text(p_value).endswith(words)


def test_what_went_wrong_is_said(snapshot: SnapshotAssertion) -> None:
    a = ComparedModel(name="mine.lp", constants={"weight_ask": 5, "weight_add_call": 1}, unproven=2)
    b = ComparedModel(name="other\x1b[2J.lp", unanswered=1)
    found = Comparison(a=a, b=b, examples=1, skipped=3, interrupted=True)
    assert comparison_text(found) == snapshot
