"""
Whether a value fits a JSON Schema (2020-12): `jsonschema` judges, `referencing` follows references.

Nothing is fetched: a reference that leads outside the schema makes it one that cannot be judged, as does
one without end, a pattern that is none, or one that takes too long. Keywords are judged with holes in
values, and within bounds: patterns have a time limit, branches upon branches an end, and equal elements
are found by their keys.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.conventions import standard
from refract_asp.model.paths import Fault, FieldPath, path_text, without
from refract_asp.model.schemas import JsonSchema, is_compatible, schema_types, target, types_text
from refract_asp.resources import packaged
from refract_asp.rules.schemas.dialects import Hole, has_hole, has_type, subschemas

# So long one pattern may take for one text.
PATTERN_SECONDS = 0.05
# So long all of them together for one value.
ALL_PATTERNS_SECONDS = 0.5
# So many references and branches are followed for one value, more only if it is large itself.
MAX_BRANCHES = 10_000
# So many for each of its parts.
BRANCHES_EACH = 20
# Characters of a pattern.
MAX_PATTERN = 10_000
# How often a pattern may want something repeated; to prepare for more takes long.
MAX_TIMES = 70_000
# At most so many faults of one value are listed.
MAX_FAULTS = 20
# Keywords that judge no value, so that nothing in them makes a schema unusable.
ANNOTATIONS = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
    "format", "contentEncoding", "contentMediaType", "contentSchema",
})  # fmt: skip
# Keywords that lead to other schemas, which may double the work each time.
COUNTED = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf")
# Keywords that can only be judged where nothing is left open.
NEED_ALL = frozenset({"not", "if", "uniqueItems", "const", "enum", "contains", "oneOf"})
# Keywords that ask which fields an object has, besides those that lead to other schemas.
OF_NAMES = frozenset({
    "required", "minProperties", "maxProperties", "dependentRequired", "type",
    "not", "if", "then", "else", "allOf", "anyOf", "oneOf", "title", "description", "$comment",
})  # fmt: skip
# At most so many names of fields, and values of a list, are shown.
MOST_NAMES = 20
# Characters of an expected or given value that are shown.
SHOWN = 100

_TIMES = re.compile(r"[{,]\s*(\d{1,18})\s*(?=[,}])")
Check = Callable[[Any, Any, Any, Any], Iterable[Any] | None]
Errors = Iterable[Any] | None


class BrokenSchemaError(Exception):
    """A schema that cannot be judged; the message says why."""


class _Clock(threading.local):
    """What was done so far for the value that is judged: seconds in patterns, and branches."""

    spent = 0.0
    steps = 0
    most = MAX_BRANCHES
    value: Any = None


CLOCK = _Clock()


@dataclass(eq=False, repr=False)
class Validator:
    """
    Judges values by one schema.

    Args:
        schema: the schema.
        root: the schema as a whole, as `standard` returns it, in which `schema` stands and its references
            lead.
        formats: whether `format` is checked too.
        name: what the values are called.
        whole: judges by a schema of which this one is a part, so that it was looked at already.

    Example:
        >>> Validator({"type": "int"}).is_valid("5"), Validator({"type": "int"}).is_valid(5)
        (False, True)
    """

    schema: Any
    root: Any = None
    _: KW_ONLY
    formats: bool = False
    name: str = ""
    whole: Validator | None = None

    def __post_init__(self) -> None:
        """Prepare to judge; whether the schema is one is only looked at when it is needed."""
        if self.whole is None:
            self.schema = standard(self.schema, root=self.root)
        self.root = self.schema if self.root is None else self.root
        self._parts: dict[int, Validator] = {} if self.whole is None else self.whole._parts
        is_typed = isinstance(self.schema, dict) and self.schema.keys() - ANNOTATIONS == {"type"}
        # then a value of the right type fits, whatever it is; `jsonschema` takes long to load
        self._asks_type_alone = is_typed and not self.formats

    def part(self, schema: Any) -> Validator:
        """Return what judges by a part of this schema; it is kept, so that it is prepared once."""
        if id(schema) not in self._parts:
            self._parts[id(schema)] = replace(self, schema=schema, name="", whole=self)
        return self._parts[id(schema)]

    def is_valid(self, value: Any) -> bool:
        """
        Whether a value, which may have holes, fits.

        Raises:
            BrokenSchemaError: the schema cannot be judged.
        """
        is_plain = self._asks_type_alone and has_type(value, self.schema)
        return is_plain or not self._errors(value, 1)

    def faults(self, value: Any) -> tuple[Fault, ...]:
        """
        Return what in a value does not fit, in the order of the value.

        Raises:
            BrokenSchemaError: the schema cannot be judged.
        """
        found: dict[Fault, None] = {}  # fields that are absent are one fault
        for error in self._errors(value, MAX_FAULTS):
            path, keyword = tuple(error.absolute_path), str(error.validator)
            expected, given = shown(_asked(error), 2 * SHOWN), given_text(error.instance)
            found[Fault(path=path, keyword=keyword, expected=expected, given=given)] = None
        return tuple(found)

    def check(self) -> None:
        """
        Do nothing when the schema is one, and all to which it refers.

        Raises:
            BrokenSchemaError: it is none.
        """
        self._checked_judge()
        seen: set[int] = set()
        left = [self.schema]
        while left:
            part = left.pop()
            if id(part) in seen or not isinstance(part, dict):
                continue
            seen.add(id(part))
            left.extend(inner for _, inner in subschemas(part))
            reference = part.get("$ref")
            if isinstance(reference, str):
                found = target(reference, self.root)
                if found is None:
                    raise BrokenSchemaError(_nowhere(reference))
                left.append(found)

    def _errors(self, value: Any, most: int) -> list[Any]:
        """Return the first faults of a value; those before a part that cannot be judged are enough."""
        CLOCK.spent, CLOCK.steps, CLOCK.most, CLOCK.value = 0.0, 0, MAX_BRANCHES, value
        found: list[Any] = []
        try:
            for error in islice(self._checked_judge().iter_errors(value), most):
                found.append(error)  # noqa: PERF402 - what comes before an exception is kept
        except Exception as error:  # what a broken schema makes jsonschema raise is not bounded
            if not found:
                raise BrokenSchemaError(_reason(error)) from None
        return found

    def _checked_judge(self) -> Any:
        if isinstance(self._judge, str):
            raise BrokenSchemaError(self._judge)
        return self._judge

    @cached_property
    def _judge(self) -> Any:
        """What judges by the schema, or the reason why nothing can."""
        from jsonschema import Draft202012Validator
        from referencing import Registry

        checker = Draft202012Validator.FORMAT_CHECKER if self.formats else None
        try:
            if self.whole is None:
                _refuse_broken(self.schema)
            whole = _judging_class()(self.root, registry=Registry(), format_checker=checker)
            return whole if self.schema is self.root else whole.evolve(schema=self.schema)
        except Exception as error:  # a root may be no schema at all
            return _reason(error)


def is_fitting(value: Any, schema: Any) -> bool:
    """Whether a value fits a schema, or the schema cannot be judged."""
    try:
        return Validator(schema).is_valid(value)
    except BrokenSchemaError:
        return True


# -- schemas that are none -----------------------------------------------------


def _refuse_broken(schema: Any) -> None:
    """Raise BrokenSchemaError, which tells what and where, when a schema or a pattern in it is none."""
    left: list[tuple[FieldPath, Any]] = [((), schema)]
    while left:
        path, part = left.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            own = part
        else:
            own = without(part, ANNOTATIONS)
            for (key, *step), inner in subschemas(part):
                left.append(((*path, key, *step), inner))
                own[key] = [True] if isinstance(part[key], list) else {}
            # any value may be a member: without them alike branches of a union are judged once
            own |= {"enum": []} if isinstance(own.get("enum"), list) else {}
            own.pop("const", None)
        reason, where = _own_fault(json.dumps(own, sort_keys=True, default=str))
        if reason:
            at = path_text((*path, *where))
            raise BrokenSchemaError(reason + (f" (at {shown(at)})" if at else ""))
        for pattern in (*part.get("patternProperties", ()), part.get("pattern")):
            if pattern is not None:
                compiled(pattern)


@lru_cache(maxsize=4096)
def _own_fault(text: str) -> tuple[str, FieldPath]:
    """Return what is wrong with a schema, given as JSON, apart from those inside it, and where."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import SchemaError

    try:
        no_formats = FormatChecker(formats=())
        Draft202012Validator.check_schema(json.loads(text), format_checker=no_formats)
    except SchemaError as error:
        return shown(error.message, SHOWN), tuple(error.absolute_path)
    return "", ()


def _nowhere(reference: str) -> str:
    return f"it refers to {shown(reference, SHOWN)!r}, which is not there; nothing is fetched"


def _reason(error: Exception) -> str:
    if isinstance(error, BrokenSchemaError):
        return str(error)
    if isinstance(error, RecursionError):
        return "it refers to itself without end"
    name = type(error).__name__
    if any(word in name for word in ("Resolv", "Resolution", "Referencing", "Anchor")):
        return _nowhere(str(getattr(error, "ref", error)))
    return f"it cannot be judged ({name}: {shown(error, SHOWN)})"


# -- keywords ------------------------------------------------------------------


def _is_among(validator: Any, members: Any, instance: Any, schema: Any) -> Errors:
    """Judge a text by looking it up; `jsonschema` compares it with every member in Python."""
    from jsonschema import Draft202012Validator

    if isinstance(instance, str):
        return () if instance in members else _error()
    check: Check = Draft202012Validator.VALIDATORS["enum"]
    return check(validator, members, instance, schema)


@cache
def _judging_class() -> Any:
    """Return the class that judges values, which may have holes."""
    from jsonschema import Draft202012Validator, validators

    # `jsonschema` would judge these without bounds, or by binary fractions
    checks: dict[str, Check] = {
        **Draft202012Validator.VALIDATORS,
        "enum": _is_among,
        "pattern": _of_one_type("string", _matches),
        "patternProperties": _by_pattern,
        "additionalProperties": _additional,
        # by the digits that are written: binary fractions do not hold 19.99 or 0.01 exactly
        "multipleOf": _of_one_type("number", lambda step, each: not _exact(each) % _exact(step)),
        # by keys: to compare each element with each other one takes too long in a long list
        "uniqueItems": _of_one_type(
            "array", lambda wanted, each: not wanted or len(set(map(_key, each))) == len(each)
        ),
    }
    checks |= {keyword: _counted(checks[keyword]) for keyword in COUNTED}
    judged = [keyword for keyword in checks if keyword not in COUNTED or keyword in NEED_ALL]
    opened = {keyword: _open(keyword, checks[keyword], checks["anyOf"]) for keyword in judged}
    extend: Callable[..., Any] = validators.extend
    return extend(Draft202012Validator, checks | opened)


def _counted(check: Check) -> Check:
    """Follow references and branches only so often: branches upon branches double the work each time."""

    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Errors:
        CLOCK.steps += 1
        if CLOCK.steps == MAX_BRANCHES:
            CLOCK.most = max(MAX_BRANCHES, BRANCHES_EACH * _size(CLOCK.value))
        if CLOCK.steps > CLOCK.most:
            raise BrokenSchemaError("it has too many branches upon branches")
        return check(validator, value, instance, schema)

    return judge


def _size(value: Any) -> int:
    """Return how many parts a value has."""
    if isinstance(value, Mapping | list):
        return 1 + sum(map(_size, value.values() if isinstance(value, Mapping) else value))
    return 1


def _open(keyword: str, check: Check, any_of: Check) -> Check:
    """Judge what is known of a value: a hole may turn out to be anything of its types."""

    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Errors:
        is_hole = isinstance(instance, Hole)
        if is_hole and keyword in ("type", "enum", "const"):
            wanted = schema_types({keyword: value})
            is_text_form = keyword == "type" and is_compatible(instance.types, wanted)
            return () if is_text_form or instance.types & wanted else _error()
        if keyword == "oneOf" and not is_hole and has_hole(instance):
            sure = (validator.evolve(schema=each) for each in value if _asks_names_alone(each))
            one = sum(each.is_valid(instance) for each in sure) <= 1
            return (any_of if one else check)(validator, value, instance, schema)
        is_open = keyword in NEED_ALL and has_hole(instance) and not _asks_names_alone(value)
        if is_hole or is_open:
            return any_of(validator, value, instance, schema) if keyword == "oneOf" else ()
        return check(validator, value, instance, schema)

    return judge


def _asks_names_alone(schema: Any) -> bool:
    """Whether a schema of an object asks which fields there are, and nothing of their values."""
    if not isinstance(schema, Mapping) or not schema:
        return False
    parts = [schema[key] for key in ("not", "if", "then", "else") if key in schema]
    parts += [each for key in ("allOf", "anyOf", "oneOf") for each in schema.get(key, ())]
    is_object = schema.get("type", "object") == "object"
    return schema.keys() <= OF_NAMES and is_object and all(map(_asks_names_alone, parts))


def _error(**more: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    yield ValidationError("", **more)  # the message is made from the place, see `_asked`


def compiled(pattern: str) -> Any:
    """
    Return a pattern, compiled.

    Raises:
        BrokenSchemaError: it is none.
    """
    import regex

    if len(pattern) > MAX_PATTERN or any(int(n) > MAX_TIMES for n in _TIMES.findall(pattern)):
        raise BrokenSchemaError(f"the pattern {shown(pattern, SHOWN)!r} is too large")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        reason = shown(error, SHOWN)
        raise BrokenSchemaError(f"{shown(pattern, SHOWN)!r} is no pattern: {reason}") from None


def _matches(pattern: str, text: str) -> bool:
    left = min(PATTERN_SECONDS, ALL_PATTERNS_SECONDS - CLOCK.spent)
    started = time.thread_time()
    try:
        if left > 0:
            return compiled(pattern).search(text, timeout=left) is not None
    except TimeoutError:
        pass
    finally:
        CLOCK.spent += time.thread_time() - started
    raise BrokenSchemaError(f"the pattern {shown(pattern, SHOWN)!r} takes too long")


def _of_one_type(kind: str, fits: Callable[[Any, Any], bool]) -> Check:
    """Judge values of one type by whether they fit what a keyword says."""

    def judge(validator: Any, said: Any, instance: Any, _schema: Any) -> Iterator[Any]:
        if validator.is_type(instance, kind) and not fits(said, instance):
            yield from _error()

    return judge


def _by_pattern(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    for pattern, inner in patterns.items() if validator.is_type(instance, "object") else ():
        for name, value in instance.items():
            if _matches(pattern, name):
                yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    unknown = [name for name in instance if name not in known]
    extra = [name for name in unknown if not any(_matches(each, name) for each in patterns)]
    if validator.is_type(allowed, "object"):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        # the instance is the extra fields alone, so that the message names them
        yield from _error(instance={name: instance[name] for name in extra})


def _exact(number: Any) -> Fraction:
    return Fraction(number if isinstance(number, int) else str(number))


def _key(value: Any) -> object:
    """Return something that is equal for equal values only; `1` and `1.0` are, `1` and `true` are not."""
    if isinstance(value, Mapping):
        return frozenset((name, _key(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return tuple(_key(inner) for inner in value)
    return (isinstance(value, bool), value)


# -- what a schema wants and what a value is, in few words ------------------------


def given_text(value: Any) -> str:
    """
    Print a value as JSON on one line, cut where it gets long; a hole is printed as what it stands for.

    Example:
        >>> given_text({"a": "b" * 200})[-8:]
        'bbbbb...'
    """
    return shown("".join(islice(_printed(value), SHOWN)), SHOWN)


def _printed(value: Any) -> Iterator[str]:
    """Yield the text of a value piece by piece, so that no more of a large one is printed than is shown."""
    if isinstance(value, Hole):
        yield str(value.source) if value.source.kind in ("reference", "ask") else "..."
    elif isinstance(value, str):
        yield json.dumps(value[: SHOWN * 2], ensure_ascii=False)
    elif isinstance(value, Mapping | list):
        is_list = isinstance(value, list)
        yield "[" if is_list else "{"
        for number, each in enumerate(value):
            yield ", " if number else ""
            if not is_list:
                yield f"{json.dumps(str(each)[:SHOWN], ensure_ascii=False)}: "
            yield from _printed(each if is_list else value[each])
        yield "]" if is_list else "}"
    else:
        yield json.dumps(value, default=str)


def _names(names: Any) -> str:
    """Name the first fields of some."""
    listed = list(islice(map(str, names), MOST_NAMES + 1))
    return ", ".join(listed[:MOST_NAMES]) + ("" if len(listed) <= MOST_NAMES else ", ...")


def wanted_text(schema: JsonSchema) -> str:
    """Return what a value has to be: one of some, a list of those, or else of which type."""
    members, items = schema.get("enum"), schema.get("items")
    if isinstance(members, list):
        listed = "one of " * (len(members) > 1) + ", ".join(map(given_text, members[:MOST_NAMES]))
        return listed if len(members) <= MOST_NAMES else f"{listed}, ..."
    if isinstance(items, dict) and "enum" in items:
        return f"a list of {wanted_text(items).removeprefix('one of ')}"
    return types_text(schema_types(schema), "")


def _asked(error: Any) -> str:
    """Say what a keyword with a value wants, which what was given does not meet."""
    keyword, value = error.validator, error.validator_value
    match keyword:
        case None:
            return "absent"
        case "type" | "const":
            return _summary({keyword: value})
        case "enum":
            text = ", ".join(map(given_text, value[:MOST_NAMES]))
            return text if len(value) == 1 else f"one of {text}"
        case "required":
            return f"an object with {_names(name for name in value if name not in error.instance)}"
        case "additionalProperties":
            keys = ("properties", "patternProperties")
            known = [name for key in keys for name in error.schema.get(key, ())]
            fields = f"other fields than {_names(known)}" if known else "fields"
            return f"an object without {fields}"
        case "anyOf" | "oneOf":
            kinds = "; ".join(dict.fromkeys(map(_summary, value[:10])))
            return f"{'exactly one' if keyword == 'oneOf' else 'one'} of: {kinds}"
    words = packaged("rules/schemas/wording")
    if keyword in words:
        text = given_text(value) if keyword == "not" else value
        return str(words[keyword].format(text, s="" if value == 1 else "s"))
    return f"what {keyword} asks for: {given_text(value)}"


def _summary(schema: Any) -> str:
    """Return in a few words what a schema wants."""
    if not isinstance(schema, dict) or not schema:
        return "nothing" if schema is False else "anything"
    if "enum" in schema or "const" in schema:
        return ", ".join(map(given_text, schema.get("enum", [schema.get("const")])[:5]))
    names = schema.get("required")
    fields = f" with {', '.join(map(str, names[:5]))}" if isinstance(names, list) and names else ""
    if "type" in schema:
        kinds = schema["type"]
        return " or ".join([kinds] if isinstance(kinds, str) else kinds) + fields
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2] + fields
    return f"object{fields}" if fields else given_text(schema)
