"""The bottleneck: every call is answered by one text, the log gets the rest, one id ties them."""

import asyncio
import json
import logging
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError

from declaring import called
from refract_asp import Sequence, runtime
from refract_asp.errors import InputError, ToolError
from refract_asp.model import Ask, Call, Constant
from refract_asp.model.sequence import ConfirmTool
from refract_asp.runtime import Invoker, bind, invoke_with_args, plain_mapper, run, run_async
from refract_asp.runtime.arguments import MAX_ERRORS
from refract_asp.runtime.calling import run_to_end
from refract_asp.runtime.replies import Repeats, text_of
from waiting import PATIENCE, run_timeless
from yaml_files import read_yaml

FAILED = r"Error [2-9A-HJKMNP-Z]{8}: get tool_call failed"
CALLS: dict[str, Any] = read_yaml(Path(__file__).with_name("calls.yaml"))
CATALOG = CALLS["catalog"]
GET = Call(name="get")


def never(**_: Any) -> None:
    raise AssertionError("nobody calls it")


def fails(**given: Any) -> Any:
    raise ValueError("the disk is full: /var/secret/path")


def weather(arguments: Any) -> Any:
    return called("get_weather", arguments)


def extras(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name.startswith("refract_")}


# -- stages --------------------------------------------------------------------

ROME = {"city": Constant(value="Rome")}


STAGES = [
    *((weather(arguments), kind, said) for arguments, kind, said in CALLS["refused"]),
    ({"type": "function", "function": {"name": "get_weather"}}, "missing_arguments", "missing"),
    (called("get_wether", '{"city": "R"}'), "unknown_tool", "Did you mean 'get_weather'?"),
    (called("get_wether", '{"city": '), "malformed_arguments", "cut off"),  # the first wins
    (Call(name="get_weather", arguments={"city": Ask(name="w")}), "bad_argument", "asked"),
    (Call(name="get_weather", arguments=ROME, confirms=(ConfirmTool(),)), "bad_argument", "to be confirmed"),
    (Call(name="get_weather", malformed="it was cut"), "malformed_arguments", "it was cut"),
    *((call, "malformed_arguments", "") for call in ("get_weather(", None, object())),
    ([], "malformed_arguments", "one call is needed"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "said"), STAGES)
def test_the_first_stage_that_fails_ends_the_call(call: Any, kind: str, said: str) -> None:
    invoker = Invoker({"get_weather": never}, CATALOG)
    for reply in (invoker.reply(call), asyncio.run(invoker.reply_async(call))):
        assert (reply.failure.kind, isinstance(reply.failure.error, ToolError)) == (kind, True)
        assert said in reply.content
        assert len(reply.content) <= MAX_ERRORS
        assert reply.tool_call_id


@pytest.mark.parametrize("call", [*map(weather, CALLS["taken"]), 'get_weather("Rome")'])
def test_what_fits_is_called(call: Any) -> None:
    invoker = Invoker({"get_weather": lambda **given: f"cloudy in {given['city']}"}, CATALOG)
    reply = invoker.reply(call)
    assert (reply.content, reply.value, reply.is_error) == ("cloudy in Rome",) * 2 + (False,)


def test_without_a_catalog_or_an_entry_in_it_the_signature_decides() -> None:
    def forecast(city: str, /, days: int = 1) -> str:
        return f"{city} {days}"

    for catalog in (None, CATALOG):
        invoker = Invoker([forecast], catalog)
        assert invoker.reply(called("forecast", '{"city": "Rome"}')).content == "Rome 1"
        assert invoker.reply('forecast("Rome", days=2)').content == "Rome 2"
        failure = invoker.reply(called("forecast", '{"dys": 1}')).failure
        assert (failure.kind, type(failure.error.__cause__)) == ("bad_argument", ValidationError)
    assert invoke_with_args(max, '{"a": 1}', "max").startswith("Error")  # in C, without a signature


class Wanted(BaseModel):
    temperature: int = Field(ge=0)
    password: int = 0


def test_a_model_as_the_only_parameter(caplog: pytest.LogCaptureFixture) -> None:
    def heat(wanted: Wanted) -> str:
        return f"set to {wanted.temperature}"

    assert invoke_with_args(heat, '{"temperature": "75"}', "heat") == "set to 75"
    assert invoke_with_args(heat, "{}", "heat").endswith("failed: heat requires temperature.")
    invoke_with_args(heat, {"password": "hunter2" * 50, "temperature": 1}, "heat")
    assert "password: Input should be a valid integer" in caplog.text
    assert "hunter" not in caplog.text + str([extras(record) for record in caplog.records])


# -- texts ---------------------------------------------------------------------


@pytest.mark.parametrize("total", [101, 999, 10_000, 123_456])
def test_a_long_reply_is_cut_and_says_so(total: int) -> None:
    reply = Invoker({"get": lambda: "x" * total}, max_reply=100).reply(GET)
    kept = reply.content.count("x")
    assert reply.content == "x" * kept + f" [cut: the first {kept} of {total} characters]"
    assert (98 <= len(reply.content) <= 100, len(reply.value)) == (True, total)
    assert text_of("x" * 100, 100) == "x" * 100


# -- errors --------------------------------------------------------------------


def test_the_default_mapper_tells_that_it_was_late() -> None:
    ended = threading.Event()
    late = Invoker({"get": lambda: ended.wait(PATIENCE)}, timeout=0.01).reply(GET)
    ended.set()
    assert re.fullmatch(rf"{FAILED} \(timeout\)", late.content)


@pytest.mark.parametrize("text", ["x" * 500, '"' * 500, "\\" * 90, "two\nlines\x1b[31m" * 50, ""])
def test_the_plain_mapper_stays_whole(text: str) -> None:
    def fail() -> None:
        raise ValueError(text)

    reply = invoke_with_args(fail, {}, "n" * 300, mapper=plain_mapper)
    assert (len(reply) <= MAX_ERRORS, reply.isprintable()) == (True, True)
    inside = re.fullmatch(r"Error during 'n{60}\.\.\.' ValueError\((\".*\")\)", reply)
    assert inside
    json.loads(inside[1])


SILENT = [lambda *_: None, lambda *_: "", lambda *_: " \u202e"]
FAILING = [*SILENT, lambda *_: 1 / 0, lambda error: "x", lambda *_: exit(3)]


@pytest.mark.parametrize("mapper", FAILING)
def test_a_mapper_that_fails_is_replaced(mapper: Any, caplog: pytest.LogCaptureFixture) -> None:
    reply = Invoker({"get": fails}, mapper=mapper).reply(GET)
    assert re.fullmatch(FAILED, reply.content)
    told = [record.getMessage() for record in caplog.records]
    assert ("errored" in told[0], "the mapper of errors failed" in told[1]) == (True, True)
    assert extras(caplog.records[1])["refract_error_id"] == reply.failure.id


def test_a_failure_again_is_recognised(caplog: pytest.LogCaptureFixture) -> None:
    invoker = Invoker({"get": fails, "other": fails}, mapper=lambda error, failure: "x" * 3000)
    calls = ["get(a=1, b=2)", "get(b=2, a=1)", "get(a=2)", "other(a=1, b=2)", "get(a=1, b=2)"]
    replies = [invoker.reply(call) for call in calls]
    failures = [reply.failure for reply in replies if reply.failure is not None]
    assert [failure.times for failure in failures] == [1, 2, 1, 1, 3]
    assert len({failure.id for failure in failures}) == 5
    assert [extras(record)["refract_repeated"] for record in caplog.records] == [0, 1, 0, 0, 2]
    assert replies[4].content.endswith("... (failed 3 times with these arguments)")
    assert replies[0].content.endswith("x...")
    assert all(len(reply.content) <= MAX_ERRORS for reply in replies)
    malformed = [invoker.reply(called("get", text, text * 2)).failure for text in ("{", "{", "{{")]
    assert [failure and failure.times for failure in malformed] == [1, 2, 1]


def test_what_is_remembered_is_bounded() -> None:
    repeats = Repeats(most=2)
    assert [repeats.count("get", each) for each in (1, 2, 3, 1, object, float("nan"))] == [1] * 6
    assert len(repeats._times) == 2


# -- several calls -------------------------------------------------------------


@pytest.mark.parametrize("name", CALLS["formats"])
def test_every_call_gets_its_own_reply_in_order(name: str) -> None:
    invoker, calls = Invoker({"add": lambda a: a + 1}), CALLS["formats"][name]
    for replies in (invoker.replies(calls), asyncio.run(invoker.replies_async(calls))):
        assert [reply.tool_call_id for reply in replies] == ["x1", "x2", "x3"]
        kinds = [reply.failure.kind if reply.failure else reply.content for reply in replies]
        assert kinds == ["2", "malformed_arguments", "unknown_tool"]
        assert {reply.role for reply in replies} == {"tool"}


def test_calls_without_ids_get_ids(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    replies = Invoker({"add": lambda a: a + 1}).replies("add(a=1)\nadd(a=2)")
    ids = [reply.tool_call_id for reply in replies]
    assert len(set(ids)) == 2
    assert [extras(record)["refract_call_id"] for record in caplog.records] == ids
    [reply] = Invoker({"get": lambda: 1}).replies([called("get", "{}", "")])
    assert reply.tool_call_id.startswith("call_")


@pytest.mark.parametrize("message", [*CALLS["without_calls"], Sequence()])
def test_a_message_without_calls_needs_no_reply(message: Any) -> None:
    assert Invoker([never]).replies(message) == []
    done = run(message, [never])
    assert (done.outcomes, done.replies, done.succeeded) == ((), (), True)


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
    assert ([reply.value for reply in replies], most) == (list(range(12)), 3)


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


# -- functions -----------------------------------------------------------------


def test_the_entry_points_and_their_twins(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def add(a: int = 0) -> int:
        return a + 1

    entries: list[tuple[str, tuple[Any, ...], str]] = [
        ("invoke_no_args", (add, "add"), "1"),
        ("invoke_with_args", (bind(add), '{"a": 1}', "add"), "2"),
        ("invoke", (called("add", '{"a": 2}'), [add]), "3"),
    ]
    for name, given, text in entries:
        assert getattr(runtime, name)(*given) == text
        assert asyncio.run(getattr(runtime, f"{name}_async")(*given)) == text

    async def main() -> str:  # the plain ones work in a running event loop, too
        return invoke_with_args(add, {"a": 1}, "add")

    assert asyncio.run(main()) == "2"
    told = [name for name, _, _ in entries for _ in range(2)]
    assert [extras(each)["refract_entry"] for each in caplog.records] == [*told, "invoke_with_args"]


def test_what_a_sync_caller_waits_for_may_make_calls_at_once() -> None:
    async def inside() -> bool:
        both = asyncio.Barrier(2)

        async def meets() -> None:
            await both.wait()

        return (await run_async("meets()\nmeets()", [meets], timeout=PATIENCE)).succeeded

    assert runtime.invoke_no_args(lambda: asyncio.run(inside()), "inside") == "true"
    told = invoke_with_args(fails, {}, "get", mapper=lambda *_: str(run_to_end(inside())))
    assert told == "True"


def test_missing_is_not_the_same_as_empty() -> None:
    assert "the arguments are missing" in invoke_with_args(never, None, "get")
    for empty in ({}, "{}", "", "null"):
        assert invoke_with_args(lambda: "called", empty, "get") == "called"


CANNOT_BE = [
    {"mapper": "plain"}, {"max_reply": 5}, {"max_reply": "many"}, {"timeout": -1}, {"timeout": 0},
    {"log": "name"}, {"secrets": True}, {"limit": 0}, {"catalog": 3},
]  # fmt: skip


@pytest.mark.parametrize("option", CANNOT_BE)
def test_options_that_cannot_be(option: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Invoker({}, **option)


# -- the log -------------------------------------------------------------------


def test_a_line_for_each_call(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "refract_asp.runtime")
    invoker = Invoker({"get": lambda city: {"in": city}, "fail": fails})
    calls = [called("get", '{"city": "Köln"}', "x1"), called("fail", '{"a": 1}', "x2")]
    _, bad = invoker.replies(calls)
    first, second = caplog.records
    assert bad.content == f"Error {bad.failure.id}: fail tool_call failed"
    assert first.getMessage() == 'replies - "get" returned {"in": "Köln"}'
    own = {name: value for name, value in extras(first).items() if name != "refract_seconds"}
    assert own == {
        "refract_entry": "replies", "refract_tool": "get", "refract_call_id": "x1",
        "refract_error_id": None, "refract_kind": None, "refract_arguments": '{"city": "Köln"}',
        "refract_value": '{"in": "Köln"}', "refract_repeated": 0,
    }  # fmt: skip
    assert second.getMessage() == (
        'replies - "fail" errored with ValueError("the disk is full: /var/secret/path")'
        f" [tool_failed, id {bad.failure.id}]"
    )
    assert set(extras(second)) == {*own, "refract_seconds"}
    ids = [extras(second)[f"refract_{name}"] for name in ("error_id", "kind", "call_id", "value")]
    assert ids == [bad.failure.id, "tool_failed", "x2", None]
    assert [record.levelname for record in caplog.records] == ["INFO", "ERROR"]
    assert 'raise ValueError("the disk is full' in caplog.text


def test_secrets_stand_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def log_in(**given: str) -> Any:
        if given["user"] == "eve":
            raise ValueError(f"bad password {given['password']!r} with {given['note']}")
        inner = [{"apiKey": "k3y-one"}]
        return {"user": "ann", "seal": "s3al-me", "token": "t0k-en", "nested": inner}

    invoker = Invoker([log_in], CATALOG)
    given = {"user": "ann", "password": "hunter2", "note": "n0te-this"}
    assert "t0k-en" in invoker.reply(called("log_in", json.dumps(given))).content
    texts = [json.dumps({**given, "user": "eve"}), json.dumps({**given, "days": 3})]
    for arguments in (*texts, json.dumps(given)[:-1], '["ann", "hunter2"]', ["ann", "hunter2"]):
        invoker.reply(called("log_in", arguments))
    # of this tool nobody says what is secret
    invoker.reply(called("log_on", json.dumps(given | {"note": ""})[:-1]))
    told = caplog.text + str([extras(record) for record in caplog.records])
    assert len(caplog.records) == 7
    assert all(word in told for word in ("ann", "(secret)", "Traceback"))
    for secret in ("hunter2", "n0te-this", "s3al-me", "t0k-en", "k3y-one"):
        assert secret not in told


@pytest.mark.parametrize(("secret", "is_told"), [("abc", True), ("abcd", False)])
def test_a_short_secret_may_be_part_of_a_word(secret: str, is_told: bool, caplog: Any) -> None:
    def fail(password: str) -> None:
        raise ValueError(f"the {password}s")

    invoke_with_args(fail, {"password": secret}, "log_in")
    assert (f"the {secret}s" in caplog.text) is is_told


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


@pytest.mark.slow
def test_nothing_is_printed_where_nobody_set_up_logging() -> None:
    script = "from refract_asp.runtime import *; print(invoke_no_args(lambda: 1 / 0, 'get')[:5])"
    command = [sys.executable, "-c", script]
    assert subprocess.check_output(command, stderr=subprocess.STDOUT) == b"Error\n"


@pytest.mark.parametrize("level", [logging.INFO, logging.CRITICAL])
def test_a_handler_that_raises_or_hears_nothing_harms_no_reply(level: int) -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("the disk is full")

    log = logging.getLogger(f"tests.broken.{level}")
    log.propagate = False
    log.setLevel(level)
    log.addHandler(Broken())
    tools = {"get": lambda: "70", "fail": fails}
    invoker = Invoker(tools, log=log, secrets=lambda name, schema: 1 / 0)
    assert invoker.reply(GET).content == "70"
    assert invoker.reply(Call(name="fail")).is_error


def test_half_characters_can_be_written_to_a_log(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise ValueError("cut \udf57 off")

    assert runtime.invoke_no_args(fails, "fails").startswith("Error ")
    assert r"cut \udf57 off" in caplog.text.encode().decode()
