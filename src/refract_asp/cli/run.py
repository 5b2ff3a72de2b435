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
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp.cli import options, output
from refract_asp.cli.check import Rendering
from refract_asp.cli.session import Asked, Session, start
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

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

__all__ = ["EPILOGS", "run"]

EPILOGS = {
    "run": """
Examples:

\b
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
}
LINES = 12
"""So many running calls are shown; of more, how many there are."""
HINT = "Name them as in --tools my_tools:registry; modules are looked for in the working directory, too."


@dataclass(frozen=True, kw_only=True)
class File(Asked):
    """A sequence or a plan that is run."""

    sequence: Annotated[
        str, typer.Argument(metavar="FILE", help="File with the calls; - reads standard input.")
    ]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How the calls are made; the names are those of `refract_asp.runtime.run`."""

    limit: Annotated[
        int,
        typer.Option(
            "--limit", metavar="N", min=1, max=100_000, help="Make up to N calls at a time."
        ),
    ] = 100
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", metavar="SECONDS", min=0.0, help="Time for each call, more than 0."
        ),
    ] = None
    total_timeout: Annotated[
        float | None,
        typer.Option(
            "--total-timeout", metavar="SECONDS", min=0.0, help="Time for all calls, more than 0."
        ),
    ] = None
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            metavar="N",
            min=0,
            max=100,
            help="Make a failed call again up to N times, of tools bound as idempotent.",
        ),
    ] = 0
    order: Annotated[
        Order,
        typer.Option(
            "--order",
            metavar="declared|risky|data",
            help="Keep the order of calls that are declared to change something, of those of unknown effect "
            "as well, or of none.",
        ),
    ] = "declared"


@options.takes(
    "sequence catalog tools plan memory repair dry_run graph answer yes limit timeout total_timeout retries "
    "order source_format catalog_format no_cache format as_json color to_file"
)
def run(
    asked: File,
    limits: Limits,
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools",
            metavar="MODULE[:REGISTRY]",
            help="The functions: a mapping, a list or Tools in a module, or what its __all__ names.",
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="FILE is a plan, not a sequence.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair the calls first where they are not admissible.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the stages with their calls; make no call.")
    ] = False,
    graph: Annotated[
        options.GraphFormat | None,
        typer.Option("--graph", metavar="mermaid|dot|svg", help="Draw the calls; make none."),
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="NAME=JSON", help="Answer what is asked for; repeatable."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Agree to whatever is to be confirmed.")
    ] = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Make the calls of a sequence, as many at a time as their data allows."""
    is_json = as_json or format is options.OutputFormat.JSON
    is_dry = dry_run or graph is not None
    if tools is None and not is_dry:
        raise typer.BadParameter(
            "name the functions to call, or use --dry-run.", param_hint="'--tools'"
        )
    if graph is not None and is_json:
        raise typer.BadParameter("a drawing is no JSON; use one of them.", param_hint="'--graph'")
    if plan and asked.source_format not in (None, "plan"):
        raise typer.BadParameter("a plan has no other format.", param_hint="'--from'")
    answers = read_answers(answer)
    session = start(replace(asked, source_format="plan") if plan else asked)
    telling = Telling(is_json, color, to_file)
    output.check_target(to_file)  # before a call is made whose value would be lost
    refractor = session.refractor
    found = (refractor.repair if repair else refractor.check)(session.sequence, session.memory)
    if found.verdict not in ("valid", "repaired", "needs_input"):
        telling.refusal(found, session)
        raise typer.Exit(EXIT_CODES[found.verdict])
    mended = found if repair else None
    sequence: Sequence = getattr(
        found, "sequence", found._handle.instance.sequence
    )  # as it was judged
    if is_dry:
        telling.dry(sequence, session, mended, graph, limits.order)
        return
    terminal = Terminal(
        answers, yes, Secrets(tool_of=refractor.catalog.by_name.get), asked.sequence != "-"
    )
    with redirect_stdout(sys.stderr):  # what tools print is no part of the answer
        done = _run(session, mended, sequence, str(tools), terminal, limits)
    telling.done(done, mended)
    raise typer.Exit(_code(done))


def _run(
    session: Session,
    mended: Report | None,
    sequence: Sequence,
    tools: str,
    terminal: Terminal,
    limits: Limits,
) -> Run:
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
        what_is_wrong = f"there is no function for {shown(unbound)}; nothing was called."
        raise InputError(
            what_is_wrong, where=f"--tools {shown(tools)}", hint=f"There are: {there}."
        )
    with terminal.watching(len(names)):
        return run_calls(
            mended if mended is not None else sequence,
            found,
            catalog=session.refractor.catalog,
            memory=session.memory,
            ask=terminal.ask,
            confirm=terminal.confirm,
            on_event=terminal.hear,
            context=dates() if session.sequence.format == "plan" else None,
            **vars(limits),
        )


def _code(run: Run) -> int:
    """Return what the command exits with after a run."""
    if run.timed_out:
        return 5
    if any(outcome.status == "failed" for outcome in run.outcomes) or run.error is not None:
        return 1
    return 3 if run.is_open else 0


# -- printing ------------------------------------------------------------------


class Telling:
    """Prints what came of it, for people or as data."""

    def __init__(self, is_json: bool, color: options.ColorChoice, to_file: str | None) -> None:
        """Know how and where it is printed."""
        self._is_json = is_json
        self._to_file = to_file
        self._color = output.use_color(color, to_file)

    def refusal(self, found: Report, session: Session) -> None:
        """Tell why nothing is run."""
        if isinstance(found, RepairResult) and not self._is_json:
            self._write(_summary(found, self._color))
            return
        rendering = Rendering(format="json" if self._is_json else "text")
        self._write(rendering.text(found, session, color=self._color, width=output.width()))

    def dry(
        self,
        sequence: Sequence,
        session: Session,
        mended: Report | None,
        graph: options.GraphFormat | None,
        order: Order,
    ) -> None:
        """Tell in which stages the calls would be made, or draw them."""
        specified = session.refractor.catalog
        if graph is not None:
            made = without_unmade(sequence)
            self._write(drawn(made, graph, specified, order, session.helpers))
            return
        if self._is_json:
            data = {
                **stages_data(sequence, specified, order, session.helpers),
                "repair": _data(mended),
            }
            self._write(output.json_text(data))
            return
        text = stages_text(sequence, specified, order, session.helpers, color=self._color)
        self._write("\n\n".join(filter(None, (_changes(mended, self._color), text))))

    def done(self, run: Run, mended: Report | None) -> None:
        """Tell what became of the calls."""
        if self._is_json:
            self._write(output.json_text({**run.model_dump(), "repair": _data(mended)}))
            return
        text = run.summary(color=self._color, width=output.width())
        self._write("\n\n".join(filter(None, (_changes(mended, self._color), text))))

    def _write(self, text: str) -> None:
        output.write(text, self._to_file)


def _changes(mended: Report | None, color: bool) -> str:
    """Say what a repair changed, if anything."""
    return _summary(mended, color) if isinstance(mended, RepairResult) and mended.edits else ""


def _summary(result: RepairResult, color: bool) -> str:
    return summary(result, color=color, width=output.width())


def _data(mended: Report | None) -> Any:
    return None if mended is None else mended.model_dump(mode="json")


# -- a terminal ----------------------------------------------------------------


def read_answers(pairs: list[str] | None) -> dict[str, str]:
    """Read `NAME=JSON` pairs; what the text means is seen when it is asked for. The last one wins."""
    answers = {}
    for pair in pairs or ():
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise InputError("this is not NAME=JSON.", where=f"--answer {shown(pair)}")
        answers[name.strip()] = text
    return answers


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
            self._running[event.number] = (
                call_name(event.tool, event.label),
                time.monotonic(),
                False,
            )
        elif event.kind == "retried":
            name, begun, _ = self._running[event.number]
            self._running[event.number] = (name, begun, True)
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
    found = _imported(path, where)
    try:
        for step in attribute.split(".") if attribute else ():
            if not hasattr(found, step):
                raise InputError(f"{shown(path)} holds no {shown(step)!r}.", where=where, hint=HINT)
            found = getattr(found, step)
        if isinstance(found, ModuleType):
            found = _functions(found, where)
        if isinstance(found, str | bytes) or not isinstance(found, Mapping | Iterable):
            kind = shown(type(found).__name__)
            hint = "It has to be a mapping of names to functions, a list of functions, or Tools."
            raise InputError(f"this is a value of type {kind}.", where=where, hint=hint)
        return Tools(found)
    except InputError as error:
        raise InputError(error.what, where=where, hint=error.hint) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a registry may run code of the module when it is looked at
        raise InputError(f"the registry cannot be read: {_said(error)}", where=where) from None


def _imported(path: str, where: str) -> Any:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and (path == error.name or path.startswith(f"{error.name}.")):
            raise InputError(
                f"there is no module {shown(path)!r}.", where=where, hint=HINT
            ) from None
        raise _broken(error, where) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the module does, it is not a mistake of this program
        raise _broken(error, where) from None


def _broken(error: BaseException, where: str) -> InputError:
    return InputError(f"the module cannot be imported: {_said(error)}", where=where)


def _said(error: BaseException) -> str:
    return f"{shown(type(error).__name__)}: {shown(error, LONGEST_TEXT)}"


def _functions(module: ModuleType, where: str) -> dict[str, Any]:
    """Return what a module names in `__all__` and can be called."""
    names = getattr(module, "__all__", None)
    if not isinstance(names, list | tuple):
        hint = "Name a registry inside of it, or give it an __all__."
        raise InputError("the module has no __all__.", where=where, hint=hint)
    found = {str(name): getattr(module, str(name), None) for name in names}
    return {name: each for name, each in found.items() if callable(each) or isinstance(each, Bound)}
