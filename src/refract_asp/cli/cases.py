"""`refract-asp bench generate|mutate`: cases in which nothing is wrong, and cases broken on purpose."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp import evaluation
from refract_asp.cli import inputs, output
from refract_asp.cli.options import Options, OutputFile, SourceFormat, refuse
from refract_asp.cli.output import wrong_file
from refract_asp.errors import LONGEST_TEXT, InputError, LimitError, shown
from refract_asp.formats import load_memory
from refract_asp.report.terminal import count as counted
from refract_asp.report.terminal import escaped

if TYPE_CHECKING:
    from refract_asp.evaluation import Case

MAX_CASES = 100_000
MAX_ENTRIES = 2_500_000
"""No more tools and calls are written at once: they take 2 GB and some ten minutes."""


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
                    refuse(name, f"{shown(part)!r} is no {word}.")
        return found


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
        refuse("catalog-format", "there is no --catalog.")
    for name, value in vars(dials).items():
        if value is not None and catalog is not None and name not in ("calls", "coupling", "share"):
            refuse(name, "it says nothing beside --catalog.")
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
) -> tuple[int, Iterator[Case]]:
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

    def made(dials: Dials, seed: int) -> Case:
        if tools is None:
            return from_dials(dials, seed)
        how: Any = {"coupling": dials.coupling, "share": dials.share, "name": shipped}
        return from_catalog(tools, dials.calls, seed, **how)

    pairs = product(chosen, range(seed, seed + count))
    return len(chosen) * count, (made(*each) for each in pairs)


def _write_to(
    target: str | None, cases: Iterable[Case], title: str, total: int | None, *, force: bool
) -> None:
    """Write cases to standard output, to a file, or into a folder with a folder for the catalogs."""
    path, folder = Path(target or inputs.STDIN), ""
    if target in (None, inputs.STDIN):
        with output.progress(title, total) as done:
            for case in cases:
                output.write(evaluation.cases.case_line(case, case.catalog_name or None), raw=True)
                done()
        return
    if path.suffix == ".jsonl" and not path.is_dir():
        output.check_target(target)
    elif path.exists() and not path.is_dir():
        hint = "Name a folder, or a file that ends in .jsonl."
        raise wrong_file(target, "this is a file, not a folder.", hint)
    elif path.is_dir() and any(path.iterdir()) and not force:
        hint = "Name another one, or write into it with --force."
        raise wrong_file(target, "the folder is not empty.", hint)
    else:
        path, folder = path / "cases.jsonl", "catalogs"
    with output.progress(title, total) as done:

        def told() -> Iterator[Case]:
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


def mutate(
    out: output.Output,
    source: str,
    catalog: str | None = None,
    memory: str | None = None,
    source_format: SourceFormat = None,
    kind: str = "all",
    list_kinds: Annotated[bool, output.prints(kinds_text, "--list")] = False,
    count: Annotated[int, typer.Option(min=1, max=1000)] = 1,
    mix: Annotated[int, typer.Option(min=0, max=20)] = 0,
    seed: str = "0",
    force: bool = False,
) -> None:
    """
    Break sequences on purpose. Nothing may be wrong in them; what is expected of a repair is told or written.

    Examples:

      refract-asp bench mutate calls.txt --catalog travel
      refract-asp bench mutate calls.txt --catalog travel --kind tool_name,label
      refract-asp bench mutate cases/cases.jsonl -o broken --count 2
      refract-asp bench mutate cases/cases.jsonl --mix 3 -o broken.jsonl

    Each sequence is broken once for each kind, or --count times; with --mix N each case has N mistakes at
    places that do not touch each other. A value that is lost for good is expected to be asked for. Sequences in
    which something is wrong already are left out, and told. A FOLDER gets cases.jsonl and the catalogs, a file
    that ends in .jsonl has them in each line. The same seed always breaks in the same way.

    `--list` prints the kinds, each with what it breaks and when what is left tells how it was.

    Exit codes: 0 cases were made, 2 bad usage or input, or nothing could be broken.

    Args:
        source (SEQUENCE|CASES.jsonl): File with calls, or with cases, which end in .jsonl; - reads calls from
            standard input.
        catalog (PATH|NAME): File with the tools, or the name of a shipped catalog; cases may name their own.
        memory (FILE): JSON or YAML file with values already known.
        source_format (FORMAT): Format of SEQUENCE, when it is not to be detected.
        kind (KIND,...): Kinds of mutations [all that break].
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

    def left_out(case: Case) -> None:
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
    if out.to_file not in (None, inputs.STDIN) or out.format == "json":
        _write_to(out.to_file, cases, "breaking", None, force=force)
        return
    for case in cases:
        output.write(("" if case is first else "\n") + "\n".join(_lines(case)))


def _given(
    source: str, catalog: str | None, memory: str | None, format: str | None
) -> Iterator[Case]:
    """Yield what is to be broken as cases."""
    if source.endswith(".jsonl"):
        for name, value in (("from", format), ("memory", memory)):
            if value is not None:
                refuse(name, "a file of cases says it itself.")
        tools = None if catalog is None else inputs.read_catalog(catalog)
        yield from evaluation.read_cases(inputs.read_file(source), tools)
        return
    if catalog is None:
        refuse("catalog", "name the tools of these calls.")
    sequence, _ = inputs.read_sequence(source, format)
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
