"""Finds what a wanted repair pays, and what pays less, in units of penalties, whatever they weigh."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from clingo import Function, Number, Symbol

from refract_asp.errors import shown
from refract_asp.model import Ask, RepairResult, Sequence
from refract_asp.model.comparison import same
from refract_asp.model.paths import path_text
from refract_asp.model.secrets import Secrets
from refract_asp.model.sources import (
    Constant,
    Reference,
    Source,
    Structure,
    Template,
    replace_reference,
    slots_of,
)
from refract_asp.rules.choices import Choices, read_choices
from refract_asp.rules.decode import decode
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.explain import Again
from refract_asp.rules.instance import RETURNS
from refract_asp.rules.judge import Question, criteria, search
from refract_asp.rules.schemas.dialects import source_of
from refract_asp.rules.slicing import ANY
from refract_asp.rules.solve import Deadline, block, further_models, solve
from refract_asp.rules.symbols import fact, memory, plain

__all__ = [
    "Paid",
    "WantedRepairs",
    "cheaper_repairs",
    "wanted_facts",
    "wanted_repairs",
    "why_unreachable",
]


def wanted_facts(evidence: Evidence, wanted: Sequence) -> list[Symbol]:
    """State the wanted calls: who reads from whom, and which arguments are as they were given."""
    found: dict[Symbol, None] = {}
    given = _given_frames(evidence)
    forms = _form_frames(evidence)
    bearers: dict[str, int] = {}
    rows = [(call.name, call.arguments, call.label) for call in wanted.calls]
    if wanted.returns or (wanted.returns is not None and evidence.instance.is_returning):
        rows.append(("", wanted.returns, None))
    for number, (tool, arguments, label) in enumerate(rows):
        is_returned = number == len(wanted.calls)
        found[fact("in_wanted", number, RETURNS if is_returned else tool)] = None
        for parameter, source in arguments.items():
            found[fact("in_wanted_arg", number, parameter)] = None
            frame = "" if isinstance(source, Reference) else _frame(source)
            open_already: set[int] = set()
            for call, other, here in given.get(frame, ()):
                found[fact("in_wanted_given", number, parameter, call, other)] = None
                slots = enumerate(slots_of(here), 1)
                open_already.update(place for place, slot in slots if isinstance(slot, Ask))
            for call, other, form in forms.get(_frame(source), ()):
                found[fact("in_wanted_form", number, parameter, call, other, form)] = None
            for each in _sources(evidence, tool, number, parameter, source, bearers):
                if (
                    each.arguments[2].number not in open_already
                ):  # what is asked as given is not read
                    found[each] = None
        if label is not None:
            bearers[label] = number
    return list(found)


def _sources(
    evidence: Evidence,
    tool: str,
    number: int,
    parameter: str,
    source: Source,
    bearers: Mapping[str, int],
) -> Iterator[Symbol]:
    """State where an argument reads, as a whole and inside."""
    if isinstance(source, Constant):
        key = _frame(source)
        for index, constant in enumerate(evidence.constants):
            if _frame(constant) == key:
                origin = Function("constant", [Number(index)])
                yield fact("in_wanted_value", number, parameter, 0, origin, "")
        if tool in evidence.index.tools and parameter in evidence.index.tools[tool].parameters:
            for value in evidence.index.known_value(tool, parameter):
                if _frame(Constant(value=value)) == key:
                    yield fact("in_wanted_value", number, parameter, 0, Function("default"), "")
        return
    is_whole = isinstance(source, Reference | Ask)
    for place, slot in enumerate(slots_of(source), start=0 if is_whole else 1):
        if isinstance(slot, Ask):
            yield fact("in_wanted_value", number, parameter, place, Function("ask"), "")
        elif slot.label in bearers:
            path = path_text(slot.path)
            yield fact("in_wanted_read", number, parameter, place, bearers[slot.label], path)
        else:
            for origin in _origins(evidence, slot.label):
                yield fact(
                    "in_wanted_value", number, parameter, place, origin, path_text(slot.path)
                )


def _origins(evidence: Evidence, label: str) -> Iterator[Symbol]:
    """Yield who is read under a label that no wanted call bears: an executed call, or memory."""
    instance = evidence.instance
    for number in range(-1, -1 - len(instance.history), -1):
        if instance.call(number).label == label:
            yield Number(number)
            return
    if label in instance.memory.values:
        yield memory(label)


def _given_frames(evidence: Evidence) -> dict[str, list[tuple[int, str, Source]]]:
    """Return where the given sequence has what stands around references; a whole reference has nothing."""
    found: dict[str, list[tuple[int, str, Source]]] = {}
    instance = evidence.instance
    for number in range(len(instance.sequence.calls) + instance.is_returning):
        for parameter, source in instance.call(number).arguments.items():
            if not isinstance(source, Reference):
                found.setdefault(_frame(source), []).append((number, parameter, source))
    return found


def _form_frames(evidence: Evidence) -> dict[str, list[tuple[int, str, int]]]:
    found: dict[str, list[tuple[int, str, int]]] = {}
    for (call, parameter, number), recast in evidence.forms.items():
        found.setdefault(_frame(source_of(recast.value)), []).append((call, parameter, number))
    return found


def _frame(source: Source) -> str:
    """Return what stands around the references of a source, and asks, as a text."""
    if isinstance(source, Constant):
        return json.dumps(source.value, sort_keys=True, default=str)
    slots = sum(1 for _ in slots_of(source))
    empty = replace_reference(source, dict.fromkeys(range(1, slots + 1), Ask(name="x")))[0]
    return json.dumps(empty.model_dump(mode="json"), sort_keys=True)


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

    def weighed(self, weights: Mapping[str, int]) -> int:
        """Return what the units cost with such weights."""
        return sum(weights[kind] * units for kind, units in self.units)

    def is_dominated(self, other: Paid) -> bool:
        """Whether another repair pays as little of every kind, so that no weights make this one cheaper."""
        mine, yours = dict(self.units), dict(other.units)
        return self.rest == other.rest and all(
            mine.get(kind, 0) >= units for kind, units in yours.items()
        )


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
    again = _again(result)
    if again is None or not again.case.verdicts.violations:  # what is right stays as it is
        return WantedRepairs((), complete=True)
    found = WantedRepairs((), complete=True)
    for left in dict.fromkeys((again.case.left, frozenset[int]())):
        found = _wanted(again, wanted, left)
        if found.found:
            break
    return found


def _wanted(again: Again, wanted: Sequence, left: Collection[int]) -> WantedRepairs:
    deadline = Deadline(again.seconds)
    asked = again.engine.question(again.case, left)
    held = _held(asked, wanted)
    control = (
        again.engine.program_for(again.case.instance)
        .with_files("modes/wanted.lp")
        .control(held.facts, held.signatures)
    )
    weights, priorities = criteria(control)
    found: dict[Paid, None] = {}
    complete = True
    for number, (symbols, cost) in enumerate(further_models(control, deadline, priorities)):
        choices = read_choices(symbols)
        if same(decode(asked.evidence, choices, weights).sequence, wanted):
            paid = _paid(choices, weights, cost, priorities)
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
    again = _again(result)
    if again is None or not again.case.verdicts.violations:
        return ()
    engine, deadline = again.engine, Deadline(again.seconds)
    asked = engine.question(again.case, again.case.left)
    judgement = search(engine.program_for(again.case.instance), asked, deadline, engine.cost_model)

    def others() -> Iterator[tuple[Choices, dict[int, int]]]:
        for choices in judgement.choices:
            yield choices, judgement.answer.cost
        if not judgement.answer.optimal:
            return
        block(judgement.control, *(choices.symbols for choices in judgement.choices))
        further = further_models(
            judgement.control, deadline, judgement.priorities, at_most=dict(at_most)
        )
        for number, (symbols, cost) in enumerate(further):
            if number >= limit:
                return
            yield read_choices(symbols), cost

    found = {
        _paid(choices, judgement.weights, cost, judgement.priorities): None
        for choices, cost in others()
        if not same(decode(asked.evidence, choices, judgement.weights).sequence, wanted)
    }
    return tuple(found)


def why_unreachable(result: RepairResult, wanted: Sequence) -> str:
    """Say why no repair is the wanted sequence: what is wrong with it, or what no rule offers."""
    again = _again(result)
    if again is None:
        return "the time ran out before any answer"
    engine, instance = again.engine, again.case.instance
    violations = engine.violations_of(wanted, instance)
    if violations:
        told = "; ".join(violation.message for violation in violations[:MAX_TOLD])
        return f"the wanted sequence is wrong itself: {told}"
    if not again.case.verdicts.violations:
        return "nothing is wrong with the sequence, so it stays as it is"
    if len(wanted.calls) > MAX_COMPARED:
        return NOT_REACHED
    asked = engine.question(again.case, again.case.left)
    held = _held(asked, wanted)
    nearly = Function("in_nearly")
    signatures = held.signatures | {("in_nearly", 0, ""), ("in_nearly", 0, ANY)}
    control = (
        engine.program_for(instance)
        .with_files("modes/wanted.lp")
        .control([*held.facts, nearly], signatures)
    )
    answer = solve(control, Deadline(again.seconds), 1, criteria(control)[1])
    if not answer.models:
        return "the time ran out before it was known" if answer.is_over else NOT_REACHED
    missed = sorted(
        symbol.arguments[0] for symbol in answer.models[0] if symbol.name == "out_missed"
    )
    secrets = instance.index.secrets
    told = "; ".join(
        _missed(token, wanted, instance.sequence, secrets) for token in missed[:MAX_TOLD]
    )
    more = f"; and {len(missed) - MAX_TOLD} more" if len(missed) > MAX_TOLD else ""
    return f"{told}{more}" if told else "the rules offer its parts, but not all of them together"


def _again(result: RepairResult) -> Again | None:
    return cast("Again | None", result._handle.asker)


def _paid(
    choices: Choices, weights: Mapping[str, int], cost: Mapping[int, int], levels: set[int]
) -> Paid:
    """Return what an answer set pays; all criteria are on one level."""
    units: dict[str, int] = {}
    for penalty in choices.penalties:
        if penalty.kind in weights and penalty.units:
            units[penalty.kind] = units.get(penalty.kind, 0) + penalty.units
    rest = dict(cost)
    for level in levels:
        rest[level] = rest.get(level, 0) - sum(
            weights[kind] * count for kind, count in units.items()
        )
    ordered = sorted(rest.items(), reverse=True)
    return Paid(tuple(sorted(units.items())), tuple(each for each in ordered if each[1]))


def _missed(token: Symbol, wanted: Sequence, given: Sequence, secrets: Secrets) -> str:
    """Say what a token is that the nearest repair has and is not wanted, or the other way round."""
    what = token.arguments[0]
    if token.name == "made":
        number = str(what)
        if number.isdigit() and int(number) < len(given.calls):
            return f"no rule leaves out call {int(number) + 1} of the given sequence"
        return "a call is made that is not wanted"
    calls, index = wanted.calls, what.number
    if token.name == "call":
        tool = shown(calls[index].name) if index < len(calls) else "what is returned"
        return f"no rule makes call {index + 1} of the wanted sequence, {tool}"
    place = f"call {index + 1}" if index < len(calls) else "what is returned"
    parameter = plain(token.arguments[1])
    if token.name == "extra":
        return f"no rule leaves out {shown(parameter)} of {place}"
    tool, arguments = "", wanted.returns or {}
    if index < len(calls):
        tool, arguments = calls[index].name, calls[index].arguments
    source = shown(_written(secrets.argument([tool], [parameter], arguments[parameter])))
    return f"no rule offers {source} as {shown(parameter)} of {place}"


def _written(source: Source) -> str:
    """Return a source as it is told in a sentence."""
    if isinstance(source, Ask):
        return "an ask"
    if isinstance(source, Template):
        return json.dumps("".join(map(str, source.parts)), ensure_ascii=False)
    if isinstance(source, Structure):
        inside = source.value
        if isinstance(inside, dict):
            return (
                "{" + ", ".join(f"{json.dumps(k)}: {_written(v)}" for k, v in inside.items()) + "}"
            )
        return "[" + ", ".join(map(_written, inside)) + "]"
    return (
        str(source)
        if isinstance(source, Reference)
        else json.dumps(source.value, ensure_ascii=False)
    )


def _held(asked: Question, wanted: Sequence) -> Question:
    """Return a question with the facts that say what is wanted."""
    facts = wanted_facts(asked.evidence, wanted)
    signatures = {(symbol.name, len(symbol.arguments), ANY) for symbol in facts}
    return Question(asked.evidence, [*asked.facts, *facts], asked.signatures | signatures)
