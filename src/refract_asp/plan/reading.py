"""
Reads the tree that tree-sitter makes of a plan: what is listed here is read, everything else refused.

Nothing of a plan is ever run; of the tree only kinds of nodes and texts are looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from refract_asp.errors import shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan.diagnostics import PlanDiagnostic
from refract_asp.plan.printing import PLAIN_NAME
from refract_asp.plan.reserved import is_reserved
from refract_asp.plan.syntax import (
    UNDEFINED,
    Alias,
    Expression,
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Place,
    Plan,
    TextOf,
)
from refract_asp.plan.texts import BadTextError, decoded

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MENDABLE", "Reader"]

MAX_ALIASES = 2000
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

_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)?(?:(?<=[0-9])|(?=\.))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_QUOTES = "“”„‘’‚"
_NO_ALIASES = frozenset({"await", "let", "static", "yield", "return", "undefined"})
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
_CODES: Final = {
    "await_expression": "await",
    "empty_statement": "extra_semicolon",
    "lexical_declaration": "declaration",
    "parenthesized_expression": "parentheses",
    "shorthand_property_identifier": "shorthand",
    "template_string": "template",
    "variable_declaration": "declaration",
}
_HINT = "Plans hold values, fields, elements, calls, aliases and one `return`."


class _RefusedError(Exception):
    """An expression cannot be read; why is noted."""


class Reader:
    """
    Reads one tree.

    Args:
        place: gives the place of a node's start or end from its row and column in bytes.
        templates: whether templates with plain references are read.
    """

    def __init__(self, place: Callable[[tuple[int, int]], Place], *, templates: bool = False) -> None:
        """Begin with nothing noted."""
        self.diagnostics: list[PlanDiagnostic] = []
        self.templates_met: list[Place] = []
        self._place = place
        self._templates = templates

    def plan(self, root: Node) -> Plan | None:
        """Read a program; None where something is wrong, which is noted."""
        if root.has_error:
            self._errors(root)
            return None
        statements: list[tuple[str, Expression | None, Node, list[str]]] = []
        comments: list[str] = []
        for node in root.children:
            if node.type == "comment":
                ended = statements[-1] if statements else None
                if ended is not None and ended[2].end_point[0] == node.start_point[0]:
                    ended[3].append(_text(node))
                else:
                    comments.append(_text(node))
                continue
            if b"/" in (node.text or b""):
                comments += (_text(inner) for inner in _comments(node))
            statement = self._statement(node)
            if statement is not None:
                statements.append((*statement, node, comments))
                comments = []
        return self._assembled(statements, comments, root)

    def expression(self, root: Node) -> Expression | None:
        """Read the expression of a program that is `return` and an expression."""
        plan = self.plan(root)
        return plan.result if plan is not None and not plan.aliases else None

    # -- statements --------------------------------------------------------------

    def _statement(self, node: Node) -> tuple[str, Expression | None] | None:
        """Return the name that is bound, or the empty text, and the expression; None where it is refused."""
        inner = [child for child in node.children if child.type not in ("comment", ";")]
        if node.type == "return_statement":
            if len(inner) == 2:
                return "", self._tried(inner[1])
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
            name = self._name(left, is_alias=True)
            value = self._tried(right)
            return (name, value) if name is not None else None
        elif node.type == "expression_statement":
            if self._tried(inner[0]) is not None:
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

    # -- expressions -------------------------------------------------------------

    def _tried(self, node: Node) -> Expression | None:
        try:
            return self._read(node, 0)
        except _RefusedError:
            return None

    def _read(self, node: Node, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            self._note("too_deep", f"values are nested deeper than {MAX_DEPTH}.", node, "Use aliases.")
            raise _RefusedError
        kind = node.type
        place = self._place(node.start_point)
        if kind == "identifier":
            name = self._name(node)
            if name is None:
                raise _RefusedError
            return Name(name, place)
        if kind == "string":
            return Literal(self._string(node), place)
        if kind == "number":
            return Literal(self._number(node, ""), place)
        if kind in _LITERALS:
            return Literal(_LITERALS[kind], place)
        if kind == "unary_expression":
            return Literal(self._signed(node), place)
        if kind == "object":
            return self._object(node, place, depth)
        if kind == "array":
            return ListOf(self._items(node, depth), place)
        if kind == "member_expression":
            return self._member(node, place, depth)
        if kind == "subscript_expression":
            return self._element(node, place, depth)
        if kind == "call_expression":
            return self._call(node, place, depth)
        if kind == "template_string" and self._templates:
            return self._template(node, place, depth)
        self._refuse(node)
        raise _RefusedError

    def _name(self, node: Node, *, is_alias: bool = False) -> str | None:
        name = _text(node)
        if not self._is_plain(name, node):
            return None
        if name in _PYTHON:
            what = f"{name} is `{_PYTHON[name]}`."
            self._note("python_word", what, node, f"Write {_PYTHON[name]}.")
            return None
        if name in ("await", "yield") and not is_alias:  # a script may have such names, a module may not
            what = f"`{name}` cannot stand in a plan."
            self._note("await" if name == "await" else "excluded", what, node, _HINT)
            return None
        if is_alias and name in _NO_ALIASES:
            self._note("excluded", f"`{name}` cannot be bound.", node, "Use another name.")
            return None
        return name

    def _is_plain(self, name: str, node: Node) -> bool:
        """Whether a name may be used; else that is noted."""
        if is_reserved(name):
            what = f"{shown(name)} is a name that plans may not use."
            self._note("reserved_name", what, node, "It reaches inside of objects.")
            return False
        if PLAIN_NAME.fullmatch(name):
            return True
        foreign = next((c for c in name if not c.isascii()), "")
        if foreign and foreign in _QUOTES:
            self._note("smart_quotes", "curly quotes stand around a text.", node, "Use straight ones.")
            return False
        if foreign:
            told = f"{shown(foreign)!r} ({unicodedata.name(foreign, 'a character without a name')})"
            what = f"the name {shown(name)} holds {told}."
        else:
            what = f"{shown(name)} is no name."
        self._note("foreign_name", what, node, "Names are made of the letters A to Z, digits and `_`.")
        return False

    def _string(self, node: Node) -> str:
        try:
            return decoded(_text(node)[1:-1])
        except BadTextError:
            self._note("half_character", "the text holds half a character.", node, "Write it whole.")
            raise _RefusedError from None

    def _number(self, node: Node, sign: str) -> int | float:
        text = _text(node)
        if not text or not _NUMBER.fullmatch(text) or len(text) > 400:
            what = f"{shown(text, 40)} is no decimal number."
            self._note("number_form", what, node, "Write it as in 0.5, 12 or 1.5e3.")
            raise _RefusedError
        if text.isdigit():
            return int(sign + text)
        value = float(sign + text)
        if value in (float("inf"), float("-inf")):
            self._note("number_form", f"{shown(text, 40)} is too large.", node, "Use a smaller number.")
            raise _RefusedError
        return int(value) if value.is_integer() and abs(value) < 2**53 else value

    def _signed(self, node: Node) -> int | float:
        operator, operand = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if operator is None or operand is None or operand.type != "number" or _text(operator) not in "+-":
            self._refuse(node)
            raise _RefusedError
        if operator.end_byte != operand.start_byte:
            self._note("excluded", "a sign stands apart from its number.", node, "Write it directly before.")
            raise _RefusedError
        return self._number(operand, _text(operator))

    def _inside(self, node: Node) -> Iterator[Node]:
        """Yield what stands between the brackets of a node; each of them is followed by one comma or none."""
        was_comma = True
        last: Node | None = None
        for child in node.children[1:-1]:
            if child.type == "comment":
                continue
            if child.type == ",":
                if was_comma:
                    self._note(
                        "excluded", "nothing stands before a comma.", child, "Remove it, or write null."
                    )
                    raise _RefusedError
                was_comma, last = True, child
            else:
                was_comma = False
                yield child
        if was_comma and last is not None:
            closing = _text(node.children[-1])
            what = f"a comma stands before `{closing}`."
            self._note("trailing_comma", what, last, "Remove it.")

    def _items(self, node: Node, depth: int) -> tuple[Expression, ...]:
        found = []
        failed = False
        for child in self._inside(node):
            try:
                found.append(self._read(child, depth + 1))
            except _RefusedError:
                failed = True
        if failed:
            raise _RefusedError
        return tuple(found)

    def _object(self, node: Node, place: Place, depth: int) -> ObjectOf:
        fields: dict[str, Expression] = {}
        failed = False
        for child in self._inside(node):
            if child.type != "pair":
                self._refuse(child)
                failed = True
                continue
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            name = self._key(key) if key is not None else None
            read = self._tried_at(value, depth + 1) if value is not None else None
            if name is None or read is None or key is None:
                failed = True
            elif name in fields:
                self._note("duplicate_key", f"{shown(name)} stands twice in an object.", key, "Remove one.")
                failed = True
            else:
                fields[name] = read
        if failed:
            raise _RefusedError
        return ObjectOf(tuple(fields.items()), place)

    def _tried_at(self, node: Node, depth: int) -> Expression | None:
        try:
            return self._read(node, depth)
        except _RefusedError:
            return None

    def _key(self, node: Node) -> str | None:
        if node.type == "property_identifier":
            name = _text(node)
            return name if self._is_plain(name, node) else None
        if node.type != "string":
            self._note("excluded", "a key is no name.", node, "Keys are names, as in {city: 'Oslo'}.")
            return None
        name = self._string(node)
        if is_reserved(name):
            self._is_plain(name, node)
            return None
        if PLAIN_NAME.fullmatch(name):
            self._note("quoted_key", f"the key {shown(name)} stands in quotes.", node, "Remove the quotes.")
            return None
        return name

    def _member(self, node: Node, place: Place, depth: int) -> Expression:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        is_optional = node.child_by_field_name("optional_chain") is not None
        if of is None or name is None or name.type != "property_identifier" or is_optional:
            what = "`?.`" if is_optional else "a private field"
            self._note("excluded", f"{what} cannot stand in a plan.", node, _HINT)
            raise _RefusedError
        inner = self._read(of, depth + 1)
        text = _text(name)
        if not self._is_plain(text, name):
            raise _RefusedError
        return FieldOf(inner, text, place)

    def _element(self, node: Node, place: Place, depth: int) -> Expression:
        of, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if of is None or index is None or node.child_by_field_name("optional_chain") is not None:
            self._note("excluded", "`?.` cannot stand in a plan.", node, _HINT)
            raise _RefusedError
        inner, step = self._read(of, depth + 1), self._read(index, depth + 1)
        if isinstance(step, Literal) and isinstance(step.value, str):
            if is_reserved(step.value):
                self._is_plain(step.value, index)
                raise _RefusedError
            return FieldOf(inner, step.value, place)
        is_index = isinstance(step, Literal) and type(step.value) is int and step.value >= 0
        if isinstance(step, Literal | ObjectOf | ListOf | TextOf) and not is_index:
            what = f"{shown(_text(index), 40)} is no index."
            self._note("bad_index", what, index, "An index is a whole number from 0.")
            raise _RefusedError
        return IndexOf(inner, step, place)

    def _call(self, node: Node, place: Place, depth: int) -> Expression:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if (
            function is None
            or arguments is None
            or arguments.type != "arguments"
            or node.child_by_field_name("optional_chain") is not None
        ):
            self._note("excluded", "a call of this form cannot stand in a plan.", node, _HINT)
            raise _RefusedError
        called = self._read(function, depth + 1)
        if not isinstance(called, Name | FieldOf):
            self._note("excluded", "what is called has no name.", function, "Call as in `tool({...})`.")
            raise _RefusedError
        return Invocation(called, self._items(arguments, depth), place)

    def _template(self, node: Node, place: Place, depth: int) -> Expression:
        self.templates_met.append(place)
        parts: list[str | Expression] = []
        for _, run in groupby(node.children[1:-1], key=lambda child: child.type == "template_substitution"):
            for part in self._template_parts(list(run), depth):
                if isinstance(part, str) and parts and isinstance(parts[-1], str):
                    parts[-1] += part
                elif part != "":
                    parts.append(part)
        if all(isinstance(part, str) for part in parts):
            return Literal("".join(str(part) for part in parts), place)
        return TextOf(tuple(parts), place)

    def _template_parts(self, run: list[Node], depth: int) -> list[str | Expression]:
        """Read what stands beside each other in a template: pieces of a text, or values that are put in."""
        if run[0].type == "template_substitution":
            return [part for node in run for part in self._substituted(node, depth)]
        try:
            return [decoded("".join(map(_text, run)))]  # two escapes may be the halves of one character
        except BadTextError:
            self._note("half_character", "the text holds half a character.", run[0], "Write it whole.")
            raise _RefusedError from None

    def _substituted(self, node: Node, depth: int) -> tuple[str | Expression, ...]:
        """Read what is put into a template: a literal, a template inside it, or a plain reference."""
        inner = next(each for each in node.children[1:-1] if each.type != "comment")
        read = self._read(inner, depth + 1)
        if isinstance(read, Literal):
            return (read.value if isinstance(read.value, str) else _text(inner),)
        if isinstance(read, TextOf):
            return read.parts
        if _is_reference(read):
            return (read,)
        what = "a template holds more than a reference."
        self._note("template", what, inner, "Bind the value to a name, and put that in.")
        raise _RefusedError

    # -- what is wrong -----------------------------------------------------------

    def _refuse(self, node: Node) -> None:
        """Note that a node is not of the language."""
        first = node.type.removesuffix("_statement")
        if first == node.type:
            first = shown(_text(node).split(None, 1)[0], 20)
        met = _WORDS.get(node.type) or f"`{first}`"
        if node.type in ("binary_expression", "unary_expression", "update_expression"):
            operator = node.child_by_field_name("operator")
            met = f"the operator `{shown(_text(operator), 20)}`" if operator is not None else met
        what = f"{met} cannot stand in a plan."
        self._note(_CODES.get(node.type, "excluded"), what, node, _HINT)

    def _errors(self, root: Node) -> None:
        """Note where the text is broken."""
        waiting = [root]
        while waiting and len(self.diagnostics) < MAX_TOLD:
            node = waiting.pop()
            if node.is_missing:
                self._note("syntax_error", f"`{shown(node.type)}` is missing.", node)
            elif node.is_error:
                first = _first_leaf(node)
                met = shown(_text(first).split("\n", 1)[0], 40) or "the end of the text"
                self._note("syntax_error", f"`{met}` is not expected here.", first)
            elif node.has_error:
                waiting += reversed(node.children)

    def _note(self, code: str, message: str, node: Node, hint: str = "") -> None:
        if len(self.diagnostics) < MAX_TOLD:
            start, end = self._place(node.start_point), self._place(node.end_point)
            self.diagnostics.append(PlanDiagnostic(code, message, start, end, hint))


_LITERALS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _comments(node: Node) -> Iterator[Node]:
    """Yield the comments inside a statement, from left to right."""
    waiting = list(reversed(node.children))
    while waiting:
        inner = waiting.pop()
        if inner.type == "comment":
            yield inner
        elif inner.child_count:
            waiting += reversed(inner.children)


def _first_leaf(node: Node) -> Node:
    while node.child_count:
        node = node.children[0]
    return node


def _is_reference(expression: Expression) -> bool:
    """Whether an expression is a name with fields and elements behind it."""
    while isinstance(expression, FieldOf | IndexOf):
        if isinstance(expression, IndexOf) and not isinstance(expression.index, Literal):
            return False
        expression = expression.of
    return isinstance(expression, Name)
