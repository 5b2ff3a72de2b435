"""Helpers for dates in plans: `next(Thursday).at('9:00am')`, `now.plus(3, days)`, `tomorrow`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from refract_asp.errors import InputError, shown
from refract_asp.plan.access import usage
from refract_asp.plan.context import Context
from refract_asp.plan.moments import UNITS, WEEKDAYS, Calendar, Moment, count_of, unit_of

__all__ = ["dates"]

_PLUS = "plus(count, unit), as in plus(3, days)"
_MINUS = "minus(count, unit), as in minus(3, days)"


def dates(
    now: datetime | str | Callable[[], datetime | str] | None = None,
    timezone: str = "UTC",
    week_starts: str = "Monday",
) -> Context:
    """
    Return a context with helpers for dates, to be merged with one of tools.

    Values: `now` (a moment with its offset), `today`, `yesterday`, `tomorrow` (dates); the days `Monday` to
    `Sunday` and the units `second` to `year`, singular and plural, each the text of its own name.

    Functions: `current`, `last` and `next` give the unit or the day of the week that it is, the one before
    and the one after. Of a unit that is where it starts (`next(month)` on 10 March is 1 April); of a day of
    the week the nearest one before or after today, or the one of this week. Days and longer units are dates,
    the others moments.

    Methods behind the text of a moment:

    - `at(time)`: the moment of that day at which the clock shows it: '9:00am', '9am', '21:30', 'noon'.
    - `plus(count, unit)`, `minus(count, unit)`: so much later or earlier.
    - `startOf(unit)`, `endOf(unit)`: the first and the last moment of the unit it lies in.

    A text stays in its form: a date is a date, a text without offset gets none, one with another offset than
    that of the time zone keeps it. docs/plan-dates.md says more.

    Args:
        now: what time it is: a moment, or a function that tells; the clock of the machine by default. It is
            looked at once, so that all of a plan has the same `now`.
        timezone: the time zone in which days are counted, as "Europe/Rome".
        week_starts: the first day of a week.

    Raises:
        InputError: one of them cannot be used, or the extra `plan` is not installed.

    Example:
        >>> from refract_asp.plan import parse_expression
        >>> from refract_asp.plan.evaluation import evaluate
        >>> context = dates("2024-03-08T12:00:00", "America/New_York")
        >>> evaluate(parse_expression("next(Thursday).at('9:00am')").require(), context)
        '2024-03-14T09:00:00-04:00'
        >>> evaluate(parse_expression("last(Tuesday).plus(23, day)").require(), context)
        '2024-03-28'
    """
    calendar = Calendar(timezone, week_starts)
    moment = _now(now, calendar)
    helpers = _Helpers(calendar, moment)
    today = Moment(moment.clock, has_time=False)
    bindings: dict[str, object] = {
        "now": str(moment),
        "today": str(today),
        "yesterday": helpers.minus(str(today), 1, "day"),
        "tomorrow": helpers.plus(str(today), 1, "day"),
        "current": helpers.current,
        "last": helpers.last,
        "next": helpers.next,
        **{word: word for word in WEEKDAYS},
        **{word: word for unit in UNITS for word in (unit, f"{unit}s")},
    }
    methods: dict[str, Callable[..., str]] = {
        "at": helpers.at,
        "plus": helpers.plus,
        "minus": helpers.minus,
        "startOf": helpers.start_of,
        "endOf": helpers.end_of,
    }
    return Context(bindings, methods=methods)


class _Helpers:
    """The functions and methods; they take and give texts."""

    def __init__(self, calendar: Calendar, now: Moment) -> None:
        self._calendar = calendar
        self._now = now

    def current(self, component: str) -> str:
        """Return where the current unit starts, or the date of a day of this week."""
        return self._near(component, 0)

    def last(self, component: str) -> str:
        """Return where the unit before the current one starts, or the date of the last such day."""
        return self._near(component, -1)

    def next(self, component: str) -> str:
        """Return where the unit after the current one starts, or the date of the next such day."""
        return self._near(component, 1)

    def _near(self, component: object, direction: int) -> str:
        word = component.lower() if isinstance(component, str) else ""
        if word.capitalize() in WEEKDAYS:
            return self._day(WEEKDAYS.index(word.capitalize()), direction)
        if word.removesuffix("s") not in UNITS:
            what = repr(shown(component, 40)) if isinstance(component, str) else "this"
            raise InputError(
                f"{what} is no unit and no day of the week.", hint="Use as day, month or Monday."
            )
        unit = unit_of(component)
        is_long = UNITS.index(unit) >= UNITS.index("day")
        start = self._calendar.start_of(
            Moment(self._now.clock, has_time=False) if is_long else self._now, unit
        )
        return str(self._calendar.plus(start, direction, unit))

    def _day(self, wanted: int, direction: int) -> str:
        today = Moment(self._now.clock, has_time=False)
        if direction == 0:
            start = self._calendar.start_of(today, "week")
            return str(self._calendar.plus(start, (wanted - start.clock.weekday()) % 7, "day"))
        apart = (direction * (wanted - today.clock.weekday())) % 7 or 7
        return str(self._calendar.plus(today, direction * apart, "day"))

    @usage("at(time), as in at('9:00am')")
    def at(self, moment: str, time: str) -> str:
        """Return the moment of the same day at which the clock shows a time."""
        return str(self._calendar.at(Moment.of(moment), time))

    @usage(_PLUS)
    def plus(self, moment: str, count: int, unit: str) -> str:
        """Return the moment so many units later."""
        return str(
            self._calendar.plus(
                Moment.of(moment), count_of(count, f"Write {_PLUS}."), unit_of(unit)
            )
        )

    @usage(_MINUS)
    def minus(self, moment: str, count: int, unit: str) -> str:
        """Return the moment so many units earlier."""
        return str(
            self._calendar.plus(
                Moment.of(moment), -count_of(count, f"Write {_MINUS}."), unit_of(unit)
            )
        )

    @usage("startOf(unit), as in startOf(week)")
    def start_of(self, moment: str, unit: str) -> str:
        """Return the first moment of the unit in which a moment lies."""
        return str(self._calendar.start_of(Moment.of(moment), unit_of(unit)))

    @usage("endOf(unit), as in endOf(week)")
    def end_of(self, moment: str, unit: str) -> str:
        """Return the last moment of the unit in which a moment lies."""
        return str(self._calendar.end_of(Moment.of(moment), unit_of(unit)))


def _now(given: object, calendar: Calendar) -> Moment:
    """Return what time it is, with the offset that the time zone has then."""
    told = given() if callable(given) else given
    if told is None:
        return calendar.now()
    if isinstance(told, datetime):
        return calendar.here(told)
    if not isinstance(told, str):
        kind = shown(type(told).__name__)
        raise InputError(
            f"now cannot be a value of type {kind}.", hint="Give a datetime or an ISO 8601 text."
        )
    moment = Moment.of(told)
    if moment.offset is None:
        return calendar.with_offset(moment)
    return calendar.here(moment.aware)
