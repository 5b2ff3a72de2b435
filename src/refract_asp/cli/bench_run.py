"""`refract-asp bench run` and `bench report`: systems run over cases, and what came of it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from refract_asp import evaluation
from refract_asp.cli import inputs, options, output
from refract_asp.cli.output import is_shown, progress
from refract_asp.errors import FormatError, InputError, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from refract_asp.evaluation import Case, Run, System

__all__ = ["EPILOG", "REPORT_EPILOG", "report", "run_cases"]

REPORT_EPILOG = """
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
        "--by",
        metavar="NAMES",
        help="Group by these, with commas between: kind, variant, or a dial.",
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
        str,
        typer.Argument(
            metavar="RUN", help="What `bench run` saved with -o; - reads standard input."
        ),
    ],
    other: Annotated[
        str | None,
        typer.Argument(metavar="OTHER", help="A second run, to be compared with the first."),
    ] = None,
    by: By = None,
    misses: Misses = None,
    fail_under: FailUnder = None,
    format: Annotated[
        PageFormat,
        typer.Option(
            "--format",
            metavar="text|json|html",
            help="How to print it: for people, as data, as a page.",
        ),
    ] = PageFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Report a run that was saved; with a second one, say which cases were won and lost from the first to it.

    A page is one file of HTML that needs nothing else.
    """

    inputs.only_one_stdin(run, other)
    first = evaluation.read_run(inputs.read_data(run))
    second = evaluation.read_run(inputs.read_data(other)) if other is not None else None
    found = evaluation.compare_runs(first, second) if second is not None else None
    if format is PageFormat.HTML:
        beside = (
            (second, evaluation.summary_of(second, names(by)), found) if second and found else None
        )
        shown = 20 if misses is None else misses
        output.write(
            evaluation.run_page(
                first, evaluation.summary_of(first, names(by)), beside, misses=shown
            ),
            to_file,
            raw=True,
        )
    elif second is None or found is None:
        tell(first, by, misses or 0, format is PageFormat.JSON, color, to_file)
    elif format is PageFormat.JSON:
        output.write(
            output.json_text({"schema_version": 1, **found.model_dump(mode="json")}), to_file
        )
    else:
        colored = output.use_color(color, to_file)
        output.write(
            evaluation.compared_text(found, first, second, color=colored, width=output.width()),
            to_file,
        )
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

    summary = evaluation.summary_of(run, names(by))
    if as_json:
        from itertools import islice

        about = run.model_dump(mode="json", exclude={"rows"})
        listed = islice(evaluation.misses_of(run, next(iter(run.systems))), misses)
        data = {
            **about,
            **summary.model_dump(mode="json"),
            "misses": [each.model_dump(mode="json") for each in listed],
        }
        output.write(output.json_text(data), to_file)
    else:
        colored = output.use_color(color, to_file)
        output.write(
            evaluation.run_text(run, summary, misses=misses, color=colored, width=output.width()),
            to_file,
        )


def exit_code(run: Run, fail_under: float | None) -> int:
    """Return 1 where the first system restores less than it has to."""
    if fail_under is None:
        return 0
    from refract_asp.report.terminal import percent

    system = next(iter(run.systems))
    found = evaluation.restored_share(run, system)
    if found.value is None:
        output.complain("failed", "there is no broken case whose information is still there.")
        return 1
    if found.value < fail_under:
        least = percent(fail_under)
        output.complain(
            "failed", f"{shown(system)} restores {found.count} of {found.of}, less than {least}."
        )
        return 1
    return 0


EPILOG = """
Examples:

\b
  refract-asp bench run cases.jsonl
  refract-asp bench run cases.jsonl --system refract,none,nearest -o run.json
  refract-asp bench run cases.jsonl --cost-model default --cost-model mine.lp
  refract-asp bench run cases.jsonl --answers peer=answers.jsonl
  refract-asp bench run cases.jsonl --fail-under 0.97

A line of CASES is {"catalog": ..., "sequence": ..., "expected": ...}; a line of answers is
{"id": ..., "answer": ...}.

Exit codes: 0, 1 less was restored than --fail-under says, 2 bad usage or input, 130 interrupted
(what was found so far is printed and saved).
"""


SYSTEMS = ("refract", "none", "nearest")


def run_cases(
    cases: Annotated[
        str,
        typer.Argument(
            metavar="CASES", help="File with cases as JSON lines; - reads standard input."
        ),
    ],
    catalog: Annotated[
        str | None,
        typer.Option(
            "--catalog", metavar="PATH|NAME", help="The tools of cases that bring no catalog."
        ),
    ] = None,
    catalog_format: options.CatalogFormat = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            metavar="NAMES",
            help="What is run, with commas between: refract (the default), none, nearest.",
        ),
    ] = None,
    cost_model: Annotated[
        list[str] | None,
        typer.Option(
            "--cost-model",
            metavar="NAME|FILE",
            help="What ranks the edits of refract; repeated, each is a system of its own.",
        ),
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answers",
            metavar="NAME=FILE",
            help="Judge answers that were recorded before; repeatable.",
        ),
    ] = None,
    constants: options.Constants = None,
    mappings: options.MappingsFile = None,
    new_maps: options.NewMaps = False,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    confirm: options.ConfirmChoice = None,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    max_new_calls: options.MaxNewCalls = 2,
    alternatives: Annotated[
        int,
        typer.Option(
            "--alternatives",
            metavar="N",
            min=0,
            max=100,
            help="Look for up to N other repairs of the same cost, and count those that are expected.",
        ),
    ] = 0,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", min=0.001, help="Stop each answer after this time."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Take only the first N cases.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, max=64, help="How many processes work.")
    ] = 1,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Skip lines that cannot be read, and count them.")
    ] = False,
    by: By = None,
    misses: Misses = None,
    fail_under: FailUnder = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: Annotated[
        str | None,
        options.output_file("FILE", "Save the run here, for `bench report`."),
    ] = None,
) -> None:
    """
    Have systems repair cases, and judge the answers by what is expected.

    Printed are the figures of each system over all cases, by kind and by each dial, and the times.
    """

    inputs.only_one_stdin(cases, catalog, mappings)
    output.check_target(to_file)
    settings = {
        "constants": inputs.read_constants(constants),
        "mappings": inputs.read_mappings(mappings),
        "new_maps": new_maps,
        "encodings": inputs.read_encodings(encoding),
        "encodings_dir": inputs.read_folder(encodings),
        "confirm": None if confirm is None else confirm.value,
        "undeclared": undeclared.value,
        "max_new_calls": max_new_calls,
        "alternatives": alternatives,
    }
    systems = _systems(system, cost_model or [], answers or [], _set(settings), time_limit)
    tools = None if catalog is None else inputs.read_catalog(catalog, catalog_format)
    run = _run(
        cases,
        tools,
        systems,
        limit=limit,
        jobs=jobs,
        time_limit=time_limit,
        keep_going=keep_going,
        to_file=to_file,
    )
    if not run.rows and run.complete:
        raise _no_case(cases)
    _tell_of_others(run, systems, limit)
    failed: Exception | None = None
    if to_file is not None:
        try:
            output.write(run.text(), to_file, raw=True)
        except (OSError, InputError) as error:  # what was found is told first
            failed = error
    if to_file != "-":
        as_json = format is options.OutputFormat.JSON
        try:
            tell(run, by, misses or 0, as_json, color)
        except InputError:  # no case has such a dial; what was run for long is not lost for that
            tell(run, None, misses or 0, as_json, color)
            raise
    if failed is not None:
        raise failed
    if not run.complete:
        raise typer.Exit(130)
    raise typer.Exit(exit_code(run, fail_under))


# -- steps ---------------------------------------------------------------------


_OPTIONS = {"constants": "-c", "encodings": "--encoding", "encodings_dir": "--encodings"}
"""How an option is called, where that is not the name of what it sets."""


def _set(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were set, so that a run says no more than that."""
    usual: dict[str, Any] = {"undeclared": "reject", "max_new_calls": 2}
    return {name: each for name, each in settings.items() if each and each != usual.get(name)}


def _systems(
    system: str | None,
    cost_models: list[str],
    answers: list[str],
    settings: dict[str, Any],
    time_limit: float | None,
) -> dict[str, System | evaluation.Recorded]:
    """Return what is run, by name: what --system says, a refract for each cost model, recorded answers."""

    named = ["refract"] if system is None else names(system) or []
    if not named:
        hint = f"Use {', '.join(SYSTEMS)}, or leave it out."
        raise InputError("no system is named.", where="--system", hint=hint)
    found: dict[str, System | evaluation.Recorded] = {}
    for name in named:
        if name == "refract":
            models = [inputs.read_cost_model(each) for each in cost_models] or ["default"]
            for model in models:
                title = "refract" if len(models) == 1 else Path(model).stem
                _only_once(title, found)
                found[title] = evaluation.Refract(
                    **settings,
                    **({} if str(model) == "default" else {"cost_model": model}),
                    time_limit=options.in_seconds(time_limit),
                )
        elif name in SYSTEMS:
            _only_once(name, found)
            found[name] = evaluation.unchanged if name == "none" else evaluation.nearest
        else:
            raise InputError(
                f"there is no system {shown(name)!r}.",
                where="--system",
                hint=f"Use {', '.join(SYSTEMS)}; --answers judges those of others.",
            )
    if cost_models and "refract" not in named:
        raise InputError(
            "only refract has cost models.", where="--cost-model", hint="Add it to --system."
        )
    if settings and "refract" not in named:
        option = next(_OPTIONS.get(name, f"--{name.replace('_', '-')}") for name in settings)
        raise InputError("only refract takes this.", where=option, hint="Add refract to --system.")
    for pair in answers:
        name, equals, file = pair.partition("=")
        if not equals or not name or not file:
            raise InputError("this is not NAME=FILE.", where=f"--answers {shown(pair)}")
        _only_once(name, found)
        found[name] = evaluation.Recorded.load(inputs.read_file(file))
    return found


def _only_once(name: str, found: Collection[str]) -> None:

    if name in found:
        raise InputError(f"there are two systems named {shown(name)!r}.", hint="Name each once.")


def _no_case(source: str) -> InputError:

    name = "standard input" if source == inputs.STDIN else shown(source)
    hint = 'Write {"catalog": ..., "sequence": ..., "expected": ...}, one a line.'
    return FormatError(f"there is no case in {name}.", hint=hint)


def _run(
    cases: str,
    catalog: Any,
    systems: dict[str, System | evaluation.Recorded],
    *,
    limit: int | None,
    jobs: int,
    time_limit: float | None,
    keep_going: bool,
    to_file: str | None,
) -> Run:
    from itertools import islice

    data = inputs.read_data(cases)
    skipped = 0

    def skip(error: InputError) -> None:
        nonlocal skipped
        skipped += 1
        output.complain("skipped", str(error))

    name = "standard input" if cases == inputs.STDIN else None
    target = None if to_file is None or to_file == "-" else Path(to_file)
    given: Iterator[Case] = islice(
        evaluation.read_cases(
            data, catalog, mistakes=skip if keep_going else None, name=name, target=target
        ),
        limit,
    )
    with progress("running", _total(data, limit)) as done:
        found = evaluation.run(
            given,
            systems,
            time_limit=time_limit,
            jobs=jobs,
            source="standard input" if cases == inputs.STDIN else Path(cases).name,
            done=lambda _: done(),
        )
    return found.model_copy(update={"cases": found.cases.model_copy(update={"skipped": skipped})})


def _tell_of_others(
    run: Run, systems: Mapping[str, System | evaluation.Recorded], limit: int | None
) -> None:
    """Tell of recorded answers to cases that there are not: most likely they are to other cases."""

    if limit is not None or not run.complete:
        return
    for name, system in systems.items():
        others = (
            system.others(row.id for row in run.rows)
            if isinstance(system, evaluation.Recorded)
            else []
        )
        if others:
            verb = "is" if len(others) == 1 else "are"
            what = f"{len(others)} of the answers of {shown(name)} {verb} to no case, as {shown(others[0])!r}."
            output.complain("note", what)


def _total(data: Any, limit: int | None) -> int | None:
    """Return how many cases there are, where somebody sees it and it can be known."""
    if not is_shown():
        return None
    from refract_asp.formats.examples import count_examples

    count = count_examples(data)
    return count if limit is None or count is None else min(count, limit)
