"""`refract-asp bench generate|mutate`: cases in which nothing is wrong, and cases broken on purpose."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from refract_asp import evaluation
from refract_asp.cli import inputs, options, output
from refract_asp.cli.options import argument, output_file, refuse
from refract_asp.cli.output import progress
from refract_asp.errors import LONGEST_TEXT, InputError, LimitError, shown
from refract_asp.report.terminal import count as counted
from refract_asp.report.terminal import escaped, folded, painted
from refract_asp.settings import option

if TYPE_CHECKING:
    from refract_asp.evaluation import Case

MAX_CASES = 100_000
MAX_BYTES = 2_000_000_000
"""No more is written at once; that many tools take some ten minutes."""
TOOL_BYTES = 850
CALL_BYTES = 260
"""What a generated tool and a call of a sequence take in a file, about."""

_Values: TypeAlias = str | None
FORCE = option(False, "Write into a folder that is not empty, over what has the same name.")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The values of each dial, as a text with commas."""

    tools: _Values = option(None, "Tools in the catalog, 1 to 10000 [20].", "N,...")
    calls: _Values = option(None, "Calls in the sequence, 1 to 300 [5].", "N,...")
    coupling: _Values = option(
        None,
        "How calls read from each other: independent, chain, fan-out (all from the first), fan-in (the "
        "last from all) or random [chain; with --catalog random].",
        "WORD,...",
    )
    share: _Values = option(
        None, "How many calls read from others where that is random [0.5].", "SHARE,..."
    )
    reuse: _Values = option(
        None, "How many calls use a tool that was called before [0].", "SHARE,..."
    )
    likeness: _Values = option(
        None, "How many other tools are named nearly like one that is called [0.5].", "SHARE,..."
    )

    def values(self) -> dict[str, list[Any]]:
        """Read the values of each dial that is given."""
        found: dict[str, list[Any]] = {}
        for each in fields(self):
            text, metavar = getattr(self, each.name), each.metadata["metavar"]
            kind = {"N,...": int, "SHARE,...": float}.get(metavar, str)
            for part in () if text is None else map(str.strip, text.split(",")):
                try:
                    found.setdefault(each.name, []).append(kind(part))
                except ValueError:
                    name = "whole number" if kind is int else "number"
                    refuse(each.name, f"{shown(part)!r} is no {name}.")
        return found


@dataclass(frozen=True)
class _Plan:
    """
    The cases that are to be made.

    Attributes:
        count: how many there are.
        cases: makes them, one after the other.
        size: how many bytes they take, about.
        shared: how many the catalog takes that all share; it is written once beside them, or into each line.
    """

    count: int
    cases: Callable[[], Iterator[Case]]
    size: int = 0
    shared: int = 0


def generate(
    dials: Grid,
    catalog: str | None = option(
        None,
        "Call the tools of this catalog; --calls, --coupling and --share can be set.",
        "PATH|NAME",
    ),
    catalog_format: str | None = options.CATALOG_FORMAT,
    problems: str | None = option(
        None, "Make a case of each problem of a benchmark (bench problems) instead.", "FILE|NAME"
    ),
    libraries: str | None = option(
        None, "The libraries of the problems, if not the shipped ones.", "FILE"
    ),
    count: int | None = option(
        None, "Cases of each combination, one a seed [1].", "N", min=1, max=MAX_CASES
    ),
    seed: int | None = option(None, "The first seed [0].", "N"),
    force: bool = FORCE,
    to_file: str | None = output_file("FOLDER|FILE.jsonl", "Write here, not to standard output."),
) -> None:
    """
    Make sequences in which nothing is wrong, each with a catalog, by dials and a seed.

    Examples:

      refract-asp bench generate -o cases --count 20
      refract-asp bench generate -o cases --tools 10,100,1000 --likeness 0,0.5,1
      refract-asp bench generate -o long.jsonl --calls 50 --tools 60
      refract-asp bench generate --catalog travel --calls 6 --count 5
      refract-asp bench generate --problems chaining.json -o chaining

    A FOLDER gets cases.jsonl and a folder with the catalogs. A file that ends in .jsonl, and standard output,
    hold the catalogs in each line. Several values of a dial, separated by commas, make all combinations. Shares
    are numbers from 0 to 1. The same dials and seed always give the same cases.

    Exit codes: 0 the cases are written, 2 bad usage or input.
    """
    given = {**vars(dials), "count": count, "seed": seed}
    alone = sorted(name for name, value in given.items() if value is not None)
    if problems is not None and catalog is not None:
        refuse("problems", "problems bring their own tools; leave out --catalog.")
    if libraries is not None and problems is None:
        refuse("libraries", "libraries are those of --problems.")
    if catalog_format is not None and catalog is None:
        refuse("catalog-format", "there is no --catalog.")
    inputs.only_one_stdin(catalog, problems, libraries)
    if problems is not None:
        for name in alone:
            refuse(name, "it says nothing beside --problems.")
        plan = _of_problems(problems, libraries)
    elif catalog is not None:
        for name in alone:
            if name not in ("calls", "coupling", "share", "count", "seed"):
                refuse(name, "it says nothing beside --catalog.")
        plan = _over_catalog(catalog, catalog_format, dials.values(), count or 1, seed or 0)
    else:
        plan = _by_dials(dials.values(), count or 1, seed or 0)
    _write(plan, to_file, force=force)


def _write(plan: _Plan, to_file: str | None, *, force: bool) -> None:
    """Write cases, unless they would fill the disk."""
    _few_enough(plan.count)
    in_lines = to_file in (None, inputs.STDIN) or str(to_file).endswith(".jsonl")
    size = plan.size + plan.shared * (plan.count if in_lines else 1)
    if size > MAX_BYTES:
        ways = "A folder (-o) holds the catalog once. " if plan.shared and in_lines else ""
        raise LimitError(
            f"these {plan.count:,} cases would take about {size / 1e9:,.1f} GB; at most "
            f"{MAX_BYTES / 1e9:g} GB are written at once.",
            hint=f"{ways}Make fewer, or smaller ones; or several parts, each with a --seed of its own.",
        )
    if to_file in (None, inputs.STDIN):
        with progress("generating", plan.count) as done:
            for case in plan.cases():
                output.write(evaluation.case_line(case, case.catalog_name or None), raw=True)
                done()
    else:
        _write_to(str(to_file), plan.cases(), "generating", plan.count, force=force)


def _few_enough(count: int) -> None:
    """Refuse more cases than are made at once."""
    if count > MAX_CASES:
        raise LimitError(
            f"these would be {count:,} cases, of at most {MAX_CASES:,}.", hint="Give fewer values."
        )


def _by_dials(values: dict[str, list[Any]], count: int, seed: int) -> _Plan:
    from refract_asp.bench import generating

    _few_enough(prod(len(set(each)) for each in values.values()) * count)
    chosen = list(dict.fromkeys(generating.grid(values)))
    size = sum(dials.tools * TOOL_BYTES + dials.calls * CALL_BYTES for dials in chosen) * count
    pairs = product(chosen, range(count))
    return _Plan(
        len(chosen) * count,
        lambda: (generating.generate(dials, seed + number) for dials, number in pairs),
        size,
    )


def _over_catalog(
    name: str, format: str | None, values: dict[str, list[Any]], count: int, seed: int
) -> _Plan:
    from refract_asp.bench.generating import Dials, from_catalog, grid

    catalog = inputs.read_catalog(name, format)
    shipped = name if inputs.is_shipped(name) else ""
    _few_enough(prod(len(set(each)) for each in values.values()) * count)
    chosen = list(dict.fromkeys(grid(values, Dials(tools=10_000, coupling="random"))))

    def cases() -> Iterator[Case]:
        for dials, number in product(chosen, range(count)):
            how: dict[str, Any] = {
                "coupling": dials.coupling,
                "share": dials.share,
                "name": shipped,
            }
            yield from_catalog(catalog, dials.calls, seed + number, **how)

    size = sum(dials.calls for dials in chosen) * CALL_BYTES * count
    shared = 0 if shipped else len(json.dumps(catalog.dump("native")))
    return _Plan(len(chosen) * count, cases, size, shared)


def _of_problems(source: str, libraries: str | None) -> _Plan:
    from refract_asp.bench import problems as bench
    from refract_asp.bench.bridge import case_of

    registry = None
    if libraries is not None:
        registry = inputs.load(bench.load_libraries, libraries)
    is_shipped = source in bench.BENCHMARKS and not Path(source).exists()
    loaded = bench.benchmark(source) if is_shipped else inputs.load(bench.load_problems, source)
    problems = bench.made(loaded, registry)
    return _Plan(len(problems), lambda: (case_of(problem, id) for id, problem in problems.items()))


def _write_to(
    target: str, cases: Iterable[Case], title: str, total: int | None, *, force: bool
) -> None:
    """Write cases to a file, or into a folder with a folder for the catalogs."""
    path, folder = Path(target), ""
    where = shown(target, LONGEST_TEXT)
    if path.suffix == ".jsonl" and not path.is_dir():
        output.check_target(target)
    elif path.exists() and not path.is_dir():
        hint = "Name a folder, or a file that ends in .jsonl."
        raise InputError("this is a file, not a folder.", where=where, hint=hint)
    elif path.is_dir() and any(path.iterdir()) and not force:
        hint = "Name another one, or write into it with --force."
        raise InputError("the folder is not empty.", where=where, hint=hint)
    else:
        path, folder = path / "cases.jsonl", "catalogs"
    with progress(title, total) as done:

        def told() -> Iterator[Case]:
            for case in cases:
                yield case
                done()

        written = evaluation.write_cases(path, told(), folder)
    output.write(f"{counted(written, 'case')}: {shown(path, LONGEST_TEXT)}")


# -- broken on purpose -----------------------------------------------------------


def _list(wanted: bool) -> None:
    """Print the kinds, and stop."""
    if not wanted:
        return
    from refract_asp.bench.mutations import KINDS

    width = output.text_width()
    for kind in KINDS.values():
        output.write(folded(f"{kind.name} ({kind.family})", width, "", "  "))
        output.write(folded(kind.about, width, "  ", "    "))
        output.write(folded(f"informed: {kind.informed}", width, "  ", "    "))
    raise typer.Exit


def mutate(
    source: str = argument(
        "SEQUENCE|CASES.jsonl",
        "File with calls, or with cases, which end in .jsonl; - reads calls from standard input.",
    ),
    catalog: str | None = option(
        None,
        "File with the tools, or the name of a shipped catalog; cases may name their own.",
        "PATH|NAME",
    ),
    memory: str | None = options.MEMORY,
    source_format: str | None = options.FROM,
    kind: str = option("all", "Kinds of mutations [all that break].", "KIND,..."),
    list_kinds: bool = option(
        False, "Print the kinds and exit.", None, "--list", callback=_list, is_eager=True
    ),
    count: int = option(1, "Cases of each kind, or mixes.", "N", min=1, max=1000),
    mix: int = option(0, "Mistakes in each case; 0 for one kind.", "N", min=0, max=20),
    seed: str = option("0", "Chooses what is broken.", "SEED"),
    format: options.Format = options.FORMAT,
    color: options.Color = options.COLOR,
    force: bool = FORCE,
    to_file: str | None = output_file("FOLDER|FILE.jsonl", "Write the cases there."),
) -> None:
    """
    Break sequences in which nothing is wrong, and tell or write what is expected of a repair.

    Examples:

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
    if to_file not in (None, inputs.STDIN):
        _write_to(str(to_file), cases, "breaking", None, force=force)
        return
    colored = output.use_color(color, None)
    for case in cases:
        if format == "json":
            output.write(evaluation.case_line(case, case.catalog_name or None), raw=True)
        else:
            output.write(("" if case is first else "\n") + "\n".join(_lines(case, colored)))


def _given(
    source: str, catalog: str | None, memory: str | None, format: str | None
) -> Iterator[Case]:
    """Yield what is to be broken as cases."""
    if source.endswith(".jsonl"):
        for name, value in (("from", format), ("memory", memory)):
            if value is not None:
                refuse(name, "a file of cases says it itself.")
        tools = inputs.read_catalog_if_any(catalog)
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
        memory=inputs.read_memory(memory),
        catalog_name=catalog if inputs.is_shipped(catalog) else "",
    )


def _lines(case: Any, colored: bool) -> Iterator[str]:
    """Yield what a case is, how it was broken, and the lines in which it differs from what is expected."""
    title = escaped(
        case.id + ("" if case.informed else "  (what is left does not tell how it was)")
    )
    yield painted(title, "bold") if colored else title
    for each in case.mutations:
        yield f"  {escaped(each.what)}"
    found = list(difflib.ndiff(case.expected.dump("pretty"), case.sequence.dump("pretty")))
    for sign, name, style in (("+ ", "broken:  ", "red"), ("- ", "expected:", "green")):
        for line in found:
            if line.startswith(sign):
                text = f"  {name} {escaped(line[2:])}"
                yield painted(text, style) if colored else text  # type: ignore[arg-type]
