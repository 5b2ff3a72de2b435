"""Properties: whatever a tool raises or is given, there is exactly one bounded reply."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples
from tool_functions import fails

from refract_asp.runtime import Invoker, bind, default_mapper, invoke_with_args, plain_mapper
from refract_asp.runtime.arguments import MAX_ERROR

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


@given(
    ERRORS,
    st.booleans(),
    st.booleans(),
    st.sampled_from([default_mapper, plain_mapper]),
    st.text(min_size=1),
)
@settings(max_examples=examples(60))  # fmt: skip
def test_any_exception_gives_one_reply(
    error: BaseException, is_async: bool, is_apart: bool, mapper: Any, name: str
) -> None:
    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    tool = bind(fail_later if is_async else fail, isolation="thread" if is_apart else "none")
    invoker = Invoker({name: tool}, mapper=mapper)
    call = {"id": "x1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    for [reply] in (invoker.replies([call]), asyncio.run(invoker.replies_async([call]))):
        assert (reply.tool_call_id, reply.role, reply.name) == ("x1", "tool", name)
        assert reply.failure is not None
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
