"""Several processes give the rows of one, and an entry costs no other one its row."""

import json
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from refract_asp.batch import analyse
from refract_asp.errors import InputError
from refract_asp.evaluation.engine import MAX_WORKERS, engine_of, entries_of, here, question_of

from .fatal_entries import TOOLS, data, fatal, tool


def lines(entries: list[Any], workers: int, **options: Any) -> list[str]:
    question = question_of(TOOLS, **options)
    return [answer.line for answer in engine_of(question, workers)(question, entries_of(entries))]


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """The rows of one process."""
    assert engine_of(question_of(TOOLS)) is here
    return lines(data(40), 1)


@pytest.mark.slow
def test_rules_that_are_never_ready_are_ended_first(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("refract_asp.evaluation.engine.COMPILE", 0.5)
    rules = tmp_path / "slow.lp"
    rules.write_text("p(1..60000). q :- p(X), p(Y), X * Y < 0.\n")
    with pytest.raises(InputError, match=r"cannot be made ready: no answer in 0\.5 s"):
        lines(data(4), 2, encodings=[rules], time_limit=0.1)


@pytest.mark.slow
def test_an_entry_that_ends_its_process_costs_its_row(expected: list[str]) -> None:
    entries = data(40)
    entries[20] = tool("die")
    rows = lines(entries, 2, secrets=fatal)
    died = json.loads(rows[20])
    assert (died["number"], died["place"], died.get("verdict")) == (20, "[20]", None)
    assert died["error"] == "the process died, most likely for want of memory."
    assert rows[:20] == expected[:20]
    assert rows[21:] == expected[21:]


@pytest.mark.slow
def test_an_entry_that_does_not_come_back_is_ended() -> None:
    rows = list(analyse([tool("stay"), ["Pay(id=1)"]], TOOLS, secrets=fatal, time_limit=0.2))
    assert [row.verdict for row in rows] == [None, "valid"]
    assert rows[0].error == "no answer in 0.2 s. It did not come back, and its process was ended."


def test_what_is_wrong_with_an_option_is_told_before_any_entry() -> None:
    with pytest.raises(InputError, match="an option cannot go to another process: "):
        list(analyse(data(2), TOOLS, workers=2, secrets=lambda name, schema: False))
    for workers in (1, 2):
        with pytest.raises(InputError, match="max_tries"):
            list(analyse(iter([]), TOOLS, workers=workers, max_tries=0))
    for count in (0, MAX_WORKERS + 1, True, "2"):
        with pytest.raises(InputError, match="workers"):
            analyse(data(2), TOOLS, workers=count)  # type: ignore[arg-type]


def interrupting(name: str, schema: Any) -> bool:
    """Press Ctrl-C where the exception is dropped, as in a callback of clingo."""
    if name == "interrupt":
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    return False


def test_an_interrupt_that_a_library_drops_becomes_no_row() -> None:
    before = signal.getsignal(signal.SIGINT)
    rows = analyse(["Search(query=1)", tool("interrupt"), "Pay(id=1)"], TOOLS, secrets=interrupting)
    assert next(rows).number == 0
    with pytest.raises(KeyboardInterrupt):
        next(rows)
    assert signal.getsignal(signal.SIGINT) is before
