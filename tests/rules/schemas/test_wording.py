"""How faults are worded: "x should be <expected>, not <given>" is a sentence for every keyword."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp.rules.schemas.validation import Validator

# schema, value, what is expected, and what was given
TABLE = json.loads(Path(__file__).with_name("wording.json").read_text("utf-8"))


@pytest.mark.parametrize(("schema", "value", "expected", "given"), TABLE)
def test_faults_are_worded(schema: Any, value: Any, expected: str, given: str) -> None:
    found = Validator(schema, formats=True).faults(value)
    assert [(each.expected, each.given) for each in found] == [(expected, given)]


def test_words_are_bounded() -> None:
    names = {f"{'n' * 50}{number}": {} for number in range(1000)}
    closed = Validator({"properties": names, "additionalProperties": False})
    (found,) = closed.faults({"x": "v" * 10_000})
    assert len(found.expected) < 210
    assert len(found.given) < 110
