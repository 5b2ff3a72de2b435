"""`refract-asp bench`: synthetic problems and cases, and how well they are answered."""

from __future__ import annotations

import typer

from refract_asp.cli import bench_cases, bench_mutate, bench_run, problems

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp bench problems chaining -o chaining.json
  refract-asp bench visualize chaining.json --id 2/0
  refract-asp bench evaluate chaining.json --samples samples.jsonl
  refract-asp bench generate -o cases --tools 10,100,1000 --count 20
  refract-asp bench mutate cases/cases.jsonl --mix 3 -o broken
  refract-asp bench run cases.jsonl --system refract,none,nearest
  refract-asp bench report run.json --format html -o run.html
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make problems and cases, and see how well they are answered.",
    epilog=EPILOG,
)

app.command(
    "problems", epilog=problems.PROBLEMS_EPILOG, short_help="Write the problems of a benchmark."
)(problems.problems)
app.command(
    "visualize", epilog=problems.VISUALIZE_EPILOG, short_help="Print prompts, targets and tests."
)(problems.visualize)
app.command(
    "evaluate", epilog=problems.EVALUATE_EPILOG, short_help="Grade answers without running them."
)(problems.evaluate)
app.command(
    "generate",
    epilog=bench_cases.GENERATE_EPILOG,
    short_help="Make cases in which nothing is wrong.",
)(bench_cases.generate)
app.command("mutate", epilog=bench_mutate.MUTATE_EPILOG, short_help="Break sequences on purpose.")(
    bench_mutate.mutate
)
app.command(
    "run", epilog=bench_run.EPILOG, short_help="Have systems repair cases, and judge them."
)(bench_run.run_cases)
app.command("report", epilog=bench_run.REPORT_EPILOG, short_help="Report a run, or compare two.")(
    bench_run.report
)
