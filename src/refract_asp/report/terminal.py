"""Text that is safe and pleasant on a terminal: control characters escaped, colours on demand."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

Style: TypeAlias = Literal["green", "red", "yellow", "cyan", "bold", "reverse"]

_SGR: dict[Style, str] = {
    "green": "32", "red": "31", "yellow": "33", "cyan": "36", "bold": "1", "reverse": "7",
}  # fmt: skip


def escaped(text: str, *, keep: str = "") -> str:
    r"""
    Return `text` with every character that does not print escaped as JSON escapes it.

    That covers line breaks, terminal control codes, and the marks that turn the reading direction.
    Characters in `keep` stay as they are. Inside a JSON text the meaning is unchanged.

    Example:
        >>> escaped("a\x1b[31m\u202eb")
        'a\\u001b[31m\\u202eb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else json.dumps(c)[1:-1] for c in text)


def folded(text: str, width: int, first: str = "", rest: str = "    ") -> str:
    """
    Return `text`, escaped, on lines of at most `width` columns; words longer than that stay whole.

    Args:
        text: the text.
        width: columns of the terminal.
        first: what stands before the first line.
        rest: what stands before every other line.

    Example:
        >>> print(folded("No tool of the catalog is called so.", 24))
        No tool of the catalog
            is called so.
    """
    wrapper = textwrap.TextWrapper(max(width, 20), first, rest)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.fill(escaped(text))


def painted(text: str, *styles: Style, color: bool = True) -> str:
    r"""
    Return `text` between the codes that colour it on a terminal; as it is without `color`.

    Example:
        >>> painted("no", "red")
        '\x1b[31mno\x1b[0m'
    """
    codes = ";".join(_SGR[style] for style in styles)
    return f"\x1b[{codes}m{text}\x1b[0m" if color and codes and text else text


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
    texts = []
    for first, *others in lines:
        cells = [cell.rjust(size) for cell, size in zip(others, widths[1:], strict=True)]
        texts.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    texts[0] = painted(texts[0], "bold", color=color)
    return "\n".join(texts)


def chance_text(p_value: float) -> str:
    """
    Say whether a split between two that are compared may be chance.

    Example:
        >>> print(chance_text(0.004).partition(": ")[2])
        this is hardly chance.
    """
    told = f"{p_value:.3f}" if p_value < 0.1 else f"{p_value:.2f}"
    may_be = "this is unlikely to be chance" if p_value <= 0.05 else "this may well be chance"
    return (
        "Were both equally good, a split at least as uneven would come up with a probability of "
        f"{'less than 0.001' if p_value < 0.001 else told} (two-sided sign test): "
        f"{'this is hardly chance' if p_value <= 0.01 else may_be}."
    )


def count(number: int, one: str, many: str = "") -> str:
    """
    Return a number with its noun.

    Example:
        >>> count(1, "entry", "entries"), count(2, "case")
        ('1 entry', '2 cases')
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def percent(value: float | None) -> str:
    """
    Return a share in percent, a dash where there is none; what is not all is never printed as all.

    Example:
        >>> percent(1.0), percent(0.9999), percent(0.0001), percent(None)
        ('100 %', '99.9 %', '0.1 %', '-')
    """
    if value is None:
        return "-"
    if value in (0.0, 1.0):
        return f"{100 * value:.0f} %"
    return f"{min(99.9, max(0.1, 100 * value)):.1f} %"


def milliseconds(seconds: float) -> str:
    """
    Return a time in milliseconds, with as many digits as anybody reads.

    Example:
        >>> milliseconds(1.8589), milliseconds(0.0123), milliseconds(0.000_0123)
        ('1,859', '12.3', '0.01')
    """
    return f"{1000 * seconds:,.{0 if seconds >= 0.1 else 1 if seconds >= 0.001 else 2}f}"


def tables(
    title: str,
    heads: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    color: bool = False,
    width: int = 80,
) -> Iterator[str]:
    """
    Yield the rows as one table, or as several that fit into the width.

    Args:
        title: what stands above the first column.
        heads: what stands above the others.
        rows: what stands in the first column, and in the others.
        color: whether heads are bold.
        width: columns of the terminal.
    """
    first = max([len(title), *(len(name) for name, _ in rows)])
    columns = [[head, *(cells[n] for _, cells in rows)] for n, head in enumerate(heads)]
    widths = [max(map(len, column)) + 2 for column in columns]
    start = 0
    while start < len(heads):
        end, used = start + 1, first + widths[start]
        while end < len(heads) and used + widths[end] <= width:
            used += widths[end]
            end += 1
        part = [(name, *cells[start:end]) for name, cells in rows]
        yield table((title, *heads[start:end]), part, color)
        start = end


def wrapped(texts: Iterable[str], width: int, indent: str = "") -> Iterator[str]:
    """Yield the lines of texts that fit into the width; those that go on one begin further to the right."""
    for text in texts:
        lines = folded(text, max(40, min(width, 120)), indent, indent + "    ")
        yield from lines.splitlines()
