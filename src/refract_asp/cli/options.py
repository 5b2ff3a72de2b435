"""
How a command takes its arguments and options.

A command declares types and defaults in its signature, and says in its docstring what each is for, below `Args:`,
as `name (METAVAR): help`. What has no default is an argument. A parameter whose type is a group of options takes
all of the group, whose class says the same below `Attributes:`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from copy import copy
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter
from typing import Annotated, Any, Literal, Never, TypeAlias, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo, ParameterInfo

from refract_asp import resources
from refract_asp.cli import late

# The file that the command writes.
TARGET: ContextVar[str | None] = ContextVar("target", default=None)


def writes_to(target: str | None) -> str | None:
    """Note the file that a command writes (`-o`): from then on it is refused to read that very file."""
    TARGET.set(target)
    return target


Command: TypeAlias = Callable[..., None]
# The metavar and the help of arguments and options, by name.
Told: TypeAlias = Mapping[str, tuple[str | None, str]]

Color: TypeAlias = Literal["auto", "always", "never"]
Level: TypeAlias = Literal["admissible", "achieves_goals", "cheapest"]
GraphFormat: TypeAlias = Literal["mermaid", "dot", "svg"]
OptionalArgument: TypeAlias = Annotated[str | None, typer.Argument()]
OutputFile: TypeAlias = Annotated[str | None, typer.Option("-o", "--output", callback=writes_to)]
Constants: TypeAlias = Annotated[list[str] | None, typer.Option("-c", "--const")]
Relaxed: TypeAlias = Annotated[bool, typer.Option("--relaxed/--strict")]
SourceFormat: TypeAlias = Annotated[str | None, typer.Option("--from")]
Count: TypeAlias = Annotated[int, typer.Option(min=1)]
CountIfAny: TypeAlias = Annotated[int | None, typer.Option(min=1)]
Number: TypeAlias = Annotated[int, typer.Option(min=0)]
Seconds: TypeAlias = Annotated[float | None, typer.Option(min=0.0)]
SomeSeconds: TypeAlias = Annotated[float | None, typer.Option(min=0.001)]


def refuse(option: str, why: str) -> Never:
    """Refuse an option, as a mistake of usage."""
    raise typer.BadParameter(why, param_hint=f"'--{option.replace('_', '-')}'")


# -- what docstrings say ---------------------------------------------------------

_SECTION = re.compile(r"\n+(?:Args|Attributes):\n")
_ENTRY = re.compile(r"^ {4}(\w+)(?: \((.+?)\))?: (.+(?:\n {8}.+)*)", re.MULTILINE)


def told_in(text: str | None) -> Told:
    """Return what a docstring says of arguments, below `Args:` or `Attributes:`."""
    _, *listed = _SECTION.split(inspect.cleandoc(text or ""))
    entries = _ENTRY.findall(listed[0]) if listed else ()
    return {name: (metavar or None, " ".join(help.split())) for name, metavar, help in entries}


def help_and_epilog(text: str | None) -> tuple[str, str | None]:
    """Split a docstring before its examples; blocks that are indented are printed as they are."""
    about = _SECTION.split(inspect.cleandoc(text or ""))[0]
    help, examples, rest = about.partition("\n\nExamples:\n")
    blocks = (examples + rest).strip().split("\n\n")
    epilog = "\n\n".join(f"\b\n{block}" if block[:1] == " " else block for block in blocks)
    return help, epilog or None


def parameter(name: str, kind: Any, default: Any, told: Told) -> Parameter:
    """Return what is declared as a parameter that the framework understands."""
    infos = [each for each in get_args(kind) if isinstance(each, ParameterInfo)]
    kind = get_args(kind)[0] if infos else kind
    is_argument = default is Parameter.empty
    info = copy(infos[0]) if infos else typer.Argument() if is_argument else typer.Option()
    info.metavar, info.help = told.get(name, (None, None))
    words = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
    if words and info.metavar is None:
        info.metavar = "|".join(get_args(words[0]))
    if name in _COMPLETED:
        words_of = _COMPLETED[name]

        def completed(incomplete: str) -> list[str]:
            return [word for word in words_of() if word.startswith(incomplete)]

        info.autocompletion = completed
    if isinstance(info, OptionInfo) and info.default is ...:  # the signature names no flags
        info.param_decls = (f"--{name.replace('_', '-')}",)
    taken = Annotated[kind, info]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=taken)


# What gives the words with which a shell completes an option or an argument; files are completed as
# well.
_COMPLETED: dict[str, Callable[[], list[str]]] = {
    "catalog": resources.catalog_names,
    "cost_model": resources.cost_model_names,
    "encodings": resources.house_rule_names,
    "source_format": lambda: [each.name for each in late.formats.SEQUENCE_FORMATS],
    "to": lambda: [each.name for each in late.formats.SEQUENCE_FORMATS],
    "catalog_format": lambda: [each.name for each in late.formats.CATALOG_FORMATS],
    "code": lambda: list(late.codes.code_entries()),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """A group of options: its fields are given on the command line."""

    @classmethod
    def parameters(cls, told: Told) -> dict[str, Parameter]:
        """Return what the fields declare; a command may say by `told` what they are for."""
        hints = get_type_hints(cls, include_extras=True)
        for base in cls.__mro__:
            told = {**told_in(base.__doc__), **told}
        found = {}
        for each in fields(cls):
            default = Parameter.empty if each.default is MISSING else each.default
            found[each.name] = parameter(each.name, hints[each.name], default, told)
        return found


# Under which title the help lists an option, where a command has many.
PANELS: dict[str, str] = resources.packaged("cli/tables.json")["panels"]
# So many options are listed under titles.
MANY = 14
_PANEL_OF = {name: title for title, names in PANELS.items() for name in names.split()}


def takes(order: str = "", epilog: str | None = None) -> Callable[[Command], Command]:
    """
    Give a command the arguments and options that it declares.

    Args:
        order: the names in the order of the help, which may leave out some of a group; by default all.
        epilog: what the help ends with; by default the docstring from its examples on.
    """

    def decorated(command: Command) -> Command:
        help, examples = help_and_epilog(command.__doc__)
        told = told_in(command.__doc__)
        known: dict[str, Parameter] = {}
        group_of: dict[str, str] = {}
        groups: dict[str, type[Options]] = {}
        for name, each in inspect.signature(command, eval_str=True).parameters.items():
            if isinstance(each.annotation, type) and issubclass(each.annotation, Options):
                groups[name] = each.annotation
                found = each.annotation.parameters(told)
                known |= found
                group_of |= dict.fromkeys(found, name)
            else:  # it hides the field of that name in a group before it
                known[name] = parameter(name, each.annotation, each.default, told)
                group_of.pop(name, None)

        def run(**values: Any) -> None:
            own = {name: value for name, value in values.items() if name not in group_of}
            given: dict[str, dict[str, Any]] = {name: {} for name in groups}
            for name in values.keys() - own.keys():
                given[group_of[name]][name] = values[name]
            command(**own, **{name: group(**given[name]) for name, group in groups.items()})

        listed = [known[name] for name in order.split() or known]
        for each in listed if len(listed) > MANY else ():
            info = get_args(each.annotation)[1]
            if isinstance(info, OptionInfo):
                info.rich_help_panel = _PANEL_OF.get(each.name)
        run.__name__, run.__doc__ = command.__name__, help
        run.__dict__["epilog"] = epilog or examples
        run.__dict__["__signature__"] = inspect.Signature(listed)
        run.__annotations__ = {each.name: each.annotation for each in listed}
        return run

    return decorated


class PanelCommand(TyperCommand):
    """A command whose help lists options under titles, and whose mistakes of usage say what to do next."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what stands behind the name of the command in its usage."""
        given = self.get_params(ctx)
        names = [_argument(each) for each in given if each.param_type_name == "argument"]
        return ["[OPTIONS]", *names]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options by their titles."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        panels |= {title: [] for title in PANELS}
        for each in self.get_params(ctx):
            if each.param_type_name == "argument":
                panels["Arguments"].append((_argument(each), getattr(each, "help", None) or ""))
            elif (record := each.get_help_record(ctx)) is not None:
                panels[getattr(each, "rich_help_panel", None) or "Options"].append(record)
        for title, rows in panels.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what is given; a mistake in it says what to do."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _advise(error, ctx)
            raise


def _argument(parameter: Any) -> str:
    """Return how an argument stands in the usage: in brackets where it may be left out, with dots for several."""
    name = (parameter.metavar or parameter.name or "").upper().rstrip(".")
    name = name if parameter.required else f"[{name}]"
    return f"{name}..." if parameter.nargs == -1 else name


# What to do where an argument or an option is missing.
_NEXT = {
    "catalog": "Name a file with the tools, or one of `refract-asp catalog list`.",
    "sequence": "Name a file with the calls, or - for standard input.",
}


def _advise(error: Any, ctx: Any) -> None:
    """Add to a mistake of usage what to do next."""
    name = getattr(getattr(error, "param", None), "name", None)
    if type(error).__name__ == "MissingParameter":
        error.message = _NEXT.get(str(name), error.message)
    elif type(error).__name__ == "NoSuchOption" and ctx.parent is not None:
        siblings = getattr(ctx.parent.command, "commands", {})
        having = (
            n for n, each in siblings.items() for p in each.params if error.option_name in p.opts
        )
        if (other := next(having, None)) is not None:
            error.message += f". It is an option of `{ctx.parent.command_path} {other}`"
            error.possibilities = None
    elif (said := str(getattr(error, "message", ""))).startswith("Input should be "):
        wanted = said.removeprefix("Input should be ").split(",")[0]
        error.message = f"{'' if wanted.startswith('a ') else 'a number '}{wanted} is needed."


class Group(typer.Typer):
    """A group of commands, whose help ends with the examples in the text that describes it."""

    def __init__(self, text: str | None, **more: Any) -> None:
        """Take the epilog from the `text`."""
        epilog = help_and_epilog(text)[1]
        super().__init__(no_args_is_help=True, rich_markup_mode=None, epilog=epilog, **more)

    def adds(self, name: str, order: str = "") -> Callable[[Command], Command]:
        """Add a command with what it declares, see `takes`; the list of commands has its first sentence."""

        def decorated(command: Command) -> Command:
            taking = takes(order)(command)
            return self.command(name, cls=PanelCommand, epilog=taking.__dict__["epilog"])(taking)

        return decorated
