"""`refract-asp bench mutate`: break sequences on purpose, each with the repair that is expected."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from refract_asp import evaluation
from refract_asp.cli import inputs, options, output
from refract_asp.cli.bench_cases import place
from refract_asp.cli.output import progress
from refract_asp.errors import LONGEST_TEXT, InputError, shown

if TYPE_CHECKING:
    from refract_asp.model import Sequence

__all__ = ["MUTATE_EPILOG", "mutate"]

MUTATE_EPILOG = """
Examples:

\b
  refract-asp bench mutate calls.txt --catalog travel
  refract-asp bench mutate calls.txt --catalog travel --kind tool_name,label --count 3
  refract-asp bench mutate cases/cases.jsonl -o broken --count 2
  refract-asp bench mutate cases/cases.jsonl --mix 3 -o broken.jsonl

Each sequence is broken once for each kind, or --count times; with --mix N each case has N mistakes at
places that do not touch each other. A value that is lost for good is expected to be asked for. Sequences in
which something is wrong already are left out, and told. A FOLDER gets cases.jsonl and the catalogs, a file
that ends in .jsonl has them in each line. The same seed always breaks in the same way.

`--list` prints the kinds, each with what it breaks and when what is left tells how it was.

Exit codes: 0 cases were made, 2 bad usage or input, or nothing could be broken.
"""

ALL = "all"
MAX_COUNT = 1_000


def _list(wanted: bool) -> None:
    """Print the kinds, and stop."""
    if not wanted:
        return
    from refract_asp.bench.mutations import KINDS

    lines = []
    for kind in KINDS.values():
        lines += [f"{kind.name} ({kind.family})", f"  {kind.about}", f"  informed: {kind.informed}"]
    width = max(40, min(output.width(), 120))
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        output.write(
            textwrap.fill(line, width, subsequent_indent=f"{indent}  ", break_long_words=False)
        )
    raise typer.Exit


def mutate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SEQUENCE|CASES.jsonl",
            help="File with calls, or with cases, which end in .jsonl; - reads calls from standard input.",
        ),
    ],
    catalog: Annotated[
        str | None,
        typer.Option(
            "--catalog",
            metavar="PATH|NAME",
            help="File with the tools, or the name of a shipped catalog; cases may name their own.",
        ),
    ] = None,
    memory: options.MemoryFile = None,
    source_format: options.From = None,
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND,...", help="Kinds of mutations [all that break].")
    ] = ALL,
    list_kinds: Annotated[
        bool,
        typer.Option("--list", callback=_list, is_eager=True, help="Print the kinds and exit."),
    ] = False,
    count: Annotated[
        int,
        typer.Option(
            "--count", metavar="N", min=1, max=MAX_COUNT, help="Cases of each kind, or mixes."
        ),
    ] = 1,
    mix: Annotated[
        int,
        typer.Option(
            "--mix", metavar="N", min=0, max=20, help="Mistakes in each case; 0 for one kind."
        ),
    ] = 0,
    seed: Annotated[
        str, typer.Option("--seed", metavar="SEED", help="Chooses what is broken.")
    ] = "0",
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Write into a folder that is not empty, over what has the same name."
        ),
    ] = False,
    to_file: Annotated[
        str | None,
        options.output_file("FOLDER|FILE.jsonl", "Write the cases there."),
    ] = None,
) -> None:
    """Break sequences in which nothing is wrong, and tell or write what is expected of a repair."""
    del list_kinds
    inputs.only_one_stdin(source, catalog, memory)
    from refract_asp.bench.bridge import break_cases
    from refract_asp.bench.mutations import KINDS

    breaking = [each.name for each in KINDS.values() if each.family != "harmless"]
    kinds = breaking if kind == ALL else [part.strip() for part in kind.split(",")]
    given = _given(source, catalog, memory, source_format)
    broken = break_cases(given, kinds, count=count, mix=mix, seed=seed, left_out=_left_out)
    if to_file not in (None, inputs.STDIN):
        _write(broken, str(to_file), force=force)
        return
    made = 0
    colored = output.use_color(color, None)
    for case in broken:
        _print(
            case, as_json=format is options.OutputFormat.JSON, colored=colored, is_first=not made
        )
        made += 1
    _require(made)


def _given(
    source: str, catalog: str | None, memory: str | None, format: str | None
) -> Iterator[evaluation.Case]:
    """Yield what is to be broken as cases."""
    from refract_asp.resources import catalog_names

    if source.endswith(".jsonl"):
        for name, value in (("--from", format), ("--memory", memory)):
            if value is not None:
                raise typer.BadParameter("a file of cases says it itself.", param_hint=f"'{name}'")
        tools = None if catalog is None else inputs.read_catalog(catalog)
        yield from evaluation.read_cases(inputs.read_file(source), tools)
        return
    if catalog is None:
        raise typer.BadParameter("name the tools of these calls.", param_hint="'--catalog'")
    sequence, _ = inputs.read_sequence(source, format)
    named = catalog if catalog in catalog_names() and not Path(catalog).exists() else ""
    yield evaluation.Case(
        id="stdin" if source == inputs.STDIN else Path(source).stem,
        sequence=sequence,
        catalog=inputs.read_catalog(catalog),
        expected=sequence,
        memory=inputs.read_memory(memory),
        catalog_name=named,
    )


def _left_out(case: evaluation.Case) -> None:
    said = "something is wrong with it already, see `refract-asp check`."
    output.complain("left out", f"{shown(case.id)}: {said}")


def _require(made: int) -> None:
    if not made:
        raise InputError(
            "nothing could be broken.",
            hint="`refract-asp bench mutate --list` says what each kind breaks.",
        )


# -- writing -------------------------------------------------------------------


def _write(broken: Iterator[evaluation.Case], target: str, *, force: bool) -> None:

    first = next(broken, None)
    _require(first is not None)
    path, folder = place(target, force=force)
    with progress("breaking", None) as done:

        def all_of() -> Iterator[evaluation.Case]:
            if first is not None:
                yield first
            for case in broken:
                done()
                yield case

        written = evaluation.write_cases(path, all_of(), folder)
    output.write(f"{written} case{'' if written == 1 else 's'}: {shown(path, LONGEST_TEXT)}")


def _print(case: evaluation.Case, *, as_json: bool, colored: bool, is_first: bool) -> None:
    if as_json:
        output.write(evaluation.case_line(case, case.catalog_name or None), raw=True)
        return
    from refract_asp.report.terminal import escaped, painted

    title = f"{case.id}" + ("" if case.informed else "  (what is left does not tell how it was)")
    lines = [painted(escaped(title), "bold") if colored else escaped(title)]
    lines += [f"  {escaped(each.what)}" for each in case.mutations]
    for sign, line in _lines(case.expected, case.sequence):
        text = f"  {sign} {escaped(line)}"
        lines.append(painted(text, "red" if sign == "broken:  " else "green") if colored else text)
    output.write("\n".join(lines) if is_first else "\n" + "\n".join(lines))


def _lines(expected: Sequence, broken: Sequence) -> Iterator[tuple[str, str]]:
    """Yield the lines in which the two differ, each with what it is."""
    signs = {"- ": "expected:", "+ ": "broken:  "}
    found = difflib.ndiff(expected.dump("pretty"), broken.dump("pretty"))
    changed = [(signs[line[:2]], line[2:]) for line in found if line[:2] in signs]
    yield from sorted(changed, key=lambda each: each[0] == "expected:")
