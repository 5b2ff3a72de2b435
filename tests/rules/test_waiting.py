"""A deadline ends the wait for an answer, whatever is done at the time; no test looks at a real clock."""

import random
from collections import Counter
from pathlib import Path
from pkgutil import resolve_name
from threading import Event
from threading import enumerate as threads
from typing import Any, TypeAlias

import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Refractor, Sequence
from refract_asp.errors import LimitError
from refract_asp.formats.source import is_bulky
from refract_asp.report.text import sentence_of
from refract_asp.rules import engine
from refract_asp.rules.waiting import Deadline, go_on, in_time
from waiting import PATIENCE, interrupt_once

NAMES = [f"p{number}" for number in range(12)]
PASS = tool("Pass", "read", dict.fromkeys(NAMES, TEXT), **dict.fromkeys(NAMES, NEEDED))
PASSER = Refractor({"tools": [PASS]})


Calls: TypeAlias = list[dict[str, Any]]


def tangled(count: int) -> Calls:
    """Return calls that read from one another at random, many in a circle."""
    chance, calls = random.Random(1), []
    for number in range(count):
        read = {name: f"$l{chance.randrange(count)}.{name}$" for name in NAMES}
        calls.append({"name": "Pass", "label": f"l{number}", "arguments": read})
    return calls


class Clock:
    """Shows a time that goes on with each look, by so many seconds."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_what_is_kept_for_later_is_not_spent_on_a_search() -> None:
    deadline = Deadline(10.0, Clock(1.0))
    deadline.keep(6)  # one second was spent
    assert (deadline.kept, deadline.whole, deadline.left) == (4.5, 8.0, 2.5)
    assert not deadline.is_over
    assert not deadline.is_over
    assert deadline.is_over
    assert deadline.whole == 3.0


def test_without_a_limit_the_deadline_never_comes() -> None:
    deadline = Deadline(None, Clock(1e9))
    deadline.keep(1)
    assert deadline.left is None
    assert not deadline.is_over
    assert in_time(deadline, lambda: 1) == 1


def test_what_is_not_done_in_time_is_not_waited_for_and_ends() -> None:
    late, ended = Event(), Event()

    def work() -> int:
        late.wait()
        try:
            go_on()
        except SystemExit:
            ended.set()
        return 1

    deadline = Deadline(1.0, Clock(0.4))
    deadline.best = lambda: 2
    assert in_time(deadline, work) == 2
    late.set()
    assert ended.wait(PATIENCE)


def test_an_error_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        in_time(Deadline(None), lambda: 1 // 0)


class Held:
    """Takes the place of a function, and holds up whoever calls it."""

    def __init__(self, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.late = Event(), Event()
        module, name = place.rsplit(".", 1)
        real = getattr(resolve_name(f"refract_asp.rules.{module}"), name)

        def waiting(*given: Any, **more: Any) -> Any:
            self.begun.set()
            self.late.wait()
            return real(*given, **more)

        monkeypatch.setattr(f"refract_asp.rules.{place}", waiting)


DONE = [
    "question.compile_problem", "engine.find_problem", "question.gather",
    "program.Control.ground", "question.solve", "engine.repair_result",
]  # fmt: skip


@pytest.mark.parametrize("place", DONE)
def test_ctrl_c_is_heard_whatever_is_done(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(place, monkeypatch)
    pressed = interrupt_once(held.begun.is_set)
    with pytest.raises(KeyboardInterrupt):
        PASSER.repair(tangled(20))
    pressed.join()
    held.late.set()
    ended()


def ended() -> None:
    """Wait for the threads for which nobody waited."""
    for thread in threads():
        if thread.name == "refract-asp":
            thread.join()


def test_without_time_what_is_wrong_stays_unresolved(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held("engine._cheapest", monkeypatch)
    given = PASSER._asked(tangled(20), None, (), (), None)
    deadline = Deadline(0.5, lambda: float(held.begun.is_set()))
    result = engine.repair_in_time(PASSER._engine, given, deadline)
    held.late.set()
    ended()
    assert result.verdict == "unrepairable"
    assert result.unresolved == tuple(sorted({v.call for v in result.violations}))
    assert result.sequence == result.given
    assert not result.optimal
    assert not result.lower_bound
    assert result.note == engine.NO_TIME
    assert sentence_of(result).startswith(f"{result.note}; {len(result.unresolved)} calls")


def test_an_answer_does_not_wait_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    fixer = Refractor(PASSER.catalog, alternatives=2)
    wanted = fixer.repair(tangled(5))
    held = Held("engine._alternatives", monkeypatch)
    monkeypatch.setattr(engine, "MAX_QUICK", 0)
    given = fixer._asked(tangled(5), None, (), (), None)
    deadline = Deadline(0.5, lambda: float(held.begun.is_set()))
    result = engine.repair_in_time(fixer._engine, given, deadline)
    held.late.set()
    ended()
    assert wanted.alternatives
    assert result == wanted.model_copy(update={"alternatives": ()})


def test_what_was_not_judged_in_time_is_unknown() -> None:
    result = PASSER.repair(tangled(30), time_limit=0)
    ended()
    assert (result.verdict, result.violations) == ("unknown", ())


@pytest.mark.parametrize("question", ["check", "repair"])
def test_what_is_not_even_read_in_time_is_refused(monkeypatch: Any, question: str) -> None:
    begun, late = Event(), Event()

    def read(text: str) -> Sequence:
        begun.set()
        late.wait()
        return Sequence()

    monkeypatch.setattr("refract_asp.refractor.load_sequence", read)
    deadline = Deadline(0.5, lambda: float(begun.is_set()))
    monkeypatch.setattr(PASSER, "_deadline", lambda *_, **__: deadline)
    with pytest.raises(LimitError, match=r"the time ran out before .* were read"):
        getattr(PASSER, question)("x" * 30_000)
    late.set()
    ended()


def test_no_answer_is_lost_where_the_time_is_over_at_once() -> None:
    for _ in range(20):
        given = PASSER._asked(tangled(20), None, (), (), None)
        assert engine.repair_in_time(PASSER._engine, given, Deadline(0)).verdict == "unknown"
    ended()


def test_what_is_given_counts_as_bulky_by_its_length(tmp_path: Path) -> None:
    file = tmp_path / "calls.txt"
    file.write_text("x" * 30_000)
    for given in (file, "x" * 30_000, {"a": ["x" * 10_000] * 3}, [[]] * 30_000, [{"a": 1}] * 9_000):
        assert is_bulky(["Pass()", given])
    assert not is_bulky(["Pass()", {"a": [1, 2]}, None, tmp_path / "none", (), "x" * 10_000])


LISTED = {"type": "string", "enum": [f"v{number}" for number in range(20_000)]}
LARGE = [
    (PASSER, tangled(3), False),
    (PASSER, tangled(20), True),
    (Refractor({"tools": [{"name": f"Get{n}"} for n in range(3000)]}), [{"name": "Got"}] * 4, True),
    (Refractor({"tools": [{"name": "Get", "parameters": {"q": LISTED}}]}), [{"name": "Get"}], True),
]


@pytest.mark.parametrize(("fixer", "calls", "is_large"), LARGE)
def test_only_what_may_take_long_is_done_on_another_thread(
    monkeypatch: pytest.MonkeyPatch, fixer: Refractor, calls: Calls, is_large: bool
) -> None:
    taken: list[int] = []
    monkeypatch.setattr(engine, "in_time", lambda _, work: taken.append(1) or work())
    fixer.check(calls)
    fixer.repair(calls)
    assert len(taken) == 2 * is_large


def test_rules_of_ones_own_are_never_waited_for(tmp_path: Path) -> None:
    rules = tmp_path / "own.lp"
    rules.write_text("late(1).")
    fixer = Refractor(PASSER.catalog, encodings=[rules])
    assert engine.is_large(fixer._engine, fixer._asked([], None, (), (), None))


def candidates(count: int) -> Counter[str]:
    given = PASSER._instance(tangled(count), None, (), (), None)
    asked = engine.find_problem(PASSER._engine, given).question()
    (reach,) = (f.arguments[0].number for f in asked.facts if f.name == "in_reach")
    found = Counter(symbol.name for symbol in asked.facts)
    # what one reference may come to read grows with the calls that are looked at, and no further
    found["pairs"] = reach * len(NAMES) * found["in_violation"]
    return found


def test_what_references_may_come_to_read_grows_with_the_sequence_and_not_its_square() -> None:
    few, many = candidates(100), candidates(200)
    assert many["pairs"] <= 2.2 * few["pairs"]
    assert sum(many.values()) <= 2.2 * sum(few.values())
