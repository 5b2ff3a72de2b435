"""What is read inside a value is judged by the parameter to which the argument goes."""

from __future__ import annotations

import pytest

from refract_asp import check, repair

GET = {
    "name": "Get",
    "effect": "read",
    "returns": {"text": {"type": "string"}, "number": {"type": "integer"}},
}
USE = {
    "name": "Use",
    "effect": "read",
    "parameters": {"amount": {"type": "array", "items": {"type": "integer"}, "required": True}},
}
CATALOG = {"tools": [GET, USE]}


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ('Use(amont=["$a.number$"])', "repaired"),
        ('Use(amont=["$a.text$"])', "needs_input"),
        ('Usee(amont=["$a.number$", 3])', "repaired"),
        ('Use(amount=["$a.text$"])', "needs_input"),
    ],
)
def test_a_renamed_argument_is_judged_inside(call: str, verdict: str) -> None:
    result = repair(f"a = Get()\n{call}", CATALOG)
    assert result.verdict == verdict
    answer = result.answer({ask.name: [1] if not ask.path else 1 for ask in result.asks})
    assert check(answer, CATALOG).verdict == "valid"
