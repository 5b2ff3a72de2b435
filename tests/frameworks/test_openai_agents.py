"""The adapters for OpenAI Agents, in real runs with the scripted model of its testing kit."""

import asyncio
import copy
import dataclasses
import json
import pickle
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, function_tool, handoff, set_tracing_disabled
from agents.models.interface import ModelProvider
from agents.testing import ScriptedModel, assistant_message, function_call
from faults import FAULTS, RAN, assert_read, get_weather, send_email
from openai.types.responses import ResponseFunctionToolCall
from pages import program_of

from refract_asp import Catalog
from refract_asp.integrations.openai_agents import RefractModel, RefractProvider, refract_guardrail

set_tracing_disabled(True)
TOOLS = [function_tool(get_weather), function_tool(send_email)]
RIGHT = {"city": "Oslo", "days": 1, "unit": "celsius"}


def script(*answers: list[tuple[str, Any]]) -> ScriptedModel:
    steps = [
        [function_call(*each, call_id=f"c{number}{n}") for n, each in enumerate(calls)]
        for number, calls in enumerate(answers)
    ]
    return ScriptedModel([*steps, [assistant_message("done")]])


async def run(model: Any, tools: Any = TOOLS, streams: bool = False, **how: Any) -> Any:
    agent = Agent(name="a", model=model, tools=tools)
    if not streams:
        return await Runner.run(agent, "hi", **how)
    result = Runner.run_streamed(agent, "hi", **how)
    async for _ in result.stream_events():
        pass
    return result


def outputs(result: Any) -> list[tuple[str, str]]:
    items = [item for item in result.new_items if item.type == "tool_call_output_item"]
    return [(item.raw_item["call_id"], str(item.output)) for item in items]


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("streams", [False, True])
def test_five_faults(kind: str, streams: bool) -> None:
    fault = FAULTS[kind]
    inner = script([(fault.name, fault.arguments)], [("get_weather", RIGHT)])
    result = asyncio.run(run(RefractModel(inner), streams=streams))
    assert RAN[0] == (fault.runs or ("Oslo", 1, "celsius"))
    told = [
        each["output"]
        for call in inner.calls[1:2]
        for each in call.input
        if isinstance(each, dict) and each.get("type") == "function_call_output"
    ]
    assert fault.told in str(told)
    assert outputs(result)[0][0] == ("c00" if fault.runs else "c10")
    shown = [each.raw_item for each in result.new_items if each.type == "tool_call_item"]
    assert shown[0].name == "get_weather"


def test_what_is_sent_back_runs_nothing_and_each_call_is_answered() -> None:
    both = [("get_weather", {"days": 2}), ("send_email", {"to": "x", "subject": "s", "body": "b"})]
    inner = script(both, [("get_weather", RIGHT), both[1]])
    result = asyncio.run(run(RefractModel(inner)))
    assert RAN == [("Oslo", 1, "celsius"), ("mail", "x")]
    told = {each["call_id"]: each["output"] for each in inner.calls[1].input[-2:]}
    assert "Add city" in told["c00"]
    assert told["c01"].startswith("Not run yet")
    assert [id for id, _ in outputs(result)] == ["c10", "c11"]
    assert result.raw_responses[0].usage is not None


COPIED = [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]


@pytest.mark.parametrize("copied", COPIED)
def test_copies_of_a_model_mend_alike(copied: Any) -> None:
    made = copied(RefractModel(script([("get_wether", {"city": "Rome"})])))
    asyncio.run(run(made))
    assert RAN == [("Rome", 1, "celsius")]
    with pytest.raises(AttributeError):
        made.nothing_of_that_name  # noqa: B018


def test_after_enough_attempts_the_runner_decides() -> None:
    inner = script(*[[("get_weather", {"days": 2})]] * 2)
    asyncio.run(run(RefractModel(inner, max_retries=0)))
    assert RAN == []
    assert len(inner.calls) == 3


def test_handoffs_are_left_alone() -> None:
    other = Agent(name="other", model=ScriptedModel([[assistant_message("taken")]]))
    inner = ScriptedModel([[function_call("transfer_to_other", {}, call_id="c")]])
    agent = Agent(name="a", model=RefractModel(inner), tools=TOOLS, handoffs=[handoff(other)])
    assert asyncio.run(Runner.run(agent, "hi")).final_output == "taken"


def test_a_provider_gives_such_models() -> None:
    model = script([("get_wether", {"city": "Rome"})])

    class Provider(ModelProvider):
        def get_model(self, model_name: str | None) -> Any:
            return model

    config = RunConfig(model_provider=RefractProvider(Provider()))
    asyncio.run(run("any", run_config=config))
    assert RAN == [("Rome", 1, "celsius")]


@pytest.mark.parametrize("kind", set(FAULTS) - {"tool", "made up"})
def test_a_guardrail_rejects_with_what_to_send(kind: str) -> None:
    fault = FAULTS[kind]
    guardrail = refract_guardrail(TOOLS)
    tools = [dataclasses.replace(each, tool_input_guardrails=[guardrail]) for each in TOOLS]
    result = asyncio.run(run(script([(fault.name, fault.arguments)]), tools))
    assert ([fault.runs] if kind == "right" and fault.runs else []) == RAN
    ((_, said),) = outputs(result)
    if kind != "right":
        assert fault.told in said
        assert said.startswith("Not run: ")
    if fault.runs and kind != "right":
        assert f'Send get_weather with {{"city": "{fault.runs[0]}"' in said


def test_objects_of_the_kit_are_read() -> None:
    assert list(Catalog.load(TOOLS).by_name) == ["get_weather", "send_email"]
    made: Any = {"call_id": "c", "name": "get_weather", "type": "function_call"}
    call = ResponseFunctionToolCall(arguments=json.dumps({"city": "Rome"}), **made)
    assert_read([TOOLS], [[call]])


test_the_program_of_the_page = program_of("openai_agents")
