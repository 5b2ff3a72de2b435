"""Answers that another program gave before, read from JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from refract_asp.bench.evaluation.cases import entries
from refract_asp.bench.evaluation.systems import VERDICTS, Answer
from refract_asp.errors import FormatError, InputError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.examples import placed

__all__ = ["Recorded"]


class Recorded:
    """
    Answers that some other program gave before, by the id of the case.

    Args:
        answers: for each id the line that was recorded.
    """

    def __init__(self, answers: Mapping[str, dict[str, Any]]) -> None:
        """Hold the answers."""
        self._answers = answers

    @classmethod
    def load(cls, data: Any, name: str | None = None) -> Recorded:
        """
        Read answers, one a line: `{"id": ..., "answer": ...}`, and if known "verdict" and "seconds".

        Raises:
            InputError: a line is not so; the message names file and line.

        Example:
            >>> recorded = Recorded.load([{"id": 7, "answer": ["Pay(amount=3)"], "verdict": "repaired"}])
            >>> str(recorded.answer("7").sequence)
            'Pay(amount=3)'
        """
        answers: dict[str, dict[str, Any]] = {}
        for place, row in entries(data, name):
            if isinstance(row, InputError):
                raise row
            identity = _identity(row, place)
            if identity in answers:
                raise FormatError(f"there are two answers to {shown(identity)!r}.", where=place)
            answers[identity] = row
        return cls(answers)

    def others(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of answers that are to none of the cases of these ids."""
        known = set(ids)
        return [each for each in self._answers if each not in known]

    def answer(self, identity: str) -> Answer:
        """
        Return the answer to a case.

        Raises:
            InputError: there is none, or it cannot be read.
        """
        row = self._answers.get(identity)
        if row is None or row["answer"] is None:
            meta = row.get("meta") if row is not None else None
            why = meta.get("error") if isinstance(meta, dict) else None
            said = f": {shown(why, 200)}" if isinstance(why, str) and why else "."
            raise InputError(f"no answer was recorded{said}")
        try:
            sequence = load_sequence(row["answer"])
        except InputError as error:
            raise placed(error, "answer") from None
        return Answer(
            sequence,
            verdict=row.get("verdict"),
            check_seconds=row.get("check_seconds"),
            seconds=row.get("seconds"),
        )


_HINT = 'Write {"id": ..., "answer": [...]}, one a line.'
_KEYS = ("id", "answer", "verdict", "seconds", "check_seconds", "meta")


def _identity(row: Any, place: str) -> str:
    """Return the id of a line of recorded answers; refuse one that is not as it should be."""
    if not isinstance(row, dict) or "answer" not in row:
        raise FormatError("this is no recorded answer.", where=place, hint=_HINT)
    for key in row:
        if key not in _KEYS:
            what = f"a recorded answer has no {shown(key, 80)!r}."
            raise FormatError(what, where=place, hint=f"It has {', '.join(_KEYS)}.")
    identity = row.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        raise FormatError("a text or a whole number is needed.", where=f"{place}: id", hint=_HINT)
    if row.get("verdict") is not None and row["verdict"] not in VERDICTS:
        what = f"{shown(row['verdict'], 40)!r} is no verdict."
        raise FormatError(what, where=f"{place}: verdict", hint=f"Known: {', '.join(VERDICTS)}.")
    for key in ("seconds", "check_seconds"):
        taken = row.get(key)
        is_number = isinstance(taken, int | float) and not isinstance(taken, bool)
        if taken is not None and not (is_number and 0 <= taken < 1e9):
            raise FormatError("a number of seconds is needed.", where=f"{place}: {key}")
    return str(identity)
