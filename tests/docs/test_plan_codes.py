"""Every code of a plan stands in the document of plans, and no other one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from refract_asp.plan.diagnostics import PlanCode

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "plan-language.md"


def test_every_code_is_told_once() -> None:
    text = DOCUMENT.read_text("utf-8")
    part = text[text.index("## What is mended") : text.index("## Plans and sequences")]
    rows = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+) \|", part, re.MULTILINE)
    told = [code for row in rows for code in re.findall(r"`([a-z_]+)`", row)]
    assert sorted(told) == sorted(code for part in get_args(PlanCode) for code in get_args(part))
