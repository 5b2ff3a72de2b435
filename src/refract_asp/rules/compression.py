"""States which calls may stand for which, and what may be read otherwise, to make fewer calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from refract_asp.model import Violation
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.schemas import type_of
from refract_asp.model.sequence import numbered
from refract_asp.rules.candidates import fillers
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import may_stand
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import fold
from refract_asp.rules.repetition import skeleton, value_facts
from refract_asp.rules.symbols import memory


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
        if number >= 0 or _gave_something(instance, number):
            for name in evidence.possible_tools(number):
                by_tool[name].append(number)
            if instance.tool(number) is None:
                wrong.setdefault(number, set())
    most = evidence.bounds.rivals
    every = (
        pair for numbers in by_tool.values() for pair in _pairs(instance, numbers, wrong, lacking)
    )
    involved: dict[int, None] = {}
    for first, second in islice(every, most):
        evidence.add("in_rival", first, second)
        involved |= {first: None, second: None}
    if next(every, None) is not None:
        evidence.cut(f"pairs of calls beyond {most} that could be the same")
    for number in involved:
        evidence.state(value_facts(instance, number))
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
    numbers: list[int],
    wrong: Mapping[int, set[str]],
    lacking: Mapping[int, set[str]],
) -> Iterator[tuple[int, int]]:
    """Yield each pair of calls that may have one tool of which the second may stand for the first."""
    says: dict[int, dict[str, str]] = {}
    for number in numbers:  # what each argument passes, but for the calls from which it reads
        given = instance.call(number).arguments.items()
        paths = {name: [path_text(read.path) for _, read in numbered(each)] for name, each in given}
        says[number] = {name: repr((skeleton(each), paths[name])) for name, each in given}
    right = {n: {p: s for p, s in says[n].items() if p not in wrong.get(n, ())} for n in numbers}
    copies: dict[str, list[int]] = defaultdict(list)

    def may_pass(other: int, number: int) -> bool:
        """Whether a call passes, or may get, all that is right in another one."""
        return all(
            says[other].get(name) == said
            or name in wrong[other] & (lacking[other] | says[other].keys())
            for name, said in right[number].items()
        )

    for number in numbers:
        if number in wrong:
            others = (other for other in numbers if other != number)
            yield from ((number, other) for other in others if may_pass(other, number))
            continue
        same = copies[repr(sorted(says[number].items()))]
        if number >= 0:
            near = same[-instance.index.bounds.copies :]
            yield from ((number, other) for other in dict.fromkeys([*same[:1], *near]))
            for other in numbers:  # one that is mended may come to pass the same
                is_mended = other < number and other in wrong
                if is_mended and right[other].items() <= says[number].items():
                    yield number, other
        same.append(number)


def _gave_something(instance: Instance, number: int) -> bool:
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
    for label in dict.fromkeys(instance.call(number).label for number in instance.earlier(0)):
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
    end, most = len(instance.sequence.calls), evidence.bounds.loose
    places = [
        place
        for place in instance.producers
        if 0 <= place[0] < end and place[2] == 0 and place[:2] not in blamed
    ]
    if len(places) > most:
        evidence.cut(f"references beyond {most} that could read elsewhere")
    for place in places[:most]:
        reader = instance.tool(place[0])
        if reader is not None:
            evidence.add("in_loose", *place)
            fillers(evidence, end, reader.name, place[1], evidence.allowed.depth)
            _same_fields(evidence, instance.references[place].path)
    for number in range(end):
        evidence.state(value_facts(instance, number))


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
        found: list[FieldPath] = [()] if fold(label) == leaf else []
        if isinstance(value, dict):  # what it holds directly
            found = [(name,) for name in value if fold(name) == leaf]
        for other in found:
            held = memory(label)
            evidence.add("in_name", held, held)
            evidence.add("in_tool", held)
            evidence.state_gives(held, path_text(other))
            evidence.add("in_same_field", written, held, path_text(other))
