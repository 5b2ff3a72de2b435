"""Finds what repairs pay in units of penalties: the wanted one, cheaper ones, and those that trade kinds."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from clingo import Control, Function, Number, Symbol

from refract_asp.errors import shown
from refract_asp.model import Ask, Reference, RepairResult, Sequence
from refract_asp.model.comparison import same
from refract_asp.model.paths import path_text
from refract_asp.model.sequence import Constant, Source, slots_of
from refract_asp.rules.choices import Choices, Weights, read, read_choices
from refract_asp.rules.decode import Decoded
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.explain import frame, known_values
from refract_asp.rules.instance import RETURNS
from refract_asp.rules.question import Problem, Question, criteria
from refract_asp.rules.schemas.dialects import source_of
from refract_asp.rules.solve import block, further_models, solve
from refract_asp.rules.symbols import Facts, fact, memory
from refract_asp.rules.waiting import Deadline

# So many answer sets are looked at for those that are the wanted sequence.
MAX_LOOKS = 32
# So many are kept that pay differently.
MAX_FOUND = 8
# Of a longer wanted sequence it is not told what cannot be had: the work grows with the square.
MAX_COMPARED = 200
# At most so many tokens that cannot be had are listed.
MAX_TOLD = 3
NOT_REACHED = "no rule leads to it"


@dataclass(frozen=True, slots=True)
class Paid:
    """
    What a repair pays, whatever it weighs.

    Attributes:
        units: the units of each kind that a criterion ranks, by name.
        rest: what weak constraints of one's own cost besides, by level, the highest first.
    """

    units: tuple[tuple[str, int], ...]
    rest: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, choices: Choices, weights: Weights, cost: Mapping[int, int]) -> Paid:
        """Return what an answer set pays."""
        units: Counter[str] = Counter()
        rest = Counter(cost)
        for penalty in choices.penalties:
            if penalty.kind in weights and penalty.units:
                units[penalty.kind] += penalty.units
                for level, weight in weights[penalty.kind].items():
                    rest[level] -= weight * penalty.units
        ordered = sorted(rest.items(), reverse=True)
        return cls(tuple(sorted(units.items())), tuple(each for each in ordered if each[1]))

    def weighed(self, weights: Mapping[str, int]) -> int:
        """Return what the units cost with such weights."""
        return sum(weights[kind] * units for kind, units in self.units)

    def is_dominated(self, other: Paid) -> bool:
        """Whether another repair pays as little of every kind, so that no weights make this one cheaper."""
        mine = dict(self.units)
        less = all(mine.get(kind, 0) >= units for kind, units in other.units)
        return self.rest == other.rest and less


def _held(problem: Problem, asked: Question, wanted: Sequence, *more: Symbol) -> Control:
    """Ground the program that repairs, held to a wanted sequence."""
    held = asked.with_facts([*wanted_facts(asked.evidence, wanted), *more])
    return problem.program.with_files("modes/wanted.lp").control(held.facts, held.signatures)


def wanted_repairs(result: RepairResult, wanted: Sequence) -> tuple[Paid, ...]:
    """
    Return what each way to the wanted sequence pays, the cheapest one first.

    Of ways none pays as little of every kind as another one.

    Args:
        result: the repair of the given sequence, whatever it is.
        wanted: the repair that is wanted.
    """
    problem: Problem | None = result._handle.problem
    found: dict[Paid, None] = {}
    if problem is None or not problem.violations:  # what is right stays as it is
        return ()
    for left in dict.fromkeys((problem.left, frozenset[int]())):
        asked = replace(problem, left=left).question()
        control = _held(problem, asked, wanted)
        weights = criteria(control)
        models = further_models(control, Deadline(problem.seconds), weights)
        for symbols, cost in islice(models, MAX_LOOKS):
            choices = read_choices(symbols)
            if same(Decoded(asked.evidence, choices, weights).sequence, wanted):
                paid = Paid.of(choices, weights, cost)
                if not any(paid.is_dominated(other) for other in found):
                    found[paid] = None
            if len(found) >= MAX_FOUND:
                break
        if found:
            break
    return tuple(found)


def cheaper_repairs(
    result: RepairResult, wanted: Sequence, at_most: Mapping[int, int]
) -> tuple[Paid, ...]:
    """
    Return what repairs pay that are not the wanted one, in order of cost, a few of them.

    Args:
        result: the repair of the given sequence.
        wanted: the repair that is wanted.
        at_most: dearer ones are not looked for.
    """
    problem: Problem | None = result._handle.problem
    if problem is None or not problem.violations:
        return ()
    deadline = Deadline(problem.seconds)
    answer = problem.search(problem.question(), deadline)
    others = [(choices, answer.found.cost) for choices in answer.choices]
    if answer.found.optimal:
        block(answer.control, *(choices.symbols for choices in answer.choices))
        further = further_models(answer.control, deadline, answer.weights, dict(at_most))
        others += [(read_choices(symbols), cost) for symbols, cost in islice(further, MAX_FOUND)]
    unlike = [each for each in others if not same(answer.decode(each[0]).sequence, wanted)]
    return tuple(dict.fromkeys(Paid.of(choices, answer.weights, cost) for choices, cost in unlike))


Trade: TypeAlias = tuple[dict[str, int], dict[int, int], Sequence]
"""
A repaired sequence that no other one beats: no other pays as little of everything and less of something.

Before it stand the units of each kind that was asked for, and what all its other penalties cost, by level.
"""


def pareto_front(result: RepairResult, over: Collection[str], most: int) -> list[Trade]:
    """
    Return the repairs that trade some kinds of edits and the rest for each other; the cheapest one comes first.

    Only repairs that leave as few calls unresolved as the cheapest one are looked at.

    Args:
        result: the repair of the given sequence.
        over: the kinds of penalties that are looked at, each on its own.
        most: so many are returned at most.
    """
    problem: Problem | None = result._handle.problem
    if problem is None or not problem.violations:
        return []
    deadline, found = Deadline(problem.seconds), list[Trade]()
    question = problem.question()
    answer = problem.search(question, deadline)
    penalties = [each for choices in answer.choices[:1] for each in choices.penalties]
    unresolved = sum(each.units for each in penalties if each.kind == "leave_unresolved")
    program, weights = problem.program.with_files("modes/pareto.lp"), answer.weights
    levels = sorted({level for by_level in weights.values() for level in by_level}, reverse=True)
    facts = [fact("in_unresolved", unresolved)]
    facts += [fact("in_over", Function(kind)) for kind in over]
    while len(found) < most:
        asked = question.with_facts(facts)
        answers = solve(program.control(asked.facts, asked.signatures), deadline, 1, weights)
        if not answers.models or not answers.optimal:
            break
        choices = read_choices(answers.models[0])
        units, rest = dict.fromkeys(over, 0), dict.fromkeys(levels, 0)
        for penalty in choices.penalties:
            if penalty.kind in units:
                units[penalty.kind] += penalty.units
            else:
                for level, weight in weights.get(penalty.kind, {}).items():
                    rest[level] += weight * penalty.units
        number, decoded = len(found), Decoded(asked.evidence, choices, weights)
        facts += [fact("in_found", number, Function(kind), paid) for kind, paid in units.items()]
        facts += [fact("in_found_rest", number, level, paid) for level, paid in rest.items()]
        found.append((units, rest, decoded.sequence))
    return found


def why_unreachable(result: RepairResult, wanted: Sequence) -> str:
    """Say why no repair is the wanted sequence: what is wrong with it, or what no rule offers."""
    problem: Problem | None = result._handle.problem
    if problem is None:
        return "the time ran out before any answer"
    if violations := problem.violations_of(wanted):
        told = "; ".join(violation.message for violation in violations[:MAX_TOLD])
        return f"the wanted sequence is wrong itself: {told}"
    if not problem.violations:
        return "nothing is wrong with the sequence, so it stays as it is"
    if len(wanted.calls) > MAX_COMPARED:
        return NOT_REACHED
    control = _held(problem, problem.question(), wanted, Function("in_nearly"))
    found = solve(control, Deadline(problem.seconds), 1, criteria(control))
    shown_symbols = found.models[0] if found.models else []
    missed = sorted(each.arguments[0] for each in shown_symbols if each.name == "out_missed")
    texts = [_missed(read(token), wanted, problem) for token in missed[:MAX_TOLD]]
    return "; ".join(texts) or NOT_REACHED


def _missed(token: tuple[object, ...], wanted: Sequence, problem: Problem) -> str:
    """Say what a token is that the nearest repair has and is not wanted, or the other way round."""
    name, number, *more = token
    if name == "made":
        is_given = isinstance(number, int) and 0 <= number < problem.instance.end
        call = f"call {number + 1} of the given sequence" if is_given else "a call"  # type: ignore[operator]
        return f"no rule leaves out {call}"
    assert isinstance(number, int)
    tool, arguments, place = "", wanted.returns or {}, "what is returned"
    if number < len(wanted.calls):
        called, place = wanted.calls[number], f"call {number + 1}"
        tool, arguments = called.name, called.arguments
    if name == "call":
        return f"no rule makes {place} of the wanted sequence{tool and f', {shown(tool)}'}"
    parameter = str(more[0])
    if name == "extra":
        return f"no rule leaves out {shown(parameter)} of {place}"
    source = problem.secrets.argument([tool], [parameter], arguments[parameter])
    written = str(source)
    if isinstance(source, Constant):
        written = json.dumps(source.value, ensure_ascii=False)
    return f"no rule offers {shown(written)} as {shown(parameter)} of {place}"


# --- what is wanted, as facts ----------------------------------------------------------------------


def wanted_facts(evidence: Evidence, wanted: Sequence) -> list[Symbol]:
    """State the wanted calls: who reads from whom, and which arguments are as they were given."""
    instance = evidence.instance
    given: dict[str, list[tuple[int, str, Source]]] = defaultdict(list)
    for number in range(len(instance.sequence.calls) + instance.is_returning):
        for parameter, source in instance.call(number).arguments.items():
            if not isinstance(source, Reference):  # around a reference that is all stands nothing
                given[frame(source)].append((number, parameter, source))
    forms: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for place, recast in evidence.forms.items():
        forms[frame(source_of(recast.value))].append(place)
    found = Facts()
    bearers: dict[str, int] = {}
    rows = [(call.name, call.arguments, call.label) for call in wanted.calls]
    if wanted.returns or (wanted.returns is not None and instance.is_returning):
        rows.append(("", wanted.returns, None))
    for number, (tool, arguments, label) in enumerate(rows):
        found.add("in_wanted", number, RETURNS if number == len(wanted.calls) else tool)
        for parameter, source in arguments.items():
            found.add("in_wanted_arg", number, parameter)
            around = frame(source)
            open_already: set[int] = set()
            for call, other, here in () if isinstance(source, Reference) else given[around]:
                found.add("in_wanted_given", number, parameter, call, other)
                slots = enumerate(slots_of(here), 1)
                open_already.update(at for at, slot in slots if isinstance(slot, Ask))
            for call, other, form in forms[around]:
                found.add("in_wanted_form", number, parameter, call, other, form)
            for name, slot_number, *rest in _sources(evidence, tool, parameter, source, bearers):
                if slot_number not in open_already:  # what is asked for as given is not read
                    found.add(name, number, parameter, slot_number, *rest)
        if label is not None:
            bearers[label] = number
    return list(found.facts)


def _sources(
    evidence: Evidence, tool: str, parameter: str, source: Source, bearers: Mapping[str, int]
) -> Iterator[tuple[str, int, Symbol | int, str]]:
    """Yield where an argument reads, as a whole and inside: predicate, place, who is read, and its path."""
    if isinstance(source, Constant):
        for value in known_values(evidence, (tool,), parameter, source):
            yield "in_wanted_value", 0, value, ""
        return
    instance = evidence.instance
    is_whole = isinstance(source, Reference | Ask)
    for place, slot in enumerate(slots_of(source), start=0 if is_whole else 1):
        if isinstance(slot, Ask):
            yield "in_wanted_value", place, Function("ask"), ""
        elif slot.label in bearers:
            yield "in_wanted_read", place, bearers[slot.label], path_text(slot.path)
        else:  # no wanted call has the label: it is that of an executed call, or of memory
            executed = range(-1, -1 - len(instance.history), -1)
            bearing = (n for n in executed if instance.call(n).label == slot.label)
            held = memory(slot.label) if slot.label in instance.memory.values else None
            number = next(bearing, None)
            origin = held if number is None else Number(number)
            if origin is not None:
                yield "in_wanted_value", place, origin, path_text(slot.path)
