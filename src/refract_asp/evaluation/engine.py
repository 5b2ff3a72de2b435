"""
Judges every entry of data sets: in this process, in several processes, or on a cluster.

The rows come as an iterator, or go into a file: one line for each entry, in their order, and beside it how long
each took. While a run goes on, both are in files whose names end in `.part`; they take their places at the end,
so that no reader sees incomplete files. A run that was interrupted or killed resumes where the whole lines of its
part end. `out.jsonl` has its times in `out.times.jsonl`, whose first line says how the run was made.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain, count, islice, repeat
from pathlib import Path
from typing import Any, BinaryIO

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.evaluation.answering import Answered, Asker, Entry, Question, said_of, versions
from refract_asp.evaluation.rows import MAX_ROW_BYTES, MODES, Mode, Row, read_row, times_file
from refract_asp.formats import load_catalog, load_memory, load_sequence
from refract_asp.formats.examples import raw_entries
from refract_asp.formats.given import load_goals
from refract_asp.formats.source import file_errors
from refract_asp.integrations.decisions import Decision
from refract_asp.pooling import Alone, check_travels, in_order, unheard_interrupts
from refract_asp.settings import choice, seconds, whole_number

try:
    import fcntl
except ImportError:  # on such systems two runs of one file are not noticed
    fcntl = None  # type: ignore[assignment]

PART = ".part"
_ANEW = "Give --restart to begin anew."


def part_of(path: Path) -> Path:
    """
    Return the file that holds the rows while the run goes on.

    Example:
        >>> part_of(Path("runs/out.jsonl")).name
        'out.jsonl.part'
    """
    return Path(f"{path}{PART}")


class DecisionLog:
    """
    Writes what a hook decides as the lines that `refract-asp batch report` reads; from several threads as well.

    Secrets are replaced. Decisions without a repair (calls that cannot be read, or are beyond a bound) are
    lines with an error.

    Args:
        path: the file; lines are added to it.
        meta: further fields of each line, such as `{"model": "large"}`, by which reports can be split; the
            `outcome` of the decision and the `time` are added.

    Raises:
        InputError: the file cannot be written.
        FormatError: it holds something else.

    Example:
        >>> import tempfile
        >>> from refract_asp.evaluation import read_rows
        >>> from refract_asp.integrations import Hook
        >>> path = Path(tempfile.mkdtemp()) / "decisions.jsonl"
        >>> days = {"type": "integer"}
        >>> log = DecisionLog(path, meta={"model": "small"})
        >>> hook = Hook({"tools": [{"name": "Rain", "parameters": {"days": days}}]}, on_decision=log)
        >>> decisions = [hook(calls).outcome for calls in ("Rain(days=3)", 'Rain(days="3")')]
        >>> [(row.verdict, row.meta["outcome"], row.meta["model"]) for row in read_rows(path)]
        [('valid', 'pass', 'small'), ('repaired', 'repair', 'small')]
    """

    def __init__(self, path: Path | str, meta: Mapping[str, Any] | None = None) -> None:
        """Open the file, and count the lines that it has."""
        self._path, self._meta, self._lock = Path(path), dict(meta or {}), threading.Lock()
        with file_errors(str(path)), self._path.open("ab+") as file:
            file.seek(0)
            if begin := file.readline(MAX_ROW_BYTES):
                read_row(begin, f"{self._path}:1")  # lines are added to no other file
            self._number = _cut_to_whole_lines(file)

    def __call__(self, decision: Decision) -> None:
        """Write a line for a decision."""
        result, now = decision.result, datetime.now(UTC).isoformat(timespec="milliseconds")
        told: dict[str, Any] = {"meta": {**self._meta, "outcome": decision.outcome, "time": now}}
        if result is None or result.note:
            told["error"] = shown(decision.feedback, LONGEST_TEXT) or decision.reason
        else:
            tools = tuple(call.name for call in result.given.calls)
            told |= {"count": len(tools), "tools": tools}
            told |= said_of(result, result.given, keeps_secrets=False, found={})
        with self._lock, self._path.open("ab") as file:
            place = f"{self._path.name}:{self._number + 1}"
            head = {"schema_version": 1, "number": self._number, "place": place, "digest": ""}
            file.write(f"{Row(**head, mode='repair', **told).line()}\n".encode())
            self._number += 1


@contextmanager
def recording(
    path: Path, described: dict[str, Any], *, resume: bool = False, restart: bool = False
) -> Iterator[Recording]:
    """
    Open the file of a run for as long as it goes on; its part stays where the run does not come to its end.

    Args:
        path: the file for the rows.
        described: what decides about the rows, as data; a run goes on only where it is the same.
        resume: whether a run that was interrupted is to go on.
        restart: whether its part is to be thrown away.

    Raises:
        InputError: another run writes this file, or one was interrupted that is not to go on, or it was made
            with other options; or there is no such folder.
    """
    if path.exists() and not path.is_file():
        raise _error("this is not the file of a run that could be resumed.", path, "Name a file.")
    if not path.parent.is_dir():
        raise _error("there is no such folder.", path.parent)
    part, beside = part_of(path), times_file(path)
    times = part_of(beside)
    for each in filter(Path.is_symlink, (part, times)):
        # it would be written to wherever somebody lets it lead
        hint = "Remove it, or write to another file."
        raise _error("a link stands where the run writes.", each, hint)
    is_begun = part.exists() and part.stat().st_size > 0

    def tidy() -> None:
        with suppress(OSError):
            if not part.stat().st_size:
                part.unlink()
                times.unlink()

    with ExitStack() as files:
        file = files.enter_context(_locked(part))
        files.callback(tidy)
        # checked under the lock, so that a run that goes on is not taken for an interrupted one
        if is_begun and not (resume or restart):
            hint = "Give --resume to resume it, or --restart to begin anew."
            raise _error("a run that wrote this file was interrupted.", path, hint)
        if resume and not is_begun and path.exists():
            _check_same_run(beside, path, described)
            yield Recording(path, file, file, complete=True)
            return
        done = 0
        if resume and is_begun:
            if not times.exists() and beside.exists():
                os.replace(beside, times)  # it was killed while it finished
            _check_same_run(times, path, described)
            done = _cut_to_whole_lines(file)
        else:
            file.truncate(0)
            times.write_text(f"{json.dumps({'schema_version': 1, 'run': described})}\n", "utf-8")
        timed = files.enter_context(times.open("r+b", buffering=0))
        _cut_to_whole_lines(timed)
        yield Recording(path, file, timed, done)


@dataclass
class Recording:
    """
    A file of rows that is being written.

    Attributes:
        path: the file in the end.
        file: it, open.
        times: the open file of the times.
        done: how many rows it held when it was opened, or holds by now.
        complete: whether it was complete when it was opened: nothing is left to do.
    """

    path: Path
    file: BinaryIO
    times: BinaryIO
    done: int = 0
    complete: bool = False

    def left(self, entries: Iterator[Entry], told: Callable[[str | None], None]) -> Iterator[Entry]:
        """
        Yield the entries that have no row yet; `told` is called with the verdicts of the others before.

        Raises:
            InputError: the entries before them are not those that the rows are about.
        """
        kept: list[str | None] = []
        with (self.path if self.complete else part_of(self.path)).open("rb") as rows:
            for row in islice(rows, None if self.complete else self.done):
                entry, said = next(entries, None), {}
                with suppress(ValueError, TypeError, RecursionError):
                    said = dict(json.loads(row))
                if entry is None or said.get("digest") != entry.digest:
                    where = self.path if entry is None else entry.place
                    raise _error("the data is no longer that of the run.", where, _ANEW)
                if said.get("place") != entry.place:  # rows name it, so that they would differ
                    what = f"the run read this as {shown(said.get('place'), LONGEST_TEXT)}."
                    raise _error(what, entry.place, f"Name the data as before. {_ANEW}")
                kept.append(said.get("verdict"))
        for verdict in kept:
            told(verdict)
        if not self.complete:
            yield from entries
            return
        self.done = len(kept)
        if (more := next(entries, None)) is not None:
            what = "the run is complete, and the data has become more since."
            raise _error(what, more.place, _ANEW)

    def add(self, answer: Answered) -> None:
        """
        Write the row of an entry; a file that cannot take all of it takes none of it.

        Raises:
            OSError: as where the disk is full.
        """
        time = json.dumps({"number": answer.number, "seconds": round(answer.seconds, 6)})
        _write(self.times, f"{time}\n".encode())
        _write(self.file, f"{answer.line}\n".encode())
        self.done += 1

    def finish(self) -> None:
        """Put the file in its place: the run is complete."""
        if self.complete:
            return
        os.fsync(self.file.fileno())
        os.fsync(self.times.fileno())
        os.replace(part_of(times_file(self.path)), times_file(self.path))
        os.replace(part_of(self.path), self.path)


def _check_same_run(times: Path, path: Path, described: dict[str, Any]) -> None:
    """Refuse to resume a run that was made in another way."""
    before = None
    with suppress(OSError, ValueError, KeyError, TypeError), times.open("rb") as file:
        before = json.loads(file.readline(10_000_000))["run"]
    if not isinstance(before, dict):
        raise _error("nothing says how the run was made.", times, _ANEW)
    now = json.loads(json.dumps(described))
    differ = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if differ:
        what = f"the run was begun with another {shown(', '.join(differ), LONGEST_TEXT)}."
        raise _error(what, path, f"Use the same options and data. {_ANEW}")


def _error(what: str, where: Path | str, hint: str = "") -> InputError:
    return InputError(what, where=shown(where, LONGEST_TEXT), hint=hint)


def _locked(path: Path) -> BinaryIO:
    """Open a part that no other run writes."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            where, hint = str(path).removesuffix(PART), "Wait for it, or write to another file."
            raise _error("another run writes this file.", where, hint) from None
        except OSError:  # a file system that knows no locks
            return file
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # the other run ended meanwhile, and took the file along


def _write(file: BinaryIO, content: bytes) -> None:
    """Write all of a text at the end of a file, or nothing."""
    start = file.tell()
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[file.write(rest) :]
    except BaseException:
        with suppress(OSError):
            file.truncate(start)
            file.seek(start)
        raise


def _cut_to_whole_lines(file: BinaryIO) -> int:
    """Cut the file behind its last line break, and go there; return the number of lines."""
    count = size = seen = 0
    file.seek(0)
    while block := file.read(1 << 20):
        if lines := block.count(b"\n"):
            count += lines
            size = seen + block.rindex(b"\n") + 1
        seen += len(block)
    file.truncate(size)
    file.seek(size)
    return count


# Yields the answers to entries in their order; holds few of them at a time.
Engine = Callable[[Question, Iterable[Entry]], Generator[Answered]]

# So many entries go to a process at once.
CHUNK = 16
# Seconds that the catalog and the rules may take to be ready, where answers have a time limit.
COMPILE = 60.0
# How many processes may work at once.
MAX_WORKERS = 256


# -- engines -----------------------------------------------------------------------


def engine_of(
    question: Question,
    workers: int = 1,
    scheduler: str | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Engine:
    """
    Return what answers: this process, several ones, or a cluster.

    Args:
        question: what is asked.
        workers: how many processes.
        scheduler: the address of a cluster, or its scheduler file.
        told: called with one line of text when the run waits for the cluster.

    Raises:
        InputError: the number of workers cannot be used, or the extra `dask` is not installed.
    """
    whole_number("workers", workers, least=1, most=MAX_WORKERS)
    if scheduler is not None:
        try:
            from refract_asp.evaluation import cluster
        except ImportError:
            what, extra = "a cluster needs the package distributed.", "'refract-asp[dask]'"
            raise InputError(what, hint=f"Install it: pip install {extra}.") from None

        def clustered(question: Question, entries: Iterable[Entry]) -> Generator[Answered]:
            _try(question)
            return cluster.clustered(question, chunks_of(entries), scheduler, told)

        return clustered
    if workers == 1 and question.time_limit is None:
        return here
    return partial(pooled, workers=workers)


def workers_here() -> int:
    """Return how many processes this machine has room for."""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(here or 1, MAX_WORKERS)


def here(question: Question, entries: Iterable[Entry]) -> Generator[Answered]:
    """Answer entry by entry in this process; nothing ends one that does not come back."""
    asker = Asker(question)
    for entry in entries:
        with unheard_interrupts() as hear:
            answer = asker.answered(entry)
            hear()  # clingo may have made an error of Ctrl-C, which must not become the row of the entry
        yield answer


def pooled(question: Question, entries: Iterable[Entry], workers: int) -> Generator[Answered]:
    """
    Answer entries in several processes, each of which compiles the catalog once.

    A process that dies costs the entry it died of; one that does not come back in time is ended.
    """
    hint = "Name files and shipped models in the options, or use one worker."
    check_travels(question, "an option", hint)
    _try(question)
    lost, limit = partial(Asker.unanswered, question), question.time_limit
    return in_order(partial(_begun, question), chunks_of(entries), workers, lost, limit)


def _begun(question: Question) -> Callable[[Entry], Answered]:
    """Return what answers the entries that come to a process of a pool."""
    return partial(Asker(question).answered, limit=question.time_limit)


def _try(question: Question) -> None:
    """
    Compile a question once before any entry, so that a wrong option is reported once.

    Where answers have a time limit, that is done in a process that can be ended: rules may ground for ever.
    """
    if question.time_limit is None:
        Asker(question)
        return
    limit = max(question.time_limit, COMPILE)
    alone: Alone[None] = Alone(int, limit)
    try:
        said = alone.result(Asker.tried, question, limit)
    finally:
        alone.end()
    if isinstance(said, str):
        what = f"the catalog and the rules cannot be made ready: {said}"
        hint = "Look for rules that make ever more atoms, in the cost model or in --encoding files."
        raise InputError(what, hint=hint)


def chunks_of(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield entries in lists of `CHUNK`; the last one may be shorter."""
    entries = iter(entries)
    while chunk := list(islice(entries, CHUNK)):
        yield chunk


# -- data sets ---------------------------------------------------------------------


def analyse(
    data: Any,
    catalog: Any = None,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    **question: Any,
) -> Iterator[Row]:
    """
    Judge each sequence of a data set, and yield a row for each, in order.

    The data is taken entry by entry, so that there may be any number. What cannot be read gets a row that
    says why.

    Args:
        data: a file, a text, a list, an open binary file, or anything that yields entries; an entry is an
            object with "sequence" (and "catalog", "memory", "history", "expected", "goals", "mappings",
            "id", "meta"), a line of such JSON as bytes, or a sequence in any form.
        catalog: the tools of entries that bring none, as anything that `Catalog.load` takes.
        workers: how many processes; with 1 and no time limit it is done in this one.
        scheduler: the address of a dask cluster that does it instead (extra `dask`).
        question: what is asked, see `question_of`, as `mode="check"`; and whatever else `Refractor` takes,
            as `alternatives` or `time_limit` (for each sequence).

    Raises:
        InputError: an option or the data as a whole cannot be used.

    Example:
        >>> tools = {"tools": [{"name": "Get", "effect": "read", "parameters": {"id": {}}}]}
        >>> [(row.verdict, row.calls) for row in analyse([["Gett(id=3)"], ["Get(id=4)"]], tools)]
        [('repaired', ['Get(id=3)']), ('valid', ['Get(id=4)'])]
    """
    asked = question_of(catalog, **question)
    engine = engine_of(asked, workers, scheduler)
    return (read_row(answer.line) for answer in engine(asked, entries_of(data)))


def question_of(
    catalog: Any = None,
    *,
    mode: Mode = "repair",
    stepwise: bool = False,
    format: str | None = None,
    memory: Any = None,
    history: Any = (),
    goals: Any = (),
    **options: Any,
) -> Question:
    """
    Return what is asked about each entry.

    Args:
        catalog: the tools of entries that bring none.
        mode: "repair", "check", or "compress".
        stepwise: whether each call is judged against the calls before it as repaired, as when an agent asks
            before each call; else the sequence is judged as a whole.
        format: the format of all sequences, None to find it.
        memory: values already known, beside what entries bring.
        history: calls that were already executed, before those that entries bring.
        goals: what each sequence has to bring about, beside what entries say.
        options: whatever else `Refractor` takes.

    Raises:
        InputError: one of them cannot be used.
    """
    choice("mode", mode, MODES)
    if "time_limit" in options:
        options["time_limit"] = seconds(options["time_limit"], zero=False)
    tools = None if catalog is None else load_catalog(catalog)
    known = None if memory is None else load_memory(memory)
    past = load_sequence(history) if history else None
    return Question(tools, mode, bool(stepwise), format, known, past, load_goals(goals), options)


def entries_of(
    *sources: Any,
    names: Iterable[str | None] = (),
    read: Callable[..., Iterable[tuple[str, Any]]] = raw_entries,
) -> Iterator[Entry]:
    """
    Yield the entries of data sets, one data set after the other.

    One that cannot be read as a whole is an entry of its own, which says why, where there are others.

    Args:
        sources: the data sets, as for `analyse`.
        names: what each is called in places; by default its file.
        read: yields the entries of one source with their places, as `raw_entries` does.
    """
    number = count()
    for source, name in zip(sources, chain(names, repeat(None)), strict=False):
        # named as seen from any folder: it may be read elsewhere
        folder = str(source.parent.absolute()) if isinstance(source, Path) else None
        try:
            for place, data in read(source, name=name):
                yield Entry(next(number), place, data, folder)
        except InputError as error:
            if len(sources) == 1:
                raise
            yield Entry(next(number), error.where, error, folder)


def record(
    path: Path,
    question: Question,
    engine: Engine,
    entries: Iterator[Entry],
    *,
    resume: bool = False,
    restart: bool = False,
    told: Callable[[str | None], None] = lambda _: None,
    answered: Callable[[Answered], None] = lambda _: None,
) -> int:
    """
    Write a row for each entry to a file, which can be resumed if this is interrupted or killed.

    Args:
        path: the file.
        question: what is asked.
        engine: what answers.
        entries: the entries.
        resume: whether a run that was interrupted goes on.
        restart: whether one is thrown away.
        told: called with the verdict of each row, also of rows from before; None is an error.
        answered: called with each row that was written now.

    Returns:
        How many rows the file has.

    Raises:
        InputError: the file is in use, or was made in another way.
        OSError: it cannot be written; what was written by then stays, and can be resumed.
    """
    described = {**question.described(), "versions": versions()}
    with recording(path, described, resume=resume, restart=restart) as file:
        with closing(engine(question, file.left(entries, told))) as answers:
            for answer in answers:
                file.add(answer)
                told(answer.verdict)
                answered(answer)
        file.finish()
        return file.done
