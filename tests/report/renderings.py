"""Reports that the tests of the renderings share: one of many faults, and one of hostile names."""

from pathlib import Path
from typing import Any

from declaring import tool
from refract_asp import Report, check
from refract_asp.resources import catalog_path
from yaml_files import read_yaml

FAULTY = """\
var1 = TripadvisorSearchLocation(query="London")

var2 = TripadvisorSearchHotel(geoId="$var1.geoID$", checkIn="2024-08-15")
var3 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="$start$", adults="two")
"""
HOSTILE = "a\x1b[31m\x00\u202e\nb::error::%0A</script>,x:y](http://z)\r\u2028"
"""What must neither reach a terminal as it is nor end a command, a line, a script or a link."""


def cases(name: str) -> Any:
    """Return what a file beside the tests holds."""
    return read_yaml(Path(__file__).parent / f"{name}.yaml")


def faulty() -> Report:
    """Return a report of four faults: a tool, two parameters and a value."""
    return check(FAULTY, catalog_path("travel"))


def hostile() -> Report:
    """Return a report in which hostile names stand in every place of a message."""
    fields = {HOSTILE: {"type": "string"}}
    choice = {"type": "string", "enum": [f"{HOSTILE}1"], "description": HOSTILE, "required": True}
    put = tool("Put", x={"type": "integer", "required": True})
    catalog = {"tools": [tool(HOSTILE, returns=fields, **{HOSTILE: choice}), put]}
    calls = [
        {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "label": HOSTILE},
        {"name": HOSTILE, "arguments": {f"{HOSTILE}2": 1}, "label": "l"},
        {"name": f"{HOSTILE}3", "arguments": {}, "label": None},
        {"name": "Put", "arguments": {"x": f"$l.{HOSTILE}$"}, "label": None},
        {"name": "Put", "arguments": {"x": "$l.q$"}, "label": None},
    ]
    return check(calls, catalog)
