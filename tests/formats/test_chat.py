"""What every format of chats keeps, and what some of them have of their own."""

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from declaring import called, nested
from refract_asp import Sequence
from refract_asp.errors import FormatError
from refract_asp.model import Call, ConfirmTool, Reference
from refract_asp.report.annotations import call_lines
from yaml_files import read_yaml

from .chat_formats import CITY, FORMATS, REFRACTOR, ChatFormat, bound

every = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
with_text = pytest.mark.parametrize("form", FORMATS[:2], ids=lambda form: form.name)


def read(form: ChatFormat, data: Any) -> Sequence:
    sequence = Sequence.load(data)
    assert sequence.format == form.name
    assert Sequence.load(data, form.name) == sequence == Sequence.load(json.dumps(data))
    return sequence


def spoil(value: Any) -> None:
    """Empty all that a value holds."""
    if isinstance(value, dict | list):
        for each in list(value.values() if isinstance(value, dict) else value):
            spoil(each)
        value.clear()


@every
def test_every_document_is_printed_as_it_came_in(form: ChatFormat) -> None:
    entries = [form.entry("weather", CITY), form.entry("report", {"value": 1}, 2)]
    for data in (entries, entries[0], *form.around(entries), *form.around(entries[:1])):
        before = copy.deepcopy(data)
        sequence = read(form, data)
        assert (sequence.calls[0].name, sequence.calls[0].arguments) == ("weather", bound(CITY))
        for same in (sequence, copy.deepcopy(sequence), pickle.loads(pickle.dumps(sequence))):
            assert same.dump() == data == before
        spoil(sequence.dump())
        assert data == before == sequence.dump()
    fewer = Sequence.load(entries).model_copy(update={"calls": sequence.calls[1:]})
    assert fewer.dump() in form.around([])


@every
def test_ids_are_kept_in_order_and_each_stands_once_after_a_repair(form: ChatFormat) -> None:
    entries = [form.entry("wether", CITY), form.entry("reprt", {"value": "$var1.degrees$"}, 2)]
    for data in form.around(entries):
        given_calls = read(form, data)
        result = REFRACTOR.repair(given_calls)
        ids = [call.id for call in given_calls.calls]
        kept = [call.id for call in result.sequence.calls if call.id in ids and call.id]
        assert kept == [each for each in ids if each]
        if result.sequence.is_open:
            continue
        again = read(form, result.sequence.dump())
        assert [c.name for c in again.calls] == [c.name for c in result.sequence.calls]
        found = [call.id for call in again.calls if call.id]
        assert len(set(found)) == len(found)
        assert REFRACTOR.check(again).verdict == "valid"


@every
def test_only_what_changed_is_printed_anew(form: ChatFormat) -> None:
    entries = [form.entry("wether", CITY), form.entry("weather", {"city": "Rome"}, 2)]
    for data in form.around(entries):
        result = REFRACTOR.repair(Sequence.load(data))
        assert result.verdict == "repaired"
        assert result.sequence.dump() in form.around([form.entry("weather", CITY), entries[1]])


@every
def test_an_added_call_gets_an_unused_id_and_stands_before_its_reader(form: ChatFormat) -> None:
    for data in form.around([form.entry("report", {"value": "$x.degrees$"})]):
        result = REFRACTOR.repair(Sequence.load(data)).answer({"city": "Paris"}, confirmed=True)
        again = read(form, result.dump())
        assert [(call.name, call.label) for call in again.calls][:1] == [("weather", "x")]
        assert again.calls[1].arguments == {"value": Reference(label="x", path=("degrees",))}
        if again.calls[1].id is not None:
            assert again.calls[0].id not in (None, again.calls[1].id)
        assert REFRACTOR.check(again).verdict == "valid"


BAD: list[tuple[Any, str]] = [
    ({"city": float("nan")}, "(?i)nan is not a JSON value"),
    ({"city": "\ud800"}, "half a character"),
    ({"city": nested(70)}, "deeper than 64"),
    (5, "an object of names and values"),
    ([1], "an object of names and values"),
    (None, ""),
]


@every
@pytest.mark.parametrize(("arguments", "why"), BAD)
def test_bad_arguments_harm_no_other_call(form: ChatFormat, arguments: Any, why: str) -> None:
    entries = [form.entry("weather", arguments), form.entry("weather", CITY, 2)]
    for data in form.around(entries):
        sequence = Sequence.load(data, form.name)
        first, second = sequence.calls
        assert (first.name, second.arguments) == ("weather", bound(CITY))
        if first.malformed is None:
            assert (arguments, first.arguments) == (None, {})
            continue
        assert re.search(why, first.malformed)
        assert first.malformed.isprintable()
        assert re.search(r"\[\d\]", first.malformed)
        for other in ("pretty", "nestful"):
            again = Sequence.load(sequence.dump(other))
            assert again.calls[0].malformed == first.malformed
        assert repr(sequence.dump()) == repr(data)
        with pytest.raises(FormatError, match=r"call 1 .* cannot be printed"):
            sequence.dump("mcp" if form.name != "mcp" else "anthropic")


@every
def test_a_key_given_twice_spoils_its_call_alone(form: ChatFormat) -> None:
    entries = [form.entry("weather", {"city": "Rome"}), form.entry("weather", CITY, 2)]
    text = json.dumps(form.message(*entries))
    pair = '\\"city\\": \\"Rome\\"' if form.text else '"city": "Rome"'
    first, second = Sequence.load(text.replace(pair, f"{pair}, {pair}")).calls
    assert "twice" in (first.malformed or "")
    assert second.arguments == bound(CITY)


@every
def test_what_is_open_is_not_printed(form: ChatFormat) -> None:
    for lines, message in (
        (["ask(city)", "weather(city=city)"], "city must still be asked for"),
        (["confirm(weather)", 'weather(city="x")'], "must still be confirmed"),
        (['weather(city="x")', 'return {"a": 1}'], "cannot express what the sequence returns"),
    ):
        with pytest.raises(FormatError, match=message):
            Sequence.load(lines).dump(form.name)
    with pytest.raises(FormatError, match="confirmed"):
        Sequence(calls=(Call(name="weather", confirms=(ConfirmTool(),)),)).dump(form.name)


@every
def test_labels_and_references(form: ChatFormat) -> None:
    text = ['x = weather(city="Paris")', 'report(value="$x.degrees$", note="$$x.y$ and ${y}")']
    sequence = Sequence.load(text)
    again = read(form, sequence.dump(form.name))
    for call, other in zip(again.calls, sequence.calls, strict=True):
        assert (call.name, call.label, call.arguments) == (other.name, other.label, other.arguments)
    first, second = again.calls
    assert first.id != second.id or first.id is None


@every
def test_large_values_pass(form: ChatFormat) -> None:
    for arguments in ({"city": "x" * 1_000_000}, {f"p{n}": n for n in range(10_000)}):
        data = form.message(form.entry("weather", arguments))
        sequence = Sequence.load(data)
        assert len(sequence.calls[0].arguments) == len(arguments)
        assert sequence.dump() == data


# -- arguments as text -----------------------------------------------------------------


@with_text
@pytest.mark.parametrize("cut", range(27))
def test_truncated_text_fails_closed_for_its_call_alone(form: ChatFormat, cut: int) -> None:
    text = '{"city": "Paris", "days": 2}'[:cut] or " "
    entry = form.entry("weather", {})
    entry.get("function", entry)["arguments"] = text
    sequence = Sequence.load(form.message(entry, form.entry("weather", CITY, 2)))
    first, second = sequence.calls
    assert (first.arguments, second.arguments) == ({}, bound(CITY))
    told = first.malformed if cut else sequence.notes[0]
    assert ("arguments: " if cut else "empty text") in (told or "")


# -- made-up calls ---------------------------------------------------------------------


def test_an_added_call_never_goes_among_those_that_were_refused() -> None:
    refused = {"name": "g", "args": "{", "id": "2", "error": "cut", "type": "invalid_tool_call"}
    message = {"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": [refused]}
    given = Sequence.load(message)
    printed = given.model_copy(update={"calls": (Call(name="f"), *given.calls)}).dump()
    assert printed["invalid_tool_calls"] == [refused]
    assert [call["name"] for call in printed["tool_calls"]] == ["f"]


# -- the lines on which calls stand ----------------------------------------------------


TEXTS = read_yaml(Path(__file__).with_name("lines.yaml"))


@pytest.mark.parametrize(("text", "lines"), TEXTS)
def test_texts(text: str, lines: list[int | None]) -> None:
    assert list(call_lines(text, Sequence.load(text))) == lines


LABELLED = {"name": "A", "arguments": {"x": 1}, "label": "B"}
DOCUMENTS: dict[str, Any] = {
    form.name: form.around([form.entry("A", {"x": "B"}), form.entry("B", {}, 2)])[-1]
    for form in FORMATS
} | {
    "nestful": [LABELLED, {"label": None, "arguments": {}, "name": "B"}],
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


def test_what_was_not_read_from_a_text_has_no_lines() -> None:
    sequence = Sequence.load("A()\nB()")
    assert call_lines("C()", sequence) == (None, None)
    assert call_lines("A()\nB()", Sequence(calls=sequence.calls)) == (None, None)


def test_names_of_messages_and_results_are_no_calls() -> None:
    renew = called("renew_loan", "{}", "1")
    chat = [
        {"role": "user", "name": "renew_loan", "content": "Twice, please."},
        {"role": "assistant", "tool_calls": [renew]},
        {"role": "tool", "name": "renew_loan", "tool_call_id": "1", "content": "done"},
        {"role": "assistant", "tool_calls": [{**renew, "id": "2"}]},
    ]
    text = "[" + ",\n".join(json.dumps(each) for each in chat) + "]"
    assert call_lines(text, Sequence.load(text)) == (4,)
