"""What a command works on: the refractor that its options describe, and the inputs that they name."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import typer

from refract_asp import refractor
from refract_asp.cli import inputs, options
from refract_asp.cli.output import complain
from refract_asp.formats import read_text
from refract_asp.model import Catalog, Goal, Level, Memory, Sequence
from refract_asp.options import Confirm, RepairOptions

__all__ = [
    "Asked",
    "Rules",
    "Session",
    "isolated",
    "start",
]


PATIENCE = 60.0
"""Seconds for a command without a time limit of its own."""
GRACE = 10.0
"""Seconds beyond the time limit, for reading, printing and starting up."""
MEMORY = 2 * 1024**3
"""Bytes that the process may use, where the system can bound them."""
_ADVICE = "look for rules that make ever more atoms, in the cost model or in files of --encoding."
_INSIDE = "REFRACT_ASP_ISOLATED"
"""Set in the process that does the work, so that it starts no other."""
TOO_MUCH = 5
"""The exit code that says: no answer in time."""


def isolated(wanted: bool, time_limit: float | None = None) -> None:
    """
    Run this very command in a process of its own and exit with its code; do nothing unless it is wanted.

    Rules that make ever more others are refused (`GroundingWatch`). What joins without end and makes none
    cannot be interrupted from within, so it is stopped from outside.
    """
    if not wanted or _INSIDE in os.environ:
        return
    command = [sys.executable, "-m", "refract_asp", *sys.argv[1:]]
    limit = PATIENCE if time_limit is None else time_limit + GRACE
    bound = _bound_memory if sys.platform != "win32" else None  # elsewhere only the time is bounded
    environment = {**os.environ, _INSIDE: "1"}
    process = subprocess.Popen(command, preexec_fn=bound, env=environment)  # noqa: PLW1509 - one thread yet
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        _stop(process)
        complain("error", f"no answer after {limit:g} s, so it was stopped; {_ADVICE}")
        raise typer.Exit(TOO_MUCH) from None
    except KeyboardInterrupt:
        _stop(process)
        raise
    if code < 0:
        complain(
            "error", f"it broke off, most likely since {MEMORY >> 30} GB were not enough; {_ADVICE}"
        )
        raise typer.Exit(TOO_MUCH)
    raise typer.Exit(code)


def _bound_memory() -> None:
    import resource

    with contextlib.suppress(ValueError, OSError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How a command repairs, as it is said on the command line."""

    mappings: options.MappingsFile = None
    new_maps: options.NewMaps = False
    cost_model: options.CostModel = "default"
    constants: options.Constants = None
    encoding: options.EncodingFiles = None
    encodings: options.EncodingsFolder = None
    confirm: options.ConfirmChoice = None
    defensive: options.Defensive = False
    max_new_calls: options.MaxNewCalls = 2
    max_tries: options.MaxTries = 3
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT
    references: options.References = options.WhenToRefer.AUTO
    check_formats: options.CheckFormats = False
    known_tools_only: options.KnownToolsOnly = False
    allow: options.Allow = None
    deny: options.Deny = None
    time_limit: options.TimeLimit = None
    alternatives: options.Alternatives = 0
    next_best: options.NextBest = False

    def read(self) -> RepairOptions:
        """Read the files that are named, and return all as the API takes it."""
        return RepairOptions(
            mappings=inputs.read_mappings(self.mappings),
            new_maps=self.new_maps,
            cost_model=inputs.read_cost_model(self.cost_model),
            constants=inputs.read_constants(self.constants),
            encodings=inputs.read_encodings(self.encoding),
            encodings_dir=inputs.read_folder(self.encodings),
            confirm=cast("Confirm | None", self.confirm and self.confirm.value),
            defensive=self.defensive,
            max_new_calls=self.max_new_calls,
            max_tries=self.max_tries,
            undeclared=self.undeclared.value,
            references=self.references.option,
            check_formats=self.check_formats,
            known_tools_only=self.known_tools_only,
            allow=self.allow or None,
            deny=self.deny or None,
            time_limit=options.in_seconds(self.time_limit),
            alternatives=options.how_many(self.alternatives, self.next_best),
            next_best=self.next_best,
        )


@dataclass(frozen=True, kw_only=True)
class Asked(Rules):
    """What a command repairs or checks, and how."""

    sequence: options.SequenceFile
    catalog: options.CatalogName
    memory: options.MemoryFile = None
    history: options.HistoryFile = None
    goal: options.Goals = None
    goals: options.GoalsFile = None
    level: options.LevelChoice = None
    source_format: options.From = None
    catalog_format: options.CatalogFormat = None
    no_cache: options.NoCache = False


@dataclass(frozen=True)
class Session:
    """
    A refractor, the inputs of its methods, and what the first of them was read from.

    `helpers` are the local functions that a plan calls, which its catalog holds beside the tools.
    """

    refractor: refractor.Refractor
    sequence: Sequence
    memory: Memory | None
    history: Sequence | tuple[()]
    content: Path | str
    goals: tuple[Goal, ...] = ()
    level: Level | None = None
    helpers: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The text that the sequence was read from."""
        return read_text(self.content)


def start(asked: Asked, *others: str | None, in_place: bool = False) -> Session:
    """
    Read every input that the arguments name and build the refractor.

    Args:
        asked: the arguments.
        others: further files that the command reads.
        in_place: lets the command write the calls to the file that they came from.
    """
    inputs.only_one_stdin(
        asked.sequence,
        asked.catalog,
        asked.memory,
        asked.history,
        asked.mappings,
        asked.goals,
        *others,
    )
    catalog = inputs.read_catalog(asked.catalog, asked.catalog_format, no_cache=asked.no_cache)
    given, content = inputs.read_sequence(asked.sequence, asked.source_format, in_place=in_place)
    known = inputs.read_memory(asked.memory)
    catalog, known, helpers = _with_helpers(given, catalog, known)
    return Session(
        refractor=refractor.Refractor(catalog, asked.read()),
        sequence=given,
        content=content,
        memory=known,
        history=inputs.read_history(asked.history),
        goals=inputs.read_goals(asked.goal, asked.goals),
        helpers=helpers,
        level=asked.level,
    )


def _with_helpers(
    given: Sequence, catalog: Catalog, memory: Memory | None
) -> tuple[Catalog, Memory | None, frozenset[str]]:
    """Add the local functions that a plan calls to the catalog; return their names, too."""
    if given.format != "plan":
        return catalog, memory, frozenset()
    from refract_asp.plan import dates
    from refract_asp.plan.context import with_helpers

    tools = catalog.by_name.keys()
    catalog, memory = with_helpers(given, dates(), catalog, memory)
    return catalog, memory, frozenset(catalog.by_name.keys() - tools)
