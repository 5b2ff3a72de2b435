"""What a repair costs, why each edit is as it is, and what another repair would cost, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.errors import shown
from refract_asp.model.explanation import difference
from refract_asp.report.diff import diff_text
from refract_asp.report.edits import edit_text, place_text
from refract_asp.report.secrets import explanation_without_secrets
from refract_asp.report.terminal import count
from refract_asp.report.text import wrapped

if TYPE_CHECKING:
    from refract_asp.model import Edit, RepairResult
    from refract_asp.model.explanation import Contrast, Explanation, Reason
    from refract_asp.report.terminal import Style


ALTERNATIVE_ONLY = "alternative_only"
"""What is paid for what no answer does, above all levels of a cost model."""
CALLS = 100
"""The level of `priority_calls`: how many calls are made, where as few as possible are wanted."""
FAULTS = 101
"""The level above that, of what mends a fault."""
NOT_COMPARED = (
    "what would be without an edit is told only by the result that a repair gave, if it is proven to be the "
    "cheapest and there is time."
)


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
    width = max(40, min(width, 120))
    bold = () if color else None
    head = f"{count(len(explanation.reasons), 'edit')}, cost {cost_text(explanation.total) or '0'} "
    head += f"(model {explanation.cost_model}); "
    head += "no repair is cheaper" if explanation.optimal else "a cheaper one may be there"
    blocks: list[list[tuple[str, str, tuple[Style, ...] | None]]] = [[("explanation", head, bold)]]
    blocks.append(
        [(f"{each.name} {each.cost}", each.meaning, bold) for each in explanation.criteria]
    )
    for number, reason in enumerate(explanation.reasons, 1):
        text = f"{place_text(reason.edit, result)}{edit_text(reason.edit)}"
        text += f"{_stand_in(reason.edit, result)}; it costs {sum(reason.edit.cost.values())}"
        items = [(f"edit {number}", text, styles("cyan", color=color))]
        items += [("  answers", violation.message, bold) for violation in reason.violations]
        if reason.outcome != "unknown":
            items.append(("  instead", _instead(reason, result), bold))
        blocks.append(items)
    if any(reason.outcome == "unknown" for reason in explanation.reasons):
        blocks.append([("note", NOT_COMPARED, bold)])
    texts = (
        "\n".join(wrapped(name, text, width, style) for name, text, style in each)
        for each in blocks
    )
    return "\n\n".join(filter(None, texts))


def _stand_in(edit: Edit, result: RepairResult) -> str:
    """Say what stands for a call that is left out; empty for other edits."""
    if edit.kind != "delete_call" or edit.instead is None:
        return ""
    if edit.instead < 0:
        return "; it was executed before, and that stands for it"
    call = result.given.calls[edit.instead]
    return f"; call {edit.instead + 1} ({shown(call.label or call.name)}) stands for it"


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
    width = max(40, min(width, 120))
    blocks = []
    for number, other in enumerate(result.alternatives, 1):
        style = styles("cyan", color=color)
        blocks.append(wrapped(f"alternative {number}", _price(other, result), width, style))
        blocks.append(diff_text(other, color=color).rstrip("\n"))
    return "\n\n".join(blocks)


def _price(other: RepairResult, answer: RepairResult) -> str:
    """Return what another repair costs, beside the answer."""
    if ALTERNATIVE_ONLY in other.cost:
        own = {level: value for level, value in other.total.items() if level in answer.total}
        listed = {name: value for name, value in other.cost.items() if name != ALTERNATIVE_ONLY}
        return f"what no answer does; {cost_text(own)} in all: {criteria_text(listed)}"
    extra = difference(other.total, answer.total)
    more = f"{more_text(extra)}, " if any(extra.values()) else "it costs as much, "
    if next(filter(None, extra.values()), 0) < 0:  # a tie that was not decided
        more = ""
    return f"{more}{cost_text(other.total)} in all: {criteria_text(other.cost)}"


def criteria_text(cost: dict[str, int]) -> str:
    """Print a cost by criterion, the highest first."""
    costs = sorted(cost.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {value}" for name, value in costs if value) or "nothing"


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
    width = max(40, min(width, 120))
    blocks = [wrapped(f"why not {contrast.statement}", text, width, styles(style, color=color))]
    if contrast.result is not None and not contrast.is_answer:
        blocks.append(diff_text(contrast.result, color=color).rstrip("\n"))
    return "\n\n".join(filter(None, blocks))


def styles(style: Style, *, color: bool) -> tuple[Style, ...] | None:
    """Return the style of a heading, or None without colours."""
    return (style,) if color else None


def cost_text(cost: dict[int, int]) -> str:
    """
    Print a cost by priority: a number where there is one level, else the levels that are not 0.

    Example:
        >>> cost_text({2: 12})
        '12'
        >>> cost_text({101: 7, 100: 2, 2: 4})
        '7 for what mends faults, 2 calls and 4 for edits'
        >>> cost_text({3: 1, 2: -4})
        '1 at level 3 and -4 at level 2'
    """
    paid = {level: value for level, value in cost.items() if value}
    if len(cost) <= 1 or not paid:
        return str(next(iter(paid.values()), 0))
    if CALLS not in cost:
        return _joined([f"{value} at level {level}" for level, value in paid.items()])
    return _joined([_level_text(level, value, cost) for level, value in paid.items()])


def more_text(extra: dict[int, int]) -> str:
    """
    Print what one repair costs more than another one.

    Example:
        >>> more_text({2: 12})
        '12 more'
        >>> more_text({101: 0, 100: 1, 2: -4})
        '1 call more and 4 less for edits'
    """
    if len(extra) <= 1 or CALLS not in extra:
        return f"{cost_text(extra)} more"
    texts = []
    for level, value in extra.items():
        if value:
            word = "more" if value > 0 else "fewer" if level == CALLS else "less"
            texts.append(_level_text(level, abs(value), extra, word))
    return _joined(texts)


def _level_text(level: int, value: int, cost: dict[int, int], word: str = "") -> str:
    """Say in words what is paid at a level, beside the number of calls."""
    if level == CALLS:
        return f"{value} call{'' if value == 1 else 's'} {word}".rstrip()
    what = "what mends faults" if level == FAULTS else "edits"
    if level < CALLS and sum(each < CALLS for each in cost) > 1:  # as with models of several levels
        what = f"edits at level {level}"
    return f"{value} {word} for {what}" if word else f"{value} for {what}"


def _joined(texts: list[str]) -> str:
    return " and ".join(part for part in (", ".join(texts[:-1]), *texts[-1:]) if part)
