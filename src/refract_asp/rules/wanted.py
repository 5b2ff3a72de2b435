"""Finds what a wanted repair pays, and what pays less, in units of penalties, whatever they weigh."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from clingo import Function, Number, Symbol

from refract_asp.errors import shown
from refract_asp.model import Ask, RepairResult, Sequence
from refract_asp.model.comparison import same
from refract_asp.model.paths import path_text
from refract_asp.model.sequence import Constant, Reference, Source, Structure, Template, slots_of
from refract_asp.rules.choices import Choices, read, read_choices
from refract_asp.rules.decode import Decoded
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.instance import RETURNS
from refract_asp.rules.program import ANY
from refract_asp.rules.question import Problem, Question, criteria
from refract_asp.rules.schemas.dialects import source_of
from refract_asp.rules.solve import Deadline, block, further_models, solve
from refract_asp.rules.statements import frame, is_known
from refract_asp.rules.symbols import fact, memory

MAX_LOOKS = 32
"""So many answer sets are looked at for those that are the wanted sequence."""
MAX_FOUND = 8
"""So many are kept that pay differently."""
MAX_COMPARED = 200
"""Of a longer wanted sequence it is not told what cannot be had: the work grows with the square."""
MAX_TOLD = 3
"""So many tokens that cannot be had are told."""
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
    def of(
        cls, choices: Choices, weights: Mapping[str, int], cost: Mapping[int, int], levels: set[int]
    ) -> Paid:
        """Return what an answer set pays; all criteria are on one level."""
        units: Counter[str] = Counter()
        for penalty in choices.penalties:
            if penalty.kind in weights and penalty.units:
                units[penalty.kind] += penalty.units
        weighed = sum(weights[kind] * count for kind, count in units.items())
        rest = Counter(cost)
        rest.subtract(dict.fromkeys(levels, weighed))
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


@dataclass(frozen=True, slots=True)
class WantedRepairs:
    """
    The answer sets that are the wanted sequence.

    Attributes:
        found: what each pays; none pays as little of every kind as another one.
        complete: whether these are all.
    """

    found: tuple[Paid, ...]
    complete: bool


def wanted_repairs(result: RepairResult, wanted: Sequence) -> WantedRepairs:
    """
    Return what each way to the wanted sequence pays, the cheapest one first.

    Args:
        result: the repair of the given sequence, whatever it is.
        wanted: the repair that is wanted.
    """
    problem: Problem | None = result._handle.problem
    found = WantedRepairs((), complete=True)
    if problem is None or not problem.violations:  # what is right stays as it is
        return found
    for left in dict.fromkeys((problem.left, frozenset[int]())):
        found = _wanted(problem, problem.question(left), wanted)
        if found.found:
            break
    return found


def _wanted(problem: Problem, asked: Question, wanted: Sequence) -> WantedRepairs:
    deadline = Deadline(problem.seconds)
    held = asked.with_facts(wanted_facts(asked.evidence, wanted))
    program = problem.program.with_files("modes/wanted.lp")
    control = program.control(held.facts, held.signatures)
    weights, priorities = criteria(control)
    found: dict[Paid, None] = {}
    complete = True
    for number, (symbols, cost) in enumerate(further_models(control, deadline, priorities)):
        choices = read_choices(symbols)
        if same(Decoded(asked.evidence, choices, weights).sequence, wanted):
            paid = Paid.of(choices, weights, cost, priorities)
            if not any(paid.is_dominated(other) for other in found):
                found[paid] = None
        if number + 1 >= MAX_LOOKS or len(found) >= MAX_FOUND:
            complete = False
            break
    return WantedRepairs(tuple(found), complete=complete and not deadline.is_over)


def cheaper_repairs(
    result: RepairResult, wanted: Sequence, at_most: Mapping[int, int], limit: int = MAX_FOUND
) -> tuple[Paid, ...]:
    """
    Return what repairs pay that are not the wanted one, in order of cost.

    Args:
        result: the repair of the given sequence.
        wanted: the repair that is wanted.
        at_most: dearer ones are not looked for.
        limit: as many are looked for besides those that are the cheapest alike.
    """
    problem: Problem | None = result._handle.problem
    if problem is None or not problem.violations:
        return ()
    deadline = Deadline(problem.seconds)
    answer = problem.search(problem.question(problem.left), deadline)

    def others() -> Iterator[tuple[Choices, dict[int, int]]]:
        yield from ((choices, answer.cost) for choices in answer.choices)
        if answer.optimal:
            block(answer.control, *(choices.symbols for choices in answer.choices))
            further = further_models(answer.control, deadline, answer.priorities, dict(at_most))
            for symbols, cost in islice(further, limit):
                yield read_choices(symbols), cost

    found = {
        Paid.of(choices, answer.weights, cost, answer.priorities): None
        for choices, cost in others()
        if not same(answer.decode(choices).sequence, wanted)
    }
    return tuple(found)


# --- why it cannot be had --------------------------------------------------------------------------


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
    asked = problem.question(problem.left)
    nearly = [*wanted_facts(asked.evidence, wanted), Function("in_nearly")]
    held = asked.with_facts(nearly)
    program = problem.program.with_files("modes/wanted.lp")
    control = program.control(
        held.facts, held.signatures | {("in_nearly", 0, ""), ("in_nearly", 0, ANY)}
    )
    found = solve(control, Deadline(problem.seconds), 1, criteria(control)[1])
    if not found.models:
        return "the time ran out before it was known" if found.is_over else NOT_REACHED
    missed = sorted(each.arguments[0] for each in found.models[0] if each.name == "out_missed")
    texts = [_missed(read(token), wanted, problem) for token in missed[:MAX_TOLD]]
    more = [f"and {len(missed) - MAX_TOLD} more"] if len(missed) > MAX_TOLD else []
    return "; ".join(texts + more) or "the rules offer its parts, but not all of them together"


def _missed(token: tuple[object, ...], wanted: Sequence, problem: Problem) -> str:
    """Say what a token is that the nearest repair has and is not wanted, or the other way round."""
    given, calls = problem.instance.sequence, wanted.calls
    name, number, *more = token
    if name == "made":
        if isinstance(number, int) and 0 <= number < len(given.calls):
            return f"no rule leaves out call {number + 1} of the given sequence"
        return "a call is made that is not wanted"
    assert isinstance(number, int)
    is_call = number < len(calls)
    tool = calls[number].name if is_call else ""
    if name == "call":
        told = shown(tool) if is_call else "what is returned"
        return f"no rule makes call {number + 1} of the wanted sequence, {told}"
    place = f"call {number + 1}" if is_call else "what is returned"
    parameter = str(more[0])
    if name == "extra":
        return f"no rule leaves out {shown(parameter)} of {place}"
    arguments = calls[number].arguments if is_call else wanted.returns or {}
    source = problem.secrets.argument([tool], [parameter], arguments[parameter])
    return f"no rule offers {shown(_written(source))} as {shown(parameter)} of {place}"


def _written(source: Source | str) -> str:
    """Return a source as it is told in a sentence."""
    match source:
        case Ask():
            return "an ask"
        case Template():
            return json.dumps("".join(map(str, source.parts)), ensure_ascii=False)
        case Structure() if isinstance(source.value, dict):
            inside = (f"{json.dumps(key)}: {_written(each)}" for key, each in source.value.items())
            return f"{{{', '.join(inside)}}}"
        case Structure():
            return f"[{', '.join(map(_written, source.value))}]"
        case Constant():
            return json.dumps(source.value, ensure_ascii=False)
    return str(source)


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
    found: dict[Symbol, None] = {}

    def state(name: str, *arguments: Symbol | str | int) -> None:
        found[fact(name, *arguments)] = None

    bearers: dict[str, int] = {}
    rows = [(call.name, call.arguments, call.label) for call in wanted.calls]
    if wanted.returns or (wanted.returns is not None and instance.is_returning):
        rows.append(("", wanted.returns, None))
    for number, (tool, arguments, label) in enumerate(rows):
        state("in_wanted", number, RETURNS if number == len(wanted.calls) else tool)
        for parameter, source in arguments.items():
            state("in_wanted_arg", number, parameter)
            around = frame(source)
            open_already: set[int] = set()
            for call, other, here in () if isinstance(source, Reference) else given[around]:
                state("in_wanted_given", number, parameter, call, other)
                slots = enumerate(slots_of(here), 1)
                open_already.update(at for at, slot in slots if isinstance(slot, Ask))
            for call, other, form in forms[around]:
                state("in_wanted_form", number, parameter, call, other, form)
            for name, slot_number, *rest in _sources(evidence, tool, parameter, source, bearers):
                if slot_number not in open_already:  # what is asked as given is not read
                    state(name, number, parameter, slot_number, *rest)
        if label is not None:
            bearers[label] = number
    return list(found)


def _sources(
    evidence: Evidence, tool: str, parameter: str, source: Source, bearers: Mapping[str, int]
) -> Iterator[tuple[str, int, Symbol | int, str]]:
    """Yield where an argument reads, as a whole and inside: predicate, place, who is read, and its path."""
    if isinstance(source, Constant):
        key = frame(source)
        for index, constant in enumerate(evidence.constants):
            if frame(constant) == key:
                yield "in_wanted_value", 0, Function("constant", [Number(index)]), ""
        if is_known(evidence, tool, parameter, key):
            yield "in_wanted_value", 0, Function("default"), ""
        return
    instance = evidence.instance
    is_whole = isinstance(source, Reference | Ask)
    for place, slot in enumerate(slots_of(source), start=0 if is_whole else 1):
        if isinstance(slot, Ask):
            yield "in_wanted_value", place, Function("ask"), ""
        elif slot.label in bearers:
            yield "in_wanted_read", place, bearers[slot.label], path_text(slot.path)
        else:  # no wanted call bears the label: it is that of an executed call, or of memory
            executed = range(-1, -1 - len(instance.history), -1)
            bearing = (n for n in executed if instance.call(n).label == slot.label)
            held = memory(slot.label) if slot.label in instance.memory.values else None
            number = next(bearing, None)
            origin = held if number is None else Number(number)
            if origin is not None:
                yield "in_wanted_value", place, origin, path_text(slot.path)
