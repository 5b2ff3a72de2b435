"""The agent for smolagents, with a model that says what it is told to."""

from typing import Any

import pytest
from faults import FAULTS, RAN, assert_read, get_weather, send_email
from pages import program_of
from smolagents import Model, ToolCallingAgent, models, tool

from refract_asp.integrations.smolagents import RefractToolCallingAgent


def made(function: Any) -> Any:
    made = tool(function)
    if "unit" in made.inputs:
        made.inputs["unit"]["enum"] = ["celsius", "fahrenheit"]
    return made


@tool
def describe(what: Any) -> str:
    """
    Describe something.

    Args:
        what: Anything.
    """
    RAN.append(what)
    return "a cat"


TOOLS = [made(get_weather), made(send_email)]


class Says(Model):
    def __init__(self, *calls: tuple[str, Any]) -> None:
        super().__init__()
        self.answers = [list(calls), [("final_answer", {"answer": "done"})]]

    def generate(self, messages: Any, **how: Any) -> models.ChatMessage:
        calls = []
        for number, (name, given) in enumerate(self.answers.pop(0)):
            function = models.ChatMessageToolCallFunction(name=name, arguments=given)
            made = models.ChatMessageToolCall(id=f"c{number}", type="function", function=function)
            calls.append(made)
        return models.ChatMessage(role=models.MessageRole.ASSISTANT, content="", tool_calls=calls)


def steps(*calls: tuple[str, Any], tools: Any = TOOLS, agent: Any = RefractToolCallingAgent) -> Any:
    running = agent(tools=tools, model=Says(*calls), verbosity_level=-1, max_steps=3)
    assert running.run("hi") == "done"
    return running.memory.steps[1]


@pytest.mark.parametrize("kind", FAULTS)
def test_five_faults(kind: str) -> None:
    fault = FAULTS[kind]
    step = steps((fault.name, dict(fault.arguments)))
    assert ([fault.runs] if fault.runs else []) == RAN
    assert step.error is None
    assert fault.told.replace("Tools: ", "Tools: final_answer, ") in step.observations
    if fault.runs and kind != "right":
        assert step.tool_calls[0].name == "get_weather"
        assert step.tool_calls[0].arguments["city"] == "Rome"


def test_siblings_run_and_nothing_is_lost() -> None:
    step = steps(("get_weather", {"days": 2}), ("get_weather", {"city": "Oslo"}))
    assert RAN == [("Oslo", 1, "celsius")]
    assert "Add city" in step.observations
    assert "1 fine days in Oslo" in step.observations
    assert len(step.tool_calls) == 2


def test_a_parameter_of_any_type_takes_everything() -> None:
    step = steps(("describe", {"what": 3}), tools=[describe])
    assert (step.error, RAN) == (None, [3])


def test_managed_agents_are_called() -> None:
    quiet: Any = {"verbosity_level": -1}
    named = {"name": "helper", "description": "Helps."}
    inner = ToolCallingAgent(tools=[], model=Says(), **named, **quiet)
    inner.model.answers.pop(0)
    outer = Says(("helper", {"task": "help"}))
    running = RefractToolCallingAgent(tools=TOOLS, model=outer, managed_agents=[inner], **quiet)
    assert running.run("hi") == "done"
    assert running.memory.steps[1].error is None


def test_objects_of_smolagents_are_read() -> None:
    message = Says(("get_weather", {"city": "Rome"})).generate([])
    assert_read([TOOLS], (message, message.tool_calls))


test_the_program_of_the_page = program_of("smolagents")
