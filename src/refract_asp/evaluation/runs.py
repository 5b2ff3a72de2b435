"""What running systems over cases gives, as data: a row for each case; and the cases that a system missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from refract_asp.errors import FormatError, shown
from refract_asp.evaluation.case import Dial
from refract_asp.evaluation.scoring import Score
from refract_asp.formats.source import MAX_FILE_BYTES, opened
from refract_asp.report.terminal import count

__all__ = [
    "Cases",
    "Line",
    "Miss",
    "Run",
    "RunRow",
    "errors_of",
    "lines_between",
    "misses_of",
    "read_run",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cases(_Part):
    """
    Which cases were run.

    Attributes:
        source: where they came from, as it was named.
        digest: the hash of all of them in order; equal cases have equal ones, wherever they stand.
        count: how many there were.
        skipped: how many lines could not be read.
    """

    source: str = ""
    digest: str = ""
    count: int = 0
    skipped: int = 0


class RunRow(_Part):
    """
    A case, and what each system made of it.

    Attributes:
        id: the id of the case.
        digest: the hash of all that the case says.
        kind: what is wrong with it, in one word; "none" for nothing.
        right: whether nothing is wrong with it.
        informed: whether what was lost can be told from what is left.
        asks: how many values the expected sequence asks for.
        open: whether some of its values may be anything, as nobody can know them any more.
        variant: "misspelt" or "invented" where a name was broken.
        dials: how the case was made.
        what: what was broken, for people.
        given: the sequence, a line for each call, without secrets; only kept where an answer is not as
            expected.
        expected: the expected one, likewise.
        scores: what each system's answer is worth.
    """

    id: str
    digest: str
    kind: str = ""
    right: bool = False
    informed: bool = True
    asks: int = 0
    open: bool = False
    variant: str = ""
    dials: dict[str, Dial] = {}
    what: str = ""
    given: tuple[str, ...] | None = None
    expected: tuple[str, ...] | None = None
    scores: dict[str, Score]


class Run(_Part):
    """
    Systems run over cases.

    Attributes:
        complete: whether all cases were run; not so where somebody stopped it.
        cases: which cases.
        systems: what each system is: its options, by its name.
        settings: how it was run.
        versions: of what took part.
        rows: a row for each case, in their order.
    """

    schema_version: Literal[1] = 1
    complete: bool = True
    cases: Cases = Cases()
    systems: dict[str, dict[str, Any]]
    settings: dict[str, Any] = {}
    versions: dict[str, str] = {}
    rows: tuple[RunRow, ...] = ()

    def text(self) -> str:
        """Return the run as JSON, each row on a line of its own; `read_run` reads it, however large it is."""
        head = self.model_dump_json(exclude={"rows"}, indent=1).removesuffix("\n}")
        rows = ",\n".join(f"  {row.model_dump_json()}" for row in self.rows)
        return f'{head},\n "rows": [\n{rows}\n ]\n}}\n'

    def without_times(self) -> Run:
        """Return the run without what differs each time; equal cases and systems give equal ones."""
        rows = [row.model_copy(update={"scores": _timeless(row.scores)}) for row in self.rows]
        return self.model_copy(update={"rows": tuple(rows), "versions": {}, "settings": {}})


def _timeless(scores: Mapping[str, Score]) -> dict[str, Score]:
    none = {"seconds": None, "check_seconds": None}
    return {name: score.model_copy(update=none) for name, score in scores.items()}


def read_run(data: Path | str) -> Run:
    """
    Read a run that was saved: a file, or the text of one.

    Raises:
        FormatError: it is none.
        LimitError: it is nested too deep.
    """
    # a run may be larger than the files of others may be
    is_large = isinstance(data, Path) and data.is_file() and data.stat().st_size > MAX_FILE_BYTES
    text = Path(data).read_text("utf-8-sig", "replace") if is_large else None
    found, origin = opened(data, yaml=False, text=text)
    if not isinstance(found, dict) or "rows" not in found or "systems" not in found:
        raise origin.error(
            "this is no run.", hint="Give what `refract-asp bench run` wrote with -o."
        )
    try:
        run = Run.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        steps = (step if isinstance(step, int) else str(step) for step in first["loc"])
        raise origin.error(f"{shown(first['msg']).lower()}.", tuple(steps)) from None
    ids = {row.id for row in run.rows}
    if len(ids) < len(run.rows):
        raise origin.error("two rows have the same id.", ("rows",))
    for number, row in enumerate(run.rows):
        if row.scores.keys() != run.systems.keys():
            raise origin.error(
                "there is not one score for each system.", ("rows", number, "scores")
            )
    if not run.systems:
        raise FormatError("the run has no systems.", where=origin.at())
    return run


# -- misses ---------------------------------------------------------------------

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
        more = (
            f"to {count(left, 'case')} more for {count(len(ordered) - MAX_ERRORS, 'other reason')}"
        )
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
