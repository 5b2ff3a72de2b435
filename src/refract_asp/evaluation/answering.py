"""What is asked about each entry of a data set, and answers: the row of each, judged as a whole or call by call."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from refract_asp.errors import FormatError, RefractError, shown
from refract_asp.evaluation.measures import OUTCOMES
from refract_asp.evaluation.rows import CALLS, Alternative, Expected, Mode, Row, Shown, StepOutcome
from refract_asp.formats import dump_sequence, load_mappings
from refract_asp.formats.examples import ExampleReader, named
from refract_asp.model import (
    Call,
    Catalog,
    Edit,
    Goal,
    Mapping,
    Memory,
    RepairResult,
    Report,
    Sequence,
    Verdict,
)
from refract_asp.model.comparison import same
from refract_asp.model.diagnostic import Diagnostic, TaggedFault
from refract_asp.model.edits import Violation
from refract_asp.model.example import Example
from refract_asp.model.result import Handle
from refract_asp.model.sequence import Ask, Source, replace_reference, slots_of
from refract_asp.refractor import Refractor
from refract_asp.report.diagnostics import diagnostics_of
from refract_asp.report.secrets import without_secrets


class Entry(NamedTuple):
    """An entry of a data set: its number from 0, where it stands, its data (a line as bytes), its folder."""

    number: int
    place: str
    data: Any
    folder: str | None = None

    @property
    def digest(self) -> str:
        """The hash of what it says."""
        if isinstance(self.data, bytes):
            return hashlib.sha256(self.data.strip()).hexdigest()[:16]
        return _digest(self.data)


class Answered(NamedTuple):
    """The row of an entry as a line, its verdict (None for an error), and the seconds that it took."""

    number: int
    line: str
    verdict: str | None
    seconds: float


@dataclass(frozen=True)
class Question:
    """
    What is done with every entry; goes to other processes and machines.

    Attributes:
        catalog: the tools of entries that bring none.
        mode: whether they are repaired, checked, or compressed.
        stepwise: whether each call is judged with those before it, as when an agent asks before each call.
        format: the format of the calls, None to find it.
        memory: values already known, beside what entries bring.
        history: calls that were already executed, before those that entries bring.
        goals: what each sequence has to bring about, beside what entries say.
        options: whatever else `Refractor` takes.
    """

    catalog: Catalog | None = None
    mode: Mode = "repair"
    stepwise: bool = False
    format: str | None = None
    memory: Memory | None = None
    history: Sequence | None = None
    goals: tuple[Goal, ...] = ()
    options: MappingOf[str, Any] = field(default_factory=dict)

    @property
    def time_limit(self) -> float | None:
        """Seconds for one answer."""
        limit: float | None = self.options.get("time_limit")
        return limit

    def described(self) -> dict[str, Any]:
        """Return as data what decides about the rows; of files and catalogs the hash of what they hold."""
        told = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        return {**told, "goals": list(map(str, self.goals))}


def _plain(value: Any) -> Any:
    """Return as data what decides about rows: of large things the hash, of files that of what they hold."""
    if isinstance(value, Catalog):
        return _digest(value.dump("native")["tools"])
    if isinstance(value, Memory | Sequence):
        return _digest(value)
    if isinstance(value, Path) and value.is_dir():
        return {each.name: _plain(each) for each in sorted(value.rglob("*.lp"))}
    if isinstance(value, Path) and value.is_file():
        return hashlib.sha256(value.read_bytes()).hexdigest()[:16]
    if isinstance(value, MappingOf):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, str | int | float | bool | None):
        return value
    return _data(value, shown(getattr(value, "__qualname__", type(value).__name__)))


def _data(value: Any, otherwise: str | None = None) -> Any:
    """Return as data what is none: examples and sequences."""
    if (dump := getattr(value, "model_dump", None)) is not None:
        return dump(mode="json")
    return str(value) if otherwise is None else otherwise


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, default=_data)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# -- compiled catalogs -------------------------------------------------------------

MAX_COMPILED = 8
"""For at most this many catalogs what was compiled is kept."""
Made = TypeVar("Made")


@dataclass
class Prepared(Generic[Made]):
    """Keeps what was compiled for the last few catalogs, with the mappings that go with them."""

    make: Callable[..., Made]
    _made: dict[tuple[int, str], tuple[Catalog, Made]] = field(default_factory=dict, repr=False)

    def __call__(self, catalog: Catalog, *mappings: Mapping) -> Made:
        """Return what was compiled for a catalog."""
        key = id(catalog), repr(mappings)
        if key not in self._made:
            if len(self._made) >= MAX_COMPILED:
                del self._made[next(iter(self._made))]
            # the catalog is kept, so that its id is its own
            self._made[key] = catalog, self.make(catalog, *mappings)
        return self._made[key][1]


# -- step by step ------------------------------------------------------------------

_Placed = TypeVar("_Placed", Diagnostic, TaggedFault, Violation, Edit)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """
    Return the verdict of a whole whose parts have these.

    Example:
        >>> worst(["valid", "needs_input", "repaired"])
        'needs_input'
    """
    return max(verdicts, key=OUTCOMES.index, default="valid")


def _place(found: Iterable[_Placed], number: int, **more: Any) -> list[_Placed]:
    """Return what was found in a step with the call of the whole; 1 means what the sequence returns."""
    return [
        each.model_copy(update={"call": None if each.call is None else number + each.call, **more})
        for each in found
    ]


class Steps:
    """
    The steps of a sequence, each judged with the calls before it as repaired.

    Attributes:
        reports: what was found in each step.
        outcomes: the verdict of each.
    """

    def __init__(self, given: Sequence) -> None:
        """Begin before the first step."""
        self.given = given
        self.reports: list[Report] = []
        self.outcomes: list[StepOutcome] = []
        self.calls: list[Call] = []
        self._origins: list[int | None] = []
        self._asks: dict[str, None] = {}
        self._edits: list[Edit] = []
        self._violations: list[Violation] = []

    def judge(self, judge: Callable[[Sequence, list[Call], bool], Report]) -> None:
        """Judge one call after the other; `judge` is told whether it is the last one."""
        last = len(self.given.calls) - 1
        for number, call in enumerate(self.given.calls):
            step = Sequence(
                calls=(call,),
                returns=self.given.returns if number == last else None,
                format=self.given.format,
                unlabelled=self.given.unlabelled,
            )
            report = judge(step, self.calls, number == last)
            self.reports.append(report)
            optimal = not isinstance(report, RepairResult) or report.optimal
            outcome = StepOutcome(call=number, verdict=report.verdict, optimal=optimal)
            self.outcomes.append(outcome)
            if isinstance(report, RepairResult):
                self._add(number, report)
            else:
                self.calls.append(call)
                self._origins.append(number)
            self._violations += _place(report.violations, number)

    def _add(self, number: int, result: RepairResult) -> None:
        first = len(self._violations)
        for edit in result.edits:
            more: dict[str, Any] = {"answers": tuple(first + each for each in edit.answers)}
            if edit.kind == "delete_call" and edit.instead is not None:
                # the call that stands for one that is left out is one of the history for its step
                place = len(self.calls) + edit.instead
                origin = self._origins[place] if 0 <= place < len(self._origins) else None
                more |= {} if origin is None else {"instead": origin}
            self._edits += _place([edit], number, **more)
        names: dict[str, str] = {}
        for ask in result.sequence.asks:
            name, count = ask, 2
            while name in self._asks:
                name, count = f"{ask}_{count}", count + 1
            names[ask] = name
            self._asks[name] = None
        self.calls += [_renamed(call, names) for call in result.sequence.calls]
        self._origins += [None if origin is None else number for origin in result.origins]

    def result(self) -> RepairResult:
        """Return what was found in all steps as one result; nothing can be asked about it."""
        repairs = [each for each in self.reports if isinstance(each, RepairResult)]
        known = [each.sequence.names for each in repairs]
        names = None if None in known else frozenset().union(*filter(None, known))
        returns = repairs[-1].sequence.returns if repairs else self.given.returns
        update = {"calls": tuple(self.calls), "asks": tuple(self._asks), "returns": returns}
        sequence = self.given.model_copy(update={**update, "written": None, "names": names})
        result = RepairResult(
            verdict=worst(outcome.verdict for outcome in self.outcomes),
            given=self.given,
            sequence=sequence if self._edits or self._asks else self.given,
            edits=tuple(self._edits),
            violations=tuple(self._violations),
            notes=_joined(each.notes for each in self.reports),
            unresolved=tuple(n for n, each in enumerate(repairs) if each.unresolved),
            unmet=_joined(each.unmet for each in repairs),
            ambiguous=any(each.ambiguous for each in repairs),
            truncated=_joined(each.truncated for each in repairs),
            optimal=all(each.optimal for each in repairs),
            cost=_sum(each.cost for each in repairs),
            total=_sum(each.total for each in repairs),
            origins=tuple(self._origins),
            note="".join([each.note for each in repairs if each.note][:1]),
        )
        # it knows what is secret
        result._handle = Handle(instance=self.reports[-1]._handle.instance)
        return result

    def report(self) -> Report:
        """Return what a check found in all steps as one report."""
        found = self.result()
        report = Report(verdict=found.verdict, violations=found.violations, notes=found.notes)
        report._handle = found._handle
        return report


def _joined(several: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for some in several for each in some))


def _sum(costs: Iterable[MappingOf[Any, int]]) -> dict[Any, int]:
    total: Counter[Any] = Counter()
    for cost in costs:
        total.update(cost)
    return dict(total)


def _renamed(call: Call, names: dict[str, str]) -> Call:
    """Return a call whose asks have other names."""
    if all(name == old for old, name in names.items()):
        return call
    arguments = {}
    for parameter, source in call.arguments.items():
        others: dict[int, Source] = {
            number: slot.model_copy(update={"name": names[slot.name]})
            for number, slot in enumerate(slots_of(source), 1)
            if isinstance(slot, Ask) and slot.name in names
        }
        arguments[parameter] = replace_reference(source, others)[0] if others else source
    return call.model_copy(update={"arguments": arguments, "written": None})


# -- rows --------------------------------------------------------------------------


class Asker:
    """
    Answers one question for entry after entry; compiles each catalog once.

    Example:
        >>> catalog = Catalog.load({"tools": [{"name": "Get", "effect": "read", "parameters": {"id": {}}}]})
        >>> row = Asker(Question(catalog)).row(Entry(0, "calls.jsonl:1", b'{"sequence": "Gett(id=3)"}'))
        >>> row.verdict, row.calls
        ('repaired', ['Get(id=3)'])
    """

    def __init__(self, question: Question) -> None:
        """
        Take the question, and compile its catalog.

        Raises:
            InputError: an option cannot be used.
            EncodingError: an encoding cannot.
        """
        self.question = question
        self._readers: dict[str | None, ExampleReader] = {}
        self._refractor = Prepared(self._compiled)
        if question.catalog is not None:
            self._refractor(question.catalog)

    def answered(self, entry: Entry) -> Answered:
        """Return the row of an entry as a line, and how long it took."""
        start = time.perf_counter()
        row = self.row(entry)
        try:
            line = row.line()
        except (ValueError, RecursionError, MemoryError) as error:  # no value that JSON has
            row = _lost(self.question, entry, _error_text(error))
            line = row.line()
        return Answered(entry.number, line, row.verdict, time.perf_counter() - start)

    @staticmethod
    def unanswered(question: Question, entry: Entry, why: str) -> Answered:
        """Return what is told of an entry that no process came back with."""
        return Answered(entry.number, _lost(question, entry, why).line(), None, 0.0)

    def row(self, entry: Entry) -> Row:
        """Return the row of an entry; what cannot be read or answered has one that says why."""
        try:
            if entry.folder not in self._readers:
                folder = None if entry.folder is None else Path(entry.folder)
                self._readers[entry.folder] = ExampleReader(folder, format=self.question.format)
            example = self._readers[entry.folder].example(entry.data, entry.place)
            catalog = example.catalog or self.question.catalog
            if catalog is None:
                hint = 'Name one for all with --catalog, or give each line its own as "catalog".'
                what = "there is no catalog for it."
                raise FormatError(what, where=entry.place, hint=hint)
            return Row(
                **_head(self.question, entry),
                id=example.id,
                meta=example.meta,
                catalog=catalog.name,
                count=len(example.sequence.calls),
                tools=tuple(call.name for call in example.sequence.calls),
                **self._judged(example, self._refractor(catalog, *example.mappings)),
            )
        except (Exception, MemoryError) as error:
            return _lost(self.question, entry, _error_text(error))

    # -- steps -----------------------------------------------------------------

    def _compiled(self, catalog: Catalog, *mappings: Mapping) -> Refractor:
        options = dict(self.question.options)
        options["mappings"] = (*load_mappings(options.get("mappings", ())), *mappings)
        return Refractor(catalog, **options)

    def _judged(self, example: Example, refractor: Refractor) -> dict[str, Any]:
        """Return what a row says of a sequence."""
        question, given = self.question, example.sequence
        memory = question.memory or example.memory
        if question.memory is not None and example.memory is not None:  # the second one decides
            memory = Memory(values={**question.memory.values, **example.memory.values})
        past = [
            call
            for each in (question.history, example.history)
            if each is not None
            for call in each.calls
        ]
        goals = (*question.goals, *example.goals)

        def ask(given: Sequence, before: list[Call], is_last: bool) -> Report:
            history = Sequence(calls=(*past, *before)) if past or before else ()
            wanted = goals if is_last else ()
            if question.mode == "check":
                return refractor.check(given, memory, history, wanted)
            level: Any = {"level": "cheapest"} if question.mode == "compress" else {}
            return refractor.repair(given, memory, history, wanted, **level)

        told: dict[str, Any]
        if question.stepwise and given.calls:
            steps = Steps(given)
            steps.judge(ask)
            result = steps.report() if question.mode == "check" else steps.result()
            clean = without_secrets(result)
            found = list(enumerate(steps.reports))
            told = {
                "steps": tuple(steps.outcomes),
                "tags": [tag for n, each in found for tag in _place(each.tags().faults, n)],
                "diagnostics": [one for n, each in found for one in _place(each.diagnostics(), n)],
            }
        else:
            result = ask(given, [], True)
            clean = without_secrets(result)
            diagnostics = diagnostics_of(clean, hidden=True)
            told = {"tags": result.tags().faults, "diagnostics": diagnostics}
        told |= {"verdict": result.verdict, "notes": result.notes}
        if isinstance(result, RepairResult) and isinstance(clean, RepairResult):
            told |= _repaired(result, clean, given)
        else:
            told |= _calls(given)
            if (seen := result._secrets.sequence(given)) is not given:
                calls = dump_sequence(seen, CALLS)
                told["shown"] = Shown(given=calls, calls=calls)
        if example.expected is not None:
            from refract_asp.report.truth import compared

            history = Sequence(calls=tuple(past)) if past else ()
            truth = compared(given, example.expected, refractor, memory, history)
            told["expected"] = Expected(
                given=same(truth.given, truth.truth),
                repaired=same(result.sequence, truth.truth)
                if isinstance(result, RepairResult)
                else None,
                tags=truth.tags.faults,
            )
        return told


def _head(question: Question, entry: Entry) -> dict[str, Any]:
    """Return what a row says of its entry, whatever comes of it."""
    return {
        "schema_version": 1,
        "number": entry.number,
        "place": entry.place,
        "digest": entry.digest,
        "mode": question.mode,
        "stepwise": question.stepwise,
    }


def _lost(question: Question, entry: Entry, why: str) -> Row:
    """Return the row of an entry that cannot be answered; it counts for its model and its date, too."""
    id, meta = named(entry.data)
    row = Row(**_head(question, entry), id=id, meta=meta, error=why)
    try:
        row.line()
    except (ValueError, RecursionError, MemoryError):  # a value that JSON does not have
        return Row(**_head(question, entry), error=why)
    return row


def _error_text(error: BaseException) -> str:
    """Return in one line what was raised; an error of ours says it all itself."""
    if isinstance(error, RefractError):
        return shown(error, 1_000)
    if isinstance(error, MemoryError):
        return "the memory does not suffice."
    return f"internal error: {type(error).__name__}: {shown(error, 300)}".rstrip(": ")


def _calls(sequence: Sequence, format: str | None = None) -> dict[str, Any]:
    """Return calls in the format they came in, or as NESTFUL where that has no words for what is open."""
    format = format or sequence.format or CALLS
    try:
        return {"format": format, "calls": dump_sequence(sequence, format)}
    except FormatError:
        return {"format": CALLS, "calls": dump_sequence(sequence, CALLS)}


def _repaired(result: RepairResult, clean: RepairResult, given: Sequence) -> dict[str, Any]:
    """Return what a row says of a repair; `clean` is the same without secrets."""
    names = ["optimal", "ambiguous", "truncated", "note", "unresolved", "unmet"]
    told: dict[str, Any] = {}
    if result.edits or result.sequence is not result.given:
        names += ["edits", "origins", "cost", "total"]
        told["given"] = dump_sequence(result.given, CALLS)
    told |= {**_calls(result.sequence, given.format), **{n: getattr(result, n) for n in names}}
    if clean is not result:
        told["shown"] = Shown(
            given=dump_sequence(clean.given, CALLS),
            calls=dump_sequence(clean.sequence, CALLS),
            edits=clean.edits,
        )
    told["alternatives"] = tuple(
        Alternative(
            verdict=each.verdict,
            calls=_calls(each.sequence, given.format)["calls"],
            edits=each.edits,
            cost=each.cost,
            shown=None if seen is each else dump_sequence(seen.sequence, CALLS),
        )
        for each, seen in zip(result.alternatives, clean.alternatives, strict=True)
    )
    return told
