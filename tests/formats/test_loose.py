"""The looser dialects, in data and inside of texts."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refract_asp import Refractor, Sequence
from refract_asp.errors import FormatError, InputError
from refract_asp.model import Constant, Reference

from .written import CATALOG, CITY, bound

REFRACTOR = Refractor(CATALOG)
JSON = '{"city": "Paris", "days": 2}'
CALL = f'{{"name": "weather", "arguments": {JSON}}}'
OTHER = '{"name": "report", "arguments": {"value": 1}}'

DATA: list[Any] = [
    {"tool_calls": [{"name": "weather", "arguments": CITY}]},
    {"tool_calls": [{"name": "weather", "parameters": CITY}], "thoughts": "well"},
    {"calls": [{"tool_name": "weather", "args": CITY}]},
    {"function_calls": [{"function_name": "weather", "kwargs": CITY}]},
    [{"tool": "weather", "args": CITY}],
    {"function": "weather", "parameters": CITY},
    {"action": "weather", "action_input": CITY, "thought": "well"},
    {"action": "weather", "action_input": JSON},
    {"name": "weather", "input": CITY},
    {"name": "weather", "parameters": JSON},
    {"name": "weather", "args": CITY},
    {"function": {"name": "weather", "parameters": CITY}},
    [{"role": "user", "content": "hi"}, {"tool_calls": [{"name": "weather", "arguments": CITY}]}],
]
TEXTS = [
    f"<tool_call>{CALL}</tool_call>",
    f"Sure (at once)!\n<tool_call>\n{CALL}\n</tool_call>\nDone.",
    f"<tool_call>{CALL}",
    f"<function_call>{CALL}</function_call>",
    f"<function=weather>{JSON}</function>",
    f"<tool_call>\n<function=weather>{JSON}</function>\n</tool_call>",
    f"<tool_call>weather\n{JSON}</tool_call>",
    '<tool_call>weather(city="Paris", days=2)</tool_call>',
    f"```json\n{CALL}\n```",
    f"I shall call (once):\n\n```\n[{CALL}]\n```\nand wait.",
    f"```json\n{CALL}",
    f"```tool_call\n{CALL}\n```",
    f'```json\n{{"tool_calls": [{CALL}]}}\n```',
    "```python\nweather(city='Paris', days=2)\n```",
    f'```json\n{{"id": "1", "type": "function", "function": {CALL}}}\n```',
    f"Thought: hm (well)\nAction: weather\nAction Input: {JSON}\nObservation: ...",
    f"Action: weather\nAction Input:\n{JSON}",
    f"[TOOL_CALLS] [{CALL}]",
    f"[TOOL_CALLS] [{CALL}]\n",
    f"weather\n{JSON}",
    f"weather {JSON}",
    f"I use:\nweather\n{JSON}\nthanks",
]


@pytest.mark.parametrize("data", [*DATA, *TEXTS])
def test_every_dialect_is_read_and_printed_as_it_stood(data: Any) -> None:
    sequence = Sequence.load(data)
    assert sequence.format == "loose"
    assert Sequence.load(data, "loose") == sequence
    (call,) = sequence.calls
    assert (call.name, call.malformed) == ("weather", None)
    assert call.arguments == bound(CITY)
    assert sequence.notes == ()
    assert sequence.dump() == data
    assert copy.deepcopy(sequence).dump() == data


@pytest.mark.parametrize("data", [*DATA, *TEXTS])
def test_a_change_is_printed_in_the_same_dialect(data: Any) -> None:
    wrong: Any = repr(data).replace("weather", "wether")
    wrong = eval(wrong, {})
    result = REFRACTOR.repair(wrong)
    assert result.verdict == "repaired"
    again = Sequence.load(result.sequence.dump())
    assert again.format == "loose"
    assert [(call.name, call.arguments) for call in again.calls] == [("weather", bound(CITY))]
    if not isinstance(data, str):
        assert result.sequence.dump() == data


def test_several_blocks_and_several_calls_in_one() -> None:
    text = f"a\n<tool_call>{CALL}</tool_call>\nb\n<tool_call>{OTHER}</tool_call>c"
    sequence = Sequence.load(text)
    assert [call.name for call in sequence.calls] == ["weather", "report"]
    changed = REFRACTOR.repair(text.replace('"report"', '"reprt"')).sequence.dump()
    assert changed == text
    for body in (f"[{CALL}, {OTHER}]", f"{CALL}\n{OTHER}", f"{CALL}, {OTHER}"):
        text = f"```json\n{body}\n```"
        assert [call.name for call in Sequence.load(text).calls] == ["weather", "report"]
        assert Sequence.load(text).dump() == text
    text = f"weather\n{JSON}\nreport {{}}"
    assert [call.name for call in Sequence.load(text).calls] == ["weather", "report"]


def test_an_added_call_stands_beside_its_reader() -> None:
    call = '{"name": "report", "arguments": {"value": "$x.degrees$"}}'
    for text in (f"so:\n<tool_call>{call}</tool_call>.", f"```json\n{call}\n```"):
        result = REFRACTOR.repair(text).answer({"city": "Paris"}, confirmed=True)
        printed = result.dump()
        again = Sequence.load(printed)
        assert [c.name for c in again.calls] == ["weather", "report"]
        assert again.calls[0].label == "x"
        assert again.calls[1].arguments["value"] == Reference(label="x", path=("degrees",))
        assert printed.startswith(text[:4])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("solve\\_x(a=1)", "solve_x"),
        ('solve\\_x {"a": 1}', "solve_x"),
        ('<tool_call>{"name": "solve\\_x", "arguments": {"a": 1}}</tool_call>', "solve_x"),
        ('```json\n{"name": "solve\\\\_x", "arguments": {"a": 1}}\n```', "solve_x"),
        ('<function=functions.get\\_x>{"a": 1}</function>', "functions.get_x"),
    ],
)
def test_escaped_names(text: str, name: str) -> None:
    sequence = Sequence.load(text)
    assert [(call.name, call.arguments) for call in sequence.calls] == [(name, {"a": Constant(value=1)})]
    printed = sequence.dump()
    assert "\\" not in printed
    assert Sequence.load(printed, "loose").calls == sequence.calls


def test_slips_are_mended_and_told() -> None:
    nearly = "{'name': 'weather', 'arguments': {city: \"Paris\",}}"
    text = f"<tool_call>{OTHER}</tool_call><tool_call>{nearly}</tool_call>"
    sequence = Sequence.load(text)
    assert sequence.calls[1].arguments == {"city": Constant(value="Paris")}
    (note,) = sequence.notes
    assert note.startswith("call 2 (weather): mended ")
    printed = sequence.dump()
    assert printed.startswith(f"<tool_call>{OTHER}</tool_call>")
    assert Sequence.load(printed).notes == ()
    assert Sequence.load(printed) == sequence


@pytest.mark.parametrize("cut", range(30, len(CALL)))
def test_a_block_that_is_cut_off_spoils_its_call_alone(cut: int) -> None:
    for text in (
        f"<tool_call>{OTHER}</tool_call>\n<tool_call>{CALL[:cut]}",
        f"<tool_call>{OTHER}</tool_call>\n<tool_call>{CALL[:cut]}</tool_call>",
        f"```json\n{OTHER}\n```\n```json\n{CALL[:cut]}",
    ):
        sequence = Sequence.load(text)
        good, bad = sequence.calls
        assert good.arguments == {"value": Constant(value=1)}
        assert (bad.name, bad.arguments) == ("weather", {})
        assert bad.malformed is not None
        assert bad.malformed.startswith("<text>:")
        assert sequence.dump() == text


@pytest.mark.parametrize(
    "text",
    [
        "Action: weather\nAction Input: London",
        'Action: weather\nAction Input: {"city": "Par',
        '<function=weather>{"city": </function>',
        'weather\n{"city": "Par',
        "[TOOL_CALLS] [" + CALL[:-3],
        '<tool_call>{"name": "weather", "arguments": {"city": NaN}}</tool_call>',
        '<tool_call>{"name": "weather", "arguments": {"city": "a", "city": "b"}}</tool_call>',
        '<tool_call>{"name": "weather", "arguments": {"city": "\\ud800"}}</tool_call>',
        '<tool_call>{"name": "weather", "arguments": 5}</tool_call>',
        '<tool_call>{"name": "weather", "arguments": {"city": ' + "[" * 70 + "]" * 70 + "}}</tool_call>",
    ],
)
def test_arguments_that_cannot_be_used(text: str) -> None:
    sequence = Sequence.load(text)
    (call,) = sequence.calls
    assert (call.name, call.arguments) == ("weather", {})
    assert call.malformed is not None
    assert call.malformed.isprintable()
    assert call.malformed.startswith("<text>:1:1")
    assert sequence.dump() == text


@pytest.mark.parametrize(
    "text",
    ["some words", "```bash\nls\n```", "```json\n{\"a\": 1}\n```", "<tool_call></tool_call>", "Action: wait",
     '{"name": "f", "arguments": {"a": 1,}}', '{"name": "f", "arg', "[{'name': 'f', 'arguments': {}}]",
     '{"tools": []}', "if x {y}"],
)  # fmt: skip
def test_what_holds_no_call(text: str) -> None:
    try:
        sequence = Sequence.load(text)
    except InputError as error:
        assert str(error).isprintable()  # noqa: PT017
    else:
        assert all(call.malformed for call in sequence.calls)


@pytest.mark.parametrize(
    "data",
    [
        {"name": "f", "description": "a tool", "parameters": {"type": "object", "properties": {}}},
        [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        {"tools": [{"name": "f"}]},
        {"error": "x"},
    ],
)
def test_the_description_of_a_tool_is_no_call(data: Any) -> None:
    with pytest.raises(InputError):
        Sequence.load(data)


def test_data_without_a_call_is_refused_when_forced() -> None:
    for data in (5, {"a": 1}, "words"):
        with pytest.raises(FormatError):
            Sequence.load(data, "loose")


def test_other_formats_are_printed_as_tags() -> None:
    sequence = Sequence.load(['x = weather(city="Paris")', 'report(value="$x.degrees$")'])
    text = sequence.dump("loose")
    assert text.count("<tool_call>") == 2
    assert Sequence.load(text).calls == sequence.calls


@pytest.mark.parametrize(
    "piece", ["<tool_call>", "```\n", "Action: a\nAction Input:", "a {", "[TOOL_CALLS] [", "a\\_b "]
)
def test_the_time_is_bounded(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    started = time.perf_counter()
    try:
        Sequence.load(text, "loose")
    except InputError as error:
        assert str(error).isprintable()  # noqa: PT017
    assert time.perf_counter() - started < 10


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<tool_call>",
                "</tool_call>",
                "```json\n",
                "\n```",
                "Action: f\n",
                "Action Input: ",
                CALL,
                JSON,
                "\n",
                "a ",
                "{",
                "}",
                '"',
                "[TOOL_CALLS]",
                "<function=f>",
                "</function>",
                "\\_",
                "f(",
                ")",
                CALL[:40],
                "(x)",
            ]
        ),
        max_size=7,
    ).map("".join)
)
def test_no_text_gets_past_the_errors_of_this_package(text: str) -> None:
    try:
        sequence, message = Sequence.load(text), ""
    except InputError as error:
        sequence, message = Sequence(), str(error)
    assert message.isprintable()
    if sequence.format == "loose" and not sequence.notes:
        assert sequence.dump() == text
