"""Where everything stands in a chart: plain numbers, which the templates turn into SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from refract_asp.model.shares import Share, Times
from refract_asp.report.terminal import percent

__all__ = [
    "Cell",
    "Chart",
    "Mark",
    "Tick",
    "bars",
    "fitted",
    "lines",
    "look",
    "look_again",
    "times",
]

WIDTH = 760
LEFT = 190
"""Where the plot begins; before it stand the names."""
ROOM = 15.5
"""How much of a name fits there, in widths of the widest letter."""
RIGHT = 70
"""What is kept behind the plot, for values."""
BAR = 14
GAP = 12
TOP = 8
BELOW = 28
"""For the numbers of the axis."""
HEIGHT = 260
"""Of a plot with lines."""
COLORS = 8
"""So many series have a colour of their own; the next ones have an outline besides, or a dashed line."""
STYLES = 3
"""Plain, outlined, outlined with dashes; for lines plain, dashed, dotted."""

PLOT = WIDTH - LEFT - RIGHT
QUARTERS = range(5)

Cell = tuple[str, Share]
"""What a share is called, and the share."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """
    A value of a series.

    Attributes:
        x: where it is.
        y: where it is.
        low: where its interval begins.
        high: where it ends.
        series: the number of the series, for its look.
        text: the value, as it is printed.
        title: what it is, for who points at it.
    """

    x: float
    y: float
    low: float
    high: float
    series: int
    text: str
    title: str

    @property
    def fill(self) -> str:
        """The classes of an area of its series."""
        return look(self.series)[0]

    @property
    def stroke(self) -> str:
        """The classes of a line of its series."""
        return look(self.series)[1]


@dataclass(frozen=True, slots=True)
class Chart:
    """
    What is drawn: names beside or below the plot, the marks, the numbers of the axis.

    The marks are by name where there are bars, by series where there are lines, by row where there are times.
    """

    height: int
    left: int
    names: tuple[Tick, ...]
    marks: tuple[tuple[Mark, ...], ...]
    axis: tuple[Tick, ...]
    width: int = WIDTH


def look(number: int) -> tuple[str, str]:
    """
    Return the classes of areas and of lines of a series; as many look different as `COLORS * STYLES`.

    Example:
        >>> look(1), look(9), look(24) == look(0)
        (('f1', 'k1'), ('f1 o1', 'k1 d1'), True)
    """
    color, style = number % COLORS, number // COLORS % STYLES
    return (f"f{color} o{style}", f"k{color} d{style}") if style else (f"f{color}", f"k{color}")


def look_again(count: int) -> str:
    """Say how so many series are told apart where there are more of them than colours; else nothing."""
    if count <= COLORS:
        return ""
    said = "The colours come again from the ninth system on, with an outline or a dashed line."
    if count <= COLORS * STYLES:
        return said
    more = f"From the {COLORS * STYLES + 1}th on they look like earlier ones"
    return f"{said} {more}: bars stand in this order, and each mark says what it is to who points at it."


def bars(
    names: Sequence[str], series: Sequence[str], cells: Sequence[Sequence[Cell | None]]
) -> Chart:
    """
    Lay out horizontal bars: a group for each name, in it a bar for each series.

    Example:
        >>> from refract_asp.model.shares import share
        >>> ((mark,),) = bars(["label"], ["refract"], [[("restored", share(1, 2))]]).marks
        >>> mark.x == LEFT + PLOT / 2, mark.text
        (True, '50.0 %')
    """
    marks, places = [], []
    y = float(TOP)
    for name, row in zip(names, cells, strict=True):
        places.append(Tick(y + BAR * len(series) / 2, name))
        group = []
        for number, cell in enumerate(row):
            if cell is not None and cell[1].of:
                x, low, high = (round(LEFT + PLOT * part, 1) for part in _parts(cell))
                text, title = percent(cell[1].value), _title(name, series[number], cell)
                group.append(Mark(x, y, low, high, number, text, title))
            y += BAR
        marks.append(tuple(group))
        y += GAP
    axis = tuple(Tick(LEFT + PLOT * part / 4, f"{25 * part} %") for part in QUARTERS)
    return Chart(round(y) - GAP + TOP + BELOW, LEFT, tuple(places), tuple(marks), axis)


def lines(
    names: Sequence[str], series: Sequence[str], cells: Sequence[Sequence[Cell | None]]
) -> Chart:
    """Lay out lines: the names from left to right, a line for each series; what is not there leaves a gap."""
    left = 60
    step = (WIDTH - left - RIGHT) / max(1, len(names) - 1)
    room = HEIGHT - BELOW - 14 - TOP
    found: list[list[Mark]] = [[] for _ in series]
    for place, (name, row) in enumerate(zip(names, cells, strict=True)):
        for number, (title, cell) in enumerate(zip(series, row, strict=True)):
            if cell is None or not cell[1].of:
                continue
            # Points of several series that stand at one value are moved apart a little.
            x = round(left + place * step + 3 * (number - (len(series) - 1) / 2), 1)
            y, low, high = (round(TOP + room * (1 - part), 1) for part in _parts(cell))
            told = percent(cell[1].value), _title(name, title, cell)
            found[number].append(Mark(x, y, low, high, number, *told))
    axis = tuple(Tick(round(TOP + room * (1 - part / 4), 1), f"{25 * part} %") for part in QUARTERS)
    places = tuple(Tick(round(left + place * step, 1), name) for place, name in enumerate(names))
    return Chart(HEIGHT, left, places, tuple(map(tuple, found)), axis)


def times(found: Sequence[tuple[str, int, Times]]) -> Chart | None:
    """
    Lay out the times that 50, 95, 99 and 100 % do not exceed, on an axis of powers of ten.

    There is a line for each (name, number of the series, times); without any there is no chart. Times below
    a microsecond stand at a microsecond.
    """
    if not found:
        return None
    seconds = [max(1e-6, value) for _, _, each in found for value in (each.p50, each.max)]
    first = math.floor(math.log10(min(seconds)))
    last = max(math.ceil(math.log10(max(seconds))), first + 1)

    def at(value: float) -> float:
        return round(LEFT + PLOT * (math.log10(max(1e-6, value)) - first) / (last - first), 1)

    rows, names = [], []
    y = TOP + BAR
    for name, number, each in found:
        names.append(Tick(y, name))
        ends = at(each.p50), at(each.max)
        rows.append(
            tuple(
                Mark(at(value), y, *ends, number, text, f"{name}: {text} {_time(value)}")
                for text in ("p50", "p95", "p99", "max")
                for value in [getattr(each, text)]
            )
        )
        y += BAR + GAP
    axis = tuple(Tick(at(10.0**power), _time(10.0**power)) for power in range(first, last + 1))
    return Chart(y - GAP + TOP + BELOW, LEFT, tuple(names), tuple(rows), axis)


def _parts(cell: Cell) -> tuple[float, float, float]:
    """Return a share and the ends of its interval."""
    return cell[1].value or 0, cell[1].low, cell[1].high


def _title(name: str, series: str, cell: Cell) -> str:
    what, part = cell
    return f"{name}, {series}: {what} {part.count} of {part.of}, {percent(part.value)}"


def fitted(name: str) -> str:
    """
    Return what of a name fits beside a chart, by a guess at how wide its letters are.

    Example:
        >>> fitted("missing_reference"), fitted("W" * 40)
        ('missing_reference', 'WWWWWWWWWWWWW...')
    """
    used = 0.0
    for number, letter in enumerate(name):
        used += 1.0 if letter in "WMmw@%" or east_asian_width(letter) in "WF" else 0.55
        if used > ROOM:
            return f"{name[: number - 2]}..."
    return name


def _time(seconds: float) -> str:
    """
    Return a time with its unit.

    Example:
        >>> _time(0.000_01), _time(0.0123), _time(2.5)
        ('0.01 ms', '12.3 ms', '2.5 s')
    """
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{1000 * seconds:.3g} ms"
