"""`refract-asp check`: say what is wrong with a sequence, change nothing."""

from __future__ import annotations

import typer

from refract_asp.cli import options, output
from refract_asp.cli.isolate import isolated
from refract_asp.cli.session import start

__all__ = ["EPILOG", "check"]

EPILOG = """
Examples:

\b
  refract-asp check calls.txt --catalog travel
  refract-asp check calls.txt --catalog hr --goal 'field employee_info'
  refract-asp check - --catalog tools.json --format json < calls.json

Exit codes: 0 valid, 1 something is wrong, 3 asks or confirms are open, 2 bad usage or input.
"""


def check(
    sequence: options.SequenceFile,
    catalog: options.CatalogName,
    memory: options.MemoryFile = None,
    history: options.HistoryFile = None,
    mappings: options.MappingsFile = None,
    constants: options.Constants = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    max_tries: options.MaxTries = 3,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    check_formats: options.CheckFormats = False,
    allow: options.Allow = None,
    deny: options.Deny = None,
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    level: options.LevelChoice = None,
    isolate: options.Isolate = False,
    time_limit: options.IsolateLimit = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Check a sequence of tool calls and print what is wrong; nothing is changed."""
    isolated(isolate, time_limit)
    session = start(
        sequence,
        catalog,
        source_format=source_format,
        catalog_format=catalog_format,
        memory=memory,
        history=history,
        mappings=mappings,
        encoding=encoding,
        encodings=encodings,
        constants=constants,
        max_tries=max_tries,
        undeclared=undeclared.value,
        check_formats=check_formats,
        allow=allow or None,
        deny=deny or None,
        goal=goal,
        goals=goals,
        level=level.value if level is not None else None,
    )
    report = session.refractor.check(
        session.sequence, session.memory, session.history, session.goals, level=session.level
    )
    if format is options.OutputFormat.JSON:
        output.write(output.json_text(report.model_dump(mode="json")), to_file)
    else:
        from refract_asp.report.text import summary

        colored = output.use_color(color, to_file)
        output.write(summary(report, color=colored, width=output.width()), to_file)
    from refract_asp.model import EXIT_CODES

    raise typer.Exit(EXIT_CODES[report.verdict])
