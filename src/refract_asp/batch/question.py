"""What is asked about each entry of a data set, and the row that answers it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from refract_asp.batch.row import CALLS, Alternative, Expected, Mode, Row, Shown
from refract_asp.batch.stepwise import Steps
from refract_asp.errors import FormatError, RefractError, shown
from refract_asp.formats import dump_sequence, load_mappings
from refract_asp.formats.examples import ExampleReader, named
from refract_asp.model import Call, Catalog, Goal, Mapping, Memory, RepairResult, Report, Sequence
from refract_asp.model.example import Example
from refract_asp.model.sameness import same
from refract_asp.refractor import Refractor
from refract_asp.report.diagnostics import diagnostics_of
from refract_asp.report.secrets import without_secrets

__all__ = ["Answered", "Asker", "Entry", "Question", "error_text"]

MAX_REFRACTORS = 8
"""So many catalogs are held compiled, where entries bring their own."""


class Entry(NamedTuple):
    """An entry of a data set: its number from 0, where it stands, its data (a line as bytes), its folder."""

    number: int
    place: str
    data: Any
    folder: str | None = None

    @property
    def digest(self) -> str:
        """The hash of what it says."""
        data = self.data
        raw = data if isinstance(data, bytes) else json.dumps(data, sort_keys=True, default=_data).encode()
        return hashlib.sha256(raw.strip()).hexdigest()[:16]


def _data(value: Any) -> Any:
    """Return as data what is none: examples and sequences."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if dump is not None else str(value)


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
        told: dict[str, Any] = {
            "catalog": None if self.catalog is None else _digest(self.catalog.dump("native")["tools"]),
            "mode": self.mode,
            "stepwise": self.stepwise,
            "format": self.format,
            "memory": None if self.memory is None else _digest(self.memory.model_dump(mode="json")),
            "history": None if self.history is None else _digest(self.history.model_dump(mode="json")),
            "goals": [str(goal) for goal in self.goals],
        }
        return {**told, "options": {name: _plain(value) for name, value in self.options.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        if value.is_dir():
            return {each.name: _plain(each) for each in sorted(value.rglob("*.lp"))}
        return hashlib.sha256(value.read_bytes()).hexdigest()[:16] if value.is_file() else str(value)
    if isinstance(value, MappingOf):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, str | int | float | bool | None):
        return value
    dump = getattr(value, "model_dump", None)
    return (
        dump(mode="json") if dump is not None else shown(getattr(value, "__qualname__", type(value).__name__))
    )


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()[:16]


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
        self._refractors: dict[tuple[int, str], Refractor] = {}
        if question.catalog is not None:
            self._refractor(question.catalog)

    def answered(self, entry: Entry) -> Answered:
        """Return the row of an entry as a line, and how long it took."""
        start = time.perf_counter()
        row = self.row(entry)
        try:
            line = row.line()
        except (ValueError, RecursionError, MemoryError) as error:  # a value that JSON does not have
            row = _lost(self.question, entry, error_text(error))
            line = row.line()
        return Answered(entry.number, line, row.verdict, time.perf_counter() - start)

    @staticmethod
    def unanswered(question: Question, entry: Entry, why: str) -> Answered:
        """Return what is told of an entry that no process came back with."""
        return Answered(entry.number, _lost(question, entry, why).line(), None, 0.0)

    def row(self, entry: Entry) -> Row:
        """Return the row of an entry; what cannot be read or answered has one that says why."""
        try:
            return self._row(entry, self._example(entry))
        except (Exception, MemoryError) as error:
            return _lost(self.question, entry, error_text(error))

    # -- steps -----------------------------------------------------------------

    def _example(self, entry: Entry) -> Example:
        reader = self._readers.get(entry.folder)
        if reader is None:
            folder = None if entry.folder is None else Path(entry.folder)
            reader = self._readers[entry.folder] = ExampleReader(folder, format=self.question.format)
        return reader.example(entry.data, entry.place)

    def _row(self, entry: Entry, example: Example) -> Row:
        catalog = example.catalog or self.question.catalog
        if catalog is None:
            raise FormatError(
                "there is no catalog for it.",
                where=entry.place,
                hint='Name one for all with --catalog, or give each line its own as "catalog".',
            )
        told = _Telling(self.question, example, self._refractor(catalog, example.mappings))
        return Row(
            **_head(self.question, entry),
            id=example.id,
            meta=example.meta,
            catalog=catalog.name,
            count=len(example.sequence.calls),
            tools=tuple(call.name for call in example.sequence.calls),
            **told.fields(),
        )

    def _refractor(self, catalog: Catalog, mappings: tuple[Mapping, ...] = ()) -> Refractor:
        """Return what judges by a catalog, and by the mappings of an entry; the last ones are kept."""
        key = (
            id(catalog),
            repr(mappings),
        )  # the catalog is kept beside its refractor, so its number is its own
        if key not in self._refractors:
            if len(self._refractors) >= MAX_REFRACTORS:
                del self._refractors[next(iter(self._refractors))]
            options = dict(self.question.options)
            options["mappings"] = (*load_mappings(options.get("mappings", ())), *mappings)
            self._refractors[key] = _Keeping(catalog, **options)
        return self._refractors[key]


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


class _Keeping(Refractor):
    """A refractor that keeps the catalog that it was given, also where options leave out tools of it."""

    def __init__(self, catalog: Catalog, **options: Any) -> None:
        super().__init__(catalog, **options)
        self.given = catalog


def error_text(error: BaseException) -> str:
    """Return in one line what was raised; an error of ours says it all itself."""
    if isinstance(error, RefractError):
        return shown(error, 1_000)
    if isinstance(error, MemoryError):
        return "the memory does not suffice."
    return f"internal error: {type(error).__name__}: {shown(error, 300)}".rstrip(": ")


class _Telling:
    """Asks about one example, and tells what was found as the fields of a row."""

    def __init__(self, question: Question, example: Example, refractor: Refractor) -> None:
        self.question = question
        self.example = example
        self.refractor = refractor
        self.memory = _joined(question.memory, example.memory)
        before = question.history.calls if question.history is not None else ()
        self.history = (*before, *(example.history.calls if example.history is not None else ()))
        self.goals = (*question.goals, *example.goals)

    def fields(self) -> dict[str, Any]:
        """Return what a row says of the sequence."""
        given = self.example.sequence
        if self.question.stepwise and given.calls:
            steps = Steps(given, self.history, self._step)
            result: Report = steps.result()
            if self.question.mode == "check":
                result = steps.report()
            clean = without_secrets(result)
            tags = steps.placed(lambda report: report.tags().faults)
            diagnostics = steps.placed(lambda report: report.diagnostics())
            more: dict[str, Any] = {"steps": tuple(steps.outcomes)}
        else:
            result = self._ask(given, self.history, self.goals)
            clean = without_secrets(result)
            tags, diagnostics, more = result.tags().faults, diagnostics_of(clean, hidden=True), {}
        told: dict[str, Any] = {"verdict": result.verdict, "notes": result.notes}
        told |= {"tags": tags, "diagnostics": diagnostics}
        if isinstance(result, RepairResult) and isinstance(clean, RepairResult):
            told |= _repair(result, clean, given)
        else:
            told |= _unchanged(given, result._secrets.sequence(given))
        if self.example.expected is not None:
            told["expected"] = self._expected(result, self.example.expected)
        return {**told, **more}

    def _step(self, step: Sequence, before: tuple[Call, ...], is_last: bool) -> Report:
        return self._ask(step, before, self.goals if is_last else ())

    def _ask(self, given: Sequence, history: tuple[Call, ...], goals: tuple[Goal, ...]) -> Report:
        past = Sequence(calls=history) if history else ()
        match self.question.mode:
            case "check":
                return self.refractor.check(given, self.memory, past, goals)
            case "compress":
                return self.refractor.repair(given, self.memory, past, goals, level="cheapest")
            case _:
                return self.refractor.repair(given, self.memory, past, goals)

    def _expected(self, result: Report, expected: Sequence) -> Expected:
        from refract_asp.report.truth import compared

        past = Sequence(calls=self.history) if self.history else ()
        found = compared(self.example.sequence, expected, self.refractor, self.memory, past)
        repaired = same(result.sequence, found.truth) if isinstance(result, RepairResult) else None
        return Expected(given=same(found.given, found.truth), repaired=repaired, tags=found.tags.faults)


def _joined(first: Memory | None, second: Memory | None) -> Memory | None:
    """Return a memory with what both hold; the second one decides."""
    if first is None or second is None:
        return second or first
    return Memory(values={**first.values, **second.values})


def _calls(sequence: Sequence, given: Sequence | None = None) -> dict[str, Any]:
    """Return calls in the format they came in, or as NESTFUL where that has no words for what is open."""
    format = (given or sequence).format or CALLS
    try:
        return {"format": format, "calls": dump_sequence(sequence, format)}
    except FormatError:
        return {"format": CALLS, "calls": dump_sequence(sequence, CALLS)}


def _unchanged(given: Sequence, clean: Sequence) -> dict[str, Any]:
    """Return what a row says of calls that were checked; `clean` are the same without secrets."""
    told = _calls(given)
    if clean is not given:
        calls = dump_sequence(clean, CALLS)
        told["shown"] = Shown(given=calls, calls=calls)
    return told


def _repair(result: RepairResult, clean: RepairResult, given: Sequence) -> dict[str, Any]:
    """Return what a row says of a repair; `clean` is the same without secrets."""
    told: dict[str, Any] = {
        **_calls(result.sequence, given),
        "optimal": result.optimal,
        "ambiguous": result.ambiguous,
        "truncated": result.truncated,
    }
    is_changed = bool(result.edits) or result.sequence is not result.given
    if is_changed:
        told |= {
            "edits": result.edits,
            "unresolved": result.unresolved,
            "unmet": result.unmet,
            "origins": result.origins,
            "cost": result.cost,
            "total": result.total,
            "given": dump_sequence(result.given, CALLS),
        }
    else:
        told |= {"unresolved": result.unresolved, "unmet": result.unmet}
    if clean is not result:
        told["shown"] = Shown(
            given=dump_sequence(clean.given, CALLS),
            calls=dump_sequence(clean.sequence, CALLS),
            edits=clean.edits,
        )
    if result.alternatives:
        told["alternatives"] = tuple(
            Alternative(
                verdict=each.verdict,
                calls=_calls(each.sequence, given)["calls"],
                edits=each.edits,
                cost=each.cost,
                shown=None if seen is each else dump_sequence(seen.sequence, CALLS),
            )
            for each, seen in zip(result.alternatives, clean.alternatives, strict=True)
        )
    return told
