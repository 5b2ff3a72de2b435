"""`refract-asp tags`: tell the mistakes in a sequence by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.session import start

if TYPE_CHECKING:
    from refract_asp.model import Report
    from refract_asp.model.secrets import Secrets
    from refract_asp.model.tags import Tags

__all__ = ["EPILOG", "tags"]

EPILOG = """
Examples:

\b
  refract-asp tags calls.txt --catalog travel
  refract-asp tags calls.txt --catalog travel --truth right.txt --format json
  refract-asp explain made_up_assignment

Exit codes: 0 told, whatever is wrong with the sequence, 2 bad usage or input.
"""


def tags(
    sequence: options.SequenceFile,
    catalog: options.CatalogName,
    truth: Annotated[
        str | None,
        typer.Option("--truth", metavar="FILE", help="Compare with this correct sequence, and with no more."),
    ] = None,
    memory: options.MemoryFile = None,
    history: options.HistoryFile = None,
    mappings: options.MappingsFile = None,
    cost_model: options.CostModel = "default",
    encoding: options.EncodingFiles = None,
    max_tries: options.MaxTries = 3,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    check_formats: options.CheckFormats = False,
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    level: options.LevelChoice = None,
    time_limit: options.TimeLimit = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Tell which kinds of mistakes a sequence has, as tags that can be counted.

    Without a truth they are those that the cheapest repair mends; with one, those in which the sequence
    differs from it, labels and the order of independent calls aside.
    """
    inputs.only_one_stdin(truth, sequence, catalog, memory, history, mappings, goals)
    session = start(
        sequence,
        catalog,
        source_format=source_format,
        catalog_format=catalog_format,
        no_cache=no_cache,
        memory=memory,
        history=history,
        mappings=mappings,
        cost_model=cost_model,
        encoding=encoding,
        max_tries=max_tries,
        undeclared=undeclared.value,
        check_formats=check_formats,
        goal=goal,
        goals=goals,
        level=level.value if level is not None else None,
        time_limit=options.in_seconds(time_limit),
    )
    given, right = session.sequence, None
    result: Report | None = None
    secrets: Secrets | None = None
    found: Tags
    if truth is None:
        result = session.refractor.repair(
            session.sequence, session.memory, session.history, session.goals, level=session.level
        )
        found = result.tags()
    else:
        from refract_asp.report.truth import compared

        found, given, right, secrets = compared(
            session.sequence,
            inputs.read_sequence(truth)[0],
            session.refractor,
            session.memory,
            session.history,
        )
    if format is options.OutputFormat.JSON:
        data = {
            "schema_version": 1,
            "sequence": list(found.sequence),
            "calls": {str(call): list(names) for call, names in found.calls.items()},
            "counts": found.counts,
            "faults": found.model_dump(mode="json")["faults"],
        }
        output.write(output.json_text(data), to_file)
        return
    from refract_asp.report.tags_text import tags_text

    colored = output.use_color(color, to_file)
    text = tags_text(found, given, right, report=result, secrets=secrets, color=colored, width=output.width())
    output.write(text, to_file)
