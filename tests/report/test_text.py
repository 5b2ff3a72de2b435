"""The summary on a terminal: one line for each thing to know, prose wrapped, calls never."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.model import (
    AskFor,
    Call,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmFor,
    ConfirmTool,
    RepairResult,
    Report,
    Violation,
)
from refract_asp.model.edits import AddCall, AddLabel, RenameTool
from refract_asp.report.text import summary

Build = Callable[..., RepairResult]

UNRESOLVED = "TripadvisorSearchHotels", "HotelsSearch"
UNASKED = "no reference demands the added call"
LEFT_OUT = "an argument is left out of a call that may change something"
FITTING = "the tool was chosen because it fits, not because of its name"
READ_AS_TEXT = (
    "$money$ in argument query of call 1 names nothing that is known and is read as text."
)
ABSENT = Violation(
    code="missing_parameter",
    call=1,
    tool="SkyScrapperFlightSearch",
    label="var3",
    parameter="date",
    message="SkyScrapperFlightSearch requires date",
)
UNKNOWN = Violation(
    code="unknown_tool", call=2, tool="Hotles", message="the catalog has no tool Hotles"
)
GIVEN = """\
Search(query="New York")
var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$")
Hotles()
"""
REPAIRED = """\
ask(date)
var1 = Search(query="New York")
var2 = News()
confirm(originSkyId="$var1.skyId$")
var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", date=date)
Hotles()
"""


@pytest.fixture
def everything(result: Build) -> RepairResult:
    """Return a result that has one of each thing that can be said."""
    drop = ConfirmDrop(parameter="adults")
    return result(
        GIVEN,
        REPAIRED,
        [0, None, 1, 2],
        verdict="unrepairable",
        violations=(ABSENT, UNKNOWN),
        edits=(
            AddLabel(call=0, after="var1", answers=(0,)),
            AddCall(added=Call(name="News", label="var2"), risky=UNASKED),
            RenameTool(call=2, before="Hotles", after="Hotels", risky=FITTING),
        ),
        confirms=(
            ConfirmFor(call=1, confirm=ConfirmTool(), reason=UNASKED),
            ConfirmFor(call=2, confirm=ConfirmArgument(parameter="originSkyId")),
            ConfirmFor(call=2, confirm=drop, reason=LEFT_OUT),
        ),
        asks=(AskFor(name="date", call=2, parameter="date", description="Departure date"),),
        unresolved=(2,),
        suggestions={2: UNRESOLVED},
        ambiguous=True,
        undecided=("var3.originSkyId: $var1.skyId$ or ask", "whether News is called"),
        truncated=("tools that take the arguments of call 3",),
        notes=(READ_AS_TEXT,),
        cost={"ask": 350, "add_label": 15, "likeness": 0},
        total={1: 365},
        lower_bound={1: 360},
        optimal=False,
    )


@pytest.mark.parametrize("width", [80, 200])
def test_says_everything(everything: RepairResult, width: int, snapshot: SnapshotAssertion) -> None:
    assert summary(everything, width=width) == snapshot


def test_colour_changes_nothing_but_the_colour(everything: RepairResult) -> None:
    colored = summary(everything, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == summary(everything)


OUT_OF_TIME = "unknown: the time ran out before an answer was found."
ASKING, CONFIRMING = "ask(x)\nA(x=x)", "confirm(A)\nA()\nconfirm(B)\nB()"
LABELLED: dict[str, object] = {"edits": (AddLabel(call=0, after="v"),)}


@pytest.mark.parametrize(
    "line",
    [
        "valid: nothing has to change.",
        "invalid: 0 violations.",
        "needs_input: something has still to be asked or confirmed.",
        OUT_OF_TIME,
    ],
)
def test_a_check_starts_with_its_verdict(line: str) -> None:
    assert summary(Report.model_validate({"verdict": line.partition(":")[0]})) == line


@pytest.mark.parametrize(
    ("given", "repaired", "more", "line"),
    [
        ("A()", "A()", {}, "valid: nothing has to change."),
        ("A()", "A()", {}, OUT_OF_TIME),
        ("A()", "v = A()", LABELLED, "repaired: 1 edit."),
        (
            "A()",
            "v = A()",
            LABELLED | {"optimal": False},
            "repaired: 1 edit; not proven to be the cheapest.",
        ),
        (ASKING, ASKING, {}, "needs_input: 1 value to ask for."),
        (CONFIRMING, CONFIRMING, {}, "needs_input: 2 points to confirm."),
        (
            "A()\nB()",
            "A()\nB()",
            {"unresolved": (0, 1)},
            "unrepairable: 2 calls could not be mended and stay as they were.",
        ),
    ],
)
def test_a_repair_starts_with_its_verdict(
    result: Build, given: str, repaired: str, more: dict[str, object], line: str
) -> None:
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


def test_a_risk_without_a_confirm_is_told(result: Build) -> None:
    edit = RenameTool(call=0, before="A", after="B", risky="chosen by fit alone.")
    text = summary(result("v = A()", "v = B()", edits=(edit,)))
    assert "risk: call 1 (v): chosen by fit alone." in text


def test_what_is_returned_can_be_at_fault(result: Build) -> None:
    violation = Violation(
        code="unknown_label", call=1, tool="", parameter="total", message="no call bears it"
    )
    text = summary(
        result("A()", "A()", verdict="unrepairable", violations=(violation,), unresolved=(0, 1))
    )
    assert "violation: what is returned, total: no call bears it [unknown_label]" in text
    assert "unresolved: call 1 (A): nothing admissible mends it" in text
    assert "unresolved: what is returned: nothing admissible mends it" in text
