"""What workers of a dask cluster do: they compile a question once, and answer chunks of entries."""

from __future__ import annotations

import hashlib
import pickle
import threading
from dataclasses import dataclass

from refract_asp.batch.question import Answered, Asker, Entry, Question
from refract_asp.batch.recording import versions
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.pooling import check_travels, in_time

__all__ = ["Asked", "asked", "hold", "packed", "work"]


@dataclass(frozen=True)
class Asked:
    """
    A question as it goes to workers.

    Attributes:
        key: its hash, by which a worker knows a question that it has compiled.
        question: the question, pickled; a worker that cannot answer as this process would does not load it.
        versions: those of this process.
    """

    key: str
    question: bytes
    versions: tuple[tuple[str, str], ...]


def asked(question: Question, hint: str) -> Asked:
    """
    Make a question ready to go.

    Raises:
        InputError: an option cannot go to another process.
    """
    raw = check_travels(question, "an option", hint)
    return Asked(hashlib.sha256(raw).hexdigest(), raw, tuple(versions().items()))


def packed(chunk: list[Entry]) -> bytes:
    """Return entries as one value, in which dask looks for nothing of its own."""
    return pickle.dumps(chunk)


def hold(question: Asked) -> Asked:
    """Compile a question, so that what is wrong with it here is told before all entries; return it."""
    _asker(question)
    return question


def work(question: Asked, chunk: bytes) -> list[Answered]:
    """Answer entries; one that does not come back in time ends the process, where nobody else works in it."""
    from distributed import get_worker

    asker = _asker(question)
    is_alone = get_worker().state.nthreads == 1
    entries: list[Entry] = pickle.loads(chunk)
    found = []
    for entry in entries:
        with in_time(asker.question.time_limit if is_alone else None):
            found.append(asker.answered(entry))
    return found


class _Held(threading.local):
    """What a thread keeps between its chunks; threads share nothing, as catalogs are read by and by."""

    key = ""
    asker: Asker | None = None


_HELD = _Held()


def _asker(question: Asked) -> Asker:
    """Return what answers a question, which each thread of a worker compiles once."""
    if _HELD.asker is None or _HELD.key != question.key:
        here = versions()
        if here != dict(question.versions):
            there = shown(dict(question.versions), LONGEST_TEXT)
            raise InputError(f"it has {shown(here, LONGEST_TEXT)}, not {there}.")
        loaded: Question = pickle.loads(question.question)
        _HELD.asker, _HELD.key = Asker(loaded), question.key
    return _HELD.asker
