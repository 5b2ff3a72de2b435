# ruff: noqa: E501 - messages stand as they are written
"""Conversations: what was answered is history, its results are memory, and only open calls are judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refract_asp import Refractor, Sequence
from refract_asp.formats.examples import load_examples
from refract_asp.integrations import Hook

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": {key: {"type": kind}}, "required": [key]}}}
    for name, key, kind in (("find_room", "ward", "string"), ("get_bed", "bed_id", "integer"))
]  # fmt: skip
RESULT = {"bed_id": 7}


def openai(last: str) -> list[Any]:
    """Return messages with an answered call, which is wrong, and one that is open."""

    def call(id_: str, name: str, arguments: str) -> Any:
        return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}

    return [
        {"role": "user", "content": "A bed, please."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("c1", "find_rom", '{"ward": 5}')],
        },
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(RESULT)},
        {"role": "assistant", "content": None, "tool_calls": [call("c2", "get_bed", last)]},
    ]


ANTHROPIC = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "find_rom", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
                                  "content": [{"type": "text", "text": json.dumps(RESULT)}]}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "get_bed", "input": {"bed_id": 7}}]},
]  # fmt: skip
LANGCHAIN = {"messages": [
    {"type": "ai", "content": "", "tool_calls": [{"name": "find_rom", "args": {}, "id": "c1", "type": "tool_call"}]},
    {"type": "tool", "content": json.dumps(RESULT), "tool_call_id": "c1"},
    {"type": "ai", "content": "", "tool_calls": [
        {"name": "get_bed", "args": {"bed_id": 7}, "id": "c2", "type": "tool_call"}]},
]}  # fmt: skip
RESPONSES = [
    {"type": "function_call", "call_id": "c1", "name": "find_rom", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": json.dumps(RESULT)},
    {"type": "function_call", "call_id": "c2", "name": "get_bed", "arguments": '{"bed_id": 7}'},
]
RIGHT = '{"bed_id": 7}'


@pytest.mark.parametrize(
    "data", [openai(RIGHT), {"messages": openai(RIGHT), "tools": TOOLS}, ANTHROPIC, LANGCHAIN, RESPONSES]
)  # fmt: skip
def test_only_open_calls_are_judged(data: Any) -> None:
    sequence = Sequence.load(data)
    assert [call.name for call in sequence.calls] == ["get_bed"]
    assert [call.name for call in sequence.past] == ["find_rom"]
    assert sequence.results == {"c1": RESULT}
    assert sequence.dump() == data
    assert Refractor({"tools": TOOLS}).check(data).verdict == "valid"
    decision = Hook({"tools": TOOLS})(data)
    assert decision.outcome == "pass"
    assert [call.name for call in decision.ready.calls] == ["get_bed"]


def test_a_repair_leaves_what_was_answered() -> None:
    data = openai('{"bed_id": "7",}')
    result = Refractor({"tools": TOOLS}).repair(data)
    assert result.verdict == "repaired"
    after = result.sequence.dump()
    assert after[:3] == data[:3]
    assert after[3]["tool_calls"][0]["function"]["arguments"] == RIGHT


def test_a_record_brings_its_catalog() -> None:
    record = {"messages": openai(RIGHT), "tools": TOOLS}
    (example,) = load_examples([record])
    assert example.catalog is not None
    assert [tool.name for tool in example.catalog] == ["find_room", "get_bed"]


def test_what_langchain_refused_is_mended_where_it_can_be() -> None:
    def message(args: str) -> Any:
        refused = {
            "name": "get_bed",
            "args": args,
            "id": "2",
            "error": "x",
            "type": "invalid_tool_call",
        }
        return {"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": [refused]}

    (call,) = Sequence.load(message("{'bed_id': 7,}")).calls
    assert (
        str(call)
        == str(
            Sequence.load([{"id": "2", "name": "get_bed", "arguments": '{"bed_id": 7}'}]).calls[0]
        )
        or call.malformed is None
    )
    (cut,) = Sequence.load(message('{"bed_id": ')).calls
    assert cut.malformed is not None
    assert cut.malformed.endswith("it was refused: x.")
