"""`refract-asp bench report`: what came of a run, as text, data or a page, or of two against each other."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from refract_asp.cli import inputs, options, output

if TYPE_CHECKING:
    from refract_asp.bench.evaluation import Run

__all__ = ["EPILOG", "By", "FailUnder", "Misses", "exit_code", "names", "report", "tell"]

EPILOG = """
Examples:

\b
  refract-asp bench report run.json --by kind,tools --misses 5
  refract-asp bench report before.json after.json
  refract-asp bench report run.json --format html -o run.html

Exit codes: 0, 1 less was restored than --fail-under says, 2 bad usage or input.
"""


class PageFormat(StrEnum):
    """How a run is reported."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


By: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="NAMES", help="Group by these, with commas between: kind, variant, or a dial."
    ),
]
FailUnder: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="Exit with 1 when the first system (of two runs: of the second) restores less of the broken "
        "cases.",
    ),
]
Misses: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--misses",
        metavar="N",
        min=0,
        max=10_000,
        help="Show the first N cases that were not answered as expected.",
    ),
]


def report(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="What `bench run` saved with -o; - reads standard input.")
    ],
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="A second run, to be compared with the first.")
    ] = None,
    by: By = None,
    misses: Misses = None,
    fail_under: FailUnder = None,
    format: Annotated[
        PageFormat,
        typer.Option(
            "--format", metavar="text|json|html", help="How to print it: for people, as data, as a page."
        ),
    ] = PageFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Report a run that was saved; with a second one, say which cases were won and lost from the first to it.

    A page is one file of HTML that needs nothing else.
    """
    from refract_asp.bench.evaluation import read_run
    from refract_asp.bench.evaluation.summary import summary_of
    from refract_asp.bench.evaluation.versus import compared

    inputs.only_one_stdin(run, other)
    first = read_run(inputs.read_data(run))
    second = read_run(inputs.read_data(other)) if other is not None else None
    if to_file is not None:
        inputs.not_onto_input(to_file, run, other)
    found = compared(first, second) if second is not None else None
    if format is PageFormat.HTML:
        from refract_asp.bench.evaluation.page import page

        beside = (second, summary_of(second, names(by)), found) if second and found else None
        shown = 20 if misses is None else misses
        output.write(page(first, summary_of(first, names(by)), beside, misses=shown), to_file, raw=True)
    elif second is None or found is None:
        tell(first, by, misses or 0, format is PageFormat.JSON, color, to_file)
    elif format is PageFormat.JSON:
        output.write(output.json_text({"schema_version": 1, **found.model_dump(mode="json")}), to_file)
    else:
        from refract_asp.bench.evaluation.text import compared_text

        colored = output.use_color(color, to_file)
        output.write(compared_text(found, first, second, color=colored, width=output.width()), to_file)
    raise typer.Exit(exit_code(second or first, fail_under))


# -- also for `bench run` --------------------------------------------------------


def names(text: str | None) -> list[str] | None:
    """Return the names in a text with commas; None where nothing was said."""
    return None if text is None else [each.strip() for each in text.split(",") if each.strip()]


def tell(
    run: Run,
    by: str | None,
    misses: int,
    as_json: bool,
    color: options.ColorChoice,
    to_file: str | None = None,
) -> None:
    """Print the figures of a run."""
    from refract_asp.bench.evaluation.summary import summary_of

    summary = summary_of(run, names(by))
    if as_json:
        from itertools import islice

        from refract_asp.bench.evaluation.misses import misses_of

        about = run.model_dump(mode="json", exclude={"rows"})
        listed = islice(misses_of(run, next(iter(run.systems))), misses)
        data = {
            **about,
            **summary.model_dump(mode="json"),
            "misses": [each.model_dump(mode="json") for each in listed],
        }
        output.write(output.json_text(data), to_file)
    else:
        from refract_asp.bench.evaluation.text import run_text

        colored = output.use_color(color, to_file)
        output.write(run_text(run, summary, misses=misses, color=colored, width=output.width()), to_file)


def exit_code(run: Run, fail_under: float | None) -> int:
    """Return 1 where the first system restores less than it has to."""
    if fail_under is None:
        return 0
    from refract_asp.bench.evaluation.summary import restored_share
    from refract_asp.errors import shown
    from refract_asp.report.tables import percent

    system = next(iter(run.systems))
    found = restored_share(run, system)
    if found.value is None:
        output.complain("failed", "there is no broken case whose information is still there.")
        return 1
    if found.value < fail_under:
        least = percent(fail_under)
        output.complain("failed", f"{shown(system)} restores {found.count} of {found.of}, less than {least}.")
        return 1
    return 0
