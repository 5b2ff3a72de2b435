"""
`refract-asp costs`: look at cost models, find mistakes in them and in your rules, compare and fit them.

Examples:

  refract-asp costs list
  refract-asp costs show maps_first
  refract-asp costs check mine.lp
  refract-asp costs check default --encoding house.lp
  refract-asp costs compare default refraction data.jsonl --catalog travel
  refract-asp costs fit data.jsonl --catalog travel -o mine.lp
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain, islice
from typing import Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.options import NO_CACHE, Group, argument
from refract_asp.cli.output import progress
from refract_asp.cli.session import Rules, isolated
from refract_asp.costs import Comparer, CostModel, Finding, cost_model, cost_models, examine
from refract_asp.costs.fit import Fitter
from refract_asp.errors import InputError
from refract_asp.formats.examples import load_examples
from refract_asp.report.costs import comparison_text, fit_text
from refract_asp.report.terminal import Style, count, escaped, folded, painted
from refract_asp.settings import option

app = Group(__doc__)
KEEP_GOING = option(False, "Skip what cannot be read or repaired, and count it.")
LINE = '{"sequence": ..., "expected": ...}'


@app.adds("list", order="encodings_dir format to_file")
def list_models(rules: Rules, out: output.Output) -> None:
    """Print the cost models, each with what it is for."""
    models = cost_models(rules.read()["encodings_dir"])
    broad = max((len(model.name) for model in models), default=0) + 2
    data = [{"name": model.name, "intent": list(model.intent)} for model in models]
    lines = [_hanging(model.name.ljust(broad), model.brief, broad) for model in models]
    out.tell(lambda: {"schema_version": 1, "models": data}, lambda **_: "\n".join(lines))


def _hanging(head: str, text: str, indent: int, *styles: Style) -> str:
    """Wrap a text behind its head, which may be coloured, further lines indented."""
    lines = folded(text, output.text_width(), head, " " * indent)
    return painted(head, *styles) + lines[len(head) :] if styles else lines or head


@app.adds("show", order="model encodings_dir format color to_file")
def show_model(
    rules: Rules,
    out: output.Output,
    model: str = argument("NAME|FILE", "Name of a cost model, or its file."),
) -> None:
    """
    Print what a cost model is for, its levels and criteria, and what else it says.

    The constants are those that -c changes.
    """
    shown = cost_model(inputs.read_cost_model(model), rules.read()["encodings_dir"])
    out.tell(
        lambda: {"schema_version": 1, **shown.as_data()},
        lambda color, **_: "\n".join(_shown(shown, ("bold",) if color else ())),
    )


def _shown(model: CostModel, bold: tuple[Style, ...]) -> Iterator[str]:
    yield painted(escaped(model.name), *bold)
    for paragraph in model.intent:
        yield _hanging("  ", paragraph, 2)
    for level in model.levels:
        number = "?" if level.priority is None else str(level.priority)
        name = f"{level.constant} = {number}" if level.constant else number
        yield ""
        yield painted(f"level {escaped(name)}", *bold)
        broad = max(len(criterion.kind) for criterion in level.criteria) + 2
        for criterion in level.criteria:
            weight = "?" if criterion.weight is None else str(criterion.weight)
            kind = escaped(criterion.kind).ljust(broad)
            yield f"  {kind}{weight:>6}  {escaped(criterion.weight_constant)}".rstrip()
    for name, words in (
        ("off", model.off),
        ("says", model.says),
    ):
        if words:
            yield ""
            yield _hanging(f"{name}: ", ", ".join(words), 2, *bold)


@app.adds(
    "check",
    "Say what is wrong with a cost model.",
    "models encodings encodings_dir strict isolate time_limit format color to_file",
)
def check_models(
    rules: Rules,
    out: output.Output,
    models: list[str] = argument("NAME|FILE...", "Names of cost models, or their files."),
    strict: bool = option(False, "Warnings count as errors."),
    isolate: bool = options.ISOLATE,
    time_limit: float | None = options.ISOLATE_LIMIT,
) -> None:
    """
    Say what is wrong with cost models, and with rules of your own.

    Told are penalties that nothing ranks and criteria for none, unknown predicates and constants, and
    whatever `solve` would refuse.

    Examples:

      refract-asp costs check mine.lp
      refract-asp costs check default --encoding house.lp --strict

    Exit codes: 0 nothing found, 1 errors (with --strict: warnings too), 2 bad usage or input.
    """
    isolated(isolate or time_limit is not None, time_limit)
    read = rules.read()
    files = (read["encodings_dir"], read["encodings"])
    found = [(name, examine(inputs.read_cost_model(name), *files)) for name in models]
    out.tell(
        lambda: {
            "schema_version": 1,
            "models": [
                {"model": name, "findings": [asdict(each) for each in findings]}
                for name, findings in found
            ],
        },
        lambda color, **_: "\n".join(line for each in found for line in _told(*each, color)),
    )
    severities = {finding.severity for _, findings in found for finding in findings}
    if "error" in severities or (strict and severities):
        raise typer.Exit(1)


def _told(name: str, findings: list[Finding], colored: bool) -> Iterator[str]:
    """Yield what was found of a model, an item a line."""
    severities = [finding.severity for finding in findings]
    kinds = {kind: severities.count(kind) for kind in ("error", "warning")}
    counts = [count(number, kind) for kind, number in kinds.items() if number]
    yield f"{escaped(name)}: {', '.join(counts) or 'ok'}"
    for each in findings:
        place = f"{each.where}: " if each.where else ""
        text = " ".join(filter(None, (f"{place}{each.what}", each.hint, f"[{each.code}]")))
        style: Style = "red" if each.severity == "error" else "yellow"
        yield _hanging(f"{each.severity}: ", text, 4, *((style,) if colored else ()))


# -- on data ---------------------------------------------------------------------


def _examples(contents: list[tuple[str, Any]], skip: Any) -> Iterator[Any]:
    """Yield the examples of data sets; `skip` is told of those that cannot be read, if any is."""
    return chain.from_iterable(
        load_examples(
            content, mistakes=skip, name="standard input" if source == inputs.STDIN else None
        )
        for source, content in contents
    )


def _given(rules: Rules) -> dict[str, Any]:
    """Return the options of a repair by name, but for the cost model."""
    given = dict(vars(rules.options()))
    del given["cost_model"]
    return given


@app.adds(
    "compare",
    "Say where two cost models differ.",
    "a b data catalog catalog_format no_cache constants const_a const_b mappings encodings encodings_dir "
    "confirm undeclared max_new_calls max_tries time_limit limit keep_going show fail_on_difference "
    "format color to_file",
)
def compare(
    rules: Rules,
    out: output.Output,
    a: str = argument("A", "Name of a cost model, or a file that ends in .lp."),
    b: str = argument("B", "Another one."),
    data: list[str] = argument(
        "DATA...",
        "Files with sequences and wanted repairs, as JSON lines, JSON, or one sequence a file; "
        "- reads standard input.",
    ),
    catalog: str | None = options.CATALOG_OF_OTHERS,
    catalog_format: str | None = options.CATALOG_FORMAT,
    no_cache: bool = NO_CACHE,
    const_a: list[str] | None = option(
        None, "Set a constant for A alone; repeatable.", "NAME=VALUE"
    ),
    const_b: list[str] | None = option(
        None, "Set a constant for B alone; repeatable.", "NAME=VALUE"
    ),
    time_limit: float | None = option(
        None, "Stop each repair after this time.", "SECONDS", min=0.0
    ),
    limit: int | None = option(None, "Take only the first N sequences.", "N", min=1),
    keep_going: bool = KEEP_GOING,
    show: int = option(5, "Show the diffs of the first N that differ.", "N", min=0),
    fail_on_difference: bool = option(False, "Exit with 1 when any answer differs."),
) -> None:
    """
    Say where two cost models differ on many sequences.

    Every sequence is repaired with both. Printed are the edits by kind, the verdicts that changed,
    which model is closer to the wanted repairs, and the diffs where the answers differ.

    Examples:

      refract-asp costs compare default refraction data.jsonl --catalog travel
      refract-asp costs compare default mine.lp a.txt b.txt --catalog tools.yaml
      refract-asp costs compare default default data.jsonl --const-b weight_ask=5
      refract-asp costs compare default mine.lp - --format json < data.jsonl

    A line of the data is {"sequence": ..., "expected": ..., "id": ...}; expected is the wanted repair,
    and may be absent.

    Exit codes: 0, 1 they differ (with --fail-on-difference), 2 bad usage or input, 130 interrupted
    (what was found so far is printed).
    """
    inputs.only_one_stdin(*data, catalog, rules.said["mappings"])
    rules.said["time_limit"] = time_limit
    comparer = Comparer(
        inputs.read_cost_model(a),
        inputs.read_cost_model(b),
        inputs.read_catalog_if_any(catalog, catalog_format, no_cache=no_cache),
        constants_a=inputs.read_constants(const_a),
        constants_b=inputs.read_constants(const_b),
        keep=None if out.format == "json" else show,
        **_given(rules),
    )
    contents = [(source, inputs.read_data(source)) for source in data]
    is_interrupted = False
    total = inputs.total_of((content for _, content in contents), limit)
    try:
        with progress("comparing", total) as done:
            for example in islice(
                _examples(contents, comparer.skip if keep_going else None), limit
            ):
                try:
                    comparer.add(example)
                except InputError as error:
                    if not keep_going:
                        raise
                    comparer.skip(error)
                done()
    except KeyboardInterrupt:
        is_interrupted = True
    found = comparer.comparison(interrupted=is_interrupted)
    if not (found.examples or found.skipped or found.interrupted):
        raise inputs.nothing_in(data, "example", LINE)
    for mistake in found.mistakes:
        output.complain("skipped", mistake)
    out.tell(
        lambda: found.model_dump(mode="json"),
        lambda **how: comparison_text(found, show=show, **how),
    )
    if found.interrupted:
        raise typer.Exit(130)
    raise typer.Exit(1 if fail_on_difference and found.differing else 0)


@app.adds(
    "fit",
    "Fit the weights of a cost model to examples.",
    "data catalog catalog_format no_cache start to_file rounds constants mappings "
    "encodings encodings_dir undeclared max_new_calls max_tries keep_going show format color",
)
def fit(
    rules: Rules,
    data: list[str] = argument(
        "DATA...",
        "Files with sequences and wanted repairs, as JSON lines or JSON; - reads standard input.",
    ),
    catalog: str | None = options.CATALOG_OF_OTHERS,
    catalog_format: str | None = options.CATALOG_FORMAT,
    no_cache: bool = NO_CACHE,
    start: str = option(
        "default", "The cost model whose weights are changed.", "NAME|FILE", "--from"
    ),
    to_file: str | None = options.output_file("FILE", "Write the new cost model here."),
    rounds: int = option(30, "Try so many weights at most.", "N", min=1),
    keep_going: bool = KEEP_GOING,
    show: int = option(10, "Name the first N examples of a kind.", "N", min=0),
    *,
    out: output.Output,
) -> None:
    """
    Find weights under which the wanted repairs are the cheapest ones.

    They are as near to those of a model as can be, and are written as a model file of your own. Printed
    are the weights that changed, how many wanted repairs are found before and after, and the examples
    that no weights can satisfy.

    Examples:

      refract-asp costs fit data.jsonl --catalog travel -o mine.lp
      refract-asp costs fit data.jsonl --catalog travel --from my.lp --rounds 5
      refract-asp costs fit a.jsonl b.jsonl --catalog tools.yaml --format json

    A line of the data is {"sequence": ..., "expected": ..., "id": ...}; expected is the wanted repair.
    Use the model with --cost-model mine.lp. Needs scipy: pip install 'refract-asp[fit]'.

    Exit codes: 0 every wanted repair is found, 1 some are not, 2 bad usage or input, 130 interrupted
    (the best weights so far are written).
    """
    inputs.only_one_stdin(*data, catalog, rules.said["mappings"])
    output.check_target(to_file)  # what would fail at the end is told first
    fitter = Fitter(
        inputs.read_cost_model(start),
        inputs.read_catalog_if_any(catalog, catalog_format, no_cache=no_cache),
        **_given(rules),
    )
    contents = [(source, inputs.read_data(source)) for source in data]
    number = 0  # of entries, those that cannot be read among them

    def skip(mistake: InputError) -> None:
        nonlocal number
        number += 1
        fitter.skip(mistake)

    for example in _examples(contents, skip if keep_going else None):
        number += 1
        try:
            fitter.add(example)
        except InputError as error:
            if not keep_going:
                raise
            fitter.skip(error)
    if not number:
        raise inputs.nothing_in(data, "example", LINE)
    found = fitter.fit(rounds=rounds, keep_going=keep_going, watch=progress)
    for mistake in found.mistakes:
        output.complain("skipped", mistake)
    if to_file is not None:
        output.write(found.model, to_file, raw=to_file == "-")
    if to_file != "-":
        out.tell(
            lambda: found.model_dump(mode="json"),
            lambda **how: fit_text(found, show=show, file=to_file, **how),
        )
    if found.stopped == "interrupted":
        raise typer.Exit(130)
    raise typer.Exit(0 if found.is_satisfied else 1)
