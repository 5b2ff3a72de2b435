"""What each code means, as `docs/diagnostics.md` tells it, and that as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from refract_asp.errors import InputError, shown
from refract_asp.model.diagnostic import MEANINGS
from refract_asp.report.suggestions import find_similar_items
from refract_asp.report.terminal import escaped, folded, painted
from refract_asp.resources import diagnostics_page

MAX_CHARACTERS = 1_000_000
"""A page that is longer is not ours."""
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *$")
_FENCE = re.compile(r"^```(\w*) *$")
_PART = re.compile(r"^\*\*(Cause|Example|Fix|Tag):\*\* *")


class Entry(BaseModel):
    """
    What is to be known of a code, or of a tag.

    Attributes:
        code: its name.
        summary: what it means, in a sentence.
        cause: why it happens.
        example: commands and what they print, as they stand on a terminal.
        fix: what to do.
        tag: by which tag such mistakes are counted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    summary: str
    cause: str = ""
    example: str = ""
    fix: str = ""
    tag: str = ""


@cache
def code_entries() -> dict[str, Entry]:
    """
    Return the entries of all codes by name, in the order of the page.

    Example:
        >>> code_entries()["unknown_tool"].summary
        'The catalog has no tool of that name.'
    """
    return read_entries(diagnostics_page())


def entry_of(name: str) -> Entry:
    """
    Return the entry of a code; of a tag that is no code its meaning, and the codes that are counted by it.

    Raises:
        InputError: there is no such code or tag.

    Example:
        >>> entry_of("made_up_tool").cause
        'Violations with this tag: unknown_tool.'
    """
    entries = code_entries()
    if name in entries:
        return entries[name]
    if name in MEANINGS:
        meaning = MEANINGS[name]
        codes = [entry.code for entry in entries.values() if entry.tag == name]
        told = f"Violations with this tag: {', '.join(codes)}." if codes else ""
        return Entry(code=name, summary=f"A tag: {meaning}.", cause=told, tag=name)
    names = [*entries, *MEANINGS]
    meant = find_similar_items(name, names, max_results=3, method="fuzzy", cutoff=0.6)
    hint = (
        f"Did you mean: {', '.join(meant)}?" if meant else "`refract-asp explain` lists all codes."
    )
    raise InputError(f"there is no code or tag {shown(name, 100)!r}.", hint=hint)


def read_entries(page: Path) -> dict[str, Entry]:
    """
    Read the entries of a page.

    Raises:
        InputError: the page is too long to be ours.
    """
    with page.open(encoding="utf-8") as file:
        text = file.read(MAX_CHARACTERS + 1)
    if len(text) > MAX_CHARACTERS:
        raise InputError("this is no page of diagnostics, it is too long.", where=shown(page))
    found: dict[str, dict[str, list[str]]] = {}
    parts: dict[str, list[str]] = {}
    part, is_code = "summary", False
    for line in text.splitlines():
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and (heading := _HEADING.match(line)):
            parts, part = defaultdict(list), "summary"
            if len(heading[1]) == 3:
                found[heading[2]] = parts
        elif not is_code and (begun := _PART.match(line)):
            part = begun[1].lower()
            parts[part] = [line[begun.end() :]]
        else:
            parts.setdefault(part, []).append(line)
    entries = {}
    for name, parts in found.items():
        lines = "\n".join(parts.pop("example", []))
        example = re.sub(r"\n{3,}", "\n\n", lines).strip("\n")
        told = {key: " ".join(" ".join(value).split()) for key, value in parts.items()}
        told["tag"] = told.get("tag", "").strip("`")
        entries[name] = Entry(code=name, example=example, **told)
    return entries


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
        told = textwrap.wrap(_plain(entry.summary), max(width - broad, 20))
        lines.append(f"{_bold(entry.code, color)}{' ' * (broad - len(entry.code))}{told[0]}")
        lines += [f"{' ' * broad}{line}" for line in told[1:]]
    return "\n".join(lines)


def _bold(text: str, color: bool) -> str:
    return painted(escaped(text), "bold") if color else escaped(text)


def _prose(word: str, text: str, width: int, color: bool) -> str:
    plain = _plain(text)
    told = folded(f"{word} {plain}" if word else plain, max(width, 20), rest="")
    return _bold(word, color) + told[len(word) :] if word else told


def _plain(text: str) -> str:
    """Return text without its marks: backquotes, and links but for where they lead."""
    return escaped(_LINK.sub(r"\1 (docs/\2)", text).replace("`", ""))
