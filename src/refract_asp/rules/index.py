"""An index of a catalog: built once, so that the cost of a repair does not grow with the catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from math import log
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from clingo import Function
from rapidfuzz import process
from rapidfuzz.distance import OSA

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.model import Catalog, Constant, Goal, Tool
from refract_asp.model.catalog import collection_paused
from refract_asp.model.conventions import Remark, standard
from refract_asp.model.paths import FieldPath, fields_of, object_of, only, parse_path, path_text
from refract_asp.model.schemas import is_compatible, resolve, schema_type, schema_types
from refract_asp.model.secrets import SecretRule, Secrets
from refract_asp.rules import likeness
from refract_asp.rules.likeness import FAR, Fields, Fit, Limits, fold, leaf_names, path_distance
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import Facts

P = ParamSpec("P")
R = TypeVar("R")

# A word in the names of more tools than this is not looked up.
MAX_SHARING = 200

# What a word of a field, or of a description, says against one of the name of a tool.
WORD_OF_FIELD = 0.9
WORD_OF_TEXT = 0.6

# Keywords that judge the arguments of a call together.
TOGETHER = frozenset({
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
    "dependencies", "patternProperties", "propertyNames", "minProperties", "maxProperties",
})  # fmt: skip

_alike = partial(process.extract, scorer=OSA.normalized_similarity)

# Gives the paths of a tool, a parameter of another tool and that parameter, that computed mappings
# allow, with their weights.
Suggest: TypeAlias = Callable[[str, str, str], Mapping[FieldPath, float]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """
    How many of each thing are looked at, the best ones, and what is stated in any case.

    What is cut off and could matter is listed in `result.truncated`; `docs/how-it-works.md` lists it.

    Attributes:
        neighbours: tools with a similar name for one wrong name; where namespaces differ up to as many more.
        offered: tools that take the arguments of a call.
        producers: tools that return what is read from one lost label, or a field of one name.
        paths: paths of one tool for one parameter or one wrong path.
        own_paths: ... of the very tool that a wrong path was read from.
        ranked: paths of one tool that are ranked for one parameter; the others share the last place.
        fields: output fields of one tool.
        renames: parameters that an undeclared argument may have meant.
        all_renames: ... and all undeclared arguments of a call together, as long as each has two.
        constants: different constants of one parameter name for an added call.
        memory_values: values of memory, all in all.
        memory_depth: how deep in memory they may stand.
        goal_depth: how deep in memory what a goal wants may stand.
        recalled: values of memory for one place.
        forms: forms of one value.
        looks: pairs of an open place and an earlier call, all in all.
        candidates: pairs of an open reference and what it may come to read, all in all.
        reach: calls before a reader that are looked at in any case.
        pairs: pairs of calls that a repair may make the same.
        rivals: pairs of calls of one tool of which one may stand for the other.
        copies: of the copies before a call, besides the first of all, that may stand for it.
        loose: references that may come to read elsewhere so that calls can be left out.

    Example:
        >>> Bounds(paths=2).paths, BOUNDS.paths
        (2, 6)
    """

    neighbours: int = 8
    offered: int = 12
    producers: int = 12
    paths: int = 6
    own_paths: int = 12
    ranked: int = 40
    fields: int = 4000
    renames: int = 30
    all_renames: int = 120
    constants: int = 8
    memory_values: int = 2000
    memory_depth: int = 6
    goal_depth: int = 4
    recalled: int = 20
    forms: int = 8
    looks: int = 40_000
    candidates: int = 20_000
    reach: int = 8
    pairs: int = 1000
    rivals: int = 5000
    copies: int = 20
    loose: int = 400


# Those of every repair.
BOUNDS = Bounds()


def broken_schemas(catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    """
    Yield each parameter whose schema cannot be judged: the tool, the parameter, and why.

    The name of the parameter is empty where the schema of the arguments together is meant.
    """
    index = CatalogIndex(catalog)
    for tool in catalog.tools:
        judges = [(name, index.validator(tool.name, name)) for name in tool.parameters]
        for name, validator in (*judges, ("", index.rules_of(tool.name))):
            try:
                if validator is not None:
                    validator.check()
            except BrokenSchemaError as error:
                yield tool.name, name, str(error)


def _kept(method: Callable[Concatenate[Any, P], R]) -> cached_property[Callable[P, R]]:
    """Keep what a method returns: the same is asked again and again, in one repair and in the next."""

    def bound(index: Any) -> Any:
        return lru_cache(maxsize=65536)(partial(method, index))

    return cached_property(bound)


@dataclass(eq=False, repr=False)
class CatalogIndex:
    """Answers which tools are near a name, take some arguments, or return some paths."""

    catalog: Catalog
    _: KW_ONLY
    formats: bool = False
    lenient: bool = False
    uninferred: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    suggest: Suggest | None = None
    secret_rule: SecretRule | None = None
    bounds: Bounds = BOUNDS
    told: Callable[[], Limits] = Limits

    def __post_init__(self) -> None:
        """Index the catalog; the work grows with the number of its tools and fields."""
        self.tools = self.catalog.by_name
        self.secrets = Secrets(self.secret_rule, self.tools.get)
        self.loose: dict[str, list[Remark]] = defaultdict(list)
        for each in self.catalog.notes:
            if each.is_loose:
                self.loose[each.tool].append(each)
        self._names = list(self.tools)
        self._folded = [fold(name) for name in self._names]
        self._prefixes = likeness.shared_prefixes(self._names)
        self._by_fold: dict[str, list[str]] = defaultdict(list)
        self._by_tail: dict[str, list[str]] = defaultdict(list)
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for name, folded in zip(self._names, self._folded, strict=True):
            self._by_fold[folded].append(name)
            for tail in likeness.tails(name):
                self._by_tail[tail].append(name)
            for word in {*likeness.words(name)}:
                self._by_word[word].append(name)
        self._takers: dict[str, list[str]] = defaultdict(list)
        self._producers: dict[str, list[str]] = defaultdict(list)
        self._leaves: dict[str, list[tuple[str, FieldPath]]] = defaultdict(list)
        with collection_paused():
            for tool in self.catalog.tools:
                for parameter in tool.parameters:
                    self._takers[parameter].append(tool.name)
                for step in {path[0] for path in tool.output_paths}:
                    self._producers[str(step)].append(tool.name)
                first: dict[str, FieldPath] = {}
                for path in tool.output_paths[: self.bounds.fields]:
                    for name in leaf_names(path):
                        first.setdefault(fold(name), path)
                for folded, path in first.items():
                    self._leaves[folded].append((tool.name, path))

    @cached_property
    def limits(self) -> Limits:
        """Up to where the encodings take names as alike; they are read when that is first asked."""
        return self.told()

    def get(self, name: str) -> Tool | None:
        """Return a tool, or None."""
        return self.tools.get(name)

    # -- names of tools --------------------------------------------------------

    @_kept
    def near_names(self, name: str) -> tuple[tuple[tuple[str, int], ...], int]:
        """
        Return the tools whose names come nearest, with their distances, nearest first.

        The second value is the distance of the first one that is cut off.
        """
        most = self.bounds.neighbours
        found = _alike(fold(name), self._folded, limit=most + 1, score_cutoff=0.3)
        beyond = round(100 * (1 - found.pop()[1])) if len(found) > most else 100 + FAR
        names = dict.fromkeys(self._names[i] for _, _, i in found)
        for tail in (fold(name), *likeness.tails(name)):  # one of the two has a namespace before it
            for bridged in (self._by_tail.get(tail, ()), self._by_fold.get(tail, ())):
                names |= dict.fromkeys(bridged if len(bridged) <= most else ())
        ranked = sorted((self.distance(name, other), other) for other in names)
        if len(ranked) > 2 * most:
            beyond = min(beyond, ranked[2 * most][0])
        return tuple((other, distance) for distance, other in ranked[: 2 * most]), beyond

    def has_word(self, word: str) -> bool:
        """Whether the name of a tool has a word."""
        return word in self._by_word

    @_kept
    def sharing(self, name: str) -> tuple[str, ...]:
        """Return the tools whose names have most words in common with a name, rare words first."""
        found: dict[str, float] = defaultdict(float)
        for word in {*likeness.words(name)}:
            tools = self._by_word.get(word, ())
            for tool in tools if len(tools) <= MAX_SHARING else ():
                found[tool] += log(1 + len(self.tools) / len(tools))
        ranked = sorted((-found[tool], self.distance(name, tool), tool) for tool in found)
        return tuple(tool for *_, tool in ranked[: self.bounds.neighbours])

    def suggestions(
        self,
        name: str,
        arguments: Collection[str] = (),
        read: Collection[FieldPath] = (),
        used: Collection[str] = (),
        most: int = 3,
    ) -> tuple[str, ...]:
        """
        Return some tools that a name may mean, best first.

        Those that take all arguments, need no others and return what is read come first, of these the ones
        that are used elsewhere; then those whose names come nearest, or have words in common.
        """
        asked = len(arguments) + len(read)
        takers = self.takers(arguments, read) if asked else []
        near = [other for other, _ in self.near_names(name)[0]]
        names = dict.fromkeys([*takers[: self.bounds.offered], *near, *self.sharing(name)])

        def rank(tool: str) -> tuple[int, bool, int, str]:
            declared, it = self.tools[tool].parameters, self.tools[tool]
            lost = sum(each not in declared and not it.additional_parameters for each in arguments)
            lost += sum(each.required and each.name not in arguments for each in declared.values())
            lost += sum(not it.returns_path(path) for path in read)
            return lost if asked else 0, tool not in used, self.distance(name, tool), tool

        return tuple(sorted(names, key=rank)[:most])

    def own_words(self, name: str, verbs: Container[str]) -> tuple[str, ...]:
        """Return the words of a tool without those before it that many tools share, unless they say something."""
        found, before = likeness.words(name), 0
        for prefix in accumulate(likeness.tokens(name)[:-1]):
            if prefix not in self._prefixes or found[before] in verbs:
                break
            before += 1
        return found[before:]

    def distance(self, name: str, tool: str) -> int:
        """Return how unlike a name is to that of a tool, from 0 to 100."""
        return likeness.tool_distance(name, tool, self._prefixes)

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words in the name of a tool, which count where the catalog does not say what it does."""
        tool = self.tools.get(name)
        is_unknown = tool is None or tool.effect == "unknown"
        return tuple(dict.fromkeys(likeness.words(name))) if is_unknown else ()

    # -- what tools take and return --------------------------------------------

    def takers(self, parameters: Iterable[str], read: Iterable[FieldPath]) -> list[str]:
        """Return the tools that take most of the parameters and return most of the paths, best first."""

        def missing(tool: str) -> int:
            declared = self.tools[tool].parameters.values()
            return sum(each.required and each.name not in wanted for each in declared)

        wanted = list(parameters)
        score: dict[str, int] = defaultdict(int)
        for parameter in wanted:
            for name in self._takers.get(parameter, ()):
                score[name] += 2
        for path in read:
            for name in self._producers.get(str(path[0]) if path else "", ()):
                score[name] += 3 if self.tools[name].returns_path(path) else 0
        if not wanted:
            for name in self.tools:
                score[name] += 0 if missing(name) else 1
        ranks = {name: missing(name) - score[name] for name in score if score[name]}
        return sorted(ranks, key=lambda name: (ranks[name], name))

    def producers(self, paths: Iterable[FieldPath]) -> list[str]:
        """Return the tools that declare all the paths, or else those whose open outputs may hold them."""
        wanted = [path for path in paths if path]
        names = self._producers.get(str(wanted[0][0]), []) if wanted else []
        found = [n for n in names if all(map(self.tools[n].declares_path, wanted))]
        return found or [n for n in names if all(map(self.tools[n].returns_path, wanted))]

    def returners(self, name: str) -> list[str]:
        """Return the tools that return a field of this name."""
        return list(dict.fromkeys(tool for tool, _ in self._leaves.get(fold(name), ())))

    def rare_sources(self, parameter: str) -> list[tuple[str, FieldPath]]:
        """Return the tools that return a field named like the parameter, if they are few."""
        found = self._leaves.get(fold(parameter), [])
        return found if len(found) <= self.limits.constants.get("rare_field", 0) else []

    def named(self, name: str) -> dict[str, int]:
        """
        Return the tools whose output may go under a name, with distances, from 0 to 20.

        The words of the name count that are among those of the tool, of its fields, or of its description.
        """
        found: dict[str, float] = defaultdict(float)
        whole = 0.0
        for word in likeness.stems((name,)):
            tools = self._words.get(word, {})
            weight = log(1 + len(self.tools) / max(1, len(tools)))
            whole += weight
            for tool, share in tools.items():
                found[tool] += weight * share
        return {tool: round(FAR * (1 - said / whole)) for tool, said in found.items()}

    def nearest(self, named: Iterable[dict[str, int]], most: int, margin: int) -> list[str]:
        """Return the tools that are like one of some names, if none is clearly nearer, nearest first."""
        found: dict[str, int] = {}
        for near in named:
            found |= {tool: min(far, found.get(tool, FAR)) for tool, far in near.items()}
        ranked = sorted((far, tool) for tool, far in found.items() if far <= most)
        return [tool for far, tool in ranked if far <= ranked[0][0] + margin]

    @cached_property
    def bulk(self) -> int:
        """How much may be looked at for one call: the tools, and the members of the longest enumeration."""
        declared = (each for tool in self.catalog for each in tool.parameters.values())
        listed = (each.json_schema.get("enum") for each in declared)
        members = max((len(each) for each in listed if isinstance(each, list)), default=0)
        return len(self.tools) + members

    @cached_property
    def _words(self) -> dict[str, dict[str, float]]:
        """The words of each tool: those of its name say most, those of its description least."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for name, tool in self.tools.items():
            fields = [str(field.path[0]) for field in tool.output_fields[: self.bounds.fields]]
            about = likeness.tokens_of_text(tool.description)
            for share, names in ((WORD_OF_TEXT, about), (WORD_OF_FIELD, fields), (1.0, [name])):
                for word in likeness.stems(tuple(names)):
                    found[word][name] = share
        return found

    @_kept
    def tool_facts(self, name: str) -> Facts:
        """State what a tool is: its effect, what it requires, whether it takes any parameter."""
        tool, facts = self.tools[name], Facts()
        facts.add("in_tool", name)
        facts.add("in_effect", name, Function(tool.effect))
        if name in self.uninferred:
            facts.add("in_uninferred", name)
        if tool.additional_parameters:
            facts.add("in_takes_any", name)
        for parameter in tool.parameters.values():
            if parameter.required:
                facts.add("in_required", name, parameter.name)
                facts.add("in_param", name, parameter.name)
        return facts

    def check_goal(self, goal: Goal) -> None:
        """Refuse a goal that names what the catalog does not have, or a constant that does not fit."""
        wanted = f"the goal {shown(self.secrets.goal(goal), LONGEST_TEXT)!r}"
        for name in (goal.name, goal.then) if goal.kind != "field" else ():
            if name is not None and self.get(name) is None:
                near = ", ".join(shown(each, 60) for each in self.suggestions(name))
                hint = f"The nearest are {near}." if near else ""
                raise InputError(f"{wanted} names {shown(name)!r}, which is no tool.", hint=hint)
        for parameter, source in goal.arguments.items() if goal.kind == "tool" else ():
            tool, binds = self.tools[goal.name], f"{wanted} binds {shown(parameter)!r}"
            if parameter not in tool.parameters and not tool.additional_parameters:
                names = ", ".join(shown(name, 60) for name in list(tool.parameters)[:20])
                what = f"{binds}, which {shown(tool.name)} does not take."
                raise InputError(what, hint=f"It takes {names}.")
            fits = self.fits_schema
            if isinstance(source, Constant) and not fits(goal.name, parameter, source.value):
                hint = f"`refract-asp catalog show` prints what {shown(tool.name)} takes."
                raise InputError(f"{binds} to a value that does not fit its schema.", hint=hint)

    # -- outputs and parameters ------------------------------------------------

    def fit(self, name: str, path: FieldPath, tool: str, parameter: str) -> int:
        """Return how unlike an output path of a tool and a parameter of another are, from 0 to 20."""
        kind, description = self.tools[name].type_at(path), self.tools[name].description_at(path)
        declared = self.tools[tool].parameters.get(parameter)
        about = declared.description if declared else ""
        told = [(leaf, about) for leaf in leaf_names(path)] + [(parameter, description)]
        said = any(likeness.is_said(*each, self.limits.common) for each in told)
        wanted = self.parameter_type(tool, parameter)
        distance = likeness.fit_distance(path, kind, parameter, wanted, self.limits, said=said)
        weight = self.suggested(name, path, tool, parameter) if distance == FAR else None
        if weight is None:
            return distance
        clear = self.limits.number("clear_fit")
        return clear + 1 + round((FAR - clear - 2) * (1 - weight))

    def suggested(self, name: str, path: FieldPath, tool: str, parameter: str) -> float | None:
        """
        Return the weight of a computed mapping, None where there is none.

        Where the names say nothing it sets the pair a little nearer than that, and farther than any
        clear likeness of names.
        """
        return self.suggest(name, tool, parameter).get(path) if self.suggest is not None else None

    @_kept
    def fits(self, name: str, tool: str, parameter: str) -> tuple[Fit, ...]:
        """
        Return the paths of a tool for a parameter of another one, best first.

        Among paths that are equally unlike it the order is that of `Fields.order`.
        """
        fields = self._fields(name)
        declared = self.tools[tool].parameters.get(parameter)
        likely = fields.alike(parameter, declared.description if declared else "")
        if self.suggest is not None:
            given = self.suggest(name, tool, parameter)
            likely |= {number for number, (path, _) in enumerate(fields.outputs) if path in given}
        paths = {number: fields.outputs[number][0] for number in likely}
        distances = {n: self.fit(name, path, tool, parameter) for n, path in paths.items()}
        near = {number: distance for number, distance in distances.items() if distance < FAR}
        return fields.ranked(self.parameter_type(tool, parameter), near, self.bounds.ranked)

    def rank(self, name: str, path: FieldPath, tool: str, parameter: str) -> int:
        """Return the place of a path among those of its tool for a parameter; see `fits`."""
        fits = enumerate(self.fits(name, tool, parameter))
        return next((rank for rank, fit in fits if fit[0] == path), self.bounds.ranked)

    @_kept
    def _fields(self, name: str) -> Fields:
        """Return what a tool returns, arranged for questions of likeness."""
        return Fields(self.tools[name], self.bounds.fields, self.limits.common)

    def outputs(self, name: str) -> tuple[tuple[FieldPath, str], ...]:
        """Return the paths of a tool with their types, also into lists whose elements are left open."""
        return self._fields(name).outputs

    @_kept
    def unlike(self, name: str, tool: str, parameter: str) -> int:
        """Return how many paths of a tool, none of which is like a parameter of another, it might take."""
        wanted = self.parameter_type(tool, parameter)
        first = self._fields(name).ranked(wanted, {}, self.bounds.ranked)
        fits = (not self.clashes(name, path, tool, parameter) for path, *_ in first)
        return min(sum(fits), self.bounds.paths)

    @_kept
    def near_paths(self, name: str, written: str) -> tuple[Fit, ...]:
        """Return the paths of a tool that are like one as it was written, nearest first."""
        tool = self.tools[name]
        steps = parse_path(written)
        ranked = []
        for number, field in enumerate(tool.output_fields[: self.bounds.fields]):
            path = indexed_as(field.path, steps, tool)
            distance = path_distance(written, path_text(path))
            if distance < FAR:
                ranked.append((distance, len(path), number, path))
        best = sorted(ranked)[: self.bounds.ranked]
        return tuple((path, path_text(path), distance) for distance, _, _, path in best)

    def deeper(self, name: str, path: FieldPath) -> list[FieldPath]:
        """Return the paths that go on from a path, or enter lists on its way, shallow ones first."""
        fields = fields_of(path)
        found = []
        for other, _ in self.outputs(name):
            is_inside = fields_of(other)[: len(fields)] == fields
            if other != path and is_inside and len(other) > len(path):
                found.append(indexed_as(other, path, self.tools[name]))
        return found

    # -- types and schemas -----------------------------------------------------

    @_kept
    def parameter_type(self, tool: str, parameter: str) -> str:
        """Return the JSON type that a tool declares for a parameter."""
        declared = self.tools[tool].parameters.get(parameter)
        root = self.tools[tool].input_schema
        return schema_type(declared.json_schema, root) if declared else "any"

    @_kept
    def taken_types(self, tool: str, parameter: str) -> frozenset[str]:
        """Return the JSON types that a declared parameter takes."""
        owner = self.tools[tool]
        return schema_types(owner.parameters[parameter].json_schema, owner.input_schema)

    @_kept
    def types_at(self, tool: str, path: FieldPath) -> frozenset[str]:
        """Return the JSON types that a tool may return at a path."""
        return self.tools[tool].types_at(path)

    def clashes(self, name: str, path: FieldPath, tool: str, parameter: str) -> bool:
        """Whether no type that a tool returns at a path is one that a parameter of another one takes."""
        if parameter not in self.tools[tool].parameters:
            return False
        given, taken = self.types_at(name, path), self.taken_types(tool, parameter)
        if not is_compatible(given, taken) or given != {"array"}:
            return not is_compatible(given, taken)
        # a list goes to a list of the like
        owner = self.tools[tool]
        whole = resolve(owner.parameters[parameter].json_schema, owner.input_schema)
        items = object_of(whole).get("items")
        wanted = schema_types(object_of(items), owner.input_schema)
        return "array" in taken and not is_compatible(self.types_at(name, (*path, 0)), wanted)

    @_kept
    def _root_of(self, tool: str) -> Any:
        """Return the schema of the input of a tool in standard words, or None where it says nothing more."""
        schema = self.tools[tool].input_schema
        return None if schema is None else standard(schema)

    @_kept
    def validator(self, tool: str, parameter: str) -> Validator | None:
        """Return what judges the values of a parameter, also of one that the tool takes undeclared."""
        owner = self.tools[tool]
        declared = owner.parameters.get(parameter)
        schema: object = declared.json_schema if declared else None
        if declared is None and owner.input_schema is not None:
            schema = resolve(owner.input_schema, owner.input_schema).get("additionalProperties")
        if not schema or schema is True:
            return None
        return Validator(schema, self._root_of(tool), formats=self.formats, name=parameter)

    @_kept
    def rules_of(self, tool: str) -> Validator | None:
        """Return what judges the arguments of a tool together, where its schema says more than parameters."""
        root = self.tools[tool].input_schema
        rules = only(resolve(root, root) if root is not None else {}, TOGETHER)
        return Validator(rules, self._root_of(tool), formats=self.formats) if rules else None

    def fits_schema(self, tool: str, parameter: str, value: object) -> bool:
        """Whether a value surely fits a parameter; not where its schema cannot be judged."""
        try:
            validator = self.validator(tool, parameter)
            return validator is None or validator.is_valid(value)
        except BrokenSchemaError:
            return False

    @_kept
    def known_value(self, tool: str, parameter: str) -> tuple[Any, ...]:
        """Return the value that the catalog says of a parameter, and its schema allows, if it does."""
        declared = self.tools[tool].parameters[parameter]
        values = declared.known_values or declared.told_default
        return tuple(value for value in values if self.fits_schema(tool, parameter, value))[:1]


def indexed_as(path: FieldPath, written: FieldPath, tool: Tool) -> FieldPath:
    """Return a path with the list indexes of one as it was written, where it has as many."""
    steps = [int(step) if isinstance(step, str) and step.isdecimal() else step for step in written]
    indexes = [step for step in steps if isinstance(step, int)]
    own = sum(isinstance(step, int) for step in path)
    if own < len(indexes):
        longer = (*path, *indexes[own:])
        if steps[-1] == indexes[-1] and tool.returns_path(longer):
            path, own = longer, len(indexes)
    if own != len(indexes):
        return path
    following = iter(indexes)
    return tuple(next(following) if isinstance(step, int) else step for step in path)
