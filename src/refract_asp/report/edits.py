"""What an edit does, in a few words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from refract_asp.errors import shown
from refract_asp.model.sources import Ask, Constant, Reference

if TYPE_CHECKING:
    from refract_asp.model import Call, Edit, RepairResult, Source

__all__ = ["edit_text", "place_text"]


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
    arguments = ", ".join(f"{_name(name)} {_becomes(source)}" for name, source in call.arguments.items())
    return f"{_name(call.name)}{f' ({arguments})' if arguments else ''}"


def _name(text: str) -> str:
    return shown(text)
