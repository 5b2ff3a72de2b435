"""A run of many sequences as one page of HTML that needs nothing else and no network."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from refract_asp.errors import LONGEST_TEXT, FormatError, shown
from refract_asp.evaluation import reports
from refract_asp.evaluation.reports import TEMPLATES, Block, Outside, Table
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.summary import EXECUTABLE, OUTCOMES, Summary, field_value, why
from refract_asp.evaluation.versus import Versus
from refract_asp.model import RepairResult
from refract_asp.model.paths import without
from refract_asp.model.secrets import Secrets
from refract_asp.model.shares import share
from refract_asp.model.stages import reads_of
from refract_asp.report.diagnostics import told_text
from refract_asp.report.diff import Row as Line
from refract_asp.report.diff import diff_rows
from refract_asp.report.edits import ask_text, edit_text, place_text
from refract_asp.report.graph import Changed, drawing_of, repair_drawings, svg_text
from refract_asp.report.pages import TEMPLATES as SHARED
from refract_asp.report.pages import environment, raw_text
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import escaped, percent
from refract_asp.report.text import confirm_text

CALLS_DRAWN = 60
# A page lists at most this many sequences; its figures are those of all.
MOST = 20_000
# At most this many sequences in trouble, and as many others, are shown in full, ...
FULL = 200
# ... as long as those of each kind take no more bytes than this.
FULL_BYTES = 1_300_000
NAME = 80
TEXT = 120
# So much of a line of calls is shown.
LINE = 1_000
# At most this many tools of a sequence are listed.
TOOLS = 20
# So many catalogs and models are named in the head, and so many causes of errors are counted separately.
NAMED = 3
CAUSES = 100
# The codes for references to a result that no call gives.
NO_RESULT = frozenset({"unknown_label", "read_before_written"})
# The figures that the tiles show.
TILES = frozenset({"valid", "errors"})
# The tables that are shown side by side.
NARROW = frozenset({"all sequences", "mistakes by kind"})

_TOKEN = re.compile(r"\w+|\W")
# A long name may be broken behind a sign, and before a capital letter that begins a word.
_BREAK = re.compile(r"(?<=[^\w\s$])(?=[^\W\d_])|(?<=_)(?=[^\W_])|(?<=[a-z0-9])(?=[A-Z])")


@cache
def _templates() -> Environment:
    made = environment(TEMPLATES)
    made.globals |= {"longest": LONGEST_TEXT, "said": reports.said}
    made.filters |= {each.__name__: each for each in (escaped, percent, shown, told_text)}
    made.filters |= {"kind": lambda found: type(found).__name__, "many": "{:,}".format}
    made.filters["broken"] = lambda text: Markup("<wbr>").join(_BREAK.split(str(text)))
    return made


# -- many sequences ----------------------------------------------------------------


def summary_page(
    rows: Callable[[], Iterator[Row]],
    summary: Summary,
    versus: Versus | None = None,
    *,
    title: str = "",
    about: Mapping[str, str] = {},
    most: int = MOST,
) -> str:
    """
    Return the page of a run.

    Args:
        rows: begins to read the rows of the run; called once, and read one row at a time.
        summary: its figures.
        versus: how it compares with an earlier run, where there is one.
        title: its heading; by default the number of sequences.
        about: further facts below the title, besides the catalogs and models, such as date and version.
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
    # the tiles show the verdicts, and the list begins with the sequences in trouble
    shares = without(summary.overall.shares, TILES)
    overall = summary.overall.model_copy(update={"shares": shares})
    rest = summary.model_copy(update={"overall": overall, "troubles": (), "troubled": 0})
    ordered = sorted(held.causes.values(), key=lambda each: -each[2])
    causes = [(reports.named(cause, at, len(cause)), often) for cause, at, often in ordered]
    told = reports.blocks_of(rest, len(summary.tools) + len(summary.faults))
    sections: list[Block] = [Table("causes of errors", ("sequences",), causes)]
    for block in told:
        if block.title == "by tool":
            sections.append(_by_tool(summary))
        elif isinstance(block, Table) and block.title == "all sequences":
            # the interval is shown with each bar
            rows_told = [row[:2] for row in block.rows]
            sections.append(replace(block, heads=block.heads[:1], rows=rows_told))
        else:
            sections.append(block)
    # the causes come first, then what is narrow, side by side
    sections = sorted(
        (each for each in sections if not each.is_empty),
        key=lambda each: (each.title != "causes of errors", each.title not in NARROW),
    )
    narrow = [each for each in sections if each.title in NARROW]
    template = _templates().get_template("page.html.j2")
    return template.render(
        title=title,
        about=about,
        more_style=raw_text(TEMPLATES / "page.css") + raw_text(SHARED / "drawing.css"),
        script=raw_text(TEMPLATES / "page.js"),
        summary=summary,
        versus=versus,
        narrow=narrow if len(narrow) == len(NARROW) else [],
        sections=sections if summary.overall.sequences else [],
        changes=[] if versus is None else list(reports.blocks_of(versus, MOST)),
        held=held,
        named=NAMED,
        listed=Markup(json.dumps(held.listed).replace("<", "\\u003c")),
    )


def _by_tool(summary: Summary) -> Table:
    """Return the tools by how many of all faulty calls are theirs."""
    all_faulty = summary.overall.shares.get("faulty_calls")
    total = all_faulty.count if all_faulty else 0
    rows = []
    for each in summary.tools:
        if each.faulty.count:
            counts = (share(each.faulty.count, total), each.faulty.of, each.sequences.count)
            rows.append((Outside(each.tool), *counts, next(iter(each.tags), "-")))
    return Table("faulty calls by tool", ("faulty calls", "calls", "sequences", "mostly"), rows)


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
        names: the catalogs and models of all sequences, with how many sequences have each.
        causes: why sequences could not be read or answered: by the sentence without its numbers, the first
            of them, its number, and how many there are.
    """

    fields: tuple[str, ...]
    troubled: int
    most: int
    full: dict[int, tuple[dict[str, Any], Markup]] = field(default_factory=dict)
    listed: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0
    taken: Counter[tuple[str, bool]] = field(default_factory=Counter)
    names: Counter[tuple[str, str]] = field(default_factory=Counter)
    causes: dict[str, tuple[str, int, int]] = field(default_factory=dict)

    def names_of(self, name: str) -> list[str]:
        """Return the catalogs or the models, the most frequent first."""
        return [value for (kind, value), _ in self.names.most_common() if kind == name]

    def in_order(self) -> list[tuple[int, tuple[dict[str, Any], Markup]]]:
        """Return the sequences that are shown in full, those in trouble first."""
        return sorted(self.full.items(), key=lambda each: -OUTCOMES.index(each[1][0]["verdict"]))

    def add(self, row: Row) -> None:
        outcome = row.verdict or "error"
        for name in ("catalog", "model"):
            value = field_value(row, name)
            if value is not None and len(self.names) < MOST:
                self.names[name, shown(reports.group_name(value), NAME)] += 1
        if row.error is not None:
            cause = why(row).removeprefix(row.place).lstrip(":0123456789 ")
            alike = re.sub(r"\d+", "0", cause)
            alike = alike if alike in self.causes or len(self.causes) < CAUSES else "other causes"
            cause, first, often = self.causes.get(alike, (cause, row.number, 0))
            self.causes[alike] = cause, first, often + 1
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
    Return what a page shows of a row.

    Example:
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"}
        >>> print(section_of(Row(error="a.jsonl:1: this is no JSON.", **head)).splitlines()[2])
        <p class="warn">a.<wbr>jsonl:1: this is no JSON.</p>
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
    final = result.sequence.calls
    questions = [("Which value?", ask_text(ask, final)) for ask in result.asks]
    questions += [("Is this right?", confirm_text(each, final)) for each in result.confirms]
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
        told = {each.attempted for each in row.diagnostics if each.code in NO_RESULT}
        read = (each.reference for each in reads_of(result.given))
        missing = {reference.label for reference in read if str(reference) in told}
        as_given = drawing_of(result.given, most=CALLS_DRAWN, changed=wrong, missing=missing)
        drawings = [("", as_given)]
    has_calls = result.given.calls or result.sequence.calls
    return {
        "result": result,
        "changed": changed,
        "lines": list(marked(changed or [(" ", line) for line in result.given.dump("pretty")])),
        "questions": questions,
        "edits": edits,
        "picture": svg_text(drawings, styled=False) if has_calls else None,
        "alternatives": [
            (each, list(marked((" ", line) for line in secrets.sequence(found).dump("pretty"))))
            for each in row.alternatives
            for found in [each.sequence(row.format)]
        ],
    }


def marked(rows: Iterable[Line]) -> Iterator[tuple[str, Markup]]:
    """
    Yield the lines of a diff as HTML; where `?` lines point at what differs, those words are marked instead.

    Example:
        >>> list(marked([("-", "f(x=geoid)"), ("?", "       ^"), ("+", "f(x=geoId)")]))
        [('-', Markup('f(x=<mark>geoid</mark>)')), ('+', Markup('f(x=<mark>geoId</mark>)'))]
    """
    lines: list[tuple[str, list[str]]] = []
    hinted = set()
    for mark, line in rows:
        if mark == "?":
            hinted.add(len(lines) - 1)
        else:
            text = escaped(line)
            text = text if len(text) <= LINE else f"{text[: LINE - 3]}..."
            lines.append((mark, _TOKEN.findall(text)))
    for number, (side, tokens) in enumerate(lines):
        # a hint is printed below the removed line, below the new one, or below both
        other, pair = (number + 1, number) if side == "-" else (number - 1, number - 1)
        is_pair = side != " " and 0 <= other < len(lines) and {side, lines[other][0]} == {"-", "+"}
        if not is_pair or not hinted & {pair, pair + 1}:
            yield side, escape("".join(tokens))
            continue
        parts = Markup("")
        blocks = SequenceMatcher(None, tokens, lines[other][1], autojunk=False).get_opcodes()
        for what, start, end, *_ in blocks:
            text = "".join(tokens[start:end])
            is_same = what == "equal" or not text
            parts += escape(text) if is_same else Markup("<mark>{}</mark>").format(text)
        yield side, parts
