"""Writes plans in one way, so that those that do the same can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refract_asp.model import Reference, Sequence, Source, Structure, Template
from refract_asp.plan.lowering import Written, to_sequence
from refract_asp.plan.raising import to_plan
from refract_asp.plan.syntax import Plan

__all__ = ["normalised"]


def normalised(plan: Plan) -> Plan:
    """
    Return a plan with an alias for each call, named `var1`, `var2`, ... in order, and for nothing else.

    Two plans that make the same calls in the same order and return the same are the same so written. Comments
    are left out.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> print(normalised(parse_plan("x = 5; return g({a: f({b: x}).c});").plan))
        var1 = f({b: 5});
        var2 = g({a: var1.c});
        return var2;
    """
    sequence = to_sequence(plan)
    names = {call.label: f"var{number}" for number, call in enumerate(sequence.calls, 1)}
    calls = []
    for call in sequence.calls:
        arguments = {name: _renamed(source, names) for name, source in call.arguments.items()}
        written = call.written
        kept = Written(True, written.is_result, written.is_method)
        calls.append(
            call.model_copy(update={"arguments": arguments, "label": names[call.label], "written": kept})
        )
    returns = sequence.returns
    if returns is not None:
        returns = {name: _renamed(source, names) for name, source in returns.items()}
    return to_plan(Sequence(calls=tuple(calls), returns=returns, format="plan"))


def _renamed(source: Source, names: Mapping[str | None, str]) -> Source:
    if isinstance(source, Reference):
        return source.model_copy(update={"label": names.get(source.label, source.label)})
    if isinstance(source, Template):
        parts: list[Any] = [each if isinstance(each, str) else _renamed(each, names) for each in source.parts]
        return Template(parts=tuple(parts))
    if isinstance(source, Structure):
        value: dict[str, Source] | list[Source] = source.value
        if isinstance(value, dict):
            return Structure(value={name: _renamed(each, names) for name, each in value.items()})
        return Structure(value=[_renamed(each, names) for each in value])
    return source
