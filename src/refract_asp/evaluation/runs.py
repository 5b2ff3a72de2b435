"""Systems run over cases: a row for each case, here or in several processes; and what a system missed."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import partial
from itertools import chain, groupby, islice, tee
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from pydantic import ValidationError

from refract_asp.errors import LONGEST_TEXT, InputError, RefractError, shown
from refract_asp.evaluation.answering import versions
from refract_asp.evaluation.cases import Case, Dial, Digests
from refract_asp.evaluation.systems import Answer, Recorded, Refract, Score, System, score_of
from refract_asp.formats.references import with_sources
from refract_asp.formats.source import MAX_FILE_BYTES, opened
from refract_asp.model import Ask, Catalog, Reference, Sequence
from refract_asp.model import secrets as hiding
from refract_asp.model.catalog import MAX_PREPARED, Prepared
from refract_asp.model.paths import Frozen
from refract_asp.model.sequence import Constant, Structure, Template
from refract_asp.pooling import check_travels, in_order, in_time
from refract_asp.refractor import Refractor
from refract_asp.report.terminal import count, escaped
from refract_asp.settings import seconds, whole_number


class Cases(Frozen):
    """
    Which cases were run.

    Attributes:
        source: where they came from, as it was named.
        digest: the hash of all of them in order; equal cases have equal ones, whatever file they are in.
        count: how many there were.
        skipped: how many lines could not be read.
    """

    source: str = ""
    digest: str = ""
    count: int = 0
    skipped: int = 0


class RunRow(Frozen):
    """
    A case, and what each system made of it.

    Attributes:
        id: the id of the case.
        digest: the hash of the whole case.
        kind: what is wrong with it, in one word; "none" for nothing.
        right: whether nothing is wrong with it.
        informed: whether what was lost can be told from what is left.
        asks: how many values the expected sequence asks for.
        open: whether some of its values may be anything, as they cannot be known any more.
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


class Run(Frozen):
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
    text = Path(data).read_text("utf-8-sig", "replace") if is_large else ""
    found, origin = opened(data, yaml=False, text=text)
    is_run = isinstance(found, dict) and {"rows", "systems"} <= found.keys()
    origin.need(is_run, "this is no run.", hint="Give what `refract-asp bench run` wrote with -o.")
    try:
        run = Run.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        raise origin.error(f"{shown(first['msg']).lower()}.", first["loc"]) from None
    if len({row.id for row in run.rows}) < len(run.rows):
        raise origin.error("two rows have the same id.", ("rows",))
    for number, row in enumerate(run.rows):
        if row.scores.keys() != run.systems.keys():
            place = ("rows", number, "scores")
            raise origin.error("there is not one score for each system.", place)
    origin.need(bool(run.systems), "the run has no systems.")
    return run


# -- running -----------------------------------------------------------------------

# How many processes may work at once.
MAX_JOBS = 64
A_WEEK = 7 * 24 * 3600.0
# Seconds that an answer may come too late.
GRACE = 1.0


def run(
    cases: Iterable[Case],
    systems: Mapping[str, System | Recorded],
    *,
    time_limit: float | None = None,
    jobs: int = 1,
    source: str = "",
    done: Callable[[RunRow], None] = lambda _: None,
) -> Run:
    """
    Have each system answer each case, and judge the answers.

    A system that raises, or is more than a second later than the limit, gets a row with that reason. One that
    does not come back at all is ended with its process where there are several jobs; nothing ends it where
    there is one. What a system does to the sequence and the memory that it is given, no other one sees.
    Ctrl-C ends the run with the rows that are there; it then says that it is not complete.

    Args:
        cases: the cases, taken one by one.
        systems: the systems by name, in the order in which they are reported.
        time_limit: seconds for one answer; `Refract` gives the best it has found by then.
        jobs: how many processes; with more than one, the systems have to be what pickle takes.
        source: where the cases come from, for reports.
        done: called with each row.

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
    complete = False
    with closing(_rows_of(limited, limit, cases, jobs)) as found, suppress(KeyboardInterrupt):
        for row in found:
            rows.append(row)
            done(row)
        complete = True
    digest = hashlib.sha256("".join(f"{row.digest}\n" for row in rows).encode()).hexdigest()
    return Run(
        complete=complete,
        cases=Cases(source=source, digest=digest, count=len(rows)),
        systems={name: _described(each) for name, each in systems.items()},
        settings={"time_limit": limit, "jobs": jobs},
        versions={"python": platform.python_version(), **versions()},
        rows=tuple(rows),
    )


def _described(system: System | Recorded) -> dict[str, Any]:
    """Return a system as data, without a time limit of a week or more, which only lets it be interrupted."""
    if isinstance(system, Refract):
        told = dict(system.options)
        if (told.get("time_limit") or 0) >= A_WEEK:
            del told["time_limit"]
        plain = json.dumps(told, default=lambda it: [*it] if isinstance(it, Set) else shown(it))
        return {"system": "refract", "options": json.loads(plain)}
    name = getattr(system, "__name__", None) or type(system).__name__
    return {"system": name.lower() if isinstance(system, Recorded) else name}


class Asked(NamedTuple):
    """A case, the system that shall answer it, and the hash of the catalog."""

    case: Case
    system: str
    catalog: str


# What an answer is worth, and the answer, if there is one.
Scored: TypeAlias = tuple[Score, Sequence | None]
# So many cases of one catalog go to a process at once.
CHUNK = 4


@dataclass
class Bench:
    """
    Has systems answer cases, in this process.

    Attributes:
        systems: the systems by name.
        time_limit: seconds for one answer, or None.
        guard: the context of each call of a system.
        clock: what each is timed by.
    """

    systems: Mapping[str, System | Recorded]
    time_limit: float | None
    guard: Callable[[], AbstractContextManager[None]] = nullcontext
    clock: Callable[[], float] = time.perf_counter
    _judges: Prepared[Refractor] = field(default_factory=lambda: Prepared(Refractor))
    _catalogs: dict[str, Catalog] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> Scored:
        """Return what the answer of a system is worth."""
        if asked.catalog not in self._catalogs and len(self._catalogs) >= MAX_PREPARED:
            self._catalogs.clear()
        # the same object as before, so that it is compiled once
        catalog = self._catalogs.setdefault(asked.catalog, asked.case.catalog)
        case = replace(asked.case, catalog=catalog)
        try:
            judge = self._judges(case.catalog).check
            answer = self._answer(self.systems[asked.system], case)
            if self.time_limit is not None and (answer.seconds or 0) > self.time_limit + GRACE:
                raise InputError(f"no answer in {self.time_limit:g} s.")
            score = score_of(case, answer, lambda calls: judge(calls, case.memory).verdict)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a system may raise anything
            kind = "" if isinstance(error, RefractError) else f"{type(error).__name__}: "
            return Score(error=f"{kind}{shown(error, LONGEST_TEXT)}".rstrip(": ")), None
        return score, answer.sequence

    def _answer(self, system: System | Recorded, case: Case) -> Answer:
        """Have a system answer; it gets a sequence and a memory of its own, whatever it does to them."""
        if isinstance(system, Recorded):
            return system.answer(case.id)
        if prepare := getattr(system, "prepare", None):
            prepare(case.catalog)
        sequence, memory = deepcopy((case.sequence, case.memory))
        with self.guard():
            start = self.clock()
            given = system(sequence, case.catalog, memory)
            taken = self.clock() - start
        answer = Answer.load(given)
        return answer if answer.seconds is not None else replace(answer, seconds=taken)


def _rows_of(
    systems: Mapping[str, System | Recorded], limit: float | None, cases: Iterable[Case], jobs: int
) -> Generator[RunRow]:
    """Yield the rows of the cases in their order: made here, or by several processes."""
    names, digests = list(systems), Digests()
    cases, again = tee(cases)

    def order(number: int) -> list[str]:
        first = number % len(names)  # another one with each case, as caches warm
        return names[first:] + names[:first]

    def chunks() -> Iterator[list[Asked]]:
        grouped = groupby(enumerate(cases), lambda each: digests.catalog(each[1].catalog))
        for digest, group in grouped:
            while chunk := list(islice(group, 1 if jobs == 1 else CHUNK)):
                yield [Asked(case, name, digest) for n, case in chunk for name in order(n)]

    found: Iterator[Scored]
    if jobs == 1:
        found = map(Bench(systems, limit), chain.from_iterable(chunks()))
    else:
        hint = "Put its function at the top of a module, or use one job."
        check_travels(systems, "a system", hint)
        begin = partial(Bench, systems, limit, partial(in_time, limit))
        found = in_order(begin, chunks(), jobs, lambda _, why: (Score(error=why), None), limit)
    for number, case in enumerate(again):
        scored = dict(zip(order(number), found, strict=False))
        yield _row(case, digests, {name: scored[name] for name in names})


def _row(case: Case, digests: Digests, scored: Mapping[str, Scored]) -> RunRow:
    told: dict[str, Any] = {}
    scores = {name: score for name, (score, _) in scored.items()}
    answers = {name: answer for name, (_, answer) in scored.items() if answer is not None}
    missed = {name: answer for name, answer in answers.items() if not scores[name].restored}
    if missed or len(answers) < len(scored):
        what, given, expected, *lines = _told(case, missed.values())
        told = {"what": what, "given": given, "expected": expected}
        for name, answer in zip(missed, lines, strict=True):
            scores[name] = scores[name].model_copy(update={"answer": answer})
    told |= {name: getattr(case, name) for name in ("id", "kind", "informed")}
    told |= {"right": case.is_right, "asks": len(case.expected.asks), "open": bool(case.open)}
    told["variant"] = case.mutations[0].variant if len(case.mutations) == 1 else ""
    return RunRow(**told, digest=digests.case(case)[:16], dials=dict(case.dials), scores=scores)


# -- the texts about a case --------------------------------------------------------

# So many lines of one sequence are kept.
MAX_LINES = 200
# Characters of one line.
MAX_LINE = 2_000
# Characters of what is said of the mistakes in a case.
MAX_WHAT = 300


def _told(case: Case, answers: Iterable[Sequence]) -> list[Any]:
    """
    Return what was broken in a case, and the lines of its sequence, the expected one and the answers.

    What is secret under the right name of its parameter is hidden under any other name, too: the name may
    be the very thing that is wrong.
    """
    secrets, seen = hiding.Secrets(tool_of=case.catalog.by_name.get), hiding.Hidden()
    told = (case.sequence, case.expected, *answers)
    sequences = [secrets.sequence(each, seen) for each in told]
    texts = seen.seen - {hiding.HIDDEN, hiding.OTHER, "null", "true", "false", '""', "[]", "{}"}
    if texts:
        sequences = [with_sources(each, partial(_veiled, texts=texts)) for each in sequences]
    what = hiding.text_without_secrets("; ".join(each.what for each in case.mutations if each.what))
    for text in texts:
        what = what.replace(text.strip('"'), hiding.HIDDEN)
    return [escaped(what[:MAX_WHAT]), *map(_lines, sequences)]


def _veiled(held: Any, texts: set[str]) -> Any:
    """Return a source or a value in which no constant is a secret whose JSON is given."""
    match held:
        case Constant() | Structure():
            return type(held)(value=_veiled(held.value, texts))
        case Template():
            return Template(parts=tuple(_veiled(part, texts) for part in held.parts))
        case Reference() | Ask():
            return held
    if json.dumps(held, sort_keys=True, default=str) in texts:
        return hiding.HIDDEN
    if isinstance(held, dict):
        return {name: _veiled(each, texts) for name, each in held.items()}
    return [_veiled(each, texts) for each in held] if isinstance(held, list) else held


def _lines(sequence: Sequence) -> tuple[str, ...]:
    lines: Iterable[str] = sequence.dump("pretty")
    cut = [escaped(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}...") for line in lines]
    more = len(cut) - MAX_LINES
    return (*cut[:MAX_LINES], f"... and {more} lines more") if more > 0 else tuple(cut)


# -- misses ---------------------------------------------------------------------

# So many reasons for no answer are reported for each system.
MAX_ERRORS = 3
SHORT = 60

# A line of both, of the first one alone, or of the second one alone.
Line: TypeAlias = tuple[Literal[" ", "-", "+"], str]


class Miss(Frozen):
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

    id: str
    kind: str
    what: str
    system: str
    said: str
    answer: tuple[Line, ...]
    wanted: tuple[Line, ...]


def misses_of(run: Run, system: str) -> Iterator[Miss]:
    """Yield what a system missed, in the order of the cases; those that could not be known come last."""
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
    cases: dict[str, list[str]] = {}
    for row in run.rows:
        if (error := row.scores[system].error) is not None:
            cases.setdefault(error, []).append(shown(row.id, SHORT))
    ordered = sorted(cases.items(), key=lambda item: -len(item[1]))
    name = shown(system, SHORT)
    told = [
        f"{name}: no answer to {count(len(ids), 'case')}, as {ids[0]}: {shown(error, 300)}"
        for error, ids in ordered[:MAX_ERRORS]
    ]
    if left := sum(len(ids) for _, ids in ordered[MAX_ERRORS:]):
        told.append(f"{name}: no answer to {count(left, 'further case')}.")
    return told


def _said(row: RunRow, score: Score) -> str:
    if score.error is not None:
        return f"no answer: {score.error}"
    told = {
        "nothing was wrong": row.right,
        "the information is lost": not row.informed,
        "what was filled has to be confirmed": score.confirmed,
        "check finds fault with it": not score.sound,
        f"filled silently: {', '.join(score.silent)}": score.silent,
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
    for line in islice(unified_diff(old, new, n=len(old), lineterm=""), 3, None):  # after the heads
        yield line[0], line[1:]  # type: ignore[misc]
