"""`refract-asp run`: make the calls of a sequence or a plan."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp.cli import options, output
from refract_asp.cli.session import Session, start
from refract_asp.cli.telling import GraphFormat, Order, Telling

if TYPE_CHECKING:
    from refract_asp.model import Report, Sequence
    from refract_asp.runtime import Run

__all__ = ["EPILOG", "run"]

EPILOG = """
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


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File with the calls; - reads standard input.")],
    catalog: options.CatalogName,
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools",
            metavar="MODULE[:REGISTRY]",
            help="The functions: a mapping, a list or Tools in a module, or what its __all__ names.",
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="FILE is a plan, not a sequence.")] = False,
    memory: options.MemoryFile = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair the calls first where they are not admissible.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the stages with their calls; make no call.")
    ] = False,
    graph: Annotated[
        GraphFormat | None,
        typer.Option("--graph", metavar="mermaid|dot|svg", help="Draw the calls; make none."),
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="NAME=JSON", help="Answer what is asked for; repeatable."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to whatever is to be confirmed.")] = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100_000, help="Make up to N calls at a time.")
    ] = 100,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", min=0.0, help="Time for each call, more than 0."),
    ] = None,
    total_timeout: Annotated[
        float | None,
        typer.Option("--total-timeout", metavar="SECONDS", min=0.0, help="Time for all calls, more than 0."),
    ] = None,
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            metavar="N",
            min=0,
            max=100,
            help="Make a failed call again up to N times, of tools bound as idempotent.",
        ),
    ] = 0,
    order: Annotated[
        Order,
        typer.Option(
            "--order",
            metavar="declared|risky|data",
            help="Keep the order of calls that are declared to change something, of those of unknown effect "
            "as well, or of none.",
        ),
    ] = Order.DECLARED,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Make the calls of a sequence, as many at a time as their data allows."""
    from refract_asp.cli.live import read_answers

    is_json = as_json or format is options.OutputFormat.JSON
    is_dry = dry_run or graph is not None
    if tools is None and not is_dry:
        raise typer.BadParameter("name the functions to call, or use --dry-run.", param_hint="'--tools'")
    if graph is not None and is_json:
        raise typer.BadParameter("a drawing is no JSON; use one of them.", param_hint="'--graph'")
    if plan and source_format not in (None, "plan"):
        raise typer.BadParameter("a plan has no other format.", param_hint="'--from'")
    answers = read_answers(answer)
    session = start(
        file,
        catalog,
        source_format="plan" if plan else source_format,
        catalog_format=catalog_format,
        no_cache=no_cache,
        memory=memory,
        time_limit=options.in_seconds(None),
    )
    telling = Telling(is_json, color, to_file)
    output.check_target(to_file)  # before a call is made whose value would be lost
    plan = plan or session.sequence.format == "plan"
    found = _judged(session, repair)
    if found.verdict not in ("valid", "repaired", "needs_input"):
        telling.refusal(found, session)
        raise typer.Exit(_exit_code(found))
    mended = found if repair else None
    sequence: Sequence = getattr(found, "sequence", session.sequence)
    if is_dry:
        telling.dry(sequence, session, mended, graph, order)
        return
    with redirect_stdout(sys.stderr):  # what tools print is no part of the answer
        done = _run(session, mended, sequence, plan, str(tools), answers, yes,
                    limit=limit, timeout=timeout, total_timeout=total_timeout, retries=retries,
                    order=order.value, may_ask=file != "-")  # fmt: skip
    telling.done(done, mended)
    raise typer.Exit(_code(done))


def _judged(session: Session, repair: bool) -> Report:
    """Check the sequence, or repair it."""
    if repair:
        return session.refractor.repair(session.sequence, session.memory)
    return session.refractor.check(session.sequence, session.memory)


def _run(
    session: Session,
    mended: Report | None,
    sequence: Sequence,
    plan: bool,
    tools: str,
    answers: dict[str, str],
    yes: bool,
    *,
    may_ask: bool,
    **limits: Any,
) -> Run:
    from refract_asp.cli.live import Terminal
    from refract_asp.cli.tools import read_tools
    from refract_asp.errors import AnswerError, InputError, shown
    from refract_asp.model.secrets import Secrets
    from refract_asp.plan import dates
    from refract_asp.runtime import run as run_calls

    unasked = next((name for name in answers if name not in sequence.asks), None)
    if unasked is not None:
        asked = ", ".join(map(shown, sequence.asks)) or "nothing"
        raise AnswerError(f"{shown(unasked)!r} was not asked.", hint=f"Asked: {shown(asked, 200)}.")
    specified = session.refractor.catalog
    found = read_tools(tools)
    context = dates() if plan else None
    local = session.helpers - found.keys()
    unbound = next((call.name for call in sequence.calls if call.name not in {*found, *local}), None)
    if unbound is not None:
        there = shown(", ".join(map(shown, found)) or "none", 200)
        what_is_wrong = f"there is no function for {shown(unbound)}; nothing was called."
        raise InputError(what_is_wrong, where=f"--tools {shown(tools)}", hint=f"There are: {there}.")
    terminal = Terminal(
        sum(call.name not in local for call in sequence.calls),
        answers,
        yes,
        Secrets(tool_of=specified.by_name.get),
        may_ask=may_ask,
    )
    with terminal.watching():
        return run_calls(
            mended if mended is not None else sequence,
            found,
            catalog=specified,
            memory=session.memory,
            ask=terminal.ask,
            confirm=terminal.confirm,
            on_event=terminal.hear,
            context=context,
            **limits,
        )


def _exit_code(found: Report) -> int:
    from refract_asp.model import EXIT_CODES

    return EXIT_CODES[found.verdict]


def _code(run: Run) -> int:
    """Return what the command exits with after a run."""
    if run.timed_out:
        return 5
    if any(outcome.status == "failed" for outcome in run.outcomes) or run.error is not None:
        return 1
    return 3 if run.is_open else 0
