"""What `check` prints for people."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from growth import assert_linear, lines_run
from refract_asp import Refractor, RepairResult, Report, check
from refract_asp.report import check_text
from refract_asp.report.text import summary
from refract_asp.resources import catalog_path

from .renderings import faulty

FIELDS = {f"f{m:02}": "string" for m in range(30)}
MANY = {"tools": [{"name": f"Tool{n:02}", "returns": FIELDS} for n in range(30)]}

TEXT = {"type": "string"}
GET = {"tools": [{"name": "Get", "parameters": {"a": TEXT}, "returns": {"a": TEXT}}]}


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_diagnostic_is_printed(width: int, snapshot: SnapshotAssertion) -> None:
    """Prose keeps to the width, references are never broken, and colours change nothing else."""
    text = check_text(faulty(), width=width)
    assert text == snapshot
    assert width == 40 or max(map(len, text.splitlines())) <= min(width, 120)
    colored = check_text(faulty(), width=width, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text
    assert "\x1b[1;31merror:\x1b[0m" in colored
    assert "\x1b[1;33mwarning:\x1b[0m" in check_text(faulty(), color=True, strict=False)


def test_a_long_listing_is_printed_once() -> None:
    text = check_text(check("a = Tool00()\nQ()\nR()\nS()\n", MANY))
    assert text.count("Available tools:\n") == 1
    assert text.count("Available tools: see above\n") == 2
    assert text.count("    ... and 10 more") == 1


def test_of_very_many_violations_the_first_are_printed() -> None:
    report = check([{"name": "Get", "arguments": dict.fromkeys(map(str, range(205)), 1)}], GET)
    assert check_text(report).endswith("\n\n... and 5 more violations")
    assert summary(report).endswith("\nviolation: ... and 5 more")
    assert len(report.diagnostics()) == 205


SHAPES: dict[str, Callable[[int], list[dict[str, Any]]]] = {
    "names": lambda n: [{"name": "Get", "arguments": dict.fromkeys(map(str, range(n)), 1)}],
    "values": lambda n: [{"name": "Get", "arguments": {"a": x}} for x in range(n)],
    "valid": lambda n: [
        {"name": "Get", "arguments": {"a": f"$v{x - 1}.a$"} if x else {}, "label": f"v{x}"}
        for x in range(n)
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_printing_is_linear(shape: str) -> None:
    asked = {n: Refractor(GET).repair(SHAPES[shape](n)) for n in (25, 100)}
    printers: list[Callable[[RepairResult], object]] = [
        summary, RepairResult.diagnostics, RepairResult.diff, check_text, lambda each: str(each.sequence),
    ]  # fmt: skip
    for printed in printers:
        assert_linear(lambda n, printed=printed: printed(asked[n]), 25)


def test_to_print_what_is_valid_takes_no_longer_than_to_check_it() -> None:
    refractor, given = Refractor(GET), SHAPES["valid"](500)
    result = refractor.repair(given)
    printed = lines_run(lambda: [summary(result), result.diff(), result.explain()])
    assert printed <= 2 * lines_run(lambda: refractor.check(given))


def test_valid_is_one_line_and_its_notes() -> None:
    text = check_text(Report(verdict="valid", notes=("a", "b")))
    assert text == "valid: nothing has to change.\n\nnote: a\nnote: b"


def test_goals_are_told_too() -> None:
    text = check_text(check("", catalog_path("travel"), goals=["TripadvisorSearchHotels"]))
    assert "error: goal TripadvisorSearchHotels: " in text
