"""Runs systems over cases: here, or in several processes; what a system raises becomes part of its row."""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from refract_asp.bench.evaluation.case import Case, Digests
from refract_asp.bench.evaluation.recorded import Recorded
from refract_asp.bench.evaluation.runs import Cases, Run, RunRow
from refract_asp.bench.evaluation.scoring import Score, score_of
from refract_asp.bench.evaluation.systems import Answer, Prepared, Refract, System, answer_of
from refract_asp.bench.evaluation.telling import told
from refract_asp.errors import LONGEST_TEXT, InputError, RefractError, shown
from refract_asp.model import Sequence
from refract_asp.refractor import Refractor
from refract_asp.settings import seconds, whole_number

__all__ = ["Bench", "run"]

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
        >>> from refract_asp.bench.evaluation import nearest, read_cases
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
        {name: each.within(limit) if isinstance(each, Refract) else each for name, each in systems.items()},
        limit,
    )
    rows: list[RunRow] = []
    complete = True
    found = _here(bench, cases) if jobs == 1 else _elsewhere(bench, cases, jobs)
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
        versions=_versions(),
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

    def _row(self, case: Case, scores: Mapping[str, Score], answers: Mapping[str, Sequence]) -> RunRow:
        names = [name for name in self.systems if name in scores]
        missed = {name: answers[name] for name in names if name in answers and not scores[name].restored}
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
        answer = system.answer(case.id) if isinstance(system, Recorded) else self._answer(system, case)
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
            start = time.perf_counter()
            given = system(sequence, case.catalog, memory)
            taken = time.perf_counter() - start
        answer = answer_of(given)
        return answer if answer.seconds is not None else answer.timed(taken)


def _error_text(error: BaseException) -> str:
    """Return what a system raised; an error of ours says it all itself."""
    said = shown(error, LONGEST_TEXT)
    return said if isinstance(error, RefractError) else f"{type(error).__name__}: {said}".rstrip(": ")


def _here(bench: Bench, cases: Iterable[Case]) -> Generator[RunRow]:
    for number, case in enumerate(cases):
        yield bench.row(case, number)


def _elsewhere(bench: Bench, cases: Iterable[Case], jobs: int) -> Generator[RunRow]:
    from refract_asp.bench.evaluation.workers import rows_of

    return rows_of(bench, cases, jobs)


def described(system: System | Recorded) -> dict[str, Any]:
    """Return what a system is, as data."""
    if isinstance(system, Refract):
        told = {name: value for name, value in system.options.items() if not _is_no_limit(name, value)}
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


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("refract-asp", "clingo"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
