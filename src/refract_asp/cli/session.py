"""What a command works on: the refractor that its options describe, and the inputs that they name."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import typer

from refract_asp.cli import inputs, late, options
from refract_asp.cli.options import Level, Options, Seconds, SourceFormat, Told
from refract_asp.cli.output import complain
from refract_asp.options import RepairOptions
from refract_asp.rules.waiting import Deadline, in_time

if TYPE_CHECKING:
    from refract_asp.model import Catalog, Goal, Memory, Sequence
    from refract_asp.refractor import Refractor

# Seconds for a command without a time limit of its own.
PATIENCE = 60.0
# Seconds beyond the time limit, for reading, printing and starting up.
GRACE = 10.0
# Bytes that the process may use, where the system can bound them.
MEMORY = 2 * 1024**3
_ADVICE = "look for rules that make ever more atoms, in the cost model or in files of --encoding."
# Set in the process that does the work, so that it starts no other.
_INSIDE = "REFRACT_ASP_ISOLATED"


def isolated(wanted: bool, time_limit: float | None) -> None:
    """
    Run this very command in a process of its own and exit with its code; do nothing unless it is wanted.

    Rules that make ever more others are refused (`GroundingWatch`). What joins without end and makes none
    cannot be interrupted from within, so it is stopped from outside.
    """
    if not wanted or _INSIDE in os.environ:
        return

    def bound_memory() -> None:
        import resource

        with contextlib.suppress(ValueError, OSError):  # a lower limit is set already
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    limit = PATIENCE if time_limit is None else time_limit + GRACE
    how: Any = {"env": {**os.environ, _INSIDE: "1"}, "timeout": limit}
    how |= {"preexec_fn": bound_memory} if sys.platform != "win32" else {}
    words = [sys.executable, "-m", "refract_asp", *sys.argv[1:]]
    try:
        code = subprocess.run(words, check=False, **how).returncode
    except subprocess.TimeoutExpired:
        complain("error", f"no answer after {limit:g} s, so it was stopped; {_ADVICE}")
        raise typer.Exit(5) from None
    if code < 0:
        memory = f"{MEMORY >> 30} GB"
        complain("error", f"it broke off, most likely since {memory} were not enough; {_ADVICE}")
    raise typer.Exit(code if code >= 0 else 5)


# -- how it is repaired ----------------------------------------------------------

# Seconds that stand for no limit: with a limit an interrupt is heard.
A_MONTH = 30 * 24 * 3600.0
# How many other repairs are listed where no number was given.
NEXT_BEST = 10
_UP_TO_100 = typer.Option(min=0, max=100)
Patterns: TypeAlias = Annotated[list[str] | None, typer.Option("--pattern")]
# The options of a repair that the command line says otherwise: of what type, and what reads them.
_SAID: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "mappings": (str | None, lambda source: inputs.load(late.formats.load_mappings, source) or ()),
    "cost_model": (str, inputs.read_cost_model),
    "constants": (options.Constants, inputs.read_constants),
    "encodings": (Annotated[list[str] | None, typer.Option("--encoding")], inputs.read_encodings),
    "patterns": (Patterns, lambda names: tuple(map(Path, names or ()))),
    "encodings_dir": (Annotated[str | None, typer.Option("--encodings")], inputs.read_folder),
    "effects": (str, inputs.read_effects),
    "references": (options.Color, lambda said: said if said == "auto" else said == "always"),
    "max_new_calls": (Annotated[int, _UP_TO_100], int),
    "max_tries": (Annotated[int, typer.Option(min=1, max=100)], int),
    "alternatives": (Annotated[int, _UP_TO_100], int),
    "allow": (list[str] | None, lambda names: names or None),
    "deny": (list[str] | None, lambda names: names or None),
    "time_limit": (Seconds, lambda limit: A_MONTH if limit is None else limit),
}


class Rules(Options):
    """How a command repairs, as it is said on the command line: any options of `RepairOptions`."""

    def __init__(self, **said: Any) -> None:
        """Keep the options as given; the files that they name are not read yet."""
        self.said = said

    @classmethod
    def parameters(cls, told: Told) -> dict[str, Parameter]:
        """Return what `RepairOptions` declares, as the command line takes it; help is the first sentence."""
        firsts = {
            name: (metavar, f"{help.split('. ')[0].rstrip('.')}.")
            for name, (metavar, help) in options.told_in(RepairOptions.__doc__).items()
        }
        hints = get_type_hints(RepairOptions) | {name: kind for name, (kind, _) in _SAID.items()}
        told, found = {**firsts, **told}, {}
        for each in fields(RepairOptions):
            if each.name != "secrets":  # which is a function
                default = None if each.default == () else each.default
                found[each.name] = options.parameter(each.name, hints[each.name], default, told)
        return found

    def read(self) -> dict[str, Any]:
        """Read the files that are named, and return the options as the API takes them."""
        found = dict(self.said)
        for name, (_, read) in _SAID.items():
            if name in found:
                found[name] = read(found[name])
        if found.get("next_best"):
            found["alternatives"] = found["alternatives"] or NEXT_BEST
        return found

    def options(self) -> RepairOptions:
        """Return the options, with a time limit in any case."""
        return RepairOptions(**{"time_limit": A_MONTH, **self.read()})


# -- what is repaired ------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Given(Options):
    """
    What is known and wanted beside the calls, and the formats of files.

    Attributes:
        memory (FILE|JSON): Values already known: a JSON or YAML file, or the JSON itself.
        history (FILE): File with the calls made so far.
        goal (GOAL): What the calls have to bring about: 'TOOL', 'TOOL(parameter=value)', 'field NAME' or
            'TOOL before TOOL'; repeatable.
        goals (FILE): YAML or JSON file with a list of goals.
        source_format (FORMAT): Format of SEQUENCE, when it is not to be detected: pretty, nestful, python,
            openai, openai-responses, anthropic, gemini, bedrock, langchain, mcp, vercel, plan or loose.
    """

    memory: str | None = None
    history: str | None = None
    goal: list[str] | None = None
    goals: str | None = None
    source_format: SourceFormat = None

    def read(self) -> dict[str, Any]:
        """Read what is known and wanted, by the names that the API has for it."""
        content = inputs.inline(self.memory)
        memory = inputs.load(late.model.Memory.load, self.memory, content=content)
        history = inputs.load(late.model.Sequence.load, self.history) or ()
        goals = late.given.load_goals(self.goal or [])
        listed = inputs.load(late.given.load_goals, self.goals) or ()
        return {"memory": memory, "history": history, "goals": (*goals, *listed)}


@dataclass(frozen=True, kw_only=True)
class Tools(Options):
    """
    The tools that may be called.

    Attributes:
        catalog (PATH|NAME): The tools, for all sequences that do not bring their own; module:attribute imports
            them from Python.
        tag (TAG): Take only tools of the catalog with this tag; repeatable.
        tool (NAME|GLOB): Take only this tool, or tools such as 'issues/*'; repeatable.
        catalog_format (FORMAT): Format of the catalog, when it is not to be detected.
        no_cache: Read the catalog anew, and keep nothing of it.
    """

    catalog: str | None = None
    tag: list[str] | None = None
    tool: list[str] | None = None
    catalog_format: str | None = None
    no_cache: bool = False

    def read(self) -> Any:
        """Read the catalog, if one is named."""
        if self.catalog is None:
            return None
        loaded = inputs.read_catalog(self.catalog, self.catalog_format, no_cache=self.no_cache)
        return inputs.chosen(loaded, self.tool, self.tag)


@dataclass(frozen=True, kw_only=True)
class Asked(Given, Tools):
    """
    What a command repairs or checks.

    Attributes:
        sequence (SEQUENCE): File with the calls; - reads standard input.
        catalog (PATH|NAME): File with the tools, or the name of a shipped catalog.
        level: What the sequence has to be: admissible; besides, meet the goals (the default with goals);
            besides, make as few calls as possible.
        isolate: Work in a process of its own, with 2 GB of memory and the time limit or 60 s, then stop it.
    """

    sequence: str
    catalog: Annotated[str, typer.Option()] = field()
    level: Level | None = None
    isolate: bool = False


@dataclass(frozen=True)
class Session:
    """
    A refractor, the inputs of its methods, and what the first of them was read from.

    `helpers` are the local functions that a plan calls, which the catalog of the refractor holds beside the
    tools; `catalog` is the one that was named.
    """

    refractor: Refractor
    sequence: Sequence
    memory: Memory | None
    history: Any
    goals: tuple[Goal, ...]
    level: Level | None
    content: Path | str
    helpers: frozenset[str]
    catalog: Catalog

    def ask(self, question: Callable[..., Any], **more: Any) -> Any:
        """Ask a method of the refractor about all that is given."""
        inputs = (self.sequence, self.memory, self.history, self.goals)
        return question(*inputs, **{"level": self.level, **more})


def start(
    asked: Asked,
    rules: Rules,
    *others: str | None,
    in_place: bool = False,
    catalog: Catalog | None = None,
    before: Session | None = None,
) -> Session:
    """
    Read every input that the arguments name and build the refractor.

    Args:
        asked: what is repaired or checked.
        rules: how.
        others: further files that the command reads.
        in_place: lets the command write the calls to the file that they came from.
        catalog: the tools, where no file names them.
        before: another session with the same tools and rules, whose catalog is not read again.
    """
    mappings = rules.said.get("mappings")
    files = (asked.sequence, asked.catalog, asked.memory, asked.history, asked.goals)
    inputs.only_one_stdin(*files, mappings, *others)
    isolated(asked.isolate, rules.said.get("time_limit"))
    if before is not None:
        catalog = before.catalog
    catalog = Tools.read(asked) if catalog is None else catalog
    from refract_asp.formats.source import is_bulky

    content, how = inputs.read_data(asked.sequence, in_place=in_place), rules.options()

    def read() -> tuple[Sequence, dict[str, Any]]:
        given = inputs.read_sequence(asked.sequence, asked.source_format, content)
        return given, Given.read(asked)

    deadline = Deadline(how.time_limit)
    beside = map(Path, filter(None, (asked.memory, asked.history)))
    if is_bulky([content, *beside]):  # what it takes to read little does not count
        given, known = in_time(deadline, read)
        how = replace(how, time_limit=deadline.whole)
    else:
        given, known = read()
    tools, named = catalog.by_name.keys(), catalog
    if given.format == "plan":  # the local functions that it calls join the catalog
        from refract_asp.plan import dates
        from refract_asp.plan.context import with_helpers

        catalog, known["memory"] = with_helpers(given, dates(), catalog, known["memory"])
    helpers = frozenset(catalog.by_name.keys() - tools)
    known |= {"level": asked.level, "content": content, "helpers": helpers, "catalog": named}
    if before is not None and not helpers and not before.helpers:
        return Session(before.refractor, given, **known)  # compiled once
    return Session(late.refractor.Refractor(catalog, how), given, **known)
