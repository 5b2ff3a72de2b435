"""
Reads the text of a plan: strictly, or mending what models get wrong.

What is listed here is read, everything else refused. Slips that are JavaScript all the same are read as what was
meant, and noted; where the text is broken, `mending` changes it first.

    f({a: 1,})  f({'a': 1})  f({a})  a comma too many, a key in quotes, a key without a value
    const a = 1;  await f()  a;;     words and semicolons that plans do without
    return (f());  True  None        brackets around a value, words of Python
"""

from __future__ import annotations

import re
import typing
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan.diagnostics import PlanCode, PlanDiagnostic, refused
from refract_asp.plan.mending import mended, open_comment
from refract_asp.plan.syntax import (
    PLAIN_NAME,
    UNDEFINED,
    Alias,
    BadTextError,
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
    decoded,
    is_reserved,
)
from refract_asp.settings import choice

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

__all__ = ["MAX_TEXT", "Mode", "Parsed", "ParsedExpression", "parse_expression", "parse_plan"]


Mode: TypeAlias = typing.Literal["strict", "relaxed"]
MAX_TEXT = 64_000
"""Characters of the longest plan that is read."""
MAX_ALIASES = 2000
MAX_TOLD = 20
"""So many diagnostics of one plan are told."""
_RETURN = "return "
_DEEP = re.compile(rf"(?:[\[({{]\s*){{{2 * MAX_DEPTH + 1}}}")
"""So many brackets in a row that no list or object may hold the innermost."""
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Parsed:
    """
    What a text was read as.

    Attributes:
        plan: the plan, or None where something is wrong.
        diagnostics: what is wrong, from top to bottom.
        repairs: what was mended, from top to bottom; always empty in the mode "strict".
    """

    plan: Plan | None
    diagnostics: tuple[PlanDiagnostic, ...] = ()
    repairs: tuple[PlanDiagnostic, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was mended, as sentences."""
        return tuple(
            f"the plan was mended at {each.place}: {each.message}" for each in self.repairs
        )

    def require(self, where: str = "") -> Plan:
        """
        Return the plan.

        Raises:
            PlanError: something is wrong; the message tells what, each on a line with its place.
        """
        if self.plan is None:
            raise refused(self.diagnostics, where)
        return self.plan


@dataclass(frozen=True)
class ParsedExpression:
    """What the text of an expression was read as; see `Parsed`."""

    expression: Expression | None
    diagnostics: tuple[PlanDiagnostic, ...] = ()
    repairs: tuple[PlanDiagnostic, ...] = ()

    def require(self, where: str = "") -> Expression:
        """Return the expression, or raise a `PlanError` as `Parsed.require` does."""
        if self.expression is None:
            raise refused(self.diagnostics, where)
        return self.expression


def parse_plan(text: str, mode: Mode = "strict") -> Parsed:
    """
    Read a plan.

    Args:
        text: the plan.
        mode: "strict" refuses whatever is not of the language; "relaxed" mends the slips that models make
            (docs/plan-language.md lists them) and reads templates with plain references. A plan that is
            right as it stands is read the same in both.

    Raises:
        InputError: there is no such mode, or the extra `plan` is not installed.

    Example:
        >>> strict = parse_plan("return f({a: 1,});")
        >>> strict.plan, [str(each) for each in strict.diagnostics]
        (None, ['line 1, column 15: a comma stands before `}`. Remove it.'])
        >>> relaxed = parse_plan("return f({a: 1,});", "relaxed")
        >>> str(relaxed.plan), [each.code for each in relaxed.repairs]
        ('return f({a: 1});', ['trailing_comma'])
    """
    return _parsed(text, mode, is_expression=False)


def parse_expression(text: str, mode: Mode = "strict") -> ParsedExpression:
    """
    Read an expression alone, as `next(Thursday).at('9:00am')`; a semicolon may end it.

    Raises:
        InputError: there is no such mode, or the extra `plan` is not installed.

    Example:
        >>> parse_expression("{a: [1, 'x']}").expression is not None
        True
    """
    parsed = _parsed(text, mode, is_expression=True)
    plan = parsed.plan
    expression = plan.result if plan is not None and not plan.aliases else None
    return ParsedExpression(expression, parsed.diagnostics, parsed.repairs)


_MENDABLE: Final = frozenset(
    ("await", "bare_expression", "no_return", "smart_quotes", "syntax_error", "template")
)
"""What may come of a text that can be mended; the rest is not of the language."""


def _parsed(text: str, mode: Mode, *, is_expression: bool) -> Parsed:
    """Read a text as it stands, and where that fails once more after it was mended."""
    choice("mode", mode, ("strict", "relaxed"))
    if not isinstance(text, str):
        kind = shown(type(text).__name__)
        raise InputError(f"a plan cannot be a value of type {kind}.", hint="Give its text.")
    relaxed = mode == "relaxed"
    starts = [0, *(line_break.end() for line_break in re.finditer("\n", text))]

    def place(position: int) -> Place:
        line = bisect_right(starts, position)
        return Place(line, position - starts[line - 1] + 1)

    def wrong(code: PlanCode, message: str, at: int, hint: str) -> Parsed:
        return Parsed(None, (PlanDiagnostic(code, message, place(at), None, hint),))

    if (found := _unreadable(text)) is not None:
        return wrong(*found)
    reader = _Reader(text, place, relaxed=relaxed, is_expression=is_expression)
    slips, problems = reader.slips, reader.problems
    if problems:
        change = mended(text, _tree, is_expression=is_expression)
        if change.outside is not None:
            message = "code stands outside of the block that holds the plan."
            return wrong(
                "surroundings", message, change.outside, "Give the plan alone, in one block."
            )
        is_around = any(slip.code == "surroundings" for slip in change.slips)
        if is_around or all(problem.code in _MENDABLE for problem in problems):
            again = _Reader(
                change.text,
                lambda position: place(change.origin(position)),
                relaxed=relaxed,
                is_expression=is_expression,
            )
            if change.slips and not any(each.code == "syntax_error" for each in again.problems):
                reader, problems = again, again.problems
                slips = [
                    PlanDiagnostic(each.code, each.message, place(each.start), place(each.end),
                                   _HINTS.get(each.code, ""))
                    for each in change.slips
                ] + reader.slips  # fmt: skip
            elif change.cut_off is not None:
                message = f"`{text[change.cut_off]}` is not closed; the plan may be cut off."
                return wrong("unclosed_bracket", message, change.cut_off, "Ask for all of it.")
    # a key in curly quotes is told once, as what it is
    keys = {each.place for each in slips if each.code == "quoted_key"}
    slips = [each for each in slips if each.code != "smart_quotes" or each.place not in keys]
    slips.sort(key=lambda each: each.place)
    if relaxed and reader.plan is not None:
        return Parsed(reader.plan, (), tuple(slips))
    told = problems if relaxed else [*slips, *problems]  # what is mended stops nobody
    told = sorted(told, key=lambda each: each.place)
    return Parsed(None if told else reader.plan, tuple(told))


def _unreadable(text: str) -> tuple[PlanCode, str, int, str] | None:
    """Say why a text is not given to tree-sitter at all: the code, the message, where, and a hint."""
    if len(text) > MAX_TEXT:
        message = f"the plan has {len(text):,} characters; at most {MAX_TEXT:,} are read."
        return "too_long", message, 0, ""
    if not text.strip():
        return "no_return", "the plan is empty.", 0, "End it with `return value;`."
    if _DEEP.search(text):
        return "too_deep", f"brackets are nested deeper than {MAX_DEPTH}.", 0, "Use aliases."
    if half := _HALF.search(text):
        message = "the text holds half a character (a lone surrogate)."
        return "half_character", message, half.start(), "Write it whole."
    if (comment := open_comment(text)) is not None:
        return "syntax_error", "the comment is not closed.", comment, "Close it with `*/`."
    return None


_HINTS: Final[dict[PlanCode, str]] = {
    "await": "Remove it.",
    "declaration": "Remove it.",
    "extra_semicolon": "Remove it.",
    "missing_comma": "Write one.",
    "missing_semicolon": "Write one.",
    "parentheses": "Remove them.",
    "quoted_key": "Remove the quotes.",
    "return_alone": "Let it begin behind `return`.",
    "shorthand": "Write `name: value`.",
    "smart_quotes": "Use straight ones.",
    "surroundings": "Give the plan alone.",
    "trailing_comma": "Remove it.",
    "unclosed_bracket": "Close it.",
    "use": "Write `return`.",
}


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


def _tree(data: bytes) -> Tree:
    """Read a text; with a parser of its own, so that threads do not share one."""
    language = _language()
    import tree_sitter

    return tree_sitter.Parser(language).parse(data)


# -- the tree ------------------------------------------------------------------

_HINT = "Plans hold values, fields, elements, calls, aliases and one `return`."
"""What is told where something cannot stand in a plan at all."""
_REFUSED: Final = {
    "a class": "class class_declaration",
    "a comment of HTML": "html_comment",
    "a declaration": "lexical_declaration variable_declaration",
    "a function": "arrow_function function_declaration function_expression generator_function "
    "generator_function_declaration method_definition",
    "a key without a value": "shorthand_property_identifier",
    "a label": "labeled_statement",
    "a line that begins with `#!`": "hash_bang_line",
    "a regular expression": "regex",
    "a template": "template_string",
    "an assignment": "assignment_expression augmented_assignment_expression",
    "an operator": "binary_expression unary_expression update_expression",
    "a block": "statement_block",
    "brackets around a value": "parenthesized_expression",
    "destructuring": "object_pattern array_pattern",
    "several values with commas between them": "sequence_expression",
    "`...`": "spread_element",
    "`? :`": "ternary_expression",
    "`?.`": "optional_chain",
    "`await`": "await_expression",
    "`for`": "for_in_statement",
    "`import`": "import",
    "`new`": "new_expression",
}
_WORDS: Final = {kind: word for word, kinds in _REFUSED.items() for kind in kinds.split()}
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
_CURLY = "“”„‘’‚"
_NO_ALIASES = frozenset({"await", "let", "static", "yield", "return", "undefined"})


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


class _Statement(typing.NamedTuple):
    """A statement: the name that is bound, or the empty text for what is returned."""

    name: str
    value: Expression | None
    node: Node
    comments: list[str]


class _Reader:
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
        prefix = _RETURN if is_expression else ""
        data = (prefix + text).encode()
        self._origin, self._prefix = origin, len(prefix)
        self._characters: list[int] | None = None  # before each byte, unless they are the same
        if not data.isascii():
            self._characters = [0, *accumulate(byte & 0xC0 != 0x80 for byte in data)]
        self._relaxed = relaxed
        self.slips: list[PlanDiagnostic] = []
        self.problems: list[PlanDiagnostic] = []
        self.plan = self._plan(_tree(data).root_node)

    def _place(self, byte: int) -> Place:
        position = byte if self._characters is None else self._characters[byte]
        return self._origin(max(0, position - self._prefix))

    def _note(self, code: PlanCode, message: str, node: Node, hint: str = "") -> None:
        """Note what is wrong with a node."""
        if len(self.problems) < MAX_TOLD:
            start, end = self._place(node.start_byte), self._place(node.end_byte)
            self.problems.append(PlanDiagnostic(code, message, start, end, hint))

    def _refuse(self, node: Node) -> NoReturn:
        """Note that a node is not of the language."""
        met = _WORDS.get(node.type) or f"`{node.type.removesuffix('_statement')}`"
        if node.type not in _WORDS and not node.type.endswith("_statement"):
            met = f"`{shown(_text(node).split(None, 1)[0], 20)}`"
        operator = node.child_by_field_name("operator")
        if operator is not None and met == "an operator":
            met = f"the operator `{shown(_text(operator), 20)}`"
        code = _CODES.get(node.type, "excluded")
        self._fail(code, f"{met} cannot stand in a plan.", node, _HINT)

    def _fail(self, code: PlanCode, message: str, node: Node, hint: str = "") -> NoReturn:
        self._note(code, message, node, hint)
        raise _RefusedError

    def _slip(self, code: PlanCode, message: str, start: int, end: int) -> None:
        """Note what is read though it is no plan."""
        hint = _HINTS.get(code, "")
        slip = PlanDiagnostic(code, message, self._place(start), self._place(end), hint)
        self.slips.append(slip)

    # -- statements ------------------------------------------------------------

    def _plan(self, root: Node) -> Plan | None:
        """Read a program; None where something is wrong, which is noted."""
        if root.has_error:
            self._broken(root)
            return None
        statements: list[_Statement] = []
        comments: list[str] = []
        for node in root.children:
            if node.type == "comment":
                ended = statements[-1] if statements else None
                is_behind = ended is not None and ended.node.end_point[0] == node.start_point[0]
                (ended.comments if ended is not None and is_behind else comments).append(
                    _text(node)
                )
                continue
            if b"/" in (node.text or b""):
                comments += _comments(node)
            try:
                found = self._statement(node)
            except _RefusedError:
                continue
            if found is not None:
                statements.append(_Statement(*found, node, comments))
                comments = []
        return self._assembled(statements, comments, root)

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

    def _statement(self, node: Node) -> tuple[str, Expression | None] | None:
        """Return the name that is bound, or the empty text, and the value; None where it is nothing."""
        inner = [child for child in node.children if child.type not in ("comment", ";")]
        first = inner[0] if inner else node
        if node.type == "return_statement":
            if len(inner) == 2:
                return "", self._tried(inner[1])
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
        if self._tried(first) is not None:
            hint = (
                "Bind it and return it, as in `name = ...;` and `return {name: name, ...};`: a plan "
                "makes only the calls that what it returns reads."
            )
            self._note("bare_expression", "a value stands alone.", node, hint)
        return None

    def _bound(
        self, left: Node | None, right: Node | None, node: Node
    ) -> tuple[str, Expression | None]:
        if left is None or right is None or left.type != "identifier":
            kind = left.type if left is not None else ""
            what = "destructuring" if "pattern" in kind else "a field"
            what = f"`{kind}`" if kind == "undefined" else what
            message = f"{what} is bound; only a name can be."
            self._fail("excluded", message, node, "Write `name = value;`.")
        try:
            name = self._plain(_text(left), left)
            if name in _PYTHON_WORDS:
                word = _text_of_word(name)
                self._fail("python_word", f"{name} is `{word}`.", left, f"Write {word}.")
            if name in _NO_ALIASES:
                self._fail("excluded", f"`{name}` cannot be bound.", left, "Use another name.")
        except _RefusedError:
            self._tried(right)
            raise
        return name, self._tried(right)

    def _assembled(
        self, statements: list[_Statement], comments: list[str], root: Node
    ) -> Plan | None:
        aliases: dict[str, Alias] = {}
        result: tuple[Expression, Place, list[str]] | None = None
        for name, value, node, own in statements:
            declares = node.type.endswith("declaration")  # the alias begins behind `const`
            place = self._place(node.children[1].start_byte if declares else node.start_byte)
            if result is not None:
                message, hint = (
                    "something stands behind `return`.",
                    "Let `return` be the last statement.",
                )
                self._note("after_return", message, node, hint)
                break
            if not name:
                result = (value or Literal(None), place, own)
            elif name in aliases:
                message = f"{name} is bound twice, first on line {aliases[name].place.line}."
                self._note("rebound_alias", message, node, "Give the second one a name of its own.")
            else:
                aliases[name] = Alias(name, value or Literal(None), tuple(own), place)
        if len(aliases) > MAX_ALIASES:
            self._note("too_long", f"the plan has more than {MAX_ALIASES} aliases.", root)
        if result is None and not self.problems:
            message = "the plan returns nothing."
            self._note("no_return", message, root, "End it with `return value;`.")
        if self.problems or result is None:
            return None
        returned, place, own = result
        return Plan(tuple(aliases.values()), returned, (*own, *comments), place)

    # -- expressions -----------------------------------------------------------

    def _tried(self, node: Node, depth: int = 0) -> Expression | None:
        """Return an expression; None where it is refused, which is noted."""
        try:
            return self._read(node, depth)
        except _RefusedError:
            return None

    def _read(self, node: Node, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            message = f"values are nested deeper than {MAX_DEPTH}."
            self._fail("too_deep", message, node, "Use aliases.")
        place = self._place(node.start_byte)
        if node.type in _LITERALS:
            return Literal(_LITERALS[node.type], place)
        if node.type == "template_string" and not self._relaxed:
            self._refuse(node)
        read = _READERS.get(node.type)
        if read is None:
            self._refuse(node)
        return read(self, node, place, depth)

    def _name(self, node: Node, place: Place, _: int) -> Expression:
        name = self._plain(_text(node), node)
        if name in _PYTHON_WORDS:
            message = f"{name} is `{_text_of_word(name)}`."
            self._slip("python_word", message, node.start_byte, node.end_byte)
            return Literal(_PYTHON_WORDS[name], place)
        if name in ("await", "yield"):  # a script may have such names, a module may not
            code: PlanCode = "await" if name == "await" else "excluded"
            self._fail(code, f"`{name}` cannot stand in a plan.", node, _HINT)
        return Name(name, place)

    def _plain(self, name: str, node: Node) -> str:
        """Return a name that may be used."""
        if is_reserved(name):
            message = f"{shown(name)} is a name that plans may not use."
            self._fail("reserved_name", message, node, "It reaches inside of objects.")
        if not PLAIN_NAME.fullmatch(name):
            foreign = next((character for character in name if not character.isascii()), "")
            if foreign and foreign in _CURLY:
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
        except BadTextError:
            message = "the text holds half a character."
            self._fail("half_character", message, node, "Write it whole.")

    def _string(self, node: Node, place: Place, _: int) -> Expression:
        return Literal(self._decoded(_text(node)[1:-1], node), place)

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

    def _awaited(self, node: Node, _: Place, depth: int) -> Expression:
        inner = next(child for child in node.children[1:] if child.type != "comment")
        if not re.match(r"[^\W\d]|\(", _text(inner)):
            self._refuse(node)
        message = "`await` stands before a value."
        self._slip("await", message, node.start_byte, inner.start_byte)
        return self._read(inner, depth)

    def _parenthesized(self, node: Node, _: Place, depth: int) -> Expression:
        inner = next(child for child in node.children[1:] if child.type != "comment")
        if inner.type == "sequence_expression":
            self._refuse(node)
        message = "brackets stand around a value."
        self._slip("parentheses", message, node.start_byte, inner.start_byte)
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
        """Read all that stands between brackets, so that all that is wrong in it is told."""
        items = [self._tried(child, depth + 1) for child in self._inside(node)]
        if None in items:
            raise _RefusedError
        return tuple(item for item in items if item is not None)

    def _list(self, node: Node, place: Place, depth: int) -> Expression:
        return ListOf(self._items(node, depth), place)

    def _object(self, node: Node, place: Place, depth: int) -> Expression:
        fields: dict[str, Expression] = {}
        failed = False
        for child in self._inside(node):
            try:
                key, name, value = self._field(child, depth)
                if name in fields:
                    message = f"{shown(name)} stands twice in an object."
                    self._fail("duplicate_key", message, key, "Remove one.")
                fields[name] = value
            except _RefusedError:
                failed = True
        if failed:
            raise _RefusedError
        return ObjectOf(tuple(fields.items()), place)

    def _field(self, node: Node, depth: int) -> tuple[Node, str, Expression]:
        """Return the key of a field, what it says, and the value."""
        if node.type == "shorthand_property_identifier" and _is_variable(_text(node)):
            name = self._plain(_text(node), node)
            self._slip("shorthand", f"`{name}` has no value.", node.end_byte, node.end_byte)
            return node, name, Name(name, self._place(node.start_byte))
        key, value = (node.child_by_field_name(each) for each in ("key", "value"))
        if node.type != "pair" or key is None or value is None:
            self._refuse(node)
        try:
            name = self._key(key)
        except _RefusedError:
            self._tried(value, depth + 1)
            raise
        return key, name, self._read(value, depth + 1)

    def _key(self, key: Node) -> str:
        if key.type == "property_identifier":
            return self._plain(_text(key), key)
        if key.type != "string":
            self._fail(
                "excluded", "a key is no name.", key, "Keys are names, as in {city: 'Oslo'}."
            )
        name = self._decoded(_text(key)[1:-1], key)
        if is_reserved(name):
            self._plain(name, key)
        if PLAIN_NAME.fullmatch(name):
            message = f"the key {shown(name)} stands in quotes."
            self._slip("quoted_key", message, key.start_byte, key.end_byte)
        return name

    def _member(self, node: Node, place: Place, depth: int) -> Expression:
        of, name = (node.child_by_field_name(each) for each in ("object", "property"))
        is_optional = node.child_by_field_name("optional_chain") is not None
        if of is None or name is None or name.type != "property_identifier" or is_optional:
            what = "`?.`" if is_optional else "a private field"
            self._fail("excluded", f"{what} cannot stand in a plan.", node, _HINT)
        return FieldOf(self._read(of, depth + 1), self._plain(_text(name), name), place)

    def _element(self, node: Node, place: Place, depth: int) -> Expression:
        of, index = (node.child_by_field_name(each) for each in ("object", "index"))
        if of is None or index is None or node.child_by_field_name("optional_chain") is not None:
            self._fail("excluded", "`?.` cannot stand in a plan.", node, _HINT)
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
        is_optional = node.child_by_field_name("optional_chain") is not None
        if function is None or arguments is None or arguments.type != "arguments" or is_optional:
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
        for is_put_in, run in groupby(
            node.children[1:-1], key=lambda child: child.type == "template_substitution"
        ):
            pieces = list(run)
            found: list[str | Expression] = []
            if is_put_in:
                found = [part for each in pieces for part in self._put_in(each, depth)]
            else:  # read at once: two escapes may be the halves of one character
                found = [self._decoded("".join(map(_text, pieces)), pieces[0])]
            for part in found:
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


def _is_variable(name: str) -> bool:
    """Whether a name may be read, and is no word of JavaScript or Python."""
    is_word = is_reserved(name) or name in _PYTHON_WORDS or name in _LITERALS
    return not is_word and not _tree(f"({name})".encode()).root_node.has_error


def _text_of_word(name: str) -> str:
    """Return what plans call a value that Python calls by another word."""
    return {"None": "null"}.get(name, name.lower())


_READERS: Final[dict[str, Callable[[_Reader, Node, Place, int], Expression]]] = {
    "array": _Reader._list,
    "await_expression": _Reader._awaited,
    "call_expression": _Reader._call,
    "identifier": _Reader._name,
    "member_expression": _Reader._member,
    "number": _Reader._number,
    "object": _Reader._object,
    "parenthesized_expression": _Reader._parenthesized,
    "string": _Reader._string,
    "subscript_expression": _Reader._element,
    "template_string": _Reader._template,
    "unary_expression": _Reader._signed,
}
"""How each kind of node is read."""
