"""The arguments and options that several commands share, and how a command takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import is_dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

import typer

TARGET: ContextVar[str | None] = ContextVar("target", default=None)
"""The file that the command writes."""
A_MONTH = 30 * 24 * 3600.0
"""Seconds that stand for no limit."""


class OutputFormat(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


class ColorChoice(StrEnum):
    """When the output is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class WhatToConfirm(StrEnum):
    """Which edits open a confirm."""

    RISKY = "risky"
    NEW = "new"
    NEVER = "never"


class WhatBecomesOfUndeclared(StrEnum):
    """What becomes of arguments that their tool does not declare."""

    REJECT = "reject"
    DROP = "drop"
    KEEP = "keep"


class WhenToRefer(StrEnum):
    """When a text such as `$x$` refers to something."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"

    @property
    def option(self) -> Literal["auto", True, False]:
        """The option of `Refractor`."""
        return "auto" if self is WhenToRefer.AUTO else self is WhenToRefer.ALWAYS


Emit = Literal["all", "diff", "calls"]
GraphFormat = Literal["mermaid", "dot", "svg"]
Level = Literal["admissible", "achieves_goals", "cheapest"]
PromptKind = Literal["plain", "issues", "fix", "suggestions"]
ReportFormat = Literal["text", "json", "record", "github", "sarif"]

SequenceFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="SEQUENCE", help="File with the calls; - reads standard input.")
]
CatalogName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--catalog",
        metavar="PATH|NAME",
        help="File with the tools, or the name of a shipped catalog.",
    ),
]
CatalogOfOthers: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--catalog",
        metavar="PATH|NAME",
        help="The tools, for all sequences that do not bring their own.",
    ),
]
NoCache: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--no-cache", help="Read the catalog anew, and keep nothing of it; see `catalog cache`."
    ),
]
CatalogFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--catalog-format",
        metavar="FORMAT",
        help="Format of the catalog, when it is not to be detected.",
    ),
]
From: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="Format of SEQUENCE, when it is not to be detected: pretty, nestful, python, openai, "
        "openai-responses, anthropic, gemini, langchain, mcp, plan or loose.",
    ),
]
MemoryFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--memory", metavar="FILE", help="JSON or YAML file with values already known."),
]
HistoryFile: TypeAlias = Annotated[
    str | None, typer.Option("--history", metavar="FILE", help="File with the calls made so far.")
]
MappingsFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--mappings", metavar="FILE", help="File that says which output may fill which parameter."
    ),
]
NewMaps: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--new-maps",
        help="Compute mappings from what the catalog says of its tools, beside those given.",
    ),
]
CostModel: TypeAlias = Annotated[
    str, typer.Option("--cost-model", metavar="NAME|FILE", help="What ranks the edits.")
]
Constants: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "-c", "--const", metavar="NAME=VALUE", help="Set a constant of the encodings; repeatable."
    ),
]
EncodingFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--encoding",
        metavar="FILE|NAME",
        help="Add a file of rules of your own, or house rules that are shipped; repeatable.",
    ),
]
EncodingsFolder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--encodings", metavar="DIR", help="Take the rules from this folder, not the shipped ones."
    ),
]
ConfirmChoice: TypeAlias = Annotated[
    WhatToConfirm | None,
    typer.Option(
        "--confirm",
        metavar="risky|new|never",
        help="Which edits the user has to confirm; the default is that of the cost model, mostly risky.",
    ),
]
Defensive: TypeAlias = Annotated[
    bool, typer.Option("--defensive", help="Confirm risky edits and everything new.")
]
UndeclaredChoice: TypeAlias = Annotated[
    WhatBecomesOfUndeclared,
    typer.Option(
        "--undeclared",
        metavar="reject|drop|keep",
        help="Arguments that their tool does not declare are wrong, are dropped, or may pass.",
    ),
]
References: TypeAlias = Annotated[
    WhenToRefer,
    typer.Option(
        "--references",
        metavar="auto|always|never",
        help="Whether $x$ in a text refers to something; auto: in formats without labels only where memory, "
        "the history or a label has the name.",
    ),
]
CheckFormats: TypeAlias = Annotated[
    bool, typer.Option("--check-formats", help="Check the format of texts too, as date or email.")
]
MaxNewCalls: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-new-calls",
        metavar="N",
        min=0,
        help="How many calls may be added on their own account.",
    ),
]
MaxTries: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-tries",
        metavar="N",
        min=1,
        help="How often the same call may be made, history included.",
    ),
]
KnownToolsOnly: TypeAlias = Annotated[
    bool, typer.Option("--known-tools-only", help="Use only tools that the sequence already names.")
]
Allow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="TOOL", help="Use only this tool of the catalog; repeatable."),
]
Deny: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--deny", metavar="TOOL", help="Do not use this tool; repeatable."),
]
IsolateLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.0,
        help="Work as with --isolate, and stop after this time and 10 s more, not after 60 s.",
    ),
]
TimeLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", min=0.0, help="Stop after this time with the best found."
    ),
]
Goals: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        metavar="GOAL",
        help="What the calls have to bring about: 'TOOL', 'TOOL(parameter=value)', 'field NAME' or "
        "'TOOL before TOOL'; repeatable.",
    ),
]
GoalsFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--goals", metavar="FILE", help="YAML or JSON file with a list of goals."),
]
LevelChoice: TypeAlias = Annotated[
    Level | None,
    typer.Option(
        "--level",
        metavar="admissible|achieves_goals|cheapest",
        help="What the sequence has to be: admissible; besides, meet the goals (the default with goals); "
        "besides, make as few calls as possible.",
    ),
]
Isolate: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--isolate",
        help="Work in a process of its own, with 2 GB of memory and the time limit or 60 s, then stop it.",
    ),
]
Explain: TypeAlias = Annotated[
    bool,
    typer.Option("--explain", help="Tell what the repair costs, and why each edit is as it is."),
]
Alternatives: TypeAlias = Annotated[
    int,
    typer.Option(
        "--alternatives",
        metavar="N",
        min=0,
        max=100,
        help="List up to N other repairs of the same cost.",
    ),
]
NextBest: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--next-best", help="List the next cheapest repairs too (10 without --alternatives)."
    ),
]
WhyNot: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--why-not",
        metavar="STATEMENT",
        help="Tell what a repair would cost that does this, or why none can; repeatable.",
    ),
]
Prompt: TypeAlias = Annotated[
    PromptKind | None,
    typer.Option(
        "--prompt",
        metavar="plain|issues|fix|suggestions",
        help="Print a prompt that has a model correct its calls: with the wrong calls alone, with what is "
        "wrong, with corrected calls, or with what is wrong and what puts it right.",
    ),
]
Words: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--words",
        metavar="TEXT|@FILE",
        help="With --prompt: what the user asked for; @- is standard input.",
    ),
]
MaxTokens: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        metavar="N",
        min=1,
        help="With --prompt: leave out what is least needed, so that it has at most so many tokens.",
    ),
]
Templates: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--templates",
        metavar="DIR",
        help="With --prompt: take the templates in this folder, if any.",
    ),
]
OutputFormatChoice: TypeAlias = Annotated[
    OutputFormat, typer.Option("--format", metavar="text|json", help="How to print the answer.")
]
ReportFormatChoice: TypeAlias = Annotated[
    ReportFormat,
    typer.Option(
        "--format",
        metavar="text|json|record|github|sarif",
        help="How to print what is wrong: for people; as data; as the record of a failed validation; "
        "as GitHub's annotations; as SARIF.",
    ),
]
Strict: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--strict/--permissive",
        help="What is wrong is an error; or a warning, and the exit code is 0.",
    ),
]
MaxFields: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-fields",
        metavar="N",
        min=0,
        max=10_000,
        help="List up to N entries of what there is: 20 by default, 5 of fields that have the right type.",
    ),
]
MaxSuggestions: TypeAlias = Annotated[
    int,
    typer.Option("--max-suggestions", metavar="N", min=0, max=100, help="Suggest up to N names."),
]
Fuzzy: TypeAlias = Annotated[
    bool, typer.Option("--fuzzy", help="Suggest names, too, that are only somewhat alike.")
]
Color: TypeAlias = Annotated[
    ColorChoice,
    typer.Option(
        "--color",
        metavar="auto|always|never",
        help="Colour the text; auto: on a terminal without NO_COLOR.",
    ),
]
EmitChoice: TypeAlias = Annotated[
    Emit | None,
    typer.Option(
        "--emit",
        metavar="all|diff|calls",
        help="All (default), the diff alone, or the repaired calls alone.",
    ),
]
ToFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help="Print the repaired calls alone, in this format (see --from).",
    ),
]
RequireOptimal: TypeAlias = Annotated[
    bool,
    typer.Option("--require-optimal", help="Exit with 5 unless the repair is proven cheapest."),
]


def writes_to(target: str | None) -> str | None:
    """Note the file that a command writes (`-o`): from then on it is refused to read that very file."""
    TARGET.set(target)
    return target


def output_file(metavar: str, help: str) -> Any:
    """Return the option -o; what it names is not read by the same command."""
    return typer.Option("-o", "--output", metavar=metavar, help=help, callback=writes_to)


Output: TypeAlias = Annotated[
    str | None, output_file("FILE", "Write here, not to standard output.")
]


NEXT_BEST = 10
"""How many other repairs are listed where no number was given."""


def how_many(alternatives: int, next_best: bool) -> int:
    """Return how many other repairs are listed."""
    return alternatives or (NEXT_BEST if next_best else 0)


def in_seconds(time_limit: float | None) -> float:
    """Return a time limit in any case, a very long one where none was wanted: so an interrupt is heard."""
    return A_MONTH if time_limit is None else time_limit


Command: TypeAlias = Callable[..., None]


def takes(names: str) -> Callable[[Command], Command]:
    """
    Give a command the arguments and options that are `names`, in the order of its help.

    A parameter of the command whose type is a dataclass takes those names that are its fields; the names
    that are parameters of the command itself go there.
    """

    def decorated(command: Command) -> Command:
        own: dict[str, inspect.Parameter] = {}
        groups: dict[str, type[Any]] = {}
        for name, each in inspect.signature(command, eval_str=True).parameters.items():
            if isinstance(each.annotation, type) and is_dataclass(each.annotation):
                groups[name] = each.annotation
            else:
                own[name] = each
        known = {
            name: each for group in groups.values() for name, each in _fields(group).items()
        } | own
        listed = [
            known[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in names.split()
        ]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            shared = {name: value for name, value in values.items() if name not in own}
            made = {
                name: group(**{each: shared[each] for each in _fields(group).keys() & shared})
                for name, group in groups.items()
            }
            command(**made, **{name: values[name] for name in own})

        run.__dict__["__signature__"] = inspect.Signature(listed)
        run.__annotations__ = {each.name: each.annotation for each in listed}
        del run.__dict__["__wrapped__"]
        return run

    return decorated


def _fields(group: type[Any]) -> dict[str, inspect.Parameter]:
    """Return the fields of a dataclass as parameters; those without a default are required."""
    hints = get_type_hints(group, include_extras=True)
    found = inspect.signature(group).parameters
    return {name: each.replace(annotation=hints[name]) for name, each in found.items()}
