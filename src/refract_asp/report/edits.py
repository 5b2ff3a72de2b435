"""What an edit does, and what it asks its reader to do, in a few words: one table for all texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats import pretty
from refract_asp.formats.references import NO_LABELS, Known
from refract_asp.model.secrets import HIDDEN, OTHER
from refract_asp.model.sequence import Ask, Constant, Reference, numbered
from refract_asp.report.suggestions import change

if TYPE_CHECKING:
    from refract_asp.model import Call, Edit, RepairResult, Source, Violation
    from refract_asp.model.edits import MoveCall

__all__ = [
    "PHRASES",
    "Phrases",
    "edit_text",
    "fix_text",
    "given_text",
    "names_of",
    "place_text",
    "source_text",
]


class Phrases(NamedTuple):
    """An edit in three ways: what it does, the fix of a diagnostic, and the instruction of a prompt."""

    does: str
    fix: str
    do: str


PHRASES = {
    "rename_tool": Phrases(
        "the tool becomes {after}", "Change {before} to {after}", "call {after} instead of {before}"
    ),
    "rename_label": Phrases(
        "the label becomes {after}",
        "Change the label {before} to {after}",
        "give {call} the label {after} instead of {before}",
    ),
    "add_label": Phrases(
        "the label becomes {after}",
        "Give the label {after} to {call}",
        "give {call} the label {after}",
    ),
    "rename_parameter": Phrases(
        "{before} goes to {after}",
        "Change {before} to {after}",
        "rename the parameter {before} to {after}",
    ),
    "drop_argument": Phrases(
        "{parameter} is left out", "Remove {parameter}", "leave {parameter} out"
    ),
    "fill": Phrases("{parameter} {becomes}", "Add {parameter}={new}", "add {new}"),
    "rebind": Phrases(
        "{parameter} {becomes}",
        "Change {parameter}={old} to {parameter}={new}",
        "change {old} to {new}",
    ),
    "transform": Phrases(
        "{parameter} {becomes}",
        "Change {parameter}={old} to {parameter}={new}",
        "write {new}, not {old}",
    ),
    "split_call": Phrases(
        "{parameter} is spread over {count} calls",
        "Call {tool} once for each element of {parameter}",
        "make a call of its own for each value of {parameter}",
    ),
    "add_call": Phrases("{new} is added", "Add {new}", "call {new}"),
    "delete_call": Phrases("the call is left out", "Remove {call}", "leave {call} out"),
    "move_call": Phrases("the call moves", "Move {call} {place}", "put {call} {place}"),
}
"""The words of each kind of edit."""


def place_text(edit: Edit, result: RepairResult, beside: Edit | None = None) -> str:
    """Return the call that an edit changes, to stand before a message; empty if `beside` changes it too."""
    if edit.call is None or (beside is not None and beside.call == edit.call):
        return ""
    if edit.call >= len(result.given.calls):
        return "what is returned: "
    call = result.given.calls[edit.call]
    return f"call {edit.call + 1} ({shown(call.label if call.label is not None else call.name)}): "


def edit_text(edit: Edit) -> str:
    """
    Say what an edit does.

    Example:
        >>> from refract_asp.model.edits import RenameTool
        >>> edit_text(RenameTool(before="Serch", after="Search"))
        'the tool becomes Search'
    """
    more: dict[str, object] = {}
    if edit.kind in ("fill", "rebind", "transform"):
        more["becomes"] = _becomes(edit.after)
    elif edit.kind == "split_call":
        more["count"] = len(edit.after)
    elif edit.kind == "add_call":
        each = (
            f"{shown(name)} {_becomes(source)}" for name, source in edit.added.arguments.items()
        )
        arguments = ", ".join(each)
        more["new"] = f"{shown(edit.added.name)}{f' ({arguments})' if arguments else ''}"
    return PHRASES[edit.kind].does.format(**names_of(edit), **more)


def names_of(edit: Edit) -> dict[str, str]:
    """Return the names in an edit as they are shown: of a tool, a label or a parameter."""
    return {name: shown(value) for name, value in edit if isinstance(value, str)}


def _becomes(source: Source) -> str:
    if isinstance(source, Ask):
        return "is asked"
    if isinstance(source, Reference):
        return f"reads {shown(str(source))}"
    if isinstance(source, Constant):
        return f"becomes {shown(json.dumps(source.value, ensure_ascii=False, default=str))}"
    return "changes inside"


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
    words = names_of(edit)
    words |= {"call": given_text(edit.call, result.given.calls), "tool": shown(violation.tool)}
    match edit.kind:
        case "rename_tool" | "rename_parameter":
            return change(words["before"], words["after"])
        case "fill" | "rebind" if isinstance(edit.after, Ask):
            return f"Ask for {words['parameter']}"
        case "fill":
            words["new"] = source_text(edit.after, known)
        case "rebind" | "transform":
            number = violation.reference or 0
            old, new = (dict(numbered(each)).get(number) for each in (edit.before, edit.after))
            if edit.kind == "rebind" and old is not None and new is not None:
                return change(shown(old.spelt()), shown(new.spelt()))
            words |= {"old": source_text(edit.before, known), "new": source_text(edit.after, known)}
            is_other_secret = HIDDEN in words["old"] and OTHER in words["new"]
            if edit.kind == "transform" and is_other_secret and violation.faults:
                return f"Give {words['parameter']} as {violation.faults[0].expected}"
            if words["old"] == words["new"]:
                return None
        case "add_call":
            words["new"] = shown(pretty.call_text(edit.added, known), LONGEST_TEXT)
        case "move_call":
            words["place"] = _behind(edit, result)
    return PHRASES[edit.kind].fix.format(**words)


def _behind(edit: MoveCall, result: RepairResult) -> str:
    """Say behind which call a call goes."""
    if not 0 < edit.after <= len(result.origins):
        return "to the front"
    before = result.origins[edit.after - 1]
    if before is not None:
        return f"behind {given_text(before, result.given.calls)}"
    call = result.sequence.calls[edit.after - 1]
    return f"behind {shown(call.label or call.name)}"


def source_text(source: Source, known: Known = NO_LABELS) -> str:
    """
    Print a source as it would stand in a call, bounded.

    Example:
        >>> from refract_asp.model import Reference
        >>> source_text(Reference(label="var1", path=("id",)))
        '"$var1.id$"'
    """
    return shown(pretty.source_text(source, known))


def given_text(number: int | None, calls: Sequence[Call], otherwise: str = "the call") -> str:
    """Name a given call by its number, from 1, and its label or tool; else return `otherwise`."""
    if number is None or number >= len(calls):
        return otherwise
    return f"call {number + 1} ({shown(calls[number].label or calls[number].name)})"
