"""
Systems: whatever is given a broken sequence, the tools and a memory, and gives back a sequence.

Any function of these three will do; what it returns is an `Answer`, the result of `repair`, or a sequence in
any form that `Sequence.load` takes. A system may have a method `prepare(catalog)`, which is not timed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, get_args

from refract_asp.errors import InputError, shown
from refract_asp.formats import load_sequence
from refract_asp.model import Catalog, Memory, RepairResult, Sequence, Verdict
from refract_asp.refractor import Refractor

__all__ = ["VERDICTS", "Answer", "Prepared", "Refract", "System", "answer_of", "unchanged"]

VERDICTS: tuple[str, ...] = get_args(Verdict)
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
        return _checked(given)
    if isinstance(given, RepairResult):
        return Answer.of(given)
    if given is None:
        raise InputError("the system gave no answer.")
    return Answer(load_sequence(given))


def _checked(answer: Answer) -> Answer:
    """Refuse an answer that a system put together wrongly."""
    if not isinstance(answer.sequence, Sequence):
        answer = replace(answer, sequence=load_sequence(answer.sequence))
    if answer.verdict is not None and answer.verdict not in VERDICTS:
        hint = f"Known: {', '.join(VERDICTS)}."
        raise InputError(f"the answer's verdict {shown(answer.verdict, 40)!r} is none.", hint=hint)
    if not all(isinstance(each, Sequence) for each in answer.alternatives):
        raise InputError("an alternative of the answer is no sequence.", hint="Use Sequence.load.")
    if answer.origins is not None and len(answer.origins) != len(answer.sequence.calls):
        what = f"the answer has {len(answer.sequence.calls)} calls and {len(answer.origins)} origins."
        raise InputError(what, hint="Give one for each call, or None for all.")
    for name in ("seconds", "check_seconds"):
        taken = getattr(answer, name)
        is_number = isinstance(taken, int | float) and not isinstance(taken, bool)
        if taken is not None and not (is_number and 0 <= taken < math.inf):
            raise InputError(f"the answer's {name} {shown(taken, 40)!r} are no number of seconds.")
    return answer


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
