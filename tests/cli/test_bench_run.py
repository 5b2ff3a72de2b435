"""`bench run`, `bench report` and `costs fit`: pages, and what cannot be saved or had."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from refract_asp.costs.weighing import Weigher

Run = Callable[..., Result]


@pytest.mark.slow
def test_a_page(run: Run, folder: Path) -> None:
    run("bench run cases.jsonl --catalog travel -o run.json")
    assert run("bench report run.json --format html -o run.html --misses 1").stdout == ""
    text = (folder / "run.html").read_text("utf-8")
    assert text.lstrip().startswith("<!doctype html>")
    assert run("bench report run.json --format html --misses 1").stdout.rstrip() == text.rstrip()
    two = run("bench report run.json run.json --format html").stdout
    assert "A against B" in two
    assert "this file is read, too" in run("bench report run.json --format html -o run.json").stderr


def test_scipy_may_be_absent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    result = run("costs fit fit.jsonl --catalog travel")
    assert result.exit_code == 2
    assert "needs scipy" in result.stderr
    assert "pip install 'refract-asp[fit]'" in result.stderr


def test_an_interrupt_keeps_the_best_weights_so_far(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Weigher, "weights", interrupted)
    result = run("costs fit fit.jsonl --catalog travel -o mine.lp")
    assert result.exit_code == 130
    assert result.stdout.startswith("Interrupted: these are the best weights so far.\n")
    assert (folder / "mine.lp").exists()
