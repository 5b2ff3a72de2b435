"""
Catalogs and sequences of any size, for measuring how the work grows with them.

The catalogs look like those of companies with many services: names of a verb, a noun and what it is
about, parameters with types and descriptions, ids that one tool returns and another one takes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from refract_asp.errors import InputError, shown
from refract_asp.model import Call, Catalog, Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.catalog import Effect
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import is_compatible, schema_types

__all__ = ["COUPLINGS", "MAX_TOOLS", "Coupling", "synthetic_catalog", "synthetic_sequence"]

Coupling: TypeAlias = Literal["independent", "chain", "star", "random"]
"""How calls read from each other: not at all, each from the one before, all from the first, from any."""

COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)

_VERBS: dict[str, Effect] = {
    "get": "read", "search": "read", "list": "read", "find": "read", "fetch": "read", "count": "read",
    "estimate": "read", "validate": "read", "compare": "read", "track": "read", "summarize": "read",
    "create": "write", "update": "write", "book": "write", "send": "write", "approve": "write",
    "schedule": "write", "assign": "write", "cancel": "destructive", "delete": "destructive",
}  # fmt: skip
_NOUNS = (
    "account", "address", "airport", "album", "appointment", "article", "asset", "budget", "campaign",
    "candidate", "claim", "clinic", "contract", "course", "customer", "delivery", "device", "document",
    "employee", "event", "expense", "flight", "forecast", "hotel", "image", "incident", "invoice", "job",
    "lesson", "library", "location", "machine", "match", "meeting", "message", "movie", "order", "package",
    "patient", "payment", "playlist", "policy", "project", "recipe", "refund", "report", "reservation",
    "restaurant", "review", "route", "sensor", "shipment", "station", "stock", "student", "subscription",
    "supplier", "team", "ticket", "vehicle", "vendor", "warehouse", "workout",
)  # fmt: skip
_ABOUT = (
    "", "details", "history", "status", "summary", "statistics", "schedule", "price", "availability",
    "recommendations",
)  # fmt: skip
_FIELDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("name", {"type": "string"}),
    ("city", {"type": "string", "description": "Name of the city"}),
    ("country_code", {"type": "string", "minLength": 2, "maxLength": 2}),
    ("start_date", {"type": "string", "description": "First day, as YYYY-MM-DD"}),
    ("end_date", {"type": "string", "description": "Last day, as YYYY-MM-DD"}),
    ("amount", {"type": "number", "minimum": 0}),
    ("currency", {"type": "string", "enum": ["EUR", "GBP", "USD"]}),
    ("limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
    ("quantity", {"type": "integer", "minimum": 0}),
    ("is_active", {"type": "boolean"}),
    ("email", {"type": "string", "description": "Address of the person in charge"}),
    ("language", {"type": "string", "description": "Language of the answer", "default": "en"}),
    ("tags", {"type": "array", "items": {"type": "string"}}),
    ("latitude", {"type": "number", "minimum": -90, "maximum": 90}),
    ("longitude", {"type": "number", "minimum": -180, "maximum": 180}),
)

MAX_TOOLS = len(_VERBS) * len(_NOUNS) * len(_ABOUT)
"""How many tools a synthetic catalog can have."""


def synthetic_catalog(count: int, seed: int = 0) -> Catalog:
    """
    Return a catalog of so many tools; the same for the same count and seed.

    Raises:
        InputError: there are not so many names.

    Example:
        >>> catalog = synthetic_catalog(3)
        >>> len(catalog), synthetic_catalog(3) == catalog, synthetic_catalog(3, seed=1) == catalog
        (3, True, False)
    """
    if type(count) is not int or not 0 <= count <= MAX_TOOLS:
        raise InputError(f"there cannot be {shown(count)} tools.", hint=f"Take from 0 to {MAX_TOOLS}.")
    rng = random.Random(f"catalog:{seed}")
    named = rng.sample(list(product(_VERBS, _NOUNS, _ABOUT)), count)
    return Catalog(tools=tuple(_tool(*words, rng) for words in named), name=f"synthetic-{count}")


def _tool(verb: str, noun: str, about: str, rng: random.Random) -> Tool:
    name = "_".join(filter(None, (verb, noun, about)))
    if rng.random() < 0.5:  # half of them are written in camelCase
        head, *tail = name.split("_")
        name = head + "".join(word.title() for word in tail)
    other = rng.choice(_NOUNS)
    inputs = [f"{noun}_id"] if rng.random() < 0.5 else []
    inputs += [f"{other}_id"] if other != noun and rng.random() < 0.5 else []
    schemas = {each: {"type": "string", "description": f"Id of the {each[:-3]}"} for each in inputs}
    schemas |= dict(rng.sample(_FIELDS, rng.randint(1, 5)))
    parameters = {
        parameter: Parameter(
            name=parameter,
            required=parameter in inputs or (rng.random() < 0.6 and "default" not in schema),
            json_schema=schema,
        )
        for parameter, schema in schemas.items()
    }
    element = {"type": "object", "properties": dict(rng.sample(_FIELDS, rng.randint(2, 6)))}
    fields: dict[str, Any] = {
        f"{noun}_id": {"type": "string"},
        **dict(rng.sample(_FIELDS, rng.randint(1, 5))),
    }
    if rng.random() < 0.3:
        fields[f"{other}s"] = {"type": "array", "items": element}
    words = f"{verb} the {about or 'data'} of the {noun}"
    return Tool(
        name=name,
        description=f"{words.capitalize()}, by {' and '.join(p.replace('_', ' ') for p in parameters)}.",
        effect=_VERBS[verb],
        parameters=parameters,
        output_schema={"type": "object", "properties": fields},
    )


def synthetic_sequence(
    catalog: Catalog, length: int, coupling: Coupling = "random", seed: int = 0
) -> Sequence:
    """
    Return a sequence of calls of the tools of a catalog, in which each required parameter has a value.

    What a parameter reads is named like it where an earlier call returns such a field, else it is any
    field of a fitting type. With "star" all read from the first call, which is one that returns something.

    Raises:
        InputError: the coupling is unknown, or the catalog has no tools.

    Example:
        >>> catalog = synthetic_catalog(50)
        >>> sequence = synthetic_sequence(catalog, 10, "chain")
        >>> len(sequence.calls), sequence == synthetic_sequence(catalog, 10, "chain")
        (10, True)
    """
    if coupling not in COUPLINGS:
        raise InputError(f"there is no coupling {shown(coupling)!r}.", hint=f"Known: {', '.join(COUPLINGS)}.")
    if not catalog.tools:
        raise InputError("the catalog has no tools to call.")
    rng = random.Random(f"sequence:{coupling}:{length}:{seed}")
    calls: list[Call] = []
    for number in range(length):
        tool = rng.choice(catalog.tools)
        if not calls and coupling == "star":
            tool = rng.choice([each for each in catalog.tools if each.output_fields] or [tool])
        given = [p for p in tool.parameters.values() if p.required]
        given = given or list(tool.parameters.values())[:1]
        arguments: dict[str, Source] = {}
        for parameter in given:
            wanted = schema_types(parameter.json_schema, tool.input_schema)
            source: Source | None = None
            for producer in _producers(calls, coupling, bool(arguments), rng):
                source = _read(catalog.by_name[producer.name], producer, parameter.name, wanted, rng)
                if source is not None:
                    break
            arguments[parameter.name] = source or Constant(value=_value(parameter.json_schema, rng))
        calls.append(Call(name=tool.name, arguments=arguments, label=f"var{number + 1}"))
    return Sequence(calls=tuple(calls))


def _producers(calls: list[Call], coupling: Coupling, has_more: bool, rng: random.Random) -> Iterator[Call]:
    """Yield the calls from which an argument may read."""
    if not calls or coupling == "independent":
        return
    if coupling == "star":
        yield calls[0]
    elif coupling == "chain":
        if not has_more:
            yield calls[-1]
    elif rng.random() < 0.5:
        yield from rng.sample(calls, min(3, len(calls)))


def _read(
    tool: Tool, call: Call, parameter: str, wanted: frozenset[str], rng: random.Random
) -> Reference | None:
    """Return a reference to a field of a call that fits, to one of the same name if there is one."""
    paths: list[FieldPath] = [
        field.path for field in tool.output_fields if is_compatible(tool.types_at(field.path), wanted)
    ]
    same = [path for path in paths if path[-1] == parameter]
    return Reference(label=call.label or "", path=rng.choice(same or paths)) if paths else None


def _value(schema: dict[str, Any], rng: random.Random) -> Any:
    """Return a value that fits a plain schema."""
    if schema.get("enum"):
        return rng.choice(schema["enum"])
    kinds = schema_types(schema)
    if "string" in kinds:
        length = schema.get("minLength")
        return "AB"[:length] if length else f"text {rng.randrange(1000)}"
    if "integer" in kinds:
        return rng.randint(1, 50)
    if "boolean" in kinds:
        return rng.random() < 0.5
    return ["text"] if "array" in kinds else {}
