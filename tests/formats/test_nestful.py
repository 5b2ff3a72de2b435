"""NESTFUL sequences and specifications."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from tests.depth import examples

from refract_asp.errors import CatalogError, FormatError, LimitError
from refract_asp.formats import dump_catalog, dump_sequence, load_catalog, load_sequence
from refract_asp.model import (
    Ask,
    Call,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmTool,
    Constant,
    Parameter,
    Reference,
    Sequence,
)

from .made import same, sequences

SEARCH = {"name": "Search", "arguments": {"query": "London"}, "label": "var1"}
RESULT = {"name": "var_result", "arguments": {"place": "$var1$"}}


@pytest.mark.parametrize(
    "data",
    [
        [SEARCH],
        SEARCH,
        (SEARCH,),
        {"output": [SEARCH]},
        {"input": "Find London", "output": [SEARCH], "errors": [], "num_successful_calls": 0},
        {"output": json.dumps([SEARCH])},
        [{**SEARCH, "errors": [], "response": None}],
        [{**SEARCH, "label": "$var1"}],
        json.dumps([SEARCH]),
        " \n" + json.dumps(SEARCH),
    ],
)
def test_the_shapes_of_one_call(data: Any) -> None:
    sequence = load_sequence(data)
    call = Call(name="Search", arguments={"query": Constant(value="London")}, label="var1")
    assert sequence == Sequence(calls=(call,), format="nestful")
    assert sequence.dump() == [SEARCH]


@pytest.mark.parametrize(
    "data",
    [
        [SEARCH, RESULT],
        {"output": [SEARCH], "var_result": RESULT["arguments"]},
        {"output": [SEARCH, RESULT]},
    ],
)
def test_what_the_sequence_gives_back(data: Any) -> None:
    sequence = load_sequence(data)
    assert len(sequence.calls) == 1
    assert sequence.returns == {"place": Reference(label="var1")}
    assert sequence.dump() == [SEARCH, RESULT]


def test_absent_parts() -> None:
    assert load_sequence({"name": "T"}).calls == (Call(name="T"),)
    assert load_sequence([]).calls == ()
    assert load_sequence("[]").format == "nestful"
    assert load_sequence({"output": []}).calls == ()
    assert load_sequence({"output": [SEARCH], "var_result": None}).returns is None


@pytest.mark.parametrize(
    ("arguments", "notes"),
    [
        ('{"query": "$var1.id$", "n": 2}', ()),
        (
            "{'query': '$var1.id$', n: 2}",
            ("call 2 (Find), arguments: mended single quotes, a key without quotes.",),
        ),
    ],
)
def test_arguments_may_be_json_text(arguments: str, notes: tuple[str, ...]) -> None:
    find = {"name": "Find", "arguments": arguments, "label": "$var2"}
    for data in ([SEARCH, find, RESULT], {"output": [SEARCH, find, RESULT]}):
        sequence = load_sequence(data)
        assert (sequence.format, sequence.notes) == ("nestful", notes)
        assert sequence.calls[1].arguments == {
            "query": Reference(label="var1", path=("id",)),
            "n": Constant(value=2),
        }
        printed = '{"query": "$var1.id$", "n": 2}'
        assert sequence.dump() == [SEARCH, {**find, "arguments": printed, "label": "var2"}, RESULT]
    assert load_sequence([find], "nestful").calls == (sequence.calls[1],)


@pytest.mark.parametrize("nothing", [None, [], "", "null"])
def test_nothing_in_the_place_of_arguments_is_no_arguments(nothing: Any) -> None:
    assert load_sequence([SEARCH, {"name": "T", "arguments": nothing}]).calls[1] == Call(name="T")


def test_pseudo_entries_have_no_label_and_calls_do() -> None:
    sequence = Sequence(
        asks=("date",),
        calls=(
            Call(
                name="Search",
                arguments={"day": Ask(name="date")},
                confirms=(
                    ConfirmArgument(parameter="day"),
                    ConfirmTool(),
                    ConfirmDrop(parameter="adults"),
                ),
            ),
            Call(name="ask", arguments={"date": Constant()}),
        ),
        returns={},
    )
    data = dump_sequence(sequence)
    assert data == [
        {"name": "ask", "arguments": {"date": None}},
        {"name": "confirm", "kind": "argument", "arguments": {"day": "$date$"}},
        {"name": "confirm", "kind": "tool", "arguments": {"Search": None}},
        {"name": "confirm", "kind": "drop", "arguments": {"adults": None}},
        {"name": "Search", "arguments": {"day": "$date$"}, "label": None},
        {"name": "ask", "arguments": {"date": None}, "label": None},
        {"name": "var_result", "arguments": {}},
    ]
    assert same(load_sequence(data), sequence)


@pytest.mark.parametrize(
    "entry",
    [{"name": "ask", "arguments": {"q": "why"}}, {"name": "confirm", "arguments": {"q": 1}}],
)
def test_tools_named_like_pseudo_entries_are_calls(entry: dict[str, Any]) -> None:
    assert load_sequence([entry]).calls[0].name == entry["name"]


def confirming(kind: str, arguments: Any) -> list[Any]:
    """Return a confirm and the call after it."""
    return [{"name": "confirm", "kind": kind, "arguments": arguments}, SEARCH]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"name": 5}], r"^\[0\]\.name: the name of the tool is needed"),
        ([{"name": "T\ud800"}, {"name": None}], r"^\[0\]\.name: the text holds half"),
        ({"output": 5}, "^output: a list of calls"),
        ({"output": [], "var_result": 5}, "^var_result: an object"),
        ({"output": [RESULT], "var_result": {}}, r"^output\[0\]: the sequence has two var_result"),
        ([RESULT, RESULT], r"^\[1\]: the sequence has two var_result"),
        (confirming("tool", {"T": None})[:1], r"^\[0\]: no call follows"),
        (confirming("tool", {"T": None}), r"^\[0\]: what is confirmed, 'T'"),
        (confirming("tool", {}), r"^\[0\]\.arguments: a confirm names one"),
        (confirming("argument", {"query": 1}), r"^\[0\]: what is confirmed"),
        ('[\n{"name": "T", "arg', "^<text>:2:15: not valid JSON: Unterminated string. .*cut off"),
        ('[{"name": "T"}', "^<text>:1:15: .*cut off"),
        ('[{"name": "T"},]', "^<text>:1:1[56]: not valid JSON"),
        ('{"name": "T"}\n{"name": "U"}', "^<text>:2:1: .* Extra data. One JSON value is expected"),
        ({"output": '[{"name": '}, "^output:1:11: not valid JSON"),
    ],
)
def test_a_mistake_is_named_with_its_place(data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_sequence(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([SEARCH, {"arguments": {}}], r"^\[1\]\.name: the name of the tool is needed"),
        ([{"name": 5}, SEARCH], r"^\[0\]\.name"),
        ([SEARCH, 5], r"^\[1\]: an object with a call"),
        ([SEARCH, None], r"^\[1\]: an object with a call"),
        ([{"name": "T", "arguments": [1]}], r"^\[0\]\.arguments: an object of names and values"),
        ([SEARCH, {"name": "T", "arguments": "{"}], r"^\[1\]\.arguments: the text is cut off"),
        (
            [SEARCH, {"name": "T", "arguments": "5"}],
            r"^\[1\]\.arguments: an object of names and values",
        ),
        ([{"name": "T", "label": 5}], r"^\[0\]\.label: the label has to be a text or null"),
        ({"name": "T", "arguments": 5}, r"^arguments: an object"),
        ({"output": [{"name": "T", "arguments": 5}]}, r"^output\[0\]\.arguments"),
        ([{"name": "T", "arguments": {"a": [1, float("nan")]}}], r"^\[0\]\.arguments\.a\[1\]: nan"),
        ([{"name": "T", "arguments": {5: 1}}], r"^\[0\]\.arguments: the key 5"),
        (
            '[{"name": "T", "arguments": {"a": 1, "a": 2}}]',
            r"^<text>: \[0\]\.arguments: an object holds the key 'a' twice",
        ),
        (
            '[{"name": "T", "arguments": {"a": NaN}}]',
            r"^<text>: \[0\]\.arguments\.a: NaN is not a JSON value",
        ),
        ('[{"name": "T", "arguments": {"a": -Infinity}}]', "-Infinity is not a JSON value"),
        ('[{"name": "T", "arguments": {"a": 1e999}}]', "1e999 is too large"),
    ],
)
def test_a_call_that_cannot_be_used_harms_no_other(data: Any, message: str) -> None:
    sequence = load_sequence(data)
    (broken,) = [call for call in sequence.calls if call.malformed is not None]
    assert re.search(message, broken.malformed or "")
    assert (broken.malformed or "").isprintable()
    assert broken.arguments == {}
    assert [call.name for call in sequence.calls if call is not broken] == ["Search"] * (
        len(sequence.calls) - 1
    )
    assert all(call.arguments for call in sequence.calls if call is not broken)
    printed = dump_sequence(sequence, "nestful")
    assert printed[sequence.calls.index(broken)]["arguments"] is None
    assert load_sequence(printed) == sequence
    assert load_sequence(dump_sequence(sequence, "pretty")) == sequence


@pytest.mark.parametrize("data", [5, "T()", {"a": 1}, None, True])
def test_forced_on_foreign_data_it_says_what_it_needs(data: Any) -> None:
    with pytest.raises(FormatError, match="needed"):
        load_sequence(data, "nestful")


def test_deep_nesting() -> None:
    def text(depth: int) -> str:
        return '[{"name": "T", "arguments": {"a": ' + "[" * depth + "]" * depth + "}}]"

    assert "deeper than 64" in (load_sequence(text(70)).calls[0].malformed or "")
    with pytest.raises(LimitError, match="deeper than 64"):
        load_sequence(text(100_000))


@settings(max_examples=examples(100))
@given(sequences(bare=False))
def test_every_sequence_reads_back(sequence: Sequence) -> None:
    data = dump_sequence(sequence, "nestful")
    assert same(load_sequence(data, "nestful"), sequence)
    assert same(load_sequence(json.dumps(data), "nestful"), sequence)


SPEC: dict[str, Any] = {
    "name": "Followers",
    "description": "Lists followers.",
    "method": "GET",
    "endpoint": "/followers",
    "query_parameters": {
        "user": {"type": "string", "required": True, "description": "Whose."},
        "amount": {"type": "number", "default": 50, "optional": True},
        "diet": {"type": "string", "allowed_values": ["vegan"]},
        "when": {"type": "Date (yyyy-mm-dd)", "required": False},
        "short": "integer",
        "filter": {"type": "object", "required": ["a"], "properties": {"a": "string"}},
    },
    "output_parameters": {
        "rating": {
            "type": "object",
            "properties": {"count": "string", "tags": {"type": "array", "items": "string"}},
        },
        "score": {"type": "float"},
    },
}


def test_a_specification() -> None:
    (tool,) = load_catalog([SPEC])
    assert tool.effect == "read"
    assert tool.description == "Lists followers."
    assert list(tool.parameters.values()) == [
        Parameter(
            name="user", required=True, json_schema={"type": "string", "description": "Whose."}
        ),
        Parameter(name="amount", json_schema={"type": "number", "default": 50}),
        Parameter(name="diet", json_schema={"type": "string", "enum": ["vegan"]}),
        Parameter(name="when", json_schema={"type": "Date (yyyy-mm-dd)"}),
        Parameter(name="short", json_schema={"type": "integer"}),
        Parameter(
            name="filter",
            json_schema={
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "string"}},
            },
        ),
    ]
    assert {(field.path, field.type) for field in tool.output_fields} == {
        (("rating",), "object"),
        (("rating", "count"), "string"),
        (("rating", "tags"), "array"),
        (("rating", "tags", 0), "string"),
        (("score",), "number"),
    }
    assert load_catalog(SPEC).tools == (tool,)
    assert load_catalog(json.dumps([SPEC])).tools == (tool,)


def test_the_method_gives_the_effect() -> None:
    effects = {
        "read": ("GET", "get", "HEAD", "OPTIONS"),
        "write": ("PUT", "POST", "PATCH"),
        "destructive": ("DELETE",),
        "unknown": ("BREW", None),
    }
    for effect, methods in effects.items():
        for method in methods:
            assert load_catalog([{**SPEC, "method": method}]).tools[0].effect == effect


def test_a_tool_without_outputs_may_return_anything() -> None:
    spec = {"name": "T", "query_parameters": {}}
    tool = load_catalog([spec]).tools[0]
    assert tool.output_schema is None
    assert tool.effect == "unknown"
    assert load_catalog([{**spec, "output_parameters": {}}]).tools[0].output_schema == {
        "type": "object",
        "properties": {},
    }


def taking(parameters: Any) -> list[Any]:
    return [{"name": "T", "query_parameters": parameters}]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([SPEC, 5], r"^\[1\]: an object is needed"),
        ([SPEC, {"query_parameters": {}}], r"^\[1\]\.name"),
        (taking([1]), r"^\[0\]\.query_parameters: an object"),
        (taking({"a": 5}), r"^\[0\]\.query_parameters\.a: a JSON Schema"),
        (taking({"a": {"required": "yes"}}), r"\.a\.required: true or false"),
        (taking({"a": {"enum": "x"}}), r"\.a\.enum: the allowed values"),
        ([{"name": "T", "output_parameters": [1]}], r"^\[0\]\.output_parameters: a mapping"),
        ([SPEC, SPEC], r"^\[1\]\.name: two tools are named 'Followers'"),
    ],
)
def test_a_mistake_in_a_specification(data: Any, message: str) -> None:
    with pytest.raises((FormatError, CatalogError), match=message):
        load_catalog(data)
    assert len(load_catalog([*taking([]), SPEC])) == 2


def test_a_specification_reads_back() -> None:
    catalog = load_catalog([SPEC])
    assert load_catalog(dump_catalog(catalog, "nestful")).tools == catalog.tools
    assert load_catalog(dump_catalog(catalog, "native")).tools == catalog.tools


def test_arguments_beside_the_name_are_not_lost_in_silence() -> None:
    """They would be dropped, and the call made without them."""
    sequence = load_sequence(
        [{"name": "Search", "query": "x"}, {"name": "Search", "arguments": {}}]
    )
    assert "beside its name" in (sequence.calls[0].malformed or "")
    assert sequence.calls[1].malformed is None
