"""The sentence that a violation is told in, where one code has several."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, check

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
    from refract_asp import Sequence

    found = check(Sequence.load(calls, format), CATALOG).violations
    return [each.message for each in found if each.code == code]


def test_a_copy_names_the_call_that_it_repeats() -> None:
    calls = 'b = f(x="0")\na = f(x="1")\nb = f(x="2")\na = f(x="1")\na = f(x="1")'
    assert told(calls, "duplicate_call") == ["f is called as in call 2, under the same label"] * 2


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
    ("call", "messages"),
    [
        ("f('v')", []),
        ("none('v')", ["none takes no argument at position 1"]),
        (
            "f('v', 'w')",
            ["f takes 1 argument, not 2 by position", "f takes no argument at position 2"],
        ),
        (
            "two('u', 'v', 'w')",
            ["two takes 2 arguments, not 3 by position"] * 2
            + ["two takes no argument at position 3"],
        ),
        ("f('v', x='w')", ["f takes x at position 1, and x is given by name too"]),
        (
            "two('v', 'w', a='w')",
            [
                "two takes a at position 1, and a is given by name too",
                "two takes b{} at position 2, and a is given by name too",
            ],
        ),
        ("f(y='v')", ["f has no parameter y"]),
    ],
)
def test_arguments_by_position(call: str, messages: list[str]) -> None:
    assert told(call, "undeclared_parameter", "python") == messages


def test_positions_of_a_tool_whose_parameters_have_no_order() -> None:
    properties = {name: {"type": "string"} for name in "abc"}
    catalog = [
        {"type": "function", "function": {"name": "g", "parameters": {"properties": properties}}}
    ]
    (found,) = check("g('v')", Catalog.load(catalog)).violations
    assert found.message == "g does not tell which argument stands at position 1"
