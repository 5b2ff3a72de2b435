"""Cases made up from nothing but dials and a seed, and valid sequences over a given catalog."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from hashlib import blake2b
from itertools import count, islice, product
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refract_asp.bench.generating.sampling import NoValueError, some_value
from refract_asp.errors import InputError, shown
from refract_asp.evaluation.cases import Case
from refract_asp.model import Call, Catalog, Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import JsonSchema, is_compatible, schema_type, schema_types
from refract_asp.refractor import Refractor
from refract_asp.resources import packaged
from refract_asp.rules.likeness import FAR, fit_distance, fold
from refract_asp.rules.program import Files, limits_of, repair_program

# So many names with two words changed are tried before versions are numbered.
ATTEMPTS = 20_000


_WORDS = packaged("bench/generating/words")
VERBS = {verb: effect for effect, verbs in _WORDS["verbs"].items() for verb in verbs}


# -- chance ------------------------------------------------------------------------


def stream(seed: object, *about: object) -> random.Random:
    """Return random numbers for one purpose alone, so that drawing more for another one changes nothing."""
    # the hash of a text is the same everywhere
    return random.Random(":".join(map(str, (seed, *about))))


def chance(seed: object, *about: object) -> float:
    """
    Return one random number from 0 to 1 for one purpose alone; much cheaper than a stream of them.

    Example:
        >>> chance(0, "a") == chance(0, "a"), chance(0, "a") == chance(0, "b"), 0 <= chance(0, "a") < 1
        (True, False, True)
    """
    text = ":".join(map(str, (seed, *about)))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7)
    return int.from_bytes(digest.digest()) / 2**56


def shuffled(size: int, rng: random.Random) -> Iterator[int]:
    """
    Yield the numbers below `size` in any order; the first ones cost no more than their number.

    Example:
        >>> sorted(shuffled(4, random.Random(0)))
        [0, 1, 2, 3]
    """
    moved: dict[int, int] = {}
    for index in range(size):
        other = rng.randrange(index, size)
        yield moved.get(other, other)
        moved[other] = moved.get(index, index)


# -- names ---------------------------------------------------------------------------


class Name(NamedTuple):
    """
    What a tool is called: `find_upcoming_hotel_reviews` and the like, in words.

    Attributes:
        verb: what it does.
        noun: what with.
        aspect: what of that, or the empty text.
        plural: whether the last word is in the plural.
        qualifier: what it is special for, or the empty text.
    """

    verb: str
    noun: str
    aspect: str = ""
    plural: bool = False
    qualifier: str = ""

    @property
    def subject(self) -> str:
        """What the tool is about, in snake_case."""
        return "_".join(filter(None, (self.noun, self.aspect)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the name; the qualifier comes last."""
        *about, last = filter(None, (self.noun, self.aspect))
        last = plural(last) if self.plural else last
        return tuple(filter(None, (self.verb, *about, last, self.qualifier)))


def plural(word: str) -> str:
    """
    Return the plural of a noun.

    Example:
        >>> plural("gallery"), plural("address"), plural("railway")
        ('galleries', 'addresses', 'railways')
    """
    if word.endswith("y") and word[-2] not in "aeo":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "ch", "x", "sh")) else "s")


class Names:
    """
    The names of one case.

    The words are dealt into two halves by the seed: needed tools are named with the one, distractors that are
    unlike them with the other.
    """

    def __init__(self, seed: object) -> None:
        """Deal the words."""
        rng = stream(seed, "words")

        def halves(words: set[str]) -> tuple[list[str], list[str]]:
            listed = sorted(words)
            mixed = [listed[number] for number in shuffled(len(listed), rng)]
            return mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]

        reading = halves({verb for verb, effect in VERBS.items() if effect == "read"})
        writing = halves({verb for verb, effect in VERBS.items() if effect != "read"})
        self._verbs = (reading[0] + writing[0], reading[1] + writing[1])
        self._nouns = halves({*_WORDS["nouns"]})
        # A word that is a verb as well, or a thing, would be had in common after all.
        aspects = halves({*_WORDS["aspects"]} - {*VERBS, *_WORDS["nouns"]})
        self._aspects = (["", *aspects[0]], ["", *aspects[1]])
        self._seed = seed

    def needed(self) -> Iterator[Name]:
        """Yield names of needed tools; each is about something else, at first about other nouns."""
        nouns, aspects, seed = self._nouns[0], self._aspects[0], self._seed
        order = {n: list(shuffled(len(aspects), stream(seed, "aspects", n))) for n in nouns}
        for number, noun in product(range(len(aspects)), nouns):
            rng = stream(seed, "needed", noun, number)
            verb = rng.choice(self._verbs[0])
            yield Name(verb, noun, aspects[order[noun][number]], rng.random() < 0.4)

    def unlike(self) -> Iterator[Name]:
        """Yield names that have no word in common with those of needed tools."""
        verbs, nouns, aspects = self._verbs[1], self._nouns[1], self._aspects[1]
        rng = stream(self._seed, "unlike")
        for qualifier in ("", *_WORDS["qualifiers"]):
            for number in shuffled(len(verbs) * len(nouns) * len(aspects), rng):
                rest, verb = divmod(number, len(verbs))
                aspect, noun = divmod(rest, len(nouns))
                yield Name(verbs[verb], nouns[noun], aspects[aspect], rng.random() < 0.4, qualifier)

    def twins(self, name: Name, index: int) -> Iterator[Name]:
        """
        Yield names like the given one, the nearest first, without an end.

        At first one word or letter is another, then a word is added, then two are others; in the end versions
        are numbered.
        """
        rng = stream(self._seed, "twins", index)
        nouns, aspects, qualifiers = (_WORDS[key] for key in ("nouns", "aspects", "qualifiers"))
        near = [
            name._replace(plural=not name.plural),
            *(name._replace(verb=verb) for verb in sorted(VERBS) if verb != name.verb),
            *(name._replace(noun=noun) for noun in nouns if noun != name.noun),
        ]
        longer = [name._replace(qualifier=word) for word in qualifiers]
        others = [name._replace(aspect=word) for word in aspects if word != name.aspect]
        near += others if name.aspect else []
        for names in (near, longer, [] if name.aspect else others):
            yield from (names[number] for number in shuffled(len(names), rng))
        for _ in range(ATTEMPTS):
            one, other = rng.choice(near), rng.choice(near)
            triples = zip(name, one, other, strict=True)  # what the first has changed counts
            both = Name._make(a if a != given else b for given, a, b in triples)
            yield rng.choice((one._replace(qualifier=rng.choice(qualifiers)), both))
        for version in count(2):
            yield name._replace(qualifier=f"v{version}")


# How calls read from each other: not at all, each from the one before, all from the first, the last from
# all, or some from any before them.
Coupling: TypeAlias = Literal["independent", "chain", "fan-out", "fan-in", "random"]
COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]

# How often a call that reads at random reads from two.
READS_TWICE = 0.3


class Dials(BaseModel):
    """
    What a generated case is like; a share is a number from 0 to 1.

    Attributes:
        tools: size of the catalog: the tools that are called and distractors.
        calls: length of the sequence.
        coupling: how calls read from each other.
        share: how many calls read from earlier ones, with the coupling "random".
        reuse: how many calls use a tool that was called before; the others have one of their own.
        likeness: how many distractors are named like a tool that is called, with one word or letter
            changed as long as there are such names; the others have no word in common with those.

    Raises:
        InputError: a dial is out of range, or there are too few tools for the calls.

    Example:
        >>> Dials(tools=100, coupling="fan-in").calls
        5
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    tools: int = Field(20, ge=1, le=10_000)
    calls: int = Field(5, ge=1, le=300)
    coupling: Coupling = "chain"
    share: Share = 0.5
    reuse: Share = 0.0
    likeness: Share = 0.5

    def __init__(self, **values: Any) -> None:
        """Refuse what is out of range."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            what, where = f"{shown(first['input'])!r} cannot be set.", str(first["loc"][0])
            if first["type"] == "extra_forbidden":
                what, hint = f"there is no dial {shown(where)!r}.", ", ".join(Dials.model_fields)
                raise InputError(what, hint=f"Known: {hint}.") from None
            raise InputError(what, where=where, hint=f"{first['msg']}.") from None
        if self.needed > self.tools:
            what = f"{self.tools} tools are too few for {self.calls} calls"
            hint = f"Take at least {self.needed}, or let more calls use a tool again (reuse)."
            raise InputError(f"{what}, which use {self.needed}.", where="tools", hint=hint)

    @property
    def needed(self) -> int:
        """
        How many tools the sequence calls.

        Example:
            >>> Dials(calls=5).needed, Dials(calls=5, reuse=0.5).needed, Dials(calls=5, reuse=1).needed
            (5, 3, 1)
        """
        return self.calls - round(self.reuse * (self.calls - 1))

    def text(self) -> str:
        """
        Say the dials that are not as they are by default, and the first two.

        Example:
            >>> Dials(tools=100, likeness=1.0).text()
            'tools=100,calls=5,likeness=1'
        """
        said = {"tools": self.tools, "calls": self.calls, **self.model_dump(exclude_defaults=True)}
        texts = (f"{each:g}" if isinstance(each, float) else str(each) for each in said.values())
        return ",".join(map("=".join, zip(said, texts, strict=True)))


def producers(calls: int, coupling: Coupling, share: float, seed: object) -> list[list[int]]:
    """
    Return for each of so many calls those that it reads from.

    `share` of them read where that is left to chance.

    Example:
        >>> producers(3, "chain", 0.5, seed=0), producers(3, "fan-in", 0.5, seed=0)
        ([[], [0], [1]], [[], [], [0, 1]])
    """
    found: list[list[int]] = [[] for _ in range(calls)]
    for call in range(1, calls):
        match coupling:
            case "chain":
                found[call] = [call - 1]
            case "fan-out":
                found[call] = [0]
            case "fan-in" if call == calls - 1:
                found[call] = list(range(call))
            case "random" if chance(seed, "reads", call) < share:
                reads = ["first", *["second"] * (chance(seed, "two", call) < READS_TWICE)]
                found[call] = sorted({int(chance(seed, each, call) * call) for each in reads})
    return found


def grid(values: Mapping[str, SequenceOf[Any]], base: Dials | None = None) -> Iterator[Dials]:
    """
    Yield the dials for every combination of some values, the last one changing fastest.

    Raises:
        InputError: there is no such dial, or a combination cannot be.

    Example:
        >>> [(d.tools, d.coupling) for d in grid({"tools": [10, 20], "coupling": ["chain", "fan-in"]})]
        [(10, 'chain'), (10, 'fan-in'), (20, 'chain'), (20, 'fan-in')]
    """
    usual = dict(base or Dials())
    for chosen in product(*values.values()):
        yield Dials(**{**usual, **dict(zip(values, chosen, strict=True))})


# Parameters that take a constant: their names in snake_case, descriptions, schemas where they say so, and
# values where any text does.
PARAMETERS: list[dict[str, Any]] = _WORDS["parameters"]
FIELDS: list[tuple[str, JsonSchema]] = list(_WORDS["fields"].items())

# How often a distractor that is named like a needed tool reads from the same tools.
TWIN_LINKS = 0.5
# How many parameters take an enumeration, a whole number, a flag, a list or an object; the others any text.
TYPED = 0.5
# How many of the parameters with constants are optional.
OPTIONAL = 0.3
# How often an optional parameter is passed.
PASSED = 0.5


_Sources: TypeAlias = dict[str, Source]


class _Link(NamedTuple):
    """A parameter of a tool that takes the id of what another tool returns, and the call that it reads from."""

    parameter: str
    subject: str
    producer: int


class _Making:
    """
    Makes the tools and constants of one case.

    A tool is known by its slot, whatever it is called: n0, n1, ... those that are needed, d0, d1, ...
    distractors. What is drawn for a slot depends on the slot and the seed alone.
    """

    def __init__(self, dials: Dials, seed: object) -> None:
        """Choose the names of the tools that are called, and how names are written."""
        self.dials = dials
        self.seed = seed
        self._names = Names(seed)
        self.needed = list(islice(self._names.needed(), dials.needed))
        rng = stream(seed, "style")
        self._tool_style = rng.choice(("snake", "snake", "camel"))
        self._field_style = rng.choice(("snake", "snake", "camel"))

    def used(self) -> list[int]:
        """Return for each call the number of its tool: a new one, or with `reuse` one that was called before."""
        calls = range(1, self.dials.calls)
        order = sorted(calls, key=lambda call: (chance(self.seed, "again", call), call))
        repeated = set(order[: self.dials.calls - self.dials.needed])
        found: list[int] = []
        for call in range(self.dials.calls):
            again = int(chance(self.seed, "which", call) * call)
            found.append(found[again] if call in repeated else len(set(found)))
        return found

    def distractors(self) -> Iterator[tuple[str, int | None, Name]]:
        """Yield the slot of each distractor, the number of the needed tool it is like, and its name."""
        taken = {name.words for name in self.needed}
        # A name with two words changed may be that of one that is unlike.
        used: set[tuple[str, ...]] = set()
        unlike = (name for name in self._names.unlike() if name.words not in used)
        twins = [self._names.twins(name, number) for number, name in enumerate(self.needed)]
        for index in range(self.dials.tools - self.dials.needed):
            like = index % len(twins)
            twin = next(n for n in twins[like] if n.words not in taken and n.words not in used)
            taken.add(twin.words)  # also where it is not used, so that the names of the others stay
            is_like = chance(self.seed, "like", index) < self.dials.likeness
            name = twin if is_like else next(unlike)
            used.add(name.words)
            yield f"d{index}", like if is_like else None, name

    def links(self, used: list[int]) -> list[list[_Link]]:
        """Return for each call the parameters by which it reads from others."""
        dials, found = self.dials, []
        for earlier in producers(dials.calls, dials.coupling, dials.share, self.seed):
            times: Counter[str] = Counter()
            links = []
            for producer in earlier:
                subject = self.needed[used[producer]].subject
                first = [f"{word}{subject}_id" for word in ("", "other_", "third_", "fourth_")]
                number = times[subject]
                name = first[number] if number < len(first) else f"{subject}_id_{number + 1}"
                links.append(_Link(self._field(name), subject, producer))
                times[subject] += 1
            found.append(links)
        return found

    def _field(self, name: str) -> str:
        """Write the name of a parameter or field as all of the case are written."""
        return _styled(tuple(name.split("_")), self._field_style)

    def _own(self, slot: str) -> Iterator[tuple[dict[str, Any], bool, Parameter]]:
        """Yield the parameters of a tool that take constants; the second says whether it takes any text."""
        for number in _some(len(PARAMETERS), stream(self.seed, "own", slot)):
            kind = PARAMETERS[number]
            is_typed = chance(self.seed, "typed", slot, kind["name"]) < TYPED
            is_optional = chance(self.seed, "optional", slot, kind["name"]) < OPTIONAL
            schema = kind["schema"] if is_typed else {"type": "string"}
            own = self._parameter(kind["name"], schema, kind["about"], required=not is_optional)
            yield kind, not is_typed, own

    def _parameter(self, name: str, schema: JsonSchema, about: str, *, required: bool) -> Parameter:
        described = {**schema, "description": about}
        return Parameter(name=self._field(name), required=required, json_schema=described)

    def id_of(self, subject: str, name: str, *, required: bool) -> Parameter:
        """Return a parameter that takes the id of something."""
        about = f"Id of the {subject.replace('_', ' ')}"
        return self._parameter(name, {"type": "string"}, about, required=required)

    def tool(self, slot: str, name: Name, ids: Iterable[Parameter]) -> tuple[Tool, FieldPath]:
        """Make a tool that takes some ids; with it the path of its own id in its output."""
        schema, path = self._output(slot, name)
        parameters = [*ids, *(parameter for _, _, parameter in self._own(slot))]
        tool = Tool(
            name=_styled(name.words, self._tool_style),
            description=f"{name.verb.capitalize()} {' '.join(name.words[1:])}, and return its id.",
            effect=VERBS[name.verb],
            parameters={parameter.name: parameter for parameter in parameters},
            output_schema=schema,
        )
        return tool, path

    def _output(self, slot: str, name: Name) -> tuple[JsonSchema, FieldPath]:
        """Return what a tool returns, and the path of the id in it: on top, in an object, or in a list."""
        rng = stream(self.seed, "output", slot)
        field = self._field(f"{name.subject}_id")
        others = {self._field(FIELDS[n][0]): dict(FIELDS[n][1]) for n in _some(len(FIELDS), rng)}
        inner = _object(**{field: {"type": "string"}, **others})
        shape = rng.random()
        if shape < 0.6:
            return inner, (field,)
        if shape < 0.75:
            holder = self._field(name.subject)
            return _object(**{holder: inner}), (holder, field)
        *first, last = name.subject.split("_")
        holder = self._field("_".join((*first, plural(last))))
        return _object(**{holder: {"type": "array", "items": inner}}), (holder, 0, field)

    def constants(self, slot: str, call: int) -> dict[str, Constant]:
        """Return the constants that a call passes."""
        found = {}
        for kind, is_text, parameter in self._own(slot):
            if parameter.required or chance(self.seed, "passed", call, kind["name"]) <= PASSED:
                rng = stream(self.seed, "value", call, kind["name"])
                value = rng.choice(kind["texts"]) if is_text else some_value(kind["schema"], rng)
                found[parameter.name] = Constant(value=value)
        return found


def _styled(words: tuple[str, ...], style: str) -> str:
    """Return words as in `get_hotel_review` ("snake"), or as in `getHotelReview`."""
    first, *others = words
    return "_".join(words) if style == "snake" else first + "".join(map(str.capitalize, others))


def _some(size: int, rng: random.Random) -> list[int]:
    """Choose one to four numbers below a size."""
    numbers = zip(shuffled(size, rng), range(rng.randint(1, 4)), strict=False)
    return [number for number, _ in numbers]


def _object(**properties: JsonSchema) -> JsonSchema:
    return {"type": "object", "properties": properties}


def generate(dials: Dials | None = None, seed: object = 0) -> Case:
    """
    Return a case in which nothing is wrong: a catalog and a sequence that is valid over it.

    The same dials and seed always give the same case. With another value of one dial and the same seed, all
    that the dial does not speak of is the same: more tools are more distractors around the same sequence,
    another coupling wires the same calls in another way.

    Args:
        dials: what the case is like; `Dials()` by default.
        seed: anything that prints the same each time, mostly a number.

    Example:
        >>> case = generate(Dials(tools=30, calls=2), seed=1)
        >>> len(case.catalog), len(case.sequence.calls), case.is_right
        (30, 2, True)
    """
    dials = dials or Dials()
    making = _Making(dials, seed)
    used = making.used()
    links = making.links(used)
    tools: dict[str, Tool] = {}
    paths: dict[int, FieldPath] = {}
    ids: list[list[Parameter]] = []
    for number, name in enumerate(making.needed):
        own = [each for tool, each in zip(used, links, strict=True) if tool == number]
        times = Counter((link.subject, link.parameter) for each in own for link in each)
        # What not all calls of the tool pass is optional.
        ids.append([making.id_of(*link, required=n == len(own)) for link, n in times.items()])
        tools[f"n{number}"], paths[number] = making.tool(f"n{number}", name, ids[number])
    for slot, like, name in making.distractors():
        shared = [] if like is None else ids[like]
        kept = [each for each in shared if chance(seed, "links", slot, each.name) < TWIN_LINKS]
        tools[slot], _ = making.tool(slot, name, kept)
    calls = []
    for index, number in enumerate(used):
        arguments: _Sources = {}
        for link in links[index]:
            path = paths[used[link.producer]]
            arguments[link.parameter] = Reference(label=f"var{link.producer + 1}", path=path)
        arguments |= making.constants(f"n{number}", index)
        called = tools[f"n{number}"].name
        calls.append(Call(name=called, arguments=arguments, label=f"var{index + 1}"))
    # The tools stand in any order, in which more tools do not change that of the others.
    order = sorted(tools, key=lambda slot: (chance(seed, "place", slot), slot))
    sequence = Sequence(calls=tuple(calls))
    catalog = Catalog(tools=tuple(tools[slot] for slot in order))
    return Case(f"{dials.text()}#{seed}", sequence, catalog, sequence, dials=dict(dials))


def synthetic_catalog(count: int, seed: object = 0) -> Catalog:
    """
    Return a catalog of so many made-up tools.

    Raises:
        InputError: so many cannot be made.

    Example:
        >>> len(synthetic_catalog(7))
        7
    """
    return generate(Dials(tools=count, calls=max(1, min(count, 5))), seed).catalog


# Among so many tools that which can read from the wanted calls is looked for.
MAX_LOOKED_AT = 60
# Output fields of one tool that are compared with a parameter.
MAX_FIELDS = 400


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
    for index, earlier in enumerate(reads):
        building.add(index, earlier, gives=any(index in other for other in reads))
    sequence = Sequence(calls=tuple(building.calls))
    said = f"{name or catalog.name or 'catalog'},calls={calls},coupling={coupling}"
    said += f",share={share:g}" if coupling == "random" else ""
    dials = {"tools": len(catalog), "calls": calls, "coupling": coupling, "share": share}
    return Case(f"{said}#{seed}", sequence, catalog, sequence, dials=dials, catalog_name=name)


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
        first, why = next(iter(self._uncallable.items()))
        what = f"none of the tools can be called: {shown(first, 60)} ({shown(why)}), ..."
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
        limits = limits_of(repair_program(Files("default")))
        for call in map(self.calls.__getitem__, earlier):
            giver, fits = self.catalog.by_name[call.name], []
            for parameter in (each for each in tool.parameters.values() if each.name not in found):
                wanted = schema_type(parameter.json_schema, tool.input_schema)
                types = schema_types(parameter.json_schema, tool.input_schema)
                for number, output in enumerate(giver.output_fields[:MAX_FIELDS]):
                    given = (output.path, output.type)
                    distance = fit_distance(*given, parameter.name, wanted, limits)
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

    def _constants(self, index: int, tool: Tool, fed: Container[str], share: float) -> _Sources:
        """Return values of the required parameters that read nothing, and of a share of the optional ones."""
        found: _Sources = {}
        for name, parameter in tool.parameters.items():
            is_passed = parameter.required or chance(self.seed, "passed", index, name) < share
            if name in fed or not is_passed:
                continue
            rng = stream(self.seed, "value", index, name)
            try:
                value = some_value(parameter.json_schema, rng, tool.input_schema, name)
                found[name] = Constant(value=value)
            except NoValueError as error:
                if parameter.required:
                    raise NoValueError(f"{name}: {error}") from None
        return found
