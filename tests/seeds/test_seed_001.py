"""
Seed 001: hardened tool calls, row by row (T1-T17), with the thermostat whose tool fails.

A model asks for the temperature, the tool fails, the model asks once more under another id, and tells the
user; then it is told the temperature, and sets another one.
"""

import inspect
import json
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from refract_asp import Catalog
from refract_asp.errors import ToolError as LibraryError
from refract_asp.resources import catalog_path
from refract_asp.runtime.invoker import Invoker, invoke_no_args, invoke_with_args
from refract_asp.runtime.replies import Mapper, default_mapper, plain_mapper

CALL_ID = "call_ywbGVQOtc4J5RvAkGFvuw1qU"
THERMOSTAT = Catalog.load(catalog_path("thermostat"))


class ToolError(Exception):
    """The error of the functions, as the seed names it."""


class Thermostat:
    """The tools of the seed, which may be broken."""

    def __init__(self, temperature: int = 70, *, is_broken: bool = False) -> None:
        self.temperature = temperature
        self.is_broken = is_broken
        self.calls: list[str] = []

    def get_current_temperature(self) -> str:
        self.calls.append("get")
        if self.is_broken:
            raise ToolError("Unknown error")
        return str(self.temperature)

    def set_current_temperature(self, temperature: int) -> str:
        self.calls.append("set")
        self.temperature = temperature
        return str(temperature)

    def invoker(self, mapper: Mapper = plain_mapper) -> Invoker:
        return Invoker(
            [self.get_current_temperature, self.set_current_temperature], THERMOSTAT, mapper=mapper
        )


def message(name: str, arguments: str | None = "{}", id_: str = CALL_ID) -> dict[str, Any]:
    """Return what the model says."""
    call = {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def test_the_reply_of_the_seed_key_for_key() -> None:
    [reply] = Thermostat(is_broken=True).invoker().replies(message("get_current_temperature"))
    assert reply.to_dict() == json.loads(
        r"""
        {
            "content": "Error during 'get_current_temperature' ToolError(\"Unknown error\")",
            "name": "get_current_temperature",
            "role": "tool",
            "tool_call_id": "call_ywbGVQOtc4J5RvAkGFvuw1qU"
        }
        """
    )


def test_the_reply_by_the_default_mapper(caplog: pytest.LogCaptureFixture) -> None:
    [reply] = (
        Thermostat(is_broken=True)
        .invoker(default_mapper)
        .replies(message("get_current_temperature"))
    )
    found = re.fullmatch(r"Error (\w{8}): get_current_temperature tool_call failed", reply.content)
    assert found
    assert [record.refract_error_id for record in caplog.records] == [found[1]]  # T13
    assert 'raise ToolError("Unknown error")' in caplog.text  # T11: the log has all of it
    assert "Unknown" not in reply.content
    assert "Traceback" not in reply.content


@pytest.mark.parametrize("mapper", [plain_mapper, default_mapper])
def test_the_whole_dialogue(mapper: Mapper, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    thermostat = Thermostat(is_broken=True)
    invoker = thermostat.invoker(mapper)
    first = invoker.replies(message("get_current_temperature"))[0]
    again = invoker.replies(message("get_current_temperature", id_="call_2"))[0]  # T17
    thermostat.is_broken = False
    told = invoker.replies(message("get_current_temperature", id_="call_3"))[0]
    done = invoker.replies(message("set_current_temperature", '{"temperature": 75}', "call_4"))[0]
    assert [reply.tool_call_id for reply in (first, again, told, done)] == [
        CALL_ID, "call_2", "call_3", "call_4"
    ]  # fmt: skip
    assert (told.content, done.content, thermostat.temperature) == ("70", "75", 75)  # T2
    assert again.failure.is_repeated
    assert again.content.endswith(" (failed 2 times with these arguments)")
    assert [record.levelname for record in caplog.records] == [
        "ERROR",
        "ERROR",
        "INFO",
        "INFO",
    ]  # T10
    assert caplog.records[3].getMessage() == 'replies - "set_current_temperature" returned "75"'


def test_the_two_entry_points() -> None:
    """T4, and the log of the seed by its text."""
    assert list(inspect.signature(invoke_no_args).parameters)[:2] == ["function", "name"]
    assert list(inspect.signature(invoke_with_args).parameters)[:3] == [
        "function",
        "arguments",
        "name",
    ]
    broken = Thermostat(is_broken=True)
    told = invoke_no_args(
        broken.get_current_temperature, "get_current_temperature", mapper=plain_mapper
    )
    assert told == "Error during 'get_current_temperature' ToolError(\"Unknown error\")"
    assert invoke_with_args(broken.set_current_temperature, '{"temperature": 75}', "set") == "75"


def test_the_log_of_the_seed(caplog: pytest.LogCaptureFixture) -> None:
    invoke_no_args(Thermostat(is_broken=True).get_current_temperature, "get_current_temperature")
    [record] = caplog.records
    said = 'invoke_no_args - "get_current_temperature" errored with ToolError("Unknown error")'
    assert record.getMessage().startswith(said)
    assert record.refract_entry == "invoke_no_args"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (None, "missing_arguments"),  # T5
        ("{}", "bad_argument"),  # T6
        ('{"temperature": "hot"}', "bad_argument"),
        ('{"temperature": 75', "malformed_arguments"),
    ],
)
def test_nothing_is_called_where_a_stage_before_fails(arguments: str | None, kind: str) -> None:
    thermostat = Thermostat()
    reply = thermostat.invoker().replies(message("set_current_temperature", arguments))[0]
    assert reply.failure.kind == kind
    assert isinstance(reply.failure.error, LibraryError)  # T15
    assert thermostat.calls == []  # T8


def test_the_kinds_of_the_entry_point_without_a_catalog() -> None:
    def kind_of(arguments: Any, function: Callable[..., Any]) -> str:
        kinds: list[str] = []

        def mapper(error: LibraryError, failure: Any) -> str:
            kinds.append(failure.kind)
            return "mapped"

        assert invoke_with_args(function, arguments, "set", mapper=mapper) == "mapped"  # T12
        return kinds[0]

    thermostat = Thermostat(is_broken=True)
    assert kind_of(None, thermostat.set_current_temperature) == "missing_arguments"
    assert kind_of({}, thermostat.set_current_temperature) == "bad_argument"
    assert kind_of({}, thermostat.get_current_temperature) == "tool_failed"  # T7
