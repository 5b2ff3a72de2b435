"""
Draws a sequence: calls as boxes, values that flow between them as arrows, stages side by side; or as text.

Names come from outside. They are written so that none of them can end its box, open another one, or be taken
for markup or a link: everything but letters, digits and a few harmless signs is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from collections.abc import Sequence as Several
from functools import partial
from math import ceil
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from markupsafe import Markup
from rich.cells import cell_len, set_cell_size

from refract_asp.errors import InputError, shown
from refract_asp.formats.pretty import call_text
from refract_asp.formats.references import Known
from refract_asp.model import Catalog, RepairResult, Sequence
from refract_asp.model.paths import path_text
from refract_asp.model.secrets import Secrets
from refract_asp.model.stages import Order, order_of, reads_of, stages, unmade
from refract_asp.report.edits import edit_text
from refract_asp.report.pages import TEMPLATES, environment, raw_text
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import escaped, painted

# Characters of a name in a drawing, and of what stands on an arrow.
LONGEST_NAME = 60
LONGEST_EDGE = 80
NOTES = 4
"""So many changes are written in one box."""
MOST = 500
"""So many calls are drawn."""

GraphFormat: TypeAlias = Literal["mermaid", "dot", "svg"]
Side: TypeAlias = Literal["both", "given", "repaired"]
"""Which of the two drawings of a repair are drawn."""
Names: TypeAlias = Container[str]
Changed: TypeAlias = Literal["added", "removed", "changed", "moved", "unresolved", "wrong"]
"""What became of a call, or what is wrong with it."""


class Node(NamedTuple):
    """
    A call: its number, from 0, what is written in its box, a line each, and what a repair changed.

    `place` is the same for a given call and for the repaired one that it became; they are drawn in one place.
    """

    number: int
    lines: tuple[str, ...]
    changed: Changed | None = None
    notes: tuple[str, ...] = ()
    place: int = 0

    @property
    def told(self) -> tuple[str, ...]:
        """All lines of its box: what became of it, its label and name, and what was changed."""
        return (*((self.changed,) if self.changed else ()), *self.lines, *self.notes)


class Edge(NamedTuple):
    """A call that another one waits for; `text` are the paths that are read, None where only order counts."""

    start: int
    end: int
    text: str | None


class Drawing(NamedTuple):
    """
    What is drawn: calls, arrows, stages with the numbers of their calls; so many are left out.

    `dangling` are, for calls by number, the references to results that no call produces.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    stages: tuple[tuple[int, ...], ...]
    left_out: int = 0
    dangling: Mapping[int, str] = {}

    @property
    def inline(self) -> tuple[int, ...]:
        """The calls that stand in no stage."""
        staged = {member for members in self.stages for member in members}
        return tuple(node.number for node in self.nodes if node.number not in staged)

    def arriving(self, number: int) -> list[str]:
        """Return what is written on the arrows that end at a call."""
        texts = [edge.text or "" for edge in self.edges if edge.end == number]
        return [*texts, *(text for end, text in self.dangling.items() if end == number)]

    @property
    def columns(self) -> list[list[int]]:
        """The calls side by side: those of each stage, and local functions behind what they read."""
        ranks = {number: (stage, 0) for stage, each in enumerate(self.stages) for number in each}
        for number in self.inline:
            before = [ranks.get(edge.start, (-1, 0)) for edge in self.edges if edge.end == number]
            stage, depth = max(before, default=(-1, 0))
            ranks[number] = stage, depth + 1
        return [[n for n in ranks if ranks[n] == rank] for rank in sorted(set(ranks.values()))]


def drawing_of(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Names = (),
    most: int = MOST,
    changed: Mapping[int, Changed] = {},
    notes: Mapping[int, tuple[str, ...]] = {},
    places: Mapping[int, int] = {},
    missing: Names = (),
) -> Drawing:
    """
    Return what is drawn of a sequence: at most so many of its calls, with what became of them.

    `places` are by number where that is another one, `missing` the labels that no call and no memory gives.
    """
    left_out = max(0, len(sequence.calls) - most)
    if left_out:
        sequence = sequence.model_copy(update={"calls": sequence.calls[:most], "returns": None})
    read: dict[tuple[int, int], dict[str, None]] = {}
    dangling: dict[int, dict[str, None]] = {}
    for each in reads_of(sequence):
        if each.producer is not None and each.call < len(sequence.calls):
            paths = read.setdefault((each.producer, each.call), {})
            paths[path_text(each.reference.path) or "all of it"] = None
        elif each.reference.label in missing and each.call < len(sequence.calls):
            dangling.setdefault(each.call, {})[each.reference.label] = None
    texts = {pair: shown(", ".join(paths), LONGEST_EDGE) for pair, paths in read.items()}
    edges = {pair: Edge(*pair, text) for pair, text in texts.items()}
    for end, before in enumerate(order_of(sequence.calls, catalog, order)):
        for start in before:
            edges.setdefault((start, end), Edge(start, end, None))
    nodes = []
    for number, call in enumerate(sequence.calls):
        names = (call.name,) if call.label is None else (call.label, call.name)
        lines = tuple(shown(each, LONGEST_NAME) for each in names)
        told = changed.get(number), notes.get(number, ()), places.get(number, number)
        nodes.append(Node(number, lines, *told))
    arrows = tuple(edges[pair] for pair in sorted(edges))
    absent = {end: f"missing {', '.join(labels)}" for end, labels in dangling.items()}
    lost = {end: shown(text, LONGEST_EDGE) for end, text in absent.items()}
    return Drawing(tuple(nodes), arrows, stages(sequence, catalog, order, inline), left_out, lost)


def repair_drawings(
    result: RepairResult, catalog: Catalog | None = None, inline: Names = (), most: int = MOST
) -> tuple[Drawing, Drawing]:
    """
    Return what is drawn of a sequence before and after its repair; secrets are hidden.

    Before it, calls are marked that the repair removes, changes or moves; after it those that it added, changed
    or moved, with what was changed in them.

    Example:
        >>> from refract_asp import repair
        >>> before, after = repair_drawings(repair("Gett(id=3)", {"tools": [{"name": "Get"}]}))
        >>> before.nodes[0].told, after.nodes[0].told
        (('changed', 'Gett'), ('changed', 'Get', 'the tool becomes Get', 'id is left out'))
    """
    result = without_secrets(result)
    became, notes = dict[int, Changed](), dict[int, tuple[str, ...]]()
    added = [number for number, origin in enumerate(result.origins) if origin is None]
    changed: dict[int, Changed] = dict.fromkeys(added, "added")
    for outcome in result.outcomes:
        kinds = {edit.kind for edit in outcome.edits}
        if outcome.call in result.unresolved:
            became[outcome.call] = "unresolved"
        elif "delete_call" in kinds:
            became[outcome.call] = "removed"
        elif kinds:
            became[outcome.call] = "moved" if kinds == {"move_call"} else "changed"
        if outcome.call in became:
            changed |= dict.fromkeys(outcome.positions, became[outcome.call])
        texts = [shown(edit_text(edit), LONGEST_NAME) for edit in outcome.edits]
        more = [f"and {len(texts) - NOTES} more"] if len(texts) > NOTES else []
        notes |= dict.fromkeys(outcome.positions[:1], (*texts[:NOTES], *more))
    how: Any = {"catalog": catalog, "inline": inline, "most": most}
    total = len(result.given.calls)
    places = {number: number + total for number in range(len(result.sequence.calls))}
    places |= {each.positions[0]: each.call for each in result.outcomes if each.positions}
    # a label that is read of memory before the repair is read of it after the repair, too
    outside = [
        {each.reference.label for each in reads_of(calls) if each.producer is None}
        for calls in (result.given, result.sequence)
    ]
    given = drawing_of(result.given, **how, changed=became, missing=outside[0] - outside[1])
    return given, drawing_of(result.sequence, **how, changed=changed, notes=notes, places=places)


def graph(
    sequence: Sequence,
    format: GraphFormat = "mermaid",
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Names = (),
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
    return _drawn([("", drawing_of(sequence, catalog, order, inline))], format)


def repair_graph(
    result: RepairResult,
    format: GraphFormat = "mermaid",
    catalog: Catalog | None = None,
    inline: Names = (),
    side: Side = "both",
) -> str:
    """
    Draw a sequence before and after its repair, with what the repair changed; secrets are hidden.

    Args:
        result: the repair; where nothing was changed there is one drawing.
        format: the language, "mermaid", "dot" or "svg".
        catalog: the tools, where calls that change something are to keep their order.
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
          style call1 stroke:#b26a00,stroke-width:3px
    """
    if side not in get_args(Side):
        raise InputError(f"side cannot be {shown(side)!r}.", hint="Use both, given or repaired.")
    before, after = repair_drawings(result, catalog, inline)
    if side == "both" and before != after:
        return _drawn([("given", before), ("repaired", after)], format)
    return _drawn([("", after if side == "repaired" else before)], format)


_QUOTED: dict[str, Callable[[str], str]] = {
    # every sign that is not harmless as the number of its character, which Mermaid reads back
    "mermaid": partial(re.compile(r"[^\w .,=()+*/']").sub, lambda sign: f"#{ord(sign[0])};"),
    # what ends a text of Graphviz, and what it takes for an escape or the name of a character
    "dot": lambda text: text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;"),
}
_COLORS = {"added": "#1a7f37", "changed": "#b26a00", "moved": "#6f42c1"}
_COLORS |= dict.fromkeys(("removed", "unresolved", "wrong"), "#c62828")
"""The colours of borders, which show on light and on dark; the words in the boxes say the same."""


def _drawn(drawings: Several[tuple[str, Drawing]], format: GraphFormat) -> str:
    if format not in get_args(GraphFormat):
        raise InputError(f"format cannot be {shown(format)!r}.", hint="Use mermaid, dot or svg.")
    if format == "svg":
        return svg_text(drawings)
    texts = environment(autoescape=False)
    texts.filters |= _QUOTED
    template = texts.get_template(f"drawing.{format}.j2")
    return template.render(drawings=drawings, colors=_COLORS).rstrip("\n")


# -- SVG -----------------------------------------------------------------------

CHARACTER = 7.3
"""The width of a character; in the font of the drawings all are equally wide."""
LINE = 16
PAD = 8
HEAD = 24
"""The height of a title, of a drawing or of a column."""
GAP = 14
ARROW = 60
"""The space between two columns beside the longest text on an arrow."""
# Characters of a line in a picture, and of what stands on an arrow of it.
LONGEST_LINE = 38
LONGEST_LABEL = 26


class _Box(NamedTuple):
    node: Node
    x: int
    y: int
    width: int
    height: int
    lines: list[str]

    @property
    def names(self) -> int:
        """How many of its lines say what the call is; those below say what was changed."""
        return len(_lines(self.node._replace(notes=())))


def svg_text(drawings: Several[tuple[str, Drawing]], *, styled: bool = True) -> Markup:
    """
    Return drawings, one below the other with their titles, as SVG that knows light and dark.

    Calls stand in columns from left to right, one for each stage; an arrow that passes a column goes
    behind it.

    Args:
        drawings: the drawings with their titles.
        styled: whether the style is part of it; not where the page around it has that already.

    Example:
        >>> from refract_asp import Sequence
        >>> svg_text([("", drawing_of(Sequence.load("f()")))])[:40]
        Markup('<svg xmlns="http://www.w3.org/2000/svg" ')
    """
    parts = []
    width = y = 0
    boxes_of = _boxes([drawing for _, drawing in drawings])
    for (title, drawing), placed in zip(drawings, boxes_of, strict=True):
        top = y + HEAD if title else y
        boxes = [box._replace(y=box.y + top) for box in placed]
        arrows, ended = [], Counter[int]()
        wires: list[tuple[_Box | None, int, str, Edge | None]] = [
            (boxes[edge.start], edge.end, edge.text or "", edge) for edge in drawing.edges
        ]
        wires += [(None, end, text, None) for end, text in drawing.dangling.items()]
        for start, to, text, edge in wires:  # arrows end on a box one below the other
            ended[to] += 1
            end = boxes[to]
            to_y, label = end.y + LINE * ended[to], _cut(text, LONGEST_LABEL)
            bend = end.x - ceil(CHARACTER * cell_len(label)) - GAP
            path = f"M{bend} {to_y}H{end.x - 1}"
            if start is not None:
                x, from_y = start.x + start.width, start.y + start.height // 2
                middle = (x + bend) // 2
                path = f"M{x} {from_y}C{middle} {from_y} {middle} {to_y} {bend} {to_y}H{end.x - 1}"
            arrow = {"edge": edge, "path": path, "x": end.x, "y": to_y, "label": label}
            arrows.append({**arrow, "end": to, "text": text})
        width = max([width, *(box.x + box.width + PAD for box in boxes)])
        y = max([top + HEAD, *(box.y + box.height + PAD for box in boxes)])
        lanes = [{boxes[number].x for number in members} for members in drawing.stages]
        is_staged = len(lanes) == len(set().union(*lanes)) == sum(map(len, lanes))
        part = {"title": title, "top": top, "end": y, "drawing": drawing, "is_staged": is_staged}
        parts.append({**part, "boxes": boxes, "arrows": arrows})
        if drawing.left_out:
            width, y = max(width, 220), y + 20
    style = raw_text(TEMPLATES / "drawing.css") if styled else ""
    template = environment().get_template("drawing.svg.j2")
    values = {"parts": parts, "width": width, "height": y, "drawing_style": style}
    return Markup(template.render(values, pad=PAD, line=LINE).strip("\n"))


def _boxes(drawings: Several[Drawing]) -> list[list[_Box]]:
    """
    Return the boxes of all calls, by number, for each drawing as if it stood at the top.

    Calls of one place have one box in all drawings, in the column that they have in the last one.
    """
    ranks: dict[int, int] = {}
    nodes: dict[int, list[tuple[Node, list[str]]]] = {}
    for drawing in drawings:
        for rank, column in enumerate(drawing.columns):
            for number in column:
                node = drawing.nodes[number]
                ranks[node.place] = rank
                nodes.setdefault(node.place, []).append((node, drawing.arriving(number)))
    found: dict[int, _Box] = {}
    x = PAD
    for rank in sorted(set(ranks.values())):
        places = [place for place in nodes if ranks[place] == rank]
        several = [each for place in places for each in nodes[place]]
        labels = [cell_len(_cut(text, LONGEST_LABEL)) for _, texts in several for text in texts]
        x += ceil(CHARACTER * max(labels)) + ARROW if labels else GAP if found else 0
        lines = [line for node, _ in several for line in _lines(node)]
        width = ceil(CHARACTER * max(map(cell_len, [*lines, "stage 500"]))) + 2 * PAD
        y = HEAD
        for place in places:
            tall = max(max(len(_lines(node)), len(texts)) for node, texts in nodes[place])
            found[place] = _Box(nodes[place][0][0], x, y, width, LINE * tall + 2 * PAD, [])
            y += found[place].height + GAP
        x += width
    return [
        [found[node.place]._replace(node=node, lines=_lines(node)) for node in drawing.nodes]
        for drawing in drawings
    ]


def _lines(node: Node) -> list[str]:
    """Return what is written in a box, with long lines broken where one of their words ends."""
    lines: list[str] = []
    for text in node.told:
        lines.append("")
        for word in _WORDS.findall(text):
            if lines[-1] and cell_len(lines[-1] + word) > LONGEST_LINE:
                lines.append("")
            lines[-1] = _cut(lines[-1] + word, LONGEST_LINE)
    return lines


_WORDS = re.compile(r"[^\W_]?[^\WA-Z_]{0,15}[\W_]{0,2}")
"""The parts of a name or a sentence: up to where a joining sign ends, or before a capital letter; never wide."""


def _cut(text: str, most: int) -> str:
    """Return a text, cut so that it is at most so many characters wide."""
    return text if cell_len(text) <= most else f"{set_cell_size(text, most - 3).rstrip()}..."


# -- stages as text --------------------------------------------------------------


def stages_text(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Names = (),
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
    secrets = Secrets(tool_of=catalog.by_name.get if catalog is not None else lambda _: None)
    labels = Known(call.label for call in sequence.calls)
    found = stages(sequence, catalog, order, inline)
    groups: dict[str, Iterable[int]] = {f"stage {n}": members for n, members in enumerate(found, 1)}
    made = sorted({*range(len(sequence.calls))} - unmade(sequence))
    local = [number for number in made if sequence.calls[number].name in inline]
    groups |= {"evaluated with the arguments": local} if local else {}
    lines = []
    for title, members in groups.items():
        lines.append(painted(title, "bold", color=color))
        calls = (secrets.call(sequence.calls[each]) for each in members)
        lines += [f"  {escaped(call_text(call, labels))}" for call in calls]
    return "\n".join(lines) or "There are no calls."
