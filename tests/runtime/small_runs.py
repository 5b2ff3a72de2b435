"""Tools, calls and views of runs that several tests of runs share."""

from typing import Any

from refract_asp import Catalog
from refract_asp.runtime import Run


def statuses(done: Run) -> list[str]:
    return [outcome.status for outcome in done.outcomes]


CATALOG = Catalog.load(
    {
        "tools": [
            {"name": "pay", "effect": "write", "parameters": {
                "amount": {"type": "number", "required": True, "description": "How much."}}},
            {"name": "get", "effect": "read"},
        ]
    }
)  # fmt: skip

TOOLS: dict[str, Any] = {"pay": lambda amount: {"paid": amount}, "get": lambda: 1}

OPEN = "ask(amount)\na = pay(amount=amount)\nb = get()"


def openai(*calls: tuple[str, str]) -> dict[str, Any]:
    listed = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}}
        for number, (name, text) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}
