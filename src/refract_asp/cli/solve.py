"""`refract-asp solve`: repair a sequence."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp.cli import options, output
from refract_asp.cli.session import Session, start

A_MONTH = 30 * 24 * 3600.0
"""Seconds that stand for no limit."""

NEXT_BEST = 10
"""How many other repairs are listed where no number was given."""

if TYPE_CHECKING:
    from refract_asp.model import RepairResult

__all__ = ["EPILOG", "Emit", "solve"]

EPILOG = """
Examples:

\b
  refract-asp solve calls.txt --catalog travel
  refract-asp solve calls.json --catalog tools.yaml --memory memory.json
  refract-asp solve - --catalog travel --to nestful < calls.txt
  refract-asp solve calls.txt --catalog travel --format json -o answer.json
  refract-asp solve calls.txt --catalog travel --explain
  refract-asp solve calls.txt --catalog travel --alternatives 5 --next-best
  refract-asp solve calls.txt --catalog travel --why-not 'keep var3.date'

Exit codes: 0 valid or repaired, 3 values to ask for or edits to confirm, 4 a call could not be repaired,
5 no answer in time, 2 bad usage or input.
"""


class Emit(StrEnum):
    """Which part of the answer is printed."""

    ALL = "all"
    DIFF = "diff"
    CALLS = "calls"


def solve(
    sequence: options.SequenceFile,
    catalog: options.CatalogName,
    memory: options.MemoryFile = None,
    history: options.HistoryFile = None,
    mappings: options.MappingsFile = None,
    new_maps: options.NewMaps = False,
    cost_model: options.CostModel = "default",
    constants: options.Constants = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    confirm: options.ConfirmChoice = None,
    defensive: options.Defensive = False,
    max_new_calls: options.MaxNewCalls = 2,
    max_tries: options.MaxTries = 3,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    check_formats: options.CheckFormats = False,
    known_tools_only: options.KnownToolsOnly = False,
    allow: options.Allow = None,
    deny: options.Deny = None,
    time_limit: options.TimeLimit = None,
    require_optimal: Annotated[
        bool, typer.Option("--require-optimal", help="Exit with 5 unless the repair is proven cheapest.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell what the repair costs, and why each edit is as it is.")
    ] = False,
    alternatives: Annotated[
        int,
        typer.Option(
            "--alternatives", metavar="N", min=0, max=100, help="List up to N other repairs of the same cost."
        ),
    ] = 0,
    next_best: Annotated[
        bool,
        typer.Option("--next-best", help="List the next cheapest repairs too (10 without --alternatives)."),
    ] = False,
    why_not: Annotated[
        list[str] | None,
        typer.Option(
            "--why-not",
            metavar="STATEMENT",
            help="Tell what a repair would cost that does this, or why none can; repeatable.",
        ),
    ] = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    emit: Annotated[
        Emit | None,
        typer.Option(
            "--emit",
            metavar="all|diff|calls",
            help="All (default), the diff alone, or the repaired calls alone.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="FORMAT", help="Print the repaired calls alone, in this format (see --from)."
        ),
    ] = None,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Repair a sequence of tool calls and print what was changed."""
    as_json = format is options.OutputFormat.JSON
    if as_json and (to is not None or emit not in (None, Emit.ALL)):
        raise typer.BadParameter("json holds everything; leave out --emit and --to.", param_hint="'--format'")
    for name, wanted in (
        ("--explain", explain),
        ("--why-not", why_not),
        ("--alternatives", alternatives),
        ("--next-best", next_best),
    ):
        if wanted and (to is not None or emit not in (None, Emit.ALL)):
            raise typer.BadParameter("leave out --emit and --to.", param_hint=f"'{name}'")
    if to is not None and emit not in (None, Emit.CALLS):
        raise typer.BadParameter("only --emit calls goes with --to.", param_hint="'--emit'")
    session = start(
        sequence,
        catalog,
        source_format=source_format,
        catalog_format=catalog_format,
        memory=memory,
        history=history,
        mappings=mappings,
        new_maps=new_maps,
        encoding=encoding,
        encodings=encodings,
        constants=constants,
        cost_model=cost_model,
        confirm=confirm.value if confirm is not None else None,
        defensive=defensive,
        max_new_calls=max_new_calls,
        max_tries=max_tries,
        undeclared=undeclared.value,
        check_formats=check_formats,
        known_tools_only=known_tools_only,
        allow=allow or None,
        deny=deny or None,
        alternatives=alternatives or (NEXT_BEST if next_best else 0),
        next_best=next_best,
        time_limit=A_MONTH if time_limit is None else time_limit,  # with a limit an interrupt is heard
    )
    result = session.refractor.repair(session.sequence, session.memory, session.history)
    colored = output.use_color(color, to_file)
    contrasts = [result.why_not(statement) for statement in why_not or ()]
    if as_json:
        data = {**result.model_dump(mode="json"), "diff": result.diff()}
        if explain:
            data["explanation"] = result.explanation().model_dump(mode="json")
        if contrasts:
            data["why_not"] = [contrast.model_dump(mode="json") for contrast in contrasts]
        output.write(output.json_text(data), to_file)
    elif to is not None or emit is Emit.CALLS:
        output.write(_calls_text(result, to, session), to_file, raw=True)
    elif emit is Emit.DIFF:
        output.write(result.diff(color=colored), to_file)
    else:
        from refract_asp.report.text import summary

        blocks = [summary(result, color=colored, width=output.width())]
        if explain or contrasts or result.alternatives:
            from refract_asp.report.explanation import alternatives_text, contrast_text

            if explain:
                blocks.append(result.explain(color=colored, width=output.width()))
            blocks.append(alternatives_text(result, color=colored, width=output.width()))
            blocks += [contrast_text(each, color=colored, width=output.width()) for each in contrasts]
        output.write("\n\n".join(block for block in blocks if block), to_file)
    raise typer.Exit(_exit_code(result, require_optimal))


def _calls_text(result: RepairResult, to: str | None, session: Session) -> str:
    """Return the repaired calls in a format, by default as they came in, a text without change as it is."""
    name = to or result.sequence.format or result.given.format
    unchanged = result.sequence == result.given and not session.sequence.notes
    if unchanged and name == session.sequence.format:
        return session.text
    data: Any = result.sequence.dump(name)
    if isinstance(data, str):
        return data
    if isinstance(data, list) and (name == "pretty" or (data and all(isinstance(x, str) for x in data))):
        return "\n".join(data)
    return output.json_text(data)


def _exit_code(result: RepairResult, require_optimal: bool) -> int:
    from refract_asp.model import EXIT_CODES

    if require_optimal and not result.optimal:
        return EXIT_CODES["unknown"]
    return EXIT_CODES[result.verdict]
