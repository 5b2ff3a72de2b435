"""Parts of the texts about batches: listings, examples, coloured verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from refract_asp.batch.figures import FaultExample
from refract_asp.errors import shown
from refract_asp.report.tables import tables, wrapped
from refract_asp.report.terminal import Style, painted

__all__ = ["LISTED", "NAME", "bold", "example_lines", "listing", "told_lines"]

NAME = 40
"""Characters of a name in a table."""
LISTED = 10
"""So many tools, faults and sequences are listed at most, unless another number is given."""
_OUTCOME: dict[str, Style] = {"valid": "green", "repaired": "green", "needs_input": "yellow"}


def listing(
    title: str,
    heads: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    of: Sequence[object],
    color: bool,
    width: int,
    *,
    is_cut: bool = False,
) -> str:
    """Return a table of what is listed of all there is, with how many more there are; empty without any."""
    if not rows:
        return ""
    found = list(tables(title, heads, rows, color, width))
    if len(found) > 1:  # the last column is told where there is room for it
        found = list(tables(title, heads[:-1], [(name, cells[:-1]) for name, cells in rows], color, width))
    text = "\n\n".join(found)
    more = left_out(len(of) - len(rows), is_cut=is_cut)
    return f"{text}\n{more}" if more else text


def left_out(count: int, *, is_cut: bool) -> str:
    """Return how many more there are; `is_cut` where those that were counted are not all."""
    if is_cut:
        return f"(at least {count} more)" if count else "(perhaps more)"
    return f"({count} more)" if count else ""


def example_lines(example: FaultExample, width: int) -> Iterator[str]:
    """Yield the lines that tell an example of a fault."""
    yield from wrapped([f"in {shown(example.name)}: {example.message}"], width, "   ")
    if example.fix is not None:
        yield from wrapped([f"fix: {example.fix}"], width, "   ")


def told_lines(before: str, outcome: str, after: str, color: bool, width: int) -> Iterator[str]:
    """Yield a line with an outcome in it, which is coloured."""
    lines = list(wrapped([f"{before}{outcome}{after}"], width))
    if color and lines and lines[0].startswith(f"{before}{outcome}"):
        colored = painted(outcome, _OUTCOME.get(outcome, "red"))
        lines[0] = f"{before}{colored}{lines[0][len(before) + len(outcome) :]}"
    yield from lines


def bold(text: str, color: bool) -> str:
    """Return a heading."""
    return painted(text, "bold") if color else text
