"""
Judges every entry of data sets: here, in several processes, or on a cluster.

The rows come as an iterator, or go into a file that can be resumed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, count, islice, repeat
from pathlib import Path
from typing import Any

from refract_asp.errors import InputError
from refract_asp.evaluation.answering import Answered, Asker, Entry, Question
from refract_asp.evaluation.recording import recording, versions
from refract_asp.evaluation.rows import MODES, Mode, Row, read_row
from refract_asp.formats import load_catalog, load_memory, load_sequence
from refract_asp.formats.examples import raw_entries
from refract_asp.formats.given import load_goals
from refract_asp.pooling import Alone, check_travels, in_order, unheard_interrupts
from refract_asp.settings import choice, seconds, whole_number

# Yields the answers to entries in their order; holds few of them at a time.
Engine = Callable[[Question, Iterable[Entry]], Generator[Answered]]

# So many entries go to a process at once.
CHUNK = 16
# Seconds that the catalog and the rules may take to be ready, where answers have a time limit.
COMPILE = 60.0
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
        told: is told in one line when a cluster keeps somebody waiting.

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
    Compile a question once before any entry, so that what is wrong with an option is told once.

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
        told: is told the verdict of each row, also of those that there were already; None is an error.
        answered: is told of each row that was written now.

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
