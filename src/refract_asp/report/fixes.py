"""What an edit asks its reader to do, as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST, LONGEST_TEXT, shown
from refract_asp.formats import pretty
from refract_asp.model.secret_names import HIDDEN, OTHER
from refract_asp.model.sources import Ask, numbered
from refract_asp.report.advice import change
from refract_asp.report.available import name_text

if TYPE_CHECKING:
    from refract_asp.model import Call, Edit, RepairResult, Source, Violation
    from refract_asp.model.edits import MoveCall

__all__ = ["call_text", "fix_text", "source_text"]


def fix_text(edit: Edit, violation: Violation, result: RepairResult) -> str | None:
    """
    Say what to change so that a violation goes, as the repair did; None where that can't be told in a line.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
        >>> result = repair("Get(amont=3)", {"tools": [tool]})
        >>> fix_text(result.edits[0], result.violations[0], result)
        'Change amont to amount'
    """
    match edit.kind:
        case "rename_tool" | "rename_parameter":
            return change(name_text(edit.before), name_text(edit.after))
        case "rename_label":
            return f"Change the label {name_text(edit.before)} to {name_text(edit.after)}"
        case "add_label":
            return f"Give the label {name_text(edit.after)} to {_given(edit.call, result)}"
        case "drop_argument":
            return f"Remove {name_text(edit.parameter)}"
        case "fill":
            return _filled(edit.parameter, edit.after)
        case "rebind":
            return _rebound(edit.parameter, edit.before, edit.after, violation)
        case "transform":
            old, new = source_text(edit.before), source_text(edit.after)
            if HIDDEN in old and OTHER in new and violation.faults:
                return f"Give {name_text(edit.parameter)} as {violation.faults[0].expected}"
            return change(f"{name_text(edit.parameter)}={old}", f"{name_text(edit.parameter)}={new}")
        case "split_call":
            return f"Call {name_text(violation.tool)} once for each element of {name_text(edit.parameter)}"
        case "add_call":
            return f"Add {call_text(edit.added)}"
        case "delete_call":
            return f"Remove {_given(edit.call, result)}"
    return _moved(edit, result)


def source_text(source: Source) -> str:
    """
    Print a source as it would stand in a call, bounded.

    Example:
        >>> from refract_asp.model import Reference
        >>> source_text(Reference(label="var1", path=("id",)))
        '"$var1.id$"'
    """
    return shown(pretty.source_text(source), LONGEST)


def call_text(call: Call) -> str:
    """Print a call on one line, bounded."""
    return shown(pretty.call_text(call), LONGEST_TEXT)


def _moved(edit: MoveCall, result: RepairResult) -> str:
    """Say behind which call a call goes."""
    before = result.origins[edit.after - 1] if 0 < edit.after <= len(result.origins) else None
    place = f"behind {_given(before, result)}" if before is not None else "to the front"
    if edit.after and before is None:
        call = result.sequence.calls[edit.after - 1]
        place = f"behind {name_text(call.label or call.name)}"
    return f"Move {_given(edit.call, result)} {place}"


def _filled(parameter: str, after: Source) -> str:
    if isinstance(after, Ask):
        return f"Ask for {name_text(parameter)}"
    return f"Add {name_text(parameter)}={source_text(after)}"


def _rebound(parameter: str, before: Source, after: Source, violation: Violation) -> str | None:
    """Say how the one reference changes that is wrong; where it is no reference any more, the argument."""
    number = violation.reference or 0
    old, new = dict(numbered(before)).get(number), dict(numbered(after)).get(number)
    if old is not None and new is not None:
        return change(shown(old.spelt(), LONGEST), shown(new.spelt(), LONGEST))
    if isinstance(after, Ask):
        return f"Ask for {name_text(parameter)}"
    name = name_text(parameter)
    return change(f"{name}={source_text(before)}", f"{name}={source_text(after)}")


def _given(number: int | None, result: RepairResult) -> str:
    if number is None or number >= len(result.given.calls):
        return "the call"
    call = result.given.calls[number]
    return f"call {number + 1} ({name_text(call.label or call.name)})"
