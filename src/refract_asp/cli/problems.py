"""`refract-asp bench problems|visualize|evaluate`: synthetic problems, and the grading of answers to them."""

from __future__ import annotations

import json
from itertools import islice
from typing import Annotated, Any

import typer

from refract_asp.bench import problems as bench
from refract_asp.cli import inputs, output
from refract_asp.cli.options import CountIfAny, OptionalArgument, OutputFile
from refract_asp.errors import InputError, shown

PARTS = ("prompt", "target", "test")
MAX_FAILED = 20
"""How many problems with wrong answers are told as text."""


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
        lines = [
            f"{each:<28} {len(bench.benchmark(each)):>4} problems" for each in bench.BENCHMARKS
        ]
        output.write("\n".join(lines), to_file)
        return
    rows = [
        f"  {json.dumps(id)}: {json.dumps(dials)}" for id, dials in bench.benchmark(name).items()
    ]
    output.write("{\n" + ",\n".join(rows) + "\n}", to_file)


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
    given: dict[str, Any] = inputs.load(bench.load_problems, file)
    unknown = next((wanted for wanted in id or () if wanted not in given), None)
    if unknown is not None:
        hint = f"There are {shown(', '.join(given), 200)}."
        raise InputError(f"there is no problem {shown(unknown)!r}.", hint=hint)
    given = {wanted: given[wanted] for wanted in id} if id else given
    chosen = dict(islice(given.items(), limit))
    cases = bench.made(chosen, registry(libraries))
    rows = [
        {"id": each} | {part: getattr(case, part) for part in PARTS} | {"dials": chosen[each]}
        for each, case in cases.items()
    ]
    out.show({"problems": rows}, "problems", rows=rows, more=len(given) - len(chosen))


def evaluate(
    out: output.Output,
    file: str,
    samples: Annotated[str, typer.Option()],
    libraries: str | None = None,
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
        to_file (FILE): Save the graded answers, JSON lines.
    """
    inputs.only_one_stdin(file, samples, libraries)
    output.check_target(to_file)
    cases = bench.made(inputs.load(bench.load_problems, file), registry(libraries))
    found = bench.grade(cases, inputs.load(bench.load_samples, samples))
    if to_file is not None:
        output.write("\n".join(map(json.dumps, found.rows())), to_file, raw=True)
    if to_file != "-":
        wrong = [case for case in found.cases if case.accuracy < 1]
        data = found.as_data()
        out.show(data, "grades", found=found, told=data, wrong=wrong, most=MAX_FAILED)


def registry(libraries: str | None) -> tuple[bench.Library, ...] | None:
    """Return the libraries that a file holds, None for the shipped ones."""
    return None if libraries is None else inputs.load(bench.load_libraries, libraries)
