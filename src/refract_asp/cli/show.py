"""`refract-asp facts|graph|explain`: show what clingo is given, what a repair changes, what a code means."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from refract_asp.cli import output
from refract_asp.cli.options import OUTPUT, GraphFormat, argument, takes
from refract_asp.cli.session import Asked, Rules, start
from refract_asp.report.codes import code_entries, codes_text, entry_of, entry_text
from refract_asp.report.graph import repair_graph
from refract_asp.settings import option


@takes(
    "sequence catalog memory history mappings new_maps cost_model constants encodings encodings_dir confirm "
    "defensive max_new_calls max_tries undeclared references check_formats known_tools_only allow deny goal "
    "goals level source_format catalog_format no_cache program to_file"
)
def facts(
    asked: Asked,
    rules: Rules,
    program: Literal["check", "repair"] = option(
        "repair", "For which program the facts are.", "check|repair"
    ),
    to_file: str | None = OUTPUT,
) -> None:
    """
    Print exactly the facts that clingo is given with the encodings, one a line.

    Examples:

      refract-asp facts calls.txt --catalog travel
      refract-asp facts calls.txt --catalog travel --program check -o facts.lp
    """
    session = start(asked, rules)
    output.write(session.ask(session.refractor.facts, program=program), to_file, raw=True)


_ENDINGS: dict[str, GraphFormat] = {".svg": "svg", ".dot": "dot", ".gv": "dot"}


@takes(
    "sequence catalog memory history mappings cost_model constants encodings encodings_dir goal goals level "
    "time_limit source_format catalog_format no_cache format show to_file"
)
def graph(
    asked: Asked,
    rules: Rules,
    format: GraphFormat | None = option(
        None,
        "The language of the drawing, or a picture as SVG; by default as the ending of -o says "
        "(.dot, .gv, .svg), else mermaid.",
        "mermaid|dot|svg",
    ),
    show: Literal["both", "given", "repaired"] = option(
        "both", "Draw both (default), or one of them alone.", "both|given|repaired"
    ),
    to_file: str | None = OUTPUT,
) -> None:
    """
    Draw a sequence of tool calls before and after its repair: what feeds what, and what was changed.

    Examples:

      refract-asp graph calls.txt --catalog travel
      refract-asp graph calls.txt --catalog travel -o calls.svg
      refract-asp graph calls.txt --catalog travel --show repaired --format dot

    Boxes are calls, in stages from left to right; arrows say what feeds what. What the repair added,
    removed, changed or moved is marked. What is secret is never drawn, and at most 500 calls are.

    Exit codes: 0 it is drawn, whatever came of the repair, 2 bad usage or input.
    """
    session = start(asked, rules)
    chosen = format or _ENDINGS.get(Path(to_file or "").suffix.lower(), "mermaid")
    result = session.ask(session.refractor.repair)
    catalog = session.refractor.catalog
    drawn = repair_graph(result, chosen, catalog, "declared", session.helpers, show)
    output.write(drawn, to_file)


@takes()
def explain(
    out: output.Output,
    code: str | None = argument(
        "CODE", "A code of check, or a tag; without it all codes are listed.", None
    ),
) -> None:
    """
    Say what a code means: why it happens, with an example, and what to do about it.

    Examples:

      refract-asp explain
      refract-asp explain unknown_label
      refract-asp explain wrong_assignment --format json
    """
    entries = list(code_entries().values()) if code is None else [entry_of(code)]

    def data() -> dict[str, Any]:
        told = [entry.model_dump() for entry in entries]
        return {"schema_version": 1, **({"codes": told} if code is None else told[0])}

    def text(**how: Any) -> str:
        return codes_text(entries, **how) if code is None else entry_text(entries[0], **how)

    out.tell(data, text)
