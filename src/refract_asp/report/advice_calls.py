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
MOST_TOOLS = 3
"""So many tools are named that return a field."""


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
    """Say which call is missing, or stands in the wrong place."""
    goal = next((each for each in at.instance.goals if str(each) == at.violation.given), None)
    if goal is None:
        return Advice(tip=f"Add a call of {name_text(at.violation.tool)}")
    if goal.kind == "field":
        return _unknown_value(at, goal.name)
    if goal.kind == "before":
        calls = at.instance.sequence.calls
        first = next((n for n, call in enumerate(calls) if call.name == goal.name), None)
        then = next((n for n, call in enumerate(calls) if call.name == goal.then), None)
        if first is not None and then is not None:
            return Advice(tip=f"Put {at.call_text(first)} before {at.call_text(then)}")
        return Advice(tip=f"Add a call of {name_text(goal.name)} before that of {name_text(goal.then)}")
    wanted = shown(str(at.instance.index.secrets.goal(goal)), LONGEST_TEXT)
    made = next((n for n, call in enumerate(at.instance.sequence.calls) if call.name == goal.name), None)
    if made is None or not goal.arguments:
        return Advice(tip=f"Add a call {wanted}" if goal.arguments else f"Add a call of {wanted}")
    return Advice(tip=f"Let {at.call_text(made)} be {wanted}, or add that call")


def _unknown_value(at: Lookup, field: str) -> Advice:
    """Say which tools return a field that a goal wants, or which fields have a like name."""
    tools = at.instance.index.tools
    returned = {
        tool.name: [str(each.path[-1]) for each in tool.output_fields if isinstance(each.path[-1], str)]
        for tool in tools.values()
    }
    giving = [name for name, names in returned.items() if field in names]
    if giving:
        listed = " or ".join(map(name_text, giving[:MOST_TOOLS]))
        return Advice(tip=f"Add a call of {listed}, which returns {name_text(field)}")
    meant = at.similar(field, dict.fromkeys(name for names in returned.values() for name in names))
    return Advice(
        suggestions=at.shown(map(name_text, meant)),
        tip=f"No tool of the catalog returns {name_text(field)}; name what one does return",
    )


def needless_call(at: Lookup) -> Advice:
    """Say which call to remove."""
    return Advice(fix=f"Remove {at.call_text(at.number)}")
