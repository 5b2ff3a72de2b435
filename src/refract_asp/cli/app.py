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
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from refract_asp.cli.options import PanelCommand, help_and_epilog, takes, writes_to
from refract_asp.cli.output import complain, prints
from refract_asp.errors import LONGEST_TEXT, OutOfMemoryError, RefractError, shown
from refract_asp.resources import packaged

__all__ = ["COMMANDS", "app"]

# The module of each command, its line in the help and its title: no command is loaded before it is
# used.
COMMANDS: dict[str, tuple[str, str, str]] = packaged("cli/tables.json")["commands"]
ALIASES = {"repair": "solve"}


class _Guarded(TyperGroup):
    """Loads a command when it is used; turns what it raises into a message and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (_, help, _) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=help))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options; the framework loads pydantic to read a flag that is neither given nor false."""
        found = super().get_params(ctx)
        for option in found:
            if getattr(option, "is_flag", False) and option.default is None:
                option.default = False
        return found

    def format_commands(self, _: Any, formatter: Any) -> None:
        """Write the commands by what they are for."""
        longest = max(map(len, COMMANDS))
        for title, named in groupby(COMMANDS.items(), lambda each: each[1][2]):
            with formatter.section(title):
                formatter.write_dl([(name.ljust(longest), line) for name, (_, line, _) in named])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        args = [ALIASES.get(args[0], args[0]), *args[1:]]
        if args == ["help"]:
            typer.echo(ctx.get_help())
            raise typer.Exit
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except Exception as error:
            _advise(error, args[0])
            raise
        if command is not None:  # the function of that name in its module, or its group of commands
            module = import_module(f"refract_asp.cli.{COMMANDS[str(name)][0]}")
            part = typer.Typer(rich_markup_mode=None)
            if hasattr(module, "app"):
                part.add_typer(module.app, name=name, help=COMMANDS[str(name)][1])
            else:
                found = getattr(module, str(name).replace("-", "_"))
                part.command(name, cls=PanelCommand, epilog=found.epilog)(found)
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
            message = str(RefractError(error.what, where=error.where))
            joint = "\n" if "\n" in error.hint else " "  # several hints have lines of their own
            complain("error", f"{message}{joint}{error.hint}".rstrip())
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


def _advise(error: Any, given: str) -> None:
    """Say of a command that does not exist what was probably meant."""
    if Path(given).is_file():
        file = shown(given)
        error.message = f"{file} is a file. Did you mean 'refract-asp solve {file}'?"
        return
    for name, (module, _, _) in COMMANDS.items():
        group = getattr(import_module(f"refract_asp.cli.{module}"), "app", None)
        if group is not None and given in [each.name for each in group.registered_commands]:
            error.message = f"No such command '{given}'. Did you mean '{name} {given}'?"
            return


app = typer.Typer(
    name="refract-asp",
    cls=_Guarded,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=help_and_epilog(__doc__)[1],
)


def version_text() -> str:
    """Return which version this is."""
    from refract_asp.resources import version_of

    return f"refract-asp {version_of('refract-asp')}"


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
