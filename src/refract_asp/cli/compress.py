"""`refract-asp compress`: leave out the calls that do nothing new."""

from __future__ import annotations

import typer

from refract_asp.cli import options
from refract_asp.cli.isolate import isolated
from refract_asp.cli.printing import Printing, exit_code
from refract_asp.cli.session import start

__all__ = ["EPILOG", "compress"]

EPILOG = """
Examples:

\b
  refract-asp compress trace.txt --catalog travel
  refract-asp compress trace.txt --catalog travel --history done.txt
  refract-asp compress trace.txt --catalog travel --to openai
  refract-asp compress trace.txt --catalog travel --explain
  refract-asp compress trace.txt --catalog travel --why-not 'keep call 4'

Exit codes: 0 every call is needed, or shorter and ready to run, 3 values to ask for or edits to confirm,
4 a call could not be repaired, 5 no answer in time, 2 bad usage or input.
"""


def compress(
    sequence: options.SequenceFile,
    catalog: options.CatalogName,
    memory: options.MemoryFile = None,
    history: options.HistoryFile = None,
    mappings: options.MappingsFile = None,
    cost_model: options.CostModel = "default",
    constants: options.Constants = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    confirm: options.ConfirmChoice = None,
    max_tries: options.MaxTries = 3,
    time_limit: options.TimeLimit = None,
    isolate: options.Isolate = False,
    require_optimal: options.RequireOptimal = False,
    explain: options.Explain = False,
    alternatives: options.Alternatives = 0,
    next_best: options.NextBest = False,
    why_not: options.WhyNot = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    emit: options.EmitChoice = None,
    to: options.ToFormat = None,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Leave out the calls of a sequence that do nothing new.

    These are copies, attempts that were made again, calls that were executed before, and what only these
    read. The calls that stay are repaired where something is wrong with them.
    """
    printing = Printing(
        format,
        emit,
        to,
        color,
        to_file,
        explain=explain,
        why_not=tuple(why_not or ()),
        more=(("--alternatives", alternatives), ("--next-best", next_best)),
    )
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
        cost_model=cost_model,
        constants=constants,
        encoding=encoding,
        encodings=encodings,
        confirm=confirm.value if confirm is not None else None,
        max_tries=max_tries,
        alternatives=options.how_many(alternatives, next_best),
        next_best=next_best,
        time_limit=options.in_seconds(time_limit),
    )
    result = session.refractor.compress(session.sequence, session.memory, session.history)
    printing.tell(result, session)
    raise typer.Exit(exit_code(result, require_optimal))
