"""Messages and tools as SDKs and frameworks hold them: read, repaired, given back as data of the same shape."""

import json
from collections.abc import Callable
from typing import Any

import agent_framework
import dspy
import openai
import pytest
from anthropic import beta_tool
from anthropic.types import Message, TextBlock, ToolUseBlock, Usage
from google.genai import types as genai
from haystack.dataclasses import ChatMessage as HaystackMessage
from haystack.dataclasses import ToolCall
from haystack.tools import Tool, Toolset
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock
from llama_index.core.base.llms.types import TextBlock as LlamaText
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import FunctionTool
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response, ResponseFunctionToolCall
from pydantic import BaseModel

from refract_asp import Catalog, repair
from refract_asp.integrations import Hook

FIELDS = {"city": {"type": "string"}, "days": {"type": "integer"}}
SCHEMA = {"type": "object", "properties": FIELDS, "required": ["city"]}
CATALOG = [{"name": "get_weather", "parameters": SCHEMA}]
WRONG = {"city": "Rome", "days": "3"}
TEXT = json.dumps(WRONG)


def get_weather(city: str, days: int = 1) -> dict[str, int]:
    """Get the weather of a city."""
    raise AssertionError("nothing calls a tool that is only described")


class GetWeather(BaseModel):
    """Get the weather of a city."""

    city: str
    days: int = 1


NAMED: Any = {"name": "get_weather", "description": "Get the weather of a city."}
OF_GOOGLE = {"city": genai.Schema(type="STRING"), "days": genai.Schema(type="INTEGER")}
TAKEN = genai.Schema(type="OBJECT", properties=OF_GOOGLE, required=["city"])
DECLARED = genai.FunctionDeclaration(**NAMED, parameters=TAKEN)
HELD = genai.Tool(function_declarations=[DECLARED])
OF_HAYSTACK = Tool(**NAMED, parameters=SCHEMA, function=get_weather)
TOOLS: dict[str, Any] = {
    "Agent Framework": agent_framework.tool(get_weather),
    "Anthropic, a function": beta_tool(get_weather),
    "DSPy": dspy.Tool(get_weather),
    "google-genai, a declaration": DECLARED,
    "google-genai, a tool": HELD,
    "google-genai, a configuration": genai.GenerateContentConfig(tools=[HELD]),
    "Haystack": OF_HAYSTACK,
    "Haystack, a set": Toolset([OF_HAYSTACK]),
    "LlamaIndex": FunctionTool.from_defaults(get_weather),
    "OpenAI, a model": openai.pydantic_function_tool(GetWeather, name="get_weather"),
}


@pytest.mark.parametrize("given", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize("held", [lambda each: each, lambda each: [each]], ids=["one", "in a list"])
def test_tools_are_read(given: Any, held: Callable[[Any], Any]) -> None:
    (tool,) = Catalog.load(held(given)).tools
    types = {each.name: each.json_schema["type"].lower() for each in tool.parameters.values()}
    assert (tool.name, types) == ("get_weather", {"city": "string", "days": "integer"})
    assert [each.name for each in tool.parameters.values() if each.required] == ["city"]
    assert "Get the weather of a city." in tool.description
    found = repair({"name": "get_wether", "arguments": WRONG}, held(given))
    assert found.sequence.dump("pretty") == ['get_weather(city="Rome", days=3)']


FUNCTION = {"name": "get_wether", "arguments": TEXT}
ENTRY = {"id": "c", "type": "function", "function": FUNCTION}
SAID = {"role": "assistant", "content": None, "tool_calls": [ENTRY]}
CHAT = ChatCompletionMessage.model_validate(SAID)
CHOICE = {"index": 0, "finish_reason": "tool_calls", "message": CHAT}
COMPLETION = {"id": "x", "created": 1, "model": "large", "object": "chat.completion"}
ITEM = ResponseFunctionToolCall(
    type="function_call", call_id="c", name="get_wether", arguments=TEXT, id="i", status="completed"
)
RESPONSE: Any = {"id": "r", "object": "response", "created_at": 1.0, "model": "large"}
RESPONSE |= {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
BLOCK = ToolUseBlock(type="tool_use", id="c", name="get_wether", input=WRONG)
BLOCKS = [TextBlock(type="text", text="I look."), BLOCK]
ANSWER: Any = {"id": "m", "role": "assistant", "type": "message", "model": "large"}
ANSWER |= {"stop_reason": "tool_use", "stop_sequence": None}
PART = genai.Part(function_call=genai.FunctionCall(name="get_wether", args=WRONG, id="c"))
CONTENT = genai.Content(role="model", parts=[genai.Part(text="I look."), PART])
CHOSEN: Any = {"tool_name": "get_wether", "tool_kwargs": WRONG}
LLAMA_BLOCKS = [LlamaText(text="I look."), ToolCallBlock(tool_call_id="c", **CHOSEN)]
OF_LLAMA = ChatMessage(role="assistant", blocks=LLAMA_BLOCKS)
CALL = ToolCall(tool_name="get_wether", arguments=WRONG, id="c")
OF_MICROSOFT = agent_framework.Message(
    "assistant",
    [agent_framework.Content.from_function_call(call_id="c", name="get_wether", arguments=TEXT)],
)
MESSAGES: dict[str, Any] = {
    "Agent Framework": OF_MICROSOFT,
    "Agent Framework, a content": OF_MICROSOFT.contents[0],
    "Agent Framework, a response": agent_framework.ChatResponse(messages=[OF_MICROSOFT]),
    "Anthropic": Message(**ANSWER, content=BLOCKS, usage=Usage(input_tokens=1, output_tokens=1)),
    "Anthropic, a block": BLOCK,
    "DSPy": dspy.ToolCalls.from_dict_list([{"name": "get_wether", "args": WRONG}]),
    "google-genai, a call": PART.function_call,
    "google-genai, a part": PART,
    "google-genai, a content": CONTENT,
    "google-genai, a response": genai.GenerateContentResponse(
        candidates=[genai.Candidate(content=CONTENT)]
    ),
    "Haystack": HaystackMessage.from_assistant("I look.", tool_calls=[CALL]),
    "Haystack, a call": CALL,
    "Haystack, a list": [HaystackMessage.from_assistant(tool_calls=[CALL])],
    "LlamaIndex": OF_LLAMA,
    "LlamaIndex, a response": ChatResponse(message=OF_LLAMA),
    "LlamaIndex, a selection": ToolSelection(tool_id="c", **CHOSEN),
    "LlamaIndex, with the calls of OpenAI": ChatMessage(
        role="assistant", content="", additional_kwargs={"tool_calls": CHAT.tool_calls}
    ),
    "OpenAI": CHAT,
    "OpenAI, a completion": ChatCompletion.model_validate({**COMPLETION, "choices": [CHOICE]}),
    "OpenAI, an item": ITEM,
    "OpenAI, items": [ITEM],
    "OpenAI, a response": Response(**RESPONSE, output=[ITEM]),
}


@pytest.mark.parametrize("given", MESSAGES.values(), ids=MESSAGES)
def test_messages_are_repaired(given: Any) -> None:
    found = repair(given, CATALOG)
    assert found.verdict == "repaired"
    assert found.sequence.dump("pretty") == ['get_weather(city="Rome", days=3)']
    data = found.sequence.dump()
    assert json.loads(json.dumps(data)) == data  # what is given back is JSON
    mended = json.dumps(found.given.dump()).replace("get_wether", "get_weather")
    assert mended.replace('"3"', "3").replace('\\"3\\"', "3") == json.dumps(data)
    assert Hook(CATALOG)(given).data == data
