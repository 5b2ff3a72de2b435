"""
How reports are laid out: tables and lists as text for a terminal, or in Markdown short enough for a comment.

Pages lay out the same blocks by their templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation.measures import measures
from refract_asp.model.shares import Share
from refract_asp.report.pages import environment
from refract_asp.report.terminal import painted, percent, tables, wrapped

TEMPLATES = Path(__file__).resolve().parent / "templates"
# Characters of a name in a table.
NAME = 40
# At most this many tools, faults and sequences are listed, unless another number is given.
LISTED = 10
# So long is Markdown at most; comments on GitHub may have 65,536 characters.
MAX_TEXT = 60_000

# -- blocks ------------------------------------------------------------------------


class Outside(str):
    """A text that comes from outside: to be shown as it is, and to be nothing else."""


class Name(Outside):
    """The name of a sequence, which a page links to where it shows that one in full."""

    number: int | None = None


class Verdict(str):
    """A verdict, or that there is none."""


class Term(str):
    """A word of ours, with what it means where there is room for it."""

    note = ""


def named(name: str, number: int) -> Name:
    """Return the name of the sequence of a number."""
    found = Name(shown(name, 60))
    found.number = number
    return found


def term(word: str, note: str) -> Term:
    """Return a word with what it means."""
    found = Term(word)
    found.note = note
    return found


Cell: TypeAlias = str | int | Share | None


@dataclass(frozen=True)
class Table:
    """
    A table of which the first column names the rows.

    Attributes:
        title: what stands above the names.
        heads: what stands above the other columns.
        rows: the name of each row, and its cells.
        of: a name from outside that belongs to the title.
        is_main: whether Markdown shows it at once.
        more: what stands below it.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[Cell, ...]]
    of: str = ""
    is_main: bool = False
    more: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to tell."""
        return not self.rows

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.title} {shown(self.of, NAME)}" if self.of else self.title

    def lines(self, color: bool, width: int) -> list[str]:
        """Return it as text."""
        rows = [(shown(name, NAME), list(map(cell_text, cells))) for name, *cells in self.rows]
        return ["\n\n".join(tables(self.heading, self.heads, rows, color, width))]


@dataclass(frozen=True)
class Items:
    """
    A list of things, each in lines of parts.

    Attributes:
        title: what they are.
        items: each of them: what it is, and what is told below it.
        total: how many there are; None where the title does not say it.
        more: what stands below them.
        numbered: whether they are numbered.
    """

    title: str
    items: Sequence[Sequence[Sequence[str]]]
    total: int | None = None
    more: str = ""
    numbered: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to tell."""
        return not (self.items or self.total)

    @property
    def heading(self) -> str:
        """What stands above it."""
        return self.title if self.total is None else f"{self.title}: {self.total}"

    def lines(self, color: bool, width: int) -> list[str]:
        """Return it as text."""
        lines = [painted(self.heading, "bold", color=color)]
        for number, (head, *below) in enumerate(self.items, 1):
            text = f"{number}. " if self.numbered else ""
            lines += wrapped([text + "".join(shown(each, LONGEST_TEXT) for each in head)], width)
            lines += wrapped(map("".join, below), width, "   ")
        return lines


Block: TypeAlias = Table | Items


def more_text(left: int, is_cut: bool = False) -> str:
    """Return how many more there are; `is_cut` where those that were counted are not all."""
    return f"({'at least ' if is_cut else ''}{left} more)" if left > 0 else ""


def cell_text(found: Cell) -> str:
    """Return what stands in a cell."""
    if isinstance(found, Share):
        return f"{found.count}/{found.of}  {percent(found.value):>6}"
    return "-" if found is None else str(found)


# -- templates ----------------------------------------------------------------------


@cache
def macros(name: str) -> Any:
    """Return the macros of a template of plain text or Markdown."""
    made = environment(TEMPLATES, autoescape=False)
    made.globals |= {"kind": lambda found: type(found).__name__, "longest": LONGEST_TEXT}
    made.globals |= {each.__name__: each for each in (cell, cell_text, code, measures, shown)}
    return made.get_template(name).module


# -- blocks as text ------------------------------------------------------------------


def as_text(blocks: Iterable[Block], color: bool, width: int) -> list[str]:
    """Return blocks as text; what has nothing to tell is left out."""
    told = [(block, block.lines(color, width)) for block in blocks if not block.is_empty]
    return ["\n".join([*lines, block.more] if block.more else lines) for block, lines in told]


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
    told = macros("blocks.md.j2").markdown
    sections += [str(told(block)).strip() for block in blocks if not block.is_empty]
    text = ""
    for section in filter(None, sections):
        if len(text) + len(section) > MAX_TEXT - len(_CUT) - 4:
            return f"{text}\n\n{_CUT}"
        text = f"{text}\n\n{section}" if text else section
    return text
