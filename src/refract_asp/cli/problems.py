"""`refract-asp bench problems|visualize|evaluate`: synthetic problems, and the grading of answers to them."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING
from itertools import islice
from pathlib import Path
from typing import Any

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
from refract_asp.cli import inputs, options, output
from refract_asp.cli.options import OUTPUT, argument, output_file
from refract_asp.errors import InputError, shown
from refract_asp.report.terminal import count, escaped, painted
from refract_asp.settings import option

_BREAK = re.compile(r"[(. ]")
MAX_FAILED = 20
"""How many problems with wrong answers are told as text."""

FILE = argument("FILE", "File of a benchmark; - reads standard input.")
LIBRARIES = option(None, "Libraries of your own, in place of the shipped ones.", "FILE")


def problems(
    name: str | None = argument("NAME", "Name of a benchmark; without one they are listed.", None),
    to_file: str | None = OUTPUT,
) -> None:
    """
    Write the problems of a benchmark as JSON: what each is made from, by id.

    The file is always the same, and so are the problems made from it.

    Examples:

      refract-asp bench problems
      refract-asp bench problems chaining -o chaining.json
    """
    if name is None:
        lines = [f"{each:<28} {len(benchmark(each)):>4} problems" for each in BENCHMARKS]
        output.write("\n".join(lines), to_file)
        return
    rows = [f"  {json.dumps(id)}: {json.dumps(dials)}" for id, dials in benchmark(name).items()]
    output.write("{\n" + ",\n".join(rows) + "\n}", to_file)


def visualize(
    file: str = FILE,
    id: list[str] | None = option(None, "Print this problem; may be repeated.", "ID"),
    limit: int | None = option(None, "Print the first N problems.", "N", min=1),
    libraries: str | None = LIBRARIES,
    *,
    out: output.Output,
) -> None:
    """
    Print the problems of a benchmark: the prompt, the answer that is wanted, and the test.

    Examples:

      refract-asp bench visualize chaining.json --limit 2
      refract-asp bench visualize chaining.json --id 2/0 --format json
      refract-asp bench visualize mine.json --libraries libraries.json
    """
    given = _problems(file, libraries)
    for wanted in id or ():
        if wanted not in given:
            first = ", ".join(shown(each, 60) for each in list(given)[:5])
            more = f" and {len(given) - 5} more" if len(given) > 5 else ""
            hint = f"There are {first}{more}."
            raise InputError(f"there is no problem {shown(wanted)!r}.", hint=hint)
    given = {wanted: given[wanted] for wanted in id} if id else given
    chosen = dict(islice(given.items(), limit))
    cases = made(chosen, _libraries(libraries))

    def data() -> dict[str, Any]:
        rows = [
            {"id": each, "prompt": case.prompt, "target": case.target, "test": case.test}
            for each, case in cases.items()
        ]
        listed = [{**row, "dials": chosen[row["id"]]} for row in rows]
        return {"schema_version": 1, "problems": listed}

    def text(color: bool, **_: Any) -> str:
        blocks = []
        for each, case in cases.items():
            lines = [painted(escaped(each), "bold") if color else escaped(each)]
            for name, part in (
                ("prompt", case.prompt),
                ("target", case.target),
                ("test", case.test),
            ):
                lines.append(f"  {painted(name, 'cyan') if color else name}")
                lines += [line for code in part.split("\n") for line in _wrapped(code)]
            blocks.append("\n".join(lines))
        if len(chosen) < len(given):
            blocks.append(f"... and {len(given) - len(chosen)} more")
        return "\n\n".join(blocks)

    out.tell(data, text)


def evaluate(
    file: str = FILE,
    samples: str = option(MISSING, "Answers, JSON lines; - reads standard input.", "FILE"),
    libraries: str | None = LIBRARIES,
    *,
    out: output.Output,
    to_file: str | None = output_file("FILE|FOLDER", "Save the graded answers, JSON lines."),
) -> None:
    """
    Grade answers to the problems of a benchmark. Nothing of an answer is run.

    Told is the share of the answers that pass: in all, by dial, and for each problem with a wrong answer.
    In a folder (a name that ends in / is one) the graded answers are saved as graded.jsonl, and the figures
    as accuracy.json.

    Examples:

      refract-asp bench evaluate chaining.json --samples samples.jsonl
      refract-asp bench evaluate chaining.json --samples samples.jsonl -o x.jsonl

    A line of the samples is {"id": "2/0", "sample": "return ..."}, or has "samples", a
    list. What counts of a sample ends at [END] or at the first blank line below a
    return.
    """
    inputs.only_one_stdin(file, samples)
    target, folder = to_file, None
    if to_file and to_file != "-" and (to_file.endswith(("/", os.sep)) or Path(to_file).is_dir()):
        folder = Path(to_file)
        target = str(folder / "graded.jsonl")
    options.writes_to(target)
    if folder is None or folder.exists():
        output.check_target(target)
    cases = made(_problems(file, libraries), _libraries(libraries))
    found = grade(cases, inputs.load(load_samples, samples))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    if target is not None:
        rows = (json.dumps(row) for row in found.rows())
        output.write("\n".join(rows), target, raw=True)
    if folder is not None:
        output.write(output.json_text(found.as_data()), str(folder / "accuracy.json"))
    if target != "-":
        out.tell(found.as_data, lambda color, **_: "\n".join(_told(found, color)))


def _problems(file: str, libraries: str | None) -> dict[str, dict[str, Any]]:
    inputs.only_one_stdin(file, libraries)
    found: dict[str, dict[str, Any]] = inputs.load(load_problems, file)
    return found


def _libraries(libraries: str | None) -> tuple[Library, ...] | None:
    return None if libraries is None else inputs.load(load_libraries, libraries)


def _wrapped(line: str) -> list[str]:
    """Break a line at a space, in code after a bracket or a dot, and where neither is near anywhere."""
    line = escaped(line.expandtabs(4))
    room = output.text_width()
    indent = line[: len(line) - len(line.lstrip())]
    margin = f"    {indent}"[: room // 2 - 8]  # each line is to hold something
    found: list[str] = []
    rest = margin + line.strip()
    while len(rest) > room:
        places = [match.end() for match in _BREAK.finditer(rest, room // 2, room)]
        place = places[-1] if places else room
        found.append(rest[:place].rstrip())
        rest = f"{margin}    {rest[place:].lstrip()}"
    return [*found, rest.rstrip()]


def _told(found: Evaluation, colored: bool) -> Iterator[str]:
    """Yield what is told of graded answers."""
    data = found.as_data()
    is_none = found.accuracy is None
    head = "no problem was answered" if is_none else f"accuracy {_share(data['accuracy'])}"
    yield painted(head, "bold") if colored else head
    counts = (count(data["problems"], "problem"), count(data["samples"], "sample"))
    yield f"{', '.join(counts)}, {data['passed']} passed"
    for kind, ids, words in (
        ("missing", found.missing, "without a sample"),
        ("unknown", found.unknown, "that the benchmark does not have"),
    ):
        if ids:
            names = ", ".join(escaped(shown(id, 40)) for id in ids[:3])
            more = ", ..." if len(ids) > 3 else ""
            yield f"{kind}: {count(len(ids), 'problem')} {words} ({names}{more})"
    for dial, values in found.by_dial().items():
        yield ""
        yield painted(dial, "bold") if colored else dial
        broad = max(len(_value(value)) for value, _, _ in values)
        for value, samples, accuracy in values:
            yield f"  {_value(value):<{broad}}  {_share(accuracy)}  of {samples}"
    wrong = [case for case in found.cases if case.accuracy < 1]
    if wrong:
        yield ""
        yield painted("wrong answers", "bold") if colored else "wrong answers"
    for case in wrong[:MAX_FAILED]:
        reason = next(answer.error for answer in case.answers if not answer.passed) or ""
        text = f"{_share(case.accuracy)}  {shown(case.id, 60)}: {reason}"
        width, rest = output.text_width(), " " * 10
        yield from textwrap.wrap(
            escaped(text),
            width,
            initial_indent="  ",
            subsequent_indent=rest,
            break_on_hyphens=False,
        )
    if len(wrong) > MAX_FAILED:
        yield f"  ... and {len(wrong) - MAX_FAILED} more; --format json has all"


def _share(part: float) -> str:
    return f"{100 * part:5.1f} %"


def _value(value: str) -> str:
    return escaped(shown(value, 40) if value.strip() else json.dumps(value))
