"""
`refract-asp costs`: look at cost models, find mistakes in them and in your rules, compare and fit them.

Examples:

  refract-asp costs list
  refract-asp costs show maps_first
  refract-asp costs check mine.lp
  refract-asp costs check default --encoding house.lp
  refract-asp costs compare default refraction data.jsonl --catalog travel
  refract-asp costs fit data.jsonl --catalog travel -o mine.lp
  refract-asp costs pareto default data.jsonl --over ask,fill --catalog travel
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from refract_asp.cli import inputs, output
from refract_asp.cli.options import Count, CountIfAny, Group, Number, Options, OutputFile
from refract_asp.cli.session import Rules, Tools, isolated
from refract_asp.costs import Comparer, cost_model, cost_models, examine
from refract_asp.costs.fit import Fitter
from refract_asp.costs.pareto import ParetoFinder
from refract_asp.errors import InputError
from refract_asp.report.costs import comparison_text, fit_text, pareto_text

app = Group(__doc__)


@app.adds("list", order="encodings_dir format to_file")
def list_models(rules: Rules, out: output.Output) -> None:
    """Print the cost models, each with what it is for."""
    models = cost_models(rules.read()["encodings_dir"])
    data = [{"name": model.name, "intent": list(model.intent)} for model in models]
    out.show({"models": data}, "cost_models", models=models)


@app.adds("show", order="model encodings_dir format color to_file")
def show_model(rules: Rules, out: output.Output, model: str) -> None:
    """
    Print what a cost model is for, its levels and criteria, and what else it says.

    The constants are those that -c changes.

    Args:
        model (NAME|FILE): Name of a cost model, or its file.
    """
    found = cost_model(inputs.read_cost_model(model), rules.read()["encodings_dir"])
    out.show(found.as_data(), "cost_model", model=found)


@app.adds(
    "check",
    "models encodings patterns encodings_dir strict isolate time_limit format color to_file",
)
def check_models(
    rules: Rules, out: output.Output, models: list[str], strict: bool = False, isolate: bool = False
) -> None:
    """
    Report what is wrong with a cost model. You can name several; rules of your own are checked as well.

    It reports penalties that nothing ranks, criteria without a penalty, unknown predicates and constants, and
    everything that `solve` would refuse.

    Examples:

      refract-asp costs check mine.lp
      refract-asp costs check default --encoding house.lp --strict

    Exit codes: 0 nothing found, 1 errors (with --strict: warnings too), 2 bad usage or input.

    Args:
        models (NAME|FILE...): Names of cost models, or their files.
        strict: Warnings count as errors.
        isolate: Work in a process of its own, with 2 GB of memory and the time limit or 60 s, then stop it.
        time_limit (SECONDS): With --isolate: stop after this time and 10 s more, not after 60 s.
    """
    isolated(isolate, rules.said["time_limit"])
    read = rules.read()
    files = (read["encodings_dir"], read["encodings"], read["patterns"])
    found = [(name, examine(inputs.read_cost_model(name), *files)) for name in models]
    listed = [{"model": name, "findings": list(map(asdict, each))} for name, each in found]
    severities = {finding.severity for _, findings in found for finding in findings}
    out.show({"models": listed}, "findings", found=found)
    raise typer.Exit(1 if "error" in severities or (strict and severities) else 0)


# -- on data ---------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Examples(Options):
    """
    The examples by which models are compared or fitted.

    Attributes:
        data (DATA...): Files with sequences and wanted repairs, as JSON lines, JSON, or one sequence a file;
            - reads standard input.
        limit (N): Take only the first N sequences.
        keep_going: Skip what cannot be read or repaired, and count it.
    """

    data: list[str]
    limit: CountIfAny = None
    keep_going: bool = False

    def give_to(self, taker: Comparer | Fitter | ParetoFinder) -> bool:
        """
        Give the examples to what compares or fits; return whether nobody interrupted.

        Raises:
            InputError: there is no example, or one cannot be read or repaired and is not to be skipped.
        """
        taken = 0

        def skip(mistake: InputError) -> None:
            nonlocal taken
            taken += 1
            taker.skip(mistake)

        mistakes = skip if self.keep_going else None
        examples, total = inputs.read_examples(self.data, mistakes, self.limit)
        try:
            with output.progress("examples", total) as done:
                for example in examples:
                    try:
                        taker.add(example)
                        taken += 1
                    except InputError as error:
                        if not self.keep_going:
                            raise
                        skip(error)
                    done()
        except KeyboardInterrupt:
            return False
        if not taken:
            raise inputs.nothing_in(self.data, "example", '{"sequence": ..., "expected": ...}')
        return True


def _given(rules: Rules) -> dict[str, Any]:
    """Return the options of a repair by name, but for the cost model."""
    return {name: each for name, each in vars(rules.options()).items() if name != "cost_model"}


def _end(out: output.Output, found: Any, text: Any, show: int) -> None:
    """Print what was found, and what of the data was skipped; end with 130 where it was interrupted."""
    for mistake in found.mistakes:
        output.complain("skipped", mistake)
    out.tell(found, lambda **how: text(found, show=show, **how))
    raise typer.Exit(130 if found.interrupted else 0)


@app.adds(
    "compare",
    "a b data catalog catalog_format no_cache constants const_a const_b mappings encodings patterns "
    "encodings_dir confirm undeclared max_new_calls max_tries time_limit limit keep_going show format "
    "color to_file",
)
def compare(
    rules: Rules,
    tools: Tools,
    examples: Examples,
    out: output.Output,
    a: str,
    b: str,
    const_a: list[str] | None = None,
    const_b: list[str] | None = None,
    show: Number = 5,
) -> None:
    """
    Say where two cost models differ. Many sequences are repaired with both.

    Printed are the edits by kind, the verdicts that changed,
    which model is closer to the wanted repairs, and the diffs where the answers differ.

    Examples:

      refract-asp costs compare default refraction data.jsonl --catalog travel
      refract-asp costs compare default mine.lp a.txt b.txt --catalog tools.yaml
      refract-asp costs compare default default data.jsonl --const-b weight_ask=5
      refract-asp costs compare default mine.lp - --format json < data.jsonl

    A line of the data is {"sequence": ..., "expected": ..., "id": ...}; expected is the wanted repair,
    and may be absent.

    Exit codes: 0, 2 bad usage or input, 130 interrupted (what was found so far is printed).

    Args:
        a (A): Name of a cost model, or a file that ends in .lp.
        b (B): Another one.
        const_a (NAME=VALUE): Set a constant for A alone; repeatable.
        const_b (NAME=VALUE): Set a constant for B alone; repeatable.
        time_limit (SECONDS): Stop each repair after this time.
        show (N): Show the diffs of the first N that differ.
    """
    inputs.only_one_stdin(*examples.data, tools.catalog, rules.said["mappings"])
    models = (inputs.read_cost_model(a), inputs.read_cost_model(b))
    how = _given(rules) | {"keep": None if out.format == "json" else show}
    how["constants_a"] = inputs.read_constants(const_a)
    how["constants_b"] = inputs.read_constants(const_b)
    comparer = Comparer(*models, tools.read(), **how)
    is_whole = examples.give_to(comparer)
    found = comparer.comparison(interrupted=not is_whole)
    _end(out, found, comparison_text, show)


@app.adds(
    "fit",
    "data catalog catalog_format no_cache start to_file rounds constants mappings encodings patterns "
    "encodings_dir undeclared max_new_calls max_tries keep_going show format color",
)
def fit(
    rules: Rules,
    tools: Tools,
    examples: Examples,
    out: output.Output,
    start: Annotated[str, typer.Option("--from")] = "default",
    to_file: OutputFile = None,
    rounds: Count = 30,
    show: Number = 10,
) -> None:
    """
    Fit the weights of a cost model to examples. Under them the wanted repairs are the cheapest ones.

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

    Args:
        data (DATA...): Files with sequences and wanted repairs, as JSON lines or JSON; - reads standard
            input.
        start (NAME|FILE): The cost model whose weights are changed.
        to_file (FILE): Write the new cost model here.
        rounds (N): Try at most this number of weights.
        show (N): Name the first N examples of a kind.
    """
    inputs.only_one_stdin(*examples.data, tools.catalog, rules.said["mappings"])
    output.check_target(to_file)  # fail now, not at the end
    fitter = Fitter(inputs.read_cost_model(start), tools.read(), **_given(rules))
    if not examples.give_to(fitter):
        raise KeyboardInterrupt
    found = fitter.fit(rounds=rounds, keep_going=examples.keep_going, watch=output.progress)
    for mistake in found.mistakes:
        output.complain("skipped", mistake)
    if to_file is not None:
        output.write(found.model, to_file, raw=to_file == "-")
    if to_file != "-":
        out.tell(found, lambda **how: fit_text(found, show=show, file=to_file, **how))
    code = 0 if found.is_satisfied else 1
    raise typer.Exit(130 if found.stopped == "interrupted" else code)


@app.adds(
    "pareto",
    "model data over catalog catalog_format no_cache constants mappings encodings patterns encodings_dir "
    "undeclared max_new_calls max_tries time_limit limit keep_going show format color to_file",
)
def pareto(
    rules: Rules,
    tools: Tools,
    examples: Examples,
    out: output.Output,
    model: str,
    over: Annotated[str, typer.Option("--over")],
    show: Number = 5,
) -> None:
    """
    Print which repairs trade some kinds of edits for others, whatever these kinds weigh.

    Of each sequence those repairs are found that no other one beats: none pays as little of each of the
    kinds and of all the rest together, and less of something. No weights of these kinds make anything else
    the answer. All other kinds weigh what the model says.

    Examples:

      refract-asp costs pareto default data.jsonl --over ask,fill --catalog travel
      refract-asp costs pareto mine.lp data.jsonl --over ask,fill --format json

    A line of the data is {"sequence": ..., "expected": ..., "id": ...}; expected is the wanted repair,
    and may be absent.

    Exit codes: 0, 2 bad usage or input, 130 interrupted (what was found so far is printed).

    Args:
        model (NAME|FILE): Name of a cost model, or its file.
        over (KIND,...): The kinds of edits that are looked at, each on its own, with commas between.
        time_limit (SECONDS): Stop each repair after this time.
        show (N): Show the repairs of the first N sequences that have more than one.
    """
    inputs.only_one_stdin(*examples.data, tools.catalog, rules.said["mappings"])
    known = (inputs.read_cost_model(model), tools.read(), inputs.names_in(over))
    finder = ParetoFinder(*known, **_given(rules))
    is_whole = examples.give_to(finder)
    found = finder.pareto(interrupted=not is_whole)
    _end(out, found, pareto_text, show)
