"""Replies to a model: one for each call that it made."""

from __future__ import annotations

import pytest
from small_runs import CATALOG, OPEN, TOOLS, openai

from refract_asp import Sequence, repair
from refract_asp.runtime import run


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
    assert failure is not None
    assert done.replies[1].content == f"Error {failure.id}: bad tool_call failed"
    assert failure.id in caplog.text
    assert "secret plans" in caplog.text


def test_replies_of_a_repair_answer_the_given_calls() -> None:
    city = {"city": {"type": "string", "required": True}}
    catalog = {"tools": [{"name": "Find", "effect": "read", "parameters": city}]}
    cities = ("Find", '{"city": ["Oslo", "Rome"]}')
    message = openai(cities, ("Qqqqqqq", '{"zzz": 1}'), ("Fnd", '{"city": "Bern"}'))
    result = repair(Sequence.load(message), catalog)
    done = run(result, {"Find": lambda city: city.upper()}, catalog=catalog, confirm=True)
    told = [(reply.tool_call_id, reply.is_error) for reply in done.replies]
    assert told == [("c0", False), ("c1", True), ("c2", False)]
    assert [done.replies[0].content, done.replies[2].content] == ['["OSLO", "ROME"]', "BERN"]


def test_calls_that_were_not_made_have_a_reply_too() -> None:
    done = run(OPEN + '\npay(amount="$a.paid$")', TOOLS, catalog=CATALOG)
    assert [reply.content for reply in done.replies] == [
        "pay was not called: amount was not answered.",
        "1",
        "pay was not called: call 1 (pay), which it reads, is open.",
    ]


def test_replies_are_bounded_and_the_mapper_is_replaceable() -> None:
    tools = {"bad": fail, "long": lambda: "y" * 5000}
    done = run("bad()\nlong()", tools, mapper=lambda e, _: e.kind, max_reply=100)
    assert done.replies[0].content == "tool_failed"
    assert (len(done.replies[1].content) <= 100, "[cut:" in done.replies[1].content) == (True, True)
