"""Answers one entry of a data set after another: the row of each, judged as a whole or call by call."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from refract_asp.errors import FormatError, RefractError, shown
from refract_asp.evaluation.question import Answered, Entry, Prepared, Question
from refract_asp.evaluation.rows import CALLS, Alternative, Expected, Row, Shown, StepOutcome
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
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.edits import Violation
from refract_asp.model.example import Example
from refract_asp.model.result import Handle
from refract_asp.model.sources import Ask, Source, replace_reference, slots_of
from refract_asp.model.tags import TaggedFault
from refract_asp.refractor import Refractor
from refract_asp.report.diagnostics import diagnostics_of
from refract_asp.report.secrets import without_secrets

__all__ = ["Asker", "Judge", "Steps", "worst"]

Judge = Callable[[Sequence, tuple[Call, ...], bool], Report]
"""Judges one call after those that were made before it; told whether it is the last one."""

_RISING: tuple[Verdict, ...] = (
    "valid",
    "repaired",
    "invalid",
    "needs_input",
    "unrepairable",
    "unknown",
)

_Placed = TypeVar("_Placed", Diagnostic, TaggedFault)


def worst(verdicts: Any) -> Verdict:
    """
    Return the verdict of a whole whose parts have these.

    Example:
        >>> worst(["valid", "needs_input", "repaired"])
        'needs_input'
    """
    return max(verdicts, key=_RISING.index, default="valid")


class Steps:
    """
    The steps of a sequence, each judged by `judge`.

    Attributes:
        reports: what was found in each step.
        outcomes: the verdict of each.
    """

    def __init__(self, given: Sequence, history: tuple[Call, ...], judge: Judge) -> None:
        """Judge one call after the other."""
        self.given = given
        self.reports: list[Report] = []
        self.outcomes: list[StepOutcome] = []
        self._calls: list[Call] = []
        self._origins: list[int | None] = []
        self._asks: dict[str, None] = {}
        self._edits: list[Edit] = []
        self._violations: list[Violation] = []
        for number, call in enumerate(given.calls):
            is_last = number == len(given.calls) - 1
            step = Sequence(
                calls=(call,),
                returns=given.returns if is_last else None,
                format=given.format,
                unlabelled=given.unlabelled,
            )
            report = judge(step, (*history, *self._calls), is_last)
            self._add(number, step, report)
        self.returns = given.returns
        if self.reports and isinstance(self.reports[-1], RepairResult):
            self.returns = self.reports[-1].sequence.returns

    @property
    def verdict(self) -> Verdict:
        """The verdict of the sequence: that of its worst step."""
        return worst(outcome.verdict for outcome in self.outcomes)

    def result(self) -> RepairResult:
        """Return what was found in all steps as one result; nothing can be asked about it."""
        repairs = [each for each in self.reports if isinstance(each, RepairResult)]
        known = [each.sequence.names for each in repairs]
        sequence = self.given.model_copy(
            update={
                "calls": tuple(self._calls),
                "asks": tuple(self._asks),
                "returns": self.returns,
                "written": None,
                "names": None
                if None in known
                else frozenset().union(*(names or () for names in known)),
            }
        )
        result = RepairResult(
            verdict=self.verdict,
            given=self.given,
            sequence=sequence if self._edits or self._asks else self.given,
            edits=tuple(self._edits),
            violations=tuple(self._violations),
            notes=tuple(dict.fromkeys(note for each in self.reports for note in each.notes)),
            unresolved=tuple(
                number
                for number, each in enumerate(self.reports)
                if isinstance(each, RepairResult) and each.unresolved
            ),
            unmet=tuple(dict.fromkeys(goal for each in repairs for goal in each.unmet)),
            ambiguous=any(each.ambiguous for each in repairs),
            truncated=tuple(dict.fromkeys(cut for each in repairs for cut in each.truncated)),
            optimal=all(each.optimal for each in repairs),
            cost=_sum(each.cost for each in repairs),
            total=_sum(each.total for each in repairs),
            origins=tuple(self._origins),
            note=next((each.note for each in repairs if each.note), ""),
        )
        result._handle = Handle(
            instance=self.reports[-1]._handle.instance
        )  # it knows what is secret
        return result

    def report(self) -> Report:
        """Return what a check found in all steps as one report."""
        found = self.result()
        report = Report(verdict=found.verdict, violations=found.violations, notes=found.notes)
        report._handle = found._handle
        return report

    def placed(self, found: Callable[[Report], tuple[_Placed, ...]]) -> tuple[_Placed, ...]:
        """Return what is found in the report of each step, with the call of the sequence that it is about."""
        return tuple(
            each.model_copy(update={"call": self._place(each.call, number)})
            for number, report in enumerate(self.reports)
            for each in found(report)
        )

    # -- steps -----------------------------------------------------------------

    def _add(self, number: int, step: Sequence, report: Report) -> None:
        self.reports.append(report)
        result = report if isinstance(report, RepairResult) else None
        self.outcomes.append(
            StepOutcome(
                call=number, verdict=report.verdict, optimal=result is None or result.optimal
            )
        )
        first = len(self._violations)
        self._violations += [
            each.model_copy(update={"call": self._place(each.call, number)})
            for each in report.violations
        ]
        if result is None:
            self._calls += step.calls
            self._origins.append(number)
            return
        self._edits += [
            each.model_copy(
                update={
                    "call": self._place(each.call, number),
                    "answers": tuple(first + answered for answered in each.answers),
                    **self._instead(each),
                }
            )
            for each in result.edits
        ]
        names = self._names(result.sequence.asks)
        self._asks.update(dict.fromkeys(names.values()))
        self._calls += [_renamed(call, names) for call in result.sequence.calls]
        self._origins += [None if origin is None else number for origin in result.origins]

    def _instead(self, edit: Edit) -> dict[str, int]:
        """Return which given call stands for one that is left out; for its step it is one of the history."""
        if edit.kind != "delete_call" or edit.instead is None:
            return {}
        place = len(self._calls) + edit.instead
        origin = self._origins[place] if 0 <= place < len(self._origins) else None
        return {} if origin is None else {"instead": origin}

    def _names(self, asks: tuple[str, ...]) -> dict[str, str]:
        """Return the names under which the asks of a step are asked among those of all steps."""
        names = {}
        for ask in asks:
            name, count = ask, 2
            while name in self._asks:
                name, count = f"{ask}_{count}", count + 1
            names[ask] = name
        return names

    def _place(self, call: int | None, number: int) -> int | None:
        """Return the index in the whole of a call of a step; 1 means what the sequence returns."""
        return None if call is None else number + call


def _renamed(call: Call, names: dict[str, str]) -> Call:
    """Return a call whose asks have other names."""
    if all(name == old for old, name in names.items()):
        return call
    arguments = {parameter: _source(source, names) for parameter, source in call.arguments.items()}
    return call.model_copy(update={"arguments": arguments, "written": None})


def _source(source: Source, names: dict[str, str]) -> Source:
    others: dict[int, Source] = {
        number: slot.model_copy(update={"name": names[slot.name]})
        for number, slot in enumerate(slots_of(source), 1)
        if isinstance(slot, Ask) and names.get(slot.name, slot.name) != slot.name
    }
    return replace_reference(source, others)[0] if others else source


def _sum(costs: Any) -> dict[Any, int]:
    """Add costs by criterion, or by priority."""
    total: dict[Any, int] = {}
    for cost in costs:
        for key, value in cost.items():
            total[key] = total.get(key, 0) + value
    return total


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
        except (
            ValueError,
            RecursionError,
            MemoryError,
        ) as error:  # a value that JSON does not have
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
            return self._row(entry, self._example(entry))
        except (Exception, MemoryError) as error:
            return _lost(self.question, entry, _error_text(error))

    # -- steps -----------------------------------------------------------------

    def _example(self, entry: Entry) -> Example:
        reader = self._readers.get(entry.folder)
        if reader is None:
            folder = None if entry.folder is None else Path(entry.folder)
            reader = self._readers[entry.folder] = ExampleReader(
                folder, format=self.question.format
            )
        return reader.example(entry.data, entry.place)

    def _row(self, entry: Entry, example: Example) -> Row:
        catalog = example.catalog or self.question.catalog
        if catalog is None:
            raise FormatError(
                "there is no catalog for it.",
                where=entry.place,
                hint='Name one for all with --catalog, or give each line its own as "catalog".',
            )
        told = _Telling(self.question, example, self._refractor(catalog, *example.mappings))
        return Row(
            **_head(self.question, entry),
            id=example.id,
            meta=example.meta,
            catalog=catalog.name,
            count=len(example.sequence.calls),
            tools=tuple(call.name for call in example.sequence.calls),
            **told.fields(),
        )

    def _compiled(self, catalog: Catalog, *mappings: Mapping) -> Refractor:
        options = dict(self.question.options)
        options["mappings"] = (*load_mappings(options.get("mappings", ())), *mappings)
        return _Keeping(catalog, **options)


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


def _error_text(error: BaseException) -> str:
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
        return Expected(
            given=same(found.given, found.truth), repaired=repaired, tags=found.tags.faults
        )


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
        "note": result.note,
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
