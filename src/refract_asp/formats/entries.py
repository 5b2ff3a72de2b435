"""What the readers of catalogs share: finding the entries of tools, their names and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from refract_asp.errors import CatalogError, InputError, shown
from refract_asp.formats.origin import FieldPlace, Origin
from refract_asp.model import Catalog, Effect, Tool

__all__ = [
    "METHODS",
    "annotations_of",
    "any_entry",
    "catalog_of",
    "effect_of_annotations",
    "effect_of_method",
    "entries_of",
    "is_function",
    "name_in",
    "text_in",
]


_METHODS: dict[str, Effect] = {
    "GET": "read", "HEAD": "read", "OPTIONS": "read", "TRACE": "read", "QUERY": "read",
    "PUT": "write", "POST": "write", "PATCH": "write", "DELETE": "destructive",
}  # fmt: skip
METHODS: dict[Effect, str] = {"read": "GET", "write": "POST", "destructive": "DELETE"}
"""A method for each effect, for formats that have no other word for it."""


def effect_of_method(method: Any) -> Effect:
    """
    Return what an HTTP method does.

    Example:
        >>> effect_of_method("get"), effect_of_method("DELETE"), effect_of_method(None)
        ('read', 'destructive', 'unknown')
    """
    return _METHODS.get(method.upper(), "unknown") if isinstance(method, str) else "unknown"


def effect_of_annotations(annotations: Any) -> Effect:
    """
    Return what the annotations of a tool say of its effect.

    By the protocol a tool that is not read-only is destructive unless it says otherwise. That is taken at
    its word where the tool speaks of either; where it speaks of neither, nothing is known.

    Example:
        >>> effect_of_annotations({"readOnlyHint": False}), effect_of_annotations({"title": "Search"})
        ('destructive', 'unknown')
    """
    read_only = _hint(annotations, "readOnlyHint", "read_only_hint")
    destructive = _hint(annotations, "destructiveHint", "destructive_hint")
    if read_only is True:
        return "read"
    if destructive is False:
        return "write"
    return "destructive" if read_only is False or destructive is True else "unknown"


def _hint(annotations: Any, *names: str) -> Any:
    """Return what annotations, as data or as an object, say under the first of some names."""
    hints = annotations if isinstance(annotations, dict) else None
    said = (
        hints.get(name) if hints is not None else getattr(annotations, name, None) for name in names
    )
    return next((each for each in said if each is not None), None)


def annotations_of(effect: Effect) -> dict[str, bool]:
    """
    Return the annotations that say an effect; the inverse of `effect_of_annotations`.

    Example:
        >>> annotations_of("write")
        {'readOnlyHint': False, 'destructiveHint': False}
    """
    if effect == "unknown":
        return {}
    if effect == "read":
        return {"readOnlyHint": True}
    return {"readOnlyHint": False, "destructiveHint": effect == "destructive"}


Entry = tuple[FieldPlace, Any]


def entries_of(data: Any, keys: tuple[str, ...], origin: Origin, hint: str) -> Iterator[Entry]:
    """
    Yield the entries of a list, or of the lists that an object holds under `keys`, or the object alone.

    Raises:
        FormatError: there is no list.

    Example:
        >>> list(entries_of({"tools": [{"name": "Search"}]}, ("tools",), Origin(), ""))
        [(('tools', 0), {'name': 'Search'})]
    """
    if isinstance(data, dict):
        present = [key for key in keys if key in data]
        if not present:
            yield (), data
        for key in present:
            if not isinstance(data[key], list):
                raise origin.error("a list of tools is needed.", (key,), hint)
            yield from (((key, index), entry) for index, entry in enumerate(data[key]))
    elif isinstance(data, list):
        yield from (((index,), entry) for index, entry in enumerate(data))
    else:
        raise origin.error("a list of tools is needed.", hint=hint)


def any_entry(data: Any, keys: tuple[str, ...], fits: Callable[[Any], bool]) -> bool:
    """Whether one of the entries that `entries_of` yields fits."""
    lists = [data.get(key) for key in keys] if isinstance(data, dict) else [data]
    if not any(isinstance(entries, list) for entries in lists):
        return isinstance(data, dict) and fits(data)
    return any(fits(entry) for entries in lists if isinstance(entries, list) for entry in entries)


def is_function(entry: Any) -> bool:
    """
    Whether an entry has a name, and under `parameters` a JSON Schema of an object, not names of parameters.

    Example:
        >>> is_function({"name": "T", "parameters": {"type": "object", "properties": {"a": {}}}})
        True
        >>> is_function({"name": "T", "parameters": {"type": {"type": "string"}}})
        False
    """
    if not isinstance(entry, dict) or "name" not in entry:
        return False
    parameters = entry.get("parameters")
    if not isinstance(parameters, dict) or not isinstance(parameters.get("properties"), dict):
        return False
    kind = parameters.get("type")
    return isinstance(kind, str) and kind.lower() in ("object", "dict")


def name_in(entry: Any, place: FieldPlace, origin: Origin, hint: str, key: str = "name") -> str:
    """
    Return the name of a tool.

    Raises:
        FormatError: the entry is no object, or has no name.
    """
    if not isinstance(entry, dict):
        raise origin.error("an object is needed for each tool.", place, hint)
    name = entry.get(key)
    if not isinstance(name, str) or not name:
        raise origin.error("the name of the tool is needed, as a text.", (*place, key), hint)
    return name


def text_in(entry: dict[str, Any], key: str, place: FieldPlace, origin: Origin) -> str:
    """
    Return the text under a key, the empty one where there is none.

    Raises:
        FormatError: what stands there is no text.
    """
    value = entry.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise origin.error("a text is needed.", (*place, key), "Put it in quotes.")
    return value


def catalog_of(
    entries: Iterable[Entry],
    read: Callable[[Any, FieldPlace, Origin], Tool | None],
    origin: Origin,
    *,
    format: str,
    name: str = "",
) -> Catalog:
    """
    Return the catalog of the tools that `read` makes of the entries; None passes one over.

    A mistake in an entry ends the reading, unless the origin collects mistakes.

    Raises:
        CatalogError: two tools have one name.
    """
    seen: dict[str, FieldPlace] = {}
    tools: list[Tool] = []
    for place, entry in entries:
        try:
            tool = read(entry, place, origin)
            if tool is None:
                continue
            if tool.name in seen:
                raise CatalogError(
                    f"two tools are named {shown(tool.name, 80)!r}, the other is "
                    f"{Origin().at(seen[tool.name])}.",
                    where=origin.at((*place, "name")),
                    hint="Rename or remove one of them.",
                )
        except InputError as error:
            origin.forgive(error)
        else:
            seen[tool.name] = place
            tools.append(tool)
    return Catalog(tools=tuple(tools), name=name, format=format)
