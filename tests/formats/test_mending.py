"""Argument text that is nearly JSON: what is mended, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.formats.values import UnreadableError, read_json_text

from .made import values


@settings(max_examples=examples(150))
@given(st.dictionaries(st.text(max_size=5), values, max_size=3), st.data())
def test_no_prefix_of_a_text_is_ever_read(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    assert repr(read_json_text(text)) == repr((json.loads(text), ()))
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(UnreadableError):
        read_json_text(cut)


@settings(max_examples=examples(150))
@given(st.text(alphabet="{}[]:,'\"ab1 \\/#\n", max_size=20))
def test_what_is_mended_holds_all_of_the_text(text: str) -> None:
    try:
        value, _ = read_json_text(text)
    except UnreadableError:
        return
    assert json.dumps(value)


@pytest.mark.parametrize("piece", ["{", "'", "/*", "{'a':", "[1,", "# \n", "'a' "])
def test_long_texts_without_an_end_are_refused(piece: str) -> None:
    with pytest.raises(UnreadableError):
        read_json_text(piece * (150_000 // len(piece)))
