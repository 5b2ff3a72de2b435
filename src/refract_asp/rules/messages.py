"""Says a violation in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from clingo import Symbol, SymbolType

from refract_asp.errors import LONGEST_TEXT, EncodingError, shown
from refract_asp.model import Violation
from refract_asp.model.edits import ViolationCode
from refract_asp.model.paths import POSITION, Fault, is_position, path_text
from refract_asp.model.schemas import schema_types, types_text
from refract_asp.rules.choices import Where
from refract_asp.rules.fitting import faults_of, types_read
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.schemas.dialects import value_of
from refract_asp.rules.schemas.wording import given_text

__all__ = ["refuse_unknown_codes", "unmade_text", "violation_of"]

MESSAGES = {
    "unknown_tool": "the catalog has no tool {tool}",
    "undeclared_parameter": "{tool} has no parameter {parameter}",
    "missing_parameter": "{tool} requires {parameter}",
    "unknown_label": "{written} refers to {label}, which no earlier call bears and memory does not know",
    "unknown_variable": "{written} names nothing that is known",
    "unknown_field": "{written} reads {path}, which {holder}",
    "malformed_reference": "{written} cannot be read as a reference: {tool} would get it as text",
    "read_before_written": "{written} reads from a call that comes later",
    "duplicate_call": "{tool} is called {again} under the same label",
    "tried_too_often": "{tool} was already executed in this way as often as allowed",
    "invalid_value": "{faults}",
    "type_mismatch": "{written} is {kinds}, but {parameter} of {tool} takes {wanted}",
    "invalid_arguments": "the arguments of {tool} do not go together: {reason}",
    "malformed_arguments": "the arguments of {tool} cannot be read: {reason}",
    "broken_schema": "the schema of {schema} cannot be judged: {reason}",
    "unused_call": "{tool} may change something and is never called: nothing that the plan returns reads it",
    "forbidden": "{text}",
}
MOST = 3
"""So many faults of one value are named in the message; all are in `faults`."""


def refuse_unknown_codes(symbols: Iterable[Symbol]) -> None:
    """
    Do nothing when there are words for all violations that the rules derived.

    Raises:
        EncodingError: rules that take the place of the shipped ones derive a code that is unknown.
    """
    known = [code for code in get_args(ViolationCode) if code in {*MESSAGES, "unmet_goal"}]
    for symbol in sorted(symbols):
        code = symbol.arguments[0]
        if code.type is not SymbolType.Function or str(code) not in known:
            raise EncodingError(
                f"the rules derive {shown(symbol)}, and there is no code {shown(code)}.",
                hint="Rules of your own say what they forbid as forbidden(Place) or forbidden(Place, Text). "
                f"Known codes: {', '.join(known)}.",
            )


def violation_of(
    instance: Instance, code: str, where: Where, texts: Iterable[str] = ()
) -> Violation:
    """Return the violation that a code and a place stand for; `texts` are what house rules say of it."""
    kind, number, parameter, slot = where
    assert isinstance(number, int)
    if kind == "goal":
        return _unmet(instance, number)
    call = instance.call(number)
    place = (number, parameter or "", slot or 0)
    reference = instance.references.get(place) if slot is not None else None
    producer = instance.producers.get(place)
    given: str | None = str(reference) if reference is not None else None
    if code == "unknown_tool":
        given = call.name
    elif code == "undeclared_parameter":
        given = parameter
    faults: tuple[Fault, ...] = ()
    if code == "invalid_value":
        faults = faults_of(instance, number, parameter or "")
        secrets = instance.index.secrets
        source = call.arguments[parameter or ""]
        given = given_text(value_of(secrets.argument([call.name], [parameter or ""], source)))
    _, culprit, reason = instance.unmendable.get(number, ("", None, ""))
    if culprit is not None and instance.index.secrets.is_argument(call.name, culprit):
        reason = "its schema is none, and not shown since the parameter is secret"
    wanted = schema_types({})
    tool = instance.tool(number)
    if code == "type_mismatch" and tool is not None and parameter in tool.parameters:
        wanted = schema_types(tool.parameters[parameter].json_schema, tool.input_schema)
    message = _sentence(instance, code, place).format(
        tool=shown(call.name),
        parameter=shown(parameter),
        given=shown(given),
        label=shown(reference.label) if reference else "",
        path=shown(path_text(reference.path)) if reference else "",
        written=shown(reference.spelt()) if reference else "",
        holder=f"{shown(instance.call(producer).name)} does not return"
        if producer is not None
        else "memory does not hold",
        faults=_faults_text(shown(parameter), faults),
        kinds=types_text(types_read(instance, place), "any value"),
        wanted=types_text(wanted, "any value") if slot == 0 else "another type there",
        schema=shown(f"{culprit} of {call.name}" if culprit else call.name),
        reason=shown(reason, LONGEST_TEXT),
        again=_again(instance, number),
        text="; ".join(shown(text, LONGEST_TEXT) for text in texts) or "a house rule forbids it",
    )
    return Violation(
        code=code,
        call=number,
        tool=call.name,
        label=call.label,
        parameter=parameter if code != "broken_schema" else culprit,
        reference=slot,
        given=given,
        faults=faults,
        message=message,
    )


def unmade_text(instance: Instance, number: int) -> str:
    """Say that a plan never makes a call of which nobody knows that it only reads."""
    call = instance.call(number)
    return (
        f"call {number + 1} ({shown(call.label or call.name)}) is never made, as nothing that the plan "
        f"returns reads it, and {shown(call.name)} may change something. Return it, too, or declare the "
        "effect of the tool."
    )


def _sentence(instance: Instance, code: str, place: Place) -> str:
    """Return the sentence of a code, where there are several the one that holds at the place."""
    number, parameter, _ = place
    if code == "read_before_written" and instance.producers.get(place) == number:
        return "{tool} reads from itself: {written} is what it returns"
    if code == "undeclared_parameter" and is_position(parameter):
        return f"{{tool}} {_unbound(instance, number, int(parameter.removeprefix(POSITION)))}"
    return MESSAGES[code]


def _unbound(instance: Instance, number: int, position: int) -> str:
    """Say why an argument by position is no argument of the tool."""
    tool, arguments = instance.tool(number), instance.call(number).arguments
    declared = list(tool.parameters) if tool is not None else []
    most = sum(map(is_position, arguments))
    by_name = [
        name
        for place, name in enumerate(declared, 1)
        if {name, f"{POSITION}{place}"} <= arguments.keys()
    ]
    if position > len(declared):
        told = f"takes no argument at position {position}"
    elif most > len(declared):
        told = f"takes {len(declared)} argument{'s' * (len(declared) != 1)}, not {most} by position"
    elif by_name:
        name = shown(declared[position - 1])
        told = f"takes {name} at position {position}, and {shown(by_name[0])} is given by name too"
    else:
        told = f"does not tell which argument stands at position {position}"
    return told.replace("{", "{{").replace("}", "}}")


def _again(instance: Instance, number: int) -> str:
    """Say as which call one is made again, where that is known."""
    first = instance.copies.get(number)
    return "twice in the same way" if first is None else f"as in call {first + 1},"


def _unmet(instance: Instance, number: int) -> Violation:
    """Say that a goal is not met."""
    goal = instance.goals[number]
    told = {
        "tool": "no call of {goal} is made" if not goal.arguments else "no call does {goal}",
        "field": "{goal} is not known in the end: no call returns it, and memory does not hold it",
        "before": "{then} is called, and {goal} is not called before it",
    }[goal.kind]
    goal = instance.index.secrets.goal(goal)
    name = goal if goal.kind == "tool" else goal.name
    return Violation(
        code="unmet_goal",
        call=None,
        tool=goal.name if goal.kind != "field" else "",
        given=str(goal),
        message=told.format(goal=shown(name, LONGEST_TEXT), then=shown(goal.then)),
    )


def _faults_text(parameter: str, faults: tuple[Fault, ...]) -> str:
    """Say what in a value does not fit, the first few faults of it."""
    told = []
    for fault in faults[:MOST]:
        inside = path_text(fault.path)
        joint = "" if not inside or inside.startswith("[") else "."
        told.append(
            f"{parameter}{joint}{shown(inside)} should be {fault.expected}, not {fault.given}"
        )
    if len(faults) > MOST:
        told.append(f"and {len(faults) - MOST} more")
    return "; ".join(told)
