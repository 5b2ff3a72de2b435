"""
Pydantic AI: a capability that mends the calls of a model before they are validated.

    agent = Agent(model, tools=[...], capabilities=[Refract()])
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from refract_asp.integrations.adapters import (
    Guard,
    History,
    Mended,
    checked_history,
    framework,
    ran_text,
)
from refract_asp.integrations.decisions import ToolCall

with framework("pydantic-ai-slim", "pydantic-ai", "2.68.0"):
    from pydantic_ai import ModelRetry
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelResponse, ToolCallPart

__all__ = ["Refract"]


class Refract(AbstractCapability):
    """
    Mends the tool calls of a model: right ones run, faulty ones run repaired, the others are sent back.

    It takes the tools from each request, so that tools which change from step to step are seen. A call that
    is sent back counts for the agent's own budget of retries. Calls of output tools are left alone.

    Args:
        tools: the tools, where they are not those of the agent.
        history: "rewrite" the message, so that it shows what ran; or "annotate": arguments stay as the model
            wrote them, and a result that is a text says what ran. A tool that was misspelt is rewritten in
            both.
        options: what `Hook` takes besides: `policy`, `memory`, `on_decision` ...
    """

    def __init__(self, tools: Any = None, *, history: History = "rewrite", **options: Any) -> None:
        """Compile the tools, where they are given."""
        super().__init__()
        checked_history(history)
        self._guard, self._history = Guard(tools, **options), history
        self._mended: dict[str, Mended] = {}

    async def for_run(self, ctx: Any) -> Refract:
        """Return a capability that keeps what it held back for this run alone."""
        own = copy.copy(self)
        own._mended = {}
        return own

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        """Mend the calls in what the model answers."""
        asked = request_context.model_request_parameters
        names = {tool.name for tool in asked.output_tools}
        parts = [
            part
            for part in response.parts
            if isinstance(part, ToolCallPart) and part.tool_name not in names
        ]
        if not parts:
            return response
        tools = [
            {
                "name": tool.name,
                "description": tool.description or "",
                "input_schema": tool.parameters_json_schema,
            }
            for tool in asked.function_tools
        ]
        calls = [ToolCall(p.tool_call_id, p.tool_name, _arguments(p)) for p in parts]
        mended = await self._guard.mend_async(calls, tools)
        new = {id(part): self._parts(part, each) for part, each in zip(parts, mended, strict=True)}
        found = [each for part in response.parts for each in new.get(id(part), [part])]
        changed: ModelResponse = replace(response, parts=found)
        return changed

    def _parts(self, part: Any, mended: Mended) -> list[Any]:
        """Return the parts in place of a call, and keep what is done with it later."""
        if not mended.calls:
            self._mended[part.tool_call_id] = mended
            return [part]
        if not mended.is_changed:
            return [part]
        renamed = [call.name for call in mended.calls] != [part.tool_name]
        if self._history == "annotate":
            self._mended[part.tool_call_id] = mended
            if not renamed:
                return [part]
        # without the id of the provider, which would stand for what it has stored
        return [
            replace(part, tool_name=call.name, args=call.arguments, tool_call_id=call.id, id=None)
            for call in mended.calls
        ]

    async def before_tool_validate(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        """Send a call back, or give the arguments with which it is to run."""
        mended = self._mended.get(call.tool_call_id)
        if mended is not None and not mended.calls:
            raise ModelRetry(self._mended.pop(call.tool_call_id).feedback)
        return args if mended is None else mended.calls[0].arguments

    async def after_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any
    ) -> Any:
        """Say what ran, where the message does not."""
        mended = self._mended.pop(call.tool_call_id, None)
        if mended is None or not isinstance(result, str):
            return result
        return f"{result}\n\n{ran_text(mended.calls)}"


def _arguments(part: Any) -> Any:
    return part.args if part.args is not None else {}
