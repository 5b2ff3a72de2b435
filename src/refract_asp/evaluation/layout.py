"""
How reports are laid out: tables and lists as text for a terminal, or in Markdown short enough for a comment.

Pages lay out the same blocks by their templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.shares import Share
from refract_asp.report.terminal import Style, painted, percent, tables, wrapped

NAME = 40
"""Characters of a name in a table."""
LISTED = 10
"""At most this many tools, faults and sequences are listed, unless another number is given."""
MAX_TEXT = 60_000
"""So long is Markdown at most; comments on GitHub may have 65,536 characters."""

# -- blocks ------------------------------------------------------------------------


class Outside(str):
    """
    A text that comes from outside: to be shown as it is, and to be nothing else.

    Attributes:
        number: the number of the sequence that it names, or None.
    """

    number: int | None = None


class Verdict(str):
    """A verdict, which may be coloured."""


class Term(str):
    """
    A word of ours.

    Attributes:
        note: what it means, where there is room for it.
    """

    note = ""


def linked(name: str, number: int) -> Outside:
    """Return the name of a sequence."""
    found = Outside(name)
    found.number = number
    return found


class Headline(NamedTuple):
    """A share, and what it is one of where that is not what was restored."""

    what: str
    share: Share


Cell: TypeAlias = str | int | float | Share | Headline | None
Detail: TypeAlias = Literal["interval", "full", "short"]
"""How much is told of a share."""


@dataclass(frozen=True)
class Table:
    """
    A table of which the first column names the rows.

    Attributes:
        title: what stands above the names.
        heads: what stands above the other columns.
        rows: the name of each row, and its cells.
        of: a name from outside that belongs to the title.
        details: how shares are told, where there is room for it; the last one else.
        optional: whether the last column is left out where there is no room for it, and in Markdown.
        is_main: whether Markdown shows it at once.
        longest: characters of a name.
        more: what stands below it.
        drawn: which columns a page draws.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[Cell, ...]]
    of: str = ""
    details: tuple[Detail, ...] = ("full",)
    optional: bool = False
    is_main: bool = False
    longest: int = NAME
    more: str = ""
    drawn: Sequence[int] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to tell."""
        return not self.rows

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.title} {shown(self.of, NAME)}" if self.of else self.title


@dataclass(frozen=True)
class Items:
    """
    A list of things, each in parts, with lines below it.

    Attributes:
        title: what they are.
        items: each of them: what it is, and what is told below it.
        more: what stands below them.
        total: how many there are; None where the title does not say it.
        numbered: whether they are numbered.
        in_line: whether all stand in one paragraph.
    """

    title: str
    items: Sequence[Sequence[Sequence[str]]]
    more: str = ""
    total: int | None = None
    numbered: bool = False
    in_line: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to tell."""
        return not (self.items or self.total)

    @property
    def heading(self) -> str:
        """What stands above it."""
        return self.title if self.total is None else f"{self.title}: {self.total}"


Block: TypeAlias = Table | Items


def more_text(left: int, is_cut: bool = False) -> str:
    """Return how many more there are; `is_cut` where those that were counted are not all."""
    if is_cut:
        return f"(at least {left} more)" if left > 0 else "(perhaps more)"
    return f"({left} more)" if left > 0 else ""


# -- blocks as text ------------------------------------------------------------------


def as_text(blocks: Iterable[Block], color: bool, width: int) -> list[str]:
    """Return blocks as text; what has nothing to tell is left out."""
    return [
        _table_text(block, color, width)
        if isinstance(block, Table)
        else _items_text(block, color, width)
        for block in blocks
        if not block.is_empty
    ]


def _cell_text(found: Cell, detail: Detail) -> str:
    if isinstance(found, Headline):
        if found.what == "restored":
            return _cell_text(found.share, detail)
        if found.what == "by luck":
            return f"({_cell_text(found.share, detail)})"
        if detail == "short":
            return f"{percent(found.share.value)} {found.what.removeprefix('left ')}"
        return f"{found.share.count}/{found.share.of} {found.what}"
    if isinstance(found, Share):
        if detail == "short":
            return percent(found.value)
        text = f"{found.count}/{found.of}  {percent(found.value):>6}"
        if detail == "interval":
            text += f"  [{100 * found.low:5.1f}, {100 * found.high:5.1f}]"
        return text
    if isinstance(found, float):
        return f"{found:.2f}"
    return "-" if found is None else str(found)


def _table_text(block: Table, color: bool, width: int) -> str:
    parts: list[str] = []
    tries = [(detail, len(block.heads)) for detail in block.details]
    tries += [(block.details[-1], len(block.heads) - 1)] if block.optional else []
    for detail, columns in tries:
        rows = [
            (shown(name, block.longest), [_cell_text(each, detail) for each in cells[:columns]])
            for name, *cells in block.rows
        ]
        parts = list(tables(block.heading, block.heads[:columns], rows, color, width))
        if len(parts) == 1:
            break
    text = "\n\n".join(parts)
    return f"{text}\n{block.more}" if block.more else text


_OUTCOME: dict[str, Style] = {"valid": "green", "repaired": "green", "needs_input": "yellow"}


def _items_text(block: Items, color: bool, width: int) -> str:
    if block.in_line:
        names = ", ".join(shown("".join(item[0]), 60) for item in block.items)
        return "\n".join(wrapped([f"{block.title}: {names}{block.more}"], width))
    lines = [painted(block.heading, "bold") if color else block.heading]
    for number, (head, *below) in enumerate(block.items, 1):
        text = f"{number}. " if block.numbered else ""
        text += "".join(shown(part, LONGEST_TEXT) for part in head)
        whole = "\n".join(wrapped([text], width))
        for part in head:
            if color and isinstance(part, Verdict):
                whole = whole.replace(f" {part}", f" {painted(part, _OUTCOME.get(part, 'red'))}", 1)
        lines.append(whole)
        for parts in below:
            lines += wrapped(["".join(parts)], width, "   ")
    return "\n".join([*lines, block.more] if block.more else lines)


# -- blocks as Markdown ----------------------------------------------------------------

_CUT = "The rest is left out, as the text would be too long."
_TICKS = re.compile("`+")
_PIPE = re.compile(r"(\\*)\|")


def code(text: object, limit: int = 100) -> str:
    """
    Return a text from outside so that it is shown as it is, and is nothing else.

    Between backticks nothing is read as a link, a mention, HTML or an emphasis, and there is always one more
    of them than the text has in a row.

    Example:
        >>> print(code("@all <b>"), code("a`b"), code("`"), code(""))
        `@all <b>` ``a`b`` `` ` `` -
    """
    clean = shown(text, limit).strip()
    if not clean:
        return "-"
    ticks = "`" * (1 + max(map(len, _TICKS.findall(clean)), default=0))
    blank = " " if clean[0] == "`" or clean[-1] == "`" else ""
    return f"{ticks}{blank}{clean}{blank}{ticks}"


def cell(text: object, limit: int = 100) -> str:
    r"""
    Return a text from outside for a cell of a table, where a line that stands upright would end it.

    A backslash takes that meaning from it, if it is not itself one that another backslash has made plain.

    Example:
        >>> print(cell("a|b"), cell("a\\|b"))
        `a\|b` `a\\\|b`
    """
    return _PIPE.sub(
        lambda match: match[1] + "\\" * (1 + len(match[1]) % 2) + "|", code(text, limit)
    )


def as_markdown(title: str, paragraphs: Iterable[str], blocks: Iterable[Block]) -> str:
    """Return a report as Markdown, up to what a comment may hold."""
    sections = [f"### Batch: {title}" if title else "### Batch", *paragraphs]
    for block in blocks:
        if block.is_empty:
            continue
        if isinstance(block, Table):
            sections.append(_table_markdown(block))
        else:
            lines = [_item_markdown(item) for item in block.items]
            lines += [f"- {block.more.strip('( )')}"] if block.more else []
            sections.append(_folded(block.heading, "\n".join(lines)))
    text = ""
    for section in filter(None, sections):
        if len(text) + len(section) > MAX_TEXT - len(_CUT) - 4:
            return f"{text}\n\n{_CUT}"
        text = f"{text}\n\n{section}" if text else section
    return text


def _table_markdown(block: Table) -> str:
    columns = len(block.heads) - block.optional
    title = f"{block.title} {cell(block.of)}" if block.of else block.title
    lines = [[title, *block.heads[:columns]], ["---", *["--:"] * columns]]
    for name, *cells in block.rows:
        head = cell(name, 200) if isinstance(name, Outside) else str(name)
        told = (" ".join(_cell_text(each, "full").split()) for each in cells[:columns])
        lines.append([head, *told])
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    text += f"\n\n{block.more}" if block.more else ""
    return text if block.is_main else _folded(block.title, text)


def _item_markdown(item: Sequence[Sequence[str]]) -> str:
    told = [
        "".join(
            code(part, LONGEST_TEXT) if isinstance(part, Outside | Verdict) else part
            for part in parts
        )
        for parts in item
    ]
    return f"- {', '.join(told)}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
