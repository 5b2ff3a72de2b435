"""Running the command line inside the test, on files of its own."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from refract_asp.model import RepairResult, Sequence
from refract_asp.options import RepairOptions

FILES = Path(__file__).parent / "files"
Run = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a copy of `files`, at 80 columns, with modules of its own and no colours wanted."""
    kept_out = shutil.ignore_patterns("__pycache__")  # doctests import the modules where they stand
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True, ignore=kept_out)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for path in FILES.glob("*.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
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
        sequence = Sequence.load((FILES / "good.txt").read_text("utf-8"))
        return RepairResult(**{"verdict": "valid", "given": sequence, "sequence": sequence, **more})

    return build
