"""A small catalog, entries over it, and the rows that come of them."""

import json
from collections.abc import Iterator
from typing import Any

from declaring import NEEDED, TEXT, tool
from refract_asp.batch import Row, analyse
from refract_asp.evaluation.answering import Entry, Question
from refract_asp.model import Catalog

PIN = {**TEXT, "format": "password"}
SEARCH = tool("Search", "read", {"id": TEXT, "name": TEXT}, query=NEEDED)
TOOLS = {"tools": [SEARCH, tool("Book", "write", id=NEEDED, nights={"type": "integer"}, pin=PIN)]}
CATALOG = Catalog.load(TOOLS)
QUESTION = Question(CATALOG)

VALID = ['a = Search(query="Rome")', 'Book(id="$a.id$")']
SLIP = ['a = Search(qury="Rome")', 'Book(id="$a.id$", nights="2")']
LOST = ['a = Search(query="Rome")', "Book(nights=2)"]
OPEN = ["Search()"]
HOPELESS = ["Zzz(x=1)"]
AGAIN = ['Search(query="Rome")', 'a = Search(query="Rome")', 'Book(id="$a.id$")']


def line(sequence: Any, **more: Any) -> bytes:
    """Write a line of a data set."""
    return json.dumps({"sequence": sequence, **more}).encode()


def entries(*lines: bytes) -> Iterator[Entry]:
    """Number lines as the entries of a file."""
    for number, each in enumerate(lines):
        yield Entry(number, f"t.jsonl:{number + 1}", each)


def row(sequence: Any, catalog: Any = CATALOG, *, entry: Any = None, **how: Any) -> Row:
    """Judge one sequence."""
    (found,) = analyse([{"sequence": sequence, **(entry or {})}], catalog, **how)
    return found
