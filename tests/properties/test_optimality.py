"""
The answer is the cheapest there is, says a search in plain Python, and so do costs worked out by hand.

The fragment in which the search is complete is described by `brute.Tiny`; it covers unknown tools, undeclared
and missing parameters, lost labels (put on another call, explained by a missing call, or each reference for
itself), wrong fields and wrong orders, up to three faults in three calls over three tools. It leaves out
values that do not fit their schema: what bringing them into form costs is worked out by hand below.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refract_asp import Catalog
from refract_asp.costs import cost_model
from refract_asp.resources import cost_model_path
from yaml_files import read_yaml

from .brute import NAMES, TOOLS, Arg, Brute, Call, Ref, Tiny, Tool, cheapest
from .made import profile, refractor

SIMPLE = Path(__file__).with_name("simple.lp")


def weights_of(path: Path) -> dict[str, int]:
    """Return the weight of each kind of penalty in a cost model."""
    levels = cost_model(path).levels
    return {each.kind: each.weight or 0 for level in levels for each in level.criteria}


@st.composite
def tinies(draw: st.DrawFn) -> Tiny:
    """Draw a tiny sequence that is valid, and break it in one to three places."""
    tools: dict[str, Tool] = {}
    for name in TOOLS[: draw(st.integers(1, 3))]:
        declared = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3))
        cut = draw(st.integers(0, len(declared)))
        required = tuple(declared[:cut])
        few = st.lists(st.sampled_from(required), max_size=1) if required else st.just([])
        defaults = frozenset(draw(few))
        returns = tuple(draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)))
        open_ended = draw(st.integers(0, 5)) == 5
        effect = draw(st.sampled_from(["read", "read", "read", "write"]))
        known = None if open_ended else returns
        tools[name] = Tool(required, tuple(declared[cut:]), defaults, known, effect)
    count = iter(range(99))
    calls: list[Call] = []
    for number in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(list(tools)))
        bearers = {call.label: tools[call.tool].returns for call in calls if call.label}
        given = [(at, NAMES[:2] if each is None else each) for at, each in bearers.items()]
        readable = [Ref(label, field) for label, fields in given for field in fields]
        args: dict[str, Arg] = {}
        for p in tools[name].declared:
            how = draw(st.sampled_from(["constant", "whole", "whole", "text", "pair"]))
            if p not in tools[name].required and draw(st.booleans()):
                continue
            if how == "constant" or not readable:
                args[p] = Arg(constant=next(count))
            else:
                one = st.sampled_from(readable)
                refs = (draw(one), draw(one)) if how == "pair" else (draw(one),)
                args[p] = Arg(refs=refs, whole=how == "whole")
        label = draw(st.sampled_from([f"l{number}", f"l{number}", None]))
        calls.append(Call(name, label, tuple(args.items())))
    for _ in range(draw(st.integers(1, 3))):
        calls = broken(draw, calls)
    return Tiny(tools, tuple(calls))


FRESH = itertools.count(100)
Draw = Any
Fault = Callable[[Draw, Call], Call | None]
"""What happens to one of the calls; None takes it away."""


def _unknown_tool(draw: Draw, call: Call) -> Call:
    return replace(call, tool="Qwxyz")


def _undeclared(draw: Draw, call: Call) -> Call:
    """Rename an argument, or add one."""
    args = dict(call.args)
    other = draw(st.sampled_from([*NAMES, "jukebox"]))
    if other in args:
        return call
    if args and draw(st.booleans()):
        old = draw(st.sampled_from(list(args)))
        args = {(other if p == old else p): arg for p, arg in args.items()}
    else:
        args[other] = Arg(constant=next(FRESH))  # every constant is another one
    return replace(call, args=tuple(args.items()))


def _missing(draw: Draw, call: Call) -> Call:
    lost = draw(st.integers(0, max(0, len(call.args) - 1)))
    return replace(call, args=call.args[:lost] + call.args[lost + 1 :])


def _label(draw: Draw, call: Call) -> Call:
    return replace(call, label=draw(st.sampled_from([None, "lost"])))


def _reference(draw: Draw, call: Call) -> Call:
    """Let an argument read another field, from another label, or from itself."""
    if not call.args:
        return call
    label = draw(st.sampled_from(["l0", "l1", "l2", "lost", "gone"]))
    ref = Ref(label, draw(st.sampled_from(NAMES)))
    arg = Arg(refs=(ref,), whole=draw(st.booleans()))
    changed = {draw(st.sampled_from([p for p, _ in call.args])): arg}
    return replace(call, args=tuple((dict(call.args) | changed).items()))


def _removed(draw: Draw, call: Call) -> None:
    """Take the call away."""


FAULTS: list[Fault] = [_unknown_tool, _undeclared, _missing, _label, _reference, _removed]


def broken(draw: Draw, calls: list[Call]) -> list[Call]:
    """Let something happen to one of the calls, or to their order."""
    fault = draw(st.sampled_from([*FAULTS, None]))
    if fault is None:
        return draw(st.permutations(calls))
    number = draw(st.integers(0, len(calls) - 1))
    changed = fault(draw, calls[number])
    rest = calls[:number], calls[number + 1 :]
    return [*rest[0], *([changed] if changed else []), *rest[1]] or calls


def is_broken(tiny: Tiny) -> bool:
    labels = [call.label for call in tiny.calls if call.label is not None]
    return len(set(labels)) == len(labels) and not Brute(tiny, {}).is_valid()


TWO_CANDIDATES = Tiny(
    {
        "Alpha": Tool(required=("planet", "zebra"), optional=("guitar",)),
        "Bravo": Tool(required=("zebra", "weight", "colour"), optional=("fjord",)),
    },
    (Call("Qwxyz", "l0", (("guitar", Arg(constant=0)), ("fjord", Arg(constant=1)))),),
)
"""A call that may get either tool: one declares the argument that the other one would send elsewhere."""


@pytest.mark.slow
@example(TWO_CANDIDATES)
@given(tinies().filter(is_broken))
@profile(150)
def test_nothing_is_cheaper_than_the_answer(tiny: Tiny) -> None:
    fixer = refractor(Catalog.load(tiny.catalog), cost_model=SIMPLE, max_new_calls=0)
    result = fixer.repair(tiny.sequence)
    assert result.optimal
    assert not result.truncated
    found = sum(result.total.values())
    expected = cheapest(tiny, weights_of(SIMPLE))
    assert found == expected, f"{result.verdict}: {result.cost}\n{result.sequence}"


BY_HAND = read_yaml(Path(__file__).with_name("by_hand.yaml"))


@pytest.mark.parametrize("case", BY_HAND["cases"], ids=lambda case: case["case"])
def test_the_default_model_as_computed_by_hand(case: dict[str, Any]) -> None:
    """The weights are those of the file; nothing else is to be paid."""
    weights = weights_of(cost_model_path("default"))
    result = refractor(Catalog.load({"tools": BY_HAND["tools"]})).repair(case["given"])
    assert result.cost == {kind: number * weights[kind] for kind, number in case["paid"].items()}
    assert sum(result.total.values()) == sum(result.cost.values())
    assert result.optimal
    assert result.lower_bound == result.total
