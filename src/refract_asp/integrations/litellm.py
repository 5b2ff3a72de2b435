"""
LiteLLM: a callback that mends the calls in what models answer, in the SDK and in the proxy.

    litellm.callbacks = [RefractCallback()]

LiteLLM calls it for `acompletion` and in its proxy, with answers that are not streamed. For `completion` use
`mend(response, tools)`. A callback cannot answer the model: what is to be told of a call that cannot be mended
is given by `feedback(response)`, for the loop that runs the calls.
"""

from __future__ import annotations

import json
from typing import Any

from refract_asp.integrations.adapters import Guard, Mended, framework
from refract_asp.integrations.decisions import ToolCall
from refract_asp.model.paths import object_of

with framework("litellm", "litellm", "1.106.2"):
    from litellm.integrations.custom_logger import CustomLogger

__all__ = ["RefractCallback", "feedback"]

NOTE = "refract_asp"
"""The key in the hidden parameters of a response under which stands what is to be told."""


class RefractCallback(CustomLogger):
    """
    Mends the tool calls in responses in place; calls that cannot be mended stay as they are.

    Args:
        tools: the tools, where they are not those of the request.
        options: what `Hook` takes besides: `policy`, `memory`, `on_decision` ...
    """

    def __init__(self, tools: Any = None, **options: Any) -> None:
        """Compile the tools, where they are given."""
        super().__init__()
        self._guard = Guard(tools, **options)

    async def async_post_call_success_deployment_hook(
        self, request_data: Any, response: Any, call_type: Any
    ) -> Any:
        """Mend what the SDK gives back."""
        return await self._mended(response, request_data.get("tools"))

    async def async_post_call_success_hook(
        self, data: Any, user_api_key_dict: Any, response: Any
    ) -> Any:
        """Mend what the proxy gives back."""
        return await self._mended(response, data.get("tools"))

    def mend(self, response: Any, tools: Any) -> Any:
        """Mend what `litellm.completion` gave; the tools are those of the request."""
        for message in _messages(response):
            self._take(response, message, self._guard.mend(_calls(message), tools or ()))
        return response

    async def _mended(self, response: Any, tools: Any) -> Any:
        if not tools or NOTE in _hidden(response):  # the proxy has both hooks called
            return response
        for message in _messages(response):
            mended = await self._guard.mend_async(_calls(message), tools)
            self._take(response, message, mended)
        return response

    def _take(self, response: Any, message: Any, mended: list[Mended]) -> None:
        """Write what is to be run into a message, and note what is to be told."""
        told = _hidden(response).setdefault(NOTE, {})
        found = []
        for given, each in zip(message.tool_calls, mended, strict=True):
            if each.calls and each.is_changed:
                for call in each.calls:
                    text = json.dumps(call.arguments, ensure_ascii=False)
                    update = {"name": call.name, "arguments": text}
                    function = given.function.model_copy(update=update)
                    found.append(given.model_copy(update={"id": call.id, "function": function}))
                continue
            found.append(given)
            if not each.calls:
                told[given.id] = each.feedback
        message.tool_calls = found


def feedback(response: Any) -> dict[str, str]:
    """
    Return what to answer the calls of a response that cannot be run, by id.

    Such a call stays in the response as the model wrote it. Answer its id with the text, and do not run it.
    """
    return dict(_hidden(response).get(NOTE, {}))


def _hidden(response: Any) -> dict[str, Any]:
    return object_of(getattr(response, "_hidden_params", None))


def _messages(response: Any) -> list[Any]:
    """Return the messages of a response that call tools; none of one that is streamed."""
    choices = getattr(response, "choices", None)
    messages = [getattr(choice, "message", None) for choice in choices or ()]
    return [message for message in messages if getattr(message, "tool_calls", None)]


def _calls(message: Any) -> list[ToolCall]:
    calls = [(call.id, call.function) for call in message.tool_calls]
    return [ToolCall(id, function.name or "", function.arguments) for id, function in calls]
