"""`refract-asp check|tags`: say what is wrong with a sequence, change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.session import Asked, Session, isolated, start
from refract_asp.model import EXIT_CODES, Report
from refract_asp.model.diagnostic import Limits
from refract_asp.report.annotations import (
    github_annotations,
    places_of,
    repair_record,
    sarif_log,
    structured_errors,
)
from refract_asp.report.diagnostics import check_text
from refract_asp.report.tags import tags_text
from refract_asp.report.truth import compared

__all__ = ["EPILOGS", "Rendering", "check", "tags"]

EPILOGS = {
    "check": """
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
""",
    "tags": """
Examples:

\b
  refract-asp tags calls.txt --catalog travel
  refract-asp tags calls.txt --catalog travel --truth right.txt --format json
  refract-asp explain made_up_assignment

Exit codes: 0 told, whatever is wrong with the sequence, 2 bad usage or input.
""",
}


@dataclass(frozen=True, kw_only=True)
class Rendering:
    """How what `check` found is printed: for people, as data, or for CI."""

    format: options.ReportFormatChoice = "text"
    strict: options.Strict = True
    max_fields: options.MaxFields = None
    max_suggestions: options.MaxSuggestions = 3
    fuzzy: options.Fuzzy = False

    @property
    def limits(self) -> Limits:
        """How much is shown."""
        limits = Limits(suggestions=self.max_suggestions, fuzzy=self.fuzzy)
        if self.max_fields is None:
            return limits
        return limits.model_copy(update={"fields": self.max_fields, "right_type": self.max_fields})

    def text(self, report: Report, session: Session, *, color: bool, width: int) -> str:
        """Return a report in this form, as text."""
        if self.format == "text":
            return check_text(report, self.limits, strict=self.strict, color=color, width=width)
        if self.format == "github":
            places = places_of(session.content, session.sequence)
            return github_annotations(report, places, self.limits, strict=self.strict)
        return output.json_text(self._data(report, session))

    def _data(self, report: Report, session: Session) -> dict[str, Any]:
        if self.format == "sarif":
            places = places_of(session.content, session.sequence)
            return sarif_log(report, places, self.limits, strict=self.strict)
        if self.format == "record":
            return repair_record(report, self.limits, strict=self.strict)
        diagnostics = report.diagnostics(self.limits, strict=self.strict)
        return {
            **report.model_dump(mode="json"),
            **structured_errors(report, self.limits, strict=self.strict),
            "diagnostics": [each.model_dump(mode="json") for each in diagnostics],
        }


@options.takes(
    "sequence catalog memory history mappings constants encoding encodings max_tries undeclared references "
    "check_formats allow deny goal goals level isolate time_limit source_format catalog_format no_cache "
    "format strict max_fields max_suggestions fuzzy color to_file"
)
def check(
    asked: Asked,
    rendering: Rendering,
    isolate: options.Isolate = False,
    time_limit: options.IsolateLimit = None,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Check a sequence of tool calls and print what is wrong; nothing is changed."""
    isolated(isolate or time_limit is not None, time_limit)
    session = start(asked)
    report = session.refractor.check(
        session.sequence, session.memory, session.history, session.goals, level=session.level
    )
    colored = output.use_color(color, to_file)
    text = rendering.text(report, session, color=colored, width=output.width())
    output.write(text, to_file, commands=rendering.format == "github")
    is_warned = report.verdict == "invalid" and not rendering.strict
    raise typer.Exit(0 if is_warned else EXIT_CODES[report.verdict])


@options.takes(
    "sequence catalog truth memory history mappings cost_model encoding max_tries undeclared references "
    "check_formats goal goals level time_limit source_format catalog_format no_cache format color to_file"
)
def tags(
    asked: Asked,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth", metavar="FILE", help="Compare with this correct sequence, and with no more."
        ),
    ] = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Tell which kinds of mistakes a sequence has, as tags that can be counted.

    Without a truth they are those that the cheapest repair mends; with one, those in which the sequence
    differs from it, labels and the order of independent calls aside.
    """
    session = start(asked, truth)
    given, right, result, secrets = session.sequence, None, None, None
    if truth is None:
        result = session.refractor.repair(
            session.sequence, session.memory, session.history, session.goals, level=session.level
        )
        found = result.tags()
    else:
        found, given, right, secrets = compared(
            session.sequence,
            inputs.read_sequence(truth)[0],
            session.refractor,
            session.memory,
            session.history,
        )
    if format is options.OutputFormat.JSON:
        data = {
            "schema_version": 1,
            "sequence": list(found.sequence),
            "calls": {str(call): list(names) for call, names in found.calls.items()},
            "counts": found.counts,
            "faults": found.model_dump(mode="json")["faults"],
        }
        output.write(output.json_text(data), to_file)
        return
    colored = output.use_color(color, to_file)
    text = tags_text(
        found, given, right, report=result, secrets=secrets, color=colored, width=output.width()
    )
    output.write(text, to_file)
