"""Opening of input: files read, texts parsed, data checked and copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from refract_asp.formats.origin import Origin, read_file
from refract_asp.formats.values import UnreadableError, parse_json, plain
from refract_asp.formats.yaml_text import parse_yaml

__all__ = ["opened", "text_of"]


def text_of(data: Any) -> tuple[Any, Origin]:
    """
    Return the content of a `Path`, or data as it is, and where it comes from.

    Raises:
        FormatError: the file cannot be read.
    """
    if isinstance(data, Path):
        return read_file(data), Origin(str(data))
    if isinstance(data, str):
        return data.removeprefix("\ufeff"), Origin("<text>")
    return data, Origin()


def opened(data: Any, *, yaml: bool) -> tuple[Any, Origin]:
    """
    Return what a file, a text or data holds, as JSON values; without `yaml`, other text stays text.

    A text that begins with a bracket is JSON, but in a file with a YAML suffix. Data is not copied
    where `yaml` is off: its readers copy it.

    Raises:
        FormatError: the file cannot be read, the text not be parsed, or a value is not JSON.
        LimitError: it is too large or nested too deep.
    """
    content, origin = text_of(data)
    if isinstance(content, str):
        named_yaml = yaml and isinstance(data, Path) and data.suffix.lower() in (".yaml", ".yml")
        if not named_yaml and content.lstrip()[:1] in ("{", "["):
            content = parse_json(content, origin)
        elif yaml:
            return parse_yaml(content, origin)
    if not yaml:
        return content, origin
    try:
        return plain(content), origin
    except UnreadableError as error:
        raise error.at(origin) from None
