"""What every format of structured calls has to keep, as tests that the file of each format takes over."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import pytest

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import FormatError
from refract_asp.model import (
    Call,
    ConfirmTool,
    Constant,
    Reference,
)

CITY = {"city": "Paris", "days": 2}
CATALOG = Catalog.load(
    {
        "tools": [
            {
                "name": "weather",
                "effect": "read",
                "parameters": {
                    "city": {"type": "string", "required": True},
                    "days": "integer",
                },
                "returns": {"degrees": "number"},
            },
            {
                "name": "report",
                "effect": "read",
                "parameters": {"value": {"type": "number", "required": True}},
            },
        ]
    }
)
REFRACTOR = Refractor(CATALOG)


def bound(data: Any) -> dict[str, Any]:
    """The arguments of the sample calls as constants."""
    return {name: Constant(value=value) for name, value in data.items()}


class Structured:
    """
    Tests of one format; `name` is its name, `entry` makes a call, `around` messages with given entries.

    `entry` takes the name of the tool, the arguments, and the number of the call, which makes its id.
    """

    name: str

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        raise NotImplementedError

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        raise NotImplementedError

    def read(self, data: Any) -> Sequence:
        sequence = Sequence.load(data)
        assert sequence.format == self.name
        assert Sequence.load(data, self.name) == sequence
        assert Sequence.load(json.dumps(data)) == sequence
        return sequence

    def test_every_document_is_printed_as_it_came_in(self) -> None:
        entries = [self.entry("weather", CITY), self.entry("report", {"value": 1}, 2)]
        for data in (entries, entries[0], *self.around(entries), *self.around(entries[:1])):
            before = copy.deepcopy(data)
            sequence = self.read(data)
            assert sequence.calls[0].name == "weather"
            assert sequence.calls[0].arguments == bound(CITY)
            assert sequence.dump() == data == before
            assert json.loads(json.dumps(sequence.dump())) == data

    def test_what_is_printed_shares_nothing_with_the_input(self) -> None:
        data = self.around([self.entry("weather", {"city": ["Paris"]})])[0]
        before = copy.deepcopy(data)
        sequence = Sequence.load(data)
        _spoil(sequence.dump())
        assert data == before == sequence.dump()

    def test_ids_are_kept_in_order_and_each_stands_once_after_a_repair(self) -> None:
        entries = [self.entry("wether", CITY), self.entry("reprt", {"value": "$var1.degrees$"}, 2)]
        for data in self.around(entries):
            given = self.read(data)
            result = REFRACTOR.repair(given)
            ids = [call.id for call in given.calls]
            assert [call.id for call in result.sequence.calls if call.id in ids and call.id] == [
                i for i in ids if i
            ]
            if result.sequence.is_open:
                continue
            again = self.read(result.sequence.dump())
            assert [call.name for call in again.calls] == [
                call.name for call in result.sequence.calls
            ]
            assert len({call.id for call in again.calls if call.id}) == sum(
                1 for c in again.calls if c.id
            )
            assert REFRACTOR.check(again).verdict == "valid"

    def test_only_what_changed_is_printed_anew(self) -> None:
        entries = [self.entry("wether", CITY), self.entry("weather", {"city": "Rome"}, 2)]
        for data in self.around(entries):
            result = REFRACTOR.repair(Sequence.load(data))
            wanted = self.around([self.entry("weather", CITY), entries[1]])
            assert result.verdict == "repaired"
            assert result.sequence.dump() in wanted

    def test_an_added_call_gets_an_unused_id_and_stands_before_its_reader(self) -> None:
        for data in self.around([self.entry("report", {"value": "$x.degrees$"})]):
            result = REFRACTOR.repair(Sequence.load(data)).answer({"city": "Paris"}, confirmed=True)
            again = self.read(result.dump())
            assert [call.name for call in again.calls] == ["weather", "report"]
            assert again.calls[0].label == "x"
            assert again.calls[1].arguments == {"value": Reference(label="x", path=("degrees",))}
            if again.calls[1].id is not None:
                assert again.calls[0].id not in (None, again.calls[1].id)
            assert REFRACTOR.check(again).verdict == "valid"

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            ({"city": float("nan")}, "(?i)nan is not a JSON value"),
            ({"city": "\ud800"}, "half a character"),
            ({"city": [[[]]]}, None),
            (5, "an object of names and values"),
            ([1], "an object of names and values"),
            (None, None),
        ],
    )
    def test_bad_arguments_harm_no_other_call(self, arguments: Any, why: str | None) -> None:
        if isinstance(arguments, dict) and why is None:
            deep: Any = 1
            for _ in range(70):
                deep = [deep]
            arguments, why = {"city": deep}, "deeper than 64"
        entries = [self.entry("weather", arguments), self.entry("weather", CITY, 2)]
        for data in self.around(entries):
            sequence = Sequence.load(data)
            assert sequence.format == self.name
            first, second = sequence.calls
            assert second.arguments == bound(CITY)
            if first.malformed is None:
                assert (arguments, first.arguments) == (None, {})
                continue
            assert re.search(why or "", first.malformed)
            assert first.name == "weather"
            assert first.malformed.isprintable()
            assert re.search(r"\[\d\]", first.malformed)
            assert Sequence.load(sequence.dump("pretty")).calls[0].malformed == first.malformed
            assert Sequence.load(sequence.dump("nestful")).calls[0].malformed == first.malformed
            assert repr(sequence.dump()) == repr(data)
            with pytest.raises(FormatError, match=r"call 1 .* cannot be printed"):
                sequence.dump("mcp" if self.name != "mcp" else "anthropic")

    def test_a_key_given_twice_spoils_its_call_alone(self) -> None:
        entries = [self.entry("weather", {"city": "Rome"}), self.entry("weather", CITY, 2)]
        text = json.dumps(self.around(entries)[0])
        for quote in ('"', '\\"'):
            pair = f"{quote}city{quote}: {quote}Rome{quote}"
            if pair not in text:
                continue
            sequence = Sequence.load(text.replace(pair, f"{pair}, {pair}"))
            first, second = sequence.calls
            assert "twice" in (first.malformed or "")
            assert second.arguments == bound(CITY)

    def test_entries_without_a_name(self) -> None:
        good = self.entry("weather", CITY, 2)
        for name in (5, None, "\ud800", ["weather"]):
            bad = self.entry(name, CITY)  # type: ignore[arg-type]
            sequence = Sequence.load(self.around([bad, good])[0], self.name)
            assert [call.name for call in sequence.calls] == ["", "weather"]
            assert sequence.calls[0].malformed is not None
            with pytest.raises(FormatError):
                Sequence.load(self.around([bad])[0], self.name)

    def test_what_is_open_is_not_printed(self) -> None:
        for lines, message in (
            (["ask(city)", "weather(city=city)"], "city has still to be asked"),
            (["confirm(weather)", 'weather(city="x")'], "has still to be confirmed"),
            (['weather(city="x")', 'return {"a": 1}'], "what the sequence gives back"),
        ):
            with pytest.raises(FormatError, match=message):
                Sequence.load(lines).dump(self.name)

    def test_labels_and_references(self) -> None:
        text = ['x = weather(city="Paris")', 'report(value="$x.degrees$", note="$$x.y$ and ${y}")']
        sequence = Sequence.load(text)
        again = Sequence.load(sequence.dump(self.name))
        assert again.format == self.name
        assert [(c.name, c.label, c.arguments) for c in again.calls] == [
            (c.name, c.label, c.arguments) for c in sequence.calls
        ]

    def test_copies_are_printed_alike(self) -> None:
        entries = [self.entry("weather", CITY), self.entry("report", {"value": 1}, 2)]
        for data in self.around(entries):
            sequence = Sequence.load(data)
            for same in (copy.deepcopy(sequence), pickle.loads(pickle.dumps(sequence))):
                assert same.dump() == data
            fewer = sequence.model_copy(update={"calls": sequence.calls[1:]})
            assert fewer.dump() in self.around(entries[1:])

    def test_large_values_pass(self) -> None:
        for arguments in ({"city": "x" * 1_000_000}, {f"p{n}": n for n in range(10_000)}):
            data = self.around([self.entry("weather", arguments)])[0]
            sequence = Sequence.load(data)
            assert len(sequence.calls[0].arguments) == len(arguments)
            assert sequence.dump() == data

    def test_confirms_of_calls_are_refused(self) -> None:
        with pytest.raises(FormatError, match="confirmed"):
            Sequence(calls=(Call(name="weather", confirms=(ConfirmTool(),)),)).dump(self.name)


def _spoil(value: Any) -> None:
    inner = (
        list(value.values())
        if isinstance(value, dict)
        else list(value)
        if isinstance(value, list)
        else []
    )
    for each in inner:
        _spoil(each)
    if isinstance(value, dict | list):
        value.clear()


class StructuredText(Structured):
    """Tests of a format whose arguments are JSON text."""

    def text(self, arguments: str, number: int = 1) -> Any:
        entry = self.entry("weather", {}, number)
        (entry.get("function") or entry)["arguments"] = arguments
        return entry

    def test_the_text_of_arguments_is_kept_to_the_byte(self) -> None:
        data = self.around([self.text('{ "city":"Par\\u0069s",\n"days" : 2 }')])[0]
        sequence = Sequence.load(data)
        assert sequence.calls[0].arguments == bound(CITY)
        assert sequence.dump() == data

    @pytest.mark.parametrize(
        "text", ["{'city': 'Paris', days: 2,}", '{"city": "Paris" /* so */, "days": 2,}']
    )
    def test_slips_are_mended_told_and_printed_mended(self, text: str) -> None:
        sequence = Sequence.load(
            self.around([self.entry("report", {"value": 1}), self.text(text, 2)])[0]
        )
        assert sequence.calls[1].arguments == bound(CITY)
        assert sequence.calls[1].malformed is None
        (note,) = sequence.notes
        assert note.startswith("call 2 (weather), arguments: mended ")
        assert REFRACTOR.check(sequence).notes == sequence.notes
        printed = sequence.dump()
        assert json.dumps(CITY) in repr(printed)
        assert Sequence.load(printed).notes == ()
        assert Sequence.load(printed) == sequence

    @pytest.mark.parametrize("cut", range(1, 27))
    def test_truncated_text_fails_closed_for_its_call_alone(self, cut: int) -> None:
        whole = '{"city": "Paris", "days": 2}'
        data = self.around([self.text(whole[:cut]), self.entry("weather", CITY, 2)])[0]
        first, second = Sequence.load(data).calls
        assert first.malformed is not None
        assert "arguments: " in first.malformed
        assert first.arguments == {}
        assert second.arguments == bound(CITY)

    def test_no_text_at_all_is_no_argument(self) -> None:
        sequence = Sequence.load(self.around([self.text(" ")])[0])
        assert (sequence.calls[0].arguments, sequence.calls[0].malformed) == ({}, None)
        assert "empty text" in sequence.notes[0]

    def test_an_object_in_the_place_of_text_is_read_and_printed_as_one(self) -> None:
        data = self.around([self.text(CITY)])[0]  # type: ignore[arg-type]
        assert Sequence.load(data).calls[0].arguments == bound(CITY)
        assert Sequence.load(data).dump() == data
