"""Values that fit a JSON Schema: what it says itself, else plain ones within its bounds."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from refract_asp.model.conventions import standard
from refract_asp.model.paths import is_number, list_of, object_of, without
from refract_asp.model.schemas import JSON_TYPES, JsonSchema, resolve, schema_types
from refract_asp.resources import packaged
from refract_asp.rules.likeness import tokens
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

# How deep lists and objects in each other are filled.
MAX_DEPTH = 8
# So many values are tried for one schema.
MAX_TRIED = 60
# So many parts of a schema are looked at for one value; recursive ones have no end.
MAX_PARTS = 2_000
# A number is a multiple of no smaller one.
MIN_STEP = 1e-9
# Longer texts, and lists with more elements, are not made.
MAX_LENGTH = 2_000
# So many members of an enumeration, examples and branches are tried.
MAX_MEMBERS = 8

_TEXTS = packaged("bench/generating/values")


class NoValueError(Exception):
    """No value was found that fits; the text says for what."""


def some_value(schema: Any, rng: random.Random, root: Any = None, name: str = "") -> Any:
    """
    Return a value that fits a schema: a constant, a member, an example, a default, or one made up.

    Args:
        schema: the schema, with words of other languages for types as catalogs have them.
        rng: where chance comes from.
        root: the schema as a whole, in which references are looked up; `schema` by default.
        name: what the value is for; of texts that fit those that are likely for such a name come first.

    Raises:
        NoValueError: none was found, or the schema cannot be judged.

    Example:
        >>> some_value({"type": "integer", "minimum": 3, "maximum": 3}, random.Random(0))
        3
    """
    own = standard(schema)
    whole = own if root is None else standard(root)
    judge = Validator(own, whole)
    try:
        for value in islice(_Sampler(whole, rng).values(own, MAX_DEPTH, name), MAX_TRIED):
            if judge.is_valid(value):
                return value
    except BrokenSchemaError as error:
        raise NoValueError(str(error)) from None
    except RecursionError:
        raise NoValueError("its schema is nested too deep") from None
    raise NoValueError("no value was found that fits its schema")


class _Sampler:
    """Makes values for the parts of one schema; how many parts are looked at is bounded."""

    def __init__(self, root: Any, rng: random.Random) -> None:
        self._root = root
        self._rng = rng
        self._left = MAX_PARTS

    def values(self, schema: Any, depth: int, name: str) -> Iterator[Any]:
        """Yield values that may fit, the likeliest first."""
        self._left -= 1
        if self._left < 0:
            raise NoValueError("its schema has too many parts")
        schema = resolve(schema, self._root)
        if not isinstance(schema, dict):
            yield from self._texts({}, name)
            return
        if "const" in schema:
            yield schema["const"]
        for key in ("enum", "examples"):
            yield from self._some(schema.get(key))
        yield from (schema[key] for key in ("example", "default") if key in schema)
        if depth > 0 and {"anyOf", "oneOf", "allOf"} & schema.keys():
            # the schema with one of its branches, and all of which all hold, taken into it
            rest = without(schema, ("anyOf", "oneOf", "allOf"))
            for part in list_of(schema.get("allOf")):
                rest = _joined(rest, resolve(part, self._root))
            chosen = [*list_of(schema.get("anyOf")), *list_of(schema.get("oneOf"))]
            for branch in self._some(chosen) if chosen else [{}]:
                joined = _joined(rest, resolve(branch, self._root))
                yield from islice(self.values(joined, depth - 1, name), MAX_MEMBERS)
        kinds = schema_types(schema, self._root)
        for kind in (each for each in ("string", *JSON_TYPES) if each in kinds):
            yield from self._of_type(kind, schema, depth, name)

    def _of_type(self, kind: str, schema: JsonSchema, depth: int, name: str) -> Iterator[Any]:
        """Yield values of one type, within the bounds that the schema sets for it."""
        if kind == "string":
            yield from self._texts(schema, name)
        elif kind in ("integer", "number"):
            yield from self._numbers(schema, 1 if kind == "integer" else 0.5)
        elif kind in ("boolean", "null"):
            yield from (None,) if kind == "null" else (self._rng.random() < 0.5, True, False)
        elif depth > 0 and kind == "array":
            yield from self._lists(schema, depth, name)
        elif depth > 0:
            properties = object_of(schema.get("properties"))
            needed = [n for n in list_of(schema.get("required")) if isinstance(n, str)]
            for names in (needed, properties):
                yield {n: self._inner(properties.get(n), depth, n) for n in names}

    def _some(self, members: Any) -> list[Any]:
        """Return some members of a list in any order, nothing of what is none."""
        listed = list_of(members)
        return self._rng.sample(listed, min(len(listed), MAX_MEMBERS)) if listed else []

    def _texts(self, schema: JsonSchema, name: str) -> Iterator[str]:
        least = _count(schema.get("minLength"), 0)
        most = _count(schema.get("maxLength"), MAX_LENGTH)
        found = list(_TEXTS["formats"].get(str(schema.get("format")), ()))
        words, plain = set(tokens(name)), _TEXTS["plain"]
        for each in _TEXTS["named"]:
            texts = each["texts"] if words.intersection(each["words"]) else []
            found += self._rng.sample(texts, len(texts))
        is_free = "pattern" not in schema
        found += self._rng.sample(plain, len(plain)) if is_free else _TEXTS["patterned"]
        for text in found:
            if len(text) < least <= MAX_LENGTH:
                yield ((text or "a") * least)[:least]
            else:
                yield text[:most] if is_free else text

    def _numbers(self, schema: JsonSchema, usual_step: float) -> Iterator[int | float]:
        step = _number(schema.get("multipleOf")) or usual_step
        step = step if step > MIN_STEP else 1
        low, above = _number(schema.get("minimum")), _number(schema.get("exclusiveMinimum"))
        if above is not None and (low is None or above >= low):
            low = above + step
        high, below = _number(schema.get("maximum")), _number(schema.get("exclusiveMaximum"))
        if below is not None and (high is None or below <= high):
            high = below - step
        if low is None:
            low = step if high is None else high - 20 * step
        high = low + 20 * step if high is None else high
        first, last = math.ceil(low / step), math.floor(high / step)
        steps = [self._rng.randint(first, last)] if first <= last else []
        for number in (*(n * step for n in (*steps, first, last)), low, high, (low + high) / 2):
            yield int(number) if float(number).is_integer() else number

    def _lists(self, schema: JsonSchema, depth: int, name: str) -> Iterator[list[Any]]:
        items = [self._inner(part, depth, name) for part in list_of(schema.get("prefixItems"))]
        least = _count(schema.get("minItems"), 0)
        most = _count(schema.get("maxItems"), MAX_LENGTH)
        wanted = min(max(least, self._rng.randint(1, 2)), most)
        members = schema.get("items")
        choices = list_of(object_of(members).get("enum"))
        if choices and not items:
            yield self._rng.sample(choices, min(wanted, len(choices)))
        tries = min(wanted, MAX_LENGTH) * 4
        while len(items) < wanted and tries:
            tries -= 1
            item = self._inner(members, depth, name)
            if not (schema.get("uniqueItems") and item in items):
                items.append(item)
        yield from (items, items[:least], [])

    def _inner(self, schema: Any, depth: int, name: str) -> Any:
        """Return a value inside another one; whether it fits is judged with the whole."""
        if schema is False:
            raise NoValueError("a part of its schema allows nothing")
        part = object_of(schema)
        judge = Validator(part, object_of(self._root))
        first = None
        for number, value in enumerate(islice(self.values(part, depth - 1, name), MAX_TRIED)):
            if judge.is_valid(value):
                return value
            first = first if number else value
        return first


def _joined(one: JsonSchema, other: Any) -> JsonSchema:
    """Return a schema that says what both say, as far as that is plain."""
    if not isinstance(other, dict):
        return one
    joined = {**one, **other}
    for key in ("properties", "required"):
        mine, more = one.get(key), other.get(key)
        if isinstance(mine, dict) and isinstance(more, dict):
            joined[key] = {**mine, **more}
        elif isinstance(mine, list) and isinstance(more, list):
            joined[key] = [*mine, *more]
    return joined


def _number(value: Any) -> float | int | None:
    return value if is_number(value) and abs(value) < 1e15 else None


def _count(value: Any, otherwise: int) -> int:
    return value if type(value) is int and value >= 0 else otherwise
