"""The summary on a terminal: one line for each thing to know, prose wrapped, calls never."""

import re
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text
from syrupy.assertion import SnapshotAssertion

from declaring import TEXT, tool
from refract_asp import check, repair
from refract_asp.model import Constant, RepairResult, Report, Violation
from refract_asp.model.edits import DropArgument, RenameTool
from refract_asp.report.text import summary

from .renderings import cases

Build = Callable[..., RepairResult]


@pytest.fixture
def everything(result: Build) -> RepairResult:
    """Return a result that has one of each thing that can be said."""
    said = cases("everything")
    return result(said.pop("given"), said.pop("repaired"), said.pop("origins"), **said)


@pytest.mark.parametrize("width", [80, 200])
def test_says_everything(everything: RepairResult, width: int, snapshot: SnapshotAssertion) -> None:
    text = summary(everything, width=width)
    assert text == snapshot
    colored = summary(everything, width=width, color=True)
    assert "\x1b[" in colored
    plain = re.sub(r"\x1b\[[\d;]*m", "", colored)
    assert "".join(plain.split()).replace(",)", ")") == "".join(without_hints(text).split())


def without_hints(text: str) -> str:
    """Return a text without the lines that point at what differs; colours mark it inside the lines."""
    return re.sub(r"^\?.*\n\n?", "", text, flags=re.M)


HEADS = cases("heads")


def test_a_check_starts_with_its_verdict() -> None:
    for line in (
        "valid: nothing has to change.",
        "invalid: 0 violations.",
        "needs_input: something must still be asked for or confirmed.",
        "unknown: the time ran out before an answer was found.",
    ):
        assert summary(Report.model_validate({"verdict": line.partition(":")[0]})) == line


@pytest.mark.parametrize("line", HEADS)
def test_a_repair_starts_with_its_verdict(result: Build, line: str) -> None:
    given, repaired, more = HEADS[line]
    verdict = line.partition(":")[0]
    assert summary(result(given, repaired, verdict=verdict, **more)).splitlines()[0] == line


def test_prose_is_wrapped_and_calls_are_not(result: Build) -> None:
    long = f'v = Tool(text="{"word " * 60}")'
    violation = Violation(code="unknown_tool", call=0, tool="Tool", message="word " * 60)
    text = summary(result(long.removeprefix("v = "), long, violations=(violation,)), width=80)
    assert f"+ {long}" in text.splitlines()
    prose = text[text.index("violation:") :].splitlines()
    assert len(prose) > 3
    assert all(len(line) <= 80 for line in prose)


def test_a_form_is_told_once() -> None:
    """The line of the edit has the rule; steps inside of a value have lines of their own."""
    pay = tool("Pay", sum={"type": "number"}, how={"type": "object"})
    text = summary(repair('Pay(sum="4", how="{\'a\': 1}")', {"tools": [pay]}))
    assert "edit: sum becomes 4 [text_to_number]" in text
    assert "form:" not in text
    pay["parameters"]["how"] = {"type": "object", "properties": {"fast": {"type": "boolean"}}}
    text = summary(repair('Pay(how={"fast": "yes"})', {"tools": [pay]}))
    assert 'form: call 1 (Pay), how.fast: "yes" becomes true [text_to_boolean]' in text


def test_a_risk_without_a_confirm_is_told(result: Build) -> None:
    edit = RenameTool(call=0, before="A", after="B", risky="chosen by fit alone.")
    text = summary(result("v = A()", "v = B()", edits=(edit,)))
    assert "risk: call 1 (v): chosen by fit alone." in text
    drop = DropArgument(call=0, parameter="x", before=Constant(value=1), risky="it may be needed.")
    text = summary(result("v = A(x=1)", "v = A()", edits=(drop,)))
    assert "risk: call 1 (v), x: it may be needed." in text


@pytest.mark.parametrize(("bound", "proven"), [({2: 30}, "30"), ({}, "none")])
def test_of_a_cost_that_may_not_be_the_least_the_bound_is_told(
    result: Build, bound: dict[int, int], proven: str
) -> None:
    said: Any = {"cost": {"ask": 35}, "total": {2: 35}, "lower_bound": bound, "optimal": False}
    text = " ".join(summary(result("v = A()", "v = B()", **said), costs=True).split())
    assert f"; 35 in all, proven lower bound {proven} (model" in text


def test_what_is_returned_can_be_at_fault(result: Build) -> None:
    lost: Any = {"code": "unknown_label", "call": 1, "tool": "", "parameter": "total"}
    violations = (Violation(**lost, message="no call has it"),)
    said: Any = {"verdict": "unrepairable", "violations": violations, "unresolved": (0, 1)}
    text = summary(result("A()", "A()", **said))
    assert "violation: what is returned, total: no call has it [unknown_label]" in text
    assert "unresolved: call 1 (A): nothing admissible mends it" in text
    assert "unresolved: what is returned: nothing admissible mends it" in text


def test_a_result_prints_itself() -> None:
    tools = {"tools": [tool("Pay", "read", to=TEXT, sum="number")]}
    result = repair('Pay(to="<Ann>", sum="4")', tools)
    assert str(result) == summary(result)
    assert (result.ok, [call.name for call in result.calls]) == (True, ["Pay"])
    report = check('Pay(to="<Ann>", sum="4")', tools)
    assert (report.ok, str(report)) == (False, summary(report))
    assert "&lt;Ann&gt;" in result._repr_html_()
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=200, color_system="standard")
    console.print(result)
    console.print(report)
    printed = out.getvalue()
    assert "\x1b[32m+ \x1b[0m\x1b[32mPay(" in printed
    assert Text.from_ansi(printed).plain.startswith(without_hints(summary(result)))
