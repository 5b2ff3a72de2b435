"""`refract-asp costs compare`: run two cost models over many sequences, and say where they differ."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.progress import is_shown, progress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from refract_asp.costs import Comparer, Comparison

__all__ = ["EPILOG", "compare"]

EPILOG = """
Examples:

\b
  refract-asp costs compare default refraction data.jsonl --catalog travel
  refract-asp costs compare default mine.lp a.txt b.txt --catalog tools.yaml
  refract-asp costs compare default default data.jsonl --const-b weight_ask=5
  refract-asp costs compare default mine.lp - --format json < data.jsonl

A line of the data is {"sequence": ..., "expected": ..., "id": ...}; expected is the wanted repair,
and may be absent.

Exit codes: 0, 1 they differ (with --fail-on-difference), 2 bad usage or input, 130 interrupted
(what was found so far is printed).
"""


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="Name of a cost model, or a file that ends in .lp.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Files with sequences and wanted repairs, as JSON lines, JSON, or one sequence a file; "
            "- reads standard input.",
        ),
    ],
    catalog: options.CatalogOfOthers = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    constants: options.Constants = None,
    const_a: Annotated[
        list[str] | None,
        typer.Option("--const-a", metavar="NAME=VALUE", help="Set a constant for A alone; repeatable."),
    ] = None,
    const_b: Annotated[
        list[str] | None,
        typer.Option("--const-b", metavar="NAME=VALUE", help="Set a constant for B alone; repeatable."),
    ] = None,
    mappings: options.MappingsFile = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    confirm: options.ConfirmChoice = None,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    max_new_calls: options.MaxNewCalls = 2,
    max_tries: options.MaxTries = 3,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="Stop each repair after this time."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Take only the first N sequences.")
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Skip what cannot be read or repaired, and count it."),
    ] = False,
    show: Annotated[
        int, typer.Option("--show", metavar="N", min=0, help="Show the diffs of the first N that differ.")
    ] = 5,
    fail_on_difference: Annotated[
        bool, typer.Option("--fail-on-difference", help="Exit with 1 when any answer differs.")
    ] = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Say where two cost models differ on many sequences.

    Every sequence is repaired with both. Printed are the edits by kind, the verdicts that changed,
    which model is closer to the wanted repairs, and the diffs where the answers differ.
    """
    inputs.only_one_stdin(*data, catalog, mappings)
    from refract_asp.costs import Comparer

    as_json = format is options.OutputFormat.JSON
    comparer = Comparer(
        inputs.read_cost_model(a),
        inputs.read_cost_model(b),
        None if catalog is None else inputs.read_catalog(catalog, catalog_format, no_cache=no_cache),
        constants=inputs.read_constants(constants),
        constants_a=inputs.read_constants(const_a),
        constants_b=inputs.read_constants(const_b),
        mappings=inputs.read_mappings(mappings),
        keep=None if as_json else show,
        time_limit=options.in_seconds(time_limit),
        encodings=inputs.read_encodings(encoding),
        encodings_dir=inputs.read_folder(encodings),
        confirm=None if confirm is None else confirm.value,
        undeclared=undeclared.value,
        max_new_calls=max_new_calls,
        max_tries=max_tries,
    )
    comparison = _compared(
        comparer, [(source, inputs.read_data(source)) for source in data], limit, keep_going
    )
    if not (comparison.examples or comparison.skipped or comparison.interrupted):
        raise inputs.no_example(data)
    for mistake in comparison.mistakes:
        output.complain("skipped", mistake)
    if as_json:
        output.write(output.json_text(comparison.model_dump(mode="json")), to_file)
    else:
        from refract_asp.report.comparison import comparison_text

        colored = output.use_color(color, to_file)
        text = comparison_text(comparison, show=show, color=colored, width=output.width())
        output.write(text, to_file)
    if comparison.interrupted:
        raise typer.Exit(130)
    raise typer.Exit(1 if fail_on_difference and comparison.differing else 0)


def _compared(
    comparer: Comparer, data: list[tuple[str, Any]], limit: int | None, keep_going: bool
) -> Comparison:
    """Compare the models on the data; an interrupt ends that early."""
    from refract_asp.errors import InputError
    from refract_asp.formats.examples import load_examples

    skip = comparer.skip if keep_going else None
    examples = chain.from_iterable(
        load_examples(content, mistakes=skip, name="standard input" if source == inputs.STDIN else None)
        for source, content in data
    )
    try:
        with progress("comparing", _total([content for _, content in data], limit)) as done:
            for example in islice(examples, limit):
                try:
                    comparer.add(example)
                except InputError as error:
                    if not keep_going:
                        raise
                    comparer.skip(error)
                done()
    except KeyboardInterrupt:
        return comparer.comparison(interrupted=True)
    return comparer.comparison()


def _total(data: Iterable[Any], limit: int | None) -> int | None:
    """Return how many sequences there are, where somebody sees it and it can be known."""
    if not is_shown():
        return None
    from refract_asp.formats.examples import count_examples

    counts = [count_examples(source) for source in data]
    total = None if None in counts else sum(count or 0 for count in counts)
    return total if limit is None or total is None else min(total, limit)
