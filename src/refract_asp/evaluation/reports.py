"""What is told of runs: blocks of a report, and reports as text and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation.figures import (
    FaultFigures,
    Figures,
    Grouping,
    RunSummary,
    Summary,
    SystemFigures,
    TagFigures,
)
from refract_asp.evaluation.layout import (
    LISTED,
    Block,
    Cell,
    Headline,
    Items,
    Outside,
    Table,
    Term,
    Verdict,
    as_markdown,
    as_text,
    code,
    linked,
    more_text,
)
from refract_asp.evaluation.measures import (
    CASE_MEANS,
    CASE_MEASURES,
    MEASURES,
    Measure,
    told_measures,
)
from refract_asp.evaluation.runs import Line, Run, errors_of, misses_of
from refract_asp.evaluation.summary import rank
from refract_asp.evaluation.versus import (
    UNLIKELY,
    Change,
    Compared,
    Duel,
    FaultChange,
    Moved,
    TagChange,
    Versus,
)
from refract_asp.model.diagnostic import tag_meanings
from refract_asp.model.result import NO_TIME
from refract_asp.model.shares import Times
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
    wrapped,
)

if TYPE_CHECKING:
    from refract_asp.evaluation.rows import Row


GROUPS = 30
"""At most this many values of a field are listed."""

# -- many sequences --------------------------------------------------------------------


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
    if not summary.overall.sequences:
        return "there is no sequence."
    head = shown(source, LONGEST_TEXT)
    lines = [head_line(summary, head), f"{_outcomes_line(summary.overall)}."]
    blocks = as_text(summary_blocks(summary, listed), color, width)
    return "\n\n".join(["\n".join(wrapped(lines, width)), *blocks])


def summary_markdown(summary: Summary, source: str = "") -> str:
    """Return a run as Markdown: its shares, groups of sequences, and folded away what goes wrong."""
    title = code(source, LONGEST_TEXT) if source else ""
    if not summary.overall.sequences:
        return as_markdown(title, ["There is no sequence."], [])
    head = f"{head_line(summary)} {_outcomes_line(summary.overall)}."
    return as_markdown(title, [head.replace("_", "\\_")], summary_blocks(summary, LISTED))


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


def _outcomes_line(figures: Figures) -> str:
    return ", ".join(f"{found.count} {outcome}" for outcome, found in figures.outcomes.items())


def summary_blocks(summary: Summary, listed: int) -> Iterator[Block]:
    """Yield what is told of a run: at most `listed` tools, parameters, faults and sequences."""
    shares = summary.overall.shares
    measured = [
        (_term(measure), found, f"{100 * found.low:.1f} - {100 * found.high:.1f} %")
        for measure in told_measures(MEASURES, shares)
        for found in [shares[measure.name]]
    ]
    yield Table("all sequences", ("share", "95 % interval"), measured, is_main=True)
    yield from map(_grouping, summary.groupings)
    for title, tags in (
        ("mistakes by kind", summary.tags),
        ("against the ground truth", summary.truth_tags),
    ):
        kinds = [(_term(each), each.sequences, each.count) for each in tags]
        yield Table(title, ("sequences", "mistakes"), kinds, drawn=(0,))
    tools = [each for each in summary.tools if each.faulty.count]
    yield Table(
        "by tool",
        ("faulty calls", "sequences", "mostly"),
        [
            (Outside(each.tool), each.faulty, each.sequences.count, next(iter(each.tags), "-"))
            for each in tools[:listed]
        ],
        optional=True,
        # the tools without a faulty call come last: where one is told, all others are
        more=more_text(
            len(tools) - listed, "tools" in summary.cut and len(tools) == len(summary.tools)
        ),
        drawn=(0,),
    )
    yield Table(
        "by parameter",
        ("faulty calls", "mostly"),
        [
            (Outside(place(each.tool, each.parameter)), each.faulty, next(iter(each.tags), "-"))
            for each in summary.parameters[:listed]
        ],
        optional=True,
        longest=60,
        more=more_text(len(summary.parameters) - listed, "parameters" in summary.cut),
    )
    steps = [(str(each.step + 1), each.faulty, each.stopped) for each in summary.steps]
    yield Table("by step", ("faulty", "stopped here"), steps, drawn=(0, 1))
    if listed:
        yield _faults("most frequent faults", summary.faults, listed, "faults" in summary.cut)
        troubles = [
            [[_name(each.name, each.number), ": ", Verdict(each.outcome), ": ", Outside(each.why)]]
            for each in summary.troubles[:listed]
        ]
        more = more_text(summary.troubled - len(troubles))
        yield Items("cannot be executed", troubles, more, summary.troubled)
    if (found := summary.times) is not None:
        heads = ("mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms")
        yield Table("sequences timed", heads, [(str(found.count), *_times(found, found.mean))])


def _term(named: Measure | TagFigures | TagChange) -> Term:
    """Return what a measure or a kind of mistake is called, with what it means."""
    if isinstance(named, Measure):
        term, note = Term(named.title), named.meaning
    else:
        term, note = Term(named.tag), tag_meanings()[named.tag]
    term.note = note
    return term


def _name(name: str, number: int) -> Outside:
    return linked(shown(name, 60), number)


def _times(found: Times, *first: float) -> list[str]:
    return [milliseconds(each) for each in (*first, found.p50, found.p95, found.p99, found.max)]


COLUMNS = {
    "valid": "valid",
    "executable": "executable",
    "repairable": "repaired",
    "faulty_calls": "faulty calls",
    "left_out": "calls left out",
    "restored": "restored",
}
"""The measures that are told of groups, and what they are called above a column."""


def _grouping(grouping: Grouping) -> Table:
    several = [group.figures.shares for group in grouping.groups]
    names = [each.name for each in told_measures(MEASURES, *several) if each.name in COLUMNS]
    left = len(grouping.groups) - GROUPS
    more = [
        f"{left} more values" if left > 0 else "",
        f"{count(grouping.beyond, 'sequence')} of further values" if grouping.beyond else "",
        f"{count(grouping.without, 'sequence')} without" if grouping.without else "",
    ]
    return Table(
        "by",
        ("sequences", *(COLUMNS[name] for name in names)),
        [
            (
                Outside(group_name(group.value)),
                group.figures.sequences,
                *(group.figures.shares.get(name) for name in names),
            )
            for group in grouping.groups[:GROUPS]
        ],
        of=grouping.field,
        details=("full", "short"),
        is_main=True,
        more=f"({', '.join(filter(None, more))})" if any(more) else "",
        drawn=(2 if "executable" in names else 1,),
    )


def group_name(value: bool | int | float | str) -> str:
    """Return the value of a group as it is written in JSON, a text without its quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or "(empty)"


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


def _faults(
    title: str, faults: Sequence[FaultFigures | FaultChange], listed: int, is_cut: bool = False
) -> Items:
    """Return the first faults, each with an example."""
    items = []
    for each in faults[:listed]:
        found = each.sequences
        often = (
            count(found, "sequence") if isinstance(found, int) else count(found.count, "sequence")
        )
        often += "" if isinstance(found, int) else f", {percent(found.value)}"
        item = [[Outside(fault_title(each)), f" ({often})"]]
        if (example := each.example) is not None:
            name = linked(shown(example.name), example.number)
            item.append(["in ", name, ": ", Outside(example.message)])
            item += [["fix: ", Outside(example.fix)]] if example.fix is not None else []
        items.append(item)
    return Items(
        title, items, more_text(len(faults) - listed, is_cut and bool(faults)), numbered=True
    )


# -- two runs of many sequences -----------------------------------------------------------

_PAIRED = {"id": "by id", "input": "by what came in", "place": "by place", "number": "by number"}


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
    heads = [f"A: {shown(a, LONGEST_TEXT)}", f"B: {shown(b, LONGEST_TEXT)}"] if a and b else []
    verdict = verdict_on(found)
    if color:
        verdict = painted(verdict, "red" if found.is_worse else "green")
    first, *blocks = as_text(versus_blocks(found, listed), color, width)
    lines = ["\n".join(wrapped([*heads, *left_out_lines(found)], width)) + f"\n{verdict}", first]
    lines += ["\n".join(wrapped([line], width)) for line in _unlikely(found)]
    return "\n\n".join([*lines, *blocks])


def versus_markdown(found: Versus, a: str = "", b: str = "") -> str:
    """Return two runs side by side as Markdown; `a` is what the first one is called."""
    names = f"- A: {code(a, LONGEST_TEXT)}\n- B: {code(b, LONGEST_TEXT)}" if a and b else ""
    verdict = f"**{verdict_on(found)}** {' '.join(left_out_lines(found))}"
    first, *blocks = versus_blocks(found, LISTED)
    return as_markdown("two runs", [names, verdict, *_unlikely(found)], [first, *blocks])


def verdict_on(found: Versus) -> str:
    """Say in one sentence whether the second run is worse."""
    titles = [measure.title for measure in MEASURES if measure.name in found.worse_measures]
    text = f"{found.worse or 'none'} got worse, {found.better or 'none'} got better"
    return f"{text}; hardly by chance: {', '.join(titles)}." if titles else f"{text}."


def _unlikely(found: Versus) -> list[str]:
    """Say of each measure that changed, and hardly by chance, how likely that would be."""
    titles = {measure.name: measure.title for measure in MEASURES}
    return [
        f"{titles[change.name]}: {chance_text(change.p_value)}"
        for change in found.changes
        if change.p_value <= UNLIKELY
    ]


def left_out_lines(found: Versus) -> list[str]:
    """Say which sequences both runs have, and how they were paired."""
    by = ", ".join(f"{number} {_PAIRED[each]}" for each, number in found.paired_by.items())
    same = "all came in the same"
    if found.same_input != found.sequences:
        same = f"{found.same_input or 'none'} of them came in the same"
    lines = [f"{count(found.sequences, 'sequence')} in both ({by}); {same}."]
    parts = left_out(found, f"{found.unlike} that were not treated alike" if found.unlike else "")
    return [*lines, f"left out: {parts}."] if parts else lines


def left_out(found: Versus | Compared, first: str) -> str:
    """Say what is left out of a comparison."""
    only_a = f"{found.only_a} only in A" if found.only_a else ""
    only_b = f"{found.only_b} only in B" if found.only_b else ""
    return ", ".join(filter(None, (first, only_a, only_b)))


def told_changes(found: Versus) -> list[tuple[Measure, Change]]:
    """Return how the measures changed that say something, in the order of the reports."""
    named = {change.name: change for change in found.changes}
    sides = [{name: getattr(change, side) for name, change in named.items()} for side in "ab"]
    return [(measure, named[measure.name]) for measure in told_measures(MEASURES, *sides)]


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


def versus_blocks(found: Versus, listed: int) -> Iterator[Block]:
    """Yield what is told of two runs: at most `listed` entries of each list."""
    changes = [
        (_term(each), by.a, by.b, difference(by.difference), by.only_a, by.only_b)
        for each, by in told_changes(found)
    ]
    yield Table("in both", ("A", "B", "B-A", "more A", "more B"), changes, is_main=True)
    for title, moved, total in (
        ("got worse", found.got_worse, found.worse),
        ("got better", found.got_better, found.better),
    ):
        items = list(map(_moved, moved[:listed]))
        yield Items(title, items, more_text(total - len(items)), total)
    yield _faults("new faults", found.new_faults, listed)
    yield _faults("faults that are gone", found.gone_faults, listed)
    tags = [
        (_term(by), by.a.count, by.b.count, by.only_a, by.only_b, f"{by.p_value:.3f}")
        for by in found.tags
    ]
    yield Table("sequences with", ("A", "B", "only A", "only B", "p"), tags)
    tools = [
        (Outside(by.tool), by.a, by.b, difference(by.difference), f"{by.p_value:.3f}")
        for by in found.tools[:listed]
    ]
    more = more_text(len(found.tools) - listed)
    yield Table("faulty calls of", ("A", "B", "B-A", "p"), tools, more=more)
    same = "came in the same, but other calls are to be made"
    yield _names(same, found.differ, found.differing)
    yield _names("only in A", found.names_only_a, found.only_a)
    yield _names("only in B", found.names_only_b, found.only_b)


def _moved(each: Moved) -> list[list[str]]:
    how = "" if each.same_input else " (came in otherwise)"
    why = [": ", Outside(each.why)] if each.why else []
    before, after = Verdict(each.before), Verdict(each.after)
    return [[_name(each.name, each.b), f"{how}: ", before, " -> ", after, *why]]


def _names(title: str, names: Sequence[str], total: int, listed: int = LISTED) -> Items:
    """Return the first names of sequences or cases."""
    items = [[[Outside(shown(name, 60))]] for name in names[:listed]]
    more = f" and {total - len(items)} more" if total > len(items) else ""
    return Items(title, items, more, in_line=True)


# -- systems over cases ------------------------------------------------------------------

SHORT = 32
"""Characters of the name of a system, a kind or a value of a dial."""
_COLORS: dict[str, Style] = {"+": "green", "-": "red"}


class Series(NamedTuple):
    """A system of one of the runs, as it is called in a report."""

    title: str
    run: Run
    summary: RunSummary
    system: str

    @property
    def figures(self) -> SystemFigures:
        """What it did on all cases."""
        return self.summary.overall.figures[self.system]


def run_text(
    run: Run, summary: RunSummary, *, misses: int = 0, color: bool = False, width: int = 80
) -> str:
    """
    Print a run: the figures of each system, by kind and by dials, the times, and the first `misses` misses.

    The misses are those of the first system. Columns that do not fit into `width` go into a further table.
    """
    series = [Series(shown(name, SHORT), run, summary, name) for name in run.systems]
    errors = [line for system in run.systems for line in errors_of(run, system)]
    blocks = [
        "\n".join(wrapped(head_lines(run), width)),
        *as_text(run_blocks(series, width >= 24 + 34 * len(series)), color, width),
        "\n".join(wrapped(errors, width)),
        *(_missed(run, next(iter(run.systems)), misses, color, width) if misses > 0 else ()),
    ]
    return "\n\n".join(filter(None, blocks))


def run_blocks(series: Sequence[Series], is_wide: bool = True) -> Iterator[Block]:
    """Yield what is told of systems over cases, a column for each; of wide ones with intervals."""
    titles = [each.title for each in series]
    shares = [each.figures.shares for each in series]
    rows: list[tuple[Cell, ...]] = [
        (_term(measure), *(each.get(measure.name) for each in shares))
        for measure in told_measures(CASE_MEASURES, *shares)
    ]
    for mean in CASE_MEANS:
        means = [each.figures.means.get(mean.name) for each in series]
        rows += [(_term(mean), *means)] if any(each is not None for each in means) else []
    yield Table("all cases", titles, rows, details=("interval",) if is_wide else ("full",))
    groups = [each.summary.groups for each in series]
    for by in dict.fromkeys(by for each in groups for by, found in each.items() if found):
        yield _restored_by(by, series)
    times = [(name, *_times(found)) for name, _, found in times_of_systems(series)]
    yield Table("milliseconds", ("p50", "p95", "p99", "max"), times)


def _restored_by(by: str, series: Sequence[Series]) -> Table:
    """Return what is restored of each group of cases; a run may have none of a group."""
    columns = [
        {rank(group.value): group for group in each.summary.groups.get(by, ())} for each in series
    ]
    known = {key: group for groups in reversed(columns) for key, group in groups.items()}
    rows: list[tuple[Cell, ...]] = []
    for key in sorted(known):
        value = known[key].value
        cells = [
            Headline(*groups[key].figures[each.system].headline) if key in groups else None
            for each, groups in zip(series, columns, strict=True)
        ]
        name = "-" if value in ("", None) else shown(value, SHORT)
        rows.append((name, known[key].cases, *cells))
    return Table(
        f"restored by {shown(by, SHORT)}",
        ("cases", *(each.title for each in series)),
        rows,
        details=("full", "short"),
        drawn=range(1, len(series) + 1),
    )


def times_of_systems(series: Sequence[Series]) -> list[tuple[str, int, Times]]:
    """Return how long systems took: what, by the number of which one, and the times."""
    return [
        (f"{each.title}, {what}", number, found)
        for number, each in enumerate(series)
        for what, found in (("check", each.figures.check), ("answer", each.figures.repair))
        if found is not None
    ]


def compared_text(found: Compared, a: Run, b: Run, *, color: bool = False, width: int = 80) -> str:
    """Print two runs against each other: by kind, which cases were won and lost, whether it may be chance."""
    lines = [f"A: {_source(a)}", f"B: {_source(b)}", *compared_lines(found)]
    blocks = ["\n".join(wrapped(lines, width))]
    for duel in found.duels:
        first, *others = as_text(duel_blocks(duel), color, width)
        chance = wrapped([chance_text(duel.p_value)] if others else [], width)
        blocks.append("\n".join([first, *chance, *others]))
    return "\n\n".join(blocks)


def compared_lines(found: Compared) -> list[str]:
    """Say which cases both runs have, and what is left out."""
    same = "case does not say the same", "cases do not say the same"
    changed = f"{count(found.changed, *same)} in both" if found.changed else ""
    parts = left_out(found, changed)
    return [f"{count(found.cases, 'case')} in both{f'; left out: {parts}' if parts else ''}."]


def duel_blocks(duel: Duel, listed: int = LISTED) -> list[Block]:
    """Return what is told of two systems: by kind and together, and the cases that one alone answers."""
    name = ", ".join(dict.fromkeys((shown(duel.a, SHORT), shown(duel.b, SHORT))))
    rows: list[tuple[Cell, ...]] = [
        (
            each.kind or "-",
            each.cases,
            each.a,
            each.b,
            f"{each.b - each.a:+}",
            each.only_a,
            each.only_b,
        )
        for each in duel.kinds
    ]
    both = (duel.cases, duel.a_right, duel.b_right, f"{duel.b_right - duel.a_right:+}")
    rows.append(("together", *both, len(duel.lost), len(duel.won)))
    heads = ("cases", "A", "B", "B-A", "only A", "only B")
    return [
        Table(f"{name}: as expected", heads, rows, longest=SHORT),
        _names("only A", duel.lost, len(duel.lost), listed),
        _names("only B", duel.won, len(duel.won), listed),
    ]


def head_lines(run: Run) -> list[str]:
    """Say what was run, and in further lines what is to be known of it."""
    right = sum(row.right for row in run.rows)
    uninformed = sum(not row.informed for row in run.rows)
    source = f"{shown(run.cases.source)}: " if run.cases.source else ""
    lost = f"; {uninformed} whose information is lost" if uninformed else ""
    lines = [f"{source}{count(len(run.rows), 'case')}, {right or 'none'} of them right{lost}."]
    if not run.complete:
        lines.append("interrupted: this is what was found so far.")
    if run.cases.skipped:
        lines.append(f"{count(run.cases.skipped, 'line was', 'lines were')} skipped.")
    return lines


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
    named = options.items() if isinstance(options, dict) else ()
    return [f"{shown(name)}={shown(value)}" for name, value in named]


def _missed(run: Run, system: str, most: int, color: bool, width: int) -> Iterator[str]:
    total = sum(not row.scores[system].restored for row in run.rows)
    for number, miss in enumerate(islice(misses_of(run, system), most), start=1):
        kind = f" ({shown(miss.kind, SHORT)})" if miss.kind else ""
        head = f"{shown(system, SHORT)}, miss {number} of {total}: {shown(miss.id)}{kind}"
        lines = [painted(head, "bold") if color else head]
        lines += wrapped([shown(text, 300) for text in (miss.what, miss.said) if text], width, "  ")
        lines += _diff(miss.answer, color) or ["  (nothing was changed)"]
        lines += ["wanted:", *_diff(miss.wanted, color)] if miss.wanted else []
        yield "\n".join(lines)


def _diff(lines: Iterable[Line], color: bool) -> list[str]:
    told = [(mark, f"{mark} {escaped(text)}") for mark, text in lines]
    return [
        painted(text, _COLORS[mark]) if color and mark in _COLORS else text for mark, text in told
    ]


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
