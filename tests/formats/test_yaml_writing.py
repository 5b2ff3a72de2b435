"""YAML that reads back as the same, here and elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.depth import examples

import refract_asp.formats.yaml_text as writing
from refract_asp.errors import LimitError
from refract_asp.formats.source import Origin
from refract_asp.formats.yaml_text import parse_yaml, yaml_text

from .made import HOSTILE

WORDS = [
    "no",
    "yes",
    "1e3",
    "0x1F",
    "010",
    "1_000",
    "~",
    "",
    "null",
    "<<",
    "=",
    "2024-08-15",
    "12:30",
    ".inf",
]
LINES = [
    "a\nb",
    "a\n",
    "\na",
    "a\n\nb\n\n",
    " a\nb",
    "a \nb",
    "- a\n- b",
    "a: 1\nb",
    "a\tb\nc",
    "---\na",
]
texts = st.text(max_size=12) | st.sampled_from([*WORDS, *LINES, *HOSTILE])
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(400))
@given(values)
@example(["x" * 300, "word " * 100, {"x" * 300: 1}])
@example([[], {}, [[]], "\U000e0001", "\U0001f600"])
def test_every_value_reads_back(value: Any) -> None:
    text = yaml_text(value)
    assert text.replace("\n", "").isprintable()
    assert repr(parse_yaml(text, Origin())[0]) == repr(value)
    assert repr(yaml.safe_load(text)) == repr(value)


def test_what_would_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MAX_TEXT", 10)
    with pytest.raises(LimitError, match="Write it as JSON"):
        yaml_text("x" * 20)
