"""What running systems over cases gives, as data: a row for each case, and what is needed to run it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from refract_asp.bench.evaluation.case import Dial
from refract_asp.bench.evaluation.scoring import Score
from refract_asp.errors import FormatError, shown
from refract_asp.formats.opening import opened
from refract_asp.formats.origin import MAX_FILE_BYTES, Origin
from refract_asp.formats.values import parse_json

__all__ = ["Cases", "Run", "RunRow", "read_run"]

MAX_HEAD = 10_000_000
"""So many characters stand before the rows of a large run at most."""


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
        return f"{head},\n{_ROWS}\n{rows}\n{_END}\n}}\n"

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

    A file that is larger than others may be is read row by row.

    Raises:
        FormatError: it is none.
        LimitError: it is nested too deep.
    """
    is_large = isinstance(data, Path) and data.is_file() and data.stat().st_size > MAX_FILE_BYTES
    found, origin = _row_by_row(Path(data)) if is_large else opened(data, yaml=False)
    if not isinstance(found, dict) or "rows" not in found or "systems" not in found:
        raise origin.error("this is no run.", hint=_HINT)
    run = _valid(Run, found, origin)
    ids = {row.id for row in run.rows}
    if len(ids) < len(run.rows):
        raise origin.error("two rows have the same id.", ("rows",))
    for number, row in enumerate(run.rows):
        if row.scores.keys() != run.systems.keys():
            raise origin.error("there is not one score for each system.", ("rows", number, "scores"))
    if not run.systems:
        raise FormatError("the run has no systems.", where=origin.at())
    return run


# -- large runs ------------------------------------------------------------------

_ROWS, _END = ' "rows": [', " ]"
"""The lines between which `Run.text` puts the rows."""
_HINT = "Give what `refract-asp bench run` wrote with -o."
_Model = TypeVar("_Model", bound=BaseModel)


def _valid(model: type[_Model], found: Any, origin: Origin, place: tuple[str | int, ...] = ()) -> _Model:
    """Return the model of what was read; `place` is where that stands."""
    try:
        return model.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        steps = (step if isinstance(step, int) else str(step) for step in first["loc"])
        raise origin.error(f"{shown(first['msg']).lower()}.", (*place, *steps)) from None


def _row_by_row(path: Path) -> tuple[dict[str, Any], Origin]:
    """Read a run as `Run.text` lays it out; no more than a line of it is held as text at once."""
    origin = Origin(str(path))
    with path.open("rb") as file:
        lines = _lines(file, origin)
        head, size = [], 0
        for line in lines:
            if line == _ROWS:
                break
            head.append(line)
            size += len(line)
            if size > MAX_HEAD:
                what = f"the file is larger than {MAX_FILE_BYTES:,} bytes, and no run as it was saved."
                raise origin.error(what, hint=_HINT)
        found = parse_json("\n".join(head).removesuffix(",") + "\n}", origin)
        rows: list[RunRow] = []
        for line in lines:
            if line == _END:
                break
            place = ("rows", len(rows))
            row = parse_json(line.strip().removesuffix(","), replace(origin, base=place))
            rows.append(_valid(RunRow, row, origin, place))
        else:
            raise origin.error("the file seems to be cut off.", ("rows", len(rows)))
    return {**found, "rows": rows}, origin


def _lines(file: BinaryIO, origin: Origin) -> Iterator[str]:
    """Yield the lines of a file without their ends; one that is longer than a file may be is refused."""
    for number in count(1):
        line = file.readline(MAX_FILE_BYTES + 1)
        if not line:
            return
        if len(line) > MAX_FILE_BYTES:
            what = f"line {number} is longer than {MAX_FILE_BYTES:,} bytes."
            raise origin.error(what, hint=_HINT)
        try:
            yield line.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError:
            raise origin.error(f"line {number} is not UTF-8 text.", hint="Save the file as UTF-8.") from None
