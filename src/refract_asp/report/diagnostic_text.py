"""A diagnostic as text, in its tiers: the fault, what there is, what was probably meant, what to change."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from refract_asp.report.terminal import Style, escaped, painted

if TYPE_CHECKING:
    from refract_asp.model.diagnostic import Available, Diagnostic, Listing

__all__ = ["diagnostic_text", "place_of", "sentence_text", "suggestion_text", "told_text"]

_STYLES: dict[str, Style] = {"error": "red", "warning": "yellow"}
UNLIMITED = 100_000


def diagnostic_text(diagnostic: Diagnostic, *, color: bool = False, width: int = UNLIMITED) -> str:
    """
    Print a diagnostic: one sentence, and below it what there is, what was probably meant, what to change.

    Args:
        diagnostic: what is to be told.
        color: whether to add terminal colours.
        width: at how many columns prose is wrapped; references stay whole.
    """
    head = f"{sentence_text(diagnostic)} [{diagnostic.code}]"
    styles: tuple[Style, ...] = ("bold", _STYLES[diagnostic.severity])
    blocks = [_wrapped(f"{diagnostic.severity}:", head, width, styles if color else (), indent="")]
    return "\n\n".join([*blocks, *_tiers(diagnostic, color=color, width=width)])


def told_text(diagnostic: Diagnostic) -> str:
    """
    Print a diagnostic in its tiers, without severity and code, for where these have a place of their own.

    Example:
        >>> from refract_asp.model.diagnostic import Diagnostic
        >>> lost = Diagnostic(code="missing_parameter", message="Pay requires amount", call=1, tool="Pay")
        >>> told_text(lost)
        'call 2 (Pay): Pay requires amount'
    """
    return "\n\n".join([escaped(sentence_text(diagnostic)), *_tiers(diagnostic)])


def sentence_text(diagnostic: Diagnostic) -> str:
    """Return the place and what is wrong there, in one sentence; whoever prints it escapes it."""
    return f"{place_of(diagnostic)}: {diagnostic.message}"


def _tiers(diagnostic: Diagnostic, *, color: bool = False, width: int = UNLIMITED) -> list[str]:
    """Return what there is, what was probably meant, and what to change, each as a block of lines."""
    blocks = []
    if diagnostic.available is not None:
        blocks.append(_listing(diagnostic.available, width, color=color))
    if diagnostic.suggestions:
        blocks.append(suggestion_text(diagnostic.suggestions, color=color))
    if diagnostic.fix is not None:
        blocks.append(_wrapped("Common fix:", diagnostic.fix, width, ("bold", "green") if color else ()))
    elif diagnostic.tip is not None:
        blocks.append(_wrapped("Tip:", diagnostic.tip, width, ("bold",) if color else ()))
    return blocks


def place_of(diagnostic: Diagnostic) -> str:
    """
    Name the place of a diagnostic: the call by its number, from 1, and its label or tool, and the argument.

    Example:
        >>> from refract_asp.model.diagnostic import Diagnostic
        >>> place_of(Diagnostic(code="missing_parameter", message="", call=1, tool="Pay", parameter="amount"))
        'call 2 (Pay), amount'
    """
    if diagnostic.call is None:
        return f"goal {diagnostic.attempted}"
    name = diagnostic.label if diagnostic.label is not None else diagnostic.tool
    place = f"call {diagnostic.call + 1} ({name})" if name else "what is returned"
    return place if diagnostic.parameter is None else f"{place}, {diagnostic.parameter}"


def suggestion_text(suggestions: tuple[str, ...], *, color: bool = False, indent: str = "  ") -> str:
    """Ask whether one of some names was meant."""
    bold: tuple[Style, ...] = ("bold",) if color else ()
    if len(suggestions) == 1:
        return f"{indent}{painted('Did you mean:', *bold)} {escaped(suggestions[0])}?"
    lines = [indent + painted("Did you mean one of these?", *bold)]
    return "\n".join([*lines, *(f"{indent}  {escaped(each)}" for each in suggestions)])


def _listing(listing: Listing, width: int, *, color: bool) -> str:
    bold: tuple[Style, ...] = ("bold",) if color else ()
    colon = ":" if listing.entries or listing.more else ""
    lines = [_wrapped("", f"{listing.title}{colon}", width, bold)]
    lines += [_entry(entry, width) for entry in listing.entries]
    if listing.more:
        lines.append(f"    ... and {listing.more} more")
    if listing.is_cut:
        lines.append("    (what lies deeper is not listed)")
    return "\n".join(lines)


def _entry(entry: Available, width: int) -> str:
    head = entry.text if entry.type is None else f"{entry.text} ({entry.type})"
    return _wrapped("", f"{head}: {entry.note}" if entry.note else head, width, (), indent="    ")


def _wrapped(word: str, text: str, width: int, styles: tuple[Style, ...], indent: str = "  ") -> str:
    """Return `word text` on lines of at most `width` columns; in `styles` the word, or all without one."""
    whole = escaped(f"{word} {text}" if word else text)
    lines = textwrap.wrap(
        whole,
        width=width,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [indent]
    marked = len(word) if word else len(lines[0]) - len(indent)
    start = len(indent)
    lines[0] = indent + painted(lines[0][start : start + marked], *styles) + lines[0][start + marked :]
    return "\n".join(lines)
