"""Tools for catalogs of tests, calls of them, and values that are too deep, written briefly."""

from typing import Any

TEXT = {"type": "string"}
NEEDED: dict[str, Any] = {**TEXT, "required": True}


def tool(name: str, effect: str = "unknown", returns: Any = None, **parameters: Any) -> Any:
    """Return a tool as a catalog declares it."""
    told = {"name": name, "effect": effect, "parameters": parameters}
    return told if returns is None else {**told, "returns": returns}


def called(name: Any, arguments: Any, id: str = "c1") -> Any:
    """Return a call as OpenAI has it; its arguments are a text."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def message(*calls: Any) -> Any:
    """Return a message with such calls."""
    return {"role": "assistant", "content": None, "tool_calls": [*calls]}


ENDLESS: list[Any] = []
"""A list in itself."""
ENDLESS.append(ENDLESS)


def nested(depth: int, inner: Any = 1) -> Any:
    """Return a value in so many lists."""
    for _ in range(depth):
        inner = [inner]
    return inner
