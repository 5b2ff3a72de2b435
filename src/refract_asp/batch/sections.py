"""
What a page tells of one sequence: what is wrong with it, what was changed, and a picture of its calls.

Told as elements, so that a page can hold it as HTML, or packed, for a script to draw when it is opened. All
texts are bounded, and secrets are hidden.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from refract_asp.batch.row import CALLS, Alternative, Row
from refract_asp.errors import LONGEST_TEXT, FormatError, shown
from refract_asp.model import RepairResult, Sequence
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.secrets import Secrets
from refract_asp.report.diagnostic_text import told_text
from refract_asp.report.diff import Row as Line
from refract_asp.report.diff import diff_rows
from refract_asp.report.drawing import Changed, drawing_of, repair_drawings
from refract_asp.report.edits import edit_text, place_text
from refract_asp.report.elements import Element, element
from refract_asp.report.graph_svg import svg_of
from refract_asp.report.secrets import without_secrets
from refract_asp.report.tables import count
from refract_asp.report.terminal import escaped

__all__ = ["MARKS", "badge", "section_of"]

MOST = 40
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


def badge(outcome: str) -> Element:
    """Return a verdict with its sign."""
    return element("span", f"{MARKS[outcome]} {outcome}", class_=f"badge {outcome}")


def section_of(row: Row) -> Element:
    """
    Return what a page tells of a row.

    Example:
        >>> head = {"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"}
        >>> section_of(Row(error="a.jsonl:1: this is no JSON.", **head)).children[1]
        Element(tag='p', attributes={'class': 'warn'}, children=('a.jsonl:1: this is no JSON.',))
    """
    return element("div", _facts(row), *_error(row), *_told(row), *_meta(row), class_="one")


def _facts(row: Row) -> Element:
    facts = [f"{shown(row.place, LONGEST_TEXT)}", count(row.count, "call"), row.mode]
    facts += [f"catalog {shown(row.catalog)}"] if row.catalog else []
    facts += ["step by step"] if row.stepwise else []
    facts += [] if row.optimal else ["not proven cheapest"]
    facts += ["ambiguous: another repair of the same cost means something else"] if row.ambiguous else []
    if row.total:
        facts.append(f"cost {', '.join(str(row.total[level]) for level in sorted(row.total, reverse=True))}")
    return element("p", badge(row.verdict or "error"), " ", ", ".join(facts), class_="soft")


def _error(row: Row) -> Iterator[Element]:
    if row.error is not None:
        yield element("p", shown(row.error, 1_000), class_="warn")


def _told(row: Row) -> Iterator[Element]:
    if row.error is not None or row.calls is None:
        return
    try:
        result = without_secrets(row.result())
    except FormatError as error:  # the file was changed by hand
        yield element("p", f"Its calls cannot be shown: {error}", class_="warn")
        return
    yield from _wrong(row)
    yield from _changed(row, result)
    yield from _drawn(row, result)
    yield from _steps(row)
    yield from _alternatives(row)
    yield from _truth(row)
    yield from _listed("Notes", (shown(each, LONGEST_TEXT) for each in (*row.notes, *row.truncated)))


# -- what is wrong, what was changed --------------------------------------------


def _wrong(row: Row) -> Iterator[Element]:
    if not row.diagnostics and not row.unmet:
        return
    yield element("h3", "What is wrong")
    for found in row.diagnostics[:MOST]:
        yield _diagnostic(found)
    yield from _more(len(row.diagnostics))
    yield from _listed("Goals that are not met", (shown(goal, LONGEST_TEXT) for goal in row.unmet), "h4")


def _diagnostic(found: Diagnostic) -> Element:
    """Return a message in its tiers: what is wrong, what to change, and, to be opened, what there is."""
    sentence, *tiers = told_text(found).split("\n\n")
    listing = tiers.pop(0) if found.available is not None and tiers else None
    return element(
        "div",
        element("p", element("strong", f"{found.severity}: "), sentence, " ", element("code", found.code)),
        *(element("p", _joined(tier)) for tier in tiers),
        _listing(listing) if listing is not None else None,
        class_=f"told {found.severity}",
    )


def _joined(text: str) -> str:
    """Return a question and its answers on one line."""
    first, *others = (line.strip() for line in text.split("\n"))
    return " ".join([first, ", ".join(others)]) if others else first


def _listing(text: str) -> Element:
    title, *entries = text.split("\n")
    if not entries:
        return element("p", title.strip())
    lines = "\n".join(entry.strip() for entry in entries)
    return element("details", element("summary", title.strip().removesuffix(":")), element("pre", lines))


def _changed(row: Row, result: RepairResult) -> Iterator[Element]:
    rows = diff_rows(result)
    if not rows:
        title = "The calls" if row.verdict != "valid" else "The calls, which stay as they are"
        yield element("h3", title)
        yield _lines([(" ", escaped(line)) for line in result.given.dump("pretty")])
        return
    yield element("h3", "What was changed")
    yield _lines(rows)
    edits = []
    for edit in result.edits[:MOST]:
        said = f"{place_text(edit, result)}{edit_text(edit)}"
        edits.append(f"{said} (risky: {shown(edit.risky)})" if edit.risky else said)
    yield from _list(edits)
    yield from _more(len(result.edits))


def _lines(rows: list[Line]) -> Element:
    """Return lines with the class that colours them; their marks say the same."""
    spans = [element("span", f"{mark} {_cut(text)}", class_=_WORDS[mark]) for mark, text in rows[:LINES]]
    if len(rows) > LINES:
        spans.append(element("span", f"... and {len(rows) - LINES} more lines", class_="same"))
    return element("pre", *spans, tabindex=0, role="region", aria_label="calls")


def _drawn(row: Row, result: RepairResult) -> Iterator[Element]:
    if not result.given.calls and not result.sequence.calls:
        return
    if result.edits:
        before, after = repair_drawings(result, most=CALLS_DRAWN)
        drawings = [("given", before), ("repaired", after)]
        title = "What feeds what, before and after"
    else:
        wrong: dict[int, Changed] = {each.call: "wrong" for each in row.diagnostics if each.call is not None}
        wrong |= dict.fromkeys(result.unresolved, "unresolved")
        drawings = [("", drawing_of(result.given, most=CALLS_DRAWN).marked(wrong))]
        title = "What feeds what"
    yield element("h3", title)
    yield element(
        "div", svg_of(drawings), class_="scroll", tabindex=0, role="region", aria_label="picture of the calls"
    )


# -- steps, alternatives, the truth, metadata -----------------------------------


def _steps(row: Row) -> Iterator[Element]:
    if not row.steps:
        return
    yield element("h3", "Step by step")
    steps = (
        element(
            "li",
            f"call {each.call + 1}: ",
            badge(each.verdict),
            "" if each.optimal else " not proven cheapest",
        )
        for each in row.steps[:MOST]
    )
    yield element("ul", *steps)
    yield from _more(len(row.steps))


def _alternatives(row: Row) -> Iterator[Element]:
    if not row.alternatives:
        return
    yield element("h3", "Other repairs")
    for each in row.alternatives[:MOST]:
        cost = ", ".join(f"{shown(name)} {value}" for name, value in each.cost.items())
        yield element("p", badge(each.verdict), f" cost: {cost}" if cost else "")
        lines = _calls_of(each, row.format)
        yield _lines([(" ", escaped(line)) for line in lines])
    yield from _more(len(row.alternatives))


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


def _truth(row: Row) -> Iterator[Element]:
    if row.expected is None:
        return
    yield element("h3", "Against the ground truth")
    said = f"The given calls are {'' if row.expected.given else 'not '}the expected ones"
    if row.expected.repaired is not None and row.edits:
        said += f"; the repaired ones are{'' if row.expected.repaired else ' not'}"
    yield element("p", f"{said}.")
    where = (
        f"{fault.tag}"
        + (f", call {fault.call + 1}" if fault.call is not None else "")
        + (f", {shown(fault.parameter)}" if fault.parameter is not None else "")
        for fault in row.expected.tags
    )
    yield from _list(where)


def _meta(row: Row) -> Iterator[Element]:
    if not row.meta:
        return
    yield element("h3", "Metadata")
    secrets = Secrets()
    lines = [
        element("tr", element("th", shown(name), scope="row"), element("td", _value(secrets, name, value)))
        for name, value in list(row.meta.items())[:MOST]
    ]
    yield element("table", element("tbody", *lines), class_="facts")
    yield from _more(len(row.meta))


def _value(secrets: Secrets, name: str, value: Any) -> str:
    hidden = secrets.value([""], [name], value)
    text = hidden if isinstance(hidden, str) else json.dumps(hidden, ensure_ascii=False, default=str)
    return shown(text, LONGEST_TEXT)


# -- parts -----------------------------------------------------------------------


def _listed(title: str, texts: Iterable[str], level: str = "h3") -> Iterator[Element]:
    found = list(texts)
    if found:
        yield element(level, title)
        yield from _list(found)


def _list(texts: Iterable[str]) -> Iterator[Element]:
    found = list(texts)
    if found:
        yield element("ul", *(element("li", text) for text in found[:MOST]))


def _more(number: int) -> Iterator[Element]:
    if number > MOST:
        yield element("p", f"and {number - MOST} more", class_="soft")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}..."
