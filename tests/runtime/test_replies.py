"""Replies to a model: one for each call that it made."""

import re
from typing import Any

import pytest
from small_runs import CATALOG, OPEN, TOOLS, openai

from declaring import NEEDED, called, tool
from refract_asp import Sequence, repair
from refract_asp.errors import InputError
from refract_asp.runtime import Invoker, messages_of, run
from yaml_files import tables


def fail() -> None:
    raise ValueError("secret plans" * 500)


def test_every_call_id_gets_its_own_reply_in_order(caplog: pytest.LogCaptureFixture) -> None:
    """U14; the id of an error stands in the log."""
    calls = [("get", "{}"), ("bad", "{}"), ("pay", '{"amount": '), ("nope", "{}"), ("get", "{}")]
    done = run(Sequence.load(openai(*calls)), {**TOOLS, "bad": fail})
    assert [reply.tool_call_id for reply in done.replies] == ["c0", "c1", "c2", "c3", "c4"]
    assert [reply.is_error for reply in done.replies] == [False, True, True, True, False]
    assert [done.replies[0].content, done.replies[4].content] == ["1", "1"]
    failure = done.replies[1].failure
    assert done.replies[1].content == f"Error {failure.id}: bad tool_call failed"
    assert failure.id in caplog.text
    assert "secret plans" in caplog.text


def test_replies_of_a_repair_answer_the_given_calls() -> None:
    catalog = {"tools": [tool("Find", "read", city=NEEDED)]}
    cities = ("Find", '{"city": ["Oslo", "Rome"]}')
    message = openai(cities, ("Qqqqqqq", '{"zzz": 1}'), ("Fnd", '{"city": "Bern"}'))
    result = repair(Sequence.load(message), catalog)
    done = run(result, {"Find": lambda city: city.upper()}, catalog=catalog, confirm=True)
    told = [(reply.tool_call_id, reply.is_error) for reply in done.replies]
    assert told == [("c0", False), ("c1", True), ("c2", False)]
    assert [done.replies[0].content, done.replies[2].content] == ['["OSLO", "ROME"]', "BERN"]


def test_calls_that_were_not_made_have_a_reply_too() -> None:
    done = run(OPEN + '\npay(amount="$a.paid$")', TOOLS, catalog=CATALOG)
    first, second, third = (reply.content for reply in done.replies)
    assert (first, second) == ("pay was not called: amount was not answered.", "1")
    assert third == "pay was not called: call 1 (pay), which it reads, is open."


def test_replies_are_bounded_and_the_mapper_is_replaceable() -> None:
    tools = {"bad": fail, "long": lambda: "y" * 5000}
    done = run("bad()\nlong()", tools, mapper=lambda e, _: e.kind, max_reply=100)
    assert done.replies[0].content == "tool_failed"
    assert (len(done.replies[1].content) <= 100, "[cut:" in done.replies[1].content) == (True, True)


# -- the format of the call ------------------------------------------------------------
# what a model wrote, and the messages that answer it; FAILED stands for any error
ANSWERED: dict[str, tuple[Any, Any]] = tables(__file__)["answered"]


def add(a: int) -> int:
    return a + 1


def without_errors(said: Any) -> Any:
    """Return data with `FAILED` for the texts of errors, and `call_1` for ids that were made up."""
    if isinstance(said, dict):
        return {key: without_errors(inner) for key, inner in said.items()}
    if isinstance(said, list):
        return list(map(without_errors, said))
    if isinstance(said, str) and re.match("Error [0-9A-Z]{8}: ", said):
        return "FAILED"
    return re.sub("^call_[0-9A-Z]{8}$", "call_1", said) if isinstance(said, str) else said


@pytest.mark.parametrize("name", ANSWERED)
def test_every_call_is_answered_under_its_id_in_its_format(name: str) -> None:
    given, wanted = ANSWERED[name]
    invoker = Invoker({"add": add, "shout": lambda text: text.upper()})
    assert without_errors(messages_of(invoker.replies(given))) == wanted
    if len(wanted) == 1 and name in ("mcp", "before ids", "openai, only custom"):
        assert invoker.reply(given).to_dict() == wanted[0]


OF_RUNS = ["openai, cut off", "anthropic", "gemini", "langchain", "mcp", "before ids"]


@pytest.mark.parametrize("name", OF_RUNS)
def test_runs_and_repairs_answer_in_the_format_of_the_call(name: str) -> None:
    given, wanted = ANSWERED[name]
    done = run(given, [add])
    assert without_errors(messages_of(done.replies)) == wanted
    if name in ("mcp", "before ids"):
        assert messages_of(run(repair(given, [add]), [add]).replies) == wanted


def test_a_format_may_be_asked_for() -> None:
    reply = Invoker([add]).reply(called("add", '{"a": 1}', "y"))
    assert reply.to_dict("anthropic") == {"type": "tool_result", "tool_use_id": "y", "content": "2"}
    with pytest.raises(InputError, match="There are: openai, openai-responses"):
        reply.to_dict("xml")
