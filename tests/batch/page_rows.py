"""Rows of a small run, among them such as want to break out of a page."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from refract_asp.evaluation.rows import Row
from yaml_files import read_yaml

from .travel_rows import rows_of

DATA = read_yaml(Path(__file__).with_suffix(".yaml"))
HOSTILE: str = DATA["hostile"]
SECRET: str = DATA["secret"]
ENTRIES: list[dict[str, Any]] = DATA["entries"]


@cache
def small_run() -> tuple[Row, ...]:
    """Return the rows of a small run: all kinds of verdicts, a secret, and a line that cannot be read."""
    tools = {"tools": [{"name": "Login", "parameters": {"password": {"type": "string"}}}]}
    login = {"id": "login", "sequence": f'Logn(password="{SECRET}")', "catalog": tools}
    return tuple(rows_of([*ENTRIES, login, b'{"sequence": ']))


def many(count: int) -> Iterator[Row]:
    """Yield so many rows: those of the small run again and again, between many that are valid."""
    few = small_run()
    for number in range(count):
        row = few[number // 16 % len(few)] if number % 16 == 15 else few[0]
        names = {"id": f"trace {number}", "place": f"a.jsonl:{number}"}
        yield row.model_copy(update={"number": number, **names})
