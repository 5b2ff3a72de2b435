"""`refract-asp facts`: print what clingo is given."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from refract_asp.cli import options, output
from refract_asp.cli.session import start

__all__ = ["EPILOG", "Program", "facts"]

EPILOG = """
Examples:

\b
  refract-asp facts calls.txt --catalog travel
  refract-asp facts calls.txt --catalog travel --program check -o facts.lp
"""


class Program(StrEnum):
    """For which program the facts are."""

    CHECK = "check"
    REPAIR = "repair"


def facts(
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
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    level: options.LevelChoice = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    program: Annotated[
        Program, typer.Option("--program", metavar="check|repair", help="For which program the facts are.")
    ] = Program.REPAIR,
    to_file: options.Output = None,
) -> None:
    """Print exactly the facts that clingo is given with the encodings, one a line."""
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
    )
    text = session.refractor.facts(
        session.sequence,
        session.memory,
        session.history,
        session.goals,
        level=session.level,
        program=program.value,
    )
    output.write(text, to_file, raw=True)
