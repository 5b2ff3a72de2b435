"""The summary of a result for a terminal: verdict, diff, and what is to know or to do, an item a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.result import NO_TIME, RepairResult, Report, Verdict
from refract_asp.report.diff import diff_text
from refract_asp.report.edits import place_text
from refract_asp.report.suggestions import inside_text
from refract_asp.report.terminal import Style, count, folded, painted

if TYPE_CHECKING:
    from refract_asp.model.edits import Edit, Violation
    from refract_asp.model.result import AskFor, ConfirmFor
    from refract_asp.model.sequence import Call, Confirm

__all__ = ["summary", "verdict_text", "wrapped"]

_STYLES: dict[Verdict, Style] = {
    "valid": "green", "repaired": "green", "needs_input": "yellow",
    "invalid": "red", "unrepairable": "red", "unknown": "red",
}  # fmt: skip


def summary(report: Report, *, color: bool = False, width: int = 80) -> str:
    """
    Print what `check` or `repair` found; prose is wrapped at `width` columns, calls never are.

    Example:
        >>> print(summary(Report(verdict="valid")))
        valid: nothing has to change.
    """
    width = max(40, min(width, 120))
    blocks = [verdict_text(report, color=color, width=width)]
    if isinstance(report, RepairResult):
        blocks.append(diff_text(report, color=color).rstrip("\n"))
    items = [wrapped(name, text, width, () if color else None) for name, text in _items(report)]
    blocks.append("\n".join(items))
    return "\n\n".join(block for block in blocks if block)


def verdict_text(report: Report, *, color: bool = False, width: int = 80) -> str:
    """
    Print the verdict and, in one sentence, what it rests on.

    Example:
        >>> verdict_text(Report(verdict="needs_input"))
        'needs_input: something has still to be asked or confirmed.'
    """
    head, _, rest = _verdict(report).partition(": ")
    return wrapped(head, rest, width, (_STYLES[report.verdict],) if color else None)


def _verdict(report: Report) -> str:
    """Return the verdict and, in one sentence, what it rests on."""
    text = {
        "valid": "nothing has to change.",
        "invalid": f"{count(len(report.violations), 'violation')}.",
        "unknown": f"{NO_TIME}.",
        "needs_input": "something has still to be asked or confirmed.",
    }.get(report.verdict, "")
    if isinstance(report, RepairResult):
        text = f"{report.note or NO_TIME}." if report.verdict == "unknown" else _sentence(report)
    return f"{report.verdict}: {text}"


def _sentence(result: RepairResult) -> str:
    parts = []
    if result.unresolved:
        stay = "stays as it was" if len(result.unresolved) == 1 else "stay as they were"
        parts.append(f"{count(len(result.unresolved), 'call')} could not be mended and {stay}")
    if result.unmet:
        parts.append(f"{count(len(result.unmet), 'goal')} cannot be met")
    if result.edits:
        parts.append(count(len(result.edits), "edit"))
    asks = len(result.asks) or len(result.sequence.asks)
    if asks:
        parts.append(f"{count(asks, 'value')} to ask for")
    confirms = len(result.confirms) or sum(len(call.confirms) for call in result.sequence.calls)
    if confirms:
        parts.append(f"{count(confirms, 'point')} to confirm")
    if not parts:
        parts.append("nothing has to change")
    if not result.optimal:
        parts.append("not proven to be the cheapest")
    return f"{'; '.join(parts)}."


def _items(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what is to be known, each with the word that it starts with."""
    for violation in report.violations:
        yield "violation", _violation(violation)
    if isinstance(report, RepairResult):
        yield from _forms(report)
        for ask in report.asks:
            yield "needs", _ask(ask, report.sequence.calls)
        for confirm in report.confirms:
            yield "confirm", _confirm(confirm, report.sequence.calls)
        yield from _risks(report)
        for index in report.unresolved:
            yield "unresolved", _unresolved(report, index)
        for goal in report.unmet:
            yield "unmet", f"{shown(goal, LONGEST_TEXT)}: no tool that may be called gives it"
        if report.ambiguous:
            places = f": {'; '.join(report.undecided)}" if report.undecided else ""
            yield "ambiguous", f"another repair of the same cost differs in meaning{places}"
        for left_out in report.truncated:
            yield "left out", left_out
        if cost := _cost(report):
            yield "cost", cost
    for note in report.notes:
        yield "note", note


def _violation(violation: Violation) -> str:
    parameter = f", {shown(violation.parameter)}" if violation.parameter is not None else ""
    if violation.call is None:
        return (
            f"goal {shown(violation.given, LONGEST_TEXT)}: {violation.message} [{violation.code}]"
        )
    place = _place(violation.call, violation.label, violation.tool)
    return f"{place}{parameter}: {violation.message} [{violation.code}]"


def _forms(result: RepairResult) -> Iterator[tuple[str, str]]:
    """Yield each step by which a value came into the form that its parameter takes."""
    for edit in result.edits:
        if edit.kind == "transform":
            for step in edit.steps:
                inside = inside_text(shown(edit.parameter), step.path)
                place = f"{_edited(edit, result).removesuffix(': ')}, {inside}"
                yield "form", f"{place}: {step.before} becomes {step.after} [{step.rule}]"
        elif edit.kind == "split_call":
            place = f"{_edited(edit, result).removesuffix(': ')}, {shown(edit.parameter)}"
            yield "form", f"{place}: one call for each of {len(edit.after)} elements [spread]"


def _ask(ask: AskFor, calls: tuple[Call, ...]) -> str:
    name, description = shown(ask.name), shown(ask.description, LONGEST_TEXT)
    if ask.path:
        inside = f"what stands at {inside_text(shown(ask.parameter), ask.path)}"
        return f"{name}: {inside}{f' ({description})' if description else ''}"
    if ask.description:
        return f"{name}: {description}"
    if ask.call is None or ask.call >= len(calls):
        return name
    return f"{name}: {shown(ask.parameter or 'a value')} of {_call(calls[ask.call])}"


def _confirm(entry: ConfirmFor, calls: tuple[Call, ...]) -> str:
    place = _call(calls[entry.call]) if 0 <= entry.call < len(calls) else f"call {entry.call + 1}"
    reason = f": {entry.reason}" if entry.reason else ""
    return f"{_what(entry.confirm)} {place}{reason}"


def _what(confirm: Confirm) -> str:
    if confirm.kind == "tool":
        return "the use of"
    return f"{'that ' if confirm.kind == 'drop' else ''}{shown(confirm.parameter)} " + (
        "is left out of" if confirm.kind == "drop" else "of"
    )


def _risks(result: RepairResult) -> Iterator[tuple[str, str]]:
    """Yield the risks that no confirm speaks of, as when none was wanted."""
    said = {confirm.reason for confirm in result.confirms}
    told = {
        f"{_edited(edit, result)}{edit.risky}": None
        for edit in result.edits
        if edit.risky not in (None, *said)
    }
    for text in told:
        yield "risk", text


def _edited(edit: Edit, result: RepairResult) -> str:
    """Return the call that an edit changes, as a place to put before a message."""
    return f"{_call(edit.added)}: " if edit.kind == "add_call" else place_text(edit, result)


def _unresolved(result: RepairResult, index: int) -> str:
    if index >= len(result.given.calls):
        return f"{_place(index, None, '')}: nothing admissible mends it"
    call = result.given.calls[index]
    near = [name for name in result.suggestions.get(index, ()) if name != call.name]
    codes = {violation.code for violation in result.violations if violation.call == index}
    advice = "nothing admissible mends it"
    if "unused_call" in codes:
        advice = "the plan never makes it; return it, too, or leave it out"
    if "unknown_tool" in codes and index in result.suggestions:
        noun = "tool is" if len(near) == 1 else "tools are"
        advice = (
            f"the nearest {noun} {', '.join(map(shown, near))}" if near else "no tool comes near"
        )
    return f"{_place(index, call.label, call.name)}: {advice}"


def _cost(result: RepairResult) -> str:
    """Return the cost by criterion, highest first, and what is proven when the optimum is not."""
    costs = sorted(result.cost.items(), key=lambda item: (-item[1], item[0]))
    text = ", ".join(f"{name} {cost}" for name, cost in costs if cost)
    if not text:
        return ""
    if not result.optimal and result.total:
        top = max(result.total)
        bound = result.lower_bound.get(top)
        text += (
            f"; {result.total[top]} in all, proven lower bound {'none' if bound is None else bound}"
        )
    return f"{text} (model {result.cost_model})"


def _place(index: int, label: str | None, tool: str) -> str:
    """Name a call of the given sequence by its number, from 1, and its label, else its tool."""
    name = label if label is not None else tool
    return f"call {index + 1} ({shown(name)})" if name else "what is returned"


def _call(call: Call) -> str:
    return f"{f'{shown(call.label)} = ' if call.label is not None else ''}{shown(call.name)}"


def wrapped(name: str, text: str, width: int, styles: tuple[Style, ...] | None) -> str:
    """
    Return `name: text` on lines of at most `width` columns; words longer than that stay whole.

    The name is bold, and in `styles` besides; None means no colours.
    """
    whole = folded(" ".join(text.split()), width, f"{name}: ") or f"{name}:"
    return whole if styles is None else painted(name, "bold", *styles) + whole[len(name) :]
