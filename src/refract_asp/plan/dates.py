"""
Helpers for dates in plans: `next(Thursday).at('9:00am')`, `now.plus(3, days)`, `tomorrow`.

A date is an ISO 8601 text (`2024-03-10`), a moment one with a time and an offset (`2024-03-10T09:00:00-05:00`).
What is of the time zone of the context is counted in it: days and longer units keep what the clock shows,
hours and shorter ones are so much later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime
from typing import Any, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.plan.context import Context

UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
"""What is counted, the short ones first; each may stand in the plural."""
_OF_A_DAY = UNITS[:3]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TIMES = ("%H:%M", "%H:%M:%S", "%I%p", "%I:%M%p", "%I:%M:%S%p")
Now: TypeAlias = datetime | str
_OFFSET = re.compile(r".+[Tt ].+(?:[Zz]|[+-]\d\d(?::?\d\d)?)", re.ASCII)


def dates(now: Now | Callable[[], Now] | None = None, timezone: str = "UTC") -> Context:
    """
    Return a context with helpers for dates, to be merged with one of tools.

    Values: `now` (a moment), `today`, `yesterday`, `tomorrow` (dates); the days `Monday` to `Sunday` and the
    units `second` to `year`, singular and plural, each the text of its own name.

    Functions: `current`, `last` and `next` give the unit or the day of the week that it is, the one before
    and the one after. Of a unit that is where it starts (`next(month)` on 10 March is 1 April); of a day of
    the week the nearest one before or after today, or the one of this week. Days and longer units are dates,
    the others moments.

    Methods behind the text of a date or a moment:

    - `at(time)`: the moment of that day at which the clock shows it: '9:00am', '9am', '21:30', 'noon'.
    - `plus(count, unit)`, `minus(count, unit)`: so much later or earlier.
    - `startOf(unit)`, `endOf(unit)`: the first and the last moment of the unit it lies in.

    A date stays a date unless it needs a time. A moment without offset is of the time zone; one with another
    offset than that of the time zone keeps it. docs/plan-dates.md says more.

    Args:
        now: what time it is: a moment, or a function that tells; the clock of the machine by default. It is
            looked at once, so that all of a plan has the same `now`.
        timezone: the time zone in which days are counted, as "Europe/Rome".

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
    calendar = _Calendar(timezone, now() if callable(now) else now)
    today = str(calendar.today)
    values = {"now": calendar.now.isoformat(), "today": today}
    values["yesterday"] = calendar.minus(today, 1, "day")
    values["tomorrow"] = calendar.plus(today, 1, "day")
    words = (*WEEKDAYS, *(word for unit in UNITS for word in (unit, f"{unit}s")))
    functions = {"current": calendar.current, "last": calendar.last, "next": calendar.next}
    methods: dict[str, Callable[..., str]] = {"at": calendar.at, "plus": calendar.plus}
    methods.update(minus=calendar.minus, startOf=calendar.start_of, endOf=calendar.end_of)
    return Context({**values, **functions, **dict(zip(words, words, strict=True))}, methods=methods)


def _no(value: object, wanted: str, hint: str) -> InputError:
    return InputError(f"{shown(repr(value), 60)} is no {wanted}.", hint=hint)


def _unit_of(text: object) -> str:
    """Return the unit that is named, in the singular."""
    word = text.lower().removesuffix("s") if isinstance(text, str) else ""
    if word not in UNITS:
        raise _no(text, "unit", f"Use {', '.join(UNITS[:-1])} or {UNITS[-1]}.")
    return word


def _has_time(moment: Any) -> bool:
    return isinstance(moment, datetime)


def _text(moment: Any) -> str:
    return str(moment.isoformat())


@contextmanager
def _known_years() -> Iterator[None]:
    """Say where some arithmetic leaves the calendar."""
    try:
        yield
    except (OverflowError, ValueError):
        what = "the date is beyond the years 1 to 9999."
        raise InputError(what, hint="Count less, or from another date.") from None


class _Calendar:
    """Counts moments in a time zone; its functions and methods for plans take and give texts."""

    def __init__(self, zone: str, told: object) -> None:
        try:
            import pendulum
        except ImportError:
            hint = "Install it with: pip install 'refract-asp[plan]'"
            raise InputError("date helpers need the library pendulum.", hint=hint) from None
        self._pendulum: Any = pendulum
        try:
            self._zone = pendulum.timezone(zone + "")  # a number would be an offset
        except Exception:  # what it raises depends on the name
            raise _no(zone, "time zone", 'Name it, as "UTC" or "Europe/Rome".') from None
        now = told.isoformat() if isinstance(told, datetime) else told
        moment = pendulum.now(self._zone) if now is None else self._read(now)
        with _known_years():
            # a date, too, is a moment: its midnight
            self.now: Any = self._timed(moment).in_timezone(self._zone)
        self.today: Any = self.now.date()

    def current(self, component: str) -> str:
        """Return where the current unit starts, or the date of a day of this week."""
        return self._near(component, 0)

    def last(self, component: str) -> str:
        """Return where the unit before the current one starts, or the date of the last such day."""
        return self._near(component, -1)

    def next(self, component: str) -> str:
        """Return where the unit after the current one starts, or the date of the next such day."""
        return self._near(component, 1)

    @_known_years()
    def _near(self, component: object, direction: int) -> str:
        word = component.capitalize() if isinstance(component, str) else ""
        if word in WEEKDAYS:
            day = self._pendulum.WeekDay(WEEKDAYS.index(word))
            if direction:
                return str(self.today.next(day) if direction > 0 else self.today.previous(day))
            return str(self.today.start_of("week").add(days=day))
        if word.lower().removesuffix("s") not in UNITS:
            raise _no(component, "unit and no day of the week", "Use as day, month or Monday.")
        unit = _unit_of(component)
        start = (self.now if unit in _OF_A_DAY else self.today).start_of(unit)
        return _text(self._later(start, direction, unit))

    @_known_years()
    def at(self, moment: str, time: str) -> str:
        """Return the moment of the same day at which the clock shows a time; a date gets one of this zone."""
        given = self._read(moment)
        is_text = isinstance(time, str) and time.isascii()
        word = re.sub(r"[\s.]", "", time).upper() if is_text else ""
        word = {"NOON": "12:00", "MIDNIGHT": "0:00"}.get(word, word)
        for form in _TIMES:
            with suppress(ValueError):
                clock = datetime.strptime(word, form).time()
                break
        else:
            hint = "Write it as '9:00am', '9am', '21:30', 'noon' or 'midnight'."
            raise _no(time, "time of day", hint)
        shown_then = datetime.combine(date(given.year, given.month, given.day), clock)
        return _text(self._placed(shown_then, self._timed(given).timezone))

    @_known_years()
    def plus(self, moment: str, count: int, unit: str) -> str:
        """Return the moment so many units later."""
        if isinstance(count, bool) or not isinstance(count, int | float) or count != int(count):
            raise _no(count, "whole number", "Write plus(count, unit), as in plus(3, days).")
        return _text(self._later(self._read(moment), int(count), _unit_of(unit)))

    def minus(self, moment: str, count: int, unit: str) -> str:
        """Return the moment so many units earlier."""
        return self.plus(moment, -count if isinstance(count, int | float) else count, unit)

    @_known_years()
    def start_of(self, moment: str, unit: str) -> str:
        """Return the first moment of the unit in which a moment lies."""
        return self._edge(moment, "start_of", _unit_of(unit))

    @_known_years()
    def end_of(self, moment: str, unit: str) -> str:
        """Return the last moment of the unit in which a moment lies: a microsecond before the next one."""
        return self._edge(moment, "end_of", _unit_of(unit))

    # -- in the zone -----------------------------------------------------------

    def _read(self, text: object) -> Any:
        """Return a date, or a moment in the time zone or, where its offset is another one, with that."""
        hint = "Write it as 2024-08-15 or 2024-08-15T09:00:00+02:00."
        try:
            if not isinstance(text, str) or not text.isascii() or text[4:5] + text[7:8] != "--":
                raise ValueError
            if len(text) == len("2024-08-15"):
                return self._pendulum.Date.fromisoformat(text)
            clock = datetime.fromisoformat(text.upper())
        except ValueError:
            raise _no(text, "date and no time", hint) from None
        if _OFFSET.fullmatch(text) is None:
            return self._placed(clock, self._zone)
        moment = self._pendulum.instance(clock)
        with _known_years():
            here = moment.in_timezone(self._zone)
        return here if here.utcoffset() == moment.utcoffset() else moment

    def _timed(self, moment: Any) -> Any:
        """Return a moment: a date begins at midnight in this time zone."""
        if _has_time(moment):
            return moment
        return self._placed(datetime(moment.year, moment.month, moment.day), self._zone)

    def _placed(self, clock: datetime, zone: Any) -> Any:
        """
        Return the moment at which the clock of a zone shows a time.

        Where it shows the time twice it is the first of both; where it leaves it out, it is so much later.
        """
        first, second = (zone.utcoffset(clock.replace(fold=fold)) for fold in (0, 1))
        fields = (*clock.timetuple()[:6], clock.microsecond)
        return self._pendulum.datetime(*fields, tz=zone, fold=int(second > first))

    def _later(self, moment: Any, count: int, unit: str) -> Any:
        """Return the moment so many units later; at the end of a month that is shorter, its last day."""
        if unit in _OF_A_DAY:
            timed = self._timed(moment)
            return timed.in_timezone("UTC").add(**{f"{unit}s": count}).in_timezone(timed.timezone)
        if not _has_time(moment):
            return moment.add(**{f"{unit}s": count})
        return self._placed(moment.naive().add(**{f"{unit}s": count}), moment.timezone)

    def _edge(self, text: str, side: str, unit: str) -> str:
        moment = self._read(text)
        if unit in _OF_A_DAY:
            return _text(getattr(self._timed(moment), side)(unit))
        if not _has_time(moment):
            return _text(getattr(moment, side)(unit))
        return _text(self._placed(getattr(moment.naive(), side)(unit), moment.timezone))
