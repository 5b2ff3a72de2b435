"""Dates of plans: what each helper means, checked against known calendars and against pendulum."""

import builtins
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import InputError
from refract_asp.plan import Context, dates, evaluate, parse_plan
from yaml_files import read_yaml

DATES = read_yaml(Path(__file__).with_name("dates.yaml"))
FRIDAY = "2024-03-08T12:30:45-05:00"
"""Two days before the clocks of New York are put forward."""
NEW_YORK = dates(FRIDAY, "America/New_York")


def value(expression: str, context: Context = NEW_YORK, **names: Any) -> Any:
    plan = parse_plan(f"return {expression};").require()
    return evaluate(plan, context.merged(Context(names)))


@pytest.mark.parametrize(("expression", "expected"), DATES["given"].items())
def test_what_helpers_give(expression: str, expected: str) -> None:
    found = value(expression)
    assert (" ".join(found) if isinstance(found, list) else found) == expected


TIMES = [
    ("9:00am", "09:00:00"), ("9am", "09:00:00"), ("9:00 AM", "09:00:00"), ("12am", "00:00:00"),
    ("12:05 p.m.", "12:05:00"), ("21:30", "21:30:00"), ("9:05", "09:05:00"), ("0:00", "00:00:00"),
    ("21:30:15", "21:30:15"), ("noon", "12:00:00"), ("Midnight", "00:00:00"),
]  # fmt: skip


@pytest.mark.parametrize(("time", "expected"), TIMES)
def test_times_of_day(time: str, expected: str) -> None:
    assert value(f"'2024-05-01T23:59:58.5Z'.at('{time}')") == f"2024-05-01T{expected}+00:00"


@pytest.mark.parametrize(("expression", "said"), DATES["refused"].items())
def test_what_cannot_be_counted_is_an_error_with_its_place(expression: str, said: str) -> None:
    with pytest.raises(Exception, match=said) as raised:
        value(expression)
    assert raised.value.where.startswith("line 1, column")  # type: ignore[attr-defined]


def test_now_is_injected_in_any_form() -> None:
    instant = datetime(2024, 3, 8, 17, 30, 45, tzinfo=UTC)
    given = [instant, instant.replace(tzinfo=None) - timedelta(hours=5), lambda: instant]
    for now in (*given, "2024-03-08T17:30:45Z", "2024-03-08T12:30:45"):
        assert dates(now, "America/New_York").value("now") == FRIDAY
    assert dates("2024-03-08", "America/New_York").value("now") == "2024-03-08T00:00:00-05:00"
    before, made, after = datetime.now(UTC), dates().value("now"), datetime.now(UTC)
    assert before <= datetime.fromisoformat(made) <= after


def test_now_is_looked_at_once() -> None:
    ticks = iter(["2024-03-08T00:00:00", "2024-03-09T00:00:00"])
    context = dates(lambda: next(ticks))
    assert value("[now, today, next(day), now]", context)[1:3] == ["2024-03-08", "2024-03-09"]
    assert next(ticks) == "2024-03-09T00:00:00"


NO_CALENDARS = [
    *({"timezone": zone} for zone in ("Mars/Olympus", "../etc/passwd", "", 5)),
    *({"now": now} for now in ("soon", 5, lambda: 5)),
]


@pytest.mark.parametrize("arguments", NO_CALENDARS)
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
