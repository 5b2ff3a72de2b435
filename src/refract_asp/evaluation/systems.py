"""Systems that answer cases: refract itself, two baselines, and what other programs answered before."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from refract_asp.errors import FormatError, InputError, shown
from refract_asp.evaluation.cases import entries, refusal
from refract_asp.formats import load_sequence
from refract_asp.formats.examples import read_at
from refract_asp.model import Catalog, Memory, Tool, Verdict
from refract_asp.model.catalog import Prepared
from refract_asp.model.paths import Frozen, path_text
from refract_asp.model.result import RepairResult
from refract_asp.model.sequence import Call, Reference, Sequence, Slot, with_slots
from refract_asp.refractor import Refractor

PER_CATALOG = ("allow", "deny", "effects")
"""The options that name tools, and so fit certain catalogs only."""
Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=1e9, allow_inf_nan=False)]


@dataclass(frozen=True, config=ConfigDict(strict=True))
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

    sequence: Annotated[Sequence, BeforeValidator(load_sequence)]
    verdict: Verdict | None = None
    edits: int | None = None
    origins: tuple[int | None, ...] | None = None
    alternatives: tuple[Sequence, ...] = ()
    optimal: bool | None = None
    ambiguous: bool | None = None
    truncated: bool | None = None
    check_seconds: Seconds | None = None
    seconds: Seconds | None = None

    @classmethod
    def of(cls, result: RepairResult, **more: Any) -> Answer:
        """Return what the result of a repair says; `more` is what it does not, as `seconds`."""
        told = ("sequence", "verdict", "origins", "optimal", "ambiguous")
        return cls(
            **{name: getattr(result, name) for name in told},
            edits=len(result.edits),
            alternatives=tuple(o.sequence for o in result.alternatives if o.total == result.total),
            truncated=bool(result.truncated),
            **more,
        )


System: TypeAlias = Callable[[Sequence, Catalog, Memory | None], Any]


def answer_of(given: Any) -> Answer:
    """
    Return what a system gave as an answer.

    Raises:
        InputError: it is none.
    """
    if isinstance(given, RepairResult):
        return Answer.of(given)
    if given is None:
        raise InputError("the system gave no answer.")
    if not isinstance(given, Answer):
        return Answer(load_sequence(given))
    return given


def unchanged(sequence: Sequence, catalog: Catalog, memory: Memory | None = None) -> Answer:
    """Leave a sequence as it is: what is executable without any repair."""
    del catalog, memory
    return Answer(sequence, edits=0)


_NUMBER = {"type": "integer", "required": True}
_TOOL = {"name": "Get", "parameters": {"n": _NUMBER}, "returns": {"m": {}}}
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
        self.prepare = Prepared(self._made)
        tried = {name: each for name, each in options.items() if name not in PER_CATALOG}
        Refractor({"tools": [_TOOL]}, **tried).repair(_SLIPS)

    def _made(self, catalog: Catalog) -> Refractor:
        refractor = Refractor(catalog, **self.options)
        refractor.repair(_SLIPS)  # the first repair reads the rules, and indexes the catalog
        return refractor

    def __reduce__(self) -> tuple[Callable[[], Refract], tuple[()]]:
        """Take nothing to another process but the options."""
        return partial(Refract, **self.options), ()

    def within(self, limit: float | None) -> Refract:
        """Return the same with a time limit, where it has none of its own."""
        if limit is None or self.options.get("time_limit") is not None:
            return self
        return Refract(**{**self.options, "time_limit": limit})

    def __call__(
        self, sequence: Sequence, catalog: Catalog, memory: Memory | None = None
    ) -> Answer:
        """Repair a sequence."""
        refractor = self.prepare(catalog)
        start = time.perf_counter()
        refractor.check(sequence, memory)
        checked = time.perf_counter()
        result = refractor.repair(sequence, memory)
        taken = time.perf_counter() - checked
        return Answer.of(result, check_seconds=checked - start, seconds=taken)


class RecordedAnswer(Frozen):
    """A line of recorded answers."""

    id: str | int
    answer: Any
    meta: Any = None
    verdict: Verdict | None = None
    check_seconds: Seconds | None = None
    seconds: Seconds | None = None


@dataclasses.dataclass
class Recorded:
    """
    Answers that some other program gave before, by the id of the case.

    Attributes:
        answers: for each id what was recorded.
    """

    answers: Mapping[str, RecordedAnswer]

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
        answers: dict[str, RecordedAnswer] = {}
        hint = 'Write {"id": ..., "answer": ...}, one a line; null where there is no answer.'
        for place, row in entries(data, name):
            if isinstance(row, InputError):
                raise row
            try:
                found = RecordedAnswer.model_validate(row, strict=True)
            except ValidationError as error:
                raise refusal(error, place, hint) from None
            if answers.setdefault(str(found.id), found) is not found:
                what = f"there are two answers to {shown(found.id)!r}."
                raise FormatError(what, where=place)
        return cls(answers)

    def answer(self, identity: str) -> Answer:
        """
        Return the answer to a case.

        Raises:
            InputError: there is none, or it cannot be read.
        """
        row = self.answers.get(identity)
        if row is None or row.answer is None:
            why = row.meta.get("error") if row is not None and isinstance(row.meta, dict) else None
            raise InputError(f"no answer was recorded{f': {shown(why, 200)}' if why else '.'}")
        claims = row.model_dump(include={"verdict", "check_seconds", "seconds"})
        return Answer(read_at("answer", load_sequence, row.answer), **claims)


# How alike two names have to be, from 0 to 1; the bound that `difflib` takes by default.
CUTOFF = 0.6


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
    borne: dict[str, Tool | None] = {}  # labels so far, and of which tools the calls are
    held = list(memory.values) if memory is not None else []
    edits = 0

    def near(name: str, known: Collection[str]) -> str:
        nonlocal edits
        if name in known:
            return name
        found = get_close_matches(name, list(known), n=1, cutoff=CUTOFF)
        edits += len(found)
        return found[0] if found else name

    def slot(given: Slot) -> Slot:
        if not isinstance(given, Reference):
            return given
        label, path = near(given.label, [*borne, *held]), given.path
        tool = borne.get(label)
        if tool is not None and path and not tool.returns_path(path):
            declared = {path_text(each.path): each.path for each in tool.output_fields}
            text = path_text(0 if isinstance(step, int) else step for step in path)
            found = declared.get(near(text, declared), path)
            # indexes stay where the steps are as many
            old = path if len(path) == len(found) else found
            path = tuple(
                was if isinstance(step, int) and isinstance(was, int) else step
                for step, was in zip(found, old, strict=True)
            )
        return given.model_copy(update={"label": label, "path": path})

    def call(given: Call) -> Call:
        if given.malformed is not None:
            return given
        name = near(given.name, catalog.by_name)
        tool = catalog.by_name.get(name)
        arguments = {}
        free = [p for p in tool.parameters if p not in given.arguments] if tool is not None else []
        for parameter, each in given.arguments.items():
            is_known = tool is None or tool.additional_parameters or parameter in tool.parameters
            fixed = parameter if is_known else near(parameter, free)
            free = [p for p in free if p != fixed]
            arguments[fixed] = with_slots(each, slot)
        if given.label is not None:
            borne[given.label] = tool
        return given.model_copy(update={"name": name, "arguments": arguments, "written": None})

    calls = tuple(map(call, sequence.calls))
    returns = sequence.returns and {
        n: with_slots(each, slot) for n, each in sequence.returns.items()
    }
    fixed = sequence.model_copy(update={"calls": calls, "returns": returns, "written": None})
    return Answer(fixed, edits=edits, origins=tuple(range(len(calls))))
