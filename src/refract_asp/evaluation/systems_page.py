"""A run, or two side by side, as one page of HTML that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import shown
from refract_asp.evaluation.case import Dial
from refract_asp.evaluation.figures import RunSummary, SystemFigures
from refract_asp.evaluation.grouping import rank
from refract_asp.evaluation.measures import CASE_MEANS, CASE_MEASURES, measures_told
from refract_asp.evaluation.runs import Line, Run, errors_of, misses_of
from refract_asp.evaluation.systems_text import head_lines, options_told
from refract_asp.evaluation.text import interval_in_brackets
from refract_asp.evaluation.versus import Compared, Duel
from refract_asp.model.shares import Share, Times
from refract_asp.report.pages import environment
from refract_asp.report.pages.charts import Cell, bars, fitted, lines, look, look_again, times
from refract_asp.report.terminal import chance_text, escaped, milliseconds, percent

__all__ = ["run_page"]

TEMPLATES = Path(__file__).resolve().parent / "templates"
NAME = 60
MAX_IDS = 500
"""So many ids of cases that were won or lost are listed."""


Told: TypeAlias = tuple[str, str]
"""What stands in a cell of a table, and below it in small print."""


@dataclass(frozen=True, slots=True)
class _Series:
    """A system of one of the runs."""

    title: str
    run: Run
    summary: RunSummary
    system: str

    def figures(self, by: str, value: Dial) -> SystemFigures | None:
        """Return what it did on one group of cases."""
        for group in self.summary.groups.get(by, ()):
            if group.value == value and type(group.value) is type(value):
                return group.figures[self.system]
        return None


def run_page(
    run: Run,
    summary: RunSummary,
    other: tuple[Run, RunSummary, Compared] | None = None,
    *,
    misses: int = 20,
) -> str:
    """
    Return the page of a run.

    Args:
        run: the run.
        summary: its figures.
        other: a second run, its figures, and how it compares with the first.
        misses: how many misses of each system are listed.
    """
    runs = [("A", run, summary), ("B", *other[:2])] if other else [("", run, summary)]
    systems = dict.fromkeys(name for _, each, _ in runs for name in each.systems)
    series = [
        _Series(f"{mark}: {shown(name, NAME)}" if mark else shown(name, NAME), each, figures, name)
        for name in systems
        for mark, each, figures in runs
        if name in each.systems
    ]
    return (
        environment(TEMPLATES)
        .get_template("systems.html.j2")
        .render(
            title=f"Evaluation: {shown(run.cases.source) or 'cases'}",
            runs=[_about(mark, each) for mark, each, _ in runs],
            series=[each.title for each in series],
            looks=[look(number)[0] for number in range(len(series))],
            look_again=look_again(len(series)),
            overall=_overall(series),
            groups=[_group(by, series, runs) for by in _by(runs)],
            times=_times(series),
            duels=[_duel(each) for each in other[2].duels] if other else [],
            shared=other[2] if other else None,
            misses=[_missed(each, misses) for each in series],
        )
    )


def _by(runs: Iterable[tuple[str, Run, RunSummary]]) -> list[str]:
    return list(
        dict.fromkeys(
            by for _, _, summary in runs for by, groups in summary.groups.items() if groups
        )
    )


def _about(mark: str, run: Run) -> dict[str, Any]:
    settings = {"cases": run.cases.digest[:16], **run.versions, **run.settings}
    return {
        "mark": mark,
        "text": [
            *head_lines(run),
            *(line for system in run.systems for line in errors_of(run, system)),
        ],
        "facts": [
            (shown(name), shown(value)) for name, value in settings.items() if value is not None
        ],
        "systems": [(shown(name, NAME), _options(each)) for name, each in run.systems.items()],
    }


def _options(described: dict[str, Any]) -> str:
    return ", ".join([shown(described.get("system", "")), *options_told(described)])


def _overall(series: Sequence[_Series]) -> list[tuple[str, str, list[Told]]]:
    """Return the rows of the table of all measures: title, meaning, and a cell for each series."""
    figures = [each.summary.overall.figures[each.system] for each in series]
    rows = []
    for measure in measures_told(CASE_MEASURES, *(each.shares for each in figures)):
        shares = [each.shares.get(measure.name) for each in figures]
        rows.append((measure.title, measure.meaning, [_share(found) for found in shares]))
    for mean in CASE_MEANS:
        means = [each.means.get(mean.name) for each in figures]
        if any(each is not None for each in means):
            cells = [("-" if each is None else f"{each:.2f}", "") for each in means]
            rows.append((mean.title, mean.meaning, cells))
    return rows


def _share(found: Share | None) -> Told:
    if found is None:
        return "-", ""
    return percent(found.value), f"{found.count}/{found.of} {interval_in_brackets(found)}"


def _group(
    by: str, series: Sequence[_Series], runs: Iterable[tuple[str, Run, RunSummary]]
) -> dict[str, Any]:
    """Return chart and table of what is restored by kind or by a dial: lines for numbers, else bars."""
    values: dict[tuple[type, Dial], tuple[Dial, int]] = {}
    for _, _, summary in runs:
        for group in summary.groups.get(by, ()):
            values.setdefault((type(group.value), group.value), (group.value, group.cases))
    are_numbers = all(
        isinstance(v, int | float) and not isinstance(v, bool) for v, _ in values.values()
    )
    ordered = sorted(values.values(), key=lambda each: rank(each[0]))
    found = [[each.figures(by, value) for each in series] for value, _ in ordered]
    cells = [[figures.headline if figures else None for figures in row] for row in found]
    names = ["-" if value in ("", None) else fitted(shown(value, NAME)) for value, _ in ordered]
    is_line = are_numbers and len(names) > 1
    titles = [each.title for each in series]
    return {
        "by": shown(by, NAME),
        "bars": None if is_line else bars(names, titles, cells),
        "lines": lines(names, titles, cells) if is_line else None,
        "rows": [
            (
                "-" if value in ("", None) else shown(value, NAME),
                cases,
                [_cell(each) for each in row],
            )
            for (value, cases), row in zip(ordered, cells, strict=True)
        ],
    }


def _cell(cell: Cell | None) -> Told:
    if cell is None:
        return "-", ""
    what, found = cell
    said = f"{found.count}/{found.of}"
    return percent(found.value), said if what == "restored" else f"{said} {what}"


def _times(series: Sequence[_Series]) -> dict[str, Any] | None:
    found: list[tuple[str, int, Times]] = []
    for number, each in enumerate(series):
        figures = each.summary.overall.figures[each.system]
        for what, timed in (("check", figures.check), ("answer", figures.repair)):
            if timed is not None:
                found.append((f"{shown(each.title, 18)}, {what}", number, timed))
    chart = times(found)
    if chart is None:
        return None
    rows = [
        (name, [milliseconds(each) for each in (timed.p50, timed.p95, timed.p99, timed.max)])
        for name, _, timed in found
    ]
    return {"chart": chart, "rows": rows}


def _duel(found: Duel) -> dict[str, Any]:
    counts = (found.cases, found.a_right, found.b_right, f"{found.b_right - found.a_right:+}")
    return {
        "title": ", ".join(dict.fromkeys((shown(found.a, NAME), shown(found.b, NAME)))),
        "kinds": [
            (shown(k.kind or "-", NAME), k.cases, k.a, k.b, f"{k.b - k.a:+}", k.only_a, k.only_b)
            for k in found.kinds
        ],
        "together": (*counts, len(found.lost), len(found.won)),
        "chance": chance_text(found.p_value) if found.won or found.lost else "",
        "lists": [
            (title, [shown(each, NAME) for each in ids[:MAX_IDS]], max(0, len(ids) - MAX_IDS))
            for title, ids in (("only A answers as expected", found.lost), ("only B", found.won))
            if ids
        ],
    }


def _missed(series: _Series, most: int) -> dict[str, Any]:
    total = sum(not row.scores[series.system].restored for row in series.run.rows)
    listed = [
        {
            "id": shown(miss.id),
            "kind": shown(miss.kind, NAME),
            "what": shown(miss.what, 300),
            "said": shown(miss.said, 400),
            "answer": _lines(miss.answer),
            "wanted": _lines(miss.wanted),
        }
        for miss in islice(misses_of(series.run, series.system), most)
    ]
    return {"title": series.title, "total": total, "listed": listed}


_WORDS = {" ": "same", "-": "gone", "+": "new"}


def _lines(found: Iterable[Line]) -> list[tuple[str, str, str]]:
    """Return lines with the class that colours them."""
    return [(_WORDS[mark], mark, escaped(text)) for mark, text in found]
