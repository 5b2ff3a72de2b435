"""
Draws a sequence: calls as boxes, the values that flow between them as arrows, stages side by side.

Names come from outside. They are written so that none of them can end its box, open another one, or be taken
for markup or a link: everything but letters, digits and a few harmless signs is escaped.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Literal, NamedTuple

from refract_asp.errors import InputError, shown
from refract_asp.model import Catalog, Sequence
from refract_asp.model.paths import path_text
from refract_asp.plan.stages import Order, order_of, reads_of, stages

__all__ = ["Drawing", "Edge", "Node", "drawing_of", "graph"]

LONGEST_NAME = 60
LONGEST_EDGE = 80
PATHS = 4
"""So many paths are written at one arrow."""

_HARMLESS = frozenset(" .,_=()+*/'")


class Node(NamedTuple):
    """A call: its number, from 0, and what is written in its box, a line each."""

    number: int
    lines: tuple[str, ...]


class Edge(NamedTuple):
    """A call that another one waits for; `text` are the paths that are read, None where only order counts."""

    start: int
    end: int
    text: str | None


class Drawing(NamedTuple):
    """What is drawn: the calls, the arrows, and the stages with the numbers of their calls."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    stages: tuple[tuple[int, ...], ...]

    @property
    def inline(self) -> tuple[int, ...]:
        """The calls that stand in no stage."""
        staged = {member for members in self.stages for member in members}
        return tuple(node.number for node in self.nodes if node.number not in staged)


def graph(
    sequence: Sequence,
    format: Literal["mermaid", "dot"] = "mermaid",
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
) -> str:
    """
    Draw a sequence in the language of Mermaid or of Graphviz.

    Args:
        sequence: the calls.
        format: the language, "mermaid" or "dot".
        catalog: the tools, where calls that change something are to keep their order.
        order: which calls these are, see `refract_asp.plan.stages.Order`.
        inline: names of local functions, which are called while the arguments of a call are made; they are
            drawn with round corners and stand in no stage.

    Raises:
        InputError: the language is none of these.

    Example:
        >>> print(graph(Sequence.load('a = f(x=1)\\ng(y="$a.p$")')))
        flowchart LR
          subgraph stage1["stage 1"]
            call1["a<br/>f"]
          end
          subgraph stage2["stage 2"]
            call2["g"]
          end
          call1 -->|"p"| call2
    """
    if format not in ("mermaid", "dot"):
        raise InputError(f"format cannot be {shown(format)!r}.", hint="Use mermaid or dot.")
    drawing = drawing_of(sequence, catalog, order, inline)
    return mermaid_text(drawing) if format == "mermaid" else dot_text(drawing)


def drawing_of(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
) -> Drawing:
    """Return what is drawn of a sequence."""
    read: dict[tuple[int, int], list[str]] = {}
    for each in reads_of(sequence):
        if each.producer is not None and each.call < len(sequence.calls):
            read.setdefault((each.producer, each.call), []).append(
                path_text(each.reference.path) or "all of it"
            )
    edges = {pair: Edge(*pair, _paths(texts)) for pair, texts in read.items()}
    for end, before in enumerate(order_of(sequence.calls, catalog, order)):
        for start in before:
            edges.setdefault((start, end), Edge(start, end, None))
    nodes = tuple(
        Node(
            number,
            tuple(shown(each, LONGEST_NAME) for each in (call.label, call.name) if each is not None),
        )
        for number, call in enumerate(sequence.calls)
    )
    arrows = tuple(edges[pair] for pair in sorted(edges))
    return Drawing(nodes, arrows, stages(sequence, catalog, order, inline))


def mermaid_text(drawing: Drawing) -> str:
    """Return a drawing in the language of Mermaid."""
    lines = ["flowchart LR"]
    for number, members in enumerate(drawing.stages, 1):
        lines.append(f'  subgraph stage{number}["stage {number}"]')
        for member in members:
            text = "<br/>".join(_for_mermaid(line) for line in drawing.nodes[member].lines)
            lines.append(f'    call{member + 1}["{text}"]')
        lines.append("  end")
    for member in drawing.inline:
        text = "<br/>".join(_for_mermaid(line) for line in drawing.nodes[member].lines)
        lines.append(f'  call{member + 1}("{text}")')
    for edge in drawing.edges:
        arrow = "-.->" if edge.text is None else f'-->|"{_for_mermaid(edge.text)}"|'
        lines.append(f"  call{edge.start + 1} {arrow} call{edge.end + 1}")
    return "\n".join(lines)


def dot_text(drawing: Drawing) -> str:
    """Return a drawing in the language of Graphviz."""
    lines = ["digraph calls {", "  rankdir=LR;", "  node [shape=box];"]
    inline = drawing.inline
    for node in drawing.nodes:
        text = "\\n".join(_for_dot(line) for line in node.lines)
        style = ", style=rounded" if node.number in inline else ""
        lines.append(f'  call{node.number + 1} [label="{text}"{style}];')
    for members in drawing.stages:
        inside = " ".join(f"call{member + 1};" for member in members)
        lines += [f"  {{ rank=same; {inside} }}"]
    for edge in drawing.edges:
        more = " [style=dashed]" if edge.text is None else f' [label="{_for_dot(edge.text)}"]'
        lines.append(f"  call{edge.start + 1} -> call{edge.end + 1}{more};")
    return "\n".join([*lines, "}"])


def _paths(texts: list[str]) -> str:
    names = list(dict.fromkeys(texts))
    more = f" and {len(names) - PATHS} more" if len(names) > PATHS else ""
    return shown(", ".join(names[:PATHS]), LONGEST_EDGE) + more


def _for_mermaid(text: str) -> str:
    """Write every sign that is not harmless as the number of its character, which Mermaid reads back."""
    return "".join(c if c.isalnum() or c in _HARMLESS else f"#{ord(c)};" for c in text)


def _for_dot(text: str) -> str:
    """Escape what ends a text of Graphviz, and what it takes for an escape or the name of a character."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
