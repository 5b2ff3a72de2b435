"""Mappings computed from a catalog alone: which outputs are described like which parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from heapq import nlargest, nsmallest
from math import isfinite
from threading import Lock
from typing import NamedTuple

from refract_asp.errors import InputError, LimitError, shown
from refract_asp.mappings.described import Described, fields_of, parameters_of, said_of, type_share
from refract_asp.mappings.embedding import CharacterNgrams, Embedder
from refract_asp.mappings.learning import ordered
from refract_asp.mappings.space import Space
from refract_asp.model import Catalog, Mapping
from refract_asp.model.paths import FieldPath, path_text

__all__ = ["THRESHOLD", "TOP_K", "CatalogMaps", "compute"]

TOP_K = 5
"""How many sources a parameter gets."""
THRESHOLD = 0.6
"""From which weight on a mapping is one."""
MAX_ALL = 100_000
"""How many output fields and parameters a catalog may have in all."""
MAX_NAMESAKES = 2000
"""How many fields of one name are compared, and how many fields with one parameter, those nearest by name."""
MAX_TOP_K = 1000

NAMES, DESCRIPTIONS, TOOLS = 0.55, 0.30, 0.15
"""What the names, the descriptions, and what the two tools say of themselves count."""
CARRIED = 0.7
SAME_WORDS = 0.8
"""From which likeness on a description counts in place of the names too, and how much it counts there."""
LEAST = 0.25
"""
How alike names have to be for a pair to be compared at all, unless the descriptions are nearly the same.
What is left out has a weight under 0.53.
"""


class CatalogMaps:
    """
    How well the outputs of the tools of a catalog fit their parameters, by what is said of them.

    The likeness of a field and a parameter is `0.55 * names + 0.30 * descriptions + 0.15 * tools`, each a
    cosine of vectors:

    - of their names, split into words: a field goes by its name, or by those of parent and field; a
      parameter by its name, or by its last two words, which count 0.85;
    - of their descriptions; what has none is described by its name; where they are nearly the same (0.8),
      0.7 of their cosine takes the place of that of less alike names;
    - of the names and descriptions of their tools.

    A type that cannot fit rules a pair out; an open one (0.97), or one that has to be turned into a text
    (0.9), counts a little against it, and so does each field inside of which a value stands (0.98).
    That likeness is the weight of the mapping: 1 for what is said in the same words throughout, 0 for
    what has nothing in common. No tool is fed from itself.

    Everything is embedded once, when something is asked for the first time; one object may be used from
    several threads.

    Args:
        catalog: the tools.
        embedder: what makes vectors of texts; by default `CharacterNgrams`.
    """

    def __init__(self, catalog: Catalog, embedder: Embedder | None = None) -> None:
        """Remember the catalog; nothing is computed yet."""
        if embedder is not None and not isinstance(embedder, Embedder):
            raise InputError(
                f"{shown(type(embedder).__name__)} is no embedder: it has no method embed.",
                hint="Give an object whose embed(texts) returns a vector for each text.",
            )
        self._catalog = catalog
        self._embedder = embedder or CharacterNgrams()
        self._lock = Lock()
        self._index: _Index | None = None
        self.weights = lru_cache(maxsize=16384)(self._weights)

    def best(
        self, tool: str, parameter: str, top_k: int = TOP_K, threshold: float = THRESHOLD
    ) -> list[Mapping]:
        """Return the mappings to a parameter from the whole catalog, the best first."""
        index = self._indexed()
        wanted = index.parameters.get((tool, parameter))
        if wanted is None:
            return []
        found = (
            (index.fields[number], weight) for number, weight in index.likely(wanted, threshold)
        )
        best = nsmallest(
            top_k, ((-weight, field.tool, path_text(field.path)) for field, weight in found)
        )
        target = f"{tool}.{parameter}"
        return [
            Mapping(source=f"{name}.{path}", target=target, weight=-rank)
            for rank, name, path in best
        ]

    def _weights(self, source: str, tool: str, parameter: str) -> dict[FieldPath, float]:
        """Return the outputs of one tool that may fill a parameter of another one, with their weights."""
        index = self._indexed()
        wanted = index.parameters.get((tool, parameter))
        if wanted is None or source == tool:
            return {}
        weighed = (
            (index.weight(index.fields[number], wanted), number) for number in index.of(source)
        )
        best = nsmallest(
            TOP_K, ((-weight, number) for weight, number in weighed if weight >= THRESHOLD)
        )
        return {index.fields[number].path: -rank for rank, number in best}

    def _indexed(self) -> _Index:
        with self._lock:
            if self._index is None:
                self._index = _Index(self._catalog, self._embedder)
            return self._index


class _Place(NamedTuple):
    """A field or a parameter, with the numbers of its texts."""

    tool: str
    path: FieldPath
    names: tuple[tuple[int, float], ...]
    description: int
    context: int
    types: frozenset[str]
    share: float


class _Index:
    """The fields and parameters of a catalog with their texts embedded."""

    def __init__(self, catalog: Catalog, embedder: Embedder) -> None:
        fields: list[Described] = []
        parameters: list[Described] = []
        for tool in catalog:
            fields += fields_of(tool)
            parameters += parameters_of(tool)
            if len(fields) + len(parameters) > MAX_ALL:
                raise LimitError(
                    f"the catalog has more than {MAX_ALL:,} output fields and parameters.",
                    hint="Compute mappings for a part of it: `Catalog.filter`.",
                )
        both = (*fields, *parameters)
        self._contexts = {tool.name: said_of(tool) for tool in catalog}
        self._names = Space(
            embedder,
            (name for each in both for name, _ in each.names),
            (name for each in fields for name, _ in each.names),
        )
        self._descriptions = Space(
            embedder, (each.description for each in both), (each.description for each in fields)
        )
        self._tools = Space(embedder, self._contexts.values())
        self.fields = [self._place(each) for each in fields]
        self.parameters = {(each.tool, str(each.path[0])): self._place(each) for each in parameters}
        self._by_tool: dict[str, list[int]] = {}
        self._by_name: dict[int, list[int]] = {}
        self._by_description: dict[int, list[int]] = {}
        for number, field in enumerate(self.fields):
            self._by_tool.setdefault(field.tool, []).append(number)
            namesakes = [self._by_name.setdefault(name, []) for name, _ in field.names]
            for same in (*namesakes, self._by_description.setdefault(field.description, [])):
                if len(same) < MAX_NAMESAKES:
                    same.append(number)

    def _place(self, said: Described) -> _Place:
        return _Place(
            said.tool,
            said.path,
            tuple((self._names.numbers[name], share) for name, share in said.names),
            self._descriptions.numbers[said.description],
            self._tools.numbers[self._contexts[said.tool]],
            said.types,
            said.share,
        )

    def of(self, tool: str) -> list[int]:
        """Return the numbers of the fields of a tool."""
        return self._by_tool.get(tool, [])

    def weight(self, field: _Place, wanted: _Place) -> float:
        """Return how well a field fits a parameter, from 0 to 1."""
        likenesses = (
            share * self._names.between(own, other)
            for own, _ in field.names
            for other, share in wanted.names
        )
        return self._weighed(field, wanted, max(likenesses), 0.0)

    def likely(self, wanted: _Place, threshold: float) -> Iterator[tuple[int, float]]:
        """
        Yield the fields that reach the threshold for a parameter, with their weights.

        Compared is what is alike enough by name, or by description, to reach it when all else is equal.
        """
        least = max(SAME_WORDS, (threshold - TOOLS) / (CARRIED * NAMES + DESCRIPTIONS))
        best: dict[int, float] = {}
        for other in self._descriptions.near(wanted.description, least) if least <= 1 else ():
            best.update(dict.fromkeys(self._by_description[other], 0.0))
        least = max(LEAST, (threshold - DESCRIPTIONS - TOOLS) / NAMES)
        for name, share in wanted.names:
            for other, like in self._names.near(name, least / share).items():
                for number in self._by_name[other]:
                    if best.get(number, 0.0) < share * like:
                        best[number] = share * like
        for number, like in nlargest(MAX_NAMESAKES, best.items(), key=lambda each: each[1]):
            if self.fields[number].tool != wanted.tool:
                weight = self._weighed(self.fields[number], wanted, like, threshold)
                if weight > 0:
                    yield number, weight

    def _weighed(self, field: _Place, wanted: _Place, names: float, threshold: float) -> float:
        """Return the weight of a pair whose names are so alike; 0 if it cannot reach the threshold."""
        share = field.share * type_share(field.types, wanted.types)
        most = NAMES * max(names, CARRIED) + DESCRIPTIONS
        if share * (most + TOOLS) < threshold or not share:
            return 0.0
        tools = TOOLS * self._tools.between(field.context, wanted.context)
        if share * (most + tools) < threshold:
            return 0.0
        said = self._descriptions.between(field.description, wanted.description)
        if said >= SAME_WORDS:
            names = max(names, CARRIED * said)
        weight = round(share * (NAMES * names + DESCRIPTIONS * said + tools), 3)
        return weight if weight >= threshold else 0.0


def compute(
    catalog: Catalog,
    embedder: Embedder | None = None,
    top_k: int = TOP_K,
    threshold: float = THRESHOLD,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Mapping, ...]:
    """
    Return the outputs that are described like parameters, as mappings.

    `CatalogMaps` tells what counts. The same catalog gives the same mappings in the same order.

    Args:
        catalog: the tools.
        embedder: what makes vectors of texts; by default `CharacterNgrams`, which needs no model.
        top_k: how many sources each parameter gets at most, from 1 to 1000.
        threshold: the least weight, from 0 to 1.
        progress: is told after each tool how many are done, and how many there are.

    Raises:
        InputError: an option is out of range, or the embedder does not give vectors.
        LimitError: the catalog has more than 100,000 output fields and parameters.

    Example:
        >>> find = {"name": "FindPlace", "returns": {"geoId": {"type": "string"}}}
        >>> book = {"name": "BookHotel", "parameters": {"placeGeoId": {"type": "string"}}}
        >>> [mapping.target for mapping in compute(Catalog.load({"tools": [find, book]}))]
        ['BookHotel.placeGeoId']
    """
    if type(top_k) is not int or not 1 <= top_k <= MAX_TOP_K:
        raise InputError(
            f"top_k cannot be {shown(top_k)}.", hint=f"It must be from 1 to {MAX_TOP_K}."
        )
    is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not is_number or not isfinite(threshold) or not 0 <= threshold <= 1:
        raise InputError(f"threshold cannot be {shown(threshold)}.", hint="It must be from 0 to 1.")
    maps = CatalogMaps(catalog, embedder)
    found: list[Mapping] = []
    for number, tool in enumerate(catalog, 1):
        for parameter in tool.parameters:
            found += maps.best(tool.name, parameter, top_k, float(threshold))
        if progress is not None:
            progress(number, len(catalog))
    return ordered(found)
