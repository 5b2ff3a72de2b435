"""`batch run`: what it writes and prints, how it ends, and what no input can do to it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from processes import interrupted_on_a_terminal, started
from refract_asp.batch import read_row
from refract_asp.cli.batch import Tally, keep
from refract_asp.errors import InputError
from refract_asp.evaluation.answering import Entry
from refract_asp.evaluation.engine import entries_of, here, question_of
from refract_asp.resources import catalog_path
from waiting import PATIENCE, is_running, until

Run = Callable[..., Result]

GOOD = 'var1 = SkyScrapperSearchAirport(query="London")'
LINES: list[Any] = [
    {"id": "right", "sequence": [GOOD], "meta": {"model": "a"}},
    {"id": "slip", "sequence": [GOOD.replace("query", "qury")]},
    {"id": "lost", "sequence": [GOOD.replace('query="London"', "")]},
    {"id": "made up", "sequence": ["var1 = Qqqqq(zzz=1)"]},
    [GOOD],
]
BATCH = "batch traces.jsonl --catalog travel --workers 1"


def written(*lines: Any) -> bytes:
    """Write lines of a data set, those that are bytes as they are."""
    raw = (each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
    return b"".join(each + b"\n" for each in raw)


@pytest.fixture(autouse=True)
def traces(folder: Path) -> Path:
    path = folder / "traces.jsonl"
    path.write_bytes(written(*LINES))
    return path


def rows(path: Path) -> list[Any]:
    """Read the verdict of each row, or what its error says."""
    found = [read_row(line) for line in path.read_bytes().splitlines()]
    assert [row.number for row in found] == list(range(len(found)))
    return [row.verdict or row.error for row in found]


VERDICTS = ["valid", "repaired", "needs_input", "unrepairable", "valid"]


def test_lines_for_people(run: Run, snapshot: SnapshotAssertion) -> None:
    assert run(BATCH).stdout == snapshot


def test_annotations_for_github(run: Run, snapshot: SnapshotAssertion) -> None:
    assert run(f"{BATCH} --format github").stdout == snapshot


@pytest.mark.slow
def test_the_same_in_every_form(run: Run, folder: Path, traces: Path) -> None:
    printed = run(BATCH)
    assert run(BATCH.replace("batch", "batch run", 1)).stdout == printed.stdout
    told = run(f"{BATCH} --format github -o out.jsonl").stdout.splitlines()
    assert told[:-1] == run(f"{BATCH} --format github").stdout.splitlines()
    there = (folder / "out.jsonl").read_text("utf-8")
    assert run(f"{BATCH} -o -").stdout == run(f"{BATCH} --format json").stdout == there
    piped = run("batch - --catalog travel --workers 1 -o -", stdin=traces.read_bytes())
    assert piped.stdout == there.replace("traces.jsonl:", "standard input:")
    data = json.loads(run(f"{BATCH} -o out.jsonl --restart --format json").stdout)
    verdicts = {"valid": 2, "repaired": 1, "needs_input": 1, "unrepairable": 1}
    counts = {"schema_version": 1, "sequences": 5, "errors": 0, "verdicts": verdicts}
    assert data == {**counts, "rows": "out.jsonl"}


def test_nothing_recorded_is_no_sequence(run: Run, traces: Path) -> None:
    traces.write_text(" \n\n")
    for result in (run(BATCH), run("batch - --catalog travel", stdin=b"\n")):
        assert (result.exit_code, result.stdout) == (0, "0 sequences: nothing was judged.\n")


def test_rows_that_somebody_took_away_are_not_said_to_be_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "gone" / "out.jsonl"
    out.parent.mkdir()

    def ending() -> Iterator[Entry]:
        yield from entries_of([GOOD])
        shutil.rmtree(out.parent)

    with pytest.raises(InputError, match=r"gone/out\.jsonl: no such file"):
        keep(out, Tally(lambda: None), question_of(catalog_path("travel")), here, ending())
    assert "kept" not in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "codes"),
    [([0, 4], (0, 0, 0)), ([0, 1], (1, 0, 0)), ([0, 2], (1, 1, 0)), ([3], (1, 1, 1)), ([], (0, 0, 0)),
     ([0, 5], (1, 1, 1))],
)  # fmt: skip
def test_what_makes_the_exit_code_1(
    run: Run, traces: Path, kept: list[int], codes: tuple[int, int, int]
) -> None:
    lines = [*LINES, b"{"]  # what cannot be read counts always
    traces.write_bytes(written(*(lines[each] for each in kept)))
    names = ("violations", "needs_input", "unrepairable")
    assert tuple(run(f"{BATCH} --fail-on {name}").exit_code for name in names) == codes
    assert run(BATCH).exit_code == 0


RECORDS = [
    {"inputs": {"q": "x"}, "outputs": {"calls": [GOOD]}, "id": str(number)} for number in range(3)
]


SAID = (
    "error: traces.jsonl:1: none of 3 sequences could be judged, 3 of them for this reason: no sequence format "
    'fits an object with the keys inputs, outputs, id. Put the calls under "sequence", as in {"sequence": [...], '
    '"id": "trip-7"}.\n'
)


@pytest.mark.parametrize("more", ["", "-o out.jsonl", "-o -", "--fail-on violations"])
def test_a_batch_in_which_nothing_can_be_read_says_why(run: Run, traces: Path, more: str) -> None:
    traces.write_bytes(written(*RECORDS))
    result = run(f"{BATCH} {more}")
    assert (result.exit_code, result.stderr) == (2, SAID)
    traces.write_bytes(written(*RECORDS, LINES[0]))  # one that can be read
    assert run(f"{BATCH} {more.replace('out', 'other')}").exit_code == int("--fail-on" in more)


@pytest.mark.slow
def test_the_first_reason_is_told_and_how_many_share_it(
    run: Run, traces: Path, folder: Path
) -> None:
    def said(*lines: Any, command: str = BATCH) -> str:
        traces.write_bytes(written(*lines))
        return run(command).stderr

    alike = "none of 3 sequences could be judged, 2 of them for this reason: not valid JSON"
    assert alike in said(b"{", b'{"sequence": [3]}', b"{")
    lost = said(LINES[0], LINES[0], command="batch traces.jsonl -o out.jsonl")
    assert "for this reason: there is no catalog for it. Name one for all with --catalog" in lost
    assert len(rows(folder / "out.jsonl")) == 2
    assert "traces.jsonl:1: the only sequence could not be judged: no seq" in said(RECORDS[0])


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b'{"sequence": ["Sky', "cut off"),
        ('{"sequence": ["café()"]}'.encode("latin-1"), "UTF-8"),
        (b'{"sequence": ["Sky()"], "catalog": "mine"}', "there is no catalog 'mine'"),
    ],
)
def test_a_bad_line_is_one_row_and_the_rest_is_done(
    run: Run, folder: Path, traces: Path, bad: bytes, said: str
) -> None:
    traces.write_bytes(written(LINES[0], bad, LINES[1]))
    (folder / "bad.txt").write_bytes(b"\xff\xfe\x00")
    result = run(BATCH.replace("batch", "batch bad.txt") + " -o out.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "4 sequences: 1 valid, 1 repaired, 2 with an error.\n"
    file, first, error, last = rows(folder / "out.jsonl")
    assert ("bad.txt" in file, first, last) == (True, "valid", "repaired")
    assert error.startswith("traces.jsonl:2")
    assert said in error


def test_an_unfinished_run_is_not_written_over(run: Run, folder: Path) -> None:
    (folder / "out.jsonl.part").write_text("{}\n")
    result = run(f"{BATCH} -o out.jsonl")
    assert result.exit_code == 2
    assert "--resume" in result.stderr
    assert "--restart" in result.stderr
    assert run(f"{BATCH} -o out.jsonl --restart").exit_code == 0


def test_modes_and_steps(run: Run, folder: Path) -> None:
    run(f"{BATCH} --mode check -o out.jsonl")
    assert rows(folder / "out.jsonl") == ["valid", "invalid", "invalid", "invalid", "valid"]
    run(f"{BATCH} --steps --alternatives 2 -o out.jsonl --restart")
    found = read_row((folder / "out.jsonl").read_bytes().splitlines()[1])
    assert [step.verdict for step in found.steps] == ["repaired"]


@pytest.mark.slow
def test_hostile_names_reach_no_terminal(run: Run, traces: Path) -> None:
    nasty = "x\x1b[31m\u202e::error::<script>"
    traces.write_bytes(
        written({"sequence": [{"name": nasty, "arguments": {nasty: nasty}}], "id": nasty})
    )
    for more in ("", " --format github", " -o -", " --format json"):
        result = run(BATCH + more)
        assert "\x1b" not in result.stdout
        assert not result.stdout.startswith("::error::")
    assert "\u202e" not in run(BATCH).stdout


# -- in a process of its own -----------------------------------------------------


@pytest.fixture
def many(traces: Path) -> Path:
    """Write more lines than are judged before somebody interrupts."""
    traces.write_bytes(written(*LINES) * 400)
    return traces


def children_of(pid: int) -> set[int]:
    """Return the processes below another one."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | children_of(child)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_stopped_in_the_middle_and_gone_on_with(
    folder: Path, many: Path, sign: signal.Signals
) -> None:
    command = ("traces.jsonl", "--catalog", "travel", "-o", "out.jsonl")
    with started("batch", *command, "--workers", "2", stderr=subprocess.PIPE) as process:
        part = folder / "out.jsonl.part"
        until(lambda: part.exists() and part.stat().st_size, "the first row")
        below = children_of(process.pid)
        assert len(below) >= 2
        process.send_signal(sign)
        code = process.wait(PATIENCE)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert code == (130 if sign is signal.SIGINT else -sign)
    if sign is signal.SIGINT:
        assert "--resume" in said
        assert "Traceback" not in said
    until(
        lambda: not any(map(is_running, below)), "the end of all processes"
    )  # nobody works on for nobody
    assert not (folder / "out.jsonl").exists()
    kept = (folder / "out.jsonl.part").read_bytes()
    many.write_bytes(b"".join(many.read_bytes().splitlines(keepends=True)[: kept.count(b"\n") + 7]))
    with started(
        "batch", *command, "--workers", "1", "--resume", stdout=subprocess.PIPE
    ) as process:
        assert process.wait(PATIENCE) == 0
    with started(
        "batch", *command[:-1], "again.jsonl", "--workers", "1", stdout=subprocess.PIPE
    ) as process:
        assert process.wait(PATIENCE) == 0
    assert (folder / "out.jsonl").read_bytes() == (folder / "again.jsonl").read_bytes()


@pytest.mark.slow
def test_a_reader_that_goes(folder: Path, many: Path) -> None:
    command = ("traces.jsonl", "--catalog", "travel", "--workers", "1", "-o", "-")
    with started("batch", *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_has_come(folder: Path, many: Path) -> None:
    words = ("batch", "traces.jsonl", "--catalog", "travel", "--workers", "1", "-o", "out.jsonl")
    code, printed = interrupted_on_a_terminal(r"/2000.*/s", *words)
    assert (code, printed) == (130, "")
