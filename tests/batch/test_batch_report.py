"""`refract-asp batch report` as it is used."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.batch.travel_rows import GOOD, NO_DATE, rows_of, traces, travelled, write
from typer.testing import CliRunner, Result

from refract_asp.cli.app import app


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write(tmp_path / "out.jsonl", travelled())

    def invoke(arguments: str, stdin: bytes | None = None) -> Result:
        words = ["batch", "report", *arguments.split()]
        return CliRunner().invoke(app, words, input=stdin, prog_name="refract-asp")

    return invoke


def test_text_is_the_default(run: Callable[..., Result]) -> None:
    result = run("out.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    head = "out.jsonl: 8 sequences of 18 calls (repair).\n2 valid, 4 repaired"
    assert result.stdout.startswith(head)
    assert "\x1b" not in result.stdout
    assert "\x1b[1m" in run("out.jsonl --color always").stdout


ENDINGS = [
    ("r.md", "### Batch: `out.jsonl`\n"),
    ("r.json", '{\n  "schema'),
    ("r.html", "<!doctype html>"),
]


@pytest.mark.parametrize(("name", "start"), ENDINGS)
def test_the_ending_says_the_format(name: str, start: str, run: Callable[..., Result]) -> None:
    result = run(f"out.jsonl -o {name}")
    assert (result.exit_code, result.output) == (0, "")
    assert Path(name).read_text().startswith(start)
    assert run(f"out.jsonl -o {name} --format text").exit_code == 0
    assert Path(name).read_text().startswith("out.jsonl: 8 sequences")


def test_as_a_page(run: Callable[..., Result]) -> None:
    page = run("out.jsonl --format html").stdout
    assert "<h1>Tool calls of 8 sequences</h1>" in page
    assert all(f"<dt>{name}</dt>" in page for name in ("catalog", "models", "judged", "version"))
    assert "hotel-1" in page
    both = run("out.jsonl --against out.jsonl --format html").stdout
    told = [text.count("Against the earlier run") for text in (page, both)]
    assert told == [0, 2]  # above its part, and among the links to parts


def test_as_data(run: Callable[..., Result]) -> None:
    told = json.loads(run("out.jsonl --format json --by model").stdout)
    assert (told["schema_version"], told["overall"]["sequences"]) == (1, 8)
    assert [each["field"] for each in told["groupings"]] == ["model"]
    both = json.loads(run("out.jsonl --against out.jsonl --format json").stdout)
    assert (both["schema_version"], both["versus"]["sequences"]) == (1, 8)


def test_two_runs(run: Callable[..., Result], tmp_path: Path) -> None:
    entries = [{"sequence": GOOD, "id": "a"}, {"sequence": GOOD, "id": "b"}]
    write(tmp_path / "old.jsonl", rows_of(entries))
    write(tmp_path / "new.jsonl", rows_of([entries[0], {"sequence": NO_DATE, "id": "b"}]))
    result = run("new.jsonl --against old.jsonl")
    assert result.exit_code == 0
    assert result.stdout.startswith("A: old.jsonl\nB: new.jsonl\n2 sequences in both (2 by id)")
    assert "by model" in run("out.jsonl --against out.jsonl --by model").stdout
    both = run("new.jsonl --against old.jsonl --format markdown").stdout
    assert both.startswith("### Batch: two runs")

    failed = run("new.jsonl --against old.jsonl --fail-on worse")
    assert (failed.exit_code, failed.stderr) == (1, "failed: 1 got worse, none got better.\n")
    assert run("new.jsonl --against old.jsonl --fail-on likely-worse").exit_code == 0
    assert run("old.jsonl --against new.jsonl --fail-on worse").exit_code == 0


def test_standard_input_is_read(run: Callable[..., Result]) -> None:
    content = Path("out.jsonl").read_bytes()
    assert run("-", content).stdout.startswith("standard input: 8 sequences")
    assert "8 sequences in both" in run("out.jsonl --against -", content).stdout
    result = run("-", content[:-20])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "standard input:8: the last line ends in the middle" in result.stderr


# what stands behind `batch report`, and a part of what it says
MISTAKES = (Path(__file__).parent / "report_mistakes.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes(line: str, run: Callable[..., Result], tmp_path: Path) -> None:
    arguments, said = line.split(" | ")
    (tmp_path / "traces.jsonl").write_bytes(b"\n".join(traces()))
    other = rows_of([GOOD])[0].model_copy(update={"place": "o"})
    write(tmp_path / "other.jsonl", [other])
    result = run(arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
