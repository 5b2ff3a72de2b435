"""Calls of a model before anything is known of them: what was given, under which id, and how it is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.reference_texts import to_value
from refract_asp.formats.shapes import ABSENT, step_into
from refract_asp.formats.spellings import NO_LABELS
from refract_asp.formats.values import UnreadableError
from refract_asp.model import Call, Sequence
from refract_asp.runtime.failures import new_id
from refract_asp.runtime.guarding import told
from refract_asp.runtime.tools import Bound

__all__ = ["Asked", "new_call_id", "one_call", "several_calls", "written_arguments"]


@dataclass(slots=True)
class Asked:
    """
    A call on its way through the stages.

    Attributes:
        entry: the function through which it came.
        name: the tool.
        call_id: the id of the call, or None where nobody gave one.
        read: reads its arguments, by name and by position.
        bound: the function of the tool, or None where there is no such tool.
        given: its arguments, first as they were written, then as they were read.
        positional: those by position.
        in_doubt: whether the arguments do not seem to fit.
        begun: when it came.
    """

    entry: str
    name: str
    call_id: str | None
    read: Callable[[], tuple[dict[str, Any], tuple[Any, ...]]]
    bound: Bound | None
    given: Any = None
    positional: tuple[Any, ...] = ()
    in_doubt: bool = False
    begun: float = field(default_factory=time.monotonic)


def new_call_id(given: str | None = None) -> str:
    """Return the id of a call, or a new one."""
    return given or f"call_{new_id()}"


_ARGUMENTS = (
    ("function", "arguments"),
    ("function_call", "arguments"),
    ("functionCall", "args"),
    ("params", "arguments"),
    ("arguments",),
    ("args",),
    ("input",),
)
"""Where providers put arguments."""


def written_arguments(call: Call) -> Any:
    """Return the arguments of a call as they were written, as far as that is known."""
    if call.malformed is None:
        try:
            return {name: to_value(source, NO_LABELS) for name, source in call.arguments.items()}
        except UnreadableError:
            return sorted(call.arguments)
    found = (step_into(call.written, keys) for keys in _ARGUMENTS)
    return next((raw for raw in found if raw is not ABSENT), None)


def several_calls(calls: Any) -> tuple[Call, ...]:
    """Return calls; one that is malformed stands for what cannot be read."""
    if isinstance(calls, Call):
        return (calls,)
    if isinstance(calls, list | tuple) and calls and all(isinstance(each, Call) for each in calls):
        return tuple(calls)
    try:
        return (calls if isinstance(calls, Sequence) else load_sequence(_plain(calls))).calls
    except InputError as error:
        return (Call(name="", malformed=str(error)),)


def one_call(call: Any) -> Call:
    """Return the only call; one that is malformed stands for none and for several."""
    found = several_calls(call)
    if len(found) == 1:
        return found[0]
    return Call(name="", malformed=f"one call is needed, there are {len(found)}.")


def _plain(data: Any) -> Any:
    """Return the objects of a provider's library, which are pydantic models, as data."""
    if isinstance(data, list | tuple):
        return [_plain(each) for each in data]
    dump = getattr(data, "model_dump", None)
    if dump is None or isinstance(data, Mapping | type):
        return data
    try:
        return dump(mode="json")
    except Exception as error:
        kind, text = told(error)
        raise InputError(f"the calls cannot be read: {kind}: {shown(text)}") from error
