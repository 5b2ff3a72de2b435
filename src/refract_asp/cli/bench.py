"""`refract-asp bench`: synthetic problems and cases, and how well they are answered."""

from __future__ import annotations

import typer

from refract_asp.cli import bench_cases

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp bench generate -o cases --tools 10,100,1000 --count 20
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make problems and cases, and see how well they are answered.",
    epilog=EPILOG,
)

app.command(
    "generate", epilog=bench_cases.GENERATE_EPILOG, short_help="Make cases in which nothing is wrong."
)(bench_cases.generate)
