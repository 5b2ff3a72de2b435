"""The tools of Seal-Tools, for catalogs of thousands."""

from __future__ import annotations

import json

from nestful_data import data_folder
from refract_asp.model import Parameter, Tool

__all__ = ["seal_tools"]

JSON_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}


def seal_tools() -> list[Tool]:
    """Read the Seal-Tools catalog into native tools."""
    tools = []
    for line in (data_folder() / "seal_tools" / "tool.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        tools.append(
            Tool(
                name=entry["api_name"],
                description=entry["api_description"],
                parameters={
                    name: Parameter(name=name, required=name in entry["required"], json_schema=_schema(part))
                    for name, part in entry["parameters"].items()
                },
                output_schema={
                    "type": "object",
                    "properties": {name: _schema(part) for name, part in entry["responses"].items()},
                },
            )
        )
    return tools


def _schema(part: dict[str, str]) -> dict[str, str]:
    schema = {"description": part.get("description", "")}
    if part.get("type") in JSON_TYPES:
        schema["type"] = JSON_TYPES[part["type"]]
    return schema
