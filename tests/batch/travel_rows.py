"""Rows of runs over the travel catalog, for the tests of reports."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from refract_asp.evaluation.answering import Asker, Entry, Question
from refract_asp.evaluation.rows import Row
from refract_asp.model import Catalog
from refract_asp.resources import catalog_path

TRACES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "traces.jsonl"

LOCATION = 'var1 = TripadvisorSearchLocation(query="London")'
HOTELS = 'var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")'
GOOD = [LOCATION, HOTELS]
WRONG_FIELD = [LOCATION, HOTELS.replace("geoId$", "geoid$")]
NO_DATE = [LOCATION, HOTELS.replace(', checkOut="2024-08-18"', "")]
NO_TOOL = ['var1 = Qqqqq(zzz="1")']
TWICE = [LOCATION, LOCATION.replace("var1", "var2"), HOTELS.replace("var2", "var3")]


TRAVEL = Catalog.load(catalog_path("travel"))
ASKERS: dict[str, Asker] = {}
"""What answers about the travel catalog, by how it is asked; compiled once."""


def rows_of(entries: Iterable[Any], mode: Any = "repair", **question: Any) -> list[Row]:
    """Return the rows of entries: objects, lines, or lists of calls."""
    key = repr((mode, question))
    if key not in ASKERS:
        ASKERS[key] = Asker(Question(TRAVEL, mode=mode, **question))
    asker, found = ASKERS[key], []
    for number, entry in enumerate(entries):
        data = {"sequence": entry} if isinstance(entry, list) else entry
        line = data if isinstance(data, bytes) else json.dumps(data).encode()
        found.append(asker.row(Entry(number, f"traces.jsonl:{number + 1}", line)))
    return found


def row_of(number: int = 0, **said: Any) -> Row:
    """Return a row that says so."""
    head: Any = {"schema_version": 1, "number": number, "digest": f"{number}", "mode": "repair"}
    return Row(**{**head, "place": f"t.jsonl:{number + 1}", "verdict": "valid", **said})


def traces() -> list[bytes]:
    """Return the lines of the traces that the documents show."""
    return TRACES.read_bytes().splitlines()


@cache
def travelled() -> list[Row]:
    """Return their rows."""
    return rows_of(traces())


def write(path: Path, rows: Iterable[Row]) -> Path:
    """Write rows as a batch does."""
    path.write_text("".join(f"{row.line()}\n" for row in rows), "utf-8")
    return path
