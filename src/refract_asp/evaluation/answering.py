"""The question about each entry of a data set, and the answer: its row, judged as a whole or call by call."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterable
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from refract_asp.errors import FormatError, RefractError, shown
from refract_asp.evaluation.rows import CALLS, Alternative, Expected, Mode, Row, Shown, StepOutcome
from refract_asp.evaluation.summary import OUTCOMES
from refract_asp.formats import dump_sequence, load_mappings
from refract_asp.formats.examples import ExampleReader, named
from refract_asp.model import Catalog, Mapping, Memory
from refract_asp.model.catalog import Prepared
from refract_asp.model.comparison import same
from refract_asp.model.diagnostic import Diagnostic, TaggedFault
from refract_asp.model.edits import Edit, Violation
from refract_asp.model.example import Example, Goal
from refract_asp.model.result import Handle, RepairResult, Report
from refract_asp.model.secrets import with_arguments
from refract_asp.model.sequence import Ask, Call, Sequence, Slot, with_slots
from refract_asp.pooling import in_time
from refract_asp.refractor import Refractor
from refract_asp.report.diagnostics import diagnostics_of
from refract_asp.report.secrets import without_secrets
from refract_asp.resources import version_of


def versions() -> dict[str, str]:
    """Return the versions of what decides about answers."""
    return {name: version_of(name) for name in ("refract-asp", "clingo")}


class Entry(NamedTuple):
    """An entry of a data set: its number from 0, its place, its data (a line as bytes), its folder."""

    number: int
    place: str
    data: Any
    folder: str | None = None

    @property
    def digest(self) -> str:
        """The hash of its data."""
        return _hash(self.data.strip()) if isinstance(self.data, bytes) else _digest(self.data)


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
        keeps_secrets: whether rows hold them; else "(secret)" replaces them.
    """

    catalog: Catalog | None = None
    mode: Mode = "repair"
    stepwise: bool = False
    format: str | None = None
    memory: Memory | None = None
    history: Sequence | None = None
    goals: tuple[Goal, ...] = ()
    options: MappingOf[str, Any] = field(default_factory=dict)
    keeps_secrets: bool = True

    @property
    def time_limit(self) -> float | None:
        """Seconds for one answer."""
        limit: float | None = self.options.get("time_limit")
        return limit

    def described(self) -> dict[str, Any]:
        """Return as data what decides about the rows; of files and catalogs the hash of what they hold."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        described: dict[str, Any] = json.loads(json.dumps(told, default=_plain))
        return described


def _plain(value: Any) -> Any:
    """Return as data what is none: of large things the hash, of files that of what they hold."""
    if isinstance(value, Catalog):
        return _digest(value.dump("native")["tools"])
    if isinstance(value, Memory | Sequence):
        return _digest(value.model_dump(mode="json"))
    if isinstance(value, Path):
        if value.is_dir():
            return {each.name: _plain(each) for each in sorted(value.rglob("*.lp"))}
        return _hash(value.read_bytes()) if value.is_file() else str(value)
    if (dump := getattr(value, "model_dump", None)) is not None:
        return dump(mode="json")
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return shown(getattr(value, "__qualname__", type(value).__name__))


def _digest(data: Any) -> str:
    return _hash(json.dumps(data, sort_keys=True, default=_plain).encode())


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# -- step by step ------------------------------------------------------------------

_Placed = TypeVar("_Placed", Diagnostic, TaggedFault, Violation, Edit)
_Key = TypeVar("_Key", int, str)


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
        calls: the calls so far, as repaired.
    """

    def __init__(
        self, given: Sequence, judge: Callable[[Sequence, list[Call], bool], Report]
    ) -> None:
        """Judge one call after the other; `judge` gets the calls before it, and whether it is the last."""
        self.given = given
        self.reports: list[Report] = []
        self.calls: list[Call] = []
        self._origins: list[int | None] = []
        self._asks: dict[str, None] = {}
        self._edits: list[Edit] = []
        self._violations: list[Violation] = []
        for number, call in enumerate(given.calls):
            is_last = number == len(given.calls) - 1
            returns = given.returns if is_last else None
            how = {"format": given.format, "unlabelled": given.unlabelled}
            report = judge(Sequence(calls=(call,), returns=returns, **how), self.calls, is_last)
            self.reports.append(report)
            first = len(self._violations)
            self._violations += _place(report.violations, number)
            if not isinstance(report, RepairResult):
                self.calls.append(call)
                continue
            for edit in report.edits:
                more: dict[str, Any] = {"answers": tuple(first + each for each in edit.answers)}
                if edit.kind == "delete_call" and edit.instead is not None:
                    # in the step, the call that replaces the deleted one belongs to the history
                    place = len(self.calls) + edit.instead
                    origin = self._origins[place] if 0 <= place < len(self._origins) else None
                    more |= {} if origin is None else {"instead": origin}
                self._edits += _place([edit], number, **more)
            names: dict[str, str] = {}
            for ask in report.sequence.asks:
                free = (f"{ask}_{count}" if count > 1 else ask for count in itertools.count(1))
                names[ask] = next(name for name in free if name not in self._asks)
                self._asks[names[ask]] = None
            self.calls += [_renamed(each, names) for each in report.sequence.calls]
            self._origins += [None if origin is None else number for origin in report.origins]

    def result(self) -> Report:
        """Return what was found in all steps as one result; nothing can be asked about it."""
        repairs = [each for each in self.reports if isinstance(each, RepairResult)]
        worst = max((each.verdict for each in self.reports), key=OUTCOMES.index, default="valid")
        notes = _joined(each.notes for each in self.reports)
        told: dict[str, Any] = {"violations": tuple(self._violations), "notes": notes}
        told["verdict"] = worst
        found = Report(**told)
        if repairs:
            known = [each.sequence.names for each in repairs]
            names = None if None in known else frozenset().union(*filter(None, known))
            update: dict[str, Any] = {"calls": tuple(self.calls), "asks": tuple(self._asks)}
            update |= {"returns": repairs[-1].sequence.returns, "written": None, "names": names}
            is_changed = self._edits or self._asks
            for name in ("unmet", "truncated"):
                told[name] = _joined(getattr(each, name) for each in repairs)
            found = RepairResult(
                **told,
                given=self.given,
                sequence=self.given.model_copy(update=update) if is_changed else self.given,
                edits=tuple(self._edits),
                unresolved=tuple(n for n, each in enumerate(repairs) if each.unresolved),
                ambiguous=any(each.ambiguous for each in repairs),
                optimal=all(each.optimal for each in repairs),
                cost=_sum([each.cost for each in repairs]),
                total=_sum([each.total for each in repairs]),
                origins=tuple(self._origins),
                note=next((each.note for each in repairs if each.note), ""),
            )
        # it knows what is secret
        found._handle = Handle(instance=self.reports[-1]._handle.instance)
        return found


def _joined(several: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(itertools.chain.from_iterable(several)))


def _sum(costs: list[dict[_Key, int]]) -> dict[_Key, int]:
    keys = dict.fromkeys(itertools.chain.from_iterable(costs))
    return {key: sum(cost.get(key, 0) for cost in costs) for key in keys}


def _renamed(call: Call, names: dict[str, str]) -> Call:
    """Return a call whose asks have other names."""

    def renamed(slot: Slot) -> Slot:
        if not isinstance(slot, Ask) or slot.name == names.get(slot.name, slot.name):
            return slot
        return slot.model_copy(update={"name": names[slot.name]})

    given = call.arguments.items()
    return with_arguments(call, {name: with_slots(source, renamed) for name, source in given})


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

    def answered(self, entry: Entry, limit: float | None = None) -> Answered:
        """Return the row of an entry as a line, and how long it took; `limit` is when this process ends."""
        start = time.perf_counter()
        with in_time(limit):
            row = self.row(entry)
            try:
                line = row.line()
            except (ValueError, RecursionError, MemoryError) as error:  # no value that JSON has
                row = _lost(self.question, entry, _error_text(error))
                line = row.line()
        return Answered(entry.number, line, row.verdict, time.perf_counter() - start)

    @staticmethod
    def tried(question: Question, limit: float) -> None:
        """Compile a question in a process that ends when it takes longer than so many seconds."""
        with in_time(limit):
            Asker(question)

    @staticmethod
    def unanswered(question: Question, entry: Entry, why: str) -> Answered:
        """Return the answer for an entry that no process answered."""
        return Answered(entry.number, _lost(question, entry, why).line(), None, 0.0)

    def row(self, entry: Entry) -> Row:
        """Return the row of an entry; the row of one that cannot be read or answered holds the reason."""
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
            told = self._judged(example, self._refractor(catalog, *example.mappings))
            told |= {"id": example.id, "meta": example.meta, "catalog": catalog.name}
            tools = tuple(call.name for call in example.sequence.calls)
            return Row(**_head(self.question, entry), count=len(tools), tools=tools, **told)
        except (Exception, MemoryError) as error:
            return _lost(self.question, entry, _error_text(error))

    # -- steps -----------------------------------------------------------------

    def _compiled(self, catalog: Catalog, *mappings: Mapping) -> Refractor:
        options = dict(self.question.options)
        options["mappings"] = (*load_mappings(options.get("mappings", ())), *mappings)
        return Refractor(catalog, **options)

    def _judged(self, example: Example, refractor: Refractor) -> dict[str, Any]:
        """Return the fields of a row about a sequence."""
        question, given = self.question, example.sequence
        memory = question.memory or example.memory
        if question.memory is not None and example.memory is not None:
            memory = Memory(values={**question.memory.values, **example.memory.values})
        before = (question.history, example.history)
        past = [call for each in before if each is not None for call in each.calls]
        goals = (*question.goals, *example.goals)

        def ask(given: Sequence, before: list[Call], is_last: bool) -> Report:
            history = Sequence(calls=(*past, *before)) if past or before else ()
            wanted = goals if is_last else ()
            if question.mode == "check":
                return refractor.check(given, memory, history, wanted)
            level: Any = {"level": "cheapest"} if question.mode == "compress" else {}
            return refractor.repair(given, memory, history, wanted, **level)

        found: dict[str, Any] = {}
        if question.stepwise and given.calls:
            steps = Steps(given, ask)
            result = steps.result()
            found = {"tags": [], "diagnostics": [], "steps": []}
            for call, each in enumerate(steps.reports):
                found["tags"] += _place(each.tags().faults, call)
                found["diagnostics"] += _place(each.diagnostics(), call)
                optimal = getattr(each, "optimal", True)
                found["steps"] += [StepOutcome(call=call, verdict=each.verdict, optimal=optimal)]
        else:
            result = ask(given, [], True)
        told = said_of(result, given, keeps_secrets=question.keeps_secrets, found=found)
        if example.expected is not None:
            from refract_asp.report.tags import compared

            history = Sequence(calls=tuple(past)) if past else ()
            truth = compared(given, example.expected, refractor, memory, history)
            repaired = result.sequence if isinstance(result, RepairResult) else None
            told["expected"] = Expected(
                given=same(truth.given, truth.truth),
                repaired=None if repaired is None else same(repaired, truth.truth),
                tags=truth.tags.faults,
            )
        return told


def said_of(
    result: Report, given: Sequence, *, keeps_secrets: bool, found: dict[str, Any]
) -> dict[str, Any]:
    """Return the fields of a row about a report; `found` holds the tags and diagnostics that are known already."""
    clean = without_secrets(result)
    if not found:
        found = {"diagnostics": diagnostics_of(clean, hidden=True), "tags": result.tags().faults}
    told = {**found, "verdict": result.verdict, "notes": result.notes}
    if isinstance(result, RepairResult) and isinstance(clean, RepairResult):
        result = result if keeps_secrets else clean
        names = ["optimal", "ambiguous", "truncated", "note", "unresolved", "unmet"]
        if result.edits or result.sequence is not result.given:
            names += ["edits", "origins", "cost", "total"]
            told["given"] = dump_sequence(result.given, CALLS)
        told |= {**_calls(result.sequence, given.format), **{n: getattr(result, n) for n in names}}
        if clean is not result:
            before, after = (dump_sequence(each, CALLS) for each in (clean.given, clean.sequence))
            told["shown"] = Shown(given=before, calls=after, edits=clean.edits)
        told["alternatives"] = []
        for each, shorn in zip(result.alternatives, clean.alternatives, strict=True):
            other: dict[str, Any] = {n: getattr(each, n) for n in ("verdict", "edits", "cost")}
            other["calls"] = _calls(each.sequence, given.format)["calls"]
            other["shown"] = None if shorn is each else dump_sequence(shorn.sequence, CALLS)
            told["alternatives"].append(Alternative(**other))
        return told
    seen = result._secrets.sequence(given)
    told |= _calls(given if keeps_secrets else seen)
    if keeps_secrets and seen is not given:
        calls = dump_sequence(seen, CALLS)
        told["shown"] = Shown(given=calls, calls=calls)
    return told


def _head(question: Question, entry: Entry) -> dict[str, Any]:
    """Return the fields of a row about its entry, whatever the answer is."""
    told = {name: getattr(entry, name) for name in ("number", "place", "digest")}
    return {**told, "schema_version": 1, "mode": question.mode, "stepwise": question.stepwise}


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
    """Return an error as one line; an error of this package needs no more than its message."""
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
