"""Cases small enough to score by hand: two tools, one slip each."""

from pathlib import Path
from typing import Any

import yaml

from declaring import NEEDED, TEXT, tool
from refract_asp.evaluation import Case, read_cases

FIELDS = {"id": TEXT, "items": {"type": "array", "items": TEXT}}
SEARCH = tool("Search", "read", FIELDS, query=NEEDED, limit={"type": "integer"})
TOOLS = {"tools": [SEARCH, tool("Book", "write", id=NEEDED, password=TEXT)]}
GOLD = ['a = Search(query="Rome")', 'Book(id="$a.id$")']
SLIP = ['a = Serch(query="Rome")', 'Book(id="$a.id$")']


def row(id: str, sequence: Any = SLIP, expected: Any = GOLD, **more: Any) -> dict[str, Any]:
    return {"id": id, "catalog": TOOLS, "sequence": sequence, "expected": expected, **more}


def case(sequence: Any = SLIP, expected: Any = GOLD, **more: Any) -> Case:
    return next(read_cases([row("one", sequence, expected, **more)]))


SMALL = Path(__file__).with_suffix(".yaml").read_text("utf-8")
ROWS = [row(**each) for each in yaml.safe_load(SMALL)]


def cases(rows: list[dict[str, Any]] | None = None) -> list[Case]:
    return list(read_cases(ROWS if rows is None else rows))
