"""`refract-asp batch`: many sequences, and what came of them."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from refract_asp.cli import batch_report, batch_run

__all__ = ["app"]

DEFAULT = "run"


class _RunByDefault(TyperGroup):
    """Takes `batch DATA...` as `batch run DATA...`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (
            *self.commands,
            "-h",
            "--help",
            "--install-completion",
            "--show-completion",
        ):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


EPILOG = """
Examples:

\b
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl
  refract-asp batch run --help
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl --resume
  refract-asp batch report out.jsonl -o report.html
  refract-asp batch report out.jsonl --against before.jsonl --fail-on worse

`batch DATA...` is `batch run DATA...`.
"""

app = typer.Typer(
    cls=_RunByDefault,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Judge many recorded sequences, and see where agents go wrong.",
    epilog=EPILOG,
)

app.command("run", epilog=batch_run.EPILOG, short_help="Judge every sequence of data sets.")(batch_run.run)
app.command("report", epilog=batch_report.EPILOG, short_help="Tell what came of a run, or compare two.")(
    batch_report.report
)
