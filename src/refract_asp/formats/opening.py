"""Opening of input: files read, texts parsed (JSON, lines of JSON, YAML), data checked and copied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from refract_asp.errors import InputError
from refract_asp.formats.origin import Origin, read_file
from refract_asp.formats.values import UnreadableError, parse_json, plain
from refract_asp.formats.yaml_text import parse_yaml

__all__ = ["opened", "text_of"]


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


def opened(data: Any, *, yaml: bool, lines: bool = False, text: str | None = None) -> tuple[Any, Origin]:
    """
    Return what a file, a text or data holds, as JSON values; without `yaml`, other text stays text.

    A text that begins with a bracket is JSON, but in a file with a YAML suffix. With `lines` it may also
    be one value a line, which make up a list. Data is not copied where `yaml` is off: its readers copy it,
    and are told of what cannot be used in a text where it stands. `text` is what the file holds, where it was
    read already.

    Raises:
        FormatError: the file cannot be read, the text not be parsed, or a value is not JSON.
        LimitError: it is too large or nested too deep.
    """
    content, origin = text_of(data, text)
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
