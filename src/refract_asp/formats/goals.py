"""Goals as they are written: a tool, a call, `field NAME`, `A before B`, and lists of these in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from refract_asp.errors import FormatError, InputError, shown
from refract_asp.formats.opening import opened
from refract_asp.formats.origin import Origin
from refract_asp.formats.references import read_source
from refract_asp.model import Constant, Goal, Reference, Sequence
from refract_asp.model.secrets import text_without_secrets

__all__ = ["load_goals", "read_goal"]

HINT = "Write a tool, `Tool(parameter=value)`, `field NAME` or `TOOL before TOOL`."
MAX_GOALS = 100

_FIELD = re.compile(r"field\s+(\S+)")
_BEFORE = re.compile(r"(\S+)\s+before\s+(\S+)")
_TOOL = re.compile(r"[^\s()]+")


def load_goals(data: Any) -> tuple[Goal, ...]:
    """
    Read goals: one goal, a list of them, or YAML or JSON with such a list, as a text or the `Path` of a file.

    Each is a `Goal`, a text as on the command line, or a mapping: `{tool: ..., arguments: {...}}`,
    `{field: ...}`, `{before: [first, then]}`.

    Raises:
        FormatError: something is no goal; the message names its place.

    Example:
        >>> [str(goal) for goal in load_goals(["concur", "field flightId", {"before": ["login", "pay"]}])]
        ['concur', 'field flightId', 'login before pay']
    """
    if data is None:
        return ()
    origin = Origin()
    if isinstance(data, Path) or (isinstance(data, str) and data.lstrip()[:1] in ("-", "[")):
        data, origin = opened(data, yaml=True)
        data = [] if data is None else data
    entries = [data] if isinstance(data, Goal | str | dict) else data
    if not isinstance(entries, Iterable) or isinstance(entries, bytes):
        raise origin.error(
            f"{shown(text_without_secrets(str(data)))} is no list of goals.", hint=HINT
        )
    goals = tuple(
        read_goal(entry, origin.at((number,)) if origin.name else "")
        for number, entry in enumerate(entries)
    )
    if len(goals) > MAX_GOALS:
        raise InputError(
            f"{len(goals)} goals are too many; at most {MAX_GOALS} are taken.", where=origin.at()
        )
    return goals


def read_goal(entry: Any, where: str = "") -> Goal:
    """Read one goal; see `load_goals`."""
    if isinstance(entry, Goal):
        return entry
    if isinstance(entry, str):
        return _from_text(entry.strip(), where)
    if isinstance(entry, dict):
        match entry:
            case {"tool": str(name), **rest} if not rest.keys() - {"arguments"}:
                return _called(name, rest.get("arguments") or {}, where)
            case {"field": str(name)} if len(entry) == 1:
                return Goal.field(name)
            case {"before": [str(first), str(then)]} if len(entry) == 1:
                return Goal.before(first, then)
    raise FormatError(
        f"{shown(text_without_secrets(str(entry)))} is no goal.", where=where, hint=HINT
    )


def _from_text(text: str, where: str) -> Goal:
    if field := _FIELD.fullmatch(text):
        return Goal.field(field[1])
    if order := _BEFORE.fullmatch(text):
        return Goal.before(order[1], order[2])
    if _TOOL.fullmatch(text):
        return Goal(kind="tool", name=text)
    try:
        calls = Sequence.load(text, "pretty").calls
    except InputError:
        calls = ()
    if len(calls) != 1:
        raise FormatError(
            f"{shown(text_without_secrets(text))!r} is no goal.", where=where, hint=HINT
        )
    return Goal(kind="tool", name=calls[0].name, arguments=_bindings(calls[0].arguments, where))


def _called(name: str, arguments: Any, where: str) -> Goal:
    if not isinstance(arguments, dict) or not all(
        isinstance(parameter, str) for parameter in arguments
    ):
        raise FormatError(f"the arguments of {shown(name)} are no mapping.", where=where, hint=HINT)
    sources = {parameter: read_source(value, where=where) for parameter, value in arguments.items()}
    return Goal(kind="tool", name=name, arguments=_bindings(sources, where))


def _bindings(sources: dict[str, Any], where: str) -> dict[str, Constant | Reference]:
    for parameter, source in sources.items():
        if not isinstance(source, Constant | Reference):
            raise FormatError(
                f"the goal binds {shown(parameter)} to a text or a structure with references inside.",
                where=where,
                hint="Bind it to a constant, or to one reference as a whole.",
            )
    return sources
