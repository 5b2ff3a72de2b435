"""
smolagents: an agent that mends the calls of its model before any tool sees them.

    agent = RefractToolCallingAgent(tools=[...], model=model)

A `CodeAgent` writes programs and not calls; it is out of reach.
"""

from __future__ import annotations

from typing import Any

from refract_asp.integrations.adapters import Guard, framework, ran_text
from refract_asp.integrations.decisions import ToolCall
from refract_asp.model.paths import object_of

with framework("smolagents", "smolagents", "1.26.0"):
    from smolagents import ToolCallingAgent

__all__ = ["RefractToolCallingAgent"]


class _Held(dict[str, Any]):
    """The arguments of a call that is answered and not run; never empty for those who ask."""

    feedback = ""

    def __bool__(self) -> bool:
        return True


class RefractToolCallingAgent(ToolCallingAgent):
    """
    A `ToolCallingAgent` whose calls are mended: right ones run, faulty ones run repaired.

    The memory of the agent shows what ran. A call that cannot be mended is answered with what to send, as its
    observation, and the other calls of its message run.

    Args:
        args: what `ToolCallingAgent` takes.
        refract: what `Hook` takes besides the catalog, as a dict: `policy`, `memory`, `on_decision` ...
        kwargs: what `ToolCallingAgent` takes.
    """

    def __init__(self, *args: Any, refract: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Check the options; the tools may still change."""
        super().__init__(*args, **kwargs)
        self._guard = Guard(**(refract or {}))

    def process_tool_calls(self, chat_message: Any, memory_step: Any) -> Any:
        """Mend the calls of a message, then run them."""
        given = chat_message.tool_calls or []
        calls = [ToolCall(each.id, each.function.name, _arguments(each)) for each in given]
        tools = [*self.tools.values(), *self.managed_agents.values()]
        for each, mended in zip(given, self._guard.mend(calls, tools), strict=True):
            if not mended.is_changed and mended.calls:
                continue
            if len(mended.calls) == 1:
                each.function.name = mended.calls[0].name
                each.function.arguments = mended.calls[0].arguments
                continue
            held = _Held(object_of(each.function.arguments))
            several = f"Not run: send one call for each of {ran_text(mended.calls)}"
            held.feedback = mended.feedback or several
            each.function.arguments = held
        yield from super().process_tool_calls(chat_message, memory_step)

    def execute_tool_call(self, tool_name: str, arguments: Any) -> Any:
        """Run a call, or return the message about it."""
        if isinstance(arguments, _Held):
            return arguments.feedback
        return super().execute_tool_call(tool_name, arguments)


def _arguments(call: Any) -> Any:
    """Return the arguments of a call; one without any has none to be wrong."""
    return call.function.arguments if call.function.arguments is not None else {}
