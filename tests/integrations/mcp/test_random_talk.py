"""Random clients and servers on both sides of a proxy: each request is answered once, and nothing else is lost."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from refract_asp.integrations.mcp import GuardOptions, Proxy, ProxyOptions
from waiting import PATIENCE

NUMBERS = {"a": {"type": "number"}, "b": {"type": "number"}}
ADDS = {"type": "object", "properties": NUMBERS, "required": ["a", "b"]}
DROPS = {"type": "object", "properties": {"id": {"type": "string"}}}
TOOLS = [
    {"name": "add", "inputSchema": ADDS, "annotations": {"readOnlyHint": True}},
    {"name": "drop", "inputSchema": DROPS},
]
NAMES: list[Any] = ["add", "ad", "add", "drop", "drp", "bash", None, 3]
ARGUMENTS: list[Any] = [
    {"a": 1, "b": 2}, {"a": "1", "b": 2}, {"a": 1}, {"id": "x"}, {"ids": "x"}, "{}", [1], None,
    {"a": 1, "b": 2, "c": 3},
]  # fmt: skip


class Side:
    """One side of the proxy: what it says waits in a queue, what it hears is kept."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.heard: list[Any] = []
        self._says: asyncio.Queue[bytes | None] = asyncio.Queue()

    def say(self, message: Any) -> None:
        self._says.put_nowait(json.dumps(message).encode() + b"\n")

    def end(self) -> None:
        self._says.put_nowait(None)

    async def receive(self) -> bytes | None:
        return await self._says.get()

    async def send(self, line: bytes) -> None:
        message = json.loads(line)
        for each in message if isinstance(message, list) else [message]:
            self.heard.append(each)
            self.answer(each)

    def answer(self, message: Any) -> None:
        """Say what one side says when it hears a message."""

    def numbers(self, method: str) -> list[int]:
        """Return which messages of a method were heard, in order."""
        return [each["params"]["n"] for each in self.heard if each.get("method") == method]


class Server(Side):
    """A server that answers when it likes, and tells and asks things meanwhile."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self.late: list[Any] = []
        self.told = self.asked = 0

    def answer(self, message: Any) -> None:
        id, chance = message.get("id"), self.chance.random
        if chance() < 0.15:
            self.say({"jsonrpc": "2.0", "method": "test/told", "params": {"n": self.told}})
            self.told += 1
        if chance() < 0.1:
            params = {"n": self.asked}
            self.say({"jsonrpc": "2.0", "id": self.asked, "method": "test/ask", "params": params})
            self.asked += 1
        if chance() < 0.05:
            self.say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        if id is None or "method" not in message:
            return
        result = {"tools": TOOLS} if message["method"] == "tools/list" else {"content": []}
        answer = {"jsonrpc": "2.0", "id": id, "result": result}
        if "tools" not in result and chance() < 0.3:
            self.late.append(answer)
            self.chance.shuffle(self.late)
        else:
            self.say(answer)
        if self.late and chance() < 0.4:
            self.say(self.late.pop())

    async def finish(self) -> None:
        while self.late:
            self.say(self.late.pop())
        self.end()

    async def close(self) -> str:
        self.end()
        return "the server ended"


class Client(Side):
    """A client that makes requests with ids of all kinds, cancels some, and answers some of what it is asked."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self.made: Counter[str] = Counter()
        self.cancelled: Counter[str] = Counter()
        self.told = 0

    def answer(self, message: Any) -> None:
        if message.get("method") == "elicitation/create" and self.chance.random() < 0.7:
            accepted = {"action": "accept", "content": {"b": 3}}
            result = self.chance.choice([accepted, {"action": "decline"}, {"action": "accept"}, {}])
            self.say({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def messages(self) -> Iterator[Any]:
        for number in range(self.chance.randrange(5, 20)):
            size = self.chance.randrange(1, 4) if self.chance.random() < 0.2 else 0
            some = [self._message(number) for _ in range(max(size, 1))]
            yield some if size else some[0]

    def _message(self, number: int) -> dict[str, Any]:
        chance, kind = self.chance, self.chance.random()
        id = chance.choice([number, str(number), f"r{chance.randrange(4)}", chance.randrange(4)])
        if kind < 0.1:
            self.told += 1
            return {"jsonrpc": "2.0", "method": "test/told", "params": {"n": self.told - 1}}
        if kind < 0.2 and self.made:
            gone = chance.choice(list(self.made))
            self.cancelled[gone] += 1
            params = {"requestId": json.loads(gone)}
            return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        if kind < 0.25:
            return {"jsonrpc": "2.0", "id": id, "result": {}}
        self.made[json.dumps(id)] += 1
        if kind < 0.4:
            method = chance.choice(["ping", "tools/list"])
            return {"jsonrpc": "2.0", "id": id, "method": method, "params": {}}
        params = {"name": chance.choice(NAMES), "arguments": chance.choice(ARGUMENTS)}
        return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


SEEDS = [pytest.param(number, marks=pytest.mark.slow) for number in range(100, 200)]


@pytest.mark.parametrize("seed", [0, 1, 138, *SEEDS])
async def test_nothing_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    client, server = Client(chance), Server(chance)
    guard = GuardOptions(policy=chance.choice(["repair", "strict", "observe"]))
    how: Any = {"on_failure": chance.choice(["open", "closed"]), "ask_timeout": 2.0}
    running = asyncio.create_task(Proxy(client, server, ProxyOptions(guard=guard, **how)).run())
    able = {"elicitation": {}} if chance.random() < 0.6 else {}
    params = {"capabilities": able}
    client.say({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params})
    client.made['"init"'] += 1
    sent = []
    for message in client.messages():
        sent.append(message)
        client.say(message)
        if chance.random() < 0.3:
            await asyncio.sleep(0.02)
    client.end()
    await asyncio.wait_for(running, PATIENCE)
    answered = Counter(json.dumps(each["id"]) for each in client.heard if "method" not in each)
    for id in client.made | answered:
        # what was cancelled may have been answered before
        least = client.made[id] - client.cancelled[id]
        assert least <= answered[id] <= client.made[id], (id, sent)
    assert client.numbers("test/told") == list(range(server.told))
    assert client.numbers("test/ask") == list(range(server.asked))
    assert server.numbers("test/told") == list(range(client.told))
