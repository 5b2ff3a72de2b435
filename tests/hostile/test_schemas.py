"""Schemas that are none, that lead outside or nowhere, or that take forever: said at their place, bounded."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from declaring import TEXT, nested, tool
from growth import assert_linear
from refract_asp import Catalog, RefractError, RepairResult, Sequence, check, repair
from refract_asp.model import Call, Constant
from refract_asp.rules.index import broken_schemas
from refract_asp.rules.schemas import validation
from refract_asp.rules.schemas.validation import compiled
from yaml_files import tables

TABLES = tables(__file__)

# by name: what is no schema that can be judged, and a value for it
NOT_SCHEMAS: dict[str, tuple[Any, Any]] = json.loads(
    Path(__file__).with_name("not_schemas.json").read_text("utf-8")
)


def deep_schema(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Note every attempt to reach out, and refuse it."""
    tried: list[str] = []

    def refuse(*arguments: Any, **_: Any) -> Any:
        tried.append(repr(arguments))
        raise OSError("there is no network here")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(f"socket.{name}", refuse)
    monkeypatch.setattr("urllib.request.urlopen", refuse)
    yield tried
    assert tried == []


def tools(schema: Any) -> dict[str, Any]:
    bad = tool("Bad", "read", p={"schema": schema, "required": True})
    return {"tools": [bad, tool("Good", "read", n={"type": "integer", "required": True})]}


def repaired(schema: Any, value: Any) -> RepairResult:
    calls = (
        Call(name="Bad", arguments={"p": Constant(value=value)}),
        Call(name="Good", arguments={"n": Constant(value="5")}),
    )
    return repair(Sequence(calls=calls), Catalog.load(tools(schema)))


@pytest.mark.parametrize("name", NOT_SCHEMAS)
def test_what_cannot_be_judged_is_said_and_its_siblings_are_repaired(name: str) -> None:
    schema, value = NOT_SCHEMAS[name]
    try:
        Catalog.load(tools(schema))
    except RefractError:
        return  # refused at once, with a place
    result = repaired(schema, value)
    assert result.verdict == "unrepairable"
    assert result.unresolved == (0,)
    bad, good = result.sequence.calls
    assert bad.arguments["p"] == Constant(value=value)
    assert good.arguments["n"] == Constant(value=5)
    (broken,) = [violation for violation in result.violations if violation.call == 0]
    assert (broken.code, broken.parameter) == ("broken_schema", "p")
    assert "p of Bad" in broken.message
    assert len(broken.message) < 600


@pytest.mark.parametrize("annotation", TABLES["annotations"], ids=str)
def test_an_annotation_never_judges(annotation: dict[str, Any]) -> None:
    inner = {"type": "array", "items": {"type": "integer", **annotation}}
    schema = {"type": "object", "properties": {"a": inner}, **annotation}
    function = {"name": "Bad", "parameters": {"properties": {"p": schema}}}
    catalog = Catalog.load([{"type": "function", "function": function}])
    assert list(broken_schemas(catalog)) == []
    assert check([{"name": "Bad", "arguments": {"p": {"a": [1]}}}], catalog).verdict == "valid"
    report = check([{"name": "Bad", "arguments": {"p": {"a": ["x"]}}}], catalog)
    assert [violation.code for violation in report.violations] == ["invalid_value"]


@pytest.mark.parametrize("name", ["a pattern without end", "a pattern without end for many texts"])
def test_an_endless_pattern_is_tried_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def counted(pattern: str) -> Any:
        tried.append(pattern)
        return compiled(pattern)

    monkeypatch.setattr(validation, "compiled", counted)
    result = repaired(*NOT_SCHEMAS[name])
    assert "takes too long" in result.violations[0].message
    assert 0 < len(tried) < 5


def test_a_schema_that_is_not_needed_harms_nobody() -> None:
    """Only what is judged has to be a schema."""
    catalog = Catalog.load(tools({"$ref": "https://example.com/schema.json"}))
    assert repair("Good(n=5)", catalog).verdict == "valid"
    assert repair('Good(n="5")', catalog).verdict == "repaired"


KEYS = {"type": "object", "additionalProperties": TEXT}
LARGE: dict[str, tuple[Any, Callable[[int], Any], int]] = {
    "keys": (KEYS, lambda size: {f"k{n}": "v" for n in range(size)}, 10_000),
    "a text": (TEXT, lambda size: "x" * size, 1_000_000),
    "a pattern": ({**TEXT, "pattern": "^x+$"}, lambda size: "x" * size, 1_000_000),
    "elements": ({"type": "array", "uniqueItems": True}, lambda size: [*range(size)], 10_000),
}


@pytest.mark.parametrize("name", LARGE)
def test_values_beyond_all_measure_come_back(name: str) -> None:
    schema, made, most = LARGE[name]
    catalog = Catalog.load(tools(schema))

    def judge(size: int) -> None:
        calls = (Call(name="Bad", arguments={"p": Constant(value=made(size))}),)
        assert check(Sequence(calls=calls), catalog).verdict == "valid"

    assert_linear(judge, 500)
    judge(most)


@pytest.mark.parametrize("depth", [50, 300, 5000])
def test_deep_schemas_and_deep_values(depth: int) -> None:
    try:
        catalog = Catalog.load(tools(deep_schema(depth)))
    except RefractError:
        return
    try:
        given = Sequence(calls=(Call(name="Bad", arguments={"p": Constant(value=nested(depth))}),))
    except RefractError:
        return
    result = repair(given, catalog)
    assert result.verdict in ("valid", "unrepairable")


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "verdict", "said"), TABLES["branches upon branches"])
def test_branches_upon_branches_are_not_all_tried(depth: int, verdict: str, said: str) -> None:
    """Each of three branches leads to three more: only so many are looked at, and the result says so."""
    tree: dict[str, Any] = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    schema = {"anyOf": [tree, {**tree, "title": "b"}, {**tree, "title": "c"}, {"type": "integer"}]}
    value: Any = "no number"
    for _ in range(depth):
        value = {"a": value}
    result = repaired(schema, value)
    assert result.verdict == verdict
    assert said in result.violations[0].message
    assert result.truncated == (("forms of p of call 1",) if depth == 5 else ())


def outputs_of_itself(width: int) -> dict[str, Any]:
    """Return an output whose fields are each like the whole: it has `width` ** 5 paths of five steps."""
    fields = {f"a{number}": {"$ref": "#"} for number in range(width)}
    return {"type": "object", "properties": fields}


@pytest.mark.slow
@pytest.mark.parametrize("width", [2, 40, 7_000])
def test_an_output_that_refers_to_itself_is_listed_so_far(width: int) -> None:
    search = tool("Search", returns={"schema": outputs_of_itself(width)}, query={})
    tracemalloc.start()
    catalog = Catalog.load({"tools": [search]})
    calls = [
        {"name": "Search", "arguments": {"query": "x"}, "label": "v"},
        {"name": "Search", "arguments": {"query": "$v.a1.a0.a1.a0.a1.a0.a1$"}, "label": "w"},
        {"name": "Search", "arguments": {"query": "$v.a1.a0.a1.a0.a1.a0.zz$"}},
    ]
    report = check(calls, catalog)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    paths = [field.path for field in catalog.tools[0].output_fields]
    assert len(paths) == min(5_000, sum(width**depth for depth in range(1, 6)))
    assert [len(path) for path in paths] == sorted(len(path) for path in paths)
    assert catalog.tools[0].has_more_paths
    assert [(each.call, each.code) for each in report.violations] == [(2, "unknown_field")]


def test_all_fields_that_an_ordinary_output_declares_are_listed() -> None:
    """Four levels of seven fields: 2,800 paths, and none is left out."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(4):
        schema = {"type": "object", "properties": {f"f{number}": schema for number in range(7)}}
    (get,) = Catalog.load({"tools": [tool("Get", returns={"schema": schema})]}).tools
    assert len(get.output_fields) == 7 + 7**2 + 7**3 + 7**4
    assert not get.has_more_paths
