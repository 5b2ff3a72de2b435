"""`refract-asp bench generate`: cases in which nothing is wrong, to break and to measure by."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from refract_asp import evaluation
from refract_asp.cli import inputs, options, output
from refract_asp.cli.output import progress
from refract_asp.errors import LONGEST_TEXT, InputError, LimitError, shown

if TYPE_CHECKING:
    from refract_asp.bench.generating import Dials
    from refract_asp.evaluation.cases import Case

__all__ = ["GENERATE_EPILOG", "generate", "place"]

GENERATE_EPILOG = """
Examples:

\b
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

MAX_CASES = 100_000
MAX_BYTES = 2_000_000_000
"""No more is written at once; that many tools take some ten minutes."""
TOOL_BYTES = 850
CALL_BYTES = 260
"""What a generated tool and a call of a sequence take in a file, about."""

_WHOLE = ("tools", "calls", "namespaces")
_SHARES = ("share", "reuse", "likeness", "typed", "optional", "renamed")
_OVER_CATALOG = ("calls", "coupling", "share", "count", "seed")
"""The options that say something where the catalog is given."""


def _dial(name: str, metavar: str, help: str) -> Any:
    return typer.Option(f"--{name}", metavar=metavar, help=help)


_Values: TypeAlias = str | None


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
    tools: Annotated[
        _Values, _dial("tools", "N,...", "Tools in the catalog, 1 to 10000 [20].")
    ] = None,
    calls: Annotated[
        _Values, _dial("calls", "N,...", "Calls in the sequence, 1 to 300 [5].")
    ] = None,
    coupling: Annotated[
        _Values,
        _dial(
            "coupling",
            "WORD,...",
            "How calls read from each other: independent, chain, fan-out (all from the first), fan-in (the "
            "last from all) or random [chain; with --catalog random].",
        ),
    ] = None,
    share: Annotated[
        _Values,
        _dial("share", "SHARE,...", "How many calls read from others where that is random [0.5]."),
    ] = None,
    reuse: Annotated[
        _Values,
        _dial("reuse", "SHARE,...", "How many calls use a tool that was called before [0]."),
    ] = None,
    likeness: Annotated[
        _Values,
        _dial(
            "likeness",
            "SHARE,...",
            "How many other tools are named nearly like one that is called [0.5].",
        ),
    ] = None,
    typed: Annotated[
        _Values,
        _dial(
            "typed",
            "SHARE,...",
            "How many parameters take more special values than any text [0.5].",
        ),
    ] = None,
    optional: Annotated[
        _Values,
        _dial("optional", "SHARE,...", "How many parameters with constants are optional [0.3]."),
    ] = None,
    renamed: Annotated[
        _Values,
        _dial(
            "renamed",
            "SHARE,...",
            "How many references go to a parameter not called like the field [0].",
        ),
    ] = None,
    namespaces: Annotated[
        _Values, _dial("namespaces", "N,...", "Services that the tools belong to, 0 to 20 [0].")
    ] = None,
    catalog: Annotated[
        str | None,
        typer.Option(
            "--catalog",
            metavar="PATH|NAME",
            help="Call the tools of this catalog; --calls, --coupling and --share can be set.",
        ),
    ] = None,
    catalog_format: options.CatalogFormat = None,
    problems: Annotated[
        str | None,
        typer.Option(
            "--problems",
            metavar="FILE|NAME",
            help="Make a case of each problem of a benchmark (bench problems) instead.",
        ),
    ] = None,
    libraries: Annotated[
        str | None,
        typer.Option(
            "--libraries",
            metavar="FILE",
            help="The libraries of the problems, if not the shipped ones.",
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            metavar="N",
            min=1,
            max=MAX_CASES,
            help="Cases of each combination, one a seed [1].",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="The first seed [0].")
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Write into a folder that is not empty, over what has the same name."
        ),
    ] = False,
    to_file: Annotated[
        str | None,
        options.output_file("FOLDER|FILE.jsonl", "Write here, not to standard output."),
    ] = None,
) -> None:
    """Make sequences in which nothing is wrong, each with a catalog, by dials and a seed."""
    given = {
        name: text
        for name, text in (
            ("tools", tools), ("calls", calls), ("coupling", coupling), ("share", share), ("reuse", reuse),
            ("likeness", likeness), ("typed", typed), ("optional", optional), ("renamed", renamed),
            ("namespaces", namespaces),
        )
        if text is not None
    }  # fmt: skip
    numbers = {name for name, number in (("count", count), ("seed", seed)) if number is not None}
    _alone({*given, *numbers}, catalog, problems, libraries, catalog_format)
    inputs.only_one_stdin(catalog, problems, libraries)
    if problems is not None:
        plan = _of_problems(problems, libraries)
    elif catalog is not None:
        plan = _over_catalog(catalog, catalog_format, _grid(given), count or 1, seed or 0)
    else:
        plan = _by_dials(_grid(given), count or 1, seed or 0)
    _bounded(plan, in_lines=to_file in (None, inputs.STDIN) or str(to_file).endswith(".jsonl"))
    _write(plan, to_file, force=force)


def _alone(
    given: Collection[str],
    catalog: str | None,
    problems: str | None,
    libraries: str | None,
    catalog_format: str | None,
) -> None:
    """Refuse options that say nothing beside others."""
    if problems is not None and catalog is not None:
        raise typer.BadParameter(
            "problems bring their own tools; leave out --catalog.", param_hint="'--problems'"
        )
    if libraries is not None and problems is None:
        raise typer.BadParameter("libraries are those of --problems.", param_hint="'--libraries'")
    if catalog_format is not None and catalog is None:
        raise typer.BadParameter("there is no --catalog.", param_hint="'--catalog-format'")
    known = () if problems is not None else _OVER_CATALOG if catalog is not None else given
    for name in sorted(given):
        if name not in known:
            beside = "--problems" if problems is not None else "--catalog"
            raise typer.BadParameter(f"it says nothing beside {beside}.", param_hint=f"'--{name}'")


# -- what is to be made --------------------------------------------------------


def _few_enough(count: int) -> None:
    """Refuse more cases than are made at once."""
    if count > MAX_CASES:
        raise LimitError(
            f"these would be {count:,} cases, of at most {MAX_CASES:,}.", hint="Give fewer values."
        )


def _bounded(plan: _Plan, *, in_lines: bool) -> None:
    """Refuse cases that would fill the disk: many, of large catalogs or long sequences."""
    _few_enough(plan.count)
    size = plan.size + plan.shared * (plan.count if in_lines else 1)
    if size > MAX_BYTES:
        ways = "A folder (-o) holds the catalog once. " if plan.shared and in_lines else ""
        raise LimitError(
            f"these {plan.count:,} cases would take about {size / 1e9:,.1f} GB; at most "
            f"{MAX_BYTES / 1e9:g} GB are written at once.",
            hint=f"{ways}Make fewer, or smaller ones; or several parts, each with a --seed of its own.",
        )


def _grid(given: dict[str, str]) -> dict[str, list[Any]]:
    """Read the values of each dial."""
    return {
        name: [_value(name, part.strip()) for part in text.split(",")]
        for name, text in given.items()
    }


def _value(name: str, text: str) -> Any:
    if name in _WHOLE or name in _SHARES:
        try:
            return int(text) if name in _WHOLE else float(text)
        except ValueError:
            kind = "whole number" if name in _WHOLE else "number"
            raise typer.BadParameter(
                f"{shown(text)!r} is no {kind}.", param_hint=f"'--{name}'"
            ) from None
    return text


def _by_dials(values: dict[str, list[Any]], count: int, seed: int) -> _Plan:
    from refract_asp.bench.generating import generate as generated
    from refract_asp.bench.generating import grid

    _few_enough(prod(len(set(each)) for each in values.values()) * count)
    chosen: list[Dials] = list(dict.fromkeys(grid(values)))

    def cases() -> Iterator[Case]:
        for dials, number in product(chosen, range(count)):
            yield generated(dials, seed + number)

    each = sum(dials.tools * TOOL_BYTES + dials.calls * CALL_BYTES for dials in chosen)
    return _Plan(len(chosen) * count, cases, each * count)


def _over_catalog(
    name: str, format: str | None, values: dict[str, list[Any]], count: int, seed: int
) -> _Plan:
    from refract_asp.bench.generating import Dials, from_catalog
    from refract_asp.bench.generating.dials import coupling_named
    from refract_asp.resources import catalog_names

    catalog = inputs.read_catalog(name, format)
    shipped = name if name in catalog_names() and not Path(name).exists() else ""
    lists = [
        values.get("calls", [Dials().calls]),
        [coupling_named(word) for word in values.get("coupling", ["random"])],
        values.get("share", [Dials().share]),
    ]
    _few_enough(prod(len(set(each)) for each in lists) * count)
    chosen = list(dict.fromkeys(product(*lists)))

    def cases() -> Iterator[Case]:
        for (calls, coupling, share), number in product(chosen, range(count)):
            yield from_catalog(
                catalog, calls, seed + number, coupling=coupling, share=share, name=shipped
            )

    size = sum(calls * CALL_BYTES for calls, _, _ in chosen) * count
    return _Plan(
        len(chosen) * count, cases, size, 0 if shipped else len(json.dumps(catalog.dump("native")))
    )


def _of_problems(source: str, libraries: str | None) -> _Plan:
    from refract_asp.bench.bridge import case_of
    from refract_asp.bench.problems import (
        BENCHMARKS,
        Registry,
        benchmark,
        load_libraries,
        load_problems,
        made,
    )

    registry = None if libraries is None else Registry(inputs.load(load_libraries, libraries))
    is_shipped = source in BENCHMARKS and not Path(source).exists()
    problems = made(
        benchmark(source) if is_shipped else inputs.load(load_problems, source), registry
    )
    return _Plan(len(problems), lambda: (case_of(problem, id) for id, problem in problems.items()))


# -- writing -------------------------------------------------------------------


def _write(plan: _Plan, target: str | None, *, force: bool) -> None:

    if target is None or target == inputs.STDIN:
        with progress("generating", plan.count) as done:
            for case in plan.cases():
                output.write(evaluation.case_line(case, case.catalog_name or None), raw=True)
                done()
        return
    path, folder = place(target, force=force)
    with progress("generating", plan.count) as done:
        written = evaluation.write_cases(path, _told(plan.cases(), done), folder)
    output.write(f"{written} case{'' if written == 1 else 's'}: {shown(path, LONGEST_TEXT)}")


def _told(cases: Iterator[Case], done: Callable[[], None]) -> Iterator[Case]:
    for case in cases:
        yield case
        done()


def place(target: str, *, force: bool) -> tuple[Path, str]:
    """Return the file of the cases, and the folder beside it for catalogs; the empty text for none."""
    path = Path(target)
    if path.suffix == ".jsonl" and not path.is_dir():
        output.check_target(target)
        return path, ""
    if path.exists() and not path.is_dir():
        hint = "Name a folder, or a file that ends in .jsonl."
        raise InputError(
            "this is a file, not a folder.", where=shown(target, LONGEST_TEXT), hint=hint
        )
    if path.is_dir() and any(path.iterdir()) and not force:
        hint = "Name another one, or write into it with --force."
        raise InputError("the folder is not empty.", where=shown(target, LONGEST_TEXT), hint=hint)
    return path / "cases.jsonl", "catalogs"
