"""What the catalogs of providers and data sets have of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refract_asp.errors import FormatError
from refract_asp.formats import load_catalog
from refract_asp.model import Parameter, Tool

from .catalog_samples import ABOUT, ANTHROPIC, GEMINI, INPUT, MCP, NOTE, OPENAI, OUTPUT


def names(data: Any, format: str | None = None) -> list[str]:
    return [tool.name for tool in load_catalog(data, format)]


def test_what_is_written_for_providers() -> None:
    catalog = load_catalog({"tools": [{**MCP[0], "annotations": {"readOnlyHint": True}}, MCP[1]]})
    assert catalog.dump("anthropic") == [
        {"name": "search", "description": ABOUT, "input_schema": INPUT},
        {"name": "note", "description": "", "input_schema": NOTE},
    ]
    search = {"name": "search", "description": ABOUT, "parameters": INPUT}
    assert catalog.dump("openai")[0] == {"type": "function", "function": search}
    first, second = catalog.dump("mcp")["tools"]
    assert first == {**MCP[0], "annotations": {"readOnlyHint": True}}
    assert second == {**MCP[1], "description": ""}
    declaration = catalog.dump("gemini")[0]["functionDeclarations"][0]
    assert (declaration["parametersJsonSchema"], declaration["responseJsonSchema"]) == (
        INPUT,
        OUTPUT,
    )


@pytest.mark.parametrize(
    ("tools", "format"),
    [
        ([{"type": "web_search"}, *OPENAI, {"type": "mcp", "server_label": "x"}], "openai"),
        ({"tools": [{"googleSearch": {}}, *GEMINI]}, "gemini"),
    ],
)
def test_tools_that_run_elsewhere_are_passed_over(tools: Any, format: str) -> None:
    assert names(tools) == ["search", "note"]
    assert names([{"type": "web_search"}], "openai") == []


def test_tools_with_a_dated_type_take_anything() -> None:
    (bash, search) = load_catalog([{"type": "bash_20250124", "name": "bash"}, ANTHROPIC[0]])
    assert bash == Tool(name="bash", additional_parameters=True)
    assert search.name == "search"


@pytest.mark.parametrize("inside", [False, True])
def test_a_custom_tool_takes_a_text(inside: bool) -> None:
    run = {"name": "run", "description": "Runs code."}
    (tool,) = load_catalog([{"type": "custom", **({"custom": run} if inside else run)}])
    text = Parameter(name="input", required=True, json_schema={"type": "string"})
    assert (tool.name, tool.description, tool.parameters) == ("run", "Runs code.", {"input": text})


def test_words_for_types_are_kept() -> None:
    entry = {"name": "T", "parameters": {"type": "dict", "properties": {"a": {"type": "float"}}}}
    assert load_catalog([entry]).tools[0].parameters["a"].json_schema == {"type": "float"}


@pytest.mark.parametrize("is_open", [False, True])
def test_what_is_open_stays_open(is_open: bool) -> None:
    schema = {**INPUT, "additionalProperties": is_open}
    (tool,) = load_catalog([{"type": "function", "name": "T", "parameters": schema}])
    assert tool.additional_parameters is is_open
    assert (tool.effect, tool.output_schema) == ("unknown", None)


def test_types_and_counts_of_gemini_become_those_of_json_schema() -> None:
    item = {"enum": ["STRING"]}
    tags = {"maxItems": 3, "nullable": True, "default": [{"type": "ARRAY"}]}
    given = {
        "tags": {**tags, "type": "ARRAY", "minItems": "1", "items": {"type": "STRING", **item}},
        "any": {"type": "TYPE_UNSPECIFIED", "anyOf": [{"type": "NUMBER"}]},
        "type": {"type": "STRING", "minLength": "many"},
    }
    response = {"type": "OBJECT", "properties": {"id": {"type": "STRING"}}}
    entry = {"name": "T", "parameters": {"type": "OBJECT", "properties": given}}
    (tool,) = load_catalog([{"functionDeclarations": [{**entry, "response": response}]}])
    assert {name: parameter.json_schema for name, parameter in tool.parameters.items()} == {
        "tags": {**tags, "type": "array", "minItems": 1, "items": {"type": "string", **item}},
        "any": {"anyOf": [{"type": "number"}]},
        "type": {"type": "string", "minLength": "many"},
    }
    assert tool.output_schema == OUTPUT


@pytest.mark.parametrize("keys", ["parametersJsonSchema responseJsonSchema",
                                  "parameters_json_schema response_json_schema"])  # fmt: skip
def test_json_schemas_of_gemini_in_both_spellings(keys: str) -> None:
    entry = {"name": "T", **dict(zip(keys.split(), (INPUT, OUTPUT), strict=True))}
    (tool,) = load_catalog([{"functionDeclarations": [entry]}])
    assert tool.parameters["query"].required
    assert tool.output_schema == OUTPUT


@pytest.mark.parametrize(
    ("annotations", "effect"),
    [
        (None, "unknown"),
        ({"title": "Search", "idempotentHint": True}, "unknown"),
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "destructiveHint": True}, "read"),
        ({"readOnlyHint": False}, "destructive"),
        ({"readOnlyHint": False, "destructiveHint": False}, "write"),
        ({"destructiveHint": False}, "write"),
        ({"destructiveHint": True}, "destructive"),
        ({"readOnlyHint": "yes"}, "unknown"),
        ("read", "unknown"),
    ],
)
def test_the_hints_of_mcp_give_the_effect(annotations: Any, effect: str) -> None:
    catalog = load_catalog([{"name": "T", "inputSchema": {}, "annotations": annotations}])
    assert catalog.tools[0].effect == effect
    assert load_catalog(catalog.dump("mcp")) == catalog


def test_pages_of_mcp_may_stand_in_lines() -> None:
    pages = [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}} for tool in MCP]
    assert names("\n".join(map(json.dumps, pages))) == ["search", "note"]


def test_a_tool_of_seal_tools() -> None:
    parameters = {"a": {"type": "str"}, "b": {"type": "int", "description": "How many."}}
    outputs = {"rate": {"type": "float"}, "words": {"type": "list"}}
    entry = {"api_name": "find", "api_description": "Finds.", "field": "Search"}
    more = {"parameters": parameters, "required": ["a"], "responses": outputs}
    (tool,) = load_catalog([{**entry, **more}])
    assert (tool.name, tool.description, tool.effect) == ("find", "Finds.", "unknown")
    assert [(p.required, p.json_schema) for p in tool.parameters.values()] == [
        (True, parameters["a"]),
        (False, parameters["b"]),
    ]
    fields = [(field.path, field.type) for field in tool.output_fields]
    assert fields == [(("rate",), "number"), (("words",), "array")]
    assert load_catalog({"api_name": "find"}).tools[0].output_schema is None


# -- libraries of functions ------------------------------------------------------------

ROTATE = {
    "function_name": "rotate",
    "documentation": "Returns the image rotated by [number of degrees|degrees].",
    "arglist": ["degrees"],
    "return_type": ["image"],
}
IMAGE = {
    "library_name": "image",
    "style": "class",
    "functions": [
        ROTATE,
        {"function_name": "flip", "documentation": "", "arglist": [""], "return_type": ["image"]},
        {"name": "get_width", "doc": "Returns the width.", "args": [], "return_type": "int"},
        {"function_name": "over", "arglist": ["image"], "return_type": ["image", "none"]},
    ],
}


def test_methods_take_their_object_first() -> None:
    rotate, flip, width, over = load_catalog(IMAGE)
    thing = {"type": "object", "title": "image"}
    assert rotate.name == "image.rotate"
    assert rotate.description == "Returns the image rotated by the given number of degrees."
    image = Parameter(name="image", required=True, json_schema=thing)
    assert list(rotate.parameters.values()) == [image, Parameter(name="degrees", required=True)]
    assert (rotate.output_schema, width.output_schema) == (thing, {"type": "integer"})
    assert (list(flip.parameters), list(over.parameters)) == (["image"], ["self", "image"])
    assert over.output_schema == {"anyOf": [thing, {"type": "null"}]}


def test_ids_tell_libraries_of_one_name_apart() -> None:
    cone = {"function_name": "volume", "arglist": ["radius"], "return_type": ["float"]}
    library = {"library_name": "solids", "functions": [cone]}
    catalog = load_catalog([{**library, "id": f"solids{n}"} for n in (1, 2)])
    assert [tool.name for tool in catalog] == ["solids1.volume", "solids2.volume"]
    assert catalog.tools[0].parameters == {"radius": Parameter(name="radius", required=True)}
    assert catalog.tools[0].output_schema == {"type": "number"}
    (alone,) = load_catalog([ROTATE])
    assert (alone.name, list(alone.parameters)) == ("rotate", ["degrees"])


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ({"style": "struct"}, r"^style: the style is import or class"),
        ({"library_name": 5}, r"^library_name: a text is needed"),
        ({"functions": [{"name": "f", "arglist": "a"}]}, r"\.arglist: a list of names"),
        ({"functions": [{"name": "f", "arglist": ["a", "a"]}]}, r"two arguments have one name"),
        ({"functions": [{"name": "f", "return_type": 5}]}, r"^functions\[0\]\.return_type"),
        ({"functions": [{"function_name": ""}]}, r"^functions\[0\]\.function_name"),
        ({"functions": [5]}, r"^functions\[0\]: an object is needed"),
    ],
)
def test_mistakes_in_libraries(library: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_catalog({**IMAGE, **library})
