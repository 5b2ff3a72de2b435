"""The arguments and options that several commands share, and how a command takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import MISSING, Field, field, fields
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, get_type_hints

import typer

from refract_asp.settings import option

TARGET: ContextVar[str | None] = ContextVar("target", default=None)
"""The file that the command writes."""

Format: TypeAlias = Literal["text", "json"]
Color: TypeAlias = Literal["auto", "always", "never"]
GraphFormat: TypeAlias = Literal["mermaid", "dot", "svg"]
Command: TypeAlias = Callable[..., None]


def argument(metavar: str, help: str, default: Any = MISSING, **more: Any) -> Any:
    """Declare an argument as a field; it is required where there is no default."""
    said = {"help": help, "metavar": metavar, "flags": None, **more}
    return field(default=default, metadata=said)


def writes_to(target: str | None) -> str | None:
    """Note the file that a command writes (`-o`): from then on it is refused to read that very file."""
    TARGET.set(target)
    return target


def output_file(metavar: str, help: str) -> Any:
    """Declare the option -o; what it names is not read by the same command."""
    return option(None, help, metavar, "-o", "--output", callback=writes_to)


def refuse(option: str, why: str) -> NoReturn:
    """Refuse an option, as a mistake of usage."""
    raise typer.BadParameter(why, param_hint=f"'--{option}'")


SEQUENCE = argument("SEQUENCE", "File with the calls; - reads standard input.")
CATALOG_OF_OTHERS = option(
    None, "The tools, for all sequences that do not bring their own.", "PATH|NAME", "--catalog"
)
CATALOG_FORMAT = option(
    None, "Format of the catalog, when it is not to be detected.", "FORMAT", "--catalog-format"
)
NO_CACHE = option(
    False, "Read the catalog anew, and keep nothing of it; see `catalog cache`.", None, "--no-cache"
)
FROM = option(
    None,
    "Format of SEQUENCE, when it is not to be detected: pretty, nestful, python, openai, "
    "openai-responses, anthropic, gemini, langchain, mcp, plan or loose.",
    "FORMAT",
    "--from",
)
MEMORY = option(None, "JSON or YAML file with values already known.", "FILE")
ISOLATE = option(
    False,
    "Work in a process of its own, with 2 GB of memory and the time limit or 60 s, then stop it.",
)
ISOLATE_LIMIT = option(
    None,
    "Work as with --isolate, and stop after this time and 10 s more, not after 60 s.",
    "SECONDS",
    min=0.0,
)
FORMAT = option("text", "How to print the answer.", "text|json")
COLOR = option(
    "auto", "Colour the text; auto: on a terminal without NO_COLOR.", "auto|always|never"
)
OUTPUT = output_file("FILE", "Write here, not to standard output.")


# -- how a command takes them ----------------------------------------------------


def parameter(
    name: str, kind: Any, default: Any, said: Mapping[str, Any], flag: str = ""
) -> inspect.Parameter:
    """Return what is declared as a parameter that the framework understands; its flag is by default its name."""
    more = dict(said)
    flags = more.pop("flags")
    flag = flag or f"--{name.replace('_', '-')}"
    info = typer.Argument(**more) if flags is None else typer.Option(*(flags or (flag,)), **more)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if default is MISSING else default,
        annotation=Annotated[kind, info],
    )


def declared(group: Any) -> dict[str, inspect.Parameter]:
    """Return what a dataclass declares in its fields, or what a class says itself (`parameters`)."""
    if hasattr(group, "parameters"):
        found: dict[str, inspect.Parameter] = group.parameters()
        return found
    hints = get_type_hints(group)
    return {
        each.name: parameter(each.name, hints[each.name], each.default, each.metadata)
        for each in fields(group)
    }


def help_and_epilog(text: str | None) -> tuple[str, str | None]:
    """Split a docstring before its examples; blocks that are indented are printed as they are."""
    help, examples, rest = inspect.cleandoc(text or "").partition("\n\nExamples:\n")
    blocks = (examples + rest).strip().split("\n\n")
    epilog = "\n\n".join(f"\b\n{block}" if block[:1] == " " else block for block in blocks)
    return help, epilog or None


def takes(order: str = "", epilog: str | None = None) -> Callable[[Command], Command]:
    """
    Give a command the arguments and options that it declares: as defaults of its parameters, or in groups.

    A parameter without a default takes a group, whose fields are given on the command line; a parameter of
    the command hides the field of that name.

    Args:
        order: the names in the order of the help, which may leave out some of a group; by default all.
        epilog: what the help ends with; by default the docstring from its examples on.
    """

    def decorated(command: Command) -> Command:
        known: dict[str, inspect.Parameter] = {}
        groups: dict[str, tuple[Any, dict[str, Any]]] = {}
        own: set[str] = set()
        for name, each in inspect.signature(command, eval_str=True).parameters.items():
            if isinstance(each.default, Field):
                said = each.default.metadata
                known[name] = parameter(name, each.annotation, each.default.default, said)
                own.add(name)
            else:
                found = declared(each.annotation)
                groups[name] = each.annotation, found
                known |= {name: each for name, each in found.items() if name not in own}
        listed = [known[name] for name in order.split() or known]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            shared = values.keys() - own
            made = {
                name: group(**{each: values[each] for each in names if each in shared})
                for name, (group, names) in groups.items()
            }
            command(**made, **{name: values[name] for name in own})

        help, examples = help_and_epilog(command.__doc__)
        run.__doc__ = help
        run.__dict__["epilog"] = epilog or examples
        run.__dict__["__signature__"] = inspect.Signature(listed)
        run.__annotations__ = {each.name: each.annotation for each in listed}
        del run.__dict__["__wrapped__"]
        return run

    return decorated


class Group(typer.Typer):
    """A group of commands, whose help ends with the examples in the text that describes it."""

    def __init__(self, text: str | None, **more: Any) -> None:
        """Take the epilog from the `text`."""
        epilog = help_and_epilog(text)[1]
        super().__init__(no_args_is_help=True, rich_markup_mode=None, epilog=epilog, **more)

    def adds(
        self, name: str, short_help: str | None = None, order: str = ""
    ) -> Callable[[Command], Command]:
        """Add a command with what it declares; see `takes`."""

        def decorated(command: Command) -> Command:
            taking = takes(order)(command)
            epilog = taking.__dict__["epilog"]
            return self.command(name, epilog=epilog, short_help=short_help)(taking)

        return decorated
