"""Diagnostics as text: one alone, and the report of `check` with all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.report.terminal import Style, escaped, folded, painted
from refract_asp.report.text import verdict_text, wrapped

if TYPE_CHECKING:
    from refract_asp.model import Report
    from refract_asp.model.diagnostic import Available, Diagnostic, Limits, Listing

__all__ = [
    "check_text",
    "diagnostic_text",
    "entry_text",
    "place_of",
    "sentence_text",
    "suggestion_text",
    "told_text",
]


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
        blocks.append(
            _wrapped("Common fix:", diagnostic.fix, width, ("bold", "green") if color else ())
        )
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


def suggestion_text(
    suggestions: tuple[str, ...], *, color: bool = False, indent: str = "  "
) -> str:
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
    lines += [
        _wrapped("", entry_text(entry), width, (), indent="    ") for entry in listing.entries
    ]
    if listing.more:
        lines.append(f"    ... and {listing.more} more")
    if listing.is_cut:
        lines.append("    (what lies deeper is not listed)")
    return "\n".join(lines)


def entry_text(entry: Available) -> str:
    """Print an entry of a listing: its text, its type and its note; whoever prints it escapes it."""
    head = entry.text if entry.type is None else f"{entry.text} ({entry.type})"
    return f"{head}: {entry.note}" if entry.note else head


def _wrapped(
    word: str, text: str, width: int, styles: tuple[Style, ...], indent: str = "  "
) -> str:
    """Return `word text` on lines of at most `width` columns; in `styles` the word, or all without one."""
    whole = folded(f"{word} {text}" if word else text, width, indent, f"{indent}    ") or indent
    start = len(indent)
    end = start + len(word) if word else len(whole.partition("\n")[0])
    return indent + painted(whole[start:end], *styles) + whole[end:]


LONG = 5
"""A listing with more entries is printed once; where it would stand again that is said."""


def check_text(
    report: Report,
    limits: Limits | None = None,
    *,
    strict: bool = True,
    color: bool = False,
    width: int = 80,
) -> str:
    """
    Print a report with its diagnostics; prose is wrapped at `width` columns (40 to 120), references are not.

    Example:
        >>> from refract_asp import check
        >>> print(check_text(check("Got()", {"tools": [{"name": "Get"}]})))
        invalid: 1 violation.
        <BLANKLINE>
        error: call 1 (Got): the catalog has no tool Got [unknown_tool]
        <BLANKLINE>
          Available tools:
            Get
        <BLANKLINE>
          Did you mean: Get?
        <BLANKLINE>
          Common fix: Change Got to Get
    """
    width = max(40, min(width, 120))
    blocks = [verdict_text(report, color=color, width=width)]
    listed: set[tuple[object, ...]] = set()
    for diagnostic in report.diagnostics(limits, strict=strict):
        blocks.append(diagnostic_text(_shortened(diagnostic, listed), color=color, width=width))
        if diagnostic.available is not None:
            listed.add(_key(diagnostic.available))
    blocks.append(
        "\n".join(wrapped("note", note, width, () if color else None) for note in report.notes)
    )
    return "\n\n".join(block for block in blocks if block)


def _key(listing: Listing) -> tuple[object, ...]:
    return listing.title, listing.more, *(entry.text for entry in listing.entries)


def _shortened(diagnostic: Diagnostic, listed: set[tuple[object, ...]]) -> Diagnostic:
    """Return the diagnostic without a long listing that was printed before."""
    listing = diagnostic.available
    if listing is None or len(listing.entries) <= LONG or _key(listing) not in listed:
        return diagnostic
    said = listing.model_copy(
        update={"title": f"{listing.title}: see above", "entries": (), "more": 0, "is_cut": False}
    )
    return diagnostic.model_copy(update={"available": said})
