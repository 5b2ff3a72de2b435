"""Valid sequences over a given catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from refract_asp.bench.generating.dials import MAX_CALLS, Coupling, coupling_named
from refract_asp.bench.generating.naming import chance, producers, shuffled, stream
from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.errors import InputError, shown
from refract_asp.evaluation.cases import Case
from refract_asp.model import Call, Catalog, Constant, Reference, Sequence, Source, Tool
from refract_asp.model.schemas import is_compatible, schema_type, schema_types
from refract_asp.refractor import Refractor
from refract_asp.rules.likeness import FAR, fit_distance, fold

__all__ = ["from_catalog"]

MAX_LOOKED_AT = 60
"""Among so many tools that which can read from the wanted calls is looked for."""
MAX_FIELDS = 400
"""Output fields of one tool that are compared with a parameter."""
OPTIONAL = 0.3
"""How many of the optional parameters are passed."""
SAID = 3
"""So many tools that cannot be called are named in a message."""


def from_catalog(
    catalog: Catalog,
    calls: int,
    seed: object = 0,
    *,
    coupling: Coupling = "random",
    share: float = 0.5,
    name: str = "",
) -> Case:
    """
    Return a case in which nothing is wrong: a sequence that is valid over a given catalog.

    Calls read from each other as the coupling says, as far as the tools have fields and parameters that are
    clearly alike; all else is constant: what the schemas say (a constant, a member, an example, a default),
    or plain values within their bounds.

    Args:
        catalog: the tools.
        calls: how many calls to make.
        seed: anything that prints the same each time.
        coupling: how calls read from each other.
        share: how many calls read from earlier ones, with the coupling "random".
        name: the name of the catalog, where it is one of those shipped.

    Raises:
        InputError: the catalog is empty, none of its tools can be called, or a number is out of range.

    Example:
        >>> tool = {"name": "Search", "parameters": {"city": {"enum": ["Rome"], "required": True}}}
        >>> str(from_catalog(Catalog.load({"tools": [tool]}), 1).sequence)
        'var1 = Search(city="Rome")'
    """
    coupling_named(coupling)
    if isinstance(calls, bool) or not isinstance(calls, int) or not 1 <= calls <= MAX_CALLS:
        hint = f"Take a whole number from 1 to {MAX_CALLS}."
        raise InputError(f"{shown(calls)} is no number of calls.", where="calls", hint=hint)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise InputError(
            f"{shown(share)} is no share.", where="share", hint="Take one from 0 to 1."
        )
    if not catalog.tools:
        raise InputError("the catalog has no tools to call.", hint="Give it one.")
    building = _Building(catalog, seed)
    reads = producers(calls, coupling, share, seed)
    read = {index for earlier in reads for index in earlier}
    for index, earlier in enumerate(reads):
        building.add(index, earlier, gives=index in read)
    sequence = Sequence(calls=tuple(building.calls))
    said = f"{name or catalog.name or 'catalog'},calls={calls},coupling={coupling}"
    said += f",share={share:g}" if coupling == "random" else ""
    return Case(
        id=f"{said}#{seed}",
        sequence=sequence,
        catalog=catalog,
        expected=sequence,
        dials={"tools": len(catalog), "calls": calls, "coupling": coupling, "share": share},
        catalog_name=name,
    )


@dataclass
class _Building:
    """A sequence that is being made."""

    catalog: Catalog
    seed: object
    calls: list[Call] = field(default_factory=list)
    uncallable: dict[str, str] = field(default_factory=dict)
    """Why a tool cannot be called, by its name."""

    def __post_init__(self) -> None:
        """Compile the catalog once."""
        self._refractor = Refractor(self.catalog)
        self._takers: dict[str, set[int]] = {}
        for number, tool in enumerate(self.catalog.tools):
            for parameter in tool.parameters:
                self._takers.setdefault(fold(parameter), set()).add(number)
        self._givers = {
            number
            for number, tool in enumerate(self.catalog.tools)
            if self._readers(tool) - {number}
        }

    def _readers(self, giver: Tool) -> set[int]:
        """Return the numbers of the tools with a parameter that is called like a field of one."""
        fields = {
            fold(str(output.path[-1])) for output in giver.output_fields[:MAX_FIELDS] if output.path
        }
        return set[int]().union(*(self._takers.get(name, ()) for name in fields))

    def add(self, index: int, earlier: list[int], *, gives: bool) -> None:
        """Append a call that reads from earlier ones; from one that gives something another one will read."""
        tools = list(islice(self._tools(index, earlier, gives=gives), MAX_LOOKED_AT))
        feeds = {tool.name: self._feeds(tool, earlier) for tool in tools} if earlier else {}
        for tool in sorted(
            tools, key=lambda tool: -len(feeds.get(tool.name, ()))
        ):  # the order stays else
            if self._append(index, tool, feeds.get(tool.name, {})):
                return
        for tool in self._tools(index, (), gives=False):
            if self._append(index, tool, {}):
                return
        said = [
            f"{shown(tool, 60)} ({shown(why)})"
            for tool, why in islice(self.uncallable.items(), SAID)
        ]
        more = " and others" if len(self.uncallable) > SAID else ""
        raise InputError(
            f"none of the tools can be called: {', '.join(said)}{more}.",
            hint="Give their parameters schemas that some plain value fits, or examples.",
        )

    def _tools(self, index: int, earlier: Iterable[int], *, gives: bool) -> Iterator[Tool]:
        """Yield the tools in any order, first those that can read, then those that can be read if wanted."""
        tools = self.catalog.tools
        readers = set[int]().union(
            *(
                self._readers(self.catalog.by_name[self.calls[producer].name])
                for producer in earlier
            )
        )
        order = list(shuffled(len(tools), stream(self.seed, "tools", index)))

        def rank(number: int) -> tuple[bool, ...]:
            is_read = number in self._givers, bool(tools[number].output_fields)
            return number not in readers, *(gives and not each for each in is_read)

        order.sort(key=rank)
        return (tools[number] for number in order if tools[number].name not in self.uncallable)

    def _feeds(self, tool: Tool, earlier: list[int]) -> dict[str, Reference]:
        """Return what the tool may read from each of some calls, by parameter."""
        found: dict[str, Reference] = {}
        for producer in earlier:
            giver = self.catalog.by_name[self.calls[producer].name]
            best = min(self._fits(giver, tool, found), default=None)
            if best is not None:
                _, _, number, parameter = best
                path = giver.output_fields[number].path
                found[parameter] = Reference(label=self.calls[producer].label or "", path=path)
        return found

    def _fits(
        self, giver: Tool, tool: Tool, taken: dict[str, Reference]
    ) -> Iterator[tuple[int, int, int, str]]:
        """Yield how unlike a field and a parameter are that fit, its depth and number, and the parameter."""
        for parameter in tool.parameters.values():
            if parameter.name in taken:
                continue
            wanted = schema_type(parameter.json_schema, tool.input_schema)
            types = schema_types(parameter.json_schema, tool.input_schema)
            for number, output in enumerate(giver.output_fields[:MAX_FIELDS]):
                distance = fit_distance(output.path, output.type, parameter.name, wanted)
                if distance < FAR and is_compatible(giver.types_at(output.path), types):
                    yield distance, len(output.path), number, parameter.name

    def _append(self, index: int, tool: Tool, feeds: dict[str, Reference]) -> bool:
        """Append a call of the tool if it can be called; else note why not."""
        try:
            for arguments in self._arguments(index, tool, feeds):
                ordered = {name: arguments[name] for name in tool.parameters if name in arguments}
                call = Call(name=tool.name, arguments=ordered, label=f"var{index + 1}")
                if self._is_right(call):
                    self.calls.append(call)
                    return True
        except NoValueError as error:
            self.uncallable[tool.name] = str(error)
            return False
        self.uncallable[tool.name] = "no arguments were found that go together"
        return False

    def _arguments(
        self, index: int, tool: Tool, feeds: dict[str, Reference]
    ) -> Iterator[dict[str, Source]]:
        """Yield arguments to try: with some optional ones, with none, without references, with all."""
        yield {**feeds, **self._constants(index, tool, feeds, OPTIONAL)}
        yield {**feeds, **self._constants(index, tool, feeds, 0)}
        yield self._constants(index, tool, {}, 0)
        yield self._constants(index, tool, {}, 1)

    def _constants(
        self, index: int, tool: Tool, feeds: dict[str, Reference], optional: float
    ) -> dict[str, Source]:
        """Return values of the required parameters that read nothing, and of a share of the optional ones."""
        found: dict[str, Source] = {}
        for parameter in tool.parameters.values():
            is_passed = (
                parameter.required or chance(self.seed, "passed", index, parameter.name) < optional
            )
            if parameter.name in feeds or not is_passed:
                continue
            rng = stream(self.seed, "value", index, parameter.name)
            try:
                value: Any = some_value(
                    parameter.json_schema, rng, tool.input_schema, parameter.name
                )
            except NoValueError as error:
                if parameter.required:
                    raise NoValueError(f"{parameter.name}: {error}") from None
                continue
            found[parameter.name] = Constant(value=value)
        return found

    def _is_right(self, call: Call) -> bool:
        """Whether nothing is wrong with a call that follows those it reads from."""
        read = {source.label for source in call.arguments.values() if isinstance(source, Reference)}
        before = [each for each in self.calls if each.label in read]
        report = self._refractor.check(Sequence(calls=(*before, call)))
        return all(violation.call != len(before) for violation in report.violations)
