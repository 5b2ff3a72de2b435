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

import json
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from refract_asp import evaluation
from refract_asp.bench import problems as made
from refract_asp.cli import cases, inputs, output
from refract_asp.cli.options import CountIfAny, Group, OptionalArgument, Options, OutputFile
from refract_asp.cli.session import A_MONTH, Rules, Tools
from refract_asp.errors import InputError, shown
from refract_asp.options import RepairOptions

app = Group(__doc__, help="Make problems and cases, and see how well they are answered.")
PARTS = ("prompt", "target", "test")
MAX_FAILED = 20
"""How many problems with wrong answers are told as text."""


# -- synthetic problems ----------------------------------------------------------


@app.adds("problems")
def problems(name: OptionalArgument = None, to_file: OutputFile = None) -> None:
    """
    Write the problems of a benchmark. The JSON says by id what each is made from.

    The file is always the same, and so are the problems made from it.

    Examples:

      refract-asp bench problems
      refract-asp bench problems chaining -o chaining.json

    Args:
        name (NAME): Name of a benchmark; without one they are listed.
        to_file (FILE): Write here, not to standard output.
    """
    if name is None:
        lines = [f"{each:<28} {len(made.benchmark(each)):>4} problems" for each in made.BENCHMARKS]
        output.write("\n".join(lines), to_file)
        return
    problems = made.benchmark(name).items()
    rows = [f"  {json.dumps(id)}: {json.dumps(dials)}" for id, dials in problems]
    output.write("{\n" + ",\n".join(rows) + "\n}", to_file)


@app.adds("visualize", "file id limit libraries format color to_file")
def visualize(
    out: output.Output,
    file: str,
    id: list[str] | None = None,
    limit: CountIfAny = None,
    libraries: str | None = None,
) -> None:
    """
    Print prompts, targets and tests. They are those of the problems of a benchmark.

    Examples:

      refract-asp bench visualize chaining.json --limit 2
      refract-asp bench visualize chaining.json --id 2/0 --format json
      refract-asp bench visualize mine.json --libraries libraries.json

    Args:
        file (FILE): File of a benchmark; - reads standard input.
        id (ID): Print this problem; may be repeated.
        limit (N): Print the first N problems.
        libraries (FILE): Libraries of your own, in place of the shipped ones.
    """
    inputs.only_one_stdin(file, libraries)
    given: dict[str, Any] = inputs.load(made.load_problems, file)
    unknown = next((wanted for wanted in id or () if wanted not in given), None)
    if unknown is not None:
        hint = f"There are {shown(', '.join(given), 200)}."
        raise InputError(f"there is no problem {shown(unknown)!r}.", hint=hint)
    given = {wanted: given[wanted] for wanted in id} if id else given
    chosen = dict(islice(given.items(), limit))
    cases = made.made(chosen, inputs.load(made.load_libraries, libraries))
    rows = [
        {"id": each} | {part: getattr(case, part) for part in PARTS} | {"dials": chosen[each]}
        for each, case in cases.items()
    ]
    out.show({"problems": rows}, "problems", rows=rows, more=len(given) - len(chosen))


@app.adds("evaluate", "file samples relaxed libraries format color to_file")
def evaluate(
    out: output.Output,
    file: str,
    samples: Annotated[str, typer.Option()],
    libraries: str | None = None,
    relaxed: Annotated[bool, typer.Option("--relaxed/--strict")] = True,
    to_file: OutputFile = None,
) -> None:
    """
    Grade answers without running them. They answer the problems of a benchmark.

    Told is the share of the answers that pass: in all, by dial, and for each problem with a wrong answer.

    Examples:

      refract-asp bench evaluate chaining.json --samples samples.jsonl
      refract-asp bench evaluate chaining.json --samples samples.jsonl -o x.jsonl

    A line of the samples is {"id": "2/0", "sample": "return ..."}, or has "samples", a
    list. What counts of a sample ends at [END] or at the first blank line below a
    return.

    Args:
        file (FILE): File of a benchmark; - reads standard input.
        samples (FILE): Answers, JSON lines; - reads standard input.
        libraries (FILE): Libraries of your own, in place of the shipped ones.
        relaxed: Read chat messages, whole functions and tool calls, too.
        to_file (FILE): Save the graded answers, JSON lines.
    """
    inputs.only_one_stdin(file, samples, libraries)
    output.check_target(to_file)
    given = inputs.load(made.load_problems, file)
    cases = made.made(given, inputs.load(made.load_libraries, libraries))
    found = made.grade(cases, inputs.load(made.load_samples, samples), relaxed=relaxed)
    if to_file is not None:
        output.write("\n".join(map(json.dumps, found.rows())), to_file, raw=True)
    if to_file != "-":
        wrong = [case for case in found.cases if case.accuracy < 1]
        data = found.as_data()
        out.show(data, "grades", found=found, told=data, wrong=wrong, most=MAX_FAILED)


app.adds("generate")(cases.generate)
ORDER = "source catalog memory source_format kind list_kinds count mix seed format force to_file"
app.adds("mutate", ORDER)(cases.mutate)


# -- systems over cases ----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Figures(Options):
    """
    What is told of a run, and what is demanded of it.

    Attributes:
        by (NAMES): Group by these, with commas between: kind, variant, or a dial.
        misses (N): Show the first N cases that were not answered as expected.
    """

    by: str | None = None
    misses: Annotated[int | None, typer.Option(min=0, max=10_000)] = None

    def tell(self, run: evaluation.Run, out: output.Output) -> None:
        """Print the figures of a run."""
        summary = evaluation.summary_of(run, self.by and inputs.names_in(self.by))
        most = self.misses or 0

        def data() -> dict[str, Any]:
            missed = islice(evaluation.misses_of(run, next(iter(run.systems))), most)
            told = run.model_dump(mode="json", exclude={"rows"}) | summary.model_dump(mode="json")
            return {**told, "misses": [each.model_dump(mode="json") for each in missed]}

        out.tell(data, lambda **how: evaluation.reports.run_text(run, summary, misses=most, **how))


@app.adds(
    "run",
    "cases catalog catalog_format system cost_model answers constants mappings new_maps encodings "
    "patterns encodings_dir confirm undeclared max_new_calls alternatives time_limit limit jobs "
    "keep_going by misses format color to_file",
)
def run_cases(
    rules: Rules,
    tools: Tools,
    figures: Figures,
    out: output.Output,
    cases: str,
    system: str = "refract",
    cost_model: list[str] | None = None,
    answers: list[str] | None = None,
    time_limit: Annotated[float | None, typer.Option(min=0.001)] = None,
    limit: CountIfAny = None,
    jobs: Annotated[int, typer.Option(min=1, max=64)] = 1,
    keep_going: bool = False,
    to_file: OutputFile = None,
) -> None:
    """
    Have systems repair cases, and judge them. An answer is judged by what is expected.

    Printed are the figures of each system over all cases, by kind and by each dial, and the times.

    Examples:

      refract-asp bench run cases.jsonl
      refract-asp bench run cases.jsonl --system refract,none,nearest -o run.json
      refract-asp bench run cases.jsonl --cost-model default --cost-model mine.lp
      refract-asp bench run cases.jsonl --answers peer=answers.jsonl

    A line of CASES is {"catalog": ..., "sequence": ..., "expected": ...}; a line of answers is
    {"id": ..., "answer": ...}.

    Exit codes: 0, 2 bad usage or input, 130 interrupted (what was found so far is printed and saved).

    Args:
        cases (CASES): File with cases as JSON lines; - reads standard input.
        catalog (PATH|NAME): The tools of cases that bring no catalog.
        system (NAMES): What is run, with commas between: refract, none, nearest.
        cost_model (NAME|FILE): What ranks the edits of refract; repeated, each is a system of its own.
        answers (NAME=FILE): Judge answers that were recorded before; repeatable.
        alternatives (N): Look for up to N other repairs of the same cost, and count those that are expected.
        time_limit (SECONDS): Stop each answer after this time.
        limit (N): Take only the first N cases.
        jobs (N): How many processes work.
        keep_going: Skip lines that cannot be read, and count them.
        to_file (FILE): Save the run here, for `bench report`.
    """
    inputs.only_one_stdin(cases, tools.catalog, rules.said["mappings"])
    output.check_target(to_file)
    # only what was set, so that a run says no more than that
    usual = vars(RepairOptions())
    settings = {name: each for name, each in rules.read().items() if each and each != usual[name]}
    if "refract" not in inputs.names_in(system) and (settings or cost_model):
        hint = "Add refract to --system."
        raise InputError("only refract takes cost models and options of a repair.", hint=hint)
    settings["time_limit"] = A_MONTH if time_limit is None else time_limit
    systems = _systems(system, cost_model or ["default"], settings, answers)
    catalog = tools.read()
    data = inputs.read_data(cases)
    skipped: list[InputError] = []

    def skip(error: InputError) -> None:
        skipped.append(error)
        output.complain("skipped", str(error))

    piped = "standard input" if cases == inputs.STDIN else None
    mistakes = skip if keep_going else None
    found = evaluation.read_cases(data, catalog, mistakes=mistakes, name=piped)
    with output.progress("running", inputs.total_of([data], limit)) as done:
        how: Any = {"source": piped or Path(cases).name, "time_limit": time_limit, "jobs": jobs}
        run = evaluation.run(islice(found, limit), systems, done=lambda _: done(), **how)
    counts = run.cases.model_copy(update={"skipped": len(skipped)})
    run = run.model_copy(update={"cases": counts})
    if not run.rows and run.complete:
        line = '{"catalog": ..., "sequence": ..., "expected": ...}'
        raise inputs.nothing_in([cases], "case", line)
    if to_file is not None:
        output.write(run.text(), to_file, raw=True)
    if to_file != "-":
        figures.tell(run, out)
    raise typer.Exit(0 if run.complete else 130)


def _systems(
    system: str, cost_models: list[str], settings: dict[str, Any], answers: list[str] | None
) -> dict[str, Any]:
    """Return what is run, by name: what --system says, a refract for each cost model, and what is recorded."""
    baselines = {"none": evaluation.unchanged, "nearest": evaluation.nearest}
    found: list[tuple[str, Any]] = []
    for name in inputs.names_in(system) or [""]:
        if name in baselines:
            found.append((name, baselines[name]))
        elif name != "refract":
            hint = f"Use refract, {', '.join(baselines)}; --answers judges those of others."
            raise InputError(f"there is no system {shown(name)!r}.", where="--system", hint=hint)
        else:
            for model in map(inputs.read_cost_model, cost_models):
                own = {} if str(model) == "default" else {"cost_model": model}
                title = "refract" if len(cost_models) == 1 else Path(model).stem
                found.append((title, evaluation.Refract(**settings, **own)))
    for name, file in inputs.read_pairs("--answers", "NAME=FILE", answers):
        found.append((name, evaluation.Recorded.load(inputs.read_file(file))))
    for name, number in Counter(name for name, _ in found).items():
        if number > 1:
            what = f"there are two systems named {shown(name)!r}."
            raise InputError(what, hint="Name each once.")
    return dict(found)


# -- reports ---------------------------------------------------------------------


@app.adds("report")
def report(
    run: str, other: OptionalArgument = None, *, figures: Figures, out: output.Output
) -> None:
    """
    Report a run, or compare two. Of two it says which cases were won and lost from the first to the second.

    Examples:

      refract-asp bench report run.json --by kind,tools --misses 5
      refract-asp bench report before.json after.json

    Exit codes: 0, 2 bad usage or input.

    Args:
        run (RUN): What `bench run` saved with -o; - reads standard input.
        other (OTHER): A second run, to be compared with the first.
    """
    inputs.only_one_stdin(run, other)
    first = evaluation.read_run(inputs.read_data(run))
    if other is None:
        figures.tell(first, out)
        return
    second = evaluation.read_run(inputs.read_data(other))
    found = evaluation.compare_runs(first, second)
    out.tell(found, lambda **how: evaluation.reports.compared_text(found, first, second, **how))
