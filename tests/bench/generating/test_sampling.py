"""Values that fit a schema."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.rules.schemas.validation import Validator

WIDE = {
    "type": "object",
    "properties": {name: {"$ref": "#"} for name in "abcdefghij"},
    "required": ["a"],
}
NODE = {
    "type": "object",
    "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}},
    "required": ["n"],
}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": "str"},
        {"type": "string", "minLength": 30, "maxLength": 31},
        {"type": "string", "maxLength": 1},
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        {"type": "string", "pattern": "^[A-Z]{3}$"},
        {"type": "integer", "exclusiveMinimum": 4, "maximum": 5},
        {"type": "integer", "multipleOf": 7, "minimum": 50},
        {"type": "number", "minimum": 0.1, "maximum": 0.2},
        {"type": "number", "exclusiveMaximum": -3},
        {"type": "boolean"},
        {"type": "null"},
        {"type": ["null", "integer"]},
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": True},
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "boolean"}],
            "items": False,
            "minItems": 2,
        },
        {"type": "array", "maxItems": 0},
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]},
        {"type": "object", "required": ["a"], "additionalProperties": {"type": "string"}},
        {"type": "object", "minProperties": 1, "properties": {"a": {"type": "integer"}}},
        {**WIDE, "required": []},
        {"const": {"a": [1]}},
        {"enum": [None, "x"]},
        {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["x"]}]},
        {"oneOf": [{"type": "integer", "minimum": 3}, {"type": "integer", "maximum": 9}]},
        {"allOf": [{"type": "integer"}, {"minimum": 1000}]},
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "anyOf": [{"required": ["a"]}],
        },
        {"$ref": "#/$defs/Day", "$defs": {"Day": {"enum": ["mon"]}}},
        NODE,
        {"type": "string", "default": 5},
        {"type": "number", "multipleOf": 1e-320, "minimum": 5},
        {"type": "integer", "enum": []},
        {"type": "string", "examples": ["of its own"], "pattern": "own"},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_value_fits(schema: Any, seed: int) -> None:
    assert Validator(schema).is_valid(some_value(schema, random.Random(seed)))


@pytest.mark.parametrize(
    "schema",
    [
        WIDE,
        {"type": "array", "minItems": 2_000, "items": {"type": "array", "minItems": 2_000}},
        {"anyOf": [{"$ref": "#"}] * 9},
        {"type": "number", "minimum": 1e300},
        {**WIDE, "minProperties": 2, "properties": {"a": {"$ref": "#"}, "b": {}}, "required": []},
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "integer", "multipleOf": 0},
        {"type": "string", "minLength": 10**9},
        {"type": "string", "pattern": "^(mon|tue)ish-[0-9]{17}$"},
        {"type": "string", "pattern": "("},
        {"type": "array", "minItems": 10**6, "items": {"type": "integer"}},
        {"not": {}},
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.org/schema.json"},
        {"type": "object", "properties": {"self": {"$ref": "#"}}, "required": ["self"]},
        {"type": "array", "items": False, "minItems": 1},
        False,
    ],
)
def test_what_has_no_plain_value_is_said(schema: Any) -> None:
    with pytest.raises(NoValueError):
        some_value(schema, random.Random(0))


def test_a_part_follows_references_of_the_whole() -> None:
    whole = {"$defs": {"Day": {"enum": ["mon"]}}}
    assert some_value({"$ref": "#/$defs/Day"}, random.Random(0), whole) == "mon"


ATOMS = st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(
    lambda kind: {"type": kind}
)
SCHEMAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner, "minItems": st.integers(0, 4)}
        ),
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(
            lambda parts: {"type": "object", "properties": parts, "required": sorted(parts)}
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"anyOf": parts}),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(60))
@given(SCHEMAS, st.integers(0, 9))
def test_values_of_plain_schemas_always_fit(schema: Any, seed: int) -> None:
    assert Validator(schema).is_valid(some_value(schema, random.Random(seed)))
