"""
Reading of one call in each format, as a share of the repair of the same call made slightly wrong.

    python benchmarks/reading.py [--repeat 300] [--json FILE]

The call is read and its misspelt twin repaired in turn; both have the same arguments. Exits with 1 when
reading takes 10 % of the repair or more in any format.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from measuring import Figure, Works, finished, in_turns, options_of, p50
from refract_asp import Refractor, Sequence

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
    written = {"name": name, "arguments": text}
    chat = {"id": "call_1", "type": "function", "function": written}
    mended = {**chat, "function": {"name": name, "arguments": text.replace("}", ",}")}}
    used = {"type": "tool_use", "id": "toolu_1", "name": name, "input": ARGUMENTS}
    said = {"type": "text", "text": "So be it."}
    ai = {"name": name, "args": ARGUMENTS, "id": "call_1", "type": "tool_call"}
    plain = {"name": name, "arguments": ARGUMENTS}
    return {
        "openai": {"role": "assistant", "content": None, "tool_calls": [chat]},
        "openai, arguments mended": {"tool_calls": [mended]},
        "openai-responses": [{"type": "function_call", "call_id": "call_1", **written}],
        "anthropic": {"role": "assistant", "content": [said, used]},
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


def main() -> int:
    options = options_of(__doc__, repeat=300).parse_args()
    refractor = Refractor(CATALOG)
    right = samples(NAME)
    broken = {name: Sequence.load(data) for name, data in samples(WRONG).items()}
    for name, data in right.items():
        sequence = Sequence.load(data)
        assert sequence.format == name.partition(",")[0], (name, sequence.format)
        assert refractor.repair(sequence).verdict == "valid", name
        assert refractor.repair(broken[name]).verdict == "repaired", name

    def works(_: int) -> Works:
        read = {f"read {name}": partial(Sequence.load, data) for name, data in right.items()}
        repair = {name: partial(refractor.repair, each) for name, each in broken.items()}
        # each read stands beside its repair
        return {
            key: work
            for pair in zip(read.items(), repair.items(), strict=True)
            for key, work in pair
        }

    times = in_turns(options.repeat, works)
    figures = []
    for name in right:
        read, repair = p50(times[f"read {name}"]), p50(times[name])
        told = f"{100 * read / repair:.1f} %: {1000 * read:.3f} of {1000 * repair:.2f} ms"
        figures.append(Figure(f"{name}, read to repair", read / repair, "<", 0.1, told))
    return finished(options.json, figures)


if __name__ == "__main__":
    sys.exit(main())
