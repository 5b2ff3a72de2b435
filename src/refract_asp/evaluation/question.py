"""What is asked about each entry of a data set, and what an answer to it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from refract_asp.errors import shown
from refract_asp.evaluation.rows import Mode
from refract_asp.model import Catalog, Goal, Mapping, Memory, Sequence

__all__ = ["Answered", "Entry", "Question"]


class Entry(NamedTuple):
    """An entry of a data set: its number from 0, where it stands, its data (a line as bytes), its folder."""

    number: int
    place: str
    data: Any
    folder: str | None = None

    @property
    def digest(self) -> str:
        """The hash of what it says."""
        data = self.data
        raw = (
            data
            if isinstance(data, bytes)
            else json.dumps(data, sort_keys=True, default=_data).encode()
        )
        return hashlib.sha256(raw.strip()).hexdigest()[:16]


def _data(value: Any) -> Any:
    """Return as data what is none: examples and sequences."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if dump is not None else str(value)


class Answered(NamedTuple):
    """The row of an entry as a line, its verdict (None for an error), and the seconds that it took."""

    number: int
    line: str
    verdict: str | None
    seconds: float


@dataclass(frozen=True)
class Question:
    """
    What is done with every entry; goes to other processes and machines.

    Attributes:
        catalog: the tools of entries that bring none.
        mode: whether they are repaired, checked, or compressed.
        stepwise: whether each call is judged with those before it, as when an agent asks before each call.
        format: the format of the calls, None to find it.
        memory: values already known, beside what entries bring.
        history: calls that were already executed, before those that entries bring.
        goals: what each sequence has to bring about, beside what entries say.
        options: whatever else `Refractor` takes.
    """

    catalog: Catalog | None = None
    mode: Mode = "repair"
    stepwise: bool = False
    format: str | None = None
    memory: Memory | None = None
    history: Sequence | None = None
    goals: tuple[Goal, ...] = ()
    options: MappingOf[str, Any] = field(default_factory=dict)

    @property
    def time_limit(self) -> float | None:
        """Seconds for one answer."""
        limit: float | None = self.options.get("time_limit")
        return limit

    def described(self) -> dict[str, Any]:
        """Return as data what decides about the rows; of files and catalogs the hash of what they hold."""
        told: dict[str, Any] = {
            "catalog": None
            if self.catalog is None
            else _digest(self.catalog.dump("native")["tools"]),
            "mode": self.mode,
            "stepwise": self.stepwise,
            "format": self.format,
            "memory": None if self.memory is None else _digest(self.memory.model_dump(mode="json")),
            "history": None
            if self.history is None
            else _digest(self.history.model_dump(mode="json")),
            "goals": [str(goal) for goal in self.goals],
        }
        return {**told, "options": {name: _plain(value) for name, value in self.options.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        if value.is_dir():
            return {each.name: _plain(each) for each in sorted(value.rglob("*.lp"))}
        return (
            hashlib.sha256(value.read_bytes()).hexdigest()[:16] if value.is_file() else str(value)
        )
    if isinstance(value, MappingOf):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, str | int | float | bool | None):
        return value
    dump = getattr(value, "model_dump", None)
    return (
        dump(mode="json")
        if dump is not None
        else shown(getattr(value, "__qualname__", type(value).__name__))
    )


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()[:16]


# -- compiled catalogs -------------------------------------------------------------

MAX_COMPILED = 8
"""For at most this many catalogs what was compiled is kept."""
Made = TypeVar("Made")


@dataclass
class Prepared(Generic[Made]):
    """Keeps what was compiled for the last few catalogs, with the mappings that go with them."""

    make: Callable[..., Made]
    _made: dict[tuple[int, str], tuple[Catalog, Made]] = field(default_factory=dict, repr=False)

    def __call__(self, catalog: Catalog, *mappings: Mapping) -> Made:
        """Return what was compiled for a catalog."""
        key = id(catalog), repr(mappings)
        if key not in self._made:
            if len(self._made) >= MAX_COMPILED:
                del self._made[next(iter(self._made))]
            # the catalog is kept, so that its id is its own
            self._made[key] = catalog, self.make(catalog, *mappings)
        return self._made[key][1]
