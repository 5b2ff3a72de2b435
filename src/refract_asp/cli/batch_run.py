"""`refract-asp batch run`: judge every sequence of data sets, a row for each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.batch_telling import (
    Tally,
    ToldAs,
    entries_of_all,
    keep,
    source_of,
    stream,
    tell,
    total_of,
)
from refract_asp.cli.progress import is_shown, progress

__all__ = ["EPILOG", "run"]

EPILOG = """
Examples:

\b
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl --resume
  refract-asp batch traces.jsonl --catalog travel --fail-on violations
  refract-asp batch a.jsonl b.jsonl --catalog travel --steps -o -
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl \\
    --engine dask --scheduler tcp://10.0.0.1:8786

A line of DATA is {"sequence": ..., "catalog": ..., "memory": ..., "history": ..., "expected": ...,
"goals": ..., "id": ..., "meta": ...}, all but the first if given, or a sequence in any format.

Exit codes: 0, 1 there is what --fail-on names, 2 bad usage or input, 130 interrupted (what was
done stays, and goes on with --resume).
"""


class ModeChoice(StrEnum):
    """What is done with each sequence."""

    REPAIR = "repair"
    CHECK = "check"
    COMPRESS = "compress"


class EngineChoice(StrEnum):
    """What does the work."""

    POOL = "pool"
    DASK = "dask"


class FailOn(StrEnum):
    """What makes the exit code 1."""

    VIOLATIONS = "violations"
    NEEDS_INPUT = "needs_input"
    UNREPAIRABLE = "unrepairable"


FAILING: dict[FailOn, frozenset[str | None]] = {
    FailOn.VIOLATIONS: frozenset({None, "unknown", "unrepairable", "needs_input", "repaired", "invalid"}),
    FailOn.NEEDS_INPUT: frozenset({None, "unknown", "unrepairable", "needs_input", "invalid"}),
    FailOn.UNREPAIRABLE: frozenset({None, "unknown", "unrepairable", "invalid"}),
}
"""The verdicts that --fail-on means; None is that of what could not be read or answered."""


def run(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Files with sequences: JSON lines, JSON, or one; - is standard input.",
        ),
    ],
    catalog: options.CatalogOfOthers = None,
    mode: Annotated[
        ModeChoice,
        typer.Option("--mode", metavar="repair|check|compress", help="What is done with each sequence."),
    ] = ModeChoice.REPAIR,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Judge call by call, each with those before it as repaired.",
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was interrupted, or killed.")
    ] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Throw away what a run that was interrupted has done.")
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            metavar="violations|needs_input|unrepairable",
            help="Exit with 1 when something is wrong somewhere, has to be asked or confirmed (or worse), or "
            "cannot be mended. What cannot be read counts always.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", min=1, max=256, help="How many processes (one for each core)."
        ),
    ] = None,
    engine: Annotated[
        EngineChoice,
        typer.Option(
            "--engine", metavar="pool|dask", help="Processes here, or a dask cluster (extra `dask`)."
        ),
    ] = EngineChoice.POOL,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler", metavar="ADDRESS", help="With --engine dask: its address or scheduler file."
        ),
    ] = None,
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
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    check_formats: options.CheckFormats = False,
    max_new_calls: options.MaxNewCalls = 2,
    max_tries: options.MaxTries = 3,
    known_tools_only: options.KnownToolsOnly = False,
    allow: options.Allow = None,
    deny: options.Deny = None,
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    alternatives: options.Alternatives = 0,
    next_best: options.NextBest = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            min=0.001,
            help="Stop each sequence after this time with the best found, not always the same.",
        ),
    ] = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: Annotated[
        ToldAs,
        typer.Option(
            "--format",
            metavar="text|json|github",
            help="How what was found is told: for people, as data, or as GitHub's annotations.",
        ),
    ] = ToldAs.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the rows here; - is standard output."),
    ] = None,
) -> None:
    """
    Judge every sequence of data sets, and write a row of JSON for each, in their order.

    A row holds verdict, edits, diagnostics, tags, repaired calls and cost; a line that cannot be read has one
    that says why. Without -o what is wrong is printed, a line for each fault.
    """
    from refract_asp.batch.analysing import engine_of, question_of, workers_here
    from refract_asp.errors import InputError

    inputs.only_one_stdin(*data, catalog, memory, history, mappings, goals)
    if to_file in (None, "-") and (resume or restart):
        raise InputError("only a file can be gone on with.", hint="Name it with -o.")
    if resume and restart:
        raise InputError("--resume and --restart are one too many.", hint="Go on with a run, or begin anew.")
    if (engine is EngineChoice.DASK) != (scheduler is not None):
        raise InputError(
            "--engine dask and --scheduler go together.",
            hint="Write --engine dask --scheduler tcp://HOST:8786; without both the work is done here.",
        )
    question = question_of(
        None if catalog is None else inputs.read_catalog(catalog, catalog_format, no_cache=no_cache),
        mode=mode.value,
        stepwise=steps,
        format=source_format,
        memory=inputs.read_memory(memory),
        history=inputs.read_history(history),
        goals=inputs.read_goals(goal, goals),
        mappings=inputs.read_mappings(mappings),
        new_maps=new_maps,
        cost_model=inputs.read_cost_model(cost_model),
        constants=inputs.read_constants(constants),
        encodings=inputs.read_encodings(encoding),
        encodings_dir=inputs.read_folder(encodings),
        confirm=None if confirm is None else confirm.value,
        defensive=defensive,
        undeclared=undeclared.value,
        check_formats=check_formats,
        max_new_calls=max_new_calls,
        max_tries=max_tries,
        known_tools_only=known_tools_only,
        allow=allow or None,
        deny=deny or None,
        alternatives=options.how_many(alternatives, next_best),
        next_best=next_best,
        time_limit=time_limit,
    )
    told = output.note if is_shown() else (lambda _: None)
    work = engine_of(question, workers or workers_here(), scheduler, told)
    sources = [source_of(each) for each in data]
    if to_file not in (None, "-"):
        for each in data:
            inputs.not_onto_input(str(to_file), each)
    entries = entries_of_all(sources)
    with progress("sequences", total_of(sources)) as advance:
        tally = Tally(advance)
        if to_file is None or to_file == "-":
            as_rows = to_file == "-" or format is ToldAs.JSON
            stream(work, question, entries, tally, as_rows, format, color)
        else:
            keep(Path(to_file), question, work, entries, tally, format, resume=resume, restart=restart)
    tell(tally, to_file, format)
    failing: frozenset[str | None] = FAILING[fail_on] if fail_on is not None else frozenset()
    raise typer.Exit(1 if any(tally.verdicts[each] for each in failing) else 0)
