"""Made-up calls, printed in each format of structured calls and read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Sequence
from refract_asp.model import Call

from .made import labels, names, sources

FORMATS = ["openai", "openai-responses", "anthropic", "gemini", "langchain", "mcp", "loose"]


@st.composite
def calls(draw: st.DrawFn) -> tuple[Call, ...]:
    """Draw calls with ids and labels, whose names and values are hostile."""
    return tuple(
        Call(
            name=draw(names),
            arguments=draw(st.dictionaries(names, sources([], bare=False), max_size=2)),
            label=draw(st.none() | labels),
            id=f"id{number}",
        )
        for number in range(draw(st.integers(1, 3)))
    )


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=examples(40))
@given(given_calls=calls())
def test_every_call_reads_back(format: str, given_calls: tuple[Call, ...]) -> None:
    if format == "loose":
        plain = (
            call.model_copy(update={"name": call.name.replace("\\", "")}) for call in given_calls
        )
        given_calls = tuple(call for call in plain if "<" not in call.name)
    printed = Sequence(calls=given_calls).dump(format)
    texts = [printed] if isinstance(printed, str) else [printed, json.dumps(printed)]
    for text in texts:
        if not given_calls:
            continue
        again = Sequence.load(text, format)
        assert repr(again.calls) == repr(given_calls)
        assert again.dump() == printed
        if given_calls:
            assert Sequence.load(text).format == format
