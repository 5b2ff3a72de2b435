"""What fitting weights to examples gave, as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.report.terminal import escaped, painted

if TYPE_CHECKING:
    from refract_asp.costs.fitted import Conflict, Fit, Stopped

__all__ = ["fit_text"]

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
    blocks = [
        _prose(_opening(fit), width),
        _table(_scores(fit), color),
        _table(_changes(fit), color) if fit.changed else "",
        _listed(
            "no rule leads to the wanted repair",
            [(f"{_place(u.name, u.place)}: {u.reason}",) for u in fit.unreachable],
            show,
            width,
            color,
        ),
        _listed("no weights can satisfy", [_conflict(c) for c in fit.conflicts], show, width, color),
        _listed(
            "not satisfied, though better weights may exist",
            [(name,) for name in fit.unexplained],
            show,
            width,
            color,
        ),
        _prose(_closing(fit, file), width),
    ]
    return "\n\n".join(block for block in blocks if block)


def _opening(fit: Fit) -> Iterator[str]:
    if STOPPED[fit.stopped]:
        yield STOPPED[fit.stopped]
    if fit.skipped:
        yield f"{_count(fit.skipped, 'entry was', 'entries were')} skipped."
    if fit.without:
        yield f"{_count(fit.without, 'example says', 'examples say')} no wanted repair."
    held = f", {fit.held_out_after.examples} held out" if fit.held_out_after else ""
    rounds = _count(fit.rounds, "round")
    yield f"fitted {fit.start} to {_count(fit.after.examples, 'wanted repair')}{held}, in {rounds}."


def _scores(fit: Fit) -> Iterator[tuple[str, str, str]]:
    yield ("exactly the wanted repair", "before", "after")
    yield (f"{fit.after.examples} fitted to", str(fit.before.exact), str(fit.after.exact))
    yield ("  tied with another one", str(fit.before.tied), str(fit.after.tied))
    before, after = fit.held_out_before, fit.held_out_after
    if before is not None and after is not None:
        yield (f"{after.examples} held out", str(before.exact), str(after.exact))


def _changes(fit: Fit) -> Iterator[tuple[str, str, str]]:
    yield ("weight", "before", "after")
    for name, (before, after) in fit.changed.items():
        yield (name, str(before), str(after))


def _place(name: str, place: str) -> str:
    told = shown(name)
    return f"{told} ({shown(place, LONGEST_TEXT)})" if place not in ("", name) else told


def _conflict(conflict: Conflict) -> tuple[str, ...]:
    """Return a line for each thing that is asked of the weights, and a first one if there are several."""
    if not conflict.wishes:
        together = " (together)" if len(conflict.examples) > 1 else ""
        return (", ".join(conflict.examples) + together,)
    lines = [f"{_place(wish.name, wish.place)}: {_wish(wish.wanted, wish.other)}" for wish in conflict.wishes]
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
    if not entries:
        return ""
    lines = [f"{title} ({len(entries)}):"]
    if color:
        lines[0] = painted(lines[0], "bold")
    for first, *rest in entries[:show]:
        lines.append(_wrapped(first, width, "  ", "      "))
        lines.extend(_wrapped(text, width, "    ", "        ") for text in rest)
    if len(entries) > show:
        lines.append(f"  and {len(entries) - show} more")
    return "\n".join(lines)


def _wrapped(text: str, width: int, first: str, rest: str) -> str:
    return "\n".join(
        textwrap.wrap(
            escaped(text),
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _prose(texts: Iterable[str], width: int) -> str:
    return "\n".join(_wrapped(text, width, "", "    ") for text in texts)


def _table(rows: Iterable[tuple[str, str, str]], color: bool) -> str:
    lines = [tuple(map(escaped, row)) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    texts = [f"{a.ljust(widths[0])}  {b.rjust(widths[1])}  {c.rjust(widths[2])}" for a, b, c in lines]
    if color:
        texts[0] = painted(texts[0], "bold")
    return "\n".join(texts)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
