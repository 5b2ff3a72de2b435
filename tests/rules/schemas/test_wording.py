"""How faults are worded: "x should be <expected>, not <given>" is a sentence for every keyword."""

from __future__ import annotations

from typing import Any

import pytest
from refract_asp.rules.schemas.validation import Validator

TEXT = {"type": "string"}
BRANCHES = [{"type": "integer"}, {"type": "object", "required": ["a"]}, {"enum": [1, 2]}]
TABLE: list[tuple[Any, Any, str, str]] = [
    ({"type": "integer"}, "x", "integer", '"x"'),
    ({"type": ["integer", "null"]}, "x", "integer or null", '"x"'),
    ({"enum": ["a", "b"]}, "x", 'one of "a", "b"', '"x"'),
    ({"enum": ["a"]}, "x", '"a"', '"x"'),
    ({"const": 7}, 8, "7", "8"),
    ({"minimum": 1}, 0, "at least 1", "0"),
    ({"maximum": 1}, 2, "at most 1", "2"),
    ({"exclusiveMinimum": 1}, 1, "more than 1", "1"),
    ({"exclusiveMaximum": 1}, 1, "less than 1", "1"),
    ({"multipleOf": 5}, 3, "a multiple of 5", "3"),
    ({"minLength": 3}, "a", "a text of at least 3 characters", '"a"'),
    ({"maxLength": 1}, "ab", "a text of at most 1 character", '"ab"'),
    ({"pattern": "^a"}, "b", "a text that matches ^a", '"b"'),
    ({"format": "date"}, "x", "a text of the format date", '"x"'),
    ({"minItems": 1}, [], "a list of at least 1 element", "[]"),
    ({"maxItems": 2}, [1, 2, 3], "a list of at most 2 elements", "[1, 2, 3]"),
    ({"uniqueItems": True}, [1, 1], "a list whose elements differ", "[1, 1]"),
    ({"contains": TEXT}, [1], 'what contains asks for: {"type": "string"}', "[1]"),
    ({"minProperties": 1}, {}, "an object of at least 1 field", "{}"),
    ({"maxProperties": 1}, {"a": 1, "b": 2}, "an object of at most 1 field", '{"a": 1, "b": 2}'),
    ({"required": ["name", "address"]}, {"name": 1}, "an object with address", '{"name": 1}'),
    ({"required": ["name", "address"]}, {}, "an object with name, address", "{}"),
    ({"dependencies": {"iban": ["to"]}}, {"iban": 1}, 'what dependentRequired asks for: {"iban": ["to"]}',
     '{"iban": 1}'),
    ({"dependentSchemas": {"iban": {"required": ["to"]}}}, {"iban": 1}, "an object with to", '{"iban": 1}'),
    ({"properties": {"name": {}, "email": {}}, "additionalProperties": False}, {"name": 1, "phone": 2},
     "an object without other fields than name, email", '{"phone": 2}'),
    ({"additionalProperties": False}, {"b": 1}, "an object without fields", '{"b": 1}'),
    ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"x1": 1, "b": 1},
     "an object without other fields than ^x", '{"b": 1}'),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"a": 1, "b": 1},
     "an object without other fields", '{"a": 1, "b": 1}'),
    ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, "a text that matches ^a", '"b"'),
    ({"not": TEXT}, "b", 'anything but {"type": "string"}', '"b"'),
    ({"anyOf": BRANCHES}, "x", "one of: integer; object with a; 1, 2", '"x"'),
    ({"oneOf": BRANCHES}, "x", "exactly one of: integer; object with a; 1, 2", '"x"'),
    ({"anyOf": [{"minimum": 3}, {"multipleOf": 2}]}, 1, 'one of: {"minimum": 3}; {"multipleOf": 2}', "1"),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, "an object with b", '{"a": 1}'),
    ({"allOf": [{"type": "integer"}]}, "x", "integer", '"x"'),
    (False, 1, "absent", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected", "given"), TABLE)
def test_faults_are_worded(schema: Any, value: Any, expected: str, given: str) -> None:
    found = Validator(schema, formats=True).faults(value)
    assert [(each.expected, each.given) for each in found] == [(expected, given)]


def test_words_are_bounded() -> None:
    names = {f"{'n' * 50}{number}": {} for number in range(1000)}
    (found,) = Validator({"properties": names, "additionalProperties": False}).faults(
        {"x": "v" * 10_000}
    )
    assert len(found.expected) < 210
    assert len(found.given) < 110
