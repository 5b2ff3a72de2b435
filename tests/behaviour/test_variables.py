"""Context variables that are misspelt."""

from __future__ import annotations

import pytest

from refract_asp import repair

TOOLS = {
    "tools": [
        {
            "name": "Book",
            "effect": "read",
            "parameters": {"on": {"type": "string", "required": True}},
        },
    ]
}
MEMORY = {"today": "2024-08-14", "tomorrow": "2024-08-15"}


@pytest.mark.parametrize("written", ["tomorow", "tommorrow", "Tomorrow", "tomorrw"])
def test_the_value_that_is_meant_is_read(written: str) -> None:
    result = repair(f'Book(on="${written}$")', TOOLS, MEMORY)
    assert str(result.sequence) == 'Book(on="$tomorrow$")'


def test_a_word_that_is_like_none_is_asked_for() -> None:
    assert repair('Book(on="$zzz$")', TOOLS, MEMORY).verdict == "needs_input"
