"""Cases small enough to score by hand: two tools, one slip each."""

from __future__ import annotations

import json
from typing import Any

from declaring import NEEDED, TEXT, tool
from refract_asp.evaluation import Case, read_cases

ITEMS = {"type": "array", "items": TEXT}
SEARCH = tool(
    "Search", "read", {"id": TEXT, "items": ITEMS}, query=NEEDED, limit={"type": "integer"}
)
TOOLS = {"tools": [SEARCH, tool("Book", "write", id=NEEDED, password=TEXT)]}
GOLD = ['a = Search(query="Rome")', 'Book(id="$a.id$")']
SLIP = ['a = Serch(query="Rome")', 'Book(id="$a.id$")']


def row(id: str, sequence: Any = SLIP, expected: Any = GOLD, **more: Any) -> dict[str, Any]:
    return {"id": id, "catalog": TOOLS, "sequence": sequence, "expected": expected, **more}


def case(sequence: Any = SLIP, expected: Any = GOLD, **more: Any) -> Case:
    return next(read_cases([row("one", sequence, expected, **more)]))


ROWS = [
    row("slip", kind="tool_name", dials={"tools": 2, "coupling": "chain"}),
    row("right", GOLD, dials={"tools": 2, "coupling": "none"}),
    row(
        "lost",
        ["Search()"],
        ["ask(query)", "Search(query=query)"],
        kind="lost_constant",
        dials={"tools": 10, "coupling": "none"},
    ),
    row(
        "unknown",
        ["Qqq(zzz=1)"],
        ["Search(query=1)"],
        kind="tool_name",
        informed=False,
        dials={"tools": 10},
    ),
    row("label", ['Search(query="Rome")', GOLD[1]], kind="missing_label", dials={"tools": 10}),
]


def cases(rows: list[dict[str, Any]] | None = None) -> list[Case]:
    return list(read_cases(ROWS if rows is None else rows))


def lines(rows: list[Any] | None = None) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in (ROWS if rows is None else rows))
