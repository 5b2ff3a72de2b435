"""Diagnostics as workflow commands, by which GitHub marks them at the lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.report.diagnostic_text import told_text
from refract_asp.report.terminal import escaped
from refract_asp.report.text import verdict_text

if TYPE_CHECKING:
    from refract_asp.model import Report
    from refract_asp.model.diagnostic import Diagnostic, Limits
    from refract_asp.report.places import Places

__all__ = ["annotation", "github_annotations"]


def github_annotations(
    report: Report, places: Places | None = None, limits: Limits | None = None, *, strict: bool = True
) -> str:
    """
    Return a line `::error file=...,line=...,title=...::message` for each diagnostic, in their order.

    Warnings are `::warning`; notes, and that something is open in the sequence, are `::notice`.

    Args:
        report: what `check` or `repair` gave.
        places: where the calls stand, see `places_of`; without a file no place is named.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.

    Example:
        >>> from refract_asp import check
        >>> from refract_asp.report import Places
        >>> report = check("Pay()", {"tools": [{"name": "Pay", "parameters": {"sum": {"required": True}}}]})
        >>> print(github_annotations(report, Places("calls.txt", (1,))).partition("%0A")[0])
        ::error file=calls.txt,line=1,title=refract-asp missing_parameter::call 1 (Pay), sum: Pay requires sum
    """
    found = report.diagnostics(limits, strict=strict)
    lines = [annotation(each.severity, _place(each, places), each.code, told_text(each)) for each in found]
    remarks = [*report.notes]
    if not found and report.verdict != "valid":
        remarks.insert(0, verdict_text(report, width=10_000))
    lines += [annotation("notice", _file(places), "note", escaped(remark)) for remark in remarks]
    return "\n".join(lines)


def _place(diagnostic: Diagnostic, places: Places | None) -> dict[str, str]:
    file = _file(places)
    line = places.line(diagnostic.call) if places is not None and file else None
    return file if line is None else {**file, "line": str(line)}


def _file(places: Places | None) -> dict[str, str]:
    return {"file": escaped(places.file)} if places is not None and places.file is not None else {}


def annotation(kind: str, place: dict[str, str], title: str, message: str) -> str:
    """
    Return one workflow command.

    Args:
        kind: "error", "warning" or "notice".
        place: "file" and "line", as far as they are known.
        title: in one word, what it is about.
        message: what is told; it is escaped so that it cannot end the command.

    Example:
        >>> annotation("error", {"file": "a.jsonl", "line": "3"}, "unknown_tool", "there is no tool Py")
        '::error file=a.jsonl,line=3,title=refract-asp unknown_tool::there is no tool Py'
    """
    properties = {**place, "title": f"refract-asp {title}"}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {told}::{_data(message)}"


def _data(text: str) -> str:
    """Escape what would end a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape what would end a property."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
