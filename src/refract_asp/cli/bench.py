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

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, product
from math import prod
from pathlib import Path
from typing import Annotated, Any

import typer

from refract_asp import evaluation
from refract_asp.bench import problems as made
from refract_asp.cli import inputs, options, output
from refract_asp.cli.options import CountIfAny, Group, OptionalArgument, Options, OutputFile
from refract_asp.cli.output import wrong_file
from refract_asp.cli.session import A_MONTH, Rules, Tools
from refract_asp.errors import LONGEST_TEXT, InputError, LimitError, shown
from refract_asp.formats import load_memory
from refract_asp.options import RepairOptions
from refract_asp.report.terminal import count as counted
from refract_asp.report.terminal import escaped

app = Group(__doc__, help="Make problems and cases, and see how well they are answered.")
PARTS = ("prompt", "target", "test")
# How many problems with wrong answers are told as text.
MAX_FAILED = 20


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


# -- cases in which nothing is wrong ---------------------------------------------

# How many cases are made at once.
MAX_CASES = 100_000
# No more tools and calls are written at once: they take 2 GB and some ten minutes.
MAX_ENTRIES = 2_500_000


@dataclass(frozen=True, kw_only=True)
class Grid(Options):
    """
    The values of each dial, as a text with commas.

    Attributes:
        tools (N,...): Tools in the catalog, 1 to 10000 [20].
        calls (N,...): Calls in the sequence, 1 to 300 [5].
        coupling (WORD,...): How calls read from each other: independent, chain, fan-out (all from the first),
            fan-in (the last from all) or random [chain; with --catalog random].
        share (SHARE,...): How many calls read from others where that is random [0.5].
        reuse (SHARE,...): How many calls use a tool that was called before [0].
        likeness (SHARE,...): How many other tools are named nearly like one that is called [0.5].
    """

    tools: str | None = None
    calls: str | None = None
    coupling: str | None = None
    share: str | None = None
    reuse: str | None = None
    likeness: str | None = None

    def values(self) -> dict[str, list[Any]]:
        """Read the values of each dial that is given."""
        kinds: dict[str, Any] = {"tools": int, "calls": int, "coupling": str}
        found: dict[str, list[Any]] = {}
        for name, text in vars(self).items():
            for part in () if text is None else map(str.strip, text.split(",")):
                kind = kinds.get(name, float)
                try:
                    found.setdefault(name, []).append(kind(part))
                except ValueError:
                    word = "whole number" if kind is int else "number"
                    options.refuse(name, f"{shown(part)!r} is no {word}.")
        return found


@app.adds("generate")
def generate(
    dials: Grid,
    catalog: str | None = None,
    catalog_format: str | None = None,
    count: Annotated[int, typer.Option(min=1, max=MAX_CASES)] = 1,
    seed: int = 0,
    force: bool = False,
    to_file: OutputFile = None,
) -> None:
    """
    Make cases in which nothing is wrong. They are sequences, each with a catalog, made by dials and a seed.

    Examples:

      refract-asp bench generate -o cases --count 20
      refract-asp bench generate -o cases --tools 10,100,1000 --likeness 0,0.5,1
      refract-asp bench generate -o long.jsonl --calls 50 --tools 60
      refract-asp bench generate --catalog travel --calls 6 --count 5

    A FOLDER gets cases.jsonl and a folder with the catalogs. A file that ends in .jsonl, and standard output,
    hold the catalogs in each line. Several values of a dial, separated by commas, make all combinations. Shares
    are numbers from 0 to 1. The same dials and seed always give the same cases.

    Exit codes: 0 the cases are written, 2 bad usage or input.

    Args:
        catalog (PATH|NAME): Call the tools of this catalog; --calls, --coupling and --share can be set.
        catalog_format (FORMAT): Format of the catalog, when it is not to be detected.
        count (N): Cases of each combination, one a seed.
        seed (N): The first seed.
        force: Write into a folder that is not empty, over what has the same name.
        to_file (FOLDER|FILE.jsonl): Write here, not to standard output.
    """
    if catalog_format is not None and catalog is None:
        options.refuse("catalog-format", "there is no --catalog.")
    for name, value in vars(dials).items():
        if value is not None and catalog is not None and name not in ("calls", "coupling", "share"):
            options.refuse(name, "it says nothing beside --catalog.")
    in_lines = to_file in (None, inputs.STDIN) or str(to_file).endswith(".jsonl")
    number, made = _cases(dials.values(), count, seed, catalog, catalog_format, in_lines)
    _write_to(to_file, made, "generating", number, force=force)


def _bounded(number: int, most: int, what: str) -> None:
    """Refuse more than is made at once."""
    if number > most:
        hint = "Make fewer, or smaller ones; a folder (-o) holds a catalog that is shared once."
        raise LimitError(f"these would be {number:,} {what}, of at most {most:,}.", hint=hint)


def _cases(
    values: dict[str, Any], count: int, seed: int, catalog: str | None, format: Any, in_lines: bool
) -> tuple[int, Iterator[evaluation.Case]]:
    """Return how many cases there are, and what makes them one after the other."""
    from refract_asp.bench.generating import Dials, from_catalog, grid
    from refract_asp.bench.generating import generate as from_dials

    tools = None if catalog is None else inputs.read_catalog(catalog, format)
    _bounded(prod(len(set(each)) for each in values.values()) * count, MAX_CASES, "cases")
    shipped = catalog if catalog is not None and inputs.is_shipped(catalog) else ""
    usual = Dials() if tools is None else Dials(tools=10_000, coupling="random")
    chosen = list(dict.fromkeys(grid(values, usual)))
    written = 0 if tools is None or shipped or not in_lines else len(tools)
    entries = sum(each.calls + (each.tools if tools is None else written) for each in chosen)
    _bounded(entries * count, MAX_ENTRIES, "tools and calls")

    def made(dials: Dials, seed: int) -> evaluation.Case:
        if tools is None:
            return from_dials(dials, seed)
        how: Any = {"coupling": dials.coupling, "share": dials.share, "name": shipped}
        return from_catalog(tools, dials.calls, seed, **how)

    pairs = product(chosen, range(seed, seed + count))
    return len(chosen) * count, (made(*each) for each in pairs)


def _write_to(
    to: str | None, cases: Iterable[evaluation.Case], title: str, total: int | None, *, force: bool
) -> None:
    """Write cases to standard output, to a file, or into a folder with a folder for the catalogs."""
    path, folder = Path(to or inputs.STDIN), ""
    if to in (None, inputs.STDIN):
        with output.progress(title, total) as done:
            for case in cases:
                output.write(evaluation.cases.case_line(case, case.catalog_name or None), raw=True)
                done()
        return
    if path.suffix == ".jsonl" and not path.is_dir():
        output.check_target(to)
    elif path.exists() and not path.is_dir():
        hint = "Name a folder, or a file that ends in .jsonl."
        raise wrong_file(to, "this is a file, not a folder.", hint)
    elif path.is_dir() and any(path.iterdir()) and not force:
        hint = "Name another one, or write into it with --force."
        raise wrong_file(to, "the folder is not empty.", hint)
    else:
        path, folder = path / "cases.jsonl", "catalogs"
    with output.progress(title, total) as done:

        def told() -> Iterator[evaluation.Case]:
            for case in cases:
                yield case
                done()

        written = evaluation.write_cases(path, told(), folder)
    output.write(f"{counted(written, 'case')}: {shown(path, LONGEST_TEXT)}")


# -- broken on purpose -----------------------------------------------------------


def kinds_text() -> str:
    """Return what each kind of mutations breaks."""
    from refract_asp.bench.mutations import KINDS

    return output.rendered("kinds", kinds=KINDS.values())


@app.adds(
    "mutate",
    "source catalog memory source_format kind list_kinds count mix seed format force to_file",
)
def mutate(
    out: output.Output,
    source: str,
    catalog: str | None = None,
    memory: str | None = None,
    source_format: options.SourceFormat = None,
    kind: str = "all",
    list_kinds: Annotated[bool, output.prints(kinds_text, "--list")] = False,
    count: Annotated[int, typer.Option(min=1, max=1000)] = 1,
    mix: Annotated[int, typer.Option(min=0, max=20)] = 0,
    seed: str = "0",
    force: bool = False,
    to_file: OutputFile = None,
) -> None:
    """
    Break valid sequences on purpose, and print or write the original as what is expected of a repair.

    Examples:

      refract-asp bench mutate calls.txt --catalog travel
      refract-asp bench mutate calls.txt --catalog travel --kind tool_name,label
      refract-asp bench mutate cases/cases.jsonl -o broken --count 2
      refract-asp bench mutate cases/cases.jsonl --mix 3 -o broken.jsonl

    Each sequence is broken once for each kind, or --count times; with --mix N each case has N mistakes at
    places that do not touch each other. A value that is lost for good is expected to be asked for. Sequences in
    which something is wrong already are left out, and told. A FOLDER gets cases.jsonl and the catalogs, a file
    that ends in .jsonl has them in each line. The same seed always breaks in the same way.

    `--list` prints the kinds, each with what it breaks and when the rest still shows the original.

    Exit codes: 0 cases were made, 2 bad usage or input, or nothing could be broken.

    Args:
        source (SEQUENCE|CASES.jsonl): File with calls, or with cases, which end in .jsonl; - reads calls from
            standard input.
        catalog (PATH|NAME): File with the tools, or the name of a shipped catalog; cases may name their own.
        memory (FILE): JSON or YAML file with values already known.
        source_format (FORMAT): Format of SEQUENCE, when it is not to be detected.
        kind (KIND,...): Kinds of mutations; all are those that break.
        list_kinds: Print the kinds and exit.
        count (N): Cases of each kind, or mixes.
        mix (N): Mistakes in each case; 0 for one kind.
        seed (SEED): Chooses what is broken.
        force: Write into a folder that is not empty, over what has the same name.
        to_file (FOLDER|FILE.jsonl): Write the cases there.
    """
    del list_kinds
    inputs.only_one_stdin(source, catalog, memory)
    from refract_asp.bench.bridge import break_cases
    from refract_asp.bench.mutations import KINDS

    def left_out(case: evaluation.Case) -> None:
        said = "something is wrong with it already, see `refract-asp check`."
        output.complain("left out", f"{shown(case.id)}: {said}")

    breaking = [each.name for each in KINDS.values() if each.family != "harmless"]
    kinds = breaking if kind == "all" else [part.strip() for part in kind.split(",")]
    given = _given(source, catalog, memory, source_format)
    broken = break_cases(given, kinds, count=count, mix=mix, seed=seed, left_out=left_out)
    first = next(broken, None)
    if first is None:
        hint = "`refract-asp bench mutate --list` says what each kind breaks."
        raise InputError("nothing could be broken.", hint=hint)
    cases = chain([first], broken)
    if to_file not in (None, inputs.STDIN) or out.format == "json":
        _write_to(to_file, cases, "breaking", None, force=force)
        return
    for case in cases:
        output.write(("" if case is first else "\n") + "\n".join(_lines(case)))


def _given(
    source: str, catalog: str | None, memory: str | None, format: str | None
) -> Iterator[evaluation.Case]:
    """Yield what is to be broken as cases."""
    if source.endswith(".jsonl"):
        for name, value in (("from", format), ("memory", memory)):
            if value is not None:
                options.refuse(name, "a file of cases says it itself.")
        tools = None if catalog is None else inputs.read_catalog(catalog)
        yield from evaluation.read_cases(inputs.read_file(source), tools)
        return
    if catalog is None:
        options.refuse("catalog", "name the tools of these calls.")
    sequence = inputs.read_sequence(source, format)
    yield evaluation.Case(
        id="stdin" if source == inputs.STDIN else Path(source).stem,
        sequence=sequence,
        catalog=inputs.read_catalog(catalog),
        expected=sequence,
        memory=inputs.load(load_memory, memory),
        catalog_name=catalog if inputs.is_shipped(catalog) else "",
    )


def _lines(case: Any) -> Iterator[str]:
    """Yield what a case is, how it was broken, and the lines in which it differs from what is expected."""
    yield escaped(case.id + ("" if case.informed else "  (what is left does not tell how it was)"))
    yield from (f"  {escaped(each.what)}" for each in case.mutations)
    found = list(difflib.ndiff(case.expected.dump("pretty"), case.sequence.dump("pretty")))
    for sign, name in (("+ ", "broken:  "), ("- ", "expected:")):
        yield from (f"  {name} {escaped(line[2:])}" for line in found if line.startswith(sign))


# -- systems over cases ----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Figures(Options):
    """
    What the command prints about a run, and which figures it must reach.

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
    time_limit: options.SomeSeconds = None,
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
