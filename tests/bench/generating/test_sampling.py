"""Values that fit a schema."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.rules.schemas.validation import Validator
from yaml_files import read_yaml

ROWS = read_yaml(Path(__file__).with_name("schemas.yaml"))


@pytest.mark.parametrize("schema", ROWS["fit"], ids=str)
def test_the_value_fits(schema: Any) -> None:
    for seed in range(3):
        assert Validator(schema).is_valid(some_value(schema, random.Random(seed)))


@pytest.mark.parametrize("schema", ROWS["none"], ids=str)
def test_what_has_no_plain_value_is_said(schema: Any) -> None:
    with pytest.raises(NoValueError):
        some_value(schema, random.Random(0))


def test_a_part_follows_references_of_the_whole_and_a_name_chooses_texts() -> None:
    whole = {"$defs": {"Day": {"enum": ["mon"]}}}
    assert some_value({"$ref": "#/$defs/Day"}, random.Random(0), whole) == "mon"
    assert some_value({"type": "string"}, random.Random(0), name="check_in_date")[:5] == "2024-"


KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null"])
NUMBERS = st.integers(0, 4)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what draws lists, objects and choices of other schemas."""
    objects = st.dictionaries(st.sampled_from("abc"), inner, min_size=1)
    return st.one_of(
        st.tuples(inner, NUMBERS).map(
            lambda of: {"type": "array", "items": of[0], "minItems": of[1]}
        ),
        objects.map(lambda of: {"type": "object", "properties": of, "required": sorted(of)}),
        st.lists(inner, min_size=1, max_size=3).map(lambda of: {"anyOf": of}),
    )


@settings(max_examples=examples(60))
@given(
    st.recursive(KINDS.map(lambda kind: {"type": kind}), nested, max_leaves=6), st.integers(0, 9)
)
def test_values_of_plain_schemas_always_fit(schema: Any, seed: int) -> None:
    assert Validator(schema).is_valid(some_value(schema, random.Random(seed)))
