"""`refract-asp plan`: check plans, format them, show their stages, and turn them into sequences and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.errors import PlanError
from refract_asp.formats import read_text
from refract_asp.model import Catalog, Memory, Sequence
from refract_asp.model.stages import without_unmade
from refract_asp.plan import (
    Plan,
    PlanDiagnostic,
    dates,
    described,
    parse_plan,
    to_plan,
    to_sequence,
)
from refract_asp.plan.context import for_reading, with_helpers
from refract_asp.plan.names import check_names
from refract_asp.plan.syntax import Invocation, walk
from refract_asp.refractor import check
from refract_asp.report.graph import stages_data, stages_text
from refract_asp.report.terminal import escaped, painted

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp plan check plan.js
  refract-asp plan check plan.js --catalog flights --relaxed
  refract-asp plan format plan.js -o plan.js
  refract-asp plan stages plan.js
  refract-asp plan to-sequence plan.js --to nestful
  refract-asp plan from-sequence calls.txt

To repair a plan: refract-asp solve plan.js --catalog tools.yaml --to plan. To run one: refract-asp run.
Exit codes: 0 nothing is wrong, 1 something is, 2 bad usage or input.
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=EPILOG,
)

PlanFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="File with a plan; - reads standard input.")
]
Relaxed: TypeAlias = Annotated[
    bool, typer.Option("--relaxed/--strict", help="Mend slips of syntax, or tell them as errors.")
]
ToolsOfPlan: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--catalog",
        metavar="PATH|NAME",
        help="Know what the tools change from the catalog, not their names.",
    ),
]


@dataclass(frozen=True)
class _Source:
    """The text of a plan, and what messages call it."""

    name: str
    text: str

    def told(self, diagnostic: PlanDiagnostic, kind: str, colored: bool) -> str:
        """Print what is wrong, the line it is on, and a mark below its place."""
        place = diagnostic.place
        styles: Any = {"error": "red", "warning": "yellow", "mended": "cyan"}
        word = painted(f"{kind}:", "bold", styles[kind]) if colored else f"{kind}:"
        head = f"{escaped(self.name)}:{place.line}:{place.column}: {word} {escaped(diagnostic.message)}"
        lines = [f"{head} [{diagnostic.code}]"]
        written = self.text.split("\n")
        if 0 < place.line <= len(written):
            lines += _marked(written[place.line - 1], place.column, output.width())
        if diagnostic.hint and kind != "mended":
            lines.append(f"  {escaped(diagnostic.hint)}")
        return "\n".join(lines)


def _marked(line: str, column: int, width: int) -> list[str]:
    """
    Return what fits into `width` columns of a line around a place, and a mark below that.

    Characters take as many columns as a terminal gives them: none, one, or two as of Chinese.
    """
    from rich.cells import cell_len

    shown = [
        escaped(" " if character == "\t" else character) for character in line.removesuffix("\r")
    ]
    if not "".join(shown).strip():
        return []
    room = max(width, 40) - len("    ......")
    place = min(column - 1, len(shown))
    first = last = place
    used = 0
    while first > 0 and used + cell_len(shown[first - 1]) <= room * 2 // 3:
        first -= 1
        used += cell_len(shown[first])
    while last < len(shown) and used + cell_len(shown[last]) <= room:
        used += cell_len(shown[last])
        last += 1
    before = ("..." if first else "") + "".join(shown[first:place])
    after = "".join(shown[place:last]) + ("..." if last < len(shown) else "")
    return [f"    {before}{after}".rstrip(), f"    {' ' * cell_len(before)}^"]


@app.command("check", short_help="Say what is wrong with a plan.")
def check_plan(
    plan: PlanFile,
    relaxed: Relaxed = False,
    catalog: Annotated[
        str | None,
        typer.Option(
            "--catalog",
            metavar="PATH|NAME",
            help="Check the calls, too, by the catalog of the tools.",
        ),
    ] = None,
    no_cache: options.NoCache = False,
    memory: options.MemoryFile = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Say what is wrong with a plan: its syntax, its names, and with a catalog its calls as well.

    The names of the date helpers (`tomorrow`, `next(Thursday)`, ...) are known.
    """
    inputs.only_one_stdin(plan, catalog, memory)
    source = _source(plan)
    parsed = parse_plan(source.text, "relaxed" if relaxed else "strict")
    found = list(parsed.diagnostics)
    if parsed.plan is not None:
        found = _checked(parsed.plan, _catalog(catalog, no_cache), inputs.read_memory(memory))
    is_wrong = any(each.severity == "error" for each in found)
    if format is options.OutputFormat.JSON:
        data = {
            "schema_version": 1,
            "verdict": "invalid" if is_wrong else "valid",
            "diagnostics": [_data(each) for each in found],
            "repairs": [_data(each) for each in parsed.repairs],
        }
        output.write(output.json_text(data), to_file)
    else:
        colored = output.use_color(color, to_file)
        told = [source.told(each, "mended", colored) for each in parsed.repairs]
        told += [source.told(each, each.severity, colored) for each in found]
        told.append("invalid" if is_wrong else "valid")
        output.write("\n".join(told), to_file)
    raise typer.Exit(1 if is_wrong else 0)


@app.command("format", short_help="Print a plan as it is written by convention.")
def format_plan(plan: PlanFile, to_file: options.Output = None) -> None:
    """Print a plan as it is written by convention; slips of syntax are mended, and told on standard error."""
    output.write(str(_read(_source(plan, in_place=True))), to_file, raw=True)


@app.command("stages", short_help="Print which calls of a plan are made together.")
def stages_of_plan(
    plan: PlanFile,
    catalog: ToolsOfPlan = None,
    no_cache: options.NoCache = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Print the calls of a plan in stages: those of one stage wait only for calls of the stages before.

    Calls that nobody reads are never made: they are told on standard error, and one that changes something is
    refused, as `run` does.
    """
    inputs.only_one_stdin(plan, catalog)
    sequence = _lowered(_source(plan), _catalog(catalog, no_cache))
    inline = described(dates()).by_name
    if format is options.OutputFormat.JSON:
        data = stages_data(sequence, order="data", inline=inline)
        output.write(output.json_text({"schema_version": 1, **data}), to_file)
    else:
        colored = output.use_color(color, to_file)
        output.write(stages_text(sequence, order="data", inline=inline, color=colored), to_file)


@app.command("to-sequence", short_help="Print the calls of a plan as a sequence.")
def sequence_of_plan(
    plan: PlanFile,
    catalog: ToolsOfPlan = None,
    no_cache: options.NoCache = False,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="Format of the sequence.")
    ] = "pretty",
    to_file: options.Output = None,
) -> None:
    """
    Print the calls of a plan as a sequence: one call after the other, each with a label.

    Calls that nobody reads are never made: they are told on standard error and left out, and one that changes
    something is refused, as `run` does.
    """
    inputs.only_one_stdin(plan, catalog)
    sequence = without_unmade(_lowered(_source(plan), _catalog(catalog, no_cache)))
    output.write(_dumped(sequence, to), to_file, raw=True)


@app.command("from-sequence", short_help="Print a sequence as a plan.")
def plan_of_sequence(
    sequence: options.SequenceFile,
    source_format: options.From = None,
    to_file: options.Output = None,
) -> None:
    """Print a sequence as a plan; calls that nobody reads are returned by their names."""
    given, _ = inputs.read_sequence(sequence, source_format)
    output.write(str(to_plan(given)), to_file, raw=True)


def _source(plan: str, *, in_place: bool = False) -> _Source:
    content = inputs.read_data(plan, in_place=in_place)
    name = "<stdin>" if plan == inputs.STDIN else plan
    return _Source(name, read_text(Path(content) if isinstance(content, Path) else content))


def _catalog(name: str | None, no_cache: bool) -> Catalog | None:
    return inputs.read_catalog(name, no_cache=no_cache) if name is not None else None


def _lowered(source: _Source, catalog: Catalog | None) -> Sequence:
    """Return the calls of a plan; tell of those that are never made, and refuse such as change something."""
    plan = _read(source)
    sequence = to_sequence(plan)
    calling = {
        a.place for a in plan.aliases if any(isinstance(part, Invocation) for part in walk(a.value))
    }
    found = [
        each
        for each in _checked(plan, catalog, None)
        if each.code == "unused_call" or (each.code == "unused_alias" and each.place in calling)
    ]
    for each in found:
        place = f"{source.name}:{each.place.line}:{each.place.column}"
        message = each.message.removesuffix(".")
        output.complain(each.severity, f"{place}: {message}. {each.hint} [{each.code}]")
    if any(each.severity == "error" for each in found):
        raise typer.Exit(1)
    return sequence


def _read(source: _Source) -> Plan:
    """Return the plan in a text, and tell what was mended to read it."""
    parsed = parse_plan(source.text, "relaxed")
    for each in parsed.repairs:
        place = each.place
        output.complain("mended", f"{source.name}:{place.line}:{place.column}: {each.message}")
    return parsed.require(source.name)


_BY_RULES = frozenset({"unknown_name", "unknown_member", "unknown_method"})
"""What the rules tell as well, with what was probably meant."""


def _checked(plan: Plan, catalog: Catalog | None, memory: Memory | None) -> list[PlanDiagnostic]:
    """Return what is wrong with the names of a plan, and with a catalog with its calls."""
    helpers = dates()
    known = catalog or Catalog()
    found = check_names(
        plan, None if catalog is None else helpers.merged(for_reading(catalog, memory))
    )
    try:
        sequence = to_sequence(plan)
    except (
        PlanError
    ):  # a circle, which is told already, or a computed index, which the rules do not know
        return found
    judged = _violations(plan, sequence, *with_helpers(sequence, helpers, known, memory))
    if catalog is None:  # then the rules know the names of the tools, and no more
        judged = [each for each in judged if each.code == "unused_call"]
    else:
        found = [each for each in found if each.code not in _BY_RULES]
    refused = {each.place for each in judged if each.code == "unused_call"}
    twice = {alias.place for alias in plan.aliases if alias.value.place in refused}
    found = [each for each in found if each.code != "unused_alias" or each.place not in twice]
    return sorted(found + judged, key=lambda each: each.place)


def _violations(
    plan: Plan, sequence: Sequence, catalog: Catalog, memory: Memory
) -> list[PlanDiagnostic]:
    """Return what the rules find wrong with the calls of a plan, at their places."""
    found = []
    for each in check(sequence, catalog, memory).diagnostics():
        is_call = each.call is not None and each.call < len(sequence.calls)
        place = sequence.calls[each.call or 0].written.place if is_call else plan.place
        hint = f"{each.fix or each.tip}." if each.fix or each.tip else ""
        found.append(PlanDiagnostic(each.code, each.message, place, None, hint, each.severity))
    return found


def _dumped(sequence: Sequence, to: str) -> str:
    data = sequence.dump(to)
    if isinstance(data, list) and to == "pretty":
        return "\n".join(data)
    return data if isinstance(data, str) else output.json_text(data)


def _data(diagnostic: PlanDiagnostic) -> dict[str, Any]:
    place, end = diagnostic.place, diagnostic.end
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "line": place.line,
        "column": place.column,
        "end_line": end.line if end is not None else None,
        "end_column": end.column if end is not None else None,
    }
