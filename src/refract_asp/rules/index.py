"""An index of a catalog: built once, so that the cost of a repair does not grow with the catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from clingo import Function, Symbol
from rapidfuzz import process
from rapidfuzz.distance import OSA

from refract_asp.model import Catalog, Tool
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.model.schemas import schema_type
from refract_asp.rules.likeness import (
    FAR,
    fit_distance,
    fold,
    is_said,
    leaf_names,
    mismatch,
    path_distance,
    shared_prefixes,
    tokens,
    tool_distance,
)
from refract_asp.rules.symbols import text

__all__ = ["CatalogIndex", "Fit"]

MAX_NEIGHBOURS = 8
"""How many tools with a similar name are considered for one wrong name."""
MAX_OFFERED = 12
"""How many tools are considered because they take the arguments of a call."""
MAX_PRODUCERS = 12
"""How many tools are considered as producers of one lost label."""
MAX_PATHS = 6
"""How many paths of one tool are considered for one parameter or one wrong path."""
MAX_OWN_PATHS = 12
"""... of the very tool that a wrong path was read from."""
MAX_RANKED = 40
"""How many paths of one tool are ranked for one parameter."""
MAX_FIELDS = 4000
"""How many output fields of one tool are compared."""
RARE = 2
"""Up to how many tools may return a field for its name to say where it comes from."""

Fit = tuple[FieldPath, str, int]
"""A path, as it is and printed, and its distance."""


class CatalogIndex:
    """Answers which tools are near a name, take some arguments, or return some paths."""

    def __init__(self, catalog: Catalog) -> None:
        """Index `catalog`; the work grows with the number of its tools and fields."""
        self.tools = catalog.by_name
        self._names = list(self.tools)
        self._folded = [fold(name) for name in self._names]
        self._by_fold: dict[str, list[str]] = defaultdict(list)
        for name, folded in zip(self._names, self._folded, strict=True):
            self._by_fold[folded].append(name)
        self._prefixes = shared_prefixes(self._names)
        self._takers: dict[str, list[str]] = defaultdict(list)
        self._producers: dict[str, list[str]] = defaultdict(list)
        self._leaves: dict[str, list[tuple[str, FieldPath]]] = defaultdict(list)
        for tool in catalog.tools:
            for parameter in tool.parameters:
                self._takers[parameter].append(tool.name)
            for step in {field.path[0] for field in tool.output_fields}:
                self._producers[str(step)].append(tool.name)
            seen: set[str] = set()
            for field in tool.output_fields[:MAX_FIELDS]:
                for name in leaf_names(field.path):
                    folded = fold(name)
                    if folded not in seen:
                        seen.add(folded)
                        self._leaves[folded].append((tool.name, field.path))
        self.fit = lru_cache(maxsize=262144)(self._fit)
        self.outputs = lru_cache(maxsize=65536)(self._outputs)
        self.fits = lru_cache(maxsize=65536)(self._fits)
        self.near_paths = lru_cache(maxsize=65536)(self._near_paths)
        self.tool_facts = lru_cache(maxsize=65536)(self._tool_facts)
        self.neighbours = lru_cache(maxsize=4096)(self._neighbours)

    def _neighbours(self, name: str) -> tuple[tuple[str, int], ...]:
        """Return the tools whose names come nearest, with their distances, nearest first."""
        found = process.extract(
            fold(name),
            self._folded,
            processor=None,
            scorer=OSA.normalized_similarity,
            limit=MAX_NEIGHBOURS,
            score_cutoff=0.3,
        )
        near = [(self._names[i], tool_distance(name, self._names[i], self._prefixes)) for _, _, i in found]
        return tuple(sorted(near, key=lambda pair: (pair[1], pair[0])))

    def distance(self, name: str, tool: str) -> int:
        """Return how unlike a name is to that of a tool, from 0 to 100."""
        return tool_distance(name, tool, self._prefixes)

    def takers(self, parameters: Iterable[str], read: Iterable[FieldPath]) -> tuple[list[str], bool]:
        """
        Return the tools that take most of the parameters and return most of the paths, best first.

        The second value tells whether the bound cut some off.
        """
        score: dict[str, int] = defaultdict(int)
        wanted = list(parameters)
        for parameter in wanted:
            for tool in self._takers.get(parameter, ()):
                score[tool] += 2
        for path in read:
            for tool in self._producers.get(str(path[0]) if path else "", ()):
                if self.tools[tool].returns_path(path):
                    score[tool] += 3
        if not wanted:
            for name, tool_ in self.tools.items():
                if not any(p.required for p in tool_.parameters.values()):
                    score[name] += 1

        def rank(tool: str) -> tuple[int, str]:
            missing = sum(p.required and p.name not in wanted for p in self.tools[tool].parameters.values())
            return missing - score[tool], tool

        ranked = sorted(score, key=rank)
        return ranked[:MAX_OFFERED], len(ranked) > MAX_OFFERED

    def producers(self, paths: Iterable[FieldPath]) -> tuple[list[str], bool]:
        """
        Return the tools that declare all the paths, or else those whose open outputs may hold them.

        The second value tells whether the bound cut some off.
        """
        wanted = [path for path in paths if path]
        if not wanted:
            return [], False
        names = self._producers.get(str(wanted[0][0]), ())
        found = [name for name in names if all(self.tools[name].declares_path(path) for path in wanted)]
        if not found:
            found = [name for name in names if all(self.tools[name].returns_path(path) for path in wanted)]
        return found[:MAX_PRODUCERS], len(found) > MAX_PRODUCERS

    def rare_sources(self, parameter: str) -> list[tuple[str, FieldPath]]:
        """Return the tools that return a field named like the parameter, if they are few."""
        found = self._leaves.get(fold(parameter), [])
        return list(found) if len(found) <= RARE else []

    def returners(self, name: str) -> list[str]:
        """Return the tools that return a field of this name."""
        return list(dict.fromkeys(tool for tool, _ in self._leaves.get(fold(name), ())))[:MAX_PRODUCERS]

    def _fit(self, name: str, path: FieldPath, tool: str, parameter: str) -> int:
        """Return how unlike an output path of a tool and a parameter of another are, from 0 to 20."""
        source = self.tools[name]
        declared = self.tools[tool].parameters.get(parameter)
        schema = declared.json_schema if declared else {}
        said = any(is_said(leaf, str(schema.get("description", ""))) for leaf in leaf_names(path)) or is_said(
            parameter, source.description_at(path)
        )
        return fit_distance(path, source.type_at(path), parameter, self.parameter_type(tool, parameter), said)

    def _fits(self, name: str, tool: str, parameter: str) -> tuple[Fit, ...]:
        """
        Return the paths of a tool for a parameter of another one, best first.

        Among paths that are equally unlike it those of its type come first, then what does not merely
        repeat an input of the tool, shallow paths, what the tool is named after, names before other
        fields, and last the order of declaration.
        """
        wanted = self.parameter_type(tool, parameter)
        words = {word.rstrip("s") for word in tokens(name)}
        ranked = []
        for number, (path, kind) in enumerate(self.outputs(name)):
            ranked.append(
                (
                    self.fit(name, path, tool, parameter),
                    mismatch(kind, wanted),
                    path[-1] in self.tools[name].parameters,
                    len(path),
                    -len(words & _stems(path)),
                    tokens(str(path[-1]))[-1:] != ("name",),
                    number,
                    path,
                )
            )
        ranked.sort()
        return tuple((row[-1], path_text(row[-1]), row[0]) for row in ranked[:MAX_RANKED])

    def _outputs(self, name: str) -> tuple[tuple[FieldPath, str], ...]:
        """Return the paths of a tool with their types, also into lists whose elements are left open."""
        tool = self.tools[name]
        found: list[tuple[FieldPath, str]] = []
        for field in tool.output_fields[:MAX_FIELDS]:
            found.append((field.path, field.type))
            element = (*field.path, 0)
            if field.type == "array" and tool.returns_path(element) and tool.type_at(element) == "any":
                found.append((element, "any"))
        return tuple(found)

    def _near_paths(self, name: str, written: str) -> tuple[Fit, ...]:
        """Return the paths of a tool that come nearest to one as it was written, nearest first."""
        tool = self.tools[name]
        steps = parse_path(written)
        ranked = []
        for number, field in enumerate(tool.output_fields[:MAX_FIELDS]):
            path = _indexed_as(field.path, steps, tool)
            text = path_text(path)
            distance = path_distance(written, text)
            if distance < FAR:
                ranked.append((distance, len(path), number, path, text))
        ranked.sort()
        return tuple((path, text, distance) for distance, _, _, path, text in ranked[:MAX_PATHS])

    def rank(self, name: str, path: FieldPath, tool: str, parameter: str) -> int:
        """Return the place of a path among those of its tool for a parameter; see `_fits`."""
        for rank, (other, _, _) in enumerate(self.fits(name, tool, parameter)):
            if other == path:
                return rank
        return MAX_RANKED

    def parameter_type(self, tool: str, parameter: str) -> str:
        """Return the JSON type that a tool declares for a parameter."""
        declared = self.tools[tool].parameters.get(parameter)
        return schema_type(declared.json_schema, self.tools[tool].input_schema) if declared else "any"

    def _tool_facts(self, name_: str) -> tuple[Symbol, ...]:
        """State what a tool is: its effect, what it requires, whether it takes any parameter."""
        tool = self.tools[name_]
        name = text(tool.name)
        facts = [Function("in_tool", [name]), Function("in_effect", [name, Function(tool.effect)])]
        if tool.additional_parameters:
            facts.append(Function("in_takes_any", [name]))
        for parameter in tool.parameters.values():
            if parameter.required:
                facts.append(Function("in_required", [name, text(parameter.name)]))
                facts.append(Function("in_param", [name, text(parameter.name)]))
        return tuple(facts)

    def get(self, name: str) -> Tool | None:
        """Return a tool, or None."""
        return self.tools.get(name)


def _stems(path: FieldPath) -> set[str]:
    return {word.rstrip("s") for step in path if isinstance(step, str) for word in tokens(step)}


def _indexed_as(path: FieldPath, written: FieldPath, tool: Tool) -> FieldPath:
    """Return a path with the list indexes of one as it was written, where it has as many."""
    indexes = [step for step in written if isinstance(step, int)]
    own = sum(isinstance(step, int) for step in path)
    if own < len(indexes):
        longer = (*path, *indexes[own:])
        if written[-1:] == (indexes[-1],) and tool.returns_path(longer):
            path, own = longer, len(indexes)
    if own == len(indexes):
        following = iter(indexes)
        return tuple(next(following) if isinstance(step, int) else step for step in path)
    return path
