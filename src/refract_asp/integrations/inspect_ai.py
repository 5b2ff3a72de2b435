"""
Inspect: an approver and a model that mend calls before they run, and a scorer that tells how many were right.

    Task(..., approval=[ApprovalPolicy(refract(tools), "*")], scorer=admissible(tools))
    eval(task, model=refract_model("openai/gpt-4o"))

Inspect refuses calls of tools that do not exist before an approver sees them; the model mends those, too, and the
scorer counts them.
"""

from __future__ import annotations

import copy
from typing import Any

from refract_asp import Refractor
from refract_asp.integrations.adapters import Guard, framework, ran_text
from refract_asp.integrations.decisions import ToolCall as PlainCall
from refract_asp.integrations.hook import Hook

with framework("inspect-ai", "inspect", "0.3.285"):
    from inspect_ai.approval import Approval, approver
    from inspect_ai.model import ChatMessageAssistant, ModelOutput, get_model
    from inspect_ai.scorer import Score, mean, scorer, stderr
    from inspect_ai.tool import ToolCall, ToolDef

__all__ = ["admissible", "refract", "refract_model"]


@approver(name="refract")
def refract(tools: list[Any] | None = None, **options: Any) -> Any:
    """
    Return an approver: right calls run, faulty ones run repaired, the others are rejected with what to send.

    Args:
        tools: the tools of the task, as given to `use_tools`.
        options: what `Hook` takes besides the catalog: `policy`, `memory`, `on_decision` ...
    """
    guard, listed = Guard(**options), _defined(tools or [])

    async def approve(message: str, call: Any, view: Any, history: Any) -> Any:
        given = PlainCall(call.id, call.function, call.arguments)
        (mended,) = await guard.mend_async([given], listed)
        if not mended.calls or len(mended.calls) > 1:
            several = f"Not run: send one call for each of {ran_text(mended.calls)}"
            return Approval(decision="reject", explanation=mended.feedback or several)
        if not mended.is_changed:
            return Approval(decision="approve")
        (run,) = mended.calls
        update = {"function": run.name, "arguments": run.arguments, "parse_error": None}
        changed = ToolCall(**{**vars(call), **update})
        told = ran_text(mended.calls)
        return Approval(decision="modify", modified=changed, explanation=told)

    return approve


def refract_model(model: Any, **options: Any) -> Any:
    """
    Return a model whose calls are mended as it answers: right ones run, faulty ones run repaired.

    The messages show what ran, and `admissible` judges what they show. A call that cannot be mended is answered
    with what to send. It takes the tools from each request.

    Args:
        model: the model that is asked, or its name.
        options: what `Hook` takes besides the catalog: `policy`, `memory`, `on_decision` ...
    """
    guard, made = Guard(**options), copy.copy(get_model(model))
    made.api = api = copy.copy(made.api)

    async def generate(input: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
        answered = await type(api).generate(api, input, tools, tool_choice, config)
        output, *rest = answered if isinstance(answered, tuple) else (answered,)
        if tools and isinstance(output, ModelOutput):
            listed = list(map(_as_data, tools))
            choices = [await _mended_choice(guard, each, listed) for each in output.choices]
            output = output.model_copy(update={"choices": choices})
        return (output, *rest) if rest else output

    api.generate = generate
    return made


async def _mended_choice(guard: Guard, choice: Any, tools: list[Any]) -> Any:
    """Return one of the answers of a model with what is to be run."""
    given = choice.message.tool_calls or []
    calls = [call for call in given if not call.parse_error]
    plain = [PlainCall(call.id, call.function, call.arguments) for call in calls]
    if not plain:
        return choice
    mended = dict(zip(map(id, calls), await guard.mend_async(plain, tools), strict=True))
    found: list[Any] = []
    for call in given:
        made = mended.get(id(call))
        if made is not None and not made.calls:  # Inspect answers what it takes for unreadable
            found.append(ToolCall(**{**vars(call), "parse_error": made.feedback}))
        elif made is not None and made.is_changed:
            runs = ({"id": r.id, "function": r.name, "arguments": r.arguments} for r in made.calls)
            found += [ToolCall(**{**vars(call), **run}) for run in runs]
        else:
            found.append(call)
    message = choice.message.model_copy(update={"tool_calls": found})
    return choice.model_copy(update={"message": message})


def _as_data(tool: Any) -> dict[str, Any]:
    """Return the definition of a tool as data: each request brings new objects that say the same."""
    parameters = tool.parameters.model_dump(exclude_none=True, by_alias=True)
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


@scorer(metrics=[mean(), stderr()], name="admissible")
def admissible(tools: list[Any], **options: Any) -> Any:
    """
    Return a scorer: the share of the calls of a sample in which nothing is wrong; 1 where there are none.

    The codes of what is wrong stand in the metadata of the score, so that logs can be grouped by them.

    Args:
        tools: the tools of the task, as given to `use_tools`.
        options: what `Refractor` takes besides the catalog.
    """
    refractor = Refractor(_defined(tools), **options)

    async def score(state: Any, target: Any) -> Any:
        count, wrong, codes, told = 0, 0, list[str](), list[str]()
        for message in state.messages:
            if not isinstance(message, ChatMessageAssistant) or not message.tool_calls:
                continue
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function, "arguments": call.arguments},
                }
                for call in message.tool_calls
            ]
            report = await refractor.check_async(calls)
            faulty = {each.call for each in report.violations}
            faulty |= {n for n, call in enumerate(message.tool_calls) if call.parse_error}
            count, wrong = count + len(calls), wrong + len(faulty)
            codes += [each.code for each in report.violations]
            told += [each.message for each in report.violations]
        value = 1.0 if not count else 1 - wrong / count
        more = {"calls": count, "wrong": wrong, "codes": codes}
        return Score(value=value, explanation="\n".join(told) or None, metadata=more)

    return score


def _defined(tools: list[Any]) -> list[Any]:
    """Return tools with their definitions, which Inspect keeps beside its functions."""
    if isinstance(tools, Hook):
        return [*tools.refractor.catalog.tools]
    return [ToolDef(tool) if callable(tool) else tool for tool in tools]
