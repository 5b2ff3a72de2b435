"""
Whether a value fits a JSON Schema (2020-12): `jsonschema` judges, `referencing` follows references.

Nothing is fetched: a reference that leads outside the schema makes it one that cannot be judged, as does
one without end, a pattern that is none, or one that takes too long. The time of a pattern is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.model.paths import Fault, FieldPath, path_text
from refract_asp.model.schemas import target
from refract_asp.rules.schemas.dialects import LISTS, MAPS, SINGLE, has_hole, standard
from refract_asp.rules.schemas.keywords import BrokenSchemaError, begin, compiled, judging_classes
from refract_asp.rules.schemas.wording import SHOWN, fault_of

__all__ = [
    "BrokenSchemaError",
    "Validator",
    "fault_of_schema",
    "subschemas",
]


ANNOTATIONS = frozenset(
    {
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
        "format", "contentEncoding", "contentMediaType", "contentSchema",
    }
)  # fmt: skip
"""Keywords that judge no value, so that nothing in them makes a schema unusable."""


def fault_of_schema(schema: Any) -> str | None:
    """
    Return what makes a schema none, in words, or None when it is one.

    Raises:
        BrokenSchemaError: a pattern in it is none.

    Example:
        >>> fault_of_schema({"type": "integer"}), fault_of_schema({"properties": {"a": {"minimum": "x"}}})
        (None, "'x' is not of type 'number' (at properties.a.minimum)")
    """
    left: list[tuple[FieldPath, Any]] = [((), schema)]
    while left:
        path, part = left.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            return _told(f"{shown(json.dumps(part, default=str), SHOWN)} is no schema", path)
        own = {key: value for key, value in part.items() if key not in ANNOTATIONS}
        for key, inner in subschemas(part):
            left.extend(((*path, key, *step), value) for step, value in inner)
            own[key] = [True] if isinstance(part[key], list) else {}
        fault = _own_fault(json.dumps(own, sort_keys=True, default=str))
        if fault is not None:
            return _told(fault[0], (*path, *fault[1]))
        for pattern in (*part.get("patternProperties", ()), part.get("pattern")):
            if pattern is not None:
                compiled(pattern)
    return None


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[str, list[tuple[FieldPath, Any]]]]:
    """Yield the keywords under which schemas lie, with these and the steps to them."""
    for key in MAPS:
        if isinstance(schema.get(key), dict):
            yield key, [((name,), inner) for name, inner in schema[key].items()]
    for key in LISTS:
        if isinstance(schema.get(key), list) and schema[key]:
            yield key, [((number,), inner) for number, inner in enumerate(schema[key])]
    for key in SINGLE:
        if isinstance(schema.get(key), dict):
            yield key, [((), schema[key])]


@lru_cache(maxsize=4096)
def _own_fault(text: str) -> tuple[str, FieldPath] | None:
    """Return what is wrong with a schema that holds no others, and where in it."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(
            json.loads(text), format_checker=FormatChecker(formats=())
        )
    except SchemaError as error:
        return shown(error.message, SHOWN), tuple(error.absolute_path)
    return None


def _told(what: str, path: FieldPath) -> str:
    return f"{what} (at {shown(path_text(path))})" if path else what


MAX_FAULTS = 20
"""So many faults of one value are told."""


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

    def __init__(
        self, schema: Any, root: Any = None, *, formats: bool = False, name: str = ""
    ) -> None:
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
            found.schema, found.root, found.name, found._formats = (
                schema,
                self.root,
                "",
                self._formats,
            )
            found._made, found._parts, found._broken, found._is_checked = (
                {},
                self._parts,
                None,
                True,
            )
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
        errors = self._errors(value, MAX_FAULTS)
        return tuple(
            dict.fromkeys(fault_of(error) for error in errors)
        )  # fields that are absent are one

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
            if id(part) in seen or not isinstance(part, dict):
                continue
            seen.add(id(part))
            left.extend(inner for _, found in subschemas(part) for _, inner in found)
            reference = part.get("$ref")
            if isinstance(reference, str):
                found = target(reference, self.root)
                if found is None:
                    raise BrokenSchemaError(_nowhere(reference))
                left.append(found)

    def _errors(self, value: Any, most: int) -> list[Any]:
        """Return the first faults of a value; those before a part that cannot be judged are enough."""
        validator = self._validator(is_open=has_hole(value))
        begin(value)
        found: list[Any] = []
        try:
            for error in islice(validator.iter_errors(value), most):
                found.append(error)  # noqa: PERF402 - what comes before an exception is kept
        except (
            Exception
        ) as error:  # what a schema that is none makes jsonschema raise is not bounded
            if not found:
                raise BrokenSchemaError(_reason(error)) from None
        return found

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


def _validator(schema: Any, root: Any, *, is_open: bool, formats: bool) -> Any:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    kind = judging_classes()[is_open]
    checker = Draft202012Validator.FORMAT_CHECKER if formats else None
    try:
        whole = kind(root, registry=Registry(), format_checker=checker)
        return whole if schema is root else whole.evolve(schema=schema)
    except Exception as error:  # a root that is no schema at all
        raise BrokenSchemaError(_reason(error)) from None


def _nowhere(reference: str) -> str:
    return f"it refers to {shown(reference, SHOWN)!r}, which is not there; nothing is fetched"


def _reason(error: Exception) -> str:
    if isinstance(error, BrokenSchemaError):
        return str(error)
    if isinstance(error, RecursionError):
        return "it refers to itself without end"
    name = type(error).__name__
    if "Resolv" in name or "Resolution" in name or "Referencing" in name or "Anchor" in name:
        return _nowhere(str(getattr(error, "ref", error)))
    return f"it cannot be judged ({name}: {shown(error, SHOWN)})"
