"""
Reports of runs: their blocks (tables and lists), as text for a terminal, or as Markdown short enough for a comment.

Pages lay out the same blocks by their templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation import summary as figures
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.runs import Line, Run, errors_of, misses_of
from refract_asp.evaluation.summary import measures, told_measures
from refract_asp.evaluation.versus import Change, Compared, Moved, Versus
from refract_asp.model.diagnostic import tag_meanings
from refract_asp.model.result import NO_TIME
from refract_asp.model.shares import Share, Times
from refract_asp.report import terminal
from refract_asp.report.annotations import annotation
from refract_asp.report.diagnostics import sentence_text, told_text
from refract_asp.report.diff import painted_diff
from refract_asp.report.pages import environment
from refract_asp.report.terminal import count, escaped, painted, percent, tables, wrapped

TEMPLATES = Path(__file__).resolve().parent / "templates"
# Characters of a name in a table.
NAME = 40
# At most this many tools, faults and sequences are listed, unless another number is given.
LISTED = 10
# So long is Markdown at most; comments on GitHub may have 65,536 characters.
MAX_TEXT = 60_000

# -- blocks ------------------------------------------------------------------------


class Outside(str):
    """A text that comes from outside: to be shown as it is, and to be nothing else."""


class Name(Outside):
    """The name of a sequence, which a page links to where it shows that one in full."""

    number: int | None = None


class Verdict(str):
    """A verdict, or the word for none."""


class Term(str):
    """A word of ours, with what it means where there is room for it."""

    note = ""


def named(name: str, number: int, limit: int = 60) -> Name:
    """Return the name of the sequence of a number, cut at `limit` characters."""
    found = Name(shown(name, limit))
    found.number = number
    return found


def term(word: str, note: str) -> Term:
    """Return a word with what it means."""
    found = Term(word)
    found.note = note
    return found


Cell: TypeAlias = str | int | Share | None


@dataclass(frozen=True)
class Table:
    """
    A table of which the first column names the rows.

    Attributes:
        title: the heading of the names.
        heads: the headings of the other columns.
        rows: the name of each row, and its cells.
        of: a name from outside that belongs to the title.
        is_main: whether Markdown shows it unfolded.
        more: a line below it.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[Cell, ...]]
    of: str = ""
    is_main: bool = False
    more: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to tell."""
        return not self.rows

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.title} {shown(self.of, NAME)}" if self.of else self.title

    def lines(self, color: bool, width: int) -> list[str]:
        """Return it as text."""
        rows = [(shown(name, NAME), list(map(cell_text, cells))) for name, *cells in self.rows]
        return ["\n\n".join(tables(self.heading, self.heads, rows, color, width))]


@dataclass(frozen=True)
class Items:
    """
    A list of things, each in lines of parts.

    Attributes:
        title: what they are.
        items: each as a head line, and the lines below it.
        total: how many there are; None where the title does not say it.
        more: a line below them.
        numbered: whether they are numbered.
    """

    title: str
    items: Sequence[Sequence[Sequence[str]]]
    total: int | None = None
    more: str = ""
    numbered: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to tell."""
        return not (self.items or self.total)

    @property
    def heading(self) -> str:
        """What stands above it."""
        return self.title if self.total is None else f"{self.title}: {self.total}"

    def lines(self, color: bool, width: int) -> list[str]:
        """Return it as text."""
        lines = [painted(self.heading, "bold", color=color)]
        for number, (head, *below) in enumerate(self.items, 1):
            text = f"{number}. " if self.numbered else ""
            lines += wrapped([text + "".join(shown(each, LONGEST_TEXT) for each in head)], width)
            lines += wrapped(map("".join, below), width, "   ")
        return lines


Block: TypeAlias = Table | Items


def more_text(left: int, is_cut: bool = False) -> str:
    """Return how many more there are; `is_cut` where those that were counted are not all."""
    return f"({'at least ' if is_cut else ''}{left} more)" if left > 0 else ""


def cell_text(found: Cell) -> str:
    """Return the text of a cell."""
    if isinstance(found, Share):
        return f"{found.count}/{found.of}  {percent(found.value):>6}"
    return "-" if found is None else str(found)


# -- templates ----------------------------------------------------------------------


@cache
def macros(name: str) -> Any:
    """Return the macros of a template of plain text or Markdown."""
    made = environment(TEMPLATES, autoescape=False)
    made.globals |= {"kind": lambda found: type(found).__name__, "longest": LONGEST_TEXT}
    made.globals |= {each.__name__: each for each in (cell, cell_text, code, measures, shown)}
    return made.get_template(name).module


# -- blocks as text ------------------------------------------------------------------


def as_text(blocks: Iterable[Block], color: bool, width: int) -> list[str]:
    """Return blocks as text, without the empty ones."""
    told = [(block, block.lines(color, width)) for block in blocks if not block.is_empty]
    return ["\n".join([*lines, block.more] if block.more else lines) for block, lines in told]


# -- blocks as Markdown ----------------------------------------------------------------

_CUT = "The rest is left out, as the text would be too long."
_PIPE = re.compile(r"(\\*)\|")


def code(text: object, limit: int = 100) -> str:
    """
    Return a text from outside so that it is shown as it is, and is nothing else.

    Between backticks nothing is read as a link, a mention, HTML or an emphasis, and there is always one more
    of them than the text has in a row.

    Example:
        >>> print(code("@all <b>"), code("a`b"), code("`"), code(""))
        `@all <b>` ``a`b`` `` ` `` -
    """
    clean = shown(text, limit).strip()
    if not clean:
        return "-"
    ticks = "`" * (1 + max(map(len, re.findall("`+", clean)), default=0))
    blank = " " if clean[0] == "`" or clean[-1] == "`" else ""
    return f"{ticks}{blank}{clean}{blank}{ticks}"


def cell(text: object, limit: int = 100) -> str:
    r"""
    Return a text from outside for a cell of a table, where a line that stands upright would end it.

    A backslash takes that meaning from it, if it is not itself one that another backslash has made plain.

    Example:
        >>> print(cell("a|b"), cell("a\\|b"))
        `a\|b` `a\\\|b`
    """
    told = code(text, limit)
    return _PIPE.sub(lambda match: match[1] + "\\" * (1 + len(match[1]) % 2) + "|", told)


def as_markdown(title: str, paragraphs: Iterable[str], blocks: Iterable[Block]) -> str:
    """Return a report as Markdown, up to what a comment may hold."""
    sections = [f"### Batch: {title}" if title else "### Batch", *paragraphs]
    told = macros("blocks.md.j2").markdown
    sections += [str(told(block)).strip() for block in blocks if not block.is_empty]
    text = ""
    for section in filter(None, sections):
        if len(text) + len(section) > MAX_TEXT - len(_CUT) - 4:
            return f"{text}\n\n{_CUT}"
        text = f"{text}\n\n{section}" if text else section
    return text


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
    return "\n\n".join(["\n".join(head), *as_text(blocks_of(found, listed), color, width)])


def report_markdown(found: Reported, *names: str) -> str:
    """Return a run, or two side by side, as Markdown: shares, and folded away what goes wrong."""
    called = [code(name, LONGEST_TEXT) for name in names]
    if isinstance(found, Versus):
        title = "two runs"
        sides = [f"- {side}: {name}" for side, name in zip("AB", called, strict=False)]
        (verdict,) = said("verdict", found)
        told = ["\n".join(sides), f"**{verdict}** {' '.join(said('left_out', found))}"]
    else:
        title, told = "".join(called), [" ".join(said("summary", found)).replace("_", "\\_")]
        if not found.overall.sequences:
            return as_markdown(title, ["There is no sequence."], [])
    return as_markdown(title, told, blocks_of(found, LISTED))


def blocks_of(found: Reported, listed: int) -> Iterator[Block]:
    """Yield the blocks about a run, or about two: at most `listed` entries of each list."""
    if isinstance(found, Versus):
        return versus_blocks(found, listed)
    return summary_blocks(found, listed)


def said(about: str, *found: Any) -> list[str]:
    """
    Return the sentences about a run, or about two, a line each.

    Args:
        about: "summary" or "run", and for two runs "verdict", "left_out", or "compared" (of each of them).
        found: what the macro of that name in `sentences.txt.j2` takes.
    """
    return str(getattr(macros("sentences.txt.j2"), about)(*found)).splitlines()


def summary_blocks(summary: figures.Summary, listed: int) -> Iterator[Block]:
    """Yield the blocks about a run: at most `listed` tools, faults and sequences."""
    shares = summary.overall.shares
    measured: list[tuple[Cell, ...]] = []
    for each in told_measures("sequences", shares):
        interval = f"{100 * shares[each.name].low:.1f} - {100 * shares[each.name].high:.1f} %"
        measured.append((term(each.called, each.meaning), shares[each.name], interval))
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
    meanings = tag_meanings()
    kinds = [(term(tag.tag, meanings[tag.tag]), tag.sequences, tag.count) for tag in summary.tags]
    yield Table("mistakes by kind", ("sequences", "mistakes"), kinds)
    tools = [
        (Outside(found.tool), found.faulty, found.sequences.count, next(iter(found.tags), "-"))
        for found in summary.tools
        if found.faulty.count
    ]
    heads = ("faulty calls", "sequences", "mostly")
    left = more_text(len(tools) - listed, "tools" in summary.cut)
    yield Table("by tool", heads, tools[:listed], more=left)
    if listed:
        yield _faults("most frequent faults", summary.faults, listed, "faults" in summary.cut)
        troubles = []
        for one in summary.troubles[:listed]:
            name, why = named(one.name, one.number), Outside(one.why)
            troubles.append([[name, ": ", Verdict(one.outcome), ": ", why]])
        left = more_text(summary.troubled - len(troubles))
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
        often = f"{count(each.sequences.count, 'sequence')}, {percent(each.sequences.value)}"
        place = each.tool or "(no call)"
        if each.parameter is not None:
            place = f"{each.tool or '(returned)'}.{each.parameter}"
        what = f"{each.code} at {place}"
        if each.attempted not in (None, each.tool, each.parameter):
            what += f": {each.attempted}"
        example = each.example
        name = named(example.name, example.number)
        item = [[Outside(what), f" ({often})"], ["in ", name, ": ", Outside(example.message)]]
        item += [["fix: ", Outside(example.fix)]] if example.fix is not None else []
        items.append(item)
    return Items(title, items, more=more_text(len(faults) - listed, is_cut), numbered=True)


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
    """Yield the blocks about two runs: at most `listed` entries of each list."""
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
    run: Run, summary: figures.RunSummary, *, misses: int = 0, color: bool = False, width: int = 80
) -> str:
    """
    Print a run: the figures of each system, by kind and by dials, the times, and the first `misses` misses.

    The misses are those of the first system. Columns that do not fit into `width` go into a further table.
    """
    blocks = [
        "\n".join(wrapped(said("run", run), width)),
        *as_text(run_blocks(run, summary), color, width),
        "\n".join(wrapped([line for name in run.systems for line in errors_of(run, name)], width)),
        *(_missed(run, next(iter(run.systems)), misses, color, width) if misses > 0 else ()),
    ]
    return "\n\n".join(filter(None, blocks))


def run_blocks(run: Run, summary: figures.RunSummary) -> Iterator[Block]:
    """Yield the blocks about systems over cases, a column for each system."""
    titles = [shown(name, NAME) for name in run.systems]
    figures = summary.overall.figures
    shares = [figures[name].shares for name in run.systems]
    rows: list[tuple[Cell, ...]] = [
        (term(each.called, each.meaning), *(found.get(each.name) for found in shares))
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
        first, *others = as_text([changes, lost, won], color, width)
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
    "needs_input": "something has to be asked for or confirmed before it can be run",
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
    """Return for each fault its severity, its code, one sentence, the whole message, and a fix."""
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
