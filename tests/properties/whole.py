"""Puts a question with everything stated, or with every statement, to compare with how it is put."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from clingo import Function, Number, Symbol, SymbolType

from refract_asp import Catalog, Refractor
from refract_asp.rules.bounds import Bounds
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.program import Program
from refract_asp.rules.question import Answer, Question, criteria, find_problem
from refract_asp.rules.solve import Deadline, behind, choice_atoms, solve


def lifted(common: Refractor, catalog: Catalog, bounds: Bounds | None = None) -> Refractor:
    """Return what repairs as the other one does, with other bounds, or with every statement and none."""
    found = with_every_statement(common) if bounds is None else copy(common)
    index = CatalogIndex(catalog, bounds=bounds or Bounds.lifted())
    found._engine = replace(found._engine, index=index)
    return found


def with_every_statement(common: Refractor) -> Refractor:
    """Return what repairs as the other one does, with the statements that no fact can reach."""
    found, engine = copy(common), common._engine
    programs = {
        name: replace(getattr(engine, name), whole=True, _variants={})
        for name in ("check_program", "repair_program")
    }
    found._engine = replace(engine, **programs)
    return found


@dataclass
class Search:
    """A question that was put to the rules, and what came of it."""

    program: Program
    asked: Question
    answer: Answer

    @property
    def evidence(self) -> Evidence:
        return self.asked.evidence

    @property
    def cost(self) -> dict[int, int]:
        return self.answer.cost


def searched(
    refractor: Refractor, sequence: Any, known: dict[str, Any], level: str = "admissible"
) -> Search:
    """Put the question of a repair, once, and return what comes of it."""
    instance = refractor._instance(
        sequence, known.get("memory"), known.get("history", ()), (), level
    )
    problem = find_problem(refractor._engine, instance).prepared()
    asked = problem.question()
    return Search(problem.program, asked, problem.search(asked, Deadline(None)))


def cost_of_the_same(of: Search, where: Search) -> dict[int, int] | None:
    """
    Return what the answer of one search costs in another one; None where that does not have it.

    A control of its own is asked, with the choices as constraints: one that has found all optima may never
    come back (`rules.explain`), nor one that assumes them.
    """
    control = where.program.control(where.asked.facts, where.asked.signatures)
    chosen = []
    for atom in choice_atoms(of.answer.choices[0].symbols):
        found = behind(control, _renumbered(atom, of.evidence, where.evidence))
        if found is None:
            return None
        chosen.append(found.literal)
    with control.backend() as backend:
        for literal in chosen:
            backend.add_rule([], [-literal])
    answer = solve(control, Deadline(None), 1, criteria(control)[1])
    return answer.cost if answer.models else None


def _renumbered(atom: Symbol, of: Evidence, where: Evidence) -> Symbol:
    """Return the same choice with the numbers that constants and forms have elsewhere."""
    arguments = atom.arguments
    if atom.name == "fill" and arguments[2].match("constant", 1):
        value = of.constants[arguments[2].arguments[0].number]
        same = [
            number for number, other in enumerate(where.constants) if repr(other) == repr(value)
        ]
        tool = [
            s for s in where.facts if s.name == "in_constant" and s.arguments[1] == arguments[1]
        ]
        number = next(s.arguments[2].number for s in tool if s.arguments[2].number in same)
        arguments = [*arguments[:2], Function("constant", [Number(number)]), *arguments[3:]]
    elif atom.name == "recast" and arguments[2].type is SymbolType.Number:
        place = (arguments[0].number, arguments[1].string)
        form = of.forms[(*place, arguments[2].number)]
        keys = (
            key
            for key, other in where.forms.items()
            if (key[:2], other.steps, other.distance) == (place, form.steps, form.distance)
        )
        arguments = [*arguments[:2], Number(next(keys)[2])]
    return Function(atom.name, arguments)
