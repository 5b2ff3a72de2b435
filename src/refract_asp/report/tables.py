"""Tables as text, and how sure a difference is, in words."""

from __future__ import annotations

from collections.abc import Iterable

from refract_asp.report.terminal import painted

__all__ = ["chance_text", "count", "table"]


def table(head: tuple[str, ...], rows: Iterable[tuple[str | int, ...]], color: bool = False) -> str:
    """
    Return the lines of a table, the first column to the left and the others to the right.

    Example:
        >>> print(table(("edits", "A", "B"), [("move_call", 12, 3)]))
        edits       A  B
        move_call  12  3
    """
    lines = [head, *(tuple(str(cell) for cell in row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    texts = [
        "  ".join(
            cell.rjust(size) if column else cell.ljust(size)
            for column, (cell, size) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    if color:
        texts[0] = painted(texts[0], "bold")
    return "\n".join(texts)


def chance_text(p_value: float) -> str:
    """
    Say whether a split between two that are compared may be chance.

    Example:
        >>> print(chance_text(0.004).partition(": ")[2])
        this is hardly chance.
    """
    return (
        "Were both equally good, a split at least as uneven would come up with a probability of "
        f"{_probability(p_value)} (two-sided sign test): {_judged(p_value)}."
    )


def _probability(p_value: float) -> str:
    return "less than 0.001" if p_value < 0.001 else f"{p_value:.3f}" if p_value < 0.1 else f"{p_value:.2f}"


def _judged(p_value: float) -> str:
    if p_value <= 0.01:
        return "this is hardly chance"
    return "this is unlikely to be chance" if p_value <= 0.05 else "this may well be chance"


def count(number: int, one: str, many: str = "") -> str:
    """
    Return a number with its noun.

    Example:
        >>> count(1, "entry", "entries"), count(2, "case")
        ('1 entry', '2 cases')
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"
