"""The meaning of each code, read from `docs/diagnostics.md`, and its text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from functools import cache

from refract_asp.errors import InputError, near, shown
from refract_asp.model.paths import Frozen
from refract_asp.report.terminal import escaped, folded, painted
from refract_asp.resources import diagnostics_page, packaged

_CODE = re.compile(r"^### (\w+)\n", re.MULTILINE)
_PART = re.compile(r"^\*\*(Cause|Example|Fix|Tag):\*\* *", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


class Entry(Frozen):
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

    code: str
    summary: str
    cause: str = ""
    example: str = ""
    fix: str = ""
    tag: str = ""


@cache
def code_entries() -> dict[str, Entry]:
    """
    Return the entries of all codes by name, in the order of the page `docs/diagnostics.md`.

    The page has a heading for each code, and below it parts that begin with a bold word.

    Example:
        >>> code_entries()["unknown_tool"].summary
        'The catalog has no tool of that name.'
    """
    _, *pieces = _CODE.split(diagnostics_page().read_text("utf-8").partition("\n## Tags\n")[0])
    entries = {}
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        summary, *found = _PART.split(text)
        names = map(str.lower, ["summary", *found[::2]])
        parts = dict(zip(names, [summary, *found[1::2]], strict=True))
        example = re.sub(r"^```.*\n", "", parts.pop("example", ""), flags=re.MULTILINE)
        told = {key: " ".join(part.split()) for key, part in parts.items()}
        told["tag"] = told.get("tag", "").strip("`")
        entries[name] = Entry(code=name, example=example.strip("\n"), **told)
    return entries


def entry_of(name: str) -> Entry:
    """
    Return the entry of a code; of a tag that is no code its meaning, and the codes that are counted by it.

    Raises:
        InputError: there is no such code or tag.

    Example:
        >>> entry_of("made_up_tool").summary.rpartition(". ")[2]
        'Violations with this tag: unknown_tool.'
    """
    entries, meanings = code_entries(), packaged("model/words")["tags"]
    if name in entries:
        return entries[name]
    if name in meanings:
        codes = [entry.code for entry in entries.values() if entry.tag == name]
        told = f" Violations with this tag: {', '.join(codes)}." if codes else ""
        return Entry(code=name, summary=f"A tag: {meanings[name]}.{told}", tag=name)
    hint = near(name, [*entries, *meanings]) or "`refract-asp explain` lists all codes."
    raise InputError(f"there is no code or tag {shown(name, 100)!r}.", hint=hint)


def entry_text(entry: Entry, *, color: bool = False, width: int = 80) -> str:
    """
    Print the entry of a code: what it means, why it happens, an example, what to do.

    Args:
        entry: the entry to print.
        color: whether to add terminal colours.
        width: at how many columns prose is wrapped; examples stay as they are.

    Example:
        >>> from refract_asp.report.codes import entry_of
        >>> print(entry_text(entry_of("wrong_order")))
        wrong_order
        <BLANKLINE>
        A tag: a call reads from one that comes later, or stands on the wrong side of
        another one. Violations with this tag: read_before_written.
    """
    meanings: dict[str, str] = packaged("model/words")["tags"]
    tag = f"{entry.tag}: {meanings[entry.tag]}" if entry.cause and entry.tag in meanings else ""
    blocks = [_prose("", entry.summary, width, color), _prose("Cause:", entry.cause, width, color)]
    if entry.example:
        blocks.append(painted("Example:", "bold", color=color))
        blocks.append(textwrap.indent(escaped(entry.example, keep="\n"), "    "))
    blocks += [_prose("Fix:", entry.fix, width, color), _prose("Tag:", tag, width, color)]
    return "\n\n".join(filter(None, [painted(entry.code, "bold", color=color), *blocks]))


def codes_text(entries: Iterable[Entry], *, color: bool = False, width: int = 80) -> str:
    """Print all codes, each with what it means."""
    listed = list(entries)
    broad = max((len(entry.code) for entry in listed), default=0) + 2
    lines = []
    for entry in listed:
        told = folded(_plain(entry.summary), width, entry.code.ljust(broad), " " * broad)
        lines.append(told.replace(entry.code, painted(entry.code, "bold", color=color), 1))
    return "\n".join(lines)


def _prose(word: str, text: str, width: int, color: bool) -> str:
    told = folded(f"{word} {_plain(text)}".strip(), width, rest="") if text else ""
    return told.replace(word, painted(word, "bold", color=color), 1) if word else told


def _plain(text: str) -> str:
    """Return text without its marks: backquotes, and links but for where they lead."""
    return _LINK.sub(r"\1 (docs/\2)", text).replace("`", "")
