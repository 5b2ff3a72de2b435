"""Calls of a sample in every format of chats, and the messages in which they stand."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from declaring import NEEDED, called, message, tool
from refract_asp import Catalog, Refractor
from refract_asp.model import Constant

CITY = {"city": "Paris", "days": 2}
WEATHER = tool("weather", "read", {"degrees": "number"}, city=NEEDED, days="integer")
REPORT = tool("report", "read", value={"type": "number", "required": True})
CATALOG = Catalog.load({"tools": [WEATHER, REPORT]})
REFRACTOR = Refractor(CATALOG)
HI = {"role": "user", "content": "hi"}


def bound(data: Any) -> dict[str, Any]:
    """Return the arguments of the sample calls as constants."""
    return {name: Constant(value=value) for name, value in data.items()}


class ChatFormat(NamedTuple):
    """
    A format: `entry` makes a call of a name, arguments and a number, `around` messages with given entries.

    `text` tells whether arguments are JSON text.
    """

    name: str
    entry: Callable[..., Any]
    around: Callable[[list[Any]], list[Any]]
    text: bool = False

    def message(self, *entries: Any) -> Any:
        """Return the first of the messages with some entries."""
        return self.around(list(entries))[0]


def openai(name: Any, arguments: Any, number: int = 1) -> Any:
    return called(name, json.dumps(arguments), f"call_{number}x")


def in_openai(entries: list[Any]) -> list[Any]:
    said = message(*entries)
    whole = {"id": "x", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
    return [entries, said, {"tool_calls": entries}, whole, [HI, said]]


def responses(name: Any, arguments: Any, number: int = 1) -> Any:
    ids = {"id": f"fc_{number}", "call_id": f"call_{number}x", "status": "completed"}
    return {"type": "function_call", **ids, "name": name, "arguments": json.dumps(arguments)}


def in_responses(entries: list[Any]) -> list[Any]:
    return [entries, {"object": "response", "output": [*entries, {"type": "message"}]}]


def anthropic(name: Any, arguments: Any, number: int = 1) -> Any:
    return {"type": "tool_use", "id": f"toolu_{number}x", "name": name, "input": arguments}


def in_anthropic(entries: list[Any]) -> list[Any]:
    content = [{"type": "text", "text": "Let me see."}, *entries]
    message = {"role": "assistant", "content": content, "stop_reason": "tool_use"}
    return [entries, content, message, [HI, message]]


def gemini(name: Any, arguments: Any, number: int = 1) -> Any:
    call = {"id": f"{number}x", "name": name, "args": arguments}
    return {"functionCall": call, "thoughtSignature": "a"}


def in_gemini(entries: list[Any]) -> list[Any]:
    content = {"role": "model", "parts": [{"text": "Let me see."}, *entries]}
    return [entries, content, [content], {"candidates": [{"content": content, "index": 0}]}]


def bedrock(name: Any, arguments: Any, number: int = 1) -> Any:
    return {"toolUse": {"toolUseId": f"tooluse_{number}x", "name": name, "input": arguments}}


def in_bedrock(entries: list[Any]) -> list[Any]:
    message = {"role": "assistant", "content": [{"text": "Let me see."}, *entries]}
    whole = {"output": {"message": message}, "stopReason": "tool_use"}
    asked = {"role": "user", "content": [{"text": "hi"}]}
    return [entries, message, whole, {"messages": [asked, message]}]


def langchain(name: Any, arguments: Any, number: int = 1) -> Any:
    return {"name": name, "args": arguments, "id": f"call_{number}x", "type": "tool_call"}


def in_langchain(entries: list[Any]) -> list[Any]:
    message = {"content": "", "tool_calls": entries, "invalid_tool_calls": []}
    built = {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": message}
    plain = {"type": "ai", **message}
    return [entries, plain, {"type": "ai", "data": message}, built, [{"type": "human"}, plain]]


def mcp(name: Any, arguments: Any, number: int = 1) -> Any:
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": number}}
    return {"jsonrpc": "2.0", "id": number + 6, "method": "tools/call", "params": params}


def in_mcp(entries: list[Any]) -> list[Any]:
    return [entries, [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, *entries]]


FORMATS = [
    ChatFormat("openai", openai, in_openai, text=True),
    ChatFormat("openai-responses", responses, in_responses, text=True),
    ChatFormat("anthropic", anthropic, in_anthropic),
    ChatFormat("gemini", gemini, in_gemini),
    ChatFormat("bedrock", bedrock, in_bedrock),
    ChatFormat("langchain", langchain, in_langchain),
    ChatFormat("mcp", mcp, in_mcp),
]
