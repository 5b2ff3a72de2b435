"""Properties: whatever a tool raises or gives, however it runs, there is exactly one reply."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples
from tool_functions import fails

from refract_asp.runtime.failures import MAX_ERROR, default_mapper, plain_mapper
from refract_asp.runtime.invoker import Invoker, invoke_with_args
from refract_asp.runtime.tools import bind

TYPES = [
    Exception,
    BaseException,
    ValueError,
    KeyError,
    OSError,
    StopIteration,
    StopAsyncIteration,
    GeneratorExit,
    SystemExit,
    KeyboardInterrupt,
    asyncio.CancelledError,
    TimeoutError,
    MemoryError,
    RecursionError,
    RuntimeError,
    AssertionError,
]
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


plain_errors = st.builds(lambda kind, text: kind(text), st.sampled_from(TYPES), TEXTS)
odd_errors = st.builds(Odd, st.one_of(plain_errors, TEXTS, st.integers()))
groups = st.builds(
    lambda text, inner: BaseExceptionGroup(text, inner),
    TEXTS,
    st.lists(st.one_of(plain_errors, odd_errors), min_size=1, max_size=3),
)
errors = st.one_of(plain_errors, odd_errors, groups)
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.binary(), st.builds(object)
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.integers(), inner, max_size=3)
    ),
    max_leaves=5,
)


def one_reply(function: Any, way: str, mapper: Any, name: str) -> Any:
    isolation: Any = "thread" if way == "thread" else "none"
    invoker = Invoker({name: bind(function, isolation=isolation)}, mapper=mapper)
    call = {"id": "x1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    [reply] = (
        invoker.replies([call]) if way == "now" else asyncio.run(invoker.replies_async([call]))
    )
    assert (reply.tool_call_id, reply.role, reply.name) == ("x1", "tool", name)
    return reply


@pytest.mark.parametrize("way", ["now", "later", "thread"])
@given(
    error=errors,
    is_async=st.booleans(),
    mapper=st.sampled_from([default_mapper, plain_mapper]),
    name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=100),
)
@settings(max_examples=examples(40))
def test_any_exception_gives_one_reply(
    way: str, error: BaseException, is_async: bool, mapper: Any, name: str
) -> None:
    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    reply = one_reply(fail_later if is_async else fail, way, mapper, name)
    assert reply.failure.kind == "tool_failed"
    assert reply.failure.error.__cause__ is not None
    assert 0 < len(reply.content) <= MAX_ERROR
    assert reply.content.isprintable()


@pytest.mark.parametrize("way", ["now", "later", "thread"])
@given(value=values, is_async=st.booleans())
@settings(max_examples=examples(40))
def test_any_value_gives_one_reply(way: str, value: Any, is_async: bool) -> None:
    async def later() -> Any:
        return value

    reply = one_reply(later if is_async else lambda: value, way, default_mapper, "get")
    if reply.failure is None:
        assert (
            reply.content == value if isinstance(value, str) else json.loads(reply.content) == value
        )
    else:
        assert len(reply.content) <= MAX_ERROR


@pytest.mark.slow
@given(text=TEXTS)
@settings(max_examples=8)
def test_any_text_from_a_process(text: str) -> None:
    reply = invoke_with_args(
        bind(fails, isolation="process"), {"text": text}, "fails", mapper=plain_mapper
    )
    assert reply.startswith("Error during 'fails' ")
    assert len(reply) <= MAX_ERROR


@given(arguments=values | TEXTS)
@settings(max_examples=examples(100))
def test_any_arguments_give_one_reply(arguments: Any) -> None:
    reply = invoke_with_args(lambda **given: "called", arguments, "get")
    assert reply == "called" or (reply.startswith("Error ") and len(reply) <= MAX_ERROR)
