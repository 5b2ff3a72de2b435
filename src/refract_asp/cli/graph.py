"""`refract-asp graph`: draw a sequence before and after its repair."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.session import start
from refract_asp.cli.telling import GraphFormat

__all__ = ["EPILOG", "Show", "graph"]

EPILOG = """
Examples:

\b
  refract-asp graph calls.txt --catalog travel
  refract-asp graph calls.txt --catalog travel -o calls.svg
  refract-asp graph calls.txt --catalog travel --show repaired --format dot

Boxes are calls, in stages from left to right; arrows say what feeds what. What the repair added,
removed, changed or moved is marked. What is secret is never drawn, and at most 500 calls are.

Exit codes: 0 it is drawn, whatever came of the repair, 2 bad usage or input.
"""


class Show(StrEnum):
    """What is drawn."""

    BOTH = "both"
    GIVEN = "given"
    REPAIRED = "repaired"


_ENDINGS = {".svg": GraphFormat.SVG, ".dot": GraphFormat.DOT, ".gv": GraphFormat.DOT}


def graph(
    sequence: options.SequenceFile,
    catalog: options.CatalogName,
    memory: options.MemoryFile = None,
    history: options.HistoryFile = None,
    mappings: options.MappingsFile = None,
    cost_model: options.CostModel = "default",
    constants: options.Constants = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    level: options.LevelChoice = None,
    time_limit: options.TimeLimit = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: Annotated[
        GraphFormat | None,
        typer.Option(
            "--format",
            metavar="mermaid|dot|svg",
            help="The language of the drawing, or a picture as SVG; by default as the ending of -o says "
            "(.dot, .gv, .svg), else mermaid.",
        ),
    ] = None,
    show: Annotated[
        Show,
        typer.Option(
            "--show", metavar="both|given|repaired", help="Draw both (default), or one of them alone."
        ),
    ] = Show.BOTH,
    to_file: options.Output = None,
) -> None:
    """Draw a sequence of tool calls before and after its repair: what feeds what, and what was changed."""
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
        cost_model=cost_model,
        goal=goal,
        goals=goals,
        level=level.value if level is not None else None,
        time_limit=options.in_seconds(time_limit),
    )
    if to_file is not None:
        inputs.not_onto_input(to_file, sequence, catalog)
    result = session.refractor.repair(
        session.sequence, session.memory, session.history, session.goals, level=session.level
    )
    from refract_asp.report.graph import repair_graph

    specified = session.refractor.catalog
    chosen = format or _ENDINGS.get(Path(to_file or "").suffix.lower(), GraphFormat.MERMAID)
    drawn = repair_graph(result, chosen.value, specified, "declared", session.helpers, show.value)
    output.write(drawn, to_file)
