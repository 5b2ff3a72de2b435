"""
Error tags of what `check` or `repair` found.

Nothing is judged here. Each violation has a tag; where a repair shows the mistake behind it, such as a
call that is missing or a label that is wrong, the tag is that of the mistake, and it is counted once
however many violations come of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from refract_asp.model.result import RepairResult, Report
from refract_asp.model.sources import Reference, numbered
from refract_asp.model.tags import TAG_OF_CODE, Tag, TaggedFault, Tags

if TYPE_CHECKING:
    from refract_asp.model.edits import Edit, Rebind, Violation

__all__ = ["in_order", "tags_of"]

_REFERENCE_CODES = ("unknown_label", "unknown_field", "read_before_written", "type_mismatch")
_FIRST = (
    "rename_label",
    "add_label",
    "add_call",
    "move_call",
    "rename_tool",
    "rename_parameter",
    "delete_call",
)
"""Where several edits answer a violation, the mistake is told by the first one of these."""

_Key: TypeAlias = tuple[Tag, int | None, str | None, int]
_Placed: TypeAlias = "tuple[int, Edit]"


def tags_of(report: Report) -> Tags:
    """
    Return the mistakes in a sequence by kind, as a report tells them.

    A report of `check` tells the tag of each violation. A repair tells more: a label that nobody bears is a
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
    edits: tuple[Edit, ...] = result.edits if result is not None else ()
    causes: dict[_Key, list[int]] = {}
    for number, violation in enumerate(report.violations):
        answering = [(place, edit) for place, edit in enumerate(edits) if number in edit.answers]
        if violation.code == "unmet_goal" and not answering and result is not None:
            answering = _meeting(violation, result)
        causes.setdefault(_cause(violation, report.violations, answering), []).append(number)
    for place, edit in enumerate(edits):
        if edit.kind == "delete_call" and not edit.answers:
            tag: Tag = "superfluous_call" if edit.instead is None else "bad_repetition"
            causes.setdefault((tag, edit.call, None, place), [])
    return Tags(
        faults=in_order(
            TaggedFault(tag=tag, call=call, parameter=parameter, violations=tuple(numbers))
            for (tag, call, parameter, _), numbers in causes.items()
        )
    )


def in_order(faults: Iterable[TaggedFault]) -> tuple[TaggedFault, ...]:
    """Return mistakes in the order of the given calls, what lies in none of them last."""
    return tuple(sorted(faults, key=lambda fault: (fault.call is None, fault.call or 0)))


def _cause(violation: Violation, violations: tuple[Violation, ...], answering: list[_Placed]) -> _Key:
    """
    Return the mistake behind a violation: its kind and place, and by which edit it is one with others.

    Args:
        violation: what is wrong.
        violations: all that is wrong.
        answering: the edits of the repair that answer it, each with its number; none after a check.
    """
    tag = TAG_OF_CODE[violation.code]
    here: _Key = (tag, violation.call, violation.parameter, -1)
    ranked = sorted(answering, key=lambda each: _FIRST.index(each[1].kind) if each[1].kind in _FIRST else 99)
    for place, edit in ranked:
        match edit.kind:
            case "rename_label" | "add_label" if violation.code in _REFERENCE_CODES:
                return (
                    "wrong_label" if edit.kind == "rename_label" else "missing_label",
                    edit.call,
                    None,
                    place,
                )
            case "add_call" if violation.code in ("unknown_label", "unknown_field", "unmet_goal"):
                return "missing_call", None, None, place
            case "move_call" if violation.code == "read_before_written":
                return here
            case "move_call" if violation.code == "unmet_goal":
                return "wrong_order", edit.call, None, place
            case "rename_tool" if violation.code != "unknown_tool":
                made_up = any(violations[each].code == "unknown_tool" for each in edit.answers)
                return (
                    ("made_up_tool", edit.call, None, -1)
                    if made_up
                    else ("wrong_tool", edit.call, None, place)
                )
            case "rename_parameter" if violation.code in ("missing_parameter", "undeclared_parameter"):
                return "made_up_parameter", edit.call, edit.before, place
            case "rebind" if violation.code in ("unknown_field", "read_before_written"):
                if _reads_elsewhere(edit, violation):
                    return "wrong_assignment", violation.call, violation.parameter, -1
    return here


def _meeting(goal: Violation, result: RepairResult) -> list[_Placed]:
    """Return the edit by which a goal is met on the side: a call gets its tool, or changes its place."""
    if goal.given in result.unmet:
        return []
    placed = list(enumerate(result.edits))
    renamed = [each for each in placed if each[1].kind == "rename_tool" and each[1].after == goal.tool]
    moved = [each for each in placed if each[1].kind == "move_call" and not each[1].answers]
    return (renamed or moved)[:1]


def _reads_elsewhere(edit: Rebind, violation: Violation) -> bool:
    """Whether the repair reads the same path from another call, or of what comes too early another value."""
    before = dict(numbered(edit.before)).get(violation.reference or 0)
    after = dict(numbered(edit.after)).get(violation.reference or 0)
    if violation.code == "read_before_written":
        return before != after
    if not isinstance(before, Reference) or not isinstance(after, Reference):
        return False
    return before.label != after.label and before.path == after.path
