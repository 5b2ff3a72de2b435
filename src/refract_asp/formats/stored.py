"""
Catalogs as they are kept in the cache: read and checked, with the paths that each tool returns.

They are JSON, a list for each part without names of keys. Definitions that schemas share are written once.
"""

from __future__ import annotations

import json
from typing import Any

from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.schemas import JsonSchema

__all__ = ["LAYOUT", "restored", "stored"]

LAYOUT = 1
"""Goes up when what is written here changes."""

_DEFINITIONS = "$defs"


def stored(catalog: Catalog) -> str:
    """
    Return a catalog as text.

    Raises:
        ValueError: a schema holds what is no JSON value.
        RecursionError: it is nested too deep.

    Example:
        >>> tool = Tool(name="Search", parameters={"query": Parameter(name="query", required=True)})
        >>> restored(stored(Catalog(tools=(tool,)))) == Catalog(tools=(tool,))
        True
    """
    shared: dict[int, int] = {}
    definitions: list[JsonSchema] = []

    def split(schema: JsonSchema | None) -> Any:
        """Return a schema and where its definitions are; each is written once, whoever refers to it."""
        own = schema.get(_DEFINITIONS) if schema is not None else None
        if schema is None or not isinstance(own, dict):
            return [schema]
        places = {}
        for name, definition in own.items():
            if id(definition) not in shared:
                shared[id(definition)] = len(definitions)
                definitions.append(definition)
            places[name] = shared[id(definition)]
        return [{**schema, _DEFINITIONS: None}, places]

    tools = [
        [
            tool.name,
            tool.description,
            tool.effect,
            [[p.name, p.required, p.json_schema] for p in tool.parameters.values()],
            split(tool.input_schema),
            split(tool.output_schema),
            tool.additional_parameters,
            tool.output_paths,
        ]
        for tool in catalog.tools
    ]
    return json.dumps(
        [catalog.name, catalog.format, definitions, tools],
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    )


def restored(text: str) -> Catalog:
    """
    Return the catalog that `stored` wrote; nothing is checked again.

    Raises:
        ValueError, TypeError, KeyError, IndexError: the text is another one.
    """
    name, format, definitions, rows = json.loads(text)

    def joined(parts: list[Any]) -> JsonSchema | None:
        schema: JsonSchema | None = parts[0]
        if schema is not None and len(parts) > 1:
            schema[_DEFINITIONS] = {each: definitions[number] for each, number in parts[1].items()}
        return schema

    tools = []
    for tool_name, description, effect, parameters, inputs, outputs, additional, paths in rows:
        tool = Tool.model_construct(
            name=tool_name,
            description=description,
            effect=effect,
            parameters={
                each: Parameter.model_construct(name=each, required=required, json_schema=schema)
                for each, required, schema in parameters
            },
            input_schema=joined(inputs),
            output_schema=joined(outputs),
            additional_parameters=additional,
        )
        tool.keep_paths(tuple(path) for path in paths)
        tools.append(tool)
    return Catalog.model_construct(tools=tuple(tools), name=name, format=format)
