"""What a diagnostic says beyond its violation: what the catalog has of tools, parameters, values, calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Reference, Tool, Violation
from refract_asp.model.diagnostic import Available, Limits, Listing
from refract_asp.model.edits import ViolationCode
from refract_asp.model.paths import FieldPath, reference_text
from refract_asp.model.schemas import children, resolve
from refract_asp.model.secrets import HIDDEN
from refract_asp.report.suggestions import (
    Method,
    change,
    find_similar_items,
    inside_text,
    listing_of_names,
    name_text,
    parameter_note,
    parameter_type,
    value_text,
)
from refract_asp.rules.fitting import may_be_held
from refract_asp.rules.instance import Instance, Place

__all__ = [
    "PLAIN",
    "Advice",
    "Lookup",
    "broken_schema",
    "duplicate_call",
    "invalid_arguments",
    "invalid_value",
    "missing_parameter",
    "needless_call",
    "undeclared_parameter",
    "unknown_tool",
    "unmet_goal",
    "unused_call",
]

MAX_SIMILAR = 100
"""So many names are compared further."""


@dataclass(frozen=True)
class Advice:
    """
    What is told of a violation beyond the violation itself; the fields are those of a diagnostic.

    Example:
        >>> Advice(fix="Remove call 2 (Pay)").tip is None
        True
    """

    expected: str | None = None
    given: str | None = None
    available: Listing | None = None
    suggestions: tuple[str, ...] = ()
    fix: str | None = None
    tip: str | None = None


@dataclass(frozen=True)
class Lookup:
    """
    A violation, the sequence and catalog in which it is looked up, and how much is told.

    What was looked up for one violation is kept in `cache` for the others of the same report.
    """

    instance: Instance
    violation: Violation
    limits: Limits
    cache: dict[object, Any] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The number of the call, -1 for goals."""
        return self.violation.call if self.violation.call is not None else -1

    @property
    def parameter(self) -> str:
        """The argument, or the empty text."""
        return self.violation.parameter or ""

    @property
    def place(self) -> Place:
        """The reference that is wrong."""
        return self.number, self.parameter, self.violation.reference or 0

    @property
    def reference(self) -> Reference:
        """What it says."""
        return self.instance.references[self.place]

    def call_text(self, number: int) -> str:
        """Name a call by its number, from 1, and its label or tool."""
        call = self.instance.call(number)
        return f"call {number + 1} ({name_text(call.label or call.name)})"

    def similar(self, name: str, names: Iterable[str]) -> list[str]:
        """Return the names that were probably meant, best first; how many are shown is another matter."""
        method: Method = "fuzzy" if self.limits.fuzzy else "substring"
        return find_similar_items(name, names, max_results=MAX_SIMILAR, method=method)

    def shown(self, suggestions: Iterable[str]) -> tuple[str, ...]:
        """Return as many suggestions as are shown, each once."""
        return tuple(dict.fromkeys(suggestions))[: self.limits.suggestions]


CLEAR, CLEAR_MARGIN, ALIKE = 40, 8, 55
"""When a tool is clearly meant, and when it is somewhat alike; as `recovery/rename_tool.lp` says it."""
SLIP = 15
"""Up to this distance (of 100) a name is the other one with a slip of the pen."""
MOST_FAULTS = 3
"""Of so many faults of a value it is said what is expected."""


def unknown_tool(at: Lookup) -> Advice:
    """List the tools that exist, of many the nearest ones first; these may be meant."""
    index = at.instance.index
    written = at.violation.tool
    near = [(name, distance) for name, distance in index.near_names(written)[0] if name != written]
    alike = [name for name, distance in near if distance <= ALIKE]
    first = alike if len(index.tools) > at.limits.fields else []
    names = dict.fromkeys([*first, *index.tools])
    entries = [Available(text=name_text(name)) for name in islice(names, at.limits.fields)]
    listing = Listing(
        title="Available tools", entries=tuple(entries), more=len(names) - len(entries)
    )
    fix, tip = _other_tool(at, near)
    return Advice(
        available=listing if names else None,
        suggestions=at.shown(map(name_text, alike)),
        fix=fix,
        tip=tip,
    )


def _other_tool(at: Lookup, near: list[tuple[str, int]]) -> tuple[str | None, str | None]:
    """Say which tool to call if one is clearly meant; else what to look at."""
    written = name_text(at.violation.tool)
    if not near or near[0][1] > ALIKE:
        return None, "Use a tool of the catalog; none has a name like this one"
    (name, distance), *others = near
    best = name_text(name)
    rival = others[0] if others else None
    if distance > SLIP and rival is not None and rival[1] - distance < CLEAR_MARGIN:
        return None, f"{best} or {name_text(rival[0])} may be meant; see which one does it"
    if distance > CLEAR:
        return None, f"{best} may be meant"
    effect = at.instance.index.tools[name].effect
    if distance > SLIP and effect in ("write", "destructive"):
        changes = "changes something" if effect == "write" else "destroys something"
        return None, f"{best} may be meant; make sure, as it {changes}"
    return change(written, best), None


def undeclared_parameter(at: Lookup) -> Advice:
    """List what the tool takes; of that, what no argument goes to yet may be meant."""
    tool = _tool(at)
    taken = at.instance.call(at.number).arguments
    claimed = _claimed(at, tool)
    others = {goal for name, goal in claimed.items() if name != at.parameter}
    free = [name for name in tool.parameters if name not in taken and name not in others]
    meant = at.similar(at.parameter, free)
    needed = [name for name in free if tool.parameters[name].required]
    name = name_text(at.parameter)
    fix = change(name, name_text(claimed[at.parameter])) if at.parameter in claimed else None
    tip = f"Remove {name}"
    if len(needed) == 1:
        tip = f"Change {name} to {name_text(needed[0])}, which is missing, if that is meant; else remove it"
    elif needed:
        missing = ", ".join(map(name_text, needed[:3]))
        tip = f"Give its value to what is missing ({missing}), if one of them is meant; else remove {name}"
    entries = [_parameter(at, each, tool) for each in tool.parameters]
    title = f"Parameters of {name_text(tool.name)}"
    return Advice(
        available=listing_of_names(title, entries, at.limits.fields) if entries else None,
        suggestions=at.shown(map(name_text, meant)),
        fix=fix,
        tip=None if fix else tip,
    )


def _claimed(at: Lookup, tool: Tool) -> dict[str, str]:
    """Return which parameter each argument that is not declared probably means, no parameter twice."""
    taken = at.instance.call(at.number).arguments
    free = [name for name in tool.parameters if name not in taken]
    claimed: dict[str, str] = {}
    for name in taken:
        if name not in tool.parameters and not tool.additional_parameters:
            meant = at.similar(name, [each for each in free if each not in claimed.values()])
            if meant:
                claimed[name] = meant[0]
    return claimed


def missing_parameter(at: Lookup) -> Advice:
    """Say what is missing; what goes to no parameter may be it, or a value of its name and type."""
    tool = _tool(at)
    parameter = tool.parameters[at.parameter]
    name = name_text(at.parameter)
    suggestions = at.shown(f'{name}="{text}"' for text in _offers(at, tool))
    fix = f"Add {suggestions[0]}" if suggestions else None
    if "default" in parameter.json_schema and at.instance.index.known_value(
        tool.name, at.parameter
    ):
        default = parameter.json_schema["default"]
        default = at.instance.index.secrets.value([tool.name], [at.parameter], default)
        fix = f"Add {name}={value_text(default)}, its default"
    wrong = next(
        (given for given, meant in _claimed(at, tool).items() if meant == at.parameter), None
    )
    if wrong is not None:
        fix = change(name_text(wrong), name)
    return Advice(
        expected=parameter_type(parameter, tool),
        available=Listing(title="Missing input", entries=(_parameter(at, at.parameter, tool),)),
        suggestions=suggestions,
        fix=fix,
        tip=None if fix else f"Add {name}, or ask for it",
    )


def _offers(at: Lookup, tool: Tool) -> list[str]:
    """Return references to values of the parameter's name and type, the latest first."""
    found = []
    wanted = at.instance.index.taken_types(tool.name, at.parameter)
    seen: set[str] = set()
    for number in reversed(at.instance.earlier(at.number)):
        call, producer = at.instance.call(number), at.instance.tool(number)
        if call.label is None or call.label in seen:
            continue
        seen.add(call.label)
        for output in producer.fields_to(at.limits.depth) if producer is not None else ():
            named = str(output.path[-1]).lower() == at.parameter.lower()
            assert producer is not None
            if named and at.instance.index.types_at(producer.name, output.path) <= wanted:
                found.append(reference_text(call.label, output.path))
    held = Reference(label=at.parameter)
    is_known = at.parameter in at.instance.memory.values and at.parameter not in seen
    if is_known and may_be_held(at.instance, held, tool.name, at.parameter):
        found.append(str(held))
    return [shown(text) for text in dict.fromkeys(found)]


def _parameter(at: Lookup, name: str, tool: Tool) -> Available:
    parameter = tool.parameters[name]
    note = parameter_note(at.instance.index.secrets.parameter(tool.name, parameter))
    return Available(text=name_text(name), type=parameter_type(parameter, tool), note=note)


def _tool(at: Lookup) -> Tool:
    tool = at.instance.tool(at.number)
    assert tool is not None
    return tool


def invalid_value(at: Lookup) -> Advice:
    """Say what is expected in each place; list the values that are allowed, where the schema does."""
    tool = _tool(at)
    faults = at.violation.faults
    if not faults:
        return Advice(tip=f"Give {name_text(at.parameter)} another value")
    told = [
        f"{inside_text(name_text(at.parameter), fault.path)} what is expected: {fault.expected}"
        for fault in faults[:MOST_FAULTS]
    ]
    more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
    tip = f"Give {'; '.join(told)}{more}"
    listed = next(
        (fault for fault in faults if fault.keyword == "enum" and fault.given != HIDDEN), None
    )
    members = _members(at, tool, listed.path) if listed is not None else []
    if listed is None or not members:
        return Advice(tip=tip)
    entries = [Available(text=value_text(member)) for member in members]
    named = {member: value_text(member) for member in members if isinstance(member, str)}
    meant = [named[each] for each in at.similar(listed.given.strip('"'), named)]
    is_all = all(fault.path == listed.path for fault in faults)
    fix = change(listed.given, meant[0]) if meant and is_all else None
    return Advice(
        available=listing_of_names(
            f"Allowed values of {inside_text(name_text(at.parameter), listed.path)}",
            entries,
            at.limits.fields,
        ),
        suggestions=at.shown(meant),
        fix=fix,
        tip=None if fix else tip,
    )


def _members(at: Lookup, tool: Tool, path: FieldPath) -> list[Any]:
    """Return the values that the schema of the parameter lists at a path."""
    root = tool.input_schema
    schema = tool.parameters[at.parameter].json_schema
    for step in path:
        inner = dict(children(schema, root))
        schema = inner.get(0 if isinstance(step, int) else step, {})
    schema = resolve(schema, root)
    members = schema.get("enum") if isinstance(schema, dict) else None
    return list(members) if isinstance(members, list) else []


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
        return Advice(
            tip=f"Add a call of {name_text(goal.name)} before that of {name_text(goal.then)}"
        )
    wanted = shown(str(at.instance.index.secrets.goal(goal)), LONGEST_TEXT)
    made = next(
        (n for n, call in enumerate(at.instance.sequence.calls) if call.name == goal.name), None
    )
    if made is None or not goal.arguments:
        return Advice(tip=f"Add a call {wanted}" if goal.arguments else f"Add a call of {wanted}")
    return Advice(tip=f"Let {at.call_text(made)} be {wanted}, or add that call")


def _unknown_value(at: Lookup, field: str) -> Advice:
    """Say which tools return a field that a goal wants, or which fields have a like name."""
    tools = at.instance.index.tools
    returned = {
        tool.name: [
            str(each.path[-1]) for each in tool.output_fields if isinstance(each.path[-1], str)
        ]
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


def unused_call(at: Lookup) -> Advice:
    """Say how a plan has a call made."""
    call = at.instance.call(at.number)
    name = name_text(call.label)
    example = (
        f", as in return {{{name}: {name}, ...}}"
        if getattr(call.written, "is_alias", False)
        else ""
    )
    return Advice(tip=f"Return what it gives, too{example}, or leave the call out")
