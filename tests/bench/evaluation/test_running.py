"""Runs: rows in order, systems that raise, processes that die, interrupts, and what a saved run says."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Memory, Sequence
from refract_asp.errors import FormatError, InputError
from refract_asp.evaluation import Answer, Refract, Run, nearest, read_run, run, unchanged
from refract_asp.evaluation.runs import Asked, Bench
from waiting import PATIENCE

from .small_cases import ROWS, cases, row

SYSTEMS = {"refract": Refract(), "none": unchanged, "nearest": nearest}


def odd(does: Callable[[], Any]) -> Callable[..., Any]:
    """A system that gives the sequence back, but does something else with the tool `Qqq`."""

    def system(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
        if "Qqq" in str(sequence):
            does()
        return sequence

    return system


def dying(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    return odd(lambda: os._exit(9))(sequence, catalog, memory)


def stuck(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    return odd(lambda: time.sleep(PATIENCE))(sequence, catalog, memory)


def raising(error: BaseException) -> Callable[..., Any]:
    def system(*_: Any) -> Any:
        raise error

    return system


def restored(found: Run, system: str) -> list[str]:
    return [each.id for each in found.rows if each.scores[system].restored]


def errors(found: Run, system: str) -> dict[str, str | None]:
    return {each.id: each.scores[system].error for each in found.rows}


def test_a_run_scores_each_case_with_each_system() -> None:
    found = run(cases(), SYSTEMS, source="cases.jsonl")
    assert restored(found, "refract") == ["slip", "right", "lost", "label"]
    assert restored(found, "nearest") == ["slip", "right"]
    assert restored(found, "none") == ["right"]
    assert (found.complete, found.cases.source, found.cases.count) == (True, "cases.jsonl", 5)
    assert found.systems["refract"] == {"system": "refract", "options": {}}
    row, dials = found.rows[0], {"tools": 2, "coupling": "chain"}
    assert (row.kind, row.right, row.dials) == ("tool_name", False, dials)


def test_texts_are_kept_of_misses_alone() -> None:
    found = {each.id: each for each in run(cases(), {"refract": Refract()}).rows}
    assert (found["slip"].given, found["slip"].expected) == (None, None)
    assert found["slip"].scores["refract"].answer is None
    missed = found["unknown"]
    assert missed.given == ("Qqq(zzz=1)",)
    assert missed.expected == ("Search(query=1)",)
    assert missed.scores["refract"].answer == ("Qqq(zzz=1)",)


@pytest.mark.slow
def test_the_same_run_says_the_same_wherever_it_is_done() -> None:
    systems = {"refract": Refract(cost_model="refraction"), "nearest": nearest}
    many = [{**each, "id": f"{each['id']}{n}"} for n in range(9) for each in ROWS]
    here, again, there = (run(cases(many), systems, jobs=jobs) for jobs in (1, 1, 2))
    told = [re.sub(r"seconds=[\d.e-]+", "", repr(each.rows)) for each in (here, again, there)]
    assert told[0] == told[1] == told[2]
    assert (there.settings["jobs"], here.settings["jobs"]) == (2, 1)


RAISED = [ValueError("no\nsuch \x1b[31mtool"), BaseException("x"), StopIteration(), SystemExit(3)]


@pytest.mark.parametrize("error", RAISED)
def test_what_a_system_raises_is_part_of_its_row(error: BaseException) -> None:
    found = run(cases()[:2], {"raising": raising(error), "none": unchanged})
    said = f"{type(error).__name__}: {error}".replace("\n", " ").replace("\x1b", "").rstrip(": ")
    assert found.complete
    assert list(errors(found, "raising").values()) == [said, said]
    assert not any(errors(found, "none").values())
    assert all(each.given and each.expected for each in found.rows)


def test_what_is_no_answer_is_an_error_of_its_row() -> None:
    late = {"late": lambda sequence, *_: Answer(sequence, seconds=7.0)}
    systems = {"nothing": lambda *_: None, "number": lambda *_: 3, **late}
    found = run(cases()[:1], systems, time_limit=5)
    scores = found.rows[0].scores
    assert "gave no answer" in (scores["nothing"].error or "")
    assert (bool(scores["number"].error), scores["number"].restored) == (True, False)
    assert scores["late"].error == "no answer in 5 s."
    assert run(cases()[:1], late, time_limit=6.5).rows[0].scores["late"].error is None


LATE = "no answer in 0.5 s. It did not come back, and its process was ended."
ENDING = [(dying, "the process died, most likely for want of memory."), (stuck, LATE)]


@pytest.mark.slow
@pytest.mark.parametrize(("system", "said"), ENDING)
def test_a_process_that_ends_costs_one_case_and_no_other_system(system: Any, said: str) -> None:
    found = run(cases(), {"odd": system, "none": unchanged}, jobs=2, time_limit=0.5)
    assert [each.id for each in found.rows] == [each["id"] for each in ROWS]
    assert {id: error for id, error in errors(found, "odd").items() if error} == {"unknown": said}
    assert not any(errors(found, "none").values())
    (row,) = [each for each in found.rows if each.id == "unknown"]
    assert list(row.scores) == ["odd", "none"]
    assert row.scores["none"].answer == row.given == ("Qqq(zzz=1)",)


@pytest.mark.slow
def test_what_a_system_does_to_its_sequence_no_other_one_sees() -> None:
    def emptying(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
        for each in (*(call.arguments for call in sequence.calls), memory and memory.values):
            (each or {}).clear()
        return sequence

    given = row("memory", ["Search()"], ['Search(query="$query$")'], memory={"query": "Rome"})
    for rows in ([given, ROWS[0]], [ROWS[0], given]):
        found = run(cases(rows), {"emptying": emptying, "refract": Refract()})
        assert (len(restored(found, "refract")), restored(found, "emptying")) == (2, [])


def test_a_system_that_cannot_go_to_a_process_is_refused() -> None:
    with pytest.raises(InputError, match="cannot go to another process"):
        run(cases(), {"here": lambda sequence, *_: sequence}, jobs=2)


@pytest.mark.slow
def test_an_interrupt_leaves_what_is_there() -> None:
    def stop(row: Any) -> None:
        if row.id == "right":
            raise KeyboardInterrupt

    for jobs in (1, 2):
        found = run(cases(), {"none": unchanged}, jobs=jobs, done=stop)
        assert not found.complete
        assert [each.id for each in found.rows] == ["slip", "right"]


def test_what_compiling_takes_is_not_timed() -> None:
    class Slow:
        now = 0.0

        def prepare(self, catalog: Catalog) -> None:
            self.now += 100

        def __call__(self, *given: Any) -> Any:
            self.now += 3
            return given[0]

    system = Slow()
    bench = Bench({"slow": system}, None)
    bench.clock = lambda: system.now
    scores = [bench(Asked(case, "slow", "one"))[0] for case in cases()[:2]]
    assert [score.seconds for score in scores] == [3, 3]
    assert system.now == 206


def test_secrets_are_hidden_under_every_name() -> None:
    calls = ['Book(id="7", passwrd="hunter2")', 'Book(id="hunter2", zzz=["hunter2"])']
    mutations = [{"kind": "x", "what": 'password="hunter2" is now passwrd'}]
    given = row("secret", calls, ['Book(id="7", password="hunter2")'], mutations=mutations)
    found = run(cases([given]), {"none": unchanged, "nearest": nearest})
    assert "hunter2" not in found.model_dump_json()
    assert "(secret)" in "".join(found.rows[0].given or ())
    assert found.rows[0].what == "password=(secret) is now passwrd"


@pytest.mark.slow
def test_long_sequences_are_cut() -> None:
    many = row("long", [f'Serch(query="{n}{"x" * 5000}")' for n in range(300)], ["Search(query=1)"])
    lines = run(cases([many]), {"none": unchanged}).rows[0].given or ()
    assert len(lines) == 201
    assert lines[-1] == "... and 100 lines more"
    assert max(map(len, lines)) < 2_010


def test_a_saved_run_reads_back(tmp_path: Path) -> None:
    found = run(cases(), SYSTEMS)
    for each in (found, found.model_copy(update={"rows": (), "complete": False})):
        (tmp_path / "run.json").write_text(each.text(), "utf-8")
        assert read_run(tmp_path / "run.json") == each


NO_RUNS = [
    (lambda data: data.pop("rows"), "this is no run"),
    (lambda data: data.update(systems={}), "there is not one score for each system"),
    (lambda data: data.update(schema_version=2), "schema_version"),
    (lambda data: data["rows"][0].update(id=3), r"rows\[0\]\.id"),
    (lambda data: data["rows"].append(data["rows"][0]), "two rows have the same id"),
    (lambda data: data["rows"][0]["scores"].clear(), r"rows\[0\]\.scores"),
    (lambda data: data["rows"][0]["scores"]["none"].update(odd=1), "odd"),
    (lambda data: data["rows"][0].update(dials={"x": [1]}), r"dials"),
    (lambda data: data.update(systems={}, rows=[]), "the run has no systems"),
]


@pytest.mark.parametrize(("change", "said"), NO_RUNS)
def test_what_is_no_run(change: Any, said: str, tmp_path: Path) -> None:
    data = json.loads(run(cases()[:1], {"none": unchanged}).model_dump_json())
    change(data)
    (tmp_path / "run.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(FormatError, match=said) as caught:
        read_run(tmp_path / "run.json")
    assert "run.json" in str(caught.value)


def test_a_run_may_be_larger_than_other_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("refract_asp.formats.source.MAX_FILE_BYTES", 100)
    monkeypatch.setattr("refract_asp.evaluation.runs.MAX_FILE_BYTES", 100)
    found = run(cases(), {"none": unchanged})
    (tmp_path / "run.json").write_text(found.text(), "utf-8")
    assert read_run(tmp_path / "run.json") == found
