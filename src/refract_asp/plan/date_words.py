"""The words that date helpers are called with: times of day, units, days of the week, and counts."""

from __future__ import annotations

import re

from refract_asp.errors import InputError, shown

__all__ = ["UNITS", "WEEKDAYS", "clock_time", "count_of", "kind_of", "unit_of", "weekday_of"]

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
        raise InputError(f"{what} is no day of the week.", hint=f"Use {WEEKDAYS[0]} to {WEEKDAYS[-1]}.")
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
