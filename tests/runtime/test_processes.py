"""Functions that run in a process of their own: killed when late, and failed when the process is gone."""

import asyncio
import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tool_functions as tools

from refract_asp.errors import InputError, ToolFailedError, ToolTimeoutError
from refract_asp.runtime.calling import call_tool, sync_twin
from refract_asp.runtime.tools import bind
from waiting import PATIENCE, interrupt_once, is_running, until

call_now = sync_twin(call_tool)


def call(function: Any, *positional: Any, timeout: float = PATIENCE, **arguments: Any) -> Any:
    return call_now(bind(function, isolation="process"), arguments, positional, timeout=timeout)


def test_values_come_back_from_another_process() -> None:
    assert call(tools.add, 1, b=5) == 6
    assert call(tools.add_later, a=1) == 2
    assert call(tools.process_id) != os.getpid()
    assert len(call(tools.much, size=3_000_000)) == 3_000_000  # more than a pipe holds
    assert call(tools.prints_garbage) == "fine"
    bound = bind(tools.takes_all, takes_object=True, isolation="process")
    assert call_now(bound, {"a": 1}) == {"got": {"a": 1}}


def test_what_is_raised_there_is_told_here() -> None:
    with pytest.raises(ToolFailedError, match="ValueError: no such city") as caught:
        call(tools.fails, text="no such city")
    cause = caught.value.__cause__
    assert (type(cause).__name__, str(cause)) == ("ValueError", "no such city")
    assert "raise ValueError(text)" in cause.__notes__[0]  # type: ignore[union-attr]


GONE = {tools.dies: "exit code 3", tools.is_killed: "exit code -9", tools.exits: "SystemExit: 4"}


@pytest.mark.parametrize(("function", "said"), GONE.items())
def test_a_process_that_is_gone_is_a_failed_tool(function: Any, said: str) -> None:
    with pytest.raises(ToolFailedError, match=said):
        call(function)


def id_in(path: Path) -> int:
    """Return the process that wrote its id into a file, 0 before that."""
    return int(path.read_text("utf-8") or 0) if path.exists() else 0


def has_ended(path: Path) -> bool:
    return not is_running(id_in(path))


def test_a_late_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "id"
    # until the machine is fast enough to begin before
    timeouts = (0.2 * 2**n for n in itertools.count())

    def late() -> int:
        with pytest.raises(ToolTimeoutError):
            call(tools.stays, path=str(path), timeout=next(timeouts))
        return id_in(path)

    until(late, "a process that has begun before it is late")
    until(lambda: has_ended(path), "the end of the process")


async def test_a_cancelled_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "id"
    bound = bind(tools.stays, isolation="process")
    task = asyncio.ensure_future(call_tool(bound, {"path": str(path)}))
    await asyncio.to_thread(until, lambda: id_in(path), "the process")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    until(lambda: has_ended(path), "the end of the process")


def test_ctrl_c_kills_the_process(tmp_path: Path) -> None:
    path = tmp_path / "id"
    pressed = interrupt_once(lambda: id_in(path))
    with pytest.raises(KeyboardInterrupt):
        call(tools.stays, path=str(path))
    pressed.join()
    until(lambda: has_ended(path), "the end of the process")


def test_a_function_that_pickle_cannot_find_is_refused() -> None:
    with pytest.raises(InputError, match="cannot go to another process"):
        bind(lambda: 1, isolation="process")


UNGUARDED = """\
import os, pathlib
from refract_asp.runtime import bind, invoke

def spin():
    pathlib.Path("id").write_text(str(os.getpid()))
    while True:
        pass

print(invoke({"name": "spin", "arguments": {}}, {"spin": bind(spin, isolation="process", timeout=0.2)}))
"""


@pytest.mark.slow
def test_no_process_stays_behind_when_the_program_ends(tmp_path: Path) -> None:
    """Also where the program is over before the process has begun, and runs again in it."""
    (tmp_path / "program.py").write_text(UNGUARDED, encoding="utf-8")
    command = [sys.executable, "program.py"]
    output = subprocess.check_output(command, cwd=tmp_path, text=True, timeout=PATIENCE)
    assert "timeout" in output
    until(lambda: has_ended(tmp_path / "id"), "the end of the process")
