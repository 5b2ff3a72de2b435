"""A run of many sequences as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from refract_asp.batch.figures import Figures, Grouping, Summary, TagFigures, Trouble
from refract_asp.batch.measures import measures_told
from refract_asp.batch.telling import (
    columns_of,
    counted,
    fault_title,
    group_name,
    head_line,
    interval,
    outcomes_line,
    place,
    share_text,
)
from refract_asp.batch.text_parts import LISTED, NAME, bold, example_lines, left_out, listing, told_lines
from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.shares import Share
from refract_asp.model.tags import Tag
from refract_asp.report.tables import count, milliseconds, percent, table, tables, wrapped

__all__ = ["summary_text"]

GROUPS = 30
"""So many values of a field are listed at most."""


def summary_text(
    summary: Summary, source: str = "", *, listed: int = LISTED, color: bool = False, width: int = 80
) -> str:
    """
    Print a run: its shares, what goes wrong by kind, tool, parameter and metadata, and the worst faults.

    Args:
        summary: the run in figures.
        source: where it comes from, as it is to be called.
        listed: how many tools, parameters, faults and sequences are listed at most.
        color: whether to colour it.
        width: columns of the terminal; what does not fit goes into a further table.
    """
    heads = [head_line(summary, shown(source, LONGEST_TEXT)), f"{outcomes_line(summary.overall)}."]
    blocks = [
        "\n".join(wrapped(heads, width)) if summary.overall.sequences else "there is no sequence.",
        _shares(summary.overall, color),
        *(_group(grouping, color, width) for grouping in summary.groupings),
        _tags("mistakes by kind", summary.tags, color),
        _tags("against the ground truth", summary.truth_tags, color),
        _tools(summary, listed, color, width),
        _parameters(summary, listed, color, width),
        _steps(summary, color),
        "\n".join(_faults(summary, listed, color, width)),
        "\n".join(_troubles(summary.troubles, summary.troubled, listed, color, width)),
        _times(summary, color),
    ]
    return "\n\n".join(block for block in blocks if block)


# -- a run ---------------------------------------------------------------------


def _shares(figures: Figures, color: bool) -> str:
    rows = []
    for measure in measures_told(figures.shares):
        found = figures.shares[measure.name]
        rows.append((measure.title, counted(found), percent(found.value), interval(found)))
    return table(("all sequences", "", "share", "95 % interval"), rows, color) if rows else ""


def _group(grouping: Grouping, color: bool, width: int) -> str:
    measures = columns_of(grouping)
    groups = grouping.groups[:GROUPS]
    heads = ["sequences", *(measure.head for measure in measures)]
    found: list[str] = []
    for cell in (share_text, _percent):  # what does not fit is told in percent alone
        rows = [
            (
                shown(group_name(group.value), NAME),
                [
                    str(group.figures.sequences),
                    *(cell(group.figures.shares.get(measure.name)) for measure in measures),
                ],
            )
            for group in groups
        ]
        found = list(tables(f"by {shown(grouping.field, NAME)}", heads, rows, color, width))
        if len(found) == 1:
            break
    left = len(grouping.groups) - len(groups)
    more = [
        f"{left} more values" if left else "",
        f"{count(grouping.beyond, 'sequence')} of further values" if grouping.beyond else "",
        f"{count(grouping.without, 'sequence')} without" if grouping.without else "",
    ]
    if any(more):
        found[-1] += f"\n({', '.join(each for each in more if each)})"
    return "\n\n".join(found)


def _percent(found: Share | None) -> str:
    return "-" if found is None else percent(found.value)


def _tags(title: str, tags: Sequence[TagFigures], color: bool) -> str:
    rows = [(each.tag, counted(each.sequences), percent(each.sequences.value), each.count) for each in tags]
    return table((title, "sequences", "share", "mistakes"), rows, color) if rows else ""


def _tools(summary: Summary, listed: int, color: bool, width: int) -> str:
    faulty = [each for each in summary.tools if each.faulty.count]
    rows = [
        (
            shown(each.tool, NAME),
            [counted(each.faulty), percent(each.faulty.value), str(each.sequences.count), _first(each.tags)],
        )
        for each in faulty[:listed]
    ]
    heads = ["faulty calls", "share", "sequences", "mostly"]
    # the tools that are left out come last, so that where one without a faulty call is told, all with any are
    is_cut = "tools" in summary.cut and len(faulty) == len(summary.tools)
    return listing("by tool", heads, rows, faulty, color, width, is_cut=is_cut)


def _parameters(summary: Summary, listed: int, color: bool, width: int) -> str:
    faulty = summary.parameters
    rows = [
        (
            shown(place(each.tool, each.parameter), 60),
            [counted(each.faulty), percent(each.faulty.value), _first(each.tags)],
        )
        for each in faulty[:listed]
    ]
    heads = ["faulty calls", "share", "mostly"]
    return listing("by parameter", heads, rows, faulty, color, width, is_cut="parameters" in summary.cut)


def _first(tags: dict[Tag, int]) -> str:
    return next(iter(tags), "-")


def _steps(summary: Summary, color: bool) -> str:
    rows = [
        (str(each.step + 1), counted(each.faulty), counted(each.stopped), percent(each.stopped.value))
        for each in summary.steps
    ]
    return table(("by step", "faulty", "stopped here", "share"), rows, color) if rows else ""


def _faults(summary: Summary, listed: int, color: bool, width: int) -> Iterator[str]:
    if not summary.faults or not listed:
        return
    yield bold("most frequent faults", color)
    for number, each in enumerate(summary.faults[:listed], start=1):
        share = f"{count(each.sequences.count, 'sequence')}, {percent(each.sequences.value)}"
        title = f"{number}. {fault_title(each)} ({share})"
        yield from wrapped([title], width)
        yield from example_lines(each.example, width)
    more = left_out(max(len(summary.faults) - listed, 0), is_cut="faults" in summary.cut)
    if more:
        yield more


def _troubles(troubles: Sequence[Trouble], total: int, listed: int, color: bool, width: int) -> Iterator[str]:
    if not total or not listed:
        return
    yield bold(f"cannot be executed: {total}", color)
    for each in troubles[:listed]:
        yield from told_lines(f"{shown(each.name, 60)}: ", each.outcome, f": {each.why}", color, width)
    if total > min(listed, len(troubles)):
        yield f"({total - min(listed, len(troubles))} more)"


def _times(summary: Summary, color: bool) -> str:
    times = summary.times
    if times is None:
        return ""
    told = (times.mean, times.p50, times.p95, times.p99, times.max)
    heads = ("sequences timed", "mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms")
    return table(heads, [(str(times.count), *map(milliseconds, told))], color)
