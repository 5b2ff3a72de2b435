"""`refract-asp bench problems|visualize|evaluate`: synthetic problems, and the grading of answers to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import typer

from refract_asp.bench.problems import (
    BENCHMARKS,
    Evaluation,
    Library,
    benchmark,
    grade,
    load_libraries,
    load_problems,
    load_samples,
    made,
)
from refract_asp.cli import inputs, output
from refract_asp.cli.options import CountIfAny, OptionalArgument, OutputFile
from refract_asp.errors import InputError, shown
from refract_asp.report.terminal import count, escaped, folded, painted

MAX_FAILED = 20
"""How many problems with wrong answers are told as text."""


def problems(name: OptionalArgument = None, to_file: OutputFile = None) -> None:
    """
    Write the problems of a benchmark as JSON: what each is made from, by id.

    The file is always the same, and so are the problems made from it.

    Examples:

      refract-asp bench problems
      refract-asp bench problems chaining -o chaining.json

    Args:
        name (NAME): Name of a benchmark; without one they are listed.
        to_file (FILE): Write here, not to standard output.
    """
    if name is None:
        lines = [f"{each:<28} {len(benchmark(each)):>4} problems" for each in BENCHMARKS]
        output.write("\n".join(lines), to_file)
        return
    rows = [f"  {json.dumps(id)}: {json.dumps(dials)}" for id, dials in benchmark(name).items()]
    output.write("{\n" + ",\n".join(rows) + "\n}", to_file)


def visualize(
    out: output.Output,
    file: str,
    id: list[str] | None = None,
    limit: CountIfAny = None,
    libraries: str | None = None,
) -> None:
    """
    Print the problems of a benchmark: the prompt, the answer that is wanted, and the test.

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
    given: dict[str, Any] = inputs.load(load_problems, file)
    unknown = next((wanted for wanted in id or () if wanted not in given), None)
    if unknown is not None:
        hint = f"There are {shown(', '.join(given), 200)}."
        raise InputError(f"there is no problem {shown(unknown)!r}.", hint=hint)
    given = {wanted: given[wanted] for wanted in id} if id else given
    chosen = dict(islice(given.items(), limit))
    cases = made(chosen, registry(libraries))
    rows = [
        {"id": each, "prompt": case.prompt, "target": case.target, "test": case.test}
        for each, case in cases.items()
    ]

    def text(color: bool, **_: Any) -> str:
        blocks = []
        for row in rows:
            lines = [painted(escaped(row["id"]), "bold") if color else escaped(row["id"])]
            for name in ("prompt", "target", "test"):
                lines.append(f"  {painted(name, 'cyan') if color else name}")
                lines += [f"    {escaped(line.expandtabs(4))}" for line in row[name].split("\n")]
            blocks.append("\n".join(map(str.rstrip, lines)))
        if len(chosen) < len(given):
            blocks.append(f"... and {len(given) - len(chosen)} more")
        return "\n\n".join(blocks)

    out.tell({"problems": [{**row, "dials": chosen[row["id"]]} for row in rows]}, text)


def evaluate(
    out: output.Output,
    file: str,
    samples: Annotated[str, typer.Option()],
    libraries: str | None = None,
    to_file: OutputFile = None,
) -> None:
    """
    Grade answers to the problems of a benchmark. Nothing of an answer is run.

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
    cases = made(inputs.load(load_problems, file), registry(libraries))
    found = grade(cases, inputs.load(load_samples, samples))
    if to_file is not None:
        output.write("\n".join(map(json.dumps, found.rows())), to_file, raw=True)
    if to_file != "-":
        out.tell(found.as_data, lambda color, **_: "\n".join(_told(found, color)))


def registry(libraries: str | None) -> tuple[Library, ...] | None:
    """Return the libraries that a file holds, None for the shipped ones."""
    return None if libraries is None else inputs.load(load_libraries, libraries)


def _told(found: Evaluation, colored: bool) -> Iterator[str]:
    """Yield what is told of graded answers."""

    def title(text: str) -> str:
        return painted(text, "bold") if colored else text

    data = found.as_data()
    is_none = found.accuracy is None
    yield title("no problem was answered" if is_none else f"accuracy {_share(data['accuracy'])}")
    counts = (count(data["problems"], "problem"), count(data["samples"], "sample"))
    yield f"{', '.join(counts)}, {data['passed']} passed"
    for kind, ids, words in (
        ("missing", found.missing, "without a sample"),
        ("unknown", found.unknown, "that the benchmark does not have"),
    ):
        if ids:
            names = escaped(shown(", ".join(ids[:3]))) + (", ..." if len(ids) > 3 else "")
            yield f"{kind}: {count(len(ids), 'problem')} {words} ({names})"
    for dial, values in found.by_dial().items():
        yield from ("", title(dial))
        titles = [
            shown(value if value.strip() else json.dumps(value), 40) for value, _, _ in values
        ]
        broad = max(map(len, titles))
        for name, (_, samples, accuracy) in zip(titles, values, strict=True):
            yield f"  {escaped(name):<{broad}}  {_share(accuracy)}  of {samples}"
    wrong = [case for case in found.cases if case.accuracy < 1]
    if wrong:
        yield from ("", title("wrong answers"))
    for case in wrong[:MAX_FAILED]:
        reason = next(answer.error for answer in case.answers if not answer.passed) or ""
        text = f"{_share(case.accuracy)}  {shown(case.id, 60)}: {reason}"
        yield folded(text, output.text_width(), "  ", " " * 10)
    if len(wrong) > MAX_FAILED:
        yield f"  ... and {len(wrong) - MAX_FAILED} more; --format json has all"


def _share(part: float) -> str:
    return f"{100 * part:5.1f} %"
