"""Type hints judge and decode arguments without a catalog; what tools give is encoded; all mistakes are told."""

import asyncio
import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr
from tests.depth import examples
from tool_functions import fails

from declaring import called
from refract_asp.errors import BadOutputError, ToolError
from refract_asp.runtime import Invoker, bind, invoke_no_args, invoke_with_args, run
from refract_asp.runtime.arguments import MAX_ERROR, MAX_ERRORS
from refract_asp.runtime.replies import default_mapper, plain_mapper


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Stay:
    city: str
    nights: int = 1


class Room(BaseModel):
    number: int
    note: SecretStr = SecretStr("")


DAY, ID = datetime.date(2024, 8, 15), uuid.UUID(int=1)
NOON = datetime.datetime(2024, 8, 15, 12)

# a hint, what a model gives, and what the function gets
TAKEN: list[tuple[Any, Any, Any]] = [
    (int, 75, 75), (int, 75.0, 75), (float, 75, 75), (float, 1.5, 1.5), (bool, True, True), (str, "a", "a"),
    (Literal["a", "b"], "b", "b"), (Colour, "red", Colour.RED), (Stay, {"city": "Rome"}, Stay("Rome")),
    (Room, {"number": 3}, Room(number=3)), (datetime.date, "2024-08-15", DAY), (uuid.UUID, str(ID), ID),
    (datetime.datetime, "2024-08-15T12:00:00", NOON), (decimal.Decimal, "1.5", decimal.Decimal("1.5")),
    (set[int], [1, 2.0], {1, 2}), (tuple[int, ...], [1, 2], (1, 2)), (Path, "/a", Path("/a")),
    (int | None, None, None),
    (list[Stay], [{"city": "Rome", "nights": 2}], [Stay("Rome", 2)]), (dict[str, int], {"a": 1}, {"a": 1}),
    (Annotated[int, Field(ge=1)], 1, 1), (Any, {"a": [1.0]}, {"a": [1.0]}), ("NotThere", "x", "x"), (object, 1, 1),
    (subprocess.Popen, "no hint of data", "no hint of data"),
]  # fmt: skip
REFUSED: list[tuple[Any, Any]] = [
    (int, "75"), (int, None), (int, True), (int, 75.5), (int, "hot"), (float, "1"), (bool, 1), (str, 1),
    (Literal["a", "b"], "c"), (Colour, "RED"), (Stay, {"city": 1}), (Stay, {}), (Room, {"number": "x"}),
    (datetime.date, "tomorrow"), (datetime.datetime, 5), (uuid.UUID, "1"), (set[int], "12"), (list[int], {"a": 1}),
    (Annotated[int, Field(ge=1)], 0), (int | None, "1"), (list[Stay], [{"city": "Rome", "nights": "2"}]),
]  # fmt: skip


def taking(hint: Any, found: list[Any]) -> Any:
    def tool(given: Any, other: int = 0) -> str:
        found.append(given)
        return "called"

    tool.__annotations__["given"] = hint
    return tool


@pytest.mark.parametrize(("hint", "given", "wanted"), TAKEN, ids=lambda each: str(each)[:40])
def test_what_fits_a_hint_is_decoded(hint: Any, given: Any, wanted: Any) -> None:
    for as_plan in (False, True):
        found: list[Any] = []
        tool = taking(hint, found)
        if as_plan:
            call = {"name": "f", "arguments": {"given": given}}
            assert run([call], {"f": tool}).result == "called"
        else:
            assert invoke_with_args(tool, json.dumps({"given": given}), "f") == "called"
        assert (found, type(found[0])) == ([wanted], type(wanted))


@pytest.mark.parametrize(("hint", "given"), REFUSED, ids=lambda each: str(each)[:40])
def test_what_does_not_fit_a_hint_is_never_called(hint: Any, given: Any) -> None:
    found: list[Any] = []
    reply = Invoker({"f": taking(hint, found)}).reply({"name": "f", "arguments": {"given": given}})
    assert (reply.failure.kind, found, "given" in reply.content) == ("bad_argument", [], True)


def test_defaults_and_other_shapes_of_functions() -> None:
    def filled(a: int = Field(5, ge=1), b: str = None) -> str:  # type: ignore[assignment]  # noqa: RUF013
        return f"{a} {b}"

    def whole(stay: Stay) -> str:
        return f"{stay.city} {stay.nights}"

    class Tool:
        def __call__(self, city: str, *more: int, **rest: int) -> str:
            return f"{city} {more} {rest}"

    said = [
        (filled, "{}", "5 None"),
        (filled, '{"a": 2, "b": null}', "2 None"),
        (whole, '{"city": "Rome", "nights": 2.0}', "Rome 2"),
        (whole, '{"stay": {"city": "Rome"}}', "Rome 1"),
        (Tool(), '{"city": "Rome", "x": "any"}', "Rome () {'x': 'any'}"),
        (lambda a, b=2: a + b, '{"a": 1.5}', "3.5"),
    ]
    for function, passed, text in said:
        assert invoke_with_args(function, passed, "f") == text
    refused = [
        (filled, '{"a": 0}', "a: Input should be greater than or equal to 1."),
        (whole, '{"city": "R", "night": 2}', "there is no parameter night. Did you mean 'nights'?"),
        (whole, '{"nights": 2}', "f requires city."),
    ]
    for function, passed, text in refused:
        assert invoke_with_args(function, passed, "f").endswith(text)


def book(hotel: str, room: str, nights: int, breakfast: bool, guests: int) -> str:
    raise AssertionError("nobody calls it")


MISTAKES = '{"hotl": "a", "romm": "b", "nights": "three", "breakfast": "yes"}'


@pytest.mark.parametrize("catalog", [None, [book]])
@pytest.mark.parametrize("mapper", [None, plain_mapper])
def test_all_mistakes_of_a_call_are_told(catalog: Any, mapper: Any) -> None:
    options = {} if mapper is None else {"mapper": mapper}
    told = invoke_with_args(book, MISTAKES, "book", catalog=catalog, **options)
    for word in ("hotl", "hotel", "romm", "room", "nights", "breakfast", "guests"):
        assert word in told
    given = {f"p{n}" * 20: n for n in range(500)}
    many = invoke_with_args(book, given, "book", catalog=catalog, **options)
    assert 500 < len(many) <= MAX_ERRORS


# -- what tools give -------------------------------------------------------------------


def endless() -> Iterator[int]:
    yield from itertools.count()


GIVEN: list[tuple[Any, str]] = [
    (Room(number=3), '{"number": 3, "note": ""}'), (Stay("Rome"), '{"city": "Rome", "nights": 1}'),
    (NOON, "2024-08-15T12:00:00"), (DAY, "2024-08-15"), (decimal.Decimal("1.50"), "1.50"), (Colour.RED, "red"),
    (ID, str(ID)), (Path("/a"), "/a"), ({1}, "[1]"), ({1: Stay("Rome")}, '{"1": {"city": "Rome", "nights": 1}}'),
    ([(n for n in range(3))], "[[0, 1, 2]]"), (b"abc", "abc"),
    ("70", "70"), ("", ""), ("two\nlines \x1b[31m", "two\nlines \x1b[31m"), (None, "null"), (70, "70"),
    (True, "true"), ({"ort": "Köln", "list": [1, None]}, '{"ort": "Köln", "list": [1, null]}'),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), GIVEN, ids=lambda each: str(each)[:30])
def test_what_tools_give_is_told_as_a_text(value: Any, text: str) -> None:
    if not isinstance(value, list):
        assert run("f()", {"f": lambda: value}).replies[0].content == text
    assert invoke_no_args(lambda: value, "f") == text


def itself() -> Any:
    return itself


BAD: dict[str, Any] = {
    "nan": lambda: float("nan"), "itself": itself, "a file": lambda: sys.stdin, "endless": endless,
    "lost": lambda: {1: "a", "1": "b"}, "inside": lambda: {"a": [{"b": object()}]}, "half": lambda: b"\xff",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_tool_that_ran_is_not_told_as_one_that_failed(name: str) -> None:
    reply = Invoker({"f": BAD[name]}).reply({"name": "f", "arguments": {}})
    assert (reply.failure.kind, type(reply.failure.error)) == ("bad_output", BadOutputError)
    assert "it ran, but what it gave is no JSON value" in reply.content
    done = run("f()", {"f": bind(BAD[name], idempotent=True)}, retries=3)
    assert done.outcomes[0].attempts == 1  # it would do again what it does


def test_whoever_calls_says_how_values_are_encoded() -> None:
    def own(value: Any) -> Any:
        return repr(value)

    call = {"name": "endless", "arguments": {}}
    for tools, options in (([endless], {"encode": own}), ([bind(endless, encode=own)], {})):
        assert Invoker(tools, **options).reply(call).content.startswith("<generator")
        assert run([call], tools, **options).result.startswith("<generator")
    failing = Invoker([endless], encode=lambda value: value).reply(call)
    assert failing.failure.kind == "bad_output"


# -- what is told -----------------------------------------------------------------------


class NoCityError(ToolError):
    pass


@pytest.mark.parametrize("kind", [ToolError, NoCityError])
def test_one_exception_reaches_the_model(kind: type[ToolError]) -> None:
    def find(city: str) -> str:
        raise kind(f"There is no city {city}.", hint="Did you mean Rome?")

    call = {"name": "find", "arguments": {"city": "Rmoe"}}
    for tool in (find, bind(find, isolation="thread")):
        for reply in (Invoker({"find": tool}).reply(call), run([call], {"find": tool}).replies[0]):
            assert reply.failure.kind == "tool_failed"
            assert reply.content.endswith("failed: There is no city Rmoe. Did you mean Rome?")

    def breaks() -> None:
        raise ValueError("the disk is full")

    assert "disk" not in invoke_no_args(breaks, "breaks")


CUTTING: list[Any] = [lambda error, _, end=end: f"{error.__cause__}"[:end] for end in (None, 30)]


@pytest.mark.parametrize("mapper", [plain_mapper, *CUTTING])
def test_secrets_stand_in_no_reply(mapper: Any) -> None:
    def log_in(user: str, password: str, nested: dict[str, Any]) -> str:
        raise ValueError(f"{password} {nested['api_key']} " * 40)

    given = {"user": "ada", "password": "hunter2hunter2", "nested": {"api_key": "sk-1234567890"}}
    call = {"name": "log_in", "arguments": given}
    told = [
        invoke_with_args(log_in, given, "log_in", mapper=mapper),
        run([call], [log_in], mapper=mapper).replies[0].content,
        Invoker([log_in], mapper=mapper, secrets=lambda *_: True).reply(call).content,
    ]
    for text in told:
        assert ("hunter2h" in text, "sk-12345" in text, "(secret)" in text) == (False, False, True)


def test_no_solver_is_loaded_before_a_catalog_is_given() -> None:
    program = """
import sys
from refract_asp.runtime import Invoker, invoke_with_args, run
assert invoke_with_args(lambda x: x, {"x": 1}, "f") == "1"
assert run("a = f(x=1)", {"f": lambda x: x}).result == 1
assert Invoker({"f": lambda x: x}).reply({"name": "f", "arguments": {"x": 1}}).content == "1"
assert not any(name.split(".")[0] == "clingo" for name in sys.modules)
assert not any(name.startswith("refract_asp.rules.") and "likeness" not in name for name in sys.modules)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# -- properties ------------------------------------------------------------------------


TEXTS = st.text(st.characters(), max_size=300)


class Odd(BaseException):
    """Says something odd, or raises when it is asked."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def __str__(self) -> str:
        if isinstance(self.said, BaseException):
            raise self.said
        return self.said

    def __repr__(self) -> str:
        raise self


TYPES = st.sampled_from([ValueError, KeyError, StopIteration, SystemExit, asyncio.CancelledError])
PLAIN = st.builds(lambda kind, text: kind(text), TYPES, TEXTS)
ODD = st.builds(Odd, PLAIN | TEXTS | st.integers())
INNER = st.lists(PLAIN | ODD, min_size=1, max_size=3)
ERRORS = PLAIN | ODD | st.builds(BaseExceptionGroup, TEXTS, INNER)


BOTH, MAPPERS = st.booleans(), st.sampled_from([default_mapper, plain_mapper])


@given(ERRORS, BOTH, BOTH, MAPPERS, st.text(min_size=1))
@settings(max_examples=examples(60))
def test_any_exception_gives_one_reply(
    error: BaseException, is_async: bool, is_apart: bool, mapper: Any, name: str
) -> None:
    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    tool = bind(fail_later if is_async else fail, isolation="thread" if is_apart else "none")
    invoker = Invoker({name: tool}, mapper=mapper)
    call = called(name, "{}", "x1")
    for [reply] in (invoker.replies([call]), asyncio.run(invoker.replies_async([call]))):
        assert (reply.tool_call_id, reply.role, reply.name) == ("x1", "tool", name)
        assert (reply.failure.kind, reply.failure.error.__cause__ is None) == ("tool_failed", False)
        assert 0 < len(reply.content) <= MAX_ERROR
        assert reply.content.isprintable()


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=8)
def test_any_text_from_a_process(text: str) -> None:
    tool = bind(fails, isolation="process")
    reply = invoke_with_args(tool, {"text": text}, "fails", mapper=plain_mapper)
    assert (reply.startswith("Error during 'fails' "), len(reply) <= MAX_ERROR) == (True, True)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.binary() | st.builds(object),
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS | st.integers(), inner),
    max_leaves=5,
)  # fmt: skip


@given(VALUES)
@settings(max_examples=examples(100))
def test_any_arguments_give_one_reply(arguments: Any) -> None:
    reply = invoke_with_args(lambda **given: "called", arguments, "get")
    assert reply == "called" or (reply.startswith("Error ") and len(reply) <= MAX_ERROR)
