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
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NoReturn

from refract_asp.errors import InputError, shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.model.paths import as_whole
from refract_asp.plan import syntax
from refract_asp.plan.syntax import Expression, Place, Plan, PlanCode, PlanDiagnostic
from refract_asp.resources import packaged

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_TOLD = 20
"""So many diagnostics of one plan are told."""
_HINT = "Plans hold values, fields, elements, calls, aliases and one `return`."
"""What is told where something cannot stand in a plan at all."""


def hints() -> dict[str, str]:
    """Return what to do about what is wrong, by its code; a slip that is not listed is to be removed."""
    found: dict[str, str] = packaged("plan/words")["hints"]
    return found


def tree_of(data: bytes) -> Tree:
    """Read a text; with a parser of its own, so that threads do not share one."""
    try:
        import tree_sitter
        import tree_sitter_javascript
    except ImportError as error:
        what = f"reading plans needs tree-sitter, which cannot be imported ({shown(error)})."
        raise InputError(what, hint="Install it with: pip install 'refract-asp[plan]'") from None
    language = tree_sitter.Language(tree_sitter_javascript.language())
    return tree_sitter.Parser(language).parse(data)


_LITERALS: Final = {"true": True, "false": False, "null": None, "undefined": syntax.UNDEFINED}
_ALIKE: Final = {"unary_expression": "number", "parenthesized_expression": "await_expression"}
"""What is read as nodes of another kind are."""
_PYTHON_WORDS: Final = {"True": True, "False": False, "None": None}
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)?(?:(?<=[0-9])|(?=\.))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NO_ALIASES = frozenset({"await", "let", "static", "yield", "return", "undefined", *_PYTHON_WORDS})


class _RefusedError(Exception):
    """An expression cannot be read; why is noted."""


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def leaves(root: Node, whole: Container[str] = ()) -> Iterator[Node]:
    """Yield the leaves of a tree from left to right; what is of a kind in `whole` counts as one."""
    left = [root]
    while left:
        node = left.pop()
        if node.child_count and node.type not in whole:
            left += reversed(node.children)
        else:
            yield node


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
        slips: what was read although it is not of the language, as its meaning is clear.
        problems: what is refused, up to a number that a reader can take in.
    """

    def __init__(
        self, text: str, origin: Callable[[int], Place], *, relaxed: bool, is_expression: bool
    ) -> None:
        """Read it."""
        prefix = "return " if is_expression else ""
        data = (prefix + text).encode()
        self._origin, self._prefix = origin, len(prefix)
        self._characters: list[int] | None = None  # before each byte, unless they are the same
        if not data.isascii():
            self._characters = [0, *accumulate(byte & 0xC0 != 0x80 for byte in data)]
        self.relaxed = relaxed
        self.slips: list[PlanDiagnostic] = []
        self.problems: list[PlanDiagnostic] = []
        self.plan: Plan | None = None
        root = tree_of(data).root_node
        if not root.has_error:
            self.plan = self._plan(root)
            return
        waiting = [root]
        while waiting and len(self.problems) < MAX_TOLD:
            node = waiting.pop()
            if node.is_missing:
                self._note("syntax_error", f"`{shown(node.type)}` is missing.", node)
            elif node.is_error:
                found = list(leaves(node))
                if found[0].type == "return":  # which itself may stand there
                    found = [leaf for leaf in found if leaf.type == "="] or found[-1:]
                node = found[0]
                met = shown(_text(node).split("\n", 1)[0], 40) or "the end of the text"
                self._note("syntax_error", f"`{met}` is not expected here.", node)
            elif node.has_error:
                waiting += reversed(node.children)

    def _place(self, byte: int) -> Place:
        position = byte if self._characters is None else self._characters[byte]
        return self._origin(max(0, position - self._prefix))

    def _note(self, code: PlanCode, message: str, node: Node, hint: str | None = None) -> None:
        """Note what is wrong with a node."""
        start, end = self._place(node.start_byte), self._place(node.end_byte)
        hint = hints().get(code, _HINT) if hint is None else hint
        self.problems.append(PlanDiagnostic(code, message, start, end, hint))

    def _fail(self, code: PlanCode, message: str, node: Node, hint: str | None = None) -> NoReturn:
        self._note(code, message, node, hint)
        raise _RefusedError

    def _refuse(self, node: Node) -> NoReturn:
        """Note that a node is not of the language, by what the grammar of JavaScript calls it."""
        kind = re.sub(r"_(statement|expression|declaration)$", "", node.type).replace("_", " ")
        operator = node.child_by_field_name("operator")
        met = f"`{kind}`" if operator is None else f"the operator `{shown(_text(operator), 20)}`"
        code = packaged("plan/words")["codes"].get(node.type, "excluded")
        self._fail(code, f"{met} cannot stand in a plan.", operator or node, _HINT)

    def _slip(self, code: PlanCode, message: str, node: Node, end: int | None = None) -> None:
        """Note what is read though it is no plan: a node, or what of it stands before `end`."""
        start = node.end_byte if code == "shorthand" else node.start_byte  # its value is missing
        places = (self._place(start), self._place(node.end_byte if end is None else end))
        self.slips.append(PlanDiagnostic(code, message, *places, hints().get(code, "Remove it.")))

    def _parts(self, node: Node, *names: str) -> list[Node]:
        """Return what a node has under each name, which the grammar of JavaScript gives it."""
        return [part for name in names if (part := node.child_by_field_name(name)) is not None]

    # -- statements ------------------------------------------------------------

    def _plan(self, root: Node) -> Plan | None:
        """Read a program; None where something is wrong, which is noted."""
        aliases: dict[str, syntax.Alias] = {}
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
                comments += [_text(each) for each in leaves(node) if each.type == "comment"]
            with suppress(_RefusedError):
                found = self._statement(node)
                if found is None:
                    continue
                name, value = found
                declares = node.type.endswith("declaration")  # the alias begins behind `const`
                place = self._place(node.children[1].start_byte if declares else node.start_byte)
                row = -1
                if result is not None:
                    self._fail("after_return", "something stands behind `return`.", node)
                if name in aliases:
                    message = f"{name} is bound twice, first on line {aliases[name].place.line}."
                    self._fail("rebound_alias", message, node)
                if name:
                    aliases[name] = syntax.Alias(name, value, tuple(comments), place)
                    comments, last, row = [], name, node.end_point[0]
                else:
                    result = (value, place)
            if len(self.problems) >= MAX_TOLD:
                return None
        if result is not None and not self.problems:
            return Plan(tuple(aliases.values()), result[0], tuple(comments), result[1])
        if not self.problems:
            self._note("no_return", "the plan returns nothing.", root)
        return None

    def _statement(self, node: Node) -> tuple[str, Expression] | None:
        """Return the name that is bound, or the empty text, and the value; None where it is nothing."""
        inner = [child for child in node.children if child.type not in ("comment", ";")]
        first = inner[0] if inner else node
        if node.type == "empty_statement":
            self._slip("extra_semicolon", "a semicolon stands alone.", node)
            return None
        if node.type == "return_statement":
            if len(inner) < 2:
                hint = "Write the value behind it, on its line."
                self._fail("no_return", "`return` gives nothing back.", node, hint)
            return "", self._read(inner[1], 0)
        if node.type in ("lexical_declaration", "variable_declaration") and len(inner) == 2:
            left, right = (inner[1].child_by_field_name(each) for each in ("name", "value"))
            if left is not None and right is not None and left.type == "identifier":
                message = f"`{_text(first)}` stands before an alias."
                self._slip("declaration", message, node, left.start_byte)
                return self._bound(left), self._read(right, 0)
        if node.type != "expression_statement":
            self._refuse(node)
        if first.type != "assignment_expression":
            self._read(first, 0)
            self._fail("bare_expression", "a value stands alone.", node)
        left, right = self._parts(first, "left", "right")
        if left.type != "identifier":
            message = f"{left.type.replace('_', ' ')} is bound; only a name can be."
            self._fail("excluded", message, node, "Write `name = value;`.")
        return self._bound(left), self._read(right, 0)

    def _bound(self, node: Node) -> str:
        name = self._plain(_text(node), node)
        if name in _NO_ALIASES:
            self._fail("excluded", f"`{name}` cannot be bound.", node, "Use another name.")
        return name

    # -- expressions -----------------------------------------------------------

    def _read(self, node: Node, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            self._fail("too_deep", f"values are nested deeper than {MAX_DEPTH}.", node)
        place = self._place(node.start_byte)
        if node.type in _LITERALS:
            return syntax.Literal(_LITERALS[node.type], place=place)
        if node.type == "string":
            return syntax.Literal(self._decoded(_text(node)[1:-1], node), place=place)
        if node.type == "template_string" and not self.relaxed:
            self._refuse(node)
        read = getattr(self, f"_visit_{_ALIKE.get(node.type, node.type)}", None)
        if node.child_by_field_name("optional_chain") is not None:
            self._fail("excluded", "`?.` cannot stand in a plan.", node)
        if read is None:
            self._refuse(node)
        found: Expression = read(node, place, depth)
        return found

    def _visit_identifier(self, node: Node, place: Place, _: int) -> Expression:
        name = self._plain(_text(node), node)
        if name in _PYTHON_WORDS:
            message = f"{name} is `{'null' if name == 'None' else name.lower()}`."
            self._slip("python_word", message, node)
            return syntax.Literal(_PYTHON_WORDS[name], place=place)
        if name in ("await", "yield"):  # a script may have such names, a module may not
            self._fail("excluded", f"`{name}` cannot stand in a plan.", node)
        return syntax.Name(name, place=place)

    def _plain(self, name: str, node: Node) -> str:
        """Return a name that may be used."""
        if syntax.is_reserved(name):
            self._fail("reserved_name", f"{shown(name)} is a name that plans may not use.", node)
        if not syntax.PLAIN_NAME.fullmatch(name):
            foreign = next((character for character in name if not character.isascii()), "")
            if foreign and foreign in "“”„‘’‚":
                self._fail("smart_quotes", "curly quotes stand around a text.", node)
            message = f"{shown(name)} is no name."
            if foreign:
                known = unicodedata.name(foreign, "a character without a name")
                message = f"the name {shown(name)} holds {shown(foreign)!r} ({known})."
            self._fail("foreign_name", message, node)
        return name

    def _decoded(self, raw: str, node: Node) -> str:
        """Return what a text between quotes says."""
        try:
            return syntax.decoded(raw)
        except ValueError:
            self._fail("half_character", "the text holds half a character.", node)

    def _visit_number(self, node: Node, place: Place, _: int) -> Expression:
        """Read a number and the sign directly before it, whole where nothing is lost by it."""
        sign, number = "", node
        if node.type == "unary_expression":
            operator, number = self._parts(node, "operator", "argument")
            sign = _text(operator)
            if number.type != "number" or sign not in "+-":
                self._refuse(node)
            if operator.end_byte != number.start_byte:
                message = "a sign stands apart from its number."
                self._fail("excluded", message, node, "Write it directly before.")
        text = _text(number)
        if not text or not _NUMBER.fullmatch(text) or len(text) > 400:
            message = f"{shown(text, 40)} is no decimal number."
            self._fail("number_form", message, number, "Write it as in 0.5, 12 or 1.5e3.")
        if text.isdigit():
            return syntax.Literal(int(sign + text), place=place)
        value = float(sign + text)
        if abs(value) == float("inf"):
            message = f"{shown(text, 40)} is too large."
            self._fail("number_form", message, number, "Use a smaller number.")
        return syntax.Literal(as_whole(value), place=place)

    def _visit_await_expression(self, node: Node, _: Place, depth: int) -> Expression:
        """Read what stands behind `await` or between brackets."""
        inner = next(child for child in node.children[1:] if child.type != "comment")
        code: PlanCode = "await" if node.type == "await_expression" else "parentheses"
        if code == "await" and not re.match(r"[^\W\d]|\(", _text(inner)):
            self._refuse(node)
        what = "`await` stands before" if code == "await" else "brackets stand around"
        self._slip(code, f"{what} a value.", node, inner.start_byte)
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
            self._slip("trailing_comma", message, comma)

    def _visit_array(self, node: Node, place: Place, depth: int) -> Expression:
        items = tuple(self._read(child, depth + 1) for child in self._inside(node))
        return syntax.ListOf(items, place=place)

    def _visit_object(self, node: Node, place: Place, depth: int) -> Expression:
        fields: dict[str, Expression] = {}
        for child in self._inside(node):
            if child.type == "shorthand_property_identifier":
                key, name = child, self._plain(_text(child), child)
                is_word = name in _LITERALS or name in _PYTHON_WORDS
                if is_word or tree_of(f"({name})".encode()).root_node.has_error:
                    self._refuse(child)
                self._slip("shorthand", f"`{name}` has no value.", child)
                inner: Expression = syntax.Name(name, place=self._place(child.start_byte))
            elif child.type == "pair":
                key, value = self._parts(child, "key", "value")
                name, inner = self._key(key), self._read(value, depth + 1)
            else:
                self._refuse(child)
            if name in fields:
                self._fail("duplicate_key", f"{shown(name)} stands twice in an object.", key)
            fields[name] = inner
        return syntax.ObjectOf(tuple(fields.items()), place=place)

    def _key(self, key: Node) -> str:
        if key.type == "property_identifier":
            return self._plain(_text(key), key)
        if key.type != "string":
            hint = "Keys are names, as in {city: 'Oslo'}."
            self._fail("excluded", "a key is no name.", key, hint)
        name = self._decoded(_text(key)[1:-1], key)
        if syntax.is_reserved(name):
            self._plain(name, key)
        if syntax.PLAIN_NAME.fullmatch(name):
            self._slip("quoted_key", f"the key {shown(name)} stands in quotes.", key)
        return name

    def _visit_member_expression(self, node: Node, place: Place, depth: int) -> Expression:
        of, name = self._parts(node, "object", "property")
        if name.type != "property_identifier":
            self._fail("excluded", "a private field cannot stand in a plan.", node)
        inner = self._read(of, depth + 1)
        return syntax.FieldOf(inner, self._plain(_text(name), name), place=place)

    def _visit_subscript_expression(self, node: Node, place: Place, depth: int) -> Expression:
        of, index = self._parts(node, "object", "index")
        inner, step = self._read(of, depth + 1), self._read(index, depth + 1)
        value = step.value if isinstance(step, syntax.Literal) else None
        if isinstance(value, str):
            if syntax.is_reserved(value):
                self._plain(value, index)
            return syntax.FieldOf(inner, value, place=place)
        is_index = type(value) is int and value >= 0
        values = syntax.Literal | syntax.ObjectOf | syntax.ListOf | syntax.TextOf
        if isinstance(step, values) and not is_index:
            self._fail("bad_index", f"{shown(_text(index), 40)} is no index.", index)
        return syntax.IndexOf(inner, step, place=place)

    def _visit_call_expression(self, node: Node, place: Place, depth: int) -> Expression:
        function, arguments = self._parts(node, "function", "arguments")
        if arguments.type != "arguments":
            self._fail("excluded", "a call of this form cannot stand in a plan.", node)
        called = self._read(function, depth + 1)
        if not isinstance(called, syntax.Name | syntax.FieldOf):
            hint = "Call as in `tool({...})`."
            self._fail("excluded", "what is called has no name.", function, hint)
        given = tuple(self._read(child, depth + 1) for child in self._inside(arguments))
        return syntax.Invocation(called, given, place=place)

    def _visit_template_string(self, node: Node, place: Place, depth: int) -> Expression:
        message = "a template puts values into a text."
        self.slips.append(PlanDiagnostic("template", message, place))
        parts: list[str | Expression] = []
        for child in node.children[1:-1]:
            added: tuple[str | Expression, ...] = ()
            if child.type == "template_substitution":
                inner = next(each for each in child.children[1:-1] if each.type != "comment")
                read = root = self._read(inner, depth + 1)
                while isinstance(root, syntax.FieldOf) or (
                    isinstance(root, syntax.IndexOf) and isinstance(root.index, syntax.Literal)
                ):
                    root = root.of
                if isinstance(read, syntax.Literal):
                    added = (read.value if isinstance(read.value, str) else _text(inner),)
                elif isinstance(root, syntax.Name) or isinstance(read, syntax.TextOf):
                    added = read.parts if isinstance(read, syntax.TextOf) else (read,)
                else:
                    message = "a template holds more than a reference."
                    hint = "Bind the value to a name, and put that in."
                    self._fail("template", message, inner, hint)
            else:
                added = (self._decoded(_text(child), child),)
            for part in added:
                if isinstance(part, str) and parts and isinstance(parts[-1], str):
                    parts[-1] += part
                elif part != "":
                    parts.append(part)
        if all(isinstance(part, str) for part in parts):
            return syntax.Literal("".join(map(str, parts)), place=place)
        return syntax.TextOf(tuple(parts), place=place)
