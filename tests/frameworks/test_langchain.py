"""The middleware for LangChain and LangGraph, in real agents with a model that says what it is told to."""

import asyncio
from typing import Any

import pytest
from faults import FAULTS, RAN, assert_read, get_weather, send_email
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from pages import program_of

from refract_asp import Catalog, Sequence
from refract_asp.integrations.langchain import RefractMiddleware

TOOLS = [tool(get_weather), tool(send_email)]
MIDDLEWARE = RefractMiddleware()


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **how: Any) -> Any:
        return self


def call(name: str, arguments: Any, id: str = "c1") -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": id, "type": "tool_call"}


def agent(message: AIMessage, middleware: Any = MIDDLEWARE, **how: Any) -> Any:
    model = Model(messages=iter([message, AIMessage("done")]))
    return create_agent(model, TOOLS, middleware=[middleware], **how)


def run(message: AIMessage, middleware: Any = MIDDLEWARE) -> list[Any]:
    RAN.clear()
    found = agent(message, middleware).invoke({"messages": [HumanMessage("hi")]})
    return found["messages"][1:]


def results(messages: list[Any]) -> list[tuple[Any, str, Any]]:
    return [(m.tool_call_id, m.status, m.content) for m in messages if isinstance(m, ToolMessage)]


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("history", ["rewrite", "annotate"])
@pytest.mark.parametrize("is_async", [False, True])
def test_five_faults(kind: str, history: Any, is_async: bool) -> None:
    fault = FAULTS[kind]
    message = AIMessage("", tool_calls=[call(fault.name, fault.arguments)])
    middleware = RefractMiddleware(history=history)
    if is_async:
        ran = asyncio.run(agent(message, middleware).ainvoke({"messages": [HumanMessage("hi")]}))
        messages = ran["messages"][1:]
    else:
        messages = run(message, middleware)
    assert ([fault.runs] if fault.runs else []) == RAN
    ((id, status, content),) = results(messages)
    assert (id, status) == ("c1", "success" if fault.runs else "error")
    assert fault.told in content
    shown = messages[0].tool_calls[0]
    changed = fault.runs is not None and kind != "right"
    if history == "annotate" or not changed:
        assert (shown["name"], shown["args"]) == (fault.name, fault.arguments)
    else:
        assert (shown["name"], shown["args"]["city"]) == ("get_weather", "Rome")
    assert ("(Ran as get_weather with {" in content) == (history == "annotate" and changed)


def test_siblings_run_and_each_id_is_answered_once() -> None:
    calls = [
        call("get_weather", {"days": 2}, "a"),
        call("get_weather", {"city": "Oslo"}, "b"),
        call("send_email", {"to": "x", "subject": "s", "body": "b"}, "c"),
    ]
    found = results(run(AIMessage("", tool_calls=calls)))
    assert [each[:2] for each in found] == [("a", "error"), ("b", "success"), ("c", "success")]
    assert sorted(RAN) == [("Oslo", 1, "celsius"), ("mail", "x")]


BROKEN = [("{'city': 'Rome',}", [("Rome", 1, "celsius")]), ('{"city": "Ro', []), ("nonsense", [])]


@pytest.mark.parametrize(("arguments", "ran"), BROKEN)
def test_arguments_that_langchain_cannot_parse(arguments: str, ran: list[Any]) -> None:
    broken = {"name": "get_weather", "args": arguments, "id": "c1", "error": "x"}
    message = AIMessage("", invalid_tool_calls=[{**broken, "type": "invalid_tool_call"}])
    messages = run(message)
    assert ran == RAN
    assert [each[:2] for each in results(messages)] == [("c1", "success" if ran else "error")]


@pytest.mark.parametrize("history", ["rewrite", "annotate"])
@pytest.mark.parametrize("id", ["c1", ""])
def test_calls_with_one_id_keep_their_own_arguments(history: Any, id: str) -> None:
    middleware = RefractMiddleware(history=history)
    names = ("get_wether", "Rome"), ("get_wether", "Oslo"), ("get_weather", "Bonn")
    raw = [
        {"id": id, "type": "function", "function": {"name": n, "arguments": f'{{"city": "{c}"}}'}}
        for n, c in names
    ]
    calls = [call(name, {"city": city}, id) for name, city in names]
    kept = {"tool_calls": raw}
    messages = run(AIMessage("", tool_calls=calls, additional_kwargs=kept), middleware)
    assert sorted(city for city, *_ in RAN) == ["Bonn", "Oslo", "Rome"]
    shown = str(messages[0].additional_kwargs)
    assert [shown.count(city) for _, city in names] == [1, 1, 1]
    both = [call("get_weather", {"days": 2}, id), call("get_weather", {"city": "Oslo"}, id)]
    found = results(run(AIMessage("", tool_calls=both), middleware))
    assert [each[1] for each in found] == ["error", "success"]
    assert RAN == [("Oslo", 1, "celsius")]


def test_messages_of_providers_show_what_ran() -> None:
    block = {"type": "tool_use", "id": "c1", "name": "get_wether", "input": {"city": "Rome"}}
    function = {"name": "get_wether", "arguments": '{"city": "Rome"}'}
    raw = {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    calls = [call("get_wether", {"city": "Rome"})]
    text = {"type": "text", "text": "I look."}
    shown = run(AIMessage([text, block], tool_calls=calls, additional_kwargs=raw))[0]
    assert shown.content == [text, {**block, "name": "get_weather"}]
    assert shown.additional_kwargs["tool_calls"][0]["function"]["name"] == "get_weather"


ANSWER = {"values": {"city": "Rome"}, "confirmed": True}


@pytest.mark.parametrize("answer", [ANSWER, {"values": {}}, {"values": {"city": 3}}, False])
def test_a_graph_is_interrupted_for_what_is_missing(answer: Any) -> None:
    ran = [("Rome", 2, "celsius")] if answer is ANSWER else []
    message = AIMessage("", tool_calls=[call("get_weather", {"days": "2"})])
    how: Any = {"configurable": {"thread_id": "1"}}
    asking = RefractMiddleware(on_ask="interrupt")
    graph = agent(message, asking, checkpointer=InMemorySaver())
    stopped = graph.invoke({"messages": [HumanMessage("hi")]}, how)["__interrupt__"]
    assert [ask["name"] for ask in stopped[0].value["asks"]] == ["city"]
    found = graph.invoke(Command(resume=answer), how)["messages"]
    assert ran == RAN
    assert [each[1] for each in results(found)] == ["success" if ran else "error"]


def test_a_node_of_tools_judges_each_call() -> None:
    from langgraph.graph import END, START, MessagesState, StateGraph

    node = ToolNode(TOOLS, wrap_tool_call=RefractMiddleware().wrap_tool_call)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", node)
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    calls = [call("get_wether", {"city": "Rome"}), call("get_weather", {}, "c2")]
    found = graph.compile().invoke({"messages": [AIMessage("", tool_calls=calls)]})
    assert RAN == [("Rome", 1, "celsius")]
    assert [each[:2] for each in results(found["messages"])] == [("c1", "success"), ("c2", "error")]


def test_answers_in_a_form_are_left_alone() -> None:
    from langchain.agents.structured_output import ToolStrategy
    from pydantic import BaseModel

    class Report(BaseModel):
        text: str

    message = AIMessage("", tool_calls=[call("Report", {"text": "fine"})])
    graph = agent(message, response_format=ToolStrategy(Report))
    assert graph.invoke({"messages": [HumanMessage("hi")]})["structured_response"].text == "fine"


def test_objects_of_langchain_are_read() -> None:
    assert list(Catalog.load(TOOLS).by_name) == ["get_weather", "send_email"]
    message = AIMessage("", tool_calls=[call("get_weather", {"city": "Rome"})])
    assert_read([TOOLS], (message, [message], {"messages": [HumanMessage("hi"), message]}))
    answered = [message, ToolMessage("fine", tool_call_id="c1")]
    assert Sequence.load(answered).calls == ()


def test_opentelemetry_hears_of_each_decision() -> None:
    from opentelemetry import metrics, trace
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider

    reader = InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider([reader]))
    trace.set_tracer_provider(TracerProvider())
    middleware = RefractMiddleware()
    with trace.get_tracer("test").start_as_current_span("chat") as span:
        for name, arguments in (
            ("get_weather", {"city": "Rome"}),
            ("get_weather", {"city": "Oslo"}),
            ("get_wether", {"city": "Rome"}),
            ("get_weather", {"days": 2}),
        ):
            run(AIMessage("", tool_calls=[call(name, arguments)]), middleware)
    told = [(event.name, event.attributes["gen_ai.tool.name"]) for event in span.events]
    assert told == [("refract_asp.repair", "get_wether"), ("refract_asp.held_back", "get_weather")]
    data = reader.get_metrics_data()
    points = [
        point
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == "refract_asp.decisions"
        for point in metric.data.data_points
    ]
    counted = {str(point.attributes["refract_asp.outcome"]): point.value for point in points}
    assert counted == {"pass": 2, "repair": 1, "retry": 1}


test_the_program_of_the_page = program_of("langchain")
