"""
The proxy between the client of the package `mcp` and real servers, in both eras of the protocol; catalogs; serving.

`server-everything` comes from npm: `make test-framework-mcp` puts it beside those of Python where there is npm.
"""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import ElicitResult

import refract_asp
from refract_asp.errors import InputError
from refract_asp.integrations.mcp import server_catalog

pytestmark = pytest.mark.frameworks

SOURCE = str(Path(refract_asp.__file__).parents[1])
NODE = Path(sys.prefix, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
TIME = [sys.executable, "-m", "mcp_server_time", "--local-timezone=Europe/Rome"]
EVERYTHING = ["node", str(NODE)]
HTTP = """
import sys
from mcp.server import MCPServer
server = MCPServer("demo")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
server.run(transport="streamable-http", port=int(sys.argv[1]))
"""
PATIENCE = 120.0
TRIES = 2400
needs_node = pytest.mark.skipif(
    not NODE.exists() or shutil.which("node") is None, reason="server-everything is not installed"
)
both_eras = pytest.mark.parametrize("era", ["auto", "legacy"])


def talk(
    words: list[str], era: str, work: Callable[[Client], Any], given: dict[str, Any] | None = None
) -> list[str]:
    """Let a client talk with what a command of ours is; return what the user was asked."""
    asked: list[str] = []

    async def elicited(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content=given or {})

    async def talking() -> None:
        ours: Any = {"command": sys.executable, "env": {"PYTHONPATH": SOURCE}}
        how = StdioServerParameters(args=["-m", "refract_asp", *words], **ours)
        async with Client(stdio_client(how), elicitation_callback=elicited, mode=era) as client:
            await work(client)

    asyncio.run(asyncio.wait_for(talking(), PATIENCE))
    return asked


async def said(client: Client, name: str, **arguments: Any) -> tuple[str, bool, bool]:
    """Call a tool; return its text, whether it is an error, and whether a repair is told."""
    result = await client.call_tool(name, arguments)
    text = "".join(getattr(each, "text", "") for each in result.content)
    return text, bool(result.is_error), "refract-asp/repaired" in (result.meta or {})


@both_eras
def test_mcp_server_time(era: str) -> None:
    async def work(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"get_current_time", "convert_time"}
        for name, arguments, is_repaired in (
            ("get_current_time", {"timezone": "Asia/Tokyo"}, False),
            ("get_curent_time", {"timezone": "Asia/Tokyo"}, True),
            ("convert_time", {"source_timezone": "Asia/Tokyo", "time": "10:00"}, True),
        ):
            text, is_error, is_told = await said(client, name, **arguments)
            assert ("Asia/Tokyo" in text, is_error, is_told) == (True, False, is_repaired)
        text, is_error, _ = await said(client, "bash", command="ls")
        assert is_error
        assert "Tools: convert_time, get_current_time." in text

    asked = talk(["mcp-proxy", "--", *TIME], era, work, {"target_timezone": "Europe/Rome"})
    assert len(asked) == 1
    assert asked[0].startswith("convert_time requires target_timezone.")


@both_eras
def test_mcp_server_git(era: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    words = ["git", *author, "commit", "-q", "--allow-empty", "-m", "first"]
    subprocess.run(words, cwd=tmp_path, check=True)
    repository = str(tmp_path)

    async def work(client: Client) -> None:
        text, is_error, is_told = await said(client, "git_statuss", repo_path=repository)
        assert (is_error, is_told) == (False, True), text
        text, is_error, is_told = await said(client, "git_log", repo_path=repository, max_count="1")
        assert ("first" in text, is_error, is_told) == (True, False, True)

    talk(["mcp-proxy", "--", sys.executable, "-m", "mcp_server_git"], era, work)


@needs_node
@both_eras
def test_server_everything(era: str, tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"

    async def work(client: Client) -> None:
        for name, arguments, wanted in (
            ("ecko", {"message": "hi"}, "Echo: hi"),
            ("echo", {"mesage": "hi"}, "Echo: hi"),
            ("get-sum", {"a": "1", "b": "2"}, "is 3"),
            ("get_sum", {"a": 1, "b": 2}, "is 3"),
            ("get-annotated-message", {"messageType": "Sucess"}, "success"),
            ("get-sum", {"a": 2}, "is 42"),
        ):
            text, is_error, is_told = await said(client, name, **arguments)
            assert (wanted in text, is_error, is_told) == (True, False, True), text
        heard: list[float] = []

        async def progressed(done: float, total: float | None, message: str | None) -> None:
            heard.append(done)

        given = {"duration": "1", "steps": "2"}
        name = "trigger-long-running-operation"
        result = await client.call_tool(name, given, progress_callback=progressed)
        assert not result.is_error
        assert heard
        assert [each.uri for each in (await client.list_resources()).resources]
        assert (await client.list_prompts()).prompts

    assert len(talk(["mcp-proxy", "--log", str(log), "--", *EVERYTHING], era, work, {"b": 40})) == 1
    assert len(log.read_text("utf-8").splitlines()) == 7


@contextmanager
def served() -> Iterator[str]:
    """Give the URL of a server that speaks HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", HTTP, str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(TRIES):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            time.sleep(0.05)
        else:
            pytest.fail("the server does not start")
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


@both_eras
def test_a_server_over_http(era: str) -> None:
    async def work(client: Client) -> None:
        for name, arguments, wanted in (
            ("add", {"a": 1, "b": 2}, "3"),
            ("add_", {"a": "1", "b": 2}, "3"),
            ("add", {"a": 2}, "42"),
        ):
            text, is_error, _ = await said(client, name, **arguments)
            assert (text, is_error) == (wanted, False)

    with served() as url:
        assert len(talk(["mcp-proxy", "--http", url], era, work, {"b": 40})) == 1


def test_a_server_over_http_that_is_not_there() -> None:
    async def work() -> None:
        from refract_asp.integrations.mcp.http import HttpServer

        server = await HttpServer.opened("http://127.0.0.1:1/mcp")
        for id, wanted in ((1, -32000), (1.5, -32600)):
            request = {"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}}
            await server.send(json.dumps(request).encode())
            answer = json.loads(await asyncio.wait_for(server.receive(), PATIENCE) or b"null")
            assert (answer["id"], answer["error"]["code"]) == (id, wanted)
        await server.close()

    asyncio.run(work())


def test_catalogs_of_servers(tmp_path: Path) -> None:
    told: list[str] = []
    config = tmp_path / "servers.json"
    with served() as url:
        assert list(server_catalog(f"mcp:{url}", say=told.append).by_name) == ["add"]
        servers = {"time": {"command": TIME[0], "args": TIME[1:]}, "sums": {"url": url}}
        config.write_text(json.dumps({"mcpServers": servers}), "utf-8")
        names = list(server_catalog(str(config), say=told.append).by_name)
    assert names == ["mcp__time__get_current_time", "mcp__time__convert_time", "mcp__sums__add"]
    assert told == [f"asking {url}", f"starting {' '.join(TIME)}", f"asking {url}"]
    with pytest.raises(InputError, match="cannot be reached"):
        server_catalog("http://127.0.0.1:1/mcp")


@both_eras
def test_serving(era: str) -> None:
    async def work(client: Client) -> None:
        calls = [{"name": "TripadvisorSearchLocation", "arguments": {"qury": "London"}}]
        checked = await client.call_tool("check", {"calls": calls})
        assert checked.structured_content["verdict"] == "invalid"
        repaired = await client.call_tool("repair", {"calls": calls})
        assert repaired.structured_content["calls"][0]["arguments"] == {"query": "London"}
        unread = await client.call_tool("repair", {"calls": {"x": 1}})
        assert unread.structured_content["verdict"] == "unreadable"

    talk(["mcp-serve", "--catalog", "travel"], era, work)
