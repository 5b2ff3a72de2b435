"""
Diagnostics of what `check` or `repair` found: the valid options, what was probably meant, what to change.

As data, one for each violation, with the edit of a repair that answers it; and as text, alone or all of a report.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from refract_asp.errors import shown
from refract_asp.model import Call, Edit, RepairResult, Report, Violation
from refract_asp.model.diagnostic import Available, Diagnostic, Limits, Listing
from refract_asp.report.advice import Advice, Adviser
from refract_asp.report.edits import CallWriter, fix_text, place_of
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import Style, count, escaped, folded, painted
from refract_asp.report.text import MAX_TOLD, verdict_text, wrapped

_STYLES: dict[str, Style] = {"error": "red", "warning": "yellow"}
UNLIMITED = 100_000
LONG = 5
"""A listing with more entries is printed once; where it would stand again that is said."""


def diagnostics_of(
    report: Report, limits: Limits | None = None, *, strict: bool = True, hidden: bool = False
) -> tuple[Diagnostic, ...]:
    """
    Return a diagnostic for each violation of a report, in its order.

    Args:
        report: what `check` or `repair` gave; diagnostics of one that was loaded from data hold less.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.
        hidden: whether it is one that `without_secrets` gave.

    Example:
        >>> from refract_asp import check
        >>> tool = {"name": "Get", "parameters": {"amount": {"type": "number", "required": True}}}
        >>> print(diagnostics_of(check("Get(amnt=3)", {"tools": [tool]}))[0])
        error: call 1 (Get), amnt: Get has no parameter amnt [undeclared_parameter]
        <BLANKLINE>
          Parameters of Get:
            amount (number): required
        <BLANKLINE>
          Did you mean: amount?
        <BLANKLINE>
          Common fix: Change amnt to amount
    """
    if not report.violations:
        return ()
    if not hidden:
        report = without_secrets(report)
    instance = report._handle.instance
    calls = instance.sequence.calls if instance is not None else ()
    found = []
    cache: dict[object, Any] = {"problem": report._handle.problem}
    result = report if isinstance(report, RepairResult) else None
    answering, asked = _answering(result)
    writer = CallWriter("pretty", result.given.names if result is not None else None)
    for number, violation in enumerate(report.violations):
        advice: Advice = {}
        if instance is not None:
            advice = Adviser(instance, violation, limits or Limits(), cache).advice()
        # What changes an argument answers more directly than what adds or moves a call.
        edits = answering[number]
        edit = min(edits, key=lambda each: each.kind in ("add_call", "move_call"), default=None)
        if result is not None and edit is not None:
            fix = fix_text(edit, result, writer, violation.reference)
            tip = {} if edit.call in asked else {"tip": None}  # it may spare an ask
            advice |= {"fix": fix, **tip} if fix is not None else {}
        for name in ("expected", "given"):  # from the faults where the advice has none
            texts = dict.fromkeys(getattr(fault, name) for fault in violation.faults)
            advice[name] = advice.get(name) or "; ".join(texts) or None
        advice |= _names_of(violation, calls)
        advice |= {"severity": "error" if strict else "warning", "faults": violation.faults}
        advice |= {"code": violation.code, "message": violation.message, "call": violation.call}
        found.append(Diagnostic(edit=edit, **advice))
    return tuple(found)


def _answering(result: RepairResult | None) -> tuple[dict[int, list[Edit]], set[int | None]]:
    """Return the edits that answer each violation, by its number, and the calls that ask for something."""
    found: dict[int, list[Edit]] = defaultdict(list)
    for edit in result.edits if result is not None else ():
        for number in edit.answers:
            found[number].append(edit)
    return found, {each.call for each in result.asks} if result is not None else set()


def _names_of(violation: Violation, calls: tuple[Call, ...]) -> dict[str, str]:
    """Return the names in a violation as they are shown."""
    at = violation.call
    id = calls[at].id if at is not None and at < len(calls) else None
    told = {"id": id, "label": violation.label, "parameter": violation.parameter}
    told |= {"attempted": violation.given, "tool": violation.tool}
    return {name: shown(text) for name, text in told.items() if text is not None}


# -- as text ---------------------------------------------------------------------


def diagnostic_text(diagnostic: Diagnostic, *, color: bool = False, width: int = UNLIMITED) -> str:
    """
    Print a diagnostic: one sentence, and below it the valid options, what was probably meant, what to change.

    Args:
        diagnostic: what is to be told.
        color: whether to add terminal colours.
        width: at how many columns prose is wrapped; references stay whole.
    """
    head = f"{sentence_text(diagnostic)} [{diagnostic.code}]"
    style = _STYLES[diagnostic.severity]
    first = _wrapped(f"{diagnostic.severity}:", head, width, color, style, indent="")
    return "\n\n".join([first, *_tiers(diagnostic, color=color, width=width)])


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


def entry_text(entry: Available) -> str:
    """Print an entry of a listing: its text, its type and its note; whoever prints it escapes it."""
    head = entry.text if entry.type is None else f"{entry.text} ({entry.type})"
    return f"{head}: {entry.note}" if entry.note else head


def _tiers(diagnostic: Diagnostic, *, color: bool = False, width: int = UNLIMITED) -> list[str]:
    """Return the valid options, what was probably meant, and what to change, each as a block of lines."""
    blocks = []
    if (listing := diagnostic.available) is not None:
        colon = ":" if listing.entries or listing.more else ""
        lines = [_wrapped("", f"{listing.title}{colon}", width, color)]
        texts = map(entry_text, listing.entries)
        lines += [_wrapped("", text, width, False, indent="    ") for text in texts]
        if listing.more:
            lines.append(f"    ... and {listing.more} more")
        if listing.is_cut:
            lines.append("    (what lies deeper is not listed)")
        blocks.append("\n".join(lines))
    meant = [escaped(each) for each in diagnostic.suggestions]
    if len(meant) == 1:
        blocks.append(f"  {painted('Did you mean:', 'bold', color=color)} {meant[0]}?")
    elif meant:
        title = painted("Did you mean one of these?", "bold", color=color)
        blocks.append("\n".join([f"  {title}", *(f"    {each}" for each in meant)]))
    if diagnostic.fix is not None:
        blocks.append(_wrapped("Common fix:", diagnostic.fix, width, color, "green"))
    elif diagnostic.tip is not None:
        blocks.append(_wrapped("Tip:", diagnostic.tip, width, color))
    return blocks


def _wrapped(
    word: str, text: str, width: int, color: bool, *styles: Style, indent: str = "  "
) -> str:
    """Return `word text` on lines of at most `width` columns; the word is bold, or all without one."""
    whole = folded(f"{word} {text}" if word else text, width, indent, f"{indent}    ") or indent
    start = len(indent)
    end = start + len(word) if word else len(whole.partition("\n")[0])
    return indent + painted(whole[start:end], "bold", *styles, color=color) + whole[end:]


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
        >>> print(check_text(check("Serch()", {"tools": [{"name": "Search"}]})))
        invalid: 1 violation.
        <BLANKLINE>
        error: call 1 (Serch): the catalog has no tool Serch [unknown_tool]
        <BLANKLINE>
          Available tools:
            Search
        <BLANKLINE>
          Did you mean: Search?
        <BLANKLINE>
          Common fix: Change Serch to Search
    """
    width = max(40, min(width, 120))
    blocks = [verdict_text(report, color=color, width=width)]
    listed: set[tuple[object, ...]] = set()
    few = report.model_copy(update={"violations": report.violations[:MAX_TOLD]})
    for diagnostic in few.diagnostics(limits, strict=strict):
        printed, listing = diagnostic, diagnostic.available
        if listing is not None:
            key = (listing.title, listing.more, *(entry.text for entry in listing.entries))
            if key in listed and len(listing.entries) > LONG:
                above = Listing(title=f"{listing.title}: see above")
                printed = diagnostic.model_copy(update={"available": above})
            listed.add(key)
        blocks.append(diagnostic_text(printed, color=color, width=width))
    if (more := len(report.violations) - MAX_TOLD) > 0:
        blocks.append(f"... and {count(more, 'more violation')}")
    notes = [wrapped("note", note, width, color) for note in report.notes]
    return "\n\n".join([*blocks, "\n".join(notes)] if notes else blocks)
