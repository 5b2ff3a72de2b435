"""Catalogs of tools: what may be called, what each tool takes and what it returns."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from zlib import crc32

from pydantic import Field

from refract_asp.errors import CatalogError, shown
from refract_asp.model import schemas
from refract_asp.model.conventions import Remark
from refract_asp.model.paths import FieldPath, Frozen, entered, object_of
from refract_asp.ports import port, regex

Effect: TypeAlias = Literal["read", "write", "destructive", "unknown"]

MAX_DEPTH = 5
"""How deep the outputs of a tool are listed; deeper paths are still found when they are named."""
MAX_LISTED = 5_000
"""How many paths of one tool are listed: more than a repair looks at, so that it sees when there are more."""

_DEFAULT = regex(
    r"""(?:(?<!no )\bdefault(?:s|ed)?(?: value)?\s*(?:to|is|of|:|=)|\(default)\s*"""
    r"""(?:["'`]([^"'`]+)["'`]|(-?\w[\w.-]*(?<![.-])))""",
    re.IGNORECASE,
)


class Parameter(Frozen):
    """An input of a tool; `json_schema` says which values it takes (an empty one takes any)."""

    name: str
    required: bool = False
    json_schema: schemas.JsonSchema = {}

    @property
    def description(self) -> str:
        """What the parameter means, or the empty text."""
        return str(self.json_schema.get("description") or "")

    @property
    def told_default(self) -> tuple[Any, ...]:
        """The default that the description states, if it does: a number, a boolean, what is quoted, or a member."""
        found = _DEFAULT.search(self.description)
        quoted, plain = found.groups() if found else ("", "")
        told = quoted or plain
        members = [m for m in self.json_schema.get("enum") or [quoted] if m and m == told]
        with suppress(ValueError):
            members.append(json.loads(told, parse_constant=str))
        return tuple(members)

    @property
    def known_values(self) -> tuple[Any, ...]:
        """The value that the schema itself says, if it does: a constant, a default, or the only member."""
        for key in ("const", "default"):
            if key in self.json_schema:
                return (self.json_schema[key],)
        members = self.json_schema.get("enum")
        return tuple(members) if isinstance(members, list) and len(members) == 1 else ()


class OutputField(Frozen):
    """A typed path of what a tool returns; `type` is a JSON type, or "any" when the schema says none."""

    path: FieldPath
    type: str = "any"


class Tool(Frozen):
    """
    An entry of the catalog.

    Attributes:
        name: its name, unique in the catalog.
        description: what it does.
        effect: what a call changes outside; "unknown" is treated as a risk.
        parameters: its inputs by name.
        input_schema: the JSON Schema of its arguments as a whole, where it says more than the parameters
            do: definitions that they refer to, `anyOf` over them, and the like. None where it does not.
        output_schema: JSON Schema of what it returns, or None when nothing is said of it.
        additional_parameters: whether it takes parameters that it does not declare.
        tags: words under which it is filed, as those of OpenAPI.
    """

    name: str
    description: str = ""
    effect: Effect = "unknown"
    parameters: dict[str, Parameter] = {}
    input_schema: schemas.JsonSchema | None = None
    output_schema: schemas.JsonSchema | None = None
    additional_parameters: bool = False
    tags: tuple[str, ...] = ()

    def schema_inside(self, parameter: str, path: FieldPath) -> schemas.JsonSchema:
        """
        Return the JSON Schema of what stands in an argument at a path, with the definitions that it needs.

        It is empty where nothing is said, or where several branches say it.
        """
        schema: Any = self.parameters[parameter].json_schema if parameter in self.parameters else {}
        root = schema if self.input_schema is None else self.input_schema
        for step in entered(path):
            schema = schemas.resolve(schema, root)
            if not isinstance(schema, dict) or schema.keys() & schemas.BRANCHES:
                return {}
            schema = dict(schemas.children(schema, root)).get(step, {})
        definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
        return {**definitions, **schema} if isinstance(schema, dict) else {}

    @cached_property
    def output_fields(self) -> tuple[OutputField, ...]:
        """The first 5,000 paths of the output, shallow ones first, down to depth 5; `[0]` enters a list."""
        root, listed = self.output_schema, self._listed.items()
        types = ((path, schemas.schema_type(schema, root)) for path, schema in listed if path)
        return tuple(OutputField(path=path, type=kind) for path, kind in types)

    @cached_property
    def output_paths(self) -> tuple[FieldPath, ...]:
        """The paths of `output_fields` alone, which take less to find."""
        return tuple(path for path in self._listed if path)

    def keep_paths(self, paths: Iterable[FieldPath]) -> None:
        """Take what was found before as `output_paths`, so that it need not be found again."""
        self.__dict__["output_paths"] = tuple(paths)

    @property
    def has_more_paths(self) -> bool:
        """Whether the output has more paths than are listed: deeper ones, or too many."""
        ends = (schema for path, schema in self._listed.items() if len(path) == MAX_DEPTH)
        is_deeper = any(True for each in ends for _ in schemas.children(each, self.output_schema))
        return is_deeper or len(self._listed) > MAX_LISTED

    @cached_property
    def _listed(self) -> dict[FieldPath, Any]:
        """The schema at the paths of the output down to a depth, the output itself first."""
        found: dict[FieldPath, Any] = {(): self.output_schema}
        level: dict[FieldPath, Any] = found
        for _ in range(MAX_DEPTH if self.output_schema is not None else 0):
            below = (
                ((*path, step), inner)
                for path, schema in level.items()
                for step, inner in schemas.children(schema, self.output_schema)
            )
            # A schema that refers to itself has more paths than memory could hold, so the listing stops;
            # a path that it does not reach is judged by the schema when somebody reads it.
            level = dict(islice(below, 1 + MAX_LISTED - len(found)))
            found = {**found, **level}
        return found

    def returns_path(self, path: FieldPath) -> bool:
        """
        Whether the tool returns something at `path`.

        A tool without an output schema, and an object or list whose content the schema
        leaves open, may hold anything.
        """
        schema, left = self._walked(path)
        if not left or not isinstance(schema, dict):
            return True
        kind = "array" if isinstance(left[0], int) else "object"
        is_open = not any(True for _ in schemas.children(schema, self.output_schema))
        return is_open and kind in schemas.schema_types(schema, self.output_schema)

    def declares_path(self, path: FieldPath) -> bool:
        """Whether the output schema names every step of `path`; an open object names none."""
        return not self._walked(path)[1]

    def type_at(self, path: FieldPath) -> str:
        """Return the JSON type that the output schema gives at `path`, "any" where it says none."""
        return schemas.schema_type(self._schema_at(path), self.output_schema)

    def types_at(self, path: FieldPath) -> frozenset[str]:
        """Return every JSON type that a value at `path` of the output may have."""
        return schemas.schema_types(self._schema_at(path), self.output_schema)

    def description_at(self, path: FieldPath) -> str:
        """Return what the output schema says of `path`, or the empty text."""
        schema = schemas.resolve(self._schema_at(path), self.output_schema)
        return str(object_of(schema).get("description") or "")

    def _schema_at(self, path: FieldPath) -> Any:
        """Return what the output schema says at a path, None where it names no such."""
        schema, left = self._walked(path)
        return None if left else schema

    def _walked(self, path: FieldPath) -> tuple[Any, FieldPath]:
        """Return what the output schema says at the end of a path, or where it names no more of its steps."""
        steps = entered(path)
        if steps in self._listed:
            return self._listed[steps], ()
        schema: Any = self.output_schema
        for number, step in enumerate(steps):
            inner = dict(schemas.children(schema, self.output_schema))
            if step not in inner:
                return schema, steps[number:]
            schema = inner[step]
        return schema, ()


def legal_name(name: str) -> str:
    """
    Return the form of a name that OpenAI, Anthropic and Google take: at most 64 letters, digits, `_` and `-`.

    Example:
        >>> legal_name("issues/create"), len(legal_name("a" * 100))
        ('issues_create', 64)
    """
    legal = re.sub(r"[^a-zA-Z0-9_-]", "_", name) or "_"
    return legal if len(legal) <= 64 else f"{legal[:55]}_{crc32(name.encode()):08x}"


class Catalog(Frozen):
    """
    The tools that may be called.

    Attributes:
        tools: the tools, each with a name of its own.
        name: what it is called; the name of its file where it has none.
        format: the format it was read from.
        notes: how what is written otherwise than usual was read, and what of it is not judged.

    Raises:
        CatalogError: two tools have one name.

    Example:
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> list(catalog.by_name)
        ['Search']
    """

    tools: tuple[Tool, ...] = ()
    name: str = ""
    format: str | None = Field(default=None, exclude=True)
    notes: tuple[Remark, ...] = Field(default=(), exclude=True, repr=False)

    def model_post_init(self, context: Any, /) -> None:  # noqa: ARG002
        """Refuse two tools of one name."""
        seen: set[str] = set()
        for index, tool in enumerate(self.tools):
            if tool.name in seen:
                what, where = f"two tools are named {shown(tool.name)!r}.", f"tools[{index}]"
                raise CatalogError(what, where=where, hint="Rename or remove one of them.")
            seen.add(tool.name)

    @cached_property
    def by_name(self) -> dict[str, Tool]:
        """The tools by name, in the order of the catalog."""
        return {tool.name: tool for tool in self.tools}

    def __iter__(self) -> Iterator[Tool]:  # type: ignore[override]
        """Iterate over the tools."""
        return iter(self.tools)

    def __len__(self) -> int:
        """Return the number of tools."""
        return len(self.tools)

    @cached_property
    def legal_names(self) -> dict[str, str]:
        """The names of tools that providers refuse, by the form that they take."""
        found: dict[str, str] = {}
        for tool in self.tools:
            own = legal = legal_name(tool.name)
            number = 2
            while own != tool.name and (legal in self.by_name or legal in found):
                legal, number = f"{own[:60]}_{number}", number + 1
            if own != tool.name:
                found[legal] = tool.name
        return found

    def filter(
        self, names: Iterable[str] | None = None, tags: Iterable[str] | None = None
    ) -> Catalog:
        """
        Return a catalog of the tools with one of some names, which may be globs, and one of some tags.

        Names that it does not hold are passed over.

        Example:
            >>> catalog = Catalog.load("tools: [{name: issues/list}, {name: issues/get}, {name: ping}]")
            >>> [tool.name for tool in catalog.filter(["issues/*"])]
            ['issues/list', 'issues/get']
        """
        exact = None if names is None else set(names)
        globs = [name for name in exact or () if any(mark in name for mark in "*?[")]
        marks = None if tags is None else set(tags)
        kept = self.tools
        if exact is not None:
            exact |= {name for name in self.by_name for each in globs if fnmatchcase(name, each)}
            kept = tuple(tool for tool in kept if tool.name in exact)
        if marks is not None:
            kept = tuple(tool for tool in kept if not marks.isdisjoint(tool.tags))
        held = {tool.name for tool in kept}
        notes = tuple(note for note in self.notes if note.tool in held)
        return Catalog(tools=kept, name=self.name, format=self.format, notes=notes)

    @classmethod
    def load(cls, data: Any, format: str | None = None, *, cache: bool = True) -> Catalog:
        """
        Read a catalog: a `Path` is a file, the name of a shipped catalog is that catalog, any other text is
        content; lists, dicts and objects with `model_dump` are data; functions and tool objects are tools.

        With `cache` what came of a large file is kept for the next time, in a folder of the user.

        Raises:
            FormatError: the data is not of the format; the message names the place.
            UnknownFormatError: no format fits.
            CatalogError: the catalog contradicts itself.
        """
        found: Catalog = port("load_catalog")(data, format, cache=cache)
        return found

    def dump(self, format: str = "native") -> Any:
        """Print the catalog in a format, as data that JSON and YAML can hold."""
        return port("dump_catalog")(self, format)


@contextmanager
def collection_paused() -> Iterator[None]:
    """
    Do not look for garbage while a catalog is built: it is all kept, and looking takes as long as building.

    Example:
        >>> with collection_paused():
        ...     gc.isenabled()
        False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Of at most this many catalogs is kept what was made of them.
MAX_PREPARED = 8
Made = TypeVar("Made")


@dataclass
class Prepared(Generic[Made]):
    """Keeps what was made of the last few catalogs, as what was compiled, with what went with each."""

    make: Callable[..., Made]
    _made: dict[tuple[int, str], tuple[Catalog, Made]] = field(default_factory=dict, repr=False)

    def __call__(self, catalog: Catalog, *more: Any) -> Made:
        """Return what was made of a catalog."""
        key = id(catalog), repr(more)
        if key not in self._made:
            if len(self._made) >= MAX_PREPARED:
                del self._made[next(iter(self._made))]
            # the catalog is kept, so that its id is its own
            self._made[key] = catalog, self.make(catalog, *more)
        return self._made[key][1]
