"""`refract-asp bench`: how well sequences are repaired."""

from __future__ import annotations

import typer

from refract_asp.cli import bench_run

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp bench run cases.jsonl --system refract,none,nearest
  refract-asp bench report run.json --format html -o run.html
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Measure how well sequences are repaired.",
    epilog=EPILOG,
)

app.command("run", epilog=bench_run.RUN_EPILOG, short_help="Have systems repair cases, and judge them.")(
    bench_run.run_cases
)
app.command("report", epilog=bench_run.REPORT_EPILOG, short_help="Report a run, or compare two.")(
    bench_run.report
)
