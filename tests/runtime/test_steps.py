"""Steps of a sequence: who needs what, and how arguments are made of what is known."""

from pathlib import Path
from typing import Any

import pytest

from declaring import called, message, tool
from refract_asp import Catalog, Memory, Sequence, repair
from refract_asp.errors import BadArgumentError
from refract_asp.model.stages import order_of, stages
from refract_asp.runtime.scripts import SequenceScript
from yaml_files import read_yaml

CALLS: dict[str, Any] = read_yaml(Path(__file__).with_name("calls.yaml"))


def arguments(text: Any, *values: Any, memory: Any = None, number: int = 1) -> Any:
    script = SequenceScript(Sequence.load(text), Memory(values=memory or {}))
    return script.arguments(number, dict(enumerate(values)), {}).named


def test_a_label_given_twice_means_its_last_use_before_the_reader() -> None:
    script = SequenceScript(Sequence.load('a = f()\ng(x="$a$")\na = f()\ng(x="$a$")'))
    assert [step.needs for step in script.steps] == [(), (0,), (), (2,)]
    assert script.arguments(3, {0: "old", 2: "new"}, {}).named == {"x": "new"}


DEEP = [
    {"name": "f", "label": "v", "arguments": {}},
    {"name": "g", "arguments": {"x": {"a": [{"b": "$v.p$"}, "<$v.p$>", 7]}}},
]
TEXT = 'a = f()\ng(x="$a.t$: $a.n$, $a.o$, $nobody$ pays")'


MADE = [
    ('a = f()\ng(x="$a$", y="$b.c$")', 1, {"a": 2, "b": {"c": 3}}, {"x": 1, "y": 3}),
    # texts as they are, other values as JSON, what only looks like a reference as it stood
    (TEXT, {"t": "é", "n": None, "o": {"k": [1.5, True]}}, None,
     {"x": 'é: null, {"k": [1.5, true]}, $nobody$ pays'}),
    (DEEP, {"p": [1]}, None, {"x": {"a": [{"b": [1]}, "<[1]>", 7]}}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "memory", "made"), MADE)
def test_what_arguments_are_made_of(text: Any, value: Any, memory: Any, made: Any) -> None:
    assert arguments(text, value, memory=memory) == made


def test_a_later_call_is_not_read() -> None:
    assert arguments('g(x="$a$")\na = f()', memory={"a": 2}, number=0) == {"x": 2}


def test_what_is_made_shares_nothing_with_what_is_known() -> None:
    value = {"list": [1]}
    arguments('a = f()\ng(x="$a.list$")', value)["x"].append(2)
    assert value == {"list": [1]}
    script = SequenceScript(Sequence.load([{"name": "f", "arguments": {"x": [[]]}}]))
    script.arguments(0, {}, {}).named["x"][0].append(3)
    assert script.arguments(0, {}, {}).named == {"x": [[]]}


@pytest.mark.parametrize(("reference", "value", "said"), CALLS["not_there"])
def test_what_is_not_there_is_told(reference: str, value: Any, said: str) -> None:
    with pytest.raises(BadArgumentError) as error:
        arguments(f'a = f()\ng(x="{reference}")', value)
    assert str(error.value) == f"x: {said}"


def test_what_there_is_instead_is_bounded() -> None:
    with pytest.raises(BadArgumentError) as error:
        arguments('a = f()\ng(x="$a.z$")', {f"\x1b{n}" + "k" * 500: n for n in range(5000)})
    assert (len(str(error.value)) < 600, "\x1b" in str(error.value)) == (True, False)


@pytest.mark.slow
def test_doubling_values_are_refused() -> None:
    with pytest.raises(BadArgumentError, match="too large"):
        arguments(f'a = f()\ng(x="{"$a$" * 2000}")', "x" * 1_000_000)
    listed = {"name": "g", "arguments": {"x": ["$a$"] * 2000}}
    with pytest.raises(BadArgumentError, match="too large"):
        arguments([{"name": "f", "label": "a", "arguments": {}}, listed], [0] * 1000)


def test_a_whole_value_that_nothing_bears_is_no_text() -> None:
    with pytest.raises(BadArgumentError, match=r"x: \$b\$: nothing has this name. Known: a."):
        arguments('a = f()\ng(x="$b$")', 1)


def test_positions() -> None:
    many = Sequence.load(f"f({', '.join(map(str, range(12)))})")
    assert SequenceScript(many).arguments(0, {}, {}) == ({}, tuple(range(12)))
    rotate = Sequence.load('rotate("a.png", 45)')
    assert SequenceScript(rotate).arguments(0, {}, {}) == ({}, ("a.png", 45))
    catalog = Catalog.load({"tools": [tool("rotate", image="string", by="number")]})
    named = SequenceScript(rotate, catalog=catalog).arguments(0, {}, {})
    assert named == ({"image": "a.png", "by": 45}, ())


def test_what_changes_something_keeps_its_order() -> None:
    effects = {"get": "read", "pay": "write", "drop": "destructive", "odd": "unknown"}
    catalog = Catalog.load({"tools": [tool(*each) for each in effects.items()]})
    calls = Sequence.load("pay()\nget()\nodd()\ndrop()\nodd()").calls
    assert order_of(calls, catalog) == [(), (), (), (0,), ()]
    assert order_of(calls, catalog, "risky") == [(), (), (0,), (2,), (3,)]
    assert order_of(calls, catalog, "data") == order_of(calls, None) == [()] * 5
    assert stages(Sequence(calls=calls), catalog) == ((0, 1, 2, 4), (3,))


def test_what_could_not_be_mended_or_read_is_refused() -> None:
    catalog = {"tools": [tool("Get", "read", x={"type": "number"})]}
    steps = SequenceScript(repair('Qqqqqqq(zzz="1")\nGet(x=1)', catalog)).steps
    assert [step.refused and step.refused.kind for step in steps] == ["unknown_tool", None]
    (step,) = SequenceScript(Sequence.load(message(called("f", '{"a": ')))).steps
    assert (step.id, step.refused.kind) == ("c1", "malformed_arguments")
