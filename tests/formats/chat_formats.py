"""Calls of a sample in every format of chats, and the messages in which they stand."""

import json
from typing import Any, NamedTuple

from declaring import NEEDED, tool
from refract_asp import Catalog, Refractor
from refract_asp.model import Constant
from yaml_files import tables

from .made import filled

CITY = {"city": "Paris", "days": 2}
WEATHER = tool("weather", "read", {"degrees": "number"}, city=NEEDED, days="integer")
REPORT = tool("report", "read", value={"type": "number", "required": True})
CATALOG = Catalog.load({"tools": [WEATHER, REPORT]})
REFRACTOR = Refractor(CATALOG)


def bound(data: Any) -> dict[str, Any]:
    """Return the arguments of the sample calls as constants."""
    return {name: Constant(value=value) for name, value in data.items()}


class ChatFormat(NamedTuple):
    """A format: how a call is written, and the messages around calls."""

    name: str
    shapes: dict[str, Any]

    def entry(self, name: Any, arguments: Any, number: int = 1) -> Any:
        """Return a call."""
        parts = {"NAME": name, "ARGUMENTS": arguments, "NUMBER": number}
        return filled(self.shapes["entry"], {**parts, "TEXT": json.dumps(arguments)})

    @property
    def text(self) -> bool:
        """Whether arguments are JSON text."""
        return "TEXT" in str(self.shapes["entry"])

    def around(self, entries: list[Any]) -> list[Any]:
        """Return each message with some calls."""
        return [filled(shape, {"ENTRIES": entries}) for shape in self.shapes["around"]]

    def message(self, *entries: Any) -> Any:
        """Return the first of the messages with some entries."""
        return self.around(list(entries))[0]


FORMATS = [ChatFormat(name, shapes) for name, shapes in tables(__file__).items()]
