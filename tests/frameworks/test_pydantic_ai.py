"""The capability for Pydantic AI, in real agents with a model that is a function."""

import asyncio
import json
from typing import Any

import pytest
from faults import FAULTS, RAN, assert_read, get_weather, send_email
from pages import program_of
from pydantic import BaseModel
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from refract_asp.integrations.pydantic_ai import Refract


def answered(messages: list[ModelMessage]) -> bool:
    told = (ToolReturnPart, RetryPromptPart)
    return any(isinstance(part, told) for message in messages for part in message.parts)


def agent(*calls: tuple[str, Any], capability: Any = None, **how: Any) -> Agent:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if answered(messages):
            return ModelResponse(parts=[TextPart("done")])
        parts = [ToolCallPart(*each, tool_call_id=f"c{n}") for n, each in enumerate(calls)]
        return ModelResponse(parts=parts)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        if answered(messages):
            yield "done"
            return
        for n, (name, given) in enumerate(calls):
            text = given if isinstance(given, str) else json.dumps(given)
            yield {n: DeltaToolCall(name, text, tool_call_id=f"c{n}")}

    model = FunctionModel(answer, stream_function=stream)
    capabilities = [capability or Refract()]
    return Agent(model, tools=[get_weather, send_email], capabilities=capabilities, **how)


def parts(messages: list[ModelMessage], *kinds: Any) -> list[Any]:
    return [part for message in messages for part in message.parts if isinstance(part, kinds)]


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("history", ["rewrite", "annotate"])
@pytest.mark.parametrize("as_text", [False, True])
def test_five_faults(kind: str, history: Any, as_text: bool) -> None:
    fault = FAULTS[kind]
    given = json.dumps(fault.arguments) if as_text else fault.arguments
    run = agent((fault.name, given), capability=Refract(history=history)).run_sync("hi")
    messages = run.all_messages()
    assert ([fault.runs] if fault.runs else []) == RAN
    (result,) = parts(messages, ToolReturnPart, RetryPromptPart)
    assert result.tool_call_id == "c0"
    said = "Available tools: 'get_weather', 'send_email'" if kind == "made up" else fault.told
    assert said in str(result.content)
    (call,) = parts(messages, ToolCallPart)
    changed = fault.runs is not None and kind != "right"
    if not changed or (history == "annotate" and kind != "tool"):
        assert (call.tool_name, call.args) == (fault.name, given)
    else:
        assert (call.tool_name, call.args["city"]) == ("get_weather", "Rome")
    assert ("(Ran as" in str(result.content)) == (history == "annotate" and changed)


def test_siblings_run_and_each_id_is_answered_once() -> None:
    calls = [("get_weather", {"days": 2}), ("get_weather", {"city": "Oslo"}), ("bash", {"x": 1})]
    messages = agent(*calls).run_sync("hi").all_messages()
    assert RAN == [("Oslo", 1, "celsius")]
    answers = parts(messages, ToolReturnPart, RetryPromptPart)
    assert sorted(answer.tool_call_id for answer in answers) == ["c0", "c1", "c2"]


def test_arguments_that_are_no_json() -> None:
    agent(("get_weather", "{'city': 'Rome',}")).run_sync("hi")
    assert RAN == [("Rome", 1, "celsius")]


def test_a_stream_is_mended_before_its_tools_run() -> None:
    async def main() -> str:
        async with agent(("get_wether", {"cty": "Rome"})).run_stream("hi") as run:
            return str(await run.get_output())

    assert asyncio.run(main()) == "done"
    assert RAN == [("Rome", 1, "celsius")]


def test_output_tools_are_left_alone() -> None:
    class Report(BaseModel):
        text: str

    run = agent(("final_result", {"text": "fine"}), output_type=Report).run_sync("hi")
    assert run.output == Report(text="fine")


def test_runs_at_once_hold_back_their_own_calls() -> None:
    capability = Refract()

    async def main() -> list[str]:
        wrong = agent(("get_weather", {"days": 2}), capability=capability)
        right = agent(("get_weather", {"city": "Rome"}), capability=capability)
        runs = await asyncio.gather(*(each.run("hi") for each in (wrong, right, wrong, right)))
        return [str(parts(run.all_messages(), ToolReturnPart)[0].content)[:10] for run in runs]

    assert asyncio.run(main()) == ["Not run: g", "1 fine day"] * 2


def test_objects_of_pydantic_ai_are_read() -> None:
    tool = Tool(get_weather)
    call = ToolCallPart("get_weather", {"city": "Rome"}, tool_call_id="c0")
    message = ModelResponse(parts=[TextPart("I look."), call])
    assert_read(([tool], [tool.tool_def]), (call, [call], message))


test_the_program_of_the_page = program_of("pydantic_ai")
