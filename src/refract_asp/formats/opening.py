"""Opening of input: files read, texts parsed, objects of libraries read as data, data checked and copied."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.origin import FieldPlace, Origin, read_file
from refract_asp.formats.values import Spoilt, UnreadableError, parse_json, plain
from refract_asp.formats.yaml_text import parse_yaml

__all__ = ["Foreign", "as_data", "opened", "text_of"]

Foreign: TypeAlias = tuple[FieldPlace, object]
"""An object that stands for no data, and where it stands."""

_DEEPEST = 100
"""Objects are looked for so deep; every reader refuses data that is nested deeper than 64."""
_DUMPED: tuple[dict[str, Any], ...] = (
    {"by_alias": True, "exclude_none": True},
    {"by_alias": True, "exclude_none": True, "mode": "json"},
    {"exclude_none": True},
    {},
)
"""How objects are asked for their data. Values as they are come first: in JSON a NaN would become null."""


def text_of(data: Any, text: str | None = None) -> tuple[Any, Origin]:
    """
    Return the content of a `Path`, or data as it is, and where it comes from.

    `text` is what the file holds, where it was read already.

    Raises:
        FormatError: the file cannot be read.
    """
    if isinstance(data, Path):
        return read_file(data) if text is None else text, Origin(str(data))
    if isinstance(data, str):
        return data.removeprefix("\ufeff"), Origin("<text>")
    return data, Origin()


def opened(
    data: Any, *, yaml: bool, lines: bool = False, text: str | None = None
) -> tuple[Any, Origin]:
    """
    Return what a file, a text or data holds, as JSON values; without `yaml`, other text stays text.

    A text that begins with a bracket is JSON, but in a file with a YAML suffix. With `lines` it may also
    be one value a line, which make up a list. Data is not copied where `yaml` is off: its readers copy it,
    and are told of what cannot be used in a text where it stands. `text` is what the file holds, where it was
    read already. Objects of libraries are read as the data that they stand for.

    Raises:
        FormatError: the file cannot be read, the text not be parsed, or a value is not JSON.
        LimitError: it is too large or nested too deep.
    """
    content, origin = text_of(data, text)
    if not isinstance(content, str):
        content = as_data(content)
    numbers: list[int] | None = None
    if isinstance(content, str):
        suffix = data.suffix.lower() if isinstance(data, Path) else ""
        bracket = content.lstrip()[:1] in ("{", "[")
        if lines and (suffix in _LINES or (bracket and suffix not in _YAML and _is_lines(content))):
            content, numbers = _parse_lines(content, origin)
        elif bracket and not (yaml and suffix in _YAML):
            content = parse_json(content, origin, lenient=not yaml)
        elif yaml:
            return parse_yaml(content, origin)
    if not yaml:
        return content, origin
    try:
        content = plain(content)
    except UnreadableError as error:
        raise error.at(origin) from None
    if numbers is not None:
        origin = replace(origin, lines={id(content): dict(enumerate(numbers))}, root=content)
    return content, origin


def as_data(
    value: Any, foreign: list[Foreign] | None = None, place: FieldPlace = (), depth: int = 0
) -> Any:
    """
    Return the data that objects of libraries stand for, at any depth; data itself comes back as it is.

    An object with `model_dump` (pydantic) and a dataclass give their fields that are not None, a namespace
    and a mapping all that they hold. Every other object stays where it stands, and is noted in `foreign`.

    Example:
        >>> from types import SimpleNamespace
        >>> as_data([SimpleNamespace(name="Search", arguments={"query": None}, id=None)])
        [{'name': 'Search', 'arguments': {'query': None}, 'id': None}]
    """
    if value is None or isinstance(value, str | int | float | Spoilt) or depth > _DEEPEST:
        return value
    if isinstance(value, dict):
        held = {
            key: as_data(
                inner, foreign, (*place, key if isinstance(key, str) else shown(key)), depth + 1
            )
            for key, inner in value.items()
        }
        return value if all(held[key] is inner for key, inner in value.items()) else held
    if isinstance(value, list | tuple):
        items = [
            as_data(inner, foreign, (*place, index), depth + 1) for index, inner in enumerate(value)
        ]
        return value if all(map(operator.is_, items, value)) else items
    read: list[tuple[Any, list[Foreign]]] = []
    for form in _forms(value):
        noted: list[Foreign] = []
        read.append((as_data(form, noted, place, depth + 1), noted))
        if not noted:
            break
    data, noted = min(read, key=lambda each: len(each[1])) if read else (value, [(place, value)])
    if foreign is not None:
        foreign += noted
    return data


def _forms(value: Any) -> Iterator[Any]:
    """Yield what an object may be read as; nothing for one that stands for no data."""
    if isinstance(value, type) or type(value).__module__.partition(".")[0] == "refract_asp":
        return
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        for options in _DUMPED:
            try:
                form = dump(**options)
            except Exception:  # an option that it does not take, or a value that it cannot dump
                continue
            if isinstance(form, dict | list):
                yield form
    elif is_dataclass(value):
        named = {field.name: getattr(value, field.name, None) for field in fields(value)}
        yield {name: inner for name, inner in named.items() if inner is not None}
    elif hasattr(value, "__fields__") and callable(
        getattr(value, "dict", None)
    ):  # pydantic's first version
        yield value.dict(exclude_none=True)
    elif isinstance(value, SimpleNamespace | Mapping):
        yield dict(value if isinstance(value, Mapping) else vars(value))


_YAML = (".yaml", ".yml")
_LINES = (".jsonl", ".ndjson")


def _is_lines(text: str) -> bool:
    """Whether the first line of a text is a whole JSON value, and more follows it."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.lstrip()[:1] or rest.lstrip()[:1] not in "{[":
        return False
    try:
        parse_json(first, Origin())
    except InputError:
        return False
    return True


def _parse_lines(text: str, origin: Origin) -> tuple[list[Any], list[int]]:
    """Return the values of the lines that are not blank, and the numbers of these lines."""
    values, numbers = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append(parse_json(line, Origin()))
        except InputError as error:
            column = error.where.removeprefix("line 1, column ")
            where = f"{origin.at()}:{number}" + (f":{column}" if column != error.where else "")
            inside = f": {error.where}" if error.where and column == error.where else ""
            raise type(error)(error.what, where=where + inside, hint=error.hint) from None
        numbers.append(number)
    return values, numbers
