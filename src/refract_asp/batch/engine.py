"""Answers entries in order: here, in several processes, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial

from refract_asp.batch.interrupts import held_back
from refract_asp.batch.question import Answered, Asker, Entry, Question
from refract_asp.errors import InputError
from refract_asp.pooling import Alone, check_travels, in_order, in_time

__all__ = ["HINT", "Engine", "chunks_of", "here", "pooled", "tried"]

Engine = Callable[[Question, Iterable[Entry]], Generator[Answered]]
"""Yields the answers to entries in their order; holds few of them at a time."""

CHUNK = 16
"""So many entries go to a process at once."""
COMPILE = 60.0
"""Seconds that the catalog and the rules may take to be ready, where answers have a time limit."""
HINT = "Name files and shipped models in the options, or use one worker."


def here(question: Question, entries: Iterable[Entry]) -> Generator[Answered]:
    """
    Answer entry by entry in this process; nothing ends one that does not come back.

    Ctrl-C is heard between entries.
    """
    with held_back():
        asker = Asker(question)
    for entry in entries:
        with held_back():
            answer = asker.answered(entry)
        yield answer


def pooled(question: Question, entries: Iterable[Entry], workers: int) -> Generator[Answered]:
    """
    Answer entries in several processes, each of which compiles the catalog once.

    A process that dies costs the entry it died of; one that does not come back in time is ended.

    Raises:
        InputError: an option cannot go to another process.
    """
    check_travels(question, "an option", HINT)
    tried(question)
    begin = partial(_begin, question)
    again = partial(_one_by_one, question)
    return in_order(_work, chunks_of(entries, CHUNK), workers, begin, again)


def tried(question: Question) -> None:
    """
    Compile a question once before any entry, so that what is wrong with an option is told once.

    Where answers have a time limit, that is done in a process that can be ended: rules may ground for ever.

    Raises:
        InputError: an option cannot be used, or its rules do not come to an end.
        EncodingError: an encoding cannot be used.
    """
    if question.time_limit is None:
        Asker(question)
        return
    limit = max(question.time_limit, COMPILE)
    alone: Alone[bool] = Alone(_nothing, limit)
    try:
        said = alone.result(_compiled, question, limit)
    finally:
        alone.end()
    if isinstance(said, str):
        raise InputError(
            f"the catalog and the rules cannot be made ready: {said}",
            hint="Look for rules that make ever more atoms, in the cost model or in files of --encoding.",
        )


def chunks_of(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    """Yield entries in lists of a size; the last one may be shorter."""
    held: list[Entry] = []
    for entry in entries:
        held.append(entry)
        if len(held) == size:
            yield held
            held = []
    if held:
        yield held


def _one_by_one(question: Question, chunks: Iterable[list[Entry]]) -> Iterator[Answered]:
    """Answer what was under way when a process died; find what it died of."""
    alone: Alone[list[Answered]] = Alone(partial(_begin, question), question.time_limit)
    try:
        for chunk in chunks:
            for entry in chunk:
                found = alone.result(_work, [entry])
                yield found[0] if isinstance(found, list) else Asker.unanswered(question, entry, found)
    finally:
        alone.end()


# -- in the process ------------------------------------------------------------


def _nothing() -> None:
    """Begin with nothing."""


def _compiled(question: Question, limit: float) -> bool:
    """Compile a question, or end this process."""
    with in_time(limit):
        Asker(question)
    return True


_ASKER: Asker | None = None


def _begin(question: Question) -> None:
    global _ASKER  # noqa: PLW0603 - what a process of the pool keeps between its chunks
    _ASKER = Asker(question)


def _work(chunk: list[Entry]) -> list[Answered]:
    assert _ASKER is not None
    found = []
    for entry in chunk:
        with in_time(_ASKER.question.time_limit):
            found.append(_ASKER.answered(entry))
    return found
