"""Drawings as SVG that needs nothing else, light and dark, in words as well as in colours."""

from __future__ import annotations

from collections.abc import Iterable

from refract_asp.report.drawing import Drawing
from refract_asp.report.elements import Child, Element, element, markup_of
from refract_asp.report.layout import LINE, PAD, Box, Layout, Wire, layout_of

__all__ = ["STYLE", "svg_of", "svg_text"]

_HEAD = 24
"""For the title of a drawing."""

STYLE = """\
.calls {
  --paper: #ffffff; --edge: #6b6a66; --text: #0b0b0b; --quiet: #52514e; --stage: #f1f0ec;
  --added: #1a7f37; --removed: #b3261e; --changed: #8f5600; --moved: #6f42c1;
  font: 12px ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  .calls {
    --paper: #1a1a19; --edge: #a3a29b; --text: #ffffff; --quiet: #c3c2b7; --stage: #2a2a28;
    --added: #6fdc8c; --removed: #ff8a80; --changed: #f0b45f; --moved: #c4a7ff;
  }
}
.calls text { font: inherit; fill: var(--text); }
.calls .paper { fill: var(--paper); stroke: none; }
.calls .stage { fill: var(--stage); stroke: none; }
.calls .quiet { fill: var(--quiet); }
.calls .title { font-weight: bold; }
.calls .box { fill: var(--paper); stroke: var(--edge); }
.calls .wire { fill: none; stroke: var(--edge); stroke-width: 1.2; }
.calls .head { fill: var(--edge); stroke: none; }
.calls .order { stroke-dasharray: 4 3; }
.calls .added, .calls .removed, .calls .changed, .calls .moved { stroke-width: 2.5; }
.calls .removed { stroke: var(--removed); stroke-dasharray: 6 3; }
.calls .added { stroke: var(--added); }
.calls .changed { stroke: var(--changed); }
.calls .moved { stroke: var(--moved); }
.calls .unresolved, .calls .wrong { stroke: var(--removed); stroke-width: 2.5; }
.calls .is-added { fill: var(--added); } .calls .is-changed { fill: var(--changed); }
.calls .is-moved { fill: var(--moved); }
.calls .is-removed, .calls .is-unresolved, .calls .is-wrong { fill: var(--removed); }
"""
"""How drawings look; what they are in is of the class `calls`."""


def svg_text(drawings: Iterable[tuple[str, Drawing]]) -> str:
    """
    Return drawings, one below the other with their titles, as a file of SVG.

    Example:
        >>> from refract_asp import Sequence
        >>> from refract_asp.report.drawing import drawing_of
        >>> svg_text([("", drawing_of(Sequence.load("f()")))])[:40]
        '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    return markup_of(svg_of(drawings, style=STYLE)).replace("<g", "\n<g").replace("<rect", "\n<rect")


def svg_of(drawings: Iterable[tuple[str, Drawing]], *, style: str = "") -> Element:
    """
    Return drawings as an element.

    Args:
        drawings: the drawings with their titles.
        style: what goes into it as its style; nothing where the page around it has `STYLE`.
    """
    parts: list[Child] = []
    width, y = 0.0, 0.0
    told = []
    for title, drawing in drawings:
        layout = layout_of(drawing)
        told.append(_said(title, drawing))
        head = _HEAD if title else 0
        if title:
            parts.append(element("text", title, x=PAD, y=y + 17, class_="title"))
        parts.append(element("g", *_drawn(drawing, layout), transform=f"translate(0 {_number(y + head)})"))
        width, y = max(width, layout.width), y + head + layout.height
        if drawing.left_out:
            parts.append(element("text", drawing.left_out_text, x=PAD, y=y + 12, class_="quiet"))
            width, y = max(width, 220), y + 20
    title = " ".join(told)
    return element(
        "svg",
        element("title", title),
        element("style", style) if style else None,
        element("rect", width=_number(width), height=_number(y), class_="paper") if style else None,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(y)}",
        width=_number(width),
        height=_number(y),
        role="img",
        aria_label=title,
        class_="calls",
    )


def _said(title: str, drawing: Drawing) -> str:
    count = len(drawing.nodes) + drawing.left_out
    calls = f"{count} call{'' if count == 1 else 's'}"
    stages = f"{len(drawing.stages)} stage{'' if len(drawing.stages) == 1 else 's'}"
    marked: dict[str, int] = {}
    for node in drawing.nodes:
        if node.changed:
            marked[node.changed] = marked.get(node.changed, 0) + 1
    changes = "".join(f", {number} {word}" for word, number in marked.items())
    return f"{f'{title}: ' if title else ''}{calls} in {stages}{changes}."


def _drawn(drawing: Drawing, layout: Layout) -> Iterable[Element]:
    for band in layout.bands:
        yield element(
            "rect", x=_number(band.x - 4), y=2, width=_number(band.width + 8),
            height=_number(layout.height - 4), rx=4, class_="stage",
        )  # fmt: skip
        yield element("text", band.title, x=_number(band.x), y=18, class_="quiet")
    for wire in layout.wires:
        yield _wire(wire, drawing)
    for box in layout.boxes:
        yield _box(box)


def _wire(wire: Wire, drawing: Drawing) -> Element:
    edge = wire.edge
    start, end = (drawing.nodes[number].lines[0] for number in (edge.start, edge.end))
    what = f"{end} reads {edge.text} of {start}" if edge.text else f"{end} waits for {start}"
    look = " ".join(["wire", *(["order"] if edge.text is None else []), *filter(None, [edge.changed])])
    x, y = wire.x + 11, wire.y + 4
    mark = f"is-{edge.changed}" if edge.changed else None
    return element(
        "g",
        element("title", f"{edge.changed}: {what}" if edge.changed else what),
        element("path", d=wire.path, class_=look),
        element(
            "path",
            d=f"M{_number(x)} {_number(y)}l-8 -4v8z",
            class_=" ".join(["head", *filter(None, [mark])]),
        ),
        element("text", wire.text, x=_number(wire.x), y=_number(wire.y), text_anchor="end", class_=mark)
        if wire.text
        else None,
    )


def _box(box: Box) -> Element:
    node = box.node
    top = box.y + (box.height - LINE * len(box.lines)) / 2
    first = 1 if node.changed else 0
    return element(
        "g",
        element("title", "\n".join([f"call {node.number + 1}", *node.told])),
        element(
            "rect",
            x=_number(box.x),
            y=_number(box.y),
            width=_number(box.width),
            height=_number(box.height),
            rx=12 if box.is_inline else 3,
            class_=" ".join(["box", *filter(None, [node.changed])]),
        ),
        *(
            element(
                "text",
                line,
                x=_number(box.x + PAD),
                y=_number(top + LINE * number + 12),
                class_=_line_look(number - first, node.changed, len(node.lines)),
            )
            for number, line in enumerate(box.lines)
        ),
    )


def _line_look(number: int, changed: str | None, names: int) -> str | None:
    """Return the class of a line of a box: the word for what became of it, its names, what was changed."""
    if number < 0:
        return f"is-{changed}"
    return None if number < names else "quiet"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
