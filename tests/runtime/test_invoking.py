"""The bottleneck: every call is answered by one text, the log gets the rest, one id ties them."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from refract_asp import Sequence
from refract_asp.errors import InputError, ToolError, ToolFailedError, UnknownToolError
from refract_asp.model import Ask, Call, Constant
from refract_asp.model.sequence import ConfirmTool
from refract_asp.runtime import run
from refract_asp.runtime.invoker import ArgumentCheck
from refract_asp.runtime.failures import MAX_ERROR, Failure, Repeats, Reply, plain_mapper, text_of
from refract_asp.runtime.invoker import (
    Invoker,
    invoke,
    invoke_async,
    invoke_no_args,
    invoke_no_args_async,
    invoke_with_args,
    invoke_with_args_async,
)
from refract_asp.runtime.tools import bind
from waiting import PATIENCE, run_timeless

ID = r"[2-9A-HJKMNP-Z]{8}"
CATALOG = {
    "tools": [
        {
            "name": "get_weather",
            "effect": "read",
            "parameters": {
                "city": {"type": "string", "required": True, "minLength": 1},
                "days": {"type": "integer", "minimum": 1},
                "units": {"type": "string", "enum": ["metric", "imperial"]},
            },
        },
        {
            "name": "log_in",
            "effect": "read",
            "parameters": {
                "user": {"type": "string", "required": True},
                "password": {"type": "string"},
                "note": {"type": "string", "format": "password"},
            },
            "returns": {"user": {"type": "string"}, "seal": {"type": "string", "writeOnly": True}},
        },
    ]
}


class Counted:
    """A tool that counts its calls."""

    def __init__(
        self, work: Callable[..., Any] = lambda **given: f"cloudy in {given.get('city')}"
    ) -> None:
        self.count = 0
        self.work = work
        self.__name__ = "get_weather"

    def __call__(self, **given: Any) -> Any:
        self.count += 1
        return self.work(**given)


def fails(**given: Any) -> Any:
    raise ValueError("the disk is full: /var/secret/path")


def openai(name: str, arguments: Any, id_: str = "call_1") -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def kinds(replies: list[Reply]) -> list[str | None]:
    return [reply.failure.kind if reply.failure else None for reply in replies]


# -- stages --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (openai("get_weather", None), "missing_arguments", "the arguments are missing"),
        (
            {"id": "c", "type": "function", "function": {"name": "get_weather"}},
            "missing_arguments",
            "missing",
        ),
        (openai("get_weather", "{}"), "bad_argument", "city"),
        (openai("get_weather", ""), "bad_argument", "city"),
        (openai("get_weather", '{"city": "Rom'), "malformed_arguments", "cut off"),
        (openai("get_weather", '{"city": NaN}'), "malformed_arguments", "NaN"),
        (openai("get_weather", "[1]"), "malformed_arguments", "object"),
        (openai("get_wether", '{"city": "Rome"}'), "unknown_tool", "Did you mean get_weather?"),
        (
            openai("get_wether", '{"city": '),
            "malformed_arguments",
            "cut off",
        ),  # the first failure wins
        (openai("get_weather", '{"city": 3}'), "bad_argument", "city should be string, not 3"),
        (openai("get_weather", '{"cty": "Rome"}'), "bad_argument", "Change cty to city"),
        (openai("get_weather", '{"city": "$var1.name$"}'), "bad_argument", "reads $var1.name$"),
        (
            Call(name="get_weather", arguments={"city": Ask(name="which")}),
            "bad_argument",
            "has to be asked",
        ),
        (
            Call(
                name="get_weather",
                arguments={"city": Constant(value="Rome")},
                confirms=(ConfirmTool(),),
            ),
            "bad_argument",
            "has to be confirmed",
        ),
        (Call(name="get_weather", malformed="it was cut"), "malformed_arguments", "it was cut"),
        ("get_weather(", "malformed_arguments", ""),
        (None, "malformed_arguments", ""),
        (object(), "malformed_arguments", ""),
        ([], "malformed_arguments", "one call is needed"),
    ],
)
def test_the_first_stage_that_fails_ends_the_call(call: Any, kind: str, said: str) -> None:
    tool = Counted()
    reply = Invoker([tool], CATALOG).reply(call)
    assert reply.failure is not None
    assert reply.failure.kind == reply.failure.error.kind == kind
    assert isinstance(reply.failure.error, ToolError)
    assert said in reply.content
    assert len(reply.content) <= MAX_ERROR
    assert reply.tool_call_id
    assert tool.count == 0
    assert asyncio.run(Invoker([tool], CATALOG).reply_async(call)).failure.kind == kind
    assert tool.count == 0


@pytest.mark.parametrize(
    "arguments",
    [
        '{"city": "Rome"}',
        "{'city': 'Rome',}",
        {"city": "Rome"},
        '{"city": "Rome", "days": 3, "units": "metric"}',
    ],
)
def test_what_fits_is_called(arguments: Any) -> None:
    tool = Counted()
    reply = Invoker([tool], CATALOG).reply(openai("get_weather", arguments))
    assert (reply.content, reply.value, reply.is_error) == (
        "cloudy in Rome",
        "cloudy in Rome",
        False,
    )
    assert tool.count == 1


def test_without_a_catalog_the_signature_decides() -> None:
    def get_weather(city: str, /, days: int = 1) -> str:
        return f"{city} {days}"

    invoker = Invoker([get_weather])
    assert "positional" in invoker.reply(openai("get_weather", '{"city": "Rome"}')).content
    assert invoker.reply('get_weather("Rome", days=2)').content == "Rome 2"
    reply = invoker.reply(openai("get_weather", '{"dys": 1}'))
    assert reply.failure.kind == "bad_argument"
    assert isinstance(reply.failure.error.__cause__, TypeError)
    assert invoke_with_args(max, '{"a": 1}', "max").startswith("Error")  # in C, without a signature


def test_a_type_error_inside_the_tool_is_its_own() -> None:
    reply = Invoker({"get": lambda: 1 + "a"}).reply(Call(name="get"))
    assert reply.failure.kind == "tool_failed"


class Wanted(BaseModel):
    temperature: int = Field(ge=0)


def test_a_model_as_the_only_parameter() -> None:
    def heat(wanted: Wanted) -> str:
        return f"set to {wanted.temperature}"

    assert invoke_with_args(heat, '{"temperature": "75"}', "heat") == "set to 75"
    text = invoke_with_args(heat, "{}", "heat")
    assert re.fullmatch(rf"Error {ID}: heat tool_call failed: temperature: Field required\.", text)
    reply = Invoker([heat]).reply({"name": "heat", "arguments": {"temperature": -1}})
    assert reply.failure.kind == "bad_argument"
    assert type(reply.failure.error.__cause__).__name__ == "ValidationError"


def test_arguments_by_position_get_the_names_of_the_catalog() -> None:
    assert Invoker([Counted()], CATALOG).reply('get_weather("Rome")').content == "cloudy in Rome"


def test_a_tool_that_the_catalog_does_not_have() -> None:
    assert Invoker({"other": lambda a: a}, CATALOG).reply("other(a=1)").content == "1"


def test_check_and_the_fast_test_agree() -> None:
    check = ArgumentCheck(CATALOG)
    for arguments in (
        {},
        {"city": "Rome"},
        {"city": ""},
        {"city": "Rome", "days": 0},
        {"city": "Rome", "days": 2.0},
        {"city": "Rome", "units": "metric", "x": 1},
        {"city": None},
    ):
        assert check.fits("get_weather", arguments) is not bool(
            check.diagnostics("get_weather", arguments)
        )
        assert check.fits("get_weather", arguments) is (
            check.error("get_weather", arguments) is None
        )


# -- texts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("70", "70"),
        ("", ""),
        ("two\nlines \x1b[31m", "two\nlines \x1b[31m"),
        (None, "null"),
        (70, "70"),
        (True, "true"),
        ({"ort": "Köln", "list": [1, None]}, '{"ort": "Köln", "list": [1, null]}'),
    ],
)
def test_what_a_tool_gives_as_a_text(value: Any, text: str) -> None:
    assert Invoker({"get": lambda: value}).reply(Call(name="get")).content == text


def test_a_long_reply_is_cut_and_says_so() -> None:
    invoker = Invoker({"get": lambda n: "x" * n}, max_reply=100)
    assert invoker.reply("get(n=100)").content == "x" * 100
    cut = invoker.reply("get(n=101)")
    assert len(cut.content) == 99
    assert cut.content.endswith(" [cut: the first 61 of 101 characters]")
    assert len(cut.value) == 101
    for total in (101, 999, 10_000, 123_456):
        text = text_of("x" * total, 100)
        kept = text.count("x")
        assert text == "x" * kept + f" [cut: the first {kept} of {total} characters]"
        assert 98 <= len(text) <= 100


# -- errors --------------------------------------------------------------------


def test_the_default_mapper_tells_an_id_and_nothing_of_the_exception() -> None:
    reply = Invoker({"get": fails}).reply(Call(name="get"))
    assert re.fullmatch(rf"Error {ID}: get tool_call failed", reply.content)
    assert reply.failure.id in reply.content
    ended = threading.Event()
    late = Invoker({"get": lambda: ended.wait(PATIENCE)}, timeout=0.01).reply(Call(name="get"))
    ended.set()
    assert re.fullmatch(rf"Error {ID}: get tool_call failed \(timeout\)", late.content)
    assert late.failure.kind == "timeout"


def test_the_plain_mapper_tells_what_was_raised() -> None:
    invoker = Invoker({"get": fails}, mapper=plain_mapper)
    wanted = "Error during 'get' ValueError(\"the disk is full: /var/secret/path\")"
    assert invoker.reply(Call(name="get")).content == wanted
    none = invoke_with_args(fails, None, "get", mapper=plain_mapper)
    assert none.startswith("Error during 'get' MissingArgumentsError(")


@pytest.mark.parametrize("text", ["x" * 500, '"' * 500, "\\" * 90, "two\nlines\x1b[31m" * 50, ""])
def test_the_plain_mapper_stays_whole(text: str) -> None:
    def fail() -> None:
        raise ValueError(text)

    reply = invoke_no_args(fail, "n" * 300, mapper=plain_mapper)
    assert len(reply) <= MAX_ERROR
    assert reply.isprintable()
    inside = re.fullmatch(r"Error during 'n{60}\.\.\.' ValueError\((\".*\")\)", reply)
    assert inside
    json.loads(inside[1])


@pytest.mark.parametrize(
    "mapper",
    [
        lambda error, failure: None,
        lambda error, failure: "",
        lambda error, failure: " \u202e",
        lambda error, failure: 1 / 0,
        lambda error: "too few parameters",
        lambda error, failure: exit(3),
    ],
)
def test_a_mapper_that_fails_is_replaced(mapper: Any, caplog: pytest.LogCaptureFixture) -> None:
    reply = Invoker({"get": fails}, mapper=mapper).reply(Call(name="get"))
    assert re.fullmatch(rf"Error {ID}: get tool_call failed", reply.content)
    assert ["errored" in record.getMessage() for record in caplog.records] == [True, False]
    assert "the mapper of errors failed" in caplog.records[1].getMessage()
    assert caplog.records[1].refract_error_id == reply.failure.id


def test_a_mapper_of_ones_own() -> None:
    def mapper(error: ToolError, failure: Failure) -> str:
        return f"{error.tool}/{failure.kind}/{type(error.__cause__).__name__}\n{'x' * 500}"

    reply = Invoker({"get": fails}, mapper=mapper).reply(Call(name="get"))
    assert reply.content.startswith("get/tool_failed/ValueError xxx")
    assert len(reply.content) <= MAX_ERROR


@pytest.mark.slow
def test_ids_are_short_and_each_its_own() -> None:
    invoker = Invoker({"get": fails})
    ids = {invoker.reply(Call(name="get")).failure.id for _ in range(200)}
    assert len(ids) == 200
    assert all(re.fullmatch(ID, each) for each in ids)


def test_a_failure_again_is_recognised(caplog: pytest.LogCaptureFixture) -> None:
    invoker = Invoker({"get": fails, "other": fails}, mapper=lambda error, failure: "x" * 300)
    calls = ["get(a=1, b=2)", "get(b=2, a=1)", "get(a=2)", "other(a=1, b=2)", "get(a=1, b=2)"]
    replies = [invoker.reply(call) for call in calls]
    assert [reply.failure.times for reply in replies] == [1, 2, 1, 1, 3]
    assert [reply.failure.is_repeated for reply in replies] == [False, True, False, False, True]
    assert [record.refract_repeated for record in caplog.records] == [0, 1, 0, 0, 2]
    assert replies[4].content.endswith("... (failed 3 times with these arguments)")
    assert replies[0].content.endswith("x...")
    assert all(len(reply.content) <= MAX_ERROR for reply in replies)
    assert "3 times" in caplog.records[4].getMessage()


def test_a_malformed_call_again_under_another_id() -> None:
    invoker = Invoker({"get": fails})
    for times, (text, id_) in enumerate([("{", "1"), ("{", "2"), ("{", "3")], 1):
        assert invoker.reply(openai("get", text, id_)).failure.times == times
    assert invoker.reply(openai("get", "{{", "4")).failure.times == 1


def test_what_is_remembered_is_bounded() -> None:
    repeats = Repeats(most=2)
    assert [repeats.count("get", each) for each in (1, 2, 3, 1, object, float("nan"))] == [1] * 6
    assert len(repeats._times) == 2


def test_errors_of_elsewhere_are_wrapped() -> None:
    def raises_ours() -> None:
        raise UnknownToolError("of the tool itself")

    for function in (fails, raises_ours):
        failure = Invoker({"get": function}).reply(Call(name="get")).failure
        assert type(failure.error) is ToolFailedError
        assert failure.error.__cause__ is not None


# -- several calls -------------------------------------------------------------


FORMATS: dict[str, Any] = {
    "openai": [openai("add", '{"a": 1}', "x1"), openai("add", "{", "x2"), openai("ad", "{}", "x3")],
    "message": {
        "role": "assistant",
        "tool_calls": [
            openai("add", '{"a": 1}', "x1"),
            openai("add", "{", "x2"),
            openai("ad", "{}", "x3"),
        ],
    },
    "anthropic": [
        {"type": "tool_use", "id": "x1", "name": "add", "input": {"a": 1}},
        {"type": "tool_use", "id": "x2", "name": "add", "input": "cut"},
        {"type": "tool_use", "id": "x3", "name": "ad", "input": {}},
    ],
    "mcp": [
        {
            "jsonrpc": "2.0",
            "id": "x1",
            "method": "tools/call",
            "params": {"name": "add", "arguments": {"a": 1}},
        },
        {
            "jsonrpc": "2.0",
            "id": "x2",
            "method": "tools/call",
            "params": {"name": "add", "arguments": []},
        },
        {"jsonrpc": "2.0", "id": "x3", "method": "tools/call", "params": {"name": "ad"}},
    ],
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_call_gets_its_own_reply_in_order(name: str) -> None:
    invoker = Invoker({"add": lambda a: a + 1})
    for replies in (
        invoker.replies(FORMATS[name]),
        asyncio.run(invoker.replies_async(FORMATS[name])),
    ):
        assert [reply.tool_call_id for reply in replies] == ["x1", "x2", "x3"]
        assert kinds(replies) == [None, "malformed_arguments", "unknown_tool"]
        assert [reply.role for reply in replies] == ["tool"] * 3
        assert replies[0].content == "2"


def test_calls_without_ids_get_ids(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    replies = Invoker({"add": lambda a: a + 1}).replies("add(a=1)\nadd(a=2)")
    assert len({reply.tool_call_id for reply in replies}) == 2
    assert [record.refract_call_id for record in caplog.records] == [
        reply.tool_call_id for reply in replies
    ]


class Function(BaseModel):
    name: str
    arguments: str


class ToolCall(BaseModel):
    id: str
    type: str = "function"
    function: Function


def test_objects_of_a_providers_library() -> None:
    calls = [ToolCall(id="x1", function=Function(name="add", arguments='{"a": 1}'))]
    assert Invoker({"add": lambda a: a + 1}).replies(calls)[0].to_dict() == {
        "role": "tool",
        "tool_call_id": "x1",
        "name": "add",
        "content": "2",
    }


@pytest.mark.parametrize(
    "data", ["add(", {"a": 1}, 3, None, object(), [object()], b"x", float("nan")]
)
def test_what_cannot_be_read_gets_one_reply(data: Any) -> None:
    replies = Invoker({"add": lambda a: a}).replies(data)
    assert kinds(replies) == ["malformed_arguments"]


def test_no_calls_get_no_replies() -> None:
    assert Invoker({}).replies([]) == []
    assert asyncio.run(Invoker({}).replies_async(Sequence())) == []


def test_several_calls_run_at_once_up_to_a_limit() -> None:
    now = most = 0

    async def work(a: int) -> int:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.005 * (4 - a % 4))
        now -= 1
        return a

    calls = [Call(name="work", arguments={"a": Constant(value=number)}) for number in range(12)]
    replies = asyncio.run(Invoker({"work": work}, limit=3).replies_async(calls))
    assert [reply.value for reply in replies] == list(range(12))
    assert most == 3


def test_a_tool_that_cancels_itself_has_failed() -> None:
    async def give_up() -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return "lost"

    reply = asyncio.run(Invoker([give_up]).reply_async("give_up()"))
    assert reply.failure is not None
    assert reply.failure.kind == "tool_failed"


def test_a_cancellation_from_outside_comes_out() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.sleep(5)
        finally:
            ended.append(1)

    async def main() -> None:
        async with asyncio.timeout(3):
            await Invoker({"work": work}).replies_async([Call(name="work")] * 3)

    with pytest.raises(TimeoutError):
        run_timeless(main())
    assert ended == [1, 1, 1]


def test_from_several_threads() -> None:
    invoker = Invoker({"get": fails}, CATALOG)
    times: list[int] = []

    def work() -> None:
        times.extend(invoker.reply("get(a=1)").failure.times for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(times) == list(range(1, 101))


# -- functions -----------------------------------------------------------------


def test_the_entry_points_and_their_twins(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def add(a: int = 0) -> int:
        return a + 1

    assert invoke_no_args(add, "add") == "1"
    assert invoke_with_args(add, {"a": 1}, "add") == "2"
    assert invoke(openai("add", '{"a": 2}'), [add]) == "3"
    assert asyncio.run(invoke_no_args_async(add, "add")) == "1"
    assert asyncio.run(invoke_with_args_async(bind(add), '{"a": 1}', "add")) == "2"
    assert asyncio.run(invoke_async(openai("add", '{"a": 2}'), {"add": add})) == "3"
    assert [record.refract_entry for record in caplog.records] == [
        "invoke_no_args",
        "invoke_with_args",
        "invoke",
        "invoke_no_args_async",
        "invoke_with_args_async",
        "invoke_async",
    ]


def test_missing_is_not_the_same_as_empty() -> None:
    tool = Counted(lambda **given: "called")
    assert "the arguments are missing" in invoke_with_args(tool, None, "get")
    assert tool.count == 0
    for empty in ({}, "{}", "", "null"):
        assert invoke_with_args(tool, empty, "get") == "called"


@pytest.mark.parametrize(
    "arguments", [[1], 3, b"{}", "[1]", "nonsense", {"a": float("nan")}, {1: 2}, '"x"']
)
def test_arguments_that_cannot_be_read(arguments: Any) -> None:
    tool = Counted()
    text = invoke_with_args(tool, arguments, "get")
    assert re.match(rf"Error {ID}: get tool_call failed: ", text)
    assert tool.count == 0


def test_in_a_running_event_loop_the_plain_ones_work_too() -> None:
    async def add(a: int) -> int:
        return a + 1

    async def main() -> str:
        return invoke_with_args(add, {"a": 1}, "add")

    assert asyncio.run(main()) == "2"


def test_a_failure_of_elsewhere() -> None:
    invoker = Invoker({})
    reply = invoker.failed(
        ToolFailedError("it was skipped"), tool="get", arguments={"a": 1}, call_id="x1"
    )
    assert reply.tool_call_id == "x1"
    assert re.fullmatch(rf"Error {ID}: get tool_call failed", reply.content)


@pytest.mark.parametrize(
    "options",
    [
        {"mapper": "plain"},
        {"max_reply": 5},
        {"max_reply": "many"},
        {"timeout": -1},
        {"timeout": 0},
        {"log": "name"},
        {"secrets": True},
        {"limit": 0},
        {"catalog": 3},
    ],
)
def test_options_that_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Invoker({}, **options)


# -- the log -------------------------------------------------------------------

KEYS = {
    "refract_entry",
    "refract_tool",
    "refract_call_id",
    "refract_error_id",
    "refract_kind",
    "refract_arguments",
    "refract_value",
    "refract_seconds",
    "refract_repeated",
}


def extras(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name.startswith("refract_")}


def test_a_line_for_each_call(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "refract_asp.runtime")
    invoker = Invoker({"get": lambda city: {"in": city}, "fail": fails})
    good, bad = invoker.replies(
        [openai("get", '{"city": "Köln"}', "x1"), openai("fail", '{"a": 1}', "x2")]
    )
    first, second = caplog.records
    assert (first.name, first.levelname, second.levelname) == (
        "refract_asp.runtime",
        "INFO",
        "ERROR",
    )
    assert set(extras(first)) == set(extras(second)) == KEYS
    assert first.getMessage() == 'replies - "get" returned {"in": "Köln"}'
    assert first.refract_arguments == '{"city": "Köln"}'
    assert first.refract_value == '{"in": "Köln"}'
    assert first.refract_error_id is first.refract_kind is None
    assert good.failure is None
    assert second.getMessage() == (
        'replies - "fail" errored with ValueError("the disk is full: /var/secret/path")'
        f" [tool_failed, id {bad.failure.id}]"
    )
    assert (second.refract_error_id, second.refract_kind) == (bad.failure.id, "tool_failed")
    assert (second.refract_call_id, second.refract_tool, second.refract_value) == (
        "x2",
        "fail",
        None,
    )
    assert 'raise ValueError("the disk is full' in caplog.text
    assert "raise ValueError" not in bad.content


def test_secrets_stand_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def log_in(**given: str) -> Any:
        if given["user"] == "eve":
            raise ValueError(f"bad password {given['password']!r} with {given['note']}")
        return {
            "user": "ann",
            "seal": "s3al-me",
            "token": "t0k-en",
            "nested": [{"apiKey": "k3y-one"}],
        }

    invoker = Invoker([log_in], CATALOG)
    given = {"user": "ann", "password": "hunter2", "note": "n0te-this"}
    assert "t0k-en" in invoker.reply(openai("log_in", json.dumps(given))).content
    invoker.reply(openai("log_in", json.dumps({**given, "user": "eve"})))
    invoker.reply(openai("log_in", json.dumps({**given, "days": 3})))
    invoker.reply(openai("log_in", json.dumps(given)[:-1]))
    invoker.reply(openai("log_in", '["ann", "hunter2"]'))
    invoker.reply(openai("log_in", ["ann", "hunter2"]))
    told = caplog.text + str([extras(record) for record in caplog.records])
    assert len(caplog.records) == 6
    assert "ann" in told
    assert "(secret)" in told
    assert "Traceback" in told
    for secret in ("hunter2", "n0te-this", "s3al-me", "t0k-en", "k3y-one"):
        assert secret not in told


class Login(BaseModel):
    password: int
    days: int


def test_what_pydantic_says_shows_no_secrets(caplog: pytest.LogCaptureFixture) -> None:
    def log_in(login: Login) -> str:
        return "in"

    for mapper in (plain_mapper, None):
        options = {} if mapper is None else {"mapper": mapper}
        invoke_with_args(log_in, {"password": "hunter2" * 50, "days": "x"}, "log_in", **options)
    told = caplog.text + str([extras(record) for record in caplog.records])
    assert "hunter" not in told
    assert "password: Input should be a valid integer" in told


@pytest.mark.slow
def test_nothing_is_printed_where_nobody_set_up_logging() -> None:
    script = (
        "from refract_asp.runtime.invoker import *; print(invoke_no_args(lambda: 1 / 0, 'get')[:5])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("Error\n", "")


def test_what_is_secret_may_be_said_by_a_rule(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def rule(name: str, schema: Any) -> bool:
        if name == "trap":
            raise ValueError("the rule fails")
        return name == "city"

    invoker = Invoker({"get": lambda **given: {"city": "Rome", "password": "shown"}}, secrets=rule)
    assert "Rome" in invoker.reply("get(city='Paris')").content
    assert "Rome" not in caplog.text
    assert "Paris" not in str(extras(caplog.records[0]))
    assert "shown" in caplog.text
    assert invoker.reply("get(trap='x')").content.startswith("{")
    assert "cannot be told" in caplog.text


def test_a_handler_that_raises_harms_no_reply() -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("the disk is full")

    log = logging.getLogger("tests.broken")
    log.propagate = False
    log.setLevel(logging.INFO)
    log.addHandler(Broken())
    invoker = Invoker({"get": lambda: "70", "fail": fails}, log=log)
    assert invoker.reply(Call(name="get")).content == "70"
    assert invoker.reply(Call(name="fail")).is_error


def test_nothing_is_written_that_nobody_reads() -> None:
    log = logging.getLogger("tests.silent")
    log.setLevel(logging.CRITICAL)
    invoker = Invoker(
        {"get": lambda: 1, "fail": fails}, log=log, secrets=lambda name, schema: 1 / 0
    )
    assert invoker.reply(Call(name="get")).content == "1"
    assert invoker.reply(Call(name="fail")).is_error


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "hi", "tool_calls": None},
        {"choices": [{"message": {"role": "assistant", "content": "hi"}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
    ],
)
def test_a_message_without_calls_needs_no_reply(message: Any) -> None:
    assert Invoker([never]).replies(message) == []
    assert asyncio.run(Invoker([never]).replies_async(message)) == []
    done = run(message, [never])
    assert (done.outcomes, done.replies, done.succeeded) == ((), (), True)


def never() -> int:
    raise AssertionError("nobody calls it")


def test_an_empty_id_is_none() -> None:
    call = {"id": "", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    [reply] = Invoker({"get": lambda: 1}).replies([call])
    assert reply.tool_call_id.startswith("call_")
