"""The looser dialects, in data and inside of texts."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from refract_asp import Refractor, Sequence
from refract_asp.errors import FormatError, InputError
from refract_asp.model import Call, Constant, Reference
from refract_asp.report.annotations import call_lines

from .chat_formats import CATALOG, CITY, bound

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
    {"name": "weather", "arguments": JSON},
    [{"name": "weather", "arguments": JSON}],
    [{"id": "call_1", "type": "function", "name": "weather", "arguments": JSON}],
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
    assert [(call.name, call.arguments) for call in sequence.calls] == [
        (name, {"a": Constant(value=1)})
    ]
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
        '<tool_call>{"name": "weather", "arguments": {"city": '
        + "[" * 70
        + "]" * 70
        + "}}</tool_call>",
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


@pytest.mark.parametrize("nothing", [None, [], {}])
def test_no_arguments_are_written_in_many_ways(nothing: Any) -> None:
    entry = {"name": "report", "arguments": nothing}
    for data in ([entry], entry):
        sequence = Sequence.load(data)
        (call,) = sequence.calls
        assert (call.name, call.arguments, call.malformed, sequence.notes) == (
            "report",
            {},
            None,
            (),
        )
        assert Sequence.load(sequence.dump()) == sequence
        (violation,) = REFRACTOR.check(data).violations
        assert violation.code == "missing_parameter"


@pytest.mark.parametrize(
    ("text", "slip"), [("", "an empty text"), ("null", "null"), ("[]", "an empty list")]
)
def test_a_text_that_stands_for_no_arguments(text: str, slip: str) -> None:
    sequence = Sequence.load([{"name": "report", "arguments": text}])
    assert sequence.calls == (Call(name="report"),)
    assert sequence.notes == (f"call 1 (report), arguments: mended {slip} for no arguments.",)


def test_arguments_as_text_are_mended_and_keep_their_form() -> None:
    entry = {"id": "c1", "name": "weather", "arguments": "{'city': \"Paris\", days: 2,}"}
    sequence = Sequence.load([entry])
    assert sequence.calls[0].arguments == bound(CITY)
    mended = "single quotes, a key without quotes, a trailing comma"
    assert sequence.notes == (f"call 1 (weather), arguments: mended {mended}.",)
    assert sequence.dump() == [{**entry, "arguments": JSON}]


@pytest.mark.parametrize("text", ['{"city": "Par', "London", '{"city": NaN}', "5", '["Paris"]'])
def test_arguments_as_text_that_are_no_object_spoil_their_own_call_alone(text: str) -> None:
    data = [{"name": "weather", "arguments": text}, {"name": "weather", "arguments": JSON}]
    sequence = Sequence.load(data)
    assert [call.malformed is None for call in sequence.calls] == [False, True]
    assert (sequence.calls[0].malformed or "").startswith("[0].arguments")
    assert sequence.dump() == data


def test_a_call_that_is_added_among_arguments_as_text_has_them_as_text() -> None:
    data = [{"id": "call_7", "name": "report", "arguments": '{"value": "$x.degrees$"}'}]
    added, given = REFRACTOR.repair(data).answer({"city": "Paris"}, confirmed=True).dump()
    assert added["arguments"] == '{"city": "Paris"}'
    assert added["id"] not in (None, "call_7")
    assert given == data[0]


THOUGHTS = [
    f"<think>\nmaybe <tool_call>{OTHER}</tool_call>\n</think>\n",
    '<thinking>I\'d say "report(value=1)" (or so).</thinking>\n\n',
    f"<reasoning>```json\n{OTHER}\n```</reasoning>",
    "<think></think>",
    "The prompt ended in an opening tag; report(value=1)?\n</think>\n",
    "</think>",
    "<think>one <think> two </think> three report(value=1) </think>\n",
    "<Thinking>\nreturn report({value: 1});\n</Thinking>  ",
]
AFTER = [
    "weather(city='Paris', days=2)",
    'weather(city="Paris", days=2)',
    "[weather(city='Paris', days=2)]",
    "return weather({city: 'Paris', days: 2});",
    CALL,
    f"[{CALL}]",
    '{"tool_calls": [{"id": "1", "type": "function", "function": ' + CALL + "}]}",
    f"<tool_call>{CALL}</tool_call>",
    f"```json\n{CALL}\n```",
    f"weather\n{JSON}",
    f"Action: weather\nAction Input: {JSON}",
    f"[TOOL_CALLS] [{CALL}]",
]


@pytest.mark.parametrize("after", AFTER)
def test_what_a_model_only_thought_is_no_call(after: str) -> None:
    plainly = Sequence.load(after)
    for thought in THOUGHTS:
        text = thought + ("" if thought.endswith("\n") else "\n") + after
        sequence = Sequence.load(text)
        assert (sequence.format, sequence.calls) == (plainly.format, plainly.calls)
        assert Sequence.load(text, plainly.format).calls == plainly.calls
        assert sequence.dump() == (text if sequence.format == "loose" else plainly.dump())
        assert call_lines(text, sequence) in (
            (text.count("\n", 0, text.index(after)) + 1,),
            (None,),
        ) or (sequence.format == "loose")


@pytest.mark.parametrize(
    "after", ["[weather(city='Paris', days=2)]", CALL, "weather(city=where('x'))"]
)
def test_a_call_may_stand_on_the_line_of_the_closing_tag(after: str) -> None:
    assert Sequence.load(f"<think>hm</think> {after}").calls == Sequence.load(after).calls


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{CALL}</tool_call>\n<think>and <tool_call>{OTHER}</tool_call></think>",
        f"<think>a</think><tool_call>{CALL}</tool_call><think>b\n<tool_call>{OTHER}</tool_call>",
        f"Well: <tool_call>{OTHER}</tool_call> or\n</think>\n<tool_call>{CALL}</tool_call>",
        f"`<think>` is a tag.\n<tool_call>{CALL}</tool_call>",
    ],
)
def test_thoughts_may_stand_anywhere(text: str) -> None:
    sequence = Sequence.load(text)
    assert [(call.name, call.arguments) for call in sequence.calls] == [("weather", bound(CITY))]
    assert sequence.dump() == text


@pytest.mark.parametrize(
    "text",
    [
        f"<think>a <tool_call>{OTHER}</tool_call>",
        "<think>report(value=1)",
        "report(value=1)</think>",
    ],
)
def test_a_model_that_only_thought_called_nothing(text: str) -> None:
    for data in (text, {"role": "assistant", "content": text}):
        assert Sequence.load(data).calls == ()


@pytest.mark.parametrize(
    "said",
    [
        "<think>a</think>",
        "</think>",
        "a <thinking> b",
        "<reasoning>\n",
        'it\'s "<think>"',
        "\\<think>",
    ],
)
def test_a_tag_in_a_text_is_data(said: str) -> None:
    more = [said, {"a": said, said: None}]
    data = [{"name": "report", "arguments": {"value": said, "more": more}}]
    whole = json.dumps(data)
    texts = [
        whole,
        json.dumps(data, indent=2),
        f"<tool_call>{whole[1:-1]}</tool_call>",
        f"```json\n{whole}\n```",
        f"report(value={json.dumps(said)}, more={json.dumps(more)})",
        f"report(value={said!r}, more={more!r})",
        f"x = {said!r}\nreport(value=x, **{{'more': {more!r}}})",
        "\n".join(Sequence.load(data).dump("pretty")),
    ]
    for text in texts:
        for thought in ("", "<think>\nhm, <think>\n</think>\n"):
            (call,) = Sequence.load(thought + text).calls
            assert call.arguments == {"value": Constant(value=said), "more": Constant(value=more)}


def test_messages_name_the_line_and_column_of_the_whole_text() -> None:
    thought = "<think>\nhm\n</think>\n"
    for bad in ('f(a="x)', '{"name": "f", "arg', "[f(a=)]", '<tool_call>{"name": "f", "arg'):
        try:
            plain = [call.malformed for call in Sequence.load(bad).calls]
            after = [call.malformed for call in Sequence.load(thought + bad).calls]
        except InputError:
            with pytest.raises(InputError, match=r"^<text>:1:") as alone:
                Sequence.load(bad)
            with pytest.raises(InputError, match=r"^<text>:4:") as behind:
                Sequence.load(thought + bad)
            plain, after = [str(alone.value)], [str(behind.value)]
        assert after == [str(each).replace("<text>:1:", "<text>:4:") for each in plain]


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
