"""What the reports of batches say alike: as text, in Markdown, on a page."""

from __future__ import annotations

from refract_asp.batch.changes import Change, FaultChange, Versus
from refract_asp.batch.figures import FaultFigures, Figures, Grouping, Summary
from refract_asp.batch.measures import MEASURES, Measure, measures_told
from refract_asp.model.shares import Share
from refract_asp.report.tables import count, percent

__all__ = [
    "columns_of",
    "counted",
    "difference",
    "fault_title",
    "group_name",
    "head_line",
    "interval",
    "left_out_lines",
    "outcomes_line",
    "place",
    "share_text",
    "told_changes",
    "verdict_on",
]

_COLUMNS = ("valid", "executable", "repairable", "faulty_calls", "left_out", "restored")
"""The measures that are told of groups."""
_PAIRED = {"id": "by id", "input": "by what came in", "place": "by place", "number": "by number"}


def head_line(summary: Summary, source: str = "") -> str:
    """Say what was run, and how."""
    overall = summary.overall
    modes = [
        mode if number == overall.sequences else f"{number} {mode}" for mode, number in summary.modes.items()
    ]
    if summary.stepwise:
        number = "" if summary.stepwise == overall.sequences else f"{summary.stepwise} "
        modes.append(f"{number}step by step")
    told = f"{count(overall.sequences, 'sequence')} of {count(overall.calls, 'call')}"
    done = f" ({', '.join(modes)})" if modes else ""
    return f"{source}: {told}{done}." if source else f"{told}{done}."


def outcomes_line(figures: Figures) -> str:
    """
    Return how many sequences have which verdict.

    Example:
        >>> from refract_asp.model.shares import share
        >>> outcomes = {"valid": share(3, 4), "error": share(1, 4)}
        >>> outcomes_line(Figures(sequences=4, calls=9, outcomes=outcomes, shares={}))
        '3 valid, 1 error'
    """
    return ", ".join(f"{found.count} {outcome}" for outcome, found in figures.outcomes.items())


def counted(found: Share | None) -> str:
    """Return a share as numbers, a dash where there is none."""
    return "-" if found is None else f"{found.count}/{found.of}"


def interval(found: Share) -> str:
    """
    Return in percent between which shares the true one lies with 95 % certainty.

    Example:
        >>> from refract_asp.model.shares import share
        >>> interval(share(3, 4))
        '30.1 - 95.4 %'
    """
    return f"{100 * found.low:.1f} - {100 * found.high:.1f} %"


def place(tool: str, parameter: str | None) -> str:
    """
    Return the argument or the call in which something is wrong.

    Example:
        >>> place("Search", "query"), place("Search", None), place("", None)
        ('Search.query', 'Search', '(no call)')
    """
    if parameter is None:
        return tool or "(no call)"
    return f"{tool}.{parameter}" if tool else f"(returned).{parameter}"


def fault_title(fault: FaultFigures | FaultChange) -> str:
    """Return what is wrong, where, and with which text."""
    where = place(fault.tool, fault.parameter)
    if fault.attempted is None or fault.attempted in (fault.tool, fault.parameter):
        return f"{fault.code} at {where}"
    return f"{fault.code} at {where}: {fault.attempted}"


def columns_of(grouping: Grouping) -> list[Measure]:
    """Return the measures by which the groups of a field are told."""
    several = [group.figures.shares for group in grouping.groups]
    return [measure for measure in measures_told(*several) if measure.name in _COLUMNS]


def group_name(value: bool | int | float | str) -> str:
    """Return the value of a group as it is written in JSON, a text without its quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or "(empty)"


# -- two runs ------------------------------------------------------------------


def told_changes(found: Versus) -> list[tuple[Measure, Change]]:
    """Return how the measures changed that say something, in the order of the reports."""
    named = {change.name: change for change in found.changes}
    told = measures_told(
        {name: change.a for name, change in named.items()}, {name: change.b for name, change in named.items()}
    )
    return [(measure, named[measure.name]) for measure in told]


def difference(value: float | None) -> str:
    """
    Return by how much a share changed, in percent points.

    Example:
        >>> difference(-0.125), difference(0.0), difference(0.0001), difference(None)
        ('-12.5', '0', '+0.1', '-')
    """
    if value is None:
        return "-"
    if not value:
        return "0"
    return f"{'+' if value > 0 else '-'}{max(0.1, abs(100 * value)):.1f}"


def left_out_lines(found: Versus) -> list[str]:
    """Say which sequences both runs have, and how they were paired."""
    by = ", ".join(f"{number} {_PAIRED[each]}" for each, number in found.paired_by.items())
    lines = [f"{count(found.sequences, 'sequence')} in both ({by}); {_same(found)}."]
    left_out = [
        f"{found.unlike} that were not treated alike" if found.unlike else "",
        f"{found.only_a} only in A" if found.only_a else "",
        f"{found.only_b} only in B" if found.only_b else "",
    ]
    if any(left_out):
        lines.append(f"left out: {', '.join(each for each in left_out if each)}.")
    return lines


def _same(found: Versus) -> str:
    if found.same_input == found.sequences:
        return "all came in the same"
    return f"{found.same_input or 'none'} of them came in the same"


def verdict_on(found: Versus) -> str:
    """Say in one sentence whether the second run is worse."""
    titles = [measure.title for measure in MEASURES if measure.name in found.worse_measures]
    text = f"{found.worse or 'none'} got worse, {found.better or 'none'} got better"
    return f"{text}; hardly by chance: {', '.join(titles)}." if titles else f"{text}."


def share_text(found: Share | None) -> str:
    """Return a share as numbers and in percent."""
    return "-" if found is None else f"{found.count}/{found.of}  {percent(found.value):>6}"
