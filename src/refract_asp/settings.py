"""Reads the options that a caller gives, and refuses what none of them can be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from refract_asp.errors import InputError, meant, shown

if TYPE_CHECKING:
    from refract_asp.model import Catalog, Effect

A_YEAR = 365 * 24 * 3600.0
"""A time limit beyond it, in seconds, is none."""
LONGEST_STEP = 255
"""Bytes of one step of a path."""


def choice(name: str, value: object, known: tuple[object, ...]) -> None:
    """Refuse a value that is none of those that an option may have."""
    if value not in known:
        words = f"{', '.join(map(str, known[:-1]))} or {known[-1]}"
        raise InputError(f"{name} cannot be {shown(value)!r}.", hint=f"Use {words}.")


def refuse(name: str, value: object, hint: str) -> NoReturn:
    """Refuse what an option cannot be."""
    raise InputError(f"{name} cannot be {shown(value)}.", hint=hint)


def function(name: str, value: object, hint: str) -> None:
    """Refuse what is no function, but for None."""
    if value is not None and not callable(value):
        refuse(name, type(value).__name__, hint)


def whole_number(name: str, value: object, least: int = 0, most: int = 100) -> None:
    """Refuse a value that is no whole number in range."""
    if type(value) is not int or not least <= value <= most:
        refuse(name, value, f"It must be from {least} to {most}.")


def seconds(limit: object, name: str = "time_limit", *, zero: bool = True) -> float | None:
    """Return a number of seconds, or None for no limit; refuse what is none, and 0 without `zero`."""
    if limit is None:
        return None
    is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
    number: Any = limit if is_number else -1
    if not (number >= 0 if zero else number > 0):
        least = "0 or more" if zero else "more than 0, or none for no limit"
        refuse(name, limit, f"Give seconds, {least}.")
    return None if number > A_YEAR else float(number)


def paths(name: str, values: Any) -> tuple[Path, ...]:
    """Return files that were named by the caller, or refuse what names none."""
    is_listed = isinstance(values, Iterable) and not isinstance(values, str | bytes)
    listed: list[Any] = list(values) if is_listed else [None]
    if not all(isinstance(value, str | Path) for value in listed):
        refuse(name, values, "Give paths of files, as texts.")
    for value in map(str, listed):
        steps = value.encode("utf-8", "surrogatepass").split(b"/")
        # no file name holds NUL or a lone surrogate
        is_broken = "\0" in value or any("\ud800" <= each <= "\udfff" for each in value)
        if not value or is_broken or max(map(len, steps)) > LONGEST_STEP:
            what = f"{name}: {shown(value)!r} is no path."
            raise InputError(what, hint="Give the path of a file.")
    return tuple(Path(value) for value in listed)


def tool_names(name: str, names: object) -> None:
    """Refuse what is no collection of names."""
    if isinstance(names, str) or not isinstance(names, Collection):
        refuse(name, names, "Give a list of names of tools.")


def allowed(
    catalog: Catalog, allow: Collection[str] | None, deny: Collection[str] | None
) -> Catalog:
    """Return the catalog with the tools that may be used, or refuse names that it does not have."""
    tool_names("allow", () if allow is None else allow)
    tool_names("deny", () if deny is None else deny)
    for name in (*(allow or ()), *(deny or ())):
        _named(catalog, name, "to allow or deny")
    if allow is None and not deny:
        return catalog
    kept = catalog.by_name.keys() if allow is None else catalog.filter(allow).by_name.keys()
    return catalog.filter(kept - catalog.filter(deny or ()).by_name.keys())


def with_effects(
    catalog: Catalog, effects: Mapping[str, Effect] | Literal["infer", "declared"]
) -> tuple[Catalog, frozenset[str]]:
    """
    Return the catalog with the effects that the user gives its tools, and the tools of which none is inferred.

    Of several globs that match a name the one with the most letters decides; the name itself decides before
    them. A tool whose effect is given as unknown stays so: none is inferred from its name.

    Raises:
        InputError: a name without a wildcard is that of no tool.

    Example:
        >>> from refract_asp import Catalog
        >>> catalog = Catalog.load("tools: [{name: get_mail}, {name: get_lost}]")
        >>> given, unknown = with_effects(catalog, {"get_*": "read", "get_lost": "unknown"})
        >>> [tool.effect for tool in given.tools], list(unknown)
        (['read', 'unknown'], ['get_lost'])
    """
    if effects == "infer":
        return catalog, frozenset()
    if effects == "declared":
        return catalog, frozenset(each.name for each in catalog.tools if each.effect == "unknown")
    for name in effects:
        _named(catalog, name, "to give an effect to")
    # The first match decides: names before globs, longer globs before shorter ones.
    ranked = sorted(effects, key=lambda each: (_is_glob(each), each.count("*") - len(each)))
    tools, unknown = [], set()
    for tool in catalog.tools:
        matches = (each for each in ranked if each == tool.name or fnmatchcase(tool.name, each))
        effect = next((effects[each] for each in matches), None)
        tools.append(tool if effect is None else tool.model_copy(update={"effect": effect}))
        if effect == "unknown":
            unknown.add(tool.name)
    about = {"name": catalog.name, "format": catalog.format, "notes": catalog.notes}
    return type(catalog)(tools=tuple(tools), **about), frozenset(unknown)


def _is_glob(name: str) -> bool:
    return any(mark in name for mark in "*?[")


def _named(catalog: Catalog, name: object, why: str) -> None:
    """Refuse a name, other than a glob, that is that of no tool."""
    if not isinstance(name, str) or (name not in catalog.by_name and not _is_glob(name)):
        hint = meant(name, catalog.by_name, "Its tools")
        raise InputError(f"the catalog has no tool {shown(name)!r} {why}.", hint=hint)
