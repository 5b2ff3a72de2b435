"""`refract-asp costs`: look at cost models, find mistakes in them and in your rules, compare and fit them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Annotated, Any, TypeAlias

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.output import is_shown, progress
from refract_asp.cli.session import Rules, isolated
from refract_asp.costs import (
    Comparer,
    Comparison,
    CostModel,
    Finding,
    cost_model,
    cost_models,
    examine,
)
from refract_asp.costs.fit import Fitter
from refract_asp.errors import InputError
from refract_asp.formats.examples import count_examples, load_examples
from refract_asp.report.costs import comparison_text, fit_text
from refract_asp.report.terminal import escaped, painted

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp costs list
  refract-asp costs show maps_first
  refract-asp costs check mine.lp
  refract-asp costs check default --encoding house.lp
  refract-asp costs compare default refraction data.jsonl --catalog travel
  refract-asp costs fit data.jsonl --catalog travel -o mine.lp
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=EPILOG,
)

ModelArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="Name of a cost model, or its file.")
]


@app.command("list")
def list_models(
    encodings: options.EncodingsFolder = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    to_file: options.Output = None,
) -> None:
    """Print the cost models, each with what it is for."""
    models = cost_models(inputs.read_folder(encodings))
    if format is options.OutputFormat.JSON:
        data = [{"name": model.name, "intent": list(model.intent)} for model in models]
        output.write(output.json_text({"schema_version": 1, "models": data}), to_file)
        return
    broad = max((len(model.name) for model in models), default=0) + 2
    lines = [_hanging(model.name.ljust(broad), model.brief, broad) for model in models]
    output.write("\n".join(lines), to_file)


@app.command("show")
def show_model(
    model: ModelArgument,
    encodings: options.EncodingsFolder = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Print what a cost model is for, its levels and criteria, and what else it says.

    The constants are those that -c changes.
    """
    shown = cost_model(inputs.read_cost_model(model), inputs.read_folder(encodings))
    if format is options.OutputFormat.JSON:
        output.write(output.json_text({"schema_version": 1, **shown.as_data()}), to_file)
        return
    colored = output.use_color(color, to_file)
    output.write("\n".join(_shown(shown, colored=colored)), to_file)


def _shown(model: CostModel, *, colored: bool) -> Iterator[str]:
    def title(text: str) -> str:
        return painted(text, "bold") if colored else text

    yield title(escaped(model.name))
    for paragraph in model.intent:
        yield _hanging("  ", escaped(paragraph), 2)
    for level in model.levels:
        number = "?" if level.priority is None else str(level.priority)
        name = f"{level.constant} = {number}" if level.constant else number
        yield ""
        yield title(f"level {escaped(name)}")
        broad = max(len(criterion.kind) for criterion in level.criteria) + 2
        for criterion in level.criteria:
            weight = "?" if criterion.weight is None else str(criterion.weight)
            kind = escaped(criterion.kind).ljust(broad)
            yield f"  {kind}{weight:>6}  {escaped(criterion.weight_constant)}".rstrip()
    for name, words in (
        ("off", model.off),
        ("says", model.says),
        ("penalties of its own", model.kinds),
        ("weak constraints of its own", (str(model.weak),) if model.weak else ()),
    ):
        if words:
            yield ""
            yield _hanging(title(f"{name}: "), escaped(", ".join(words)), 2)


CHECK_EPILOG = """
Examples:

\b
  refract-asp costs check mine.lp
  refract-asp costs check default --encoding house.lp --strict

Exit codes: 0 nothing found, 1 errors (with --strict: warnings too), 2 bad usage or input.
"""


@app.command("check", short_help="Say what is wrong with a cost model.", epilog=CHECK_EPILOG)
def check_models(
    models: Annotated[
        list[str],
        typer.Argument(metavar="NAME|FILE...", help="Names of cost models, or their files."),
    ],
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    isolate: options.Isolate = False,
    time_limit: options.IsolateLimit = None,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Say what is wrong with cost models, and with rules of your own.

    Told are penalties that nothing ranks and criteria for none, unknown predicates and constants, and
    whatever `solve` would refuse.
    """
    isolated(isolate or time_limit is not None, time_limit)
    folder, extra = inputs.read_folder(encodings), inputs.read_encodings(encoding)
    found = [(name, examine(inputs.read_cost_model(name), folder, extra)) for name in models]
    colored = output.use_color(color, to_file)
    if format is options.OutputFormat.JSON:
        data = [
            {
                "model": name,
                "findings": [
                    {
                        "severity": f.severity,
                        "code": f.code,
                        "where": f.where,
                        "what": f.what,
                        "hint": f.hint,
                    }
                    for f in findings
                ],
            }
            for name, findings in found
        ]
        output.write(output.json_text({"schema_version": 1, "models": data}), to_file)
    else:
        blocks = [_told(name, findings, colored=colored) for name, findings in found]
        output.write("\n".join(blocks), to_file)
    severities = {finding.severity for _, findings in found for finding in findings}
    if "error" in severities or (strict and severities):
        raise typer.Exit(1)


def _told(name: str, findings: list[Finding], *, colored: bool) -> str:
    """Print what was found of a model, an item a line."""
    errors = sum(finding.severity == "error" for finding in findings)
    counts = [_count(errors, "error"), _count(len(findings) - errors, "warning")]
    said = ", ".join(filter(None, counts)) or "ok"
    lines = [f"{escaped(name)}: {said}"]
    for finding in findings:
        word = f"{finding.severity}: "
        if colored:
            word = painted(word, "red" if finding.severity == "error" else "yellow")
        place = f"{finding.where}: " if finding.where else ""
        text = " ".join(filter(None, (f"{place}{finding.what}", finding.hint, f"[{finding.code}]")))
        lines.append(_hanging(word, escaped(text), 4))
    return "\n".join(lines)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}" if number else ""


def _hanging(head: str, text: str, indent: int) -> str:
    """Wrap a text behind its head, further lines indented."""
    width = max(40, min(output.width(), 120))
    bare = head if not head.startswith("\x1b") else head[4:-4]  # codes take no room
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=" " * len(bare),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if not lines:
        return head
    return "\n".join([head + lines[0][len(bare) :], *lines[1:]])


COMPARE_EPILOG = """
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


@app.command("compare", epilog=COMPARE_EPILOG, short_help="Say where two cost models differ.")
@options.takes(
    "a b data catalog catalog_format no_cache constants const_a const_b mappings encoding encodings "
    "confirm undeclared max_new_calls max_tries time_limit limit keep_going show fail_on_difference "
    "format color to_file"
)
def compare(
    rules: Rules,
    a: Annotated[
        str, typer.Argument(metavar="A", help="Name of a cost model, or a file that ends in .lp.")
    ],
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
    const_a: Annotated[
        list[str] | None,
        typer.Option(
            "--const-a", metavar="NAME=VALUE", help="Set a constant for A alone; repeatable."
        ),
    ] = None,
    const_b: Annotated[
        list[str] | None,
        typer.Option(
            "--const-b", metavar="NAME=VALUE", help="Set a constant for B alone; repeatable."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", min=0.0, help="Stop each repair after this time."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Take only the first N sequences."),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Skip what cannot be read or repaired, and count it."),
    ] = False,
    show: Annotated[
        int,
        typer.Option(
            "--show", metavar="N", min=0, help="Show the diffs of the first N that differ."
        ),
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
    inputs.only_one_stdin(*data, catalog, rules.mappings)
    as_json = format is options.OutputFormat.JSON
    comparer = Comparer(
        inputs.read_cost_model(a),
        inputs.read_cost_model(b),
        None
        if catalog is None
        else inputs.read_catalog(catalog, catalog_format, no_cache=no_cache),
        constants_a=inputs.read_constants(const_a),
        constants_b=inputs.read_constants(const_b),
        keep=None if as_json else show,
        **_given(replace(rules, time_limit=time_limit)),
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
    skip = comparer.skip if keep_going else None
    examples = chain.from_iterable(
        load_examples(
            content, mistakes=skip, name="standard input" if source == inputs.STDIN else None
        )
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
    counts = [count_examples(source) for source in data]
    total = None if None in counts else sum(count or 0 for count in counts)
    return total if limit is None or total is None else min(total, limit)


FIT_EPILOG = """
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


@app.command("fit", epilog=FIT_EPILOG, short_help="Fit the weights of a cost model to examples.")
@options.takes(
    "data catalog catalog_format no_cache start to_file rounds time_limit holdout seed constants "
    "mappings encoding encodings undeclared max_new_calls max_tries keep_going show format color"
)
def fit(
    rules: Rules,
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
        typer.Option(
            "--from", metavar="NAME|FILE", help="The cost model whose weights are changed."
        ),
    ] = "default",
    to_file: Annotated[
        str | None, options.output_file("FILE", "Write the new cost model here.")
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=1, help="Try so many weights at most.")
    ] = 30,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", min=0.0, help="Try no more after this time."
        ),
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
    inputs.only_one_stdin(*data, catalog, rules.mappings)
    output.check_target(to_file)  # what would fail at the end is told first
    fitter = Fitter(
        inputs.read_cost_model(start),
        None
        if catalog is None
        else inputs.read_catalog(catalog, catalog_format, no_cache=no_cache),
        **_given(rules),
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
        colored = output.use_color(color, None)
        output.write(fit_text(found, show=show, color=colored, width=output.width(), file=to_file))
    if found.stopped == "interrupted":
        raise typer.Exit(130)
    raise typer.Exit(0 if found.is_satisfied else 1)


def _given(rules: Rules) -> dict[str, Any]:
    """Return the options of a repair by name, but for the cost model."""
    given = dict(vars(rules.read()))
    del given["cost_model"]
    return given
