"""Conversations: what was answered is history, its results are memory, and only open calls are judged."""

import json
from typing import Any

import pytest

from declaring import called, message
from refract_asp import Refractor, Sequence
from refract_asp.formats.examples import load_examples
from refract_asp.integrations import Hook
from yaml_files import tables

TABLES = tables(__file__)

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": {key: {"type": kind}}, "required": [key]}}}
    for name, key, kind in (("find_room", "ward", "string"), ("get_bed", "bed_id", "integer"))
]  # fmt: skip
RESULT = {"bed_id": 7}


def openai(last: str) -> list[Any]:
    """Return messages with an answered call, which is wrong, and one that is open."""
    return [
        {"role": "user", "content": "A bed, please."},
        message(called("find_rom", '{"ward": 5}', "c1")),
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(RESULT)},
        message(called("get_bed", last, "c2")),
    ]


ANTHROPIC = TABLES["anthropic"]
GEMINI = TABLES["gemini"]
OTHERS = [TABLES[name] for name in ("langchain", "responses", "bedrock", "vercel")]
# Local servers give no ids.
OLLAMA = TABLES["ollama"]
NAMELESS = [OLLAMA[0], {"role": "tool", "content": json.dumps(RESULT)}, OLLAMA[2]]
RIGHT = '{"bed_id": 7}'
# As they were before calls had ids.
FUNCTIONS = TABLES["functions"]


@pytest.mark.parametrize(
    "data",
    [openai(RIGHT), {"messages": openai(RIGHT), "tools": TOOLS}, ANTHROPIC, GEMINI, *OTHERS,
     FUNCTIONS, {"messages": FUNCTIONS}, OLLAMA, NAMELESS],
)  # fmt: skip
def test_only_open_calls_are_judged(data: Any) -> None:
    sequence = Sequence.load(data)
    assert [call.name for call in sequence.calls] == ["get_bed"]
    assert [call.name for call in sequence.past] == ["find_rom"]
    name = "c1" if '"c1"' in json.dumps(data) else "find_rom"
    assert sequence.results == {name: RESULT}
    assert sequence.dump() == data
    assert Refractor({"tools": TOOLS}).check(data).verdict == "valid"
    decision = Hook({"tools": TOOLS})(data)
    assert decision.outcome == "pass"
    assert [call.name for call in decision.ready.calls] == ["get_bed"]


SILENT: dict[str, Any] = TABLES["silent"]


@pytest.mark.parametrize("name", SILENT)
def test_what_calls_nothing_passes(name: str) -> None:
    data = SILENT[name]
    sequence = Sequence.load(data)
    assert (sequence.calls, sequence.dump()) == ((), data)
    assert Hook({"tools": TOOLS})(data).outcome == "pass"


@pytest.mark.parametrize("data", TABLES["what may be a call does not pass"])
def test_what_may_be_a_call_does_not_pass(data: Any) -> None:
    assert Hook({"tools": TOOLS})(data).outcome == "retry"


def test_each_result_answers_one_call() -> None:
    def said(*wards: Any) -> Any:
        return message(*(called("find_room", json.dumps({"ward": w}), "0") for w in wards))

    result = {"role": "tool", "tool_call_id": "0", "content": "full"}
    for messages, left in (
        ([said("A"), result, said(5)], [5]),
        ([said("A", "B"), result, result, said(5)], [5]),
        ([said("A"), result, said("B"), result], []),
        ([said("A", 5), result], [5]),
    ):
        open_ = Sequence.load(messages).calls
        assert [call.arguments["ward"].value for call in open_] == left  # type: ignore[union-attr]
        assert Hook({"tools": TOOLS})(messages).outcome == ("repair" if left else "pass")


def test_a_result_whose_call_was_cut_off_answers_no_later_call() -> None:
    # servers without ids, and those that count anew in each message, use them again
    for data in (NAMELESS[1:], [openai(RIGHT)[2], openai(RIGHT)[1]], [OLLAMA[1], OLLAMA[0]]):
        sequence = Sequence.load(data)
        assert (len(sequence.calls), sequence.past, sequence.results) == (1, (), {})
    assert Hook({"tools": TOOLS})([OLLAMA[1], OLLAMA[0]]).outcome != "pass"


CALLS = {
    "openai": openai(RIGHT)[3],
    "anthropic": ANTHROPIC[2],
    "langchain": TABLES["langchain"]["messages"][2],
    "bedrock": TABLES["bedrock"]["messages"][2],
    "gemini": GEMINI["contents"][2],
    "vercel": TABLES["vercel"][2],
}


@pytest.mark.parametrize("second", CALLS)
@pytest.mark.parametrize("first", CALLS)
def test_a_call_in_a_second_format_is_not_left_out(first: str, second: str) -> None:
    other = json.loads(json.dumps(CALLS[second]).replace("get_bed", "drop_bed"))
    every = [CALLS[first], other]
    for data in (every, json.dumps(every)):
        decision = Hook({"tools": TOOLS})(data)
        if first == second:
            assert len(Sequence.load(data).calls) == 2
        else:
            # where both have `tool_calls`, the other is a call that cannot be read
            assert decision.outcome == "retry"
            said = decision.feedback
            assert "stands among calls of" in said or "cannot be read" in said


def test_langchain_holds_each_call_of_its_provider_twice() -> None:
    call = {"name": "get_bed", "args": {"bed_id": 7}, "id": "t1", "type": "tool_call"}
    block = {"type": "tool_use", "id": "t1", "name": "get_bed", "input": {"bed_id": 7}}
    said = {"type": "ai", "content": [block], "tool_calls": [call]}
    for data in (said, [said], {"messages": [said]}):
        assert len(Sequence.load(data).calls) == 1


def test_a_result_of_anthropic_may_be_empty() -> None:
    empty = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]}
    assert len(Sequence.load([ANTHROPIC[0], empty, ANTHROPIC[2]]).calls) == 1


def test_a_tool_of_gemini_may_be_called_again() -> None:
    again = [*GEMINI["contents"], GEMINI["contents"][0]]
    assert [call.name for call in Sequence.load(again).past] == ["find_rom"]
    assert [call.name for call in Sequence.load(again).calls] == ["get_bed", "find_rom"]


def test_the_text_of_a_custom_tool_is_its_argument() -> None:
    tools = [{"type": "custom", "name": "run_code"}]
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "run_code", "input": "print(1)"}
    entry = {"id": "c1", "type": "custom", "custom": {"name": "run_code", "input": "print(1)"}}
    for data in ({"output": [item]}, {"role": "assistant", "tool_calls": [entry]}):
        result = Refractor(tools).repair(data)
        assert result.verdict == "valid"
        assert result.sequence.dump("pretty") == ['run_code(input="print(1)")']
        assert result.sequence.dump() == data


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
    def refused(args: str) -> Any:
        call = {"name": "get_bed", "args": args, "id": "2", "error": "x"}
        invalid = [{**call, "type": "invalid_tool_call"}]
        return {"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": invalid}

    mended = Sequence.load(refused("{'bed_id': 7,}"))
    assert mended.dump("pretty") == ["get_bed(bed_id=7)"]
    (cut,) = Sequence.load(refused('{"bed_id": ')).calls
    assert cut.malformed.endswith("it was refused: x.")
