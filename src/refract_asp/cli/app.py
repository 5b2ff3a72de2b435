"""The root of the command line: its commands, and what happens when one of them fails."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from refract_asp.cli import (
    batch,
    bench,
    catalog,
    check,
    compress,
    costs,
    explain,
    facts,
    graph,
    plan,
    run,
    solve,
    tags,
)
from refract_asp.cli.output import complain
from refract_asp.errors import LONGEST_TEXT, OutOfMemoryError, RefractError, shown

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp solve calls.txt --catalog travel
  refract-asp check calls.json --catalog tools.yaml --memory memory.json
  model-output | refract-asp solve - --catalog tools.json --emit diff
  refract-asp catalog convert openapi.json tools.yaml

Exit codes:

\b
  0    valid, or repaired and ready to run
  1    check: something is wrong; run: a call failed
  2    bad usage or input
  3    values have to be asked for, or edits to be confirmed
  4    a call could not be repaired
  5    no answer in time or memory (with --require-optimal: none proven)
  70   an error of this program
  130  interrupted
"""


class _Guarded(TyperGroup):
    """Turns what a command raises into a message and an exit code."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        try:
            return super().make_context(*arguments, **more)
        except KeyboardInterrupt:
            raise typer.Exit(130) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except OutOfMemoryError as error:
            complain("error", str(error))
            raise typer.Exit(5) from None
        except RefractError as error:
            complain("error", str(error))
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        except typer.BadParameter as error:  # a mistake of usage, told without what validation calls it
            error.message = error.message.removeprefix("Value error, ")
            raise
        except Exception as error:
            if isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code"):
                raise  # the framework's own: exits and mistakes of usage
            if isinstance(error, OSError):
                place = f"{shown(error.filename, LONGEST_TEXT)}: " if error.filename is not None else ""
                complain("error", f"{place}{shown(error.strerror or error, LONGEST_TEXT).lower()}.")
                raise typer.Exit(2) from None
            _internal(error, with_traceback=bool(ctx.params.get("traceback")))
            raise typer.Exit(70) from None


def _internal(error: Exception, *, with_traceback: bool) -> None:
    if with_traceback:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    else:
        what = f"{type(error).__name__}: {shown(error, LONGEST_TEXT)}"
        complain("internal error", f"{what} (`refract-asp --traceback ...` shows where; please report it)")


app = typer.Typer(
    name="refract-asp",
    cls=_Guarded,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog=EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"refract-asp {version('refract-asp')}")
        except PackageNotFoundError:
            typer.echo("refract-asp (not installed)")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where in the program an internal error happened.")
    ] = False,
) -> None:
    """Check and repair sequences of tool calls against the specification of the tools."""


app.command("solve", epilog=solve.EPILOG, short_help="Repair a sequence of tool calls.")(solve.solve)
app.command("check", epilog=check.EPILOG, short_help="Say what is wrong with a sequence.")(check.check)
app.command("compress", epilog=compress.EPILOG, short_help="Leave out calls that do nothing new.")(
    compress.compress
)
app.command("tags", epilog=tags.EPILOG, short_help="Tell the mistakes in a sequence by kind.")(tags.tags)
app.command("explain", epilog=explain.EPILOG, short_help="Say what a code or a tag means.")(explain.explain)
app.command("facts", epilog=facts.EPILOG, short_help="Print the facts that clingo is given.")(facts.facts)
app.command("graph", epilog=graph.EPILOG, short_help="Draw a sequence and its repair.")(graph.graph)
app.command("run", epilog=run.EPILOG, short_help="Make the calls of a sequence.")(run.run)
app.add_typer(batch.app, name="batch")
app.add_typer(bench.app, name="bench")
app.add_typer(catalog.app, name="catalog")
app.add_typer(costs.app, name="costs")
app.add_typer(plan.app, name="plan")
