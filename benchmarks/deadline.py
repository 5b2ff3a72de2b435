"""How far `time_limit` is exceeded where the work is large: seconds beyond the limit, per input.

python benchmarks/deadline.py
"""

from __future__ import annotations

import random
import threading
import time
from typing import Any

from refract_asp import RefractError, Refractor

NAMES = [f"p{number}" for number in range(12)]
PASSER = {
    "name": "Pass",
    "effect": "read",
    "parameters": {name: {"type": "string", "required": True} for name in NAMES},
    "returns": {name: {"type": "string"} for name in NAMES},
}
ALLOWED = 0.05
Calls = list[dict[str, Any]]


def tangled(count: int, stem: str = "l") -> Calls:
    """Return calls that read from one another at random; with another stem from labels that are lost."""
    chance = random.Random(1)
    return [
        {
            "name": "Pass",
            "label": f"l{number}",
            "arguments": {name: f"${stem}{chance.randrange(count)}.{name}$" for name in NAMES},
        }
        for number in range(count)
    ]


def tool(**schema: Any) -> dict[str, Any]:
    """Return a tool with one parameter."""
    return {"name": "Search", "effect": "read", "parameters": {"q": {"type": "string", **schema}}}


def search(**arguments: Any) -> dict[str, Any]:
    """Return a call of that tool."""
    return {"name": "Search", "arguments": arguments}


def rows() -> list[tuple[str, list[dict[str, Any]], Calls, float]]:
    """Return each input: a name, the tools, the calls and the limit."""
    many = [{"name": f"get_thing_{number}", "effect": "read"} for number in range(4000)]
    text = " ".join(f"$a{number}.b$" for number in range(1900))
    unknown = {f"u{number}": 1 for number in range(10_000)}
    return [
        *((f"{count} calls x 12 references", [PASSER], tangled(count), 1.0) for count in (20, 40, 60, 100)),
        ("100 calls x 12 lost labels", [PASSER], tangled(100, "x"), 1.0),
        ("10,000 undeclared arguments", [tool()], [search(**unknown)], 0.05),
        (
            "50 calls, enum of 100,000",
            [tool(enum=[f"v{number}" for number in range(100_000)], required=True)],
            [search(q=f"v{number}x") for number in range(50)],
            0.05,
        ),
        ("a text with 1,900 references", [tool()], [search(q=text)], 0.05),
        ("100 misspelt calls, 4,000 alike tools", many, [{"name": f"get_thng_{7 * n}"} for n in range(100)], 0.2),
        ("2,000 unknown calls", [tool()], [{"name": f"X{n}"} for n in range(2000)], 0.05),
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    print(f"{'input':40}{'limit':>7}{'excess':>9}  verdict")
    for name, tools, calls, limit in rows():
        refractor = Refractor({"tools": tools})
        refractor.repair([])
        start, verdict = time.perf_counter(), ""
        try:
            verdict = refractor.repair(calls, time_limit=limit).verdict
        except RefractError as error:
            verdict = f"{type(error).__name__}: {error}"[:60]
        excess = time.perf_counter() - start - limit
        print(
            f"{name:40}{limit:7.2f}{max(0.0, excess):9.3f}  {verdict}{'' if excess <= ALLOWED else '  late'}"
        )
        for thread in threading.enumerate():  # what was given up would slow the next one down
            if thread is not threading.current_thread():
                thread.join()


if __name__ == "__main__":
    main()
