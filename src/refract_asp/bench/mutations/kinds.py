"""Kinds of mutations that break names, references and steps."""

from __future__ import annotations

import random
import re
from typing import Any

from refract_asp.bench.mutations.mutation import (
    Mutation,
    Open,
    Place,
    Token,
    arguments,
    calls,
    gives,
    invented,
    is_same_use,
    kind,
    references,
    source_text,
    with_ask,
    with_call,
    wrong_name,
)
from refract_asp.model import Call, Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.schemas import is_compatible, schema_types
from refract_asp.model.sequence import replace_reference, slots_of
from refract_asp.rules.schemas.dialects import standard
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

__all__ = ["misfits", "types_taken", "words_in"]

PREFIXES = ("mcp_", "mcp__server__", "functions.", "tools/", "api.")
"""Namespaces that a model puts before the name of a tool."""
ADDED_WORDS = ("the", "input", "value", "given")
"""Words that make the name of a parameter longer and say nothing."""
SPARE_LABELS = 20

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
    if not words or "".join(words) != "".join(c for c in name if c.isalnum()).lower():
        return name  # it has letters that are not looked at
    return _camel(words) if "_" in name or "-" in name else "_".join(words)


def misfits(tool: Tool, parameter: str, value: object) -> bool:
    """
    Whether a value does not fit a declared parameter; where its schema cannot be judged nothing is a misfit.

    Example:
        >>> from refract_asp import Catalog
        >>> catalog = Catalog.load({"tools": [{"name": "T", "parameters": {"n": {"type": "integer"}}}]})
        >>> misfits(catalog.by_name["T"], "n", "5"), misfits(catalog.by_name["T"], "n", 5)
        (True, False)
    """
    root = None if tool.input_schema is None else standard(tool.input_schema)
    schema = tool.parameters[parameter].json_schema
    try:
        return not Validator(schema, root, name=parameter).is_valid(value)
    except BrokenSchemaError:
        return False


def types_taken(tool: Tool, parameter: str) -> frozenset[str]:
    """Return the JSON types that a declared parameter takes."""
    return schema_types(tool.parameters[parameter].json_schema, tool.input_schema)


# -- names ---------------------------------------------------------------------


@kind("names", calls, lambda at: at.is_known)
def tool_name(at: Place, rng: random.Random) -> Mutation | None:
    """
    A tool's name is misspelt by 1 to 3 edits, or an invented word stands for it.

    Informed: misspelt; or one tool alone takes exactly these arguments and gives what is read.
    """
    given = at.call.arguments
    wrong = wrong_name(at.call.name, rng, at.catalog.by_name.__contains__)
    if wrong is None:
        return None
    name, variant = wrong
    fit = [
        tool.name
        for tool in at.catalog
        if given.keys() <= tool.parameters.keys()
        and all(p.name in given for p in tool.parameters.values() if p.required)
        and all(gives(tool, path) for path in at.paths_read)
    ]
    return at.mutation(
        at.changed(name=name),
        f"tool {at.call.name} is now {name}",
        variant=variant,
        informed=variant == "misspelt" or fit == [at.call.name],
        note=f"{len(fit)} tools take these arguments and give what is read: {', '.join(fit)}",
    )


@kind("names", calls, lambda at: at.is_known)
def namespace(at: Place, rng: random.Random) -> Mutation | None:
    r"""
    A namespace before a tool's name is gained or lost, or `_` is written `\_`.

    Informed: one tool alone is called so without a namespace.
    """
    given = at.call.name
    written = {"gained": rng.choice(PREFIXES) + given}
    scopes = list(_SCOPE.finditer(given))
    if scopes and given[scopes[-1].end() :]:
        written["lost"] = given[scopes[-1].end() :]
    if "_" in given:
        written["escaped"] = given.replace("_", "\\_")
    variant = rng.choice(list(written))
    wrong = written[variant]
    if wrong in at.catalog.by_name:
        return None
    meant = {wrong, *_without_namespace(wrong.replace("\\_", "_"))}
    names = [tool.name for tool in at.catalog]
    alike = [name for name in names if {name, *_without_namespace(name)} & meant]
    return at.mutation(
        at.changed(name=wrong),
        f"tool {given} is now {wrong}",
        variant=variant,
        informed=alike == [given],
        note=f"called so without a namespace: {', '.join(alike)}",
    )


def _without_namespace(name: str) -> set[str]:
    """Return a name with its first words taken off, where a mark parts them from the rest."""
    found = {name[match.end() :] for match in _SCOPE.finditer(name)}
    return (found | {name.removeprefix(prefix) for prefix in PREFIXES}) - {""}


def _renamed(at: Place, wrong: str, variant: str, *, informed: bool) -> Mutation:
    """Return the mutation that gives an argument another name."""
    changed = {wrong if p == at.name else p: source for p, source in at.call.arguments.items()}
    required = at.parameter.required
    return at.mutation(
        at.changed(arguments=changed),
        f"parameter {at.name} is now {wrong}",
        variant=variant,
        informed=informed,
        required=required,
        note=f"{'required' if required else 'optional'}; parameters without argument: {', '.join(at.free)}",
    )


@kind("names", arguments, lambda at: not at.tool.additional_parameters)
def parameter_name(at: Place, rng: random.Random) -> Mutation | None:
    """
    A parameter's name is misspelt by 1 to 3 edits, or an invented word stands for it.

    Informed: misspelt; or the parameter is required; or it is the only one that is free and takes the
    value; or the only one of these whose schema names the value, or whose name shares a word with the
    field.
    """
    known = at.tool.parameters.keys() | at.call.arguments.keys()
    wrong = wrong_name(at.name, rng, known.__contains__)
    if wrong is None:
        return None
    source = at.source
    is_reading = not isinstance(source, Constant)
    takes = [p for p in at.free if is_reading or not misfits(at.tool, p, at.value)]
    named = [p for p in takes if _is_pointed_to(at.tool.parameters[p], source)]
    is_told = at.parameter.required or (at.name in takes and len(named or takes) == 1)
    informed = wrong[1] == "misspelt" or (is_told and (not named or at.name in named))
    return _renamed(at, *wrong, informed=informed)


def _is_pointed_to(parameter: Parameter, source: Source) -> bool:
    """Whether the schema speaks of a value, or the name of the field that is read shares a word with it."""
    if isinstance(source, Reference):
        fields = [step for step in source.path if isinstance(step, str)]
        return bool(fields and set(words_in(fields[-1])) & set(words_in(parameter.name)))
    value = source.value if isinstance(source, Constant) else None
    schema = parameter.json_schema
    spoken = [*(schema.get("enum") or ()), schema.get("default"), *(schema.get("examples") or ())]
    said = isinstance(value, str) and len(value) > 1 and value in parameter.description
    is_spoken = any(type(other) is type(value) and other == value for other in spoken)
    return value is not None and (said or is_spoken)


@kind("names", arguments, lambda at: not at.tool.additional_parameters)
def parameter_spelling(at: Place, rng: random.Random) -> Mutation | None:
    """
    A parameter is written in camelCase for snake_case or the other way round, a word shorter or longer.

    Informed: one parameter that is free is called so but for the spelling, or alone shares a word with
    what is written.
    """
    words = words_in(at.name)
    joined = "_".join if "_" in at.name or at.name.islower() else _camel
    written = {"respelt": _respelt(at.name)}
    if len(words) > 1:
        written["shorter"] = joined(rng.choice((words[1:], words[:-1])))
    if words:
        written["longer"] = joined(
            [rng.choice([*ADDED_WORDS, *words_in(at.call.name)[-1:]]), *words]
        )
    taken = {at.name, *at.tool.parameters, *at.call.arguments}
    possible = [(word, variant) for variant, word in written.items() if word not in taken]
    if not possible:
        return None
    wrong, variant = rng.choice(possible)
    alike = [p for p in at.free if set(words_in(p)) & set(words_in(wrong))]
    equal = [p for p in at.free if words_in(p) == words_in(wrong)]
    return _renamed(at, wrong, variant, informed=(equal or alike) == [at.name])


@kind("names", calls, lambda at: at.is_known and not at.tool.additional_parameters)
def made_up_argument(at: Place, rng: random.Random) -> Mutation | None:
    """
    An argument is added that the tool does not declare: of an invented name, of one that other tools
    have, or one that is there once more in another spelling.

    Informed: no parameter that is free shares a word with it; nor is there just one that takes the value,
    for which an invented name could stand.
    """
    declared, passed = at.tool.parameters, at.call.arguments
    foreign = sorted({p for other in at.catalog for p in other.parameters} - set(declared))
    given = [p for p in passed if _respelt(p) != p]
    variant = rng.choice(["invented", *["foreign"] * bool(foreign), *["second"] * bool(given)])
    source: Source = Constant(value=rng.choice((invented(rng), rng.randint(1, 99))))
    name = invented(rng)
    if variant == "foreign":
        name = rng.choice(foreign)
    elif variant == "second":
        first = rng.choice(given)
        name, source = _respelt(first), passed[first]
    if name in declared or name in passed:
        return None
    alike = [p for p in at.free if set(words_in(p)) & set(words_in(name))]
    value = source.value if isinstance(source, Constant) else None
    takes = [p for p in at.free if value is None or not misfits(at.tool, p, value)]
    added = Place(at.sequence, at.catalog, Token(at.token.call, name), at.reads)
    return added.mutation(
        added.bound(source),
        f"there is an argument {name}={source_text(source)} besides",
        variant=variant,
        informed=not alike and (variant == "second" or len(takes) != 1),
        required=False,
        note=f"parameters without argument: {', '.join(at.free) or 'none'}",
    )


# -- references ----------------------------------------------------------------


def _is_read(at: Place) -> bool:
    """Whether a call is read under a label of its own."""
    return at.has_own_label and any(r.producer == at.token.call for r in at.reads)


def _unused_label(at: Place, rng: random.Random) -> str:
    """Return a `varN` that nothing bears or reads, N up to the number of calls and some."""
    used = {call.label for call in at.sequence.calls} | {r.reference.label for r in at.reads}
    names = [f"var{n}" for n in range(1, len(at.sequence.calls) + SPARE_LABELS + 1)]
    return rng.choice([name for name in names if name not in used])


@kind("references", calls, _is_read)
def label(at: Place, rng: random.Random) -> Mutation:
    """
    A label that is read becomes one that nothing bears or reads.

    Informed: always.
    """
    fresh = _unused_label(at, rng)
    return at.mutation(at.changed(label=fresh), f"label {at.call.label} is now {fresh}")


@kind("references", calls, _is_read)
def missing_label(at: Place, rng: random.Random) -> Mutation:
    """
    A label that is read is gone.

    Informed: always.
    """
    del rng
    return at.mutation(at.changed(label=None), f"label {at.call.label} is gone")


@kind(
    "references",
    arguments,
    lambda at: (
        at.parameter.required and any(isinstance(slot, Reference) for slot in slots_of(at.source))
    ),
)
def missing_reference(at: Place, rng: random.Random) -> Mutation:
    """
    A required argument with a reference in it is gone.

    Informed: the argument was the reference alone, and one earlier call declares its field; or one of
    those that do feeds the same call through another argument that does not carry this field already; or
    none does, and one gives it elsewhere to a parameter of this name; else an ask is expected.
    """
    del rng
    source = at.source
    informed, note = False, "the text or structure around the reference is lost with it"
    if isinstance(source, Reference):
        informed = at.read.producer is not None and (
            _has_one_producer(at) or _is_shown_elsewhere(at)
        )
        field = path_text(source.path)
        common = sorted(set(words_in(at.name)) & set(words_in(field)))
        note = f"parameter {at.name} and field {field} share {', '.join(common) or 'no word'}"
    return at.mutation(
        at.bound(None),
        f"argument {at.name}={source_text(source)} is gone",
        None if informed else with_ask(at.sequence, at.token),
        informed=informed,
        required=True,
        note=note,
    )


def _givers(at: Place) -> set[int | None]:
    """Return the earlier calls that declare the field that a place reads."""
    tools = [at.catalog.by_name.get(call.name) for call in at.sequence.calls[: at.token.call]]
    return {n for n, tool in enumerate(tools) if gives(tool, at.read.reference.path)}


def _has_one_producer(at: Place) -> bool:
    """
    Whether a lost reference can be told from what is left ("informed" in docs/evaluation.md).

    One earlier call declares the field, or several do and one of them feeds the same call
    through a sibling without giving it this very field already.
    """
    lost, candidates = at.read, _givers(at)
    siblings = [r for r in at.reads if r.call == lost.call and r[1:3] != lost[1:3]]
    feeding = candidates & {read.producer for read in siblings}
    already = {read.producer for read in siblings if read.reference.path == lost.reference.path}
    return {lost.producer} in (candidates, feeding - already or feeding)


def _is_shown_elsewhere(at: Place) -> bool:
    """
    Whether the sequence itself shows what filled a parameter, where no sibling tells it.

    One of the calls that declare the field alone gives it to a parameter of the same name elsewhere.
    """
    lost, candidates = at.read, _givers(at)
    siblings = {read.producer for read in at.reads if read.call == lost.call} - {lost.producer}
    elsewhere = {read.producer for read in at.reads if is_same_use(read, lost)}
    return not candidates & siblings and candidates & elsewhere == {lost.producer}


def _misread(at: Place, changes: dict[str, object], **more: Any) -> Mutation:
    """Return the mutation in which a reference reads something else."""
    read, made = at.read, at.read.reference.model_copy(update=changes)
    broken = at.bound(replace_reference(at.source, {at.token.slot: made})[0])
    return at.mutation(broken, f"{at.name} reads {made} instead of {read.reference}", **more)


@kind("references", references)
def made_up_label(at: Place, rng: random.Random) -> Mutation:
    """
    A reference names a label that nothing bears.

    Informed: one earlier call declares its field; or one of those that do feeds the same call through
    another reference that does not read this field already.
    """
    return _misread(at, {"label": _unused_label(at, rng)}, informed=_has_one_producer(at))


@kind(
    "references",
    references,
    lambda at: any(isinstance(step, str) for step in at.read.reference.path),
)
def made_up_field(at: Place, rng: random.Random) -> Mutation | None:
    """
    The field that a reference reads is misspelt by 1 to 3 edits, or an invented word stands for it.

    Informed: always: the call that is read is there, and the parameter that it fills.
    """
    tool, path = at.giver, at.read.reference.path
    if tool is None:
        return None
    last = max(n for n, step in enumerate(path) if isinstance(step, str))

    def changed(word: str) -> FieldPath:
        return (*path[:last], word, *path[last + 1 :])

    # A field that the tool may return after all (its output is open there) would not be wrong.
    wrong = wrong_name(str(path[last]), rng, lambda word: tool.returns_path(changed(word)))
    if wrong is None:
        return None
    note = f"{tool.name} has {len(tool.output_fields)} output fields"
    return _misread(at, {"path": changed(wrong[0])}, variant=wrong[1], note=note)


def _is_one_field(at: Place) -> bool:
    """Whether the argument of a known tool is one field of an earlier call of a known tool."""
    path = at.read.reference.path
    return (
        any(isinstance(step, str) for step in path)
        and isinstance(at.source, Reference)
        and at.is_known
        and at.name in at.tool.parameters
        and at.giver is not None
        and at.giver.output_schema is not None
    )


@kind("references", references, _is_one_field)
def type_mismatch(at: Place, rng: random.Random) -> Mutation | None:
    """
    A reference reads the whole output, or another field, of a type that the parameter does not take.

    Informed: of the fields of a type that fits one alone is called like the parameter, else shares a word
    with it, else is there, shallow ones before deep ones; and none lies inside the field that is read.
    """
    giver, path = at.giver, at.read.reference.path
    if giver is None or not giver.declares_path(path):
        return None
    taken = types_taken(at.tool, at.name)
    fields = [field.path for field in giver.output_fields]
    fitting = {each for each in fields if is_compatible(giver.types_at(each), taken)}
    wrong = [each for each in fields if each not in fitting]
    possible: dict[str, FieldPath] = {}
    if not is_compatible(giver.types_at(()), taken):
        possible["whole"] = ()
    if wrong:
        possible["field"] = rng.choice(wrong)
    if not possible:
        return None
    variant = rng.choice(list(possible))
    instead = possible[variant]
    # What lies inside the field that is read now could be meant as well.
    is_inside = variant == "field" and any(each[: len(instead)] == instead for each in fitting)
    return _misread(
        at,
        {"path": instead},
        variant=variant,
        informed=_is_told(giver, path, at.tool, at.name) and not is_inside,
        required=at.parameter.required,
        note=f"{giver.name} has {len(giver.output_fields)} output fields",
    )


def _is_told(giver: Tool, path: FieldPath, taker: Tool, parameter: str) -> bool:
    """
    Whether type and name of a parameter alone tell which field of a tool was read.

    Of the fields of a type that the parameter takes, those count that are called like it; if there is none
    those that share a word with it; if there is none all. Of these the shallowest have to be the one.
    """
    taken, wanted = types_taken(taker, parameter), words_in(parameter)
    tiers: list[list[FieldPath]] = [[], [], []]
    for field in giver.output_fields:
        if is_compatible(giver.types_at(field.path), taken):
            names = [step for step in field.path if isinstance(step, str)]
            own, whole = words_in(names[-1]), words_in("_".join(names[-2:]))
            if wanted in (own, whole):
                tiers[0].append(field.path)
            elif set(wanted) & set(own):
                tiers[1].append(field.path)
            tiers[2].append(field.path)
    best = next(filter(None, tiers), [])
    shallowest = min(map(len, best), default=0)
    # Output fields are listed with each list entered at its first element.
    entered = tuple(0 if isinstance(step, int) else step for step in path)
    return {each for each in best if len(each) == shallowest} == {entered}


@kind(
    "references",
    references,
    lambda at: (
        at.giver is not None and any(isinstance(step, int) for step in at.read.reference.path)
    ),
)
def lost_index(at: Place, rng: random.Random) -> Mutation | None:
    """
    A reference into a list does not say which element.

    Informed: the first element was meant.
    """
    del rng
    path = at.read.reference.path
    without = tuple(step for step in path if isinstance(step, str))
    if at.giver is None or at.giver.returns_path(without):
        return None
    informed = all(step == 0 for step in path if isinstance(step, int))
    return _misread(at, {"path": without}, informed=informed)


# -- steps ---------------------------------------------------------------------


@kind("steps", calls, _is_read)
def missing_step(at: Place, rng: random.Random) -> Mutation:
    """
    A call that others read is gone.

    Informed: one tool declares all the fields that are read from it, and it read nothing into an optional
    parameter, as nothing tells that; its constants are lost, so that a constant or an ask may stand for
    each.
    """
    del rng
    call, paths = at.call, at.paths_read
    tools = [tool.name for tool in at.catalog if all(gives(tool, path) for path in paths)]
    constants = frozenset(p for p, s in call.arguments.items() if isinstance(s, Constant))
    read = {p: source_text(s) for p, s in call.arguments.items() if p not in constants}
    declared = at.tool.parameters if at.is_known else {}
    by_choice = [
        p
        for p, source in call.arguments.items()
        if not (p in declared and declared[p].required)
        and any(isinstance(slot, Reference) for slot in slots_of(source))
    ]
    told = ", ".join(f"{name}={text}" for name, text in read.items())
    return at.mutation(
        with_call(at.sequence, at.token.call),
        "the call is gone",
        open=(Open(at.token.call, constants),) if constants else (),
        informed=all(paths) and tools == [call.name] and not by_choice,
        note=f"{len(tools)} tools give {', '.join(map(path_text, paths))}: {', '.join(tools)}"
        + (f"; the lost call read {told}" if told else "")
        + (f"; nothing demands {', '.join(by_choice)}" if by_choice else ""),
        origins=_without(at.sequence, at.token.call),
    )


def _without(sequence: Sequence, index: int) -> tuple[int | None, ...]:
    """Return the calls that are left when one is gone."""
    return tuple(n for n in range(len(sequence.calls)) if n != index)


@kind("steps", calls, lambda at: at.has_own_label and at.is_known)
def repeated_call(at: Place, rng: random.Random) -> Mutation | None:
    """
    A call is made twice under one label: as it is, or first as an attempt that lacks an argument or
    misnames one.

    Informed: always: the right call has all that the attempt has.
    """
    variant = rng.choice(("copy", "attempt"))
    before = at.call if variant == "copy" else _attempt(at, rng)
    if before is None:
        return None
    first = "" if variant == "copy" else f", first as {Sequence(calls=(before,))}"
    index, count = at.token.call, len(at.sequence.calls)
    return at.mutation(
        with_call(at.sequence, index, before, at.call),
        f"the call is made twice under one label{first}",
        variant=variant,
        origins=(*range(index), None, *range(index, count)),
    )


def _attempt(at: Place, rng: random.Random) -> Call | None:
    """Return the call with a required argument left out, or with one under a wrong name."""
    declared, passed = at.tool.parameters, at.call.arguments
    given = [p for p in passed if p in declared]
    required = [p for p in given if declared[p].required]
    can_be_misnamed = bool(given and not at.tool.additional_parameters)
    ways = ["without"] * bool(required) + ["misnamed"] * can_be_misnamed
    if not ways:
        return None
    if rng.choice(ways) == "without":
        gone = rng.choice(required)
        changed = {p: source for p, source in passed.items() if p != gone}
    else:
        chosen = rng.choice(given)
        wrong = wrong_name(chosen, rng, lambda word: word in declared or word in passed)
        if wrong is None:
            return None
        changed = {wrong[0] if p == chosen else p: source for p, source in passed.items()}
    return at.call.model_copy(update={"arguments": changed})


def _nearest(at: Place) -> int | None:
    """Return the last of the calls that a call reads from."""
    producers = (r.producer for r in at.reads if r.call == at.token.call)
    return max((each for each in producers if each is not None), default=None)


def _can_come_back(at: Place) -> bool:
    """Whether a reader may be put before what it reads, where a repair may put it back."""
    labels = [call.label for call in at.sequence.calls if call.label is not None]
    nearest = _nearest(at)
    if nearest is None or len(set(labels)) < len(labels):
        return False
    passed = at.sequence.calls[nearest : at.token.call + 1]
    tools = [at.catalog.by_name.get(call.name) for call in passed]
    effects = [tool.effect for tool in tools if tool is not None]
    return None not in tools and sum(e in ("write", "destructive") for e in effects) < 2


@kind("steps", calls, _can_come_back)
def call_order(at: Place, rng: random.Random) -> Mutation | None:
    """
    A call stands before the one from which it reads.

    Informed: always: no two calls that are declared to change something pass each other.
    """
    del rng
    moved, nearest = at.token.call, _nearest(at)
    if nearest is None:
        return None
    count = len(at.sequence.calls)
    order = [*range(nearest), moved, *range(nearest, moved), *range(moved + 1, count)]
    changed = tuple(at.sequence.calls[index] for index in order)
    return at.mutation(
        at.sequence.model_copy(update={"calls": changed}),
        f"the call stands before call {nearest + 1}, from which it reads",
        origins=tuple(order),
    )


def _reads_alone(at: Place) -> bool:
    """Whether an argument alone reads from a call, of which all arguments are constant."""
    inner = at.sequence.calls[at.read.producer or 0]
    return (
        [r.producer for r in at.reads].count(at.read.producer) == 1
        and isinstance(at.source, Reference)
        and all(isinstance(source, Constant) for source in inner.arguments.values())
        and at.is_known
        and at.name in at.tool.parameters
        and inner.name in at.catalog.by_name
        and [call.label for call in at.sequence.calls].count(inner.label) == 1
    )


@kind("steps", references, _reads_alone)
def inner_call(at: Place, rng: random.Random) -> Mutation | None:
    """
    A call is written inside the argument that read from it, as an object or as text.

    Informed: type and name of the parameter tell the field that was read, as for type_mismatch.
    """
    producer, path = at.read.producer, at.read.reference.path
    if producer is None:
        return None
    inner = at.sequence.calls[producer]
    given = {p: s.value for p, s in inner.arguments.items() if isinstance(s, Constant)}
    forms = {
        "object": {"name": inner.name, "arguments": given},
        "text": str(Sequence(calls=(inner.model_copy(update={"label": None}),))),
    }
    possible = [each for each, value in forms.items() if misfits(at.tool, at.name, value)]
    if not possible:
        return None
    variant = rng.choice(possible)
    return at.mutation(
        with_call(at.bound(Constant(value=forms[variant])), producer),
        f"{at.name} holds the call of {inner.name} from which it read",
        variant=variant,
        informed=_is_told(at.catalog.by_name[inner.name], path, at.tool, at.name),
        note=f"it read {path_text(path)}",
        origins=_without(at.sequence, producer),
    )
