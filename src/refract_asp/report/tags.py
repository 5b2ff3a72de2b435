"""Error tags of what `check` or `repair` found, and these as text: which there are, and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from refract_asp.errors import shown
from refract_asp.formats.pretty import call_text, source_text
from refract_asp.model.diagnostic import Tag, TaggedFault, Tags, tag_meanings, tag_of
from refract_asp.model.edits import Edit, Rebind, Violation
from refract_asp.model.result import RepairResult, Report
from refract_asp.model.secrets import Secrets, with_arguments
from refract_asp.model.sequence import Call, Sequence, numbered
from refract_asp.report.edits import given_text
from refract_asp.report.terminal import count, folded, painted

_REFERENCE_CODES = ("unknown_label", "unknown_field", "read_before_written", "type_mismatch")
_PARAMETER_CODES = ("missing_parameter", "undeclared_parameter")
_FIRST = ["rename_label", "add_label", "add_call", "move_call", "rename_tool"]
_FIRST += ["rename_parameter", "delete_call"]
"""Where several edits answer a violation, the mistake is told by the first one of these."""

_Key: TypeAlias = tuple[Tag, int | None, str | None, int]
_Placed: TypeAlias = tuple[int, Edit]


def tags_of(report: Report) -> Tags:
    """
    Return the mistakes in a sequence by kind, as a report tells them.

    A report of `check` tells the tag of each violation. A repair tells more: a label that nobody has is a
    `missing_call` when a call is added for it, a `wrong_label` when a call gets it, and a
    `made_up_assignment` when its reader reads elsewhere. Of calls that are left out though nothing is wrong
    with them, as `compress` does, it tells which are a `bad_repetition` and which a `superfluous_call`.

    Args:
        report: what `check` or `repair` gave; one that was loaded from data will do.

    Example:
        >>> from refract_asp import check, repair
        >>> tool = {"name": "Get", "effect": "read", "parameters": {"id": {"required": True}},
        ...         "returns": {"id": {}}}
        >>> calls = 'a = Get(id=3)\\nb = Get(id="$c.id$")\\nGet(id="$b.id$")'
        >>> tags_of(check(calls, {"tools": [tool]})).calls
        {1: ('made_up_assignment',)}
        >>> tags_of(repair("Get(id=3)\\nGet(id='$a.id$')", {"tools": [tool]})).calls
        {0: ('missing_label',)}
    """
    result = report if isinstance(report, RepairResult) else None
    edits: list[_Placed] = list(enumerate(getattr(report, "edits", ())))
    causes: dict[_Key, list[int]] = {}
    for number, violation in enumerate(report.violations):
        answering = [(place, edit) for place, edit in edits if number in edit.answers]
        is_met = result is not None and violation.given not in result.unmet
        if violation.code == "unmet_goal" and is_met and not answering:
            # on the side: a call gets its tool, or changes its place
            tool = violation.tool
            gets = [
                each for each in edits if each[1].kind == "rename_tool" and each[1].after == tool
            ]
            moves = [each for each in edits if each[1].kind == "move_call" and not each[1].answers]
            answering = [*gets, *moves][:1]
        causes.setdefault(_cause(violation, report.violations, answering), []).append(number)
    for place, edit in edits:
        if edit.kind == "delete_call" and not edit.answers:
            tag: Tag = "superfluous_call" if edit.instead is None else "bad_repetition"
            causes.setdefault((tag, edit.call, None, place), [])
    faults = (
        TaggedFault(tag=tag, call=call, parameter=parameter, violations=tuple(numbers))
        for (tag, call, parameter, _), numbers in causes.items()
    )
    return Tags(faults=in_order(faults))


def in_order(faults: Iterable[TaggedFault]) -> tuple[TaggedFault, ...]:
    """Return mistakes in the order of the given calls, what lies in none of them last."""
    return tuple(sorted(faults, key=lambda fault: (fault.call is None, fault.call or 0)))


def _cause(
    violation: Violation, violations: tuple[Violation, ...], answering: list[_Placed]
) -> _Key:
    """
    Return the mistake behind a violation: its kind and place, and by which edit it is one with others.

    Args:
        violation: what is wrong.
        violations: all that is wrong.
        answering: the edits of the repair that answer it, each with its number; none after a check.
    """
    tag = tag_of(violation.code)
    here: _Key = (tag, violation.call, violation.parameter, -1)
    ranked = sorted(answering, key=lambda each: [*_FIRST, each[1].kind].index(each[1].kind))
    for place, edit in ranked:
        match edit.kind:
            case "rename_label" if violation.code in _REFERENCE_CODES:
                return "wrong_label", edit.call, None, place
            case "add_label" if violation.code in _REFERENCE_CODES:
                return "missing_label", edit.call, None, place
            case "add_call" if violation.code in ("unknown_label", "unknown_field", "unmet_goal"):
                return "missing_call", None, None, place
            case "move_call" if violation.code == "read_before_written":
                return here
            case "move_call" if violation.code == "unmet_goal":
                return "wrong_order", edit.call, None, place
            case "rename_tool" if violation.code != "unknown_tool":
                if any(violations[each].code == "unknown_tool" for each in edit.answers):
                    return "made_up_tool", edit.call, None, -1
                return "wrong_tool", edit.call, None, place
            case "rename_parameter" if violation.code in _PARAMETER_CODES:
                return "made_up_parameter", edit.call, edit.before, place
            case "rebind" if _reads_elsewhere(edit, violation):
                return "wrong_assignment", violation.call, violation.parameter, -1
    return here


def _reads_elsewhere(edit: Rebind, violation: Violation) -> bool:
    """Whether it reads the same path of another call, or another value than what came too early."""
    number = violation.reference or 0
    before, after = (dict(numbered(each)).get(number) for each in (edit.before, edit.after))
    if violation.code == "unknown_field" and before and after:
        return before.label != after.label and before.path == after.path
    return violation.code == "read_before_written" and before != after


def tags_text(
    tags: Tags,
    given: Sequence,
    truth: Sequence | None = None,
    *,
    report: Report | None = None,
    secrets: Secrets | None = None,
    color: bool = False,
    width: int = 80,
) -> str:
    """
    Print the tags of a sequence as a whole, then each mistake with its place and what it is about.

    Args:
        tags: the mistakes.
        given: the sequence in which they are.
        truth: the sequence that it was compared with, if it was.
        report: what `check` or `repair` found, to which the tags belong; without it, and without a truth, it
            is told what each tag means.
        secrets: what hides the secrets; by default that of the report, or by their names.
        color: whether to add terminal colours.
        width: at how many columns lines are wrapped.

    Example:
        >>> from refract_asp import check
        >>> from refract_asp.model import Sequence
        >>> calls = Sequence.load("Pay(sum=3)")
        >>> report = check(calls, {"tools": [{"name": "Pay"}]})
        >>> print(tags_text(report.tags(), calls, report=report))
        1 tag: made_up_parameter
        <BLANKLINE>
        call 1 (Pay), sum: made_up_parameter: Pay has no parameter sum
    """
    if secrets is None:
        secrets = report._secrets if report is not None else Secrets()
    if not tags.faults:
        return "no tags: nothing differs." if truth is not None else "no tags: nothing is wrong."
    names = [f"{tag} ({times})" if times > 1 else tag for tag, times in tags.counts.items()]
    lines = [folded(f"{count(len(names), 'tag')}: {', '.join(names)}", width), ""]
    for fault in tags.faults:
        place = given_text(fault.call, given.calls, "what is returned")
        if fault.call is None:
            place = "sequence"
        elif fault.parameter is not None:
            place += f", {shown(fault.parameter)}"
        told = _difference(fault, given, truth, secrets) if truth is not None else ""
        if report is not None and fault.violations:
            first, others = report.violations[fault.violations[0]], len(fault.violations) - 1
            told = first.message + (f"; and {count(others, 'more violation')}" if others else "")
        line = folded(f"{place}: {fault.tag}: {told or tag_meanings()[fault.tag]}", width)
        tag = painted(fault.tag, "bold", "red", color=color)
        lines.append(line.replace(fault.tag, tag, 1))
    return "\n".join(lines)


def _difference(fault: TaggedFault, given: Sequence, truth: Sequence, secrets: Secrets) -> str:
    """Return what is given and what is wanted, secrets hidden; empty where both read the same."""
    mine, yours = _call(given, fault.call), _call(truth, fault.truth)
    tools = [each.name for each in (mine, yours) if each is not None]
    texts = []
    for call in (mine, yours):
        if call is None or (fault.parameter is not None and fault.parameter not in call.arguments):
            texts.append("nothing")
            continue
        hidden = {n: secrets.argument(tools, [n], each) for n, each in call.arguments.items()}
        if fault.parameter is None:
            texts.append(shown(call_text(with_arguments(call, hidden))))
        else:
            texts.append(shown(source_text(hidden[fault.parameter])))
    return f"{texts[0]}, where the truth has {texts[1]}" if texts[0] != texts[1] else ""


def _call(sequence: Sequence, number: int | None) -> Call | None:
    """Return a call by its index; what is returned counts as a call without a name."""
    calls = [*sequence.calls, Call(name="", arguments=sequence.returns or {})]
    return calls[number] if number is not None and number < len(calls) else None
