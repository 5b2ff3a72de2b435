"""
The keywords of JSON Schema as they are judged here: with holes in values, and within bounds.

Patterns have a time limit, branches upon branches an end, and equal elements are found by their keys.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.schemas import is_compatible, json_types, schema_types
from refract_asp.rules.schemas.dialects import Hole, has_hole
from refract_asp.rules.schemas.wording import SHOWN

__all__ = ["BrokenSchemaError", "begin", "branches_followed", "compiled", "judging_classes"]

PATTERN_SECONDS = 0.05
"""So long one pattern may take for one text."""
ALL_PATTERNS_SECONDS = 0.5
"""So long all of them together for one value."""
MAX_BRANCHES = 10_000
"""So many references and branches are followed for one value, more only if it is large itself."""
MAX_PATTERN = 10_000
"""Characters of a pattern."""
MAX_TIMES = 70_000
"""How often a pattern may want something repeated; to prepare for more takes long."""
BRANCHES_EACH = 20
"""So many for each of its parts."""


_TIMES = re.compile(r"[{,]\s*(\d{1,18})\s*(?=[,}])")
Check = Callable[[Any, Any, Any, Any], Iterable[Any] | None]


class BrokenSchemaError(Exception):
    """A schema that cannot be judged; the message says why."""


@cache
def judging_classes() -> tuple[Any, Any]:
    """Return the classes that judge whole values, and values with holes."""
    from jsonschema import Draft202012Validator, validators

    extend: Callable[..., Any] = validators.extend

    counted = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf")
    patterns = {
        **{keyword: _counted(Draft202012Validator.VALIDATORS[keyword]) for keyword in counted},
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional,
        "uniqueItems": _unique,
        "multipleOf": _multiple_of,
    }
    plain = extend(Draft202012Validator, patterns)
    unchanged = {"$ref", "$dynamicRef", "allOf", "anyOf"}
    opened = {
        keyword: _unless_hole(check)
        for keyword, check in plain.VALIDATORS.items()
        if keyword not in unchanged
    }
    for keyword in ("not", "if", "uniqueItems", "const", "enum", "contains"):
        opened[keyword] = _unless_inside(plain.VALIDATORS[keyword])
    opened["type"] = _type(plain.VALIDATORS["type"])
    opened["oneOf"] = _one_of(plain.VALIDATORS["oneOf"], plain.VALIDATORS["anyOf"])
    return plain, extend(plain, opened)


def _unless_hole(check: Check) -> Check:
    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[Any] | None:
        return () if isinstance(instance, Hole) else check(validator, value, instance, schema)

    return judge


def _unless_inside(check: Check) -> Check:
    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[Any] | None:
        if not isinstance(instance, Hole):
            return () if has_hole(instance) else check(validator, value, instance, schema)
        members = (
            schema.get("enum")
            if "enum" in schema
            else [schema["const"]]
            if "const" in schema
            else None
        )
        if members is not None and not instance.types & schema_types({"enum": members}):
            return _errors(f"none of {members!r} has its type")
        return ()

    return judge


def _type(check: Check) -> Check:
    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[Any] | None:
        if not isinstance(instance, Hole):
            return check(validator, value, instance, schema)
        words = [value] if isinstance(value, str) else value
        wanted = frozenset(kind for word in words for kind in json_types(word))
        return () if is_compatible(instance.types, wanted) else _errors("it has another type")

    return judge


def _one_of(exact: Check, any_of: Check) -> Check:
    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[Any] | None:
        return (any_of if has_hole(instance) else exact)(validator, value, instance, schema)

    return judge


def _errors(message: str) -> Iterator[Any]:
    from jsonschema import ValidationError

    yield ValidationError(message)


def compiled(pattern: str) -> Any:
    """
    Return a pattern, compiled.

    Raises:
        BrokenSchemaError: it is none.
    """
    import regex

    if len(pattern) > MAX_PATTERN or any(
        int(times) > MAX_TIMES for times in _TIMES.findall(pattern)
    ):
        raise BrokenSchemaError(f"the pattern {shown(pattern, SHOWN)!r} is too large")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise BrokenSchemaError(
            f"{shown(pattern, SHOWN)!r} is no pattern: {shown(error, SHOWN)}"
        ) from None


class _Clock(threading.local):
    """What was done so far for the value that is judged: seconds in patterns, and branches."""

    spent = 0.0
    steps = 0
    most = MAX_BRANCHES
    value: Any = None


_clock = _Clock()


def begin(value: Any) -> None:
    """Begin to judge a value: nothing was spent on it yet."""
    _clock.spent, _clock.steps, _clock.most, _clock.value = 0.0, 0, MAX_BRANCHES, value


def branches_followed() -> int:
    """Return how many references and branches this thread followed for the last value that it judged."""
    return _clock.steps


def _counted(check: Check) -> Check:
    """Follow references and branches only so often: branches upon branches double the work each time."""

    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[Any] | None:
        _clock.steps += 1
        if _clock.steps == MAX_BRANCHES:
            _clock.most = max(MAX_BRANCHES, BRANCHES_EACH * _size(_clock.value))
        if _clock.steps > _clock.most:
            raise BrokenSchemaError("it has too many branches upon branches")
        return check(validator, value, instance, schema)

    return judge


def _size(value: Any) -> int:
    """Return how many parts a value has."""
    if isinstance(value, Mapping | list):
        return 1 + sum(map(_size, value.values() if isinstance(value, Mapping) else value))
    return 1


def _matches(pattern: str, text: str) -> bool:
    left = min(PATTERN_SECONDS, ALL_PATTERNS_SECONDS - _clock.spent)
    started = time.thread_time()
    try:
        if left > 0:
            return compiled(pattern).search(text, timeout=left) is not None
    except TimeoutError:
        pass
    finally:
        _clock.spent += time.thread_time() - started
    raise BrokenSchemaError(f"the pattern {shown(pattern, SHOWN)!r} takes too long")


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterable[Any]:
    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield from _errors(f"does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Any, instance: Any, _schema: Any
) -> Iterable[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, inner in patterns.items():
        for name, value in instance.items():
            if _matches(pattern, name):
                yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterable[Any]:
    if not validator.is_type(instance, "object"):
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    extra = [
        name
        for name in instance
        if name not in known and not any(_matches(p, name) for p in patterns)
    ]
    if validator.is_type(allowed, "object"):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        from jsonschema import ValidationError

        # what is too much stands for the whole, so that it is told
        yield ValidationError("has more fields", instance={name: instance[name] for name in extra})


def _multiple_of(validator: Any, step: Any, instance: Any, _schema: Any) -> Iterable[Any]:
    """Judge by the digits that are written: binary fractions do not hold 19.99 or 0.01 exactly."""
    if validator.is_type(instance, "number") and _exact(instance) % _exact(step):
        yield from _errors(f"is no multiple of {step}")


def _exact(number: Any) -> Fraction:
    return Fraction(number if isinstance(number, int) else str(number))


def _unique(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterable[Any]:
    """Judge by keys: to compare each element with each other one takes too long in a long list."""
    if wanted and validator.is_type(instance, "array"):
        keys = [_key(element) for element in instance]
        if len(set(keys)) < len(keys):
            yield from _errors("has an element twice")


def _key(value: Any) -> object:
    """Return something that is equal for equal values only; `1` and `1.0` are, `1` and `true` are not."""
    if isinstance(value, Mapping):
        return frozenset((name, _key(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return tuple(_key(inner) for inner in value)
    return (isinstance(value, bool), value)
