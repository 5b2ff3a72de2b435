"""Two runs side by side: which sequences are the same, and what got worse."""

from typing import Any

import pytest
from tests.batch.travel_rows import GOOD, NO_DATE, NO_TOOL, TWICE, WRONG_FIELD, row_of, rows_of

from refract_asp.errors import InputError
from refract_asp.evaluation.versus import Versus, compare_rows


def named(**calls: Any) -> list[dict[str, Any]]:
    return [{"id": name, "sequence": sequence} for name, sequence in calls.items()]


def moved(found: Versus) -> dict[str, str]:
    every = (*found.got_worse, *found.got_better)
    return {each.name: f"{each.before} > {each.after}" for each in every}


def test_what_got_worse_and_better() -> None:
    before = rows_of(named(a=GOOD, b=WRONG_FIELD, c=NO_TOOL, d=GOOD, e=NO_DATE))
    after = rows_of(named(a=WRONG_FIELD, b=NO_DATE, c=GOOD, d=GOOD))
    lost = row_of(4, id="e", verdict=None, error="no")
    found = compare_rows(before, [*after, lost])
    worse = {"a": "valid > repaired", "b": "repaired > needs_input", "e": "needs_input > error"}
    assert moved(found) == {**worse, "c": "unrepairable > valid"}
    assert (found.worse, found.better, found.sequences, found.same_input) == (3, 1, 5, 1)
    assert found.got_worse[1].why == "TripadvisorSearchHotels requires checkOut"
    assert found.got_better[0].why == "the catalog has no tool Qqqqq"
    valid = found.changes[0]
    told = (valid.name, valid.a.count, valid.b.count, valid.only_a, valid.only_b, valid.worse)
    assert (told, valid.difference, valid.p_value) == (("valid", 2, 2, 1, 1, False), 0.0, 1.0)


def test_a_share_that_falls_more_than_chance_would_is_worse() -> None:
    before = [row_of(n) for n in range(20)]
    after = [row_of(n, verdict="valid" if n > 5 else "needs_input") for n in range(20)]
    found = compare_rows(before, after)
    assert found.worse_measures == ("valid", "executable")
    assert found.changes[0].p_value == 2 / 2**6
    better = compare_rows(after, before)
    assert (better.worse_measures, better.is_worse, better.better) == ((), False, 6)


def test_more_faulty_calls_are_worse() -> None:
    fault = {"tag": "wrong_value", "call": 0, "parameter": "q"}
    head = {"count": 2, "tools": ("Search", "Pay"), "verdict": "repaired"}
    before = [row_of(n, **head) for n in range(8)]
    after = [row_of(n, **head, tags=[fault]) for n in range(8)]
    found = compare_rows(before, after)
    assert found.worse_measures == ("faulty_calls",)


def test_other_calls_for_the_same_input_are_told() -> None:
    before = rows_of(named(a=TWICE, b=GOOD), "compress")
    other = before[0].model_copy(update={"calls": ["Other()"]})
    found = compare_rows(before, [other, before[1]])
    assert (found.differing, found.differ, found.worse, found.same_input) == (1, ("a",), 0, 2)


# -- pairs ---------------------------------------------------------------------


def test_ids_come_first_then_what_came_in() -> None:
    before = [row_of(0, id="x", digest="1"), *(row_of(n, digest="2") for n in (1, 2)), row_of(3)]
    after = [row_of(0, digest="2", place=""), row_of(1, id="x", digest="9")]
    after += [row_of(2, digest="2"), row_of(3, place="other:1")]
    found = compare_rows(before, after)
    assert found.paired_by == {"id": 1, "input": 3}
    assert (found.sequences, found.same_input) == (4, 3)


def test_what_came_in_otherwise_is_paired_by_place_or_number() -> None:
    before = [row_of(n, digest=f"a{n}", place=f"x:{n}") for n in range(3)]
    same_place = [row_of(n + 1, digest=f"b{n}", place=f"x:{n}") for n in range(2)]
    assert compare_rows(before, same_place).paired_by == {"place": 2}
    elsewhere = [row_of(n, digest=f"b{n}", place=f"y:{n}") for n in range(3)]
    assert compare_rows(before, elsewhere).paired_by == {"number": 3}
    with pytest.raises(InputError, match="the two runs share no sequence"):
        compare_rows(before, elsewhere[:2])


def test_what_only_one_run_has_is_named() -> None:
    before = [row_of(n, id=f"s{n}") for n in range(5)]
    after = [row_of(n, id=f"s{n}", place=f"t:{n}", digest=f"d{n}") for n in range(3, 9)]
    found = compare_rows(before, after, most=2)
    assert (found.sequences, found.only_a, found.only_b) == (2, 3, 4)
    assert (found.names_only_a, found.names_only_b) == (("s0", "s1"), ("s5", "s6"))


def test_runs_that_did_not_do_the_same_are_not_compared() -> None:
    entries = named(a=GOOD, b=NO_DATE)
    with pytest.raises(InputError, match="did not do the same: check and repair"):
        compare_rows(rows_of(entries, "check"), rows_of(entries))
    mixed = [rows_of(entries, "check")[0], rows_of(entries)[1]]
    found = compare_rows(mixed, rows_of(entries))
    assert (found.unlike, found.sequences) == (1, 1)


def test_what_is_told_is_bounded_and_comes_back_from_json() -> None:
    before = [row_of(n, id=f"s\x1b{n}" + "x" * 500) for n in range(9)]
    after = [row.model_copy(update={"verdict": "unknown"}) for row in before]
    found = compare_rows(before, after, most=4)
    assert (found.worse, len(found.got_worse)) == (9, 4)
    assert all(each.name.isprintable() and len(each.name) < 120 for each in found.got_worse)
    assert Versus.model_validate_json(found.model_dump_json()) == found


def test_an_id_given_twice_names_nothing() -> None:
    before = [row_of(0, id="x", digest="1"), row_of(1, id="x", digest="2")]
    after = [row_of(0, id="x", digest="2"), row_of(1, id="y", digest="3", place="")]
    assert "id" not in compare_rows(before, after).paired_by


def test_one_sequence_alone_is_no_more_than_chance() -> None:
    found = compare_rows([row_of(0), row_of(1)], [row_of(0), row_of(1, verdict="repaired")])
    assert (found.worse_measures, found.is_worse) == ((), True)
