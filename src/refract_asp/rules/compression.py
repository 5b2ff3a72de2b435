"""States which calls may stand for which, and what may be read otherwise, to make fewer calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from refract_asp.model import Source, Violation
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.schemas import type_of
from refract_asp.model.sources import numbered
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fillers import fillers
from refract_asp.rules.fitting import may_stand
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import fold
from refract_asp.rules.repetition import skeleton, value_facts
from refract_asp.rules.symbols import memory

__all__ = ["loose_evidence", "rival_evidence"]


def rival_evidence(evidence: Evidence, violations: Iterable[Violation]) -> None:
    """
    State the pairs of calls of one tool of which the second may stand for the first, and what they pass.

    A call in which nothing is wrong is a copy of an earlier one that passes the same; one in which
    something is wrong may be an attempt at any other that has, or may get, all that is right in it.
    An executed call stands for nothing when memory says that its result is empty.
    """
    instance = evidence.instance
    wrong: dict[int, set[str]] = defaultdict(set)
    lacking: dict[int, set[str]] = defaultdict(set)
    for violation in violations:
        if violation.call is not None and violation.parameter is not None:
            wrong[violation.call].add(violation.parameter)
            if violation.code == "missing_parameter":
                lacking[violation.call].add(violation.parameter)
    by_tool: dict[str, list[int]] = defaultdict(list)
    for number in instance.earlier(len(instance.sequence.calls)):
        if number >= 0 or _may_stand(instance, number):
            for name in evidence.possible_tools(number):
                by_tool[name].append(number)
            if instance.tool(number) is None:
                wrong.setdefault(number, set())
    involved: dict[int, None] = {}
    left = evidence.bounds.rivals
    for first, second in _pairs(instance, by_tool, wrong, lacking):
        if not left:
            evidence.cut(f"pairs of calls beyond {evidence.bounds.rivals} that could be the same")
            break
        left -= 1
        evidence.add("in_rival", first, second)
        involved |= {first: None, second: None}
    for number in involved:
        for symbol in value_facts(instance, number):
            evidence.facts[symbol] = None
            evidence.predicates.add((symbol.name, len(symbol.arguments)))
        label = instance.call(number).label
        if number < 0 and label is not None and label in instance.memory.values:
            evidence.add("in_recalled", number, label)
            held = memory(label)
            evidence.add("in_name", held, held)
            evidence.add("in_tool", held)
        elif number < 0 and label is not None:  # what bears no label cannot be read
            evidence.add("in_call", number)
    _state_held(evidence)


def _pairs(
    instance: Instance,
    by_tool: Mapping[str, list[int]],
    wrong: Mapping[int, set[str]],
    lacking: Mapping[int, set[str]],
) -> Iterator[tuple[int, int]]:
    """Yield each pair of which the second may stand for the first."""
    for numbers in by_tool.values():
        says = {n: {p: _said(s) for p, s in instance.call(n).arguments.items()} for n in numbers}
        right = {
            n: {p: s for p, s in says[n].items() if p not in wrong.get(n, ())} for n in numbers
        }
        copies: dict[str, list[int]] = defaultdict(list)
        for number in numbers:
            if number not in wrong:
                key = repr(sorted(says[number].items()))
                if number >= 0:
                    near = copies[key][-instance.index.bounds.copies :]
                    yield from (
                        (number, other) for other in dict.fromkeys([*copies[key][:1], *near])
                    )
                    # one that is mended may come to pass the same
                    mended = (other for other in numbers if other < number and other in wrong)
                    yield from (
                        (number, o) for o in mended if right[o].items() <= says[number].items()
                    )
                copies[key].append(number)
                continue
            for other in numbers:
                if other != number and all(
                    says[other].get(p) == said
                    or p in wrong[other] & (lacking[other] | says[other].keys())
                    for p, said in right[number].items()
                ):
                    yield number, other


def _said(source: Source) -> str:
    """Return what a source passes, but for the calls from which it reads."""
    paths = [path_text(reference.path) for _, reference in numbered(source)]
    return repr((skeleton(source), paths))


def _may_stand(instance: Instance, number: int) -> bool:
    """Whether an executed call gave something, as far as is known."""
    label = instance.call(number).label
    if label is None:
        return True  # nobody can read from it, nor could anybody from the call that it stands for
    last = [n for n in instance.earlier(0) if instance.call(n).label == label][-1]
    return last == number and instance.memory.values.get(label, "?") not in (None, {}, [], "")


def _state_held(evidence: Evidence) -> None:
    """
    State what memory holds, under the labels of executed calls, of what is read from calls; and where it
    would not fit.
    """
    instance = evidence.instance
    labels = dict.fromkeys(instance.call(number).label for number in instance.earlier(0))
    for label in labels:
        if label is None or label not in instance.memory.values:
            continue
        held = memory(label)
        for place in instance.producers:
            path = instance.references[place].path
            if not instance.memory.holds(label, path):
                continue
            evidence.state_gives(held, path_text(path))
            types = frozenset({type_of(instance.memory.at(label, path))})
            call, parameter, slot = place
            for tool in evidence.possible_tools(call):
                if may_stand(instance, place, (tool,), types):
                    continue
                if slot == 0:
                    evidence.add("in_clash", held, path_text(path), tool, parameter)
                else:
                    evidence.add("in_clash_inside", *place, held, path_text(path), tool, parameter)


def loose_evidence(evidence: Evidence, violations: Iterable[Violation]) -> None:
    """State which references may read elsewhere, and from where, so that fewer calls meet the goals."""
    instance = evidence.instance
    blamed = {(v.call, v.parameter) for v in violations}
    end = len(instance.sequence.calls)
    places = [
        place
        for place in instance.producers
        if 0 <= place[0] < end and place[2] == 0 and (place[0], place[1]) not in blamed
    ]
    if len(places) > evidence.bounds.loose:
        evidence.cut(f"references beyond {evidence.bounds.loose} that could read elsewhere")
    for place in places[: evidence.bounds.loose]:
        call, parameter, _ = place
        reader = instance.tool(call)
        if reader is None:
            continue
        evidence.add("in_loose", *place)
        reference = instance.references[place]
        fillers(evidence, end, reader.name, parameter, evidence.allowed.depth)
        _same_fields(evidence, reference.path)
    for number in range(end):
        for symbol in value_facts(instance, number):
            evidence.facts[symbol] = None
            evidence.predicates.add((symbol.name, len(symbol.arguments)))


def _same_fields(evidence: Evidence, path: FieldPath) -> None:
    """State which outputs of the tools in use, and which values of memory, are called like a path."""
    if not path or not evidence.is_new("same field", path):
        return
    written, leaf = path_text(path), fold(str(path[-1]))
    for name in evidence.earlier_tools(len(evidence.instance.sequence.calls)):
        for other, _ in evidence.index.outputs(name):
            if fold(str(other[-1])) == leaf:
                evidence.add("in_same_field", written, name, path_text(other))
                evidence.state_gives(name, path_text(other))
    for label, value in evidence.instance.memory.values.items():
        for other in _held_at(value, leaf, label):
            held = memory(label)
            evidence.add("in_name", held, held)
            evidence.add("in_tool", held)
            evidence.state_gives(held, path_text(other))
            evidence.add("in_same_field", written, held, path_text(other))


def _held_at(value: object, leaf: str, label: str) -> list[FieldPath]:
    """Return where a value of memory is called like a field: itself, or what it holds directly."""
    if not isinstance(value, dict):
        return [()] if fold(label) == leaf else []
    return [(name,) for name in value if fold(name) == leaf]
