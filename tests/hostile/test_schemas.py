"""Schemas that are none, that lead outside or nowhere, or that take forever: said at their place, bounded."""

from __future__ import annotations

import socket
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from refract_asp import Catalog, RefractError, RepairResult, Sequence, check, repair
from refract_asp.model import Call, Constant, Structure
from refract_asp.model.sources import Reference

SLOW = "a" * 60 + "!"
NOT_SCHEMAS: dict[str, tuple[Any, Any]] = {
    "a type that is a number": ({"type": 5}, "x"),
    "a bound that is a text": ({"minimum": "five"}, 3),
    "properties in a list": ({"type": "object", "properties": ["a"]}, {"a": 1}),
    "required that is a text": ({"type": "object", "required": "a"}, {"a": 1}),
    "items that are a number": ({"type": "array", "items": 3}, ["a"]),
    "an enumeration that is a text": ({"enum": "abc"}, "a"),
    "no branches": ({"anyOf": []}, "a"),
    "a branch that is a text": ({"anyOf": ["string"]}, "a"),
    "no multiple": ({"multipleOf": 0}, 5),
    "a length below zero": ({"minLength": -1}, "a"),
    "a reference that is a number": ({"$ref": 5}, "a"),
    "inside": (
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": 7}}}},
        {"a": ["b"]},
    ),
    # patterns
    "a pattern that is none": ({"type": "string", "pattern": "("}, "a"),
    "a pattern that is a number": ({"type": "string", "pattern": 3}, "a"),
    "a name pattern that is none": ({"type": "object", "patternProperties": {"[": {}}}, {"a": 1}),
    "a pattern without end": ({"type": "string", "pattern": "^(a|aa)+$"}, SLOW),
    "a name pattern without end": ({"type": "object", "patternProperties": {"^(a|aa)+$": {}}}, {SLOW: 1}),
    "a pattern without end for many texts": (
        {"type": "array", "items": {"pattern": "^(a|a)*$"}},
        [f"{SLOW}{number}" for number in range(1000)],
    ),
    "a pattern without end in a branch": ({"anyOf": [{"pattern": "^(a|aa)+$", "type": "string"}]}, SLOW),
    # references
    "a reference to nothing": ({"$ref": "#/$defs/Nothing"}, "a"),
    "a reference to no anchor": ({"$ref": "#nothing"}, "a"),
    "a reference to another file": ({"$ref": "other.json#/definitions/A"}, "a"),
    "a reference to the network": ({"$ref": "https://example.com/schema.json"}, "a"),
    "a reference to a file of the system": ({"$ref": "file:///etc/passwd"}, "a"),
    "a reference to the network inside": (
        {"type": "array", "items": {"$ref": "http://example.com/s"}},
        ["a"],
    ),
    "a reference with a base of the network": (
        {"$id": "https://example.com/a", "$ref": "b.json"},
        "a",
    ),
    "a reference to itself": ({"$ref": "#"}, "a"),
    "references in a circle": (
        {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"},
        "a",
    ),
    "references in a circle of branches": ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, "a"),
}


INTEGER = {"type": "integer"}


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

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    yield tried
    assert tried == []


def tools(schema: Any) -> dict[str, Any]:
    return {
        "tools": [
            {"name": "Bad", "effect": "read", "parameters": {"p": {"schema": schema, "required": True}}},
            {"name": "Good", "effect": "read", "parameters": {"n": {"type": "integer", "required": True}}},
        ]
    }


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
    started = time.monotonic()
    result = repaired(schema, value)
    assert time.monotonic() - started < 3  # each pattern is stopped far sooner, machines are noisy
    assert result.verdict == "unrepairable"
    assert result.unresolved == (0,)
    bad, good = result.sequence.calls
    assert bad.arguments["p"] == Constant(value=value)
    assert good.arguments["n"] == Constant(value=5)
    broken = [violation for violation in result.violations if violation.call == 0]
    assert [(violation.code, violation.parameter) for violation in broken] == [("broken_schema", "p")]
    assert "p of Bad" in broken[0].message
    assert len(broken[0].message) < 600


@pytest.mark.parametrize("name", ["a pattern without end", "a pattern without end for many texts"])
def test_a_pattern_without_end_is_named(name: str) -> None:
    result = repaired(*NOT_SCHEMAS[name])
    assert "takes too long" in result.violations[0].message


def test_a_schema_that_is_not_needed_harms_nobody() -> None:
    """Only what is judged has to be a schema."""
    catalog = Catalog.load(tools({"$ref": "https://example.com/schema.json"}))
    assert repair("Good(n=5)", catalog).verdict == "valid"
    assert repair('Good(n="5")', catalog).verdict == "repaired"


def test_a_reference_is_judged_by_type_where_the_schema_cannot_be_followed() -> None:
    catalog = Catalog.load(tools({"$ref": "#/$defs/Nothing"}))
    reference = Structure(value=[Reference(label="lost", path=("x",))])
    result = repair(Sequence(calls=(Call(name="Bad", arguments={"p": reference}),)), catalog)
    assert result.unresolved == (0,)


def test_a_call_of_an_unknown_tool_does_not_get_one_whose_schema_breaks_the_repair() -> None:
    catalog = Catalog.load(tools({"type": "string", "pattern": "("}))
    result = repair('Baad(p="x")\nGood(n="5")', catalog)
    assert str(result.sequence).splitlines()[-1] == "Good(n=5)"


def test_values_beyond_all_measure_come_back() -> None:
    for schema, value in [
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {f"k{n}": "v" for n in range(10_000)},
        ),
        ({"type": "string"}, "x" * 1_000_000),
        ({"type": "string", "pattern": "^x+$"}, "x" * 1_000_000),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, list(range(10_000))),
    ]:
        started = time.monotonic()
        report = check(
            Sequence(calls=(Call(name="Bad", arguments={"p": Constant(value=value)}),)),
            Catalog.load(tools(schema)),
        )
        assert report.verdict == "valid"
        assert time.monotonic() - started < 5


@pytest.mark.parametrize("depth", [50, 300, 5000])
def test_deep_schemas_and_deep_values(depth: int) -> None:
    try:
        catalog = Catalog.load(tools(deep_schema(depth)))
    except RefractError:
        return
    value: Any = 1
    for _ in range(depth):
        value = [value]
    try:
        given = Sequence(calls=(Call(name="Bad", arguments={"p": Constant(value=value)}),))
    except RefractError:
        return
    result = repair(given, catalog)
    assert result.verdict in ("valid", "unrepairable")


@pytest.mark.parametrize("depth", [5, 8, 30])
def test_branches_upon_branches_are_not_all_tried(depth: int) -> None:
    """Each of three branches leads to three more: only so many are looked at."""
    tree: dict[str, Any] = {"type": "object", "properties": {"a": {"$ref": "#/$defs/T"}}}
    schema = {
        "$defs": {
            "T": {"anyOf": [tree, {**tree, "title": "b"}, {**tree, "title": "c"}, {"type": "integer"}]}
        },
        "$ref": "#/$defs/T",
    }
    value: Any = "no number"
    for _ in range(depth):
        value = {"a": value}
    started = time.monotonic()
    result = repaired(schema, value)
    assert result.verdict in ("needs_input", "unrepairable")
    assert time.monotonic() - started < 20
