"""Kinds of mutations that break constants, in a form that still tells them or for good; and harmless ones."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from refract_asp.bench.mutations.kinds import misfits, types_taken, words_in
from refract_asp.bench.mutations.mutation import (
    Mutation,
    Place,
    Read,
    Token,
    arguments,
    calls,
    invented,
    kind,
    source_text,
    value_text,
    with_ask,
    with_call,
)
from refract_asp.model import Catalog, Constant, Sequence

__all__: list[str] = []

MAX_VALUES = 3
"""So many values stand in one list where one is wanted."""
WRAPPERS = ("value", "item", "data", "text")
"""Keys that say nothing of what lies under them."""
BOUNDS = {"maximum": 1, "exclusiveMaximum": 1, "minimum": -1, "exclusiveMinimum": -1}
"""The bounds of a number, and on which side of them it is wrong."""


def _holds(*types: type) -> Callable[[Place], bool]:
    """Return what finds the constants of some Python types; a boolean is no whole number here."""
    return lambda at: at.is_constant and type(at.value) in types


def _misgiven(at: Place, value: Any, **more: Any) -> Mutation | None:
    """Return the mutation that puts a value in place of another one; None where it fits."""
    if not misfits(at.tool, at.name, value):
        return None
    told = f"{at.name} is {value_text(value)} instead of {source_text(at.source)}"
    broken = at.bound(Constant(value=value))
    return at.mutation(broken, told, required=at.parameter.required, **more)


# -- what can be told from the form that is given -------------------------------


@kind("values", arguments, _holds(dict, list))
def json_text(at: Place, rng: random.Random) -> Mutation | None:
    """
    An object or a list is given as its text, in JSON or in Python.

    Informed: always.
    """
    variant = rng.choice(("json", "python"))
    text = json.dumps(at.value) if variant == "json" else repr(at.value)
    return _misgiven(at, text, variant=variant)


@kind("values", arguments, _holds(int, float, bool))
def as_text(at: Place, rng: random.Random) -> Mutation | None:
    """
    A number or a boolean is given as text.

    Informed: always.
    """
    value = at.value
    if isinstance(value, bool):
        text = rng.choice((json.dumps(value), str(value), "yes" if value else "no"))
        return _misgiven(at, text, variant="boolean")
    return _misgiven(at, json.dumps(value), variant="number")


@kind("values", arguments, _holds(str))
def as_number(at: Place, rng: random.Random) -> Mutation | None:
    """
    A text that is a number is given as that.

    Informed: always.
    """
    del rng
    try:
        number = json.loads(at.value)
    except ValueError:
        return None
    if not isinstance(number, int | float) or json.dumps(number) != at.value:
        return None
    return _misgiven(at, number, variant="boolean" if isinstance(number, bool) else "number")


@kind("values", arguments, _holds(str, int, float, bool, dict, list))
def wrapped(at: Place, rng: random.Random) -> Mutation | None:
    """
    A value is put under the one key of an object, which says nothing, or alone into a list.

    Informed: always.
    """
    if rng.choice(("object", "list")) == "list" and "array" not in types_taken(at.tool, at.name):
        return _misgiven(at, [at.value], variant="list")
    return _misgiven(at, {rng.choice((at.name, *WRAPPERS)): at.value}, variant="object")


@kind("values", arguments, _holds(list))
def scalar_for_list(at: Place, rng: random.Random) -> Mutation | None:
    """
    A value stands where a list of it is wanted.

    Informed: it is no text with a comma, which could be several.
    """
    del rng
    if len(at.value) != 1 or isinstance(at.value[0], list | dict):
        return None
    (value,) = at.value
    is_one = not (isinstance(value, str) and any(mark in value for mark in ",;\n"))
    return _misgiven(at, value, informed=is_one)


@kind("values", arguments, _holds(str))
def enum_spelling(at: Place, rng: random.Random) -> Mutation | None:
    """
    A member of an enumeration is written in another case or with other marks.

    Informed: no other member is spelt so but for case and marks.
    """
    value, members = at.value, at.parameter.json_schema.get("enum")
    if not isinstance(members, list):
        return None
    ways = {"upper": value.upper(), "lower": value.lower(), "title": value.title()}
    ways |= {f"with {mark!r}": mark.join(words_in(value)) for mark in ("_", "-", " ")}
    possible = [(variant, other) for variant, other in ways.items() if other not in (*members, "")]
    if not possible:
        return None
    variant, other = rng.choice(possible)
    alike = [each for each in members if isinstance(each, str) and _bare(each) == _bare(other)]
    return _misgiven(at, other, variant=variant, informed=len(alike) == 1)


def _bare(text: str) -> str:
    """Return a text without case and marks."""
    return "".join(filter(str.isalnum, text.lower()))


def _absent_optional(sequence: Sequence, catalog: Catalog, reads: list[Read]) -> Iterator[Token]:
    """Yield the optional parameters that are not passed."""
    del reads
    for index, call in enumerate(sequence.calls):
        if call.name in catalog.by_name:
            for name, declared in catalog.by_name[call.name].parameters.items():
                if not declared.required and name not in call.arguments:
                    yield Token(index, name)


@kind("values", _absent_optional)
def null_optional(at: Place, rng: random.Random) -> Mutation | None:
    """
    An optional argument is null, which it may not be.

    Informed: always.
    """
    del rng
    if not misfits(at.tool, at.name, None):
        return None
    broken = at.bound(Constant(value=None))
    return at.mutation(broken, f"the optional {at.name} is null", required=False)


@kind("values", arguments, _holds(str, int, float))
def several_values(at: Place, rng: random.Random) -> Mutation | None:
    """
    A list of two or three values stands where one is wanted.

    Informed: the tool only reads and nobody reads from the call: it is made for each; else which value
    was meant is lost, and an ask is expected.
    """
    values = [at.value]
    for _ in range(rng.randint(1, MAX_VALUES - 1)):
        values.append(_another(at, values, rng))
    if any(each is None or each in values[:n] for n, each in enumerate(values)):
        return None
    if any(misfits(at.tool, at.name, value) for value in values):
        return None
    if at.tool.effect == "read" and not at.paths_read:
        made = [
            at.call.model_copy(
                update={"arguments": {**at.call.arguments, at.name: Constant(value=v)}}
            )
            for v in values
        ]
        rest = [each.model_copy(update={"label": None}) for each in made[1:]]
        expected = with_call(at.sequence, at.token.call, made[0], *rest)
        return _misgiven(at, values, expected=expected, variant="each")
    expected = with_ask(at.sequence, at.token)
    return _misgiven(at, values, expected=expected, variant="one", informed=False)


def _another(at: Place, values: list[Any], rng: random.Random) -> Any:
    """Return another value of the type of the first one, or None."""
    members = at.parameter.json_schema.get("enum")
    if isinstance(members, list):
        left = [member for member in members if member not in values]
        return rng.choice(left) if left else None
    first = values[0]
    return invented(rng) if isinstance(first, str) else first + rng.randint(1, 9) * len(values)


# -- what is lost for good -------------------------------------------------------


def _lost(at: Place, value: Any, variant: str = "") -> Mutation | None:
    """Return the mutation that puts a value in place of one that is lost by that."""
    expected = with_ask(at.sequence, at.token)
    return _misgiven(at, value, expected=expected, variant=variant, informed=False)


def _is_required_constant(at: Place) -> bool:
    return at.parameter.required and at.is_constant


@kind("values", arguments, _is_required_constant)
def lost_constant(at: Place, rng: random.Random) -> Mutation:
    """
    A required argument that is a constant is gone.

    Informed: never, but where the catalog says the value: by a default, a constant, an enumeration of
    one.
    """
    del rng
    known = at.parameter.known_values
    return at.mutation(
        at.bound(None),
        f"argument {at.name}={source_text(at.source)} is gone",
        at.bound(Constant(value=known[0])) if known else with_ask(at.sequence, at.token),
        informed=bool(known),
        required=True,
    )


@kind("values", arguments, _is_required_constant)
def null_required(at: Place, rng: random.Random) -> Mutation | None:
    """
    A required argument is null, which it may not be.

    Informed: never.
    """
    del rng
    return _lost(at, None)


@kind("values", arguments, lambda at: at.is_constant)
def wrong_type(at: Place, rng: random.Random) -> Mutation | None:
    """
    A value of another type stands for a constant: a word, a number or an object of two fields.

    Informed: never.
    """
    taken = types_taken(at.tool, at.name)
    thing = {invented(rng): rng.randint(100, 999), invented(rng): invented(rng)}
    candidates: list[tuple[str, Any]] = []
    if "string" not in taken:
        candidates.append(("word", invented(rng)))
    if not taken & {"string", "number", "integer"}:
        candidates.append(("number", rng.randint(100, 999)))
    if "object" not in taken:
        candidates.append(("object", thing))
    rng.shuffle(candidates)
    for variant, value in candidates:
        # What fits as the one element of a list, or as its text, could be meant so.
        in_list = ([value], [str(value)]) if "array" in taken else ()
        if all(misfits(at.tool, at.name, each) for each in in_list):
            found = _lost(at, value, variant)
            if found is not None:
                return found
    return None


@kind(
    "values",
    arguments,
    lambda at: at.is_constant and len(at.parameter.json_schema.get("enum") or ()) > 1,
)
def wrong_member(at: Place, rng: random.Random) -> Mutation | None:
    """
    An invented word stands for a member of an enumeration.

    Informed: never.
    """
    return _lost(at, invented(rng), "invented")


def _bounds_of(at: Place) -> list[str]:
    schema = at.parameter.json_schema
    return [key for key in BOUNDS if isinstance(schema.get(key), int | float)]


@kind("values", arguments, lambda at: isinstance(at.value, int | float) and bool(_bounds_of(at)))
def out_of_range(at: Place, rng: random.Random) -> Mutation | None:
    """
    A number is beyond its bounds.

    Informed: never.
    """
    bound = rng.choice(_bounds_of(at))
    value = at.parameter.json_schema[bound] + BOUNDS[bound] * rng.randint(1, 99)
    return _lost(at, value, bound)


# -- what leaves the sequence valid ----------------------------------------------


@kind("harmless", calls, lambda at: len(at.call.arguments) > 1)
def argument_order(at: Place, rng: random.Random) -> Mutation:
    """
    The arguments of a call stand in another order.

    Informed: always: nothing is wrong.
    """
    del rng
    broken = at.changed(arguments=dict(reversed(at.call.arguments.items())))
    return at.mutation(broken, "the arguments stand in another order", broken)


@kind("harmless", arguments, lambda at: not at.parameter.required and at.tool.input_schema is None)
def optional_left_out(at: Place, rng: random.Random) -> Mutation:
    """
    An optional argument is gone.

    Informed: always: nothing is wrong, and nothing tells that it was there.
    """
    del rng
    broken = at.bound(None)
    return at.mutation(broken, f"the optional argument {at.name} is gone", broken, required=False)
