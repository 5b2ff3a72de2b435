"""`refract-asp facts|graph|explain`: show what clingo is given, what a repair changes, what a code means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from refract_asp.cli import options, output
from refract_asp.cli.session import Asked, start
from refract_asp.report.codes import code_entries, codes_text, entry_of, entry_text
from refract_asp.report.graph import repair_graph

__all__ = ["EPILOGS", "explain", "facts", "graph"]

EPILOGS = {
    "facts": """
Examples:

\b
  refract-asp facts calls.txt --catalog travel
  refract-asp facts calls.txt --catalog travel --program check -o facts.lp
""",
    "graph": """
Examples:

\b
  refract-asp graph calls.txt --catalog travel
  refract-asp graph calls.txt --catalog travel -o calls.svg
  refract-asp graph calls.txt --catalog travel --show repaired --format dot

Boxes are calls, in stages from left to right; arrows say what feeds what. What the repair added,
removed, changed or moved is marked. What is secret is never drawn, and at most 500 calls are.

Exit codes: 0 it is drawn, whatever came of the repair, 2 bad usage or input.
""",
    "explain": """
Examples:

\b
  refract-asp explain
  refract-asp explain unknown_label
  refract-asp explain wrong_assignment --format json
""",
}
_ENDINGS: dict[str, options.GraphFormat] = {".svg": "svg", ".dot": "dot", ".gv": "dot"}


@options.takes(
    "sequence catalog memory history mappings new_maps cost_model constants encoding encodings confirm "
    "defensive max_new_calls max_tries undeclared references check_formats known_tools_only allow deny goal "
    "goals level source_format catalog_format no_cache program to_file"
)
def facts(
    asked: Asked,
    program: Annotated[
        Literal["check", "repair"],
        typer.Option("--program", metavar="check|repair", help="For which program the facts are."),
    ] = "repair",
    to_file: options.Output = None,
) -> None:
    """Print exactly the facts that clingo is given with the encodings, one a line."""
    session = start(asked)
    text = session.refractor.facts(
        session.sequence,
        session.memory,
        session.history,
        session.goals,
        level=session.level,
        program=program,
    )
    output.write(text, to_file, raw=True)


@options.takes(
    "sequence catalog memory history mappings cost_model constants encoding encodings goal goals level "
    "time_limit source_format catalog_format no_cache format show to_file"
)
def graph(
    asked: Asked,
    format: Annotated[
        options.GraphFormat | None,
        typer.Option(
            "--format",
            metavar="mermaid|dot|svg",
            help="The language of the drawing, or a picture as SVG; by default as the ending of -o says "
            "(.dot, .gv, .svg), else mermaid.",
        ),
    ] = None,
    show: Annotated[
        Literal["both", "given", "repaired"],
        typer.Option(
            "--show",
            metavar="both|given|repaired",
            help="Draw both (default), or one of them alone.",
        ),
    ] = "both",
    to_file: options.Output = None,
) -> None:
    """Draw a sequence of tool calls before and after its repair: what feeds what, and what was changed."""
    session = start(asked)
    chosen = format or _ENDINGS.get(Path(to_file or "").suffix.lower(), "mermaid")
    result = session.refractor.repair(
        session.sequence, session.memory, session.history, session.goals, level=session.level
    )
    drawn = repair_graph(
        result, chosen, session.refractor.catalog, "declared", session.helpers, show
    )
    output.write(drawn, to_file)


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE", help="A code of check, or a tag; without it all codes are listed."
        ),
    ] = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Say what a code means: why it happens, with an example, and what to do about it."""
    entries = list(code_entries().values()) if code is None else [entry_of(code)]
    colored = output.use_color(color, to_file)
    if format is options.OutputFormat.JSON:
        data = [entry.model_dump() for entry in entries]
        told = (
            {"schema_version": 1, "codes": data}
            if code is None
            else {"schema_version": 1, **data[0]}
        )
        output.write(output.json_text(told), to_file)
    elif code is None:
        output.write(codes_text(entries, color=colored, width=output.width()), to_file)
    else:
        output.write(entry_text(entries[0], color=colored, width=output.width()), to_file)
