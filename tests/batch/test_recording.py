"""The file of a run: whole or not there, gone on with after any end, never written by two."""

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import InputError
from refract_asp.evaluation.answering import Answered, Entry, Question
from refract_asp.evaluation.engine import here, record, recording
from refract_asp.evaluation.rows import times_file
from waiting import PATIENCE, until

from .small_entries import CATALOG, HOPELESS, LOST, OPEN, QUESTION, SLIP, VALID, entries, line

LINES = [line(each, id=n) for n, each in enumerate([VALID, SLIP, OPEN, HOPELESS, LOST] * 4)]


def run(path: Path, lines: list[bytes] = LINES, question: Question = QUESTION, **how: Any) -> int:
    return record(path, question, here, entries(*lines), **how)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the file holds after an uninterrupted run; its times stand beside it."""
    path = tmp_path_factory.mktemp("whole") / "out.jsonl"
    assert run(path) == len(LINES)
    assert sorted(each.name for each in path.parent.iterdir()) == ["out.jsonl", "out.times.jsonl"]
    head, *times = map(json.loads, times_file(path).read_text().splitlines())
    assert head["run"]["mode"] == "repair"
    assert set(head["run"]["versions"]) == {"refract-asp", "clingo"}
    assert [each["number"] for each in times] == list(range(len(LINES)))
    assert all(each["seconds"] > 0 for each in times)
    return path.read_bytes()


def interrupt(path: Path, count: int, question: Question = QUESTION) -> None:
    """Leave a run that was interrupted after some entries."""

    def stopping() -> Iterator[Entry]:
        yield from entries(*LINES[:count])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record(path, question, here, stopping())


@pytest.mark.parametrize("count", [0, 7, len(LINES)])
def test_interrupted_and_gone_on_with(tmp_path: Path, whole: bytes, count: int) -> None:
    path = tmp_path / "out.jsonl"
    interrupt(path, count)
    assert [each.suffix for each in tmp_path.iterdir()] == [".part"] * 2 * bool(count)
    if count:
        with pytest.raises(InputError, match=r"interrupted.*--resume"):
            run(path)
    for _ in ("interrupted", "complete"):
        told: list[str | None] = []
        assert run(path, resume=True, told=told.append) == len(told) == len(LINES)
        assert told.count("valid") == 4
        assert path.read_bytes() == whole
        assert not list(tmp_path.glob("*.part"))
    assert len(times_file(path).read_text().splitlines()) == len(LINES) + 1
    with pytest.raises(InputError, match="has become more"):
        run(path, [*LINES, LINES[0]], resume=True)


def test_the_data_is_named_as_before(tmp_path: Path) -> None:
    interrupt(tmp_path / "out.jsonl", 7)
    renamed = (each._replace(place=f"other{each.place}") for each in entries(*LINES))
    said = r"othert\.jsonl:1: the run read this as t\.jsonl:1\."
    with pytest.raises(InputError, match=said):
        record(tmp_path / "out.jsonl", QUESTION, here, renamed, resume=True)


@pytest.mark.parametrize("name", ["out.jsonl.part", "out.times.jsonl.part"])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    (tmp_path / name).symlink_to(target)
    with pytest.raises(InputError, match=r"a link stands where the run writes"):
        run(tmp_path / "out.jsonl", restart=True)
    assert target.read_text() == "precious"


def test_begun_anew_and_replaced_only_by_a_finished_run(tmp_path: Path, whole: bytes) -> None:
    path, other = tmp_path / "out.jsonl", Question(CATALOG, mode="check")
    interrupt(path, 9, other)
    run(path, restart=True)
    times = times_file(path).read_bytes()
    interrupt(path, 9, other)
    assert (path.read_bytes(), times_file(path).read_bytes()) == (whole, times)


def test_other_options_and_other_data_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    interrupt(path, 5)
    before = Path(f"{path}.part").read_bytes()
    with pytest.raises(InputError, match="another mode"):
        run(path, question=Question(CATALOG, mode="check"), resume=True)
    with pytest.raises(InputError, match="another catalog"):
        run(path, question=Question(CATALOG.filter(["Book"])), resume=True)
    with pytest.raises(InputError, match=r"t.jsonl:3: the data is no longer that of the run"):
        run(path, [*LINES[:2], line(["Book()"]), *LINES[3:]], resume=True)
    with pytest.raises(InputError, match="no longer"):
        run(path, LINES[:3], resume=True)
    assert Path(f"{path}.part").read_bytes() == before
    run(path, [*LINES[:5], line(["Book()"])], resume=True)  # what has no row yet may be anything
    assert len(path.read_bytes().splitlines()) == 6
    interrupt(path, 5)
    Path(f"{times_file(path)}.part").write_text("garbage")
    with pytest.raises(InputError, match=r"nothing says how.*--restart"):
        run(path, resume=True)


@pytest.mark.parametrize("cut", [1, 3000])
def test_half_a_line_is_done_again(tmp_path: Path, whole: bytes, cut: int) -> None:
    path = tmp_path / "out.jsonl"
    interrupt(path, 9)
    for part in (Path(f"{path}.part"), Path(f"{times_file(path)}.part")):
        part.write_bytes(part.read_bytes()[: -min(cut, 60)])
    run(path, resume=True)
    assert path.read_bytes() == whole
    times = map(json.loads, times_file(path).read_text().splitlines()[1:])
    assert {each["number"] for each in times} >= {*range(7), *range(9, len(LINES))}


def test_killed_between_the_two_files_that_take_their_places(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "out.jsonl"
    run(path)
    os.replace(path, f"{path}.part")
    run(path, resume=True)
    assert path.read_bytes() == whole


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with recording(path, {"mode": "repair"}) as first:
        first.add(Answered(0, "{}", "valid", 0.1))
        for how in ({}, {"resume": True}, {"restart": True}):
            with pytest.raises(InputError, match="another run writes this file"):
                run(path, **how)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        run(tmp_path / "no/out.jsonl")
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(InputError, match="not the file of a run"):
            run(path)


def in_a_process(work: Callable[..., None], *given: Any) -> int | None:
    """Do something in a process without threads, and return its exit code."""
    process = multiprocessing.get_context("forkserver").Process(target=work, args=given)
    process.start()
    process.join(PATIENCE)
    return process.exitcode


@pytest.mark.slow
def test_a_full_disk_leaves_whole_lines(tmp_path: Path, whole: bytes) -> None:
    """A limit on the size of files stands for the disk: writing fails in the middle of a line."""
    path = tmp_path / "out.jsonl"
    assert in_a_process(_run_limited, path, 8_000) == 7
    part = Path(f"{path}.part").read_bytes()
    assert part.endswith(b"\n")
    assert whole.startswith(part)
    run(path, resume=True)
    assert path.read_bytes() == whole


def _run_limited(path: Path, size: int) -> None:
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        run(path)
    except OSError:
        os._exit(7)
    os._exit(0)


@pytest.mark.slow
def test_killed_fifty_times(tmp_path: Path, whole: bytes) -> None:
    """Whatever stands there after any of the kills, going on gives the same file."""
    assert in_a_process(_kill_again_and_again, tmp_path, whole) == 0
    assert (tmp_path / "kills").read_text() == "50"


def _kill_again_and_again(folder: Path, whole: bytes) -> None:
    """Interrupt and kill runs that go on where the one before ended; without threads, so that it can fork."""
    list(here(QUESTION, entries(*LINES)))  # loads what is needed, and children inherit it
    draw = random.Random(4)
    path, part = folder / "out.jsonl", folder / "out.jsonl.part"
    kills = amid = 0
    while kills < 50:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child hears it
        child = os.fork()
        if not child:
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
                run(path, resume=True)
            except KeyboardInterrupt:
                os._exit(130)
            os._exit(0)
        written = size_of(part) + draw.choice([0, 1, 500, 2_000, 4_000])
        until(lambda: size_of(part) >= written or path.exists(), "the next rows")  # noqa: B023 - of this round
        time.sleep(draw.uniform(0.0, 0.01))
        os.kill(child, draw.choice([signal.SIGINT, signal.SIGKILL, signal.SIGKILL]))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 130, -signal.SIGINT, -signal.SIGKILL)
        kills += code != 0
        if part.exists():
            assert whole.startswith(part.read_bytes())
            amid += size_of(part) > 0
        if path.exists():
            assert path.read_bytes() == whole
            path.unlink()
    run(path, resume=True)
    assert path.read_bytes() == whole
    assert amid > 10  # not all of them before the first row
    (folder / "kills").write_text(str(kills))


def size_of(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
