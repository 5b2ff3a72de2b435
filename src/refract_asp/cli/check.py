"""`refract-asp check`: say what is wrong with a sequence, change nothing."""

from __future__ import annotations

import typer

from refract_asp.cli import options, output
from refract_asp.cli.isolate import isolated
from refract_asp.cli.rendering import Rendering
from refract_asp.cli.session import start

__all__ = ["EPILOG", "check"]

EPILOG = """
Examples:

\b
  refract-asp check calls.txt --catalog travel
  refract-asp check calls.txt --catalog hr --goal 'field employee_info'
  refract-asp check - --catalog tools.json --format json < calls.json
  refract-asp check calls.txt --catalog travel --max-fields 50 --fuzzy
  refract-asp check calls.txt --catalog travel --format sarif -o checked.sarif
  refract-asp check calls.txt --catalog travel --format github --permissive

Exit codes: 0 valid, 1 something is wrong (0 with --permissive), 3 asks or confirms are open, 2 bad usage or
input.
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
    no_cache: options.NoCache = False,
    format: options.ReportFormatChoice = options.ReportFormat.TEXT,
    strict: options.Strict = True,
    max_fields: options.MaxFields = None,
    max_suggestions: options.MaxSuggestions = 3,
    fuzzy: options.Fuzzy = False,
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
        no_cache=no_cache,
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
    rendering = Rendering(format, strict, max_fields, max_suggestions, fuzzy)
    colored = output.use_color(color, to_file)
    text = rendering.text(report, session, color=colored, width=output.width())
    output.write(text, to_file, commands=format is options.ReportFormat.GITHUB)
    from refract_asp.model import EXIT_CODES

    is_warned = report.verdict == "invalid" and not strict
    raise typer.Exit(0 if is_warned else EXIT_CODES[report.verdict])
