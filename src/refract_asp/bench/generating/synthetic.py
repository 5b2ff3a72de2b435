"""Cases made up from nothing but dials and a seed."""

from __future__ import annotations

from collections import defaultdict

from refract_asp.bench.evaluation.case import Case
from refract_asp.bench.generating.dials import Dials
from refract_asp.bench.generating.naming import chance
from refract_asp.bench.generating.tools import Link, Making
from refract_asp.bench.generating.wiring import producers, slots
from refract_asp.model import Call, Catalog, Reference, Sequence, Source, Tool

__all__ = ["generate", "synthetic_catalog"]


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
            link.parameter: Reference(label=f"var{producer + 1}", path=made[f"n{used[producer]}"].path)
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
        slot: [link._replace(required=passed[slot, link.parameter] == times[slot]) for link in links.values()]
        for slot, links in found.items()
    }


def _catalog(tools: dict[str, Tool], seed: object) -> Catalog:
    """Return the tools in any order, in which more tools do not change that of the others."""
    order = sorted(tools, key=lambda slot: (chance(seed, "place", slot), slot))
    return Catalog(tools=tuple(tools[slot] for slot in order))
