"""Describes what plans may call besides tools, so that the rules can check and repair it as well."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from refract_asp.errors import InputError, ToolFailedError
from refract_asp.formats import load_catalog
from refract_asp.model import Catalog, Memory, Parameter, Reference, Sequence, Tool
from refract_asp.model.sources import slots_of
from refract_asp.plan.context import Context, Path

__all__ = ["described", "for_reading", "local_functions", "with_helpers"]


def described(context: Context, catalog: Any = None) -> Catalog:
    """
    Return a catalog with the local functions and the methods of a context added, as tools that only read.

    In the sequence of a plan these are calls like others, and a method has what it is called on for its first
    argument. What the catalog says itself of a name stays; it may be anything that `Catalog.load` takes.

    Example:
        >>> context = Context({"add": lambda a, b: a + b})
        >>> [(tool.name, list(tool.parameters), tool.effect) for tool in described(context)]
        [('add', ['a', 'b'], 'read')]
    """
    catalog = load_catalog(catalog) if catalog is not None else None
    tools = list(catalog) if catalog is not None else []
    names = {tool.name for tool in tools}
    tools += (
        _tool(name, function)
        for name, function in local_functions(context).items()
        if name not in names
    )
    return Catalog(tools=tuple(tools), **_kept(catalog))


def local_functions(context: Context) -> dict[str, Callable[..., Any]]:
    """
    Return the local functions and the methods of a context by name, those of namespaces with dots.

    Example:
        >>> sorted(local_functions(Context({"user": 1, "trips": {"next": lambda: 7}})))
        ['trips.next']
    """
    return {**dict(context.methods), **dict(_functions(context, ()))}


def with_helpers(
    sequence: Sequence, helpers: Context, catalog: Catalog, memory: Memory | None = None
) -> tuple[Catalog, Memory]:
    """
    Return the catalog and the memory with those helpers added that the sequence of a plan uses.

    Args:
        sequence: the calls of the plan.
        helpers: local functions, methods and values, as `dates()` gives them.
        catalog: the tools; what it says of a name stays.
        memory: values that are known; they come before those of the helpers.

    Example:
        >>> from refract_asp.plan import dates, parse_plan, to_sequence
        >>> sequence = to_sequence(parse_plan("return find({on: next(Thursday)});").require())
        >>> catalog, memory = with_helpers(sequence, dates(), Catalog.load({"tools": [{"name": "find"}]}))
        >>> list(catalog.by_name), memory.values
        (['find', 'next'], {'Thursday': 'Thursday'})
    """
    called = {call.name for call in sequence.calls}
    sources = [*(each for call in sequence.calls for each in call.arguments.values())]
    sources += (sequence.returns or {}).values()
    read = {
        slot.label for each in sources for slot in slots_of(each) if isinstance(slot, Reference)
    }
    known = memory.values if memory is not None else {}
    added = {name: value for name, value in helpers.memory.values.items() if name in read}
    local = [
        tool
        for tool in described(helpers)
        if tool.name in called and tool.name not in catalog.by_name
    ]
    whole = Catalog(tools=(*catalog, *local), **_kept(catalog)) if local else catalog
    return whole, Memory(values={**added, **known})


def for_reading(catalog: Catalog, memory: Memory | None = None) -> Context:
    """
    Return a context with the tools of a catalog and the values of a memory, for all but running.

    Tools whose names no plan can say are left out.

    Example:
        >>> tools = [{"name": "find"}, {"name": "toString"}]
        >>> for_reading(Catalog.load({"tools": tools}), Memory(values={"user": "ada"})).names
        ('user', 'find')
    """
    found = Context(memory.values if memory is not None else {})
    for tool in catalog:
        try:
            found = found.merged(Context.of({tool.name: _unbound}))
        except InputError:
            continue
    return found


def _unbound(**_: Any) -> Any:
    raise ToolFailedError("no function is bound to this tool.", hint="Give the tools themselves.")


def _functions(context: Context, path: Path) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the local functions with their names, those of namespaces with dots."""
    for name in context.members(path):
        inner = (*path, name)
        kind = context.kind_at(inner)
        if kind == "function":
            yield ".".join(inner), context.function_at(inner)
        elif kind == "namespace":
            yield from _functions(context, inner)


def _tool(name: str, function: Callable[..., Any]) -> Tool:
    try:
        tool = load_catalog([function]).tools[0]
    except InputError:  # it has no name of its own, or hints that cannot be read
        return _by_names(name, function)
    return tool.model_copy(update={"name": name, "effect": "read"})


def _by_names(name: str, function: Callable[..., Any]) -> Tool:
    """Describe a function by the names of its parameters alone."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return Tool(name=name, effect="read", additional_parameters=True)
    named = {
        each.name: Parameter(name=each.name, required=each.default is each.empty)
        for each in given
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    }
    takes_more = any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in given)
    return Tool(name=name, effect="read", parameters=named, additional_parameters=takes_more)


def _kept(catalog: Catalog | None) -> dict[str, Any]:
    return {} if catalog is None else {"name": catalog.name, "format": catalog.format}
