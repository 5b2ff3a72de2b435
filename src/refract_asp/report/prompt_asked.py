"""What is asked: where a value belongs, what it means, and why the one that stands there cannot stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.paths import path_text
from refract_asp.model.secret_names import HIDDEN, OTHER
from refract_asp.model.sources import Ask
from refract_asp.report.available import name_text

if TYPE_CHECKING:
    from refract_asp.model import Call, RepairResult
    from refract_asp.model.edits import Edit
    from refract_asp.model.result import AskFor

__all__ = ["LONGEST_NOTE", "asked_text", "call_name", "reason_of", "where_asked"]

LONGEST_NOTE = 200
"""Characters of what the catalog says of a value that is asked."""
MOST = 3
"""So many faults of one value are told."""


def call_name(number: int, call: Call) -> str:
    """Name a given call by its number, from 1, and its label or tool."""
    return f"call {number + 1} ({name_text(call.label if call.label is not None else call.name)})"


def asked_text(ask: AskFor, result: RepairResult) -> str:
    """Name a value that is asked, and say what the catalog says of it and what is wrong with the given."""
    note = shown(" ".join(ask.description.split()), LONGEST_NOTE)
    reasons: list[str] = []
    for edit in result.edits:
        if edit.kind == "rebind" and isinstance(edit.after, Ask) and edit.after.name == ask.name:
            wrong = [
                each.message
                for each in result.violations
                if (each.call, each.parameter) == (edit.call, edit.parameter)
            ]
            reason = reason_of(edit, result) or shown("".join(wrong[:1]), LONGEST_TEXT)
            reasons += [reason] if reason else []
    name = f"{name_text(ask.name)}{where_asked(ask, result)}"
    told = [note.rstrip(".") if reasons else note] if note else []
    told += dict.fromkeys(reasons)
    return f"{name}: {'; '.join(told)}" if told else name


def where_asked(ask: AskFor, result: RepairResult) -> str:
    """Say as a clause where an asked value belongs, where its name does not."""
    if ask.path:
        joint = "" if isinstance(ask.path[0], int) else "."
        return shown(f", which stands at {ask.parameter}{joint}{path_text(ask.path)}", LONGEST_NOTE)
    is_alone = [each.parameter for each in result.asks].count(ask.parameter) == 1
    if ask.parameter is None or ask.call is None or (is_alone and ask.name == ask.parameter):
        return ""
    calls = result.sequence.calls
    origin = result.origins[ask.call] if ask.call < len(result.origins) else None
    if origin is not None and origin < len(result.given.calls):
        where = call_name(origin, result.given.calls[origin])
    else:
        where = name_text(calls[ask.call].name) if ask.call < len(calls) else "what is returned"
    return f", the {name_text(ask.parameter)} of {where}"


def reason_of(edit: Edit, result: RepairResult) -> str:
    """
    Say what is wrong with a value that gives way to one that is asked; empty where that is not known.

    Args:
        edit: any edit of the result.
        result: the repair, without its secrets.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Send", "parameters": {"subject": {"type": "string", "maxLength": 3}}}
        >>> result = repair('Sent(subject="Hello")', {"tools": [tool]})
        >>> reason_of(result.edits[-1], result)
        'subject should be a text of at most 3 characters, not "Hello"'
    """
    instance = result._handle.instance
    if instance is None or edit.kind != "rebind" or not isinstance(edit.after, Ask):
        return ""
    if edit.call not in result.origins:
        return ""
    from refract_asp.rules.schemas.holes import value_of
    from refract_asp.rules.schemas.validation import BrokenSchemaError

    tool = result.sequence.calls[result.origins.index(edit.call)].name
    declared = instance.index.get(tool)
    if declared is None or edit.parameter not in declared.parameters:
        return ""
    validator = instance.index.validator(tool, edit.parameter)
    value = value_of(edit.before)
    if validator is None or instance.index.secrets.places(tool, edit.parameter, value):
        return ""
    try:
        faults = validator.faults(value)
    except BrokenSchemaError:
        return ""
    told = []
    for fault in faults[:MOST]:
        inside = path_text(fault.path)
        joint = "" if not inside or inside.startswith("[") else "."
        told.append(f"{edit.parameter}{joint}{inside} should be {fault.expected}, not {fault.given}")
    text = "; ".join(told)
    return "" if HIDDEN in text or OTHER in text else shown(text, LONGEST_TEXT)
