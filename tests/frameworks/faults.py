"""The five faults that every adapter is tried with, what is to run of each, and what is to be told."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from refract_asp import Catalog, Sequence

RAN: list[Any] = []
"""What the tools were called with."""


class Fault(NamedTuple):
    """A call as a model makes it; what is to run of it, or the words that the answer has to hold."""

    name: str
    arguments: dict[str, Any]
    runs: tuple[str, int, str] | None
    told: str = ""


FAULTS = {
    "tool": Fault("get_wether", {"city": "Rome"}, ("Rome", 1, "celsius")),
    "parameter": Fault("get_weather", {"cty": "Rome"}, ("Rome", 1, "celsius")),
    "type": Fault("get_weather", {"city": "Rome", "days": "3"}, ("Rome", 3, "celsius")),
    "enum": Fault("get_weather", {"city": "Rome", "unit": "Fahrenheit"}, ("Rome", 1, "fahrenheit")),
    "missing": Fault("get_weather", {"days": 2}, None, "Add city (string, required)"),
    "made up": Fault("bash", {"command": "ls"}, None, "Tools: get_weather, send_email"),
    "right": Fault("get_weather", {"city": "Rome", "days": 2}, ("Rome", 2, "celsius")),
}


def assert_read(tools: Iterable[Any], calls: Iterable[Any]) -> None:
    """See that what stands for tools has `get_weather`, and what stands for a call is one of it."""
    for given in tools:
        assert [*Catalog.load(given).by_name["get_weather"].parameters] == ["city", "days", "unit"]
    for given in calls:
        assert Sequence.load(given).dump("pretty") == ['get_weather(city="Rome")']


Unit = Literal["celsius", "fahrenheit"]


def get_weather(city: str, days: int = 1, unit: Unit = "celsius") -> str:
    """
    Tell the weather of a city.

    Args:
        city: The name of the city.
        days: For how many days.
        unit: In which unit.
    """
    RAN.append((city, days, unit))
    return f"{days} fine days in {city}"


def send_email(to: str, subject: str, body: str) -> str:
    """
    Send an email.

    Args:
        to: The address.
        subject: What it is about.
        body: What it says.
    """
    RAN.append(("mail", to))
    return "sent"
