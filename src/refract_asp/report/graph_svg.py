"""
Drawings as SVG that needs nothing else, light and dark, in words as well as in colours.

Calls stand in columns from left to right, one for each stage; an arrow that passes a column goes behind it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from markupsafe import escape
from rich.cells import cell_len

from refract_asp.report.drawing import Drawing, Edge, Node

__all__ = [
    "STYLE",
    "Child",
    "Element",
    "element",
    "markup_of",
    "svg_of",
    "svg_text",
]


class Element(NamedTuple):
    """An element: its name, its attributes, and what is in it."""

    tag: str
    attributes: dict[str, str]
    children: tuple[Child, ...]


Child: TypeAlias = "Element | str"
"""What an element may hold."""

_VOID = frozenset({"br"})


def element(tag: str, *children: Child | None, **attributes: str | float | bool | None) -> Element:
    """
    Return an element; children and attributes that are None are left out.

    An attribute that is a word of Python bears a `_` at its end, and `_` stands for a dash: `class_`,
    `aria_label`. True stands for an attribute without a value.

    Example:
        >>> markup_of(element("p", "1 < 2 ", element("b", "yes"), class_="soft", id=None))
        '<p class="soft">1 &lt; 2 <b>yes</b></p>'
    """
    said = {
        name.rstrip("_").replace("_", "-"): "" if value is True else str(value)
        for name, value in attributes.items()
        if value is not None and value is not False
    }
    return Element(tag, said, tuple(child for child in children if child is not None))


def markup_of(child: Child) -> str:
    """Print an element and what is in it, as HTML that is XML, too."""
    if isinstance(child, str):
        return str(escape(child))
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in child.attributes.items())
    if child.tag in _VOID:
        return f"<{child.tag}{attributes}/>"
    return f"<{child.tag}{attributes}>{''.join(map(markup_of, child.children))}</{child.tag}>"


CHARACTER = 7.3
"""The width of a character; in the font of the drawings all are equally wide."""
LINE = 16
PAD = 8
HEAD = 24
"""The height of a title, of a drawing or of a column."""
GAP = 14
ARROW = 60
"""The space between two columns beside the longest text on an arrow."""
LONGEST_LINE = 34
LONGEST_EDGE = 26
_SIGNS = {"added": "+ ", "removed": "- ", "changed": "~ "}

STYLE = """\
.calls {
  --paper: #ffffff; --edge: #6b6a66; --text: #0b0b0b; --quiet: #52514e;
  --added: #1a7f37; --removed: #b3261e; --changed: #8f5600; --moved: #6f42c1;
  font: 12px ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  .calls {
    --paper: #1a1a19; --edge: #a3a29b; --text: #ffffff; --quiet: #c3c2b7;
    --added: #6fdc8c; --removed: #ff8a80; --changed: #f0b45f; --moved: #c4a7ff;
  }
}
.calls text { font: inherit; fill: var(--text); }
.calls .paper { fill: var(--paper); stroke: none; }
.calls .quiet { fill: var(--quiet); }
.calls .title { font-weight: bold; }
.calls .box { fill: var(--paper); stroke: var(--edge); }
.calls .wire { fill: none; stroke: var(--edge); }
.calls .order { stroke-dasharray: 4 3; }
.calls .head { fill: var(--edge); stroke: none; }
.calls .added, .calls .removed, .calls .changed, .calls .moved { stroke-width: 2.5; }
.calls .added { stroke: var(--added); }
.calls .removed { stroke: var(--removed); stroke-dasharray: 6 3; }
.calls .changed { stroke: var(--changed); }
.calls .moved { stroke: var(--moved); }
.calls .unresolved, .calls .wrong { stroke: var(--removed); stroke-width: 2.5; }
.calls .is-added { fill: var(--added); } .calls .is-changed { fill: var(--changed); }
.calls .is-moved { fill: var(--moved); }
.calls .is-removed, .calls .is-unresolved, .calls .is-wrong { fill: var(--removed); }
"""
"""The style of drawings; their element has the class `calls`."""


class _Box(NamedTuple):
    node: Node
    x: float
    y: float
    width: float
    height: float
    lines: list[str]


def svg_text(drawings: Iterable[tuple[str, Drawing]]) -> str:
    """
    Return drawings, one below the other with their titles, as a file of SVG.

    Example:
        >>> from refract_asp import Sequence
        >>> from refract_asp.report.drawing import drawing_of
        >>> svg_text([("", drawing_of(Sequence.load("f()")))])[:40]
        '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    return (
        markup_of(svg_of(drawings, style=STYLE)).replace("<g", "\n<g").replace("<rect", "\n<rect")
    )


def svg_of(drawings: Iterable[tuple[str, Drawing]], *, style: str = "") -> Element:
    """
    Return drawings as an element.

    Args:
        drawings: the drawings with their titles.
        style: the style to put into the element; empty where the page around it has `STYLE`.
    """
    parts: list[Child] = []
    descriptions = []
    width, y = 0.0, 0.0
    for title, drawing in drawings:
        descriptions.append(_description(title, drawing))
        if title:
            parts.append(element("text", title, x=PAD, y=y + 17, class_="title"))
            y += HEAD
        entering: dict[int, list[Edge]] = defaultdict(list)
        for edge in drawing.edges:
            entering[edge.end].append(edge)
        boxes = _boxes(drawing, entering, y)
        for edges in entering.values():
            parts += (_arrow(edge, boxes, (n + 0.5) / len(edges)) for n, edge in enumerate(edges))
        for number, members in enumerate(drawing.stages, 1):
            parts.append(
                element(
                    "text",
                    f"stage {number}",
                    x=_text(boxes[members[0]].x),
                    y=_text(y + 17),
                    class_="quiet",
                )
            )
        inline = frozenset(drawing.inline)
        parts += (_call(box, is_inline=box.node.number in inline) for box in boxes)
        width = max(width, *(box.x + box.width + PAD for box in boxes), 0)
        y = max(y + HEAD, *(box.y + box.height + PAD for box in boxes), 0)
        if drawing.left_out:
            parts.append(
                element("text", drawing.left_out_text, x=PAD, y=_text(y + 12), class_="quiet")
            )
            width, y = max(width, 220), y + 20
    title = " ".join(descriptions)
    return element(
        "svg",
        element("title", title),
        element("style", style) if style else None,
        element("rect", width=_text(width), height=_text(y), class_="paper") if style else None,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_text(width)} {_text(y)}",
        width=_text(width),
        height=_text(y),
        role="img",
        aria_label=title,
        class_="calls",
    )


def _description(title: str, drawing: Drawing) -> str:
    count = len(drawing.nodes) + drawing.left_out
    stages = len(drawing.stages)
    text = f"{count} call{'' if count == 1 else 's'} in {stages} stage{'' if stages == 1 else 's'}"
    marked = Counter(node.changed for node in drawing.nodes if node.changed)
    changes = "".join(f", {number} {word}" for word, number in marked.items())
    return f"{f'{title}: ' if title else ''}{text}{changes}."


def _boxes(drawing: Drawing, entering: dict[int, list[Edge]], top: float) -> list[_Box]:
    """Return the boxes of all calls, by number."""
    boxes: dict[int, _Box] = {}
    x = float(PAD)
    for column in _columns(drawing):
        labels = [cell_len(_label(edge)) for number in column for edge in entering.get(number, ())]
        x += CHARACTER * max(labels) + ARROW if labels else GAP if boxes else 0
        texts = {
            number: [_cut(line, LONGEST_LINE) for line in drawing.nodes[number].told]
            for number in column
        }
        longest = max(cell_len(line) for lines in texts.values() for line in lines)
        width = CHARACTER * max(longest, len("stage 500")) + 2 * PAD
        y = top + HEAD
        for number, lines in texts.items():
            height = LINE * max(len(lines), len(entering.get(number, ()))) + 2 * PAD
            boxes[number] = _Box(drawing.nodes[number], x, y, width, height, lines)
            y += height + GAP
        x += width
    return [boxes[number] for number in sorted(boxes)]


def _columns(drawing: Drawing) -> list[list[int]]:
    """Return the calls of each column: those of a stage, or local functions between two stages."""
    ranks = {
        member: (number, 0) for number, members in enumerate(drawing.stages) for member in members
    }
    for number in drawing.inline:  # a local function stands behind what it reads
        before = [ranks.get(edge.start, (-1, 0)) for edge in drawing.edges if edge.end == number]
        stage, depth = max(before, default=(-1, 0))
        ranks[number] = stage, depth + 1
    return [
        [number for number in ranks if ranks[number] == rank]
        for rank in sorted(set(ranks.values()))
    ]


def _arrow(edge: Edge, boxes: list[_Box], share: float) -> Element:
    """Draw an arrow with its text; `share` says how far down on the box it ends, from 0 to 1."""
    start, end = boxes[edge.start], boxes[edge.end]
    x, y = start.x + start.width, start.y + start.height / 2
    to_x, to_y = end.x, end.y + share * end.height
    text = _label(edge)
    bend = to_x - CHARACTER * cell_len(text) - 14
    middle = (x + bend) / 2
    names = boxes[edge.start].node.lines[0], boxes[edge.end].node.lines[0]
    what = (
        f"{names[1]} reads {edge.text} of {names[0]}"
        if edge.text
        else f"{names[1]} waits for {names[0]}"
    )
    path = f"M{_text(x)} {_text(y)}C{_text(middle)} {_text(y)} {_text(middle)} {_text(to_y)} "
    path += f"{_text(bend)} {_text(to_y)}H{_text(to_x - 1)}"
    mark = f"is-{edge.changed}" if edge.changed else None
    look = ["wire", "" if edge.text else "order", edge.changed or ""]
    return element(
        "g",
        element("title", f"{edge.changed}: {what}" if edge.changed else what),
        element("path", d=path, class_=" ".join(filter(None, look))),
        element(
            "path",
            d=f"M{_text(to_x - 1)} {_text(to_y)}l-8 -4v8z",
            class_=f"head {mark or ''}".strip(),
        ),
        element("text", text, x=_text(to_x - 12), y=_text(to_y - 4), text_anchor="end", class_=mark)
        if text
        else None,
    )


def _call(box: _Box, *, is_inline: bool) -> Element:
    node = box.node
    looks = [*([f"is-{node.changed}"] if node.changed else []), *[None] * len(node.lines)]
    looks += ["quiet"] * len(node.notes)
    return element(
        "g",
        element("title", "\n".join([f"call {node.number + 1}", *node.told])),
        element(
            "rect",
            x=_text(box.x),
            y=_text(box.y),
            width=_text(box.width),
            height=_text(box.height),
            rx=12 if is_inline else 3,
            class_=f"box {node.changed or ''}".strip(),
        ),
        *(
            element(
                "text", line, x=_text(box.x + PAD), y=_text(box.y + LINE * number + 20), class_=look
            )
            for number, (line, look) in enumerate(zip(box.lines, looks, strict=True))
        ),
    )


def _label(edge: Edge) -> str:
    return _SIGNS.get(edge.changed or "", "") + _cut(edge.text or "", LONGEST_EDGE)


def _cut(text: str, most: int) -> str:
    """Return a text, cut so that it is at most so many characters wide."""
    if cell_len(text) <= most:
        return text
    while cell_len(text) > most - 3:
        text = text[:-1]
    return f"{text}..."


def _text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
