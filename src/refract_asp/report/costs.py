"""What comparing cost models and fitting their weights gave, as text for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.report.diff import painted_diff
from refract_asp.report.pages import TEMPLATES, printed
from refract_asp.report.terminal import chance_text, count, escaped
from refract_asp.report.text import criteria_text

if TYPE_CHECKING:
    from refract_asp.costs.fit import Conflict, Fit, Stopped
    from refract_asp.costs.pareto import Pareto
    from refract_asp.evaluation.cost_models import Comparison

Tables: TypeAlias = dict[tuple[str, ...], list[Any]]
"""The rows of each table, by what stands above its columns."""


def comparison_text(
    comparison: Comparison, *, show: int = 5, color: bool = False, width: int = 80
) -> str:
    """
    Print where two models differ: counts, who is closer, and the first `show` examples with both diffs.

    Prose is wrapped at `width` columns, calls never are.
    """
    a, b, near = comparison.a, comparison.b, comparison.closeness
    edits = [(each.kind, each.only_a, each.only_b, each.both) for each in comparison.edits]
    verdicts = [(f"A {each.a}, B {each.b}", each.examples) for each in comparison.verdicts]
    tables: Tables = {("edits", "only A", "only B", "both"): edits}
    tables["verdicts", "examples"] = verdicts
    if near is not None:
        tables[f"of {count(near.examples, 'wanted repair')}", "A", "B"] = [
            ("exactly the wanted one", near.a_exact, near.b_exact),
            ("closer than the other", near.a_closer, near.b_closer),
            ("tokens that differ, on average", f"{near.a_mean:.2f}", f"{near.b_mean:.2f}"),
        ]
    times = (a.median_seconds, b.median_seconds)
    runs = [
        ("no answer in time", a.unanswered, b.unanswered),
        ("not proven to be the cheapest", a.unproven, b.unproven),
        ("time of a repair (median)", *("" if t is None else f"{1000 * t:.1f} ms" for t in times)),
    ]
    kept = comparison.differences[: max(0, show)]
    how: Any = {"chance_text": chance_text, "criteria_text": criteria_text, "place_text": _place}
    how["diff"] = painted_diff if color else str
    values = {"found": comparison, "tables": tables, "runs": runs, "kept": kept, **how}
    return _apart(printed(TEMPLATES / "comparison.txt.j2", color, width, **values))


STOPPED: dict[Stopped, str] = {
    "satisfied": "",
    "settled": "",
    "rounds": "The rounds are over (--rounds): more may be found.",
    "interrupted": "Interrupted: these are the best weights so far.",
}


def fit_text(
    fit: Fit, *, show: int = 10, color: bool = False, width: int = 80, file: str | None = None
) -> str:
    """
    Print what the weights do before and after, which changed, and which examples cannot be satisfied.

    Args:
        fit: what was found.
        show: how many examples of a kind are named.
        color: whether to colour.
        width: prose is wrapped at so many columns.
        file: where the model is written, or None.
    """
    old, new = fit.before, fit.after
    scores = [(f"of {count(new.examples, 'example')}", old.exact, new.exact)]
    scores.append(("  tied with another one", old.tied, new.tied))
    changes = [(escaped(name), *pair) for name, pair in fit.changed.items()]
    head = ("exactly the wanted repair", "before", "after")
    tables: Tables = {head: scores, ("weight", "before", "after"): changes}
    unreachable = [f"{_place(each.name, each.place)}: {each.reason}" for each in fit.unreachable]
    listed = [
        ("no rule leads to the wanted repair", unreachable),
        ("no weights can satisfy together", [_conflict(each) for each in fit.conflicts]),
        ("not satisfied, though better weights may exist", fit.unexplained),
    ]
    values = {"fit": fit, "tables": tables, "listed": listed, "show": show, "file": file}
    template = TEMPLATES / "fit.txt.j2"
    return _apart(printed(template, color, width, **values, stopped=STOPPED[fit.stopped]))


def pareto_text(found: Pareto, *, show: int = 5, color: bool = False, width: int = 80) -> str:
    """Print how many repairs trade kinds for one another, and those of the first `show` sequences with several."""
    sizes = Counter(len(front.repairs) for front in found.fronts)
    head = ("repairs that no other one beats", "sequences")
    tables: Tables = {head: sorted(sizes.items())}
    wanted = [front for front in found.fronts if front.has_wanted]
    if wanted:
        cheapest = sum(front.repairs[0].is_wanted for front in wanted if front.repairs)
        unbeaten = sum(any(each.is_wanted for each in front.repairs) for front in wanted)
        rows = [
            ("the cheapest under the model", cheapest),
            ("one that no other one beats", unbeaten),
        ]
        tables[f"of {count(len(wanted), 'wanted repair')}", ""] = rows
    several = [front for front in found.fronts if len(front.repairs) > 1]
    values = {"found": found, "tables": tables, "several": several, "show": max(0, show)}
    template = TEMPLATES / "pareto.txt.j2"
    return _apart(printed(template, color, width, **values, place_text=_place))


def _conflict(conflict: Conflict) -> str:
    """Return which examples are in conflict, and what would keep them apart."""
    kinds = " and ".join(conflict.separable)
    apart = f"; weights of their own for {kinds} would keep them apart" if kinds else ""
    return f"{', '.join(conflict.examples)}{apart}"


def _place(name: str, place: str) -> str:
    told = shown(name)
    return f"{told} ({shown(place, LONGEST_TEXT)})" if place not in ("", name) else told


def _apart(text: str) -> str:
    """Return a text whose blocks of lines are apart by one empty line each."""
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")
