"""Steps of a sequence: who needs what, and how arguments are made of what is known."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, Memory, Sequence, repair
from refract_asp.errors import BadArgumentError
from refract_asp.model.stages import order_of, stages
from refract_asp.runtime.scripts import SequenceScript


def arguments(
    text: Any, values: dict[int, Any], memory: dict[str, Any] | None = None, number: int = 1
) -> Any:
    script = SequenceScript(Sequence.load(text), Memory(values=memory or {}))
    return script.arguments(number, values, {}).named


def test_a_label_given_twice_means_its_last_use_before_the_reader() -> None:
    script = SequenceScript(Sequence.load('a = f()\ng(x="$a$")\na = f()\ng(x="$a$")'))
    assert [step.needs for step in script.steps] == [(), (0,), (), (2,)]
    assert script.arguments(3, {0: "old", 2: "new"}, {}).named == {"x": "new"}


def test_an_earlier_call_comes_before_memory() -> None:
    text = 'a = f()\ng(x="$a$", y="$b.c$")'
    assert arguments(text, {0: 1}, {"a": 2, "b": {"c": 3}}) == {"x": 1, "y": 3}


def test_a_later_call_does_not() -> None:
    assert arguments('g(x="$a$")\na = f()', {}, {"a": 2}, number=0) == {"x": 2}


def test_templates() -> None:
    """Texts as they are, other values as JSON, what only looks like a reference as it stood."""
    text = 'a = f()\ng(x="$a.t$: $a.n$, $a.o$, $nobody$ pays")'
    assert arguments(text, {0: {"t": "é", "n": None, "o": {"k": [1.5, True]}}}) == {
        "x": 'é: null, {"k": [1.5, true]}, $nobody$ pays'
    }


def test_structures_at_any_depth() -> None:
    call = {"name": "g", "arguments": {"x": {"a": [{"b": "$v.p$"}, "<$v.p$>", 7]}}}
    made = arguments([{"name": "f", "label": "v", "arguments": {}}, call], {0: {"p": [1]}})
    assert made == {"x": {"a": [{"b": [1]}, "<[1]>", 7]}}


def test_what_is_made_shares_nothing_with_what_is_known() -> None:
    values = {0: {"list": [1]}}
    constant = Sequence.load([{"name": "f", "arguments": {"x": [[]]}}])
    made = arguments('a = f()\ng(x="$a.list$")', values)
    made["x"].append(2)
    first = SequenceScript(constant).arguments(0, {}, {}).named
    first["x"][0].append(3)
    assert values == {0: {"list": [1]}}
    assert SequenceScript(constant).arguments(0, {}, {}).named == {"x": [[]]}


@pytest.mark.parametrize(
    ("reference", "value", "said"),
    [
        (
            "$a.nme$",
            {"id": 1, "name": 2},
            "x: $a.nme$: the object has no field 'nme'. Did you mean name?",
        ),
        ("$a.q$", {"b": 1, "c": 2}, "x: $a.q$: the object has no field 'q'. There are: b, c."),
        (
            "$a[2]$",
            [1],
            "x: $a[2]$: the list has no element [2]: it has 1 element.",
        ),
        ("$a[0].b$", ["t"], "x: $a[0].b$: at $a[0]$ a text has no field 'b'."),
        (
            "$a.b[0]$",
            {"b": {}},
            "x: $a.b[0]$: at $a.b$ an object has no elements. Fields are read with a dot.",
        ),
        ("$a.b.c$", {"b": None}, "x: $a.b.c$: at $a.b$ null has no field 'c'."),
    ],
)
def test_what_is_not_there_is_told(reference: str, value: Any, said: str) -> None:
    with pytest.raises(BadArgumentError) as error:
        arguments(f'a = f()\ng(x="{reference}")', {0: value})
    assert str(error.value) == said


def test_what_there_is_instead_is_bounded() -> None:
    with pytest.raises(BadArgumentError) as error:
        arguments('a = f()\ng(x="$a.z$")', {0: {f"\x1b{n}" + "k" * 500: n for n in range(5000)}})
    assert len(str(error.value)) < 600
    assert "\x1b" not in str(error.value)


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(BadArgumentError, match=r"nothing bears this name\. Known: a, day\."):
        arguments('a = f()\ng(x="$b.c$")', {0: 1}, {"day": 2})


@pytest.mark.slow
def test_doubling_values_are_refused() -> None:
    large = "x" * 1_000_000
    with pytest.raises(BadArgumentError, match="too large"):
        arguments(f'a = f()\ng(x="{"$a$" * 2000}")', {0: large})
    with pytest.raises(BadArgumentError, match="too large"):
        arguments([{"name": "f", "label": "a", "arguments": {}},
                   {"name": "g", "arguments": {"x": ["$a$"] * 2000}}], {0: [0] * 1000})  # fmt: skip


def test_positions() -> None:
    rotate = SequenceScript(Sequence.load('rotate("a.png", 45)'))
    assert rotate.arguments(0, {}, {}) == ({}, ("a.png", 45))
    catalog = Catalog.load(
        {"tools": [{"name": "rotate", "parameters": {"image": "string", "by": "number"}}]}
    )
    named = SequenceScript(Sequence.load('rotate("a.png", 45)'), catalog=catalog)
    assert named.arguments(0, {}, {}) == ({"image": "a.png", "by": 45}, ())


EFFECTS = {
    "tools": [
        {"name": "get", "effect": "read"},
        {"name": "pay", "effect": "write"},
        {"name": "drop", "effect": "destructive"},
        {"name": "odd"},
    ]
}


def test_what_changes_something_keeps_its_order() -> None:
    calls = Sequence.load("pay()\nget()\nodd()\ndrop()\nodd()").calls
    catalog = Catalog.load(EFFECTS)
    assert order_of(calls, catalog) == [(), (), (), (0,), ()]
    assert order_of(calls, catalog, "risky") == [(), (), (0,), (2,), (3,)]
    assert order_of(calls, catalog, "data") == [()] * 5
    assert order_of(calls, None) == [()] * 5
    assert stages(Sequence(calls=calls), catalog) == ((0, 1, 2, 4), (3,))


def test_what_could_not_be_mended_is_refused() -> None:
    catalog = {
        "tools": [{"name": "Get", "effect": "read", "parameters": {"x": {"type": "number"}}}]
    }
    result = repair('Qqqqqqq(zzz="1")\nGet(x=1)', catalog)
    assert result.verdict == "unrepairable"
    steps = SequenceScript(result).steps
    assert [step.refused.kind if step.refused else None for step in steps] == ["unknown_tool", None]


def test_malformed_arguments_are_refused() -> None:
    message = {"role": "assistant", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": "}}]}  # fmt: skip
    (step,) = SequenceScript(Sequence.load(message)).steps
    assert step.id == "c1"
    assert step.refused is not None
    assert step.refused.kind == "malformed_arguments"
