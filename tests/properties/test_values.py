"""
Whatever a schema says, a valid value is not touched, and what is repaired is valid.

The parts of a value are drawn by `hypothesis_jsonschema`, which shares nothing with what judges here; its
objects need an older hypothesis, so those are put together in this file.
"""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from jsonschema import Draft202012Validator

from declaring import tool
from refract_asp import Catalog, RepairResult, Sequence
from refract_asp.errors import AnswerError
from refract_asp.model import Ask, Call, Constant, Structure

from .made import WORDS, other_forms, profile, refractor, same

NAMES = ["id", "name", "cityName", "limit", "size", "is_open"]


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    fields = draw(st.dictionaries(st.sampled_from(NAMES), inner, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(fields)), unique=True)) if fields else []
    schema: dict[str, Any] = {"type": "object", "properties": fields, "required": required}
    rest = draw(st.sampled_from([None, None, False, {"type": "integer"}]))
    return schema if rest is None else {**schema, "additionalProperties": rest}


def _larger(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        inner.map(lambda items: {"type": "array", "items": items, "maxItems": 4}),
        _objects(inner),
        _objects(inner),
        st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner),
        inner.map(lambda one: {"allOf": [one]}),
    )


schemas = st.recursive(st.sampled_from(WORDS["leaves"]), _larger, max_leaves=5)


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Draw what fits a schema."""
    if "anyOf" in schema:
        return st.one_of(*map(instances, schema["anyOf"]))
    if "allOf" in schema:
        return instances(schema["allOf"][0])
    if schema.get("type") == "array":
        return st.lists(instances(schema["items"]), max_size=schema["maxItems"])
    if schema.get("type") == "object":
        fields = {name: instances(inner) for name, inner in schema["properties"].items()}
        required = {name: fields.pop(name) for name in schema["required"]}
        return st.fixed_dictionaries(required, optional=fields)
    return from_schema(schema) if schema else st.sampled_from([None, 1, "a", {"b": [2.5]}, True])


@st.composite
def fitting(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """Draw a schema, which may be one that is referred to, and a value that fits it."""
    schema = draw(schemas)
    value = draw(instances(schema))
    if draw(st.booleans()):
        schema = {"$defs": {"Inner": schema}, "$ref": "#/$defs/Inner"}
    return schema, value


def repaired(schema: dict[str, Any], value: Any) -> tuple[RepairResult, Sequence]:
    tools = [tool("Do", "write", p={"schema": schema, "required": True})]
    given = Sequence(calls=(Call(name="Do", arguments={"p": Constant(value=value)}),))
    return refractor(Catalog.load({"tools": tools})).repair(given), given


def damaged(draw: st.DrawFn, value: Any) -> Any:
    """Write a value, or a part of it, in another form."""
    parts: list[Any] = list(value) if isinstance(value, dict) else []
    if isinstance(value, list):
        parts = list(range(len(value)))
    if parts and draw(st.booleans()):
        part = draw(st.sampled_from(parts))
        inner = damaged(draw, value[part])
        if isinstance(value, dict):
            return {key: inner if key == part else each for key, each in value.items()}
        return [inner if number == part else each for number, each in enumerate(value)]
    return draw(st.sampled_from([*other_forms(value), None, "x", [], {}, 7]))


def any_value(schema: dict[str, Any], value: Any) -> Any:
    """Return a part of a value that fits a schema, or else something simple that does."""
    parts = [value]
    for part in parts:
        if isinstance(part, dict | list):
            parts += part.values() if isinstance(part, dict) else part
    simple: list[Any] = [None, 0, 2.5, "", True, [], {}]
    return next(filter(Draft202012Validator(schema).is_valid, [*parts, *simple]), None)


@given(fitting())
@profile(120)
def test_a_valid_value_is_never_touched(case: tuple[dict[str, Any], Any]) -> None:
    result, given_sequence = repaired(*case)
    assert result.verdict == "valid", result.violations
    assert same(result.sequence, given_sequence)


@pytest.mark.slow
@given(fitting(), st.data())
@profile(180)
def test_a_damaged_value_is_made_valid_or_asked_for(case: Any, data: st.DataObject) -> None:
    schema, value = case
    wrong = damaged(data.draw, value)
    before = json.dumps(wrong)
    result, given_sequence = repaired(schema, wrong)
    fits = Draft202012Validator(schema).is_valid(wrong)
    assert (result.verdict == "valid") == fits
    now = result.sequence.calls[0].arguments["p"]
    if fits:
        assert same(result.sequence, given_sequence)
    elif result.asks:
        assert result.verdict == "needs_input"
        assert isinstance(now, Ask | Structure)
        # a part that fits nothing is asked for alone; an answer makes all of it valid
        if isinstance(now, Structure):
            known = {ask.name: any_value(ask.json_schema, value) for ask in result.asks}
            with suppress(AnswerError):  # what the answers make is judged as a whole
                answered = result.answer(known).calls[0].arguments["p"]
                assert isinstance(answered, Constant)
                assert Draft202012Validator(schema).is_valid(answered.value), answered.value
    else:
        assert isinstance(now, Constant)
        assert result.verdict == "repaired"
        assert Draft202012Validator(schema).is_valid(now.value), now.value
    assert json.dumps(wrong) == before, "what was given was changed in place"


@given(fitting(), st.data())
@profile(60)
def test_a_repaired_value_stays(case: tuple[dict[str, Any], Any], data: st.DataObject) -> None:
    schema, value = case
    result, _ = repaired(schema, damaged(data.draw, value))
    now = result.sequence.calls[0].arguments["p"]
    if isinstance(now, Constant):
        again, _ = repaired(schema, now.value)
        assert again.verdict == "valid"
