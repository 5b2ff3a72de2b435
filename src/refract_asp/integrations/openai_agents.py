"""
OpenAI Agents: a model that mends its own calls, a provider of such models, and a guardrail for tools.

    Agent(model=RefractModel(model), tools=[...])
    Runner.run(agent, "...", run_config=RunConfig(model_provider=RefractProvider()))
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from refract_asp.integrations.adapters import Guard, Mended, framework, ran_text
from refract_asp.integrations.decisions import ToolCall
from refract_asp.settings import whole_number

with framework("openai-agents", "openai-agents", "0.24.0"):
    from agents import FunctionTool, MultiProvider, ToolGuardrailFunctionOutput, ToolInputGuardrail
    from agents.models.interface import Model, ModelProvider

__all__ = ["RefractModel", "RefractProvider", "refract_guardrail"]

RETRIES = 2
NAMES = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs")
"""The positions of what a model is asked with."""
AGAIN = "Not run yet: another call of this answer has to be corrected. Send all calls again."


class RefractModel(Model):
    """
    A model whose calls are mended before the runner looks for their tools.

    Right calls run, faulty ones run repaired, and the conversation shows what ran. Where a call cannot be
    mended, the model is told what to send and answers again, before anything of its answer runs; what it
    still gets wrong after that is given to the runner as it is.

    Args:
        model: the model that is asked.
        max_retries: how often it may answer again.
        options: what `Hook` takes besides the catalog: `policy`, `memory`, `on_decision` ...
    """

    def __init__(self, model: Any, *, max_retries: int = RETRIES, **options: Any) -> None:
        """Check the options."""
        whole_number("max_retries", max_retries)
        self.model, self.max_retries = model, max_retries
        self._guard = Guard(**options)

    def __getattr__(self, name: str) -> Any:
        """Return what the model has besides; a copy has none before it is filled."""
        if name == "model" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.model, name)

    async def close(self) -> None:
        """Close the model."""
        await self.model.close()

    def get_retry_advice(self, request: Any) -> Any:
        """Return what the model advises."""
        return self.model.get_retry_advice(request)

    async def get_response(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the model answers, with calls that can run."""
        args, kwargs = (), {**dict(zip(NAMES, args, strict=False)), **_rest(args), **kwargs}
        response = await self.model.get_response(**kwargs)
        for attempt in range(self.max_retries + 1):
            output, told = await self._mended(response.output, kwargs)
            if not told or attempt == self.max_retries:
                return replace(response, output=output)
            kwargs = _asked_again(kwargs, response.output, told, response.response_id)
            before = response.usage
            response = await self.model.get_response(**kwargs)
            before.add(response.usage)
            response.usage = before
        return response

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Stream what the model answers; its calls follow when all of them are there and can run."""
        kwargs = {**dict(zip(NAMES, args, strict=False)), **_rest(args), **kwargs}
        for attempt in range(self.max_retries + 1):
            held: list[Any] = []
            calls: set[int] = set()
            done = None
            async for event in self.model.stream_response(**kwargs):
                item = getattr(event, "item", None)
                if getattr(item, "type", "") == "function_call":
                    calls.add(event.output_index)
                if event.type == "response.completed":
                    done = event
                elif getattr(event, "output_index", None) in calls:
                    held.append(event)
                else:
                    yield event
            if done is None:  # it failed, and said so
                for event in held:
                    yield event
                return
            output, told = await self._mended(done.response.output, kwargs)
            if told and attempt < self.max_retries:
                kwargs = _asked_again(kwargs, done.response.output, told, done.response.id)
                continue
            for event in _in_stream(held, done.response.output, output):
                yield event
            changed = done.response.model_copy(update={"output": output})
            yield done.model_copy(update={"response": changed})
            return

    async def _mended(
        self, output: list[Any], asked: dict[str, Any]
    ) -> tuple[list[Any], dict[str, str]]:
        """Return the items of an answer with what is to be run, and what to tell of calls by their ids."""
        tools = [_as_data(tool) for tool in asked["tools"] if isinstance(tool, FunctionTool)]
        handed = {each.tool_name for each in asked.get("handoffs") or ()}
        items = [each for each in output if _is_call(each) and each.name not in handed]
        if not items or not tools:
            return output, {}
        calls = [ToolCall(item.call_id, item.name, item.arguments) for item in items]
        by_item = dict(zip(map(id, items), await self._guard.mend_async(calls, tools), strict=True))
        found: list[Any] = []
        for item in output:
            mended = by_item.get(id(item))
            found += [item] if mended is None else _items(item, mended)
        held = {item.call_id: by_item[id(item)].feedback for item in items}
        if not any(held.values()):
            return found, {}
        ids = [item.call_id for item in output if _is_call(item)]
        return found, {id: held.get(id) or AGAIN for id in ids}


class RefractProvider(ModelProvider):
    """
    Gives models whose calls are mended, for all agents of a run.

    Args:
        provider: gives the models; by default that of the SDK.
        options: as of `RefractModel`.
    """

    def __init__(self, provider: Any = None, **options: Any) -> None:
        """Check the options."""
        self.provider, self._options = provider or MultiProvider(), options
        RefractModel(None, **options)

    def get_model(self, model_name: str | None) -> Any:
        """Return a model by its name."""
        return RefractModel(self.provider.get_model(model_name), **self._options)

    async def aclose(self) -> None:
        """Close the provider."""
        await self.provider.aclose()


def refract_guardrail(tools: list[Any], **options: Any) -> Any:
    """
    Return a guardrail that lets no faulty call reach a tool, and tells the model what to send instead.

    The SDK lets guardrails reject and never change: what `RefractModel` would run repaired is rejected here,
    with the repaired call in the words. A call of a tool that does not exist reaches no guardrail.

    Args:
        tools: the function tools of the agent; give each the guardrail in `tool_input_guardrails`.
        options: what `Hook` takes besides the catalog.
    """
    guard, listed = Guard(**options), [_as_data(tool) for tool in tools]

    async def judge(data: Any) -> Any:
        asked = data.context
        call = ToolCall(asked.tool_call_id, asked.tool_name, asked.tool_arguments)
        (mended,) = await guard.mend_async([call], listed)
        if mended.outcome == "pass":
            return ToolGuardrailFunctionOutput.allow()
        meant = ran_text(mended.calls)[1:-1].replace("Ran as", "Send", 1)
        return ToolGuardrailFunctionOutput.reject_content(mended.feedback or f"Not run: {meant}")

    return ToolInputGuardrail(guardrail_function=judge, name="refract_asp")


def _rest(args: tuple[Any, ...]) -> dict[str, Any]:
    """Return what follows the named positions: `tracing`."""
    return {"tracing": args[len(NAMES)]} if len(args) > len(NAMES) else {}


def _is_call(item: Any) -> bool:
    return getattr(item, "type", "") == "function_call"


def _as_data(tool: Any) -> dict[str, Any]:
    strict = getattr(tool, "strict_json_schema", False) is True
    function = {"name": tool.name, "description": tool.description, "strict": strict}
    return {"type": "function", "function": {**function, "parameters": tool.params_json_schema}}


def _items(item: Any, mended: Mended) -> list[Any]:
    """Return the items in place of a call."""
    if not mended.is_changed or not mended.calls:
        return [item]
    found = []
    for number, call in enumerate(mended.calls):
        text = json.dumps(call.arguments, ensure_ascii=False)
        # without the id of the provider but for the first, which replaces it
        own = {} if not number else {"id": None}
        update = {"name": call.name, "arguments": text, "call_id": call.id, **own}
        found.append(item.model_copy(update=update))
    return found


def _asked_again(
    asked: dict[str, Any], output: list[Any], told: dict[str, str], response_id: str | None
) -> dict[str, Any]:
    """Return with what a model is asked again: its answer, and the feedback about each call."""
    outputs = [
        {"type": "function_call_output", "call_id": id, "output": text} for id, text in told.items()
    ]
    if asked.get("previous_response_id") and response_id:  # the provider holds what was said
        return {**asked, "input": outputs, "previous_response_id": response_id}
    if asked.get("conversation_id"):
        return {**asked, "input": outputs}
    given = asked["input"]
    said = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    answer = [item.model_dump(exclude_unset=True) for item in output]
    return {**asked, "input": [*said, *answer, *outputs]}


def _in_stream(held: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    """Return the events of calls as if the model had written what is to be run."""
    if before == after:
        return held
    new: dict[Any, Any] = {each.call_id: each for each in after if _is_call(each)}
    ids = {each.id: each.call_id for each in before if _is_call(each)}
    found = []
    told: set[Any] = set()
    for event in held:
        item: Any = getattr(event, "item", None)
        id = item.call_id if item is not None else ids.get(getattr(event, "item_id", None))
        call = new.get(id)
        if call is None:
            found.append(event)
        elif event.type == "response.output_item.added":
            update = {"name": call.name, "arguments": ""}
            found.append(event.model_copy(update={"item": item.model_copy(update=update)}))
        elif event.type == "response.output_item.done":
            found.append(event.model_copy(update={"item": call}))
        elif event.type == "response.function_call_arguments.delta":
            if id not in told:
                found.append(event.model_copy(update={"delta": call.arguments}))
            told.add(id)
        else:
            update = {"arguments": call.arguments, "name": call.name}
            held_fields = {k: v for k, v in update.items() if hasattr(event, k)}
            found.append(event.model_copy(update=held_fields))
    return found
