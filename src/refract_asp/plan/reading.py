"""
Reads the tree that tree-sitter makes of a plan: its statements, one after the other.

Nothing of a plan is ever run; of the tree only kinds of nodes and texts are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from refract_asp.plan.atoms import Atoms
from refract_asp.plan.diagnostics import PlanDiagnostic
from refract_asp.plan.expressions import Expressions
from refract_asp.plan.nodes import comments_of, text_of
from refract_asp.plan.refusals import Refusals
from refract_asp.plan.syntax import Alias, Expression, Literal, Place, Plan

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Reader"]

MAX_ALIASES = 2000


class Reader:
    """
    Reads one tree.

    Args:
        place: gives the place of a node's start or end from its row and column in bytes.
        templates: whether templates with plain references are read.
    """

    def __init__(self, place: Callable[[tuple[int, int]], Place], *, templates: bool = False) -> None:
        """Begin with nothing noted."""
        self._place = place
        self._refusals = Refusals(place)
        self._note, self._refuse = self._refusals.note, self._refusals.refuse
        self._atoms = Atoms(self._refusals)
        self._expressions = Expressions(place, self._refusals, self._atoms, templates=templates)

    @property
    def diagnostics(self) -> list[PlanDiagnostic]:
        """What is wrong with the plan."""
        return self._refusals.diagnostics

    @property
    def templates_met(self) -> list[Place]:
        """Where templates stand that were read."""
        return self._expressions.templates_met

    def plan(self, root: Node) -> Plan | None:
        """Read a program; None where something is wrong, which is noted."""
        if root.has_error:
            self._refusals.broken(root)
            return None
        statements: list[tuple[str, Expression | None, Node, list[str]]] = []
        comments: list[str] = []
        for node in root.children:
            if node.type == "comment":
                ended = statements[-1] if statements else None
                if ended is not None and ended[2].end_point[0] == node.start_point[0]:
                    ended[3].append(text_of(node))
                else:
                    comments.append(text_of(node))
                continue
            if b"/" in (node.text or b""):
                comments += (text_of(inner) for inner in comments_of(node))
            statement = self._statement(node)
            if statement is not None:
                statements.append((*statement, node, comments))
                comments = []
        return self._assembled(statements, comments, root)

    def expression(self, root: Node) -> Expression | None:
        """Read the expression of a program that is `return` and an expression."""
        plan = self.plan(root)
        return plan.result if plan is not None and not plan.aliases else None

    def _statement(self, node: Node) -> tuple[str, Expression | None] | None:
        """Return the name that is bound, or the empty text, and the expression; None where it is refused."""
        inner = [child for child in node.children if child.type not in ("comment", ";")]
        if node.type == "return_statement":
            if len(inner) == 2:
                return "", self._expressions.tried(inner[1])
            self._note(
                "no_return", "`return` gives nothing back.", node, "Write the value behind it, on its line."
            )
        elif node.type == "expression_statement" and inner[0].type == "assignment_expression":
            left = inner[0].child_by_field_name("left")
            right = inner[0].child_by_field_name("right")
            if left is None or right is None or left.type != "identifier":
                kind = left.type if left is not None else ""
                what = "destructuring" if "pattern" in kind else "a field"
                what = f"`{kind}`" if kind == "undefined" else what
                self._note(
                    "excluded", f"{what} is bound; only a name can be.", node, "Write `name = value;`."
                )
                return None
            name = self._atoms.name(left, is_alias=True)
            value = self._expressions.tried(right)
            return (name, value) if name is not None else None
        elif node.type == "expression_statement":
            if self._expressions.tried(inner[0]) is not None:
                what = "a value stands alone."
                self._note("bare_expression", what, node, "Bind it as in `name = ...;`, or return it.")
        else:
            self._refuse(node)
        return None

    def _assembled(
        self, statements: list[tuple[str, Expression | None, Node, list[str]]], left: list[str], root: Node
    ) -> Plan | None:
        aliases: dict[str, Alias] = {}
        result: tuple[Expression, Place, list[str]] | None = None
        for name, value, node, comments in statements:
            place = self._place(node.start_point)
            if result is not None:
                what = "something stands behind `return`."
                self._note("after_return", what, node, "Let `return` be the last statement.")
                break
            if not name:
                result = (value or Literal(None), place, comments)
            elif name in aliases:
                what = f"{name} is bound twice, first on line {aliases[name].place.line}."
                self._note("rebound_alias", what, node, "Give the second one a name of its own.")
            else:
                aliases[name] = Alias(name, value or Literal(None), tuple(comments), place)
        if len(aliases) > MAX_ALIASES:
            self._note("too_long", f"the plan has more than {MAX_ALIASES} aliases.", root)
        if result is None and not self.diagnostics:
            self._note("no_return", "the plan returns nothing.", root, "End it with `return value;`.")
        if self.diagnostics or result is None:
            return None
        value, place, comments = result
        return Plan(tuple(aliases.values()), value, (*comments, *left), place)
