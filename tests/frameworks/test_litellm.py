"""The callback for LiteLLM, with answers that LiteLLM makes up itself."""

import asyncio
import json
from typing import Any

import litellm
import pytest
from faults import FAULTS, assert_read, get_weather, send_email
from pages import program_of

from refract_asp import Catalog
from refract_asp.integrations.litellm import RefractCallback, feedback

TOOLS = Catalog.load([get_weather, send_email]).dump("openai")
ASKED: Any = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "tools": TOOLS}


def answer(name: str, arguments: Any) -> dict[str, Any]:
    call = {"id": "c1", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"mock_response": "", "mock_tool_calls": [{**call, "type": "function"}]}


@pytest.fixture
def callback(monkeypatch: pytest.MonkeyPatch) -> RefractCallback:
    made = RefractCallback()
    monkeypatch.setattr(litellm, "callbacks", [made])
    return made


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("is_async", [True, False])
def test_five_faults(kind: str, is_async: bool, callback: RefractCallback) -> None:
    fault = FAULTS[kind]
    mock = answer(fault.name, fault.arguments)
    if is_async:
        response = asyncio.run(litellm.acompletion(**ASKED, **mock))
    else:
        response = callback.mend(litellm.completion(**ASKED, **mock), TOOLS)
    (call,) = response.choices[0].message.tool_calls
    given = json.loads(call.function.arguments)
    if fault.runs is None:
        assert (call.function.name, given) == (fault.name, fault.arguments)
        assert fault.told in feedback(response)["c1"]
        return
    assert feedback(response) == {}
    assert (call.id, call.function.name) == ("c1", "get_weather")
    city, days, unit = fault.runs
    assert {"days": 1, "unit": "celsius"} | given == {"city": city, "days": days, "unit": unit}


def test_the_proxy_mends_once(callback: RefractCallback) -> None:
    async def main() -> Any:
        response = await litellm.acompletion(**ASKED, **answer("get_wether", {"city": "Rome"}))
        return await callback.async_post_call_success_hook({"tools": TOOLS}, None, response)

    response = asyncio.run(main())
    assert response.choices[0].message.tool_calls[0].function.name == "get_weather"


def test_answers_without_calls_or_tools_are_left_alone(callback: RefractCallback) -> None:
    plain = {key: each for key, each in ASKED.items() if key != "tools"}
    response = asyncio.run(litellm.acompletion(**plain, mock_response="hello"))
    assert response.choices[0].message.content == "hello"
    assert feedback(response) == {}


def test_objects_of_litellm_are_read() -> None:
    response = litellm.completion(**ASKED, **answer("get_weather", {"city": "Rome"}))
    message = response.choices[0].message
    assert_read([TOOLS], (response, message, message.tool_calls))


test_the_program_of_the_page = program_of("litellm")
