"""The tool calls of OpenAI's chat messages."""

from __future__ import annotations

import json
from typing import Any

from refract_asp import Sequence

from .written import StructuredText, bound


class TestOpenai(StructuredText):
    name = "openai"

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call_{number}x", "type": "function", "function": function}

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        message = {"role": "assistant", "content": None, "tool_calls": entries}
        return [
            entries,
            message,
            {"tool_calls": entries},
            {
                "id": "chatcmpl-1",
                "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            },
            [{"role": "user", "content": "hi"}, message],
        ]


def test_an_assistant_without_calls() -> None:
    message = {"role": "assistant", "content": "hi", "tool_calls": []}
    assert Sequence.load(message).dump() == message


def test_the_older_way_of_one_call() -> None:
    message = {"role": "assistant", "function_call": {"name": "f", "arguments": '{"a": 1}'}}
    sequence = Sequence.load(message)
    assert (sequence.format, sequence.calls[0].arguments) == ("openai", bound({"a": 1}))
    assert sequence.dump() == message


def test_a_broken_entry_is_a_call_that_cannot_be_used() -> None:
    good = TestOpenai.entry("f", {})
    sequence = Sequence.load({"tool_calls": [5, {"type": "function", "function": 3}, good]})
    assert [bool(call.malformed) for call in sequence.calls] == [True, True, False]


def test_a_custom_tool_is_passed_over() -> None:
    data = [{"id": "1", "type": "custom", "custom": {"name": "code"}}, TestOpenai.entry("f", {})]
    sequence = Sequence.load(data)
    assert [call.name for call in sequence.calls] == ["f"]
    assert sequence.dump() == data


def test_null_for_the_arguments_means_none() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "null"}}
    sequence = Sequence.load({"role": "assistant", "tool_calls": [call]})
    assert (sequence.calls[0].malformed, sequence.calls[0].arguments) == (None, {})
    assert sequence.notes
