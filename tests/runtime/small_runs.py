"""Tools, calls and views of runs that several tests of runs share."""

from typing import Any

from declaring import called, message, tool
from refract_asp import Catalog
from refract_asp.runtime import Run


def statuses(done: Run) -> list[str]:
    return [outcome.status for outcome in done.outcomes]


AMOUNT = {"type": "number", "required": True, "description": "How much."}
CATALOG = Catalog.load({"tools": [tool("pay", "write", amount=AMOUNT), tool("get", "read")]})

TOOLS: dict[str, Any] = {"pay": lambda amount: {"paid": amount}, "get": lambda: 1}

OPEN = "ask(amount)\na = pay(amount=amount)\nb = get()"


def openai(*calls: tuple[str, str]) -> Any:
    return message(*(called(*each, f"c{number}") for number, each in enumerate(calls)))
