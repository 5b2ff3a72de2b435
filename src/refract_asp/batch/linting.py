"""What is wrong with recorded sequences, a line for each fault, as compilers print it or GitHub marks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.report.annotations import annotation
from refract_asp.report.diagnostic_text import sentence_text, told_text
from refract_asp.report.terminal import escaped, painted

if TYPE_CHECKING:
    from refract_asp.batch.row import Row

__all__ = ["lint_annotations", "lint_lines"]

_OPEN = {
    "needs_input": "something has to be asked or confirmed before it can be run",
    "unrepairable": "a call could not be mended",
    "unknown": "the time ran out before an answer",
}


class _Fault(NamedTuple):
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
        >>> from refract_asp.batch import analyse
        >>> tools = {"tools": [{"name": "Get", "effect": "read", "parameters": {"id": {}}}]}
        >>> rows = list(analyse([["Get()"], ["Gt(id=3)"]], tools))
        >>> lint_lines(rows[0]), lint_lines(rows[1])
        ([], ['[1]: error: call 1 (Gt): the catalog has no tool Gt [unknown_tool] (Change Gt to Get)'])
    """
    place = escaped(shown(_place(row), LONGEST_TEXT))
    place = painted(place, "bold") if color else place
    lines = []
    for fault in _faults(row):
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
        >>> from refract_asp.batch import analyse
        >>> row, *_ = analyse([["Gett(id=3)"], []], {"tools": [{"name": "Get", "parameters": {"id": {}}}]})
        >>> lint_annotations(row)[0][:7]
        '::error'
    """
    file, colon, line = row.place.rpartition(":")
    has_line = colon and line.isdecimal()
    place = {"file": escaped(file), "line": line} if has_line else {"file": escaped(row.place)}
    return [annotation(fault.severity, place, fault.code, fault.told) for fault in _faults(row)]


def _place(row: Row) -> str:
    """Return where a row stood, with the column where its line could not be read from there on."""
    place, _, said = (row.error or "").partition(": ")
    return place if said and place.startswith(row.place) else row.place


def _faults(row: Row) -> list[_Fault]:
    if row.error is not None:
        said = escaped(row.error.removeprefix(_place(row)).removeprefix(": "))
        return [_Fault("error", "error", said, said)]
    found = [
        _Fault(each.severity, each.code, sentence_text(each), told_text(each), each.fix or "")
        for each in row.diagnostics
    ]
    if not found and row.verdict in _OPEN:
        return [_Fault("error", row.verdict, _OPEN[row.verdict], _OPEN[row.verdict])]
    return found
