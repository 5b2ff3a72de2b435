"""A run in figures, counted by hand."""

import json
import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.batch.travel_rows import GOOD, NO_DATE, NO_TOOL, TWICE, WRONG_FIELD, row_of, rows_of

from refract_asp.errors import InputError
from refract_asp.evaluation import summary as summing
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.summary import Summary, summarise

LOCATION, HOTELS = GOOD


@pytest.mark.parametrize("mode", ["repair", "check", "compress"])
def test_figures(mode: str, snapshot: SnapshotAssertion) -> None:
    """Counted by hand when it was written: shares, kinds, tools, faults, edits, sequences in trouble."""
    known = [{"sequence": each, "expected": GOOD} for each in (GOOD, WRONG_FIELD, NO_DATE)]
    twice = [LOCATION, *[HOTELS.replace("geoId$", "geoid$")] * 2]
    entries = [*known, {"sequence": NO_DATE, "id": "trip-7"}, NO_TOOL, b"{nope", TWICE, twice]
    data = summarise(rows_of(entries, mode)).model_dump(mode="json")
    assert re.sub(r"\{\s*([^{}]*?)\s*\}", inline, json.dumps(data, indent=1)) == snapshot


def inline(match: re.Match[str]) -> str:
    return "{" + " ".join(match[1].split()) + "}"


def test_times_are_told_where_they_are_known() -> None:
    rows = [row_of(0), row_of(1), row_of(2)]
    assert summarise(rows).times is None
    times = summarise(rows, times={0: 0.1, 2: 0.3, 9: 5.0}).times
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
    said = r"no sequence has a field 'mdl' to group by\. Known: model, cat.*\. Fields stand in"
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
    assert found.without == 20


# -- bounds --------------------------------------------------------------------


def test_lists_are_bounded_and_say_so() -> None:
    entries = [[f"Made{number}Up(a=1)"] for number in range(8)]
    found = summarise(rows_of(entries), most=3)
    assert [len(found.tools), len(found.faults), len(found.troubles)] == [3, 3, 3]
    assert found.cut == ("tools", "faults")
    assert (found.troubled, found.tags[0].count) == (8, 8)


def test_more_tools_than_can_be_counted_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summing, "MAX_KINDS", 20)
    rows = rows_of([NO_TOOL])
    rare = [row_of(n, tools=(f"Tool{n}",), count=1) for n in range(1, 200)]
    found = summarise([row for each in rare for row in (rows[0], each)])
    assert (found.tools[0].tool, found.tools[0].faulty.count) == ("Qqqqq", 199)
    assert len(found.tools) == 20
    assert "tools" in found.cut
