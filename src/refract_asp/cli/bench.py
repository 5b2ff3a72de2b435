"""
`refract-asp bench`: synthetic problems and cases, and how well they are answered.

Examples:

  refract-asp bench problems chaining -o chaining.json
  refract-asp bench visualize chaining.json --id 2/0
  refract-asp bench evaluate chaining.json --samples samples.jsonl
  refract-asp bench generate -o cases --tools 10,100,1000 --count 20
  refract-asp bench mutate cases/cases.jsonl --mix 3 -o broken
  refract-asp bench run cases.jsonl --system refract,none,nearest
  refract-asp bench report before.json after.json
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import typer

from refract_asp import evaluation
from refract_asp.cli import cases, inputs, options, output, problems
from refract_asp.cli.options import Group, argument, output_file
from refract_asp.cli.output import progress
from refract_asp.cli.session import A_MONTH, Rules
from refract_asp.errors import InputError, shown
from refract_asp.options import RepairOptions
from refract_asp.report.terminal import percent
from refract_asp.settings import option

app = Group(__doc__, help="Make problems and cases, and see how well they are answered.")
app.adds("problems", "Write the problems of a benchmark.")(problems.problems)
app.adds("visualize", "Print prompts, targets and tests.")(problems.visualize)
app.adds("evaluate", "Grade answers without running them.")(problems.evaluate)
app.adds("generate", "Make cases in which nothing is wrong.")(cases.generate)
app.adds("mutate", "Break sequences on purpose.")(cases.mutate)

System: TypeAlias = Any
"""What answers cases: a function, or answers that were recorded."""
BY = option(None, "Group by these, with commas between: kind, variant, or a dial.", "NAMES")
MISSES = option(
    None, "Show the first N cases that were not answered as expected.", "N", min=0, max=10_000
)
FAIL_UNDER = option(
    None,
    "Exit with 1 when the first system (of two runs: of the second) restores less of the broken cases.",
    "SHARE",
    min=0.0,
    max=1.0,
)
SYSTEMS = ("refract", "none", "nearest")
_FLAGS = {"constants": "-c", "encodings": "--encoding", "encodings_dir": "--encodings"}
"""How an option is called, where that is not the name of what it sets."""


@app.adds(
    "run",
    "Have systems repair cases, and judge them.",
    "cases catalog catalog_format system cost_model answers constants mappings new_maps encodings "
    "encodings_dir confirm undeclared max_new_calls alternatives time_limit limit jobs keep_going by misses "
    "fail_under format color to_file",
)
def run_cases(
    rules: Rules,
    cases: str = argument("CASES", "File with cases as JSON lines; - reads standard input."),
    catalog: str | None = option(None, "The tools of cases that bring no catalog.", "PATH|NAME"),
    catalog_format: str | None = options.CATALOG_FORMAT,
    system: str | None = option(
        None, "What is run, with commas between: refract (the default), none, nearest.", "NAMES"
    ),
    cost_model: list[str] | None = option(
        None, "What ranks the edits of refract; repeated, each is a system of its own.", "NAME|FILE"
    ),
    answers: list[str] | None = option(
        None, "Judge answers that were recorded before; repeatable.", "NAME=FILE"
    ),
    alternatives: int = option(
        0,
        "Look for up to N other repairs of the same cost, and count those that are expected.",
        "N",
        min=0,
        max=100,
    ),
    time_limit: float | None = option(
        None, "Stop each answer after this time.", "SECONDS", min=0.001
    ),
    limit: int | None = option(None, "Take only the first N cases.", "N", min=1),
    jobs: int = option(1, "How many processes work.", "N", min=1, max=64),
    keep_going: bool = option(False, "Skip lines that cannot be read, and count them."),
    by: str | None = BY,
    misses: int | None = MISSES,
    fail_under: float | None = FAIL_UNDER,
    to_file: str | None = output_file("FILE", "Save the run here, for `bench report`."),
    *,
    out: output.Output,
) -> None:
    """
    Have systems repair cases, and judge the answers by what is expected.

    Printed are the figures of each system over all cases, by kind and by each dial, and the times.

    Examples:

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
    inputs.only_one_stdin(cases, catalog, rules.said["mappings"])
    output.check_target(to_file)
    # only what was set, so that a run says no more than that
    usual = vars(RepairOptions())
    settings = {**rules.read(), "alternatives": alternatives}
    settings = {name: each for name, each in settings.items() if each and each != usual[name]}
    limits = {"time_limit": A_MONTH if time_limit is None else time_limit}
    systems = _systems(system, cost_model or [], settings, limits)
    for name, file in inputs.read_pairs("--answers", "NAME=FILE", answers):
        _add(systems, name, evaluation.Recorded.load(inputs.read_file(file)))
    tools = inputs.read_catalog_if_any(catalog, catalog_format)
    data = inputs.read_data(cases)
    skipped: list[InputError] = []

    def skip(error: InputError) -> None:
        skipped.append(error)
        output.complain("skipped", str(error))

    piped = "standard input" if cases == inputs.STDIN else None
    mistakes = skip if keep_going else None
    found = evaluation.read_cases(data, tools, mistakes=mistakes, name=piped)
    with progress("running", inputs.total_of([data], limit)) as done:
        run = evaluation.run(
            islice(found, limit),
            systems,
            time_limit=time_limit,
            jobs=jobs,
            source=piped or Path(cases).name,
            done=lambda _: done(),
        )
    counts = run.cases.model_copy(update={"skipped": len(skipped)})
    run = run.model_copy(update={"cases": counts})
    if not run.rows and run.complete:
        line = '{"catalog": ..., "sequence": ..., "expected": ...}'
        raise inputs.nothing_in([cases], "case", line)
    if limit is None and run.complete:
        _tell_of_others(run, systems)
    try:
        if to_file is not None:
            output.write(run.text(), to_file, raw=True)
    finally:  # what was found is told, whatever happens to the file
        if to_file != "-":
            _tell_in_any_case(run, _names(by), misses or 0, out)
    raise typer.Exit(_exit_code(run, fail_under) if run.complete else 130)


def _tell_in_any_case(
    run: evaluation.Run, by: list[str] | None, misses: int, out: output.Output
) -> None:
    try:
        _tell(run, by, misses, out)
    except InputError:  # no case has such a dial; what was run for long is not lost for that
        _tell(run, None, misses, out)
        raise


def _systems(
    system: str | None, cost_models: list[str], settings: dict[str, Any], limits: dict[str, float]
) -> dict[str, System]:
    """Return what is run, by name: what --system says, a refract for each cost model, recorded answers."""
    named = ["refract"] if system is None else inputs.names_in(system)
    if not named:
        hint = f"Use {', '.join(SYSTEMS)}, or leave it out."
        raise InputError("no system is named.", where="--system", hint=hint)
    found: dict[str, System] = {}
    for name in named:
        if name not in SYSTEMS:
            hint = f"Use {', '.join(SYSTEMS)}; --answers judges those of others."
            raise InputError(f"there is no system {shown(name)!r}.", where="--system", hint=hint)
        if name != "refract":
            _add(found, name, evaluation.unchanged if name == "none" else evaluation.nearest)
            continue
        models = [inputs.read_cost_model(each) for each in cost_models] or ["default"]
        for model in models:
            own = {} if str(model) == "default" else {"cost_model": model}
            title = "refract" if len(models) == 1 else Path(model).stem
            _add(found, title, evaluation.Refract(**settings, **own, **limits))
    if cost_models and "refract" not in named:
        raise InputError(
            "only refract has cost models.", where="--cost-model", hint="Add it to --system."
        )
    if settings and "refract" not in named:
        first = next(iter(settings))
        flag = _FLAGS.get(first, f"--{first.replace('_', '-')}")
        raise InputError("only refract takes this.", where=flag, hint="Add refract to --system.")
    return found


def _add(systems: dict[str, System], name: str, made: System) -> None:
    if name in systems:
        what = f"there are two systems named {shown(name)!r}."
        raise InputError(what, hint="Name each once.")
    systems[name] = made


def _tell_of_others(run: evaluation.Run, systems: dict[str, System]) -> None:
    """Tell of recorded answers to cases that there are not: most likely they are to other cases."""
    for name, system in systems.items():
        if isinstance(system, evaluation.Recorded):
            others = system.others(row.id for row in run.rows)
            if others:
                verb = "is" if len(others) == 1 else "are"
                what = f"{len(others)} of the answers of {shown(name)} {verb} to no case"
                output.complain("note", f"{what}, as {shown(others[0])!r}.")


# -- reports ---------------------------------------------------------------------


@app.adds("report", "Report a run, or compare two.")
def report(
    run: str = argument("RUN", "What `bench run` saved with -o; - reads standard input."),
    other: str | None = argument("OTHER", "A second run, to be compared with the first.", None),
    by: str | None = BY,
    misses: int | None = MISSES,
    fail_under: float | None = FAIL_UNDER,
    *,
    out: output.Output,
) -> None:
    """
    Report a run that was saved; with a second one, say which cases were won and lost from the first to it.

    Examples:

      refract-asp bench report run.json --by kind,tools --misses 5
      refract-asp bench report before.json after.json

    Exit codes: 0, 1 less was restored than --fail-under says, 2 bad usage or input.
    """
    inputs.only_one_stdin(run, other)
    first = evaluation.read_run(inputs.read_data(run))
    second = None if other is None else evaluation.read_run(inputs.read_data(other))
    found = None if second is None else evaluation.compare_runs(first, second)
    if second is None or found is None:
        _tell(first, _names(by), misses or 0, out)
    else:
        data = {"schema_version": 1, **found.model_dump(mode="json")}
        out.tell(lambda: data, lambda **how: evaluation.compared_text(found, first, second, **how))
    raise typer.Exit(_exit_code(second or first, fail_under))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else inputs.names_in(text)


def _tell(run: evaluation.Run, by: list[str] | None, misses: int, out: output.Output) -> None:
    """Print the figures of a run."""
    summary = evaluation.summary_of(run, by)

    def data() -> dict[str, Any]:
        missed = islice(evaluation.misses_of(run, next(iter(run.systems))), misses)
        told = run.model_dump(mode="json", exclude={"rows"}) | summary.model_dump(mode="json")
        return {**told, "misses": [each.model_dump(mode="json") for each in missed]}

    out.tell(data, lambda **how: evaluation.run_text(run, summary, misses=misses, **how))


def _exit_code(run: evaluation.Run, fail_under: float | None) -> int:
    """Return 1 where the first system restores less than it has to."""
    if fail_under is None:
        return 0
    system = next(iter(run.systems))
    found = evaluation.restored_share(run, system)
    if found.value is not None and found.value >= fail_under:
        return 0
    what = f"{shown(system)} restores {found.count} of {found.of}, less than {percent(fail_under)}."
    none = "there is no broken case whose information is still there."
    output.complain("failed", none if found.value is None else what)
    return 1
