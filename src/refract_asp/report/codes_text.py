"""What a code means, as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from refract_asp.model.tags import MEANINGS
from refract_asp.report.terminal import escaped, painted

if TYPE_CHECKING:
    from refract_asp.report.codes import Entry

__all__ = ["codes_text", "entry_text"]

_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


def entry_text(entry: Entry, *, color: bool = False, width: int = 80) -> str:
    """
    Print the entry of a code: what it means, why it happens, an example, what to do.

    Args:
        entry: what is told.
        color: whether to add terminal colours.
        width: at how many columns prose is wrapped; examples stay as they are.

    Example:
        >>> from refract_asp.report.codes import entry_of
        >>> print(entry_text(entry_of("wrong_order")))
        wrong_order
        <BLANKLINE>
        A tag: a call reads from one that comes later, or stands on the wrong side of
        another one.
        <BLANKLINE>
        Violations with this tag: read_before_written.
    """
    is_tag = entry.code == entry.tag and not entry.example
    blocks = [_bold(entry.code, color), _prose("", entry.summary, width, color)]
    if entry.cause:
        blocks.append(_prose("" if is_tag else "Cause:", entry.cause, width, color))
    if entry.example:
        blocks.append(_bold("Example:", color))
        blocks.append(textwrap.indent(escaped(entry.example, keep="\n"), "    "))
    if entry.fix:
        blocks.append(_prose("Fix:", entry.fix, width, color))
    if not is_tag and entry.tag in MEANINGS:
        meaning = MEANINGS[entry.tag]
        blocks.append(_prose("Tag:", f"{entry.tag}: {meaning}", width, color))
    return "\n\n".join(blocks)


def codes_text(entries: Iterable[Entry], *, color: bool = False, width: int = 80) -> str:
    """Print all codes, each with what it means."""
    listed = list(entries)
    broad = max((len(entry.code) for entry in listed), default=0) + 2
    lines = []
    for entry in listed:
        told = textwrap.fill(
            _plain(entry.summary),
            max(width, broad + 20),
            initial_indent=" " * broad,
            subsequent_indent=" " * broad,
        )
        lines.append(_bold(entry.code, color) + " " * (broad - len(entry.code)) + told[broad:])
    return "\n".join(lines)


def _bold(text: str, color: bool) -> str:
    return painted(escaped(text), "bold") if color else escaped(text)


def _prose(word: str, text: str, width: int, color: bool) -> str:
    plain = _plain(text)
    told = textwrap.fill(
        f"{word} {plain}" if word else plain,
        max(width, 20),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return _bold(word, color) + told[len(word) :] if word else told


def _plain(text: str) -> str:
    """Return text without its marks: backquotes, and links but for where they lead."""
    return escaped(_LINK.sub(r"\1 (docs/\2)", text).replace("`", ""))
