"""`refract-asp solve`: repair a sequence."""

from __future__ import annotations

import typer

from refract_asp.cli import inputs, options
from refract_asp.cli.isolate import isolated
from refract_asp.cli.printing import Printing, exit_code
from refract_asp.cli.prompting import Prompting
from refract_asp.cli.session import start

__all__ = ["EPILOG", "solve"]

EPILOG = """
Examples:

\b
  refract-asp solve calls.txt --catalog travel
  refract-asp solve calls.json --catalog tools.yaml --memory memory.json
  refract-asp solve - --catalog travel --to nestful < calls.txt
  refract-asp solve calls.txt --catalog travel --format json -o answer.json
  refract-asp solve calls.txt --catalog hr --goal concur --level cheapest
  refract-asp solve calls.txt --catalog travel --explain
  refract-asp solve calls.txt --catalog travel --alternatives 5 --next-best
  refract-asp solve calls.txt --catalog travel --why-not 'keep var3.date'
  refract-asp solve calls.txt --catalog travel --prompt suggestions

Exit codes: 0 valid or repaired, 3 values to ask for or edits to confirm, 4 a call could not be repaired,
5 no answer in time, 2 bad usage or input.
"""


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
    isolate: options.Isolate = False,
    require_optimal: options.RequireOptimal = False,
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    level: options.LevelChoice = None,
    explain: options.Explain = False,
    alternatives: options.Alternatives = 0,
    next_best: options.NextBest = False,
    why_not: options.WhyNot = None,
    prompt: options.Prompt = None,
    words: options.Words = None,
    max_tokens: options.MaxTokens = None,
    templates: options.Templates = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    emit: options.EmitChoice = None,
    to: options.ToFormat = None,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Repair a sequence of tool calls and print what was changed."""
    prompting = Prompting(prompt, words, max_tokens, templates)
    inputs.only_one_stdin(sequence, catalog, memory, history, mappings, goals, prompting.words_file)
    printing = Printing(
        format,
        emit,
        to,
        color,
        to_file,
        explain=explain,
        why_not=tuple(why_not or ()),
        more=(("--alternatives", alternatives), ("--next-best", next_best)),
        prompt=prompting,
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
        goal=goal,
        goals=goals,
        level=level.value if level is not None else None,
        alternatives=options.how_many(alternatives, next_best),
        next_best=next_best,
        time_limit=options.in_seconds(time_limit),
    )
    result = session.refractor.repair(
        session.sequence, session.memory, session.history, session.goals, level=session.level
    )
    printing.tell(result, session)
    raise typer.Exit(exit_code(result, require_optimal))
