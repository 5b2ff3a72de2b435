"""
Messages of an assistant that calls nothing, as a model ends its turn; read as sequences without calls.

    {"role": "assistant", "content": "hi", "tool_calls": None}                 openai, alone, or where its
    {"choices": [{"message": {"role": "assistant", "content": "hi"}}]}          responses put a message
    {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}         anthropic

Only what is clearly such a message: whatever holds something like a call, also in its text, is left to the
formats of calls.
"""

from __future__ import annotations

from typing import Any

from refract_asp.errors import InputError
from refract_asp.formats import dialects
from refract_asp.formats.origin import Origin

__all__ = ["is_idle_anthropic", "is_idle_openai"]

_TEXTS = frozenset({"text", "refusal", "thinking", "redacted_thinking"})
"""The types of blocks in which a model only says something."""
_CALLS = ("tool_calls", "function_call")


def is_idle_openai(data: Any) -> bool:
    """
    Whether data is a message of OpenAI's chat without calls, alone or in a response.

    Example:
        >>> is_idle_openai({"role": "assistant", "content": "hi", "tool_calls": None})
        True
        >>> is_idle_openai({"role": "user", "content": "hi"})
        False
    """
    if not isinstance(data, dict):
        return False
    if "role" in data:
        return data.get("tool_calls") == [] or _is_silent(data, blocks="tool_calls" in data)
    if "choices" in data:
        choices = data["choices"]
        return isinstance(choices, list | tuple) and bool(choices) and all(map(_holds_silent, choices))
    return _holds_silent(data)


def is_idle_anthropic(data: Any) -> bool:
    """
    Whether data is a message of Anthropic's whose blocks only say something.

    Example:
        >>> is_idle_anthropic({"role": "assistant", "content": [{"type": "text", "text": "hi"}]})
        True
    """
    return (
        isinstance(data, dict)
        and data.get("role") == "assistant"
        and not any(key in data for key in _CALLS)
        and _says_only(data.get("content"))
    )


def _holds_silent(data: Any) -> bool:
    return isinstance(data, dict) and _is_silent(data.get("message"), blocks=True)


def _is_silent(message: Any, blocks: bool) -> bool:
    """Whether a message of an assistant only says something; its content may be a list of blocks as well."""
    if not isinstance(message, dict) or message.get("role") != "assistant" or "content" not in message:
        return False
    if any(message.get(key) not in (None, []) for key in _CALLS):
        return False
    content = message["content"]
    if isinstance(content, str):
        return not _writes_calls(content)
    return content is None or (blocks and _says_only(content))


def _writes_calls(text: str) -> bool:
    """Whether a model wrote calls into its text, in one of the forms that `dialects` reads."""
    if not dialects.FORMAT.detects(text):
        return False
    try:
        return bool(dialects.FORMAT.read(text, Origin()).calls)
    except InputError:
        return False


def _says_only(content: Any) -> bool:
    return isinstance(content, list | tuple) and all(
        isinstance(block, dict) and isinstance(block.get("type"), str) and block["type"] in _TEXTS
        for block in content
    )
