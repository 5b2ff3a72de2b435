"""
Made-up problems for property tests: a small catalog, a sequence that keeps to it, and the same one broken.

A valid sequence is valid by construction: what its references may read is worked out here, from the
catalog as it is written, and not by the package. Each draw is cheap to shrink, so that a failure comes out
as a few lines; `str(problem)` prints them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from refract_asp import Catalog, Refractor, RepairResult, Sequence
from refract_asp.formats import dump_catalog
from refract_asp.model import (
    Ask,
    Call,
    ConfirmArgument,
    ConfirmTool,
    Constant,
    Reference,
    Source,
    Structure,
    Template,
)
from refract_asp.model.paths import FieldPath
from refract_asp.model.sources import replace_reference, slots_of
from refract_asp.rules.index import CatalogIndex

TOOLS = ["Search", "SearchHotels", "SearchFlights", "GetWeather", "BookHotel", "get_song", "find_song", "Pay"]
PARAMETERS = ["query", "city", "date", "id", "skyId", "originSkyId", "amount", "limit", "filter", "name"]
FIELDS = ["id", "name", "skyId", "city", "date", "amount", "converted_amount", "location", "results", "tags"]
ODD = [
    "page size",
    "filter[price]",
    "@odata.id",
    "a.b",
    "it's",
    "$top",
    'say "x"',
    "größe",
    "a\nb",
    "%24",
    "x(",
]
LABELS = ["var1", "var2", "var3", "var9", "a", "hotel", "x-1", "city", "date", "amount", "result"]
VARIABLES = ["date_from_user", "user_city", "amount", "page size", "var2"]
TYPES = ["string", "integer", "number", "boolean", "array", "object", "any"]
TEXTS = ["London", "New York", "2024-08-15", "", "5", "a$b", "$12", "not $a$ reference", "a = b", "it's", "é"]
ANY_PATH: FieldPath = ("anything", 0, "x")

HUNT = int(os.environ.get("REFRACT_ASP_HUNT", "0"))
"""How many random examples each property is tried on while hunting; 0 for the small, stable set."""


def profile(examples: int) -> settings:
    """
    Return the settings of a property: so many examples, the same ones in every run; more in a hunt.

    What fails is made smaller only in a hunt: that takes minutes.
    """
    return settings(
        max_examples=HUNT or examples,
        phases=tuple(Phase) if HUNT else (Phase.explicit, Phase.generate),
        deadline=None,
        derandomize=not HUNT,
        database=None,
        print_blob=False,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
            HealthCheck.large_base_example,
        ],
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
        return {"memory": self.memory, "history": Sequence(calls=self.history) if self.history else ()}

    def __repr__(self) -> str:
        lines = [
            "",
            "--- catalog",
            json.dumps(dump_catalog(self.catalog)),
            "--- sequence",
            str(self.sequence),
        ]
        if self.memory:
            lines += ["--- memory", json.dumps(self.memory)]
        if self.history:
            lines += ["--- history", str(Sequence(calls=self.history))]
        return "\n".join([*lines, f"--- faults {self.faults}", ""])


@cache
def _compiled(options: tuple[tuple[str, Any], ...]) -> Refractor:
    return Refractor(Catalog(), **dict(options))


def refractor(catalog: Catalog, **options: Any) -> Refractor:
    """Return a `Refractor`; those of equal options share their encodings, whatever the catalog."""
    made = copy(_compiled(tuple(sorted(options.items()))))
    made.catalog = catalog
    made._index = CatalogIndex(catalog)
    return made


def same(one: Sequence, other: Sequence) -> bool:
    """Whether two sequences are equal to the type of each number, whatever format they came from."""
    return repr((one.calls, one.asks, one.returns)) == repr((other.calls, other.asks, other.returns))


def answered(result: RepairResult, value: Any = "given by the user") -> Sequence:
    """Return the repaired sequence with every ask answered and everything confirmed."""
    return result.answer(dict.fromkeys(result.sequence.asks, value), confirmed=True)


# -- catalogs ------------------------------------------------------------------


def values(kind: str) -> st.SearchStrategy[Any]:
    """Draw a constant of a JSON type."""
    texts = st.sampled_from(TEXTS)
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


def _names(common: list[str], odd: bool) -> st.SearchStrategy[str]:
    return st.sampled_from(common + ODD if odd else common)


@st.composite
def _parameter_schemas(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(TYPES))
    schema: dict[str, Any] = {} if kind == "any" else {"type": kind}
    extra = draw(st.sampled_from(["", "", "", "", "default", "enum", "one", "const", "described"]))
    value = values(kind)
    if extra == "default":
        schema["default"] = draw(value)
    elif extra == "enum":
        schema["enum"] = [draw(value), draw(value)]
    elif extra == "one":
        schema["enum"] = [draw(value)]
    elif extra == "const":
        schema["const"] = draw(value)
    elif extra == "described":
        schema["description"] = draw(st.sampled_from(["The id of the city.", "As YYYY-MM-DD", "The skyId"]))
    return schema


@st.composite
def _output_schemas(draw: st.DrawFn, odd: bool, depth: int = 2) -> dict[str, Any]:
    kinds = ["string", "integer", "any"] + (["object", "array", "open"] if depth else [])
    fields = {}
    for name in draw(st.lists(_names(FIELDS, odd), unique=True, max_size=4)):
        kind = draw(st.sampled_from(kinds))
        if kind == "object":
            fields[name] = draw(_output_schemas(odd, depth - 1))
        elif kind == "array":
            items = draw(st.sampled_from([{"type": "string"}, {}]) | _output_schemas(odd, depth - 1))
            fields[name] = {"type": "array", "items": items} if items else {"type": "array"}
        else:
            fields[name] = {"string": {"type": "string"}, "integer": {"type": "integer"}}.get(
                kind, {"type": "object"} if kind == "open" else {}
            )
    return {"type": "object", "properties": fields}


@st.composite
def catalogs(draw: st.DrawFn, odd: bool = False) -> Catalog:
    """Draw a catalog of one to four tools whose names, parameters and outputs overlap."""
    tools = []
    for name in draw(st.lists(_names(TOOLS, odd), unique=True, min_size=1, max_size=4)):
        parameters = {
            p: {"schema": draw(_parameter_schemas()), "required": draw(st.booleans())}
            for p in draw(st.lists(_names(PARAMETERS, odd), unique=True, max_size=4))
        }
        shape = draw(st.sampled_from(["object"] * 5 + ["array", "none", "text"]))
        tool: dict[str, Any] = {
            "name": name,
            "effect": draw(st.sampled_from(["read", "read", "read", "write", "destructive", "unknown"])),
            "parameters": parameters,
        }
        if shape != "none":
            schema = draw(_output_schemas(odd))
            if shape == "array":
                schema = {"type": "array", "items": schema}
            tool["returns"] = {"schema": {"type": "string"} if shape == "text" else schema}
        if draw(st.integers(0, 9)) == 9:
            tool["additional_parameters"] = True
        tools.append(tool)
    return Catalog.load({"tools": tools})


def output_paths(schema: dict[str, Any] | None) -> list[FieldPath]:
    """List paths that a tool with this output returns, as far as the schema says so; an open end goes on."""
    if schema is None:
        return [ANY_PATH, ("id",)]
    found: list[FieldPath] = []

    def walk(inner: Any, path: FieldPath) -> None:
        if not isinstance(inner, dict):
            return
        if path:
            found.append(path)
        if inner.get("properties"):
            for name, below in inner["properties"].items():
                walk(below, (*path, name))
        elif isinstance(inner.get("items"), dict):
            walk(inner["items"], (*path, 0))
            found.append((*path, 3))
        elif path and inner.get("type") in (None, "object"):
            found.append((*path, "open end"))
        elif path and inner.get("type") == "array":
            found.append((*path, 1))

    walk(schema, ())
    return found


def memory_paths(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the paths into a value of memory."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from memory_paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from memory_paths(inner, (*path, index))


# -- valid sequences -----------------------------------------------------------


@dataclass
class _Known:
    """What a call may refer to: for each label the paths that may be read from it."""

    paths: dict[str, list[FieldPath]] = field(default_factory=dict)

    def references(self, pathless: bool = True) -> st.SearchStrategy[Reference]:
        """Draw a reference to something known."""
        choices = [
            Reference(label=label, path=path)
            for label, paths in self.paths.items()
            for path in ([()] if pathless else []) + paths
            if path or pathless
        ]
        return st.sampled_from(choices) if choices else st.nothing()


def _sources(known: _Known, kind: str) -> st.SearchStrategy[Source]:
    constants = values(kind).map(lambda value: Constant(value=value))
    references = known.references()
    if references.is_empty:
        return constants
    template = st.builds(
        lambda before, inner, after: Template(parts=tuple(p for p in (before, *inner, after) if p != "")),
        st.sampled_from(["100 * ", "from ", "$$ "]),
        st.lists(references, min_size=1, max_size=2),
        st.sampled_from(["", " and on", "%"]),
    )
    inner = references | constants
    structure = st.one_of(
        st.builds(lambda a, b: Structure(value=[a, b]), references, inner),
        st.builds(lambda a, b: Structure(value={"x": a, "id": b}), inner, references | template),
        st.builds(lambda a: Structure(value={"deep": Structure(value=[a])}), references),
    )
    return st.one_of(constants, references, references, template, structure)


def _frozen(call: Call) -> str:
    return repr((call.name, call.label, sorted(call.arguments.items())))


@st.composite
def _calls(
    draw: st.DrawFn, catalog: Catalog, known: _Known, labels: str, least: int, most: int
) -> list[Call]:
    calls: list[Call] = []
    seen: set[str] = set()
    for number in range(draw(st.integers(least, most))):
        tool = draw(st.sampled_from(catalog.tools))
        arguments: dict[str, Source] = {}
        for parameter in tool.parameters.values():
            if not parameter.required and not draw(st.booleans()):
                continue
            schema = parameter.json_schema
            if "const" in schema:
                arguments[parameter.name] = Constant(value=schema["const"])
            elif schema.get("enum"):
                arguments[parameter.name] = Constant(value=draw(st.sampled_from(schema["enum"])))
            else:
                arguments[parameter.name] = draw(_sources(known, schema.get("type", "any")))
        if tool.additional_parameters and draw(st.booleans()):
            arguments["more"] = draw(_sources(known, "any"))
        label: str | None = None
        if labels == "numbered":
            label = f"var{number + 1}"
        elif labels == "mixed":
            label = draw(st.none() | st.sampled_from(LABELS))
        call = Call(name=tool.name, arguments=arguments, label=label)
        if _frozen(call) in seen:
            continue
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
    for name in draw(st.just([]) | st.lists(st.sampled_from(VARIABLES), unique=True, max_size=2)):
        memory[name] = draw(
            st.sampled_from(["2024-08-15", 3, {"skyId": "NYCA", "list": [{"id": 1}]}, {"city": None}, []])
        )
        known.paths[name] = [path for path in memory_paths(memory[name]) if path]
    history: list[Call] = []
    if draw(st.integers(0, 4)) == 4:
        before = _Known(dict(known.paths))
        history = draw(_calls(catalog, before, "mixed", 1, 2))
        known.paths = {**before.paths, **{name: known.paths[name] for name in memory}}
    labels = draw(st.sampled_from(["numbered", "numbered", "mixed"]))
    calls = draw(_calls(catalog, known, labels, 1, 5))
    returns = None
    if draw(st.integers(0, 4)) == 4:
        returns = {"answer": draw(_sources(known, "any"))}
    sequence = Sequence(calls=tuple(calls), returns=returns)
    return Problem(catalog, sequence, memory, tuple(history))


# -- faults --------------------------------------------------------------------

Draw = Callable[[st.SearchStrategy[Any]], Any]


def _pick(draw: Draw, problem: Problem) -> int | None:
    calls = problem.sequence.calls
    return draw(st.integers(0, len(calls) - 1)) if calls else None


def _misspelt(draw: Draw, name: str) -> str:
    """Draw a name with one character lost, doubled or swapped, or a word that was made up."""
    how = draw(st.sampled_from(["lose", "double", "case", "invent"]))
    at = draw(st.integers(0, max(0, len(name) - 1)))
    if how == "lose":
        return name[:at] + name[at + 1 :] or "x"
    if how == "double":
        return name[: at + 1] + name[at:]
    return name.swapcase() if how == "case" else "Qwxyz"


def _with(problem: Problem, number: int, **changes: Any) -> Problem:
    calls = list(problem.sequence.calls)
    calls[number] = calls[number].model_copy(update=changes)
    return _ordered(problem, calls)


def _ordered(problem: Problem, calls: list[Call]) -> Problem:
    return replace(problem, sequence=problem.sequence.model_copy(update={"calls": tuple(calls)}))


def _fault_tool(draw: Draw, problem: Problem) -> Problem:
    number = _pick(draw, problem)
    if number is None:
        return problem
    name = problem.sequence.calls[number].name
    if draw(st.integers(0, 3)) == 3:
        return _with(problem, number, name=draw(st.sampled_from(list(problem.catalog.by_name))))
    return _with(problem, number, name=_misspelt(draw, name))


def _fault_label(draw: Draw, problem: Problem) -> Problem:
    number = _pick(draw, problem)
    if number is None:
        return problem
    labels = [call.label for call in problem.sequence.calls]
    label = draw(st.none() | st.sampled_from(labels) | st.sampled_from(LABELS) | st.sampled_from(["var20"]))
    return _with(problem, number, label=label)


def _fault_argument(draw: Draw, problem: Problem) -> Problem:
    number = _pick(draw, problem)
    if number is None:
        return problem
    call = problem.sequence.calls[number]
    how = draw(st.sampled_from(["drop", "rename", "add", "bare"])) if call.arguments else "add"
    arguments = dict(call.arguments)
    other = draw(st.sampled_from([*PARAMETERS, "qzx", "page size"]))
    if how in ("drop", "rename"):
        name = draw(st.sampled_from(list(arguments)))
        if how == "rename" and draw(st.booleans()):
            other = _misspelt(draw, name)
        if how == "rename" and other in arguments:
            return problem
        arguments = {
            (other if key == name else key): source
            for key, source in arguments.items()
            if how == "rename" or key != name
        }
    elif how == "add":
        arguments.setdefault(other, draw(_sources(_everything(problem), "any")))
    else:
        variable = draw(st.sampled_from(["date_from_user", "user_city", "qzx", "var8"]))
        arguments[draw(st.sampled_from(list(arguments)))] = Reference(
            label=variable, bare=draw(st.booleans())
        )
    return _with(problem, number, arguments=arguments)


def _everything(problem: Problem) -> _Known:
    """Return what any call bears, whether before or behind its reader."""
    known = _Known()
    for call in problem.sequence.calls:
        tool = problem.catalog.by_name.get(call.name)
        if call.label is not None:
            known.paths[call.label] = output_paths(tool.output_schema) if tool else [("id",)]
    return known


def _fault_reference(draw: Draw, problem: Problem) -> Problem:
    places = [
        (number, parameter, slot)
        for number, call in enumerate(problem.sequence.calls)
        for parameter, source in call.arguments.items()
        for slot, old in enumerate(slots_of(source), 1)
        if isinstance(old, Reference)
    ]
    places += [
        (-1, name, slot)
        for name, source in (problem.sequence.returns or {}).items()
        for slot, old in enumerate(slots_of(source), 1)
        if isinstance(old, Reference)
    ]
    if not places:
        return problem
    number, parameter, slot = draw(st.sampled_from(places))
    holder = problem.sequence.calls[number].arguments if number >= 0 else problem.sequence.returns
    assert holder is not None
    source = holder[parameter]
    old = next(each for position, each in enumerate(slots_of(source), 1) if position == slot)
    assert isinstance(old, Reference)
    label, path = old.label, old.path
    how = draw(st.sampled_from(["label", "path", "whole", "misspelt"]))
    if how == "label":
        label = draw(st.sampled_from([*LABELS, *VARIABLES, "lost"]))
    elif how == "path":
        path = draw(st.sampled_from([*((name,) for name in FIELDS), ("results", 0, "id"), ("nothing",)]))
    elif how == "misspelt" and path and isinstance(path[-1], str):
        path = (*path[:-1], _misspelt(draw, path[-1]))
    else:
        path = ()
    new = replace_reference(source, {slot: Reference(label=label, path=path)})[0]
    arguments = {**holder, parameter: new}
    if number < 0:
        return replace(problem, sequence=problem.sequence.model_copy(update={"returns": arguments}))
    return _with(problem, number, arguments=arguments)


def _fault_order(draw: Draw, problem: Problem) -> Problem:
    calls = list(problem.sequence.calls)
    if len(calls) < 2:
        return problem
    first, second = draw(st.integers(0, len(calls) - 1)), draw(st.integers(0, len(calls) - 1))
    calls[first], calls[second] = calls[second], calls[first]
    return _ordered(problem, calls)


def _fault_removed(draw: Draw, problem: Problem) -> Problem:
    number = _pick(draw, problem)
    if number is None:
        return problem
    calls = list(problem.sequence.calls)
    del calls[number]
    return _ordered(problem, calls)


def _fault_repeated(draw: Draw, problem: Problem) -> Problem:
    number = _pick(draw, problem)
    if number is None:
        return problem
    calls = list(problem.sequence.calls)
    calls.insert(draw(st.integers(0, len(calls))), calls[number])
    return _ordered(problem, calls)


def _fault_cycle(draw: Draw, problem: Problem) -> Problem:
    """Let two calls, or one and itself, read from each other."""
    first, second = _pick(draw, problem), _pick(draw, problem)
    if first is None or second is None:
        return problem
    known = _everything(problem)
    for reader, read in ((first, second), (second, first)):
        call, label = problem.sequence.calls[reader], problem.sequence.calls[read].label
        if label is None or not call.arguments:
            continue
        parameter = draw(st.sampled_from(list(call.arguments)))
        path = draw(st.sampled_from([*known.paths.get(label, []), ()]))
        source = Reference(label=label, path=path)
        problem = _with(problem, reader, arguments={**call.arguments, parameter: source})
    return problem


def _fault_text(draw: Draw, problem: Problem) -> Problem:
    """Put a text with a name between dollars somewhere, which may or may not be a reference."""
    number = _pick(draw, problem)
    if number is None or not problem.sequence.calls[number].arguments:
        return problem
    call = problem.sequence.calls[number]
    word = Reference(label=draw(st.sampled_from(["var1", "var2", "lost", "city", "amount"])))
    parameter = draw(st.sampled_from(list(call.arguments)))
    return _with(
        problem, number, arguments={**call.arguments, parameter: Template(parts=("about ", word, " each"))}
    )


def _fault_nested(draw: Draw, problem: Problem) -> Problem:
    """Put such a text inside a list or an object."""
    broken = _fault_text(draw, problem)
    calls = []
    for old, call in zip(problem.sequence.calls, broken.sequence.calls, strict=True):
        arguments = {
            name: source if old.arguments[name] == source else Structure(value={"x": source})
            for name, source in call.arguments.items()
        }
        calls.append(call.model_copy(update={"arguments": arguments}))
    return _ordered(problem, calls)


def _fault_open(draw: Draw, problem: Problem) -> Problem:
    """Leave something to ask and to confirm, as a repair does."""
    number = _pick(draw, problem)
    if number is None or not problem.sequence.calls[number].arguments:
        return problem
    call = problem.sequence.calls[number]
    parameter = draw(st.sampled_from(list(call.arguments)))
    name = draw(st.sampled_from([parameter, "city", "amount", "var7"]))
    if not re.fullmatch(r"[^\W\d][\w-]*", name) or any(name == each.label for each in problem.sequence.calls):
        return problem
    confirms = draw(st.sampled_from([(), (ConfirmTool(),), (ConfirmArgument(parameter=parameter),)]))
    problem = _with(
        problem, number, arguments={**call.arguments, parameter: Ask(name=name)}, confirms=confirms
    )
    asks = tuple(dict.fromkeys((*problem.sequence.asks, name)))
    return replace(problem, sequence=problem.sequence.model_copy(update={"asks": asks}))


def _fault_tried(draw: Draw, problem: Problem) -> Problem:
    """Let a call, as it is now or as it was meant, have been executed in vain as often as is allowed."""
    number = _pick(draw, problem)
    if number is None:
        return problem
    call = problem.sequence.calls[number].model_copy(update={"label": None})
    return replace(problem, history=(*problem.history, call, call, call))


FAULTS: dict[str, Callable[[Draw, Problem], Problem]] = {
    "tool": _fault_tool,
    "label": _fault_label,
    "argument": _fault_argument,
    "reference": _fault_reference,
    "order": _fault_order,
    "removed": _fault_removed,
    "repeated": _fault_repeated,
    "cycle": _fault_cycle,
    "text": _fault_text,
    "tried": _fault_tried,
    "nested": _fault_nested,
    "open": _fault_open,
}
_OFTEN = ["tool", "label", "argument", "reference", "order", "removed"]


@st.composite
def broken_problems(draw: st.DrawFn, kinds: tuple[str, ...] = (), odd: bool | None = None) -> Problem:
    """Draw a sequence with one to four faults; now and then one of them breaks nothing."""
    problem = draw(valid_problems(odd=odd))
    choice = st.sampled_from(list(kinds) or [*_OFTEN, *_OFTEN, *FAULTS])
    for kind in draw(st.lists(choice, min_size=1, max_size=4)):
        problem = replace(FAULTS[kind](draw, problem), faults=(*problem.faults, kind))
    return problem


problems = st.one_of(valid_problems(), broken_problems(), broken_problems(), broken_problems())
