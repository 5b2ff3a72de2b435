"""
Reading of one call in each format, as a share of the repair of the same call made slightly wrong.

    python benchmarks/reading.py [--repeat 300] [--json FILE]

The call is read and its misspelt twin repaired in turn; both have the same arguments. Exits with 1 when
reading takes 10 % of the repair or more in any format.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from refract_asp import Refractor, Sequence
from tables import judged, options_of, p50, table, write_json

BOUND = 0.10
WARM_UP = 20
NAME = "SkyScrapperFlightSearch"
WRONG = "SkyScraperFlightSerch"
ARGUMENTS: dict[str, Any] = {
    "originSkyId": "NYCA",
    "destinationSkyId": "LOND",
    "originEntityId": "27537542",
    "destinationEntityId": "27544008",
    "date": "2024-08-15",
    "adults": 2,
}


def tool(name: str) -> dict[str, Any]:
    kinds = {p: "integer" if isinstance(value, int) else "string" for p, value in ARGUMENTS.items()}
    parameters = {p: {"type": kind, "required": True} for p, kind in kinds.items()}
    return {"name": name, "effect": "read", "parameters": parameters}


CATALOG = {"tools": [tool(NAME), *(tool(f"Other{number}") for number in range(20))]}


def samples(name: str) -> dict[str, Any]:
    """Return the call in every format; texts as texts, data as data."""
    text = json.dumps(ARGUMENTS)
    named = ", ".join(f"{p}={json.dumps(value)}" for p, value in ARGUMENTS.items())
    python = ", ".join(f"{p}={value!r}" for p, value in ARGUMENTS.items())
    chat = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
    found = {"type": "function_call", "call_id": "call_1", "name": name, "arguments": text}
    used = {"type": "tool_use", "id": "toolu_1", "name": name, "input": ARGUMENTS}
    ai = {"name": name, "args": ARGUMENTS, "id": "call_1", "type": "tool_call"}
    plain = {"name": name, "arguments": ARGUMENTS}
    mended = text.replace("}", ",}")
    return {
        "openai": {"role": "assistant", "content": None, "tool_calls": [chat]},
        "openai, arguments mended": {
            "tool_calls": [{**chat, "function": {"name": name, "arguments": mended}}]
        },
        "openai-responses": [found],
        "anthropic": {
            "role": "assistant",
            "content": [{"type": "text", "text": "So be it."}, used],
        },
        "gemini": {"role": "model", "parts": [{"functionCall": {"name": name, "args": ARGUMENTS}}]},
        "langchain": {"type": "ai", "content": "", "tool_calls": [ai]},
        "mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": plain},
        "nestful": [{**plain, "label": "var1"}],
        "nestful, as text": json.dumps([{**plain, "label": "var1"}]),
        "pretty": f"var1 = {name}({named})",
        "python": f"var1 = {name}({python})",
        "loose": {"tool_calls": [plain]},
        "loose, tag": f"Let me see.\n<tool_call>\n{json.dumps(plain)}\n</tool_call>",
        "loose, fence": f"Let me see.\n```json\n{json.dumps(plain)}\n```\nDone.",
        "loose, action": f"Thought: well\nAction: {name}\nAction Input: {text}\n",
    }


def seconds(action: Callable[[Any], object], given: Any) -> float:
    """Return how long the action takes."""
    start = time.perf_counter()
    action(given)
    return time.perf_counter() - start


def main() -> int:
    """Run from the command line; 1 when the bound is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--repeat", type=int, default=300)
    options = parser.parse_args()

    refractor = Refractor(CATALOG)
    right, wrong = samples(NAME), samples(WRONG)
    broken = {name: Sequence.load(data) for name, data in wrong.items()}
    for name, data in right.items():
        sequence = Sequence.load(data)
        assert sequence.format == name.partition(",")[0], (name, sequence.format)
        assert refractor.repair(sequence).verdict == "valid", name
        assert refractor.repair(broken[name]).verdict == "repaired", name
    reads: dict[str, list[float]] = {name: [] for name in right}
    repairs: dict[str, list[float]] = {name: [] for name in right}
    for turn in range(-WARM_UP, options.repeat):
        for name, data in right.items():
            read, repaired = seconds(Sequence.load, data), seconds(refractor.repair, broken[name])
            if turn >= 0:
                reads[name].append(read)
                repairs[name].append(repaired)
    found = []
    for name in right:
        read, repaired = p50(reads[name]), p50(repairs[name])
        found.append(
            {
                "format": name,
                "read_ms": read * 1000,
                "repair_ms": repaired * 1000,
                "share": read / repaired,
            }
        )
    rows = [
        (
            row["format"],
            f"{row['read_ms']:.3f}",
            f"{row['repair_ms']:.2f}",
            f"{100 * float(str(row['share'])):.1f} %",
            judged(float(str(row["share"])) < BOUND),
        )
        for row in found
    ]
    print(table(("format", "read (ms)", "repair (ms)", "share", ""), rows))
    worst = max(float(str(row["share"])) for row in found)
    print(f"\nworst: {100 * worst:.1f} %, must be < {100 * BOUND:g} %: {judged(worst < BOUND)}")
    write_json(options.json, found)
    return 0 if worst < BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
