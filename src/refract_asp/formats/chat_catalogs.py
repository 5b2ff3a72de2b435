"""Catalogs as chat providers and MCP servers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats import catalogs
from refract_asp.formats.values import Origin
from refract_asp.model import Catalog, Effect, Tool
from refract_asp.model.schemas import JsonSchema

# The types of Anthropic's own tools, which have no schema.
_DATED = re.compile(r"[a-z][a-z_]*_\d{8}")
# Counts, which Google's JSON holds as texts.
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
# The arguments of a custom tool: one text.
_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


class _Anthropic(catalogs.ToolList):
    name, looks = "anthropic", 'objects with "input_schema"'
    hint = 'Write {"name": ..., "description": ..., "input_schema": {"type": "object", ...}}.'
    keys, inputs = ("tools",), ("input_schema",)

    def is_tool(self, entry: Any) -> bool:
        if not isinstance(entry, dict):
            return False
        return "input_schema" in entry or _DATED.fullmatch(str(entry.get("type"))) is not None

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        if not isinstance(entry, dict) or "input_schema" in entry:
            return super().tool(entry, at)
        name = catalogs.name_in(entry, at, self.hint)
        at.need(self.is_tool(entry), "the tool has no input_schema.", hint=self.hint)
        about = catalogs.text_in(entry, "description", at)
        return Tool(name=name, description=about, additional_parameters=True)


class _Gemini(catalogs.ToolList):
    name, looks = "gemini", 'objects with "functionDeclarations"'
    hint = 'Write {"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}.'
    keys = ("tools",)
    lists = ("functionDeclarations", "function_declarations")
    inputs = ("parametersJsonSchema", "parameters_json_schema", "parameters")
    outputs = ("responseJsonSchema", "response_json_schema", "response")

    def is_tool(self, entry: Any) -> bool:
        if not isinstance(entry, dict) or any(key in entry for key in self.lists):
            return isinstance(entry, dict)
        if "name" in entry and any(key in entry for key in (*self.inputs[:2], *self.outputs[:2])):
            return True
        in_capitals = catalogs.is_function(entry) and entry["parameters"]["type"] == "OBJECT"
        return in_capitals and "type" not in entry

    def entries(self, data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
        """Yield the declarations of every tool; tools that Google runs, settings alone, are passed over."""
        for at, entry in super().entries(data, origin):
            fields = entry if isinstance(entry, dict) else {}
            held = [key for key in self.lists if key in fields]
            are_settings = fields and all(isinstance(value, dict) for value in fields.values())
            if not held and (at.base == origin.base or not are_settings or "name" in fields):
                yield at, entry
            for key in held:
                yield from catalogs.entries_of(fields[key], (), at.inside(key), self.hint)

    def schema(self, part: JsonSchema) -> JsonSchema:
        changed, kind = dict(part), part.get("type")
        if kind == "TYPE_UNSPECIFIED":
            del changed["type"]
        elif isinstance(kind, str):
            changed["type"] = kind.lower()
        for key in _COUNTS:
            count = part.get(key)
            if isinstance(count, str) and count.isascii() and count.isdigit() and len(count) < 20:
                changed[key] = int(count)
        return changed

    def write(self, catalog: Catalog) -> Any:
        return [{self.lists[0]: super().write(catalog)}]


class _Mcp(catalogs.ToolList):
    name, looks = "mcp", 'objects with "inputSchema", or an answer to `tools/list`'
    hint = 'Write {"name": ..., "inputSchema": {"type": "object", ...}}.'
    inputs, outputs = ("inputSchema",), ("outputSchema",)

    def is_tool(self, entry: Any) -> bool:
        """Whether this is a tool, an answer to `tools/list`, or the result in one."""
        match entry:
            case {"inputSchema": _} | {"jsonrpc": _} | {"result": {"tools": list()}}:
                return True
            case {"tools": list(tools)}:
                return any(isinstance(tool, dict) and "inputSchema" in tool for tool in tools)
        return False

    def entries(self, data: Any, origin: Origin) -> Iterator[catalogs.Entry]:
        """Yield the tools of every page."""
        hint = "Give the answer to `tools/list`."
        match data:
            case {"result": result}:
                data, origin = result, origin.inside("result")
                has_tools = isinstance(data, dict) and "tools" in data
                origin.need(has_tools, "this result holds no tools.", hint=hint)
            case {"jsonrpc": _, "error": {"message": message}}:
                told = shown(message, LONGEST_TEXT)
                raise origin.error(f"this answer holds no result: {told}.", (), hint)
            case {"jsonrpc": _}:
                raise origin.error("this answer holds no result.", (), hint)
            case list() if any(self.is_tool(each) and "inputSchema" not in each for each in data):
                for index, page in enumerate(data):
                    yield from self.entries(page, origin.inside(index))
                return
        yield from catalogs.entries_of(data, ("tools",), origin, self.hint)

    def effect(self, entry: dict[str, Any]) -> Effect:
        return catalogs.effect_of_annotations(entry.get("annotations"))

    def data(self, tool: Tool) -> dict[str, Any]:
        data = super().data(tool)
        if tool.effect == "read":
            data["annotations"] = {"readOnlyHint": True}
        elif tool.effect != "unknown":
            is_destructive = tool.effect == "destructive"
            data["annotations"] = {"readOnlyHint": False, "destructiveHint": is_destructive}
        return data

    def write(self, catalog: Catalog) -> Any:
        return {"tools": super().write(catalog)}


class _OpenAI(catalogs.ToolList):
    name, looks = "openai", 'objects with "type": "function" and "parameters"'
    hint = 'Write {"type": "function", "function": {"name": ..., "parameters": {"type": "object", ...}}}.'
    keys, inputs = ("tools", "functions"), ("parameters",)

    def is_tool(self, entry: Any) -> bool:
        match entry:
            case {"input_schema": _} | {"inputSchema": _}:
                return False
            case {"type": "function" | "custom"}:
                return True
            case {"function": {"name": _}} if entry.get("type") is None:
                return True
        is_other = not catalogs.is_function(entry) or "api_name" in entry
        return not is_other and entry["parameters"]["type"] != "OBJECT"

    def detects(self, data: Any) -> bool:
        match data:
            case {"functions": []} if "library_name" not in data:
                return True
        return super().detects(data)

    def tool(self, entry: Any, at: Origin) -> Tool | None:
        kind = entry.get("type") if isinstance(entry, dict) else None
        if isinstance(kind, str) and kind not in ("function", "custom"):
            return None
        key = kind if isinstance(kind, str) else "function"
        if isinstance(entry, dict) and key in entry:
            entry, at = entry[key], at.inside(key)
        if kind == "custom" and isinstance(entry, dict):
            entry = {**entry, "parameters": _TEXT}
        return super().tool(entry, at)

    def data(self, tool: Tool) -> dict[str, Any]:
        return {"type": "function", "function": super().data(tool)}


FORMATS = tuple(known().format() for known in (_Mcp, _OpenAI, _Anthropic, _Gemini))
