"""Dates of plans: what each helper means, checked against known calendars and against pendulum."""

from __future__ import annotations

import builtins
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import InputError
from refract_asp.plan import Context, dates, evaluate, parse_plan

FRIDAY = "2024-03-08T12:30:45-05:00"
"""Two days before the clocks of New York are put forward."""
NEW_YORK = dates(FRIDAY, "America/New_York")


def value(expression: str, context: Context = NEW_YORK, **names: Any) -> Any:
    plan = parse_plan(f"return {expression};").require()
    return evaluate(plan, context.merged(Context(names)))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("now", "2024-03-08T12:30:45-05:00"),
        ("[yesterday, today, tomorrow]", "2024-03-07 2024-03-08 2024-03-09"),
        ("[current(day), last(day), next(days)]", "2024-03-08 2024-03-07 2024-03-09"),
        ("[current(week), last(week), next(week)]", "2024-03-04 2024-02-26 2024-03-11"),
        ("[current(month), last(month), next(month)]", "2024-03-01 2024-02-01 2024-04-01"),
        ("[current(year), last(year), next(year)]", "2024-01-01 2023-01-01 2025-01-01"),
        ("[current(hour), next(hour)]", "2024-03-08T12:00:00-05:00 2024-03-08T13:00:00-05:00"),
        ("[last(minute), next('second')]", "2024-03-08T12:29:00-05:00 2024-03-08T12:30:46-05:00"),
        ("[last(Friday), current(Friday), next(Friday)]", "2024-03-01 2024-03-08 2024-03-15"),
        ("[last(Thursday), current(Thursday), next(Thursday)]", "2024-03-07 2024-03-07 2024-03-14"),
        ("[last(Sunday), current(Sunday), next('sunday')]", "2024-03-03 2024-03-10 2024-03-10"),
        ("[Monday, hour, hours, years]", "Monday hour hours years"),
        # what the clock shows stays for days, an hour is an hour
        ("'2024-03-09T09:00:00-05:00'.plus(1, day)", "2024-03-10T09:00:00-04:00"),
        ("'2024-03-09T09:00:00-05:00'.plus(24, hours)", "2024-03-10T10:00:00-04:00"),
        ("'2024-03-10T09:00:00-04:00'.minus(1, week)", "2024-03-03T09:00:00-05:00"),
        ("'2024-03-10T01:59:00-05:00'.plus(1, minute)", "2024-03-10T03:00:00-04:00"),
        # the clock leaves the time out: so much later; it shows it twice: the first
        ("'2024-03-10'.at('2:30am')", "2024-03-10T03:30:00-04:00"),
        ("'2024-03-09T02:30:00-05:00'.plus(1, day)", "2024-03-10T03:30:00-04:00"),
        ("'2024-11-03'.at('1:30am')", "2024-11-03T01:30:00-04:00"),
        ("'2024-11-03T01:30:00-04:00'.plus(1, hour)", "2024-11-03T01:30:00-05:00"),
        ("'2024-11-03T01:30:00-05:00'.startOf(hour)", "2024-11-03T01:00:00-05:00"),
        ("'2024-11-03T01:30:00-04:00'.endOf(hour)", "2024-11-03T01:59:59.999999-04:00"),
        # months end where they end
        ("'2024-01-31'.plus(1, month)", "2024-02-29"),
        ("'2024-03-31'.minus(1, months)", "2024-02-29"),
        ("'2024-02-29'.plus(1, year)", "2025-02-28"),
        # a date gets a time where it needs one; a moment without offset is of the zone, another offset stays
        ("'2024-03-09'.plus(1, hour)", "2024-03-09T01:00:00-05:00"),
        ("'2024-03-09'.startOf(hour)", "2024-03-09T00:00:00-05:00"),
        ("'2024-03-09 09:00'.plus(1, day)", "2024-03-10T09:00:00-04:00"),
        ("'2024-03-09T09:00:00.25'.plus(1, hour)", "2024-03-09T10:00:00.250000-05:00"),
        ("'2024-03-09T09:00:00+05:30'.plus(1, day)", "2024-03-10T09:00:00+05:30"),
        ("'2024-03-09t09:00z'.at('noon')", "2024-03-09T12:00:00+00:00"),
        # first and last moments
        ("'2024-02-10'.startOf(month)", "2024-02-01"),
        ("'2024-02-10'.endOf(month)", "2024-02-29"),
        ("'2024-02-10'.endOf(day)", "2024-02-10"),
        ("'9999-12-30'.endOf(year)", "9999-12-31"),
        ("'2024-02-10T09:00:00-05:00'.endOf(year)", "2024-12-31T23:59:59.999999-05:00"),
        ("'2024-03-10T12:00:00-04:00'.startOf(day)", "2024-03-10T00:00:00-05:00"),
        ("'2024-03-08T12:00:00-05:00'.endOf(week)", "2024-03-10T23:59:59.999999-04:00"),
    ],
)
def test_what_helpers_give(expression: str, expected: str) -> None:
    found = value(expression)
    assert (" ".join(found) if isinstance(found, list) else found) == expected


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("9:00am", "09:00:00"), ("9am", "09:00:00"), ("9:00 AM", "09:00:00"), ("12am", "00:00:00"),
        ("12:05 p.m.", "12:05:00"), ("21:30", "21:30:00"), ("9:05", "09:05:00"), ("0:00", "00:00:00"),
        ("21:30:15", "21:30:15"), ("noon", "12:00:00"), ("Midnight", "00:00:00"),
    ],
)  # fmt: skip
def test_times_of_day(time: str, expected: str) -> None:
    assert value(f"'2024-05-01T23:59:58.5Z'.at('{time}')") == f"2024-05-01T{expected}+00:00"


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        *((f"today.at({time})", "is no time of day. Write it as")
          for time in ("'25:00'", "'13pm'", "'0am'", "'9:60'", "'9'", "'٩:00'", "9", "null")),
        ("today.at()", r"It takes \(moment, time\)\.$"),
        ("next()", r"It takes \(component\)\.$"),
        *((f"today.plus({count}, hours)", r"is no whole number\. Write plus\(count, unit\)")
          for count in ("day", "1.5", "'2'", "true", "null")),
        ("today.plus(1, fortnight)", "unknown"),
        ("today.plus(1, 'fortnight')", "is no unit. Use second, minute"),
        ("today.plus(1, Monday)", "'Monday' is no unit"),
        *((expression, "beyond the years 1 to 9999")
          for expression in ("today.plus(9000, years)", "today.minus(2025, years)", "now.plus(9999999999, hours)",
                             "now.plus(9999999999, months)",
                             "today.plus(9999999999, weeks)", "now.plus(1e300, days)")),
        ("next('noon')", "is no unit and no day of the week"),
        ("next(3)", "is no unit and no day of the week"),
        *((f"{moment}.at('9am')", "is no date and no time. Write it as")
          for moment in ("'tomorrow'", "'2024-02-30'", "'2024-13'", "'2024-01-01T24:00'",
                         "'20240101'", "5.5", "{}")),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_an_error_with_its_place(expression: str, said: str) -> None:
    with pytest.raises(Exception, match=said) as raised:
        value(expression)
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
        *({"timezone": zone} for zone in ("Mars/Olympus", "../etc/passwd", "", 5)),
        *({"now": now} for now in ("soon", 5, lambda: 5)),
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


def test_the_examples_of_the_document_hold() -> None:
    document = Path(__file__).resolve().parents[2] / "docs" / "plan-dates.md"
    examples = re.findall(r"`([^`]+\))`: `([^`]+)`", document.read_text("utf-8"))
    assert len(examples) == 6
    context = dates("2024-03-08T12:30:00", "America/New_York")
    for expression, expected in examples:
        assert value(expression, context) == expected
