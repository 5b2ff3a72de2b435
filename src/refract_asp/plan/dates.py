"""
Helpers for dates in plans: `next(Thursday).at('9:00am')`, `now.plus(3, days)`, `tomorrow`.

A moment is an ISO 8601 text: a date (`2024-03-10`), a date with a time (`2024-03-10T09:00:00`), or one with
an offset too (`2024-03-10T09:00:00-05:00`); it stays in its form. What is of the time zone of the context is
counted in it: days and longer units keep what the clock shows, hours and shorter ones are so much later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, timezone
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.plan.context import Context
from refract_asp.plan.evaluation import usage

__all__ = ["dates"]

UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
"""What is counted, the short ones first; each may stand in the plural."""
_OF_A_DAY = UNITS[:3]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MOST = 10_000_000_000
"""More of any unit leaves the calendar for sure; the years 1 to 9999 have so many seconds thirty times."""
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?\s*(?P<half>[ap]\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d"
    r"(?P<time>[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?P<offset>[Zz]|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?)?",
    re.ASCII,
)
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
    calendar = _Calendar(timezone, week_starts)
    calendar.set_now(now() if callable(now) else now)
    today = str(calendar.today)
    bindings: dict[str, object] = {
        "now": str(calendar.now),
        "today": today,
        "yesterday": calendar.minus(today, 1, "day"),
        "tomorrow": calendar.plus(today, 1, "day"),
        "current": calendar.current,
        "last": calendar.last,
        "next": calendar.next,
        **{word: word for word in WEEKDAYS},
        **{word: word for unit in UNITS for word in (unit, f"{unit}s")},
    }
    methods: dict[str, Callable[..., str]] = {
        "at": calendar.at,
        "plus": calendar.plus,
        "minus": calendar.minus,
        "startOf": calendar.start_of,
        "endOf": calendar.end_of,
    }
    return Context(bindings, methods=methods)


# -- what texts say ------------------------------------------------------------


def _kind_of(value: object) -> str:
    """Say what something is that is no text."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"the number {shown(value, 40)}" if isinstance(value, int | float) else "this"


def _no(value: object, wanted: str, hint: str) -> InputError:
    what = repr(shown(value, 40)) if isinstance(value, str) else _kind_of(value)
    return InputError(f"{what} is no {wanted}.", hint=hint)


def _clock_time(text: object) -> time:
    """Return the time of day that a text names."""
    wrong = _no(text, "time of day", "Write it as '9:00am', '9am', '21:30', 'noon' or 'midnight'.")
    word = text.strip().lower() if isinstance(text, str) else ""
    word = {"noon": "12:00", "midnight": "0:00"}.get(word, word)
    found = _TIME.fullmatch(word)
    if found is None or (found["minute"] is None and found["half"] is None):
        raise wrong
    hour, minute, second = (int(found[each] or 0) for each in ("hour", "minute", "second"))
    is_hour = 1 <= hour <= 12 if found["half"] else hour <= 23
    if not is_hour or minute > 59 or second > 59:
        raise wrong
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].startswith("p") else 0)
    return time(hour, minute, second)


def _unit_of(text: object) -> str:
    """Return the unit that is named, in the singular."""
    word = text.lower().removesuffix("s") if isinstance(text, str) else ""
    if word not in UNITS:
        raise _no(text, "unit", f"Use {', '.join(UNITS[:-1])} or {UNITS[-1]}.")
    return word


def _count_of(value: object, usage: str) -> int:
    """Return how many units are counted; `usage` is the hint where this is no number at all."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        is_fraction = type(value) is float
        raise _no(
            value, "whole number", "Count in a shorter unit: 90 minutes." if is_fraction else usage
        )
    if abs(value) > _MOST:
        raise InputError("the count is too large.", hint="The years 1 to 9999 are known.")
    return int(value)


@dataclass(frozen=True, slots=True)
class _Moment:
    """
    What the text of a moment says.

    Attributes:
        clock: the date, and what the clock shows there, without an offset.
        has_time: whether there is a time, or only a date.
        offset: how far the clock is ahead of UTC, or None where the text does not tell.
        is_z: whether that is written as Z.
    """

    clock: datetime
    has_time: bool = True
    offset: timedelta | None = None
    is_z: bool = False

    @classmethod
    def of(cls, text: object) -> _Moment:
        """
        Read the text of a moment.

        Example:
            >>> _Moment.of("2024-03-10").has_time, str(_Moment.of("2024-03-10 09:00Z"))
            (False, '2024-03-10T09:00:00Z')
        """
        found = _MOMENT.fullmatch(text) if isinstance(text, str) else None
        hint = "Write it as 2024-08-15, 2024-08-15T09:00:00 or 2024-08-15T09:00:00+02:00."
        if found is None:
            what = shown(repr(text), 60) if isinstance(text, str) else _kind_of(text)
            raise InputError(f"{what} is no date and no time.", hint=hint)
        try:
            read = datetime.fromisoformat(found[0].upper())
        except ValueError as error:
            what = f"{shown(text, 60)!r} is no date: {shown(error)}."
            raise InputError(what, hint=hint) from None
        is_z = (found["offset"] or "").upper() == "Z"
        return cls(read.replace(tzinfo=None), found["time"] is not None, read.utcoffset(), is_z)

    @property
    def aware(self) -> datetime:
        """The instant; of what has no offset, as if it were of UTC."""
        return self.clock.replace(tzinfo=timezone(self.offset or timedelta()))

    def __str__(self) -> str:
        """Print it as an ISO 8601 text."""
        if not self.has_time:
            return self.clock.date().isoformat()
        if self.offset is None or self.is_z:
            return f"{self.clock.isoformat()}{'Z' if self.is_z else ''}"
        return self.aware.isoformat()


# -- what is counted -----------------------------------------------------------


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

    def __init__(self, zone: object, week_starts: object) -> None:
        try:
            import pendulum
        except ImportError:
            hint = "Install it with: pip install 'refract-asp[plan]'"
            raise InputError("date helpers need the library pendulum.", hint=hint) from None
        self._pendulum: Any = pendulum
        first = week_starts.capitalize() if isinstance(week_starts, str) else ""
        if first not in WEEKDAYS:
            raise _no(week_starts, "day of the week", f"Use {WEEKDAYS[0]} to {WEEKDAYS[-1]}.")
        self._first = WEEKDAYS.index(first)
        if not isinstance(zone, str):
            what = f"timezone cannot be {_kind_of(zone)}."
            raise InputError(what, hint='Name it, as "Europe/Rome".')
        try:
            self._zone = pendulum.timezone(zone)
        except Exception:  # what it raises depends on the name
            hint = 'Name it as "UTC" or "Europe/Rome".'
            raise InputError(f"there is no time zone {shown(zone)!r}.", hint=hint) from None

    def set_now(self, told: object) -> None:
        """Take what time it is, with the offset that the time zone has then."""
        if told is not None and not isinstance(told, datetime | str):
            hint = "Give a datetime or an ISO 8601 text."
            raise InputError(
                f"now cannot be a value of type {shown(type(told).__name__)}.", hint=hint
            )
        instant = told if isinstance(told, datetime) else datetime.now(UTC)
        if isinstance(told, str):
            moment = _Moment.of(told)
            instant = moment.clock if moment.offset is None else moment.aware
        with _known_years():
            self.now = self._here(instant)
        self.today = _Moment(self.now.clock, has_time=False)

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
        word = component.lower() if isinstance(component, str) else ""
        if word.capitalize() in WEEKDAYS:
            start, wanted = self.today, WEEKDAYS.index(word.capitalize())
            if direction == 0:
                start = self._start(self.today, "week")
            apart = (direction or 1) * (wanted - start.clock.weekday()) % 7
            return str(self._later(start, (direction or 1) * (apart or 7 * abs(direction)), "day"))
        if word.removesuffix("s") not in UNITS:
            what = repr(shown(component, 40)) if isinstance(component, str) else "this"
            hint = "Use as day, month or Monday."
            raise InputError(f"{what} is no unit and no day of the week.", hint=hint)
        unit = _unit_of(component)
        start = self._start(self.now if unit in _OF_A_DAY else self.today, unit)
        return str(self._later(start, direction, unit))

    @usage("at(time), as in at('9:00am')")
    @_known_years()
    def at(self, moment: str, time: str) -> str:
        """Return the moment of the same day at which the clock shows a time; a date gets one of this zone."""
        given = _Moment.of(moment)
        clock = datetime.combine(given.clock.date(), _clock_time(time))
        if not given.has_time:
            return str(self._with_offset(_Moment(clock)))
        return str(self._placed(given, clock, given.offset))

    @usage(_PLUS)
    @_known_years()
    def plus(self, moment: str, count: int, unit: str) -> str:
        """Return the moment so many units later."""
        given, number = _Moment.of(moment), _count_of(count, f"Write {_PLUS}.")
        return str(self._later(given, number, _unit_of(unit)))

    @usage(_MINUS)
    @_known_years()
    def minus(self, moment: str, count: int, unit: str) -> str:
        """Return the moment so many units earlier."""
        given, number = _Moment.of(moment), _count_of(count, f"Write {_MINUS}.")
        return str(self._later(given, -number, _unit_of(unit)))

    @usage("startOf(unit), as in startOf(week)")
    @_known_years()
    def start_of(self, moment: str, unit: str) -> str:
        """Return the first moment of the unit in which a moment lies."""
        return str(self._start(_Moment.of(moment), _unit_of(unit)))

    @usage("endOf(unit), as in endOf(week)")
    @_known_years()
    def end_of(self, moment: str, unit: str) -> str:
        """Return the last moment of the unit in which a moment lies: a microsecond before the next one."""
        given, unit = _Moment.of(moment), _unit_of(unit)
        if unit in _OF_A_DAY:
            given = self._timed(given)
            return str(self._placed(given, self._naive(given).end_of(unit), given.offset))
        clock = self._naive(given)
        if unit == "week":
            unit, clock = "day", clock.add(days=6 - (clock.weekday() - self._first) % 7)
        clock = clock.end_of(unit)
        return str(self._placed(given, clock, self._offsets(clock)[1]))

    # -- in the zone -----------------------------------------------------------

    def _naive(self, moment: _Moment) -> Any:
        """Return the clock of a moment as pendulum counts with it."""
        clock = moment.clock
        return self._pendulum.naive(*clock.timetuple()[:6], clock.microsecond)

    def _start(self, moment: _Moment, unit: str) -> _Moment:
        if unit in _OF_A_DAY:
            moment = self._timed(moment)
            return self._placed(moment, self._naive(moment).start_of(unit), moment.offset)
        clock = self._naive(moment)
        if unit == "week":
            unit, clock = "day", clock.subtract(days=(clock.weekday() - self._first) % 7)
        return self._placed(moment, clock.start_of(unit))

    def _later(self, moment: _Moment, count: int, unit: str) -> _Moment:
        """Return the moment so many units later; at the end of a month that is shorter, its last day."""
        if unit not in _OF_A_DAY:
            clock = self._naive(moment).add(**{f"{unit}s": count})
            return self._placed(moment, clock, moment.offset)
        moment, length = self._timed(moment), timedelta(**{f"{unit}s": count})
        if not self._is_here(moment):
            return replace(moment, clock=moment.clock + length)
        found = self._here(moment.aware.astimezone(UTC) + length)
        return replace(found, is_z=moment.is_z and not found.offset)

    def _here(self, instant: datetime) -> _Moment:
        """Return an instant as the clock shows it in this time zone; without an offset, it is of it."""
        if instant.tzinfo is None:
            return self._with_offset(_Moment(instant))
        found = instant.astimezone(self._zone)
        return _Moment(found.replace(tzinfo=None, fold=0), True, found.utcoffset())

    def _timed(self, moment: _Moment) -> _Moment:
        """Return a moment with a time: a date begins at midnight in this time zone."""
        return moment if moment.has_time else self._with_offset(_Moment(moment.clock))

    def _placed(self, moment: _Moment, clock: datetime, like: timedelta | None = None) -> _Moment:
        """Return a moment with another clock, in the form of the one that it was made of."""
        made = replace(moment, clock=datetime.combine(clock.date(), clock.time()))
        return self._with_offset(made, like) if self._is_here(moment) else made

    def _with_offset(self, moment: _Moment, like: timedelta | None = None) -> _Moment:
        """
        Return a moment with the offset that its clock has in this time zone.

        Where the clock shows the time twice it is the first of both, or the one with the offset `like`.
        Where the clock leaves it out it is so much later.
        """
        clock = moment.clock
        offset, second = self._offsets(clock)
        if second > offset:  # the clock is put forward
            clock, offset = clock + (second - offset), second
        elif like == second:
            offset = second
        return _Moment(clock, True, offset, moment.is_z and not offset)

    def _offsets(self, clock: datetime) -> tuple[timedelta, timedelta]:
        """Return the offsets that a clock has here, before and after a change where it is at one."""
        zone: Any = self._zone
        return zone.utcoffset(clock.replace(fold=0)), zone.utcoffset(clock.replace(fold=1))

    def _is_here(self, moment: _Moment) -> bool:
        """Whether the offset of a moment is the one that its clock has in this time zone."""
        return moment.offset in self._offsets(moment.clock)
