"""
Systems that answer cases, and what an answer is worth, in the words of docs/evaluation.md.

The systems are refract itself, two baselines, and the recorded answers of other programs.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from difflib import get_close_matches
from functools import partial
from itertools import islice, permutations
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from refract_asp.bench.mutations.mutation import Open
from refract_asp.errors import FormatError, InputError, shown
from refract_asp.evaluation.cases import Case, entries, refusal
from refract_asp.formats import load_sequence
from refract_asp.formats.examples import read_at
from refract_asp.model import Ask, Catalog, ConfirmArgument, Constant, Memory, Tool, Verdict
from refract_asp.model.catalog import Prepared
from refract_asp.model.comparison import canonical, digests, distance, same
from refract_asp.model.paths import Frozen, path_text, without
from refract_asp.model.result import RepairResult
from refract_asp.model.sequence import Call, Reference, Sequence, Slot, slots_of, with_slots
from refract_asp.refractor import Refractor

PER_CATALOG = ("allow", "deny", "effects")
"""The options that name tools, and so fit certain catalogs only."""
Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=1e9, allow_inf_nan=False)]


@dataclass(frozen=True, config=ConfigDict(strict=True))
class Answer:
    """
    What a system makes of a sequence.

    What a system does not report is None, and counts nowhere.

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
        """Return the answer in the result of a repair; `more` adds what a result lacks, as `seconds`."""
        told = ("sequence", "verdict", "origins", "optimal", "ambiguous")
        return cls(
            **{name: getattr(result, name) for name in told},
            edits=len(result.edits),
            alternatives=tuple(o.sequence for o in result.alternatives if o.total == result.total),
            truncated=bool(result.truncated),
            **more,
        )

    @classmethod
    def load(cls, given: Any) -> Answer:
        """
        Read what a system gave as an answer: one of these, a result, or a sequence in any form.

        Raises:
            InputError: it is none of them.
        """
        if isinstance(given, RepairResult):
            return cls.of(given)
        if given is None:
            raise InputError("the system gave no answer.")
        return given if isinstance(given, Answer) else cls(load_sequence(given))


System: TypeAlias = Callable[[Sequence, Catalog, Memory | None], Any]


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
        tried = without(options, PER_CATALOG)
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
            InputError: a line has another form; the message names file and line.

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
                raise FormatError(f"there are two answers to {shown(found.id)!r}.", where=place)
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
    given = sequence.returns
    returns = given and {name: with_slots(each, slot) for name, each in given.items()}
    fixed = sequence.model_copy(update={"calls": calls, "returns": returns, "written": None})
    return Answer(fixed, edits=edits, origins=tuple(range(len(calls))))


# At most so many ways are tried to match calls of an answer with those that are partly open.
MAX_PLACES = 200


def exact(answer: Sequence, expected: Sequence) -> bool:
    """
    Whether the answer is the expected sequence token for token, labels and order included.

    The names of asks, and what must still be confirmed, are not compared.
    """
    if [call.label for call in answer.calls] != [call.label for call in expected.calls]:
        return False
    return digests(answer) == digests(expected) and same(answer, expected)


def equivalent(answer: Sequence, expected: Sequence, open: SequenceOf[Open] = ()) -> bool:
    """
    Whether both hold the same calls with the same arguments, up to labels and the order of independent calls.

    An ask equals an ask, and nothing else. What is `open` in an expected call may be asked for, be any
    constant, or be absent.

    Example:
        >>> wanted = Sequence.load('x = Search(query="Rome")')
        >>> equivalent(Sequence.load('ask(query)\\ny = Search(query=query)'), wanted)
        False
        >>> equivalent(Sequence.load('y = Search(query="Paris")'), wanted, [Open(0, frozenset({"query"}))])
        True
    """
    if not open:
        return same(answer, expected)
    calls = [expected.calls[each.call] for each in open]
    wanted = canonical(expected, {o.call: _without(c, o) for o, c in zip(open, calls, strict=True)})

    def fits(index: int, each: Call) -> bool:
        call = answer.calls[index]
        return call.name == each.name and call.arguments.keys() <= each.arguments.keys()

    any_of = [n for n in range(len(answer.calls)) if any(fits(n, each) for each in calls)]
    # the ways to match calls of the answer with those that are partly open
    for chosen in islice(permutations(any_of, len(open)), MAX_PLACES):
        others = {n: _without(answer.calls[n], o) for n, o in zip(chosen, open, strict=True)}
        if all(map(fits, chosen, calls)) and canonical(answer, others) == wanted:
            return True
    return False


def _without(call: Call, open: Open) -> Call:
    """Return the call without the values of its open arguments."""
    left = dict(call.arguments)
    for name in open.parameters & left.keys():
        if isinstance(left[name], Ask | Constant):
            del left[name]
    return call.model_copy(update={"arguments": left})


def confirmed(answer: Sequence, expected: Sequence) -> bool:
    """Whether a value that should be asked for was filled and has to be confirmed, and all else is right."""
    wanted = canonical(expected)
    for index, call in enumerate(answer.calls):
        for parameter in _asked_of(expected, call.name) & _to_confirm(call):
            asking = {**call.arguments, parameter: Ask(name=parameter)}
            if canonical(answer, {index: call.model_copy(update={"arguments": asking})}) == wanted:
                return True
    return False


def _silently_filled(answer: Answer, case: Case) -> Iterator[str]:
    """
    Name the parameters whose values were neither given nor asked for, and need no confirmation.

    Looked at are those that the expected sequence asks for, and in added calls those that are open.
    """
    calls, given, expected = answer.sequence.calls, case.sequence.calls, case.expected
    origins = answer.origins
    if origins is None and len(given) == len(calls):
        origins = tuple(range(len(given)))
    elif origins is None:
        labels = {call.label: n for n, call in enumerate(given) if call.label is not None}
        origins = tuple(labels.get(call.label or "") for call in calls)
    right = set(digests(expected))
    for call, digest, origin in zip(calls, digests(answer.sequence), origins, strict=True):
        lost = _asked_of(expected, call.name) if digest not in right else set()
        known = given[origin].arguments.keys() if origin is not None else set()
        for each in case.open if origin is None else ():
            if expected.calls[each.call].name == call.name:
                lost |= each.parameters
        for parameter in sorted(lost - known - _to_confirm(call)):
            if parameter in call.arguments and not isinstance(call.arguments[parameter], Ask):
                yield parameter


def _asked_of(expected: Sequence, tool: str) -> set[str]:
    """Return the parameters of the tool that the expected sequence asks for."""
    return {
        parameter
        for call in expected.calls
        if call.name == tool
        for parameter, source in call.arguments.items()
        if isinstance(source, Ask)
    }


def _to_confirm(call: Call) -> set[str]:
    return {confirm.parameter for confirm in call.confirms if isinstance(confirm, ConfirmArgument)}


# Returns the verdict of `check` on a sequence, with the memory of its case.
Judge = Callable[[Sequence], Verdict]

# The verdicts of `check` on an answer that agree with the verdict of the system; others are not checked.
_CLAIMS: dict[Verdict | None, tuple[Verdict, ...]] = {
    None: ("valid", "needs_input"),
    "valid": ("valid",),
    "repaired": ("valid",),
    "needs_input": ("valid", "needs_input"),
}


Count = Annotated[int, Field(ge=0, le=10**9)]


class Score(Frozen):
    """
    What one answer is worth.

    Attributes:
        verdict: what the system says of the given sequence; None where it does not judge.
        error: why there is no answer, or None.
        detected: whether it says that something is wrong, or changes something where it does not judge
            (no verdict, or "unknown").
        exact: whether the answer is the expected sequence token for token.
        restored: whether it is, up to labels and the order of independent calls, or another good answer is.
        near: whether it is restored, or an answer that is as good to the system is.
        confirmed: whether a value that should be asked for was filled and has to be confirmed, and all else
            is right.
        asks: how many values the answer asks for.
        asked_rightly: whether it asks for exactly what the expected sequence asks for.
        executable: whether `check` finds the answer valid as it stands.
        sound: whether `check` finds nothing wrong with it, or the system does not say that it is right.
        silent: parameters whose values were neither given nor asked for, and need no confirmation.
        edits: how many edits were made.
        off: in how many tokens it differs from the expected one.
        optimal: whether it is proven that no answer is cheaper.
        ambiguous: whether another answer is as cheap and means something else.
        truncated: whether a bound cut the search.
        check_seconds: what finding what is wrong took.
        seconds: what finding the answer took.
        answer: the answer, a line for each call, without secrets; only kept where it is not as expected.
    """

    verdict: Verdict | None = None
    error: str | None = None
    detected: bool = False
    exact: bool = False
    restored: bool = False
    near: bool = False
    confirmed: bool = False
    asks: Count = 0
    asked_rightly: bool = False
    executable: bool = False
    sound: bool = True
    silent: tuple[str, ...] = ()
    edits: Count | None = None
    off: Count = 0
    optimal: bool | None = None
    ambiguous: bool | None = None
    truncated: bool | None = None
    check_seconds: Seconds | None = None
    seconds: Seconds | None = None
    answer: tuple[str, ...] | None = None


def score_of(case: Case, answer: Answer, judge: Judge) -> Score:
    """
    Judge an answer to a case.

    Example:
        >>> from refract_asp.evaluation.cases import read_cases
        >>> tools = {"tools": [{"name": "Pay", "parameters": {"amount": {}}}]}
        >>> row = {"catalog": tools, "sequence": "Py(amount=3)", "expected": "Pay(amount=3)"}
        >>> case = next(read_cases([row]))
        >>> score = score_of(case, Answer(Sequence.load("Pay(amount=4)")), lambda sequence: "valid")
        >>> score.detected, score.restored, score.executable, score.off
        (True, False, True, 1)
    """
    sequence, expected = answer.sequence, case.expected
    said = judge(sequence)
    restored = _restores(sequence, case)
    detected = answer.verdict != "valid"
    if answer.verdict in (None, "unknown"):  # a system that does not judge detects by a change
        detected = not exact(sequence, case.sequence)
    claims = ("verdict", "edits", "optimal", "ambiguous", "truncated", "check_seconds", "seconds")
    return Score(
        **{name: getattr(answer, name) for name in claims},
        detected=detected,
        exact=exact(sequence, expected),
        restored=restored,
        near=restored or any(_restores(other, case) for other in answer.alternatives),
        confirmed=confirmed(sequence, expected),
        asks=len(sequence.asks),
        asked_rightly=_asked(sequence) == _asked(expected),
        executable=said == "valid",
        sound=answer.verdict not in _CLAIMS or said in _CLAIMS[answer.verdict],
        silent=tuple(_silently_filled(answer, case)),
        off=0 if restored else distance(sequence, expected),
    )


def _restores(answer: Sequence, case: Case) -> bool:
    return equivalent(answer, case.expected, case.open) or any(
        equivalent(answer, each) for each in case.also
    )


def _asked(sequence: Sequence) -> Counter[tuple[str, str]]:
    """Return for which parameters of which tools values are asked for, and how often."""
    return Counter(
        (call.name, parameter)
        for call in sequence.calls
        for parameter, source in call.arguments.items()
        for slot in slots_of(source)
        if isinstance(slot, Ask)
    )
