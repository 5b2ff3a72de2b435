"""
Reads the tree of a plan: what is listed here is read, everything else refused.

Slips that are JavaScript all the same are read as what was meant, and noted.

    f({a: 1,})  f({'a': 1})  f({a})  a comma too many, a key in quotes, a key without a value
    const a = 1;  await f()  a;;     words and semicolons that plans do without
    return (f());  True  None        brackets around a value, words of Python
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NoReturn

from refract_asp.errors import InputError, shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan.syntax import (
    PLAIN_NAME,
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
    PlanCode,
    PlanDiagnostic,
    TextOf,
    decoded,
    is_reserved,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

__all__ = ["HINTS", "Reader", "tree_of"]

MAX_TOLD = 20
"""So many diagnostics of one plan are told."""
_RETURN = "return "
HINTS: Final[dict[PlanCode, str]] = {
    "missing_comma": "Write one.",
    "missing_semicolon": "Write one.",
    "python_word": "",
    "quoted_key": "Remove the quotes.",
    "shorthand": "Write `name: value`.",
    "smart_quotes": "Use straight ones.",
    "surroundings": "Give the plan alone.",
    "unclosed_bracket": "Close it.",
}
"""What to do about a slip; any other is to be removed."""


@lru_cache(maxsize=1)
def _language() -> Any:
    try:
        import tree_sitter
        import tree_sitter_javascript
    except ImportError as error:
        raise InputError(
            f"reading plans needs tree-sitter, which cannot be imported ({shown(error)}).",
            hint="Install it with: pip install 'refract-asp[plan]'",
        ) from None
    return tree_sitter.Language(tree_sitter_javascript.language())


def tree_of(data: bytes) -> Tree:
    """Read a text; with a parser of its own, so that threads do not share one."""
    language = _language()
    import tree_sitter

    return tree_sitter.Parser(language).parse(data)


_HINT = "Plans hold values, fields, elements, calls, aliases and one `return`."
"""What is told where something cannot stand in a plan at all."""
_CODES: Final[dict[str, PlanCode]] = {
    "await_expression": "await",
    "lexical_declaration": "declaration",
    "parenthesized_expression": "parentheses",
    "shorthand_property_identifier": "shorthand",
    "template_string": "template",
    "variable_declaration": "declaration",
}
_LITERALS: Final[dict[str, Any]] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": UNDEFINED,
}
_PYTHON_WORDS: Final = {"True": True, "False": False, "None": None}
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)?(?:(?<=[0-9])|(?=\.))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NO_ALIASES = frozenset({"await", "let", "static", "yield", "return", "undefined", *_PYTHON_WORDS})


class _RefusedError(Exception):
    """An expression cannot be read; why is noted."""


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _comments(node: Node) -> Iterator[str]:
    """Yield the comments inside a statement, from left to right."""
    waiting = list(reversed(node.children))
    while waiting:
        inner = waiting.pop()
        if inner.type == "comment":
            yield _text(inner)
        else:
            waiting += reversed(inner.children)


class Reader:
    """
    Reads one text.

    Args:
        text: a plan, or an expression.
        origin: gives the place of a position in the text, in the text that was given.
        relaxed: whether templates with plain references are read.
        is_expression: whether it is an expression alone.

    Attributes:
        plan: what it says; None where there are problems.
        slips: what was read though it is not of the language, as it tells what was meant.
        problems: what is refused, up to a number that a reader can take in.
    """

    def __init__(
        self, text: str, origin: Callable[[int], Place], *, relaxed: bool, is_expression: bool
    ) -> None:
        """Read it."""
        prefix = _RETURN if is_expression else ""
        data = (prefix + text).encode()
        self._origin, self._prefix = origin, len(prefix)
        self._characters: list[int] | None = None  # before each byte, unless they are the same
        if not data.isascii():
            self._characters = [0, *accumulate(byte & 0xC0 != 0x80 for byte in data)]
        self.relaxed, self.is_expression = relaxed, is_expression
        self.slips: list[PlanDiagnostic] = []
        self.problems: list[PlanDiagnostic] = []
        self.plan = self._plan(tree_of(data).root_node)

    def _place(self, byte: int) -> Place:
        position = byte if self._characters is None else self._characters[byte]
        return self._origin(max(0, position - self._prefix))

    def _note(self, code: PlanCode, message: str, node: Node, hint: str = "") -> None:
        """Note what is wrong with a node."""
        start, end = self._place(node.start_byte), self._place(node.end_byte)
        self.problems.append(PlanDiagnostic(code, message, start, end, hint))

    def _refuse(self, node: Node) -> NoReturn:
        """Note that a node is not of the language, by what the grammar of JavaScript calls it."""
        kind = re.sub(r"_(statement|expression|declaration)$", "", node.type).replace("_", " ")
        operator = node.child_by_field_name("operator")
        met = f"`{kind}`" if operator is None else f"the operator `{shown(_text(operator), 20)}`"
        message = f"{met} cannot stand in a plan."
        self._fail(_CODES.get(node.type, "excluded"), message, node, _HINT)

    def _fail(self, code: PlanCode, message: str, node: Node, hint: str = "") -> NoReturn:
        self._note(code, message, node, hint)
        raise _RefusedError

    def _slip(self, code: PlanCode, message: str, start: int, end: int) -> None:
        """Note what is read though it is no plan."""
        hint = HINTS.get(code, "Remove it.")
        slip = PlanDiagnostic(code, message, self._place(start), self._place(end), hint)
        self.slips.append(slip)

    # -- statements ------------------------------------------------------------

    def _plan(self, root: Node) -> Plan | None:
        """Read a program; None where something is wrong, which is noted."""
        if root.has_error:
            self._broken(root)
            return None
        aliases: dict[str, Alias] = {}
        result: tuple[Expression, Place] | None = None
        comments: list[str] = []  # those that wait for a statement
        last, row = "", -1  # the alias before, and where it ended
        for node in root.children:
            if node.type == "comment":
                if node.start_point[0] == row:
                    own = (*aliases[last].comments, _text(node))
                    aliases[last] = replace(aliases[last], comments=own)
                else:
                    comments.append(_text(node))
                continue
            if b"/" in (node.text or b""):
                comments += _comments(node)
            with suppress(_RefusedError):
                found = self._statement(node)
                if found is None:
                    continue
                name, value = found
                declares = node.type.endswith("declaration")  # the alias begins behind `const`
                place = self._place(node.children[1].start_byte if declares else node.start_byte)
                row = -1
                if result is not None:
                    message, hint = (
                        "something stands behind `return`.",
                        "Let `return` be the last statement.",
                    )
                    self._fail("after_return", message, node, hint)
                if name in aliases:
                    message = f"{name} is bound twice, first on line {aliases[name].place.line}."
                    self._fail(
                        "rebound_alias", message, node, "Give the second one a name of its own."
                    )
                if not name:
                    result = (value, place)
                    continue
                aliases[name] = Alias(name, value, tuple(comments), place)
                comments, last, row = [], name, node.end_point[0]
            if len(self.problems) >= MAX_TOLD:
                return None
        if result is None and not self.problems:
            message = "the plan returns nothing."
            self._note("no_return", message, root, "End it with `return value;`.")
        if self.problems or result is None:
            return None
        return Plan(tuple(aliases.values()), result[0], tuple(comments), result[1])

    def _broken(self, root: Node) -> None:
        """Note where the text is broken."""
        waiting = [root]
        while waiting and len(self.problems) < MAX_TOLD:
            node = waiting.pop()
            if node.is_missing:
                self._note("syntax_error", f"`{shown(node.type)}` is missing.", node)
            elif node.is_error:
                while node.child_count:
                    node = node.children[0]
                met = shown(_text(node).split("\n", 1)[0], 40) or "the end of the text"
                self._note("syntax_error", f"`{met}` is not expected here.", node)
            elif node.has_error:
                waiting += reversed(node.children)

    def _statement(self, node: Node) -> tuple[str, Expression] | None:
        """Return the name that is bound, or the empty text, and the value; None where it is nothing."""
        inner = [child for child in node.children if child.type not in ("comment", ";")]
        first = inner[0] if inner else node
        if node.type == "return_statement":
            if len(inner) == 2:
                return "", self._read(inner[1], 0)
            hint = "Write the value behind it, on its line."
            self._fail("no_return", "`return` gives nothing back.", node, hint)
        if node.type == "empty_statement":
            message = "a semicolon stands alone."
            self._slip("extra_semicolon", message, node.start_byte, node.end_byte)
            return None
        if node.type in ("lexical_declaration", "variable_declaration") and len(inner) == 2:
            left, right = (inner[1].child_by_field_name(each) for each in ("name", "value"))
            if left is not None and right is not None and left.type == "identifier":
                message = f"`{_text(first)}` stands before an alias."
                self._slip("declaration", message, node.start_byte, left.start_byte)
                return self._bound(left, right, node)
        if node.type != "expression_statement":
            self._refuse(node)
        if first.type == "assignment_expression":
            left, right = (first.child_by_field_name(each) for each in ("left", "right"))
            return self._bound(left, right, node)
        self._read(first, 0)
        hint = (
            "Bind it and return it, as in `name = ...;` and `return {name: name, ...};`: a plan makes "
            "only the calls that what it returns reads."
        )
        return self._fail("bare_expression", "a value stands alone.", node, hint)

    def _bound(self, left: Node | None, right: Node | None, node: Node) -> tuple[str, Expression]:
        if left is None or right is None or left.type != "identifier":
            met = left.type.replace("_", " ") if left is not None else "nothing"
            message = f"{met} is bound; only a name can be."
            self._fail("excluded", message, node, "Write `name = value;`.")
        name = self._plain(_text(left), left)
        if name in _NO_ALIASES:
            self._fail("excluded", f"`{name}` cannot be bound.", left, "Use another name.")
        return name, self._read(right, 0)

    # -- expressions -----------------------------------------------------------

    def _read(self, node: Node, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            message = f"values are nested deeper than {MAX_DEPTH}."
            self._fail("too_deep", message, node, "Use aliases.")
        place = self._place(node.start_byte)
        if node.type in _LITERALS:
            return Literal(_LITERALS[node.type], place)
        if node.type == "string":
            return Literal(self._decoded(_text(node)[1:-1], node), place)
        if node.type == "template_string" and not self.relaxed:
            self._refuse(node)
        read = _READERS.get(node.type)
        if node.child_by_field_name("optional_chain") is not None:
            self._fail("excluded", "`?.` cannot stand in a plan.", node, _HINT)
        if read is None:
            self._refuse(node)
        return read(self, node, place, depth)

    def _name(self, node: Node, place: Place, _: int) -> Expression:
        name = self._plain(_text(node), node)
        if name in _PYTHON_WORDS:
            message = f"{name} is `{'null' if name == 'None' else name.lower()}`."
            self._slip("python_word", message, node.start_byte, node.end_byte)
            return Literal(_PYTHON_WORDS[name], place)
        if name in ("await", "yield"):  # a script may have such names, a module may not
            self._fail("excluded", f"`{name}` cannot stand in a plan.", node, _HINT)
        return Name(name, place)

    def _plain(self, name: str, node: Node) -> str:
        """Return a name that may be used."""
        if is_reserved(name):
            message = f"{shown(name)} is a name that plans may not use."
            self._fail("reserved_name", message, node, "It reaches inside of objects.")
        if not PLAIN_NAME.fullmatch(name):
            foreign = next((character for character in name if not character.isascii()), "")
            if foreign and foreign in "“”„‘’‚":
                message = "curly quotes stand around a text."
                self._fail("smart_quotes", message, node, "Use straight ones.")
            message = f"{shown(name)} is no name."
            if foreign:
                known = unicodedata.name(foreign, "a character without a name")
                message = f"the name {shown(name)} holds {shown(foreign)!r} ({known})."
            hint = "Names are made of the letters A to Z, digits and `_`."
            self._fail("foreign_name", message, node, hint)
        return name

    def _decoded(self, raw: str, node: Node) -> str:
        """Return what a text between quotes says."""
        try:
            return decoded(raw)
        except ValueError:
            message = "the text holds half a character."
            self._fail("half_character", message, node, "Write it whole.")

    def _number(self, node: Node, place: Place, _: int, sign: str = "") -> Expression:
        """Read a number, whole where nothing is lost by it; `sign` stands before it."""
        text = _text(node)
        if not text or not _NUMBER.fullmatch(text) or len(text) > 400:
            message = f"{shown(text, 40)} is no decimal number."
            self._fail("number_form", message, node, "Write it as in 0.5, 12 or 1.5e3.")
        if text.isdigit():
            return Literal(int(sign + text), place)
        value = float(sign + text)
        if abs(value) == float("inf"):
            message = f"{shown(text, 40)} is too large."
            self._fail("number_form", message, node, "Use a smaller number.")
        is_whole = value.is_integer() and abs(value) < 2**53
        return Literal(int(value) if is_whole else value, place)

    def _signed(self, node: Node, place: Place, depth: int) -> Expression:
        operator, operand = (node.child_by_field_name(each) for each in ("operator", "argument"))
        if operator is None or operand is None or operand.type != "number":
            self._refuse(node)
        if _text(operator) not in "+-":
            self._refuse(node)
        if operator.end_byte != operand.start_byte:
            message = "a sign stands apart from its number."
            self._fail("excluded", message, node, "Write it directly before.")
        return self._number(operand, place, depth, _text(operator))

    def _wrapped(self, node: Node, _: Place, depth: int) -> Expression:
        """Read what stands behind `await` or between brackets."""
        inner = next(child for child in node.children[1:] if child.type != "comment")
        code: PlanCode = "await" if node.type == "await_expression" else "parentheses"
        if code == "await" and not re.match(r"[^\W\d]|\(", _text(inner)):
            self._refuse(node)
        what = "`await` stands before" if code == "await" else "brackets stand around"
        self._slip(code, f"{what} a value.", node.start_byte, inner.start_byte)
        return self._read(inner, depth + 1)

    def _inside(self, node: Node) -> Iterator[Node]:
        """Yield what stands between the brackets of a node; each of them is followed by one comma or none."""
        comma: Node | None = node  # what stood before; the opening bracket counts as one
        for child in node.children[1:-1]:
            if child.type == ",":
                if comma is not None:
                    hint = "Remove it, or write null."
                    self._fail("excluded", "nothing stands before a comma.", child, hint)
                comma = child
            elif child.type != "comment":
                comma = None
                yield child
        if comma is not None and comma is not node:
            message = f"a comma stands before `{_text(node.children[-1])}`."
            self._slip("trailing_comma", message, comma.start_byte, comma.end_byte)

    def _items(self, node: Node, depth: int) -> tuple[Expression, ...]:
        return tuple(self._read(child, depth + 1) for child in self._inside(node))

    def _list(self, node: Node, place: Place, depth: int) -> Expression:
        return ListOf(self._items(node, depth), place)

    def _object(self, node: Node, place: Place, depth: int) -> Expression:
        fields: dict[str, Expression] = {}
        for child in self._inside(node):
            key, value = (child.child_by_field_name(each) for each in ("key", "value"))
            if child.type == "shorthand_property_identifier":
                key = value = child
                name = self._plain(_text(child), child)
                is_word = name in _LITERALS or name in _PYTHON_WORDS
                if is_word or tree_of(f"({name})".encode()).root_node.has_error:
                    self._refuse(child)
                self._slip("shorthand", f"`{name}` has no value.", child.end_byte, child.end_byte)
                inner: Expression = Name(name, self._place(child.start_byte))
            elif child.type != "pair" or key is None or value is None:
                self._refuse(child)
            else:
                name, inner = self._key(key), self._read(value, depth + 1)
            if name in fields:
                self._fail(
                    "duplicate_key", f"{shown(name)} stands twice in an object.", key, "Remove one."
                )
            fields[name] = inner
        return ObjectOf(tuple(fields.items()), place)

    def _key(self, key: Node) -> str:
        if key.type == "property_identifier":
            return self._plain(_text(key), key)
        if key.type != "string":
            hint = "Keys are names, as in {city: 'Oslo'}."
            self._fail("excluded", "a key is no name.", key, hint)
        name = self._decoded(_text(key)[1:-1], key)
        if is_reserved(name):
            self._plain(name, key)
        if PLAIN_NAME.fullmatch(name):
            message = f"the key {shown(name)} stands in quotes."
            self._slip("quoted_key", message, key.start_byte, key.end_byte)
        return name

    def _member(self, node: Node, place: Place, depth: int) -> Expression:
        of, name = (node.child_by_field_name(each) for each in ("object", "property"))
        if of is None or name is None or name.type != "property_identifier":
            self._fail("excluded", "a private field cannot stand in a plan.", node, _HINT)
        return FieldOf(self._read(of, depth + 1), self._plain(_text(name), name), place)

    def _element(self, node: Node, place: Place, depth: int) -> Expression:
        of, index = (node.child_by_field_name(each) for each in ("object", "index"))
        if of is None or index is None:
            self._refuse(node)
        inner, step = self._read(of, depth + 1), self._read(index, depth + 1)
        value = step.value if isinstance(step, Literal) else None
        if isinstance(value, str):
            if is_reserved(value):
                self._plain(value, index)
            return FieldOf(inner, value, place)
        is_index = type(value) is int and value >= 0
        if isinstance(step, Literal | ObjectOf | ListOf | TextOf) and not is_index:
            message = f"{shown(_text(index), 40)} is no index."
            self._fail("bad_index", message, index, "An index is a whole number from 0.")
        return IndexOf(inner, step, place)

    def _call(self, node: Node, place: Place, depth: int) -> Expression:
        function, arguments = (node.child_by_field_name(each) for each in ("function", "arguments"))
        if function is None or arguments is None or arguments.type != "arguments":
            message = "a call of this form cannot stand in a plan."
            self._fail("excluded", message, node, _HINT)
        called = self._read(function, depth + 1)
        if not isinstance(called, Name | FieldOf):
            hint = "Call as in `tool({...})`."
            self._fail("excluded", "what is called has no name.", function, hint)
        return Invocation(called, self._items(arguments, depth), place)

    def _template(self, node: Node, place: Place, depth: int) -> Expression:
        message = "a template puts values into a text."
        self.slips.append(PlanDiagnostic("template", message, place))
        parts: list[str | Expression] = []
        for child in node.children[1:-1]:
            is_put_in = child.type == "template_substitution"
            for part in (
                self._put_in(child, depth) if is_put_in else (self._decoded(_text(child), child),)
            ):
                if isinstance(part, str) and parts and isinstance(parts[-1], str):
                    parts[-1] += part
                elif part != "":
                    parts.append(part)
        if all(isinstance(part, str) for part in parts):
            return Literal("".join(map(str, parts)), place)
        return TextOf(tuple(parts), place)

    def _put_in(self, node: Node, depth: int) -> tuple[str | Expression, ...]:
        """Read what is put into a template: a literal, a template inside it, or a plain reference."""
        inner = next(each for each in node.children[1:-1] if each.type != "comment")
        read = root = self._read(inner, depth + 1)
        if isinstance(read, Literal):
            return (read.value if isinstance(read.value, str) else _text(inner),)
        if isinstance(read, TextOf):
            return read.parts
        while isinstance(root, FieldOf) or (
            isinstance(root, IndexOf) and isinstance(root.index, Literal)
        ):
            root = root.of
        if not isinstance(root, Name):
            message = "a template holds more than a reference."
            self._fail("template", message, inner, "Bind the value to a name, and put that in.")
        return (read,)


_READERS: Final[dict[str, Callable[[Reader, Node, Place, int], Expression]]] = {
    "array": Reader._list,
    "await_expression": Reader._wrapped,
    "call_expression": Reader._call,
    "identifier": Reader._name,
    "member_expression": Reader._member,
    "number": Reader._number,
    "object": Reader._object,
    "parenthesized_expression": Reader._wrapped,
    "subscript_expression": Reader._element,
    "template_string": Reader._template,
    "unary_expression": Reader._signed,
}
"""How each kind of node is read."""
