"""What running systems over cases gives, as data: a row for each case, and what is needed to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from refract_asp.bench.evaluation.case import Dial
from refract_asp.bench.evaluation.scoring import Score
from refract_asp.errors import FormatError, shown
from refract_asp.formats.opening import opened

__all__ = ["Cases", "Run", "RunRow", "read_run"]


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
        """Return the run as JSON, each row on a line of its own; `read_run` reads it."""
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
        LimitError: it is too large.
    """
    found, origin = opened(data, yaml=False)
    if not isinstance(found, dict) or "rows" not in found or "systems" not in found:
        raise origin.error("this is no run.", hint="Give what `refract-asp bench run` wrote with -o.")
    try:
        run = Run.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        place = tuple(step if isinstance(step, int) else str(step) for step in first["loc"])
        raise origin.error(f"{shown(first['msg']).lower()}.", place) from None
    ids = {row.id for row in run.rows}
    if len(ids) < len(run.rows):
        raise origin.error("two rows have the same id.", ("rows",))
    for number, row in enumerate(run.rows):
        if row.scores.keys() != run.systems.keys():
            raise origin.error("there is not one score for each system.", ("rows", number, "scores"))
    if not run.systems:
        raise FormatError("the run has no systems.", where=origin.at())
    return run
