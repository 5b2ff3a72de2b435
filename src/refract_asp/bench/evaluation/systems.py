"""
Systems: whatever is given a broken sequence, the tools and a memory, and gives back a sequence.

Any function of these three will do; what it returns is an `Answer`, the result of `repair`, or a sequence in
any form that `Sequence.load` takes. A system may have a method `prepare(catalog)`, which is not timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from refract_asp.bench.evaluation.cases import entries
from refract_asp.errors import FormatError, InputError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.examples import placed
from refract_asp.model import Catalog, Memory, RepairResult, Sequence, Verdict
from refract_asp.refractor import Refractor

__all__ = ["Answer", "Prepared", "Recorded", "Refract", "System", "answer_of", "unchanged"]

VERDICTS = ("valid", "invalid", "repaired", "needs_input", "unrepairable", "unknown")
MAX_COMPILED = 8
"""For so many catalogs what was compiled is kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What a system makes of a sequence.

    What a system does not tell is None, and counts nowhere.

    Attributes:
        sequence: the repaired sequence, the given one where nothing was changed.
        verdict: what the system says of the given sequence, as `repair` does.
        edits: how many edits it made.
        origins: for each call of the answer the index of the given call that it came from, None for an added
            one.
        alternatives: other answers that are as good to the system.
        optimal: whether it is proven that no answer is cheaper.
        ambiguous: whether another answer is as cheap and means something else.
        truncated: whether a bound cut the search.
        check_seconds: what it took to find what is wrong.
        seconds: what it took to find the answer; by default what the call took.
    """

    sequence: Sequence
    verdict: Verdict | None = None
    edits: int | None = None
    origins: tuple[int | None, ...] | None = None
    alternatives: tuple[Sequence, ...] = ()
    optimal: bool | None = None
    ambiguous: bool | None = None
    truncated: bool | None = None
    check_seconds: float | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, result: RepairResult, **more: Any) -> Answer:
        """Return what the result of a repair says; `more` is what it does not, as `seconds`."""
        return cls(
            sequence=result.sequence,
            verdict=result.verdict,
            edits=len(result.edits),
            origins=result.origins,
            alternatives=tuple(o.sequence for o in result.alternatives if o.total == result.total),
            optimal=result.optimal,
            ambiguous=result.ambiguous,
            truncated=bool(result.truncated),
            **more,
        )

    def timed(self, seconds: float) -> Answer:
        """Return the answer with what it took."""
        return replace(self, seconds=seconds)


System: TypeAlias = Callable[[Sequence, Catalog, Memory | None], Any]


def answer_of(given: Any) -> Answer:
    """
    Return what a system gave as an answer.

    Raises:
        InputError: it is none.
    """
    if isinstance(given, Answer):
        return given
    if isinstance(given, RepairResult):
        return Answer.of(given)
    if given is None:
        raise InputError("the system gave no answer.")
    return Answer(load_sequence(given))


def unchanged(sequence: Sequence, catalog: Catalog, memory: Memory | None = None) -> Answer:
    """Leave a sequence as it is: what is executable without any repair."""
    del catalog, memory
    return Answer(sequence, edits=0)


@dataclass
class Prepared:
    """Keeps what was compiled for the last few catalogs."""

    make: Callable[[Catalog], Refractor]
    _made: dict[int, tuple[Catalog, Refractor]] = field(default_factory=dict, repr=False)

    def __call__(self, catalog: Catalog) -> Refractor:
        """Return what was compiled for a catalog."""
        if id(catalog) not in self._made:
            if len(self._made) >= MAX_COMPILED:
                del self._made[next(iter(self._made))]
            self._made[id(catalog)] = (
                catalog,
                self.make(catalog),
            )  # the catalog is kept, so its id is its own
        return self._made[id(catalog)][1]


_TOOL = {"name": "Get", "parameters": {"n": {"type": "integer", "required": True}}, "returns": {"m": {}}}
_SLIPS = 'a = Gt(n="3")\nGet(n="$a.mm$")'


class Refract:
    """
    `repair` with options, timed: the check alone, and the repair with the check inside it.

    Args:
        options: as of `Refractor`, as `cost_model="refraction"`.

    Raises:
        InputError: an option cannot be used.
        EncodingError: a cost model or an encoding cannot be used.

    Example:
        >>> tool = {"name": "Pay", "effect": "read", "parameters": {"amount": {}}}
        >>> answer = Refract()(Sequence.load("Py(amount=3)"), Catalog.load({"tools": [tool]}))
        >>> str(answer.sequence), answer.verdict
        ('Pay(amount=3)', 'repaired')
    """

    def __init__(self, **options: Any) -> None:
        """Try the options, so that what is wrong with them comes first and what is read once is not timed."""
        self.options = options
        self._refractor = Prepared(self._make)
        self._try()

    def _try(self) -> None:
        of_other_tools = ("allow", "deny")
        options = {name: each for name, each in self.options.items() if name not in of_other_tools}
        Refractor({"tools": [_TOOL]}, **options).repair(_SLIPS)

    def _make(self, catalog: Catalog) -> Refractor:
        refractor = Refractor(catalog, **self.options)
        refractor.repair(_SLIPS)  # the first repair reads the rules, and indexes the catalog
        return refractor

    def __getstate__(self) -> dict[str, Any]:
        """Take nothing to another process but the options."""
        return self.options

    def __setstate__(self, options: dict[str, Any]) -> None:
        """Begin there with nothing compiled."""
        self.__init__(**options)  # type: ignore[misc]

    def within(self, limit: float | None) -> Refract:
        """Return the same with a time limit, where it has none of its own."""
        if limit is None or self.options.get("time_limit") is not None:
            return self
        return Refract(**{**self.options, "time_limit": limit})

    def prepare(self, catalog: Catalog) -> None:
        """Compile a catalog."""
        self._refractor(catalog)

    def __call__(self, sequence: Sequence, catalog: Catalog, memory: Memory | None = None) -> Answer:
        """Repair a sequence."""
        refractor = self._refractor(catalog)
        start = time.perf_counter()
        refractor.check(sequence, memory)
        checked = time.perf_counter()
        result = refractor.repair(sequence, memory)
        return Answer.of(result, check_seconds=checked - start, seconds=time.perf_counter() - checked)


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
            identity = _checked(row, place)
            if identity in answers:
                raise FormatError(f"there are two answers to {shown(identity)!r}.", where=place)
            answers[identity] = row
        return cls(answers)

    def answer(self, identity: str) -> Answer:
        """
        Return the answer to a case.

        Raises:
            InputError: there is none, or it cannot be read.
        """
        row = self._answers.get(identity)
        if row is None or row["answer"] is None:
            raise InputError("no answer was recorded.")
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


def _checked(row: Any, place: str) -> str:
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
