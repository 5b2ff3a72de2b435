"""`refract-asp costs fit`: find weights under which the wanted repairs of a data set are the cheapest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.progress import progress

__all__ = ["EPILOG", "fit"]

EPILOG = """
Examples:

\b
  refract-asp costs fit data.jsonl --catalog travel -o mine.lp
  refract-asp costs fit data.jsonl --catalog travel --from my.lp --holdout 0.2
  refract-asp costs fit a.jsonl b.jsonl --catalog tools.yaml --format json

A line of the data is {"sequence": ..., "expected": ..., "id": ...}; expected is the wanted repair.
Use the model with --cost-model mine.lp. Needs scipy: pip install 'refract-asp[fit]'.

Exit codes: 0 every wanted repair is found, 1 some are not, 2 bad usage or input, 130 interrupted
(the best weights so far are written).
"""


def fit(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Files with sequences and wanted repairs, as JSON lines or JSON; - reads standard input.",
        ),
    ],
    catalog: options.CatalogOfOthers = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    start: Annotated[
        str,
        typer.Option("--from", metavar="NAME|FILE", help="The cost model whose weights are changed."),
    ] = "default",
    to_file: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the new cost model here.")
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=1, help="Try so many weights at most.")
    ] = 30,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="Try no more after this time."),
    ] = None,
    holdout: Annotated[
        float,
        typer.Option(
            "--holdout",
            metavar="SHARE",
            min=0.0,
            help="Do not fit to this share of the examples, as 0.2, but count them before and after.",
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which ones these are.")] = 0,
    constants: options.Constants = None,
    mappings: options.MappingsFile = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    max_new_calls: options.MaxNewCalls = 2,
    max_tries: options.MaxTries = 3,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Skip what cannot be read or repaired, and count it."),
    ] = False,
    show: Annotated[
        int, typer.Option("--show", metavar="N", min=0, help="Name the first N examples of a kind.")
    ] = 10,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
) -> None:
    """
    Find weights under which the wanted repairs are the cheapest ones.

    They are as near to those of a model as can be, and are written as a model file of your own. Printed
    are the weights that changed, how many wanted repairs are found before and after, and the examples
    that no weights can satisfy.
    """
    inputs.only_one_stdin(*data, catalog, mappings)
    if to_file is not None and to_file != "-":  # what would fail at the end is told first
        inputs.read_folder(str(Path(to_file).parent))
        inputs.not_onto_input(to_file, *data, start, catalog, mappings, *(encoding or ()))
    from refract_asp.costs.fit import Fitter
    from refract_asp.errors import InputError
    from refract_asp.formats.examples import load_examples

    fitter = Fitter(
        inputs.read_cost_model(start),
        None if catalog is None else inputs.read_catalog(catalog, catalog_format, no_cache=no_cache),
        constants=inputs.read_constants(constants),
        mappings=inputs.read_mappings(mappings),
        encodings=inputs.read_encodings(encoding),
        encodings_dir=inputs.read_folder(encodings),
        undeclared=undeclared.value,
        max_new_calls=max_new_calls,
        max_tries=max_tries,
        time_limit=options.in_seconds(None),
    )
    contents = [(source, inputs.read_data(source)) for source in data]
    count = 0  # of entries, those that cannot be read among them

    def skip(mistake: InputError) -> None:
        nonlocal count
        count += 1
        fitter.skip(mistake)

    for source, content in contents:
        name = "standard input" if source == inputs.STDIN else None
        for example in load_examples(content, mistakes=skip if keep_going else None, name=name):
            count += 1
            try:
                fitter.add(example)
            except InputError as error:
                if not keep_going:
                    raise
                fitter.skip(error)
    if not count:
        raise inputs.no_example(data)
    found = fitter.fit(
        holdout=holdout,
        seed=seed,
        rounds=rounds,
        time_limit=time_limit,
        keep_going=keep_going,
        watch=progress,
    )
    for mistake in found.mistakes:
        output.complain("skipped", mistake)
    if to_file is not None and to_file != "-":
        output.write(found.model, to_file)
    if to_file == "-":
        output.write(found.model, raw=True)
    elif format is options.OutputFormat.JSON:
        output.write(output.json_text(found.model_dump(mode="json")))
    else:
        from refract_asp.report.fitting import fit_text

        colored = output.use_color(color, None)
        output.write(fit_text(found, show=show, color=colored, width=output.width(), file=to_file))
    if found.stopped == "interrupted":
        raise typer.Exit(130)
    raise typer.Exit(0 if found.is_satisfied else 1)
