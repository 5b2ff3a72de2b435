"""What comparing cost models and fitting their weights gave, as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.report.diff import painted_diff
from refract_asp.report.terminal import chance_text, count, escaped, folded, painted, table

if TYPE_CHECKING:
    from refract_asp.costs.weighing import Conflict, Fit, Stopped
    from refract_asp.evaluation.cost_models import (
        Answer,
        Closeness,
        Comparison,
        Difference,
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
    blocks = [
        _lines(models, width, color),
        _lines(heads, width),
        table(("edits", "only A", "only B", "both"), edits, color) if edits else "",
        table(("verdicts", "examples"), verdicts, color) if verdicts else "",
    ]
    if comparison.closeness is not None:
        blocks.append(_closeness(comparison.closeness, color, width))
    blocks.append(_lines(_times(comparison), width))
    kept = comparison.differences[: max(0, show)]
    for number, difference in enumerate(kept, start=1):
        blocks.append(_difference(difference, f"{number} of {comparison.differing}", width, color))
    more = comparison.differing - len(kept)
    if kept and more:
        blocks.append(f"{count(more, 'further example differs', 'further examples differ')}.")
    return "\n\n".join(filter(None, blocks))


def _closeness(found: Closeness, color: bool, width: int) -> str:
    rows = [
        ("exactly the wanted one", str(found.a_exact), str(found.b_exact)),
        ("closer than the other", str(found.a_closer), str(found.b_closer)),
        ("tokens that differ, on average", f"{found.a_mean:.2f}", f"{found.b_mean:.2f}"),
    ]
    counts = table((f"of {count(found.examples, 'wanted repair')}", "A", "B"), rows, color)
    if found.a_closer + found.b_closer == 0:
        return counts
    return f"{counts}\n{textwrap.fill(chance_text(found.p_value), width)}"


def _times(comparison: Comparison) -> Iterator[str]:
    a, b = comparison.a, comparison.b
    if a.unanswered or b.unanswered:
        yield f"no answer in time: A {a.unanswered}, B {b.unanswered}."
    if a.unproven or b.unproven:
        yield f"not proven to be the cheapest: A {a.unproven}, B {b.unproven}."
    if a.median_seconds is not None and b.median_seconds is not None:
        times = f"A {1000 * a.median_seconds:.1f} ms, B {1000 * b.median_seconds:.1f} ms"
        yield f"time of a repair (median): {times}."


def _difference(difference: Difference, number: str, width: int, color: bool) -> str:
    title = f"{number}: {_place(difference.name, difference.place)}"
    parts = [painted(title, "bold") if color else title]
    if difference.same_calls:
        parts[0] += "\nthe calls are the same, up to labels and order"
    for name, answer in (("A", difference.a), ("B", difference.b)):
        lines = textwrap.wrap(f"{name}: {_answer(answer)}", width, subsequent_indent="    ")
        diff = (painted_diff(answer.diff) if color else answer.diff).rstrip("\n")
        parts.append("\n".join([*lines, diff] if answer.diff else lines))
    return "\n\n".join(parts)


def _answer(answer: Answer) -> str:
    """Return what an answer comes to: verdict, distance to the wanted repair, cost."""
    far = ""
    if answer.distance is not None:
        far = f"; {count(answer.distance, 'token')} from the wanted repair"
        far = far if answer.distance else "; the wanted repair"
    costs = sorted(answer.cost.items(), key=lambda item: (-item[1], item[0]))
    cost = ", ".join(f"{name} {paid}" for name, paid in costs if paid)
    proven = "" if answer.optimal else "; not proven to be the cheapest"
    return f"{answer.verdict}{far}{f'; cost {cost}' if cost else ''}{proven}"


def _lines(texts: Iterable[str], width: int, bold: bool = False) -> str:
    """Return texts, each from a line of its own; with `bold` their first words stand out."""
    lines = []
    for text in texts:
        wrapped = folded(text, width)
        first, _, rest = wrapped.partition(" ")
        lines.append(f"{painted(first, 'bold')} {rest}" if bold else wrapped)
    return "\n".join(lines)


STOPPED: dict[Stopped, str] = {
    "satisfied": "",
    "settled": "",
    "rounds": "The rounds are over (--rounds): more may be found.",
    "time": "The time is over (--time-limit): more may be found.",
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
    unreachable: list[tuple[str, ...]] = [
        (f"{_place(each.name, each.place)}: {each.reason}",) for each in fit.unreachable
    ]
    listed: list[tuple[str, list[tuple[str, ...]]]] = [
        ("no rule leads to the wanted repair", unreachable),
        ("no weights can satisfy", [_conflict(each) for each in fit.conflicts]),
        (
            "not satisfied, though better weights may exist",
            [(name,) for name in fit.unexplained],
        ),
    ]
    blocks = [
        _lines(_opening(fit), width),
        table(("exactly the wanted repair", "before", "after"), _scores(fit), color),
        table(("weight", "before", "after"), changes, color) if changes else "",
        *(_listed(title, entries, show, width, color) for title, entries in listed if entries),
        _lines(_closing(fit, file), width),
    ]
    return "\n\n".join(filter(None, blocks))


def _opening(fit: Fit) -> Iterator[str]:
    if STOPPED[fit.stopped]:
        yield STOPPED[fit.stopped]
    if fit.skipped:
        yield f"{count(fit.skipped, 'entry was', 'entries were')} skipped."
    if fit.without:
        yield f"{count(fit.without, 'example says', 'examples say')} no wanted repair."
    held = f", {fit.held_out_after.examples} held out" if fit.held_out_after else ""
    rounds = count(fit.rounds, "round")
    yield f"fitted {fit.start} to {count(fit.after.examples, 'wanted repair')}{held}, in {rounds}."


def _scores(fit: Fit) -> Iterator[tuple[str, str, str]]:
    yield (f"{fit.after.examples} fitted to", str(fit.before.exact), str(fit.after.exact))
    yield ("  tied with another one", str(fit.before.tied), str(fit.after.tied))
    before, after = fit.held_out_before, fit.held_out_after
    if before is not None and after is not None:
        yield (f"{after.examples} held out", str(before.exact), str(after.exact))


def _place(name: str, place: str) -> str:
    told = shown(name)
    return f"{told} ({shown(place, LONGEST_TEXT)})" if place not in ("", name) else told


def _conflict(conflict: Conflict) -> tuple[str, ...]:
    """Return a line for each thing that is asked of the weights, and a first one if there are several."""
    if not conflict.wishes:
        together = " (together)" if len(conflict.examples) > 1 else ""
        return (", ".join(conflict.examples) + together,)
    lines = [
        f"{_place(wish.name, wish.place)}: {_wish(wish.wanted, wish.other)}"
        for wish in conflict.wishes
    ]
    return (lines[0],) if len(lines) == 1 else ("together:", *lines)


def _wish(wanted: dict[str, int], other: dict[str, int]) -> str:
    if not wanted and not other:
        return "another repair pays just the same"
    if not other:
        return f"another repair pays the same but for {_paid(wanted)}, which it saves"
    if not wanted:  # contradicts only because of bounds, or of constraints of one's own
        return f"nothing has to be cheaper than {_paid(other)}"
    return f"{_paid(wanted)} has to be cheaper than {_paid(other)}"


def _paid(units: dict[str, int]) -> str:
    return " + ".join(f"{count} {kind}" if count > 1 else kind for kind, count in units.items())


def _closing(fit: Fit, file: str | None) -> Iterator[str]:
    if fit.fixed:
        kinds = ", ".join(fit.fixed)
        yield f"left as they are, since no constant of the model file is their weight: {kinds}."
    if not fit.changed:
        yield "no weight changed."
    if file is not None:
        yield f"written: {file}"
    elif fit.changed:
        yield "nothing was written; -o mine.lp writes the model."


def _listed(title: str, entries: list[tuple[str, ...]], show: int, width: int, color: bool) -> str:
    head = f"{title} ({len(entries)}):"
    lines = [painted(head, "bold") if color else head]
    for first, *rest in entries[:show]:
        lines.append(folded(first, width, "  ", "      "))
        lines.extend(folded(text, width, "    ", "        ") for text in rest)
    if len(entries) > show:
        lines.append(f"  and {len(entries) - show} more")
    return "\n".join(lines)
