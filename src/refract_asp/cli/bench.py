"""`refract-asp bench`: synthetic problems, and how well they are answered."""

from __future__ import annotations

import typer

from refract_asp.cli import problems

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp bench problems chaining -o chaining.json
  refract-asp bench visualize chaining.json --id 2/0
  refract-asp bench evaluate chaining.json --samples samples.jsonl
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make problems for models, look at them, and grade the answers.",
    epilog=EPILOG,
)

app.command("problems", epilog=problems.PROBLEMS_EPILOG, short_help="Write the problems of a benchmark.")(
    problems.problems
)
app.command("visualize", epilog=problems.VISUALIZE_EPILOG, short_help="Print prompts, targets and tests.")(
    problems.visualize
)
app.command("evaluate", epilog=problems.EVALUATE_EPILOG, short_help="Grade answers without running them.")(
    problems.evaluate
)
