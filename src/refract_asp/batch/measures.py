"""What is measured of each sequence of a batch, so that a run can be told in shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from refract_asp.batch.row import Row
from refract_asp.model import Verdict
from refract_asp.model.shares import Share

__all__ = ["MEASURES", "Measure", "Outcome", "faulty_calls", "is_faulty", "measures_told", "outcome_of"]

Outcome: TypeAlias = Verdict | Literal["error"]
"""The verdict of a sequence, or that it has none."""
Counted: TypeAlias = tuple[int, int] | None
"""So many of so many, in one sequence; None where it does not count."""


@dataclass(frozen=True)
class Measure:
    """
    A share over the sequences of a run, or over their calls.

    Attributes:
        name: under which name it stands in `Figures.shares`.
        title: how it is called in reports.
        meaning: what it is a share of.
        of: what one row adds to it.
        better: whether more of it is better, or less; None where it is neither.
        per_call: whether calls are counted, and not sequences.
        if_some: whether it is left out of a report where there is none of it.
        short: what it is called above a column, where that is shorter.
    """

    name: str
    title: str
    meaning: str
    of: Callable[[Row], Counted]
    better: Literal["more", "less"] | None = None
    per_call: bool = False
    if_some: bool = False
    short: str = ""

    @property
    def head(self) -> str:
        """What it is called above a column."""
        return self.short or self.title


def outcome_of(row: Row) -> Outcome:
    """Return the verdict of a row, "error" where it has none."""
    return row.verdict or "error"


def is_faulty(row: Row) -> bool:
    """Whether something is wrong with the given calls; not so where they are only open, or were not read."""
    if row.verdict in (None, "valid"):
        return False
    return bool(row.diagnostics or row.tags or row.edits or row.unmet)


def faulty_calls(row: Row) -> set[int]:
    """Return the indexes of the given calls in which something is wrong."""
    return {fault.call for fault in row.tags if fault.call is not None and fault.call < row.count}


# -- one function for each -----------------------------------------------------


def _counted(is_one: bool) -> Counted:
    return int(is_one), 1


def _valid(row: Row) -> Counted:
    return _counted(row.verdict == "valid")


def _executable(row: Row) -> Counted:
    return None if row.mode == "check" else _counted(row.is_executable)


def _repairable(row: Row) -> Counted:
    if row.mode == "check" or not is_faulty(row):
        return None
    return _counted(row.verdict == "repaired")


def _faulty_calls(row: Row) -> Counted:
    return (len(faulty_calls(row)), row.count) if row.count else None


def _shorter(row: Row) -> Counted:
    if row.mode != "compress" or row.verdict is None:
        return None
    return _counted(_left_out_of(row) > 0)


def _left_out(row: Row) -> Counted:
    if row.mode != "compress" or not row.count:
        return None
    return _left_out_of(row), row.count


def _left_out_of(row: Row) -> int:
    return sum(edit.kind == "delete_call" for edit in row.edits)


def _right_before(row: Row) -> Counted:
    return None if row.expected is None else _counted(row.expected.given)


def _right_after(row: Row) -> Counted:
    if row.expected is None or row.expected.repaired is None:
        return None
    return _counted(row.expected.repaired)


def _restored(row: Row) -> Counted:
    if row.expected is None or row.expected.given or row.expected.repaired is None:
        return None
    return _counted(row.expected.repaired)


def _answered(row: Row) -> bool:
    return row.mode != "check" and row.verdict is not None


def _proven(row: Row) -> Counted:
    return _counted(row.optimal) if _answered(row) else None


def _ambiguous(row: Row) -> Counted:
    return _counted(row.ambiguous) if _answered(row) else None


def _truncated(row: Row) -> Counted:
    return _counted(bool(row.truncated)) if _answered(row) else None


def _error(row: Row) -> Counted:
    return _counted(row.verdict is None)


MEASURES: tuple[Measure, ...] = (
    Measure(
        "valid",
        "valid as given",
        "of all sequences: nothing had to be changed",
        _valid,
        "more",
        short="valid",
    ),
    Measure(
        "executable",
        "executable in the end",
        "of all sequences: valid, or repaired with nothing open",
        _executable,
        "more",
        short="executable",
    ),
    Measure(
        "repairable",
        "repaired",
        "of the sequences in which something is wrong: repaired with nothing open",
        _repairable,
        "more",
    ),
    Measure(
        "faulty_calls",
        "faulty calls",
        "of all given calls: something is wrong with it",
        _faulty_calls,
        "less",
        per_call=True,
    ),
    Measure("shorter", "made shorter", "of the sequences that were to be made shorter", _shorter, "more"),
    Measure(
        "left_out",
        "calls left out",
        "of the calls of sequences that were to be made shorter",
        _left_out,
        "more",
        per_call=True,
    ),
    Measure(
        "right_before",
        "as expected, given",
        "of the sequences with a ground truth: the given calls are the expected ones",
        _right_before,
        "more",
    ),
    Measure(
        "right_after",
        "as expected, repaired",
        "of the sequences with a ground truth: the repaired calls are the expected ones",
        _right_after,
        "more",
    ),
    Measure(
        "restored",
        "restored",
        "of the sequences that are not as expected when given: the repaired calls are",
        _restored,
        "more",
    ),
    Measure("proven", "proven cheapest", "of the sequences that were answered", _proven, "more"),
    Measure(
        "ambiguous",
        "ambiguous",
        "of the sequences that were answered: an answer of the same cost means something else",
        _ambiguous,
        "less",
        if_some=True,
    ),
    Measure(
        "truncated",
        "search cut short",
        "of the sequences that were answered: a bound left something out of the search",
        _truncated,
        "less",
        if_some=True,
    ),
    Measure(
        "errors",
        "errors",
        "of all sequences: it could not be read or answered",
        _error,
        "less",
        if_some=True,
    ),
)
"""What a run is measured by, in the order of the reports."""


def measures_told(*several: dict[str, Share]) -> list[Measure]:
    """Return the measures that say something of these shares, in the order of the reports."""
    return [
        measure
        for measure in MEASURES
        if any(
            measure.name in shares and (shares[measure.name].count or not measure.if_some)
            for shares in several
        )
    ]
