"""The looser dialects, in data and inside of texts."""

import json
from typing import Any

import pytest

from refract_asp import Refractor, Sequence
from refract_asp.model import Constant, Reference
from refract_asp.report.annotations import call_lines
from yaml_files import tables

from .chat_formats import CATALOG, CITY, bound
from .test_format_cases import rows

TABLES = tables(__file__)

REFRACTOR = Refractor(CATALOG)
JSON = '{"city": "Paris", "days": 2}'
CALL = f'{{"name": "weather", "arguments": {JSON}}}'
OTHER = '{"name": "report", "arguments": {"value": 1}}'

ONE = ['weather(city="Paris", days=2)']
WRITTEN = [row["given"] for row in rows("sequences") if row.get("read") == "loose" and row["calls"] == ONE
           and row.get("notes") is None and "printed" not in row and "think" not in str(row["given"])]  # fmt: skip


@pytest.mark.parametrize("data", WRITTEN, ids=range(len(WRITTEN)))
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
        assert str(bad.malformed).startswith("<text>:")
        assert sequence.dump() == text
        rest = sequence.model_copy(update={"calls": (good,)}).dump()
        assert "null" not in rest
        assert [call.name for call in Sequence.load(rest).calls] == ["report"]


def test_a_call_that_is_added_among_arguments_as_text_has_them_as_text() -> None:
    data = [{"id": "call_7", "name": "report", "arguments": '{"value": "$x.degrees$"}'}]
    added, given = REFRACTOR.repair(data).answer({"city": "Paris"}, confirmed=True).dump()
    assert added["arguments"] == '{"city": "Paris"}'
    assert added["id"] not in (None, "call_7")
    assert given == data[0]


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
    for thought in TABLES["thoughts"]:
        text = thought + ("" if thought.endswith("\n") else "\n") + after
        sequence = Sequence.load(text)
        assert (sequence.format, sequence.calls) == (plainly.format, plainly.calls)
        assert Sequence.load(text, plainly.format).calls == plainly.calls
        assert sequence.dump() == (text if sequence.format == "loose" else plainly.dump())
        line = text.count("\n", 0, text.index(after)) + 1
        assert sequence.format == "loose" or call_lines(text, sequence) in ((line,), (None,))


@pytest.mark.parametrize("said", TABLES["a tag in a text is data"])
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


def test_other_formats_are_printed_as_tags() -> None:
    sequence = Sequence.load(['x = weather(city="Paris")', 'report(value="$x.degrees$")'])
    text = sequence.dump("loose")
    assert text.count("<tool_call>") == 2
    assert Sequence.load(text).calls == sequence.calls
