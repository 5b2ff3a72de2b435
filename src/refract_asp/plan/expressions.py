"""Reads the expressions of a plan: what is listed here is read, everything else refused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from refract_asp.errors import shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan.refusals import HINT, Refusals, RefusedError, text_of
from refract_asp.plan.syntax import (
    PLAIN_NAME,
    PYTHON_WORDS,
    UNDEFINED,
    Expression,
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Place,
    TextOf,
    is_reserved,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "Atoms",
    "BadTextError",
    "Expressions",
    "decoded",
]


_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|\r\n|(?s:.))")
_SINGLE = {
    "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
    "'": "'", '"': '"', "`": "`", "\\": "\\", "\n": "", "\r\n": "", "\r": "", "\u2028": "", "\u2029": "",
    "/": "/", "$": "$",
}  # fmt: skip


class BadTextError(Exception):
    """What stands between quotes is no text."""


def decoded(raw: str) -> str:
    r"""
    Return the text that stands between quotes, its escapes read; what is no escape keeps its backslash.

    Raises:
        BadTextError: it holds half a character.

    Example:
        >>> decoded(r"it\'s \u0041\d")
        "it's A\\d"
    """
    if "\\" not in raw:
        return _checked(raw)
    return _checked(_joined(_ESCAPE.sub(_read, raw)))


def _read(match: re.Match[str]) -> str:
    body = match[0][1:]
    if body in _SINGLE:
        return _SINGLE[body]
    if len(body) > 1 and body[0] in "xu":
        number = int(body[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else match[0]
    return match[0]


def _joined(text: str) -> str:
    """Put the halves of characters beyond 16 bits together."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _checked(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadTextError("half a character")
    return text


_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)?(?:(?<=[0-9])|(?=\.))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_QUOTES = "“”„‘’‚"
_NO_ALIASES = frozenset({"await", "let", "static", "yield", "return", "undefined"})


class Atoms:
    """
    Reads what holds no other expression.

    Args:
        refusals: notes what is refused.
    """

    def __init__(self, refusals: Refusals) -> None:
        """Keep where refusals are noted."""
        self._note, self._refuse = refusals.note, refusals.refuse

    def name(self, node: Node, *, is_alias: bool = False) -> str | None:
        """Return a name that may be read, or bound; None where it is refused."""
        name = text_of(node)
        if not self.is_plain(name, node):
            return None
        if name in PYTHON_WORDS:
            what = f"{name} is `{PYTHON_WORDS[name]}`."
            self._note("python_word", what, node, f"Write {PYTHON_WORDS[name]}.")
            return None
        if (
            name in ("await", "yield") and not is_alias
        ):  # a script may have such names, a module may not
            what = f"`{name}` cannot stand in a plan."
            self._note("await" if name == "await" else "excluded", what, node, HINT)
            return None
        if is_alias and name in _NO_ALIASES:
            self._note("excluded", f"`{name}` cannot be bound.", node, "Use another name.")
            return None
        return name

    def key(self, node: Node) -> str | None:
        """Return the key of a field; None where it is refused."""
        if node.type == "property_identifier":
            name = text_of(node)
            return name if self.is_plain(name, node) else None
        if node.type != "string":
            self._note(
                "excluded", "a key is no name.", node, "Keys are names, as in {city: 'Oslo'}."
            )
            return None
        name = self.string(node)
        if is_reserved(name):
            self.is_plain(name, node)
            return None
        if PLAIN_NAME.fullmatch(name):
            self._note(
                "quoted_key", f"the key {shown(name)} stands in quotes.", node, "Remove the quotes."
            )
            return None
        return name

    def is_plain(self, name: str, node: Node) -> bool:
        """Whether a name may be used; else that is noted."""
        if is_reserved(name):
            what = f"{shown(name)} is a name that plans may not use."
            self._note("reserved_name", what, node, "It reaches inside of objects.")
            return False
        if PLAIN_NAME.fullmatch(name):
            return True
        foreign = next((c for c in name if not c.isascii()), "")
        if foreign and foreign in _QUOTES:
            self._note(
                "smart_quotes", "curly quotes stand around a text.", node, "Use straight ones."
            )
            return False
        if foreign:
            told = f"{shown(foreign)!r} ({unicodedata.name(foreign, 'a character without a name')})"
            what = f"the name {shown(name)} holds {told}."
        else:
            what = f"{shown(name)} is no name."
        self._note(
            "foreign_name", what, node, "Names are made of the letters A to Z, digits and `_`."
        )
        return False

    def string(self, node: Node) -> str:
        """Return what a text between quotes says."""
        try:
            return decoded(text_of(node)[1:-1])
        except BadTextError:
            self._note(
                "half_character", "the text holds half a character.", node, "Write it whole."
            )
            raise RefusedError from None

    def number(self, node: Node, sign: str) -> int | float:
        """Return a number, whole where nothing is lost by it; `sign` stands before it."""
        text = text_of(node)
        if not text or not _NUMBER.fullmatch(text) or len(text) > 400:
            what = f"{shown(text, 40)} is no decimal number."
            self._note("number_form", what, node, "Write it as in 0.5, 12 or 1.5e3.")
            raise RefusedError
        if text.isdigit():
            return int(sign + text)
        value = float(sign + text)
        if value in (float("inf"), float("-inf")):
            self._note(
                "number_form", f"{shown(text, 40)} is too large.", node, "Use a smaller number."
            )
            raise RefusedError
        return int(value) if value.is_integer() and abs(value) < 2**53 else value

    def signed(self, node: Node) -> int | float:
        """Return a number with its sign."""
        operator, operand = (
            node.child_by_field_name("operator"),
            node.child_by_field_name("argument"),
        )
        if (
            operator is None
            or operand is None
            or operand.type != "number"
            or text_of(operator) not in "+-"
        ):
            self._refuse(node)
            raise RefusedError
        if operator.end_byte != operand.start_byte:
            self._note(
                "excluded",
                "a sign stands apart from its number.",
                node,
                "Write it directly before.",
            )
            raise RefusedError
        return self.number(operand, text_of(operator))


_LITERALS: Final[dict[str, Any]] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": UNDEFINED,
}


class Expressions:
    """
    Reads one expression and all that stands in it.

    Args:
        place: gives the place of a node's start or end from its row and column in bytes.
        refusals: notes what is refused.
        atoms: reads names, keys, texts and numbers.
        templates: whether templates with plain references are read.
    """

    def __init__(
        self,
        place: Callable[[tuple[int, int]], Place],
        refusals: Refusals,
        atoms: Atoms,
        *,
        templates: bool = False,
    ) -> None:
        """Begin with no template met."""
        self.templates_met: list[Place] = []
        self._place = place
        self._note, self._refuse = refusals.note, refusals.refuse
        self._atoms = atoms
        self._templates = templates

    def tried(self, node: Node, depth: int = 0) -> Expression | None:
        """Return an expression; None where it is refused, which is noted."""
        try:
            return self._read(node, depth)
        except RefusedError:
            return None

    def _read(self, node: Node, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            self._note(
                "too_deep", f"values are nested deeper than {MAX_DEPTH}.", node, "Use aliases."
            )
            raise RefusedError
        kind = node.type
        place = self._place(node.start_point)
        if kind == "identifier":
            name = self._atoms.name(node)
            if name is None:
                raise RefusedError
            return Name(name, place)
        if kind == "string":
            return Literal(self._atoms.string(node), place)
        if kind == "number":
            return Literal(self._atoms.number(node, ""), place)
        if kind in _LITERALS:
            return Literal(_LITERALS[kind], place)
        if kind == "unary_expression":
            return Literal(self._atoms.signed(node), place)
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
        raise RefusedError

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
                        "excluded",
                        "nothing stands before a comma.",
                        child,
                        "Remove it, or write null.",
                    )
                    raise RefusedError
                was_comma, last = True, child
            else:
                was_comma = False
                yield child
        if was_comma and last is not None:
            closing = text_of(node.children[-1])
            what = f"a comma stands before `{closing}`."
            self._note("trailing_comma", what, last, "Remove it.")

    def _items(self, node: Node, depth: int) -> tuple[Expression, ...]:
        found = []
        failed = False
        for child in self._inside(node):
            try:
                found.append(self._read(child, depth + 1))
            except RefusedError:
                failed = True
        if failed:
            raise RefusedError
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
            name = self._atoms.key(key) if key is not None else None
            read = self.tried(value, depth + 1) if value is not None else None
            if name is None or read is None or key is None:
                failed = True
            elif name in fields:
                self._note(
                    "duplicate_key", f"{shown(name)} stands twice in an object.", key, "Remove one."
                )
                failed = True
            else:
                fields[name] = read
        if failed:
            raise RefusedError
        return ObjectOf(tuple(fields.items()), place)

    def _member(self, node: Node, place: Place, depth: int) -> Expression:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        is_optional = node.child_by_field_name("optional_chain") is not None
        if of is None or name is None or name.type != "property_identifier" or is_optional:
            what = "`?.`" if is_optional else "a private field"
            self._note("excluded", f"{what} cannot stand in a plan.", node, HINT)
            raise RefusedError
        inner = self._read(of, depth + 1)
        text = text_of(name)
        if not self._atoms.is_plain(text, name):
            raise RefusedError
        return FieldOf(inner, text, place)

    def _element(self, node: Node, place: Place, depth: int) -> Expression:
        of, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if of is None or index is None or node.child_by_field_name("optional_chain") is not None:
            self._note("excluded", "`?.` cannot stand in a plan.", node, HINT)
            raise RefusedError
        inner, step = self._read(of, depth + 1), self._read(index, depth + 1)
        if isinstance(step, Literal) and isinstance(step.value, str):
            if is_reserved(step.value):
                self._atoms.is_plain(step.value, index)
                raise RefusedError
            return FieldOf(inner, step.value, place)
        is_index = isinstance(step, Literal) and type(step.value) is int and step.value >= 0
        if isinstance(step, Literal | ObjectOf | ListOf | TextOf) and not is_index:
            what = f"{shown(text_of(index), 40)} is no index."
            self._note("bad_index", what, index, "An index is a whole number from 0.")
            raise RefusedError
        return IndexOf(inner, step, place)

    def _call(self, node: Node, place: Place, depth: int) -> Expression:
        function, arguments = (
            node.child_by_field_name("function"),
            node.child_by_field_name("arguments"),
        )
        if (
            function is None
            or arguments is None
            or arguments.type != "arguments"
            or node.child_by_field_name("optional_chain") is not None
        ):
            self._note("excluded", "a call of this form cannot stand in a plan.", node, HINT)
            raise RefusedError
        called = self._read(function, depth + 1)
        if not isinstance(called, Name | FieldOf):
            self._note(
                "excluded", "what is called has no name.", function, "Call as in `tool({...})`."
            )
            raise RefusedError
        return Invocation(called, self._items(arguments, depth), place)

    def _template(self, node: Node, place: Place, depth: int) -> Expression:
        self.templates_met.append(place)
        parts: list[str | Expression] = []
        for _, run in groupby(
            node.children[1:-1], key=lambda child: child.type == "template_substitution"
        ):
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
            return [
                decoded("".join(map(text_of, run)))
            ]  # two escapes may be the halves of one character
        except BadTextError:
            self._note(
                "half_character", "the text holds half a character.", run[0], "Write it whole."
            )
            raise RefusedError from None

    def _substituted(self, node: Node, depth: int) -> tuple[str | Expression, ...]:
        """Read what is put into a template: a literal, a template inside it, or a plain reference."""
        inner = next(each for each in node.children[1:-1] if each.type != "comment")
        read = self._read(inner, depth + 1)
        if isinstance(read, Literal):
            return (read.value if isinstance(read.value, str) else text_of(inner),)
        if isinstance(read, TextOf):
            return read.parts
        if _is_reference(read):
            return (read,)
        what = "a template holds more than a reference."
        self._note("template", what, inner, "Bind the value to a name, and put that in.")
        raise RefusedError


def _is_reference(expression: Expression) -> bool:
    """Whether an expression is a name with fields and elements behind it."""
    while isinstance(expression, FieldOf | IndexOf):
        if isinstance(expression, IndexOf) and not isinstance(expression.index, Literal):
            return False
        expression = expression.of
    return isinstance(expression, Name)
