"""Dates of plans: what each helper means, checked against known calendars and against pendulum."""

from __future__ import annotations

import builtins
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pendulum
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp.errors import InputError
from refract_asp.plan import parse_plan
from refract_asp.plan.context import Context
from refract_asp.plan.dates import dates
from refract_asp.plan.evaluation import evaluate

FRIDAY = "2024-03-08T12:30:45-05:00"
"""Two days before the clocks of New York are put forward."""
NEW_YORK = dates(FRIDAY, "America/New_York")
UTC_DATES = dates("2024-03-08T12:30:45Z")


def value(expression: str, context: Context = NEW_YORK, **names: Any) -> Any:
    plan = parse_plan(f"return {expression};").require()
    return evaluate(plan, context.merged(Context(names)))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("now", "2024-03-08T12:30:45-05:00"),
        ("[yesterday, today, tomorrow]", ["2024-03-07", "2024-03-08", "2024-03-09"]),
        ("[current(day), last(day), next(days)]", ["2024-03-08", "2024-03-07", "2024-03-09"]),
        ("[current(week), last(week), next(week)]", ["2024-03-04", "2024-02-26", "2024-03-11"]),
        ("[current(month), last(month), next(month)]", ["2024-03-01", "2024-02-01", "2024-04-01"]),
        ("[current(year), last(year), next(year)]", ["2024-01-01", "2023-01-01", "2025-01-01"]),
        ("[current(hour), next(hour)]", ["2024-03-08T12:00:00-05:00", "2024-03-08T13:00:00-05:00"]),
        ("last(minute)", "2024-03-08T12:29:00-05:00"),
        ("next('second')", "2024-03-08T12:30:46-05:00"),
        (
            "[last(Friday), current(Friday), next(Friday)]",
            ["2024-03-01", "2024-03-08", "2024-03-15"],
        ),
        (
            "[last(Thursday), current(Thursday), next(Thursday)]",
            ["2024-03-07", "2024-03-07", "2024-03-14"],
        ),
        (
            "[last(Sunday), current(Sunday), next('sunday')]",
            ["2024-03-03", "2024-03-10", "2024-03-10"],
        ),
        ("[Monday, hour, hours, years]", ["Monday", "hour", "hours", "years"]),
    ],
)
def test_units_and_days_around_now(expression: str, expected: Any) -> None:
    assert value(expression) == expected


def test_the_week_starts_on_the_day_that_is_said() -> None:
    context = dates(FRIDAY, "America/New_York", week_starts="Sunday")
    weeks = value("[current(week), current(Sunday), now.startOf(week), today.endOf(week)]", context)
    assert weeks == ["2024-03-03", "2024-03-03", "2024-03-03T00:00:00-05:00", "2024-03-09"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # what the clock shows stays for days, an hour is an hour
        ("'2024-03-09T09:00:00-05:00'.plus(1, day)", "2024-03-10T09:00:00-04:00"),
        ("'2024-03-09T09:00:00-05:00'.plus(24, hours)", "2024-03-10T10:00:00-04:00"),
        ("'2024-03-10T09:00:00-04:00'.minus(1, week)", "2024-03-03T09:00:00-05:00"),
        ("'2024-03-10T01:59:00-05:00'.plus(1, minute)", "2024-03-10T03:00:00-04:00"),
        # the clock leaves the time out: so much later
        ("'2024-03-10'.at('2:30am')", "2024-03-10T03:30:00-04:00"),
        ("'2024-03-09T02:30:00-05:00'.plus(1, day)", "2024-03-10T03:30:00-04:00"),
        # the clock shows the time twice: the first, or that of the offset which it had
        ("'2024-11-03'.at('1:30am')", "2024-11-03T01:30:00-04:00"),
        ("'2024-11-03T01:30:00-04:00'.plus(1, hour)", "2024-11-03T01:30:00-05:00"),
        ("'2024-11-03T01:30:00-05:00'.startOf(hour)", "2024-11-03T01:00:00-05:00"),
        ("'2024-11-03T01:30:00-04:00'.endOf(hour)", "2024-11-03T01:59:59.999999-04:00"),
        ("'2024-11-04T01:30:00-05:00'.minus(1, day)", "2024-11-03T01:30:00-05:00"),
        # months end where they end
        ("'2024-01-31'.plus(1, month)", "2024-02-29"),
        ("'2023-01-31'.plus(1, month)", "2023-02-28"),
        ("'2024-03-31'.minus(1, months)", "2024-02-29"),
        ("'2024-02-29'.plus(1, year)", "2025-02-28"),
        ("'2024-02-29T10:00:00'.plus(4, years)", "2028-02-29T10:00:00"),
        # forms stay
        ("'2024-03-09T09:00:00+05:30'.plus(1, day)", "2024-03-10T09:00:00+05:30"),
        ("'2024-03-09T09:00:00Z'.plus(1, hour)", "2024-03-09T10:00:00Z"),
        ("'2024-03-09t09:00z'.at('noon')", "2024-03-09T12:00:00Z"),
        ("'2024-03-09 09:00'.plus(1, day)", "2024-03-10T09:00:00"),
        ("'2024-03-09T09:00:00.25'.plus(1, day)", "2024-03-10T09:00:00.250000"),
        ("'2024-03-09'.plus(1, hour)", "2024-03-09T01:00:00-05:00"),
        ("'2024-03-09'.startOf(hour)", "2024-03-09T00:00:00-05:00"),
        # first and last moments
        ("'2024-02-10'.startOf(month)", "2024-02-01"),
        ("'2024-02-10'.endOf(month)", "2024-02-29"),
        ("'2024-02-10'.endOf(day)", "2024-02-10"),
        ("'9999-12-30'.endOf(year)", "9999-12-31"),
        ("'2024-02-10T09:00:00-05:00'.endOf(year)", "2024-12-31T23:59:59.999999-05:00"),
        ("'2024-03-10T12:00:00-04:00'.startOf(day)", "2024-03-10T00:00:00-05:00"),
        ("'2024-03-08T12:00:00-05:00'.endOf(week)", "2024-03-10T23:59:59.999999-04:00"),
        ("'2024-03-08T12:00:00'.endOf(minute)", "2024-03-08T12:00:59.999999"),
    ],
)
def test_arithmetic(expression: str, expected: str) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("9:00am", "09:00:00"),
        ("9am", "09:00:00"),
        ("9:00 AM", "09:00:00"),
        ("12am", "00:00:00"),
        ("12:05 p.m.", "12:05:00"),
        ("21:30", "21:30:00"),
        ("9:05", "09:05:00"),
        ("0:00", "00:00:00"),
        ("21:30:15", "21:30:15"),
        ("noon", "12:00:00"),
        ("Midnight", "00:00:00"),
    ],
)
def test_times_of_day(time: str, expected: str) -> None:
    assert value(f"'2024-05-01T23:59:58.5'.at('{time}')") == f"2024-05-01T{expected}"


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("today.at('25:00')", "is no time of day. Write it as"),
        ("today.at('13pm')", "is no time of day"),
        ("today.at('0am')", "is no time of day"),
        ("today.at('9:60')", "is no time of day"),
        ("today.at('9')", "is no time of day"),
        ("today.at('٩:00')", "is no time of day"),
        ("today.at(9)", "the number 9 is no time of day"),
        ("today.at(null)", "null is no time of day"),
        ("today.plus(1)", r"'unit'\. Write plus\(count, unit\), as in plus\(3, days\)\.$"),
        (
            "today.plus(month, 1)",
            r"'month' is no whole number\. Write plus\(count, unit\), as in plus\(3, days\)\.$",
        ),
        ("today.minus(month, 1)", r"Write minus\(count, unit\), as in minus\(3, days\)\.$"),
        ("today.at()", r"Write at\(time\), as in at\('9:00am'\)\.$"),
        ("next()", r"It takes \(component\)\.$"),
        ("today.plus(1.5, hours)", "the number 1.5 is no whole number. Count in a shorter unit"),
        ("today.plus('2', day)", "is no whole number"),
        ("today.plus(true, day)", "true is no whole number"),
        ("today.plus(1, fortnight)", "unknown"),
        ("today.plus(1, 'fortnight')", "is no unit. Use second, minute"),
        ("today.plus(1, Monday)", "'Monday' is no unit"),
        ("today.plus(day, 1)", "'day' is no whole number"),
        ("today.plus(9000, years)", "beyond the years 1 to 9999"),
        ("today.minus(2025, years)", "beyond the years 1 to 9999"),
        ("now.plus(9999999999, hours)", "beyond the years 1 to 9999"),
        ("now.plus(9999999999, months)", "beyond the years 1 to 9999"),
        ("today.plus(9999999999, weeks)", "beyond the years 1 to 9999"),
        ("now.plus(1e300, days)", "the count is too large"),
        ("next(noon)", "unknown"),
        ("next('noon')", "is no unit and no day of the week"),
        ("next(3)", "is no unit and no day of the week"),
        ("'tomorrow'.at('9am')", "'tomorrow' is no date and no time. Write it as"),
        ("'2024-02-30'.plus(1, day)", "'2024-02-30' is no date"),
        ("'2024-13'.plus(1, day)", "is no date"),
        ("'2024-01-01T24:00'.plus(1, day)", "is no date"),
        ("'2024-01-01T00:00+24:00'.plus(1, day)", "is no date"),
        ("'٢٠٢٤-01-01'.plus(1, day)", "is no date"),
        ("5.5.at('9am')", "the number 5.5 is no date"),
        ("{}.at('9am')", "this is no date"),
    ],
)
def test_what_cannot_be_counted_is_an_error_with_its_place(expression: str, said: str) -> None:
    context = NEW_YORK
    with pytest.raises(Exception, match=said) as raised:
        value(expression, context)
    assert raised.value.where.startswith("line 1, column")  # type: ignore[attr-defined]


def test_now_is_injected_in_any_form() -> None:
    instant = datetime(2024, 3, 8, 17, 30, 45, tzinfo=UTC)
    for given_now in (
        instant,
        instant.replace(tzinfo=None) - timedelta(hours=5),
        lambda: instant,
        "2024-03-08T17:30:45Z",
        "2024-03-08T12:30:45",
    ):
        assert dates(given_now, "America/New_York").value("now") == FRIDAY
    assert dates("2024-03-08", "America/New_York").value("now") == "2024-03-08T00:00:00-05:00"
    before, made, after = datetime.now(UTC), dates().value("now"), datetime.now(UTC)
    assert before <= datetime.fromisoformat(made) <= after


def test_now_is_looked_at_once() -> None:
    ticks = iter(["2024-03-08T00:00:00", "2024-03-09T00:00:00"])
    context = dates(lambda: next(ticks))
    assert value("[now, today, next(day), now]", context)[1:3] == ["2024-03-08", "2024-03-09"]
    assert next(ticks) == "2024-03-09T00:00:00"


@pytest.mark.parametrize(
    "arguments",
    [
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc/passwd"},
        {"timezone": ""},
        {"timezone": 5},
        {"week_starts": "day"},
        {"week_starts": 1},
        {"now": "soon"},
        {"now": 5},
        {"now": lambda: 5},
    ],
)
def test_what_no_calendar_can_be_made_of_is_refused(arguments: Any) -> None:
    with pytest.raises(InputError):
        dates(**arguments)


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pendulum":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"Install it with: pip install 'refract-asp\[plan\]'"):
        dates()


ZONES = (
    "UTC",
    "America/New_York",
    "Europe/Rome",
    "Australia/Lord_Howe",
    "America/Havana",
    "Asia/Kathmandu",
)
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1)).map(
    lambda each: each.replace(microsecond=0)
)
UNITS = st.sampled_from(["second", "minute", "hour", "day", "week", "month", "year"])
CONTEXTS = {zone: dates("2024-03-08T12:00:00", zone) for zone in ZONES}


def called(method: str, zone: str, *arguments: Any) -> datetime:
    return datetime.fromisoformat(CONTEXTS[zone].methods[method](*arguments))


@given(
    MOMENTS,
    st.integers(-10_000, 10_000),
    st.sampled_from(["day", "week"]),
    st.sampled_from(["", "Z", "+05:30", "date"]),
)
def test_what_is_added_of_days_is_taken_away_again(
    moment: datetime, count: int, unit: str, form: str
) -> None:
    text = moment.date().isoformat() if form == "date" else moment.isoformat() + form
    later = UTC_DATES.methods["plus"](text, count, unit)
    assert UTC_DATES.methods["minus"](later, count, unit) == text


def is_at_a_change(clock: datetime, zone: str) -> bool:
    """Whether the clock of the zone shows the time twice, or leaves it out."""
    found = {
        pendulum.timezone(zone).utcoffset(clock.replace(tzinfo=None, fold=fold)) for fold in (0, 1)
    }
    return len(found) > 1


@pytest.mark.slow
@given(MOMENTS, st.sampled_from(ZONES), st.integers(-500, 500), UNITS)
def test_pendulum_counts_the_same(moment: datetime, zone: str, count: int, unit: str) -> None:
    theirs = pendulum.instance(moment, tz="UTC").in_timezone(zone)
    text = theirs.isoformat()
    clock = theirs.naive()
    by_clock = unit in ("day", "week", "month", "year")
    if not by_clock or not is_at_a_change(clock.add(**{f"{unit}s": count}), zone):
        wanted = theirs.add(**{f"{unit}s": count})
        assert called("plus", zone, text, count, unit).timestamp() == wanted.timestamp()
    if not is_at_a_change(clock.start_of(unit), zone):
        assert called("startOf", zone, text, unit).timestamp() == theirs.start_of(unit).timestamp()
    if not is_at_a_change(clock.end_of(unit), zone):
        assert called("endOf", zone, text, unit).timestamp() == theirs.end_of(unit).timestamp()


def test_the_examples_of_the_document_hold() -> None:
    document = Path(__file__).resolve().parents[2] / "docs" / "plan-dates.md"
    examples = re.findall(r"`([^`]+\))`: `([^`]+)`", document.read_text("utf-8"))
    assert len(examples) == 6
    context = dates("2024-03-08T12:30:00", "America/New_York")
    for expression, expected in examples:
        assert value(expression, context) == expected
