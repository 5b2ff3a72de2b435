"""Calls that are written inside an argument, where what they return is wanted."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from refract_asp.errors import RefractError
from refract_asp.model import Call, Constant, Sequence, Source
from refract_asp.model.paths import FieldPath, parse_path
from refract_asp.model.sequence import slots_of
from refract_asp.rules.index import CatalogIndex

# Longer texts are not looked at for a call.
MAX_TEXT = 2000
_WITH_PATH = re.compile(r"([\w.:/-]+\(.*\))([.\[][^()]*)", re.S)


def text_call(index: CatalogIndex, source: Source) -> tuple[Call, FieldPath] | None:
    """
    Return the call that a text is as a whole, and the path in which it ends, where its tool returns that.

    Only a call with arguments that its tool declares is one; whether it could be made is not judged.
    """
    value = source.value if isinstance(source, Constant) else None
    if not isinstance(value, str) or len(value) > MAX_TEXT or not (")." in value or ")[" in value):
        return None
    match = _WITH_PATH.fullmatch(value.strip().strip("${}").strip())
    with suppress(RefractError, ValueError, RecursionError):
        call = _single_call(index, match[1]) if match else None
        if match and call is not None:
            path, tool = parse_path(match[2].removeprefix(".")), index.tools[call.name]
            strange = () if tool.additional_parameters else call.arguments.keys() - tool.parameters
            return (call, path) if path and not strange and tool.returns_path(path) else None
    return None


def inner_call(index: CatalogIndex, source: Source) -> Call | None:
    """Return the call that an argument holds in place of a value."""
    data: Any = source.value if isinstance(source, Constant) else None
    is_text = isinstance(data, str) and len(data) <= MAX_TEXT and ("(" in data or "{" in data)
    with suppress(RefractError, ValueError, RecursionError):
        if is_text and data.lstrip().startswith("{"):
            data = json.loads(data)
        if is_text or isinstance(data, dict):
            return _single_call(index, data)
    return None


def _single_call(index: CatalogIndex, data: Any) -> Call | None:
    """
    Return the one call of a known tool that some data stand for, which reads from no other one.

    Raises:
        RefractError: they stand for no calls.
    """
    if isinstance(data, dict) and len(data) == 1:  # the tool may be the key of its arguments
        ((name, arguments),) = data.items()
        if index.get(name) is not None and isinstance(arguments, dict):
            data = {"name": name, "arguments": arguments}
    calls = Sequence.load([data] if isinstance(data, dict) else data).calls
    for call in calls if len(calls) == 1 else ():
        is_whole = call.malformed is None and not call.confirms
        reads = [slot for argument in call.arguments.values() for slot in slots_of(argument)]
        if is_whole and not reads and index.get(call.name) is not None:
            return call
    return None
