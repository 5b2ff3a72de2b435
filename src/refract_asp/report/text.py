"""
A result as text for a terminal: the summary, the explanation of its costs, alternatives and contrasts.

A summary has the verdict, the diff, and what is to be known or done, an item a line. An explanation tells what
a repair costs, why each edit is as it is, and what another repair would cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Call, Edit
from refract_asp.model.explanation import Contrast, Explanation, Reason, difference
from refract_asp.model.paths import only
from refract_asp.model.result import NO_TIME, ConfirmFor, RepairResult, Report, Verdict
from refract_asp.model.shares import by_count
from refract_asp.report import edits
from refract_asp.report.diff import diff_text
from refract_asp.report.edits import bound_text, edit_text, place_of, place_text
from refract_asp.report.secrets import explanation_without_secrets, without_secrets
from refract_asp.report.suggestions import inside_text
from refract_asp.report.terminal import Style, count, folded, painted

_STYLES: dict[Verdict, Style] = {
    "valid": "green", "repaired": "green", "needs_input": "yellow",
    "invalid": "red", "unrepairable": "red", "unknown": "red",
}  # fmt: skip

MAX_TOLD = 200
"""So many violations, asks, notes and the like are printed for a reader; data holds all."""
ALTERNATIVE_ONLY = "alternative_only"
"""What is paid for what is never chosen as the answer, above all levels of a cost model."""
LEVELS = {100: "in calls", 101: "in faults"}
"""The levels above a cost model: how many calls are made, and what mends a fault."""


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
        'needs_input: something must still be asked for or confirmed.'
    """
    return wrapped(report.verdict, sentence_of(report), width, color, _STYLES[report.verdict])


def sentence_of(report: Report) -> str:
    """Say in one sentence what the verdict rests on."""
    if isinstance(report, RepairResult):
        if report.verdict == "unknown":
            return f"{report.note or NO_TIME}."
        stay = " and stays as it was" if len(report.unresolved) == 1 else " and stay as they were"
        if any(edit.call in report.unresolved for edit in report.edits):
            stay = ""  # what else was wrong in it was mended
        confirms = sum(len(call.confirms) for call in report.sequence.calls)
        counts = [
            (len(report.unresolved), "call", f" could not be mended{stay}"),
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
        "needs_input": "something must still be asked for or confirmed.",
        "unknown": f"{NO_TIME}.",
    }.get(report.verdict, "nothing has to change.")


def _answered(report: RepairResult, violations: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each violation, then what the edits do that answer it, each edit beside the nearest of them."""
    report = without_secrets(report)
    beside: dict[int, list[Edit]] = {}
    for edit in report.edits:
        if edit.answers:
            is_whole = edit.kind in ("rename_tool", "delete_call", "keep_call")
            found = ((number, report.violations[number].parameter) for number in edit.answers)
            fitting = [number for number, name in found if (name is None) == is_whole]
            beside.setdefault([*fitting, *edit.answers][0], []).append(edit)
    for number, item in enumerate(violations):
        yield item
        call = report.violations[number].call
        for edit in beside.get(number, ()):
            place = place_text(edit, report) if edit.call != call else ""
            yield "  edit", f"{place}{edit_text(edit)}{_rule_of(edit)}"


def _items(report: RepairResult) -> Iterator[tuple[str, str]]:
    """Yield what is to be known of a repair, each with the word that it starts with."""
    calls = report.sequence.calls
    yield from (("form", text) for text in _forms(report))
    yield from (("kept", text) for text in _kept(report))
    yield from (("needs", edits.ask_text(ask, calls)) for ask in report.asks)
    yield from (("confirm", confirm_text(each, calls)) for each in report.confirms)
    # those that no confirm speaks of, as when none was wanted
    confirmed, risks = {None, *(each.reason for each in report.confirms)}, dict[str, None]()
    for edit in report.edits:
        name, place = getattr(edit, "parameter", None), _edited(edit, report)
        if edit.risky not in confirmed:
            head = f"{place[:-2]}, {shown(name)}: " if name else place
            risks[f"{head}{edit.risky}"] = None
    yield from (("risk", text) for text in risks)
    for number in report.unresolved:
        own = [call.name for call in report.given.calls[number : number + 1]]
        near = [shown(name) for name in report.suggestions.get(number, ()) if name not in own]
        noun = "tool is" if len(near) == 1 else "tools are"
        place = edits.given_text(number, report.given.calls, "what is returned")
        advice = f"; the nearest {noun} {', '.join(near)}" if near else ""
        yield "unresolved", f"{place}: nothing admissible mends it{advice}"
    for goal in report.unmet:
        yield "unmet", f"{shown(goal, LONGEST_TEXT)}: no tool that may be called gives it"
    if report.ambiguous:
        places = f": {'; '.join(report.undecided)}" if report.undecided else ""
        yield "ambiguous", f"another repair of the same cost differs in meaning{places}"
    yield from (("left out", text) for text in report.truncated)


def _kept(result: RepairResult) -> Iterator[str]:
    """Return each call of a plan that is made though nothing reads it, which no line of the diff shows."""
    kept = [each for each in result.edits if each.kind == "keep_call"]
    return (f"{place_text(each, result)}{edit_text(each)}" for each in kept)


def _rule_of(edit: Edit) -> str:
    """Return the rule by which one step brought a whole value into its form, as the end of a line."""
    steps = edit.steps if edit.kind == "transform" else ()
    return f" [{steps[0].rule}]" if len(steps) == 1 and not steps[0].path else ""


def _forms(result: RepairResult) -> Iterator[str]:
    """Yield each step by which a value came into its form, but where the line of the edit tells it."""
    for edit in result.edits:
        if edit.kind == "transform" and not (edit.answers and _rule_of(edit)):
            place = f"{_edited(edit, result).removesuffix(': ')}, "
            for step in edit.steps:
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
    costs = by_count(cost).items()
    return ", ".join(f"{name} {value}" for name, value in costs if value) or "nothing"


def wrapped(name: str, text: str, width: int, color: bool, *styles: Style) -> str:
    """
    Return `name: text` on lines of `width` columns, 40 to 120; words longer than that stay whole.

    With `color` the name is bold, and in `styles` besides.
    """
    width = max(40, min(width, 120))
    whole = folded(" ".join(text.split()), width, f"{name}: ") or f"{name}:"
    return painted(name, "bold", *styles, color=color) + whole[len(name) :]


# -- explanations ----------------------------------------------------------------------


def explanation_text(
    explanation: Explanation, result: RepairResult, *, color: bool = False, width: int = 80
) -> str:
    """
    Print what a result costs, by criterion, and why each edit is as it is; prose is wrapped at `width`.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
        >>> result = repair("Get(amont=3)", {"tools": [tool]})
        >>> print(explanation_text(result.explanation(), result))
        explanation: 1 edit, cost 14 (model default); no repair is cheaper
        <BLANKLINE>
        rename_parameter 11: an argument goes to another parameter
        parameter_distance 3: how unlike the two parameters are, by name or by value
        <BLANKLINE>
        edit 1: call 1 (Get): amont goes to amount; it costs 14
          answers: Get has no parameter amont
          answers: Get requires amount
          instead: 44 more: amont is left out; amount is asked for
    """
    explanation = explanation_without_secrets(explanation, result)

    def paragraph(name: str, text: str, *styles: Style) -> str:
        return wrapped(name, text, width, color, *styles)

    head = f"{count(len(explanation.reasons), 'edit')}, cost {cost_text(explanation.total)} "
    head += f"(model {explanation.cost_model}); "
    head += "no repair is cheaper" if explanation.optimal else "a cheaper one may be there"
    found = explanation.criteria
    criteria = (paragraph(f"{each.name} {each.cost}", each.meaning) for each in found)
    blocks = [paragraph("explanation", head), "\n".join(criteria)]
    for number, reason in enumerate(explanation.reasons, 1):
        edit = reason.edit
        text = f"{place_text(edit, result)}{edit_text(edit)}"
        if edit.kind == "delete_call" and edit.instead is not None:
            kept = edits.given_text(edit.instead, result.given.calls, "an executed call")
            text += f"; {kept} stands for it"
        lines = [paragraph(f"edit {number}", f"{text}; it costs {sum(edit.cost.values())}", "cyan")]
        lines += [paragraph("  answers", each.message) for each in reason.violations]
        if reason.outcome != "unknown":
            lines.append(paragraph("  instead", _instead(reason, result)))
        blocks.append("\n".join(lines))
    if any(reason.outcome == "unknown" for reason in explanation.reasons):
        why = "is worked out for 50 edits, as far as time allows, and not for a result loaded from data."
        blocks.append(paragraph("note", f"what would be without an edit {why}"))
    return "\n\n".join(filter(None, blocks))


def _instead(reason: Reason, result: RepairResult) -> str:
    """Say what would be without an edit."""
    if reason.outcome == "none":
        return "nothing else mends it" if reason.violations else "no repair does without it"
    if reason.outcome == "follows":
        return "it follows from the other edits"
    if reason.unresolved:
        calls = " and ".join(f"call {number + 1}" for number in reason.unresolved)
        stay = "stays as it was" if len(reason.unresolved) == 1 else "stay as they were"
        return f"nothing else mends it: {calls} {stay}, for {more_text(reason.extra)}"
    what = [f"{place_text(edit, result, reason.edit)}{edit_text(edit)}" for edit in reason.instead]
    dearer = more_text(reason.extra) if reason.outcome == "dearer" else "as cheap"
    stays = "the call stays" if reason.edit.kind == "delete_call" else "without it"
    return f"{dearer}: {'; '.join(what) or stays}"


def alternatives_text(result: RepairResult, *, color: bool = False, width: int = 80) -> str:
    """
    Print the other repairs of a result, each with what it costs and its diff.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
        >>> result = repair("Get(amont=3)", {"tools": [tool]}, alternatives=1, next_best=True)
        >>> print(alternatives_text(result))
        alternative 1: 44 more, 58 in all: ask 35, drop_undeclared 23
        <BLANKLINE>
        + ask(amount)
        - Get(amont=3)
        + Get(amount=amount)
    """
    blocks = []
    for number, other in enumerate(result.alternatives, 1):
        extra = difference(other.total, result.total)
        more = f"{more_text(extra)}, " if any(extra.values()) else "it costs as much, "
        if next(filter(None, extra.values()), 0) < 0:  # a tie that was not decided
            more = ""
        total, listed = other.total, dict(other.cost)
        if listed.pop(ALTERNATIVE_ONLY, None) is not None:
            more = "never chosen as the answer; "
            total = only(total, result.total)
        price = f"{more}{cost_text(total)} in all: {criteria_text(listed)}"
        blocks.append(wrapped(f"alternative {number}", price, width, color, "cyan"))
        blocks.append(diff_text(other, color=color, width=width).rstrip("\n"))
    return "\n\n".join(blocks)


def contrast_text(contrast: Contrast, *, color: bool = False, width: int = 80) -> str:
    """
    Print what another repair costs more, with its diff, or why there is none; prose is wrapped at `width`.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Pay", "parameters": {"amount": {"type": "number", "required": True}}}
        >>> result = repair("Pay(amont=3)", {"tools": [tool]})
        >>> print(contrast_text(result.why_not("keep call 1.amont")))
        why not keep call 1.amont: impossible; it would leave: Pay has no parameter
            amont
    """
    style: Style = "yellow"
    if contrast.result is None:
        style, text = "red", f"impossible; {contrast.reason}"
    elif contrast.is_answer:
        style, text = "green", "the answer does that"
    elif not any(contrast.extra.values()):
        style, text = "green", "it costs nothing more"
    else:
        text = f"it costs {more_text(contrast.extra)}, {cost_text(contrast.result.total)} in all: "
        text += criteria_text(contrast.result.cost)
    blocks = [wrapped(f"why not {contrast.statement}", text, width, color, style)]
    if contrast.result is not None and not contrast.is_answer:
        blocks.append(diff_text(contrast.result, color=color, width=width).rstrip("\n"))
    return "\n\n".join(filter(None, blocks))


def cost_text(cost: dict[int, int], sign: str = "") -> str:
    """
    Print a cost by priority: a number where there is one level, else the levels that are not 0.

    Example:
        >>> cost_text({2: 12})
        '12'
        >>> cost_text({101: 7, 100: 2, 3: 0, 2: 4})
        '7 in faults, 2 in calls, 4 at level 2'
    """
    if len(cost) <= 1:
        return str(next(iter(cost.values()), 0))
    told = {level: value for level, value in cost.items() if value}.items()
    names = (f"{value:{sign}} {LEVELS.get(level, f'at level {level}')}" for level, value in told)
    return ", ".join(names) or "0"


def more_text(extra: dict[int, int]) -> str:
    """
    Print what one repair costs more than another one.

    Example:
        >>> more_text({2: 12}), more_text({101: 0, 100: 1, 2: -4})
        ('12 more', '+1 in calls, -4 at level 2')
    """
    return f"{cost_text(extra)} more" if len(extra) <= 1 else cost_text(extra, "+")
