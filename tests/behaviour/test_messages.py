"""The sentence that a violation is told in, where one code has several."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, Sequence, check

TEXT = {"type": "string"}
CATALOG = Catalog.load(
    {
        "tools": [
            {"name": "f", "effect": "read", "parameters": {"x": TEXT}, "returns": {"y": TEXT}},
            {"name": "two", "parameters": {"a": TEXT, "b{}": TEXT}},
            {"name": "none", "parameters": {}},
        ]
    }
)


def told(calls: str, code: str, format: str = "pretty") -> list[str]:
    """Return the messages of a code."""
    found = check(Sequence.load(calls, format), CATALOG).violations
    return [each.message for each in found if each.code == code]


def test_a_copy_names_the_call_that_it_repeats() -> None:
    calls = 'b = f(x="0")\na = f(x="1")\nb = f(x="2")\na = f(x="1")\na = f(x="1")'
    assert told(calls, "duplicate_call") == ["f is called as in call 2, with the same label"] * 2


def test_a_call_that_reads_from_itself() -> None:
    assert told('a = f(x="$a.y$")', "read_before_written") == [
        "f reads from itself: $a.y$ is what it returns"
    ]
    assert told('a = f(x="$b.y$")\nb = f(x="$a.y$")', "read_before_written") == [
        "$b.y$ reads from a call that comes later"
    ]
    again = 'a = f(x="1")\na = f(x="$a.y$")'
    assert told(again, "read_before_written") == [], "it reads from the call before it"


@pytest.mark.parametrize(
    ("call", "positions"),
    [
        ("f('v')", []),
        ("none('v')", [1]),
        ("f('v', 'w')", [1, 2]),
        ("f('v', x='w')", [1]),
        ("two('v', 'w', a='w')", [1, 2]),
        ("g('v')", [1]),  # its parameters have no order
    ],
)
def test_arguments_by_position(call: str, positions: list[int]) -> None:
    properties = {name: {"type": "string"} for name in "abc"}
    unordered = {
        "type": "function",
        "function": {"name": "g", "parameters": {"properties": properties}},
    }
    catalog = Catalog.load([unordered]) if call.startswith("g") else CATALOG
    violations = check(Sequence.load(call, "python"), catalog).violations
    name = call.partition("(")[0]
    assert [each.message for each in violations if each.code == "undeclared_parameter"] == [
        f"no parameter of {name} can take the argument at position {at}" for at in positions
    ]
    assert told("f(y='v')", "undeclared_parameter", "python") == ["f has no parameter y"]
