"""What is told of runs: blocks of a report, and reports as text and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation.layout import (
    LISTED,
    NAME,
    Block,
    Cell,
    Items,
    Outside,
    Table,
    Verdict,
    as_markdown,
    as_text,
    code,
    more_text,
    named,
    term,
)
from refract_asp.evaluation.measures import (
    FaultFigures,
    Grouping,
    Measure,
    RunSummary,
    Summary,
    measures,
    told_measures,
)
from refract_asp.evaluation.runs import Line, Run, errors_of, misses_of
from refract_asp.evaluation.versus import Change, Compared, Moved, Versus
from refract_asp.model.diagnostic import tag_meanings
from refract_asp.model.result import NO_TIME
from refract_asp.model.shares import Times
from refract_asp.report.annotations import annotation
from refract_asp.report.diagnostics import sentence_text, told_text
from refract_asp.report.diff import painted_diff
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


# At most this many values of a field are listed.
GROUPS = 30

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
    Print a run: its shares, what goes wrong by kind, tool and metadata, and the worst faults.

    Args:
        summary: the run in figures.
        source: where it comes from, as it is to be called.
        listed: how many tools, faults and sequences are listed at most.
        color: whether to colour it.
        width: columns of the terminal; what does not fit goes into a further table.
    """
    if not summary.overall.sequences:
        return "there is no sequence."
    head = "\n".join(wrapped(head_lines(summary, shown(source, LONGEST_TEXT)), width))
    return "\n\n".join([head, *as_text(summary_blocks(summary, listed), color, width)])


def summary_markdown(summary: Summary, source: str = "") -> str:
    """Return a run as Markdown: its shares, groups of sequences, and folded away what goes wrong."""
    title = code(source, LONGEST_TEXT) if source else ""
    if not summary.overall.sequences:
        return as_markdown(title, ["There is no sequence."], [])
    head = " ".join(head_lines(summary)).replace("_", "\\_")
    return as_markdown(title, [head], summary_blocks(summary, LISTED))


def head_lines(summary: Summary, source: str = "") -> list[str]:
    """Say what was run and how, and what came of it."""
    overall = summary.overall
    ways = {**summary.modes, "step by step": summary.stepwise}
    total = overall.sequences
    modes = [way if n == total else f"{n} {way}" for way, n in ways.items() if n]
    told = f"{count(overall.sequences, 'sequence')} of {count(overall.calls, 'call')}"
    done = f" ({', '.join(modes)})" if modes else ""
    outcomes = ", ".join(f"{found.count} {each}" for each, found in overall.outcomes.items())
    head = f"{source}: {told}{done}." if source else f"{told}{done}."
    return [head, f"{outcomes}."] if outcomes else [head]


def summary_blocks(summary: Summary, listed: int) -> Iterator[Block]:
    """Yield what is told of a run: at most `listed` tools, faults and sequences."""
    shares = summary.overall.shares
    measured: list[tuple[Cell, ...]] = []
    for each in told_measures(measures("sequences"), shares):
        interval = f"{100 * shares[each.name].low:.1f} - {100 * shares[each.name].high:.1f} %"
        measured.append((term(each.called, each.meaning), shares[each.name], interval))
    yield Table("all sequences", ("share", "95 % interval"), measured, is_main=True)
    yield from map(_grouping, summary.groupings)
    kinds = [
        (term(tag.tag, tag_meanings()[tag.tag]), tag.sequences, tag.count) for tag in summary.tags
    ]
    yield Table("mistakes by kind", ("sequences", "mistakes"), kinds)
    tools = [
        (Outside(found.tool), found.faulty, found.sequences.count, next(iter(found.tags), "-"))
        for found in summary.tools
        if found.faulty.count
    ]
    heads = ("faulty calls", "sequences", "mostly")
    more = more_text(len(tools) - listed, "tools" in summary.cut)
    yield Table("by tool", heads, tools[:listed], more=more)
    if listed:
        yield _faults("most frequent faults", summary.faults, listed, "faults" in summary.cut)
        troubles = [
            [[named(one.name, one.number), ": ", Verdict(one.outcome), ": ", Outside(one.why)]]
            for one in summary.troubles[:listed]
        ]
        more = more_text(summary.troubled - len(troubles))
        yield Items("cannot be executed", troubles, summary.troubled, more)
    if (times := summary.times) is not None:
        columns = ("mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms")
        yield Table("sequences timed", columns, [(str(times.count), *_times(times, times.mean))])


def _times(found: Times, *first: float) -> list[str]:
    return [milliseconds(each) for each in (*first, found.p50, found.p95, found.p99, found.max)]


def _grouping(grouping: Grouping) -> Table:
    several = [group.figures.shares for group in grouping.groups]
    columns = [each for each in told_measures(measures("sequences"), *several) if each.column]
    left, without = len(grouping.groups) - GROUPS, grouping.without
    more = [f"({left} more values)"] if left > 0 else []
    more += [f"({count(without, 'sequence')} without)"] if without else []
    rows: list[tuple[Cell, ...]] = []
    for group in grouping.groups[:GROUPS]:
        shares = (group.figures.shares.get(each.name) for each in columns)
        rows.append((Outside(group_name(group.value)), group.figures.sequences, *shares))
    heads = ("sequences", *(each.column for each in columns))
    return Table("by", heads, rows, of=grouping.field, is_main=True, more=" ".join(more))


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
    return f"{tool or '(returned)'}.{parameter}"


def _faults(title: str, faults: Sequence[FaultFigures], listed: int, is_cut: bool = False) -> Items:
    """Return the first faults, each with an example."""
    items = []
    for each in faults[:listed]:
        often = f"{count(each.sequences.count, 'sequence')}, {percent(each.sequences.value)}"
        what = f"{each.code} at {place(each.tool, each.parameter)}"
        if each.attempted not in (None, each.tool, each.parameter):
            what += f": {each.attempted}"
        example = each.example
        name = named(example.name, example.number)
        item = [[Outside(what), f" ({often})"], ["in ", name, ": ", Outside(example.message)]]
        item += [["fix: ", Outside(example.fix)]] if example.fix is not None else []
        items.append(item)
    more = more_text(len(faults) - listed, is_cut)
    return Items(title, items, more=more, numbered=True)


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
    verdict = painted(verdict_on(found), "red" if found.is_worse else "green", color=color)
    head = "\n".join([*wrapped([*heads, *left_out_lines(found)], width), verdict])
    return "\n\n".join([head, *as_text(versus_blocks(found, listed), color, width)])


def versus_markdown(found: Versus, a: str = "", b: str = "") -> str:
    """Return two runs side by side as Markdown; `a` is what the first one is called."""
    names = f"- A: {code(a, LONGEST_TEXT)}\n- B: {code(b, LONGEST_TEXT)}" if a and b else ""
    verdict = f"**{verdict_on(found)}** {' '.join(left_out_lines(found))}"
    blocks = versus_blocks(found, LISTED)
    return as_markdown("two runs", [names, verdict], blocks)


def verdict_on(found: Versus) -> str:
    """Say in one sentence whether the second run is worse."""
    titles = [
        measure.called for measure in measures("sequences") if measure.name in found.worse_measures
    ]
    text = f"{found.worse or 'none'} got worse, {found.better or 'none'} got better"
    return f"{text}; hardly by chance: {', '.join(titles)}." if titles else f"{text}."


def left_out_lines(found: Versus | Compared) -> list[str]:
    """Say which sequences or cases both runs have, how they were paired, and what is left out."""
    parts = []
    if isinstance(found, Versus):
        by = ", ".join(f"{number} {_PAIRED[each]}" for each, number in found.paired_by.items())
        same = "all came in the same"
        if found.same_input != found.sequences:
            same = f"{found.same_input or 'none'} of them came in the same"
        both = f"{count(found.sequences, 'sequence')} in both ({by}); {same}"
        parts += [f"{found.unlike} that were not treated alike"] if found.unlike else []
    else:
        both = f"{count(found.cases, 'case')} in both"
        changed = "case does not say the same", "cases do not say the same"
        parts += [f"{count(found.changed, *changed)} in both"] if found.changed else []
    parts += [f"{found.only_a} only in A"] if found.only_a else []
    parts += [f"{found.only_b} only in B"] if found.only_b else []
    return [f"{both}.", f"left out: {', '.join(parts)}."] if parts else [f"{both}."]


def difference(value: float | None) -> str:
    """
    Return by how much a share changed, in percent points.

    Example:
        >>> difference(-0.125), difference(0.0), difference(0.0001), difference(None)
        ('-12.5', '0', '+0.1', '-')
    """
    if value is None:
        return "-"
    return f"{'+' if value > 0 else '-'}{max(0.1, abs(100 * value)):.1f}" if value else "0"


def versus_blocks(found: Versus, listed: int) -> Iterator[Block]:
    """Yield what is told of two runs: at most `listed` entries of each list."""
    yield _changes("in both", measures("sequences"), found.changes)
    yield _moved("got worse", found.got_worse[:listed], found.worse)
    yield _moved("got better", found.got_better[:listed], found.better)
    yield _faults("new faults", found.new_faults, listed)
    yield _faults("faults that are gone", found.gone_faults, listed)
    same = "came in the same, but other calls are to be made"
    yield _names(same, found.differ, found.differing)
    yield _names("only in A", found.names_only_a, found.only_a)
    yield _names("only in B", found.names_only_b, found.only_b)


def _changes(title: str, measures: Sequence[Measure], changes: Sequence[Change]) -> Table:
    changed = {change.name: change for change in changes}
    sides = [{name: getattr(change, side) for name, change in changed.items()} for side in "ab"]
    rows: list[tuple[Cell, ...]] = []
    for measure in told_measures(measures, *sides):
        each, name = changed[measure.name], term(measure.called, measure.meaning)
        rows.append((name, each.a, each.b, difference(each.difference), each.only_a, each.only_b))
    return Table(title, ("A", "B", "B-A", "more A", "more B"), rows, is_main=True)


def _moved(title: str, moved: Sequence[Moved], total: int) -> Items:
    items = []
    for each in moved:
        how = "" if each.same_input else " (came in otherwise)"
        verdicts = [Verdict(each.before), " -> ", Verdict(each.after)]
        why = [": ", Outside(each.why)] if each.why else []
        items.append([[named(each.name, each.b), f"{how}: ", *verdicts, *why]])
    return Items(title, items, total, more_text(total - len(items)))


def _names(title: str, names: Sequence[str], total: int) -> Items:
    """Return the first names of sequences or cases."""
    items = [[[Outside(shown(name, 60))]] for name in names[:LISTED]]
    return Items(title, items, total or None, more_text(total - len(items)))


# -- systems over cases ------------------------------------------------------------------


def run_text(
    run: Run, summary: RunSummary, *, misses: int = 0, color: bool = False, width: int = 80
) -> str:
    """
    Print a run: the figures of each system, by kind and by dials, the times, and the first `misses` misses.

    The misses are those of the first system. Columns that do not fit into `width` go into a further table.
    """
    blocks = [
        "\n".join(wrapped(run_lines(run), width)),
        *as_text(run_blocks(run, summary), color, width),
        "\n".join(wrapped([line for name in run.systems for line in errors_of(run, name)], width)),
        *(_missed(run, next(iter(run.systems)), misses, color, width) if misses > 0 else ()),
    ]
    return "\n\n".join(filter(None, blocks))


def run_blocks(run: Run, summary: RunSummary) -> Iterator[Block]:
    """Yield what is told of systems over cases, a column for each."""
    titles = [shown(name, NAME) for name in run.systems]
    figures = summary.overall.figures
    shares = [figures[name].shares for name in run.systems]
    rows: list[tuple[Cell, ...]] = [
        (term(each.called, each.meaning), *(found.get(each.name) for found in shares))
        for each in told_measures(measures("cases"), *shares)
    ]
    yield Table("all cases", titles, rows)
    for by, groups in summary.groups.items():
        rows = []
        for group in groups:
            restored = (group.figures[name].shares.get("restored") for name in run.systems)
            value = "-" if group.value in ("", None) else shown(group.value, NAME)
            rows.append((value, group.cases, *restored))
        yield Table(f"restored by {shown(by, NAME)}", ("cases", *titles), rows)
    times = [
        (f"{title}, {what}", *_times(found))
        for title, name in zip(titles, run.systems, strict=True)
        for what, found in (("check", figures[name].check), ("answer", figures[name].repair))
        if found is not None
    ]
    yield Table("milliseconds", ("p50", "p95", "p99", "max"), times)


def compared_text(found: Compared, a: Run, b: Run, *, color: bool = False, width: int = 80) -> str:
    """Print two runs against each other: how shares changed, which cases were won and lost."""
    lines = []
    for mark, run in (("A", a), ("B", b)):
        source = shown(run.cases.source) or "cases"
        part = "" if run.complete else " (interrupted)"
        told = [f"{mark}: {source}, {count(len(run.rows), 'case')}{part}"]
        for name, described in run.systems.items():
            options = options_told(described)
            told += [f"{shown(name)} with {', '.join(options)}"] if options else []
        lines.append("; ".join(told))
    blocks = ["\n".join(wrapped([*lines, *left_out_lines(found)], width))]
    for duel in found.duels:
        name = ", ".join(dict.fromkeys((shown(duel.a, NAME), shown(duel.b, NAME))))
        changes = _changes(name, measures("cases"), duel.changes)
        lost = _names("only A", duel.lost, len(duel.lost))
        won = _names("only B", duel.won, len(duel.won))
        first, *others = as_text([changes, lost, won], color, width)
        chance = wrapped([chance_text(duel.p_value)] if others else [], width)
        blocks.append("\n".join([first, *chance, *others]))
    return "\n\n".join(blocks)


def run_lines(run: Run) -> list[str]:
    """Say what was run, and in further lines what is to be known of it."""
    right = sum(row.right for row in run.rows)
    uninformed = sum(not row.informed for row in run.rows)
    source = f"{shown(run.cases.source)}: " if run.cases.source else ""
    lost = f"; {uninformed} whose information is lost" if uninformed else ""
    lines = [f"{source}{count(len(run.rows), 'case')}, {right or 'none'} of them right{lost}."]
    lines += [] if run.complete else ["interrupted: this is what was found so far."]
    if run.cases.skipped:
        lines.append(f"{count(run.cases.skipped, 'line was', 'lines were')} skipped.")
    return lines


def options_told(described: Mapping[str, Any]) -> list[str]:
    """Return the options that a system was run with, as `cost_model=refraction`."""
    options = described.get("options")
    named = options.items() if isinstance(options, dict) else ()
    return [f"{shown(name)}={shown(value)}" for name, value in named]


def _missed(run: Run, system: str, most: int, color: bool, width: int) -> Iterator[str]:
    total = sum(not row.scores[system].restored for row in run.rows)
    for number, miss in enumerate(islice(misses_of(run, system), most), start=1):
        kind = f" ({shown(miss.kind, NAME)})" if miss.kind else ""
        head = f"{shown(system, NAME)}, miss {number} of {total}: {shown(miss.id)}{kind}"
        lines = [painted(head, "bold", color=color)]
        lines += wrapped([shown(text, 300) for text in (miss.what, miss.said) if text], width, "  ")
        lines += _diff(miss.answer, color) or ["  (nothing was changed)"]
        lines += ["wanted:", *_diff(miss.wanted, color)] if miss.wanted else []
        yield "\n".join(lines)


def _diff(lines: Iterable[Line], color: bool) -> list[str]:
    told = [f"{mark} {escaped(text)}" for mark, text in lines]
    return list(map(painted_diff, told)) if color else told


# -- a line for each fault -----------------------------------------------------------

_OPEN = {
    "needs_input": "something has to be asked or confirmed before it can be run",
    "unrepairable": "a call could not be mended",
    "unknown": NO_TIME,
}


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
    place = painted(escaped(shown(_place(row), LONGEST_TEXT)), "bold", color=color)
    lines = []
    for severity, kind, sentence, _, fix in _lint_faults(row):
        look: Style = "red" if severity == "error" else "yellow"
        word = painted(f"{severity}:", "bold", look, color=color)
        advice = f" ({escaped(fix)})" if fix else ""
        lines.append(f"{place}: {word} {escaped(sentence)} [{kind}]{advice}")
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
    return [annotation(how, place, kind, told) for how, kind, _, told, _ in _lint_faults(row)]


def _place(row: Row) -> str:
    """Return where a row stood, with the column where its line could not be read from there on."""
    place, _, said = (row.error or "").partition(": ")
    return place if said and place.startswith(row.place) else row.place


def _lint_faults(row: Row) -> list[tuple[str, str, str, str, str]]:
    """Return how bad each fault is, its code, one sentence, all that is to be told, and what mends it."""
    if row.error is not None:
        said = escaped(row.error.removeprefix(_place(row)).removeprefix(": "))
        return [("error", "error", said, said, "")]
    if not row.diagnostics and row.verdict in _OPEN:
        told = escaped(row.note) or _OPEN[row.verdict]
        return [("error", row.verdict, told, told, "")]
    return [
        (each.severity, each.code, sentence_text(each), told_text(each), each.fix or "")
        for each in row.diagnostics
    ]
