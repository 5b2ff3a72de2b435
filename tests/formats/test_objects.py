"""Objects of SDKs in place of data: messages and calls as the libraries of providers hand them over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, v1

from refract_asp import Catalog, Memory, Sequence, check, repair
from refract_asp.errors import FormatError, InputError, NotDataError, UnknownFormatError
from refract_asp.formats.source import as_data
from refract_asp.integrations import Hook
from refract_asp.model import Call

CATALOG = Catalog.load(
    {
        "tools": [
            {
                "name": "track",
                "effect": "read",
                "parameters": {"parcel": {"type": "string", "required": True}},
            }
        ]
    }
)
ARGUMENTS = {"parcel": "P-17"}
TEXT = json.dumps(ARGUMENTS)


class Function(BaseModel):
    name: str
    arguments: str


class ToolCall(BaseModel):
    """As in OpenAI's chat."""

    id: str = "call_1"
    type: str = "function"
    function: Function


class ChatMessage(BaseModel):
    """As OpenAI's `ChatCompletionMessage`."""

    role: str = "assistant"
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[ToolCall] | None = None
    function_call: Any = None


class Completion(BaseModel):
    choices: list[SimpleNamespace]
    model_config = ConfigDict(arbitrary_types_allowed=True)


class ResponseCall(BaseModel):
    """As OpenAI's `ResponseFunctionToolCall`."""

    arguments: str
    call_id: str = "call_1"
    name: str
    type: str = "function_call"
    id: str | None = None
    status: str | None = None


class TextBlock(BaseModel):
    type: str = "text"
    text: str
    citations: Any = None


class ToolUseBlock(BaseModel):
    """As Anthropic's."""

    id: str = "toolu_1"
    input: object
    name: str
    type: str = "tool_use"


class AIMessage(BaseModel):
    """As LangChain's; what it keeps besides may hold anything."""

    content: str = ""
    type: str = "ai"
    name: str | None = None
    tool_calls: list[dict[str, Any]] = []
    invalid_tool_calls: list[dict[str, Any]] = []
    response_metadata: dict[str, Any] = {}


class Params(BaseModel):
    name: str
    arguments: dict[str, Any] | None = None
    meta: dict[str, Any] | None = Field(None, alias="_meta")


class CallToolRequest(BaseModel):
    """As of the Model Context Protocol."""

    method: str = "tools/call"
    params: Params


class Old(v1.BaseModel):
    """Of pydantic's first version."""

    name: str
    arguments: Any
    label: Any = None


@dataclass
class Plain:
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    label: str | None = None


class OnlyDumps:
    """Has `model_dump` and takes no options."""

    def model_dump(self) -> dict[str, Any]:
        return {"name": "track", "arguments": ARGUMENTS}


class FewOptions(OnlyDumps):
    def model_dump(self, *, exclude_none: bool = False) -> dict[str, Any]:  # type: ignore[override]
        return {**super().model_dump(), **({} if exclude_none else {"label": None})}


CHAT = ToolCall(function=Function(name="track", arguments=TEXT))
BLOCKS = [TextBlock(text="I look."), ToolUseBlock(name="track", input=ARGUMENTS)]
AI = AIMessage(
    tool_calls=[{"name": "track", "args": ARGUMENTS, "id": "c1", "type": "tool_call"}],
    response_metadata={"client": object(), "day": date(2024, 8, 15)},
)
OBJECTS: dict[str, tuple[Any, str]] = {
    "chat message": (ChatMessage(tool_calls=[CHAT]), "openai"),
    "messages": ([ChatMessage(tool_calls=[CHAT])], "openai"),
    "calls": ([CHAT], "openai"),
    "one call": (CHAT, "openai"),
    "message as data": ({"role": "assistant", "tool_calls": [CHAT]}, "openai"),
    "completion": (
        Completion(choices=[SimpleNamespace(message=ChatMessage(tool_calls=[CHAT]))]),
        "openai",
    ),
    "state": (
        {"messages": [ChatMessage(role="user", content="hi"), ChatMessage(tool_calls=[CHAT])]},
        "openai",
    ),
    "responses": ([ResponseCall(name="track", arguments=TEXT)], "openai-responses"),
    "blocks": (BLOCKS, "anthropic"),
    "anthropic message": (SimpleNamespace(role="assistant", content=BLOCKS), "anthropic"),
    "langchain": (AI, "langchain"),
    "langchain messages": ([AIMessage(type="human", content="hi"), AI], "langchain"),
    "langgraph": ({"messages": [AIMessage(type="human", content="hi"), AI]}, "langchain"),
    "mcp": (CallToolRequest(params=Params(name="track", arguments=ARGUMENTS)), "mcp"),
    "params": (Params(name="track", arguments=ARGUMENTS), "nestful"),
    "pydantic 1": (Old(name="track", arguments=ARGUMENTS), "nestful"),
    "dataclass": ([Plain("track", ARGUMENTS)], "nestful"),
    "mapping": (
        MappingProxyType({"name": "track", "arguments": MappingProxyType(ARGUMENTS)}),
        "nestful",
    ),
    "no options": (OnlyDumps(), "nestful"),
    "few options": (FewOptions(), "nestful"),
}


@pytest.mark.parametrize(("given", "format"), OBJECTS.values(), ids=OBJECTS)
def test_objects_are_read_as_the_data_that_they_stand_for(given: Any, format: str) -> None:
    sequence = Sequence.load(given)
    assert sequence.format == format
    assert [
        (call.name, dict(call.arguments)["parcel"].model_dump()["value"]) for call in sequence.calls
    ] == [("track", "P-17")]
    assert check(given, CATALOG).verdict == "valid"
    assert check("track(parcel='P')", CATALOG, history=given).verdict != "unknown"
    decision = Hook(CATALOG)(given)
    assert decision.outcome == "pass"
    assert decision.data is given


def test_a_repair_of_objects_is_data() -> None:
    given = ChatMessage(
        tool_calls=[ToolCall(function=Function(name="trak", arguments='{"parcel":"P-17"}'))]
    )
    wanted = {
        "role": "assistant",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "track", "arguments": '{"parcel":"P-17"}'},
            }
        ],
    }
    assert repair(given, CATALOG).sequence.dump() == wanted
    assert Hook(CATALOG)(given).data == wanted


def test_none_inside_of_arguments_is_kept() -> None:
    block = ToolUseBlock(name="f", input={"a": None, "b": [None, {"c": None}]})
    assert Sequence.load([block]).dump() == [
        {"id": "toolu_1", "input": block.input, "name": "f", "type": "tool_use"}
    ]


def test_what_json_has_not_is_taken_in_the_form_that_the_object_gives_it() -> None:
    class Arguments(BaseModel):
        day: date

    class Booking(BaseModel):
        name: str = "book"
        arguments: Arguments

    given = Booking(arguments=Arguments(day=date(2024, 8, 15)))
    assert Sequence.load(given).dump("pretty") == ['book(day="2024-08-15")']
    nan = Sequence.load(Params(name="f", arguments={"a": float("nan")}))
    assert "nan is not a JSON value" in str(nan.calls[0].malformed)


@pytest.mark.parametrize(
    "given",
    [
        ChatMessage(content="Here it is."),
        ChatMessage(refusal="No."),
        AIMessage(content="Here it is."),
        AIMessage(content="Here it is.", response_metadata={"client": object()}),
        SimpleNamespace(role="assistant", content=[TextBlock(text="Here it is.")]),
    ],
)
def test_a_message_without_calls_passes(given: Any) -> None:
    assert Sequence.load(given).calls == ()
    assert Hook(CATALOG)(given).outcome == "pass"


def test_one_call_of_this_package_is_a_sequence() -> None:
    assert Sequence.load(Call(name="track")).calls == (Call(name="track"),)


def test_data_comes_back_as_it_is() -> None:
    for data in ({"a": [1, {"b": (2, None)}]}, [], "x", 5, None):
        assert as_data(data) is data


def test_memory_may_hold_objects() -> None:
    assert Memory.load({"parcel": Plain("P-17")}).values == {
        "parcel": {"name": "P-17", "arguments": {}}
    }


class Closed:
    """Has nothing to give."""

    def model_dump(self, **options: Any) -> Any:
        raise RuntimeError("not now")


FOREIGN: dict[str, tuple[Any, str]] = {
    "object": (
        object(),
        "^no sequence format fits .*no model writes a value of type object. Give a text",
    ),
    "function": (len, "value of type builtin_function"),
    "class": (ChatMessage, "value of type ModelMetaclass"),
    "set": ({"track"}, "value of type set"),
    "bytes": (b'track(parcel="P")', "value of type bytes"),
    "generator": ((each for each in [1]), "value of type generator"),
    "broken": (Closed(), "value of type Closed"),
    "in a list": ([object()], r"^\[0\]: .*value of type object"),
    "in a message": ({"messages": [object()]}, r"^messages\[0\]: .*value of type object"),
    "among calls": (
        [Plain("track", ARGUMENTS), object()],
        "^call 2: no model writes a value of type object",
    ),
    "an argument": (
        [Plain("track", {"parcel": {1, 2}})],
        r"^call 1: arguments\.parcel: .* of type set",
    ),
    "inside one": (
        {"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"a": [{"b": b"x"}]}}}]},
        r"^call 1: function\.arguments\.a\[0\]\.b: .* of type bytes",
    ),
    "a repair": (repair("track()", CATALOG), "value of type RepairResult"),
}


@pytest.mark.parametrize(("given", "message"), FOREIGN.values(), ids=FOREIGN)
def test_what_no_model_writes_is_a_mistake_of_the_program(given: Any, message: str) -> None:
    for act in (Sequence.load, Hook(CATALOG), lambda data: repair(data, CATALOG)):
        with pytest.raises(TypeError, match=message) as raised:
            act(given)
        assert isinstance(raised.value, NotDataError | InputError)
        assert isinstance(raised.value, FormatError)
        assert isinstance(raised.value, UnknownFormatError)
    with pytest.raises(TypeError, match=message):
        Hook(CATALOG)('track(parcel="P")', history=given)


@pytest.mark.parametrize(
    "given",
    ["I would rather not.", '[{"name": "track", "arguments": {"parcel"', None, 3, {"role": "assistant"}, [[]],
     [{"name": "track", "arguments": {"parcel": float("nan")}}]],
)  # fmt: skip
def test_what_a_model_may_write_is_sent_back_to_it(given: Any) -> None:
    assert Hook(CATALOG)(given).outcome == "retry"


def test_an_object_that_nothing_is_read_from_harms_nothing() -> None:
    call = {"id": "1", "function": {"name": "track", "arguments": TEXT}, "client": object()}
    assert (
        check({"role": "assistant", "tool_calls": [call], "at": object()}, CATALOG).verdict
        == "valid"
    )
