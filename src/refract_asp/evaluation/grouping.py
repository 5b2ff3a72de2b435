"""Counts measures over rows, all together and by what a field of their metadata holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.evaluation.figures import Figures, Group, Grouping, Value
from refract_asp.evaluation.measures import MEASURES, Counted, Outcome, outcome_of
from refract_asp.evaluation.rows import Row
from refract_asp.model.secrets import is_secret
from refract_asp.model.shares import share

__all__ = [
    "CATALOG",
    "FEW",
    "OUTCOMES",
    "Fields",
    "Measured",
    "Tally",
    "field_value",
    "measured",
    "rank",
]

OUTCOMES: tuple[Outcome, ...] = (
    "valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", "error",
)  # fmt: skip
"""From the best to the worst."""
MAX_KINDS = 20_000
"""At most this many different things of one kind are counted; those that come after them are left out."""

Measured = tuple[Outcome, int, tuple[tuple[int, Counted], ...]]
"""The outcome of a row, its number of calls, and what it adds to each measure that it counts for."""


def measured(row: Row) -> Measured:
    """Return what a row adds to the figures of every group that it belongs to."""
    found = ((number, measure.of(row)) for number, measure in enumerate(MEASURES))
    return (
        outcome_of(row),
        row.count,
        tuple((number, each) for number, each in found if each is not None),
    )


class Tally:
    """The figures of some rows, as they are being counted."""

    __slots__ = ("calls", "counts", "of", "outcomes", "sequences")

    def __init__(self) -> None:
        """Begin with none."""
        self.sequences = 0
        self.calls = 0
        self.outcomes: Counter[Outcome] = Counter()
        self.counts = [0] * len(MEASURES)
        self.of = [0] * len(MEASURES)

    def add(self, row: Measured) -> None:
        """Add a row."""
        outcome, calls, counted = row
        self.sequences += 1
        self.calls += calls
        self.outcomes[outcome] += 1
        for number, each in counted:
            if each is not None:
                self.counts[number] += each[0]
                self.of[number] += each[1]

    def figures(self) -> Figures:
        """Return what was counted."""
        return Figures(
            sequences=self.sequences,
            calls=self.calls,
            outcomes={
                each: share(self.outcomes[each], self.sequences)
                for each in OUTCOMES
                if self.outcomes[each]
            },
            shares={
                measure.name: share(self.counts[number], self.of[number])
                for number, measure in enumerate(MEASURES)
                if self.of[number]
            },
        )


FEW = 50
"""A field with more values than this is not grouped by unless it is asked for."""
MANY = 1_000
"""So many values of a field that was asked for are told apart."""
MAX_FIELDS = 100
"""So many fields are looked at where none is asked for."""
CATALOG = "catalog"
_LARGE = 10**15

_Key = tuple[int, float, str]


class Fields:
    """
    Groups rows by fields of their metadata: by those that are asked for, else by all that have few values.

    A field that is named like a secret is never told.
    """

    def __init__(self, by: Iterable[str] = ()) -> None:
        """
        Group by the fields `by`, with dots where they lie deeper.

        Raises:
            InputError: one is named like a secret.
        """
        self.asked = tuple(dict.fromkeys(by))
        for name in self.asked:
            if _is_secret(name):
                raise InputError(
                    f"the field {shown(name)!r} is named like a secret, so nothing is told by it.",
                    hint="Group by another field, or rename it in the data.",
                )
        self.rows = 0
        self.known: dict[str, None] = {}
        self.groups: dict[str, dict[_Key, tuple[Value, Tally]]] = {name: {} for name in self.asked}
        self.beyond: dict[str, int] = {}

    def add(self, row: Row, counted: Measured) -> None:
        """Add a row to the groups that it belongs to."""
        self.rows += 1
        for name in row.meta:
            if len(self.known) < MAX_FIELDS and name not in self.known and not _is_secret(name):
                self.known[name] = None
        if self.asked:
            for name in self.asked:
                self._add(name, _at(row, name), MANY, counted)
            return
        for name in self.known:
            self._add(name, row.meta.get(name), FEW, counted)
        if CATALOG not in self.known:
            self._add(CATALOG, row.catalog or None, FEW, counted)

    def groupings(self) -> tuple[Grouping, ...]:
        """
        Return what was found by field.

        Raises:
            InputError: no row has a field that was asked for.
        """
        found = []
        for name, groups in self.groups.items():
            if name in self.asked:
                if not groups and self.rows:
                    known = ", ".join(
                        shown(each, 40) for each in dict.fromkeys([*self.known, CATALOG])
                    )
                    raise InputError(
                        f"no sequence has a field {shown(name)!r} to group by.",
                        hint=f"Known: {known}.",
                    )
            elif not self._is_telling(name):
                continue
            counted = sum(tally.sequences for _, tally in groups.values())
            beyond = self.beyond.get(name, 0)
            found.append(
                Grouping(
                    field=shown(name),
                    groups=tuple(
                        Group(value=value, figures=tally.figures())
                        for _, (value, tally) in sorted(groups.items())
                    ),
                    without=self.rows - counted - beyond,
                    beyond=beyond,
                )
            )
        return tuple(found)

    def _is_telling(self, name: str) -> bool:
        """Whether a field that nobody asked for has several values, and not one for each sequence."""
        groups = self.groups[name]
        if name in self.beyond or len(groups) < 2:
            return False
        return 2 * len(groups) <= sum(tally.sequences for _, tally in groups.values())

    def _add(self, name: str, value: Any, most: int, counted: Measured) -> None:
        told = _told(value)
        if told is None:
            return
        groups = self.groups.setdefault(name, {})
        key = rank(told)
        if key not in groups:
            if len(groups) >= most or (name in self.beyond and not self.asked):
                self.beyond[name] = self.beyond.get(name, 0) + 1
                if not self.asked:
                    groups.clear()  # nobody asked for it
                return
            groups[key] = (told, Tally())
        groups[key][1].add(counted)


def rank(value: Value | None) -> _Key:
    """
    Return by what groups are sorted: numbers by size, then words, then what is true or false.

    Example:
        >>> sorted(["b", 10, True, 9.5, "a"], key=rank)
        [9.5, 10, 'a', 'b', True]
    """
    if isinstance(value, bool):
        return 2, 0.0, str(value)
    if isinstance(value, int | float):
        return 0, float(value), ""
    return 1, 0.0, str(value)


def field_value(row: Row, name: str) -> Value | None:
    """Return what a field of the metadata of a row holds, as it may be printed; None for no single value."""
    return _told(_at(row, name))


def _at(row: Row, name: str) -> Any:
    """Return what a field holds: of the name itself, else the path that the dots say."""
    if name in row.meta:
        return row.meta[name]
    found: Any = row.meta
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return (row.catalog or None) if found is None and name == CATALOG else found


def _told(value: Any) -> Value | None:
    """Return a single value as it may be printed; None for what is none."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if -_LARGE <= value <= _LARGE else shown(value)
    return shown(value) if isinstance(value, str) else None


def _is_secret(name: str) -> bool:
    return is_secret(name, {}) or any(is_secret(part, {}) for part in name.split("."))
