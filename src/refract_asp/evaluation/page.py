"""A run of many sequences as one page of HTML that needs nothing else and no network."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from refract_asp.errors import LONGEST_TEXT, FormatError, shown
from refract_asp.evaluation.figures import Figures, Grouping, Summary
from refract_asp.evaluation.grouping import field_value
from refract_asp.evaluation.measures import MEASURES, measures_told, outcome_of
from refract_asp.evaluation.rows import CALLS, Alternative, Row
from refract_asp.evaluation.summary import EXECUTABLE, why
from refract_asp.evaluation.text import group_name, interval_in_brackets
from refract_asp.evaluation.versus import Versus
from refract_asp.model import RepairResult, Sequence
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.secrets import Secrets, is_secret
from refract_asp.model.shares import Share, share
from refract_asp.model.tags import MEANINGS
from refract_asp.report.diagnostics import told_text
from refract_asp.report.diff import diff_rows
from refract_asp.report.edits import edit_text, place_text
from refract_asp.report.graph import Changed, drawing_of, repair_drawings, svg_text
from refract_asp.report.pages import TEMPLATES as SHARED
from refract_asp.report.pages import environment, raw_text
from refract_asp.report.pages.charts import Chart, bars, fitted, lines
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import count, escaped, milliseconds, percent

__all__ = ["MARKS", "MOST", "section_of", "summary_page"]

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
    return Markup(_template().render(**names))


@cache
def _template() -> Template:
    made = environment(TEMPLATES)
    made.globals |= {
        "marks": MARKS,
        "words": _WORDS,
        "most": MAX_PARTS,
        "max_lines": LINES,
        "longest": LONGEST_TEXT,
    }
    made.filters |= {"cut": _cut, "shown": shown}
    return made.get_template("sequence.html.j2")


def _facts(row: Row) -> list[str]:
    facts = [f"{shown(row.place, LONGEST_TEXT)}", count(row.count, "call"), row.mode]
    facts += [f"catalog {shown(row.catalog)}"] if row.catalog else []
    facts += ["step by step"] if row.stepwise else []
    facts += [] if row.optimal else ["not proven cheapest"]
    facts += (
        ["ambiguous: another repair of the same cost means something else"] if row.ambiguous else []
    )
    if row.total:
        facts.append(
            f"cost {', '.join(str(row.total[level]) for level in sorted(row.total, reverse=True))}"
        )
    return facts


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
            calls = Sequence.load(data, each)
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


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}..."


TEMPLATES = Path(__file__).resolve().parent / "templates"
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

_DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ].*)?)?$")


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
    made = environment(TEMPLATES)
    made.filters["percent"] = lambda found: percent(
        found.value if isinstance(found, Share) else found
    )
    made.filters |= {"interval": interval_in_brackets, "many": "{:,}".format}
    return made.get_template("page.html.j2").render(
        title=title or f"{summary.overall.sequences:,} sequences",
        more_style=raw_text(TEMPLATES / "page.css") + raw_text(SHARED / "drawing.css"),
        script=raw_text(TEMPLATES / "page.js"),
        summary=summary,
        versus=versus,
        marks=MARKS,
        meanings=MEANINGS,
        measures={measure.name: measure for measure in MEASURES},
        told=measures_told(MEASURES, summary.overall.shares),
        in_full={each.number for each in held.full},
        times=_times(summary),
        outcomes=_chart("verdicts", summary.overall.outcomes.items()),
        tags=_chart("mistakes", ((each.tag, each.sequences) for each in summary.tags)),
        tools=_chart(
            "faulty calls",
            ((each.tool, each.faulty) for each in summary.tools if each.faulty.count),
        ),
        steps=_steps(summary),
        groupings=[_grouping(each) for each in summary.groupings],
        held=held,
        listed=Markup(json.dumps(held.listed).replace("<", "\\u003c")),
    )


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
        outcome = outcome_of(row)
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
                    name: group_name(value) for name, value in values.items() if value is not None
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


# -- the figures -------------------------------------------------------------------


def _times(summary: Summary) -> str:
    found = summary.times
    if found is None:
        return ""
    names = ("mean", "p50", "p95", "p99", "max")
    return ", ".join(f"{name} {milliseconds(getattr(found, name))} ms" for name in names)


def _chart(what: str, found: Iterable[tuple[str, Share]]) -> Chart | None:
    """Return a bar for each name, the first ones; None where there are none."""
    told = list(found)[:IN_CHART]
    if not told:
        return None
    return bars([fitted(name) for name, _ in told], [what], [[(what, each)] for _, each in told])


def _steps(summary: Summary) -> Chart | None:
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
    names = [group_name(group.value) for group in groups]
    title = next(measure.title for measure in MEASURES if measure.name == drawn)
    cells = [[(title, _share(group.figures, drawn))] for group in groups[:IN_LINES]]
    is_line = len(groups) > 1 and all(
        (isinstance(value, int | float) and not isinstance(value, bool)) or _DATE.match(str(value))
        for value in (group.value for group in groups)
    )
    short = [fitted(name) for name in names]
    # names stand beside each other below a line: some of them where they are many
    step = -(-len(cells) // 8)
    thinned = [
        name[:12] if not number % step else "" for number, name in enumerate(names[:IN_LINES])
    ]
    return {
        "field": grouping.field,
        "title": title,
        "lines": lines(thinned, [title], cells) if is_line else None,
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
