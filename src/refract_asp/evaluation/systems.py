"""Systems that answer cases: refract itself, two baselines, and what other programs answered before."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, TypeAlias, get_args

from refract_asp.errors import FormatError, InputError, shown
from refract_asp.evaluation.cases import entries
from refract_asp.evaluation.question import Prepared
from refract_asp.formats import load_sequence
from refract_asp.formats.examples import placed
from refract_asp.model import (
    Call,
    Catalog,
    Memory,
    Reference,
    RepairResult,
    Sequence,
    Source,
    Tool,
    Verdict,
)
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.sources import replace_reference, slots_of
from refract_asp.refractor import Refractor

__all__ = [
    "CUTOFF",
    "VERDICTS",
    "Answer",
    "Recorded",
    "Refract",
    "System",
    "answer_of",
    "nearest",
    "unchanged",
]

VERDICTS: tuple[str, ...] = get_args(Verdict)


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
        what = (
            f"the answer has {len(answer.sequence.calls)} calls and {len(answer.origins)} origins."
        )
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


_TOOL = {
    "name": "Get",
    "parameters": {"n": {"type": "integer", "required": True}},
    "returns": {"m": {}},
}
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
        >>> tool = {"name": "Search", "effect": "read", "parameters": {"query": {}}}
        >>> answer = Refract()(Sequence.load('Serch(query="Rome")'), Catalog.load({"tools": [tool]}))
        >>> str(answer.sequence), answer.verdict
        ('Search(query="Rome")', 'repaired')
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

    def __call__(
        self, sequence: Sequence, catalog: Catalog, memory: Memory | None = None
    ) -> Answer:
        """Repair a sequence."""
        refractor = self._refractor(catalog)
        start = time.perf_counter()
        refractor.check(sequence, memory)
        checked = time.perf_counter()
        result = refractor.repair(sequence, memory)
        return Answer.of(
            result, check_seconds=checked - start, seconds=time.perf_counter() - checked
        )


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


CUTOFF = 0.6
"""How alike two names have to be, from 0 to 1; the bound that `difflib` takes by default."""


def nearest(sequence: Sequence, catalog: Catalog, memory: Memory | None = None) -> Answer:
    """
    Put the nearest declared name in the place of each that is not declared.

    Example:
        >>> tool = {"name": "Search", "parameters": {"query": {}}, "returns": {"id": {"type": "string"}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> broken = Sequence.load('var1 = Serch(qury="Rome")\\nSearch(query="$vr1.idd$")')
        >>> print(nearest(broken, catalog).sequence)
        var1 = Search(query="Rome")
        Search(query="$var1.id$")
    """
    fixer = _Fixer(catalog, memory or Memory())
    calls = tuple(map(fixer.call, sequence.calls))
    returns = sequence.returns
    if returns is not None:
        returns = {name: fixer.source(source) for name, source in returns.items()}
    fixed = sequence.model_copy(update={"calls": calls, "returns": returns, "written": None})
    return Answer(fixed, edits=fixer.edits, origins=tuple(range(len(calls))))


@dataclass
class _Fixer:
    """Goes through the calls in order; knows which labels are borne so far, and by calls of which tools."""

    catalog: Catalog
    memory: Memory
    tools: dict[str, Tool | None] = field(default_factory=dict)
    edits: int = 0

    def call(self, call: Call) -> Call:
        """Return a call with the nearest names."""
        if call.malformed is not None:
            return call
        name = self._near(call.name, self.catalog.by_name)
        tool = self.catalog.by_name.get(name)
        arguments = {}
        free = [p for p in tool.parameters if p not in call.arguments] if tool is not None else []
        for parameter, source in call.arguments.items():
            known = tool is None or tool.additional_parameters or parameter in tool.parameters
            fixed = parameter if known else self._near(parameter, free)
            free = [p for p in free if p != fixed]
            arguments[fixed] = self.source(source)
        if call.label is not None:
            self.tools[call.label] = tool
        return call.model_copy(update={"name": name, "arguments": arguments, "written": None})

    def source(self, source: Source) -> Source:
        """Return a source whose references read what there is."""
        slots = enumerate(slots_of(source), 1)
        fixed: dict[int, Source] = {
            n: self._reference(s) for n, s in slots if isinstance(s, Reference)
        }
        return replace_reference(source, fixed)[0] if fixed else source

    def _reference(self, reference: Reference) -> Reference:
        label = self._near(reference.label, [*self.tools, *self.memory.values])
        tool = self.tools.get(label)
        path = reference.path
        if tool is not None and path and not tool.returns_path(path):
            path = self._path(path, tool)
        return reference.model_copy(update={"label": label, "path": path})

    def _path(self, path: FieldPath, tool: Tool) -> FieldPath:
        """Return the nearest path that the tool returns; indexes stay where the steps are as many."""
        declared = {path_text(each.path): each.path for each in tool.output_fields}
        text = path_text(0 if isinstance(step, int) else step for step in path)
        near = declared.get(self._near(text, declared), path)
        if len(near) == len(path):
            pairs = zip(near, path, strict=True)
            return tuple(
                old if isinstance(new, int) and isinstance(old, int) else new for new, old in pairs
            )
        return near

    def _near(self, name: str, known: Collection[str]) -> str:
        """Return the name where it is known, else the nearest one, else the name."""
        if name in known:
            return name
        found = get_close_matches(name, list(known), n=1, cutoff=CUTOFF)
        self.edits += len(found)
        return found[0] if found else name
