"""What `check` prints for people."""

from __future__ import annotations

import re

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Report, check
from refract_asp.report import check_text
from refract_asp.resources import catalog_path

from .renderings import faulty

SGR = re.compile(r"\x1b\[[0-9;]*m")
FIELDS = {f"f{m:02}": "string" for m in range(30)}
MANY = {"tools": [{"name": f"Tool{n:02}", "returns": FIELDS} for n in range(30)]}


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_diagnostic_is_printed(width: int, snapshot: SnapshotAssertion) -> None:
    """Prose keeps to the width, references are never broken, and colours change nothing else."""
    text = check_text(faulty(), width=width)
    assert text == snapshot
    assert width == 40 or max(map(len, text.splitlines())) <= min(width, 120)
    colored = check_text(faulty(), width=width, color=True)
    assert SGR.sub("", colored) == text
    assert "\x1b[1;31merror:\x1b[0m" in colored
    assert "\x1b[1;33mwarning:\x1b[0m" in check_text(faulty(), color=True, strict=False)


def test_a_long_listing_is_printed_once() -> None:
    text = check_text(check("a = Tool00()\nQ()\nR()\nS()\n", MANY))
    assert text.count("Available tools:\n") == 1
    assert text.count("Available tools: see above\n") == 2
    assert text.count("    ... and 10 more") == 1


def test_valid_is_one_line_and_its_notes() -> None:
    assert check_text(Report(verdict="valid", notes=("a", "b"))) == (
        "valid: nothing has to change.\n\nnote: a\nnote: b"
    )


def test_goals_are_told_too() -> None:
    text = check_text(check("", catalog_path("travel"), goals=["TripadvisorSearchHotels"]))
    assert "error: goal TripadvisorSearchHotels: " in text
