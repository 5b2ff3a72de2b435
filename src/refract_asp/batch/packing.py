"""The sequences of a page: some held in full, the others packed, for a script to draw when opened."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from refract_asp.batch.counting import EXECUTABLE, why
from refract_asp.batch.fields import field_value
from refract_asp.batch.measures import outcome_of
from refract_asp.batch.row import Row
from refract_asp.batch.sections import section_of
from refract_asp.errors import shown
from refract_asp.model.secret_names import is_secret
from refract_asp.report.elements import data_of, markup_of

__all__ = ["Held", "Whole", "packed", "sequences_of"]

IN_CHUNK = 64
"""So many sequences are packed together."""
FULL = 300
"""So many sequences in trouble are held in full, ..."""
FULL_BYTES = 2_500_000
"""... and so many bytes of them."""
LONGEST_SECTION = 300_000
NAME = 80
TEXT = 120
META = 200
TOOLS = 20
"""So many tools of a sequence are found by their names."""


@dataclass(frozen=True)
class Whole:
    """A sequence that a page holds in full, readable without a script."""

    number: int
    name: str
    outcome: str
    why: str
    html: Markup


@dataclass
class Held:
    """
    The sequences of a page.

    Attributes:
        listed: the list of all of them, packed.
        chunks: those that are not held in full, packed.
        full: those in trouble that are.
        left_out: how many are neither listed nor held.
    """

    listed: str = ""
    chunks: list[str] = field(default_factory=list)
    full: list[Whole] = field(default_factory=list)
    left_out: int = 0


def packed(data: Any) -> str:
    """
    Return data as JSON, compressed, in letters that stand in a page as they are.

    Example:
        >>> gzip.decompress(base64.b64decode(packed(["a"])))
        b'["a"]'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()


def sequences_of(
    rows: Callable[[], Iterator[Row]], fields: tuple[str, ...], total: int, troubled: int, most: int
) -> Held:
    """
    Return the sequences of a page.

    Args:
        rows: begins to read the rows.
        fields: the fields of the metadata by which the list can be filtered.
        total: how many rows there are.
        troubled: how many of them are in trouble.
        most: how many are held; those in trouble come before the others.
    """
    return _Holding(fields, most, total, troubled).held(rows())


class _Holding:
    def __init__(self, fields: tuple[str, ...], most: int, total: int, troubled: int) -> None:
        self.fields = fields
        self.most_troubled = min(troubled, most)
        self.most_others = most - self.most_troubled
        self.found = Held(left_out=max(0, total - most))
        self.used = 0
        self.chunk: dict[int, Any] = {}
        self.lines: list[list[Any]] = []
        self.tools = _Numbers()
        self.tags = _Numbers()
        self.values = [_Numbers() for _ in fields]

    def held(self, rows: Iterator[Row]) -> Held:
        for row in rows:
            if self._is_wanted(row):
                self._add(row)
        self._close()
        self.found.listed = packed(
            {
                "tools": self.tools.names,
                "tags": self.tags.names,
                "fields": [
                    {"name": name, "values": values.names}
                    for name, values in zip(self.fields, self.values, strict=True)
                ],
                "rows": self.lines,
            }
        )
        return self.found

    def _is_wanted(self, row: Row) -> bool:
        if outcome_of(row) not in EXECUTABLE:
            self.most_troubled -= 1
            return self.most_troubled >= 0
        self.most_others -= 1
        return self.most_others >= 0

    def _add(self, row: Row) -> None:
        outcome = outcome_of(row)
        section = section_of(row)
        reason = why(row) or (shown(row.diagnostics[0].message, TEXT) if row.diagnostics else "")
        is_full = False
        if outcome not in EXECUTABLE and len(self.found.full) < FULL and self.used < FULL_BYTES:
            html = markup_of(section)
            if len(html) < LONGEST_SECTION:
                is_full = True
                self.used += len(html.encode("utf-8", "replace"))
                whole = Whole(row.number, shown(row.name, NAME), outcome, reason, Markup(html))
                self.found.full.append(whole)
        if not is_full:
            self.chunk[row.number] = data_of(section)
        self._list(row, outcome, reason, -1 if is_full else len(self.found.chunks))
        if len(self.chunk) >= IN_CHUNK:
            self._close()

    def _list(self, row: Row, outcome: str, reason: str, chunk: int) -> None:
        """Add a line to the list; what comes often is told by its number."""
        tools = dict.fromkeys(shown(name, NAME) for name in row.tools[:TOOLS])
        values = [
            -1 if (value := field_value(row, name)) is None else numbers[_text(value)]
            for name, numbers in zip(self.fields, self.values, strict=True)
        ]
        self.lines.append(
            [
                row.number,
                shown(row.name, NAME),
                outcome,
                [self.tags[tag] for tag in row.tagged.sequence],
                row.count,
                len(row.edits),
                shown(reason, TEXT),
                [self.tools[name] for name in tools],
                values,
                _more_text(row, self.fields),
                chunk,
            ]
        )

    def _close(self) -> None:
        if self.chunk:
            self.found.chunks.append(packed(self.chunk))
            self.chunk = {}


def _more_text(row: Row, fields: tuple[str, ...]) -> str:
    """Return what the metadata says beside the fields by which the list can be filtered, to be searched."""
    texts = (
        shown(value, TEXT)
        for name, value in row.meta.items()
        if isinstance(value, str | int | float) and name not in fields and not is_secret(name, {})
    )
    return shown(" ".join(texts), META)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


class _Numbers:
    """Numbers names in the order in which they come."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))

    @property
    def names(self) -> list[str]:
        return list(self.known)
