"""Where everything stands in a drawing: stages as columns from left to right, arrows through their gaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import east_asian_width

from refract_asp.report.drawing import Drawing, Edge, Node

__all__ = ["Band", "Box", "Layout", "Wire", "cut", "layout_of"]

CHARACTER = 7.3
"""How wide a character is, in a font in which all are."""
LINE = 16
PAD = 8
ROOM = 18
"""How high an arrow is, where it enters a box or passes a column."""
ABOVE = 28
"""For the titles of the columns."""
GAP = 14
BETWEEN = 46
"""What an arrow needs between two columns beside its text."""
LONGEST_LINE = 34
LONGEST_EDGE = 26
DETOURS = 2_000
"""So many places where arrows pass a column are found; further arrows pass behind the boxes."""


_SIGNS = {"added": "+ ", "removed": "- ", "changed": "~ "}
"""What stands before the text of an arrow that was changed."""


class Box(NamedTuple):
    """A call, where it stands; `lines` are cut so that they fit."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    is_inline: bool


class Wire(NamedTuple):
    """An arrow: the path it takes, as SVG says it, and its text, cut, with the place where it ends."""

    edge: Edge
    path: str
    text: str
    x: float
    y: float


class Band(NamedTuple):
    """A stage: its column."""

    title: str
    x: float
    width: float


class Layout(NamedTuple):
    """A drawing with its places."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    bands: tuple[Band, ...]


@dataclass
class _Place:
    """What stands in a column: a call, or an arrow that passes by."""

    node: int | None
    height: float
    befores: list[_Place] = field(default_factory=list)
    at: float = 0.0
    """Its place in its column: first its number there, then its middle."""
    y: float = 0.0


def layout_of(drawing: Drawing) -> Layout:
    """Lay out a drawing; the same drawing always in the same way."""
    return _Layouting(drawing).layout()


class _Layouting:
    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.inline = frozenset(drawing.inline)
        self.lines = [tuple(cut(line, LONGEST_LINE) for line in node.told) for node in drawing.nodes]
        self.columns, self.column_of = self._columns()
        self.texts = [
            _SIGNS.get(e.changed or "", "") + cut(e.text or "", LONGEST_EDGE) for e in drawing.edges
        ]
        incoming = [0] * len(drawing.nodes)
        for edge in drawing.edges:
            incoming[edge.end] += 1
        self.places = [
            _Place(n, max(LINE * len(lines) + 2 * PAD, ROOM * incoming[n]))
            for n, lines in enumerate(self.lines)
        ]
        self.routes: list[list[_Place]] = []
        self.stacks: list[list[_Place]] = [[self.places[n] for n in column] for column in self.columns]
        self._route()

    def _columns(self) -> tuple[list[list[int]], list[int]]:
        """Return the calls of each column: a stage, or local functions between two stages."""
        ranks: dict[int, tuple[int, int]] = {
            member: (number, 0) for number, members in enumerate(self.drawing.stages) for member in members
        }
        befores: dict[int, list[int]] = {}
        for edge in self.drawing.edges:
            befores.setdefault(edge.end, []).append(edge.start)
        for number in sorted(self.inline):
            stage, depth = max((ranks[each] for each in befores.get(number, ())), default=(-1, 0))
            ranks[number] = stage, depth + 1
        known = {rank: column for column, rank in enumerate(sorted(set(ranks.values())))}
        column_of = [known[ranks[number]] for number in range(len(self.drawing.nodes))]
        columns: list[list[int]] = [[] for _ in known]
        for number, column in enumerate(column_of):
            columns[column].append(number)
        return columns, column_of

    def _route(self) -> None:
        """Find the columns that each arrow passes, and the order of what stands in each column."""
        left = DETOURS
        for edge in self.drawing.edges:
            between = range(self.column_of[edge.start] + 1, self.column_of[edge.end])
            route = [self.places[edge.start]]
            if len(between) <= left:
                left -= len(between)
                for column in between:
                    passing = _Place(None, ROOM, [route[-1]])
                    self.stacks[column].append(passing)
                    route.append(passing)
            self.places[edge.end].befores.append(route[-1])
            self.routes.append([*route, self.places[edge.end]])
        for stack in self.stacks:
            middles = {id(each): _mean([before.at for before in each.befores]) for each in stack}
            stack.sort(key=lambda each: middles[id(each)])
            for number, each in enumerate(stack):
                each.at = number - (len(stack) - 1) / 2

    def layout(self) -> Layout:
        """Return all places."""
        widths = [
            max((CHARACTER * _width(line) for n in column for line in self.lines[n]), default=0) + 2 * PAD
            for column in self.columns
        ]
        gaps = [0.0] * len(self.columns)
        for number, edge in enumerate(self.drawing.edges):
            end = self.column_of[edge.end]
            gaps[end] = max(gaps[end], CHARACTER * _width(self.texts[number]) + BETWEEN)
        lefts: list[float] = []
        x = float(PAD)
        for width, gap in zip(widths, gaps, strict=True):
            x += gap or (GAP if lefts else 0)
            lefts.append(x)
            x += width
        heights = [sum(each.height + GAP for each in stack) - GAP for stack in self.stacks]
        highest = max(heights, default=0)
        for stack, height in zip(self.stacks, heights, strict=True):
            y = ABOVE + PAD + (highest - height) / 2
            for each in stack:
                each.y = each.at = y
                each.at += each.height / 2
                y += each.height + GAP
        return Layout(
            width=_round(x + PAD),
            height=_round(highest + ABOVE + 2 * PAD),
            boxes=tuple(
                Box(
                    node,
                    _round(lefts[self.column_of[n]]),
                    _round(self.places[n].y),
                    _round(widths[self.column_of[n]]),
                    _round(self.places[n].height),
                    self.lines[n],
                    n in self.inline,
                )
                for n, node in enumerate(self.drawing.nodes)
            ),
            wires=tuple(self._wires(lefts, widths)),
            bands=tuple(
                Band(f"stage {number}", _round(lefts[column]), _round(widths[column]))
                for number, members in enumerate(self.drawing.stages, 1)
                for column in [self.column_of[members[0]]]
            ),
        )

    def _wires(self, lefts: list[float], widths: list[float]) -> list[Wire]:
        """Lead each arrow through its route; those that enter one box do so one below the other."""
        ports: dict[int, list[int]] = {}
        for number, edge in enumerate(self.drawing.edges):
            ports.setdefault(edge.end, []).append(number)
        for numbers in ports.values():
            numbers.sort(key=lambda number: (self.routes[number][-2].at, number))
        wires = []
        for number, (edge, route) in enumerate(zip(self.drawing.edges, self.routes, strict=True)):
            column = self.column_of[edge.start]
            x, y = lefts[column] + widths[column], route[0].at
            path = [f"M{_round(x)} {_round(y)}"]
            for passing in route[1:-1]:
                column += 1
                path += [
                    _curve(x, y, lefts[column], passing.at),
                    f"H{_round(lefts[column] + widths[column])}",
                ]
                x, y = lefts[column] + widths[column], passing.at
            end = route[-1]
            entering = ports[edge.end]
            port = end.y + end.height * (entering.index(number) + 0.5) / len(entering)
            to = lefts[self.column_of[edge.end]]
            straight = to - CHARACTER * _width(self.texts[number]) - 14
            path += [_curve(x, y, straight, port), f"H{_round(to - 1)}"]
            wires.append(Wire(edge, "".join(path), self.texts[number], _round(to - 12), _round(port - 4)))
        return wires


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = _round((x + to_x) / 2)
    return f"C{middle} {_round(y)} {middle} {_round(to_y)} {_round(to_x)} {_round(to_y)}"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _width(text: str) -> float:
    """Return how many characters wide a text is; those of some scripts take the room of two."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def cut(text: str, most: int) -> str:
    """
    Return what of a text fits into so many characters.

    Example:
        >>> cut("SkyScrapperSearchAirport", 12)
        'SkyScrapp...'
    """
    if _width(text) <= most:
        return text
    used, kept = 3.0, ""
    for letter in text:
        used += _width(letter)
        if used > most:
            break
        kept += letter
    return f"{kept}..."


def _round(value: float) -> float | int:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded
