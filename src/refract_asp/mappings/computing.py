"""Mappings that are computed: from what a catalog describes, or learnt from right sequences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from heapq import nlargest, nsmallest
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

from refract_asp.errors import InputError, LimitError, shown
from refract_asp.mappings.embedding import CharacterNgrams, Embedder, Space
from refract_asp.model import Catalog, Mapping, Reference, Sequence, Tool
from refract_asp.model.paths import FieldPath, entered, fields_of, is_number, object_of, path_text
from refract_asp.model.schemas import is_compatible, resolve, schema_types
from refract_asp.model.stages import reads_of
from refract_asp.refractor import Refractor
from refract_asp.rules.likeness import leaf_names, tokens
from refract_asp.settings import whole_number


def ordered(mappings: Iterable[Mapping]) -> tuple[Mapping, ...]:
    """Return mappings by target, those to one target by falling weight, equal ones by source."""
    return tuple(sorted(mappings, key=lambda each: (each.target, -each.weight, each.source)))


def merge(*mappings: Iterable[Mapping], given: Iterable[Mapping] = ()) -> tuple[Mapping, ...]:
    """
    Return all mappings, each pair of source and target once.

    Of equal pairs the larger weight stays. What is `given` by hand wins over all others, whatever
    their weights: the rest may have been learnt or computed.

    Example:
        >>> learnt = Mapping(source="A.id", target="B.aId", weight=0.5)
        >>> computed = Mapping(source="A.id", target="B.aId", weight=0.7)
        >>> merge([learnt], [computed])[0].weight, merge([computed], given=[learnt])[0].weight
        (0.7, 0.5)
    """
    found: dict[tuple[str, str], Mapping] = {}
    for same in (chain(*mappings), given):  # of each the largest comes last
        found |= {(m.source, m.target): m for m in sorted(same, key=lambda each: each.weight)}
    return ordered(found.values())


# How many uses that are fed otherwise are supposed beside those that were seen.
OTHER = 1


def learn(
    sequences: Iterable[Any], catalog: Catalog | None = None, min_count: int = 1
) -> tuple[Mapping, ...]:
    """
    Return what sequences show: each argument that is read as a whole from an earlier call is one vote.

    The weight of a pair is `votes / (uses + 1)`. `uses` counts how often the parameter was given a value
    at all, constants included: the weight is the share of them that came from this field, with one more
    supposed that did not (Laplace's smoothing). So what was seen once is unsure (0.5), what was seen nine
    times and never otherwise is nearly sure (0.9), and a parameter that mostly gets constants stays one
    to ask for. A label means the last call before the reader that has it, indexes of lists stand as `[0]`, as
    catalogs write them. What reads a whole output, a part of a text, or from memory is no vote.

    Args:
        sequences: each as anything that `Sequence.load` takes.
        catalog: the tools; calls that are not admissible for them are passed over, as readers and as
            sources. Without one every call counts.
        min_count: how many votes a pair needs.

    Raises:
        InputError: a sequence cannot be read, or `min_count` is less than 1.

    Example:
        >>> flow = 'var1 = FindPlace(query="Rome")\\nvar2 = FindHotels(geoId="$var1.places[3].id$")'
        >>> [(found.source, found.target, found.weight) for found in learn([flow])]
        [('FindPlace.places[0].id', 'FindHotels.geoId', 0.5)]
    """
    if type(min_count) is not int or min_count < 1:
        raise InputError(f"min_count cannot be {shown(min_count)}.", hint="It must be 1 or more.")
    refractor = Refractor(catalog) if catalog is not None else None
    uses: Counter[str] = Counter()
    votes: Counter[tuple[str, str]] = Counter()
    for given in sequences:
        sequence = Sequence.load(given)
        violations = refractor.check(sequence).violations if refractor is not None else ()
        bound = list(_bound(sequence, {violation.call for violation in violations}))
        uses.update(target for target, _ in bound)
        votes.update((source, target) for target, source in bound if source is not None)
    found = []
    for (source, target), count in votes.items():
        weight = max(0.001, round(count / (uses[target] + OTHER), 3))
        if count >= min_count:
            found.append(Mapping(source=source, target=target, weight=weight))
    return ordered(found)


def _bound(sequence: Sequence, wrong: set[int | None]) -> Iterator[tuple[str, str | None]]:
    """Yield each parameter that a right call gives a value, and the field of a right call it is read from."""
    right = {n: c for n, c in enumerate(sequence.calls) if n not in wrong and c.malformed is None}
    reads = ((read.call, read.parameter, read.producer) for read in reads_of(sequence))
    givers = {(n, name): right[giver] for n, name, giver in reads if giver in right}
    for number, call in right.items():
        for parameter, source in call.arguments.items():
            giver, field = givers.get((number, parameter)), None
            if isinstance(source, Reference) and source.path and giver is not None:
                field = f"{giver.name}.{path_text(entered(source.path))}"
            if source.kind != "ask":
                yield f"{call.name}.{parameter}", field


# How many sources a parameter gets.
TOP_K = 5
# From which weight on a mapping is one.
THRESHOLD = 0.6
# How many output fields and parameters a catalog may have in all.
MAX_ALL = 100_000
# How many fields of one name are compared, and how many fields with one parameter, those nearest
# by name.
MAX_NAMESAKES = 2000
# How many fields may be asked for beside each parameter.
MAX_TOP_K = 1000

# What the names, the descriptions, and what the two tools say of themselves count.
NAMES, DESCRIPTIONS, TOOLS = 0.55, 0.30, 0.15
# From which likeness on a description counts in place of the names too, and how much it counts
# there.
CARRIED = 0.7
SAME_WORDS = 0.8
# How alike names have to be for a pair to be compared at all, unless the descriptions are nearly
# the same. What is left out has a weight under 0.53.
LEAST = 0.25
# How many output fields of one tool are compared, shallow ones first.
MAX_FIELDS = 1000
# How many characters of a description are read.
MAX_TEXT = 2000
# What the last two words of a parameter's name count beside the whole: an `originSkyId` is a
# `skyId`.
TAIL = 0.85
# What is left of a likeness for each field, up to three, inside of which the value stands.
DEEP = 0.98
# What is left of a likeness where a type is open, or where a value has to be turned into a text.
OPEN_TYPE, OTHER_TYPE = 0.97, 0.9


class CatalogMaps:
    """
    How well the outputs of the tools of a catalog fit their parameters, by names and descriptions.

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
            what = f"{shown(type(embedder).__name__)} is no embedder: it has no method embed."
            hint = "Give an object whose embed(texts) returns a vector for each text."
            raise InputError(what, hint=hint)
        self._catalog = catalog
        self._embedder = embedder or CharacterNgrams()
        self._lock = Lock()
        self._fields: list[_Item] = []
        self._parameters: dict[tuple[str, str], _Item] = {}
        self._is_indexed = False
        self.weights = lru_cache(maxsize=16384)(self._weights)

    def best(
        self, tool: str, parameter: str, top_k: int = TOP_K, threshold: float = THRESHOLD
    ) -> list[Mapping]:
        """
        Return the mappings to a parameter from the whole catalog, the best first.

        Compared is what is alike enough by name, or by description, to reach it when all else is equal.
        """
        wanted = self._wanted(tool, parameter)
        if wanted is None:
            return []
        least = max(SAME_WORDS, (threshold - TOOLS) / (CARRIED * NAMES + DESCRIPTIONS))
        likely: dict[int, float] = {}
        for other in self._descriptions.near(wanted.description, least) if least <= 1 else ():
            likely.update(dict.fromkeys(self._by_description[other], 0.0))
        least = max(LEAST, (threshold - DESCRIPTIONS - TOOLS) / NAMES)
        for name, share in wanted.names:
            for other, like in self._names.near(name, least / share).items():
                for number in self._by_name[other]:
                    likely[number] = max(likely.get(number, 0.0), share * like)
        found = []
        for number, like in nlargest(MAX_NAMESAKES, likely.items(), key=lambda each: each[1]):
            field = self._fields[number]
            weight = self._weighed(field, wanted, like, threshold) if field.tool != tool else 0.0
            if weight > 0:
                found.append((-weight, field.tool, path_text(field.path)))
        best = ((f"{name}.{path}", -rank) for rank, name, path in nsmallest(top_k, found))
        target = f"{tool}.{parameter}"
        return [Mapping(source=source, target=target, weight=weight) for source, weight in best]

    def _weights(self, source: str, tool: str, parameter: str) -> dict[FieldPath, float]:
        """Return the outputs of one tool that may fill a parameter of another one, with their weights."""
        wanted = self._wanted(tool, parameter)
        if wanted is None or source == tool:
            return {}
        ranked = []
        for number, field in enumerate(self._by_tool.get(source, [])):
            pairs = [(own, *other) for own, _ in field.names for other in wanted.names]
            likeness = max(share * self._names.between(own, other) for own, other, share in pairs)
            ranked.append((-self._weighed(field, wanted, likeness, 0.0), number, field.path))
        best = nsmallest(TOP_K, (each for each in ranked if -each[0] >= THRESHOLD))
        return {path: -rank for rank, _, path in best}

    def _wanted(self, tool: str, parameter: str) -> _Item | None:
        """Return a parameter in words, once all texts are embedded."""
        with self._lock:
            if self._is_indexed:
                return self._parameters.get((tool, parameter))
            fields, contexts = self._fields, []
            for known in self._catalog:
                contexts.append(f"{_words(known.name)}: {known.description[:MAX_TEXT]}")
                given, taken = _described(known, contexts[-1])
                fields += given
                self._parameters |= {(known.name, str(each.path[0])): each for each in taken}
                if len(fields) + len(self._parameters) > MAX_ALL:
                    what = f"the catalog has more than {MAX_ALL:,} output fields and parameters."
                    hint = "Compute mappings for a part of it: `Catalog.filter`."
                    raise LimitError(what, hint=hint)
            both, embedder = (*fields, *self._parameters.values()), self._embedder
            sought = [name for each in fields for name, _ in each.names]
            names = (name for each in both for name, _ in each.names)
            self._names = Space(embedder, names, sought)
            descriptions = [each.description for each in both]
            self._descriptions = Space(embedder, descriptions, descriptions[: len(fields)])
            self._tools = Space(embedder, contexts)
            self._by_tool: dict[str, list[_Item]] = defaultdict(list)
            self._by_name: dict[str, list[int]] = defaultdict(list)
            self._by_description: dict[str, list[int]] = defaultdict(list)
            for number, field in enumerate(fields):
                self._by_tool[field.tool].append(field)
                namesakes = [self._by_name[name] for name, _ in field.names]
                for same in (*namesakes, self._by_description[field.description]):
                    if len(same) < MAX_NAMESAKES:
                        same.append(number)
            self._is_indexed = True
        return self._parameters.get((tool, parameter))

    def _weighed(self, field: _Item, wanted: _Item, names: float, threshold: float) -> float:
        """Return the weight of a pair whose names are so alike; 0 if it cannot reach the threshold."""
        share = field.share
        if not field.types & wanted.types:
            share *= OTHER_TYPE if is_compatible(field.types, wanted.types) else 0.0
        elif not field.types <= wanted.types or len(wanted.types) > 2:
            share *= OPEN_TYPE
        most = NAMES * max(names, CARRIED) + DESCRIPTIONS
        if share * (most + TOOLS) < threshold or not share:
            return 0.0
        tools = TOOLS * self._tools.between(field.context, wanted.context)
        if share * (most + tools) < threshold:
            return 0.0
        described = self._descriptions.between(field.description, wanted.description)
        if described >= SAME_WORDS:
            names = max(names, CARRIED * described)
        weight = round(share * (NAMES * names + DESCRIPTIONS * described + tools), 3)
        return weight if weight >= threshold else 0.0


class _Item(NamedTuple):
    """
    A field or a parameter in words.

    `names` are its names, each with the weight of a likeness to it; `path` of a parameter is its name alone;
    `context` is the name and description of its tool; `types` are JSON types; `share` is the part of a likeness
    that counts, less than 1 for a field that lies deep inside.
    """

    tool: str
    path: FieldPath
    names: tuple[tuple[str, float], ...]
    description: str
    context: str
    types: frozenset[str]
    share: float = 1.0


def _words(name: str) -> str:
    return " ".join(tokens(name))


def _described(tool: Tool, context: str) -> tuple[list[_Item], list[_Item]]:
    """
    Return the output fields and the parameters of a tool.

    A field goes by its name, and by that of its parent and its own; a parameter by its name, and by the last
    two of several words.
    """
    fields, taken = [], []
    for field in tool.output_fields[:MAX_FIELDS]:
        names = tuple(dict.fromkeys(map(_words, leaf_names(field.path)))) or ("",)
        about = tool.description_at(field.path)[:MAX_TEXT] or names[0]
        around = len(fields_of(field.path)) - 1
        share, types = DEEP ** min(max(around, 0), 3), tool.types_at(field.path) - {"null"}
        weighted = tuple((name, 1.0) for name in names)
        fields.append(_Item(tool.name, field.path, weighted, about, context, types, share))
    for parameter in tool.parameters.values():
        schema = resolve(parameter.json_schema, tool.input_schema)
        name = _words(parameter.name)
        about = str(object_of(schema).get("description") or "")[:MAX_TEXT]
        tail = " ".join(name.split()[-2:])
        weighted = ((name, 1.0),) if tail == name else ((name, 1.0), (tail, TAIL))
        types = schema_types(parameter.json_schema, tool.input_schema) - {"null"}
        taken.append(_Item(tool.name, (parameter.name,), weighted, about or name, context, types))
    return fields, taken


def compute(
    catalog: Catalog,
    embedder: Embedder | None = None,
    top_k: int = TOP_K,
    threshold: float = THRESHOLD,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Mapping, ...]:
    """
    Return the outputs that are described like parameters, as mappings.

    `CatalogMaps` describes what counts. The same catalog gives the same mappings in the same order.

    Args:
        catalog: the tools.
        embedder: what makes vectors of texts; by default `CharacterNgrams`, which needs no model.
        top_k: how many sources each parameter gets at most, from 1 to 1000.
        threshold: the least weight, from 0 to 1.
        progress: is called after each tool, with the number of tools done and of all tools.

    Raises:
        InputError: an option is out of range, or the embedder does not give vectors.
        LimitError: the catalog has more than 100,000 output fields and parameters.

    Example:
        >>> find = {"name": "FindPlace", "returns": {"geoId": {"type": "string"}}}
        >>> book = {"name": "BookHotel", "parameters": {"placeGeoId": {"type": "string"}}}
        >>> [mapping.target for mapping in compute(Catalog.load({"tools": [find, book]}))]
        ['BookHotel.placeGeoId']
    """
    whole_number("top_k", top_k, 1, MAX_TOP_K)
    if not is_number(threshold) or not 0 <= threshold <= 1:
        raise InputError(f"threshold cannot be {shown(threshold)}.", hint="It must be from 0 to 1.")
    maps = CatalogMaps(catalog, embedder)
    found: list[Mapping] = []
    for number, tool in enumerate(catalog, 1):
        for parameter in tool.parameters:
            found += maps.best(tool.name, parameter, top_k, float(threshold))
        if progress is not None:
            progress(number, len(catalog))
    return ordered(found)
