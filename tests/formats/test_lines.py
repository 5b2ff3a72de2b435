"""The lines on which calls stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Sequence
from refract_asp.report.annotations import call_lines
from yaml_files import read_yaml

from .chat_formats import FORMATS


def lines_in(text: str, format: str | None = None) -> tuple[int | None, ...]:
    return call_lines(text, Sequence.load(text, format))


TEXTS = read_yaml(Path(__file__).with_name("lines.yaml"))


@pytest.mark.parametrize(("text", "lines"), TEXTS)
def test_texts(text: str, lines: list[int]) -> None:
    assert list(lines_in(text)) == lines


DOCUMENTS: dict[str, Any] = {
    form.name: form.around([form.entry("A", {"x": "B"}), form.entry("B", {}, 2)])[-1]
    for form in FORMATS
} | {
    "nestful": [
        {"name": "A", "arguments": {"x": 1}, "label": "B"},
        {"label": None, "arguments": {}, "name": "B"},
    ],
    "loose": {"calls": [{"tool": "A", "args": {}}, {"tool": "B", "args": {}}]},
}


@pytest.mark.parametrize("format", DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 0, 2])
def test_documents(format: str, indent: int | None) -> None:
    """Whatever names the arguments hold, the line is that of the name of the tool."""
    text = json.dumps(DOCUMENTS[format], indent=indent)
    sequence = Sequence.load(text)
    assert sequence.format == format
    assert [call.name for call in sequence.calls] in (["A", "B"], ["B", "A"])
    found = call_lines(text, sequence)
    lines = text.splitlines()
    for call, line in zip(sequence.calls, found, strict=True):
        assert line is not None
        named = [f'"{key}": "{call.name}"' for key in ("name", "tool", "label")]
        assert any(each in lines[line - 1] for each in named)
    if indent is not None:
        assert found[0] != found[1]


def test_a_call_without_a_name_has_no_line() -> None:
    text = '[\n {"name": "A", "arguments": {}},\n {"arguments": {},\n  "name": 7}, 3]'
    assert lines_in(text) == (2, None, None)


def test_an_escaped_name_is_found() -> None:
    assert lines_in('[\n {"arguments": {},\n "name": "\\u0041"}]') == (3,)


def test_what_was_not_read_from_a_text_has_no_lines() -> None:
    sequence = Sequence.load("A()\nB()")
    assert call_lines("C()", sequence) == (None, None)
    assert call_lines("A()\nB()", Sequence(calls=sequence.calls)) == (None, None)


def test_names_of_messages_and_results_are_no_calls() -> None:
    renew = {"id": "1", "type": "function", "function": {"name": "renew_loan", "arguments": "{}"}}
    chat = [
        {"role": "user", "name": "renew_loan", "content": "Twice, please."},
        {"role": "assistant", "tool_calls": [renew]},
        {"role": "tool", "name": "renew_loan", "tool_call_id": "1", "content": "done"},
        {"role": "assistant", "tool_calls": [{**renew, "id": "2"}]},
    ]
    text = "[" + ",\n".join(json.dumps(each) for each in chat) + "]"
    assert lines_in(text) == (4,)
