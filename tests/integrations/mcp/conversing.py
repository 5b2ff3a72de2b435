"""A client of a proxy, in the process of the test; the server behind the proxy is a real one."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from refract_asp.integrations.mcp import GuardOptions, Proxy, ProxyOptions, StdioServer
from waiting import PATIENCE

SERVER = Path(__file__).with_name("server.py")
INITIALIZE = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "test", "version": "1"}}


class Talk:
    """The client: what it sends, and what it was sent."""

    def __init__(self) -> None:
        self._out: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._in: asyncio.Queue[bytes] = asyncio.Queue()
        self.lines: list[bytes] = []
        self.answer: Any = None
        self.asked: list[Any] = []
        self.is_gone = False

    # the side of the proxy
    async def receive(self) -> bytes | None:
        return await self._out.get()

    async def send(self, line: bytes) -> None:
        if self.is_gone:
            raise BrokenPipeError("the client has gone")
        self.lines.append(line)
        self._in.put_nowait(line)

    # the side of the test
    def say(self, message: Any) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._out.put_nowait(line + b"\n")

    def leave(self) -> None:
        self._out.put_nowait(None)

    async def hear(self) -> Any:
        """Return the next message; what the proxy asks is answered on the way."""
        line = await asyncio.wait_for(self._in.get(), PATIENCE)
        message = json.loads(line)
        if isinstance(message, dict) and message.get("method") == "elicitation/create":
            self.asked.append(message["params"])
            if self.answer is not None:
                self.say({"jsonrpc": "2.0", "id": message["id"], "result": self.answer})
                return await self.hear()
        return message

    async def rpc(self, id: Any, method: str, **params: Any) -> Any:
        """Send a request and return its answer; other messages are passed over."""
        self.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        while True:
            message = await self.hear()
            if isinstance(message, dict) and message.get("id") == id and "method" not in message:
                return message

    async def call(self, name: Any, arguments: Any = None, id: Any = 1, **more: Any) -> Any:
        """Call a tool and return the result, or the error."""
        given = {} if arguments is None else {"arguments": arguments}
        answer = await self.rpc(id, "tools/call", name=name, **given, **more)
        return answer.get("result", answer.get("error"))

    async def told(self, name: Any, arguments: Any = None, **more: Any) -> str:
        """Call a tool and return the first text of what comes back."""
        return str((await self.call(name, arguments, **more))["content"][0]["text"])


@asynccontextmanager
async def talking(
    *how: str, capabilities: Any = None, guard: GuardOptions | None = None, **options: Any
) -> AsyncIterator[tuple[Talk, asyncio.Task[str]]]:
    """Give a client that talks with the server through a proxy; both have ended afterwards."""
    talk = Talk()
    server = await StdioServer.started([sys.executable, "-S", str(SERVER), *how])
    given = ProxyOptions(guard=guard or GuardOptions(), **options)
    running = asyncio.create_task(Proxy(talk, server, given).run())
    try:
        if capabilities is not None:
            await talk.rpc(0, "initialize", capabilities=capabilities, **INITIALIZE)
        yield talk, running
    finally:
        talk.leave()
        await asyncio.wait_for(running, PATIENCE)
