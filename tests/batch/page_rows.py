"""Rows of a small run, among them such as want to break out of a page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from refract_asp.evaluation.rows import Row

from .travel_rows import rows_of

HOSTILE = "</script><script>window.bad = 1</script><img src=x onerror='window.bad=2'>"
SECRET = "hunter2-of-the-test"

GOOD = 'var1 = SkyScrapperSearchAirport(query="Oslo")'
LOST = """\
var1 = SkyScrapperSearchAirport(query="New York")
var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", originEntityId="$var1.entityIdd$", \
destinationSkyId="$var2.skyId$", destinationEntityId="$var2.entityId$", date="2024-08-15")
"""
UNLABELLED = """\
TripadvisorSearchLocation(query="London")
var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
"""
MADE_UP = 'var1 = Qqqqq(zzz="1")'

ENTRIES: tuple[dict[str, Any], ...] = (
    {"id": "good", "sequence": GOOD, "meta": {"model": "small", "date": "2024-08-01"}},
    {"id": "lost", "sequence": LOST, "meta": {"model": "large", "date": "2024-08-02"}},
    {"id": "unlabelled", "sequence": UNLABELLED, "meta": {"model": "small", "date": "2024-08-01"}},
    {"id": "made up", "sequence": MADE_UP, "meta": {"model": "large", "date": "2024-08-02"}},
    {
        "id": HOSTILE,
        "sequence": GOOD,
        "meta": {"model": "small", "date": HOSTILE, HOSTILE: HOSTILE},
    },
    {
        "id": "__proto__",
        "sequence": [{"name": HOSTILE, "label": "a", "arguments": {HOSTILE: "$a.b$"}}],
        "meta": {"model": "large", "password": SECRET, "deep": {"api_key": SECRET}},
    },
)


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
        yield row.model_copy(
            update={"number": number, "id": f"trace {number}", "place": f"a.jsonl:{number}"}
        )
