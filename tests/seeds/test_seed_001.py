"""
Seed 001: hardened tool calls, with the thermostat whose tool fails; the rows are tested in `tests/runtime`.

A model asks for the temperature, the tool fails, the model asks once more under another id, and tells the
user; then it is told the temperature, and sets another one.
"""

import inspect
import logging
from typing import Any

import pytest

from declaring import called, message
from refract_asp import Catalog
from refract_asp.resources import catalog_path
from refract_asp.runtime.invoker import Invoker, invoke_no_args, invoke_with_args
from refract_asp.runtime.replies import Mapper, default_mapper, plain_mapper

CALL_ID = "call_ywbGVQOtc4J5RvAkGFvuw1qU"


class ToolError(Exception):
    """The error of the functions, as the seed names it."""


class Thermostat:
    """The tools of the seed, which may be broken."""

    def __init__(self, temperature: int = 70, *, is_broken: bool = False) -> None:
        self.temperature = temperature
        self.is_broken = is_broken

    def get_current_temperature(self) -> str:
        if self.is_broken:
            raise ToolError("Unknown error")
        return str(self.temperature)

    def set_current_temperature(self, temperature: int) -> str:
        self.temperature = temperature
        return str(temperature)

    def invoker(self, mapper: Mapper = plain_mapper) -> Invoker:
        tools = [self.get_current_temperature, self.set_current_temperature]
        return Invoker(tools, Catalog.load(catalog_path("thermostat")), mapper=mapper)


def said(name: str, arguments: str = "{}", id_: str = CALL_ID) -> Any:
    """Return what the model says."""
    return message(called(name, arguments, id_))


def test_the_reply_of_the_seed_key_for_key() -> None:
    [reply] = Thermostat(is_broken=True).invoker().replies(said("get_current_temperature"))
    assert reply.to_dict() == {
        "content": "Error during 'get_current_temperature' ToolError(\"Unknown error\")",
        "name": "get_current_temperature",
        "role": "tool",
        "tool_call_id": "call_ywbGVQOtc4J5RvAkGFvuw1qU",
    }


@pytest.mark.parametrize("mapper", [plain_mapper, default_mapper])
def test_the_whole_dialogue(mapper: Mapper, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    thermostat = Thermostat(is_broken=True)
    invoker = thermostat.invoker(mapper)
    first = invoker.replies(said("get_current_temperature"))[0]
    again = invoker.replies(said("get_current_temperature", id_="call_2"))[0]  # T17
    thermostat.is_broken = False
    told = invoker.replies(said("get_current_temperature", id_="call_3"))[0]
    done = invoker.replies(said("set_current_temperature", '{"temperature": 75}', "call_4"))[0]
    ids = [reply.tool_call_id for reply in (first, again, told, done)]
    assert ids == [CALL_ID, "call_2", "call_3", "call_4"]
    assert (told.content, done.content, thermostat.temperature) == ("70", "75", 75)  # T2
    assert again.failure.is_repeated
    assert again.content.endswith(" (failed 2 times with these arguments)")
    levels = [record.levelname for record in caplog.records]
    assert levels == ["ERROR", "ERROR", "INFO", "INFO"]  # T10
    assert caplog.records[3].getMessage() == 'replies - "set_current_temperature" returned "75"'


def test_the_two_entry_points() -> None:
    """T4, and the log of the seed by its text."""
    assert list(inspect.signature(invoke_no_args).parameters)[:2] == ["function", "name"]
    taken = list(inspect.signature(invoke_with_args).parameters)
    assert taken[:3] == ["function", "arguments", "name"]
    broken = Thermostat(is_broken=True)
    get = broken.get_current_temperature
    told = invoke_no_args(get, "get_current_temperature", mapper=plain_mapper)
    assert told == "Error during 'get_current_temperature' ToolError(\"Unknown error\")"
    assert invoke_with_args(broken.set_current_temperature, '{"temperature": 75}', "set") == "75"
