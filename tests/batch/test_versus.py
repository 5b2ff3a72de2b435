"""Two runs side by side: which sequences are the same, and what got worse."""

from __future__ import annotations

from typing import Any

import pytest
from tests.batch.travel_rows import GOOD, NO_DATE, NO_TOOL, TWICE, WRONG_FIELD, row_of, rows_of

from refract_asp.errors import InputError
from refract_asp.evaluation.versus import Versus, compare_rows


def named(**calls: Any) -> list[dict[str, Any]]:
    return [{"id": name, "sequence": sequence} for name, sequence in calls.items()]


def moved(found: Versus) -> dict[str, str]:
    return {
        each.name: f"{each.before} > {each.after}" for each in (*found.got_worse, *found.got_better)
    }


def test_what_got_worse_and_better() -> None:
    before = rows_of(named(a=GOOD, b=WRONG_FIELD, c=NO_TOOL, d=GOOD, e=NO_DATE))
    after = rows_of(
        [*named(a=WRONG_FIELD, b=NO_DATE, c=GOOD, d=GOOD), b'{"id": "e", "sequence": 5}']
    )
    found = compare_rows(before, [*after[:4], after[4].model_copy(update={"id": "e"})])
    worse = {"a": "valid > repaired", "b": "repaired > needs_input", "e": "needs_input > error"}
    assert moved(found) == {**worse, "c": "unrepairable > valid"}
    assert (found.worse, found.better, found.sequences, found.same_input) == (3, 1, 5, 1)
    assert found.is_worse
    assert found.got_worse[1].why == "TripadvisorSearchHotels requires checkOut"
    assert found.got_better[0].why == "the catalog has no tool Qqqqq"
    valid = found.changes[0]
    assert (valid.name, valid.a.count, valid.b.count) == ("valid", 2, 2)
    assert (valid.only_a, valid.only_b) == (1, 1)
    assert (valid.difference, valid.p_value, valid.worse) == (0.0, 1.0, False)


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


def test_faults_that_are_new_or_gone() -> None:
    found = compare_rows(
        rows_of(named(a=WRONG_FIELD, b=NO_DATE, c=GOOD)),
        rows_of(named(a=NO_TOOL, b=NO_DATE, c=NO_TOOL)),
    )
    assert [(each.code, each.tool, each.sequences) for each in found.new_faults] == [
        ("unknown_tool", "Qqqqq", 2)
    ]
    assert found.new_faults[0].example is not None
    assert found.new_faults[0].example.name == "a"
    assert [(each.code, each.attempted) for each in found.gone_faults] == [
        ("unknown_field", "$var1.geoid$")
    ]


def test_other_calls_for_the_same_input_are_told() -> None:
    entries = named(a=TWICE, b=GOOD)
    found = compare_rows(rows_of(entries, "compress"), [*rows_of(entries, "compress")])
    assert (found.differing, found.same_input) == (0, 2)
    changed = rows_of(entries, "compress")
    changed[0] = changed[0].model_copy(update={"calls": ["Other()"]})
    found = compare_rows(rows_of(entries, "compress"), changed)
    assert (found.differing, found.differ, found.worse) == (1, ("a",), 0)


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
    found = compare_rows(
        [row_of(n, id=f"s{n}") for n in range(5)],
        [row_of(n, id=f"s{n}", place=f"t:{n}", digest=f"d{n}") for n in range(3, 9)],
        most=2,
    )
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
