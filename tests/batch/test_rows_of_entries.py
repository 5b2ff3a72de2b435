"""What a row says of its entry: in each mode, step by step, of what cannot be read, of secrets."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refract_asp import check, repair
from refract_asp.batch import analyse, read_row
from refract_asp.errors import FormatError, InputError
from refract_asp.evaluation.answering import Asker, Question
from refract_asp.model import Memory, Sequence

from .small_entries import AGAIN, CATALOG, HOPELESS, LOST, SLIP, TOOLS, VALID, entries, row

QUESTION = Question(CATALOG)


def test_a_repair_is_that_of_the_sequence_alone() -> None:
    found, alone = row(SLIP), repair(SLIP, CATALOG)
    for name in ("verdict", "cost", "total", "edits"):
        assert getattr(found, name) == getattr(alone, name)
    assert found.calls == alone.sequence.dump("pretty")
    assert found.tagged.counts == alone.tags().counts
    assert [each.message for each in found.diagnostics] == [v.message for v in alone.violations]
    assert found.result().diff() == alone.diff()
    assert (found.count, found.tools) == (2, ("Search", "Book"))


def test_a_check_changes_nothing() -> None:
    found, checked = row(SLIP, mode="check"), check(SLIP, CATALOG)
    assert found.verdict == checked.verdict == "invalid"
    assert (found.calls, found.edits) == (SLIP, ())
    assert [each.code for each in found.diagnostics] == [v.code for v in checked.violations]


def test_compress_leaves_out_what_does_nothing_new() -> None:
    found = row(AGAIN, mode="compress")
    assert (found.verdict, len(found.calls), found.count) == ("repaired", 2, 3)
    assert found.tagged.sequence == ("bad_repetition",)


def test_step_by_step_each_call_sees_those_before_it_as_repaired() -> None:
    calls = ['a = Serch(query="Rome")', 'Book(id="$a.idd$")', 'Book(id="$b.id$")']
    found = row(calls, stepwise=True)
    assert [step.verdict for step in found.steps][:2] == ["repaired", "repaired"]
    lines = found.sequences()[1].dump("pretty")
    assert lines[:2] == ['a = Search(query="Rome")', 'Book(id="$a.id$")']
    assert [each.call for each in found.diagnostics] == [0, 1, 2]
    assert {each.call for each in found.edits} >= {0, 1}
    for edit in found.edits:
        places = {found.diagnostics[number].call for number in edit.answers}
        assert edit.call is None or places <= {edit.call}


def test_a_step_does_not_see_what_comes_later() -> None:
    calls = ['Book(id="$a.id$")', 'a = Search(query="Rome")']
    assert row(calls).verdict == "repaired"  # the calls change places
    # a search is added, and nobody knows for what
    steps = row(calls, stepwise=True).steps
    assert [step.verdict for step in steps] == ["needs_input", "valid"]


def test_goals_are_those_of_the_last_step() -> None:
    found = row(VALID, stepwise=True, goals=["Book"])
    assert [step.verdict for step in found.steps] == ["valid", "valid"]
    assert row(VALID[:1], stepwise=True, goals=["Book"]).steps[0].verdict != "valid"


def test_what_stands_for_a_call_that_is_left_out_is_told_of_the_whole() -> None:
    calls = ['Search(query="Bonn")', AGAIN[1], 'b = Search(query="Rome")', 'Book(id="$b.id$")']
    for skipped in (0, 1):
        edits = row(calls[skipped:], mode="compress", stepwise=True).edits
        deleted = [(each.call, each.instead) for each in edits if each.kind == "delete_call"]
        assert deleted == [(2 - skipped, 1 - skipped)]


def test_asks_of_several_steps_have_names_of_their_own() -> None:
    found = row(["a = Search()", "b = Search()"], stepwise=True)
    assert found.sequences()[1].asks == ("query", "query_2")
    answered = repair(found.calls, CATALOG).answer({"query": "Rome", "query_2": "Bonn"})
    assert answered.dump("pretty") == ['a = Search(query="Rome")', 'b = Search(query="Bonn")']


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(st.sampled_from(VALID + SLIP + LOST + HOPELESS), max_size=4), st.booleans())
def test_rows_survive_their_lines(calls: list[str], stepwise: bool) -> None:
    found = row(calls, stepwise=stepwise)
    again = read_row(found.line())
    assert again.line() == found.line()
    assert again.result().diff() == found.result().diff()
    sequence = Sequence.load(again.calls, again.format)
    assert len(again.origins) in (0, len(sequence.calls))


BROUGHT = [
    (['Book(id="$m.id$")'], {"memory": {"m": {"id": "7"}}}, {}),
    (['Book(id="$m.id$")'], {}, {"memory": Memory(values={"m": {"id": "7"}})}),
    (['Book(id="$h.id$")'], {"history": ['h = Search(query="x")']}, {}),
    (['Book(id="$h.id$")'], {}, {"history": ['h = Search(query="x")']}),
    (VALID, {"goals": ["Search"]}, {}),
    (["Sun()"], {"catalog": {"tools": [{"name": "Sun"}]}}, {}),
    (["Sun()"], {}, {"catalog": {"tools": [{"name": "Sun"}]}}),
]


@pytest.mark.parametrize(("calls", "entry", "question"), BROUGHT)
def test_what_entries_and_questions_bring_is_used(calls: Any, entry: Any, question: Any) -> None:
    assert row(calls, entry=entry, **question).verdict == "valid"


def test_ground_truth() -> None:
    wanted = ['b = Search(query="Rome")', 'Book(id="$b.id$", nights=2)']
    found = row(SLIP, entry={"expected": wanted}).expected
    assert (found.given, found.repaired) == (False, True)
    assert {each.tag for each in found.tags} >= {"made_up_parameter"}
    checked = row(VALID, mode="check", entry={"expected": VALID}).expected
    assert (checked.given, checked.repaired, checked.tags) == (True, None, ())


NOT_READ = [
    (b'{"sequence": ["Sea', "cut off"),
    (b"\xff\xfe{}", "UTF-8"),
    (b'{"sequence": ["Search()"], "catalog": "nope"}', "there is no catalog 'nope'"),
    (b'{"sequence": ["Search()"], "catalog": "../x"}', "there is no catalog"),
    (b'{"sequence": ["Search()"], "speed": 1}', "speed"),
    (b'{"sequence": 5}', ""),
    (b"[" * 100_000, ""),
    (b'{"sequence": ["Search()"], "meta": 4}', "object"),
]


@pytest.mark.parametrize(("data", "said"), NOT_READ)
def test_what_cannot_be_read_has_a_row_that_says_why(data: bytes, said: str) -> None:
    (found,) = (Asker(QUESTION).row(entry) for entry in entries(data))
    assert (found.verdict, found.calls) == (None, None)
    assert said in found.error
    assert "t.jsonl:1" in found.error
    assert read_row(found.line()) == found
    with pytest.raises(FormatError, match="no calls"):
        found.result()


SMALL = {"model": "small"}


COUNTED = [
    ({"sequence": "no calls", "id": 7, "meta": SMALL}, "7", SMALL),
    ({"sequence": ["Search()"], "catalog": "nope", "id": "a", "meta": 4}, "a", {}),
    ({"sequence": ["Search()"], "id": ["a"], "meta": SMALL}, None, SMALL),
    ({"sequence": ["Search()"], "id": "\ud800", "meta": SMALL}, None, SMALL),
    ({"calls": [], "id": "a"}, None, {}),
]


@pytest.mark.parametrize(("data", "id", "meta"), COUNTED)
def test_what_cannot_be_read_counts_for_its_model(data: Any, id: Any, meta: Any) -> None:
    (entry,) = entries(json.dumps(data).encode())
    found = Asker(QUESTION).row(entry)
    assert found.error is not None
    assert (found.id, found.meta) == (id, meta)
    ended = read_row(Asker.unanswered(QUESTION, entry, "it did not come back.").line)
    assert (ended.id, ended.meta, ended.error) == (id, meta, "it did not come back.")


def test_secrets_are_data_and_never_printed() -> None:
    secret = "hunter2"
    calls = ['a = Serch(query="Rome")', f'Book(id="$a.id$", pin="{secret}")']
    for how in ({}, {"stepwise": True}, {"mode": "check"}, {"mode": "check", "stepwise": True}):
        found = row(calls, **how)
        assert secret in json.dumps(found.calls)  # to be made, they need it
        shown, now = found.sequences()
        assert secret not in str(shown) + str(now)
        assert secret not in "".join(map(str, found.diagnostics))
        assert secret not in found.result().diff()
        assert secret not in "".join(map(repr, found.result().edits))


def test_other_repairs_print_no_secrets() -> None:
    calls = ['a = Search(query="x")', 'b = Search(query="y")', 'Book(id="$c.id$", pin="hunter2")']
    found = row(calls, alternatives=3)
    assert found.alternatives
    assert all("hunter2" not in json.dumps(each.shown) for each in found.alternatives)
    assert all(each.shown is not None for each in found.alternatives)


def test_half_a_character_in_a_value() -> None:
    found = row([{"name": "Search", "arguments": {"query": "\ud800"}}])
    assert read_row(found.line()).line() == found.line()


@pytest.mark.parametrize("option", [{"mode": "mend"}, {"workers": 0}, {"time_limit": 0}])
def test_options_that_cannot_be_used(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(option))} cannot be"):
        analyse([VALID], CATALOG, **option)


def test_what_a_question_says_of_itself_decides_about_the_rows() -> None:
    same = Question(CATALOG.load(TOOLS)).described()
    assert Question(CATALOG).described() == same
    given: list[Any] = [{"mode": "check"}, {"stepwise": True}, {"options": {"max_new_calls": 1}}]
    given.append({"memory": Memory(values={"a": 1})})
    others = [Question(CATALOG.filter(["Book"])), *(Question(CATALOG, **each) for each in given)]
    told = [json.dumps(each.described()) for each in others]
    assert len({json.dumps(same), *told}) == len(others) + 1
