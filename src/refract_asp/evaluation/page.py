"""A run as one page of HTML that needs nothing else and no network: of many sequences, or of systems."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment
from markupsafe import Markup

from refract_asp.errors import LONGEST_TEXT, FormatError, shown
from refract_asp.evaluation import reports
from refract_asp.evaluation.figures import RunSummary, Summary
from refract_asp.evaluation.layout import Block, Table, Verdict
from refract_asp.evaluation.rows import CALLS, Alternative, Row
from refract_asp.evaluation.runs import Miss, Run, errors_of, misses_of
from refract_asp.evaluation.summary import EXECUTABLE, field_value, why
from refract_asp.evaluation.versus import Compared, Duel, Versus
from refract_asp.model import RepairResult
from refract_asp.model import Sequence as Calls
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.secrets import Secrets, is_secret
from refract_asp.model.shares import Share
from refract_asp.report.diagnostics import told_text
from refract_asp.report.diff import diff_rows
from refract_asp.report.edits import edit_text, place_text
from refract_asp.report.graph import Changed, drawing_of, repair_drawings, svg_text
from refract_asp.report.pages import TEMPLATES as SHARED
from refract_asp.report.pages import charts, environment, raw_text
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import chance_text, count, escaped, percent

TEMPLATES = Path(__file__).resolve().parent / "templates"
MAX_PARTS = 40
"""So many messages, changes, steps, alternatives or fields of metadata are told."""
LINES = 300
"""So many lines of a diff are told."""
LONGEST_LINE = 1_000
CALLS_DRAWN = 60
MARKS = {
    "valid": "\u2713",
    "repaired": "\u270e",
    "invalid": "\u2717",
    "needs_input": "?",
    "unrepairable": "\u2717",
    "unknown": "\u2026",
    "error": "!",
}
"""The sign that stands before each verdict, so that it is not told by its colour alone."""
_WORDS = {" ": "same", "-": "gone", "+": "new", "?": "hint"}


MOST = 20_000
"""A page lists at most this many sequences; its figures are those of all."""
FULL = 200
"""At most this many sequences in trouble, and as many others, are shown in full, ..."""
FULL_BYTES = 2_000_000
"""... as long as those of each kind take no more bytes than this."""
NAME = 80
TEXT = 120
META = 200
TOOLS = 20
"""At most this many tools of a sequence are listed."""
IN_CHART = 15
"""So many tools or kinds of mistakes are drawn."""

IN_LINES = 60
"""So many values are drawn as points of a line."""
MAX_IDS = 500
"""So many ids of cases that were won or lost are listed."""
_AXIS = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?$|\d{4}-\d\d(-\d\d([T ].*)?)?$")
"""Numbers and dates, over which lines are drawn."""


def summary_page(
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
        most: how many sequences it lists; those in trouble come before the others.

    Raises:
        FormatError: a row cannot be read.

    Example:
        >>> from refract_asp.evaluation.summary import summarise
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"}
        >>> rows = [Row(verdict="valid", **head)]
        >>> summary_page(lambda: iter(rows), summarise(rows))[:15]
        '<!doctype html>'
    """
    fields = tuple(grouping.field for grouping in summary.groupings)
    held = _Sequences(fields, summary.troubled, most)
    for row in rows():
        held.add(row)
    overall = summary.overall
    verdicts = [(Verdict(each), found) for each, found in overall.outcomes.items()]
    first = Table("verdicts", ("share",), verdicts, drawn=(0,))
    blocks = [first, *reports.summary_blocks(summary, len(summary.tools) + len(summary.faults))]
    changes = list(reports.versus_blocks(versus, MOST)) if versus is not None else []
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=title or f"{overall.sequences:,} sequences",
            lines=[reports.head_line(summary)],
            more_style=raw_text(TEMPLATES / "page.css") + raw_text(SHARED / "drawing.css"),
            script=raw_text(TEMPLATES / "page.js"),
            sections=_sections(blocks),
            changes=_sections(changes, "v"),
            verdict=[reports.verdict_on(versus), *reports.left_out_lines(versus)]
            if versus is not None
            else [],
            in_full={each.number for each in held.full},
            total=overall.sequences,
            held=held,
            listed=Markup(json.dumps(held.listed).replace("<", "\\u003c")),
        )
    )


def run_page(
    run: Run,
    summary: RunSummary,
    other: tuple[Run, RunSummary, Compared] | None = None,
    *,
    misses: int = 20,
) -> str:
    """
    Return the page of systems run over cases; it runs nothing.

    Args:
        run: the run.
        summary: its figures.
        other: a second run, its figures, and how it compares with the first.
        misses: how many misses of each system are listed.
    """
    runs = [("A", run, summary), ("B", *other[:2])] if other else [("", run, summary)]
    series = [
        reports.Series(
            f"{mark}: {shown(name, 60)}" if mark else shown(name, 60), each, figures, name
        )
        for name in dict.fromkeys(name for _, each, _ in runs for name in each.systems)
        for mark, each, figures in runs
        if name in each.systems
    ]
    sections = _sections(reports.run_blocks(series))
    if taken := reports.times_of_systems(series):
        short = [(charts.fitted(name), number, found) for name, number, found in taken]
        titles = [each.title for each in series]
        sections[-1] = sections[-1]._replace(
            drawing="times", chart=charts.times(short), series=titles
        )
    duels = [
        each
        for number, duel in enumerate(other[2].duels if other else ())
        for each in _duel(duel, f"d{number}p")
    ]
    return (
        _templates()
        .get_template("systems.html.j2")
        .render(
            title=f"Evaluation: {shown(run.cases.source) or 'cases'}",
            runs=[(mark, *_about(each)) for mark, each, _ in runs],
            sections=sections,
            duels=duels,
            shared=" ".join(reports.compared_lines(other[2])) if other else "",
            misses=[_missed(each, misses) for each in series],
        )
    )


def _duel(duel: Duel, prefix: str) -> list[tuple[Section, str]]:
    """Return the sections of two systems, the first one with what is said of chance."""
    chance = chance_text(duel.p_value) if duel.won or duel.lost else ""
    table, *names = _sections(reports.duel_blocks(duel, MAX_IDS), prefix)
    return [(table, chance), *((each, "") for each in names)]


def _missed(series: reports.Series, most: int) -> tuple[str, int, list[Miss]]:
    """Return how many cases a system missed, and the first of them."""
    total = sum(not row.scores[series.system].restored for row in series.run.rows)
    return series.title, total, list(islice(misses_of(series.run, series.system), most))


def _about(run: Run) -> tuple[list[str], list[tuple[str, Any]]]:
    """Return what is to be known of a run, and how it was run."""
    lines = [
        *reports.head_lines(run),
        *(line for name in run.systems for line in errors_of(run, name)),
    ]
    settings = {"cases": run.cases.digest[:16], **run.versions, **run.settings}
    facts = [(name, value) for name, value in settings.items() if value is not None]
    for name, described in run.systems.items():
        told = [str(described.get("system", "")), *reports.options_told(described)]
        facts.append((f"system {name}", ", ".join(told)))
    return lines, facts


# -- sections ----------------------------------------------------------------------


class Section(NamedTuple):
    """A part of a page: a table or a list, and what is drawn of it."""

    id: str
    title: str
    block: Block
    drawing: str = ""
    chart: charts.Chart | None = None
    series: Sequence[str] = ()


_IDS = {"verdicts": "overall", "by tool": "tools", "most frequent faults": "faults"}


def _sections(blocks: Iterable[Block], prefix: str = "p") -> list[Section]:
    """Return the sections of what has something to tell; lines are drawn over numbers and dates, else bars."""
    found = []
    for number, block in enumerate(blocks, 1):
        if block.is_empty:
            continue
        id = _IDS.get(block.title, f"{prefix}{number}") if prefix == "p" else f"{prefix}{number}"
        section = Section(id, block.heading, block)
        if isinstance(block, Table) and block.drawn:
            names = [str(row[0]) for row in block.rows]
            is_line = len(names) > 1 and all(map(_AXIS.match, names))
            heads = [block.heads[column] for column in block.drawn]
            rows = block.rows[: IN_LINES if is_line else IN_CHART]
            cells = [[_mark(block.heads[c], row[c + 1]) for c in block.drawn] for row in rows]
            # names stand beside each other below a line: some of them where they are many
            step = -(-len(rows) // 8)
            thinned = ["" if n % step else name[:12] for n, name in enumerate(names[:IN_LINES])]
            chart: charts.Chart | None = (
                charts.lines(thinned, heads, cells)
                if is_line
                else charts.bars([charts.fitted(name) for name in names[:IN_CHART]], heads, cells)
            )
            section = section._replace(
                drawing="lines" if is_line else "bars", chart=chart, series=heads
            )
        found.append(section)
    return found


def _mark(head: str, found: Any) -> tuple[str, Share] | None:
    return (head, found) if isinstance(found, Share) else found


@cache
def _templates() -> Environment:
    made = environment(TEMPLATES)
    made.globals |= {
        "marks": MARKS,
        "words": _WORDS,
        "looks": [charts.look(number)[0] for number in range(charts.COLORS * charts.STYLES)],
        "most": MAX_PARTS,
        "max_lines": LINES,
        "longest": LONGEST_TEXT,
    }
    made.filters |= {
        "cut": lambda text: text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}...",
        "escaped": escaped,
        "interval": _interval,
        "kind": lambda found: type(found).__name__,
        "look_again": charts.look_again,
        "many": "{:,}".format,
        "percent": lambda found: percent(found.value),
        "shown": shown,
    }
    return made


def _interval(found: Share) -> str:
    low, high = (f"{100 * bound:.1f}".removesuffix(".0") for bound in (found.low, found.high))
    return f"[{low},\u00a0{high}]"


# -- the sequences -----------------------------------------------------------------


@dataclass(frozen=True)
class _Full:
    """A sequence that is shown in full."""

    number: int
    name: str
    outcome: str
    why: str
    html: Markup


@dataclass
class _Sequences:
    """
    The sequences of a page, as they are read.

    Attributes:
        fields: the fields of the metadata by which the list can be filtered.
        troubled: how many sequences in trouble there are; they come before the others.
        most: how many sequences are listed.
        full: those that are shown in full.
        listed: all of them as data, for the script that lists them.
        left_out: how many are not listed.
    """

    fields: tuple[str, ...]
    troubled: int
    most: int
    full: list[_Full] = field(default_factory=list)
    listed: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0

    def __post_init__(self) -> None:
        # by whether a row can be executed: how many may still be listed, and be shown in full
        troubled = min(self.troubled, self.most)
        self._room = {False: troubled, True: self.most - troubled}
        self._in_full = {False: FULL, True: FULL}
        self._bytes = {False: FULL_BYTES, True: FULL_BYTES}

    def add(self, row: Row) -> None:
        outcome = row.verdict or "error"
        is_executable = outcome in EXECUTABLE
        if not self._room[is_executable]:
            self.left_out += 1
            return
        self._room[is_executable] -= 1
        reason = why(row) or (shown(row.diagnostics[0].message, TEXT) if row.diagnostics else "")
        if self._in_full[is_executable]:
            self._in_full[is_executable] -= 1
            html = section_of(row)
            size = len(html.encode("utf-8", "replace"))
            if size <= self._bytes[is_executable]:
                self._bytes[is_executable] -= size
                self.full.append(_Full(row.number, shown(row.name, NAME), outcome, reason, html))
        values = {name: field_value(row, name) for name in self.fields}
        self.listed.append(
            {
                "number": row.number,
                "name": shown(row.name, NAME),
                "verdict": outcome,
                "mistakes": list(row.tagged.sequence),
                "calls": row.count,
                "changes": len(row.edits),
                "why": shown(reason, TEXT),
                "tools": list(dict.fromkeys(shown(name, NAME) for name in row.tools[:TOOLS])),
                "fields": {
                    name: reports.group_name(value)
                    for name, value in values.items()
                    if value is not None
                },
                "more": self._more(row),
            }
        )

    def _more(self, row: Row) -> str:
        """Return what else the metadata says, by which the list can be searched."""
        texts = (
            shown(value, TEXT)
            for name, value in row.meta.items()
            if isinstance(value, str | int | float)
            and name not in self.fields
            and not is_secret(name, {})
        )
        return shown(" ".join(texts), META)


def section_of(row: Row) -> Markup:
    """
    Return what a page tells of a row.

    Example:
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"}
        >>> print(section_of(Row(error="a.jsonl:1: this is no JSON.", **head)).splitlines()[2])
        <p class="warn">a.jsonl:1: this is no JSON.</p>
    """
    secrets = Secrets()
    names: dict[str, Any] = {
        "row": row,
        "facts": _facts(row),
        "result": None,
        "unreadable": "",
        "meta": [
            (shown(name), _value(secrets, name, value))
            for name, value in list(row.meta.items())[:MAX_PARTS]
        ],
    }
    if row.error is None and row.calls is not None:
        try:
            names |= _told(row, without_secrets(row.result()))
        except FormatError as error:  # the file was changed by hand
            names["unreadable"] = str(error)
    return Markup(_templates().get_template("sequence.html.j2").render(**names))


def _facts(row: Row) -> list[str]:
    facts = [shown(row.place, LONGEST_TEXT), count(row.count, "call"), row.mode]
    costs = [str(row.total[level]) for level in sorted(row.total, reverse=True)]
    more = {
        f"catalog {shown(row.catalog)}": row.catalog,
        "step by step": row.stepwise,
        "not proven cheapest": not row.optimal,
        "ambiguous: another repair of the same cost means something else": row.ambiguous,
        f"cost {', '.join(costs)}": costs,
    }
    return [*facts, *filter(more.get, more)]


def _told(row: Row, result: RepairResult) -> dict[str, Any]:
    """Return what the template takes of a row whose calls can be read."""
    changed = diff_rows(result)
    is_changed = bool(changed)
    if not is_changed:
        changed = [(" ", escaped(line)) for line in result.given.dump("pretty")]
    edits = []
    for edit in result.edits[:MAX_PARTS] if is_changed else ():
        said = f"{place_text(edit, result)}{edit_text(edit)}"
        edits.append(f"{said} (risky: {shown(edit.risky)})" if edit.risky else said)
    stays = "The calls, which stay as they are" if row.verdict == "valid" else "The calls"
    return {
        "result": result,
        "diagnostics": [_diagnostic(found) for found in row.diagnostics[:MAX_PARTS]],
        "title": "What was changed" if is_changed else stays,
        "changed": changed,
        "changed_lines": is_changed,
        "edits": edits,
        "picture": _picture(row, result),
        "alternatives": [
            (
                each.verdict,
                ", ".join(f"{shown(name)} {value}" for name, value in each.cost.items()),
                [(" ", escaped(line)) for line in _calls_of(each, row.format)],
            )
            for each in row.alternatives[:MAX_PARTS]
        ],
        "mistakes": [
            f"{fault.tag}"
            + (f", call {fault.call + 1}" if fault.call is not None else "")
            + (f", {shown(fault.parameter)}" if fault.parameter is not None else "")
            for fault in (row.expected.tags if row.expected is not None else ())
        ],
        "notes": [shown(each, LONGEST_TEXT) for each in (*row.notes, *row.truncated)],
    }


def _diagnostic(found: Diagnostic) -> tuple[str, str, str, tuple[str, str] | None, list[str]]:
    """Return a message: severity, code, sentence, what there is as title and lines, and its other tiers."""
    sentence, *tiers = told_text(found).split("\n\n")
    listing = None
    if found.available is not None and tiers:
        title, *entries = (line.strip() for line in tiers.pop(0).split("\n"))
        listing = (title.removesuffix(":") if entries else title, "\n".join(entries))
    joined = []
    for tier in tiers:  # a question and its answers on one line
        first, *others = (line.strip() for line in tier.split("\n"))
        joined.append(" ".join([first, ", ".join(others)]) if others else first)
    return found.severity, found.code, sentence, listing, joined


def _picture(row: Row, result: RepairResult) -> Markup | None:
    if not result.given.calls and not result.sequence.calls:
        return None
    if result.edits:
        before, after = repair_drawings(result, most=CALLS_DRAWN)
        drawings = [("given", before), ("repaired", after)]
    else:
        wrong: dict[int, Changed] = {
            each.call: "wrong" for each in row.diagnostics if each.call is not None
        }
        wrong |= dict.fromkeys(result.unresolved, "unresolved")
        drawings = [("", drawing_of(result.given, most=CALLS_DRAWN).marked(wrong))]
    return svg_text(drawings, styled=False)


def _calls_of(alternative: Alternative, format: str | None) -> list[str]:
    """Return the lines of the calls of another repair, in whichever of two formats they are held."""
    data = alternative.shown if alternative.shown is not None else alternative.calls
    for each in (format, CALLS) if alternative.shown is None else (CALLS,):
        try:
            calls = Calls.load(data, each)
        except FormatError:
            continue
        lines: list[str] = Secrets().sequence(calls).dump("pretty")
        return lines
    return ["(its calls cannot be shown)"]


def _value(secrets: Secrets, name: str, value: Any) -> str:
    hidden = secrets.value([""], [name], value)
    text = (
        hidden if isinstance(hidden, str) else json.dumps(hidden, ensure_ascii=False, default=str)
    )
    return shown(text, LONGEST_TEXT)
