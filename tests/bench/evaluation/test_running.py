"""Runs: rows in order, systems that raise, processes that die, interrupts, and what a saved run says."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Memory, Sequence
from refract_asp.errors import FormatError, InputError
from refract_asp.evaluation import (
    Answer,
    Case,
    Recorded,
    Refract,
    Run,
    nearest,
    read_run,
    run,
    unchanged,
)
from refract_asp.evaluation.runs import Bench

from .small_cases import ROWS, SLIP, cases, row

SYSTEMS = {"refract": Refract(), "none": unchanged, "nearest": nearest}


def raising(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    if "Qqq" in str(sequence):
        raise ValueError("no\nsuch \x1b[31mtool")
    return sequence


def leaving(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    raise SystemExit(3)


def dying(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    if "Qqq" in str(sequence):
        os._exit(9)
    return sequence


def stuck(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    while "Qqq" in str(sequence):
        time.sleep(0.05)
    return sequence


def emptying(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Any:
    for call in sequence.calls:
        call.arguments.clear()
    if memory is not None:
        memory.values.clear()
    return sequence


def slow(sequence: Sequence, catalog: Catalog, memory: Memory | None) -> Answer:
    return Answer(sequence, seconds=7.0)


def restored(found: Run, system: str) -> dict[str, bool]:
    return {each.id: each.scores[system].restored for each in found.rows}


def test_a_run_scores_each_case_with_each_system() -> None:
    found = run(cases(), SYSTEMS, source="cases.jsonl")
    assert restored(found, "refract") == {
        "slip": True, "right": True, "lost": True, "unknown": False, "label": True,
    }  # fmt: skip
    assert restored(found, "nearest") == {
        "slip": True, "right": True, "lost": False, "unknown": False, "label": False,
    }  # fmt: skip
    assert [name for name, each in restored(found, "none").items() if each] == ["right"]
    assert found.complete
    assert (found.cases.source, found.cases.count) == ("cases.jsonl", 5)
    assert found.systems["refract"] == {"system": "refract", "options": {}}
    row = found.rows[0]
    assert (row.kind, row.right, row.dials) == (
        "tool_name",
        False,
        {"tools": 2, "coupling": "chain"},
    )


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
    here = run(cases(many), systems)
    assert here.without_times() == run(cases(many), systems).without_times()
    there = run(cases(many), systems, jobs=2)
    assert there.without_times() == here.without_times()
    assert (there.settings["jobs"], here.settings["jobs"]) == (2, 1)


def test_a_run_is_told_by_its_cases() -> None:
    digests = {
        run(each, {"none": unchanged}).cases.digest for each in (cases(), cases(), cases(ROWS[:2]))
    }
    assert len(digests) == 2


def test_what_a_system_raises_is_part_of_its_row() -> None:
    found = run(cases(), {"raising": raising, "leaving": leaving, "none": unchanged})
    errors = {each.id: each.scores["raising"].error for each in found.rows}
    assert errors["unknown"] == "ValueError: no such [31mtool"
    assert [id for id, error in errors.items() if error] == ["unknown"]
    assert all(each.scores["leaving"].error == "SystemExit: 3" for each in found.rows)
    assert not any(each.scores["none"].error for each in found.rows)


def test_what_is_no_answer_is_an_error_of_its_row() -> None:
    found = run(cases()[:1], {"nothing": lambda *_: None, "number": lambda *_: 3})
    scores = found.rows[0].scores
    assert "gave no answer" in (scores["nothing"].error or "")
    assert scores["number"].error
    assert not scores["number"].restored


def test_an_answer_that_comes_too_late_is_none() -> None:
    found = run(cases()[:1], {"slow": slow}, time_limit=5)
    assert found.rows[0].scores["slow"].error == "no answer in 5 s."
    assert run(cases()[:1], {"slow": slow}, time_limit=6.5).rows[0].scores["slow"].error is None


@pytest.mark.slow
def test_a_process_that_dies_costs_its_case_alone() -> None:
    found = run(cases(), {"dying": dying}, jobs=2)
    errors = {each.id: each.scores["dying"].error for each in found.rows}
    assert "the process died" in (errors.pop("unknown") or "")
    assert set(errors.values()) == {None}
    assert [each.id for each in found.rows] == [each["id"] for each in ROWS]


@pytest.mark.slow
def test_a_system_whose_process_dies_costs_no_other_one() -> None:
    found = {
        each.id: each for each in run(cases(), {"dying": dying, "none": unchanged}, jobs=2).rows
    }
    scores = found["unknown"].scores
    assert list(scores) == ["dying", "none"]
    assert "the process died" in (scores["dying"].error or "")
    assert scores["none"].error is None
    assert scores["none"].answer == found["unknown"].given == ("Qqq(zzz=1)",)


@pytest.mark.slow
def test_a_system_that_does_not_come_back_is_ended() -> None:
    found = run(cases(), {"stuck": stuck, "none": unchanged}, jobs=2, time_limit=0.5)
    errors = {each.id: each.scores["stuck"].error for each in found.rows}
    assert (
        errors.pop("unknown")
        == "no answer in 0.5 s. It did not come back, and its process was ended."
    )
    assert set(errors.values()) == {None}
    assert not any(each.scores["none"].error for each in found.rows)


@pytest.mark.slow
def test_what_a_system_does_to_its_sequence_no_other_one_sees() -> None:
    given = row("memory", ["Search()"], ['Search(query="$query$")'], memory={"query": "Rome"})
    for rows in ([given, ROWS[0]], [ROWS[0], given]):
        found = run(cases(rows), {"emptying": emptying, "refract": Refract()})
        assert all(each.scores["refract"].restored for each in found.rows)
        assert not any(each.scores["emptying"].restored for each in found.rows)


@pytest.mark.parametrize(
    "error", [BaseException("over"), GeneratorExit(), StopIteration(), SystemExit(1)]
)
def test_whatever_a_system_raises_ends_no_run(error: BaseException) -> None:
    def leaving(*_: Any) -> Any:
        raise error

    found = run(cases()[:2], {"leaving": leaving})
    assert found.complete
    assert [each.scores["leaving"].error for each in found.rows] == [
        f"{type(error).__name__}: {error}".rstrip(": ")
    ] * 2


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


def test_an_interrupt_inside_a_system_is_one() -> None:
    def pressed(*_: Any) -> Any:
        raise KeyboardInterrupt

    found = run(cases(), {"pressed": pressed})
    assert (found.complete, found.rows) == (False, ())


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
    rows = [bench.row(case, number) for number, case in enumerate(cases()[:2])]
    assert [row.scores["slow"].seconds for row in rows] == [3, 3]
    assert system.now == 206


def test_recorded_answers_are_found_by_id() -> None:
    recorded = Recorded.load(
        [{"id": "slip", "answer": ROWS[0]["expected"]}, {"id": "label", "answer": [3]}]
    )
    found = run(cases(), {"peer": recorded})
    errors = {each.id: each.scores["peer"].error for each in found.rows}
    assert errors["slip"] is None
    assert found.rows[0].scores["peer"].restored
    assert found.rows[0].scores["peer"].seconds is None
    assert errors["right"] == "no answer was recorded."
    assert errors["label"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"jobs": 0}, "jobs cannot be 0"),
        ({"jobs": 65}, "jobs"),
        ({"time_limit": 0}, "time_limit cannot be 0"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(cases(), {"none": unchanged}, **options)
    with pytest.raises(InputError, match="no systems"):
        run(cases(), {})
    for systems in ([unchanged], {3: unchanged}):
        with pytest.raises(InputError, match="no mapping of names"):
            run(cases(), systems)  # type: ignore[arg-type]


def test_secrets_are_hidden_under_every_name() -> None:
    given = row(
        "secret",
        ['Book(id="7", passwrd="hunter2")', 'Book(id="hunter2", zzz=["hunter2"])'],
        ['Book(id="7", password="hunter2")'],
        mutations=[{"kind": "x", "what": 'password="hunter2" is now passwrd'}],
    )
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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.pop("rows"), "this is no run"),
        (lambda data: data.update(systems={}), "there is not one score for each system"),
        (lambda data: data.update(schema_version=2), "schema_version"),
        (lambda data: data["rows"][0].update(id=3), r"rows\[0\]\.id"),
        (lambda data: data["rows"].append(data["rows"][0]), "two rows have the same id"),
        (lambda data: data["rows"][0]["scores"].clear(), r"rows\[0\]\.scores"),
        (lambda data: data["rows"][0]["scores"]["none"].update(odd=1), "odd"),
        (lambda data: data["rows"][0].update(dials={"x": [1]}), r"dials"),
        (lambda data: data.update(systems={}, rows=[]), "the run has no systems"),
    ],
)
def test_what_is_no_run(change: Any, said: str, tmp_path: Path) -> None:
    data = json.loads(run(cases()[:1], {"none": unchanged}).model_dump_json())
    change(data)
    (tmp_path / "run.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(FormatError, match=said) as caught:
        read_run(tmp_path / "run.json")
    assert "run.json" in str(caught.value)


def test_a_run_that_is_larger_than_files_of_others_may_be_reads_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refract_asp.formats.source.MAX_FILE_BYTES", 100)
    monkeypatch.setattr("refract_asp.evaluation.runs.MAX_FILE_BYTES", 100)
    found = run(cases(), {"none": unchanged})
    (tmp_path / "run.json").write_text(found.text(), "utf-8")
    assert read_run(tmp_path / "run.json") == found


@pytest.mark.parametrize("text", ["", "[]", "{", "nan", '{"rows": 1, "systems": 2}'])
def test_files_that_hold_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text, "utf-8")
    with pytest.raises(InputError):
        read_run(tmp_path / "run.json")


def test_cases_are_taken_one_by_one() -> None:
    taken = []

    def counted() -> Any:
        for each in cases():
            taken.append(each.id)
            yield each

    seen = []
    run(counted(), {"none": unchanged}, done=lambda row: seen.append((row.id, len(taken))))
    assert [count for _, count in seen] == [1, 2, 3, 4, 5]


def test_a_case_may_be_made_by_hand() -> None:
    case = Case("one", Sequence.load(SLIP), Catalog.load(ROWS[0]["catalog"]), Sequence.load(SLIP))
    assert case.is_right
    assert run([case], {"refract": Refract()}).rows[0].scores["refract"].detected
