"""
The forms into which a value that does not fit its schema may be brought, without inventing anything.

Each form is reached by steps, each with its rule, place, and the value before and after; nothing is
offered that the schema does not allow in the end. How far a form is from the value that was given is a
number for the rules to weigh. What may mean one thing or another has no form: a broken text of JSON is not
put into a list, nor "red, blue"; "y" is no boolean, and of two members of an enumeration none is taken.

    text to number      "42", " -3.5 "                where a number is wanted
    text to boolean     "true", "no", "off"           the table BOOLEANS
    text to null        "null", "None"                where null is allowed
    parse text          '{"a": 1}', "['x']"           JSON or a Python literal, where a structure is wanted;
                                                      all of it, or nothing
    to text             42, true                      where a text is wanted
    scalar to list      "a"                           where a list is wanted
    unwrap              {"item": [1]}, ["a"]          a key that says nothing, or one element, around it
    enum                "premium_economy"             the member that is spelt so but for one slip
    drop null           {"a": null}                   where `a` may be absent
    rename key          {"filePath": 1}               a field that is spelt nearly so and is free, or the
                                                      only one that is missing
    drop key            {"file_path": 1, "path": 2}   a second name of a field that is there
    default             {}                            a required field whose schema says its value
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from refract_asp.model.edits import Step
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import resolve, schema_types, type_of
from refract_asp.rules.likeness import fold, name_distance
from refract_asp.rules.schemas.dialects import Hole
from refract_asp.rules.schemas.keywords import BrokenSchemaError, branches_followed
from refract_asp.rules.schemas.scalars import NULLS, STRUCTURES, members_meant, turned
from refract_asp.rules.schemas.validation import Validator
from refract_asp.rules.schemas.wording import given_text

__all__ = ["MARGIN", "WRAPPERS", "Recast", "recasts"]

WRAPPERS = frozenset(
    [
        "value", "values", "item", "items", "element", "elements", "list", "array", "data", "content",
        "input", "result", "results", "object", "text", "string", "number", "integer", "boolean",
    ]
)  # fmt: skip
"""Keys that say nothing of what lies under them; so does the name of the parameter or field itself."""

MAX_STEPS = 100
"""So many steps of one form are told."""
MAX_DEPTH = 64
"""How deep in a value forms are looked for."""
MAX_TRIED = 12_000
"""How many parts of a value, each for one branch of a schema, are looked at."""
MAX_DISTANCE = 20
"""No form is farther than this."""
MAX_UNKNOWN = 20
"""If an object has more keys that are not declared, none of them is taken for a field."""
MAX_FREE = 200
"""Nor if more fields are free."""
MAX_BRANCHES = 20
"""How many branches of `anyOf` are tried."""
MARGIN = 3
"""Of two forms the nearer one is clear when the other is farther by this much; `transform.lp` says so too."""
LISTED = 100
"""A text up to this length that has a comma may be several elements of a list."""
NEAR_KEY = 9
"""A field that is farther from the key is not meant."""


@dataclass(frozen=True, slots=True)
class Recast:
    """
    A form of a value that fits.

    Attributes:
        value: the value in that form, with the holes it had.
        steps: how it was reached.
        distance: how far it is from what was given, from 1.
    """

    value: Any
    steps: tuple[Step, ...]
    distance: int


@dataclass(frozen=True, slots=True)
class _Form:
    value: Any
    steps: tuple[Step, ...] = ()
    distance: int = 0


@dataclass(slots=True)
class _Search:
    """One search for forms: what judges, and how much may still be tried."""

    validator: Validator
    left: int = MAX_TRIED
    is_cut: bool = False

    def name(self, path: FieldPath) -> str:
        """Return what stands at a path is called."""
        names = [step for step in path if isinstance(step, str)]
        return names[-1] if names else self.validator.name

    @property
    def root(self) -> Any:
        return self.validator.root

    def fits(self, value: Any, judge: Validator) -> bool:
        """Whether a value fits; what that costs is no longer left."""
        if self.left < 0:
            self.is_cut = True
            return False
        try:
            return judge.is_valid(value)
        finally:
            self.left -= branches_followed()


def recasts(
    value: Any, validator: Validator, on_cut: Callable[[], None] | None = None
) -> list[Recast]:
    """
    Return the forms of a value that fit a schema, nearest first.

    Args:
        value: a value that does not fit; it may have holes.
        validator: judges by the schema.
        on_cut: called when a bound cut off the search for them.

    Example:
        >>> [recast.value for recast in recasts("42", Validator({"type": "int"}))]
        [42]
    """
    found: dict[str, Recast] = {}
    search = _Search(validator)
    for form in _forms(value, validator.schema, search, (), MAX_DEPTH):
        if not form.steps:
            continue
        key = repr(form.value)
        distance = min(form.distance, MAX_DISTANCE)
        if key in found and found[key].distance <= distance:
            continue
        try:
            if validator.is_valid(form.value):
                found[key] = Recast(form.value, form.steps, distance)
        except BrokenSchemaError:
            return []
    if search.is_cut and on_cut is not None:
        on_cut()
    return sorted(found.values(), key=lambda recast: recast.distance)


def _forms(
    value: Any, schema: Any, search: _Search, path: FieldPath, depth: int
) -> Iterator[_Form]:
    """Yield forms of a value that come nearer to a schema; whether they fit is judged in the end."""
    schema = resolve(schema, search.root)
    search.left -= 1
    if not isinstance(schema, dict) or depth <= 0 or search.left < 0:
        search.is_cut |= isinstance(schema, dict)
        yield _Form(value)
        return
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and branches:
            beside = {name: inner for name, inner in schema.items() if name != key}
            search.is_cut |= len(branches) > MAX_BRANCHES
            whole = [_joined([beside, branch], search.root) for branch in branches[:MAX_BRANCHES]]
            yield from _union(value, whole, search, path, depth)
            return
    kinds = schema.get("type")
    if isinstance(kinds, list) and len(kinds) > 1:
        yield from _union(value, [{**schema, "type": kind} for kind in kinds], search, path, depth)
        return
    if isinstance(schema.get("allOf"), list):
        beside = {name: inner for name, inner in schema.items() if name != "allOf"}
        yield from _forms(
            value, _joined([beside, *schema["allOf"]], search.root), search, path, depth - 1
        )
        return
    if isinstance(value, Hole):
        if "array" in schema_types(schema, search.root) and not value.types & {"array"}:
            yield _wrapped(value, path)
        yield _Form(value)
        return
    yield from _own_forms(value, schema, search, path, depth)


def _union(
    value: Any, branches: list[Any], search: _Search, path: FieldPath, depth: int
) -> Iterator[_Form]:
    """
    Yield forms that a branch allows, those of later branches set back: unions are read in their order.

    First come the branches that take the type of the value anyway. Several constants are an enumeration.
    """
    kinds = value.types if isinstance(value, Hole) else {type_of(value)}
    branches = sorted(branches, key=lambda branch: not kinds & schema_types(branch, search.root))
    late = 0
    for branch in branches:
        for form in _forms(value, branch, search, path, depth - 1):
            yield _Form(form.value, form.steps, form.distance + late)
        late += 0 if "const" in branch else MARGIN


def _joined(schemas: list[Any], root: Any) -> dict[str, Any]:
    """Return one schema that says what several say, as far as the forms of a value depend on it."""
    whole: dict[str, Any] = {}
    for schema in schemas:
        inner = resolve(schema, root)
        if not isinstance(inner, dict):
            continue
        for key, said in inner.items():
            if key == "properties" and isinstance(said, dict):
                whole[key] = {**whole.get(key, {}), **said}
            elif key == "required" and isinstance(said, list):
                whole[key] = [*whole.get(key, []), *said]
            else:
                whole[key] = said
    return whole


def _own_forms(
    value: Any, schema: dict[str, Any], search: _Search, path: FieldPath, depth: int
) -> Iterator[_Form]:
    wanted = schema_types(schema, search.root)
    members = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(members, list):
        for rule, member, distance in members_meant(value, members):
            yield _Form(member, (_step(rule, path, value, member),), distance)
    kind = type_of(value)
    if kind in wanted and kind not in STRUCTURES:
        yield _Form(value)
    if kind == "object" and "object" in wanted:
        yield from _object_forms(value, schema, search, path, depth)
    if kind == "array" and "array" in wanted:
        yield from _array_forms(value, schema, search, path, depth)
    # where its type is right, another one is not what is wrong
    others = wanted if kind not in wanted or isinstance(members, list) else frozenset()
    for rule, other, distance in turned(value, kind, others):
        first = _Form(other, (_step(rule, path, value, other),), distance)
        yield from _then(first, schema, search, path, depth)
        if rule == "parse_text" and "array" in wanted and isinstance(other, dict):
            wrapped = _wrapped(other, path)
            whole = _Form(wrapped.value, first.steps + wrapped.steps, distance + wrapped.distance)
            yield from _then(whole, schema, search, path, depth)
    if "array" in others and kind != "array" and _is_one(value):
        yield from _then(_wrapped(value, path), schema, search, path, depth)
    inner = _unwrapped(value, schema, wanted, search.name(path))
    if inner is not None:
        step = _step("unwrap", path, value, inner[0])
        for form in _forms(inner[0], schema, search, path, depth - 1):
            yield _Form(form.value, (step, *form.steps), form.distance + 1)


def _then(
    form: _Form, schema: dict[str, Any], search: _Search, path: FieldPath, depth: int
) -> Iterator[_Form]:
    """Yield a form, and what it may become where it is a structure itself or one of several members."""
    inside: Iterator[_Form] = iter([_Form(form.value)])
    if isinstance(form.value, dict):
        inside = _object_forms(form.value, schema, search, path, depth)
    elif isinstance(form.value, list):
        inside = _array_forms(form.value, schema, search, path, depth)
    for further in inside:
        yield _Form(further.value, (*form.steps, *further.steps), form.distance + further.distance)


def _is_one(value: Any) -> bool:
    """Whether a value is clearly one element of a list: no text of several, of none, or of a structure."""
    if not isinstance(value, str):
        return value is not None
    text = value.strip()
    several = len(text) <= LISTED and any(mark in text for mark in ",;\n")
    return bool(text) and not several and text[0] not in "[{" and text.lower() not in NULLS


def _wrapped(value: Any, path: FieldPath) -> _Form:
    return _Form([value], (_step("scalar_to_list", path, value, [value]),), 4)


def _unwrapped(
    value: Any, schema: dict[str, Any], wanted: frozenset[str], name: str
) -> tuple[Any] | None:
    """Return what lies under the one key of an object, or is the one element of a list, in a tuple."""
    if isinstance(value, dict) and len(value) == 1:
        key, inner = next(iter(value.items()))
        declared = schema.get("properties")
        is_field = isinstance(declared, dict) and (not declared or key in declared)
        says_nothing = key.lower() in WRAPPERS or fold(key) == fold(name)
        if says_nothing and ("object" not in wanted or not is_field):
            return (inner,)
    if isinstance(value, list) and len(value) == 1 and "array" not in wanted:
        return (value[0],)
    return None


def _array_forms(
    value: list[Any], schema: dict[str, Any], search: _Search, path: FieldPath, depth: int
) -> Iterator[_Form]:
    """Yield a list with each of its elements in the nearest form."""
    first = schema.get("prefixItems")
    fixed = (
        first
        if isinstance(first, list)
        else schema["items"]
        if isinstance(schema.get("items"), list)
        else []
    )
    rest = schema.get("items")
    elements: list[Any] = []
    changed = _Changes()
    for number, element in enumerate(value):
        inner = fixed[number] if number < len(fixed) else rest
        elements.append(changed.noted(_nearest(element, inner, search, (*path, number), depth)))
    yield _Form(elements, tuple(changed.steps), changed.distance)


@dataclass(slots=True)
class _Changes:
    """What changed inside a list or an object; the same slip in each of many parts is not many slips."""

    steps: list[Step] = field(default_factory=list)
    farthest: int = 0
    count: int = 0

    def add(self, distance: int, *steps: Step) -> None:
        """Note a change of one part."""
        self.count += 1
        self.farthest = max(self.farthest, distance)
        self.steps += steps[: MAX_STEPS - len(self.steps)]

    def noted(self, form: _Form) -> Any:
        """Note how a part came into a form, if it did, and return its value."""
        if form.steps:
            self.add(form.distance, *form.steps)
        return form.value

    @property
    def distance(self) -> int:
        """How far the whole is: as far as its farthest part, and a little more if there are several."""
        return self.farthest + (self.count > 1)


def _object_forms(
    value: dict[str, Any], schema: dict[str, Any], search: _Search, path: FieldPath, depth: int
) -> Iterator[_Form]:
    """Yield an object with each of its fields in the nearest form, under the name that is declared."""
    properties = schema.get("properties")
    declared: dict[str, Any] = properties if isinstance(properties, dict) else {}
    required: list[str] = schema.get("required") or []
    rest = schema.get("additionalProperties")
    meant = _meant(value, declared, required, rest is False)
    fields: dict[str, Any] = {}
    changed = _Changes()
    for key, given in value.items():
        name, distance = meant.get(key, (key, 0))
        inner = declared.get(name, rest)
        takes_null = inner is not False and "null" in schema_types(inner, search.root)
        if given is None and name not in required and not takes_null:
            changed.add(
                1, Step(rule="drop_null", path=(*path, key), before="null", after="nothing")
            )
            continue
        if name in value and name != key:
            dropped = Step(
                rule="drop_key", path=(*path, key), before=given_text(given), after="nothing"
            )
            changed.add(2 + distance, dropped)
            continue
        if name != key:
            changed.add(1 + distance, _step("rename_key", (*path, key), key, name))
        fields[name] = changed.noted(_nearest(given, inner, search, (*path, key), depth))
    for name in required:
        known = _known(resolve(declared.get(name), search.root)) if name not in fields else ()
        if known:
            said = given_text(known[0])
            changed.add(3, Step(rule="default", path=(*path, name), before="nothing", after=said))
            fields[name] = known[0]
    yield _Form(fields, tuple(changed.steps), changed.distance)


def _known(schema: Any) -> tuple[Any, ...]:
    """Return the value that a schema says, in a tuple, if it says one."""
    if not isinstance(schema, dict):
        return ()
    members = schema.get("enum")
    said = [schema[key] for key in ("const", "default") if key in schema]
    return tuple(said or (members if isinstance(members, list) and len(members) == 1 else ()))


def _meant(
    value: dict[str, Any], declared: dict[str, Any], required: list[str], is_closed: bool
) -> dict[str, tuple[str, int]]:
    """
    Return which declared fields the other keys of an object mean, each with its distance.

    Where other keys are allowed, they may mean only what is missing. A field that is there already may be
    meant by a second name for it.
    """
    unknown = [key for key in value if key not in declared]
    missing = [name for name in required if name in declared and name not in value]
    if (
        not 0 < len(unknown) <= MAX_UNKNOWN
        or len(declared) > MAX_FREE
        or not (missing or is_closed)
    ):
        return {}
    found: dict[str, tuple[str, int]] = {}
    for key in unknown:
        ranked = sorted((name_distance(key, name), name) for name in declared)
        near = [each for each in ranked if each[0] <= NEAR_KEY and each[0] < ranked[0][0] + MARGIN]
        taken = {name for name, _ in found.values()}
        if len(near) == 1 and near[0][1] not in taken and (is_closed or near[0][1] not in value):
            found[key] = (near[0][1], near[0][0])
    if len(unknown) == len(missing) == 1 and not found:
        found[unknown[0]] = (missing[0], NEAR_KEY + 1)
    return found


def _nearest(value: Any, schema: Any, search: _Search, path: FieldPath, depth: int) -> _Form:
    """Return the nearest form of a part of a value that fits its part of the schema, else the part."""
    if schema is None or isinstance(schema, bool):
        return _Form(value)
    validator = search.validator.part(schema)
    try:
        if search.fits(value, validator):
            return _Form(value)
        forms = _forms(value, schema, search, path, depth - 1)
        fitting = [form for form in forms if search.fits(form.value, validator)]
    except BrokenSchemaError:
        return _Form(value)
    fitting.sort(key=lambda form: form.distance)
    if not fitting or (len(fitting) > 1 and _is_close(fitting)):
        return _Form(value)
    return fitting[0]


def _is_close(forms: list[_Form]) -> bool:
    """Whether a second form that differs is about as near as the first; then neither is taken."""
    others = [form.distance for form in forms[1:] if repr(form.value) != repr(forms[0].value)]
    return bool(others) and others[0] < forms[0].distance + MARGIN


def _step(rule: str, path: FieldPath, before: Any, after: Any) -> Step:
    return Step(rule=rule, path=path, before=given_text(before), after=given_text(after))
