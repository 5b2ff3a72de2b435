"""What helps the tests: none of them reads a clock, growth is seen, and timers pass without waiting."""

import ast
import asyncio
from pathlib import Path

import pytest

from growth import assert_linear
from waiting import run_timeless

TESTS = Path(__file__).resolve().parent


def clocks_in(path: Path) -> list[int]:
    """Return the lines of a module that use more of the module `time` than `sleep`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Attribute(value=ast.Name("time"), attr=name) if name != "sleep":
                found.append(node.lineno)
            case ast.ImportFrom("time" | "timeit") | ast.Import([ast.alias("timeit")]):
                found.append(node.lineno)
    return found


@pytest.mark.slow
def test_no_test_reads_a_clock() -> None:
    """So none asserts how long something took: count what is done (`growth`), or wait for it (`waiting`)."""
    assert clocks_in(TESTS / "waiting.py")
    rest = set(TESTS.rglob("*.py")) - {TESTS / "waiting.py"}
    assert {path: lines for path in rest if (lines := clocks_in(path))} == {}


def test_growth_is_seen() -> None:
    assert_linear(lambda size: [each for each in range(size)], 20)  # noqa: C416 - a loop in Python
    with pytest.raises(AssertionError, match=r"\d+ lines for 20, \d+ lines for 80"):
        assert_linear(lambda size: [a + b for a in range(size) for b in range(size)], 20)


def test_timers_pass_in_their_order() -> None:
    ended: list[int] = []

    async def nap(hours: int) -> None:
        await asyncio.sleep(3600 * hours)
        ended.append(hours)

    async def main() -> None:
        await asyncio.gather(nap(3), nap(1), nap(2))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 3600)

    run_timeless(main())
    assert ended == [1, 2, 3]
