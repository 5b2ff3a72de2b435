"""What an edit does, and what it asks its reader to do, in a few words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST, LONGEST_TEXT, shown
from refract_asp.formats import pretty
from refract_asp.formats.references import NO_LABELS, Known
from refract_asp.model.secrets import HIDDEN, OTHER
from refract_asp.model.sources import Ask, Constant, Reference, numbered
from refract_asp.report.suggestions import change, name_text

if TYPE_CHECKING:
    from refract_asp.model import Call, Edit, RepairResult, Source, Violation
    from refract_asp.model.edits import MoveCall

__all__ = ["call_text", "edit_text", "fix_text", "given_text", "place_text", "source_text"]


def place_text(edit: Edit, result: RepairResult, beside: Edit | None = None) -> str:
    """Return the call that an edit changes, to stand before a message; empty if `beside` changes it too."""
    if edit.call is None or (beside is not None and beside.call == edit.call):
        return ""
    if edit.call >= len(result.given.calls):
        return "what is returned: "
    call = result.given.calls[edit.call]
    return f"call {edit.call + 1} ({_name(call.label if call.label is not None else call.name)}): "


def edit_text(edit: Edit) -> str:
    """
    Say what an edit does.

    Example:
        >>> from refract_asp.model.edits import RenameTool
        >>> edit_text(RenameTool(before="Serch", after="Search"))
        'the tool becomes Search'
    """
    match edit.kind:
        case "rename_tool":
            return f"the tool becomes {_name(edit.after)}"
        case "rename_label" | "add_label":
            return f"the label becomes {_name(edit.after)}"
        case "rename_parameter":
            return f"{_name(edit.before)} goes to {_name(edit.after)}"
        case "drop_argument":
            return f"{_name(edit.parameter)} is left out"
        case "split_call":
            return f"{_name(edit.parameter)} is spread over {len(edit.after)} calls"
        case "fill" | "rebind" | "transform":
            return f"{_name(edit.parameter)} {_becomes(edit.after)}"
        case "add_call":
            return f"{_call(edit.added)} is added"
        case "delete_call":
            return "the call is left out"
    return "the call moves"


def _becomes(source: Source) -> str:
    if isinstance(source, Ask):
        return "is asked"
    if isinstance(source, Reference):
        return f"reads {_name(str(source))}"
    if isinstance(source, Constant):
        return f"becomes {_name(json.dumps(source.value, ensure_ascii=False, default=str))}"
    return "changes inside"


def _call(call: Call) -> str:
    arguments = ", ".join(
        f"{_name(name)} {_becomes(source)}" for name, source in call.arguments.items()
    )
    return f"{_name(call.name)}{f' ({arguments})' if arguments else ''}"


def _name(text: str) -> str:
    return shown(text)


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
    known = Known((), only=result.given.names)
    match edit.kind:
        case "rename_tool" | "rename_parameter":
            return change(name_text(edit.before), name_text(edit.after))
        case "rename_label":
            return f"Change the label {name_text(edit.before)} to {name_text(edit.after)}"
        case "add_label":
            return f"Give the label {name_text(edit.after)} to {given_text(edit.call, result.given.calls)}"
        case "drop_argument":
            return f"Remove {name_text(edit.parameter)}"
        case "fill":
            return _filled(edit.parameter, edit.after, known)
        case "rebind":
            return _rebound(edit.parameter, edit.before, edit.after, violation, known)
        case "transform":
            old, new = source_text(edit.before, known), source_text(edit.after, known)
            if HIDDEN in old and OTHER in new and violation.faults:
                return f"Give {name_text(edit.parameter)} as {violation.faults[0].expected}"
            return change(
                f"{name_text(edit.parameter)}={old}", f"{name_text(edit.parameter)}={new}"
            )
        case "split_call":
            return f"Call {name_text(violation.tool)} once for each element of {name_text(edit.parameter)}"
        case "add_call":
            return f"Add {call_text(edit.added, known)}"
        case "delete_call":
            return f"Remove {given_text(edit.call, result.given.calls)}"
    return _moved(edit, result)


def source_text(source: Source, known: Known = NO_LABELS) -> str:
    """
    Print a source as it would stand in a call, bounded.

    Example:
        >>> from refract_asp.model import Reference
        >>> source_text(Reference(label="var1", path=("id",)))
        '"$var1.id$"'
    """
    return shown(pretty.source_text(source, known), LONGEST)


def call_text(call: Call, known: Known = NO_LABELS) -> str:
    """Print a call on one line, bounded."""
    return shown(pretty.call_text(call, known), LONGEST_TEXT)


def _moved(edit: MoveCall, result: RepairResult) -> str:
    """Say behind which call a call goes."""
    before = result.origins[edit.after - 1] if 0 < edit.after <= len(result.origins) else None
    place = (
        f"behind {given_text(before, result.given.calls)}" if before is not None else "to the front"
    )
    if edit.after and before is None:
        call = result.sequence.calls[edit.after - 1]
        place = f"behind {name_text(call.label or call.name)}"
    return f"Move {given_text(edit.call, result.given.calls)} {place}"


def _filled(parameter: str, after: Source, known: Known) -> str:
    if isinstance(after, Ask):
        return f"Ask for {name_text(parameter)}"
    return f"Add {name_text(parameter)}={source_text(after, known)}"


def _rebound(
    parameter: str, before: Source, after: Source, violation: Violation, known: Known
) -> str | None:
    """Say how the one reference changes that is wrong; where it is no reference any more, the argument."""
    number = violation.reference or 0
    old, new = dict(numbered(before)).get(number), dict(numbered(after)).get(number)
    if old is not None and new is not None:
        return change(shown(old.spelt(), LONGEST), shown(new.spelt(), LONGEST))
    if isinstance(after, Ask):
        return f"Ask for {name_text(parameter)}"
    name = name_text(parameter)
    return change(f"{name}={source_text(before, known)}", f"{name}={source_text(after, known)}")


def given_text(number: int | None, calls: Sequence[Call], otherwise: str = "the call") -> str:
    """Name a given call by its number, from 1, and its label or tool; else return `otherwise`."""
    if number is None or number >= len(calls):
        return otherwise
    return f"call {number + 1} ({name_text(calls[number].label or calls[number].name)})"
