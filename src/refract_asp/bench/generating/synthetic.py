"""Cases made up from nothing but dials and a seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from refract_asp.bench.generating.dials import FIELDS, NAMESPACES, PARAMETERS, VERBS, Dials, Typed
from refract_asp.bench.generating.naming import (
    Name,
    Names,
    camel,
    chance,
    many,
    producers,
    shuffled,
    slots,
    snake,
    stream,
)
from refract_asp.bench.generating.sampling import some_value
from refract_asp.evaluation.cases import Case
from refract_asp.model import Call, Catalog, Constant, Parameter, Reference, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import JsonSchema

__all__ = [
    "Link",
    "Made",
    "Making",
    "generate",
    "synthetic_catalog",
]


_TWIN_LINKS = 0.5
"""How often a distractor that is named like a needed tool reads from the same tools."""
_PASSED = 0.5
"""How often an optional parameter is passed."""


class Link(NamedTuple):
    """A parameter that takes the id of what another tool returns."""

    parameter: str
    subject: str
    required: bool


class Made(NamedTuple):
    """A tool of a case, and where in what it returns its id stands."""

    name: Name
    tool: Tool
    path: FieldPath


class _Own(NamedTuple):
    """A parameter of a tool that takes constants."""

    name: str
    kind: Typed
    is_typed: bool
    is_optional: bool

    @property
    def schema(self) -> JsonSchema:
        schema = self.kind.schema if self.is_typed else {"type": "string"}
        return {**schema, "description": self.kind.about}


class Making:
    """Makes the tools and constants of one case."""

    def __init__(self, dials: Dials, seed: object) -> None:
        """Choose how names are written."""
        self.dials = dials
        self.seed = seed
        self.names = Names(seed)
        rng = stream(seed, "style")
        self._tool_style = rng.choice((snake, snake, camel))
        self._namespaces = list(shuffled(len(NAMESPACES), stream(seed, "namespaces")))
        self._field_style = rng.choice((snake, snake, camel))

    @cached_property
    def needed(self) -> list[Name]:
        """The names of the tools that are called."""
        return [
            name for name, _ in zip(self.names.needed(), range(self.dials.needed), strict=False)
        ]

    def distractors(self) -> Iterator[tuple[str, int | None, Name]]:
        """Yield what each distractor is known by here, the number of the needed tool it is like, its name."""
        taken = {name.words for name in self.needed}
        used: set[tuple[str, ...]] = (
            set()
        )  # a name with two words changed may be that of one that is unlike
        unlike = (name for name in self.names.unlike() if name.words not in used)
        twins = [self.names.twins(name, number) for number, name in enumerate(self.needed)]
        for index in range(self.dials.tools - self.dials.needed):
            like = index % len(twins)
            twin = next(
                name for name in twins[like] if name.words not in taken and name.words not in used
            )
            taken.add(twin.words)  # also where it is not used, so that the names of the others stay
            is_like = chance(self.seed, "like", index) < self.dials.likeness
            name = twin if is_like else next(unlike)
            used.add(name.words)
            yield f"d{index}", like if is_like else None, name

    def parameter(self, subject: str, consumer: str, times: int) -> str:
        """Name the parameter of a tool that takes an id: the first, second, ... one of that subject."""
        rng = stream(self.seed, "renamed", consumer, subject)
        last = "id"
        if rng.random() < self.dials.renamed:
            last = rng.choice(("ref", "number", ""))
        before = ("", "other", "third", "fourth")
        words = (
            [before[times], *subject.split("_"), last]
            if times < len(before)
            else [*subject.split("_"), last]
        )
        words += [str(times + 1)] if times >= len(before) else []
        return self.field("_".join(filter(None, words)))

    def field(self, name: str) -> str:
        """Write the name of a parameter or field as all of the case are written."""
        return self._field_style(tuple(name.split("_")))

    def own(self, slot: str) -> list[_Own]:
        """Return the parameters of a tool that take constants."""
        rng = stream(self.seed, "own", slot)
        chosen = list(zip(shuffled(len(PARAMETERS), rng), range(rng.randint(1, 4)), strict=False))
        found = []
        for number, _ in chosen:
            kind = PARAMETERS[number]
            is_typed = chance(self.seed, "typed", slot, kind.name) < self.dials.typed
            is_optional = chance(self.seed, "optional", slot, kind.name) < self.dials.optional
            found.append(_Own(self.field(kind.name), kind, is_typed, is_optional))
        return found

    def tool(self, slot: str, name: Name, links: Iterable[Link]) -> Made:
        """Make a tool; `slot` says which one it is, whatever it is called."""
        own = self.own(slot)
        parameters = [
            *(
                Parameter(
                    name=link.parameter,
                    required=link.required,
                    json_schema={
                        "type": "string",
                        "description": f"Id of the {link.subject.replace('_', ' ')}",
                    },
                )
                for link in links
            ),
            *(
                Parameter(name=p.name, required=not p.is_optional, json_schema=p.schema)
                for p in own
            ),
        ]
        schema, path = self._output(slot, name)
        about = " ".join((*name.words[1:2], *name.words[2:]))
        return Made(
            name,
            Tool(
                name=self._tool_name(slot, name),
                description=f"{name.verb.capitalize()} {about}, and return its id.",
                effect=VERBS[name.verb],
                parameters={parameter.name: parameter for parameter in parameters},
                output_schema=schema,
            ),
            path,
        )

    def _tool_name(self, slot: str, name: Name) -> str:
        plain = self._tool_style(name.words)
        if not self.dials.namespaces:
            return plain
        share = chance(self.seed, "namespace", slot)
        return f"{NAMESPACES[self._namespaces[int(share * self.dials.namespaces)]]}.{plain}"

    def _output(self, slot: str, name: Name) -> tuple[JsonSchema, FieldPath]:
        """Return what a tool returns, and the path of the id in it: on top, in an object, or in a list."""
        rng = stream(self.seed, "output", slot)
        field = self.field(f"{name.subject}_id")
        others = [
            FIELDS[number]
            for number, _ in zip(shuffled(len(FIELDS), rng), range(rng.randint(1, 4)), strict=False)
        ]
        inner: JsonSchema = {
            "type": "object",
            "properties": {
                field: {"type": "string"},
                **{self.field(n): dict(s) for n, s in others},
            },
        }
        shape = rng.random()
        if shape < 0.6:
            return inner, (field,)
        if shape < 0.75:
            holder = self.field(name.subject)
            return {"type": "object", "properties": {holder: inner}}, (holder, field)
        holder = self.field(
            "_".join((*name.subject.split("_")[:-1], many(name.subject.split("_")[-1])))
        )
        schema: JsonSchema = {"type": "array", "items": inner}
        return {"type": "object", "properties": {holder: schema}}, (holder, 0, field)

    def constants(self, slot: str, call: int) -> dict[str, Constant]:
        """Return the constants that a call passes."""
        found = {}
        for parameter in self.own(slot):
            rng = stream(self.seed, "value", call, parameter.kind.name)
            if (
                parameter.is_optional
                and chance(self.seed, "passed", call, parameter.kind.name) > _PASSED
            ):
                continue
            if parameter.is_typed:
                value = some_value(parameter.kind.schema, rng)
            else:
                value = rng.choice(parameter.kind.texts)
            found[parameter.name] = Constant(value=value)
        return found

    def twin_links(self, slot: str, links: Iterable[Link]) -> list[Link]:
        """Return the parameters for ids of a distractor that is like a tool with such ones."""
        return [
            link for link in links if chance(self.seed, "links", slot, link.parameter) < _TWIN_LINKS
        ]


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
    making = Making(dials, seed)
    used = slots(dials, seed)
    reads = producers(dials.calls, dials.coupling, dials.share, seed)
    feeds = _feeds(making, used, reads)
    links = _links(used, feeds)
    made = {
        f"n{number}": making.tool(f"n{number}", name, links[f"n{number}"])
        for number, name in enumerate(making.needed)
    }
    tools = {slot: each.tool for slot, each in made.items()}
    for slot, like, name in making.distractors():
        shared = making.twin_links(slot, links[f"n{like}"]) if like is not None else ()
        tools[slot] = making.tool(slot, name, shared).tool
    calls = []
    for index, number in enumerate(used):
        slot = f"n{number}"
        arguments: dict[str, Source] = {
            link.parameter: Reference(
                label=f"var{producer + 1}", path=made[f"n{used[producer]}"].path
            )
            for link, producer in feeds[index]
        }
        arguments |= making.constants(slot, index)
        calls.append(Call(name=tools[slot].name, arguments=arguments, label=f"var{index + 1}"))
    sequence = Sequence(calls=tuple(calls))
    return Case(
        id=f"{dials.text()}#{seed}",
        sequence=sequence,
        catalog=_catalog(tools, seed),
        expected=sequence,
        dials=dials.data(),
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
    return generate(Dials(tools=count, calls=min(count, Dials().calls) or 1), seed).catalog


def _feeds(making: Making, used: list[int], reads: list[list[int]]) -> list[list[tuple[Link, int]]]:
    """Return for each call the parameters by which it reads from others, and from which calls."""
    found = []
    for index, earlier in enumerate(reads):
        times: dict[str, int] = defaultdict(int)
        feeds = []
        for producer in earlier:
            subject = making.needed[used[producer]].subject
            parameter = making.parameter(subject, f"n{used[index]}", times[subject])
            times[subject] += 1
            feeds.append((Link(parameter, subject, required=True), producer))
        found.append(feeds)
    return found


def _links(used: list[int], feeds: list[list[tuple[Link, int]]]) -> dict[str, list[Link]]:
    """Return the parameters for ids of each needed tool; one that some call does not pass is optional."""
    found: dict[str, dict[str, Link]] = {f"n{number}": {} for number in used}
    times: dict[str, int] = defaultdict(int)
    passed: dict[tuple[str, str], int] = defaultdict(int)
    for number, fed in zip(used, feeds, strict=True):
        slot = f"n{number}"
        times[slot] += 1
        for link, _ in fed:
            found[slot][link.parameter] = link
            passed[slot, link.parameter] += 1
    return {
        slot: [
            link._replace(required=passed[slot, link.parameter] == times[slot])
            for link in links.values()
        ]
        for slot, links in found.items()
    }


def _catalog(tools: dict[str, Tool], seed: object) -> Catalog:
    """Return the tools in any order, in which more tools do not change that of the others."""
    order = sorted(tools, key=lambda slot: (chance(seed, "place", slot), slot))
    return Catalog(tools=tuple(tools[slot] for slot in order))
