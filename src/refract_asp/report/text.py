"""The summary of a result for a terminal: verdict, diff, and what is to know or to do, an item a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.edits import Edit
from refract_asp.model.result import NO_TIME, ConfirmFor, RepairResult, Report, Verdict
from refract_asp.model.sequence import Call
from refract_asp.report.diff import diff_text
from refract_asp.report.edits import (
    ask_text,
    bound_text,
    edit_text,
    given_text,
    place_of,
    place_text,
)
from refract_asp.report.secrets import without_secrets
from refract_asp.report.suggestions import inside_text
from refract_asp.report.terminal import Style, count, folded, painted

_STYLES: dict[Verdict, Style] = {
    "valid": "green", "repaired": "green", "needs_input": "yellow",
    "invalid": "red", "unrepairable": "red", "unknown": "red",
}  # fmt: skip

MAX_TOLD = 200
"""So many violations, asks, notes and the like are printed for a reader; data holds all."""


def summary(report: Report, *, color: bool = False, width: int = 80, costs: bool = False) -> str:
    """
    Print what `check` or `repair` found; prose is wrapped at `width` columns, calls only in colour.

    Each violation is followed by the edits that answer it; `costs` adds what the edits cost.

    Example:
        >>> print(summary(Report(verdict="valid")))
        valid: nothing has to change.
    """
    blocks = [verdict_text(report, color=color, width=width)]
    items = [("violation", f"{place_of(v)}: {v.message} [{v.code}]") for v in report.violations]
    if isinstance(report, RepairResult):
        blocks.append(diff_text(report, color=color, width=width).rstrip("\n"))
        items = [*_answered(report, items), *_items(report)]
        if costs and any(report.cost.values()):
            text = criteria_text(report.cost)
            if not report.optimal and report.total:
                top = max(report.total)
                bound = report.lower_bound.get(top)
                proven = "none" if bound is None else bound
                text += f"; {report.total[top]} in all, proven lower bound {proven}"
            items.append(("cost", f"{text} (model {report.cost_model})"))
    items += [("note", note) for note in report.notes]
    lines = []
    for name, group in groupby(items, itemgetter(0)):
        texts = [text for _, text in group]
        more = [f"... and {len(texts) - MAX_TOLD} more"] if len(texts) > MAX_TOLD else []
        lines += [wrapped(name, text, width, color) for text in (*texts[:MAX_TOLD], *more)]
    blocks.append("\n".join(lines))
    return "\n\n".join(block for block in blocks if block)


def verdict_text(report: Report, *, color: bool = False, width: int = 80) -> str:
    """
    Print the verdict and, in one sentence, what it rests on.

    Example:
        >>> verdict_text(Report(verdict="needs_input"))
        'needs_input: something has still to be asked or confirmed.'
    """
    return wrapped(report.verdict, sentence_of(report), width, color, _STYLES[report.verdict])


def sentence_of(report: Report) -> str:
    """Say in one sentence what the verdict rests on."""
    if isinstance(report, RepairResult):
        if report.verdict == "unknown":
            return f"{report.note or NO_TIME}."
        stay = "stays as it was" if len(report.unresolved) == 1 else "stay as they were"
        confirms = sum(len(call.confirms) for call in report.sequence.calls)
        counts = [
            (len(report.unresolved), "call", f" could not be mended and {stay}"),
            (len(report.unmet), "goal", " cannot be met"),
            (len(report.edits), "edit", ""),
            (len(report.asks) or len(report.sequence.asks), "value", " to ask for"),
            (len(report.confirms) or confirms, "point", " to confirm"),
        ]
        parts = [report.note] if report.note else []
        parts += [f"{count(number, noun)}{what}" for number, noun, what in counts if number]
        proof = [] if report.optimal else ["not proven to be the cheapest"]
        return f"{'; '.join([*(parts or ['nothing has to change']), *proof])}."
    return {
        "invalid": f"{count(len(report.violations), 'violation')}.",
        "needs_input": "something has still to be asked or confirmed.",
        "unknown": f"{NO_TIME}.",
    }.get(report.verdict, "nothing has to change.")


def _answered(report: RepairResult, told: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each violation, then what the edits do that answer it, each edit beside the nearest of them."""
    report = without_secrets(report)
    beside: dict[int, list[Edit]] = {}
    for edit in report.edits:
        if edit.answers:
            is_whole = edit.kind in ("rename_tool", "delete_call", "keep_call")
            found = ((number, report.violations[number].parameter) for number in edit.answers)
            fitting = [number for number, name in found if (name is None) == is_whole]
            beside.setdefault([*fitting, *edit.answers][0], []).append(edit)
    for number, item in enumerate(told):
        yield item
        call = report.violations[number].call
        for edit in beside.get(number, ()):
            place = place_text(edit, report) if edit.call != call else ""
            yield "  edit", f"{place}{edit_text(edit)}"


def _items(report: RepairResult) -> Iterator[tuple[str, str]]:
    """Yield what is to be known of a repair, each with the word that it starts with."""
    calls = report.sequence.calls
    yield from (("form", text) for text in _forms(report))
    yield from (("kept", text) for text in _kept(report))
    yield from (("needs", ask_text(ask, calls)) for ask in report.asks)
    yield from (("confirm", confirm_text(each, calls)) for each in report.confirms)
    # The risks that no confirm speaks of, as when none was wanted.
    told = {None, *(confirm.reason for confirm in report.confirms)}
    risks = (f"{_edited(e, report)}{e.risky}" for e in report.edits if e.risky not in told)
    yield from (("risk", text) for text in dict.fromkeys(risks))
    for number in report.unresolved:
        own = [call.name for call in report.given.calls[number : number + 1]]
        near = [shown(name) for name in report.suggestions.get(number, ()) if name not in own]
        noun = "tool is" if len(near) == 1 else "tools are"
        place = given_text(number, report.given.calls, "what is returned")
        advice = f"; the nearest {noun} {', '.join(near)}" if near else ""
        yield "unresolved", f"{place}: nothing admissible mends it{advice}"
    for goal in report.unmet:
        yield "unmet", f"{shown(goal, LONGEST_TEXT)}: no tool that may be called gives it"
    if report.ambiguous:
        places = f": {'; '.join(report.undecided)}" if report.undecided else ""
        yield "ambiguous", f"another repair of the same cost differs in meaning{places}"
    yield from (("left out", text) for text in report.truncated)


def _kept(result: RepairResult) -> Iterator[str]:
    """Yield each call of a plan that is made though nothing reads it, which no line of the diff shows."""
    for edit in result.edits:
        if edit.kind == "keep_call":
            yield f"{place_text(edit, result)}{edit_text(edit)}"


def _forms(result: RepairResult) -> Iterator[str]:
    """Yield each step by which a value came into the form that its parameter takes."""
    for edit in result.edits:
        if edit.kind not in ("transform", "split_call"):
            continue
        place = f"{_edited(edit, result).removesuffix(': ')}, "
        if edit.kind == "split_call":
            elements = f"one call for each of {len(edit.after)} elements"
            yield f"{place}{shown(edit.parameter)}: {elements} [spread]"
        for step in edit.steps if edit.kind == "transform" else ():
            inside = inside_text(shown(edit.parameter), step.path)
            yield f"{place}{inside}: {step.before} becomes {step.after} [{step.rule}]"


def confirm_text(entry: ConfirmFor, calls: tuple[Call, ...]) -> str:
    """Say what has to be confirmed, and why."""
    is_there, confirm, what = 0 <= entry.call < len(calls), entry.confirm, "the use of"
    place = bound_text(calls[entry.call]) if is_there else f"call {entry.call + 1}"
    if confirm.kind == "drop":
        what = f"that {shown(confirm.parameter)} is left out of"
    elif confirm.kind == "argument":
        what = f"{shown(confirm.parameter)} of"
    return f"{what} {place}{f': {entry.reason}' if entry.reason else ''}"


def _edited(edit: Edit, result: RepairResult) -> str:
    """Return the call that an edit changes, as a place to put before a message."""
    return f"{bound_text(edit.added)}: " if edit.kind == "add_call" else place_text(edit, result)


def criteria_text(cost: dict[str, int]) -> str:
    """Print a cost by criterion, the highest first."""
    costs = sorted(cost.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {value}" for name, value in costs if value) or "nothing"


def wrapped(name: str, text: str, width: int, color: bool, *styles: Style) -> str:
    """
    Return `name: text` on lines of `width` columns, 40 to 120; words longer than that stay whole.

    With `color` the name is bold, and in `styles` besides.
    """
    width = max(40, min(width, 120))
    whole = folded(" ".join(text.split()), width, f"{name}: ") or f"{name}:"
    return painted(name, "bold", *styles, color=color) + whole[len(name) :]
