"""Kinds that give a value in a form that does not fit, from which it can be told."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from refract_asp.bench.mutations.mutation import (
    Breaks,
    Kind,
    Mutation,
    Places,
    invented,
    misfits,
    types_taken,
    words_in,
)
from refract_asp.bench.mutations.tokens import (
    Token,
    arguments,
    is_plain,
    place_text,
    reads_of,
    source_text,
    value_text,
    with_argument,
    with_ask,
    with_call,
)
from refract_asp.model import Catalog, Constant, Sequence, Tool

__all__ = ["KINDS"]

MAX_VALUES = 3
"""So many values stand in one list where one is wanted."""
WRAPPERS = ("value", "item", "data", "text")
"""Keys that say nothing of what lies under them."""


def _holding(*kinds: type) -> Places:
    """Return what finds the constants of some Python types; a boolean is no whole number here."""

    def places(sequence: Sequence, catalog: Catalog) -> list[Token]:
        return [
            passed.token
            for passed in arguments(sequence, catalog)
            if is_plain(passed.source) and type(getattr(passed.source, "value", None)) in kinds
        ]

    return places


Form = Callable[[Tool, str, Any, random.Random], tuple[str, Any] | None]
"""Returns the variant and the wrong form of a value of a parameter, or None where there is none."""


def _formed(
    kind: str, form: Form, informed: Callable[[Tool, str, Any], bool] = lambda *_: True
) -> Breaks:
    """Return what gives a constant in a wrong form."""

    def breaks(
        sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
    ) -> Mutation | None:
        call, name = sequence.calls[token.call], token.parameter or ""
        tool, source = catalog.by_name[call.name], call.arguments[name]
        found = form(tool, name, source.value, rng) if isinstance(source, Constant) else None
        if found is None or not misfits(tool, name, found[1]):
            return None
        variant, value = found
        told = f"{name} is {value_text(value)} instead of {source_text(source)}"
        return Mutation(
            kind=kind,
            broken=with_argument(sequence, token, Constant(value=value)),
            expected=sequence,
            token=token,
            what=f"{place_text(sequence, token)}: {told}",
            variant=variant,
            informed=informed(tool, name, value),
            required=tool.parameters[name].required,
        )

    return breaks


def _as_json(tool: Tool, name: str, value: Any, rng: random.Random) -> tuple[str, Any]:
    del tool, name
    variant = rng.choice(("json", "python"))
    return variant, json.dumps(value) if variant == "json" else repr(value)


def _as_text(tool: Tool, name: str, value: Any, rng: random.Random) -> tuple[str, Any]:
    del tool, name
    if isinstance(value, bool):
        return "boolean", rng.choice((json.dumps(value), str(value), "yes" if value else "no"))
    return "number", json.dumps(value)


def _as_number(tool: Tool, name: str, value: Any, rng: random.Random) -> tuple[str, Any] | None:
    del tool, name, rng
    try:
        number = json.loads(value)
    except ValueError:
        return None
    is_number = isinstance(number, int | float) and json.dumps(number) == value
    return ("boolean" if isinstance(number, bool) else "number", number) if is_number else None


def _wrapped(tool: Tool, name: str, value: Any, rng: random.Random) -> tuple[str, Any]:
    variant = rng.choice(("object", "list"))
    if variant == "list" and "array" not in types_taken(tool, name):
        return variant, [value]
    return "object", {rng.choice((name, *WRAPPERS)): value}


def _alone(tool: Tool, name: str, value: Any, rng: random.Random) -> tuple[str, Any] | None:
    del tool, name, rng
    return ("", value[0]) if len(value) == 1 and not isinstance(value[0], list | dict) else None


def _is_one(tool: Tool, name: str, value: Any) -> bool:
    """Whether a value is clearly one: no text that could be several."""
    del tool, name
    return not (isinstance(value, str) and any(mark in value for mark in ",;\n"))


def _respelt_member(
    tool: Tool, name: str, value: str, rng: random.Random
) -> tuple[str, Any] | None:
    members = tool.parameters[name].json_schema.get("enum")
    if not isinstance(members, list):
        return None
    ways = {"upper": value.upper(), "lower": value.lower(), "title": value.title()}
    for mark in ("_", "-", " "):
        ways[f"with {mark!r}"] = mark.join(words_in(value))
    possible = [(variant, other) for variant, other in ways.items() if other not in (*members, "")]
    return rng.choice(possible) if possible else None


def _one_member(tool: Tool, name: str, value: str) -> bool:
    """Whether one member alone is spelt so, whatever the case and the punctuation."""
    members = tool.parameters[name].json_schema["enum"]
    return sum(_bare(member) == _bare(value) for member in members if isinstance(member, str)) == 1


def _bare(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _absent_optional(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the optional parameters that are not passed."""
    return [
        Token(index, name)
        for index, call in enumerate(sequence.calls)
        if call.name in catalog.by_name
        for name, declared in catalog.by_name[call.name].parameters.items()
        if not declared.required and name not in call.arguments
    ]


def _null_optional(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    del rng
    name = token.parameter or ""
    if not misfits(catalog.by_name[sequence.calls[token.call].name], name, None):
        return None
    return Mutation(
        kind="null_optional",
        broken=with_argument(sequence, token, Constant(value=None)),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: the optional {name} is null",
        required=False,
    )


def _several_values(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call, name = sequence.calls[token.call], token.parameter or ""
    tool, source = catalog.by_name[call.name], call.arguments[name]
    values = [source.value] if isinstance(source, Constant) else []
    for _ in range(rng.randint(1, MAX_VALUES - 1)):
        values.append(_another(tool, name, values, rng))
    if values[-1] is None or not misfits(tool, name, values):
        return None
    if any(value in values[:n] or misfits(tool, name, value) for n, value in enumerate(values)):
        return None
    is_split = tool.effect == "read" and all(r.producer != token.call for r in reads_of(sequence))
    broken = with_argument(sequence, token, Constant(value=values))
    told = f"{name} is {value_text(values)} instead of {source_text(source)}"
    made = [
        call.model_copy(update={"arguments": {**call.arguments, name: Constant(value=v)}})
        for v in values
    ]
    rest = [each.model_copy(update={"label": None}) for each in made[1:]]
    return Mutation(
        kind="several_values",
        broken=broken,
        expected=with_call(sequence, token.call, made[0], *rest)
        if is_split
        else with_ask(sequence, token),
        token=token,
        what=f"{place_text(sequence, token)}: {told}",
        variant="each" if is_split else "one",
        informed=is_split,
        required=tool.parameters[name].required,
    )


def _another(tool: Tool, name: str, values: list[Any], rng: random.Random) -> Any:
    """Return another value of the type of the first one, or None."""
    members = tool.parameters[name].json_schema.get("enum")
    if isinstance(members, list):
        left = [member for member in members if member not in values]
        return rng.choice(left) if left else None
    first = values[0]
    if isinstance(first, bool) or not isinstance(first, str | int | float):
        return None
    return invented(rng) if isinstance(first, str) else first + rng.randint(1, 9) * len(values)


KINDS = (
    Kind(
        "json_text",
        "an object or a list is given as its text, in JSON or in Python",
        "always",
        "values",
        _holding(dict, list),
        _formed("json_text", _as_json),
    ),
    Kind(
        "as_text",
        "a number or a boolean is given as text",
        "always",
        "values",
        _holding(int, float, bool),
        _formed("as_text", _as_text),
    ),
    Kind(
        "as_number",
        "a text that is a number is given as that",
        "always",
        "values",
        _holding(str),
        _formed("as_number", _as_number),
    ),
    Kind(
        "wrapped",
        "a value is put under the one key of an object, which says nothing, or alone into a list",
        "always",
        "values",
        _holding(str, int, float, bool, dict, list),
        _formed("wrapped", _wrapped),
    ),
    Kind(
        "scalar_for_list",
        "a value stands where a list of it is wanted",
        "it is no text with a comma, which could be several",
        "values",
        _holding(list),
        _formed("scalar_for_list", _alone, _is_one),
    ),
    Kind(
        "enum_spelling",
        "a member of an enumeration is written in another case or with other marks",
        "no other member is spelt so but for case and marks",
        "values",
        _holding(str),
        _formed("enum_spelling", _respelt_member, _one_member),
    ),
    Kind(
        "null_optional",
        "an optional argument is null, which it may not be",
        "always",
        "values",
        _absent_optional,
        _null_optional,
    ),
    Kind(
        "several_values",
        "a list of two or three values stands where one is wanted",
        "the tool only reads and nobody reads from the call: it is made for each; else which value was meant "
        "is lost, and an ask is expected",
        "values",
        _holding(str, int, float),
        _several_values,
    ),
)
