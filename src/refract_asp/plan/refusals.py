"""What is refused in a plan: how it is called, and the diagnostics that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from refract_asp.errors import shown
from refract_asp.plan.diagnostics import PlanCode, PlanDiagnostic
from refract_asp.plan.syntax import Place

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "HINT",
    "MENDABLE",
    "Refusals",
    "RefusedError",
    "comments_of",
    "first_leaf",
    "text_of",
]


def text_of(node: Node) -> str:
    """Return the text of a node as it is written."""
    return (node.text or b"").decode()


def comments_of(node: Node) -> Iterator[Node]:
    """Yield the comments inside a statement, from left to right."""
    waiting = list(reversed(node.children))
    while waiting:
        inner = waiting.pop()
        if inner.type == "comment":
            yield inner
        elif inner.child_count:
            waiting += reversed(inner.children)


def first_leaf(node: Node) -> Node:
    """Return the first node within a node that holds no other."""
    while node.child_count:
        node = node.children[0]
    return node


MAX_TOLD = 20
"""So many diagnostics of one plan are told."""
MENDABLE: Final = frozenset(
    {
        "await", "bare_expression", "declaration", "extra_semicolon", "no_return", "parentheses",
        "python_word", "quoted_key", "shorthand", "smart_quotes", "syntax_error",
        "template", "trailing_comma",
    }
)  # fmt: skip
"""What may be a slip that can be mended; the rest is not of the language."""

HINT = "Plans hold values, fields, elements, calls, aliases and one `return`."
"""What is told where something cannot stand in a plan at all."""

_WORDS: Final = {
    "arrow_function": "a function",
    "assignment_expression": "an assignment",
    "augmented_assignment_expression": "an assignment",
    "await_expression": "`await`",
    "binary_expression": "an operator",
    "class": "a class",
    "class_declaration": "a class",
    "empty_statement": "a semicolon that stands alone",
    "for_in_statement": "`for`",
    "function_declaration": "a function",
    "function_expression": "a function",
    "generator_function": "a function",
    "generator_function_declaration": "a function",
    "hash_bang_line": "a line that begins with `#!`",
    "html_comment": "a comment of HTML",
    "import": "`import`",
    "labeled_statement": "a label",
    "lexical_declaration": "a declaration",
    "method_definition": "a function",
    "new_expression": "`new`",
    "object_pattern": "destructuring",
    "array_pattern": "destructuring",
    "optional_chain": "`?.`",
    "parenthesized_expression": "brackets around a value",
    "regex": "a regular expression",
    "sequence_expression": "several values with commas between them",
    "shorthand_property_identifier": "a key without a value",
    "spread_element": "`...`",
    "statement_block": "a block",
    "template_string": "a template",
    "ternary_expression": "`? :`",
    "unary_expression": "an operator",
    "update_expression": "an operator",
    "variable_declaration": "a declaration",
}
_CODES: Final[dict[str, PlanCode]] = {
    "await_expression": "await",
    "empty_statement": "extra_semicolon",
    "lexical_declaration": "declaration",
    "parenthesized_expression": "parentheses",
    "shorthand_property_identifier": "shorthand",
    "template_string": "template",
    "variable_declaration": "declaration",
}


class RefusedError(Exception):
    """An expression cannot be read; why is noted."""


class Refusals:
    """
    Notes what is refused, up to a number that a reader can take in.

    Args:
        place: gives the place of a node's start or end from its row and column in bytes.
    """

    def __init__(self, place: Callable[[tuple[int, int]], Place]) -> None:
        """Begin with nothing noted."""
        self.diagnostics: list[PlanDiagnostic] = []
        self._place = place

    def note(self, code: PlanCode, message: str, node: Node, hint: str = "") -> None:
        """Note what is wrong with a node."""
        if len(self.diagnostics) < MAX_TOLD:
            start, end = self._place(node.start_point), self._place(node.end_point)
            self.diagnostics.append(PlanDiagnostic(code, message, start, end, hint))

    def refuse(self, node: Node) -> None:
        """Note that a node is not of the language."""
        first = node.type.removesuffix("_statement")
        if first == node.type:
            first = shown(text_of(node).split(None, 1)[0], 20)
        met = _WORDS.get(node.type) or f"`{first}`"
        if node.type in ("binary_expression", "unary_expression", "update_expression"):
            operator = node.child_by_field_name("operator")
            met = f"the operator `{shown(text_of(operator), 20)}`" if operator is not None else met
        what = f"{met} cannot stand in a plan."
        self.note(_CODES.get(node.type, "excluded"), what, node, HINT)

    def broken(self, root: Node) -> None:
        """Note where the text is broken."""
        waiting = [root]
        while waiting and len(self.diagnostics) < MAX_TOLD:
            node = waiting.pop()
            if node.is_missing:
                self.note("syntax_error", f"`{shown(node.type)}` is missing.", node)
            elif node.is_error:
                first = first_leaf(node)
                met = shown(text_of(first).split("\n", 1)[0], 40) or "the end of the text"
                self.note("syntax_error", f"`{met}` is not expected here.", first)
            elif node.has_error:
                waiting += reversed(node.children)
