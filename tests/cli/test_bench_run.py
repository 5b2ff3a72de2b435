"""`costs fit`: what cannot be had, and what stays when it is interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from refract_asp.costs.weighing import Weigher

Run = Callable[..., Result]


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
