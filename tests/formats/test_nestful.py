"""NESTFUL sequences and specifications."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from tests.depth import examples

from refract_asp.errors import FormatError, LimitError
from refract_asp.formats import dump_sequence, load_sequence
from refract_asp.model import (
    Sequence,
)

from .made import same, sequences


@pytest.mark.parametrize("data", [5, "T()", {"a": 1}, None, True])
def test_forced_on_foreign_data_it_says_what_it_needs(data: Any) -> None:
    with pytest.raises(FormatError, match="needed"):
        load_sequence(data, "nestful")


def test_deep_nesting() -> None:
    def text(depth: int) -> str:
        return '[{"name": "T", "arguments": {"a": ' + "[" * depth + "]" * depth + "}}]"

    assert "deeper than 64" in (load_sequence(text(70)).calls[0].malformed or "")
    with pytest.raises(LimitError, match="deeper than 64"):
        load_sequence(text(100_000))


@settings(max_examples=examples(100))
@given(sequences(bare=False))
def test_every_sequence_reads_back(sequence: Sequence) -> None:
    data = dump_sequence(sequence, "nestful")
    assert same(load_sequence(data, "nestful"), sequence)
    assert same(load_sequence(json.dumps(data), "nestful"), sequence)
