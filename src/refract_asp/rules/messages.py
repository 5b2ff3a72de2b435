"""Describes a violation in one sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from clingo import Symbol, SymbolType

from refract_asp.errors import LONGEST_TEXT, EncodingError, shown
from refract_asp.model import Reference, Violation
from refract_asp.model.paths import POSITION, Fault, is_position, path_text
from refract_asp.model.schemas import types_text
from refract_asp.resources import packaged
from refract_asp.rules.choices import Where
from refract_asp.rules.fitting import faults_of, types_read
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.schemas.dialects import value_of
from refract_asp.rules.schemas.validation import given_text

# So many faults of one value are named in the message; all are in `faults`.
MOST = 3


def refuse_unknown_codes(symbols: Iterable[Symbol]) -> None:
    """
    Do nothing when there are words for all violations that the rules derived.

    Raises:
        EncodingError: rules that take the place of the shipped ones derive a code that is unknown.
    """
    for symbol in symbols:
        code, known = symbol.arguments[0], packaged("model/words")["messages"]
        if code.type is not SymbolType.Function or str(code) not in known:
            what = f"the rules derive {shown(symbol)}, and there is no code {shown(code)}."
            hint = "Rules of your own say what they forbid as forbidden(Place) or forbidden(Place, Text)."
            raise EncodingError(what, hint=f"{hint} Known codes: {', '.join(known)}.")


def violation_of(instance: Instance, code: str, where: Where, texts: Iterable[str]) -> Violation:
    """Return the violation that a code and a place stand for; `texts` are what house rules say of it."""
    number: Any
    kind, number, parameter, slot = where
    if kind == "goal":
        return _unmet(instance, number)
    call, secrets = instance.call(number), instance.index.secrets
    place = (number, parameter or "", slot or 0)
    reference = instance.references.get(place) if slot is not None else None
    given: str | None = str(reference) if reference is not None else None
    faults: tuple[Fault, ...] = ()
    _, culprit, reason = instance.unmendable.get(number, ("", None, ""))
    if culprit and secrets.is_argument(call.name, culprit):
        reason = "its schema is none, and not shown since the parameter is secret"
    message = packaged("model/words")["messages"][code]
    if code == "unknown_tool":
        given = call.name
        if given in instance.index.denied:
            message = "{tool} may not be used: `allow` or `deny` leaves it out"
    elif code == "undeclared_parameter":
        given = parameter
        if is_position(place[1]):
            position = place[1].removeprefix(POSITION)
            message = f"no parameter of {{tool}} can take the argument at position {position}"
    elif code in ("invalid_value", "nested_call"):
        faults = faults_of(instance, number, place[1]) if code == "invalid_value" else ()
        source = secrets.argument([call.name], [place[1]], call.arguments[place[1]])
        given = given_text(value_of(source))
    elif code == "read_before_written" and instance.producers.get(place) == number:
        message = "{tool} reads from itself: {written} is what it returns"
    words = _words_of(instance, place, reference, faults)
    words["reason"] = shown(reason, LONGEST_TEXT)
    words["schema"] = shown(" of ".join(filter(None, (culprit, call.name))))
    words["wanted"] = _wanted(instance, number, place[1]) if slot == 0 else "another type there"
    forbidden = "; ".join(shown(text, LONGEST_TEXT) for text in texts)
    words["text"] = forbidden or "a house rule forbids it"
    return Violation(
        code=code,
        call=number,
        tool=call.name,
        label=call.label,
        parameter=parameter if code != "broken_schema" else culprit,
        reference=slot,
        given=given,
        faults=faults,
        message=message.format_map(defaultdict(str, words)),
    )


def _words_of(
    instance: Instance, place: Place, reference: Reference | None, faults: Collection[Fault]
) -> dict[str, str]:
    """Return what messages say of a place: its tool, what does not fit, and who does not have what is read."""
    number, parameter, _ = place
    parts = []
    for fault in islice(faults, MOST):
        inside = path_text(fault.path)
        joint = "" if not inside or inside.startswith("[") else "."
        at = f"{shown(parameter)}{joint}{shown(inside)}"
        parts.append(f"{at} should be {fault.expected}, not {fault.given}")
    if len(faults) > MOST:
        parts.append(f"and {len(faults) - MOST} more")
    words = {
        "tool": shown(instance.call(number).name) or "a call without a name",
        "parameter": shown(parameter),
        "faults": "; ".join(parts),
        "kinds": types_text(types_read(instance, place), "any value"),
        "again": f"as in call {instance.copies.get(number, number) + 1},",
        "holder": "memory does not hold",
    }
    producer = instance.producers.get(place)
    if producer is not None:
        words["holder"] = f"{shown(instance.call(producer).name)} does not return"
    if reference is not None:
        words |= {"written": shown(reference.spelt()), "label": shown(reference.label)}
        words["path"] = shown(path_text(reference.path))
    return words


def _wanted(instance: Instance, number: int, parameter: str) -> str:
    """Say which types a parameter takes."""
    tool = instance.tool(number)
    if tool is None or parameter not in tool.parameters:
        return "any value"
    return types_text(instance.index.taken_types(tool.name, parameter), "any value")


def unmade_text(instance: Instance, number: int) -> str:
    """Say that a plan never makes a call that is not known to only read."""
    call = instance.call(number)
    return (
        f"call {number + 1} ({shown(call.label or call.name)}) never runs, as nothing that the plan "
        f"returns reads its result, and {shown(call.name)} may change something. Return the result as well, "
        "or declare the effect of the tool."
    )


def _unmet(instance: Instance, number: int) -> Violation:
    """Say that a goal is not met."""
    goal = instance.goals[number]
    words = packaged("model/words")["messages"]["unmet_goal"]
    message = words["call" if goal.kind == "tool" and goal.arguments else goal.kind]
    goal = instance.index.secrets.goal(goal)
    name = shown(goal if goal.kind == "tool" else goal.name, LONGEST_TEXT)
    tool = goal.name if goal.kind != "field" else ""
    message = message.format(goal=name, then=shown(goal.then))
    return Violation(code="unmet_goal", call=None, tool=tool, given=str(goal), message=message)
