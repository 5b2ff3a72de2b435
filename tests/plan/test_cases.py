"""The cases of the original: what it accepts and yields, and where this one differs on purpose."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import PlanError, ToolError
from refract_asp.plan import Plan, parse_expression, parse_plan
from refract_asp.plan.context import Context
from refract_asp.plan.evaluation import evaluate
from refract_asp.runtime import run_async
from waiting import run_timeless

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "plan-language.md"


def add(a: float, b: float) -> float:
    if not (isinstance(a, int | float) and isinstance(b, int | float)):
        raise TypeError("numbers are added")
    return a + b


CONTEXT = Context(
    {
        "f": add, "g": lambda a, b: {"a": a, "b": b}, "a": {"b": {"c": 1010}}, "b": [1, 2, 3], "x": 123,
        "back": {"departs": lambda n: n + 1}, "zero": 0, "empty": "",
    }
)  # fmt: skip
ANSWERS: dict[str, Any] = {
    "flightInfo": {"departs": "d", "arrives": "a"},
    "other": "ok",
    "domainA": {"field1": 1},
    "domainB": [{"field2": "x"}],
}
"""What the tools of the traces give; any other gives its own name."""


def cases(data_dir: Path, *kinds: str) -> list[dict[str, Any]]:
    lines = (data_dir / "plan_language" / "cases.jsonl").read_text().splitlines()
    return [case for case in map(json.loads, lines) if case["kind"] in kinds]


def differences() -> dict[str, tuple[str, str, str]]:
    """Return what the document tells: by name of the case, the original, ours, and the reason."""
    part = DOCUMENT.read_text("utf-8").partition("## How plans differ from the original")[2]
    rows = [line.strip("| \n").split(" | ") for line in part.splitlines() if line[:1] == "|"]
    return {row[0]: (row[1].strip("`"), row[2].strip("`"), row[3]) for row in rows[2:]}


def theirs(case: dict[str, Any]) -> str:
    if not case["accepted"]:
        return "refused"
    return "error" if "eval_error" in case else json.dumps(case["value"])


def ours(case: dict[str, Any]) -> str:
    read = parse_expression if case["kind"] == "expression" else parse_plan
    try:
        parsed = read(case["input"]).require()
    except PlanError:
        return "refused"
    try:
        return json.dumps(evaluate(parsed, CONTEXT))
    except (PlanError, ToolError):
        return "error"


def same(one: str, other: str) -> bool:
    words = ("refused", "error")
    return one == other if one in words or other in words else json.loads(one) == json.loads(other)


@pytest.mark.data
def test_values_and_errors_differ_from_the_original_as_wanted(data_dir: Path) -> None:
    found = {}
    for case in cases(data_dir, "expression", "program"):
        # every tool is unbound here: those of the seeds are in the traces
        given, made = theirs(case), ours(case)
        if not same(given, made):
            found[case["name"]] = (given, made)
    told = differences()
    assert found == {name: row[:2] for name, row in told.items()}
    assert all(len(row[2].split()) > 3 for row in told.values())


def trace(plan: Plan, durations: dict[str, int], functions: list[str]) -> tuple[list[str], Any]:
    """Run a plan with tools that take so many milliseconds; return what happened, and its value."""
    events: list[str] = []

    def tool(name: str) -> Any:
        async def answer(*positional: Any, **named: Any) -> Any:
            passed = json.dumps([named] if named else positional, separators=(",", ":"))
            events.append(f"start {name} {passed}")
            await asyncio.sleep(durations.get(name, 0) / 1000)
            events.append(f"end {name}")
            return ANSWERS.get(name, {"field1": 1, "slot": name})

        return answer

    done = run_timeless(run_async(plan, {name: tool(name) for name in functions}))
    assert done.succeeded
    words = {"started": "start", "finished": "end"}
    told = [f"{words[event.kind]} {event.tool}" for event in done.events]
    assert told == [event.split(" [")[0] for event in events]
    return events, done.result


@pytest.mark.data
def test_calls_start_and_end_in_the_order_of_the_original(data_dir: Path) -> None:
    seen = 0
    for case in cases(data_dir, "trace"):
        mode = "strict" if case["accepted"] else "relaxed"
        plan = parse_plan(case["input"], mode=mode).require()  # type: ignore[arg-type]
        events, value = trace(plan, case["durations_ms"], case["functions"])
        seen += 1
        if case["accepted"]:
            assert (events, value) == (case["events"], case["value"]), case["name"]
        else:  # the first example of the seed, whose trailing comma the original refuses
            words = [event.split(" [")[0].replace("domain", "") for event in events]
            assert words == ["start A", "start B", "end B", "end A", "start C", "end C"]
    assert seen == 5
