"""`refract-asp explain`: say what a code or a tag means."""

from __future__ import annotations

from typing import Annotated

import typer

from refract_asp.cli import options, output

__all__ = ["EPILOG", "explain"]

EPILOG = """
Examples:

\b
  refract-asp explain
  refract-asp explain unknown_label
  refract-asp explain wrong_assignment --format json
"""


def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="A code of check, or a tag; without it all codes are listed."),
    ] = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """Say what a code means: why it happens, with an example, and what to do about it."""
    from refract_asp.report.codes import code_entries, entry_of
    from refract_asp.report.codes_text import codes_text, entry_text

    entries = list(code_entries().values()) if code is None else [entry_of(code)]
    colored = output.use_color(color, to_file)
    if format is options.OutputFormat.JSON:
        data = [entry.model_dump() for entry in entries]
        told = {"schema_version": 1, "codes": data} if code is None else {"schema_version": 1, **data[0]}
        output.write(output.json_text(told), to_file)
    elif code is None:
        output.write(codes_text(entries, color=colored, width=output.width()), to_file)
    else:
        output.write(entry_text(entries[0], color=colored, width=output.width()), to_file)
