"""The kinds of mutations: what each breaks, and when what is left tells how it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from refract_asp.bench.mutations import mutation
from refract_asp.bench.mutations.mutation import Mutation, Place, UnbreakableError, invented, kind
from refract_asp.model import Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath, entered, fields_of
from refract_asp.model.schemas import is_compatible
from refract_asp.model.sequence import constants_of, replace_reference, slots_of
from refract_asp.model.stages import order_of

# Namespaces that a model puts before the name of a tool.
PREFIXES = ("mcp_", "mcp__server__", "functions.", "tools/", "api.")
# Words without meaning of their own that make the name of a parameter longer.
ADDED_WORDS = ("the", "input", "value", "given")
SPARE_LABELS = 20
# So many values stand in one list where one is wanted.
MAX_VALUES = 3
# Keys without meaning, under which a value is wrapped.
WRAPPERS = ("value", "item", "data", "text")
# The bounds of a number, and on which side of them it is wrong.
BOUNDS = {"maximum": 1, "exclusiveMaximum": 1, "minimum": -1, "exclusiveMinimum": -1}

_SCOPE = re.compile(r"[./:]+|__+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_in(name: str) -> list[str]:
    """
    Split `camelCase` and `snake_case` into lower-case words, in order.

    Example:
        >>> words_in("originSkyId"), words_in("check_in")
        (['origin', 'sky', 'id'], ['check', 'in'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def _camel(words: list[str]) -> str:
    return "".join([*words[:1], *(word.capitalize() for word in words[1:])])


def _respelt(name: str) -> str:
    """
    Return a name in the other spelling: `snake_case` as `camelCase`, and else as `snake_case`.

    Example:
        >>> _respelt("check_in"), _respelt("checkIn"), _respelt("query")
        ('checkIn', 'check_in', 'query')
    """
    words = words_in(name)
    if not words or "".join(words) != "".join(filter(str.isalnum, name)).lower():
        return name  # it has letters that are not looked at
    return _camel(words) if "_" in name or "-" in name else "_".join(words)


def _alike(names: Iterable[str], name: str) -> list[str]:
    """Return the names that share a word with one."""
    return [each for each in names if set(words_in(each)) & set(words_in(name))]


# -- names ---------------------------------------------------------------------


@kind("names", "calls", lambda at: at.is_known)
def tool_name(at: Place) -> Mutation:
    """
    A tool's name is misspelt by 1 to 3 edits, or an invented word stands for it.

    Informed: misspelt; or one tool alone takes exactly these arguments and gives what is read.
    """
    given = at.call.arguments
    name, variant = at.wrong_name(at.call.name, at.catalog.by_name.__contains__)
    fit = [
        tool.name
        for tool in at.catalog
        if given.keys() <= tool.parameters.keys()
        and all(p.name in given for p in tool.parameters.values() if p.required)
        and all(mutation.gives(tool, path) for path in at.paths_read)
    ]
    told = f"tool {at.call.name} is now {name}"
    informed = variant == "misspelt" or fit == [at.call.name]
    return at.mutation(at.changed(name=name), told, variant=variant, informed=informed)


@kind("names", "calls", lambda at: at.is_known)
def namespace(at: Place) -> Mutation:
    r"""
    A namespace before a tool's name is gained or lost, or `_` is written `\_`.

    Informed: one tool alone is called so without a namespace.
    """
    given = at.call.name
    written = {"gained": at.rng.choice(PREFIXES) + given}
    lost = _SCOPE.split(given)[-1]
    if lost not in ("", given):
        written["lost"] = lost
    if "_" in given:
        written["escaped"] = given.replace("_", "\\_")
    variant, wrong = at.drawn(written)
    at.need(wrong not in at.catalog.by_name)

    def bare(name: str) -> set[str]:
        """Return a name, also with its first words taken off where a mark parts them from the rest."""
        found = {name, *(name[match.end() :] for match in _SCOPE.finditer(name))}
        return (found | {name.removeprefix(prefix) for prefix in PREFIXES}) - {""}

    meant = {wrong} | bare(wrong.replace("\\_", "_"))
    alike = [tool.name for tool in at.catalog if bare(tool.name) & meant]
    told = f"tool {given} is now {wrong}"
    return at.mutation(at.changed(name=wrong), told, variant=variant, informed=alike == [given])


def _renamed(at: Place, wrong: str, variant: str, *, informed: bool) -> Mutation:
    """Return the mutation that gives an argument another name."""
    changed = {wrong if p == at.name else p: source for p, source in at.call.arguments.items()}
    told = f"parameter {at.name} is now {wrong}"
    return at.mutation(at.changed(arguments=changed), told, variant=variant, informed=informed)


@kind("names", "arguments", lambda at: not at.tool.additional_parameters)
def parameter_name(at: Place) -> Mutation:
    """
    A parameter's name is misspelt by 1 to 3 edits, or an invented word stands for it.

    Informed: misspelt; or the parameter is required; or it is the only one that is free and takes the
    value; or the only one of these whose schema names the value, or whose name shares a word with the
    field.
    """
    known, source = at.tool.parameters.keys() | at.call.arguments.keys(), at.source
    wrong, variant = at.wrong_name(at.name, known.__contains__)

    def is_pointed_to(parameter: Parameter) -> bool:
        """Whether the schema speaks of the value, or the name shares a word with the field that is read."""
        if isinstance(source, Reference):
            return bool(_alike(fields_of(source.path)[-1:], parameter.name))
        schema, value = parameter.json_schema, at.value
        listed = [each for key in ("enum", "examples") for each in schema.get(key) or ()]
        alike = (each for each in (schema.get("default"), *listed) if each == value)
        is_said = isinstance(value, str) and len(value) > 1 and value in parameter.description
        return value is not None and (is_said or any(type(each) is type(value) for each in alike))

    takes = [p for p in at.free if not isinstance(source, Constant) or not at.refuses(at.value, p)]
    named = [p for p in takes if is_pointed_to(at.tool.parameters[p])]
    is_told = at.parameter.required or (at.name in takes and len(named or takes) == 1)
    informed = variant == "misspelt" or (is_told and (not named or at.name in named))
    return _renamed(at, wrong, variant, informed=informed)


@kind("names", "arguments", lambda at: not at.tool.additional_parameters)
def parameter_spelling(at: Place) -> Mutation:
    """
    A parameter is written in camelCase for snake_case or the other way round, a word shorter or longer.

    Informed: one parameter that is free is called so but for the spelling, or alone shares a word with
    what is written.
    """
    words = words_in(at.name)
    joined = "_".join if "_" in at.name or at.name.islower() else _camel
    written = {"respelt": _respelt(at.name)}
    if len(words) > 1:
        written["shorter"] = joined(at.rng.choice((words[1:], words[:-1])))
    if words:
        more = at.rng.choice([*ADDED_WORDS, *words_in(at.call.name)[-1:]])
        written["longer"] = joined([more, *words])
    taken = {at.name, *at.tool.parameters, *at.call.arguments}
    variant, wrong = at.drawn({way: word for way, word in written.items() if word not in taken})
    equal = [p for p in at.free if words_in(p) == words_in(wrong)]
    return _renamed(at, wrong, variant, informed=(equal or _alike(at.free, wrong)) == [at.name])


@kind("names", "calls", lambda at: at.is_known and not at.tool.additional_parameters)
def made_up_argument(at: Place) -> Mutation:
    """
    An argument is added that the tool does not declare: of an invented name, of one that other tools
    have, or one that is there once more in another spelling.

    Informed: no parameter that is free shares a word with it; nor is there just one that takes the value,
    for which an invented name could stand.
    """
    declared, passed = at.tool.parameters, at.call.arguments
    foreign = sorted({p for other in at.catalog for p in other.parameters} - set(declared))
    given = [p for p in passed if _respelt(p) != p]
    variant = at.rng.choice(["invented", *["foreign"] * bool(foreign), *["second"] * bool(given)])
    source: Source = Constant(value=at.rng.choice((invented(at.rng), at.rng.randint(1, 99))))
    name = invented(at.rng)
    if variant == "foreign":
        name = at.rng.choice(foreign)
    elif variant == "second":
        first = at.rng.choice(given)
        name, source = _respelt(first), passed[first]
    at.need(name not in declared and name not in passed)
    value = source.value if isinstance(source, Constant) else None
    takes = [p for p in at.free if value is None or not at.refuses(value, p)]
    is_apart = not _alike(at.free, name) and (variant == "second" or len(takes) != 1)
    here = replace(at, token=mutation.Token(at.token.call, name))
    told = f"there is an argument {name}={mutation.source_text(source)} besides"
    return here.mutation(here.bound(source), told, variant=variant, informed=is_apart)


# -- references ----------------------------------------------------------------


def _is_read(at: Place) -> bool:
    """Whether a call is read under a label of its own."""
    return at.has_own_label and any(r.producer == at.token.call for r in at.reads)


def _unused_label(at: Place) -> str:
    """Return a `varN` that nothing has or reads, N up to the number of calls and some."""
    used = {call.label for call in at.sequence.calls} | {r.reference.label for r in at.reads}
    names = [f"var{n}" for n in range(1, len(at.sequence.calls) + SPARE_LABELS + 1)]
    return at.rng.choice([name for name in names if name not in used])


@kind("references", "calls", _is_read)
def label(at: Place) -> Mutation:
    """
    A label that is read becomes one that nothing has or reads.

    Informed: always.
    """
    fresh = _unused_label(at)
    return at.mutation(at.changed(label=fresh), f"label {at.call.label} is now {fresh}")


@kind("references", "calls", _is_read)
def missing_label(at: Place) -> Mutation:
    """
    A label that is read is gone.

    Informed: always.
    """
    return at.mutation(at.changed(label=None), f"label {at.call.label} is gone")


def _holds_reference(source: Source) -> bool:
    return any(isinstance(slot, Reference) for slot in slots_of(source))


@kind("references", "arguments", lambda at: at.parameter.required and _holds_reference(at.source))
def missing_reference(at: Place) -> Mutation:
    """
    A required argument with a reference in it is gone.

    Informed: the argument was the reference alone, and one earlier call declares its field; or one of
    those that do feeds the same call through another argument that does not carry this field already; or
    none does, and one gives it elsewhere to a parameter of this name; else an ask is expected.
    """
    lost, candidates = at.read, _givers(at)
    siblings = {read.producer for read in at.reads if read.call == lost.call} - {lost.producer}
    elsewhere = {read.producer for read in at.reads if mutation.is_same_use(read, lost)}
    is_shown = not candidates & siblings and candidates & elsewhere == {lost.producer}
    informed = isinstance(at.source, Reference) and (is_shown or _has_one_producer(at))
    told = f"argument {at.name}={mutation.source_text(at.source)} is gone"
    expected = None if informed else mutation.with_ask(at.sequence, at.token)
    return at.mutation(at.bound(None), told, expected, informed=informed)


def _givers(at: Place) -> set[int | None]:
    """Return the earlier calls that declare the field that a place reads."""
    tools = [at.catalog.by_name.get(call.name) for call in at.sequence.calls[: at.token.call]]
    return {n for n, tool in enumerate(tools) if mutation.gives(tool, at.path)}


def _has_one_producer(at: Place) -> bool:
    """
    Whether a lost reference can be told from what is left ("informed" in docs/evaluation.md).

    One earlier call declares the field, or several do and one of them feeds the same call
    through a sibling without giving it this very field already.
    """
    lost, candidates = at.read, _givers(at)
    siblings = [read for read in at.reads if read.call == lost.call and read != lost]
    feeding = candidates & {read.producer for read in siblings}
    already = {read.producer for read in siblings if read.reference.path == lost.reference.path}
    return {lost.producer} in (candidates, feeding - already or feeding)


def _misread(at: Place, changes: dict[str, object], **more: Any) -> Mutation:
    """Return the mutation in which a reference reads something else."""
    read, made = at.read, at.read.reference.model_copy(update=changes)
    broken = at.bound(replace_reference(at.source, {at.token.slot: made})[0])
    return at.mutation(broken, f"{at.name} reads {made} instead of {read.reference}", **more)


@kind("references", "references")
def made_up_label(at: Place) -> Mutation:
    """
    A reference names a label that nothing has.

    Informed: one earlier call declares its field; or one of those that do feeds the same call through
    another reference that does not read this field already.
    """
    return _misread(at, {"label": _unused_label(at)}, informed=_has_one_producer(at))


def _holds(path: FieldPath, *types: type) -> bool:
    """Whether a path has a step of some type."""
    return any(isinstance(step, types) for step in path)


@kind("references", "references", lambda at: _holds(at.path, str))
def made_up_field(at: Place) -> Mutation:
    """
    The field that a reference reads is misspelt by 1 to 3 edits, or an invented word stands for it.

    Informed: always: the call that is read is there, and the parameter that it fills.
    """
    tool, path = at.giver, at.path
    if tool is None:
        raise UnbreakableError
    last = max(n for n, step in enumerate(path) if isinstance(step, str))

    def changed(word: str) -> FieldPath:
        return (*path[:last], word, *path[last + 1 :])

    # A field that the tool may return after all (its output is open there) would not be wrong.
    wrong, variant = at.wrong_name(str(path[last]), lambda w: tool.returns_path(changed(w)))
    return _misread(at, {"path": changed(wrong)}, variant=variant)


def _is_argument(at: Place) -> bool:
    """Whether a reference is the whole argument of a declared parameter."""
    return at.is_known and at.name in at.tool.parameters and isinstance(at.source, Reference)


@kind(
    "references",
    "references",
    lambda at: (
        _is_argument(at)
        and _holds(at.path, str)
        and at.giver is not None
        and at.giver.output_schema is not None
    ),
)
def type_mismatch(at: Place) -> Mutation:
    """
    A reference reads the whole output, or another field, of a type that the parameter does not take.

    Informed: of the fields of a type that fits one alone is called like the parameter, else shares a word
    with it, else is there, shallow ones before deep ones; and none lies inside the field that is read.
    """
    giver = at.giver
    if giver is None or not giver.declares_path(at.path):
        raise UnbreakableError
    fitting = set(_fitting(giver, at))
    wrong = [field.path for field in giver.output_fields if field.path not in fitting]
    possible: dict[str, FieldPath] = {}
    if not is_compatible(giver.types_at(()), at.types):
        possible["whole"] = ()
    if wrong:
        possible["field"] = at.rng.choice(wrong)
    variant, instead = at.drawn(possible)
    # What lies inside the field that is read now could be meant as well.
    is_inside = variant == "field" and any(each[: len(instead)] == instead for each in fitting)
    informed = _is_told(giver, at) and not is_inside
    return _misread(at, {"path": instead}, variant=variant, informed=informed)


def _fitting(giver: Tool, at: Place) -> list[FieldPath]:
    """Return the fields of a tool that are of a type that the parameter takes."""
    paths = (field.path for field in giver.output_fields)
    return [path for path in paths if is_compatible(giver.types_at(path), at.types)]


def _is_told(giver: Tool, at: Place) -> bool:
    """
    Whether type and name of a parameter alone tell which field of a tool was read.

    Of the fields of a type that the parameter takes, those count that are called like it; if there is none
    those that share a word with it; if there is none all. Of these the shallowest have to be the one.
    """
    wanted = words_in(at.name)

    def rank(path: FieldPath) -> tuple[int, int]:
        names = fields_of(path)
        own, whole = words_in("".join(names[-1:])), words_in("_".join(names[-2:]))
        if wanted in (own, whole):
            return 0, len(path)
        return 1 if set(wanted) & set(own) else 2, len(path)

    ranks = {path: rank(path) for path in _fitting(giver, at)}
    best = min(ranks.values(), default=None)
    # Output fields are listed with each list entered at its first element.
    return [path for path in ranks if ranks[path] == best] == [entered(at.path)]


@kind("references", "references", lambda at: at.giver is not None and _holds(at.path, int))
def lost_index(at: Place) -> Mutation:
    """
    A reference into a list does not say which element.

    Informed: the first element was meant.
    """
    without = tuple(fields_of(at.path))
    at.need(at.giver is not None and not at.giver.returns_path(without))
    informed = all(step == 0 for step in at.path if isinstance(step, int))
    return _misread(at, {"path": without}, informed=informed)


# -- steps ---------------------------------------------------------------------


@kind("steps", "calls", _is_read)
def missing_step(at: Place) -> Mutation:
    """
    A call that others read is gone.

    Informed: one tool declares all the fields that are read from it, and it read nothing into an optional
    parameter, as nothing tells that; its constants are lost, so that a constant or an ask may stand for
    each.
    """
    index, given, paths = at.token.call, at.call.arguments, at.paths_read
    tools = [tool.name for tool in at.catalog if all(mutation.gives(tool, path) for path in paths)]
    constants = frozenset(constants_of(given))
    declared = at.tool.parameters.values() if at.is_known else ()
    demanded = {parameter.name for parameter in declared if parameter.required}
    by_choice = [p for p, source in given.items() if p not in demanded and _holds_reference(source)]
    open = (mutation.Open(index, constants),) if constants else ()
    informed = all(paths) and tools == [at.call.name] and not by_choice
    broken, origins = mutation.with_call(at.sequence, index), _without(at.sequence, index)
    return at.mutation(broken, "the call is gone", open=open, informed=informed, origins=origins)


def _without(sequence: Sequence, index: int) -> tuple[int | None, ...]:
    """Return the calls that are left when one is gone."""
    return tuple(n for n in range(len(sequence.calls)) if n != index)


@kind("steps", "calls", lambda at: at.has_own_label and at.is_known)
def repeated_call(at: Place) -> Mutation:
    """
    A call is made twice under one label: as it is, or first as an attempt that lacks an argument or
    misnames one.

    Informed: always: the right call has all that the attempt has.
    """
    variant, before = at.rng.choice(("copy", "attempt")), at.call
    if variant == "attempt":
        declared, passed = at.tool.parameters, at.call.arguments
        given = [p for p in passed if p in declared]
        required = [p for p in given if declared[p].required]
        ways = {"without": required, "misnamed": given * (not at.tool.additional_parameters)}
        way, names = at.drawn({way: names for way, names in ways.items() if names})
        chosen, known = at.rng.choice(names), {*declared, *passed}
        wrong = "" if way == "without" else at.wrong_name(chosen, known.__contains__)[0]
        kept = {p: source for p, source in passed.items() if wrong or p != chosen}
        named = {wrong if p == chosen else p: source for p, source in kept.items()}
        before = at.call.model_copy(update={"arguments": named})
    first = "" if variant == "copy" else f", first as {Sequence(calls=(before,))}"
    index, count = at.token.call, len(at.sequence.calls)
    broken = mutation.with_call(at.sequence, index, before, at.call)
    told = f"the call is made twice under one label{first}"
    origins = (*range(index), None, *range(index, count))
    return at.mutation(broken, told, variant=variant, origins=origins)


def _nearest(at: Place) -> int | None:
    """Return the last of the calls that a call reads from."""
    producers = (r.producer for r in at.reads if r.call == at.token.call)
    return max((each for each in producers if each is not None), default=None)


def _can_come_back(at: Place) -> bool:
    """Whether a reader may be put before what it reads, where a repair may put it back."""
    labels = [call.label for call in at.sequence.calls if call.label is not None]
    nearest = _nearest(at)
    passed = at.sequence.calls[nearest : at.token.call + 1]
    is_clear = nearest is not None and len(set(labels)) == len(labels)
    is_clear = is_clear and all(call.name in at.catalog.by_name for call in passed)
    return is_clear and not any(order_of(passed, at.catalog))


@kind("steps", "calls", _can_come_back)
def call_order(at: Place) -> Mutation:
    """
    A call stands before the one from which it reads.

    Informed: always: no two calls that are declared to change something pass each other.
    """
    moved, nearest = at.token.call, _nearest(at)
    if nearest is None:
        raise UnbreakableError
    order = [n for n in range(len(at.sequence.calls)) if n != moved]
    order.insert(nearest, moved)
    changed = tuple(at.sequence.calls[index] for index in order)
    broken = at.sequence.model_copy(update={"calls": changed})
    told = f"the call stands before call {nearest + 1}, from which it reads"
    return at.mutation(broken, told, origins=tuple(order))


def _reads_alone(at: Place) -> bool:
    """Whether an argument alone reads from a call, of which all arguments are constant."""
    inner = at.sequence.calls[at.read.producer or 0]
    readers = [read.producer for read in at.reads].count(at.read.producer)
    bearers = [call.label for call in at.sequence.calls].count(inner.label)
    is_constant = len(constants_of(inner.arguments)) == len(inner.arguments)
    is_known = is_constant and inner.name in at.catalog.by_name
    return readers == bearers == 1 and is_known and _is_argument(at)


@kind("steps", "references", _reads_alone)
def inner_call(at: Place) -> Mutation:
    """
    A call is written inside the argument that read from it, as an object or as text.

    Informed: type and name of the parameter tell the field that was read, as for type_mismatch.
    """
    producer = at.read.producer or 0
    inner = at.sequence.calls[producer]
    given = {"name": inner.name, "arguments": constants_of(inner.arguments)}
    forms: dict[str, Any] = {"object": given}
    forms["text"] = str(Sequence(calls=(inner.model_copy(update={"label": None}),)))
    variant, form = at.drawn({way: value for way, value in forms.items() if at.refuses(value)})
    broken = mutation.with_call(at.bound(Constant(value=form)), producer)
    told = f"{at.name} holds the call of {inner.name} from which it read"
    informed = _is_told(at.catalog.by_name[inner.name], at)
    origins = _without(at.sequence, producer)
    return at.mutation(broken, told, variant=variant, informed=informed, origins=origins)


# -- values: what can be told from the form that is given ------------------------


def _of(*types: type) -> Callable[[Place], bool]:
    """Return what finds the constants of some Python types; a boolean is no whole number here."""
    return lambda at: at.is_constant and type(at.value) in types


def _misgiven(at: Place, value: Any, expected: mutation.Wanted = None, **more: Any) -> Mutation:
    """Return the mutation that puts a value that does not fit in place of another one."""
    at.need(at.refuses(value))
    wrong = Constant(value=value)
    told = f"{at.name} is {' instead of '.join(map(mutation.source_text, (wrong, at.source)))}"
    return at.mutation(at.bound(wrong), told, expected, **more)


@kind("values", "arguments", _of(dict, list))
def json_text(at: Place) -> Mutation:
    """
    An object or a list is given as its text, in JSON or in Python.

    Informed: always.
    """
    variant = at.rng.choice(("json", "python"))
    text = json.dumps(at.value) if variant == "json" else repr(at.value)
    return _misgiven(at, text, variant=variant)


@kind("values", "arguments", _of(int, float, bool))
def as_text(at: Place) -> Mutation:
    """
    A number or a boolean is given as text.

    Informed: always.
    """
    value = at.value
    if isinstance(value, bool):
        text = at.rng.choice((json.dumps(value), str(value), "yes" if value else "no"))
        return _misgiven(at, text, variant="boolean")
    return _misgiven(at, json.dumps(value), variant="number")


@kind("values", "arguments", _of(str))
def as_number(at: Place) -> Mutation:
    """
    A text that is a number is given as that.

    Informed: always.
    """
    try:
        number = json.loads(at.value)
    except ValueError:
        raise UnbreakableError from None
    at.need(isinstance(number, int | float) and json.dumps(number) == at.value)
    return _misgiven(at, number, variant="boolean" if isinstance(number, bool) else "number")


@kind("values", "arguments", _of(str, int, float, bool, dict, list))
def wrapped(at: Place) -> Mutation:
    """
    A value is put under the one key of an object, which says nothing, or alone into a list.

    Informed: always.
    """
    if at.rng.choice(("object", "list")) == "list" and "array" not in at.types:
        return _misgiven(at, [at.value], variant="list")
    return _misgiven(at, {at.rng.choice((at.name, *WRAPPERS)): at.value}, variant="object")


@kind("values", "arguments", _of(list))
def scalar_for_list(at: Place) -> Mutation:
    """
    A value stands where a list of it is wanted.

    Informed: it is no text with a comma, which could be several.
    """
    at.need(len(at.value) == 1 and not isinstance(at.value[0], list | dict))
    (value,) = at.value
    is_one = not (isinstance(value, str) and any(mark in value for mark in ",;\n"))
    return _misgiven(at, value, informed=is_one)


@kind("values", "arguments", _of(str))
def enum_spelling(at: Place) -> Mutation:
    """
    A member of an enumeration is written in another case or with other marks.

    Informed: no other member is spelt so but for case and marks.
    """
    value, members = at.value, at.parameter.json_schema.get("enum")
    if not isinstance(members, list):
        raise UnbreakableError
    ways = {"upper": value.upper(), "lower": value.lower(), "title": value.title()}
    ways |= {f"with {mark!r}": mark.join(words_in(value)) for mark in ("_", "-", " ")}
    variant, other = at.drawn({w: word for w, word in ways.items() if word not in (*members, "")})
    texts = [each.lower() for each in (other, *members) if isinstance(each, str)]
    bare = ["".join(filter(str.isalnum, text)) for text in texts]
    return _misgiven(at, other, variant=variant, informed=bare.count(bare[0]) == 2)


@kind(
    "values", "parameters", lambda at: not (at.parameter.required or at.name in at.call.arguments)
)
def null_optional(at: Place) -> Mutation:
    """
    An optional argument is null, which it may not be.

    Informed: always.
    """
    at.need(at.refuses(None))
    return at.mutation(at.bound(Constant(value=None)), f"the optional {at.name} is null")


@kind("values", "arguments", _of(str, int, float))
def several_values(at: Place) -> Mutation:
    """
    A list of two or three values stands where one is wanted.

    Informed: the tool only reads and nobody reads from the call: it is made for each; else which value
    was meant is lost, and an ask is expected.
    """
    values, members = [at.value], at.parameter.json_schema.get("enum")
    for _ in range(at.rng.randint(1, MAX_VALUES - 1)):
        if isinstance(members, list):
            left = [member for member in members if member not in values]
            at.need(bool(left))
            values.append(at.rng.choice(left))
        elif isinstance(at.value, str):
            values.append(invented(at.rng))
        else:
            values.append(at.value + at.rng.randint(1, 9) * len(values))
    at.need(not any(each is None or each in values[:n] for n, each in enumerate(values)))
    at.need(not any(map(at.refuses, values)))
    if at.tool.effect != "read" or at.paths_read:
        return _lost(at, values, "one")
    given = at.call.arguments
    made = [{"arguments": {**given, at.name: Constant(value=value)}} for value in values]
    copies = [at.call.model_copy(update=update) for update in made]
    copies[1:] = [each.model_copy(update={"label": None}) for each in copies[1:]]
    expected = mutation.with_call(at.sequence, at.token.call, *copies)
    return _misgiven(at, values, expected, variant="each")


# -- values that are lost for good -----------------------------------------------


def _lost(at: Place, value: Any, variant: str = "") -> Mutation:
    """Return the mutation that puts a value in place of one that is lost by that."""
    expected = mutation.with_ask(at.sequence, at.token)
    return _misgiven(at, value, expected, variant=variant, informed=False)


@kind("values", "arguments", lambda at: at.parameter.required and at.is_constant)
def lost_constant(at: Place) -> Mutation:
    """
    A required argument that is a constant is gone.

    Informed: never, but where the catalog says the value: by a default, a constant, an enumeration of
    one.
    """
    known = at.parameter.known_values
    asked = mutation.with_ask(at.sequence, at.token)
    expected = at.bound(Constant(value=known[0])) if known else asked
    told = f"argument {at.name}={mutation.source_text(at.source)} is gone"
    return at.mutation(at.bound(None), told, expected, informed=bool(known))


@kind("values", "arguments", lambda at: at.parameter.required and at.is_constant)
def null_required(at: Place) -> Mutation:
    """
    A required argument is null, which it may not be.

    Informed: never.
    """
    return _lost(at, None)


@kind("values", "arguments", lambda at: at.is_constant)
def wrong_type(at: Place) -> Mutation:
    """
    A value of another type stands for a constant: a word, a number or an object of two fields.

    Informed: never.
    """
    rng = at.rng
    thing = {invented(rng): rng.randint(100, 999), invented(rng): invented(rng)}
    candidates: list[tuple[str, Any]] = []
    if "string" not in at.types:
        candidates.append(("word", invented(rng)))
    if not at.types & {"string", "number", "integer"}:
        candidates.append(("number", rng.randint(100, 999)))
    candidates += [] if "object" in at.types else [("object", thing)]
    rng.shuffle(candidates)
    for variant, value in candidates:
        # What fits as the one element of a list, or as its text, could be meant so.
        in_list = ([value], [str(value)]) if "array" in at.types else ()
        if all(map(at.refuses, (value, *in_list))):
            return _lost(at, value, variant)
    raise UnbreakableError


@kind(
    "values",
    "arguments",
    lambda at: at.is_constant and len(at.parameter.json_schema.get("enum") or ()) > 1,
)
def wrong_member(at: Place) -> Mutation:
    """
    An invented word stands for a member of an enumeration.

    Informed: never.
    """
    return _lost(at, invented(at.rng), "invented")


def _bounds_of(at: Place) -> list[str]:
    return [key for key in BOUNDS if isinstance(at.parameter.json_schema.get(key), int | float)]


@kind("values", "arguments", lambda at: isinstance(at.value, int | float) and bool(_bounds_of(at)))
def out_of_range(at: Place) -> Mutation:
    """
    A number is beyond its bounds.

    Informed: never.
    """
    bound = at.rng.choice(_bounds_of(at))
    return _lost(at, at.parameter.json_schema[bound] + BOUNDS[bound] * at.rng.randint(1, 99), bound)


# -- what leaves the sequence valid ----------------------------------------------


@kind("harmless", "calls", lambda at: len(at.call.arguments) > 1)
def argument_order(at: Place) -> Mutation:
    """
    The arguments of a call stand in another order.

    Informed: always: nothing is wrong.
    """
    broken = at.changed(arguments=dict(reversed(at.call.arguments.items())))
    return at.mutation(broken, "the arguments stand in another order", broken)


@kind(
    "harmless", "arguments", lambda at: not at.parameter.required and at.tool.input_schema is None
)
def optional_left_out(at: Place) -> Mutation:
    """
    An optional argument is gone.

    Informed: always: nothing is wrong, and nothing tells that it was there.
    """
    broken = at.bound(None)
    return at.mutation(broken, f"the optional argument {at.name} is gone", broken)
