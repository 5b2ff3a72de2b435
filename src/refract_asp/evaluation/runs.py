"""Systems run over cases: a row for each case, here or in several processes; and what a system missed."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, RefractError, shown
from refract_asp.evaluation.answering import Prepared
from refract_asp.evaluation.cases import Case, Dial, Digests
from refract_asp.evaluation.recording import versions
from refract_asp.evaluation.scoring import Score, score_of
from refract_asp.evaluation.systems import Answer, Recorded, Refract, System, answer_of
from refract_asp.formats.source import MAX_FILE_BYTES, opened
from refract_asp.model import Catalog, Sequence
from refract_asp.model.secrets import HIDDEN, OTHER, Hidden, Secrets, text_without_secrets
from refract_asp.model.sequence import Constant, Source, Structure, Template
from refract_asp.pooling import Alone, check_travels, in_order, in_time
from refract_asp.refractor import Refractor
from refract_asp.report.terminal import count, escaped
from refract_asp.settings import seconds, whole_number

__all__ = [
    "Cases",
    "Line",
    "Miss",
    "Run",
    "RunRow",
    "errors_of",
    "lines_between",
    "misses_of",
    "read_run",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cases(_Part):
    """
    Which cases were run.

    Attributes:
        source: where they came from, as it was named.
        digest: the hash of all of them in order; equal cases have equal ones, wherever they stand.
        count: how many there were.
        skipped: how many lines could not be read.
    """

    source: str = ""
    digest: str = ""
    count: int = 0
    skipped: int = 0


class RunRow(_Part):
    """
    A case, and what each system made of it.

    Attributes:
        id: the id of the case.
        digest: the hash of all that the case says.
        kind: what is wrong with it, in one word; "none" for nothing.
        right: whether nothing is wrong with it.
        informed: whether what was lost can be told from what is left.
        asks: how many values the expected sequence asks for.
        open: whether some of its values may be anything, as nobody can know them any more.
        variant: "misspelt" or "invented" where a name was broken.
        dials: how the case was made.
        what: what was broken, for people.
        given: the sequence, a line for each call, without secrets; only kept where an answer is not as
            expected.
        expected: the expected one, likewise.
        scores: what each system's answer is worth.
    """

    id: str
    digest: str
    kind: str = ""
    right: bool = False
    informed: bool = True
    asks: int = 0
    open: bool = False
    variant: str = ""
    dials: dict[str, Dial] = {}
    what: str = ""
    given: tuple[str, ...] | None = None
    expected: tuple[str, ...] | None = None
    scores: dict[str, Score]


class Run(_Part):
    """
    Systems run over cases.

    Attributes:
        complete: whether all cases were run; not so where somebody stopped it.
        cases: which cases.
        systems: what each system is: its options, by its name.
        settings: how it was run.
        versions: of what took part.
        rows: a row for each case, in their order.
    """

    schema_version: Literal[1] = 1
    complete: bool = True
    cases: Cases = Cases()
    systems: dict[str, dict[str, Any]]
    settings: dict[str, Any] = {}
    versions: dict[str, str] = {}
    rows: tuple[RunRow, ...] = ()

    def text(self) -> str:
        """Return the run as JSON, each row on a line of its own; `read_run` reads it, however large it is."""
        head = self.model_dump_json(exclude={"rows"}, indent=1).removesuffix("\n}")
        rows = ",\n".join(f"  {row.model_dump_json()}" for row in self.rows)
        return f'{head},\n "rows": [\n{rows}\n ]\n}}\n'


def read_run(data: Path | str) -> Run:
    """
    Read a run that was saved: a file, or the text of one.

    Raises:
        FormatError: it is none.
        LimitError: it is nested too deep.
    """
    # a run may be larger than the files of others may be
    is_large = isinstance(data, Path) and data.is_file() and data.stat().st_size > MAX_FILE_BYTES
    text = Path(data).read_text("utf-8-sig", "replace") if is_large else None
    found, origin = opened(data, yaml=False, text=text)
    if not isinstance(found, dict) or "rows" not in found or "systems" not in found:
        hint = "Give what `refract-asp bench run` wrote with -o."
        raise origin.error("this is no run.", hint=hint)
    try:
        run = Run.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        steps = (step if isinstance(step, int) else str(step) for step in first["loc"])
        raise origin.error(f"{shown(first['msg']).lower()}.", tuple(steps)) from None
    if len({row.id for row in run.rows}) < len(run.rows):
        raise origin.error("two rows have the same id.", ("rows",))
    for number, row in enumerate(run.rows):
        if row.scores.keys() != run.systems.keys():
            what = "there is not one score for each system."
            raise origin.error(what, ("rows", number, "scores"))
    if not run.systems:
        raise FormatError("the run has no systems.", where=origin.at())
    return run


# -- running -----------------------------------------------------------------------

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
    limited = {
        name: each.within(limit) if isinstance(each, Refract) else each
        for name, each in systems.items()
    }
    rows: list[RunRow] = []
    complete = True
    found = _rows_of(Bench(limited, limit), cases, jobs)
    try:
        for row in found:
            rows.append(row)
            if done is not None:
                done(row)
    except KeyboardInterrupt:
        complete = False
    finally:
        found.close()
    digest = hashlib.sha256("".join(f"{row.digest}\n" for row in rows).encode()).hexdigest()
    return Run(
        complete=complete,
        cases=Cases(source=source, digest=digest, count=len(rows)),
        systems={name: _described(each) for name, each in systems.items()},
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
        told: dict[str, Any] = {}
        said = {name: scores[name] for name in names}
        if missed or len(answers) < len(names):
            what, given, expected, *lines = _told(case, missed.values())
            told = {"what": what, "given": given, "expected": expected}
            for name, answer in zip(missed, lines, strict=True):
                said[name] = said[name].model_copy(update={"answer": answer})
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
            scores=said,
            **told,
        )

    def _score(self, name: str, case: Case) -> tuple[Score, Sequence]:
        judge = self._judges(case.catalog)
        system = self.systems[name]
        answer = self._answer(system, case)
        if self.time_limit is not None and (answer.seconds or 0) > self.time_limit + GRACE:
            raise InputError(f"no answer in {self.time_limit:g} s.")
        score = score_of(case, answer, lambda sequence: judge.check(sequence, case.memory).verdict)
        return score, answer.sequence

    def _answer(self, system: System | Recorded, case: Case) -> Answer:
        """Have a system answer; it gets a sequence and a memory of its own, whatever it does to them."""
        if isinstance(system, Recorded):
            return system.answer(case.id)
        prepare = getattr(system, "prepare", None)
        if prepare is not None:
            prepare(case.catalog)
        sequence, memory = deepcopy((case.sequence, case.memory))
        with self.guard():
            start = self.clock()
            given = system(sequence, case.catalog, memory)
            taken = self.clock() - start
        answer = answer_of(given)
        return answer if answer.seconds is not None else replace(answer, seconds=taken)


def _error_text(error: BaseException) -> str:
    """Return what a system raised; an error of ours says it all itself."""
    said = shown(error, LONGEST_TEXT)
    return (
        said if isinstance(error, RefractError) else f"{type(error).__name__}: {said}".rstrip(": ")
    )


def _described(system: System | Recorded) -> dict[str, Any]:
    """Return what a system is, as data; a time limit that nobody reaches is there to hear an interrupt."""
    if isinstance(system, Refract):
        options = dict(system.options)
        if (options.get("time_limit") or 0) >= A_WEEK:
            del options["time_limit"]
        return {"system": "refract", "options": _plain(options)}
    name = getattr(system, "__name__", None) or type(system).__name__
    return {"system": name.lower() if isinstance(system, Recorded) else name}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else shown(value)


CHUNK = 4
"""So many cases of one catalog go to a process at once."""


class _Chunk(NamedTuple):
    """Cases that follow each other and share a catalog, which is told by its hash."""

    start: int
    cases: tuple[Case, ...]
    catalog: str


def _rows_of(bench: Bench, cases: Iterable[Case], jobs: int) -> Generator[RunRow]:
    """Yield the rows of the cases in their order: made here, or by several processes."""
    if jobs == 1:
        yield from (bench.row(case, number) for number, case in enumerate(cases))
        return
    check_travels(bench, "a system", "Put its function at the top of a module, or use one job.")
    again = partial(_one_by_one, bench)
    yield from in_order(_work, _chunks(cases), jobs, partial(_begin, bench), again)


def _one_by_one(bench: Bench, chunks: Iterable[_Chunk]) -> Iterator[RunRow]:
    """Yield the rows of chunks that were under way when a process died; find the system that it died of."""
    alone: Alone[list[RunRow]] = Alone(partial(_begin, bench), bench.time_limit)
    try:
        for chunk in chunks:
            for number, case in enumerate(chunk.cases, chunk.start):
                one = _Chunk(number, (case,), chunk.catalog)
                rows = alone.result(_work, one, None)
                if isinstance(rows, str):
                    parts = []
                    for name in bench.systems:
                        found = alone.result(_work, one, name)
                        parts += (
                            [bench.lost(case, name, found)] if isinstance(found, str) else found
                        )
                    told = next((row for row in parts if row.given is not None), parts[0])
                    scores = {name: score for row in parts for name, score in row.scores.items()}
                    rows = [told.model_copy(update={"scores": scores})]
                yield from rows
    finally:
        alone.end()


def _chunks(cases: Iterable[Case]) -> Iterator[_Chunk]:
    digests, start = Digests(), 0
    for digest, group in groupby(cases, key=lambda case: digests.catalog(case.catalog)):
        while held := tuple(islice(group, CHUNK)):
            yield _Chunk(start, held, digest)
            start += len(held)


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


# -- what is told of a case --------------------------------------------------------

MAX_LINES = 200
"""So many lines of one sequence are kept."""
MAX_LINE = 2_000
"""Characters of one line."""
MAX_WHAT = 300


def _told(case: Case, answers: Iterable[Sequence]) -> list[Any]:
    """
    Return what was broken in a case, and the lines of its sequence, the expected one and the answers.

    What is secret under the right name of its parameter is hidden under any other name, too: the name may
    be the very thing that is wrong.
    """
    secrets = Secrets(tool_of=case.catalog.by_name.get)
    seen: set[str] = set()
    hidden = []
    for sequence in (case.sequence, case.expected, *answers):
        hide = Hidden()

        def clean(tool: str, name: str, source: Source, hide: Hidden = hide) -> Source:
            return secrets.argument([tool], [name], source, hide)

        hidden.append(_mapped(sequence, clean))
        seen |= hide.seen
    seen -= {HIDDEN, OTHER, "null", "true", "false", '""', "[]", "{}"}
    if seen:
        hidden = [_mapped(each, lambda _, __, source: _source(source, seen)) for each in hidden]
    what = text_without_secrets("; ".join(each.what for each in case.mutations if each.what))
    for text in seen:
        what = what.replace(text.strip('"'), HIDDEN)
    return [escaped(what[:MAX_WHAT]), *map(_lines, hidden)]


def _mapped(sequence: Sequence, change: Callable[[str, str, Source], Source]) -> Sequence:
    """Return a sequence with what `change` makes of each argument, told its tool and its name."""
    calls = []
    for call in sequence.calls:
        arguments = {p: change(call.name, p, source) for p, source in call.arguments.items()}
        calls.append(call.model_copy(update={"arguments": arguments, "written": None}))
    returns = sequence.returns
    if returns is not None:
        returns = {name: change("", name, source) for name, source in returns.items()}
    return sequence.model_copy(update={"calls": tuple(calls), "returns": returns, "written": None})


def _source(source: Source, seen: set[str]) -> Source:
    """Return a source in which no constant is one of the secrets that were seen."""
    if isinstance(source, Constant):
        return Constant(value=_value(source.value, seen))
    if isinstance(source, Template):
        parts = (_value(part, seen) if isinstance(part, str) else part for part in source.parts)
        return Template(parts=tuple(parts))
    if not isinstance(source, Structure):
        return source
    if isinstance(source.value, dict):
        return Structure(value={name: _source(s, seen) for name, s in source.value.items()})
    return Structure(value=[_source(each, seen) for each in source.value])


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


# -- misses ---------------------------------------------------------------------

MAX_ERRORS = 3
"""So many reasons for no answer are told of each system."""
SHORT = 60

Line: TypeAlias = tuple[Literal[" ", "-", "+"], str]
"""A line of both, of the first one alone, or of the second one alone."""


class Miss(BaseModel):
    """
    A case that was not answered as expected.

    Attributes:
        id: of the case.
        kind: what is wrong with it.
        what: what was broken, for people.
        system: who answered.
        said: what the answer comes to, in words.
        answer: what the system changed: its answer against the given sequence.
        wanted: what it should have been: the expected sequence against its answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str
    what: str
    system: str
    said: str
    answer: tuple[Line, ...]
    wanted: tuple[Line, ...]


def misses_of(run: Run, system: str) -> Iterator[Miss]:
    """Yield what a system missed, in the order of the cases; those that nobody could know come last."""
    rows = [row for row in run.rows if not row.scores[system].restored]
    for row in sorted(rows, key=lambda row: not (row.informed or row.asks)):  # the sort is stable
        score = row.scores[system]
        given, expected = row.given or (), row.expected or ()
        answer = score.answer if score.answer is not None else given
        yield Miss(
            id=row.id,
            kind=row.kind,
            what=row.what,
            system=system,
            said=_said(row, score),
            answer=tuple(lines_between(given, answer)),
            wanted=tuple(lines_between(answer, expected)),
        )


def errors_of(run: Run, system: str) -> list[str]:
    """Say why a system gave no answer, the most frequent reason first, each with one of the cases."""
    found: dict[str, list[str]] = {}
    for row in run.rows:
        error = row.scores[system].error
        if error is not None:
            found.setdefault(error, []).append(row.id)
    ordered = sorted(found.items(), key=lambda each: -len(each[1]))
    name = shown(system, SHORT)
    told = [
        f"{name}: no answer to {count(len(ids), 'case')}, as {shown(ids[0], SHORT)}: "
        f"{shown(error, 300)}"
        for error, ids in ordered[:MAX_ERRORS]
    ]
    if more := ordered[MAX_ERRORS:]:
        left = count(sum(len(ids) for _, ids in more), "case")
        told.append(f"{name}: no answer to {left} more for {count(len(more), 'other reason')}.")
    return told


def _said(row: RunRow, score: Score) -> str:
    if score.error is not None:
        return f"no answer: {score.error}"
    told = {
        "nothing was wrong": row.right,
        "the information is lost": not row.informed,
        "an answer that is as cheap is the expected one": score.near,
        "what was filled has to be confirmed": score.confirmed,
        "check finds fault with it": not score.sound,
        f"filled silently: {', '.join(score.silent)}": score.silent,
        "ambiguous": score.ambiguous,
        "not proven to be the cheapest": score.optimal is False,
    }
    off = count(score.off, "token")
    return "; ".join([score.verdict or "an answer", f"{off} off", *filter(told.get, told)])


def lines_between(before: Iterable[str], after: Iterable[str]) -> Iterator[Line]:
    """
    Yield the lines of two sequences, marked by which of them they belong to; nothing where they are equal.

    Example:
        >>> list(lines_between(["A()", "B()"], ["A()", "C()"]))
        [(' ', 'A()'), ('-', 'B()'), ('+', 'C()')]
    """
    old, new = list(before), list(after)
    if old == new:
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from ((" ", line) for line in old[i1:i2])
        else:
            yield from (("-", line) for line in old[i1:i2])
            yield from (("+", line) for line in new[j1:j2])
