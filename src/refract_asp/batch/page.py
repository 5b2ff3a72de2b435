"""A run of many sequences as one page of HTML that needs nothing else and no network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from refract_asp.batch.changes import Versus
from refract_asp.batch.figures import Figures, Grouping, Summary
from refract_asp.batch.measures import MEASURES, measures_told
from refract_asp.batch.packing import sequences_of
from refract_asp.batch.row import Row
from refract_asp.batch.sections import MARKS
from refract_asp.model.shares import Share, share
from refract_asp.model.tags import MEANINGS
from refract_asp.report.graph_svg import STYLE
from refract_asp.report.pages import environment, raw_text
from refract_asp.report.pages.charts import Bars, Lines, bars, fitted, lines
from refract_asp.report.tables import milliseconds, percent

__all__ = ["MOST", "page"]

TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST = 20_000
"""So many sequences a page holds; the figures are those of all."""
IN_CHART = 15
"""So many tools or kinds of mistakes are drawn."""

_DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ].*)?)?$")


def page(
    rows: Callable[[], Iterator[Row]],
    summary: Summary,
    versus: Versus | None = None,
    *,
    title: str = "",
    most: int = MOST,
) -> str:
    """
    Return the page of a run.

    Args:
        rows: begins to read the rows of the run; called once, and read one row at a time.
        summary: its figures.
        versus: how it compares with an earlier run, where there is one.
        title: what stands at its top.
        most: how many sequences it holds; those in trouble come before the others.

    Raises:
        FormatError: a row cannot be read.

    Example:
        >>> from refract_asp.batch.summary import summarise
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"}
        >>> rows = [Row(verdict="valid", **head)]
        >>> page(lambda: iter(rows), summarise(rows))[:15]
        '<!doctype html>'
    """
    fields = tuple(grouping.field for grouping in summary.groupings)
    held = sequences_of(rows, fields, summary.overall.sequences, summary.troubled, most)
    made = environment(TEMPLATES)
    made.filters |= {"percent": _percent, "interval": _interval, "many": _many}
    return made.get_template("page.html.j2").render(
        title=title or f"{summary.overall.sequences:,} sequences",
        more_style=raw_text(TEMPLATES / "page.css") + STYLE,
        script=raw_text(TEMPLATES / "page.js"),
        summary=summary,
        versus=versus,
        marks=MARKS,
        meanings=MEANINGS,
        measures={measure.name: measure for measure in MEASURES},
        told=measures_told(summary.overall.shares),
        times=_times(summary),
        outcomes=_chart("verdicts", summary.overall.outcomes.items()),
        tags=_chart("mistakes", ((each.tag, each.sequences) for each in summary.tags)),
        tools=_chart(
            "faulty calls", ((each.tool, each.faulty) for each in summary.tools if each.faulty.count)
        ),
        steps=_steps(summary),
        groupings=[_grouping(each) for each in summary.groupings],
        held=held,
    )


def _percent(found: Share | float | None) -> str:
    return percent(found.value if isinstance(found, Share) else found)


def _interval(found: Share) -> str:
    low, high = (f"{100 * bound:.1f}".removesuffix(".0") for bound in (found.low, found.high))
    return f"[{low},\u00a0{high}]"


def _many(number: int) -> str:
    return f"{number:,}"


def _times(summary: Summary) -> str:
    found = summary.times
    if found is None:
        return ""
    names = ("mean", "p50", "p95", "p99", "max")
    return ", ".join(f"{name} {milliseconds(getattr(found, name))} ms" for name in names)


def _chart(what: str, found: Iterable[tuple[str, Share]]) -> Bars | None:
    """Return a bar for each name, the first ones; None where there are none."""
    told = list(found)[:IN_CHART]
    if not told:
        return None
    return bars([fitted(name) for name, _ in told], [what], [[(what, each)] for _, each in told])


def _steps(summary: Summary) -> Lines | None:
    if len(summary.steps) < 2:
        return None
    names = [str(each.step + 1) for each in summary.steps]
    cells = [[("faulty", each.faulty), ("stopped", each.stopped)] for each in summary.steps]
    return lines(names, ["faulty", "stopped here"], cells)


_RATES = ("valid", "executable", "repairable", "faulty_calls", "restored")
"""The measures that are told for each group."""


def _grouping(grouping: Grouping) -> dict[str, Any]:
    """Return chart and table of the sequences by a field: lines over numbers and dates, else bars."""
    groups = grouping.groups
    shares = [group.figures.shares for group in groups]
    told = [name for name in _RATES if any(name in each for each in shares)]
    drawn = "executable" if any("executable" in each for each in shares) else "valid"
    names = [_text(group.value) for group in groups]
    title = next(measure.title for measure in MEASURES if measure.name == drawn)
    cells = [[(title, _share(group.figures, drawn))] for group in groups[:IN_LINES]]
    is_line = len(groups) > 1 and all(_is_ordered(group.value) for group in groups)
    short = [fitted(name) for name in names]
    return {
        "field": grouping.field,
        "title": title,
        "lines": lines(_thinned(names[:IN_LINES]), [title], cells) if is_line else None,
        "bars": None if is_line else bars(short[:IN_CHART], [title], cells[:IN_CHART]),
        "heads": [next(measure for measure in MEASURES if measure.name == name) for name in told],
        "rows": [
            (name, group.figures, [_share(group.figures, each) for each in told])
            for name, group in zip(names, groups, strict=True)
        ],
        "without": grouping.without,
        "beyond": grouping.beyond,
    }


IN_LINES = 60


def _share(figures: Figures, name: str) -> Share:
    return figures.shares.get(name, share(0, 0))


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _is_ordered(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_DATE.match(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _thinned(names: Sequence[str]) -> list[str]:
    """Return names that stand beside each other below a chart: some of them where they are many."""
    step = -(-len(names) // 8)
    return [name[:12] if number % step == 0 else "" for number, name in enumerate(names)]
