"""What `check` found, for a terminal: the verdict, every diagnostic in its tiers, and the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.report.diagnostic_text import diagnostic_text
from refract_asp.report.text import verdict_text, wrapped

if TYPE_CHECKING:
    from refract_asp.model import Report
    from refract_asp.model.diagnostic import Diagnostic, Limits, Listing

__all__ = ["check_text"]

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
    blocks.append("\n".join(wrapped("note", note, width, () if color else None) for note in report.notes))
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
