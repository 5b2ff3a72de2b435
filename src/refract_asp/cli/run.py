"""`refract-asp run`: make the calls of a sequence or a plan."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.check import Rendering
from refract_asp.cli.options import argument, refuse, takes
from refract_asp.cli.session import Asked, Rules, Session, start
from refract_asp.errors import LONGEST_TEXT, AnswerError, InputError, shown
from refract_asp.model import EXIT_CODES, RepairResult, Report, Sequence
from refract_asp.model.secrets import Secrets
from refract_asp.model.stages import Order, without_unmade
from refract_asp.plan import dates
from refract_asp.report.graph import graph as drawn
from refract_asp.report.graph import stages_data, stages_text
from refract_asp.report.text import summary
from refract_asp.runtime import Agreement, Event, Question, Run
from refract_asp.runtime import run as run_calls
from refract_asp.runtime.outcomes import call_name, duration
from refract_asp.runtime.tools import Bound, Tools
from refract_asp.settings import option

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

LINES = 12
"""So many running calls are shown; of more, how many there are."""
HINT = "Name them as in --tools my_tools:registry; modules are looked for in the working directory, too."


@dataclass(frozen=True, kw_only=True)
class File(Asked):
    """A sequence or a plan that is run."""

    sequence: str = argument("FILE", "File with the calls; - reads standard input.")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How the calls are made; the names are those of `refract_asp.runtime.run`."""

    limit: int = option(100, "Make up to N calls at a time.", "N", min=1, max=100_000)
    timeout: float | None = option(None, "Time for each call, more than 0.", "SECONDS", min=0.0)
    total_timeout: float | None = option(
        None, "Time for all calls, more than 0.", "SECONDS", min=0.0
    )
    retries: int = option(
        0,
        "Make a failed call again up to N times, of tools bound as idempotent.",
        "N",
        min=0,
        max=100,
    )
    order: Order = option(
        "declared",
        "Keep the order of calls that are declared to change something, of those of unknown effect "
        "as well, or of none.",
        "declared|risky|data",
    )


@takes(
    "sequence catalog tools plan memory repair dry_run graph answer yes limit timeout total_timeout retries "
    "order source_format catalog_format no_cache format as_json color to_file"
)
def run(
    asked: File,
    limits: Limits,
    out: output.Output,
    tools: str | None = option(
        None,
        "The functions: a mapping, a list or Tools in a module, or what its __all__ names.",
        "MODULE[:REGISTRY]",
    ),
    plan: bool = option(False, "FILE is a plan, not a sequence."),
    repair: bool = option(False, "Repair the calls first where they are not admissible."),
    dry_run: bool = option(False, "Print the stages with their calls; make no call."),
    graph: options.GraphFormat | None = option(
        None, "Draw the calls; make none.", "mermaid|dot|svg"
    ),
    answer: list[str] | None = option(None, "Answer what is asked for; repeatable.", "NAME=JSON"),
    yes: bool = option(False, "Agree to whatever is to be confirmed."),
    as_json: bool = option(False, "The same as --format json.", None, "--json"),
) -> None:
    """
    Make the calls of a sequence, as many at a time as their data allows.

    Examples:

      refract-asp run calls.txt --catalog tools.yaml --tools my_tools:registry
      refract-asp run calls.txt --catalog tools.yaml --dry-run
      refract-asp run calls.txt --catalog tools.yaml --graph mermaid > calls.mmd
      refract-asp run calls.txt --catalog travel --tools my_tools --answer day=3
      refract-asp run plan.js --plan --catalog tools.yaml --tools my_tools --json

    --tools imports the module, which is code that runs; the calls themselves are data. What the module and its
    functions print goes to standard error.

    Exit codes: 0 every call gave a value, 1 a call failed, or the calls are not admissible and none was made,
    3 values have to be asked for or calls to be confirmed, 4 a call could not be repaired and none was made,
    5 the time was over, 2 bad usage or input, 130 interrupted (what ran is cancelled).
    """
    out = replace(out, format="json") if as_json else out
    if tools is None and not dry_run and graph is None:
        refuse("tools", "name the functions to call, or use --dry-run.")
    if graph is not None and out.format == "json":
        refuse("graph", "a drawing is no JSON; use one of them.")
    if plan and asked.source_format not in (None, "plan"):
        refuse("from", "a plan has no other format.")
    # what the texts mean is seen when they are asked for
    answers = dict(inputs.read_pairs("--answer", "NAME=JSON", answer))
    session = start(replace(asked, source_format="plan") if plan else asked, Rules())
    output.check_target(out.to_file)  # before a call is made whose value would be lost
    refractor = session.refractor
    found = (refractor.repair if repair else refractor.check)(session.sequence, session.memory)
    if found.verdict not in ("valid", "repaired", "needs_input"):
        _tell_refusal(found, session, out)
        raise typer.Exit(EXIT_CODES[found.verdict])
    # as it was judged
    sequence: Sequence = getattr(found, "sequence", found._handle.instance.sequence)
    changes = found if isinstance(found, RepairResult) and found.edits else None
    data = {"repair": found.model_dump(mode="json") if repair else None}

    def text(told: str, **how: Any) -> str:
        """Say what a repair changed, if anything, and what is told."""
        return f"{summary(changes, **how)}\n\n{told}" if changes else told

    staged = (refractor.catalog, limits.order, session.helpers)
    if graph is not None:
        out.write(drawn(without_unmade(sequence), graph, *staged))
    elif dry_run:
        out.tell(
            lambda: {**stages_data(sequence, *staged), **data},
            lambda **how: text(stages_text(sequence, *staged, color=how["color"]), **how),
        )
    if graph is not None or dry_run:
        return
    secrets = Secrets(tool_of=refractor.catalog.by_name.get)
    terminal = Terminal(answers, yes, secrets, asked.sequence != inputs.STDIN)
    with redirect_stdout(sys.stderr):  # what tools print is no part of the answer
        given = found if repair else sequence
        done = _run(session, given, sequence, str(tools), terminal, limits)
    out.tell(lambda: {**done.model_dump(), **data}, lambda **how: text(done.summary(**how), **how))
    raise typer.Exit(_code(done))


def _code(run: Run) -> int:
    """Return what the command exits with after a run."""
    if run.timed_out:
        return 5
    failed = run.error is not None or any(each.status == "failed" for each in run.outcomes)
    return 1 if failed else 3 if run.is_open else 0


def _tell_refusal(found: Report, session: Session, out: output.Output) -> None:
    """Tell why nothing is run."""
    how: Any = {"color": out.is_colored, "width": output.width()}
    if isinstance(found, RepairResult) and out.format != "json":
        out.write(summary(found, **how))
    else:
        out.write(Rendering(format=out.format).text(found, session, **how))


def _run(
    session: Session,
    given: Report | Sequence,
    sequence: Sequence,
    tools: str,
    terminal: Terminal,
    limits: Limits,
) -> Run:
    """Make the calls, if whatever they need is there."""
    unasked = next((name for name in terminal.answers if name not in sequence.asks), None)
    if unasked is not None:
        asked = ", ".join(map(shown, sequence.asks)) or "nothing"
        raise AnswerError(f"{shown(unasked)!r} was not asked.", hint=f"Asked: {shown(asked, 200)}.")
    found = read_tools(tools)
    local = session.helpers - found.keys()
    names = [call.name for call in sequence.calls if call.name not in local]
    unbound = next((name for name in names if name not in found), None)
    if unbound is not None:
        there = shown(", ".join(map(shown, found)) or "none", 200)
        what = f"there is no function for {shown(unbound)}; nothing was called."
        raise InputError(what, where=f"--tools {shown(tools)}", hint=f"There are: {there}.")
    with terminal.watching(len(names)):
        return run_calls(
            given,
            found,
            catalog=session.refractor.catalog,
            memory=session.memory,
            ask=terminal.ask,
            confirm=terminal.confirm,
            on_event=terminal.hear,
            context=dates() if session.sequence.format == "plan" else None,
            **vars(limits),
        )


# -- a terminal ----------------------------------------------------------------


class Terminal:
    """
    Shows a run, and asks; in a pipe it does neither.

    Args:
        answers: what is answered already.
        agrees: whether everything is agreed to.
        secrets: hides what is secret in what is to be agreed to.
        may_ask: whether standard input is free for answers.
    """

    def __init__(
        self, answers: dict[str, str], agrees: bool, secrets: Secrets, may_ask: bool
    ) -> None:
        """Look whether somebody sits there."""
        self._total = 0
        self.answers = answers
        self._agrees = agrees
        self._secrets = secrets
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._asks = self._is_shown and may_ask and sys.stdin is not None and sys.stdin.isatty()
        self._running: dict[int, tuple[str, float, bool]] = {}
        self._done = 0
        self._live: Live | None = None

    @contextmanager
    def watching(self, total: int) -> Iterator[None]:
        """Show what runs meanwhile, of `total` calls."""
        self._total = total
        if not self._is_shown:
            yield
            return
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        self._live = Live(
            console=console, get_renderable=self._lines, transient=True, redirect_stdout=True,
            redirect_stderr=True, refresh_per_second=10,
        )  # fmt: skip
        with self._live:
            yield

    def hear(self, event: Event) -> None:
        """Note what happened to a call."""
        if event.kind == "started":
            name = call_name(event.tool, event.label)
            self._running[event.number] = name, time.monotonic(), False
        elif event.kind == "retried":
            name, begun, _ = self._running[event.number]
            self._running[event.number] = name, begun, True
        else:
            self._running.pop(event.number, None)
            self._done += 1

    def ask(self, question: Question) -> Any:
        """Return a value: as it was answered before, else as it is typed, else None."""
        if question.name in self.answers:
            if question.problem:
                output.complain("warning", f"--answer {shown(question.name)}: {question.problem}")
                return None
            return _value(self.answers[question.name], question.schema)
        if not self._asks:
            return None
        about = f" ({shown(question.description, LONGEST_TEXT)})" if question.description else ""
        problem = f"{shown(question.problem, LONGEST_TEXT)}\n" if question.problem else ""
        for_what = f" for {shown(question.tool)}" if question.tool else ""
        text = self._typed(f"{problem}{shown(question.name)}{for_what}{about}: ")
        return _value(text, question.schema) if text else None

    def confirm(self, agreement: Agreement) -> bool:
        """Return whether something is agreed to: as it was said before, else as it is typed."""
        if self._agrees or not self._asks:
            return self._agrees
        hidden = {
            name: self._secrets.value([agreement.tool], [name], value)
            for name, value in agreement.arguments.items()
        }
        what = shown(replace(agreement, arguments=hidden), LONGEST_TEXT)
        why = f" ({shown(agreement.reason, LONGEST_TEXT)})" if agreement.reason else ""
        question = f"{shown(agreement.tool)}: {what}{why} Agreed? [y/N] "
        return self._typed(question).lower() in ("y", "yes")

    # -- steps -----------------------------------------------------------------

    def _typed(self, question: str) -> str:
        """Ask on standard error and return the line that is typed, the empty text where there is none."""
        if self._live is not None:
            self._live.stop()
        try:
            print(question, end="", file=sys.stderr, flush=True)
            return sys.stdin.readline().strip()
        finally:
            if self._live is not None:
                self._live.start()

    def _lines(self) -> RenderableType:
        from rich.text import Text

        now = time.monotonic()
        running = list(self._running.values())
        lines = [f"{self._done} of {self._total} calls done, {len(running)} running"]
        for name, begun, again in running[:LINES]:
            lines.append(f"  {name}  {duration(now - begun)}{', again' if again else ''}")
        if len(running) > LINES:
            lines.append(f"  and {len(running) - LINES} more")
        return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


def _value(text: str, schema: Any) -> Any:
    """Read a value as JSON; a text where it is none, or where a text is wanted and no quoted one is given."""
    wants_text = isinstance(schema, dict) and schema.get("type") == "string"
    if wants_text and not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# -- the functions of tools ----------------------------------------------------


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
            found = _functions(found)
        if isinstance(found, str | bytes) or not isinstance(found, Mapping | Iterable):
            hint = "It has to be a mapping of names to functions, a list of functions, or Tools."
            kind = shown(type(found).__name__)
            raise InputError(f"this is a value of type {kind}.", hint=hint)
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


def _functions(module: ModuleType) -> dict[str, Any]:
    """Return what a module names in `__all__` and can be called."""
    names = getattr(module, "__all__", None)
    if not isinstance(names, list | tuple):
        hint = "Name a registry inside of it, or give it an __all__."
        raise InputError("the module has no __all__.", hint=hint)
    found = {str(name): getattr(module, str(name), None) for name in names}
    return {name: each for name, each in found.items() if callable(each) or isinstance(each, Bound)}
