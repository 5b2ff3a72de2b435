"""`refract-asp check|tags|facts|graph|explain`: say and show what is wrong with a sequence, change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import typer

from refract_asp.cli import inputs, output
from refract_asp.cli.options import (
    COLOR,
    ISOLATE,
    ISOLATE_LIMIT,
    OUTPUT,
    Color,
    GraphFormat,
    argument,
    takes,
)
from refract_asp.cli.session import Asked, Rules, Session, isolated, start
from refract_asp.model import EXIT_CODES, Report
from refract_asp.model.diagnostic import Limits
from refract_asp.report.annotations import (
    github_annotations,
    places_of,
    repair_record,
    sarif_log,
    structured_errors,
)
from refract_asp.report.codes import code_entries, codes_text, entry_of, entry_text
from refract_asp.report.diagnostics import check_text
from refract_asp.report.tags import tags_text
from refract_asp.report.truth import compared
from refract_asp.settings import option


@dataclass(frozen=True, kw_only=True)
class Rendering:
    """How what `check` found is printed: for people, as data, or for CI."""

    format: Literal["text", "json", "record", "github", "sarif"] = option(
        "text",
        "How to print what is wrong: for people; as data; as the record of a failed validation; "
        "as GitHub's annotations; as SARIF.",
        "text|json|record|github|sarif",
    )
    strict: bool = option(
        True,
        "What is wrong is an error; or a warning, and the exit code is 0.",
        None,
        "--strict/--permissive",
    )
    max_fields: int | None = option(
        None,
        "List up to N entries of what there is: 20 by default, 5 of fields that have the right type.",
        "N",
        min=0,
        max=10_000,
    )
    max_suggestions: int = option(3, "Suggest up to N names.", "N", min=0, max=100)
    fuzzy: bool = option(False, "Suggest names, too, that are only somewhat alike.")

    def text(self, report: Report, session: Session, *, color: bool, width: int) -> str:
        """Return a report in this form, as text."""
        limits = Limits(suggestions=self.max_suggestions, fuzzy=self.fuzzy)
        if self.max_fields is not None:
            most = {"fields": self.max_fields, "right_type": self.max_fields}
            limits = limits.model_copy(update=most)
        if self.format == "text":
            return check_text(report, limits, strict=self.strict, color=color, width=width)
        if self.format == "record":
            return output.json_text(repair_record(report, limits, strict=self.strict))
        if self.format == "json":
            data = report.model_dump(mode="json")
            data |= structured_errors(report, limits, strict=self.strict)
            diagnostics = report.diagnostics(limits, strict=self.strict)
            data["diagnostics"] = [each.model_dump(mode="json") for each in diagnostics]
            return output.json_text(data)
        places = places_of(session.content, session.sequence)
        if self.format == "github":
            return github_annotations(report, places, limits, strict=self.strict)
        return output.json_text(sarif_log(report, places, limits, strict=self.strict))


@takes(
    "sequence catalog memory history mappings constants encodings encodings_dir max_tries undeclared references "
    "check_formats allow deny goal goals level isolate time_limit source_format catalog_format no_cache "
    "format strict max_fields max_suggestions fuzzy color to_file"
)
def check(
    asked: Asked,
    rules: Rules,
    rendering: Rendering,
    isolate: bool = ISOLATE,
    time_limit: float | None = ISOLATE_LIMIT,
    color: Color = COLOR,
    to_file: str | None = OUTPUT,
) -> None:
    """
    Check a sequence of tool calls and print what is wrong; nothing is changed.

    Examples:

      refract-asp check calls.txt --catalog travel
      refract-asp check calls.txt --catalog hr --goal 'field employee_info'
      refract-asp check - --catalog tools.json --format json < calls.json
      refract-asp check calls.txt --catalog travel --max-fields 50 --fuzzy
      refract-asp check calls.txt --catalog travel --format sarif -o checked.sarif
      refract-asp check calls.txt --catalog travel --format github --permissive

    Exit codes: 0 valid, 1 something is wrong (0 with --permissive), 3 asks or confirms are open, 2 bad usage or
    input.
    """
    isolated(isolate or time_limit is not None, time_limit)
    session = start(asked, rules)
    report = session.ask(session.refractor.check)
    colored = output.use_color(color, to_file)
    text = rendering.text(report, session, color=colored, width=output.width())
    output.write(text, to_file, commands=rendering.format == "github")
    is_warned = report.verdict == "invalid" and not rendering.strict
    raise typer.Exit(0 if is_warned else EXIT_CODES[report.verdict])


@takes(
    "sequence catalog truth memory history mappings cost_model encodings max_tries undeclared references "
    "check_formats goal goals level time_limit source_format catalog_format no_cache format color to_file"
)
def tags(
    asked: Asked,
    rules: Rules,
    out: output.Output,
    truth: str | None = option(
        None, "Compare with this correct sequence, and with no more.", "FILE"
    ),
) -> None:
    """
    Tell which kinds of mistakes a sequence has, as tags that can be counted.

    Without a truth they are those that the cheapest repair mends; with one, those in which the sequence
    differs from it, labels and the order of independent calls aside.

    Examples:

      refract-asp tags calls.txt --catalog travel
      refract-asp tags calls.txt --catalog travel --truth right.txt --format json
      refract-asp explain made_up_assignment

    Exit codes: 0 told, whatever is wrong with the sequence, 2 bad usage or input.
    """
    session = start(asked, rules, truth)
    given, right, result, secrets = session.sequence, None, None, None
    if truth is None:
        result = session.ask(session.refractor.repair)
        found = result.tags()
    else:
        correct, _ = inputs.read_sequence(truth)
        found, given, right, secrets = compared(
            given, correct, session.refractor, session.memory, session.history
        )

    def data() -> dict[str, Any]:
        calls = {str(call): list(names) for call, names in found.calls.items()}
        told = {"schema_version": 1, "sequence": list(found.sequence), "calls": calls}
        return {**told, "counts": found.counts, "faults": found.model_dump(mode="json")["faults"]}

    def text(**how: Any) -> str:
        return tags_text(found, given, right, report=result, secrets=secrets, **how)

    out.tell(data, text)


# -- what is behind it -----------------------------------------------------------


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
    from refract_asp.report.graph import repair_graph

    session = start(asked, rules)
    chosen = format or _ENDINGS.get(Path(to_file or "").suffix.lower(), "mermaid")
    result = session.ask(session.refractor.repair)
    catalog = session.refractor.catalog
    drawn = repair_graph(result, chosen, catalog, session.helpers, show)
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
