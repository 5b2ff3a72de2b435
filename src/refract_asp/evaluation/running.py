"""Runs systems over cases: here, or in several processes; what a system raises becomes part of its row."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from refract_asp.errors import LONGEST_TEXT, InputError, RefractError, shown
from refract_asp.evaluation.case import Case, Digests
from refract_asp.evaluation.question import Prepared
from refract_asp.evaluation.recording import versions
from refract_asp.evaluation.runs import Cases, Run, RunRow
from refract_asp.evaluation.scoring import Score, score_of
from refract_asp.evaluation.systems import Answer, Recorded, Refract, System, answer_of
from refract_asp.model import Sequence
from refract_asp.model.secrets import HIDDEN, OTHER, Hidden, Secrets, text_without_secrets
from refract_asp.model.sources import Constant, Source, Structure, Template
from refract_asp.pooling import Alone, check_travels, in_order, in_time
from refract_asp.refractor import Refractor
from refract_asp.report.terminal import escaped
from refract_asp.settings import seconds, whole_number

if TYPE_CHECKING:
    from refract_asp.model import Catalog

__all__ = ["Bench", "Told", "rows_of", "run", "told"]

MAX_LINES = 200
"""So many lines of one sequence are kept."""
MAX_LINE = 2_000
"""Characters of one line."""
MAX_WHAT = 300


class Told(NamedTuple):
    """What was broken in a case, its sequence, the expected one and the answers, by name."""

    what: str
    given: tuple[str, ...]
    expected: tuple[str, ...]
    answers: dict[str, tuple[str, ...]]


def told(case: Case, answers: Mapping[str, Sequence]) -> Told:
    """
    Return a case and answers to it as lines.

    What is secret under the right name of its parameter is hidden under any other name, too: the name may
    be the very thing that is wrong.
    """
    secrets = Secrets(tool_of=case.catalog.by_name.get)
    sequences = [case.sequence, case.expected, *answers.values()]
    seen: set[str] = set()
    hidden = []
    for sequence in sequences:
        hide = Hidden()
        hidden.append(_hidden(sequence, secrets, hide))
        seen |= hide.seen
    seen -= {HIDDEN, OTHER, "null", "true", "false", '""', "[]", "{}"}
    lines = [_lines(_without(sequence, seen) if seen else sequence) for sequence in hidden]
    what = text_without_secrets("; ".join(each.what for each in case.mutations if each.what))
    for text in seen:
        what = what.replace(text.strip('"'), HIDDEN)
    return Told(
        what=escaped(what[:MAX_WHAT]),
        given=lines[0],
        expected=lines[1],
        answers=dict(zip(answers, lines[2:], strict=True)),
    )


def _hidden(sequence: Sequence, secrets: Secrets, hide: Hidden) -> Sequence:
    """Return a sequence without secrets, and collect them in `hide`."""
    calls = []
    for call in sequence.calls:
        arguments = {
            name: secrets.argument([call.name], [name], source, hide)
            for name, source in call.arguments.items()
        }
        calls.append(call.model_copy(update={"arguments": arguments, "written": None}))
    returns = sequence.returns
    if returns is not None:
        returns = {
            name: secrets.argument([""], [name], source, hide) for name, source in returns.items()
        }
    return sequence.model_copy(update={"calls": tuple(calls), "returns": returns, "written": None})


def _without(sequence: Sequence, seen: set[str]) -> Sequence:
    """Return a sequence in which no constant is one of the secrets that were seen."""
    calls = tuple(
        call.model_copy(
            update={"arguments": {n: _source(s, seen) for n, s in call.arguments.items()}}
        )
        for call in sequence.calls
    )
    return sequence.model_copy(update={"calls": calls})


def _source(source: Source, seen: set[str]) -> Source:
    if isinstance(source, Constant):
        return Constant(value=_value(source.value, seen))
    if isinstance(source, Template):
        parts = tuple(
            _value(part, seen) if isinstance(part, str) else part for part in source.parts
        )
        return Template(parts=parts)
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return Structure(
                value={name: _source(each, seen) for name, each in source.value.items()}
            )
        return Structure(value=[_source(each, seen) for each in source.value])
    return source


def _value(value: Any, seen: set[str]) -> Any:
    if json.dumps(value, sort_keys=True, default=str) in seen:
        return HIDDEN
    if isinstance(value, dict):
        return {name: _value(each, seen) for name, each in value.items()}
    return [_value(each, seen) for each in value] if isinstance(value, list) else value


def _lines(sequence: Sequence) -> tuple[str, ...]:
    lines: Iterable[str] = sequence.dump("pretty")
    cut = [escaped(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}...") for line in lines]
    more = len(cut) - MAX_LINES
    return (*cut[:MAX_LINES], f"... and {more} lines more") if more > 0 else tuple(cut)


MAX_JOBS = 64
A_WEEK = 7 * 24 * 3600.0
GRACE = 1.0
"""Seconds that an answer may come too late."""


def run(
    cases: Iterable[Case],
    systems: Mapping[str, System | Recorded],
    *,
    time_limit: float | None = None,
    jobs: int = 1,
    source: str = "",
    done: Callable[[RunRow], None] | None = None,
) -> Run:
    """
    Have each system answer each case, and judge the answers.

    A system that raises, or is more than a second later than the limit, gets a row that says so. One that
    does not come back at all is ended with its process where there are several jobs; nothing ends it where
    there is one. What a system does to the sequence and the memory that it is given, no other one sees.
    Ctrl-C ends the run with what there is so far; it then says that it is not complete.

    Args:
        cases: the cases, taken one by one.
        systems: the systems by name, in the order in which they are reported.
        time_limit: seconds for one answer; `Refract` gives the best it has found by then.
        jobs: how many processes; with more than one, the systems have to be what pickle takes.
        source: where the cases come from, for reports.
        done: is told of each row.

    Raises:
        InputError: there are no systems, or an option cannot be used.

    Example:
        >>> from refract_asp.evaluation import nearest, read_cases
        >>> tools = {"tools": [{"name": "Pay", "effect": "read", "parameters": {"amount": {}}}]}
        >>> rows = [{"catalog": tools, "sequence": "Py(amount=3)", "expected": "Pay(amount=3)"}]
        >>> found = run(read_cases(rows), {"refract": Refract(), "nearest": nearest})
        >>> {name: score.restored for name, score in found.rows[0].scores.items()}
        {'refract': True, 'nearest': True}
    """
    if not systems:
        raise InputError("there are no systems to run.", hint="Name one, as `refract`.")
    if not isinstance(systems, Mapping) or not all(isinstance(name, str) for name in systems):
        raise InputError("the systems are no mapping of names.", hint='Write {"mine": system}.')
    whole_number("jobs", jobs, least=1, most=MAX_JOBS)
    limit = seconds(time_limit, zero=False)
    bench = Bench(
        {
            name: each.within(limit) if isinstance(each, Refract) else each
            for name, each in systems.items()
        },
        limit,
    )
    rows: list[RunRow] = []
    complete = True
    found = rows_of(bench, cases, jobs)
    try:
        for row in found:
            rows.append(row)
            if done is not None:
                done(row)
    except KeyboardInterrupt:
        complete = False
    finally:
        found.close()
    return Run(
        complete=complete,
        cases=Cases(source=source, digest=_digest(rows), count=len(rows)),
        systems={name: described(each) for name, each in systems.items()},
        settings={"time_limit": limit, "jobs": jobs},
        versions={"python": platform.python_version(), **versions()},
        rows=tuple(rows),
    )


class Bench:
    """Has systems answer cases one by one; goes to other processes with the systems."""

    def __init__(self, systems: Mapping[str, System | Recorded], time_limit: float | None) -> None:
        """Hold the systems."""
        self.systems = dict(systems)
        self.time_limit = time_limit
        self.guard: Callable[[], AbstractContextManager[None]] = nullcontext
        """What stands around each call of a system."""
        self.clock: Callable[[], float] = time.perf_counter
        """What each call of a system is timed by."""
        self._judges = Prepared(Refractor)
        self._digests = Digests()

    def row(self, case: Case, number: int, only: str | None = None) -> RunRow:
        """
        Return what the systems, or one of them, make of a case.

        Who is first changes with the number of the case, as caches warm.
        """
        names = list(self.systems) if only is None else [only]
        start = number % len(names)
        scores: dict[str, Score] = {}
        answers: dict[str, Sequence] = {}
        for name in names[start:] + names[:start]:
            try:
                scores[name], answers[name] = self._score(name, case)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a system may raise anything
                scores[name] = Score(error=_error_text(error))
        return self._row(case, scores, answers)

    def lost(self, case: Case, name: str, why: str) -> RunRow:
        """Return the row of a case that a system could not answer."""
        return self._row(case, {name: Score(error=why)}, {})

    @property
    def too_late(self) -> str:
        """What is said of an answer that did not come in time."""
        return f"no answer in {self.time_limit:g} s."

    def __getstate__(self) -> dict[str, Any]:
        """Take nothing to another process but the systems."""
        return {"systems": self.systems, "time_limit": self.time_limit}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Begin there with nothing compiled."""
        self.__init__(**state)  # type: ignore[misc]

    def _row(
        self, case: Case, scores: Mapping[str, Score], answers: Mapping[str, Sequence]
    ) -> RunRow:
        names = [name for name in self.systems if name in scores]
        missed = {
            name: answers[name] for name in names if name in answers and not scores[name].restored
        }
        texts = told(case, missed) if missed or len(answers) < len(names) else None
        return RunRow(
            id=case.id,
            digest=self._digests.case(case)[:16],
            kind=case.kind,
            right=case.is_right,
            informed=case.informed,
            asks=len(case.expected.asks),
            open=bool(case.open),
            variant=case.mutations[0].variant if len(case.mutations) == 1 else "",
            dials=dict(case.dials),
            what=texts.what if texts else "",
            given=texts.given if texts else None,
            expected=texts.expected if texts else None,
            scores={
                name: scores[name].model_copy(update={"answer": texts.answers[name]})
                if texts and name in texts.answers
                else scores[name]
                for name in names
            },
        )

    def _score(self, name: str, case: Case) -> tuple[Score, Sequence]:
        judge = self._judges(case.catalog)
        system = self.systems[name]
        answer = (
            system.answer(case.id) if isinstance(system, Recorded) else self._answer(system, case)
        )
        if self.time_limit is not None and (answer.seconds or 0) > self.time_limit + GRACE:
            raise InputError(self.too_late)
        score = score_of(case, answer, lambda sequence: judge.check(sequence, case.memory).verdict)
        return score, answer.sequence

    def _answer(self, system: System, case: Case) -> Answer:
        """Have a system answer; it gets a sequence and a memory of its own, whatever it does to them."""
        prepare = getattr(system, "prepare", None)
        if prepare is not None:
            prepare(case.catalog)
        sequence, memory = deepcopy((case.sequence, case.memory))
        with self.guard():
            start = self.clock()
            given = system(sequence, case.catalog, memory)
            taken = self.clock() - start
        answer = answer_of(given)
        return answer if answer.seconds is not None else answer.timed(taken)


def _error_text(error: BaseException) -> str:
    """Return what a system raised; an error of ours says it all itself."""
    said = shown(error, LONGEST_TEXT)
    return (
        said if isinstance(error, RefractError) else f"{type(error).__name__}: {said}".rstrip(": ")
    )


def described(system: System | Recorded) -> dict[str, Any]:
    """Return what a system is, as data."""
    if isinstance(system, Refract):
        told = {
            name: value for name, value in system.options.items() if not _is_no_limit(name, value)
        }
        options = {name: _plain(value) for name, value in told.items()}
        return {"system": "refract", "options": options}
    name = getattr(system, "__name__", None) or type(system).__name__
    return {"system": name.lower() if isinstance(system, Recorded) else name}


def _is_no_limit(name: str, value: Any) -> bool:
    """Whether an option is a time limit that nobody reaches; with one an interrupt is heard."""
    return name == "time_limit" and value is not None and value >= A_WEEK


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else shown(value)


def _digest(rows: Iterable[RunRow]) -> str:
    return hashlib.sha256("".join(f"{row.digest}\n" for row in rows).encode()).hexdigest()


CHUNK = 4
"""So many cases of one catalog go to a process at once."""


class _Chunk(NamedTuple):
    """Cases that follow each other and share a catalog, which is told by its hash."""

    start: int
    cases: tuple[Case, ...]
    catalog: str


def rows_of(bench: Bench, cases: Iterable[Case], jobs: int) -> Generator[RunRow]:
    """
    Yield the rows of the cases in their order: made here, or by several processes.

    Raises:
        InputError: a system cannot go to another process.
    """
    if jobs == 1:
        yield from (bench.row(case, number) for number, case in enumerate(cases))
        return
    check_travels(bench, "a system", "Put its function at the top of a module, or use one job.")
    yield from in_order(
        _work, _chunks(cases), jobs, partial(_begin, bench), partial(_one_by_one, bench)
    )


def _one_by_one(bench: Bench, chunks: Iterable[_Chunk]) -> Iterator[RunRow]:
    """Yield the rows of chunks that were under way when a process died; find the system that it died of."""
    alone: Alone[list[RunRow]] = Alone(partial(_begin, bench), bench.time_limit)
    try:
        for chunk in chunks:
            for number, case in enumerate(chunk.cases, chunk.start):
                one = _Chunk(number, (case,), chunk.catalog)
                rows = alone.result(_work, one, None)
                if isinstance(rows, list):
                    yield from rows
                else:
                    yield _joined([_row_of(bench, alone, one, name) for name in bench.systems])
    finally:
        alone.end()


def _row_of(bench: Bench, alone: Alone[list[RunRow]], chunk: _Chunk, name: str) -> RunRow:
    """Return the row of one case with one system."""
    rows = alone.result(_work, chunk, name)
    return rows[0] if isinstance(rows, list) else bench.lost(chunk.cases[0], name, rows)


def _joined(rows: list[RunRow]) -> RunRow:
    """Return the rows of one case, one for each system, as one."""
    told = next((row for row in rows if row.given is not None), rows[0])
    return told.model_copy(
        update={"scores": {name: row.scores[name] for row in rows for name in row.scores}}
    )


def _chunks(cases: Iterable[Case]) -> Iterator[_Chunk]:
    digests = Digests()
    start = 0
    held: list[Case] = []
    for case in cases:
        if held and (len(held) >= CHUNK or case.catalog is not held[0].catalog):
            yield _Chunk(start, tuple(held), digests.catalog(held[0].catalog))
            start += len(held)
            held = []
        held.append(case)
    if held:
        yield _Chunk(start, tuple(held), digests.catalog(held[0].catalog))


# -- in the process ------------------------------------------------------------

_BENCH: Bench | None = None
_CATALOGS: dict[str, Catalog] = {}
_MAX_CATALOGS = 8


def _begin(bench: Bench) -> None:
    global _BENCH  # noqa: PLW0603 - what a process of the pool keeps between its chunks
    if bench.time_limit is not None:
        bench.guard = partial(in_time, bench.time_limit)
    _BENCH = bench


def _work(chunk: _Chunk, only: str | None = None) -> list[RunRow]:
    assert _BENCH is not None
    if chunk.catalog not in _CATALOGS:
        if len(_CATALOGS) >= _MAX_CATALOGS:
            del _CATALOGS[next(iter(_CATALOGS))]
        _CATALOGS[chunk.catalog] = chunk.cases[0].catalog
    catalog = _CATALOGS[chunk.catalog]  # the same object as before, so that it is compiled once
    cases = [replace(case, catalog=catalog) for case in chunk.cases]
    return [_BENCH.row(case, number, only) for number, case in enumerate(cases, chunk.start)]
