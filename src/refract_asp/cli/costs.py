"""`refract-asp costs`: look at cost models, find mistakes in them and in your rules, compare and fit them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from refract_asp.cli import compare, fit, inputs, options, output
from refract_asp.cli.isolate import isolated
from refract_asp.report.terminal import escaped, painted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from refract_asp.costs import CostModel, Finding

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp costs list
  refract-asp costs show maps_first
  refract-asp costs check mine.lp
  refract-asp costs check default --encoding house.lp
  refract-asp costs compare default refraction data.jsonl --catalog travel
  refract-asp costs fit data.jsonl --catalog travel -o mine.lp
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look at cost models, check them and rules of your own, compare and fit them.",
    epilog=EPILOG,
)

ModelArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="Name of a cost model, or its file.")
]


@app.command("list")
def list_models(
    encodings: options.EncodingsFolder = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    to_file: options.Output = None,
) -> None:
    """Print the cost models, each with what it is for."""
    from refract_asp.costs import cost_models

    models = cost_models(inputs.read_folder(encodings))
    if format is options.OutputFormat.JSON:
        data = [{"name": model.name, "intent": list(model.intent)} for model in models]
        output.write(output.json_text({"schema_version": 1, "models": data}), to_file)
        return
    broad = max((len(model.name) for model in models), default=0) + 2
    lines = [_hanging(model.name.ljust(broad), model.brief, broad) for model in models]
    output.write("\n".join(lines), to_file)


@app.command("show")
def show_model(
    model: ModelArgument,
    encodings: options.EncodingsFolder = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Print what a cost model is for, its levels and criteria, and what else it says.

    The constants are those that -c changes.
    """
    from refract_asp.costs import cost_model

    shown = cost_model(inputs.read_cost_model(model), inputs.read_folder(encodings))
    if format is options.OutputFormat.JSON:
        output.write(output.json_text({"schema_version": 1, **shown.as_data()}), to_file)
        return
    colored = output.use_color(color, to_file)
    output.write("\n".join(_shown(shown, colored=colored)), to_file)


def _shown(model: CostModel, *, colored: bool) -> Iterator[str]:
    def title(text: str) -> str:
        return painted(text, "bold") if colored else text

    yield title(escaped(model.name))
    for paragraph in model.intent:
        yield _hanging("  ", escaped(paragraph), 2)
    for level in model.levels:
        name = f"{level.constant} = {level.priority}" if level.constant else str(level.priority)
        yield ""
        yield title(f"level {escaped(name)}")
        broad = max(len(criterion.kind) for criterion in level.criteria) + 2
        for criterion in level.criteria:
            weight = "?" if criterion.weight is None else str(criterion.weight)
            kind = escaped(criterion.kind).ljust(broad)
            yield f"  {kind}{weight:>6}  {escaped(criterion.weight_constant)}".rstrip()
    for name, words in (
        ("off", model.off),
        ("says", model.says),
        ("penalties of its own", model.kinds),
        ("weak constraints of its own", (str(model.weak),) if model.weak else ()),
    ):
        if words:
            yield ""
            yield _hanging(title(f"{name}: "), escaped(", ".join(words)), 2)


CHECK_EPILOG = """
Examples:

\b
  refract-asp costs check mine.lp
  refract-asp costs check default --encoding house.lp --strict

Exit codes: 0 nothing found, 1 errors (with --strict: warnings too), 2 bad usage or input.
"""


@app.command("check", short_help="Say what is wrong with a cost model.", epilog=CHECK_EPILOG)
def check_models(
    models: Annotated[
        list[str], typer.Argument(metavar="NAME|FILE...", help="Names of cost models, or their files.")
    ],
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    isolate: options.Isolate = False,
    time_limit: options.IsolateLimit = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Say what is wrong with cost models, and with rules of your own.

    Told are penalties that nothing ranks and criteria for none, unknown predicates and constants, rules
    that nobody asks, and whatever `solve` would refuse.
    """
    isolated(isolate, time_limit)
    from refract_asp.costs import examine

    folder, extra = inputs.read_folder(encodings), inputs.read_encodings(encoding)
    found = [(name, examine(inputs.read_cost_model(name), folder, extra)) for name in models]
    colored = output.use_color(color, to_file)
    if format is options.OutputFormat.JSON:
        data = [
            {
                "model": name,
                "findings": [
                    {"severity": f.severity, "code": f.code, "where": f.where, "what": f.what, "hint": f.hint}
                    for f in findings
                ],
            }
            for name, findings in found
        ]
        output.write(output.json_text({"schema_version": 1, "models": data}), to_file)
    else:
        blocks = [_told(name, findings, colored=colored) for name, findings in found]
        output.write("\n".join(blocks), to_file)
    severities = {finding.severity for _, findings in found for finding in findings}
    if "error" in severities or (strict and severities):
        raise typer.Exit(1)


def _told(name: str, findings: list[Finding], *, colored: bool) -> str:
    """Print what was found of a model, an item a line."""
    errors = sum(finding.severity == "error" for finding in findings)
    counts = [_count(errors, "error"), _count(len(findings) - errors, "warning")]
    said = ", ".join(filter(None, counts)) or "ok"
    lines = [f"{escaped(name)}: {said}"]
    for finding in findings:
        word = f"{finding.severity}: "
        if colored:
            word = painted(word, "red" if finding.severity == "error" else "yellow")
        place = f"{finding.where}: " if finding.where else ""
        text = " ".join(filter(None, (f"{place}{finding.what}", finding.hint, f"[{finding.code}]")))
        lines.append(_hanging(word, escaped(text), 4))
    return "\n".join(lines)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}" if number else ""


def _hanging(head: str, text: str, indent: int) -> str:
    """Wrap a text behind its head, further lines indented."""
    width = max(40, min(output.width(), 120))
    bare = head if not head.startswith("\x1b") else head[4:-4]  # codes take no room
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=" " * len(bare),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if not lines:
        return head
    return "\n".join([head + lines[0][len(bare) :], *lines[1:]])


app.command("compare", epilog=compare.EPILOG, short_help="Say where two cost models differ.")(compare.compare)
app.command("fit", epilog=fit.EPILOG, short_help="Fit the weights of a cost model to examples.")(fit.fit)
