"""Objects of SDKs in place of data: messages and calls as the libraries of providers hand them over."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, Field, v1

from refract_asp import Catalog, Memory, Sequence, check, repair
from refract_asp.errors import FormatError, InputError, NotDataError, UnknownFormatError
from refract_asp.formats.source import as_data
from refract_asp.integrations import Hook
from refract_asp.model import Call
from yaml_files import tables

from .made import model

PARAMETERS = {"parcel": {"type": "string", "required": True}}
CATALOG = Catalog.load({"tools": [{"name": "track", "effect": "read", "parameters": PARAMETERS}]})
ARGUMENTS = {"parcel": "P-17"}
TEXT = json.dumps(ARGUMENTS)


# as in OpenAI's chat and responses, of Anthropic, LangChain and the Model Context Protocol
Function = model("Function", name=..., arguments=...)
ToolCall = model("ToolCall", id="call_1", type="function", function=...)
NONE: dict[str, Any] = dict.fromkeys(("content", "refusal", "tool_calls", "function_call"))
ChatMessage = model("ChatMessage", role="assistant", **NONE)
Completion = model("Completion", choices=...)
CALL: Any = {"id": None, "status": None, "type": "function_call"}
ResponseCall = model("ResponseCall", arguments=..., call_id="call_1", name=..., **CALL)
TextBlock = model("TextBlock", type="text", text=..., citations=None)
ToolUseBlock = model("ToolUseBlock", id="toolu_1", input=..., name=..., type="tool_use")
AI_CALLS: Any = {"tool_calls": [], "invalid_tool_calls": []}
AIMessage = model("AIMessage", content="", type="ai", name=None, response_metadata={}, **AI_CALLS)
Params = model("Params", name=..., arguments=None, meta=Field(None, alias="_meta"))
CallToolRequest = model("CallToolRequest", method="tools/call", params=...)


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
CHATTED = ChatMessage(tool_calls=[CHAT])
BLOCKS = [TextBlock(text="I look."), ToolUseBlock(name="track", input=ARGUMENTS)]
AI = AIMessage(
    tool_calls=[{"name": "track", "args": ARGUMENTS, "id": "c1", "type": "tool_call"}],
    response_metadata={"client": object(), "day": date(2024, 8, 15)},
)
PROXY = MappingProxyType(ARGUMENTS)
OBJECTS: dict[str, tuple[Any, str]] = {
    "chat message": (CHATTED, "openai"),
    "messages": ([CHATTED], "openai"),
    "calls": ([CHAT], "openai"),
    "one call": (CHAT, "openai"),
    "message as data": ({"role": "assistant", "tool_calls": [CHAT]}, "openai"),
    "completion": (Completion(choices=[SimpleNamespace(message=CHATTED)]), "openai"),
    "state": ({"messages": [ChatMessage(role="user", content="hi"), CHATTED]}, "openai"),
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
    "mapping": (MappingProxyType({"name": "track", "arguments": PROXY}), "nestful"),
    "no options": (OnlyDumps(), "nestful"),
    "few options": (FewOptions(), "nestful"),
}


@pytest.mark.parametrize(("given", "format"), OBJECTS.values(), ids=OBJECTS)
def test_objects_are_read_as_the_data_that_they_stand_for(given: Any, format: str) -> None:
    sequence = Sequence.load(given)
    assert sequence.format == format
    assert [str(call) for call in sequence.dump("pretty")] == ['track(parcel="P-17")']
    assert check(given, CATALOG).verdict == "valid"
    assert check("track(parcel='P')", CATALOG, history=given).verdict != "unknown"
    decision = Hook(CATALOG)(given)
    assert decision.outcome == "pass"
    assert decision.data is given


class Property:
    """Has what a call has, but as code of its own."""

    name = property(lambda self: 1 / 0)
    model_dump = property(lambda self: 1 / 0)

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


CIRCLE = SimpleNamespace(name="track")
CIRCLE.arguments = CIRCLE.again = CIRCLE


def test_no_property_is_read_and_no_circle_is_walked() -> None:
    for given in (Property(), [Property()], CIRCLE, {"messages": [Property()]}):
        with pytest.raises(TypeError):
            Sequence.load(given)


# as in google-genai, LlamaIndex, Pydantic AI, Haystack and Inspect; each holds one call whose number is a text
SHAPES: dict[str, Any] = tables(__file__)["shapes"]


@pytest.mark.parametrize("given", SHAPES.values(), ids=SHAPES)
def test_what_is_repaired_has_the_shape_in_which_it_came(given: dict[str, Any]) -> None:
    tools = {"tools": [{"name": "f", "effect": "read", "parameters": {"n": {"type": "integer"}}}]}
    found = repair(SimpleNamespace(**given), tools)
    wanted = json.dumps(given).replace('"3"', "3").replace(r"\"3\"", "3")
    assert found.sequence.dump() == json.loads(wanted)
    if "genai" not in str(given) and '"c"' in json.dumps(given):
        assert found.given.calls[0].id == "c"


def test_a_repair_of_objects_is_data() -> None:
    wrong = Function(name="trak", arguments='{"parcel":"P-17"}')
    given = ChatMessage(tool_calls=[ToolCall(function=wrong)])
    function = {"name": "track", "arguments": wrong.arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    wanted = {"role": "assistant", "tool_calls": [call]}
    assert repair(given, CATALOG).sequence.dump() == wanted
    assert Hook(CATALOG)(given).data == wanted


def test_none_inside_of_arguments_is_kept() -> None:
    block = ToolUseBlock(name="f", input={"a": None, "b": [None, {"c": None}]})
    wanted = {"id": "toolu_1", "input": block.input, "name": "f", "type": "tool_use"}
    assert Sequence.load([block]).dump() == [wanted]


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


GIVEN_BY_ITSELF = {"role": "", "contents": [{"name": "track", "arguments": {"parcel": 17}}]}


class Serialized:
    """Gives itself as data, as objects of Agent Framework do."""

    class Role(Enum):
        """Who says it."""

        MODEL = "assistant"

    def to_dict(self) -> dict[str, Any]:
        """Return a message with a call."""
        return {**GIVEN_BY_ITSELF, "role": self.Role.MODEL}


class Unserialized(Serialized):
    """Says that it does, and fails."""

    def to_dict(self) -> dict[str, Any]:
        """Raise an error of its own."""
        raise RuntimeError("not now")


def test_objects_that_give_themselves_as_data() -> None:
    assert Sequence.load(Serialized()).dump() == {**GIVEN_BY_ITSELF, "role": "assistant"}
    with pytest.raises(TypeError, match="of type Unserialized"):
        Sequence.load(Unserialized())


NO_CALLS = [
    ChatMessage(content="Here it is."),
    ChatMessage(refusal="No."),
    AIMessage(content="Here it is."),
    AIMessage(content="Here it is.", response_metadata={"client": object()}),
    SimpleNamespace(role="assistant", content=[TextBlock(text="Here it is.")]),
]


@pytest.mark.parametrize("given", NO_CALLS)
def test_a_message_without_calls_passes(given: Any) -> None:
    assert Sequence.load(given).calls == ()
    assert Hook(CATALOG)(given).outcome == "pass"


def test_calls_of_this_package_and_data_are_taken_as_they_are() -> None:
    assert Sequence.load(Call(name="track")).calls == (Call(name="track"),)
    for data in ({"a": [1, {"b": (2, None)}]}, [], "x", 5, None):
        assert as_data(data) is data


def test_memory_may_hold_objects() -> None:
    memory = Memory.load({"parcel": Plain("P-17")})
    assert memory.values == {"parcel": {"name": "P-17", "arguments": {}}}


class Closed:
    """Has nothing to give."""

    def model_dump(self, **options: Any) -> Any:
        raise RuntimeError("not now")


NO_TEXT = {"id": "1", "function": {"name": "f", "arguments": {"a": [{"b": b"x"}]}}}
FOREIGN: list[tuple[Any, str]] = [
    (object(), "^no sequence format fits .*no model writes a value of type object. Give a text"),
    (len, "value of type builtin_function"),
    (ChatMessage, "value of type ModelMetaclass"),
    ({"track"}, "value of type set"),
    (b'track(parcel="P")', "value of type bytes"),
    ((each for each in [1]), "value of type generator"),
    (Closed(), "value of type Closed"),
    ([object()], r"^\[0\]: .*value of type object"),
    ({"messages": [object()]}, r"^messages\[0\]: .*value of type object"),
    ([Plain("track", ARGUMENTS), object()], "^call 2: no model writes a value of type object"),
    ([Plain("track", {"parcel": {1, 2}})], r"^call 1: arguments\.parcel: .* of type set"),
    ({"tool_calls": [NO_TEXT]}, r"^call 1: function\.arguments\.a\[0\]\.b: .* of type bytes"),
    (repair("track()", CATALOG), "value of type RepairResult"),
]


@pytest.mark.parametrize(("given", "message"), FOREIGN, ids=[message for _, message in FOREIGN])
def test_what_no_model_writes_is_a_mistake_of_the_program(given: Any, message: str) -> None:
    for act in (Sequence.load, Hook(CATALOG), lambda data: repair(data, CATALOG)):
        with pytest.raises(TypeError, match=message) as raised:
            act(given)
        assert isinstance(raised.value, NotDataError | InputError)
        assert isinstance(raised.value, FormatError)
        assert isinstance(raised.value, UnknownFormatError)
    with pytest.raises(TypeError, match=message):
        Hook(CATALOG)('track(parcel="P")', history=given)


CUT = '[{"name": "track", "arguments": {"parcel"'
NAN = [{"name": "track", "arguments": {"parcel": float("nan")}}]


@pytest.mark.parametrize(
    "given", ["I would rather not.", CUT, None, 3, {"role": "assistant"}, [[]], NAN]
)
def test_what_a_model_may_write_is_sent_back_to_it(given: Any) -> None:
    assert Hook(CATALOG)(given).outcome == "retry"


def test_an_object_that_nothing_is_read_from_harms_nothing() -> None:
    call = {"id": "1", "function": {"name": "track", "arguments": TEXT}, "client": object()}
    message = {"role": "assistant", "tool_calls": [call], "at": object()}
    assert check(message, CATALOG).verdict == "valid"
