"""What is told of a violation beyond the violation itself, and where that is looked up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from refract_asp.model import Reference, Violation
from refract_asp.model.diagnostic import Limits, Listing
from refract_asp.report.available import name_text
from refract_asp.report.similar import Method, find_similar_items
from refract_asp.rules.instance import Instance, Place

__all__ = ["Advice", "Lookup", "change"]

MAX_SIMILAR = 100
"""So many names are compared further."""


@dataclass(frozen=True)
class Advice:
    """
    What is told of a violation beyond the violation itself; the fields are those of a diagnostic.

    Example:
        >>> Advice(fix="Remove call 2 (Pay)").tip is None
        True
    """

    expected: str | None = None
    given: str | None = None
    available: Listing | None = None
    suggestions: tuple[str, ...] = ()
    fix: str | None = None
    tip: str | None = None


@dataclass(frozen=True)
class Lookup:
    """
    A violation, the sequence and catalog in which it is looked up, and how much is told.

    What was looked up for one violation is kept in `cache` for the others of the same report.
    """

    instance: Instance
    violation: Violation
    limits: Limits
    cache: dict[object, Any] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The number of the call, -1 for goals."""
        return self.violation.call if self.violation.call is not None else -1

    @property
    def parameter(self) -> str:
        """The argument, or the empty text."""
        return self.violation.parameter or ""

    @property
    def place(self) -> Place:
        """The reference that is wrong."""
        return self.number, self.parameter, self.violation.reference or 0

    @property
    def reference(self) -> Reference:
        """What it says."""
        return self.instance.references[self.place]

    def call_text(self, number: int) -> str:
        """Name a call by its number, from 1, and its label or tool."""
        call = self.instance.call(number)
        return f"call {number + 1} ({name_text(call.label or call.name)})"

    def similar(self, name: str, names: Iterable[str]) -> list[str]:
        """Return the names that were probably meant, best first; how many are shown is another matter."""
        method: Method = "fuzzy" if self.limits.fuzzy else "substring"
        return find_similar_items(name, names, max_results=MAX_SIMILAR, method=method)

    def shown(self, suggestions: Iterable[str]) -> tuple[str, ...]:
        """Return as many suggestions as are shown, each once."""
        return tuple(dict.fromkeys(suggestions))[: self.limits.suggestions]


def change(old: str, new: str) -> str | None:
    """
    Say what to change, unless both look the same.

    Example:
        >>> change("Serch", "Search"), change("Search", "Search")
        ('Change Serch to Search', None)
    """
    return f"Change {old} to {new}" if old != new else None
