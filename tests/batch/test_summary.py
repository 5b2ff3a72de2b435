"""A run in figures, counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.batch.travel_rows import (
    GOOD,
    HOTELS,
    LOCATION,
    NO_DATE,
    NO_TOOL,
    TWICE,
    WRONG_FIELD,
    row_of,
    rows_of,
)

from refract_asp.errors import InputError
from refract_asp.evaluation import summary as summing
from refract_asp.evaluation.figures import Summary
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.summary import summarise
from refract_asp.model.shares import share


def counts(summary: Summary) -> dict[str, tuple[int, int]]:
    return {name: (found.count, found.of) for name, found in summary.overall.shares.items()}


def outcomes(summary: Summary) -> dict[str, int]:
    return {outcome: found.count for outcome, found in summary.overall.outcomes.items()}


def test_shares_and_verdicts() -> None:
    summary = summarise(rows_of([GOOD, WRONG_FIELD, NO_DATE, NO_TOOL, b"{nope", GOOD]))
    verdicts = {"valid": 2, "repaired": 1, "needs_input": 1, "unrepairable": 1, "error": 1}
    assert outcomes(summary) == verdicts
    assert (summary.overall.sequences, summary.overall.calls) == (6, 9)
    assert counts(summary) == {
        "valid": (2, 6),
        "executable": (3, 6),
        "repairable": (1, 3),
        "faulty_calls": (3, 9),
        "proven": (5, 5),
        "ambiguous": (0, 5),
        "truncated": (0, 5),
        "errors": (1, 6),
    }
    assert summary.overall.shares["executable"] == share(3, 6)
    assert summary.modes == {"repair": 6}


def test_what_is_wrong_by_kind_tool_and_parameter() -> None:
    summary = summarise(rows_of([WRONG_FIELD, WRONG_FIELD, NO_DATE, NO_TOOL, GOOD]))
    tags = [f"{each.tag} {each.count} {each.sequences.count}" for each in summary.tags]
    assert tags == ["made_up_assignment 2 2", "made_up_tool 1 1", "missing_parameter 1 1"]
    tools = [(each.tool, each.faulty.count, each.faulty.of, each.tags) for each in summary.tools]
    assert tools == [
        ("TripadvisorSearchHotels", 3, 4, {"made_up_assignment": 2, "missing_parameter": 1}),
        ("Qqqqq", 1, 1, {"made_up_tool": 1}),
        ("TripadvisorSearchLocation", 0, 4, {}),
    ]
    assert summary.edits == {"rebind": 2, "fill": 1}


def test_the_most_frequent_faults_have_an_example() -> None:
    twice = [LOCATION, HOTELS.replace("geoId$", "geoid$"), HOTELS.replace("geoId$", "geoid$")]
    faults = summarise(rows_of([NO_DATE, WRONG_FIELD, twice])).faults
    told = [f"{each.code} {each.count} {each.sequences.count}" for each in faults]
    assert told[:2] == ["unknown_field 3 2", "missing_parameter 1 1"]
    first, example = faults[0], faults[0].example
    place = (first.tool, first.parameter, first.attempted)
    assert place == ("TripadvisorSearchHotels", "geoId", "$var1.geoid$")
    assert (example.number, example.name) == (1, "traces.jsonl:2")
    assert example.fix == "Change $var1.geoid$ to $var1.geoId$"


def test_sequences_in_trouble_are_named_with_the_reason() -> None:
    entries: list[Any] = [GOOD, {"sequence": NO_DATE, "id": "trip-7"}, NO_TOOL, b"{nope"]
    found = summarise(rows_of(entries), most=2)
    assert found.troubled == 3
    assert [(each.number, each.name, each.outcome, each.why) for each in found.troubles] == [
        (1, "trip-7", "needs_input", "TripadvisorSearchHotels requires checkOut"),
        (2, "traces.jsonl:3", "unrepairable", "the catalog has no tool Qqqqq"),
    ]
    (lost,) = summarise(rows_of([b"{nope"])).troubles
    assert lost.why.startswith("traces.jsonl:1:2: not valid JSON")


def test_after_a_check_nothing_is_said_of_repairs() -> None:
    found = summarise(rows_of([GOOD, WRONG_FIELD, NO_DATE], "check"))
    assert outcomes(found) == {"valid": 1, "invalid": 2}
    assert counts(found) == {"valid": (1, 3), "faulty_calls": (2, 6), "errors": (0, 3)}
    assert found.troubled == 2


def test_compression_by_sequences_and_calls() -> None:
    found = summarise(rows_of([TWICE, GOOD], "compress"))
    assert counts(found)["shorter"] == (1, 2)
    assert counts(found)["left_out"] == (1, 5)


def test_against_the_ground_truth() -> None:
    known = [{"sequence": each, "expected": GOOD} for each in (GOOD, WRONG_FIELD, NO_DATE)]
    found = summarise(rows_of([*known, GOOD]))
    told = [counts(found)[name] for name in ("right_before", "right_after", "restored")]
    assert told == [(1, 3), (2, 3), (1, 2)]


def test_times_are_told_where_they_are_known() -> None:
    rows = [row_of(0), row_of(1), row_of(2)]
    assert summarise(rows).times is None
    times = summarise(rows, times={0: 0.1, 2: 0.3, 9: 5.0}).times
    assert times is not None
    assert (times.count, times.p50, times.max) == (2, 0.1, 0.3)


# -- metadata ------------------------------------------------------------------


def grouped(found: Summary) -> dict[str, list[tuple[Any, int, int]]]:
    told: dict[str, list[tuple[Any, int, int]]] = {}
    for each in found.groupings:
        figures = [(group.value, group.figures) for group in each.groups]
        told[each.field] = [(v, f.sequences, f.shares["valid"].count) for v, f in figures]
    return told


def rows_with(*metas: dict[str, Any]) -> list[Row]:
    verdicts = ("needs_input", "valid")
    return [row_of(n, meta=meta, verdict=verdicts[n % 2]) for n, meta in enumerate(metas)]


def test_fields_with_few_values_are_found() -> None:
    rows = rows_with(
        {"model": "b", "shot": 10, "trace": "t1", "user": {"id": 1}, "only": "x"},
        {"model": "a", "shot": 9, "trace": "t2", "user": {"id": 2}, "only": "x"},
        {"model": "b", "shot": 10.0, "trace": "t3", "tags": ["x"], "only": "x"},
        {"model": "b", "shot": True, "trace": "t4", "only": None},
        {},
        {"shot": True},
        {"shot": 9},
    )
    found = summarise(rows)
    # one value says nothing, and neither do as many as there are sequences
    assert grouped(found) == {
        "model": [("a", 1, 1), ("b", 3, 1)],
        "shot": [(9, 2, 1), (10, 2, 0), (True, 2, 2)],
    }
    assert [each.without for each in found.groupings] == [3, 1]


def test_fields_that_are_named_are_told_whatever_they_hold() -> None:
    metas: list[Any] = [{"user": {"id": 1}, "a.b": "x"}, {"user": {"id": 2}}, {"user": 5}]
    found = summarise(rows_with(*metas, {"user": {"id": []}}), by=["user.id", "a.b"])
    assert grouped(found) == {"user.id": [(1, 1, 0), (2, 1, 1)], "a.b": [("x", 1, 0)]}
    assert [each.without for each in found.groupings] == [2, 3]


def test_a_field_that_no_sequence_has_is_an_error() -> None:
    said = r"no sequence has a field 'mdl' to group by\. Known: model, cat"
    with pytest.raises(InputError, match=said):
        summarise(rows_with({"model": "a", "api_key": "s3cret"}), by=["mdl"])
    assert summarise([], by=["mdl"]).overall.sequences == 0


@pytest.mark.parametrize("name", ["password", "user.api_key", "api_key.x"])
def test_fields_named_like_secrets_are_never_told(name: str) -> None:
    meta = {"password": "s3cret", "user": {"api_key": "s3cret"}, "access_token": "s3cret"}
    rows = rows_with(*[meta] * 4)
    with pytest.raises(InputError, match="named like a secret"):
        summarise(rows, by=[name])
    assert "s3cret" not in summarise(rows).model_dump_json()


def test_values_are_bounded_and_harmless() -> None:
    hostile = "<b>\x1b[31m\u202e" + "x" * 1_000
    values = (hostile, hostile, 10**400, 10**400, float("inf"))
    found = summarise(rows_with(*[{"field\x1b": each} for each in values]), by=["field\x1b"])
    assert found.groupings[0].field == "field"
    for group in found.groupings[0].groups:
        assert isinstance(group.value, str)
        assert (group.value.isprintable(), len(group.value) < 120) == (True, True)
    Summary.model_validate_json(found.model_dump_json())


def test_too_many_values_are_not_told_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summing, "FEW", 3)
    monkeypatch.setattr(summing, "MANY", 5)
    rows = rows_with(*[{"day": number % 7} for number in range(70)])
    assert summarise(rows).groupings == ()
    (found,) = summarise(rows, by=["day"]).groupings
    assert [group.value for group in found.groups] == [0, 1, 2, 3, 4]
    assert (found.beyond, found.without) == (20, 0)


# -- bounds --------------------------------------------------------------------


def test_lists_are_bounded_and_say_so() -> None:
    entries = [[f"Made{number}Up(a=1)"] for number in range(8)]
    found = summarise(rows_of(entries), most=3)
    assert [len(found.tools), len(found.faults), len(found.troubles)] == [3, 3, 3]
    assert found.cut == ("tools", "faults")
    assert (found.troubled, found.tags[0].count) == (8, 8)


def test_more_tools_than_can_be_counted_are_left_out_and_said_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(summing, "MAX_KINDS", 20)
    rows = rows_of([NO_TOOL])
    rare = [row_of(n, tools=(f"Tool{n}",), count=1) for n in range(1, 200)]
    found = summarise([row for each in rare for row in (rows[0], each)])
    assert (found.tools[0].tool, found.tools[0].faulty.count) == ("Qqqqq", 199)
    assert len(found.tools) == 20
    assert "tools" in found.cut


def test_rows_are_read_once_and_none_is_held() -> None:
    alive = 0
    most = 0

    class Watched(Row):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def rows() -> Iterator[Row]:
        nonlocal alive, most
        for number in range(300):
            alive += 1
            most = max(most, alive)
            yield Watched(**row_of(number).model_dump())

    assert summarise(rows()).overall.sequences == 300
    assert most <= 3


def test_of_nothing_nothing_is_told() -> None:
    found = summarise([])
    assert (found.overall.sequences, found.overall.shares, found.troubled) == (0, {}, 0)
