"""
The forms into which a value that does not fit its schema may be brought, without inventing anything.

Each form is reached by steps, each with its rule, place, and the value before and after; nothing is
offered that the schema does not allow in the end. How far a form is from the value that was given is a
number for the rules to weigh; `likeness.lp` says how far each step is. What may mean one thing or another
has no form: a broken text of JSON is not put into a list; "y" is no boolean, and of two members of an
enumeration none is taken.

    text to number      "42", " -3.5 "                where a number is wanted
    number in text      "30 minutes", "$1,250.00"     the one number of it, where a number is wanted
    text to boolean     "true", "no", "off"           the table BOOLEANS
    text to null        "null", "None"                where null is allowed
    parse text          '{"a": 1}', "['x']"           JSON or a Python literal, where a structure is wanted;
                                                      all of it, or nothing
    to text             42, true                      where a text is wanted
    scalar to list      "a"                           where a list is wanted
    split text          "ferries, tolls"              the elements of a list, where each part fits one and
                                                      not every text would
    split words         "bug, slow"                   ... where every text would
    unwrap              {"item": [1]}, ["a"]          a key that says nothing, or one element, around it
    enum                "premium_economy", "C"        the member that is spelt so but for one slip or a
                                                      plural, or of which one is short for the other
    enum word           "toll roads", "walk"          the one member whose words are all among these, or
                                                      that has all these, or other forms of the words
    drop null           {"a": null}                   where `a` may be absent
    rename key          {"filePath": 1}               a field that is spelt nearly so and is free, or the
                                                      only one that is missing
    drop key            {"file_path": 1, "path": 2}   a second name of a field that is there
    default             {}                            a required field whose schema says its value
    ask                 ["tolls", "mountains"]        a part that comes into no form, beside others that fit
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, repeat, starmap
from typing import Any, TypeAlias

from rapidfuzz.distance import Prefix

from refract_asp.model import Ask, Parameter
from refract_asp.model.edits import Step
from refract_asp.model.paths import FieldPath, as_whole, elements_of, fields_of, object_of, without
from refract_asp.model.schema_words import literal
from refract_asp.model.schemas import ANY, JSON_TYPES, JsonSchema, resolve, schema_types, type_of
from refract_asp.rules.likeness import (
    Limits,
    begins_otherwise,
    fold,
    is_lost_letter,
    is_one_letter,
    name_distance,
    words,
)
from refract_asp.rules.schemas.dialects import Hole
from refract_asp.rules.schemas.validation import CLOCK, BrokenSchemaError, Validator, given_text

# The texts that mean a boolean, without regard to case; no other text does.
BOOLEANS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip
NULLS = frozenset({"null", "none", "nil"})
# Keys that say nothing of what lies under them; so does the name of the parameter or field itself.
WRAPPERS = frozenset({
    "value", "values", "item", "items", "element", "elements", "list", "array", "data", "content",
    "input", "result", "results", "object", "text", "string", "number", "integer", "boolean",
})  # fmt: skip

# At most so many steps of one form are listed.
MAX_STEPS = 100
# How deep in a value forms are looked for, and how deep a structure may lie that is parsed.
MAX_DEPTH = 64
# How many parts of a value, each for one branch of a schema, are looked at.
MAX_TRIED = 12_000
# If an object has more keys that are not declared, none of them is taken for a field.
MAX_UNKNOWN = 20
# Nor if more fields are free.
MAX_FREE = 200
# How many branches of `anyOf` are tried.
MAX_BRANCHES = 20
# A text up to this length that has a comma may be several elements of a list.
LISTED = 100
# ... where each of them has at most so many blanks.
MAX_BLANKS = 2
# If more parts of a value fit nothing, all of it is asked.
MAX_ASKED = 5
# Longer texts are not parsed.
MAX_TEXT = 10_000_000
# Longer ones not as Python.
MAX_LITERAL = 100_000
# How many members of an enumeration are compared.
MAX_MEMBERS = 2000

# Steps by which a text means a member of an enumeration, and what an edit says of each.
ENUM: dict[str, Any] = {"enum_plural": "enum", "enum_slip": "enum"}

# Formats of texts in which no number stands alone: 1994 is a year, which a date does not become by quotes.
NO_NUMBERS = dict.fromkeys((
    "date", "date-time", "duration", "email", "idn-email", "ipv4", "ipv6", "iri", "time", "uri", "uuid",
), frozenset({"string"}))  # fmt: skip

# Nothing but words; a sign among them says something, too.
_WORDS = re.compile(r"\s*\w[\w\s'-]*")
# A sign between two words only parts them, as in `pick-up`.
_SIGN = re.compile(r"\d+|[+<>=%$€£¥^~]|#(?!\w)|(?<!\w)-(?=\d)|(?<=\w)-(?!\w)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
# Between the elements of a list that is written as a text.
_BETWEEN = re.compile(r"\s*[,;|\n]\s*(?:(?:and|or|&)\s+)?|\s+(?:and|or|&)\s+")
# A comma that may stand in a number: the only one, or one of several signs between numbers.
_IN_NUMBER = re.compile(r"\d,\d{3}(?!\d)|^(?=.*\d,\d)(?:.*[;|&\s]|[^,]*,[^,]*$)", re.S)
# A number beside what it counts or is measured in; a comma may only stand before each three digits.
_MEASURED = re.compile(
    r"(?:[#$€£¥]|[A-Z]{3}\s)?\s*([+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)"
    r"\s*(?:%|°\s?[CFKNE]?|-?[^\W\d_]+(?:[\s/][^\W\d_]+)?)?"
)
# Not with a plus, which may say what is added, nor with three zeros that may stand for thousands.
_NUMBER = re.compile(r"(?ai)-?(?!\d{1,3}\.000$)(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?")


@dataclass(frozen=True, slots=True)
class Recast:
    """
    A form of a value.

    Attributes:
        value: the value in that form, with the holes it had.
        steps: how it was reached.
        distance: how far it is from what was given.
    """

    value: Any
    steps: tuple[Step, ...] = ()
    distance: int = 0

    def then(self, further: Recast) -> Recast:
        """Return what this form becomes when it is brought into a further one."""
        steps = (*self.steps, *further.steps)
        return Recast(further.value, steps, self.distance + further.distance)

    @property
    def is_asking(self) -> bool:
        """Whether parts of the value are asked of the user."""
        return any(step.rule == "ask" for step in self.steps)


# Stands in a form for a part that is asked of the user.
OPEN = Ask(name="open")
_ASKED = Hole(OPEN, ANY)

Recasts: TypeAlias = Iterator[Recast]
# The field that a key means, and how far it is from it.
Meant: TypeAlias = dict[str, tuple[str, int]]


def recasts(value: Any, validator: Validator, limits: Limits) -> tuple[list[Recast], bool]:
    """
    Return the forms of a value that fit a schema, nearest first, and whether a bound cut off the search.

    Where there is none, it returns those in which the parts that do not fit are asked, beside others that do.

    Args:
        value: a value that does not fit; it may have holes.
        validator: judges by the schema.
        limits: what the encodings say of likeness.

    Example:
        >>> [recast.value for recast in recasts("42", Validator({"type": "int"}), Limits())[0]]
        [42]
    """
    try:
        found, is_cut = _fitting(value, _Search(validator, limits))
        if not found and isinstance(value, dict | list | str) and not is_cut:
            found, is_cut = _fitting(value, _Search(validator, limits, is_asking=True))
    except BrokenSchemaError:
        return [], False
    return sorted(found, key=lambda recast: recast.distance), is_cut


def _fitting(value: Any, search: _Search) -> tuple[list[Recast], bool]:
    """Return the forms that a search finds and that fit, and whether a bound cut it off."""
    found: dict[str, Recast] = {}
    for form in search.forms(value, search.validator.schema, (), MAX_DEPTH):
        key, distance = repr(form.value), min(form.distance, search.limits.number("farthest_form"))
        if not form.steps or (key in found and found[key].distance <= distance):
            continue
        asked = [part is _ASKED for part in _leaves(form.value)] if search.is_asking else []
        # a few parts are asked for, and others are kept
        is_kept = not search.is_asking or 0 < sum(asked) <= min(MAX_ASKED, len(asked) - 1)
        if is_kept and search.validator.is_valid(form.value):
            found[key] = Recast(form.value, form.steps, distance)
    return list(found.values()), search.is_cut


@dataclass(slots=True)
class _Search:
    """One search for forms: what judges, and how much may still be tried."""

    validator: Validator
    limits: Limits
    is_asking: bool = False
    left: int = MAX_TRIED
    is_cut: bool = False

    def fits(self, value: Any, judge: Validator) -> bool:
        """Whether a value fits; what that costs is no longer left."""
        if self.left < 0:
            self.is_cut = True
            return False
        try:
            return judge.is_valid(value)
        finally:
            self.left -= CLOCK.steps

    def types(self, schema: Any) -> frozenset[str]:
        return schema_types(schema, self.validator.root)

    def forms(self, value: Any, schema: Any, path: FieldPath, depth: int) -> Recasts:
        """Yield forms of a value that come nearer to a schema; whether they fit is judged in the end."""
        schema = resolve(schema, self.validator.root)
        self.left -= 1
        if not isinstance(schema, dict) or depth <= 0 or self.left < 0:
            self.is_cut |= isinstance(schema, dict)
            yield Recast(value)
            return
        kinds = schema.get("type")
        unions = (key for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list))
        key = next((key for key in unions if schema[key]), "")
        if key:
            self.is_cut |= len(schema[key]) > MAX_BRANCHES
            whole = [self._joined(schema, key, [one]) for one in schema[key][:MAX_BRANCHES]]
            yield from self._union(value, whole, path, depth)
        elif isinstance(kinds, list) and len(kinds) > 1:
            whole = [{**schema, "type": kind} for kind in kinds]
            yield from self._union(value, whole, path, depth)
        elif isinstance(schema.get("allOf"), list):
            joined = self._joined(schema, "allOf", schema["allOf"])
            yield from self.forms(value, joined, path, depth - 1)
        elif isinstance(value, Hole):
            if "array" in self.types(schema) and not value.types & {"array"}:
                yield self._step("scalar_to_list", path, value, [value])
            yield Recast(value)
        else:
            yield from self._own_forms(value, schema, path, depth)

    def _union(self, value: Any, branches: list[Any], path: FieldPath, depth: int) -> Recasts:
        """
        Yield forms that a branch allows, those of later branches set back: unions are read in their order.

        First come the branches that take the type of the value anyway. Several constants are an enumeration.
        """
        kinds = value.types if isinstance(value, Hole) else {type_of(value)}
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):  # it is no boolean then
            kinds = kinds | {"integer", "number"}
        late = 0
        for branch in sorted(branches, key=lambda branch: not kinds & self.types(branch)):
            for form in self.forms(value, branch, path, depth - 1):
                yield Recast(form.value, form.steps, form.distance + late)
            late += 0 if "const" in branch else self.limits.number("clear_form")

    def _joined(self, schema: JsonSchema, key: str, parts: list[Any]) -> dict[str, Any]:
        """Return what a schema and some parts that stand under a key say, as far as forms depend on it."""
        whole: dict[str, Any] = {}
        for part in (without(schema, (key,)), *parts):
            inner = resolve(part, self.validator.root)
            for name, said in inner.items() if isinstance(inner, dict) else ():
                if name == "properties" and isinstance(said, dict):
                    whole[name] = {**whole.get(name, {}), **said}
                elif name == "required" and isinstance(said, list):
                    whole[name] = [*whole.get(name, []), *said]
                else:
                    whole[name] = said
        return whole

    def _own_forms(self, value: Any, schema: JsonSchema, path: FieldPath, depth: int) -> Recasts:
        wanted, kind = self.types(schema), type_of(value)
        members = _members(schema)
        if isinstance(members, list):
            for step, member in _members_meant(value, members, self.limits):
                yield self._step(step, path, value, member)
        if kind in wanted:
            yield self._inside(value, schema, path, depth)
        # where its type is right, another one is not what is wrong
        others = wanted if kind not in wanted or isinstance(members, list) else frozenset()
        found = []
        others -= NO_NUMBERS.get(str(schema.get("format")), frozenset())
        for step, other in _turned(value, kind, others):
            found.append(self._step(step, path, value, other))
            if step == "parse_text" and "array" in wanted and isinstance(other, dict):
                found.append(found[-1].then(self._step("scalar_to_list", path, other, [other])))
        if "array" in others and kind != "array" and _is_one(value):
            found.append(self._step("scalar_to_list", path, value, [value]))
        only = value[0] if kind == "array" and len(value) == 1 else value
        if "array" in wanted and isinstance(only, str):
            found += self._split(value, only, schema, path)
        for form in found:
            yield form.then(self._inside(form.value, schema, path, depth))
        for inner in self._unwrapped(value, schema, path):
            bare = self._step("unwrap", path, value, inner)
            for form in self.forms(inner, schema, path, depth - 1):
                yield bare.then(form)

    def _inside(self, value: Any, schema: JsonSchema, path: FieldPath, depth: int) -> Recast:
        """Return a value with all that lies in it in the nearest form."""
        if isinstance(value, dict):
            return self._object_form(value, schema, path, depth)
        if not isinstance(value, list):
            return Recast(value)
        rest, first = schema.get("items"), schema.get("prefixItems")
        fixed = next((each for each in (first, rest) if isinstance(each, list)), [])
        forms = [
            self._nearest(each, fixed[n] if n < len(fixed) else rest, (*path, n), depth)
            for n, each in enumerate(value)
        ]
        return self._together([form.value for form in forms], forms)

    def _split(self, value: Any, text: str, schema: JsonSchema, path: FieldPath) -> Recasts:
        """Yield the list that a text names, or the one text in a list."""
        items = resolve(schema.get("items"), self.validator.root)
        is_text = "string" in self.types(items)
        is_any = not isinstance(items, dict) or (is_text and not _members(items))
        # a comma may stand in a number
        if len(text) > LISTED or (not is_text and _IN_NUMBER.search(text.strip())):
            return
        parts = [part for part in _BETWEEN.split(text.strip()) if part]
        # any text may be an element, but several short ones with a sign between them are a list
        is_one = _is_one(text) or text.lstrip()[:1] in ("[", "{")
        is_prose = is_any and (is_one or any(part.count(" ") > MAX_BLANKS for part in parts))
        if len(parts) > 1 and not is_prose:
            yield self._step("split_words" if is_any else "split_text", path, value, parts)

    def _unwrapped(self, value: Any, schema: JsonSchema, path: FieldPath) -> Iterator[Any]:
        """Yield what lies under the one key of an object that says nothing, or is the one element of a list."""
        wanted = self.types(schema)
        told = value.keys() if isinstance(value, dict) else set()
        if len(told) == 2 and value.get("type") in JSON_TYPES:  # written like the schema
            told -= {"type"}
        for key in told if len(told) == 1 else ():
            inner = value[key]
            name = [self.validator.name, *fields_of(path)][-1]
            declared = schema.get("properties")
            is_field = isinstance(declared, dict) and (not declared or key in declared)
            says_nothing = key.lower() in WRAPPERS or fold(key) == fold(name)
            if says_nothing and ("object" not in wanted or not is_field):
                yield inner
        if isinstance(value, list) and len(value) == 1 and "array" not in wanted:
            yield value[0]

    def _object_form(self, value: Any, schema: JsonSchema, path: FieldPath, depth: int) -> Recast:
        """Return an object with each of its fields in the nearest form, under the name that is declared."""
        declared, rest = object_of(schema.get("properties")), schema.get("additionalProperties")
        required: list[str] = schema.get("required") or []
        meant = _meant(value, declared, required, self.limits, is_closed=rest is False)
        fields: dict[str, Any] = {}
        forms: list[Recast] = []
        for key, given in value.items():
            here = (*path, key)
            name, distance = meant.get(key, (key, 0))
            inner = declared.get(name, rest)
            takes_null = inner is not False and "null" in self.types(inner)
            if given is None and name not in required and not takes_null:
                forms.append(self._step("drop_null", here, None, NOTHING))
            elif name != key and name in value:
                forms.append(self._step("drop_key", here, given, NOTHING, distance))
            else:
                if name != key:
                    forms.append(self._step("rename_key", here, key, name, distance))
                forms.append(self._nearest(given, inner, here, depth))
                fields[name] = forms[-1].value
        for name in required:
            said = resolve(declared.get(name), self.validator.root)
            own = Parameter(name=name, json_schema=object_of(said))
            for known in own.known_values:
                if name not in fields:
                    forms.append(self._step("default", (*path, name), NOTHING, known))
                    fields[name] = known
            # a key that is not declared may be what was meant
            if self.is_asking and name not in fields and declared.keys() >= fields.keys():
                forms.append(self._step("ask", (*path, name), NOTHING, _ASKED))
                fields[name] = forms[-1].value
        return self._together(fields, forms)

    def _nearest(self, value: Any, schema: Any, path: FieldPath, depth: int) -> Recast:
        """
        Return the nearest form of a part of a value that fits its part of the schema, else the part.

        Where parts may be asked for, one without such a form is.
        """
        if schema is None or isinstance(schema, bool):
            return Recast(value)
        is_open = self.is_asking and not isinstance(value, Hole)
        validator = self.validator.part(schema)
        try:
            if self.fits(value, validator):
                return Recast(value)
            forms = self.forms(value, schema, path, depth - 1)
            fitting = [form for form in forms if self.fits(form.value, validator)]
        except BrokenSchemaError:
            return Recast(value)
        none = self._step("ask", path, value, _ASKED) if is_open else Recast(value)
        if not fitting:
            return none
        fitting.sort(key=lambda form: form.distance)
        others = (form for form in fitting[1:] if repr(form.value) != repr(fitting[0].value))
        second = next(others, None)
        # where a second form that differs is about as near, neither is taken
        is_clear = second is None or second.distance >= fitting[0].distance + self.limits.number(
            "clear_form"
        )
        # one question is enough where all of it would be asked
        asks_all = is_open and all(part is _ASKED for part in _leaves(fitting[0].value))
        return none if asks_all or not is_clear else fitting[0]

    def _step(self, name: str, path: FieldPath, before: Any, after: Any, more: int = 0) -> Recast:
        """Return the form that one step reaches; it is so much farther than the encodings say."""
        was, now = (
            NO_VALUE if each is NOTHING or each is _ASKED else given_text(each)
            for each in (before, after)
        )
        step = Step(rule=ENUM.get(name, name), path=path, before=was, after=now)
        return Recast(after, (step,), self.limits.number(f"step_{name}") + more)

    def _together(self, value: Any, forms: list[Recast]) -> Recast:
        """
        Return a list or an object whose parts came into forms.

        It is as far as its farthest part, and a little more if there are several: the same slip in each
        of many parts is not many slips.
        """
        changed = [form for form in forms if form.steps]
        steps = tuple(islice((step for form in changed for step in form.steps), MAX_STEPS))
        farthest = max((form.distance for form in changed), default=0)
        several = self.limits.number("several_parts")
        return Recast(value, steps, farthest + several * (len(changed) > 1))


# What stands before or after a step where there is no value.
NOTHING = object()
# How a step names that.
NO_VALUE = "nothing"


def _leaves(value: Any) -> Iterator[Any]:
    """Yield what a value consists of; an empty structure is a part of its own."""
    if value and isinstance(value, dict | list):
        for part in elements_of(value):
            yield from _leaves(part)
    else:
        yield value


def _members(schema: JsonSchema) -> Any:
    """Return the values that a schema lists, where it lists any."""
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _is_one(value: Any) -> bool:
    """Whether a value is clearly one element of a list: no text of several, of none, or of a structure."""
    if not isinstance(value, str):
        return value is not None
    text = value.strip()
    several = len(text) <= LISTED and _BETWEEN.search(text) is not None
    return bool(text) and not several and text[0] not in "[{" and text.lower() not in NULLS


def _meant(
    value: Any, declared: JsonSchema, required: list[str], limits: Limits, *, is_closed: bool
) -> Meant:
    """
    Return which declared fields the other keys of an object mean, each with its distance.

    Where other keys are allowed, they may mean only what is missing. A field that is there already may be
    meant by a second name for it.
    """
    unknown = [key for key in value if key not in declared]
    missing = [name for name in required if name in declared and name not in value]
    found: Meant = {}
    if len(unknown) > MAX_UNKNOWN or len(declared) > MAX_FREE or not (missing or is_closed):
        return found
    free = set(declared if is_closed else declared.keys() - value.keys())
    for key in unknown if declared else ():
        ranked = sorted((name_distance(key, name), name) for name in declared)
        # the nearest, if no other one is about as near
        farthest = min(limits.number("near_key"), ranked[0][0] + limits.number("clear_form") - 1)
        near = [each for each in ranked if each[0] <= farthest]
        if len(near) == 1 and near[0][1] in free:
            found[key] = (near[0][1], near[0][0])
            free.remove(near[0][1])
    if len(unknown) == len(missing) == 1 and not found:
        found[unknown[0]] = (missing[0], limits.number("only_key"))
    return found


# -- single values -------------------------------------------------------------


def _turned(value: Any, kind: str, wanted: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Yield what a value of one type is in another one: the step, and the value."""
    if kind == "string":
        text = value.strip()
        if wanted & {"number", "integer"}:
            yield from _numbers(text)
        if "boolean" in wanted and text.lower() in BOOLEANS:
            yield "text_to_boolean", BOOLEANS[text.lower()]
        if "null" in wanted and text.lower() in NULLS:
            yield "text_to_null", None
        if wanted & {"object", "array"} and text and text[0] in '[{("' and len(text) <= MAX_TEXT:
            yield from (("parse_text", parsed) for parsed in _parsed(text))
    elif kind in ("boolean", "integer", "number"):
        if "string" in wanted:
            # of 3.0 it may be the version 3.0 or the number 3
            texts = dict.fromkeys(json.dumps(each) for each in (value, as_whole(value)))
            yield from (("to_text", text) for text in texts)
        if "boolean" in wanted and kind != "boolean" and value in (0, 1):
            yield "number_to_boolean", bool(value)


def _numbers(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the number that a text is, or that stands in it beside what it counts."""
    if len(text) < 400 and _NUMBER.fullmatch(text):
        number = _number(text)
        if abs(number) != math.inf:
            yield "text_to_number", number
    elif len(text) <= LISTED and (found := _MEASURED.fullmatch(text)):
        yield "number_in_text", _number(found[1].replace(",", ""))


def _number(text: str) -> Any:
    return int(text) if text.lstrip("+-").isdigit() else as_whole(float(text))


def _parsed(text: str) -> Iterator[Any]:
    """Yield the structure that a text holds, as JSON (even of a text of JSON), else as a Python literal."""
    found: Any = text
    try:
        for _ in range(3):
            found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        try:
            found = literal(text) if len(text) <= MAX_LITERAL else None
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return
    try:
        # as JSON, in which neither NaN nor half a character has a place
        found = json.loads(json.dumps(found, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, TypeError, RecursionError):
        return
    if isinstance(found, dict | list) and not _is_deeper_than(found, MAX_DEPTH):
        yield found


def _is_deeper_than(value: Any, depth: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = elements_of(value)
    return depth <= 0 or any(_is_deeper_than(inner, depth - 1) for inner in inside)


def _members_meant(value: Any, members: list[Any], limits: Limits) -> Iterator[tuple[str, Any]]:
    """Yield the members of an enumeration that a value may have meant; several are for the rules to weigh."""
    if any(member == value and type_of(member) == type_of(value) for member in members):
        return
    texts = [member for member in members if isinstance(member, str)]
    if isinstance(value, bool | int | float):
        for member in texts:
            if member.strip().lower() == json.dumps(value):
                yield "to_text", member
    elif isinstance(value, str) and value.strip():
        for member in texts[:MAX_MEMBERS]:
            if step := _likeness(value, member, limits):
                yield step, member


def _likeness(value: str, member: str, limits: Limits) -> str | None:
    """Return by which step a text may mean a member of an enumeration."""
    written, meant, said, own = fold(value), fold(member), words(value), words(member)
    least = min(len(written), len(meant))
    if meant == written:
        return "enum" if _signs(value) == _signs(member) else None
    if {said + own, own + said} & limits.short:
        return "enum"
    if least >= limits.number("slip_letters") and is_one_letter(value, member):
        return "enum_slip" if _is_slip(value, member) else None
    if not _WORDS.fullmatch(value) or least < limits.number("word_letters"):
        return None
    if set(own) <= set(said):
        if own == said and least >= limits.number("plural_letters"):
            return "enum_plural"
        return "enum_word" if own != said or set(meant) & set("aeiou") else None
    shortest = limits.number("word_letters")
    is_form = len(own) == len(said) and all(map(_is_form, said, own, repeat(shortest)))
    return "enum_word" if set(said) <= set(own) or is_form else None


def _is_slip(value: str, member: str) -> bool:
    """Whether the letter in which a text is not a member may be a slip: not the first, nor one of a short word."""
    said, own = words(value), words(member)
    changed = [pair for pair in zip(said, own, strict=False) if pair[0] != pair[1]]
    # `gallon_us` is no `gallon_uk`
    is_near = not len(said) == len(own) > 1 or all(starmap(is_lost_letter, changed))
    is_begun = not (begins_otherwise(value, member) or begins_otherwise(member, value))
    return is_near and is_begun and _signs(value) == _signs(member)


def _signs(text: str) -> list[str]:
    """Return the numbers of a text, and the signs that say something: `A+` is not `A-`, nor `2.5` 25."""
    return [sign.lstrip("0") for sign in _SIGN.findall(_THOUSANDS.sub("", text))]


def _is_form(word: str, other: str, shortest: int) -> bool:
    """Whether the shorter of two words begins the longer one, perhaps but for its last letter."""
    same, lengths = Prefix.similarity(word, other), {len(word), len(other)}
    return word == other or (same > shortest and same >= min(lengths) - 1 and len(lengths) == 2)
