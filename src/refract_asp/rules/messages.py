"""Says a violation in one sentence."""

from __future__ import annotations

from refract_asp.errors import shown
from refract_asp.model import Violation
from refract_asp.model.paths import path_text
from refract_asp.rules.choices import Where
from refract_asp.rules.instance import Instance

__all__ = ["violation_of"]

MESSAGES = {
    "unknown_tool": "the catalog has no tool {tool}",
    "undeclared_parameter": "{tool} has no parameter {parameter}",
    "missing_parameter": "{tool} requires {parameter}",
    "unknown_label": "{given} refers to {label}, which no earlier call bears and memory does not know",
    "unknown_variable": "{given} names nothing that is known",
    "unknown_field": "{given} reads {path}, which {producer} does not return",
    "read_before_written": "{given} reads from a call that comes later",
    "duplicate_call": "{tool} is called twice in the same way under the same label",
    "tried_too_often": "{tool} was already executed in this way as often as allowed",
}


def violation_of(instance: Instance, code: str, where: Where) -> Violation:
    """Return the violation that a code and a place stand for."""
    _, number, parameter, slot = where
    assert isinstance(number, int)
    call = instance.call(number)
    place = (number, parameter or "", slot or 0)
    reference = instance.references.get(place) if slot is not None else None
    producer = instance.producers.get(place)
    given: str | None = str(reference) if reference is not None else None
    if code == "unknown_tool":
        given = call.name
    elif code == "undeclared_parameter":
        given = parameter
    message = MESSAGES[code].format(
        tool=shown(call.name, 100),
        parameter=shown(parameter, 100),
        given=shown(given, 100),
        label=shown(reference.label, 100) if reference else "",
        path=shown(path_text(reference.path), 100) if reference else "",
        producer=shown(instance.call(producer).name, 100) if producer is not None else "memory",
    )
    return Violation(
        code=code,
        call=number,
        tool=call.name,
        label=call.label,
        parameter=parameter,
        given=given,
        message=message,
    )
