"""The same question with plain clingo: its facts, the command line, the ground program, and what it takes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from clingo import Symbol

from refract_asp.errors import LONGEST_TEXT, EncodingError, LimitError, shown
from refract_asp.rules.engine import repair_instance
from refract_asp.rules.instance import Instance
from refract_asp.rules.program import MODES, SOLVE_OPTIONS, WEIGHTS_FILE
from refract_asp.rules.question import Engine, criteria, find_problem
from refract_asp.rules.reading import ENTRIES, included
from refract_asp.rules.solve import solve
from refract_asp.rules.waiting import Deadline

# Seconds that grounding in a process of its own may take where no limit is given.
PATIENCE = 60.0


def facts_of(engine: Engine, instance: Instance, *, for_repair: bool) -> list[Symbol]:
    """Return the facts that the check program gets, or those of the repair program."""
    if not for_repair:
        return list(instance.facts)
    problem = find_problem(engine, instance).prepared()
    # what a repair finds that it has to leave is stated, too
    with suppress(EncodingError, LimitError):
        done = repair_instance(engine, instance, Deadline(PATIENCE))._handle.problem
        problem = replace(problem, left=done.left) if done is not None else problem
    _, asked, _ = problem.search_together(Deadline(PATIENCE))
    return asked.facts


def command_of(engine: Engine, instance: Instance, facts: str, *, for_repair: bool) -> list[str]:
    """
    Return the command with which clingo answers a question alike, at the same cost.

    Args:
        facts: the file that holds the facts.
        for_repair: whether the question is what is to be done, and not what is wrong.
    """
    problem = find_problem(engine, instance)
    program = problem.program if for_repair else problem.check
    # of the entries that begin with one another the last one names all files of the others
    named: dict[str, list[str]] = {}
    for entry in ENTRIES:
        files = included(program.folder, entry)
        if {*files} <= {*program.files, WEIGHTS_FILE}:
            named = {other: each for other, each in named.items() if not {*each} <= {*files}}
            named[entry] = files
    listed = {name for files in named.values() for name in files}
    modes = [name for name in program.files if name in MODES and name not in listed]
    paths = [*(program.folder / name for name in (*named, *modes)), *program.others]
    here = Path.cwd()
    shortest = (path.relative_to(here) if path.is_relative_to(here) else path for path in paths)
    given = sorted(program.overridden.items() - program.constants.items())
    constants = [part for name, value in given for part in ("-c", f"{name}={value}")]
    options = ("--opt-mode=opt", SOLVE_OPTIONS[0]) if for_repair else ()
    return ["clingo", *map(str, shortest), facts, *constants, *options]


def ground_text(engine: Engine, instance: Instance, *, for_repair: bool) -> str:
    """
    Return the ground program of a question, as `clingo --text` prints it.

    Raises:
        LimitError: it takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "facts.lp")
        facts = facts_of(engine, instance, for_repair=for_repair)
        path.write_text("".join(f"{symbol}.\n" for symbol in sorted(facts)), "utf-8")
        command = command_of(engine, instance, str(path), for_repair=for_repair)
        files = [each for each in command[1:] if not each.startswith("--")]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "clingo", *files, "--text", "--warn=none"],
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise LimitError(f"grounding took longer than {PATIENCE:g} s.") from None
    if done.returncode:
        reason = shown(done.stderr, LONGEST_TEXT)
        raise EncodingError(f"clingo ended with {done.returncode}: {reason}")
    return done.stdout


def statistics(engine: Engine, instance: Instance, time_limit: float | None) -> dict[str, Any]:
    """Return how large the question of a repair is, what clingo did, and the milliseconds of each phase."""
    moments = [time.perf_counter()]

    def passed() -> float:
        moments.append(time.perf_counter())
        return round((moments[-1] - moments[-2]) * 1000, 3)

    problem = find_problem(engine, instance)
    milliseconds = {"check": passed()}
    asked = problem.prepared().question()
    milliseconds["facts"] = passed()
    control = problem.program.control(asked.facts, asked.signatures)
    milliseconds["ground"] = passed()
    found = solve(control, Deadline(time_limit), 1, criteria(control))
    milliseconds["solve"] = passed()
    counts = control.statistics
    program, solver = counts["problem"]["lp"], counts["solving"]["solvers"]
    return {
        "milliseconds": milliseconds,
        "facts": len(asked.facts),
        "statements": len(problem.program.sliced(asked.signatures)),
        "ground": {name: int(program[name]) for name in ("rules", "atoms", "bodies")},
        "solver": {name: int(solver[name]) for name in ("choices", "conflicts", "restarts")},
        "total": {str(level): cost for level, cost in found.cost.items()},
        "optimal": found.optimal,
    }


def statistics_text(figures: dict[str, Any]) -> str:
    """Return statistics as text, which is JSON with a line for each phase."""
    lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in figures.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
