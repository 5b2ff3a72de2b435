"""The summary on a terminal: one line for each thing to know, prose wrapped, calls never."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.model import (
    AskFor,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmFor,
    ConfirmTool,
    RepairResult,
    Report,
    Verdict,
    Violation,
)
from refract_asp.model.edits import AddCall, AddLabel, RenameTool
from refract_asp.report.text import summary

Build = Callable[..., RepairResult]

VIOLATIONS = (
    Violation(
        code="missing_parameter",
        call=1,
        tool="SkyScrapperFlightSearch",
        label="var3",
        parameter="date",
        message="SkyScrapperFlightSearch requires date",
    ),
    Violation(code="unknown_tool", call=2, tool="Hotles", message="the catalog has no tool Hotles"),
)


@pytest.fixture
def everything(result: Build) -> RepairResult:
    """Return a result that has one of each thing that can be said."""
    repaired = result(
        'Search(query="New York")\nvar3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$")\nHotles()',
        "ask(date)\n"
        'var1 = Search(query="New York")\n'
        "var2 = News()\n"
        'confirm(originSkyId="$var1.skyId$")\n'
        'var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", date=date)\n'
        "Hotles()",
        [0, None, 1, 2],
        verdict="unrepairable",
        violations=VIOLATIONS,
        asks=(AskFor(name="date", call=2, parameter="date", description="Departure date"),),
        unresolved=(2,),
        suggestions={2: ("TripadvisorSearchHotels", "HotelsSearch")},
        ambiguous=True,
        undecided=("var3.originSkyId: $var1.skyId$ or ask", "whether News is called"),
        truncated=("tools that take the arguments of call 3",),
        notes=(
            "$money$ in argument query of call 1 names nothing that is known and is read as text.",
        ),
        cost={"ask": 350, "add_label": 15, "likeness": 0},
        total={1: 365},
        lower_bound={1: 360},
        optimal=False,
    )
    call = repaired.sequence.calls
    return repaired.model_copy(
        update={
            "edits": (
                AddLabel(call=0, after="var1", answers=(0,)),
                AddCall(added=call[1], risky="no reference demands the added call"),
                RenameTool(
                    call=2,
                    before="Hotles",
                    after="Hotels",
                    risky="the tool was chosen because it fits, not because of its name",
                ),
            ),
            "confirms": (
                ConfirmFor(
                    call=1, confirm=ConfirmTool(), reason="no reference demands the added call"
                ),
                ConfirmFor(call=2, confirm=ConfirmArgument(parameter="originSkyId")),
                ConfirmFor(
                    call=2,
                    confirm=ConfirmDrop(parameter="adults"),
                    reason="an argument is left out of a call that may change something",
                ),
            ),
        }
    )


@pytest.mark.parametrize("width", [80, 200])
def test_says_everything(everything: RepairResult, width: int, snapshot: SnapshotAssertion) -> None:
    assert summary(everything, width=width) == snapshot


def test_colour_changes_nothing_but_the_colour(everything: RepairResult) -> None:
    colored = summary(everything, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == summary(everything)


VERDICTS: dict[Verdict, str] = {
    "valid": "valid: nothing has to change.",
    "invalid": "invalid: 0 violations.",
    "needs_input": "needs_input: something has still to be asked or confirmed.",
    "unknown": "unknown: the time ran out before an answer was found.",
}


@pytest.mark.parametrize(("verdict", "line"), VERDICTS.items())
def test_a_check_starts_with_its_verdict(verdict: Verdict, line: str) -> None:
    assert summary(Report(verdict=verdict)) == line


@pytest.mark.parametrize(
    ("given", "repaired", "more", "line"),
    [
        ("A()", "A()", {"verdict": "valid"}, "valid: nothing has to change."),
        (
            "A()",
            "A()",
            {"verdict": "unknown"},
            "unknown: the time ran out before an answer was found.",
        ),
        ("A()", "v = A()", {"edits": (AddLabel(call=0, after="v"),)}, "repaired: 1 edit."),
        (
            "A()",
            "v = A()",
            {"edits": (AddLabel(call=0, after="v"),), "optimal": False},
            "repaired: 1 edit; not proven to be the cheapest.",
        ),
        (
            "ask(x)\nA(x=x)",
            "ask(x)\nA(x=x)",
            {"verdict": "needs_input"},
            "needs_input: 1 value to ask for.",
        ),
        (
            "confirm(A)\nA()\nconfirm(B)\nB()",
            "confirm(A)\nA()\nconfirm(B)\nB()",
            {"verdict": "needs_input"},
            "needs_input: 2 points to confirm.",
        ),
        (
            "A()\nB()",
            "A()\nB()",
            {"verdict": "unrepairable", "unresolved": (0, 1)},
            "unrepairable: 2 calls could not be mended and stay as they were.",
        ),
    ],
)
def test_a_repair_starts_with_its_verdict(
    result: Build, given: str, repaired: str, more: dict[str, object], line: str
) -> None:
    assert summary(result(given, repaired, **more)).splitlines()[0] == line


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


def test_names_and_messages_cannot_reach_the_terminal() -> None:
    violation = Violation(
        code="unknown_tool",
        call=0,
        tool="\x1b[2J\u202eT",
        parameter="p\x07",
        message="no\x1b]0;x\x07\u2028.",
    )
    text = summary(Report(verdict="invalid", violations=(violation,), notes=("\x9b31m",)))
    assert text.replace("\n", "").isprintable()


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
