"""Memory and mappings: values already known, and which output may fill which parameter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from refract_asp.errors import shown
from refract_asp.formats.opening import opened
from refract_asp.model import Mapping, Memory

__all__ = ["load_mappings", "load_memory"]


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
    if data is None:
        return Memory()
    values, origin = opened(data, yaml=True)
    if values is None and isinstance(data, str | Path):
        return Memory()
    if not isinstance(values, dict):
        raise origin.error(
            "memory has to be a mapping of names to values.",
            hint='Write `{"var1": {"skyId": "NYCA"}}`.',
        )
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
    if isinstance(data, list | tuple) and all(isinstance(mapping, Mapping) for mapping in data):
        return tuple(data)
    if data is None:
        return ()
    rest = (
        [m.model_dump() if isinstance(m, Mapping) else m for m in data]
        if isinstance(data, list | tuple)
        else data
    )
    entries, origin = opened(rest, yaml=True)
    if entries is None and isinstance(data, str | Path):
        return ()
    if not isinstance(entries, list):
        raise origin.error(
            "mappings have to be a list.", hint="Write `- {source: skyId, target: originSkyId}`."
        )
    mappings = []
    for index, entry in enumerate(entries):
        try:
            mappings.append(Mapping.model_validate(entry))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise origin.error(
                f"{shown(first['msg'], 120)}.",
                (index, *first["loc"]),
                "Write {source: ..., target: ..., weight: 0.9}.",
            ) from None
    return tuple(mappings)
