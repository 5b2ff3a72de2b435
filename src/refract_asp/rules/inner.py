"""Calls that are written inside an argument, where a value is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from clingo import Function

from refract_asp.errors import RefractError
from refract_asp.model import Call, Constant, Sequence, Source
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.sources import slots_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import FAR
from refract_asp.rules.symbols import text

__all__ = ["find_inner_calls", "state_inner"]

MAX_TEXT = 2000
"""Longer texts are not looked at for a call."""


def find_inner_calls(instance: Instance, is_admissible: Callable[[Call], bool]) -> None:
    """
    Note which arguments that do not fit hold a call of a known tool instead of a value.

    Only a call that could be made as it stands, and that reads from no other one, is taken.

    Args:
        instance: the sequence; what is found is noted there.
        is_admissible: whether a call is right on its own.
    """
    for number, parameter in instance.unfit:
        call = _call_in(instance.call(number).arguments[parameter])
        if call is not None and instance.index.get(call.name) is not None and is_admissible(call):
            instance.inner[number, parameter] = call


def _call_in(source: Source) -> Call | None:
    """Return the one call that a value is, as an object or as text."""
    if not isinstance(source, Constant):
        return None
    for data in _readings(source.value):
        try:
            calls = Sequence.load(data).calls
        except RefractError:
            continue
        if len(calls) == 1 and calls[0].malformed is None and not calls[0].confirms:
            call = calls[0]
            if not any(True for argument in call.arguments.values() for _ in slots_of(argument)):
                return call
    return None


def _readings(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield [value]
    elif isinstance(value, str) and len(value) <= MAX_TEXT and ("(" in value or "{" in value):
        if value.lstrip().startswith("{"):
            try:
                yield [json.loads(value)]
            except (ValueError, RecursionError):
                return
        else:
            yield value


def state_inner(evidence: Evidence, call: int, parameter: str, tool: str, target: str) -> bool:
    """
    State which outputs of the call inside an argument could be what the parameter wants.

    Returns:
        Whether there is one; then the argument is no value that could come into another form.
    """
    inner = evidence.instance.inner.get((call, parameter))
    if inner is None:
        return False
    index = evidence.index
    fits = index.fits(inner.name, tool, target)
    fitting = [fit for fit in fits if not index.clashes(inner.name, fit[0], tool, target)]
    found = [(path, distance) for path, _, distance in fitting[: evidence.bounds.paths]]
    stated: list[FieldPath] = []
    for path, distance in found if fits else [((), FAR)]:
        # what lies inside one that fits, or bears the same name farther down, is not meant beside it
        is_second = any(path[: len(other)] == other or _leaf(path) == _leaf(other) for other in stated)
        if not is_second and not index.clashes(inner.name, path, tool, target):
            stated.append(path)
            form = Function("inner", [text(path_text(path))])
            evidence.add("in_recast", call, parameter, tool, target, form, 1 + distance)
    return bool(stated)


def _leaf(path: FieldPath) -> str | None:
    """Return the last name in a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), None)
