"""Asks the encodings: what is wrong with a sequence, and which is the cheapest admissible one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clingo import Control, Function, Symbol, SymbolType

from refract_asp.errors import EncodingError, shown
from refract_asp.model import Violation
from refract_asp.rules.choices import Choices, Where, read_choices, read_violations
from refract_asp.rules.evidence import Allowed, ByTarget, Evidence, Options
from refract_asp.rules.files import TIES_FILE
from refract_asp.rules.fitting import discord_facts
from refract_asp.rules.gather import gather
from refract_asp.rules.instance import Instance
from refract_asp.rules.messages import refuse_unknown_codes, unmade_text, violation_of
from refract_asp.rules.program import Program, unranked
from refract_asp.rules.slicing import ANY, Signature
from refract_asp.rules.solve import MAX_OPTIMA, Answer, Deadline, solve
from refract_asp.rules.symbols import fact

__all__ = [
    "Case",
    "Judgement",
    "Question",
    "Verdicts",
    "criteria",
    "find_violations",
    "in_order",
    "question",
    "search",
]


@dataclass(slots=True)
class Verdicts:
    """The violations of a sequence, where each stands, the facts that say so, and what is only a warning."""

    violations: tuple[Violation, ...]
    places: tuple[Where, ...]
    facts: tuple[Symbol, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Judgement:
    """
    What the search for a repair gave: clingo's answer, the choices of each optimum, the weights and the
    levels of the cost model, and the control that holds the program.
    """

    answer: Answer
    choices: list[Choices]
    weights: dict[str, int]
    priorities: set[int]
    control: Control

    @property
    def tied(self) -> set[int]:
        """Return the given calls for which several tools are the cheapest alike."""
        given = [call for call in self.choices[0].tools if isinstance(call, int)]
        found = {call: {choice.tools.get(call) for choice in self.choices} for call in given}
        return {call for call, tools in found.items() if len(tools) > 1 and self.answer.optimal}


@dataclass(frozen=True, slots=True)
class Case:
    """
    A sequence with what was found wrong with it, and how it is asked about.

    Attributes:
        instance: the given sequence.
        verdicts: what was wrong with it.
        left: the calls that are not mended, because their arguments do not go together.
        tied: those that are not mended because several tools are the cheapest alike.
        same: fields that all results about this sequence share.
    """

    instance: Instance
    verdicts: Verdicts
    same: dict[str, Any]
    left: frozenset[int] = frozenset()
    tied: frozenset[int] = frozenset()


def find_violations(program: Program, instance: Instance) -> Verdicts:
    """
    Ground the check program; its violations are facts afterwards, so nothing is solved.

    Raises:
        EncodingError: the rules derive a code that is unknown.
    """
    facts = [*instance.facts, *discord_facts(instance.discordant)]
    control = program.control(facts, frozenset((*each, ANY) for each in instance.predicates))
    symbols = _symbols(control, "violation")
    refuse_unknown_codes(symbols)
    texts: dict[Where, list[str]] = {}
    if program.forbids:
        texts = _read_forbidden(control, instance)
    found = sorted(read_violations(symbols), key=lambda pair: _position(instance, *pair))
    return Verdicts(
        violations=tuple(
            violation_of(instance, code, where, texts.get(where, ()) if code == "forbidden" else ())
            for code, where in found
        ),
        places=tuple(where for _, where in found),
        facts=tuple(Function("in_violation", symbol.arguments) for symbol in sorted(symbols)),
        warnings=tuple(
            unmade_text(instance, number)
            for _, (_, number, _, _) in sorted(read_violations(_symbols(control, "warning")))
            if isinstance(number, int)
        ),
    )


def _read_forbidden(control: Control, instance: Instance) -> dict[Where, list[str]]:
    """
    Return what house rules say of each place that they forbid.

    Raises:
        EncodingError: what is forbidden is no place of the sequence, or not decided by it.
    """
    for atom in control.symbolic_atoms.by_signature("violation", 2):
        code, place = atom.symbol.arguments
        if code.name != "forbidden":
            continue
        if not _is_place(place, instance):
            raise EncodingError(
                f"forbidden({shown(place)}): that is no place of the sequence.",
                hint="Forbid call(X), argument(X, Param) or reference(X, Param, N) of a given call X.",
            )
        if not atom.is_fact:
            raise EncodingError(
                f"forbidden({shown(place)}) may hold or not, as the rules stand.",
                hint="Rules that forbid must not go round in circles through `not`.",
            )
    texts: dict[Where, list[str]] = {}
    said = sorted(atom.symbol for atom in control.symbolic_atoms.by_signature("forbidden", 2))
    for symbol in said:
        place, text = symbol.arguments
        if _is_place(place, instance):
            ((_, at),) = read_violations([Function("violation", [Function("forbidden"), place])])
            texts.setdefault(at, []).append(
                text.string if text.type is SymbolType.String else str(text)
            )
    return texts


def _is_place(symbol: Symbol, instance: Instance) -> bool:
    """Whether a symbol is a place in a given call, or in what is returned."""
    kinds = {
        "call": (SymbolType.Number,),
        "argument": (SymbolType.Number, SymbolType.String),
        "reference": (SymbolType.Number, SymbolType.String, SymbolType.Number),
    }
    if symbol.type is not SymbolType.Function:
        return False
    if tuple(each.type for each in symbol.arguments) != kinds.get(symbol.name):
        return False
    last = len(instance.sequence.calls) - (not instance.is_returning)
    call, *rest = symbol.arguments
    if not 0 <= call.number <= last:
        return False
    if symbol.name == "reference":
        return (call.number, rest[0].string, rest[1].number) in instance.references
    return True


def _symbols(control: Control, name: str) -> list[Symbol]:
    return [atom.symbol for atom in control.symbolic_atoms.by_signature(name, 2)]


def _position(instance: Instance, code: str, where: Where) -> tuple[int, int, str, int, str]:
    """Return where a violation stands: call, argument as written (absent ones last), reference, or goal."""
    kind, call, parameter, number = where
    assert isinstance(call, int)
    if kind == "goal":
        return len(instance.sequence.calls) + 1, call, "", 0, code
    arguments = list(instance.call(call).arguments)
    place = (
        arguments.index(parameter)
        if parameter in arguments
        else len(arguments)
        if parameter
        else -1
    )
    return call, place, parameter or "", number or 0, code


@dataclass(slots=True)
class Question:
    """All that a repair is asked with: the evidence, the facts and their signatures."""

    evidence: Evidence
    facts: list[Symbol]
    signatures: frozenset[Signature]


def question(
    instance: Instance,
    verdicts: Verdicts,
    allowed: Allowed,
    mappings: ByTarget,
    confirm: str,
    options: Options | None = None,
    left: Collection[int] = (),
) -> Question:
    """
    Gather the evidence for a repair, and all the facts that the repair program gets.

    The calls that are `left` have arguments that do not go together, and are not mended.
    """
    places = [(call, parameter, number) for _, call, parameter, number in verdicts.places]
    evidence = gather(instance, verdicts.violations, places, allowed, mappings, options)  # type: ignore[arg-type]
    facts = dict.fromkeys([*instance.facts, *discord_facts(left), *verdicts.facts, *evidence.facts])
    signatures: set[Signature] = {
        (*each, ANY) for each in instance.predicates | evidence.predicates
    }
    if left:
        signatures.add(("in_unmendable", 2, ANY))
    signatures |= {("in_violation", 2, violation.code) for violation in verdicts.violations}
    if confirm in ("risky", "defensive"):
        facts[fact("in_confirm", Function("risky"))] = None
        signatures.add(("in_confirm", 1, "risky"))
    return Question(evidence, list(facts), frozenset(signatures))


def search(program: Program, asked: Question, deadline: Deadline, cost_model: str) -> Judgement:
    """Find the cheapest admissible sequences under a cost model."""
    control = program.control(asked.facts, asked.signatures)
    unranked(control, cost_model)
    weights, priorities = criteria(control)
    answer = solve(control, deadline, MAX_OPTIMA, priorities)
    choices = in_order(answer, asked.evidence)
    if answer.optimal and len(answer.models) >= MAX_OPTIMA and choices[0].rank:
        _add_the_lowest(answer, program, asked, deadline)
        choices = in_order(answer, asked.evidence)
    return Judgement(answer, choices, weights, priorities, control)


def _add_the_lowest(answer: Answer, program: Program, asked: Question, deadline: Deadline) -> None:
    """
    Add the cheapest answers of the lowest rank, which may be none of those at which the search stopped.

    The question has a control of its own: the other one may be asked for further answers.
    """
    control = program.with_files(TIES_FILE).control(asked.facts, asked.signatures)
    lowest = solve(control, deadline, MAX_OPTIMA)
    if lowest.optimal:
        known = set(map(frozenset, answer.models))
        answer.models += [model for model in lowest.models if frozenset(model) not in known]


def in_order(answer: Answer, evidence: Evidence) -> list[Choices]:
    """Read the answer sets in an order of their own: it does not matter how clingo came upon them."""
    choices = [read_choices(model) for model in sorted(sorted(model) for model in answer.models)]
    choices.sort(key=lambda each: (each.rank, _reading_order(each, evidence)))
    return choices


def _reading_order(choices: Choices, evidence: Evidence) -> list[tuple[int, int]]:
    """
    Return from which calls the arguments that are filled read, in the order in which tools declare them.

    Where nothing else decides, what is declared first reads from the call that stands first.
    """
    order = []
    for (call, parameter), (origin, _) in choices.filled.items():
        tool = evidence.index.get(choices.tools.get(call, ""))
        if isinstance(call, int):
            tool = tool or evidence.instance.tool(call)
        names = list(tool.parameters) if tool is not None else []
        if isinstance(origin, int) and parameter in names:
            order.append((str(call), names.index(parameter), origin))
    return [(place, origin) for _, place, origin in sorted(order)]


def criteria(control: Control) -> tuple[dict[str, int], set[int]]:
    """Return the weight of each criterion, with what else the cost model says, and the levels."""
    weights = {}
    priorities = set()
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, priority, weight = _criterion(atom.symbol)
        weights[kind] = weight
        priorities.add(priority)
    for atom in control.symbolic_atoms.by_signature("ask_named_after", 1):
        weights[f"ask_named_after_{atom.symbol.arguments[0]}"] = 1
    return weights, priorities


@lru_cache(maxsize=4096)
def _criterion(symbol: Symbol) -> tuple[str, int, int]:
    """Return kind, priority and weight; they are the same in every repair."""
    kind, priority, weight = symbol.arguments
    return kind.name, priority.number, weight.number
