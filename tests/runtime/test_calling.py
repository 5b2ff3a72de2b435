"""A call of a function ends as a value or a ToolError, whatever the function does."""

import asyncio
import contextlib
import contextvars
import gc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from declaring import ENDLESS
from refract_asp.errors import BadOutputError, ToolError, ToolFailedError, ToolTimeoutError
from refract_asp.runtime import calling
from refract_asp.runtime.calling import call_tool, run_to_end, sync_twin
from refract_asp.runtime.tools import Bound, Tools, bind
from waiting import PATIENCE, interrupt_once

SOON = 0.05
"""Seconds after which a call is late."""

every_way = pytest.mark.parametrize("way", ["now", "in the loop", "thread"])
call_now = sync_twin(call_tool)


def call(way: str, function: Callable[..., Any], *positional: Any, **arguments: Any) -> Any:
    """Call a function in one of the ways."""
    timeout = arguments.pop("timeout", PATIENCE)
    bound = bind(function, isolation="thread" if way == "thread" else "none")
    if way == "now":
        return call_now(bound, arguments, positional, timeout=timeout)
    return run_to_end(call_tool(bound, arguments, positional, timeout=timeout))


def both(work: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return a function, an async one that does the same, and one that gives something to await."""

    async def later(*positional: Any, **arguments: Any) -> Any:
        await asyncio.sleep(0)
        return work(*positional, **arguments)

    return [work, later, lambda *positional, **arguments: later(*positional, **arguments)]


class NastyTextError(Exception):
    def __str__(self) -> str:
        raise SystemExit("not even its text can be told")


def deep() -> None:
    deep()


ERRORS: list[BaseException] = [
    *(kind("a tool's own") for kind in (ValueError, SystemExit, GeneratorExit, asyncio.CancelledError)),
    *(kind("a tool's own") for kind in (StopIteration, StopAsyncIteration, RecursionError, ToolTimeoutError)),
    NastyTextError(),
    BaseExceptionGroup("three", [KeyboardInterrupt()]),
]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@every_way
def test_whatever_is_raised_is_a_failed_tool(way: str, error: BaseException) -> None:
    def fail() -> None:
        if isinstance(error, RecursionError):
            deep()
        raise error

    for function in both(fail):
        with pytest.raises(ToolFailedError) as caught:
            call(way, function)
        # Python makes another error of a StopIteration in coroutines
        is_other = isinstance(error, StopIteration) and function is not fail
        kind = RuntimeError if is_other else type(error)
        assert (type(caught.value), type(caught.value.__cause__)) == (ToolFailedError, kind)


class Trap(dict[str, Any]):
    def items(self) -> Any:
        raise SystemExit("looked at")


async def stream() -> Any:
    yield 1


VALUES: dict[str, Any] = {
    "an object": object, "nan": lambda: [float("nan")], "bytes": lambda: b"\xff", "keys": lambda: {1: 2, "1": 3},
    "half a character": lambda: "\ud800", "digits": lambda: 10**5000, "cyclic": lambda: ENDLESS,
    "an async generator": stream, "a trap": lambda: Trap(a=1), "an exception": lambda: ValueError("given"),
    "a coroutine": lambda: both(lambda: 1)[1],
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
@every_way
def test_what_cannot_become_json_is_told_of_a_tool_that_ran(way: str, name: str) -> None:
    said = "nested deeper" if name == "cyclic" else "it ran, but what it gave is no JSON value: ."
    for function in both(VALUES[name]):
        with pytest.raises(BadOutputError, match=said):
            call(way, function)


@every_way
def test_arguments_and_results_are_copies_and_context_variables_are_seen(way: str) -> None:
    given = {"list": [1, {"a": 2}]}
    name = contextvars.ContextVar("name", default="nobody")
    name.set("somebody")

    def spoil(list: Any) -> Any:
        list[1]["a"] = name.get()
        list.append(4)
        return list

    for function in both(spoil):
        assert call(way, function, **given) == [1, {"a": "somebody"}, 4]
        assert call(way, function, given["list"]) == [1, {"a": "somebody"}, 4]
    assert given == {"list": [1, {"a": 2}]}
    assert call(way, lambda: given["list"]) is not given["list"]


# -- time ----------------------------------------------------------------------


@every_way
@pytest.mark.parametrize("limit", [SOON, 0])
def test_a_late_sync_tool_is_left_alone_on_its_thread(way: str, limit: float) -> None:
    ended = threading.Event()
    with pytest.raises(ToolTimeoutError, match=rf"longer than {limit} seconds"):
        call(way, lambda: ended.wait(PATIENCE), timeout=limit)
    left = [thread for thread in threading.enumerate() if thread.name == "refract-asp tool"]
    assert any(thread.daemon for thread in left)
    ended.set()


@every_way
def test_a_late_async_tool_is_cancelled_and_may_tidy_up(way: str) -> None:
    seen: list[str] = []

    async def late() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            seen.append("tidied up")
            raise

    with pytest.raises(ToolTimeoutError):
        call(way, late, timeout=SOON)
    assert seen == ["tidied up"]


@pytest.mark.slow
@every_way
@pytest.mark.parametrize("kind", [asyncio.CancelledError, BaseException])
def test_one_that_swallows_its_cancellation_is_abandoned(way: str, kind: Any) -> None:
    """The loop ends all the same, and nothing is said of a task that is destroyed."""

    async def stubborn() -> None:
        while True:
            with contextlib.suppress(kind):
                await asyncio.sleep(60)

    with pytest.raises(ToolTimeoutError):
        call(way, stubborn, timeout=SOON)
    gc.collect()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["now", "thread"])
def test_an_async_tool_that_blocks_is_abandoned_where_it_has_a_thread(way: str) -> None:
    ended = threading.Event()

    async def blocks() -> None:
        ended.wait(PATIENCE)

    with pytest.raises(ToolTimeoutError):
        call(way, blocks, timeout=SOON)
    ended.set()


def test_a_tool_that_blocks_the_event_loop_is_named_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(calling, "HELD", 0.005)

    async def blocks() -> int:
        await asyncio.sleep(0)
        time.sleep(0.02)
        return 1

    async def waits() -> int:
        await asyncio.sleep(0.02)
        return 2

    async def both() -> list[Any]:
        tools = Tools({"blocks": blocks, "waits": waits})
        return list(await asyncio.gather(*(call_tool(each, {}) for each in tools.values())))

    assert asyncio.run(both()) == [1, 2]
    told = [record.getMessage() for record in caplog.records]
    assert any(each.startswith('"blocks" blocked the event loop for') for each in told)
    assert not any("waits" in each for each in told)


def test_the_limit_of_the_tool_comes_first() -> None:
    ended = threading.Event()
    with pytest.raises(ToolTimeoutError):
        call_now(bind(lambda: ended.wait(PATIENCE), timeout=SOON), {}, timeout=PATIENCE)
    ended.set()
    patient = bind(lambda: time.sleep(0.02) or 1, timeout=PATIENCE)
    assert call_now(patient, {}, timeout=0.001) == 1


@every_way
def test_what_a_tool_leaves_running_is_no_matter(way: str) -> None:
    async def leaves() -> str:
        task = asyncio.ensure_future(asyncio.sleep(60))
        assert not task.done()
        return "done"

    assert call(way, leaves) == "done"


@pytest.mark.parametrize("way", ["now", "thread"])
def test_a_task_of_a_tool_that_exits_harms_nobody(way: str) -> None:
    async def exits() -> None:
        sys.exit(3)

    async def starts() -> None:
        await asyncio.ensure_future(exits())

    with pytest.raises(ToolFailedError, match="SystemExit"):
        call(way, starts)


# -- from outside --------------------------------------------------------------


@pytest.mark.parametrize("isolation", ["none", "thread"])
@pytest.mark.parametrize("is_stubborn", [False, True])
def test_a_cancellation_from_outside_stops_the_call(isolation: Any, is_stubborn: bool) -> None:
    seen: list[str] = []
    begun = threading.Event()

    async def tool() -> None:
        while True:
            try:
                begun.set()
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                seen.append("cancelled")
                if not is_stubborn:
                    raise

    async def main() -> None:
        task = asyncio.ensure_future(call_tool(bind(tool, isolation=isolation), {}))
        await asyncio.to_thread(begun.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert seen == ["cancelled"]

    run_to_end(main())


@pytest.mark.parametrize("kind", ["sync", "async", "under asyncio.run"])
def test_ctrl_c_stops_a_call_that_is_waited_for(kind: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def sleeps() -> None:
        begun.set()
        await asyncio.sleep(PATIENCE)

    def waits() -> None:
        begun.set()
        ended.wait(PATIENCE)

    async def main() -> None:
        with contextlib.suppress(ToolError):
            await call_tool(bind(waits), {})

    before = signal.getsignal(signal.SIGINT)
    pressed = interrupt_once(begun.is_set)
    tool = bind(sleeps if kind == "async" else waits)

    def make() -> None:
        if kind.startswith("under"):
            asyncio.run(main())
        else:
            call_now(tool, {})

    with pytest.raises(KeyboardInterrupt):
        make()
    pressed.join()
    ended.set()
    assert signal.getsignal(signal.SIGINT) is before


SCRIPT = """
import asyncio, time
from refract_asp.errors import ToolTimeoutError
from refract_asp.runtime import calling
from refract_asp.runtime.calling import call_tool, run_to_end, sync_twin
from refract_asp.runtime.tools import bind

async def stubborn():
    while True:
        try:
            await asyncio.sleep(3600)
        except BaseException:
            pass

def blocks():
    time.sleep(3600)

for bound in (bind(stubborn), bind(stubborn, isolation="thread"), bind(blocks)):
    for start in (lambda: run_to_end(call_tool(bound, {}, timeout=0.01)), lambda: sync_twin(call_tool)(bound, {}, timeout=0.01)):
        try:
            start()
        except ToolTimeoutError:
            print("late")
"""  # noqa: E501 - a script


@pytest.mark.slow
def test_python_ends_beside_what_is_abandoned(tmp_path: Path) -> None:
    """Tools that never end do not hold up the end of Python, and say nothing then."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "error", str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stdout.split(), done.stderr, done.returncode) == (["late"] * 6, "", 0)


def test_what_cannot_be_started_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolFailedError, match="local object"):
        call_now(Bound(lambda: 1, isolation="process"), {})

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(ToolFailedError, match="can't start new thread"):
        call_now(Bound(lambda: 1), {})
