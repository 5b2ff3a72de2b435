"""Advice on calls as a whole."""

from __future__ import annotations

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.edits import ViolationCode
from refract_asp.report.advice import Advice, Lookup
from refract_asp.report.available import name_text

__all__ = [
    "PLAIN",
    "broken_schema",
    "duplicate_call",
    "invalid_arguments",
    "needless_call",
    "unmet_goal",
]

PLAIN: dict[ViolationCode, Advice] = {
    "tried_too_often": Advice(tip="Call it with other arguments, or do without it"),
    "malformed_arguments": Advice(tip="Write the call again, with arguments that are JSON"),
    "forbidden": Advice(tip="Do what the house rule says"),
}
"""What is told in the same words whatever the call is."""


def duplicate_call(at: Lookup) -> Advice:
    """Say which of the two calls to remove."""
    return Advice(fix=f"Remove {at.call_text(at.number)}")


def invalid_arguments(at: Lookup) -> Advice:
    """Say what is wanted of the arguments together."""
    reason = at.instance.unmendable.get(at.number, ("", None, ""))[2]
    return Advice(
        expected=shown(reason.removeprefix("expected "), LONGEST_TEXT) or None,
        tip="Give the arguments that go together",
    )


def broken_schema(at: Lookup) -> Advice:
    """Say where the catalog is wrong."""
    return Advice(tip=f"Mend the schema of {name_text(at.violation.tool)} in the catalog")


def unmet_goal(at: Lookup) -> Advice:
    """Say what is missing."""
    tool = name_text(at.violation.tool)
    return Advice(tip=f"Add a call of {tool}" if tool else "Add a call that returns it")


def needless_call(at: Lookup) -> Advice:
    """Say which call to remove."""
    return Advice(fix=f"Remove {at.call_text(at.number)}")
