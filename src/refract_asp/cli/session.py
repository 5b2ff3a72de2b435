"""What a command works on: the refractor that its options describe, and the inputs that they name."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import typer

from refract_asp.cli import inputs, options
from refract_asp.cli.output import complain
from refract_asp.formats import read_text
from refract_asp.model import Goal, Level, Memory, Sequence
from refract_asp.options import RepairOptions
from refract_asp.settings import option

if TYPE_CHECKING:
    from refract_asp.refractor import Refractor

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
    limit = PATIENCE if time_limit is None else time_limit + GRACE
    process = subprocess.Popen(
        [sys.executable, "-m", "refract_asp", *sys.argv[1:]],
        preexec_fn=_bound_memory if sys.platform != "win32" else None,  # noqa: PLW1509 - one thread yet
        env={**os.environ, _INSIDE: "1"},
    )
    try:
        code = process.wait(limit)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as error:
        process.kill()
        process.wait()
        if isinstance(error, KeyboardInterrupt):
            raise
        complain("error", f"no answer after {limit:g} s, so it was stopped; {_ADVICE}")
        raise typer.Exit(TOO_MUCH) from None
    if code < 0:
        memory = f"{MEMORY >> 30} GB"
        complain("error", f"it broke off, most likely since {memory} were not enough; {_ADVICE}")
    raise typer.Exit(code if code >= 0 else TOO_MUCH)


def _bound_memory() -> None:
    import resource

    with contextlib.suppress(ValueError, OSError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


# -- how it is repaired ----------------------------------------------------------

A_MONTH = 30 * 24 * 3600.0
"""Seconds that stand for no limit: with a limit an interrupt is heard."""
NEXT_BEST = 10
"""How many other repairs are listed where no number was given."""
_SAID: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "mappings": (str | None, inputs.read_mappings),
    "cost_model": (str, inputs.read_cost_model),
    "constants": (list[str] | None, inputs.read_constants),
    "encodings": (list[str] | None, inputs.read_encodings),
    "encodings_dir": (str | None, inputs.read_folder),
    "references": (
        Literal["auto", "always", "never"],
        lambda said: said if said == "auto" else said == "always",
    ),
    "allow": (list[str] | None, lambda names: names or None),
    "deny": (list[str] | None, lambda names: names or None),
    "time_limit": (float | None, lambda limit: A_MONTH if limit is None else limit),
}
"""The options of a repair that the command line says otherwise: of what type, and what reads them."""


class Rules:
    """How a command repairs, as it is said on the command line: any options of `RepairOptions`."""

    def __init__(self, **said: Any) -> None:
        """Keep what is said; the files that are named are not read yet."""
        self.said = said

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return what `RepairOptions` declares, as the command line takes it."""
        hints = get_type_hints(RepairOptions)
        found = {}
        for each in fields(RepairOptions):
            if each.metadata:
                kind = _SAID[each.name][0] if each.name in _SAID else hints[each.name]
                default = None if each.default == () else each.default
                found[each.name] = options.parameter(each.name, kind, default, each.metadata)
        return found

    def read(self) -> dict[str, Any]:
        """Read the files that are named, and return the options as the API takes them."""
        found = {
            name: _SAID[name][1](value) if name in _SAID else value
            for name, value in self.said.items()
        }
        if found.get("next_best"):
            found["alternatives"] = found["alternatives"] or NEXT_BEST
        return found

    def options(self) -> RepairOptions:
        """Return the options, with a time limit in any case."""
        return RepairOptions(**{"time_limit": A_MONTH, **self.read()})


# -- what is repaired ------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Given:
    """What is known and wanted beside the calls, and the formats of files."""

    memory: str | None = options.MEMORY
    history: str | None = option(None, "File with the calls made so far.", "FILE")
    goal: list[str] | None = option(
        None,
        "What the calls have to bring about: 'TOOL', 'TOOL(parameter=value)', 'field NAME' or "
        "'TOOL before TOOL'; repeatable.",
        "GOAL",
    )
    goals: str | None = option(None, "YAML or JSON file with a list of goals.", "FILE")
    source_format: str | None = options.FROM
    catalog_format: str | None = options.CATALOG_FORMAT
    no_cache: bool = options.NO_CACHE


@dataclass(frozen=True, kw_only=True)
class Asked(Given):
    """What a command repairs or checks."""

    sequence: str = options.SEQUENCE
    catalog: str = option(
        MISSING, "File with the tools, or the name of a shipped catalog.", "PATH|NAME"
    )
    level: Level | None = option(
        None,
        "What the sequence has to be: admissible; besides, meet the goals (the default with goals); "
        "besides, make as few calls as possible.",
        "admissible|achieves_goals|cheapest",
    )


@dataclass(frozen=True)
class Session:
    """
    A refractor, the inputs of its methods, and what the first of them was read from.

    `helpers` are the local functions that a plan calls, which its catalog holds beside the tools.
    """

    refractor: Refractor
    sequence: Sequence
    memory: Memory | None
    history: Any
    content: Path | str
    goals: tuple[Goal, ...] = ()
    level: Level | None = None
    helpers: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The text that the sequence was read from."""
        return read_text(self.content)

    def ask(self, question: Callable[..., Any], **more: Any) -> Any:
        """Ask a method of the refractor about all that is given."""
        inputs = (self.sequence, self.memory, self.history, self.goals)
        return question(*inputs, level=self.level, **more)


def start(asked: Asked, rules: Rules, *others: str | None, in_place: bool = False) -> Session:
    """
    Read every input that the arguments name and build the refractor.

    Args:
        asked: what is repaired or checked.
        rules: how.
        others: further files that the command reads.
        in_place: lets the command write the calls to the file that they came from.
    """
    from refract_asp import refractor

    mappings = rules.said.get("mappings")
    inputs.only_one_stdin(
        asked.sequence, asked.catalog, asked.memory, asked.history, mappings, asked.goals, *others
    )
    catalog = inputs.read_catalog(asked.catalog, asked.catalog_format, no_cache=asked.no_cache)
    given, content = inputs.read_sequence(asked.sequence, asked.source_format, in_place=in_place)
    memory = inputs.read_memory(asked.memory)
    tools = catalog.by_name.keys()
    if given.format == "plan":  # the local functions that it calls join the catalog
        from refract_asp.plan import dates
        from refract_asp.plan.context import with_helpers

        catalog, memory = with_helpers(given, dates(), catalog, memory)
    return Session(
        refractor=refractor.Refractor(catalog, rules.options()),
        sequence=given,
        content=content,
        memory=memory,
        history=inputs.read_history(asked.history),
        goals=inputs.read_goals(asked.goal, asked.goals),
        helpers=frozenset(catalog.by_name.keys() - tools),
        level=asked.level,
    )
