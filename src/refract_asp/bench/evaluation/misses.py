"""The cases that a system did not answer as expected, with what differs as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from refract_asp.bench.evaluation.runs import Run, RunRow
from refract_asp.bench.evaluation.scoring import Score
from refract_asp.errors import shown
from refract_asp.report.tables import count

__all__ = ["Line", "Miss", "errors_of", "lines_between", "misses_of"]

MAX_ERRORS = 3
"""So many reasons for no answer are told of each system."""
SHORT = 60

Line: TypeAlias = tuple[Literal[" ", "-", "+"], str]
"""A line of both, of the first one alone, or of the second one alone."""


class Miss(BaseModel):
    """
    A case that was not answered as expected.

    Attributes:
        id: of the case.
        kind: what is wrong with it.
        what: what was broken, for people.
        system: who answered.
        said: what the answer comes to, in words.
        answer: what the system changed: its answer against the given sequence.
        wanted: what it should have been: the expected sequence against its answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str
    what: str
    system: str
    said: str
    answer: tuple[Line, ...]
    wanted: tuple[Line, ...]


def misses_of(run: Run, system: str) -> Iterator[Miss]:
    """Yield what a system missed, in the order of the cases; those that nobody could know come last."""
    rows = [row for row in run.rows if not row.scores[system].restored]
    for row in sorted(rows, key=lambda row: not (row.informed or row.asks)):  # the sort is stable
        score = row.scores[system]
        given, expected = row.given or (), row.expected or ()
        answer = score.answer if score.answer is not None else given
        yield Miss(
            id=row.id,
            kind=row.kind,
            what=row.what,
            system=system,
            said=_said(row, score),
            answer=tuple(lines_between(given, answer)),
            wanted=tuple(lines_between(answer, expected)),
        )


def errors_of(run: Run, system: str) -> list[str]:
    """Say why a system gave no answer, the most frequent reason first, each with one of the cases."""
    found: dict[str, list[str]] = {}
    for row in run.rows:
        error = row.scores[system].error
        if error is not None:
            found.setdefault(error, []).append(row.id)
    ordered = sorted(found.items(), key=lambda each: -len(each[1]))
    told = [
        f"{shown(system, SHORT)}: no answer to {count(len(ids), 'case')}, as {shown(ids[0], SHORT)}: "
        f"{shown(error, 300)}"
        for error, ids in ordered[:MAX_ERRORS]
    ]
    left = sum(len(ids) for _, ids in ordered[MAX_ERRORS:])
    if left:
        more = f"to {count(left, 'case')} more for {count(len(ordered) - MAX_ERRORS, 'other reason')}"
        told.append(f"{shown(system, SHORT)}: no answer {more}.")
    return told


def _said(row: RunRow, score: Score) -> str:
    if score.error is not None:
        return f"no answer: {score.error}"
    parts = [score.verdict or "an answer", f"{score.off} token{'s' * (score.off != 1)} off"]
    if row.right:
        parts.append("nothing was wrong")
    if not row.informed:
        parts.append("the information is lost")
    if score.near:
        parts.append("an answer that is as cheap is the expected one")
    if score.confirmed:
        parts.append("what was filled has to be confirmed")
    if not score.sound:
        parts.append("check finds fault with it")
    if score.silent:
        parts.append(f"filled silently: {', '.join(score.silent)}")
    if score.ambiguous:
        parts.append("ambiguous")
    if score.optimal is False:
        parts.append("not proven to be the cheapest")
    return "; ".join(parts)


def lines_between(before: Iterable[str], after: Iterable[str]) -> Iterator[Line]:
    """
    Yield the lines of two sequences, marked by which of them they belong to; nothing where they are equal.

    Example:
        >>> list(lines_between(["A()", "B()"], ["A()", "C()"]))
        [(' ', 'A()'), ('-', 'B()'), ('+', 'C()')]
    """
    old, new = list(before), list(after)
    if old == new:
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from ((" ", line) for line in old[i1:i2])
        else:
            yield from (("-", line) for line in old[i1:i2])
            yield from (("+", line) for line in new[j1:j2])
