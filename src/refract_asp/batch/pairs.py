"""Which sequences of two runs are the same."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from refract_asp.batch.counting import FaultKey, example_of, fault_key, why
from refract_asp.batch.figures import FaultExample
from refract_asp.batch.measures import Outcome, faulty_calls
from refract_asp.batch.row import Mode, Row
from refract_asp.batch.tally import MAX_KINDS, Measured, measured
from refract_asp.errors import shown
from refract_asp.model.tags import Tag

__all__ = ["By", "Kept", "Pair", "Side", "paired"]

By: TypeAlias = Literal["id", "input", "place", "number"]
"""By what two sequences are paired."""


@dataclass(frozen=True, slots=True)
class Kept:
    """
    What is kept of a row until it is compared.

    `tools` holds for each tool how many of its calls there are and how many of them are faulty; `calls` is a
    hash of the calls as they are to be made.
    """

    number: int
    name: str
    id: str | None
    place: str
    digest: str
    mode: Mode
    counted: Measured
    tags: frozenset[Tag]
    tools: tuple[tuple[str, int, int], ...]
    faults: frozenset[FaultKey]
    calls: bytes
    why: str

    @property
    def outcome(self) -> Outcome:
        """The verdict, or "error"."""
        return self.counted[0]


Pair: TypeAlias = tuple[Kept, Kept]


class Side:
    """One of two runs: what is kept of its rows, and an example for each of its faults."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Read the rows."""
        self.examples: dict[FaultKey, FaultExample] = {}
        self._same: dict[Hashable, Any] = {}
        self.rows = [self._kept(row) for row in rows]

    def _kept(self, row: Row) -> Kept:
        faults: dict[FaultKey, None] = {}
        for found in row.diagnostics:
            key = fault_key(found)
            faults[key] = None
            if key not in self.examples and len(self.examples) < MAX_KINDS:
                self.examples[key] = example_of(row, found)
        return Kept(
            number=row.number,
            name=shown(row.name),
            id=row.id,
            place=row.place,
            digest=row.digest,
            mode=row.mode,
            counted=self._one(measured(row)),
            tags=self._one(frozenset(fault.tag for fault in row.tags)),
            tools=self._one(_tools(row)),
            faults=self._one(frozenset(faults)),
            calls=hashlib.sha256(json.dumps(row.calls, sort_keys=True).encode()).digest()[:16],
            why=why(row),
        )

    def _one(self, value: Any) -> Any:
        """Return the one object that stands for equal ones."""
        if len(self._same) > MAX_KINDS:
            self._same.clear()
        return self._same.setdefault(value, value)


def _tools(row: Row) -> tuple[tuple[str, int, int], ...]:
    names = [shown(name) for name in row.tools]
    faulty = Counter(names[number] for number in faulty_calls(row) if number < len(names))
    return tuple((name, calls, faulty[name]) for name, calls in Counter(names).items())


def paired(a: Side, b: Side) -> tuple[list[tuple[By, Pair]], list[Kept], list[Kept]]:
    """
    Return which sequences of two runs are the same, and which only one of them has.

    Those of one id are the same where it is unique; then those that came in with the same text, one after
    the other; then those of one place; and where both runs have as many, those of one number.
    """
    pairs: list[tuple[By, Pair]] = []
    left, right = a.rows, b.rows

    def pair(by: By, key: Callable[[Kept], Hashable], *, only_unique: bool) -> None:
        nonlocal left, right
        found = _paired(left, right, key, only_unique)
        pairs.extend((by, each) for each in found)
        gone_a, gone_b = {id(one) for one, _ in found}, {id(other) for _, other in found}
        left = [row for row in left if id(row) not in gone_a]
        right = [row for row in right if id(row) not in gone_b]

    pair("id", lambda row: row.id, only_unique=True)
    pair("input", lambda row: row.digest or None, only_unique=False)
    pair("place", lambda row: row.place or None, only_unique=True)
    if len(a.rows) == len(b.rows):
        pair("number", lambda row: row.number, only_unique=True)
    pairs.sort(key=lambda each: each[1][1].number)
    return pairs, left, right


def _paired(
    left: list[Kept], right: list[Kept], key: Callable[[Kept], Hashable], only_unique: bool
) -> list[Pair]:
    ones, others = _by(left, key), _by(right, key)
    found: list[Pair] = []
    for each, rows in ones.items():
        same = others.get(each, [])
        if only_unique and (len(rows) > 1 or len(same) > 1):
            continue
        found += zip(rows, same, strict=False)
    return found


def _by(rows: list[Kept], key: Callable[[Kept], Hashable]) -> dict[Hashable, list[Kept]]:
    found: dict[Hashable, list[Kept]] = {}
    for row in rows:
        value = key(row)
        if value is not None:
            found.setdefault(value, []).append(row)
    return found
