"""Cases made up from nothing but dials and a seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from refract_asp.bench.generating.dials import Dials, producers
from refract_asp.bench.generating.sampling import some_value
from refract_asp.bench.generating.words import VERBS, Name, Names, chance, plural, shuffled, stream
from refract_asp.evaluation.cases import Case
from refract_asp.model import Call, Catalog, Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import JsonSchema
from refract_asp.resources import packaged

_WORDS = packaged("bench/generating/words")
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
        rng = stream(self.seed, "own", slot)
        for number in _some(len(PARAMETERS), rng):
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
    paths: list[FieldPath] = []
    ids: list[list[Parameter]] = []
    for number, name in enumerate(making.needed):
        own = [each for tool, each in zip(used, links, strict=True) if tool == number]
        times = Counter((link.subject, link.parameter) for each in own for link in each)
        # What not all calls of the tool pass is optional.
        ids.append([making.id_of(*link, required=n == len(own)) for link, n in times.items()])
        tools[f"n{number}"], path = making.tool(f"n{number}", name, ids[number])
        paths.append(path)
    for slot, like, name in making.distractors():
        shared = [] if like is None else ids[like]
        kept = [each for each in shared if chance(seed, "links", slot, each.name) < TWIN_LINKS]
        tools[slot], _ = making.tool(slot, name, kept)
    calls = []
    for index, number in enumerate(used):
        arguments: dict[str, Source] = {}
        for link in links[index]:
            path = paths[used[link.producer]]
            arguments[link.parameter] = Reference(label=f"var{link.producer + 1}", path=path)
        arguments |= making.constants(f"n{number}", index)
        called = tools[f"n{number}"].name
        calls.append(Call(name=called, arguments=arguments, label=f"var{index + 1}"))
    # The tools stand in any order, in which more tools do not change that of the others.
    order = sorted(tools, key=lambda slot: (chance(seed, "place", slot), slot))
    sequence = Sequence(calls=tuple(calls))
    return Case(
        id=f"{dials.text()}#{seed}",
        sequence=sequence,
        catalog=Catalog(tools=tuple(tools[slot] for slot in order)),
        expected=sequence,
        dials=dict(dials),
    )


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
