"""
Draws a sequence: calls as boxes, values that flow between them as arrows, stages side by side; or as text.

Names come from outside. They are written so that none of them can end its box, open another one, or be taken
for markup or a link: everything but letters, digits and a few harmless signs is escaped.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from collections.abc import Sequence as Several
from typing import Any, Literal, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.pretty import call_text
from refract_asp.formats.references import Known
from refract_asp.model import Catalog, RepairResult, Sequence
from refract_asp.model.secrets import Secrets
from refract_asp.model.stages import Order, stages, unmade
from refract_asp.report.drawing import Drawing, Edge, Node, drawing_of, repair_drawings
from refract_asp.report.terminal import escaped, painted

__all__ = [
    "Drawing",
    "Edge",
    "GraphFormat",
    "Node",
    "Side",
    "drawing_of",
    "graph",
    "repair_graph",
    "stages_data",
    "stages_text",
]


GraphFormat: TypeAlias = Literal["mermaid", "dot", "svg"]
Side: TypeAlias = Literal["both", "given", "repaired"]
"""Which of the two drawings of a repair are drawn."""

_HARMLESS = frozenset(" .,_=()+*/'")
_COLORS = {
    "added": "#1a7f37",
    "removed": "#c62828",
    "changed": "#b26a00",
    "moved": "#6f42c1",
    "unresolved": "#c62828",
    "wrong": "#c62828",
}
"""The colours of borders, which show on light and on dark; the words in the boxes say the same."""


def graph(
    sequence: Sequence,
    format: GraphFormat = "mermaid",
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
) -> str:
    """
    Draw a sequence in the language of Mermaid or of Graphviz, or as SVG.

    Args:
        sequence: the calls; at most 500 are drawn.
        format: the language, "mermaid", "dot" or "svg".
        catalog: the tools, where calls that change something are to keep their order.
        order: which calls these are, see `refract_asp.model.stages.Order`.
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
    _known(format)
    drawing = drawing_of(sequence, catalog, order, inline)
    if format == "svg":
        from refract_asp.report.graph_svg import svg_text

        return svg_text([("", drawing)])
    return mermaid_text(drawing) if format == "mermaid" else dot_text(drawing)


def repair_graph(
    result: RepairResult,
    format: GraphFormat = "mermaid",
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
    side: Side = "both",
) -> str:
    """
    Draw a sequence before and after its repair, with what the repair changed; secrets are hidden.

    Args:
        result: the repair; where nothing was changed there is one drawing.
        format: the language, "mermaid", "dot" or "svg".
        catalog: the tools, where calls that change something are to keep their order.
        order: which calls these are.
        inline: names of local functions, see `graph`.
        side: which drawing is drawn, "given" or "repaired"; "both" by default.

    Raises:
        InputError: the language or the side is none of these.

    Example:
        >>> from refract_asp import repair
        >>> print(repair_graph(repair("Gett()", {"tools": [{"name": "Get"}]}), side="repaired"))
        flowchart LR
          subgraph stage1["stage 1"]
            call1["changed<br/>Get<br/>the tool becomes Get"]
          end
          class call1 changed;
          classDef changed stroke:#b26a00,stroke-width:3px;
    """
    _known(format)
    if side not in ("both", "given", "repaired"):
        raise InputError(f"side cannot be {shown(side)!r}.", hint="Use both, given or repaired.")
    before, after = repair_drawings(result, catalog, order, inline)
    drawings = [("given", before), ("repaired", after)]
    if side != "both":
        drawings = [(title, drawing) for title, drawing in drawings if title == side]
    elif before == after:
        drawings = drawings[:1]
    if format == "svg":
        from refract_asp.report.graph_svg import svg_text

        return svg_text(drawings if len(drawings) > 1 else [("", drawings[0][1])])
    if len(drawings) == 1:
        return (mermaid_text if format == "mermaid" else dot_text)(drawings[0][1])
    return (_both_in_mermaid if format == "mermaid" else _both_in_dot)(drawings)


def _known(format: str) -> None:
    if format not in ("mermaid", "dot", "svg"):
        raise InputError(f"format cannot be {shown(format)!r}.", hint="Use mermaid, dot or svg.")


# -- Mermaid -------------------------------------------------------------------


def mermaid_text(drawing: Drawing) -> str:
    """Return a drawing in the language of Mermaid."""
    return "\n".join(["flowchart LR", *_mermaid(drawing), *_classes([("", drawing)])])


def _both_in_mermaid(drawings: Several[tuple[str, Drawing]]) -> str:
    """Return drawings one after the other, each in a frame with its title."""
    lines = ["flowchart TB"]
    for title, drawing in drawings:
        inside = (f"  {line}" for line in _mermaid(drawing, f"{title}_"))
        lines += [f'  subgraph {title}["{title}"]', "    direction LR", *inside, "  end"]
    return "\n".join([*lines, *_classes((f"{title}_", drawing) for title, drawing in drawings)])


def _mermaid(drawing: Drawing, prefix: str = "") -> list[str]:
    """Return the lines of a drawing; `prefix` begins the names of its calls and stages."""
    lines = []
    for number, members in enumerate(drawing.stages, 1):
        lines.append(f'  subgraph {prefix}stage{number}["stage {number}"]')
        lines += [f'    {prefix}call{each + 1}["{_box(drawing.nodes[each])}"]' for each in members]
        lines.append("  end")
    lines += [f'  {prefix}call{each + 1}("{_box(drawing.nodes[each])}")' for each in drawing.inline]
    if drawing.left_out:
        lines.append(f'  {prefix}more("{drawing.left_out_text}")')
    for edge in drawing.edges:
        arrow = (
            f'{_ARROWS[edge.changed or ""]}|"{_for_mermaid(edge.text)}"|' if edge.text else "-.->"
        )
        lines.append(f"  {prefix}call{edge.start + 1} {arrow} {prefix}call{edge.end + 1}")
    return lines


_ARROWS = {"": "-->", "added": "==>", "removed": "--x", "changed": "==>"}


def _box(node: Node) -> str:
    return "<br/>".join(map(_for_mermaid, node.told))


def _classes(drawings: Iterable[tuple[str, Drawing]]) -> list[str]:
    """Say how calls look that were changed; each drawing comes with the prefix of its calls."""
    marked = [
        (f"{prefix}call{each.number + 1}", each.changed)
        for prefix, d in drawings
        for each in d.nodes
    ]
    used = {name for _, name in marked}
    dashed = {"removed": ",stroke-dasharray:6 3"}
    return [f"  class {call} {name};" for call, name in marked if name] + [
        f"  classDef {name} stroke:{color},stroke-width:3px{dashed.get(name, '')};"
        for name, color in _COLORS.items()
        if name in used
    ]


def _for_mermaid(text: str) -> str:
    """Write every sign that is not harmless as the number of its character, which Mermaid reads back."""
    return "".join(c if c.isalnum() or c in _HARMLESS else f"#{ord(c)};" for c in text)


# -- Graphviz ------------------------------------------------------------------


def dot_text(drawing: Drawing) -> str:
    """Return a drawing in the language of Graphviz."""
    return "\n".join(
        ["digraph calls {", "  rankdir=LR;", "  node [shape=box];", *_dot(drawing), "}"]
    )


def _both_in_dot(drawings: Several[tuple[str, Drawing]]) -> str:
    """Return drawings one beside the other, each in a frame with its title."""
    lines = ["digraph calls {", "  rankdir=LR;", "  newrank=true;", "  node [shape=box];"]
    for title, drawing in drawings:
        inside = (f"  {line}" for line in _dot(drawing, f"{title}_"))
        lines += [f"  subgraph cluster_{title} {{", f'    label="{title}";', *inside, "  }"]
    return "\n".join([*lines, "}"])


def _dot(drawing: Drawing, prefix: str = "") -> list[str]:
    lines = []
    inline = drawing.inline
    for node in drawing.nodes:
        text = "\\n".join(map(_for_dot, node.told))
        styles = [
            *(["rounded"] if node.number in inline else []),
            *(["dashed"] if node.changed == "removed" else []),
        ]
        style = f", style={_in_quotes(styles)}" if styles else ""
        color = f', color="{_COLORS[node.changed]}", penwidth=2' if node.changed else ""
        lines.append(f'  {prefix}call{node.number + 1} [label="{text}"{style}{color}];')
    if drawing.left_out:
        lines.append(f'  {prefix}more [label="{drawing.left_out_text}", shape=plaintext];')
    for members in drawing.stages:
        inside = " ".join(f"{prefix}call{member + 1};" for member in members)
        lines += [f"  {{ rank=same; {inside} }}"]
    for edge in drawing.edges:
        more = (
            " [style=dashed]"
            if edge.text is None
            else f' [label="{_for_dot(edge.text)}"{_line(edge)}]'
        )
        lines.append(f"  {prefix}call{edge.start + 1} -> {prefix}call{edge.end + 1}{more};")
    return lines


def _in_quotes(styles: list[str]) -> str:
    return styles[0] if len(styles) == 1 else f'"{",".join(styles)}"'


def _line(edge: Edge) -> str:
    if edge.changed is None:
        return ""
    head = ", arrowhead=tee" if edge.changed == "removed" else ""
    return f', color="{_COLORS[edge.changed]}", penwidth=2{head}'


def _for_dot(text: str) -> str:
    """Escape what ends a text of Graphviz, and what it takes for an escape or the name of a character."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def stages_text(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
    *,
    color: bool = False,
) -> str:
    """
    Print the stages with the calls of each; what is secret is hidden.

    Calls of `inline` functions, which are made while the arguments of others are, stand at the end.

    Example:
        >>> print(stages_text(Sequence.load('a = f(x=1)\\nb = g()\\nh(y="$a.p$")')))
        stage 1
          a = f(x=1)
          b = g()
        stage 2
          h(y="$a.p$")
    """
    tools = catalog.by_name if catalog is not None else {}
    secrets = Secrets(tool_of=tools.get)
    labels = Known(call.label for call in sequence.calls)
    groups = {
        f"stage {number}": members
        for number, members in enumerate(stages(sequence, catalog, order, inline), 1)
    }
    gone = unmade(sequence)
    local = tuple(
        number
        for number, call in enumerate(sequence.calls)
        if call.name in inline and number not in gone
    )
    if local:
        groups["evaluated with the arguments"] = local
    lines = []
    for title, members in groups.items():
        lines.append(painted(title, "bold") if color else title)
        lines += [
            f"  {escaped(call_text(secrets.call(sequence.calls[each]), labels))}"
            for each in members
        ]
    return "\n".join(lines) or "There are no calls."


def stages_data(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
) -> dict[str, Any]:
    """Return the stages and the calls as data."""
    return {
        "stages": [list(members) for members in stages(sequence, catalog, order, inline)],
        "sequence": sequence.model_dump(mode="json"),
    }
