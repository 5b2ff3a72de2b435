"""What a repair costs, why each edit is as it is, and what another repair would cost, for a terminal."""

from __future__ import annotations

from refract_asp.model import RepairResult
from refract_asp.model.explanation import Contrast, Explanation, Reason, difference
from refract_asp.report.diff import diff_text
from refract_asp.report.edits import edit_text, given_text, place_text
from refract_asp.report.secrets import explanation_without_secrets
from refract_asp.report.terminal import Style, count
from refract_asp.report.text import criteria_text, wrapped

ALTERNATIVE_ONLY = "alternative_only"
"""What is paid for what no answer does, above all levels of a cost model."""
LEVELS = {100: "in calls", 101: "in faults"}
"""The levels above a cost model: how many calls are made, and what mends a fault."""


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
          instead: 44 more: amont is left out; amount is asked
    """
    explanation = explanation_without_secrets(explanation, result)

    def told(name: str, text: str, *styles: Style) -> str:
        return wrapped(name, text, width, color, *styles)

    head = f"{count(len(explanation.reasons), 'edit')}, cost {cost_text(explanation.total)} "
    head += f"(model {explanation.cost_model}); "
    head += "no repair is cheaper" if explanation.optimal else "a cheaper one may be there"
    criteria = (told(f"{each.name} {each.cost}", each.meaning) for each in explanation.criteria)
    blocks = [told("explanation", head), "\n".join(criteria)]
    for number, reason in enumerate(explanation.reasons, 1):
        edit = reason.edit
        text = f"{place_text(edit, result)}{edit_text(edit)}"
        if edit.kind == "delete_call" and edit.instead is not None:
            kept = given_text(edit.instead, result.given.calls, "an executed call")
            text += f"; {kept} stands for it"
        lines = [told(f"edit {number}", f"{text}; it costs {sum(edit.cost.values())}", "cyan")]
        lines += [told("  answers", each.message) for each in reason.violations]
        if reason.outcome != "unknown":
            lines.append(told("  instead", _instead(reason, result)))
        blocks.append("\n".join(lines))
    if any(reason.outcome == "unknown" for reason in explanation.reasons):
        why = "is told of 50 edits, as far as there is time, and not of a result loaded from data."
        blocks.append(told("note", f"what would be without an edit {why}"))
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
            more = "what no answer does; "
            total = {level: value for level, value in total.items() if level in result.total}
        price = f"{more}{cost_text(total)} in all: {criteria_text(listed)}"
        blocks.append(wrapped(f"alternative {number}", price, width, color, "cyan"))
        blocks.append(diff_text(other, color=color).rstrip("\n"))
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
        blocks.append(diff_text(contrast.result, color=color).rstrip("\n"))
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
    names = {
        level: LEVELS.get(level, f"at level {level}") for level, value in cost.items() if value
    }
    return ", ".join(f"{cost[level]:{sign}} {name}" for level, name in names.items()) or "0"


def more_text(extra: dict[int, int]) -> str:
    """
    Print what one repair costs more than another one.

    Example:
        >>> more_text({2: 12}), more_text({101: 0, 100: 1, 2: -4})
        ('12 more', '+1 in calls, -4 at level 2')
    """
    return f"{cost_text(extra)} more" if len(extra) <= 1 else cost_text(extra, "+")
