"""
What a repair is compared with: a fixer that puts the nearest declared name in the place of each wrong one.

It is what many agents do with the `difflib` of the standard library: tools, parameters, labels and fields
that are not declared become the closest one that is, if that is close enough. It knows nothing of what is
missing, of types, of the order of calls, or of which change is cheaper than another.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from difflib import get_close_matches

from refract_asp.bench.evaluation.systems import Answer
from refract_asp.model import Call, Catalog, Memory, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.sources import replace_reference, slots_of

__all__ = ["CUTOFF", "nearest"]

CUTOFF = 0.6
"""How alike two names have to be, from 0 to 1; the bound that `difflib` takes by default."""


def nearest(sequence: Sequence, catalog: Catalog, memory: Memory | None = None) -> Answer:
    """
    Put the nearest declared name in the place of each that is not declared.

    Example:
        >>> tool = {"name": "Search", "parameters": {"query": {}}, "returns": {"id": {"type": "string"}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> broken = Sequence.load('var1 = Serch(qury="Rome")\\nSearch(query="$vr1.idd$")')
        >>> print(nearest(broken, catalog).sequence)
        var1 = Search(query="Rome")
        Search(query="$var1.id$")
    """
    fixer = _Fixer(catalog, memory or Memory())
    calls = tuple(map(fixer.call, sequence.calls))
    returns = sequence.returns
    if returns is not None:
        returns = {name: fixer.source(source) for name, source in returns.items()}
    fixed = sequence.model_copy(update={"calls": calls, "returns": returns, "written": None})
    return Answer(fixed, edits=fixer.edits, origins=tuple(range(len(calls))))


@dataclass
class _Fixer:
    """Goes through the calls in order; knows which labels are borne so far, and by calls of which tools."""

    catalog: Catalog
    memory: Memory
    tools: dict[str, Tool | None] = field(default_factory=dict)
    edits: int = 0

    def call(self, call: Call) -> Call:
        """Return a call with the nearest names."""
        if call.malformed is not None:
            return call
        name = self._near(call.name, self.catalog.by_name)
        tool = self.catalog.by_name.get(name)
        arguments = {}
        free = [p for p in tool.parameters if p not in call.arguments] if tool is not None else []
        for parameter, source in call.arguments.items():
            known = tool is None or tool.additional_parameters or parameter in tool.parameters
            fixed = parameter if known else self._near(parameter, free)
            free = [p for p in free if p != fixed]
            arguments[fixed] = self.source(source)
        if call.label is not None:
            self.tools[call.label] = tool
        return call.model_copy(update={"name": name, "arguments": arguments, "written": None})

    def source(self, source: Source) -> Source:
        """Return a source whose references read what there is."""
        slots = enumerate(slots_of(source), 1)
        fixed: dict[int, Source] = {n: self._reference(s) for n, s in slots if isinstance(s, Reference)}
        return replace_reference(source, fixed)[0] if fixed else source

    def _reference(self, reference: Reference) -> Reference:
        label = self._near(reference.label, [*self.tools, *self.memory.values])
        tool = self.tools.get(label)
        path = reference.path
        if tool is not None and path and not tool.returns_path(path):
            path = self._path(path, tool)
        return reference.model_copy(update={"label": label, "path": path})

    def _path(self, path: FieldPath, tool: Tool) -> FieldPath:
        """Return the nearest path that the tool returns; indexes stay where the steps are as many."""
        declared = {path_text(each.path): each.path for each in tool.output_fields}
        text = path_text(0 if isinstance(step, int) else step for step in path)
        near = declared.get(self._near(text, declared), path)
        if len(near) == len(path):
            pairs = zip(near, path, strict=True)
            return tuple(old if isinstance(new, int) and isinstance(old, int) else new for new, old in pairs)
        return near

    def _near(self, name: str, known: Collection[str]) -> str:
        """Return the name where it is known, else the nearest one, else the name."""
        if name in known:
            return name
        found = get_close_matches(name, list(known), n=1, cutoff=CUTOFF)
        self.edits += len(found)
        return found[0] if found else name
