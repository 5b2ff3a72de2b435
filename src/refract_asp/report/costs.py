"""What comparing cost models and fitting their weights gave, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.report.diff import painted_diff
from refract_asp.report.explanation import criteria_text
from refract_asp.report.terminal import (
    chance_text,
    count,
    escaped,
    folded,
    painted,
    table,
)

if TYPE_CHECKING:
    from refract_asp.costs.weighing import Fit, Stopped
    from refract_asp.evaluation.cost_models import (
        Answer,
        Comparison,
    )


def comparison_text(
    comparison: Comparison, *, show: int = 5, color: bool = False, width: int = 80
) -> str:
    """
    Print where two models differ: counts, who is closer, and the first `show` examples with both diffs.

    Prose is wrapped at `width` columns, calls never are.
    """
    width = max(40, min(width, 120))
    models = []
    for name, model in (("A", comparison.a), ("B", comparison.b)):
        changed = ", ".join(f"{key}={value}" for key, value in sorted(model.constants.items()))
        models.append(f"{name}: {model.name}{f' with {changed}' if changed else ''}")
    heads = ["interrupted: this is what was found so far."] if comparison.interrupted else []
    if comparison.skipped:
        heads.append(f"{count(comparison.skipped, 'entry was', 'entries were')} skipped.")
    same = f" (in {comparison.same_calls} of them the calls are the same, up to labels and order)"
    differing = f"A and B differ in {comparison.differing or 'none'}"
    heads.append(
        f"{count(comparison.examples, 'example')}; {differing}{same if comparison.same_calls else ''}."
    )
    edits = [(each.kind, each.only_a, each.only_b, each.both) for each in comparison.edits]
    verdicts = [(f"A {each.a}, B {each.b}", each.examples) for each in comparison.verdicts]
    a, b = comparison.a, comparison.b
    runs = [
        ("no answer in time", a.unanswered, b.unanswered),
        ("not proven to be the cheapest", a.unproven, b.unproven),
        ("time of a repair (median)", _ms(a.median_seconds), _ms(b.median_seconds)),
    ]
    blocks = [
        _lines(models, width),
        _lines(heads, width),
        table(("edits", "only A", "only B", "both"), edits, color) if edits else "",
        table(("verdicts", "examples"), verdicts, color) if verdicts else "",
    ]
    if (found := comparison.closeness) is not None:
        rows = [
            ("exactly the wanted one", str(found.a_exact), str(found.b_exact)),
            ("closer than the other", str(found.a_closer), str(found.b_closer)),
            ("tokens that differ, on average", f"{found.a_mean:.2f}", f"{found.b_mean:.2f}"),
        ]
        blocks.append(
            table((f"of {count(found.examples, 'wanted repair')}", "A", "B"), rows, color)
        )
        if found.a_closer + found.b_closer:
            blocks.append(folded(chance_text(found.p_value), width, rest=""))
    blocks.append(_lines((f"{what}: A {x}, B {y}." for what, x, y in runs if x or y), width))
    blocks += _differences(comparison, show, color, width)
    return "\n\n".join(filter(None, blocks))


def _differences(comparison: Comparison, show: int, color: bool, width: int) -> Iterator[str]:
    """Yield the first examples that differ, each with both answers, and how many more there are."""
    kept = comparison.differences[: max(0, show)]
    for number, difference in enumerate(kept, start=1):
        title = f"{number} of {comparison.differing}: {_place(difference.name, difference.place)}"
        if difference.same_calls:
            title += "; the calls are the same, up to labels and order"
        yield painted(title, "bold", color=color)
        for name, answer in (("A", difference.a), ("B", difference.b)):
            diff = painted_diff(answer.diff) if color else answer.diff
            told = _lines([f"{name}: {_answer(answer)}"], width)
            yield "\n".join(filter(None, [told, diff.rstrip("\n")]))
    more = comparison.differing - len(kept)
    if kept and more:
        yield f"{count(more, 'further example differs', 'further examples differ')}."


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.1f} ms"


def _answer(answer: Answer) -> str:
    """Return what an answer comes to: verdict, distance to the wanted repair, cost."""
    far = ""
    if answer.distance is not None:
        far = f"; {count(answer.distance, 'token')} from the wanted repair"
        far = far if answer.distance else "; the wanted repair"
    proven = "" if answer.optimal else "; not proven to be the cheapest"
    return f"{answer.verdict}{far}; cost {criteria_text(answer.cost)}{proven}"


def _lines(texts: Iterable[str], width: int) -> str:
    """Return texts, each from a line of its own."""
    return "\n".join(folded(text, width) for text in texts)


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
    width = max(40, min(width, 120))
    changes = [(escaped(name), before, after) for name, (before, after) in fit.changed.items()]
    opening = [STOPPED[fit.stopped]] if STOPPED[fit.stopped] else []
    if fit.skipped:
        opening.append(f"{count(fit.skipped, 'entry was', 'entries were')} skipped.")
    if fit.without:
        opening.append(f"{count(fit.without, 'example says', 'examples say')} no wanted repair.")
    fitted = count(fit.after.examples, "wanted repair")
    opening.append(f"fitted {fit.start} to {fitted}, in {count(fit.rounds, 'round')}.")
    scores = [
        (f"{fit.after.examples} fitted to", fit.before.exact, fit.after.exact),
        ("  tied with another one", fit.before.tied, fit.after.tied),
    ]
    unreachable = [f"{_place(each.name, each.place)}: {each.reason}" for each in fit.unreachable]
    conflicts = [", ".join(each.examples) for each in fit.conflicts]
    listed = [
        ("no rule leads to the wanted repair", unreachable),
        ("no weights can satisfy together", conflicts),
        ("not satisfied, though better weights may exist", list(fit.unexplained)),
    ]
    closing = [] if fit.changed else ["no weight changed."]
    if fit.fixed:
        kinds = ", ".join(fit.fixed)
        told = f"left as they are, since no constant of the model file is their weight: {kinds}."
        closing.insert(0, told)
    if file is not None:
        closing.append(f"written: {file}")
    elif fit.changed:
        closing.append("nothing was written; -o mine.lp writes the model.")
    blocks = [
        _lines(opening, width),
        table(("exactly the wanted repair", "before", "after"), scores, color),
        table(("weight", "before", "after"), changes, color) if changes else "",
        *(_listed(title, entries, show, width, color) for title, entries in listed if entries),
        _lines(closing, width),
    ]
    return "\n\n".join(filter(None, blocks))


def _place(name: str, place: str) -> str:
    told = shown(name)
    return f"{told} ({shown(place, LONGEST_TEXT)})" if place not in ("", name) else told


def _listed(title: str, entries: list[str], show: int, width: int, color: bool) -> str:
    lines = [painted(f"{title} ({len(entries)}):", "bold", color=color)]
    lines += [folded(each, width, "  ", "      ") for each in entries[:show]]
    if len(entries) > show:
        lines.append(f"  and {len(entries) - show} more")
    return "\n".join(lines)
