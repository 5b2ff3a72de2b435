"""What is told of runs: blocks of a report, and reports as text and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation import layout
from refract_asp.evaluation import measures as figures
from refract_asp.evaluation.layout import LISTED, NAME, Block, Cell, Items, Outside, Table, Verdict
from refract_asp.evaluation.measures import told_measures
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.runs import Line, Run, errors_of, misses_of
from refract_asp.evaluation.versus import Change, Compared, Moved, Versus
from refract_asp.model.diagnostic import tag_meanings
from refract_asp.model.result import NO_TIME
from refract_asp.model.shares import Times
from refract_asp.report import terminal
from refract_asp.report.annotations import annotation
from refract_asp.report.diagnostics import sentence_text, told_text
from refract_asp.report.diff import painted_diff
from refract_asp.report.terminal import count, escaped, painted, wrapped

# At most this many values of a field are listed.
GROUPS = 30

# -- many sequences --------------------------------------------------------------------


# What a report is about: a run of many sequences, or two side by side.
Reported: TypeAlias = figures.Summary | Versus


def report_text(
    found: Reported, *names: str, listed: int = LISTED, color: bool = False, width: int = 80
) -> str:
    """
    Print a run (its shares, what goes wrong by kind, tool and metadata, the worst faults), or two side by side.

    Args:
        found: the run in figures, or how two differ.
        names: what it is called, or both are; the earlier run comes first.
        listed: how many tools, faults and sequences are listed at most.
        color: whether to colour it.
        width: columns of the terminal; what does not fit goes into a further table.
    """
    called = [shown(name, LONGEST_TEXT) for name in names]
    if isinstance(found, Versus):
        sides = [f"{side}: {name}" for side, name in zip("AB", called, strict=False)]
        (verdict,) = said("verdict", found)
        verdict = painted(verdict, "red" if found.is_worse else "green", color=color)
        head = [*wrapped([*sides, *said("left_out", found)], width), verdict]
    elif found.overall.sequences:
        head = list(wrapped(said("summary", found, *called), width))
    else:
        return "there is no sequence."
    return "\n\n".join(["\n".join(head), *layout.as_text(blocks_of(found, listed), color, width)])


def report_markdown(found: Reported, *names: str) -> str:
    """Return a run, or two side by side, as Markdown: shares, and folded away what goes wrong."""
    called = [layout.code(name, LONGEST_TEXT) for name in names]
    if isinstance(found, Versus):
        title = "two runs"
        sides = [f"- {side}: {name}" for side, name in zip("AB", called, strict=False)]
        (verdict,) = said("verdict", found)
        told = ["\n".join(sides), f"**{verdict}** {' '.join(said('left_out', found))}"]
    else:
        title, told = "".join(called), [" ".join(said("summary", found)).replace("_", "\\_")]
        if not found.overall.sequences:
            return layout.as_markdown(title, ["There is no sequence."], [])
    return layout.as_markdown(title, told, blocks_of(found, LISTED))


def blocks_of(found: Reported, listed: int) -> Iterator[Block]:
    """Yield what is told of a run, or of two: at most `listed` entries of each list."""
    if isinstance(found, Versus):
        return versus_blocks(found, listed)
    return summary_blocks(found, listed)


def said(about: str, *found: Any) -> list[str]:
    """
    Return what is said of a run, or of two: a line for each sentence.

    Args:
        about: "summary" or "run", and for two runs "verdict", "left_out", or "compared" (of each of them).
        found: what the macro of that name in `sentences.txt.j2` takes.
    """
    return str(getattr(layout.macros("sentences.txt.j2"), about)(*found)).splitlines()


def summary_blocks(summary: figures.Summary, listed: int) -> Iterator[Block]:
    """Yield what is told of a run: at most `listed` tools, faults and sequences."""
    shares = summary.overall.shares
    measured: list[tuple[Cell, ...]] = []
    for each in told_measures("sequences", shares):
        interval = f"{100 * shares[each.name].low:.1f} - {100 * shares[each.name].high:.1f} %"
        measured.append((layout.term(each.called, each.meaning), shares[each.name], interval))
    yield Table("all sequences", ("share", "95 % interval"), measured, is_main=True)
    for grouping in summary.groupings:
        groups, several = grouping.groups, [each.figures.shares for each in grouping.groups]
        columns = [each for each in told_measures("sequences", *several) if each.column]
        rows: list[tuple[Cell, ...]] = []
        for group in groups[:GROUPS]:
            found = (group.figures.shares.get(each.name) for each in columns)
            rows.append((Outside(group_name(group.value)), group.figures.sequences, *found))
        more = [f"({len(groups) - GROUPS} more values)"] if len(groups) > GROUPS else []
        more += [f"({count(grouping.without, 'sequence')} without)"] if grouping.without else []
        heads = ("sequences", *(each.column for each in columns))
        yield Table("by", heads, rows, grouping.field, is_main=True, more=" ".join(more))
    kinds = [
        (layout.term(tag.tag, tag_meanings()[tag.tag]), tag.sequences, tag.count)
        for tag in summary.tags
    ]
    yield Table("mistakes by kind", ("sequences", "mistakes"), kinds)
    tools = [
        (Outside(found.tool), found.faulty, found.sequences.count, next(iter(found.tags), "-"))
        for found in summary.tools
        if found.faulty.count
    ]
    heads = ("faulty calls", "sequences", "mostly")
    left = layout.more_text(len(tools) - listed, "tools" in summary.cut)
    yield Table("by tool", heads, tools[:listed], more=left)
    if listed:
        yield _faults("most frequent faults", summary.faults, listed, "faults" in summary.cut)
        troubles = []
        for one in summary.troubles[:listed]:
            name, why = layout.named(one.name, one.number), Outside(one.why)
            troubles.append([[name, ": ", Verdict(one.outcome), ": ", why]])
        left = layout.more_text(summary.troubled - len(troubles))
        yield Items("cannot be executed", troubles, summary.troubled, left)
    if (times := summary.times) is not None:
        heads = ("mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms")
        yield Table("sequences timed", heads, [(str(times.count), *_times(times, times.mean))])


def _times(found: Times, *first: float) -> list[str]:
    times = (*first, found.p50, found.p95, found.p99, found.max)
    return list(map(terminal.milliseconds, times))


def group_name(value: bool | int | float | str) -> str:
    """Return the value of a group as it is written in JSON, a text without its quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or "(empty)"


def _faults(
    title: str, faults: Sequence[figures.FaultFigures], listed: int, is_cut: bool = False
) -> Items:
    """Return the first faults, each with an example."""
    items = []
    for each in faults[:listed]:
        often = (
            f"{count(each.sequences.count, 'sequence')}, {terminal.percent(each.sequences.value)}"
        )
        place = each.tool or "(no call)"
        if each.parameter is not None:
            place = f"{each.tool or '(returned)'}.{each.parameter}"
        what = f"{each.code} at {place}"
        if each.attempted not in (None, each.tool, each.parameter):
            what += f": {each.attempted}"
        example = each.example
        name = layout.named(example.name, example.number)
        item = [[Outside(what), f" ({often})"], ["in ", name, ": ", Outside(example.message)]]
        item += [["fix: ", Outside(example.fix)]] if example.fix is not None else []
        items.append(item)
    more = layout.more_text(len(faults) - listed, is_cut)
    return Items(title, items, more=more, numbered=True)


# -- two runs of many sequences -----------------------------------------------------------


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
    yield _changes("in both", "sequences", found.changes)
    yield _moved("got worse", found.got_worse[:listed], found.worse)
    yield _moved("got better", found.got_better[:listed], found.better)
    yield _faults("new faults", found.new_faults, listed)
    yield _faults("faults that are gone", found.gone_faults, listed)
    same = "came in the same, but other calls are to be made"
    yield _names(same, found.differ, found.differing)
    yield _names("only in A", found.names_only_a, found.only_a)
    yield _names("only in B", found.names_only_b, found.only_b)


def _changes(title: str, of: figures.Of, changes: Sequence[Change]) -> Table:
    changed = {change.name: change for change in changes}
    sides = [{name: getattr(change, side) for name, change in changed.items()} for side in "ab"]
    rows: list[tuple[Cell, ...]] = []
    for measure in told_measures(of, *sides):
        each, name = changed[measure.name], layout.term(measure.called, measure.meaning)
        rows.append((name, each.a, each.b, difference(each.difference), each.only_a, each.only_b))
    return Table(title, ("A", "B", "B-A", "more A", "more B"), rows, is_main=True)


def _moved(title: str, moved: Sequence[Moved], total: int) -> Items:
    items = []
    for each in moved:
        how = "" if each.same_input else " (came in otherwise)"
        verdicts = [Verdict(each.before), " -> ", Verdict(each.after)]
        why = [": ", Outside(each.why)] if each.why else []
        items.append([[layout.named(each.name, each.b), f"{how}: ", *verdicts, *why]])
    return Items(title, items, total, layout.more_text(total - len(items)))


def _names(title: str, names: Sequence[str], total: int) -> Items:
    """Return the first names of sequences or cases."""
    items = [[[Outside(shown(name, 60))]] for name in names[:LISTED]]
    return Items(title, items, total or None, layout.more_text(total - len(items)))


# -- systems over cases ------------------------------------------------------------------


def run_text(
    run: Run, summary: figures.RunSummary, *, misses: int = 0, color: bool = False, width: int = 80
) -> str:
    """
    Print a run: the figures of each system, by kind and by dials, the times, and the first `misses` misses.

    The misses are those of the first system. Columns that do not fit into `width` go into a further table.
    """
    blocks = [
        "\n".join(wrapped(said("run", run), width)),
        *layout.as_text(run_blocks(run, summary), color, width),
        "\n".join(wrapped([line for name in run.systems for line in errors_of(run, name)], width)),
        *(_missed(run, next(iter(run.systems)), misses, color, width) if misses > 0 else ()),
    ]
    return "\n\n".join(filter(None, blocks))


def run_blocks(run: Run, summary: figures.RunSummary) -> Iterator[Block]:
    """Yield what is told of systems over cases, a column for each."""
    titles = [shown(name, NAME) for name in run.systems]
    figures = summary.overall.figures
    shares = [figures[name].shares for name in run.systems]
    rows: list[tuple[Cell, ...]] = [
        (layout.term(each.called, each.meaning), *(found.get(each.name) for found in shares))
        for each in told_measures("cases", *shares)
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
    lines = [*said("compared", "A", a), *said("compared", "B", b), *said("left_out", found)]
    blocks = ["\n".join(wrapped(lines, width))]
    for duel in found.duels:
        name = ", ".join(dict.fromkeys((shown(duel.a, NAME), shown(duel.b, NAME))))
        changes = _changes(name, "cases", duel.changes)
        lost = _names("only A", duel.lost, len(duel.lost))
        won = _names("only B", duel.won, len(duel.won))
        first, *others = layout.as_text([changes, lost, won], color, width)
        chance = wrapped([terminal.chance_text(duel.p_value)] if others else [], width)
        blocks.append("\n".join([first, *chance, *others]))
    return "\n\n".join(blocks)


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
        hue: terminal.Style = "red" if severity == "error" else "yellow"
        word = painted(f"{severity}:", "bold", hue, color=color)
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
