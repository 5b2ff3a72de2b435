"""
Moments as texts, and calendar arithmetic on them.

A moment is an ISO 8601 text: a date (`2024-03-10`), a date with a time (`2024-03-10T09:00:00`), or one with
an offset too (`2024-03-10T09:00:00-05:00`); it stays in its form. What is of the time zone of the context is
counted in it: days and longer units keep what the clock shows, hours and shorter ones are so much later.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from refract_asp.errors import InputError, shown

__all__ = [
    "UNITS",
    "WEEKDAYS",
    "Calendar",
    "Moment",
    "clock_time",
    "count_of",
    "kind_of",
    "unit_of",
    "weekday_of",
]


UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
"""What is counted, the short ones first; each may stand in the plural."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MOST = 10_000_000_000
"""More of any unit leaves the calendar for sure; the years 1 to 9999 have so many seconds thirty times."""
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?\s*(?P<half>[ap]\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)


def kind_of(value: object) -> str:
    """Say what something is that is no text."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"the number {shown(value, 40)}" if isinstance(value, int | float) else "this"


def clock_time(text: object) -> tuple[int, int, int]:
    """
    Return hour, minute and second of a time of day.

    Raises:
        InputError: it is none.

    Example:
        >>> clock_time("9:00am"), clock_time("9 PM"), clock_time("21:30"), clock_time("noon")
        ((9, 0, 0), (21, 0, 0), (21, 30, 0), (12, 0, 0))
    """
    hint = "Write it as '9:00am', '9am', '21:30', 'noon' or 'midnight'."
    if not isinstance(text, str):
        raise InputError(f"{kind_of(text)} is no time of day.", hint=hint)
    word = text.strip().lower()
    if word in ("noon", "midnight"):
        return (12 if word == "noon" else 0), 0, 0
    found = _TIME.fullmatch(word)
    if found is None or (found["minute"] is None and found["half"] is None):
        raise InputError(f"{shown(text, 40)!r} is no time of day.", hint=hint)
    hour, minute, second = int(found["hour"]), int(found["minute"] or 0), int(found["second"] or 0)
    is_hour = 1 <= hour <= 12 if found["half"] else hour <= 23
    if not is_hour or minute > 59 or second > 59:
        raise InputError(f"{shown(text, 40)!r} is no time of day.", hint=hint)
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].startswith("p") else 0)
    return hour, minute, second


def unit_of(text: object) -> str:
    """
    Return the unit that is named, in the singular.

    Raises:
        InputError: there is no such unit.

    Example:
        >>> unit_of("hours"), unit_of("day")
        ('hour', 'day')
    """
    word = text.lower().removesuffix("s") if isinstance(text, str) else ""
    if word not in UNITS:
        what = repr(shown(text, 40)) if isinstance(text, str) else kind_of(text)
        raise InputError(f"{what} is no unit.", hint=f"Use {', '.join(UNITS[:-1])} or {UNITS[-1]}.")
    return word


def weekday_of(text: object) -> str:
    """
    Return the day of the week that is named.

    Raises:
        InputError: there is no such day.

    Example:
        >>> weekday_of("thursday")
        'Thursday'
    """
    word = text.capitalize() if isinstance(text, str) else ""
    if word not in WEEKDAYS:
        what = repr(shown(text, 40)) if isinstance(text, str) else kind_of(text)
        raise InputError(
            f"{what} is no day of the week.", hint=f"Use {WEEKDAYS[0]} to {WEEKDAYS[-1]}."
        )
    return word


def count_of(value: object, usage: str = "") -> int:
    """
    Return how many units are counted; `usage` is the hint where this is no number at all.

    Raises:
        InputError: it is no whole number, or a huge one.

    Example:
        >>> count_of(2.0)
        2
    """
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole:
        what = repr(shown(value, 40)) if isinstance(value, str) else kind_of(value)
        hint = "Count in a shorter unit: 90 minutes." if type(value) is float else usage
        raise InputError(f"{what} is no whole number.", hint=hint)
    count = int(value)  # type: ignore[call-overload]
    if abs(count) > _MOST:
        raise InputError("the count is too large.", hint="The years 1 to 9999 are known.")
    return int(count)


_OF_A_DAY = ("second", "minute", "hour")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d"
    r"(?P<time>[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?P<offset>[Zz]|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Moment:
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
    def of(cls, text: object) -> Moment:
        """
        Read the text of a moment.

        Raises:
            InputError: it is none.

        Example:
            >>> Moment.of("2024-03-10").has_time, str(Moment.of("2024-03-10 09:00Z"))
            (False, '2024-03-10T09:00:00Z')
        """
        found = _MOMENT.fullmatch(text) if isinstance(text, str) else None
        hint = "Write it as 2024-08-15, 2024-08-15T09:00:00 or 2024-08-15T09:00:00+02:00."
        if found is None or not isinstance(text, str):
            what = shown(repr(text), 60) if isinstance(text, str) else kind_of(text)
            raise InputError(f"{what} is no date and no time.", hint=hint)
        try:
            read = datetime.fromisoformat(text.upper())
        except ValueError as error:
            raise InputError(
                f"{shown(text, 60)!r} is no date: {shown(error)}.", hint=hint
            ) from None
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
        if self.offset is None:
            return self.clock.isoformat()
        if self.is_z:
            return f"{self.clock.isoformat()}Z"
        return self.aware.isoformat()


class Calendar:
    """
    Counts moments in a time zone.

    Args:
        zone: the name of a time zone, as "Europe/Rome".
        week_starts: the first day of a week.

    Raises:
        InputError: there is no such time zone or day, or the extra `plan` is not installed.

    Example:
        >>> rome = Calendar("Europe/Rome", "Monday")
        >>> str(rome.plus(Moment.of("2024-03-30T09:00:00+01:00"), 1, "day"))
        '2024-03-31T09:00:00+02:00'
        >>> str(rome.plus(Moment.of("2024-03-30T09:00:00+01:00"), 24, "hour"))
        '2024-03-31T10:00:00+02:00'
    """

    def __init__(self, zone: str, week_starts: str) -> None:
        """Look up the time zone."""
        self._pendulum = _pendulum()
        self._first = WEEKDAYS.index(weekday_of(week_starts))
        if not isinstance(zone, str):
            raise InputError(
                f"timezone cannot be {kind_of(zone)}.", hint='Name it, as "Europe/Rome".'
            )
        try:
            self._zone = self._pendulum.timezone(zone)
        except Exception:  # what it raises depends on the name
            raise InputError(
                f"there is no time zone {shown(zone)!r}.", hint='Name it as "UTC" or "Europe/Rome".'
            ) from None

    def now(self) -> Moment:
        """Return the moment that it is."""
        return self.here(datetime.now(UTC))

    def here(self, instant: datetime) -> Moment:
        """Return an instant as the clock shows it in this time zone; without an offset, it is of it."""
        if instant.tzinfo is None:
            return self.with_offset(Moment(instant))
        found = _counted(lambda: instant.astimezone(self._zone))
        return Moment(found.replace(tzinfo=None, fold=0), True, found.utcoffset())

    def with_offset(self, moment: Moment, like: timedelta | None = None) -> Moment:
        """
        Return a moment with the offset that its clock has in this time zone.

        Where the clock shows the time twice it is the first of both, or the one with the offset `like`.
        Where the clock leaves it out it is so much later.
        """
        first, second = self._offsets(moment.clock)
        clock, offset = moment.clock, first
        if second > first:  # the clock is put forward
            clock, offset = _counted(lambda: clock + (second - first)), second
        elif like == second:
            offset = second
        return Moment(clock, True, offset, moment.is_z and not offset)

    def _offsets(self, clock: datetime) -> tuple[timedelta, timedelta]:
        """Return the offsets that a clock has here, before and after a change where it is at one."""
        found = [
            _counted(lambda fold=fold: self._zone.utcoffset(clock.replace(fold=fold)))
            for fold in (0, 1)
        ]
        return found[0], found[1]

    def is_here(self, moment: Moment) -> bool:
        """Whether the offset of a moment is the one that its clock has in this time zone."""
        return moment.offset in self._offsets(moment.clock)

    def at(self, moment: Moment, time: object) -> Moment:
        """Return the moment of the same day at which the clock shows a time; a date gets one of this zone."""
        hour, minute, second = clock_time(time)
        clock = moment.clock.replace(hour=hour, minute=minute, second=second, microsecond=0)
        if not moment.has_time:
            return self.with_offset(Moment(clock))
        return self._placed(moment, clock)

    def plus(self, moment: Moment, count: int, unit: str) -> Moment:
        """Return the moment so many units later; at the end of a month that is shorter, its last day."""
        if unit in _OF_A_DAY:
            return self._later(
                self._timed(moment), timedelta(seconds=count * 60 ** _OF_A_DAY.index(unit))
            )
        days = {"day": 1, "week": 7}.get(unit)
        if days is not None:
            return self._placed(
                moment, _counted(lambda: moment.clock + timedelta(days=count * days))
            )
        date = moment.clock.date()
        clock = self._pendulum.naive(date.year, date.month, date.day)
        added = _counted(
            lambda: clock.add(months=count) if unit == "month" else clock.add(years=count)
        )
        return self._placed(moment, datetime.combine(added.date(), moment.clock.time()))

    def start_of(self, moment: Moment, unit: str) -> Moment:
        """Return the first moment of the unit in which a moment lies."""
        if unit in _OF_A_DAY:
            moment = self._timed(moment)
            return self._placed(moment, _floored(moment.clock, unit))
        midnight = datetime.combine(moment.clock.date(), _MIDNIGHT)
        if unit == "week":
            back = (midnight.weekday() - self._first) % 7
            midnight = _counted(lambda: midnight - timedelta(days=back))
        elif unit != "day":
            midnight = midnight.replace(day=1, month=1 if unit == "year" else midnight.month)
        return self._placed(moment, midnight, keeps=False)

    def end_of(self, moment: Moment, unit: str) -> Moment:
        """Return the last moment of the unit in which a moment lies: a microsecond before the next one."""
        if unit in _OF_A_DAY:
            moment = self._timed(moment)
            length = timedelta(seconds=60 ** _OF_A_DAY.index(unit))
            return self._placed(moment, _floored(moment.clock, unit) + (length - _TICK))
        last = moment.clock.date()
        if unit == "week":
            last = _counted(lambda: last + timedelta(days=6 - (last.weekday() - self._first) % 7))
        elif unit != "day":
            last = last.replace(month=12 if unit == "year" else last.month, day=1)
            last = last.replace(day=monthrange(last.year, last.month)[1])
        clock = (
            datetime.combine(last, datetime.max.time())
            if moment.has_time
            else datetime.combine(last, _MIDNIGHT)
        )
        if moment.offset is None or not self.is_here(moment):
            return replace(moment, clock=clock)
        return self.with_offset(replace(moment, clock=clock), like=self._offsets(clock)[1])

    def _timed(self, moment: Moment) -> Moment:
        """Return a moment with a time: a date begins at midnight in this time zone."""
        return moment if moment.has_time else self.with_offset(Moment(moment.clock))

    def _placed(self, moment: Moment, clock: datetime, *, keeps: bool = True) -> Moment:
        """Return a moment with another clock, in the form of the one that it was made of."""
        if moment.offset is None or not self.is_here(moment):
            return replace(moment, clock=clock)
        return self.with_offset(replace(moment, clock=clock), like=moment.offset if keeps else None)

    def _later(self, moment: Moment, length: timedelta) -> Moment:
        """Return the moment that is so much later."""
        if moment.offset is None or not self.is_here(moment):
            return replace(moment, clock=_counted(lambda: moment.clock + length))
        found: Moment = _counted(lambda: self.here(moment.aware.astimezone(UTC) + length))
        return replace(found, is_z=moment.is_z and not found.offset)


_TICK = timedelta(microseconds=1)
_MIDNIGHT = datetime.min.time()


def _floored(clock: datetime, unit: str) -> datetime:
    shorter = ("microsecond", *_OF_A_DAY[: _OF_A_DAY.index(unit)])
    return clock.replace(**dict.fromkeys(shorter, 0))  # type: ignore[arg-type]


def _counted(work: Any) -> Any:
    """Do some arithmetic, or say that it leaves the calendar."""
    try:
        return work()
    except (OverflowError, ValueError):
        raise InputError(
            "the date is beyond the years 1 to 9999.", hint="Count less, or from another date."
        ) from None


def _pendulum() -> Any:
    """Return the library, or say what is missing."""
    try:
        import pendulum
    except ImportError:
        raise InputError(
            "date helpers need the library pendulum.",
            hint="Install it with: pip install 'refract-asp[plan]'",
        ) from None
    return pendulum
