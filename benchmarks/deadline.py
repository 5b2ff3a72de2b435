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
# What takes longest to read, of all that is not refused for its size.
CODE = "Search(q={})"
NESTED = '[{{"name": "Search", "arguments": {{"q": [{}]}}}}]'
TEXTS = {
    "1 MB of marks": "<|a|>" * 200_000,
    "1 MB of tags without an end": "a<" * 500_000,
    "1 MB of thoughts": "</think>" * 125_000,
    "1 MB of what others say": "<|user|>" + "x" * 999_000,
    "300 kB of prose with marks": "<|a|> " * 50_000,
    "300 kB of objects in prose": 'x {"a": 1}\n' * 27_000,
    "1 MB of calls in Python": 'a = f(q=1, w="b")\n' * 55_000,
    "1,000 calls in Python, 1 MB": (CODE.format(f'"{"x" * 900}", w={{"a": [1, 2]}}') + "\n")
    * 1_000,
    "a list of 50,000 numbers in Python": CODE.format([1] * 33_000),
    "a sum of 500,000 numbers in Python": CODE.format("1+" * 499_000 + "1"),
    "JSON with 200,000 numbers": NESTED.format(",".join(["1"] * 199_000)),
    "JSON with 190,000 objects": NESTED.format(",".join(['{"a": 1}'] * 95_000)),
    "JSON with 10 MB in one text": NESTED.format(f'"{"x" * 9_900_000}"'),
    "10 MB of JSON lines": '{"name": "Search", "arguments": {"q": "a"}}\n' * 230_000,
}


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


def rows() -> list[tuple[str, list[dict[str, Any]], Calls | str, float]]:
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
        *((name, [tool()], text, 0.05) for name, text in TEXTS.items()),
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    print(f"{'input':40}{'limit':>7}{'excess':>9}  verdict")
    for name, tools, calls, limit in rows():
        refractor = Refractor({"tools": tools})
        refractor.repair('I call this:\n\nSearch(q="x")')  # loads what reads any text
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
