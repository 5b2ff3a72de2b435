"""
The answer is the cheapest there is, says a search in plain Python, and so do costs worked out by hand.

The fragment in which the search is complete is described by `brute.Tiny`; it covers unknown tools, undeclared
and missing parameters, lost labels (put on another call, explained by a missing call, or each reference for
itself), wrong fields and wrong orders, up to three faults in three calls over three tools. It leaves out
values that do not fit their schema: what bringing them into form costs is worked out by hand below.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refract_asp import Catalog
from refract_asp.resources import cost_model_path

from .brute import NAMES, TOOLS, Arg, Brute, Call, Ref, Tiny, Tool, cheapest
from .made import profile, refractor

SIMPLE = Path(__file__).with_name("simple.lp")


def weights_of(path: Path) -> dict[str, int]:
    """Return the weight of each kind of penalty in a cost model."""
    text = path.read_text("utf-8")
    constants = dict(re.findall(r"#const (\w+) = (\d+)\.", text))
    return {
        kind: int(constants[name])
        for kind, name in re.findall(r"criterion\((\w+), \w+, (weight_\w+)\)", text)
    }


@st.composite
def tinies(draw: st.DrawFn) -> Tiny:
    """Draw a tiny sequence that is valid, and break it in one to three places."""
    tools: dict[str, Tool] = {}
    for name in TOOLS[: draw(st.integers(1, 3))]:
        declared = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3))
        cut = draw(st.integers(0, len(declared)))
        required = tuple(declared[:cut])
        defaults = frozenset(
            draw(st.lists(st.sampled_from(required), max_size=1)) if required else []
        )
        returns = tuple(draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)))
        open_ended = draw(st.integers(0, 5)) == 5
        effect = draw(st.sampled_from(["read", "read", "read", "write"]))
        tools[name] = Tool(
            required, tuple(declared[cut:]), defaults, None if open_ended else returns, effect
        )
    count = iter(range(100))
    calls: list[Call] = []
    for number in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(list(tools)))
        readable = [
            Ref(call.label, field)
            for call in calls
            if call.label is not None
            for field in (
                NAMES[:2] if tools[call.tool].returns is None else tools[call.tool].returns or ()
            )
        ]
        args: dict[str, Arg] = {}
        for p in tools[name].declared:
            how = draw(st.sampled_from(["constant", "whole", "whole", "text", "pair"]))
            if p not in tools[name].required and draw(st.booleans()):
                continue
            if how == "constant" or not readable:
                args[p] = Arg(constant=next(count))
            else:
                refs = tuple(
                    draw(st.sampled_from(readable)) for _ in range(2 if how == "pair" else 1)
                )
                args[p] = Arg(refs=refs, whole=how == "whole")
        label = draw(st.sampled_from([f"l{number}", f"l{number}", None]))
        calls.append(Call(name, label, tuple(args.items())))
    for fault in draw(st.lists(st.sampled_from(sorted(FAULTS)), min_size=1, max_size=3)):
        calls = FAULTS[fault](draw, calls, count)
    return Tiny(tools, tuple(calls))


def _changed(calls: list[Call], number: int, **changes: Any) -> list[Call]:
    old = calls[number]
    parts = {"tool": old.tool, "label": old.label, "args": old.args, **changes}
    return [*calls[:number], Call(**parts), *calls[number + 1 :]]


def _number(draw: Any, calls: list[Call]) -> int:
    return draw(st.integers(0, len(calls) - 1))


def _unknown_tool(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    return _changed(calls, _number(draw, calls), tool="Qwxyz")


def _undeclared(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    """Rename an argument, or add one."""
    number = _number(draw, calls)
    args = dict(calls[number].args)
    other = draw(st.sampled_from([*NAMES, "jukebox"]))
    if other in args:
        return calls
    if args and draw(st.booleans()):
        old = draw(st.sampled_from(list(args)))
        args = {(other if p == old else p): arg for p, arg in args.items()}
    else:
        args[other] = Arg(constant=next(count))
    return _changed(calls, number, args=tuple(args.items()))


def _missing(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    number = _number(draw, calls)
    if not calls[number].args:
        return calls
    lost = draw(st.integers(0, len(calls[number].args) - 1))
    return _changed(calls, number, args=calls[number].args[:lost] + calls[number].args[lost + 1 :])


def _label(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    return _changed(calls, _number(draw, calls), label=draw(st.sampled_from([None, "lost"])))


def _reference(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    """Let an argument read another field, from another label, or from itself."""
    number = _number(draw, calls)
    args = dict(calls[number].args)
    if not args:
        return calls
    p = draw(st.sampled_from(list(args)))
    label = draw(st.sampled_from(["l0", "l1", "l2", "lost", "gone"]))
    ref = Ref(label, draw(st.sampled_from(NAMES)))
    args[p] = Arg(refs=(ref,), whole=draw(st.booleans()))
    return _changed(calls, number, args=tuple(args.items()))


def _order(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    return draw(st.permutations(calls))


def _removed(draw: Any, calls: list[Call], count: Any) -> list[Call]:
    number = _number(draw, calls)
    return calls if len(calls) == 1 else [*calls[:number], *calls[number + 1 :]]


FAULTS = {
    "unknown tool": _unknown_tool,
    "undeclared parameter": _undeclared,
    "missing parameter": _missing,
    "label": _label,
    "reference": _reference,
    "order": _order,
    "removed call": _removed,
}


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


CATALOG = {
    "tools": [
        {
            "name": "Search",
            "effect": "read",
            "parameters": {"query": {"type": "string", "required": True}},
            "returns": {"skyId": {"type": "string"}, "entityId": {"type": "string"}},
        },
        {
            "name": "Book",
            "effect": "write",
            "parameters": {
                "skyId": {"type": "string", "required": True},
                "date": {"type": "string", "required": True},
                "note": {"type": "string"},
            },
            "returns": {"ticket": {"type": "string"}},
        },
        {
            "name": "Lodge",
            "effect": "read",
            "parameters": {
                "skyId": {"type": "string", "required": True},
                "entityId": {"type": "string", "required": True},
            },
            "returns": {"beds": {"type": "integer"}},
        },
        {
            "name": "Convert",
            "effect": "read",
            "parameters": {
                "amount": {"type": "number", "required": True},
                "currency": {"type": "string", "required": True, "default": "EUR"},
            },
            "returns": {"converted": {"type": "number"}},
        },
    ]
}
SEARCH = 'var1 = Search(query="x")\n'

BY_HAND: dict[str, tuple[str, dict[str, int]]] = {
    # one of six letters is missing: 1/6 of 100
    "a misspelt tool": ('var1 = Serch(query="x")', {"rename_tool": 1, "tool_distance": 17}),
    "a made-up tool": ('var1 = Qqqqq(zzz="1")', {"leave_unresolved": 1}),
    # one of five letters is missing: 1/5 of 20
    "a misspelt parameter": (
        'var1 = Search(qury="x")',
        {"rename_parameter": 1, "parameter_distance": 4},
    ),
    "a made-up parameter": ('var1 = Search(query="x", colour="red")', {"drop_undeclared": 1}),
    "a missing parameter": ("var1 = Search()", {"ask": 1}),
    "a missing parameter with a default": ("var1 = Convert(amount=2)", {"fill": 1}),
    "a missing parameter that an earlier call returns": (SEARCH + 'Book(date="d")', {"fill": 1}),
    "an unknown variable": ("var1 = Search(query=some_text)", {"ask": 1}),
    "a lost label of a call without one": (
        'Search(query="x")\nvar2 = Book(skyId="$var1.skyId$", date="d")',
        {"add_label": 1},
    ),
    "a lost label of a call with another one": (
        'var7 = Search(query="x")\nvar2 = Book(skyId="$var1.skyId$", date="d")',
        {"rename_label": 1},
    ),
    "a lost label of a call that others read": (
        SEARCH + 'Book(skyId="$var1.skyId$", date="d")\nBook(skyId="$other.skyId$", date="e")',
        {"repoint": 1},
    ),
    "a missing call": (
        'var2 = Book(skyId="$var1.skyId$", date="d")',
        {"add_call": 1, "ask_added": 1},
    ),
    "a missing call that is read twice": (
        'var2 = Lodge(skyId="$var1.skyId$", entityId="$var1.entityId$")',
        {"add_call": 1, "ask_added": 1},
    ),
    # in spelling 1/6 of 20, that is 3; in meaning 0, and 8 behind; eight tenths of 3 and two of 8 are 4
    "a misspelt field": (
        SEARCH + 'Book(skyId="$var1.skyyId$", date="d")',
        {"repath": 1, "path_distance": 4},
    ),
    "a call before the one it reads": (
        'var2 = Book(skyId="$var1.skyId$", date="d")\n' + SEARCH,
        {"move_call": 1},
    ),
    "a call that is there twice": (SEARCH + SEARCH, {"delete_copy": 1}),
    "a number that is written as a text": (
        'var1 = Convert(amount="2", currency="EUR")',
        {"transform": 1, "form_distance": 1},
    ),
    "a number that is no number": ('var1 = Convert(amount="two", currency="EUR")', {"ask": 1}),
    "a text where a number is wanted": (
        SEARCH + 'Convert(amount="$var1.skyId$", currency="EUR")',
        {"ask": 1},
    ),
    "a list where one value is wanted": (
        'Search(query=["a", "b", "c"])',
        {"spread": 2, "transform": 1, "form_distance": 1},
    ),
    "a null that may be left out": (
        'Book(skyId="a", date="d", note=null)',
        {"transform": 1, "form_distance": 1},
    ),
    "a list around one value": ('Search(query=["a"])', {"transform": 1, "form_distance": 1}),
    "a misspelt parameter with a value in another form": (
        'var1 = Convert(amuont="2", currency="EUR")',
        {"rename_parameter": 1, "parameter_distance": 3, "transform": 1, "form_distance": 1},
    ),
    "an optional argument that reads from nowhere": (
        'Book(skyId="a", date="d", note="$gone.word$")',
        {"ask": 1},
    ),
    "two faults that have nothing to do with each other": (
        'var1 = Serch(query="x")\nBook(skyId="$var1.skyId$")',
        {"rename_tool": 1, "tool_distance": 17, "ask": 1},
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_default_model_as_computed_by_hand(name: str) -> None:
    """The units are worked out here, their weights are those of the file; nothing else is to be paid."""
    text, units = BY_HAND[name]
    weights = weights_of(cost_model_path("default"))
    result = refractor(Catalog.load(CATALOG)).repair(text)
    assert result.cost == {kind: number * weights[kind] for kind, number in units.items()}
    assert sum(result.total.values()) == sum(result.cost.values())
    assert result.optimal
    assert result.lower_bound == result.total
