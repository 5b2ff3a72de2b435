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


@pytest.mark.parametrize(
    ("text", "value", "slip"),
    [
        ('{"a": 1,}', {"a": 1}, "a trailing comma"),
        ("{'a': 'b'}", {"a": "b"}, "single quotes"),
        ("{'a': 'it\\'s'}", {"a": "it's"}, "single quotes"),
        ("{a: 1, b_c: [2]}", {"a": 1, "b_c": [2]}, "a key without quotes"),
        ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}, "True for true"),
        ('{"a": 1 /* why */, // so\n "b": 2} # done', {"a": 1, "b": 2}, "a comment"),
        ('{"a": "x\ny"}', {"a": "x\ny"}, "a line break or control character inside a text"),
        ('{"a": [1 2], "b": 1 "c": 2}', {"a": [1, 2], "b": 1, "c": 2}, "a missing comma"),
        ('{"url": "http://x#y",}', {"url": "http://x#y"}, "a trailing comma"),
        ('{"a": "\\u00e9\\nb", }', {"a": "é\nb"}, "a trailing comma"),
    ],
)
def test_slips_are_mended_and_told(text: str, value: Any, slip: str) -> None:
    mended, slips = read_json_text(text)
    assert repr(mended) == repr(value)
    assert slip in slips


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": "x', "cut off inside a text"),
        ("{'a': 'it's'}", "cut off inside a text|nothing safe"),
        ('{"a": [1', "brackets are not closed"),
        ('{"a":', "brackets are not closed"),
        ("{", "brackets are not closed"),
        ("{'a': 1, 'b': tru", "nothing safe"),
        ('"a": 1}', "nothing safe"),
        ('{"a": [1, 2}', "brackets are not closed"),
        ('{"a" 1}', "nothing safe"),
        ('{"a", "b"}', "nothing safe"),
        ('{"a": 1,, "b": 2}', "nothing safe"),
        ('{"a": 1}}', "nothing safe"),
        ('{"a": 1} so', "nothing safe"),
        ('so {"a": 1}', "nothing safe"),
        ('{"a": "say "hi" now"}', "nothing safe"),
        ('{"a": celsius}', "nothing safe"),
        ('{"a": New York}', "nothing safe"),
        ('{"a": .5}', "nothing safe"),
        ('{"a": 0x1F}', "nothing safe"),
        ('{"a": "\\d"}', "nothing safe"),
        ('{"a": 1, "a": 2,}', "nothing safe"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "NaN is not a JSON value"),
        ("{'a': NaN}", "NaN is not a JSON value"),
        ('{"a": 1e999}', "too large"),
        ("{'a': 1e999}", "inf is not a JSON value"),
        ("{'a': " + "9" * 5000 + "}", "too many digits"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
        ("{'a': " + "[" * 100 + "]" * 100 + "}", "deeper than 64"),
        ("[" * 100_000, "deeper than 64|cut off"),
        ("{'a': '" + "x" * 300_000 + "'}", "too long to be mended"),
        ("", "nothing safe"),
        ("{\n'a': b\n}", "line 2, column 1"),
    ],
)
def test_what_is_cut_off_or_in_doubt_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        read_json_text(text)


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
