"""
Judges a sequence against its catalog and memory, in plain Python and jsonschema.

Nothing here comes from the rules, nor from what prepares facts for them: it is said a second time, from
docs/values.md, so that a slip in one of the two shows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

from refract_asp import Catalog, Sequence
from refract_asp.model import Ask, Call, Constant, Reference, Source, Structure, Template
from refract_asp.model.catalog import Tool

Types = frozenset[str]
Steps = tuple[str | int, ...]
EVERY = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
SCALAR = EVERY - {"object", "array"}
OF_THE_WHOLE = {"type", "required", "additionalProperties", "dependentRequired"}
OF_THE_WHOLE |= {f"{end}{of}" for end in ("min", "max") for of in ("Items", "Properties")}
"""Keywords that judge an object or a list whatever stands in it."""


# -- schemas -------------------------------------------------------------------


def followed(schema: Any, root: Any) -> Any:
    """Return the schema to which `$ref` leads, with what is said beside it."""
    while isinstance(schema, dict) and str(schema.get("$ref", "")).startswith("#"):
        beside, found = {k: v for k, v in schema.items() if k != "$ref"}, root
        for step in schema["$ref"].split("/")[1:]:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        schema = {**found, **beside} if beside else found
    return schema


def types_of_value(value: Any) -> Types:
    """Return the types that a JSON value has."""
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return frozenset({"integer", "number"})
    kinds = {float: "number", str: "string", dict: "object", list: "array", type(None): "null"}
    return frozenset({kinds[type(value)]})


def types_of(schema: Any, root: Any) -> Types:
    """Return the types of the values that a schema allows."""
    schema = followed(schema, root)
    if not isinstance(schema, dict):
        return EVERY
    found = EVERY
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        found = frozenset(kinds) | ({"integer"} if "number" in kinds else set())
    for values in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
        if values:
            found &= frozenset().union(*map(types_of_value, values))
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            found &= frozenset().union(*(types_of(each, root) for each in schema[key]))
    for each in schema.get("allOf", ()):
        found &= types_of(each, root)
    return found


def below(schema: Any, step: str | int, root: Any) -> list[Any]:
    """Return what a schema says of a field or an element, once for each branch that says something."""
    schema = followed(schema, root)
    if not isinstance(schema, dict):
        return []
    if isinstance(step, int):
        first = schema.get("prefixItems", [])[step : step + 1]
        found = first or ([schema["items"]] if isinstance(schema.get("items"), dict) else [])
    else:
        found = [schema["properties"][step]] if step in schema.get("properties", {}) else []
        if not found and isinstance(schema.get("additionalProperties"), dict):
            found = [schema["additionalProperties"]]
    for key in ("anyOf", "oneOf", "allOf"):
        found += [inner for each in schema.get(key, ()) for inner in below(each, step, root)]
    return found


def names_parts(schema: Any, root: Any) -> bool:
    """Whether a schema says anything of what lies inside its values."""
    schema = followed(schema, root)
    if not isinstance(schema, dict):
        return False
    said = schema.get("properties") or schema.get("prefixItems")
    said = said or any(isinstance(schema.get(k), dict) for k in ("items", "additionalProperties"))
    branches = [b for key in ("anyOf", "oneOf", "allOf") for b in schema.get(key, ())]
    return bool(said) or any(names_parts(branch, root) for branch in branches)


def along(schema: Any, path: Iterable[str | int], root: Any) -> list[Any] | None:
    """Return what a schema says at a path, nothing where it is left open, None where there is no such path."""
    schemas = [schema]
    for step in path:
        inner = [found for each in schemas for found in below(each, step, root)]
        if not inner:
            if any(names_parts(each, root) for each in schemas):
                return None
            kind = "array" if isinstance(step, int) else "object"
            return [] if any(kind in types_of(each, root) for each in schemas) else None
        schemas = inner
    return schemas


# -- sequences -----------------------------------------------------------------


@dataclass(frozen=True)
class Hole:
    """What stands in an argument for a value that is not known yet: a reference, a text with some, an ask."""

    types: Types
    what: str
    items: Types = EVERY


@dataclass
class Judge:
    """
    Says what is wrong with sequences.

    Args:
        catalog: the tools.
        memory: the values that are known, by name.
        history: the calls that were executed before.
    """

    catalog: Catalog
    memory: dict[str, Any] = field(default_factory=dict)
    history: tuple[Call, ...] = ()
    _meant: set[str | None] = field(default_factory=set, init=False)

    def faults(self, sequence: Sequence, skip: Iterable[int] = ()) -> list[str]:
        """Return what is wrong with a sequence in which nothing is open, but for the calls to be skipped."""
        skipped = set(skip)
        holders = [*(c.arguments for c in sequence.calls), sequence.returns or {}]
        self._meant = {c.label for c in (*self.history, *sequence.calls)} | self.memory.keys()
        self._meant |= {name for each in holders for name in meant_by([*each.values()])}
        bearers = {c.label: c.name for c in self.history if c.label and c.label not in self.memory}
        found: list[str] = []
        for number, call in enumerate(sequence.calls):
            if number not in skipped:
                found += [f"call {number + 1}: {each}" for each in self._call(call, bearers)]
                found += [f"call {number + 1} is to be confirmed" for _ in call.confirms]
            if call.label:
                bearers[call.label] = call.name
        for name, source in (sequence.returns or {}).items():
            inside: list[str] = []
            self._filled(source, bearers, inside)
            found += [f"returned {name}: {each}" for each in inside]
        return found + [f"{name} is still asked" for name in sequence.asks if not skipped]

    def _call(self, call: Call, bearers: dict[str, str]) -> Iterator[str]:
        if call.malformed is not None:
            yield "its arguments cannot be read"
        elif (tool := self.catalog.by_name.get(call.name)) is None:
            yield "no such tool"
        else:
            said: list[str] = []
            passed = {p: self._filled(each, bearers, said) for p, each in call.arguments.items()}
            yield from said
            schema = schema_of(tool)
            for error in Draft202012Validator(schema).iter_errors(passed):
                is_judged = error.validator in OF_THE_WHOLE or not holes_in(error.instance)
                if is_judged and not isinstance(error.instance, Hole):
                    yield error.message
            # a list or an object is no text, whatever stands in it
            for name, value in passed.items():
                declared = types_of(schema["properties"].get(name, True), schema)
                is_filled = holes_in(value) and not isinstance(value, Hole)
                if is_filled and not types_of_value(value) & declared:
                    yield f"{name}: {value} has a type that it does not take"
            for path, hole in holes_in(passed):
                wanted = along(schema, path, schema)
                types = EVERY if not wanted else frozenset()
                types = types.union(*(types_of(each, schema) for each in wanted or ()))
                types |= {"number", "integer", "boolean"} if "string" in types else set()
                if not hole.types & types:
                    yield f"{path}: {hole.what} is {sorted(hole.types)}, wanted {sorted(types)}"
                elif len(path) == 1 and hole.types == {"array"}:
                    # a list goes to a list of the like
                    inside = below(wanted[0], 0, schema)[:1] if wanted else []
                    of_items = types_of(inside[0], schema) if inside else EVERY
                    of_items |= {"number", "integer", "boolean"} if "string" in of_items else set()
                    if not hole.items & of_items:
                        yield f"{path}: {hole.what} holds {sorted(hole.items)}"

    def _filled(self, source: Source, bearers: dict[str, str], said: list[str]) -> Any:
        """Return the value of a source, with holes for what is not known; say what it refers to in vain."""
        if isinstance(source, Constant):
            return source.value
        if isinstance(source, Ask):
            said.append(f"{source.name} is asked for")
            return Hole(EVERY, source.name)
        if isinstance(source, Reference):
            return self._read(source, bearers, said)
        if isinstance(source, Template):
            # a name that nobody has or reads from is text, as in "$5$ or less"
            slots = [p for p in source.parts if not isinstance(p, str)]
            slots = [p for p in slots if isinstance(p, Ask) or p.path or p.label in self._meant]
            for part in slots:
                self._filled(part, bearers, said)
            return Hole(SCALAR, str(source)) if slots else "".join(map(str, source.parts))
        if isinstance(source.value, dict):
            return {k: self._filled(each, bearers, said) for k, each in source.value.items()}
        return [self._filled(each, bearers, said) for each in source.value]

    def _read(self, read: Reference, bearers: dict[str, str], said: list[str]) -> Any:
        if read.label in bearers:
            tool = self.catalog.by_name.get(bearers[read.label])
            if tool is None or tool.output_schema is None:
                return Hole(EVERY, str(read))
            schemas = along(tool.output_schema, read.path, tool.output_schema)
            if schemas is None:
                said.append(f"{tool.name} does not return what {read} reads")
            types = [types_of(each, tool.output_schema) for each in schemas or ()]
            inside = along(tool.output_schema, (*read.path, 0), tool.output_schema) or []
            items = [types_of(each, tool.output_schema) for each in inside]
            every = [frozenset().union(*each) if each else EVERY for each in (types, items)]
            return Hole(every[0], str(read), every[1])
        value = self.memory.get(read.label)
        try:
            if read.label not in self.memory:
                raise KeyError
            for step in read.path:
                if isinstance(step, int) != isinstance(value, list):
                    raise KeyError
                value = value[step]
        except (KeyError, IndexError, TypeError):
            said.append(f"nothing gives {read}")
            return Hole(EVERY, str(read))
        return value


def meant_by(sources: Iterable[Source]) -> Iterator[str]:
    """Yield the labels that cannot be text: those with a path, and those outside of texts."""
    for source in sources:
        if isinstance(source, Reference):
            yield source.label
        elif isinstance(source, Template):
            yield from (p.label for p in source.parts if isinstance(p, Reference) and p.path)
        elif isinstance(source, Structure):
            inner = source.value.values() if isinstance(source.value, dict) else source.value
            yield from meant_by(inner)


def schema_of(tool: Tool) -> dict[str, Any]:
    """Return one schema of all arguments of a tool."""
    return {
        **(tool.input_schema or {}),
        "type": "object",
        "properties": {name: each.json_schema for name, each in tool.parameters.items()},
        "required": [name for name, each in tool.parameters.items() if each.required],
        "additionalProperties": tool.additional_parameters,
    }


def holes_in(value: Any, path: Steps = ()) -> list[tuple[Steps, Hole]]:
    """Return the holes in a value, each with its path."""
    if isinstance(value, Hole):
        return [(path, value)]
    if isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        return [each for key, inner in inside for each in holes_in(inner, (*path, key))]
    return []
