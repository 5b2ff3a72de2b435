"""Finds what a wanted repair pays, and what pays less, in units of penalties, whatever they weigh."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from clingo import Function, Symbol

from refract_asp.errors import shown
from refract_asp.model import Ask, RepairResult, Sequence
from refract_asp.model.sameness import same
from refract_asp.model.secrets import Secrets
from refract_asp.model.sources import (
    Reference,
    Source,
    Structure,
    Template,
)
from refract_asp.rules.again import Again
from refract_asp.rules.choices import Choices, read_choices
from refract_asp.rules.decode import decode
from refract_asp.rules.judge import Question, criteria, search
from refract_asp.rules.others import block, further_models
from refract_asp.rules.slicing import ANY
from refract_asp.rules.solve import Deadline, solve
from refract_asp.rules.symbols import plain
from refract_asp.rules.wanted_facts import wanted_facts

__all__ = ["Paid", "WantedRepairs", "cheaper_repairs", "wanted_repairs", "why_unreachable"]

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
        return self.rest == other.rest and all(mine.get(kind, 0) >= units for kind, units in yours.items())


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
        further = further_models(judgement.control, deadline, judgement.priorities, at_most=dict(at_most))
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
        engine.program_for(instance).with_files("modes/wanted.lp").control([*held.facts, nearly], signatures)
    )
    answer = solve(control, Deadline(again.seconds), 1, criteria(control)[1])
    if not answer.models:
        return "the time ran out before it was known" if answer.is_over else NOT_REACHED
    missed = sorted(symbol.arguments[0] for symbol in answer.models[0] if symbol.name == "out_missed")
    secrets = instance.index.secrets
    told = "; ".join(_missed(token, wanted, instance.sequence, secrets) for token in missed[:MAX_TOLD])
    more = f"; and {len(missed) - MAX_TOLD} more" if len(missed) > MAX_TOLD else ""
    return f"{told}{more}" if told else "the rules offer its parts, but not all of them together"


def _again(result: RepairResult) -> Again | None:
    return cast("Again | None", result._handle.asker)


def _paid(choices: Choices, weights: Mapping[str, int], cost: Mapping[int, int], levels: set[int]) -> Paid:
    """Return what an answer set pays; all criteria are on one level."""
    units: dict[str, int] = {}
    for penalty in choices.penalties:
        if penalty.kind in weights and penalty.units:
            units[penalty.kind] = units.get(penalty.kind, 0) + penalty.units
    rest = dict(cost)
    for level in levels:
        rest[level] = rest.get(level, 0) - sum(weights[kind] * count for kind, count in units.items())
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
            return "{" + ", ".join(f"{json.dumps(k)}: {_written(v)}" for k, v in inside.items()) + "}"
        return "[" + ", ".join(map(_written, inside)) + "]"
    return str(source) if isinstance(source, Reference) else json.dumps(source.value, ensure_ascii=False)


def _held(asked: Question, wanted: Sequence) -> Question:
    """Return a question with the facts that say what is wanted."""
    facts = wanted_facts(asked.evidence, wanted)
    signatures = {(symbol.name, len(symbol.arguments), ANY) for symbol in facts}
    return Question(asked.evidence, [*asked.facts, *facts], asked.signatures | signatures)
