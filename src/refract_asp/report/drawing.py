"""
What is drawn of a sequence: its calls, what flows between them, its stages, and what a repair changed.

All texts of a drawing are on one line and bounded; each language escapes them besides.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from refract_asp.errors import shown
from refract_asp.model import Catalog, Edit, RepairResult, Sequence
from refract_asp.model.paths import path_text
from refract_asp.model.stages import Order, order_of, reads_of, stages
from refract_asp.report.edits import edit_text
from refract_asp.report.secrets import without_secrets

__all__ = ["MOST", "Changed", "Drawing", "Edge", "Node", "drawing_of", "repair_drawings"]

LONGEST_NAME = 60
LONGEST_EDGE = 80
PATHS = 4
"""So many paths are written at one arrow."""
NOTES = 4
"""So many changes are written in one box."""
MOST = 500
"""So many calls are drawn."""

Changed: TypeAlias = Literal["added", "removed", "changed", "moved", "unresolved", "wrong"]
"""What became of a call, or what is wrong with it; of an arrow "added", "removed" or "changed"."""


class Node(NamedTuple):
    """A call: its number, from 0, what is written in its box, a line each, and what a repair changed."""

    number: int
    lines: tuple[str, ...]
    changed: Changed | None = None
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """All lines of its box: what became of it, its label and name, and what was changed."""
        return (*((self.changed,) if self.changed else ()), *self.lines, *self.notes)


class Edge(NamedTuple):
    """A call that another one waits for; `text` are the paths that are read, None where only order counts."""

    start: int
    end: int
    text: str | None
    changed: Changed | None = None


class Drawing(NamedTuple):
    """What is drawn: calls, arrows, stages with the numbers of their calls; so many are left out."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    stages: tuple[tuple[int, ...], ...]
    left_out: int = 0

    @property
    def inline(self) -> tuple[int, ...]:
        """The calls that stand in no stage."""
        staged = {member for members in self.stages for member in members}
        return tuple(node.number for node in self.nodes if node.number not in staged)

    @property
    def left_out_text(self) -> str:
        """Say how many calls are not drawn; the empty text where all are."""
        word = "call is" if self.left_out == 1 else "calls are"
        return f"{self.left_out} more {word} not drawn" if self.left_out else ""

    def marked(
        self, changed: Mapping[int, Changed], notes: Mapping[int, tuple[str, ...]] | None = None
    ) -> Drawing:
        """Return the same with what became of its calls."""
        nodes = (
            node._replace(
                changed=changed.get(node.number), notes=(notes or {}).get(node.number, ())
            )
            for node in self.nodes
        )
        return self._replace(nodes=tuple(nodes))


def drawing_of(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
    most: int = MOST,
) -> Drawing:
    """Return what is drawn of a sequence: at most so many of its calls, from the first one on."""
    count = len(sequence.calls)
    if count > most:
        sequence = sequence.model_copy(update={"calls": sequence.calls[:most], "returns": None})
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
            tuple(
                shown(each, LONGEST_NAME) for each in (call.label, call.name) if each is not None
            ),
        )
        for number, call in enumerate(sequence.calls)
    )
    arrows = tuple(edges[pair] for pair in sorted(edges))
    return Drawing(nodes, arrows, stages(sequence, catalog, order, inline), max(0, count - most))


def repair_drawings(
    result: RepairResult,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
    most: int = MOST,
) -> tuple[Drawing, Drawing]:
    """
    Return what is drawn of a sequence before and after its repair; secrets are hidden.

    Before it, calls and arrows are marked that the repair removes, changes or moves; after it those that it
    added, changed or moved, with what was changed in them.

    Example:
        >>> from refract_asp import repair
        >>> before, after = repair_drawings(repair("Gett(id=3)", {"tools": [{"name": "Get"}]}))
        >>> before.nodes[0].told, after.nodes[0].told
        (('changed', 'Gett'), ('changed', 'Get', 'the tool becomes Get', 'id is left out'))
    """
    result = without_secrets(result)
    given = drawing_of(result.given, catalog, order, inline, most)
    repaired = drawing_of(result.sequence, catalog, order, inline, most)
    edits: dict[int, list[Edit]] = {}
    for edit in result.edits:
        if edit.call is not None and edit.kind != "add_call":
            edits.setdefault(edit.call, []).append(edit)
    became = {number: _became(each) for number, each in edits.items()}
    became |= dict.fromkeys(result.unresolved, "unresolved")
    changed, notes = _after(result, edits, became)
    before, after = given.marked(became), repaired.marked(changed, notes)
    origins: dict[int, object] = dict(enumerate(result.origins))
    old = {(edge.start, edge.end): edge.text for edge in before.edges}
    new = {
        (_origin(origins, edge.start), _origin(origins, edge.end)): edge.text
        for edge in after.edges
    }
    return (
        before._replace(
            edges=tuple(_edge(e, (e.start, e.end), new, "removed") for e in before.edges)
        ),
        after._replace(
            edges=tuple(
                _edge(e, (_origin(origins, e.start), _origin(origins, e.end)), old, "added")
                for e in after.edges
            )
        ),
    )


def _after(
    result: RepairResult, edits: Mapping[int, list[Edit]], became: Mapping[int, Changed]
) -> tuple[dict[int, Changed], dict[int, tuple[str, ...]]]:
    """Return what became of the calls of the repaired sequence, and what was changed in them."""
    changed: dict[int, Changed] = {}
    notes: dict[int, tuple[str, ...]] = {}
    spread: dict[int, int] = {}
    for number, origin in enumerate(result.origins):
        if origin is None:
            if number in spread:  # a further call of one that was spread over a list
                changed[number] = "changed"
                notes[number] = (f"one of those of call {spread[number] + 1}",)
            else:
                changed[number] = "added"
            continue
        if origin in became:
            changed[number] = became[origin]
        if found := edits.get(origin):
            more = (f"and {len(found) - NOTES} more",) if len(found) > NOTES else ()
            notes[number] = (
                *(shown(edit_text(edit), LONGEST_NAME) for edit in found[:NOTES]),
                *more,
            )
        for edit in found or ():
            if edit.kind == "split_call":
                spread |= {number + step: origin for step in range(1, len(edit.after))}
    return changed, notes


def _became(edits: list[Edit]) -> Changed:
    kinds = {edit.kind for edit in edits}
    if "delete_call" in kinds:
        return "removed"
    return "moved" if kinds == {"move_call"} else "changed"


def _origin(origins: Mapping[int, object], number: int) -> object:
    """Return the given call that a repaired one was, or what is equal to no given call."""
    origin = origins.get(number)
    return ("added", number) if origin is None else origin


def _edge(edge: Edge, pair: object, others: Mapping[Any, str | None], changed: Changed) -> Edge:
    """Mark an arrow that the other side does not have, or that reads something else there."""
    if edge.text is None or others.get(pair) == edge.text:
        return edge
    return edge._replace(changed="changed" if others.get(pair) else changed)


def _paths(texts: list[str]) -> str:
    names = list(dict.fromkeys(texts))
    more = f" and {len(names) - PATHS} more" if len(names) > PATHS else ""
    return shown(", ".join(names[:PATHS]), LONGEST_EDGE) + more
