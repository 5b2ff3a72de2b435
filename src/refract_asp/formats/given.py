"""
What is given besides a sequence and a catalog: memory, mappings and goals.

A goal is a tool, a call, `field NAME` or `A before B`; goals and mappings stand in lists.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from refract_asp.errors import FormatError, InputError, shown
from refract_asp.formats.references import read_source
from refract_asp.formats.source import opened
from refract_asp.formats.values import Origin
from refract_asp.model import Constant, Effect, Goal, Mapping, Memory, Reference, Sequence
from refract_asp.model.secrets import text_without_secrets

HINT = "Write a tool, `Tool(parameter=value)`, `field NAME` or `TOOL before TOOL`."
# How many goals one question has.
MAX_GOALS = 100

_FIELD = re.compile(r"field\s+(\S+)")
_BEFORE = re.compile(r"(\S+)\s+before\s+(\S+)")
_TOOL = re.compile(r"[^\s()]+")


def load_memory(data: Memory | Path | str | dict[str, Any] | None) -> Memory:
    """
    Read what is already known: a `Path` is a file, a text is JSON or YAML, a dict is the values themselves.

    Raises:
        FormatError: the data is not a mapping of names to JSON values; the message names the place.
        LimitError: a value is nested deeper than 64.

    Example:
        >>> load_memory('{"var1": {"skyId": "NYCA"}}').holds("var1", ("skyId",))
        True
    """
    if isinstance(data, Memory):
        return data
    values, origin = opened(data, yaml=True)
    if values is None and isinstance(data, str | Path | None):
        return Memory()
    what = "memory has to be a mapping of names to values."
    origin.need(isinstance(values, dict), what, hint='Write `{"var1": {"skyId": "NYCA"}}`.')
    return Memory(values=values)


def load_mappings(data: Any) -> tuple[Mapping, ...]:
    """
    Read mappings: a list of `{source, target, weight}` or of pairs, as data, as JSON or YAML, or in a file.

    Raises:
        FormatError: the data is no such list; the message names the place.

    Example:
        >>> load_mappings([{"source": "skyId", "target": "originSkyId", "weight": 0.9}])[0].weight
        0.9
    """
    if isinstance(data, list | tuple):
        if all(isinstance(mapping, Mapping) for mapping in data):
            return tuple(data)
        data = [each.model_dump() if isinstance(each, Mapping) else each for each in data]
    entries, origin = opened(data, yaml=True)
    if entries is None and isinstance(data, str | Path | None):
        return ()
    hint = "Write `- {source: skyId, target: originSkyId}`."
    origin.need(isinstance(entries, list), "mappings have to be a list.", hint=hint)
    mappings = []
    for index, entry in enumerate(entries):
        try:
            mappings.append(Mapping.model_validate(entry))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            hint = "Write {source: ..., target: ..., weight: 0.9}."
            place = (index, *first["loc"])
            raise origin.error(f"{shown(first['msg'], 120)}.", place, hint) from None
    return tuple(mappings)


def load_effects(data: Any) -> dict[str, Effect] | Literal["infer", "declared"]:
    """
    Read which effects tools have: a mapping of their names or globs to effects, as data, JSON, YAML or a file.

    Args:
        data: the mapping; or "infer" or "declared", which say where else effects come from.

    Raises:
        FormatError: the data is no such mapping; the message names the place.

    Example:
        >>> load_effects("get_*: read\\npay: write")
        {'get_*': 'read', 'pay': 'write'}
    """
    if data == "infer" or data == "declared":
        return "infer" if data == "infer" else "declared"
    entries, origin = opened(data, yaml=True)
    what = "effects have to be a mapping of tools to what they do."
    hint = f"Write `get_*: read`; the effects are {', '.join(get_args(Effect))}."
    origin.need(isinstance(entries, dict), what, hint=hint)
    for name, effect in entries.items():
        if not isinstance(name, str) or effect not in get_args(Effect):
            raise origin.error(f"{shown(effect, 60)} is no effect.", (name,), hint)
    return dict(entries)


def load_goals(data: Any) -> tuple[Goal, ...]:
    """
    Read goals: one goal, a list of them, or YAML or JSON with such a list, as a text or the `Path` of a file.

    Each is a `Goal`, a text as on the command line, or a mapping: `{tool: ..., arguments: {...}}`,
    `{field: ...}`, `{before: [first, then]}`.

    Raises:
        FormatError: something is not a goal; the message names its place.

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
        what = f"{shown(text_without_secrets(shown(data, 10_000)))} is no list of goals."
        raise origin.error(what, hint=HINT)
    wheres = (origin.at((number,)) if origin.name else "" for number in itertools.count())
    goals = tuple(map(read_goal, entries, wheres))
    if len(goals) > MAX_GOALS:
        what = f"{len(goals)} goals are too many; at most {MAX_GOALS} are taken."
        raise InputError(what, where=origin.at())
    return goals


def read_goal(entry: Any, where: str = "") -> Goal:
    """Read one goal; see `load_goals`."""
    text = entry.strip() if isinstance(entry, str) else ""
    told = shown(text_without_secrets(shown(entry, 10_000)))
    name, sources = "", {}
    match entry:
        case Goal():
            return entry
        case str():
            if named := _FIELD.fullmatch(text):
                return Goal.field(named[1])
            if order := _BEFORE.fullmatch(text):
                return Goal.before(*order.groups())
            if _TOOL.fullmatch(text):
                return Goal(kind="tool", name=text)
            told = repr(shown(text_without_secrets(text)))
            with suppress(InputError):
                calls = Sequence.load(text, "pretty").calls
                if len(calls) == 1:
                    name, sources = calls[0].name, calls[0].arguments
        case {"tool": str(tool), **rest} if not rest.keys() - {"arguments"}:
            name = tool
            given = rest.get("arguments") or {}
            if not isinstance(given, dict) or not all(isinstance(each, str) for each in given):
                what = f"the arguments of {shown(name)} are no mapping."
                raise FormatError(what, where=where, hint=HINT)
            sources = {each: read_source(value, where=where) for each, value in given.items()}
        case {"field": str(field), **rest} if not rest:
            return Goal.field(field)
        case {"before": [str(first), str(then)], **rest} if not rest:
            return Goal.before(first, then)
    if not name:
        raise FormatError(f"{told} is not a valid goal.", where=where, hint=HINT)
    arguments: dict[str, Constant | Reference] = {}
    for parameter, source in sources.items():
        if not isinstance(source, Constant | Reference):
            what = f"the goal binds {shown(parameter)} to a text or a structure with references inside."
            hint = "Bind it to a constant, or to one reference as a whole."
            raise FormatError(what, where=where, hint=hint)
        arguments[parameter] = source
    return Goal(kind="tool", name=name, arguments=arguments)
