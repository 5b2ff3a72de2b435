"""Valid sequences over a given catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.bench.generating.synthetic import (
    Coupling,
    Dials,
    chance,
    producers,
    shuffled,
    stream,
)
from refract_asp.errors import InputError, shown
from refract_asp.evaluation.cases import Case
from refract_asp.model import Call, Catalog, Constant, Reference, Sequence, Source, Tool
from refract_asp.model.schemas import is_compatible, schema_type, schema_types
from refract_asp.refractor import Refractor
from refract_asp.rules.likeness import FAR, fit_distance, fold

# Among so many tools that which can read from the wanted calls is looked for.
MAX_LOOKED_AT = 60
# Output fields of one tool that are compared with a parameter.
MAX_FIELDS = 400
# How many of the optional parameters are passed.
OPTIONAL = 0.3


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
    # it refuses what is out of range
    Dials(tools=10_000, calls=calls, coupling=coupling, share=share)
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


class _Building:
    """A sequence that is being made."""

    def __init__(self, catalog: Catalog, seed: object) -> None:
        """Compile the catalog once, and find which tools could read from which."""
        self.calls: list[Call] = []
        self.catalog = catalog
        self.seed = seed
        self._refractor = Refractor(catalog)
        self._uncallable: dict[str, str] = {}  # why a tool cannot be called, by its name
        self._takers: dict[str, set[int]] = defaultdict(set)
        for number, tool in enumerate(catalog.tools):
            for parameter in tool.parameters:
                self._takers[fold(parameter)].add(number)
        readers = map(self._readers, catalog.tools)
        self._givers = {number for number, found in enumerate(readers) if found - {number}}

    def _readers(self, giver: Tool) -> set[int]:
        """Return the numbers of the tools with a parameter that is called like a field of one."""
        fields = giver.output_fields[:MAX_FIELDS]
        names = {fold(str(output.path[-1])) for output in fields if output.path}
        return set[int]().union(*(self._takers.get(name, ()) for name in names))

    def add(self, index: int, earlier: list[int], *, gives: bool) -> None:
        """Append a call that reads from earlier ones; from one that gives something another one will read."""
        tools = list(islice(self._tools(index, earlier, gives=gives), MAX_LOOKED_AT))
        feeds = {tool.name: self._feeds(tool, earlier) for tool in tools} if earlier else {}
        # Those that can read most come first; the order stays else.
        for tool in sorted(tools, key=lambda tool: -len(feeds.get(tool.name, ()))):
            if self._append(index, tool, feeds.get(tool.name, {})):
                return
        for tool in self._tools(index, (), gives=False):
            if self._append(index, tool, {}):
                return
        tool_name, why = next(iter(self._uncallable.items()))
        what = f"none of the tools can be called: {shown(tool_name, 60)} ({shown(why)}), ..."
        hint = "Give their parameters schemas that some plain value fits, or examples."
        raise InputError(what, hint=hint)

    def _tools(self, index: int, earlier: Iterable[int], *, gives: bool) -> Iterator[Tool]:
        """Yield the tools in any order, first those that can read, then those that can be read if wanted."""
        tools = self.catalog.tools
        named = [self.catalog.by_name[self.calls[producer].name] for producer in earlier]
        readers = set[int]().union(*map(self._readers, named))

        def rank(number: int) -> tuple[bool, ...]:
            is_read = number in self._givers, bool(tools[number].output_fields)
            return number not in readers, *(gives and not each for each in is_read)

        order = sorted(shuffled(len(tools), stream(self.seed, "tools", index)), key=rank)
        return (tools[number] for number in order if tools[number].name not in self._uncallable)

    def _feeds(self, tool: Tool, earlier: list[int]) -> dict[str, Reference]:
        """Return what the tool may read from each of some calls, by parameter: what is most alike."""
        found: dict[str, Reference] = {}
        for call in map(self.calls.__getitem__, earlier):
            giver, fits = self.catalog.by_name[call.name], []
            for parameter in (each for each in tool.parameters.values() if each.name not in found):
                wanted = schema_type(parameter.json_schema, tool.input_schema)
                types = schema_types(parameter.json_schema, tool.input_schema)
                for number, output in enumerate(giver.output_fields[:MAX_FIELDS]):
                    distance = fit_distance(output.path, output.type, parameter.name, wanted)
                    if distance < FAR and is_compatible(giver.types_at(output.path), types):
                        fits.append((distance, len(output.path), number, parameter.name))
            if fits:
                _, _, number, name = min(fits)
                path = giver.output_fields[number].path
                found[name] = Reference(label=call.label or "", path=path)
        return found

    def _append(self, index: int, tool: Tool, feeds: dict[str, Reference]) -> bool:
        """Append a call of the tool if it can be called; else note why not."""
        # with some optional arguments, with none, without references, with all
        none: dict[str, Reference] = {}
        tries = (feeds, OPTIONAL), (feeds, 0.0), (none, 0.0), (none, 1.0)
        why = "no arguments were found that go together"
        try:
            for read, optional in tries:
                arguments = {**read, **self._constants(index, tool, read, optional)}
                ordered = {name: arguments[name] for name in tool.parameters if name in arguments}
                call = Call(name=tool.name, arguments=ordered, label=f"var{index + 1}")
                labels = {source.label for source in read.values()}
                before = [each for each in self.calls if each.label in labels]
                report = self._refractor.check(Sequence(calls=(*before, call)))
                if all(violation.call != len(before) for violation in report.violations):
                    self.calls.append(call)
                    return True
        except NoValueError as error:
            why = str(error)
        self._uncallable[tool.name] = why
        return False

    def _constants(
        self, index: int, tool: Tool, feeds: dict[str, Reference], optional: float
    ) -> dict[str, Source]:
        """Return values of the required parameters that read nothing, and of a share of the optional ones."""
        found: dict[str, Source] = {}
        for name, parameter in tool.parameters.items():
            is_passed = parameter.required or chance(self.seed, "passed", index, name) < optional
            if name in feeds or not is_passed:
                continue
            rng = stream(self.seed, "value", index, name)
            try:
                value = some_value(parameter.json_schema, rng, tool.input_schema, name)
                found[name] = Constant(value=value)
            except NoValueError as error:
                if parameter.required:
                    raise NoValueError(f"{name}: {error}") from None
        return found
