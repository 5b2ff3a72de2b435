"""A run of many sequences as one page of HTML that needs nothing else and no network."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from refract_asp.errors import LONGEST_TEXT, FormatError, shown
from refract_asp.evaluation import reports
from refract_asp.evaluation.layout import TEMPLATES, Table, Verdict
from refract_asp.evaluation.measures import EXECUTABLE, Summary
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.summary import field_value, why
from refract_asp.evaluation.versus import Versus
from refract_asp.model import RepairResult
from refract_asp.model.secrets import Secrets
from refract_asp.report.diagnostics import told_text
from refract_asp.report.diff import diff_rows
from refract_asp.report.edits import edit_text, place_text
from refract_asp.report.graph import Changed, drawing_of, repair_drawings, svg_text
from refract_asp.report.pages import TEMPLATES as SHARED
from refract_asp.report.pages import environment, raw_text
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import escaped, percent

CALLS_DRAWN = 60
# A page lists at most this many sequences; its figures are those of all.
MOST = 20_000
# At most this many sequences in trouble, and as many others, are shown in full, ...
FULL = 200
# ... as long as those of each kind take no more bytes than this.
FULL_BYTES = 2_000_000
NAME = 80
TEXT = 120
# At most this many tools of a sequence are listed.
TOOLS = 20


@cache
def _templates() -> Environment:
    made = environment(TEMPLATES)
    made.globals |= {"longest": LONGEST_TEXT, "said": reports.said}
    made.filters |= {each.__name__: each for each in (escaped, percent, shown, told_text)}
    made.filters |= {"kind": lambda found: type(found).__name__, "many": "{:,}".format}
    return made


# -- many sequences ----------------------------------------------------------------


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
    held = _Sequences(tuple(each.field for each in summary.groupings), summary.troubled, most)
    for row in rows():
        held.add(row)
    verdicts = [(Verdict(each), found) for each, found in summary.overall.outcomes.items()]
    told = reports.blocks_of(summary, len(summary.tools) + len(summary.faults))
    template = _templates().get_template("page.html.j2")
    return template.render(
        title=title,
        more_style=raw_text(TEMPLATES / "page.css") + raw_text(SHARED / "drawing.css"),
        script=raw_text(TEMPLATES / "page.js"),
        summary=summary,
        versus=versus,
        sections=[Table("verdicts", ("share",), verdicts), *told],
        changes=[] if versus is None else list(reports.blocks_of(versus, MOST)),
        held=held,
        listed=Markup(json.dumps(held.listed).replace("<", "\\u003c")),
    )


@dataclass
class _Sequences:
    """
    The sequences of a page, as they are read.

    Attributes:
        fields: the fields of the metadata by which the list can be filtered.
        troubled: how many sequences in trouble there are; they come before the others.
        most: how many sequences are listed.
        full: those that are shown in full, by number: the data of the list, and the section.
        listed: all of them as data, for the script that lists them.
        left_out: how many are not listed.
        taken: how many are listed or were tried in full, and their bytes, by whether they can be executed.
    """

    fields: tuple[str, ...]
    troubled: int
    most: int
    full: dict[int, tuple[dict[str, Any], Markup]] = field(default_factory=dict)
    listed: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0
    taken: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, row: Row) -> None:
        outcome = row.verdict or "error"
        group = outcome in EXECUTABLE
        troubled = min(self.troubled, self.most)
        if self.taken["listed", group] == (self.most - troubled if group else troubled):
            self.left_out += 1
            return
        self.taken["listed", group] += 1
        values = {name: field_value(row, name) for name in self.fields}
        told = {
            "number": row.number,
            "name": shown(row.name, NAME),
            "verdict": outcome,
            "mistakes": list(row.tagged.sequence),
            "calls": row.count,
            "changes": len(row.edits),
            "why": shown(why(row) or next((d.message for d in row.diagnostics), ""), TEXT),
            "tools": list(dict.fromkeys(shown(name, NAME) for name in row.tools[:TOOLS])),
            "fields": {name: reports.group_name(v) for name, v in values.items() if v is not None},
        }
        self.listed.append(told)
        if self.taken["full", group] < FULL:
            self.taken["full", group] += 1
            html = section_of(row)
            size = len(html.encode("utf-8", "replace"))
            if self.taken["bytes", group] + size <= FULL_BYTES:
                self.taken["bytes", group] += size
                self.full[row.number] = told, html


def section_of(row: Row) -> Markup:
    """
    Return what a page tells of a row.

    Example:
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"}
        >>> print(section_of(Row(error="a.jsonl:1: this is no JSON.", **head)).splitlines()[2])
        <p class="warn">a.jsonl:1: this is no JSON.</p>
    """
    secrets = Secrets()
    meta = {}
    for name, value in row.meta.items():
        hidden = secrets.value([""], [name], value)
        if not isinstance(hidden, str):
            hidden = json.dumps(hidden, ensure_ascii=False, default=str)
        meta[shown(name)] = shown(hidden, LONGEST_TEXT)
    names: dict[str, Any] = {"row": row, "meta": meta, "result": None, "unreadable": ""}
    if row.error is None and row.calls is not None:
        try:
            names |= _told(row, without_secrets(row.result()))
        except FormatError as error:  # the file was changed by hand
            names["unreadable"] = str(error)
    return Markup(_templates().get_template("sequence.html.j2").render(**names))


def _told(row: Row, result: RepairResult) -> dict[str, Any]:
    """Return what the template takes of a row whose calls can be read."""
    changed, secrets = diff_rows(result), Secrets()
    edits = []
    for edit in result.edits:
        risky = f" (risky: {shown(edit.risky)})" if edit.risky else ""
        edits.append(f"{place_text(edit, result)}{edit_text(edit)}{risky}")
    if result.edits:
        both = repair_drawings(result, most=CALLS_DRAWN)
        drawings = list(zip(("given", "repaired"), both, strict=True))
    else:
        calls = (each.call for each in row.diagnostics if each.call is not None)
        wrong: dict[int, Changed] = dict.fromkeys(calls, "wrong")
        wrong |= dict.fromkeys(result.unresolved, "unresolved")
        drawings = [("", drawing_of(result.given, most=CALLS_DRAWN).marked(wrong))]
    has_calls = result.given.calls or result.sequence.calls
    return {
        "result": result,
        "changed": changed,
        "lines": changed or [(" ", escaped(line)) for line in result.given.dump("pretty")],
        "edits": edits,
        "picture": svg_text(drawings, styled=False) if has_calls else None,
        "alternatives": [
            (each, [(" ", escaped(line)) for line in secrets.sequence(calls).dump("pretty")])
            for each in row.alternatives
            for calls in [each.sequence(row.format)]
        ],
    }
