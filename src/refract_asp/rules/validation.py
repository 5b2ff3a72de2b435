"""
Whether a value fits a JSON Schema (2020-12): `jsonschema` judges, `referencing` follows references.

Nothing is fetched: a reference that leads outside the schema makes it one that cannot be judged, as does
one without end, a pattern that is none, or one that takes too long. The time of a pattern is bounded.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.faults import Fault
from refract_asp.model.schemas import is_compatible, json_types, schema_types, target
from refract_asp.rules.dialects import standard
from refract_asp.rules.holes import Hole, has_hole
from refract_asp.rules.schema_check import fault_of_schema

__all__ = ["BrokenSchemaError", "Validator", "branches_followed", "given_text"]

MAX_FAULTS = 20
"""So many faults of one value are told."""
PATTERN_SECONDS = 0.05
"""So long one pattern may take for one text."""
ALL_PATTERNS_SECONDS = 0.5
"""So long all of them together for one value."""
MAX_BRANCHES = 10_000
"""So many references and branches are followed for one value, more only if it is large itself."""
BRANCHES_EACH = 20
"""So many for each of its parts."""
SHOWN = 100
"""Characters of an expected or given value that are shown."""


Check = Callable[[Any, Any, Any, Any], Iterable[Any] | None]


class BrokenSchemaError(Exception):
    """A schema that cannot be judged; the message says why."""


class Validator:
    """
    Judges values by one schema.

    Args:
        schema: the schema.
        root: the schema as a whole, as `standard` returns it, in which `schema` stands and its references
            lead.
        formats: whether `format` is checked too.
        name: what the values are called.

    Example:
        >>> Validator({"type": "int"}).is_valid("5"), Validator({"type": "int"}).is_valid(5)
        (False, True)
    """

    def __init__(self, schema: Any, root: Any = None, *, formats: bool = False, name: str = "") -> None:
        """Prepare to judge; whether the schema is one is only looked at when it is needed."""
        self.schema = standard(schema)
        self.root = self.schema if root is None else root
        self.name = name
        self._formats = formats
        self._is_checked = False
        self._made: dict[bool, Any] = {}
        self._parts: dict[int, Validator] = {}
        self._broken: str | None = None

    def part(self, schema: Any) -> Validator:
        """Return what judges by a part of this schema; it is kept, so that it is prepared once."""
        found = self._parts.get(id(schema))
        if found is None:
            found = self._parts[id(schema)] = Validator.__new__(Validator)
            found.schema, found.root, found.name, found._formats = schema, self.root, "", self._formats
            found._made, found._parts, found._broken, found._is_checked = {}, self._parts, None, True
        return found

    def is_valid(self, value: Any) -> bool:
        """
        Whether a value, which may have holes, fits.

        Raises:
            BrokenSchemaError: the schema cannot be judged.
        """
        return not self._errors(value, 1)

    def faults(self, value: Any) -> tuple[Fault, ...]:
        """
        Return what in a value does not fit, in the order of the value.

        Raises:
            BrokenSchemaError: the schema cannot be judged.
        """
        return tuple(_fault(error) for error in self._errors(value, MAX_FAULTS))

    def check(self) -> None:
        """
        Do nothing when the schema is one, and all to which it refers.

        Raises:
            BrokenSchemaError: it is none.
        """
        self._validator(is_open=False)
        seen: set[int] = set()
        left = [self.schema]
        while left:
            part = left.pop()
            if id(part) in seen or not isinstance(part, dict | list):
                continue
            seen.add(id(part))
            left.extend(part if isinstance(part, list) else part.values())
            reference = part.get("$ref") if isinstance(part, dict) else None
            if isinstance(reference, str):
                found = target(reference, self.root)
                if found is None:
                    raise BrokenSchemaError(_nowhere(reference))
                left.append(found)

    def _errors(self, value: Any, most: int) -> list[Any]:
        validator = self._validator(is_open=has_hole(value))
        _clock.spent, _clock.steps, _clock.most, _clock.value = 0.0, 0, MAX_BRANCHES, value
        try:
            return list(islice(validator.iter_errors(value), most))
        except BrokenSchemaError:
            raise
        except RecursionError:
            raise BrokenSchemaError("it refers to itself without end") from None
        except Exception as error:  # what a schema that is none makes jsonschema raise is not bounded
            raise BrokenSchemaError(_reason(error)) from None

    def _validator(self, is_open: bool) -> Any:
        if self._broken is not None:
            raise BrokenSchemaError(self._broken)
        validator = self._made.get(is_open)
        if validator is None:
            try:
                if not self._is_checked:  # a part of a schema was looked at with it
                    _check(self.schema)
                    self._is_checked = True
                validator = self._made[is_open] = _validator(
                    self.schema, self.root, is_open=is_open, formats=self._formats
                )
            except BrokenSchemaError as error:
                self._broken = str(error)
                raise
        return validator


def _check(schema: Any) -> None:
    """Refuse a schema that is none."""

    fault = fault_of_schema(schema)
    if fault is not None:
        raise BrokenSchemaError(fault)
    _check_patterns(schema)


def _validator(schema: Any, root: Any, *, is_open: bool, formats: bool) -> Any:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    kind = _kinds()[is_open]
    checker = Draft202012Validator.FORMAT_CHECKER if formats else None
    try:
        whole = kind(root, registry=Registry(), format_checker=checker)
        return whole if schema is root else whole.evolve(schema=schema)
    except Exception as error:  # a root that is no schema at all
        raise BrokenSchemaError(_reason(error)) from None


def _nowhere(reference: str) -> str:
    return f"it refers to {shown(reference, SHOWN)!r}, which is not there; nothing is fetched"


def _check_patterns(schema: Any) -> None:
    """Refuse a pattern that is none, wherever in the schema it stands."""
    if isinstance(schema, dict):
        pattern = schema.get("pattern")
        keyed = schema.get("patternProperties")
        for text in (pattern, *(keyed if isinstance(keyed, dict) else ())):
            if isinstance(text, str):
                _compiled(text)
        for inner in schema.values():
            _check_patterns(inner)
    elif isinstance(schema, list):
        for inner in schema:
            _check_patterns(inner)


def _reason(error: Exception) -> str:
    name = type(error).__name__
    if "Resolv" in name or "Resolution" in name or "Referencing" in name or "Anchor" in name:
        return _nowhere(str(getattr(error, "ref", error)))
    return f"it cannot be judged ({name}: {shown(error, SHOWN)})"


@cache
def _kinds() -> tuple[Any, Any]:
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
        members = schema.get("enum") if "enum" in schema else [schema["const"]] if "const" in schema else None
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


def _compiled(pattern: str) -> Any:
    import regex

    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise BrokenSchemaError(f"{shown(pattern, SHOWN)!r} is no pattern: {shown(error, SHOWN)}") from None


class _Clock(threading.local):
    """What was done so far for the value that is judged: seconds in patterns, and branches."""

    spent = 0.0
    steps = 0
    most = MAX_BRANCHES
    value: Any = None


_clock = _Clock()


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
    started = time.perf_counter()
    try:
        if left > 0:
            return _compiled(pattern).search(text, timeout=left) is not None
    except TimeoutError:
        pass
    finally:
        _clock.spent += time.perf_counter() - started
    raise BrokenSchemaError(f"the pattern {shown(pattern, SHOWN)!r} takes too long")


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterable[Any]:
    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield from _errors(f"does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterable[Any]:
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
    extra = [name for name in instance if name not in known and not any(_matches(p, name) for p in patterns)]
    if validator.is_type(allowed, "object"):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        yield from _errors(f"has {', '.join(map(repr, extra[:5]))}")


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


def _fault(error: Any) -> Fault:
    return Fault(
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        expected=_expected(error),
        given=given_text(error.instance),
    )


def given_text(value: Any) -> str:
    """
    Print a value as JSON on one line, cut where it gets long; a hole is printed as what it stands for.

    Example:
        >>> given_text({"a": "b" * 200})[-8:]
        'bbbbb...'
    """
    return shown("".join(islice(_pieces(value), SHOWN)), SHOWN)


def _pieces(value: Any) -> Iterator[str]:
    """Yield the text of a value piece by piece, so that no more of a large one is printed than is shown."""
    if isinstance(value, Hole):
        yield str(value.source) if value.source.kind in ("reference", "ask") else "..."
    elif isinstance(value, str):
        yield json.dumps(value[: SHOWN * 2], ensure_ascii=False)
    elif isinstance(value, Mapping | list):
        is_object = isinstance(value, Mapping)
        yield "{" if is_object else "["
        for number, key in enumerate(value):
            if number:
                yield ", "
            if isinstance(value, Mapping):
                yield f"{json.dumps(str(key)[:SHOWN], ensure_ascii=False)}: "
                yield from _pieces(value[key])
            else:
                yield from _pieces(key)
        yield "}" if is_object else "]"
    else:
        yield json.dumps(value, default=str)


_WORDS: dict[str, Callable[[Any], str]] = {
    "const": given_text,
    "minimum": lambda value: f"at least {value}",
    "maximum": lambda value: f"at most {value}",
    "exclusiveMinimum": lambda value: f"more than {value}",
    "exclusiveMaximum": lambda value: f"less than {value}",
    "multipleOf": lambda value: f"a multiple of {value}",
    "minLength": lambda value: f"at least {value} characters",
    "maxLength": lambda value: f"at most {value} characters",
    "minItems": lambda value: f"at least {value} elements",
    "maxItems": lambda value: f"at most {value} elements",
    "minProperties": lambda value: f"at least {value} fields",
    "maxProperties": lambda value: f"at most {value} fields",
    "uniqueItems": lambda _: "elements that differ",
    "pattern": lambda value: f"a text that matches {value}",
    "format": lambda value: f"a text of the format {value}",
    "not": lambda value: f"anything but {given_text(value)}",
    "contains": lambda value: f"an element that fits {given_text(value)}",
    "propertyNames": lambda value: f"names that fit {given_text(value)}",
}


def _expected(error: Any) -> str:
    keyword, value = error.validator, error.validator_value
    if keyword == "type":
        text = " or ".join([value] if isinstance(value, str) else value)
    elif keyword == "enum":
        text = "one of " + ", ".join(given_text(member) for member in value[:20])
    elif keyword in ("required", "dependentRequired"):
        text = shown(error.message, SHOWN).replace("is a required property", "is required")
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        known = error.schema.get("properties", {})
        text = f"no other fields than {', '.join(map(str, list(known)[:20])) or 'none'}"
    elif keyword in ("anyOf", "oneOf"):
        kinds = [_summary(branch) for branch in value[:10]]
        text = f"{'exactly one' if keyword == 'oneOf' else 'one'} of: {'; '.join(dict.fromkeys(kinds))}"
    elif keyword in _WORDS:
        text = _WORDS[keyword](value)
    else:
        text = f"what {keyword} says" if keyword else "no value at all"
    return shown(text, 2 * SHOWN)


def _summary(schema: Any) -> str:
    """Return in a few words what a branch of a schema wants."""
    if not isinstance(schema, dict):
        return "anything" if schema else "nothing"
    if "enum" in schema or "const" in schema:
        members = schema.get("enum", [schema.get("const")])
        return ", ".join(given_text(member) for member in members[:5])
    kind = schema.get("type", str(schema.get("$ref", "anything")).rpartition("/")[2])
    text = " or ".join(kind) if isinstance(kind, list) else str(kind)
    names = schema.get("required")
    return f"{text} with {', '.join(map(str, names[:5]))}" if isinstance(names, list) and names else text
