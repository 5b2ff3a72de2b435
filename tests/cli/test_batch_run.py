"""`batch run`: what it writes and prints, how it ends, and what no input can do to it."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

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


def test_a_row_for_each_line(run: Run, folder: Path) -> None:
    result = run(f"{BATCH} -o out.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "5 sequences: 2 valid, 1 repaired, 1 need input, 1 unrepairable.\n"
    assert rows(folder / "out.jsonl") == VERDICTS


@pytest.mark.slow
def test_batch_run_is_batch(run: Run) -> None:
    assert run(BATCH.replace("batch", "batch run", 1)).stdout == run(BATCH).stdout
    assert run("batch --catalog travel --workers 1 traces.jsonl").stdout == run(BATCH).stdout


def test_lines_for_people(run: Run, snapshot: SnapshotAssertion) -> None:
    assert run(BATCH).stdout == snapshot


def test_annotations_for_github(run: Run, snapshot: SnapshotAssertion) -> None:
    assert run(f"{BATCH} --format github").stdout == snapshot


def test_annotations_and_rows_in_one_run(run: Run, folder: Path) -> None:
    told = run(f"{BATCH} --format github -o out.jsonl").stdout.splitlines()
    assert told[:-1] == run(f"{BATCH} --format github").stdout.splitlines()
    assert told[-1].startswith("5 sequences")
    assert rows(folder / "out.jsonl") == VERDICTS


@pytest.mark.slow
def test_data_for_programs(run: Run, folder: Path) -> None:
    run(f"{BATCH} -o out.jsonl")
    there = (folder / "out.jsonl").read_text("utf-8")
    assert run(f"{BATCH} -o -").stdout == run(f"{BATCH} --format json").stdout == there
    told = json.loads(run(f"{BATCH} -o out.jsonl --restart --format json").stdout)
    verdicts = {"valid": 2, "repaired": 1, "needs_input": 1, "unrepairable": 1}
    counts = {"schema_version": 1, "sequences": 5, "errors": 0, "verdicts": verdicts}
    assert told == {**counts, "rows": "out.jsonl"}


@pytest.mark.slow
def test_standard_input_is_read_line_by_line(run: Run, traces: Path) -> None:
    result = run("batch - --catalog travel --workers 1 -o -", stdin=traces.read_bytes())
    found = [read_row(line) for line in result.stdout.splitlines()]
    assert [row.verdict for row in found] == VERDICTS
    assert found[1].place == "standard input:2"


def test_other_files_than_json_lines(run: Run, folder: Path) -> None:
    (folder / "list.json").write_text(json.dumps(LINES[:2]))
    (folder / "one.txt").write_text(GOOD)
    function = {"name": "SkyScrapperSearchAirport", "arguments": '{"query": 3}'}
    (folder / "openai.jsonl").write_bytes(written([{"type": "function", "function": function}]))
    run("batch list.json one.txt openai.jsonl --catalog travel --workers 1 -o out.jsonl")
    found = [read_row(line) for line in (folder / "out.jsonl").read_bytes().splitlines()]
    assert [row.verdict for row in found] == ["valid", "repaired", "valid", "repaired"]
    assert [row.number for row in found] == [0, 1, 2, 3]
    assert found[3].calls[0]["function"]["arguments"] == '{"query": "3"}'


@pytest.mark.parametrize("name", ["none.jsonl", "none.json", "none"])
def test_nothing_recorded_is_no_sequence(run: Run, folder: Path, name: str) -> None:
    (folder / name).write_text(" \n\n")
    for result in (
        run(f"batch {name} --catalog travel"),
        run("batch - --catalog travel", stdin=b"\n"),
    ):
        assert (result.exit_code, result.stdout) == (0, "0 sequences: nothing was judged.\n")


def test_standard_input_names_no_files(run: Run, folder: Path) -> None:
    (folder / "tools.yaml").write_text("tools: []")
    result = run(
        "batch -", stdin=b'{"sequence": "Sky()", "catalog": "tools.yaml"}\n{"sequence": ""}'
    )
    assert "only data in a file can name other files" in result.stdout


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
    ("kept", "violations", "needs_input", "unrepairable"),
    [([0, 4], 0, 0, 0), ([0, 1], 1, 0, 0), ([0, 2], 1, 1, 0), ([3], 1, 1, 1), ([], 0, 0, 0)],
)
def test_what_makes_the_exit_code_1(
    run: Run, traces: Path, kept: list[int], violations: int, needs_input: int, unrepairable: int
) -> None:
    traces.write_bytes(written(*(LINES[each] for each in kept)))
    wanted = {"violations": violations, "needs_input": needs_input, "unrepairable": unrepairable}
    for name, code in wanted.items():
        assert run(f"{BATCH} --fail-on {name}").exit_code == code
    assert run(BATCH).exit_code == 0


def test_what_cannot_be_read_fails_closed(run: Run, traces: Path) -> None:
    traces.write_bytes(written(LINES[0], b"{"))
    assert run(BATCH).exit_code == 0
    assert run(f"{BATCH} --fail-on unrepairable").exit_code == 1


RECORDS = [
    {"inputs": {"q": "x"}, "outputs": {"calls": [GOOD]}, "id": str(number)} for number in range(3)
]


@pytest.mark.parametrize(
    "more", ["", "-o out.jsonl", "-o -", "--fail-on violations", "--format github"]
)
def test_a_batch_in_which_nothing_can_be_read_says_why(run: Run, traces: Path, more: str) -> None:
    traces.write_bytes(written(*RECORDS))
    result = run(f"{BATCH} {more}")
    assert result.exit_code == 2
    said = "error: traces.jsonl:1: none of 3 sequences could be judged, 3 of them for this reason: "
    assert (
        said + "no sequence format fits an object with the keys inputs, outputs, id."
        in result.stderr
    )
    assert result.stderr.endswith(
        'Put the calls under "sequence", as in {"sequence": [...], "id": "trip-7"}.\n'
    )
    traces.write_bytes(written(*RECORDS, LINES[0]))  # one that can be read
    assert run(f"{BATCH} {more.replace('out', 'other')}").exit_code == (
        1 if "--fail-on" in more else 0
    )


@pytest.mark.slow
def test_the_first_reason_is_told_and_how_many_share_it(
    run: Run, traces: Path, folder: Path
) -> None:
    traces.write_bytes(written(b"{", b'{"sequence": [3]}', b"{"))
    assert (
        "none of 3 sequences could be judged, 2 of them for this reason: not valid JSON"
        in run(BATCH).stderr
    )
    traces.write_bytes(written(LINES[0], LINES[0]))
    lost = run("batch traces.jsonl -o out.jsonl")
    assert lost.exit_code == 2
    assert (
        "2 of them for this reason: there is no catalog for it. Name one for all with --catalog"
        in lost.stderr
    )
    assert len(rows(folder / "out.jsonl")) == 2
    traces.write_bytes(written(RECORDS[0]))
    assert (
        "error: traces.jsonl:1: the only sequence could not be judged: no seq" in run(BATCH).stderr
    )


BAD = {
    "cut off": (b'{"sequence": ["Sky', "cut off"),
    "not UTF-8": ('{"sequence": ["café()"]}'.encode("latin-1"), "UTF-8"),
    "UTF-16": ('{"sequence": []}'.encode("utf-16"), "UTF-8"),
    "too long": (b'{"sequence": ["' + b"x" * 50_000_000 + b'"]}', "longer than 10,000,000 bytes"),
    "too deep": (b'{"sequence": ' + b"[" * 50_000, ""),
    "no such catalog": (
        b'{"sequence": ["Sky()"], "catalog": "mine"}',
        "there is no catalog 'mine'",
    ),
    "another field": (b'{"sequence": ["Sky()"], "colour": "red"}', "colour"),
    "no JSON": (b"Sky(", "JSON"),
    "NUL": (b"\x00\x00", "JSON"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_one_row_and_the_rest_is_done(
    run: Run, folder: Path, traces: Path, name: str
) -> None:
    bad, said = BAD[name]
    traces.write_bytes(written(LINES[0], bad, LINES[1]))
    result = run(f"{BATCH} -o out.jsonl")
    assert result.exit_code == 0
    first, error, last = rows(folder / "out.jsonl")
    assert (first, last) == ("valid", "repaired")
    assert error.startswith("traces.jsonl:2")
    assert said in error
    assert len(error) < 1_100


def test_a_last_line_that_is_cut_off(run: Run, folder: Path, traces: Path) -> None:
    traces.write_bytes(written(*LINES)[:-20])
    run(f"{BATCH} -o out.jsonl")
    assert rows(folder / "out.jsonl")[:4] == VERDICTS[:4]
    assert "cut off" in rows(folder / "out.jsonl")[4]


def test_a_file_among_others_that_cannot_be_read(run: Run, folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"\xff\xfe\x00")
    run("batch bad.txt traces.jsonl --catalog travel --workers 1 -o out.jsonl")
    assert "bad.txt" in rows(folder / "out.jsonl")[0]
    assert rows(folder / "out.jsonl")[1:] == VERDICTS
    alone = run("batch bad.txt --catalog travel --workers 1")
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "bad.txt" in alone.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("batch none.jsonl --catalog travel", "no such file"),
        ("batch . --catalog travel", "folder"),
        ("batch traces.jsonl --catalog trvl", "no such file or shipped catalog"),
        ("batch traces.jsonl --catalog travel -o traces.jsonl", "read, too"),
        ("batch traces.jsonl --catalog travel -o no/out.jsonl", "no such folder"),
        ("batch traces.jsonl --catalog travel -o .", "folder"),
        ("batch traces.jsonl --catalog travel --resume", "-o"),
        ("batch traces.jsonl --catalog travel --engine dask", "--scheduler"),
        ("batch traces.jsonl --catalog travel --scheduler tcp://x:1", "--engine dask"),
        ("batch - - --catalog travel", "standard input"),
        ("batch traces.jsonl --catalog travel --workers 0", "--workers"),
        ("batch traces.jsonl --catalog travel --mode mend", "--mode"),
        ("batch traces.jsonl --catalog travel --cost-model dear", "dear"),
        ("batch traces.jsonl --catalog travel --allow Nothing", "Nothing"),
        ("batch traces.jsonl --catalog travel -c nothing=1", "nothing"),
        ("batch traces.jsonl --catalog travel --resume --restart -o out.jsonl", "--restart"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(run: Run, arguments: str, said: str) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


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


def test_nothing_is_told_where_nothing_came(run: Run, traces: Path) -> None:
    traces.write_bytes(b"")
    assert run(BATCH).stdout == "0 sequences: nothing was judged.\n"


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


@contextmanager
def started(*arguments: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run `refract-asp batch` in a process, which is gone in the end."""
    command = [sys.executable, "-m", "refract_asp", "batch", *arguments]
    process = subprocess.Popen(command, **more)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


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
    with started(*command, "--workers", "2", stderr=subprocess.PIPE) as process:
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
    with started(*command, "--workers", "1", "--resume", stdout=subprocess.PIPE) as process:
        assert process.wait(PATIENCE) == 0
    with started(*command[:-1], "again.jsonl", "--workers", "1", stdout=subprocess.PIPE) as process:
        assert process.wait(PATIENCE) == 0
    assert (folder / "out.jsonl").read_bytes() == (folder / "again.jsonl").read_bytes()


@pytest.mark.slow
def test_a_reader_that_goes(folder: Path, many: Path) -> None:
    command = ("traces.jsonl", "--catalog", "travel", "--workers", "1", "-o", "-")
    with started(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_has_come(folder: Path, many: Path) -> None:
    ours, theirs = pty.openpty()
    command = ("traces.jsonl", "--catalog", "travel", "--workers", "1", "-o", "out.jsonl")
    environment = {**os.environ, "TERM": "xterm"}
    with started(*command, stderr=theirs, stdout=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        seen = b""
        while b"/2000" not in seen or b"/s" not in seen:
            assert select.select([ours], [], [], PATIENCE)[0]
            seen += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    os.close(ours)


@pytest.mark.slow
def test_silent_in_a_pipe(folder: Path) -> None:
    command = ("traces.jsonl", "--catalog", "travel", "-o", "out.jsonl")
    with started(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        told, said = process.communicate(timeout=PATIENCE)
    assert said == b""
    assert told.decode() == "5 sequences: 2 valid, 1 repaired, 1 need input, 1 unrepairable.\n"
