"""What all formats of catalogs have in common: detected as themselves, read alike, written and read back."""

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp import check
from refract_asp.errors import FormatError, InputError, UnknownFormatError
from refract_asp.formats import CATALOG_FORMATS, catalog_mistakes, load_catalog
from refract_asp.model import Catalog, Tool
from refract_asp.rules.index import broken_schemas
from yaml_files import tables

from .made import BOOKING, booking
from .test_format_cases import rows

TABLES = tables(__file__)

WRITTEN = ["native", "openai", "anthropic", "gemini", "mcp", "nestful"]
SAMPLES = {row["id"]: (row["format"], row["given"]) for row in rows("samples")}
EVERY = {**SAMPLES, **{row["id"]: (row["format"], row["given"]) for row in rows("other_samples")}}
ANTHROPIC, MCP, NATIVE, OPENAI, SEAL = (
    SAMPLES[name][1] for name in ("anthropic", "mcp", "native", "openai", "seal")
)


@pytest.mark.parametrize(("format", "data"), EVERY.values(), ids=EVERY)
def test_each_sample_looks_like_its_own_format_and_no_other(format: str, data: Any) -> None:
    assert [known.name for known in CATALOG_FORMATS if known.detects(data)] == [format]
    catalog = load_catalog(data)
    assert catalog.format == format
    assert load_catalog(data, format) == catalog
    assert load_catalog(json.dumps(data)) == catalog
    assert load_catalog(json.dumps(data, indent=2)) == catalog


@pytest.mark.parametrize(("format", "data"), SAMPLES.values(), ids=SAMPLES)
def test_the_same_tools_read_the_same_from_every_format(format: str, data: Any) -> None:
    parameters = load_catalog(NATIVE).tools[0].parameters
    search = Tool(name="search", description="Find books.", parameters=parameters)
    bare = {"output_schema": None, "effect": "unknown"}
    read = [tool.model_copy(update=bare) for tool in Catalog.load(data)]
    assert read in ([search], [search, Tool(name="note")])


@pytest.mark.parametrize("format", ["openai", "anthropic", "gemini", "mcp", "native"])
def test_schemas_that_say_more_are_kept_whole(format: str) -> None:
    schema = TABLES["schemas that say more are kept whole, schema"]
    catalog = load_catalog([{"name": "T", "input_schema": schema}])
    tool = catalog.tools[0]
    assert tool.input_schema == schema
    date = {"type": "string", "format": "date", "description": "First day."}
    assert tool.parameters["from"].json_schema == date
    assert load_catalog(json.dumps(catalog.dump(format))).tools == catalog.tools


@pytest.mark.parametrize("format", ["openapi", "library", "seal", "functions"])
def test_formats_that_are_only_read_say_so(format: str) -> None:
    message = f"'{format}' can be read but not written. Write one of: anthropic, gemini, mcp, native, nestful"
    with pytest.raises(UnknownFormatError, match=message):
        load_catalog(NATIVE).dump(format)


FOREIGN: list[Any] = [5, None, "a text", True, [5], {"a": 1}, [[]], {"tools": 5}, [None]]


@pytest.mark.parametrize("known", CATALOG_FORMATS, ids=lambda known: known.name)
@pytest.mark.parametrize("data", FOREIGN)
def test_forced_on_foreign_data_every_format_says_what_it_needs(known: Any, data: Any) -> None:
    with pytest.raises(InputError):
        load_catalog(data, known.name)


FIVE = ("a", 5, "a", "b", None)
BY_NAME = [{"name": name} for name in FIVE]
PATHS = {
    "/a": {"get": {"operationId": "a"}},
    "/c": {"get": {"requestBody": 5}, "put": 5, "post": {"parameters": 5}},
    "/b": {"get": {"operationId": "b"}},
}
OF_FIVE: dict[str, Any] = {
    "native": {"tools": BY_NAME},
    "nestful": [{"name": name, "query_parameters": {}} for name in FIVE],
    "openai": {"functions": BY_NAME},
    "anthropic": [{"name": name, "input_schema": {}} for name in FIVE],
    "mcp": [{"name": name, "inputSchema": {}} for name in FIVE],
    "gemini": {"functionDeclarations": BY_NAME},
    "openapi": {"openapi": "3.1.0", "paths": PATHS},
    "library": [{"functions": [{"name": name, "arglist": []} for name in FIVE]}],
    "seal": [{"api_name": name} for name in FIVE],
}


@pytest.mark.parametrize("format", OF_FIVE)
def test_mistakes_of_single_tools_are_collected(format: str) -> None:
    assert OF_FIVE.keys() == {known.name for known in CATALOG_FORMATS} - {"functions"}
    catalog, mistakes = catalog_mistakes(OF_FIVE[format], format)
    assert [tool.name for tool in catalog] == ["a", "b"]
    assert len(mistakes) == 3
    assert all(mistake.where for mistake in mistakes)
    with pytest.raises(FormatError) as raised:
        load_catalog(OF_FIVE[format], format)
    assert str(raised.value) == str(mistakes[0])


def silenced(format: str, nothing: Any) -> Any:
    """Return a tool in whose schemas each keyword that says nothing stands beside those that do."""
    silent = dict.fromkeys(TABLES["silent"], nothing)
    stop = {"day": {**silent, "type": "integer"}, "note": nothing}
    day = {**silent, "type": "object", "properties": stop}
    fields = {
        "city": {**silent, "type": "string"},
        "stops": {**silent, "type": "array", "items": day},
        "any": {**silent, "type": nothing},
    }
    return booking(format, fields, "city", silent)


@pytest.mark.parametrize("nothing", [None, []], ids=str)
@pytest.mark.parametrize("format", BOOKING)
def test_a_keyword_that_is_null_or_an_empty_list_says_nothing(format: str, nothing: Any) -> None:
    catalog = load_catalog(silenced(format, nothing))
    assert catalog.format == format
    assert list(broken_schemas(catalog)) == []
    assert catalog.tools[0].parameters["city"].description == ""
    good = {"city": "Rome", "stops": [{"day": 3, "note": {"x": 1}}], "any": [None]}
    assert check([{"name": "book", "arguments": good}], catalog).verdict == "valid"
    report = check([{"name": "book", "arguments": {**good, "stops": [{"day": "x"}]}}], catalog)
    faults = [(fault.path, fault.keyword) for v in report.violations for fault in v.faults]
    assert faults == [((0, "day"), "type")]
    missing = check([{"name": "book", "arguments": {"any": "x"}}], catalog)
    assert [violation.code for violation in missing.violations] == ["missing_parameter"]


@pytest.mark.parametrize("format", WRITTEN)
def test_what_says_nothing_says_nothing_after_a_round_trip(format: str) -> None:
    catalog = load_catalog(load_catalog(silenced("openai", None)).dump(format))
    good = {"city": "Rome", "stops": [{"day": 3}], "any": "x"}
    assert check([{"name": "book", "arguments": good}], catalog).verdict == "valid"


# -- one JSON value a line -------------------------------------------------------------


@pytest.mark.parametrize("tools", [ANTHROPIC, OPENAI, SEAL])
def test_lines_are_a_list(tools: list[object], tmp_path: Path) -> None:
    text = "\n".join(json.dumps(tool) for tool in tools)
    catalog = load_catalog(tools)
    assert load_catalog(text) == catalog
    assert load_catalog("\ufeff\n" + text.replace("\n", "\r\n\r\n") + "\n\n") == catalog
    for suffix in ("jsonl", "ndjson", "json"):
        path = tmp_path / f"tools.{suffix}"
        path.write_text(text + "\n", encoding="utf-8")
        assert load_catalog(path).tools == catalog.tools
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(tools[0]), encoding="utf-8")
    assert len(load_catalog(path)) == 1


def test_what_is_written_for_providers() -> None:
    search, note = {**MCP[0], "annotations": {"readOnlyHint": True}}, MCP[1]
    catalog = load_catalog({"tools": [search, note]})
    about = {"name": "search", "description": search["description"]}
    taken, given = search["inputSchema"], search["outputSchema"]
    assert catalog.dump("anthropic")[0] == {**about, "input_schema": taken}
    function = {**about, "parameters": taken}
    assert catalog.dump("openai")[0] == {"type": "function", "function": function}
    assert catalog.dump("mcp")["tools"] == [search, {**note, "description": ""}]
    declaration = catalog.dump("gemini")[0]["functionDeclarations"][0]
    assert declaration == {**about, "parametersJsonSchema": taken, "responseJsonSchema": given}
    catalog.dump()["tools"][0]["parameters"]["query"]["type"] = "integer"
    assert catalog.tools[0].parameters["query"].json_schema["type"] == "string"


@pytest.mark.parametrize("key", ["output_schema", "outputSchema"])
def test_what_a_tool_returns_is_read_in_every_list_of_tools(key: str) -> None:
    given = {"type": "object", "properties": {"seat": {"type": "string"}}}
    tool = {"name": "book", "description": "", key: given}
    schema = {"type": "object", "properties": {"day": {"type": "string"}}}
    function = {**tool, "parameters": schema}
    for data in (
        *({**tool, name: schema} for name in ("input_schema", "inputSchema", "parameters")),
        {"type": "function", "function": function},
    ):
        assert load_catalog([data]).tools[0].returns_path(("seat",)) is True
        assert load_catalog([data]).tools[0].returns_path(("row",)) is False
    assert load_catalog([{**function, key: "a seat"}]).tools[0].output_schema is None


@pytest.mark.parametrize(
    ("said", "effect"),
    [
        ({"effect": "destructive"}, "destructive"),
        ({"annotations": {"readOnlyHint": True}}, "read"),
        ({"effect": "write", "annotations": {"readOnlyHint": True}}, "write"),
        ({"effect": ["read"]}, "unknown"),
        ({"effect": "none"}, "unknown"),
    ],
)
def test_what_a_tool_does_is_read_in_every_list_of_tools(said: Any, effect: str) -> None:
    tool = {"name": "book", "description": "", **said}
    for name in ("input_schema", "inputSchema", "parameters"):
        data: Any = {**tool, name: {"type": "object", "properties": {}}}
        data = {"type": "function", "function": data} if name == "parameters" else data
        assert load_catalog([data]).tools[0].effect == effect


def test_definitions_of_openapi_are_shared_and_only_those_that_are_needed() -> None:
    catalog = load_catalog(Path(__file__).parent / "cases" / "pets.openapi.yaml")
    show, post = catalog.tools[0].output_schema, catalog.tools[3].input_schema
    assert sorted(show["$defs"]) == ["Named", "Pet"]
    assert show["$defs"]["Pet"] is post["$defs"]["Pet"]
    assert load_catalog(json.dumps(catalog.dump())).tools == catalog.tools
