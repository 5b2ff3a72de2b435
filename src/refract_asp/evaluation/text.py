"""A run of many sequences, or two side by side, as text for a terminal; what all reports say alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation.figures import (
    FaultFigures,
    Figures,
    Grouping,
    Summary,
    TagFigures,
)
from refract_asp.evaluation.measures import MEASURES, Measure, measures_told
from refract_asp.evaluation.versus import UNLIKELY, Change, FaultChange, Moved, Versus
from refract_asp.model.result import NO_TIME
from refract_asp.model.shares import Share
from refract_asp.model.tags import Tag
from refract_asp.report.annotations import annotation
from refract_asp.report.diagnostics import sentence_text, told_text
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

if TYPE_CHECKING:
    from refract_asp.evaluation.rows import Row

__all__ = [
    "Printer",
    "columns_of",
    "counted",
    "difference",
    "fault_title",
    "group_name",
    "head_line",
    "interval",
    "interval_in_brackets",
    "left_out_lines",
    "lint_annotations",
    "lint_lines",
    "outcomes_line",
    "place",
    "summary_text",
    "told_changes",
    "verdict_on",
    "versus_text",
]

_COLUMNS = ("valid", "executable", "repairable", "faulty_calls", "left_out", "restored")
"""The measures that are told of groups."""
_PAIRED = {"id": "by id", "input": "by what came in", "place": "by place", "number": "by number"}


def head_line(summary: Summary, source: str = "") -> str:
    """Say what was run, and how."""
    overall = summary.overall
    modes = [
        mode if number == overall.sequences else f"{number} {mode}"
        for mode, number in summary.modes.items()
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


def interval_in_brackets(found: Share) -> str:
    """Return the same for a small cell of a page."""
    low, high = (f"{100 * bound:.1f}".removesuffix(".0") for bound in (found.low, found.high))
    return f"[{low},\u00a0{high}]"


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
    return [measure for measure in measures_told(MEASURES, *several) if measure.name in _COLUMNS]


def group_name(value: bool | int | float | str) -> str:
    """Return the value of a group as it is written in JSON, a text without its quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or "(empty)"


# -- two runs ------------------------------------------------------------------


def told_changes(found: Versus) -> list[tuple[Measure, Change]]:
    """Return how the measures changed that say something, in the order of the reports."""
    named = {change.name: change for change in found.changes}
    sides = (
        {name: change.a for name, change in named.items()},
        {name: change.b for name, change in named.items()},
    )
    return [(measure, named[measure.name]) for measure in measures_told(MEASURES, *sides)]


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


# -- as text ---------------------------------------------------------------------

NAME = 40
"""Characters of a name in a table."""
LISTED = 10
"""At most this many tools, faults and sequences are listed, unless another number is given."""
GROUPS = 30
"""At most this many values of a field are listed."""
_OUTCOME: dict[str, Style] = {"valid": "green", "repaired": "green", "needs_input": "yellow"}


def summary_text(
    summary: Summary,
    source: str = "",
    *,
    listed: int = LISTED,
    color: bool = False,
    width: int = 80,
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
    printer = Printer(listed, color, width)
    overall, times = summary.overall, summary.times
    heads = [head_line(summary, shown(source, LONGEST_TEXT)), f"{outcomes_line(overall)}."]
    tools = [each for each in summary.tools if each.faulty.count]
    blocks = [
        printer.lines(heads) if overall.sequences else "there is no sequence.",
        printer.table(
            ("all sequences", "", "share", "95 % interval"),
            [
                (measure.title, counted(found), percent(found.value), interval(found))
                for measure in measures_told(MEASURES, overall.shares)
                for found in [overall.shares[measure.name]]
            ],
        ),
        *map(printer.grouping, summary.groupings),
        printer.tags("mistakes by kind", summary.tags),
        printer.tags("against the ground truth", summary.truth_tags),
        printer.listing(
            "by tool",
            ("faulty calls", "share", "sequences", "mostly"),
            [
                (each.tool, *_faulty(each.faulty), each.sequences.count, _first(each.tags))
                for each in tools
            ],
            # the tools without a faulty call come last: where one is told, all others are
            is_cut="tools" in summary.cut and len(tools) == len(summary.tools),
        ),
        printer.listing(
            "by parameter",
            ("faulty calls", "share", "mostly"),
            [
                (place(each.tool, each.parameter), *_faulty(each.faulty), _first(each.tags))
                for each in summary.parameters
            ],
            is_cut="parameters" in summary.cut,
            longest=60,
        ),
        printer.table(
            ("by step", "faulty", "stopped here", "share"),
            [
                (str(each.step + 1), counted(each.faulty), *_faulty(each.stopped))
                for each in summary.steps
            ],
        ),
        printer.faults(
            "most frequent faults", summary.faults if listed else (), is_cut="faults" in summary.cut
        ),
        printer.sequences(
            "cannot be executed",
            [
                (f"{shown(each.name, 60)}: ", each.outcome, f": {each.why}")
                for each in summary.troubles
            ],
            summary.troubled if listed else 0,
        ),
        printer.table(
            ("sequences timed", "mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms"),
            [
                (
                    str(each.count),
                    *map(milliseconds, (each.mean, each.p50, each.p95, each.p99, each.max)),
                )
                for each in [times]
                if each is not None
            ],
        ),
    ]
    return "\n\n".join(block for block in blocks if block)


def versus_text(
    found: Versus,
    a: str = "",
    b: str = "",
    *,
    listed: int = LISTED,
    color: bool = False,
    width: int = 80,
) -> str:
    """Print two runs side by side: how each share changed, what got worse, what is new; `a` came first."""
    printer = Printer(listed, color, width)
    heads = [f"A: {shown(a, LONGEST_TEXT)}", f"B: {shown(b, LONGEST_TEXT)}"] if a and b else []
    verdict = verdict_on(found)
    if color:
        verdict = painted(verdict, "red" if found.is_worse else "green")
    changes = told_changes(found)
    blocks = [
        f"{printer.lines([*heads, *left_out_lines(found)])}\n{verdict}",
        printer.table(
            ("in both", "A", "B", "B-A", "more A", "more B"),
            [
                (
                    measure.title,
                    " ".join(_faulty(change.a)),
                    " ".join(_faulty(change.b)),
                    difference(change.difference),
                    change.only_a,
                    change.only_b,
                )
                for measure, change in changes
            ],
        ),
        *(
            printer.lines([f"{measure.title}: {chance_text(change.p_value)}"])
            for measure, change in changes
            if change.p_value <= UNLIKELY
        ),
        printer.sequences("got worse", map(_moved, found.got_worse), found.worse),
        printer.sequences("got better", map(_moved, found.got_better), found.better),
        printer.faults("new faults", found.new_faults),
        printer.faults("faults that are gone", found.gone_faults),
        printer.table(
            ("sequences with", "A", "B", "only A", "only B", "p"),
            [
                (
                    each.tag,
                    each.a.count,
                    each.b.count,
                    each.only_a,
                    each.only_b,
                    f"{each.p_value:.3f}",
                )
                for each in found.tags
            ],
        ),
        printer.listing(
            "faulty calls of",
            ("A", "B", "B-A", "p"),
            [
                (
                    each.tool,
                    counted(each.a),
                    counted(each.b),
                    difference(each.difference),
                    f"{each.p_value:.3f}",
                )
                for each in found.tools
            ],
        ),
        printer.names(
            "came in the same, but other calls are to be made", found.differ, found.differing
        ),
        printer.names("only in A", found.names_only_a, found.only_a),
        printer.names("only in B", found.names_only_b, found.only_b),
    ]
    return "\n\n".join(block for block in blocks if block)


def _faulty(found: Share) -> tuple[str, str]:
    return counted(found), percent(found.value)


def _first(tags: dict[Tag, int]) -> str:
    return next(iter(tags), "-")


def _moved(each: Moved) -> tuple[str, str, str]:
    name = (
        shown(each.name, 60) if each.same_input else f"{shown(each.name, 60)} (came in otherwise)"
    )
    return f"{name}: {each.before} -> ", each.after, f": {each.why}" if each.why else ""


class Printer(NamedTuple):
    """Lays out blocks of a report; one about nothing is empty."""

    listed: int
    color: bool
    width: int

    def lines(self, texts: Iterable[str], indent: str = "") -> str:
        """Return texts, wrapped."""
        return "\n".join(wrapped(texts, self.width, indent))

    def title(self, text: str) -> str:
        """Return a heading."""
        return painted(text, "bold") if self.color else text

    def table(self, heads: tuple[str, ...], rows: Sequence[tuple[str | int, ...]]) -> str:
        """Return a table."""
        return table(heads, rows, self.color) if rows else ""

    def first_that_fits(
        self, title: str, heads: Sequence[str], rows: Iterable[Sequence[tuple[str, Sequence[str]]]]
    ) -> str:
        """Return the first of several tables that fits into the width; else the last one, in parts."""
        parts: list[str] = []
        for each in rows:
            parts = list(tables(title, heads, each, self.color, self.width))
            if len(parts) == 1:
                break
        return "\n\n".join(parts)

    def tags(self, title: str, tags: Sequence[TagFigures]) -> str:
        """Return a table of kinds of mistakes."""
        rows = [(each.tag, *_faulty(each.sequences), each.count) for each in tags]
        return self.table((title, "sequences", "share", "mistakes"), rows)

    def listing(
        self,
        title: str,
        heads: Sequence[str],
        found: Sequence[tuple[str | int, ...]],
        *,
        is_cut: bool = False,
        longest: int = NAME,
    ) -> str:
        """Return a table of the first rows; its last column is left out where there is no room for it."""
        rows = [
            (shown(name, longest), [str(cell) for cell in cells])
            for name, *cells in found[: self.listed]
        ]
        if not rows:
            return ""
        parts = list(tables(title, heads, rows, self.color, self.width))
        if len(parts) > 1:
            short = [(name, cells[:-1]) for name, cells in rows]
            parts = list(tables(title, heads[:-1], short, self.color, self.width))
        more = _more(len(found) - len(rows), is_cut)
        return "\n\n".join(parts) + (f"\n{more}" if more else "")

    def grouping(self, grouping: Grouping) -> str:
        """Return a table of the groups; what does not fit into the width is told in percent alone."""
        measures = columns_of(grouping)
        groups = grouping.groups[:GROUPS]
        heads = ["sequences", *(measure.head for measure in measures)]
        found = []
        for cell in ("{counted}  {share:>6}", "{share}"):
            rows = []
            for group in groups:
                shares = [group.figures.shares.get(measure.name) for measure in measures]
                cells = [
                    cell.format(counted=counted(each), share=percent(each.value)) if each else "-"
                    for each in shares
                ]
                rows.append(
                    (shown(group_name(group.value), NAME), [str(group.figures.sequences), *cells])
                )
            found.append(rows)
        text = self.first_that_fits(f"by {shown(grouping.field, NAME)}", heads, found)
        left = len(grouping.groups) - len(groups)
        more = [
            f"{left} more values" if left else "",
            f"{count(grouping.beyond, 'sequence')} of further values" if grouping.beyond else "",
            f"{count(grouping.without, 'sequence')} without" if grouping.without else "",
        ]
        return f"{text}\n({', '.join(each for each in more if each)})" if any(more) else text

    def faults(
        self, title: str, faults: Sequence[FaultFigures | FaultChange], *, is_cut: bool = False
    ) -> str:
        """Return the first faults, each with an example."""
        if not faults:
            return ""
        lines = [self.title(title)]
        for number, each in enumerate(faults[: self.listed], start=1):
            if isinstance(each.sequences, int):
                often = count(each.sequences, "sequence")
            else:
                often = (
                    f"{count(each.sequences.count, 'sequence')}, {percent(each.sequences.value)}"
                )
            lines.append(self.lines([f"{number}. {fault_title(each)} ({often})"]))
            example = each.example
            if example is not None:
                lines.append(self.lines([f"in {shown(example.name)}: {example.message}"], "   "))
                if example.fix is not None:
                    lines.append(self.lines([f"fix: {example.fix}"], "   "))
        more = _more(max(len(faults) - self.listed, 0), is_cut)
        return "\n".join([*lines, more] if more else lines)

    def sequences(self, title: str, found: Iterable[tuple[str, str, str]], total: int) -> str:
        """Return a line for each of the first sequences, with its verdict in colour."""
        if not total:
            return ""
        lines = [self.title(f"{title}: {total}")]
        listed = list(found)[: self.listed]
        for before, outcome, after in listed:
            line = self.lines([f"{before}{outcome}{after}"])
            if self.color and line.startswith(f"{before}{outcome}"):
                colored = painted(outcome, _OUTCOME.get(outcome, "red"))
                line = f"{before}{colored}{line[len(before) + len(outcome) :]}"
            lines.append(line)
        more = _more(total - len(listed))
        return "\n".join([*lines, more] if more else lines)

    def names(self, title: str, names: Sequence[str], total: int) -> str:
        """Return the first names of sequences."""
        if not total:
            return ""
        listed = [shown(name, 60) for name in names[:LISTED]]
        more = f" and {total - len(listed)} more" if total > len(listed) else ""
        return self.lines([f"{title}: {', '.join(listed)}{more}"])


def _more(count: int, is_cut: bool = False) -> str:
    """Return how many more there are; `is_cut` where those that were counted are not all."""
    if is_cut:
        return f"(at least {count} more)" if count else "(perhaps more)"
    return f"({count} more)" if count else ""


# -- a line for each fault -----------------------------------------------------------

_OPEN = {
    "needs_input": "something has to be asked or confirmed before it can be run",
    "unrepairable": "a call could not be mended",
    "unknown": NO_TIME,
}


class _LintFault(NamedTuple):
    """Something that is wrong: how bad, its code, one sentence, all that is to be told, and what mends it."""

    severity: str
    code: str
    sentence: str
    told: str
    fix: str = ""


def lint_lines(row: Row, *, color: bool = False) -> list[str]:
    """
    Return a line `file:line: error: what is wrong [code]` for each fault of a row; none for a valid one.

    Example:
        >>> from refract_asp.evaluation import analyse
        >>> tools = {"tools": [{"name": "Get", "effect": "read", "parameters": {"id": {}}}]}
        >>> rows = list(analyse([["Get()"], ["Gt(id=3)"]], tools))
        >>> lint_lines(rows[0]), lint_lines(rows[1])
        ([], ['[1]: error: call 1 (Gt): the catalog has no tool Gt [unknown_tool] (Change Gt to Get)'])
    """
    place = escaped(shown(_place(row), LONGEST_TEXT))
    place = painted(place, "bold") if color else place
    lines = []
    for fault in _lint_faults(row):
        word = f"{fault.severity}:"
        if color:
            word = painted(word, "bold", "red" if fault.severity == "error" else "yellow")
        advice = f" ({escaped(fault.fix)})" if fault.fix else ""
        lines.append(f"{place}: {word} {escaped(fault.sentence)} [{fault.code}]{advice}")
    return lines


def lint_annotations(row: Row) -> list[str]:
    """
    Return a workflow command of GitHub for each fault of a row, by which it is marked at its line.

    Example:
        >>> from refract_asp.evaluation import analyse
        >>> row, *_ = analyse([["Gett(id=3)"], []], {"tools": [{"name": "Get", "parameters": {"id": {}}}]})
        >>> lint_annotations(row)[0][:7]
        '::error'
    """
    file, colon, line = row.place.rpartition(":")
    has_line = colon and line.isdecimal()
    place = {"file": escaped(file), "line": line} if has_line else {"file": escaped(row.place)}
    return [
        annotation(fault.severity, place, fault.code, fault.told) for fault in _lint_faults(row)
    ]


def _place(row: Row) -> str:
    """Return where a row stood, with the column where its line could not be read from there on."""
    place, _, said = (row.error or "").partition(": ")
    return place if said and place.startswith(row.place) else row.place


def _lint_faults(row: Row) -> list[_LintFault]:
    if row.error is not None:
        said = escaped(row.error.removeprefix(_place(row)).removeprefix(": "))
        return [_LintFault("error", "error", said, said)]
    found = [
        _LintFault(each.severity, each.code, sentence_text(each), told_text(each), each.fix or "")
        for each in row.diagnostics
    ]
    if not found and row.verdict in _OPEN:
        told = escaped(row.note) or _OPEN[row.verdict]
        return [_LintFault("error", row.verdict, told, told)]
    return found
