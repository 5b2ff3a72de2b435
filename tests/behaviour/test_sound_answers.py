"""An answer that fails its own check is not given, whoever asks."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from declaring import NEEDED, TEXT, tool
from refract_asp import Refractor, RepairResult, Sequence
from refract_asp.cli.app import app
from refract_asp.integrations import Hook
from refract_asp.report.text import summary
from refract_asp.resources import encodings_path
from refract_asp.rules.program import Program

pytestmark = pytest.mark.slow

FIND = tool("find", "read", {"id": TEXT}, query=NEEDED)
LOST = 'var1 = find(query="$lost.word$")'


@pytest.fixture
def unsound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refractor:
    """Rules that lack the line that makes every reference read from somewhere, as if they were shipped so."""
    monkeypatch.setattr(Program, "has_own_rules", False)
    folder = tmp_path / "set"
    shutil.copytree(encodings_path(), folder)
    file = folder / "choice.lp"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(":- open_reference")]
    assert len(kept) == len(lines) - 1
    file.write_text("".join(kept), "utf-8")
    return Refractor({"tools": [FIND]}, encodings_dir=folder)


def test_an_answer_that_fails_its_own_check_is_not_given(unsound: Refractor) -> None:
    result = unsound.repair(LOST)
    assert result.verdict == "unknown"
    assert result.determination is None
    assert not result.is_executable
    assert result.sequence == result.given
    assert not result.edits
    said = "the answer failed its own check (unknown_label in call 1: $lost.word$ "
    assert result.note.startswith(said)
    assert "please report it" in result.note
    assert summary(result).replace("\n", " ").startswith("unknown: the answer failed its own check")
    assert RepairResult.model_validate(result.model_dump(mode="json")).note == result.note


def test_the_command_says_so_and_exits_with_5(unsound: Refractor, tmp_path: Path) -> None:
    catalog, calls = tmp_path / "catalog.json", tmp_path / "calls.txt"
    catalog.write_text(json.dumps({"tools": [FIND]}), "utf-8")
    calls.write_text(LOST, "utf-8")
    options = ["--catalog", str(catalog), "--encodings", str(tmp_path / "set")]
    done = CliRunner().invoke(app, ["solve", str(calls), *options])
    assert done.exit_code == 5
    assert done.stdout.startswith("unknown: the answer failed its own check")


def test_no_other_repair_fails_its_check_either(unsound: Refractor) -> None:
    """A right sequence is not asked about; what somebody insists on is."""
    assert unsound.repair('var1 = find(query="x")').verdict == "valid"
    other = unsound.repair('var1 = find(qery="x")').why_not("ask var1.query").result
    assert other is None or unsound.check(other.sequence).verdict == "needs_input"


def test_calls_whose_answer_fails_its_check_are_refused_by_a_hook(unsound: Refractor) -> None:
    decision = Hook(unsound)(Sequence.load(LOST))
    assert (decision.outcome, decision.reason) == ("refuse", "internal")
    assert "failed its own check" in decision.feedback


def test_what_fits_inside_a_list_fills_no_list() -> None:
    numbers = {**NEEDED, "type": "array", "items": {"type": "integer"}}
    sums = tool("Sum", "read", {}, amount=numbers)
    calls = 'a = Sum(amount=["$p$", "$a$"])\nb = Sum()'
    result = Refractor({"tools": [sums]}).repair(calls, memory={"amount": 3, "p": 3})
    assert (result.verdict, result.note) == ("needs_input", "")
    assert [ask.parameter for ask in result.asks] == ["amount"]
