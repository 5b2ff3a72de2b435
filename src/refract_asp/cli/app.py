"""
The root of the command line: its commands, and what happens when one of them fails.

Examples:

  refract-asp demo
  refract-asp solve calls.txt --catalog travel
  refract-asp check calls.json --catalog tools.yaml --memory memory.json
  model-output | refract-asp solve - --catalog tools.json --emit diff
  refract-asp catalog convert openapi.json tools.yaml

Exit codes:

  0    valid, or repaired and ready to run
  1    check: something is wrong; run: a call failed
  2    bad usage or input
  3    values have to be asked for, or edits to be confirmed
  4    a call could not be repaired
  5    no answer in time or memory (with --require-optimal: none proven)
  70   an error of this program
  130  interrupted
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from refract_asp.cli.options import help_and_epilog, takes, writes_to
from refract_asp.cli.output import complain, prints
from refract_asp.errors import LONGEST_TEXT, OutOfMemoryError, RefractError, shown

__all__ = ["COMMANDS", "app"]

COMMANDS = {
    "solve": ("solve", "Repair a sequence of tool calls."),
    "check": ("check", "Say what is wrong with a sequence."),
    "compress": ("solve", "Leave out calls that do nothing new."),
    "tags": ("check", "Tell the mistakes in a sequence by kind."),
    "explain": ("check", "Say what a code or a tag means."),
    "facts": ("check", "Print the facts that clingo is given."),
    "graph": ("check", "Draw a sequence and its repair."),
    "run": ("run", "Make the calls of a sequence."),
    "demo": ("solve", "Repair a broken sequence that is shipped."),
    "batch": ("batch", "Judge many recorded sequences, and see where agents go wrong."),
    "bench": ("bench", "Make problems and cases, and see how well they are answered."),
    "mcp-proxy": ("mcp", "Stand before an MCP server, and repair calls of its tools."),
    "mcp-serve": ("mcp", "Be an MCP server that checks and repairs calls."),
    "catalog": ("catalog", "Look at catalogs, check and convert them, find mappings."),
    "costs": ("costs", "Look at cost models and rules of your own, compare and fit them."),
    "plan": ("plan", "Check and format plans, turn them into sequences and back."),
}
"""The module of each command, and its line in the help: no command is loaded before it is used."""


class _Guarded(TyperGroup):
    """Loads a command when it is used; turns what it raises into a message and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (_, help) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=help))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:  # the function of that name in its module, or its group of commands
            module = import_module(f"refract_asp.cli.{COMMANDS[str(name)][0]}")
            part = typer.Typer(rich_markup_mode=None)
            if hasattr(module, "app"):
                part.add_typer(module.app, name=name, help=COMMANDS[str(name)][1])
            else:
                found = getattr(module, str(name).replace("-", "_"))
                part.command(name, epilog=found.epilog)(found)
            command = typer.main.get_group(part).commands[str(name)]
        return name, command, rest

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        try:
            return super().make_context(*arguments, **more)
        except KeyboardInterrupt:
            raise typer.Exit(130) from None

    def invoke(self, ctx: Any) -> Any:
        writes_to(None)  # of a command that ran before in this process
        try:
            return super().invoke(ctx)
        except RefractError as error:
            complain("error", str(error))
            raise typer.Exit(5 if isinstance(error, OutOfMemoryError) else 2) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        except typer.BadParameter as error:  # a mistake of usage, without what validation calls it
            error.message = error.message.removeprefix("Value error, ")
            raise
        except Exception as error:
            if isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code"):
                raise  # the framework's own: exits and mistakes of usage
            if isinstance(error, OSError):
                place = "" if error.filename is None else f"{shown(error.filename, LONGEST_TEXT)}: "
                reason = shown(error.strerror or error, LONGEST_TEXT).lower()
                complain("error", f"{place}{reason}.")
                raise typer.Exit(2) from None
            if ctx.params.get("debug"):
                import traceback

                traceback.print_exception(error, file=sys.stderr)
            else:
                what = f"{type(error).__name__}: {shown(error, LONGEST_TEXT)}"
                hint = "please report it with the catalog, the calls and the memory; --debug shows where"
                complain("internal error", f"{what} ({hint})")
            raise typer.Exit(70) from None


app = typer.Typer(
    name="refract-asp",
    cls=_Guarded,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog=help_and_epilog(__doc__)[1],
)


def version_text() -> str:
    """Return which version this is."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"refract-asp {version('refract-asp')}"
    except PackageNotFoundError:
        return "refract-asp (not installed)"


@app.callback()
@takes()
def root(
    version: Annotated[bool, prints(version_text)] = False,
    debug: Annotated[bool, typer.Option("--debug", "--traceback")] = False,
) -> None:
    """
    Check and repair sequences of tool calls against the specification of the tools.

    Args:
        version: Print the version and exit.
        debug: Show where in the program an internal error happened.
    """
