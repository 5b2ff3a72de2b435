"""
Made-up problems for property tests: a small catalog, a sequence that keeps to it, and the same one broken.

A valid sequence is valid by construction: what its references may read is worked out here, from the
catalog as it is written, and not by the package. Each draw is cheap to shrink, so that a failure comes out
as a few lines; `str(problem)` prints them.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.depth import examples

from refract_asp import Catalog, Refractor, RepairResult, Sequence
from refract_asp.formats import dump_catalog
from refract_asp.model import Ask, Call, ConfirmArgument, ConfirmTool, Constant, Reference, Source
from refract_asp.model.paths import FieldPath
from refract_asp.model.sequence import Structure, Template, numbered, replace_reference, slots_of
from yaml_files import read_yaml

WORDS: dict[str, list[Any]] = read_yaml(Path(__file__).with_name("made.yaml"))
"""What problems are made up of."""
SAMPLES = WORDS["samples"]
ANY_PATH: FieldPath = ("anything", 0, "x")

GIVEN = "given by the user"

HUNT = int(os.environ.get("REFRACT_ASP_HUNT", "0"))
"""How many random examples each property is tried on while hunting; 0 for the small, stable set."""
LARGE = [HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]


def profile(number: int) -> settings:
    """
    Return the settings of a property: so many examples, the same ones in every run; more in a hunt.

    What fails is made smaller only in a hunt: that takes minutes.
    """
    return settings(
        max_examples=HUNT or examples(number),
        phases=tuple(Phase) if HUNT else (Phase.explicit, Phase.generate),
        deadline=None,
        derandomize=not HUNT,
        database=None,
        print_blob=False,
        suppress_health_check=[HealthCheck.too_slow, *LARGE],
    )


@dataclass(frozen=True, repr=False)
class Problem:
    """A question for `check` and `repair`; `faults` says what was done to a valid sequence."""

    catalog: Catalog
    sequence: Sequence
    memory: dict[str, Any] = field(default_factory=dict)
    history: tuple[Call, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def known(self) -> dict[str, Any]:
        """Memory and history, as the API takes them."""
        history = Sequence(calls=self.history) if self.history else ()
        return {"memory": self.memory, "history": history}

    def __repr__(self) -> str:
        told = {
            "catalog": json.dumps(dump_catalog(self.catalog)),
            "sequence": self.sequence,
            "memory": json.dumps(self.memory),
            "history": Sequence(calls=self.history),
            "faults": self.faults,
        }
        return "".join(f"\n--- {name}\n{text}" for name, text in told.items())


@cache
def _compiled(options: tuple[tuple[str, Any], ...]) -> Refractor:
    return Refractor(Catalog(), **dict(options))


def refractor(catalog: Catalog, **options: Any) -> Refractor:
    """Return a `Refractor`; those of equal options share their encodings, whatever the catalog."""
    made = copy(_compiled(tuple(sorted(options.items()))))
    made.catalog = catalog
    made._engine = replace(made._engine, index=replace(made._engine.index, catalog=catalog))
    return made


def relabelled(source: Source, new: Callable[[str], str]) -> Source:
    """Return a source whose references read from other labels."""
    read: dict[int, Source] = {}
    for number, each in numbered(source):
        read[number or 1] = each.model_copy(update={"label": new(each.label)})
    return replace_reference(source, read)[0] if read else source


def same(one: Sequence, other: Sequence) -> bool:
    """Whether two sequences are equal to the type of each number, whatever format they came from."""
    parts = [repr((each.calls, each.asks, each.returns)) for each in (one, other)]
    return parts[0] == parts[1]


def answered(result: RepairResult, catalog: Catalog, value: Any = GIVEN) -> Sequence | None:
    """
    Return the repaired sequence with every ask answered by what fits and everything confirmed.

    `value` is the answer where it fits. None if nothing fits: one name may be asked for two parameters,
    or inside a text that stands for a number.
    """
    wanted: dict[str, list[Any]] = {}

    def walk(source: Source, schema: Any) -> None:
        if isinstance(source, Ask):
            wanted.setdefault(source.name, []).append(schema)
        elif isinstance(source, Template):
            kinds = types_of(schema)
            for slot in slots_of(source):
                walk(slot, {} if kinds is None or "string" in kinds else False)
        elif isinstance(source, Structure):
            is_object = isinstance(source.value, dict)
            for key in source.value if is_object else range(len(source.value)):
                walk(source.value[key], inside(schema, key if is_object else None))

    for call in result.sequence.calls:
        tool = catalog.by_name.get(call.name)
        for name, source in call.arguments.items():
            declared = tool.parameters.get(name) if tool else None
            walk(source, declared.json_schema if declared else {})
    answers = {}
    for name in result.sequence.asks:
        schemas = wanted.get(name, [])
        told = [each for schema in schemas if schema is not False for each in members(schema)]
        fitting = (each for each in (value, *SAMPLES, *told) if fits(each, {"allOf": schemas}))
        try:
            answers[name] = next(fitting)
        except StopIteration:
            return None
    return result.answer(answers, confirmed=True)


# -- schemas -------------------------------------------------------------------

Types = frozenset[str] | None
"""JSON types; None is any."""


def fits(value: Any, schema: Any) -> bool:
    """Whether a value is valid, as the library that everybody uses says."""
    return Draft202012Validator(schema).is_valid(value)


def types_of(schema: Any) -> Types:
    """Return the types of the values that one of the schemas made up here allows."""
    if "anyOf" in schema:
        return frozenset(each["type"] for each in schema["anyOf"])
    kind = schema.get("type")
    return None if kind is None else frozenset([kind] if isinstance(kind, str) else kind)


def inside(schema: Any, key: str | None) -> Any:
    """Return the schema of a field, or of an element."""
    if not isinstance(schema, dict):
        return {}
    if key is None:
        return schema.get("items", {})
    return schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))


def members(schema: Any) -> list[Any]:
    """Return the values that a schema tells."""
    return [schema["const"]] if "const" in schema else list(schema.get("enum", []))


def may_go(read: Types, wanted: Types) -> bool:
    """Whether what is read may be of a type that is wanted; a number has a text form."""
    if read is None or wanted is None:
        return True
    wide = set(wanted) | ({"number", "integer", "boolean"} if "string" in wanted else set())
    return bool(read & (wide | ({"integer"} if "number" in wide else set())))


# -- catalogs ------------------------------------------------------------------


def values(kind: str) -> st.SearchStrategy[Any]:
    """Draw a constant of a JSON type."""
    texts = st.sampled_from(WORDS["texts"])
    by_type: dict[str, st.SearchStrategy[Any]] = {
        "string": texts,
        "integer": st.integers(0, 9),
        "number": st.sampled_from([0.5, 2.0, 7]),
        "boolean": st.booleans(),
        "array": st.lists(texts, max_size=2),
        "object": st.dictionaries(st.sampled_from(["x", "id"]), texts, max_size=2),
        "null": st.none(),
    }
    return by_type[kind] if kind in by_type else st.one_of(texts, st.integers(0, 9), st.none())


def constants(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Draw a value that a schema allows."""
    if members(schema):
        return st.sampled_from(members(schema))
    if "anyOf" in schema:
        return st.one_of(*map(constants, schema["anyOf"]))
    if isinstance(schema.get("type"), list):
        return st.one_of(*(constants({"type": kind}) for kind in schema["type"]))
    if "items" in schema:
        return st.lists(constants(schema["items"]), max_size=schema.get("maxItems", 2))
    if "properties" in schema:
        fields = {name: constants(inner) for name, inner in schema["properties"].items()}
        required = {name: fields[name] for name in schema.get("required", ())}
        optional = {name: each for name, each in fields.items() if name not in required}
        return st.fixed_dictionaries(required, optional=optional)
    return values(schema.get("type", "any"))


def _names(kind: str, odd: bool) -> st.SearchStrategy[str]:
    return st.sampled_from(WORDS[kind] + WORDS["odd"] if odd else WORDS[kind])


@st.composite
def _parameter_schemas(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.integers(0, 4)) == 4:
        return dict(draw(st.sampled_from(WORDS["nested"])))
    kind = draw(st.sampled_from(WORDS["types"]))
    value = values(kind)
    described = st.sampled_from(["The id of the city.", "As YYYY-MM-DD", "The skyId"])
    extras: list[dict[str, st.SearchStrategy[Any]]] = [
        *[{}] * 4,
        {"default": value},
        {"enum": st.lists(value, min_size=1, max_size=2)},
        {"const": value},
        {"description": described},
    ]
    extra = draw(st.fixed_dictionaries(draw(st.sampled_from(extras))))
    return extra if kind == "any" else {"type": kind, **extra}


@st.composite
def _output_schemas(draw: st.DrawFn, odd: bool, depth: int = 2) -> dict[str, Any]:
    kinds: list[Any] = [{"type": "string"}, {"type": "integer"}, {}]
    if depth:
        kinds += [{"type": "object"}, "object", "array"]
    fields = {}
    for name in draw(st.lists(_names("fields", odd), unique=True, max_size=4)):
        kind = draw(st.sampled_from(kinds))
        if kind in ("object", "array"):
            items = _output_schemas(odd, depth - 1)
            few = [{"type": "array", "items": {"type": "string"}}, {"type": "array"}]
            arrays = items.map(lambda inner: {"type": "array", "items": inner})
            kind = draw(items if kind == "object" else st.sampled_from(few) | arrays)
        fields[name] = kind
    return {"type": "object", "properties": fields}


@st.composite
def catalogs(draw: st.DrawFn, odd: bool = False) -> Catalog:
    """Draw a catalog of one to four tools whose names, parameters and outputs overlap."""
    tools = []
    for name in draw(st.lists(_names("tools", odd), unique=True, min_size=1, max_size=4)):
        parameters = {
            p: {"schema": draw(_parameter_schemas()), "required": draw(st.booleans())}
            for p in draw(st.lists(_names("parameters", odd), unique=True, max_size=4))
        }
        shape = draw(st.sampled_from(["object"] * 5 + ["array", "none", "text"]))
        effects = ["read", "read", "read", "write", "destructive", "unknown"]
        effect = draw(st.sampled_from(effects))
        tool: dict[str, Any] = {"name": name, "effect": effect, "parameters": parameters}
        if shape != "none":
            schema = draw(_output_schemas(odd))
            shapes = {"array": {"type": "array", "items": schema}, "text": {"type": "string"}}
            tool["returns"] = {"schema": shapes.get(shape, schema)}
        if draw(st.integers(0, 9)) == 9:
            tool["additional_parameters"] = True
        tools.append(tool)
    return Catalog.load({"tools": tools})


@dataclass(frozen=True)
class Readable:
    """A path that may be read, what types it may give, and the value itself where memory holds it."""

    path: FieldPath
    types: Types
    held: tuple[Any, ...] = ()
    items: Types = None

    def may_go(self, schema: Any) -> bool:
        """Whether it may stand where a schema says what is wanted."""
        if self.held:
            return fits(self.held[0], schema)
        if self.types == {"array"} and not may_go(self.items, types_of(inside(schema, None))):
            return False  # a list goes to a list of the like
        return may_go(self.types, types_of(schema))


def output_paths(schema: dict[str, Any] | None) -> list[Readable]:
    """List paths that a tool with this output returns, as far as the schema says so; an open end goes on."""
    if schema is None:
        return [Readable((), None), Readable(ANY_PATH, None), Readable(("id",), None)]
    found: list[Readable] = []

    def walk(inner: Any, path: FieldPath) -> None:
        if not isinstance(inner, dict):
            return
        found.append(Readable(path, types_of(inner), items=types_of(inside(inner, None))))
        if inner.get("properties"):
            for name, below in inner["properties"].items():
                walk(below, (*path, name))
        elif isinstance(inner.get("items"), dict):
            walk(inner["items"], (*path, 0))
            found.append(replace(next(f for f in found if f.path == (*path, 0)), path=(*path, 3)))
        elif path and inner.get("type") in (None, "object"):
            found.append(Readable((*path, "open end"), None))
        elif path and inner.get("type") == "array":
            found.append(Readable((*path, 1), None))

    walk(schema, ())
    return found


def memory_paths(value: Any, path: FieldPath = ()) -> Iterator[Readable]:
    """Yield the paths into a value of memory."""
    kinds = {str: "string", int: "integer", dict: "object", list: "array", type(None): "null"}
    yield Readable(path, frozenset([kinds[type(value)]]), (value,))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from memory_paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from memory_paths(inner, (*path, index))


# -- valid sequences -----------------------------------------------------------


@dataclass
class _Known:
    """What a call may refer to: for each label what may be read from it."""

    paths: dict[str, list[Readable]] = field(default_factory=dict)

    def references(self, schema: Any) -> st.SearchStrategy[Reference]:
        """Draw a reference to something known that may stand there."""
        every = ((label, each) for label, paths in self.paths.items() for each in paths)
        choices = [Reference(label=at, path=each.path) for at, each in every if each.may_go(schema)]
        return st.sampled_from(choices) if choices else st.nothing()


TEXT = frozenset({"string", "number", "integer", "boolean"})
"""What a text with references in it may stand for."""


def _templates(known: _Known) -> st.SearchStrategy[Source]:
    return st.tuples(
        st.sampled_from(["100 * ", "from ", "$$ "]),
        st.lists(known.references({}), min_size=1, max_size=2),
        st.sampled_from(["", " and on", "%"]),
    ).map(lambda drawn: Template(parts=(drawn[0], *drawn[1], *filter(None, drawn[2:]))))


def _inner(known: _Known, schema: Any) -> st.SearchStrategy[Source]:
    return known.references(schema) | constants(schema).map(lambda value: Constant(value=value))


def _structures(known: _Known, schema: dict[str, Any]) -> list[st.SearchStrategy[Source]]:
    """Return what draws lists and objects in which at least one reference stands."""
    wanted = types_of(schema)
    found: list[st.SearchStrategy[Source]] = []
    if wanted is None or "array" in wanted:
        items = inside(schema, None)
        first, more = known.references(items), _inner(known, items)
        found.append(st.builds(lambda a, b: Structure(value=[a, b]), first, more))
        if items.get("type") == "object":
            deeper = _structures(known, items)
            found += [inner.map(lambda a: Structure(value=[a])) for inner in deeper]
    if wanted is None or "object" in wanted:
        x, other = inside(schema, "x"), inside(schema, "id")
        first = known.references(x)
        if other is False:
            found.append(st.builds(lambda a: Structure(value={"x": a}), first))
        else:
            both = _inner(known, x), known.references(other) | _templates(known)
            found.append(st.builds(lambda a, b: Structure(value={"x": a, "id": b}), *both))
        if "properties" not in schema:
            within = known.references({}).map(lambda a: Structure(value=[a]))
            found.append(within.map(lambda inner: Structure(value={"deep": inner})))
    return [each for each in found if not each.is_empty]


def _sources(known: _Known, schema: dict[str, Any]) -> st.SearchStrategy[Source]:
    """Draw a source that fits a schema."""
    found = [constants(schema).map(lambda value: Constant(value=value))]
    if members(schema) or known.references({}).is_empty:
        return found[0]
    references = known.references(schema)
    if not references.is_empty:
        found += [references, references]
    wanted = types_of(schema)
    if wanted is None or wanted & TEXT:
        found.append(_templates(known))
    return st.one_of(*found, *_structures(known, schema))


def _frozen(call: Call) -> str:
    return repr((call.name, call.label, sorted(call.arguments.items())))


@st.composite
def _calls(draw: Any, catalog: Catalog, known: _Known, labels: str, least: int, most: int) -> Any:
    calls: list[Call] = []
    seen: set[str] = set()
    for number in range(draw(st.integers(least, most))):
        tool = draw(st.sampled_from(catalog.tools))
        arguments: dict[str, Source] = {}
        for parameter in tool.parameters.values():
            if parameter.required or draw(st.booleans()):
                arguments[parameter.name] = draw(_sources(known, parameter.json_schema))
        if tool.additional_parameters and draw(st.booleans()):
            arguments["more"] = draw(_sources(known, {}))
        label: str | None = None
        if labels == "numbered":
            label = f"var{number + 1}"
        elif labels == "mixed":
            label = draw(st.none() | st.sampled_from(WORDS["labels"]))
        call = Call(name=tool.name, arguments=arguments, label=label)
        if _frozen(call) not in seen:
            seen.add(_frozen(call))
            calls.append(call)
            if label is not None:
                known.paths[label] = output_paths(tool.output_schema)
    return calls


@st.composite
def valid_problems(draw: st.DrawFn, odd: bool | None = None) -> Problem:
    """Draw a sequence that keeps to its catalog, its memory and the order of its calls."""
    odd = draw(st.integers(0, 3)) == 3 if odd is None else odd
    catalog = draw(catalogs(odd))
    known = _Known()
    memory: dict[str, Any] = {}
    variables = st.lists(st.sampled_from(WORDS["variables"]), unique=True, max_size=2)
    for name in draw(st.just([]) | variables):
        memory[name] = draw(st.sampled_from(WORDS["remembered"]))
        known.paths[name] = list(memory_paths(memory[name]))
    history: list[Call] = []
    if draw(st.integers(0, 4)) == 4:
        before = _Known(dict(known.paths))
        history = draw(_calls(catalog, before, "mixed", 1, 2))
        known.paths = {**before.paths, **{name: known.paths[name] for name in memory}}
    labels = draw(st.sampled_from(["numbered", "numbered", "mixed"]))
    calls = draw(_calls(catalog, known, labels, 1, 5))
    returns = None
    if draw(st.integers(0, 4)) == 4:
        returns = {"answer": draw(_sources(known, {}))}
    sequence = Sequence(calls=tuple(calls), returns=returns)
    return Problem(catalog, sequence, memory, tuple(history))


# -- faults --------------------------------------------------------------------

Draw = Callable[[st.SearchStrategy[Any]], Any]
Fault = Callable[[Draw, Problem], Problem]
FAULTS: dict[str, Fault] = {}


def fault(change: Fault) -> Fault:
    """Take a function for one of the faults, by its name."""
    FAULTS[change.__name__.removeprefix("_")] = change
    return change


def fault_of_a_call(change: Callable[[Draw, Problem, int], Problem]) -> Fault:
    """Take a function for one of the faults: it breaks something in the call of a number, if there is any."""

    @wraps(change)
    def broken(draw: Draw, problem: Problem) -> Problem:
        count = len(problem.sequence.calls)
        return change(draw, problem, draw(st.integers(0, count - 1))) if count else problem

    return fault(broken)


def _misspelt(draw: Draw, name: str) -> str:
    """Draw a name with one character lost, doubled or swapped, its first half, or a word that was made up."""
    how = draw(st.sampled_from(["lose", "double", "case", "half", "invent"]))
    at = draw(st.integers(0, max(0, len(name) - 1)))
    if how == "lose":
        return name[:at] + name[at + 1 :] or "x"
    if how == "double":
        return name[: at + 1] + name[at:]
    if how == "half":  # several names of tools begin so
        return name[: len(name) // 2 + 1]
    return name.swapcase() if how == "case" else "Qwxyz"


def _ordered(problem: Problem, calls: Iterable[Call]) -> Problem:
    return replace(problem, sequence=problem.sequence.model_copy(update={"calls": tuple(calls)}))


def _with(problem: Problem, number: int, **changes: Any) -> Problem:
    calls = list(problem.sequence.calls)
    calls[number] = calls[number].model_copy(update=changes)
    return _ordered(problem, calls)


def _passing(problem: Problem, number: int, parameter: str, source: Source) -> Problem:
    """Let a call pass something; a number below 0 stands for what is returned."""
    if number < 0:
        returns = {**(problem.sequence.returns or {}), parameter: source}
        return replace(problem, sequence=problem.sequence.model_copy(update={"returns": returns}))
    arguments = {**problem.sequence.calls[number].arguments, parameter: source}
    return _with(problem, number, arguments=arguments)


def _everything(problem: Problem) -> _Known:
    """Return what any call has, whether before or behind its reader."""
    known = _Known()
    for call in problem.sequence.calls:
        tool = problem.catalog.by_name.get(call.name)
        if call.label is not None:
            known.paths[call.label] = output_paths(tool.output_schema if tool else None)
    return known


@fault_of_a_call
def _tool(draw: Draw, problem: Problem, number: int) -> Problem:
    if draw(st.integers(0, 3)) == 3:
        return _with(problem, number, name=draw(st.sampled_from(list(problem.catalog.by_name))))
    name = problem.sequence.calls[number].name
    return _with(problem, number, name=_misspelt(draw, name))


@fault_of_a_call
def _label(draw: Draw, problem: Problem, number: int) -> Problem:
    labels = [None, *(call.label for call in problem.sequence.calls), *WORDS["labels"], "var20"]
    return _with(problem, number, label=draw(st.sampled_from(labels)))


@fault_of_a_call
def _argument(draw: Draw, problem: Problem, number: int) -> Problem:
    arguments = dict(problem.sequence.calls[number].arguments)
    how = draw(st.sampled_from(["drop", "rename", "add", "bare"])) if arguments else "add"
    other = draw(st.sampled_from([*WORDS["parameters"], "qzx", "page size"]))
    if how == "add":
        arguments.setdefault(other, draw(_sources(_everything(problem), {})))
        return _with(problem, number, arguments=arguments)
    name = draw(st.sampled_from(list(arguments)))
    if how == "bare":
        variable = draw(st.sampled_from(["date_from_user", "user_city", "qzx", "var8"]))
        return _passing(problem, number, name, Reference(label=variable, bare=draw(st.booleans())))
    if how == "rename" and draw(st.booleans()):
        other = _misspelt(draw, name)
    if how == "rename" and other in arguments:
        return problem
    renamed = {(other if key == name else key): source for key, source in arguments.items()}
    if how == "drop":
        del renamed[other]
    return _with(problem, number, arguments=renamed)


@fault
def _reference(draw: Draw, problem: Problem) -> Problem:
    holders = {number: call.arguments for number, call in enumerate(problem.sequence.calls)}
    holders[-1] = problem.sequence.returns or {}
    sources = [(n, name, each) for n, holder in holders.items() for name, each in holder.items()]
    places = [(n, name, *found) for n, name, each in sources for found in numbered(each)]
    if not places:
        return problem
    number, parameter, slot, old = draw(st.sampled_from(places))
    label, path = old.label, old.path
    how = draw(st.sampled_from(["label", "path", "whole", "misspelt"]))
    if how == "label":
        label = draw(st.sampled_from([*WORDS["labels"], *WORDS["variables"], "lost"]))
    elif how == "path":
        fields = [(name,) for name in WORDS["fields"]]
        path = draw(st.sampled_from([*fields, ("results", 0, "id"), ("nothing",)]))
    elif how == "misspelt" and path and isinstance(path[-1], str):
        path = (*path[:-1], _misspelt(draw, path[-1]))
    else:
        path = ()
    new = {slot or 1: Reference(label=label, path=path)}
    source = replace_reference(holders[number][parameter], new)[0]
    return _passing(problem, number, parameter, source)


@fault_of_a_call
def _order(draw: Draw, problem: Problem, first: int) -> Problem:
    calls = list(problem.sequence.calls)
    second = draw(st.integers(0, len(calls) - 1))
    calls[first], calls[second] = calls[second], calls[first]
    return _ordered(problem, calls)


@fault_of_a_call
def _removed(draw: Draw, problem: Problem, number: int) -> Problem:
    return _ordered(problem, (c for n, c in enumerate(problem.sequence.calls) if n != number))


@fault_of_a_call
def _repeated(draw: Draw, problem: Problem, number: int) -> Problem:
    calls = list(problem.sequence.calls)
    calls.insert(draw(st.integers(0, len(calls))), calls[number])
    return _ordered(problem, calls)


@fault_of_a_call
def _cycle(draw: Draw, problem: Problem, first: int) -> Problem:
    """Let two calls, or one and itself, read from each other."""
    second = draw(st.integers(0, len(problem.sequence.calls) - 1))
    known = _everything(problem)
    for reader, read in ((first, second), (second, first)):
        call, label = problem.sequence.calls[reader], problem.sequence.calls[read].label
        if label is None or not call.arguments:
            continue
        parameter = draw(st.sampled_from(list(call.arguments)))
        path = draw(st.sampled_from([*(each.path for each in known.paths.get(label, [])), ()]))
        problem = _passing(problem, reader, parameter, Reference(label=label, path=path))
    return problem


@fault_of_a_call
def _text(draw: Draw, problem: Problem, number: int) -> Problem:
    """Put a text with a name between dollars somewhere, which may or may not be a reference."""
    call = problem.sequence.calls[number]
    if not call.arguments:
        return problem
    word = Reference(label=draw(st.sampled_from(["var1", "var2", "lost", "city", "amount"])))
    text: Source = Template(parts=("about ", word, " each"))
    source = Structure(value={"x": text}) if draw(st.booleans()) else text
    return _passing(problem, number, draw(st.sampled_from(list(call.arguments))), source)


@fault_of_a_call
def _open(draw: Draw, problem: Problem, number: int) -> Problem:
    """Leave something to ask and to confirm, as a repair does."""
    call = problem.sequence.calls[number]
    if not call.arguments:
        return problem
    parameter = draw(st.sampled_from(list(call.arguments)))
    name = draw(st.sampled_from([parameter, "city", "amount", "var7"]))
    labels = {each.label for each in problem.sequence.calls}
    if not re.fullmatch(r"[^\W\d][\w-]*", name) or name in labels:
        return problem
    confirm = draw(st.sampled_from([None, ConfirmTool(), ConfirmArgument(parameter=parameter)]))
    problem = _passing(problem, number, parameter, Ask(name=name))
    problem = _with(problem, number, confirms=(confirm,) if confirm else ())
    asks = tuple(dict.fromkeys((*problem.sequence.asks, name)))
    return replace(problem, sequence=problem.sequence.model_copy(update={"asks": asks}))


@fault_of_a_call
def _tried(draw: Draw, problem: Problem, number: int) -> Problem:
    """Let a call, as it is now or as it was meant, have been executed in vain as often as is allowed."""
    call = problem.sequence.calls[number].model_copy(update={"label": None})
    return replace(problem, history=(*problem.history, call, call, call))


@fault_of_a_call
def _value(draw: Draw, problem: Problem, number: int) -> Problem:
    """Write a value in another form, or another value, or a reference that reads another type."""
    arguments = problem.sequence.calls[number].arguments
    if not arguments or problem.sequence.calls[number].name not in problem.catalog.by_name:
        return problem
    name, old = draw(st.sampled_from(list(arguments.items())))
    new: Source = Constant()
    how = draw(st.sampled_from(["form", "form", "form", "null", "other", "read"]))
    if how == "form" and isinstance(old, Constant):
        new = Constant(value=draw(st.sampled_from(other_forms(old.value))))
    elif how == "form":
        new = draw(st.sampled_from([Structure(value=[old]), Structure(value={"value": old})]))
    elif how == "other":
        new = Constant(value=draw(st.sampled_from([*SAMPLES, ["a", "b"], [1, 2], "x" * 30])))
    elif how == "read":
        references = _everything(problem).references({})
        new = old if references.is_empty else draw(references)
    return _passing(problem, number, name, new)


def other_forms(value: Any) -> list[Any]:
    """Return forms in which a model may write a value by mistake."""
    forms = [[value], {"value": value}, [[value]], json.dumps(value)]
    if isinstance(value, str):
        forms += [value.upper(), f" {value}", f"{value}s", f"{value[:3]}_{value[3:]}"]
    elif isinstance(value, bool):
        forms += [str(value), int(value)]
    elif isinstance(value, int):
        forms += [float(value), f" {value} ", f"{value}.0"]
    elif isinstance(value, list):
        forms += [*value[:1], str(value)]
    elif isinstance(value, dict):
        forms += [str(value), {**value, "more": None}, {key.upper(): value[key] for key in value}]
    return forms


@fault
def _returned(draw: Draw, problem: Problem) -> Problem:
    """Return what a call gives, or what nobody gives: all of it, or a field."""
    label = draw(st.sampled_from([*WORDS["labels"], *WORDS["variables"], "lost"]))
    path = draw(st.sampled_from([(), (), *((name,) for name in WORDS["fields"])]))
    return _passing(problem, -1, "found", Reference(label=label, path=path))


@fault
def _remembered(draw: Draw, problem: Problem) -> Problem:
    """Let memory hold something under a label that calls bear or read, too."""
    label = draw(st.sampled_from(WORDS["labels"]))
    held = [{"id": 5, "skyId": "X", "name": "n"}, {"results": [{"id": "a"}]}, 3]
    return replace(problem, memory={label: draw(st.sampled_from(held)), **problem.memory})


_OFTEN = ["tool", "label", "argument", "reference", "order", "removed", "value"]


@st.composite
def broken_problems(draw: st.DrawFn, odd: bool | None = None) -> Problem:
    """Draw a sequence with one to four faults; now and then one of them breaks nothing."""
    problem = draw(valid_problems(odd=odd))
    choice = st.sampled_from([*_OFTEN, *_OFTEN, *FAULTS])
    for kind in draw(st.lists(choice, min_size=1, max_size=4)):
        problem = replace(FAULTS[kind](draw, problem), faults=(*problem.faults, kind))
    return problem


problems = st.one_of(valid_problems(), broken_problems(), broken_problems(), broken_problems())
