"""Reading what a batch wrote: a row a line, and beside it how long each took."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

from refract_asp.batch.recording import times_file
from refract_asp.batch.row import Row, read_row
from refract_asp.errors import LONGEST_TEXT, FormatError, LimitError, shown

__all__ = ["MAX_ROW_BYTES", "Seconds", "read_rows", "times_of"]

MAX_ROW_BYTES = 50_000_000
"""A longer line is refused; no more than one is held at once."""
MAX_NUMBER = 20_000_000
"""Of later sequences no times are kept."""
MAX_TIME_BYTES = 10_000


def read_rows(path: Path, name: str | None = None) -> Iterator[Row]:
    """
    Yield the rows of a file that a batch wrote, one at a time.

    Args:
        path: the file.
        name: what it is called in messages; by default its path.

    Raises:
        FormatError: it cannot be read, or a line is no row; the message names file and line.
        LimitError: a line is too long.

    Example:
        >>> from tempfile import NamedTemporaryFile
        >>> head = '"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"'
        >>> with NamedTemporaryFile("w", suffix=".jsonl") as file:
        ...     print(f'{{{head}, "verdict": "valid"}}', file=file, flush=True)
        ...     [row.verdict for row in read_rows(Path(file.name))]
        ['valid']
    """
    called = shown(path if name is None else name, LONGEST_TEXT)
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_ROW_BYTES + 1):
                number += 1
                place = f"{called}:{number}"
                if len(line) > MAX_ROW_BYTES:
                    what = f"the line is longer than {MAX_ROW_BYTES:,} bytes."
                    raise LimitError(what, where=place, hint="Give a file that `refract-asp batch` wrote.")
                if line.strip():
                    yield _row(line, place)
    except OSError as error:
        reason = shown(error.strerror or error, LONGEST_TEXT).lower()
        raise FormatError(f"the file cannot be read: {reason}.", where=called) from None


def _row(line: bytes, place: str) -> Row:
    try:
        return read_row(line.strip(), place)
    except FormatError:
        if line.endswith(b"\n") or _is_json(line):
            raise
        raise FormatError(
            "the last line ends in the middle: the run that wrote it was stopped.",
            where=place,
            hint="Go on with it by `refract-asp batch ... --resume`, or take the line away.",
        ) from None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


# -- times ---------------------------------------------------------------------


class Seconds(Mapping[int, float]):
    """
    How long sequences took, by their number; eight bytes for each.

    Example:
        >>> seconds = Seconds()
        >>> seconds.put(2, 0.5)
        >>> dict(seconds), seconds.get(0)
        ({2: 0.5}, None)
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._seconds = array("d")
        self._count = 0

    def put(self, number: int, seconds: float) -> None:
        """Keep how long a sequence took; what is no time is not kept."""
        if not 0 <= number < MAX_NUMBER or not 0 <= seconds < math.inf:
            return
        lacking = number + 1 - len(self._seconds)
        if lacking > 0:
            self._seconds.extend(array("d", [math.nan]) * lacking)
        self._count += math.isnan(self._seconds[number])
        self._seconds[number] = seconds

    def __getitem__(self, number: int) -> float:
        """Return how long a sequence took."""
        if not 0 <= number < len(self._seconds) or math.isnan(self._seconds[number]):
            raise KeyError(number)
        return self._seconds[number]

    def __iter__(self) -> Iterator[int]:
        """Iterate over the numbers."""
        return (number for number, seconds in enumerate(self._seconds) if not math.isnan(seconds))

    def __len__(self) -> int:
        """Return of how many sequences the time is known."""
        return self._count


def times_of(path: Path) -> Seconds | None:
    """
    Return how long the sequences of a run took, by number; None where there is no file with times.

    Lines without a time are left out: the first one says how the run was made.
    """
    found = Seconds()
    try:
        with times_file(path).open("rb") as file:
            while line := file.readline(MAX_TIME_BYTES):
                _put(found, line)
    except OSError:
        return None
    return found


def _put(found: Seconds, line: bytes) -> None:
    try:
        told = json.loads(line)
        number, seconds = told["number"], told["seconds"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return
    if type(number) is int and type(seconds) in (int, float):
        found.put(number, float(min(seconds, 10**9)))
