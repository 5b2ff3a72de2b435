"""A run of many sequences in figures, read once and in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from refract_asp.batch.counting import Counting
from refract_asp.batch.fields import Fields
from refract_asp.batch.figures import Figures, Group, Grouping, Summary
from refract_asp.batch.row import Row

__all__ = ["Figures", "Group", "Grouping", "Summary", "summarise"]

MOST = 100
"""So many entries has a list of tools, parameters, faults, or sequences, unless another number is given."""


def summarise(
    rows: Iterable[Row],
    by: Iterable[str] = (),
    times: Mapping[int, float] | None = None,
    *,
    most: int = MOST,
) -> Summary:
    """
    Return a run in figures.

    Args:
        rows: what came of each sequence; read once, one at a time.
        by: fields of the metadata to group by, with dots where they lie deeper; by default all at the top
            that hold a few single values.
        times: the seconds that a sequence took, by its number.
        most: how many entries the lists of tools, parameters, faults and sequences have at most.

    Raises:
        InputError: no sequence has a field that is to be grouped by, or it is named like a secret.
        FormatError: a row cannot be read, where `rows` reads them from a file.

    Example:
        >>> head = {"schema_version": 1, "place": "calls.jsonl", "digest": "", "mode": "repair"}
        >>> verdicts = ("valid", "valid", "repaired", "needs_input")
        >>> rows = [Row(number=n, verdict=verdict, **head) for n, verdict in enumerate(verdicts)]
        >>> summarise(rows).overall.shares["executable"].value
        0.75
    """
    counting = Counting(Fields(by), times or {}, most)
    for row in rows:
        counting.add(row)
    return counting.summary()
