"""`refract-asp run`: make the calls of a sequence or a plan."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Annotated, Any

import typer

from refract_asp.cli import inputs, output
from refract_asp.cli.check import Rendering
from refract_asp.cli.options import Options, SomeSeconds, refuse, takes
from refract_asp.cli.session import Asked, Rules, start
from refract_asp.errors import LONGEST_TEXT, AnswerError, InputError, shown
from refract_asp.model import EXIT_CODES, Catalog, RepairResult, Sequence
from refract_asp.model.stages import Order, stages
from refract_asp.plan import dates
from refract_asp.plan.context import function_tools
from refract_asp.report.graph import stages_text
from refract_asp.report.text import summary
from refract_asp.runtime import Question
from refract_asp.runtime import run as run_calls
from refract_asp.runtime.tools import Bound, Tools

HINT = "Name them as in --tools my_tools:registry; modules are looked for in the working directory, too."


@dataclass(frozen=True, kw_only=True)
class Limits(Options):
    """
    How the calls are made; the names are those of `refract_asp.runtime.run`.

    Attributes:
        limit (N): Make up to N calls at a time.
        timeout (SECONDS): Time for each call; no limit by default.
        total_timeout (SECONDS): Time for all calls; no limit by default.
        retries (N): Make a failed call again up to N times, of tools bound as idempotent.
        order: Keep the order of calls that are declared to change something, of those of unknown effect as
            well, or of none.
    """

    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 100
    timeout: SomeSeconds = None
    total_timeout: SomeSeconds = None
    retries: Annotated[int, typer.Option(min=0, max=100)] = 0
    order: Order = "declared"


@dataclass(frozen=True, kw_only=True)
class ToRun(Asked):
    """
    What is run.

    Attributes:
        catalog (PATH|NAME): File with the tools, or the name of a shipped catalog; by default the signatures of
            the functions say what they take.
    """

    catalog: str | None = None  # type: ignore[assignment]


@takes(
    "sequence catalog tag tool tools memory repair dry_run answer yes limit timeout total_timeout retries order "
    "source_format catalog_format no_cache format color to_file"
)
def run(
    asked: ToRun,
    limits: Limits,
    out: output.Output,
    tools: str | None = None,
    repair: bool = False,
    dry_run: bool = False,
    answer: list[str] | None = None,
    yes: bool = False,
) -> None:
    """
    Make the calls of a sequence or a plan, as many at a time as their data allows.

    Examples:

      refract-asp run calls.txt --tools my_tools:registry
      refract-asp run calls.txt --catalog tools.yaml --dry-run
      refract-asp run calls.txt --catalog travel --tools my_tools --answer day=3
      refract-asp run plan.js --catalog tools.yaml --tools my_tools --format json

    --tools imports the module, which is code that runs; the calls themselves are data. What the module and its
    functions print goes to standard error.

    Exit codes: 0 every call gave a value, 1 a call failed, or the calls are not admissible and none was made,
    3 values have to be asked for or calls to be confirmed, 4 a call could not be repaired and none was made,
    5 the time was over, 2 bad usage or input, 130 interrupted (what ran is cancelled).

    Args:
        sequence (FILE): File with the calls; - reads standard input.
        tools (MODULE[:REGISTRY]): The functions: a mapping, a list or Tools in a module, or what its __all__
            names.
        repair: Repair the calls first where they are not admissible.
        dry_run: Print the stages with their calls; make no call.
        answer (NAME=VALUE): Give a value that is asked for, as text or JSON; repeatable.
        yes: Confirm every change that needs it.
    """
    if tools is None and not dry_run:
        refuse("tools", "name the functions to call, or use --dry-run.")
    # what the texts mean is seen when they are asked for
    answers = dict(inputs.read_pairs("--answer", "NAME=VALUE", answer))
    specified = None if asked.catalog is not None else signatures_of(tools)
    session = start(asked, Rules(), catalog=specified)
    output.check_target(out.to_file)  # before a call is made whose value would be lost
    refractor = session.refractor
    found = (refractor.repair if repair else refractor.check)(session.sequence, session.memory)
    if found.verdict not in ("valid", "repaired", "needs_input"):
        if isinstance(found, RepairResult) and out.format != "json":
            out.write(summary(found, color=out.is_colored, width=output.width()))
        else:
            Rendering(**vars(out)).render((asked.sequence, found, session))
            if output.is_shown():
                output.complain("next", "the same command with --repair mends the calls first")
        raise typer.Exit(EXIT_CODES[found.verdict])
    # as it was judged
    sequence: Sequence = getattr(found, "sequence", found._handle.instance.sequence)
    changes = found if isinstance(found, RepairResult) and found.edits else None
    data = {"repair": found.model_dump(mode="json") if repair else None}

    def text(told: str, **how: Any) -> str:
        """Return the text, below the changes of the repair if there are any."""
        return f"{summary(changes, **how)}\n\n{told}" if changes else told

    if dry_run:
        staged = (sequence, refractor.catalog, limits.order, session.helpers)
        told = {"stages": stages(*staged), "sequence": sequence.model_dump(mode="json"), **data}
        out.tell(told, lambda **how: text(stages_text(*staged, color=how["color"]), **how))
        return
    refuse_unasked(answers, sequence.asks)
    with redirect_stdout(sys.stderr):  # what tools print is no part of the answer
        functions = functions_for(sequence, str(tools), session.helpers)
        how: Any = {"catalog": refractor.catalog, "memory": session.memory, **vars(limits)}
        how["context"] = dates() if sequence.format == "plan" else None
        how |= {"ask": partial(answered, answers), "confirm": lambda _: yes}
        done = run_calls(found if repair else sequence, functions, **how)
    failed = done.error is not None or any(each.status == "failed" for each in done.outcomes)
    out.tell({**done.model_dump(), **data}, lambda **how: text(done.summary(**how), **how))
    raise typer.Exit(5 if done.timed_out else 1 if failed else 3 if done.is_open else 0)


def signatures_of(tools: str | None) -> Catalog:
    """Return a catalog made from the signatures of the functions, where no catalog is named."""
    if tools is None:
        refuse("catalog", "name the tools, or the functions with --tools.")
    with redirect_stdout(sys.stderr):
        bound = read_tools(tools)
    named = {name: each.function for name, each in bound.items()}
    return Catalog(tools=tuple(function_tools(named)))


def refuse_unasked(answers: dict[str, str], asked: tuple[str, ...]) -> None:
    """Refuse an answer to what is not asked."""
    if unasked := next((name for name in answers if name not in asked), None):
        listed = shown(", ".join(map(shown, asked)) or "nothing", 200)
        raise AnswerError(f"{shown(unasked)!r} was not asked for.", hint=f"Asked: {listed}.")


def answered(answers: dict[str, str], question: Question) -> Any:
    """Return a value as it was answered, None where it was not."""
    text = answers.get(question.name)
    if text is None:
        return None
    if question.problem:
        output.complain("warning", f"--answer {shown(question.name)}: {question.problem}")
        return None
    return inputs.answer_of(text, question.schema)


# -- the functions of tools ----------------------------------------------------


def functions_for(sequence: Sequence, source: str, helpers: frozenset[str]) -> Tools:
    """Read the functions of the tools that a sequence calls, or refuse it where one is missing."""
    found = read_tools(source)
    known = {*found, *helpers}
    unbound = next((call.name for call in sequence.calls if call.name not in known), None)
    if unbound is not None:
        there = shown(", ".join(map(shown, found)) or "none", 200)
        what = f"there is no function for {shown(unbound)}; nothing was called."
        raise InputError(what, where=f"--tools {shown(source)}", hint=f"There are: {there}.")
    return found


def read_tools(name: str) -> Tools:
    """
    Import a module and return the tools that it holds.

    Args:
        name: `module:registry`, where the registry is a mapping of names to functions, a list of functions,
            `Tools` or a module; or a module alone, whose functions in `__all__` are meant.

    Raises:
        InputError: there is no such module, it cannot be imported, or it holds no such thing.
    """
    path, _, attribute = name.partition(":")
    where = f"--tools {shown(name)}"
    steps = [*path.split("."), *(attribute.split(".") if attribute else ())]
    if not all(step.isidentifier() for step in steps):
        raise InputError("this is not module:registry.", where=where, hint=HINT)
    if (folder := os.getcwd()) not in sys.path:
        sys.path.insert(0, folder)
    doing = "the module cannot be imported"
    try:
        found: Any = importlib.import_module(path)
        doing = "the registry cannot be read"  # which may run code of the module, too
        for step in steps[path.count(".") + 1 :]:
            if not hasattr(found, step):
                raise InputError(f"{shown(path)} holds no {shown(step)!r}.", hint=HINT)
            found = getattr(found, step)
        if isinstance(found, ModuleType):
            names = getattr(found, "__all__", None)
            if not isinstance(names, list | tuple):
                hint = "Name a registry inside of it, or give it an __all__."
                raise InputError("the module has no __all__.", hint=hint)
            named = [(str(name), getattr(found, str(name), None)) for name in names]
            found = {
                name: each for name, each in named if callable(each) or isinstance(each, Bound)
            }
        return Tools(found)
    except InputError as error:
        raise InputError(error.what, where=where, hint=error.hint) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the module does, it is not a mistake of this program
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent is not None and f"{path}.".startswith(f"{absent}."):
            what = f"there is no module {shown(path)!r}."
            raise InputError(what, where=where, hint=HINT) from None
        said = f"{shown(type(error).__name__)}: {shown(error, LONGEST_TEXT)}"
        raise InputError(f"{doing}: {said}", where=where) from None
