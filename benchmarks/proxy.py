"""
What a proxy costs a right call: that of `mcp-proxy` against one that only copies lines, before the same server.

Both proxies and the unit (see units.py) are measured in one run, in turns, a request after the other; also with a
text that has brackets, in which a call might hide.
The overhead is the difference of the medians. It exits with 1 when the bound is missed.

    python benchmarks/proxy.py [--repeat 300] [--json FILE]
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

from measuring import Figure, Works, finished, in_turns, options_of, p50
from units import unit

SERVER = Path(__file__).resolve().parents[1] / "tests" / "integrations" / "mcp" / "server.py"
# Copies lines both ways with asyncio, as a proxy does that understands nothing of them.
COPY = """
import asyncio, sys
from refract_asp.integrations.mcp.connections import StdioClient, StdioServer

async def copied(receive, send, end):
    while (line := await receive()) is not None:
        await send(line)
    await end()

async def nothing():
    pass

async def main():
    server = await StdioServer.started(sys.argv[1:])
    client = await StdioClient.opened(sys.stdin.buffer, sys.stdout.buffer)
    there = copied(client.receive, server.send, server.finish)
    await asyncio.gather(there, copied(server.receive, client.send, nothing))
    await server.close()

asyncio.run(main())
"""


class Client:
    """A client of a proxy that is a process of its own."""

    def __init__(self, *command: str) -> None:
        """Start the proxy before a server."""
        words = [sys.executable, *command, sys.executable, "-S", str(SERVER)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, number: int, *, rare: bool = False) -> None:
        """Make a right call, with values that no call before had, and wait for its answer."""
        user = f"U({number})" if rare else f"U-{number}"
        arguments = {"user_id": user, "limit": number}
        params = {"name": "list_orders", "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer["id"] != number or answer["result"]["isError"]:
            raise SystemExit(f"this is not the answer: {answer}")

    def end(self) -> None:
        """Leave, and wait until the proxy has ended."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def main() -> int:
    options = options_of(__doc__, repeat=300).parse_args()
    clients = {
        "copies": Client("-c", COPY),
        "judges": Client("-m", "refract_asp", "mcp-proxy", "--quiet", "--"),
    }

    def works(turn: int) -> Works:
        order = list(clients) if turn % 2 else list(reversed(clients))
        made = {name: partial(clients[name].call, turn + 1000) for name in order}
        for name in order:
            rare = partial(clients[name].call, turn + 10_000, rare=True)
            made[f"{name} brackets"] = rare
        return {"unit": unit, **made}

    times = {name: p50(each) for name, each in in_turns(options.repeat, works).items()}
    for client in clients.values():
        client.end()
    one = times["unit"]
    print(f"unit: {one * 1000:.3f} ms (median of {options.repeat})")
    figures = [
        Figure("a call through a proxy that copies (units)", times["copies"] / one),
        Figure("a call through mcp-proxy (units)", times["judges"] / one),
    ]
    for kind, said in (("", ""), (" brackets", " with brackets in a text")):
        over = times[f"judges{kind}"] - times[f"copies{kind}"]
        told = f"{over / one:.2f}, {over * 1000:.2f} ms"
        name = f"overhead of a right call{said} (units)"
        figures.append(Figure(name, over / one, "<=", 4, told))
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
