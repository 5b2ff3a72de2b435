"""Running the command line inside the test, on files of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from refract_asp.model import RepairResult, Sequence
from refract_asp.options import RepairOptions

GOOD = """\
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
"""
UNLABELLED = """\
TripadvisorSearchLocation(query="London")
var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
"""
NO_DATE = """\
var1 = TripadvisorSearchLocation(query="London")
var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15")
"""
MADE_UP = 'var1 = Qqqqq(zzz="1")\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own with one sequence of each verdict, 80 columns and no colours wanted."""
    texts = {"good": GOOD, "unlabelled": UNLABELLED, "no_date": NO_DATE, "made_up": MADE_UP}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Callable[..., Result]:
    """Run `refract-asp` with arguments given as one text, optionally with standard input."""
    from refract_asp.cli.app import app

    def invoke(arguments: str | list[str], stdin: str | bytes | None = None) -> Result:
        words = arguments.split() if isinstance(arguments, str) else arguments
        return CliRunner().invoke(app, words, input=stdin, prog_name="refract-asp")

    return invoke


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], list[dict[str, Any]]]:
    """Let a stand-in answer every repair, or raise what is given; returns the options that it saw."""

    def use(outcome: object) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []

        class StandIn:
            def __init__(self, catalog: object, options: RepairOptions) -> None:
                seen.append(vars(options))

            def repair(self, *inputs: object, **wishes: object) -> object:
                if isinstance(outcome, BaseException):
                    raise outcome
                return outcome

        monkeypatch.setattr("refract_asp.refractor.Refractor", StandIn)
        return seen

    return use


@pytest.fixture
def outcome() -> Callable[..., RepairResult]:
    """Build a result in which nothing changed."""

    def build(**more: Any) -> RepairResult:
        sequence = Sequence.load(GOOD)
        return RepairResult(**{"verdict": "valid", "given": sequence, "sequence": sequence, **more})

    return build
