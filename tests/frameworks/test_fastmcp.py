"""The middleware for FastMCP, between a real client and a real server in one process."""

import asyncio
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.tools import Tool
from faults import FAULTS, RAN, assert_read, get_weather, send_email
from pages import program_of

from refract_asp.integrations.fastmcp import META, RefractMiddleware


def server(*middleware: Any) -> FastMCP:
    made = FastMCP("weather")
    made.tool(get_weather)
    made.tool(send_email)
    for each in middleware:
        made.add_middleware(each)
    return made


def behind_a_proxy(*middleware: Any) -> FastMCP:
    proxy = create_proxy(server())
    for each in middleware:
        proxy.add_middleware(each)
    return proxy


async def call(target: Any, name: str, arguments: Any, lists: bool = False) -> Any:
    async with Client(target) as client:
        if lists:
            await client.list_tools()
        return await client.call_tool(name, arguments, raise_on_error=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("made", [server, behind_a_proxy])
@pytest.mark.parametrize("lists", [False, True])
def test_five_faults(kind: str, made: Any, lists: bool) -> None:
    fault = FAULTS[kind]
    target = made(RefractMiddleware(annotate=True))
    result = asyncio.run(call(target, fault.name, fault.arguments, lists))
    text = "\n".join(block.text for block in result.content)
    assert ([fault.runs] if fault.runs else []) == RAN
    assert result.is_error == (fault.runs is None)
    assert fault.told in text
    changed = fault.runs is not None and kind != "right"
    assert ("(Ran as get_weather" in text) == changed == (META in (result.meta or {}))


def test_tools_that_come_and_go_are_seen() -> None:
    made = server(RefractMiddleware())

    async def main() -> list[bool]:
        async with Client(made) as client:
            first = await client.call_tool("translate", {"text": "a"}, raise_on_error=False)
            made.tool(lambda text: text, name="translate")
            second = await client.call_tool("translate", {"txt": "a"}, raise_on_error=False)
            made.local_provider.remove_tool("get_weather")
            third = await client.call_tool("get_wether", {"city": "R"}, raise_on_error=False)
            return [each.is_error for each in (first, second, third)]

    assert asyncio.run(main()) == [True, False, True]
    assert RAN == []


def test_objects_of_fastmcp_and_mcp_are_read() -> None:
    from mcp.types import CallToolRequestParams, ListToolsResult

    tool = Tool.from_function(get_weather)
    listed = ListToolsResult(tools=[tool.to_mcp_tool()])
    params = CallToolRequestParams(name="get_weather", arguments={"city": "Rome"})
    assert_read(([tool], [tool.to_mcp_tool()], listed), [params])


test_the_program_of_the_page = program_of("fastmcp")
