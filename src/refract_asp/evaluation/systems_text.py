"""A run, or two of them against each other, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from refract_asp.errors import shown
from refract_asp.evaluation.figures import CaseGroup, RunSummary, SystemFigures
from refract_asp.evaluation.measures import CASE_MEANS, CASE_MEASURES, measures_told
from refract_asp.evaluation.runs import Line, Miss, Run, errors_of, misses_of
from refract_asp.evaluation.text import Printer
from refract_asp.evaluation.versus import Compared, Duel
from refract_asp.model.shares import Share
from refract_asp.report.terminal import (
    Style,
    chance_text,
    count,
    escaped,
    milliseconds,
    painted,
    percent,
    table,
    tables,
    wrapped,
)

__all__ = ["compared_text", "head_lines", "options_told", "run_text"]

NAME = 32
"""Characters of the name of a system, a kind or a value of a dial."""
IDS = 10
"""So many ids are listed at first."""
_COLORS: dict[str, Style] = {"+": "green", "-": "red"}


def run_text(
    run: Run, summary: RunSummary, *, misses: int = 0, color: bool = False, width: int = 80
) -> str:
    """
    Print a run: the figures of each system, by kind and by dials, the times, and the first `misses` misses.

    The misses are those of the first system. Columns that do not fit into `width` go into a further table.
    """
    blocks = [
        "\n".join(wrapped(head_lines(run), width)),
        *_overall(summary.overall, color, width),
        *(_grouped(by, groups, color, width) for by, groups in summary.groups.items()),
        _times(summary.overall, color),
        "\n".join(
            wrapped((line for system in run.systems for line in errors_of(run, system)), width)
        ),
    ]
    blocks += _missed(run, next(iter(run.systems)), misses, color, width)
    return "\n\n".join(block for block in blocks if block)


def compared_text(found: Compared, a: Run, b: Run, *, color: bool = False, width: int = 80) -> str:
    """Print two runs against each other: by kind, which cases were won and lost, whether it may be chance."""
    left_out = [
        count(
            found.changed, "case does not say the same in both", "cases do not say the same in both"
        )
        if found.changed
        else "",
        f"{found.only_a} only in A" if found.only_a else "",
        f"{found.only_b} only in B" if found.only_b else "",
    ]
    left_out = [each for each in left_out if each]
    lines = [
        f"A: {_source(a)}",
        f"B: {_source(b)}",
        f"{count(found.cases, 'case')} in both"
        + (f"; left out: {', '.join(left_out)}." if left_out else "."),
    ]
    return "\n\n".join(
        ["\n".join(wrapped(lines, width)), *(_duel(each, color, width) for each in found.duels)]
    )


def head_lines(run: Run) -> list[str]:
    """Say what was run, and in further lines what is to be known of it."""
    right = sum(row.right for row in run.rows)
    parts = [f"{count(len(run.rows), 'case')}, {right or 'none'} of them right"]
    uninformed = sum(not row.informed for row in run.rows)
    if uninformed:
        parts.append(f"{uninformed} whose information is lost")
    lines = [
        f"{shown(run.cases.source)}: {'; '.join(parts)}."
        if run.cases.source
        else f"{'; '.join(parts)}."
    ]
    if not run.complete:
        lines.append("interrupted: this is what was found so far.")
    if run.cases.skipped:
        lines.append(f"{count(run.cases.skipped, 'line was', 'lines were')} skipped.")
    return lines


# -- blocks --------------------------------------------------------------------


def _overall(group: CaseGroup, color: bool, width: int) -> Iterator[str]:
    """Yield tables of all measures, a column for each system; wide ones have intervals."""
    systems = list(group.figures)
    is_wide = width >= 24 + 34 * len(systems)
    cell = _share_and_interval if is_wide else _share
    rows = [
        (measure.title, [cell(group.figures[name].shares.get(measure.name)) for name in systems])
        for measure in measures_told(
            CASE_MEASURES, *(each.shares for each in group.figures.values())
        )
    ]
    rows += [
        (mean.title, [_number(group.figures[name].means.get(mean.name)) for name in systems])
        for mean in CASE_MEANS
        if any(mean.name in each.means for each in group.figures.values())
    ]
    yield from tables("all cases", [shown(name, NAME) for name in systems], rows, color, width)


def _grouped(by: str, groups: Sequence[CaseGroup], color: bool, width: int) -> str:
    """Return a table of what each system restores, a line for each group."""
    if not groups:
        return ""
    systems = list(groups[0].figures)
    title = f"restored by {shown(by, NAME)}"
    heads = ["cases", *(shown(name, NAME) for name in systems)]
    found = [
        [
            (
                shown("-" if group.value in ("", None) else group.value, NAME),
                [str(group.cases), *(cell(group.figures[name]) for name in systems)],
            )
            for group in groups
        ]
        for cell in (_restored, _percent_restored)
    ]
    return Printer(0, color, width).first_that_fits(title, heads, found)


def _restored(figures: SystemFigures) -> str:
    """Return what was restored; where that says nothing, the share that does, with its name."""
    title, found = figures.headline
    if title == "restored":
        return _share(found)
    return f"({_share(found)})" if title == "by luck" else f"{found.count}/{found.of} {title}"


def _percent_restored(figures: SystemFigures) -> str:
    title, found = figures.headline
    text = percent(found.value)
    if title == "restored":
        return text
    return f"({text})" if title == "by luck" else f"{text} {title.removeprefix('left ')}"


def _times(group: CaseGroup, color: bool) -> str:
    rows: list[tuple[str | int, ...]] = []
    for name, figures in group.figures.items():
        for what, times in (("check", figures.check), ("answer", figures.repair)):
            if times is not None:
                told = map(milliseconds, (times.p50, times.p95, times.p99, times.max))
                rows.append((f"{shown(name, NAME)}, {what}", *told))
    return table(("milliseconds", "p50", "p95", "p99", "max"), rows, color) if rows else ""


def _missed(run: Run, system: str, most: int, color: bool, width: int) -> Iterator[str]:
    if most <= 0:
        return
    total = sum(not row.scores[system].restored for row in run.rows)
    for number, miss in enumerate(islice(misses_of(run, system), most), start=1):
        yield _miss(miss, f"{shown(system, NAME)}, miss {number} of {total}", color, width)


def _miss(miss: Miss, title: str, color: bool, width: int) -> str:
    head = f"{title}: {shown(miss.id)}" + (f" ({shown(miss.kind, NAME)})" if miss.kind else "")
    lines = [painted(head, "bold") if color else head]
    lines += wrapped([shown(text, 300) for text in (miss.what, miss.said) if text], width, "  ")
    lines += _diff(miss.answer, color) or ["  (nothing was changed)"]
    if miss.wanted:
        lines += ["wanted:", *_diff(miss.wanted, color)]
    return "\n".join(lines)


def _diff(lines: Iterable[Line], color: bool) -> list[str]:
    return [
        painted(f"{mark} {escaped(text)}", _COLORS[mark])
        if color and mark in _COLORS
        else f"{mark} {escaped(text)}"
        for mark, text in lines
    ]


def _duel(found: Duel, color: bool, width: int) -> str:
    name = (
        shown(found.a, NAME)
        if found.a == found.b
        else f"{shown(found.a, NAME)}, {shown(found.b, NAME)}"
    )
    rows = [
        (
            shown(kind.kind or "-", NAME), kind.cases, kind.a, kind.b, f"{kind.b - kind.a:+}",
            kind.only_a, kind.only_b,
        )
        for kind in found.kinds
    ]  # fmt: skip
    rows.append(
        (
            "together", found.cases, found.a_right, found.b_right, f"{found.b_right - found.a_right:+}",
            len(found.lost), len(found.won),
        )
    )  # fmt: skip
    lines = [
        table((f"{name}: as expected", "cases", "A", "B", "B-A", "only A", "only B"), rows, color)
    ]
    if found.won or found.lost:
        lines += wrapped([chance_text(found.p_value)], width)
    for what, ids in (("only A", found.lost), ("only B", found.won)):
        if ids:
            more = f" and {len(ids) - IDS} more" if len(ids) > IDS else ""
            lines += wrapped(
                [f"{what}: {', '.join(shown(each, 60) for each in ids[:IDS])}{more}"], width
            )
    return "\n".join(lines)


# -- parts ---------------------------------------------------------------------


def _share(found: Share | None) -> str:
    return "-" if found is None else f"{found.count}/{found.of}  {percent(found.value):>6}"


def _share_and_interval(found: Share | None) -> str:
    if found is None:
        return "-"
    return f"{_share(found)}  [{100 * found.low:5.1f}, {100 * found.high:5.1f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _source(run: Run) -> str:
    source = shown(run.cases.source) or "cases"
    told = [f"{source}, {count(len(run.rows), 'case')}{'' if run.complete else ' (interrupted)'}"]
    for name, described in run.systems.items():
        options = options_told(described)
        told += [f"{shown(name)} with {', '.join(options)}"] if options else []
    return "; ".join(told)


def options_told(described: Mapping[str, Any]) -> list[str]:
    """Return the options that a system was run with, as `cost_model=refraction`."""
    options = described.get("options")
    return (
        [f"{shown(k)}={shown(v)}" for k, v in options.items()] if isinstance(options, dict) else []
    )
