"""
What the adapters cost a right call, beyond what the framework takes itself; and the first decision after `warm()`.

Each framework that is installed runs its own agent, with a model that says what it is told to: once as it is, and
once with the adapter, in turns with the unit (see units.py), in one process. The overhead is the difference of the
medians. The hook alone and its first decision are measured everywhere. It exits with 1 when a bound is missed.

    python benchmarks/adapters.py [--repeat 200] [--frameworks langchain,litellm] [--json FILE]
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measuring import WARM_UP, Figure, Works, child, finished, in_turns, options_of, p50
from refract_asp import Catalog
from refract_asp.integrations import Hook, ToolCall
from refract_asp.integrations.adapters import Guard
from units import unit

# the tools are those of the tests of each framework
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "frameworks"))
from faults import get_weather, send_email

MODULES = {
    "langchain": "langchain",
    "pydantic_ai": "pydantic_ai",
    "openai_agents": "agents",
    "fastmcp": "fastmcp",
    "litellm": "litellm",
    "smolagents": "smolagents",
    "inspect_ai": "inspect_ai",
}
"""The frameworks, with the module that shows whether each is there."""
FAULTS = {
    "right": ("get_weather", {"days": 2}),
    "tool": ("get_wether", {}),
    "parameter": ("get_weather", {"dayz": 2}),
    "type": ("get_weather", {"days": "3"}),
    "enum": ("get_weather", {"unit": "Celcius"}),
    "missing": ("send_email", {"to": "x"}),
}
PROCESSES = 5
FIRST = """
import json, sys
from adapters import TOOLS, called
from measuring import seconds
from refract_asp.integrations import Hook
hook = Hook(TOOLS).warm()
print(json.dumps([seconds(hook, called(sys.argv[1], number)) for number in range(31)]))
"""

Run = Callable[[str, int], object]
"""Has an agent make one right call, for a city and some days."""


TOOLS = [get_weather, send_email]


def called(kind: str, number: int) -> list[ToolCall]:
    """Return a call with a fault of a kind, and a city that no call before had."""
    name, given = FAULTS[kind]
    city = {} if name == "send_email" else {"city": f"Rome {number}"}
    return [ToolCall("c1", name, {**given, **city})]


# -- the frameworks: what runs as it is, and what runs with the adapter -----------------------------


@contextmanager
def langchain() -> Iterator[tuple[Run, Run]]:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import tool

    from refract_asp.integrations.langchain import RefractMiddleware

    asked: dict[str, Any] = {}

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **how: Any) -> Any:
            return self

    def says() -> Iterator[AIMessage]:
        while True:
            call = {"name": "get_weather", "args": dict(asked), "id": "c1", "type": "tool_call"}
            yield AIMessage("", tool_calls=[call])
            yield AIMessage("done")

    def made(*middleware: Any) -> Run:
        agent = create_agent(
            Model(messages=says()), list(map(tool, TOOLS)), middleware=list(middleware)
        )

        def run(city: str, days: int) -> None:
            asked.update(city=city, days=days)
            messages = agent.invoke({"messages": [HumanMessage("hi")]})["messages"]
            assert messages[-2].content == get_weather(city, days)

        return run

    yield made(), made(RefractMiddleware())


@contextmanager
def pydantic_ai() -> Iterator[tuple[Run, Run]]:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from refract_asp.integrations.pydantic_ai import Refract

    asked: dict[str, Any] = {}

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])
        return ModelResponse(parts=[ToolCallPart("get_weather", dict(asked), tool_call_id="c1")])

    with asyncio.Runner() as runner:

        def made(*capabilities: Any) -> Run:
            agent = Agent(FunctionModel(answer), tools=TOOLS, capabilities=list(capabilities))

            def run(city: str, days: int) -> None:
                asked.update(city=city, days=days)
                assert runner.run(agent.run("hi")).output == get_weather(city, days)

            return run

        yield made(), made(Refract())


@contextmanager
def openai_agents() -> Iterator[tuple[Run, Run]]:
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    from refract_asp.integrations.openai_agents import RefractModel

    set_tracing_disabled(True)
    tools = list(map(function_tool, TOOLS))
    guarded = RefractModel(None)
    with asyncio.Runner() as runner:

        def run(city: str, days: int, around: Callable[[Any], Any]) -> None:
            given = {"city": city, "days": days, "unit": "celsius"}
            call = function_call("get_weather", given, call_id="c1")
            model = around(ScriptedModel([[call], [assistant_message("done")]]))
            result = runner.run(Runner.run(Agent(name="a", model=model, tools=tools), "hi"))
            assert result.new_items[1].output == get_weather(city, days)

        def around(model: Any) -> Any:
            guarded.model = model
            return guarded

        yield partial(run, around=lambda model: model), partial(run, around=around)


@contextmanager
def fastmcp() -> Iterator[tuple[Run, Run]]:
    from fastmcp import Client, FastMCP

    from refract_asp.integrations.fastmcp import RefractMiddleware

    with asyncio.Runner() as runner:
        clients = []

        def made(*middleware: Any) -> Run:
            server = FastMCP("weather", middleware=list(middleware))
            for each in TOOLS:
                server.tool(each)
            client = Client(server)
            runner.run(client.__aenter__())
            clients.append(client)

            def run(city: str, days: int) -> None:
                result = runner.run(client.call_tool("get_weather", {"city": city, "days": days}))
                assert result.data == get_weather(city, days)

            return run

        yield made(), made(RefractMiddleware())
        for client in clients:
            runner.run(client.__aexit__(None, None, None))


@contextmanager
def litellm() -> Iterator[tuple[Run, Run]]:
    import litellm as kit

    from refract_asp.integrations.litellm import RefractCallback

    callback, tools = RefractCallback(), Catalog.load(TOOLS).dump("openai")
    asked: Any = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}
    with asyncio.Runner() as runner:

        def run(city: str, days: int, callbacks: list[Any]) -> None:
            text = json.dumps({"city": city, "days": days})
            call = {"id": "c1", "function": {"name": "get_weather", "arguments": text}}
            mock = {"mock_response": "", "mock_tool_calls": [{**call, "type": "function"}]}
            kit.callbacks = callbacks
            response = runner.run(kit.acompletion(**asked, **mock, tools=tools))
            assert response.choices[0].message.tool_calls[0].function.arguments == text

        yield partial(run, callbacks=[]), partial(run, callbacks=[callback])


@contextmanager
def smolagents() -> Iterator[tuple[Run, Run]]:
    from smolagents import Model, ToolCallingAgent, tool
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
    )

    from refract_asp.integrations.smolagents import RefractToolCallingAgent

    class Says(Model):
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[tuple[str, Any]] = []

        def generate(self, messages: Any, **how: Any) -> ChatMessage:
            name, given = self.calls.pop(0)
            function = ChatMessageToolCallFunction(name=name, arguments=given)
            call = ChatMessageToolCall(id="c1", type="function", function=function)
            return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])

    def made(kind: Any) -> Run:
        model = Says()
        agent = kind(tools=list(map(tool, TOOLS)), model=model, verbosity_level=-1, max_steps=3)

        def run(city: str, days: int) -> None:
            given = {"city": city, "days": days}
            model.calls = [("get_weather", given), ("final_answer", {"answer": "done"})]
            agent.run("hi")
            assert agent.memory.steps[1].observations == get_weather(city, days)

        return run

    yield made(ToolCallingAgent), made(RefractToolCallingAgent)


@contextmanager
def inspect_ai() -> Iterator[tuple[Run, Run]]:
    from inspect_ai.approval import ApprovalPolicy
    from inspect_ai.model import ChatMessageAssistant, execute_tools
    from inspect_ai.tool import ToolCall as Call
    from inspect_ai.tool import ToolDef

    from refract_asp.integrations.inspect_ai import refract

    def made(function: Callable[..., str]) -> Any:
        async def execute(*args: Any, **kwargs: Any) -> str:
            return function(*args, **kwargs)

        definition = ToolDef(function)
        return ToolDef(
            execute, definition.name, definition.description, definition.parameters
        ).as_tool()

    tools = list(map(made, TOOLS))
    policies = [ApprovalPolicy(refract(tools), "*")]
    with asyncio.Runner() as runner:

        def run(city: str, days: int, approval: Any) -> None:
            call = Call(id="c1", function="get_weather", arguments={"city": city, "days": days})
            message = ChatMessageAssistant(content="", tool_calls=[call])
            result = runner.run(execute_tools([message], tools, approval=approval))
            assert result.messages[0].text == get_weather(city, days), result.messages[0]

        yield partial(run, approval=None), partial(run, approval=policies)


def measure_framework(name: str, repeat: int) -> Iterator[Figure]:
    """Let an agent make a right call as it is and with the adapter, in turn."""
    with globals()[name]() as (plain, guarded):

        def works(turn: int) -> Works:
            days, texts = turn % 7 + 1, {"plain": f"Rome {turn}", "bracket": f"Rome ({turn}) [x]"}
            made: dict[str, Callable[[], object]] = {}
            for kind, city in texts.items():
                made[f"{kind}, own"] = partial(plain, city, days)
                made[f"{kind}, both"] = partial(guarded, city, days)
            order = list(made) if turn % 2 else list(reversed(made))
            return {"unit": unit, **{each: made[each] for each in order}}

        times = {each: p50(values) for each, values in in_turns(repeat, works).items()}
    for kind, said in (("plain", "a right call"), ("bracket", "... with brackets in a text")):
        over, own = times[f"{kind}, both"] - times[f"{kind}, own"], times[f"{kind}, own"]
        units = over / times["unit"]
        told = f"{units:.2f}, {over * 1000:.2f} ms; its own {own / times['unit']:.1f}"
        yield Figure(f"{name}: overhead of {said} (units)", units, "<=", 4, told)


# -- the hook alone -------------------------------------------------------------------------------


def measure_hook(repeat: int) -> list[Figure]:
    """Let a hook decide on a right call, and one that knows the kind let three of them pass, in turn."""
    hook = Hook(TOOLS).warm()

    def works(turn: int) -> Works:
        one = called("right", turn)
        three = [each._replace(id=f"c{n}") for n in range(3) for each in called("right", turn + n)]
        again = partial(hook.passes, three) if turn > -WARM_UP else partial(hook, three)
        return {"unit": unit, "decided": partial(hook, one), "known": again}

    times = in_turns(repeat, works)
    one = p50(times["unit"])
    print(f"unit: {one * 1000:.3f} ms (median of {repeat})")
    return [
        Figure("a decision of the hook on a right call (units)", p50(times["decided"]) / one),
        Figure("three right calls of a known kind (units)", p50(times["known"]) / one, "<=", 4),
    ]


def measure_many(repeat: int) -> Figure:
    """Let what the adapters share judge a right call of one of 200 tools, that come anew with each message."""
    guard = Guard()
    (definition,) = Catalog.load([get_weather]).dump("openai")
    written = json.dumps(definition)
    names = [f"get_weather_{number}" for number in range(200)]

    def tools() -> list[Any]:
        return [json.loads(written.replace("get_weather", name)) for name in names]

    def works(turn: int) -> Works:
        (call,) = called("right", turn)
        judged = partial(guard.mend, [call._replace(name="get_weather_7")], tools())
        return {"unit": unit, "judged": judged}

    times = in_turns(repeat, works)
    units = p50(times["judged"]) / p50(times["unit"])
    return Figure("a right call of a known kind of one of 200 tools (units)", units, "<=", 4)


def measure_first(kind: str) -> Figure:
    """Let new processes warm a hook, and compare its first decision with the thirty later ones."""
    ratios = []
    for _ in range(PROCESSES):
        first, *later = child(FIRST, kind)
        ratios.append(first / p50(later))
    told = f"{p50(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f} in {PROCESSES} processes"
    return Figure(
        f"first decision after warm() against later ones: {kind}", p50(ratios), "<=", 3, told
    )


def main() -> int:
    parser = options_of(__doc__, repeat=200)
    there = [name for name, module in MODULES.items() if find_spec(module) is not None]
    parser.add_argument("--frameworks", default=",".join(there), help="names, separated by commas")
    options = parser.parse_args()
    names = [name for name in options.frameworks.split(",") if name]
    if unknown := {*names} - {*MODULES}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(MODULES)}")
    figures = [*measure_hook(options.repeat), measure_many(options.repeat)]
    for name in names:
        figures += measure_framework(name, options.repeat)
    figures += map(measure_first, FAULTS)
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
