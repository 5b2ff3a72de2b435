"""Puts a question without bounds, or with every statement, to compare with how it is put."""

import math
from copy import copy
from dataclasses import replace
from typing import Any

from refract_asp import Catalog, Refractor
from refract_asp.rules.index import Bounds
from refract_asp.rules.question import Answer, find_problem
from refract_asp.rules.waiting import Deadline


def lifted(common: Refractor, catalog: Catalog, bounds: Bounds | None = None) -> Refractor:
    """Return what repairs as the other one does, with other bounds, or with every statement and none."""
    found = with_every_statement(common) if bounds is None else copy(common)
    bounds = bounds or Bounds(**dict.fromkeys(Bounds.__annotations__, 10**6))
    index = replace(found._engine.index, catalog=catalog, bounds=bounds)
    found._engine = replace(found._engine, index=index)
    return found


def with_every_statement(common: Refractor) -> Refractor:
    """Return what repairs as the other one does, with the statements that no fact can reach."""
    found, engine = copy(common), common._engine
    known = engine.repairing()
    program = replace(known.program, whole=math.inf)
    found._engine = replace(
        engine,
        check_program=replace(engine.check_program, whole=math.inf),
        repairing=lambda: known._replace(program=program),
    )
    return found


def searched(refractor: Refractor, sequence: Any, known: Any, level: str = "admissible") -> Answer:
    """Put the question of a repair, once, and return what comes of it."""
    memory, history = known.get("memory"), known.get("history", ())
    instance = refractor._instance(sequence, memory, history, (), level)
    problem = find_problem(refractor._engine, instance).prepared()
    return problem.search(problem.question(), Deadline(None))
