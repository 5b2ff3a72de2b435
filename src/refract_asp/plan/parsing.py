"""Reads the text of a plan: strictly, or mending what models get wrong."""

from __future__ import annotations

import re
import typing
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan.diagnostics import Mended, PlanDiagnostic, Slip, refused
from refract_asp.plan.expressions import Atoms, Expressions
from refract_asp.plan.mending import mended
from refract_asp.plan.refusals import MENDABLE, Refusals, comments_of, text_of
from refract_asp.plan.syntax import Alias, Expression, Literal, Place, Plan
from refract_asp.plan.tokens import tokens_of
from refract_asp.settings import choice

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

__all__ = [
    "MAX_TEXT",
    "Mode",
    "Parsed",
    "ParsedExpression",
    "Reader",
    "parse_expression",
    "parse_plan",
]


MAX_ALIASES = 2000


class Reader:
    """
    Reads one tree.

    Args:
        place: gives the place of a node's start or end from its row and column in bytes.
        templates: whether templates with plain references are read.
    """

    def __init__(
        self, place: Callable[[tuple[int, int]], Place], *, templates: bool = False
    ) -> None:
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
                "no_return",
                "`return` gives nothing back.",
                node,
                "Write the value behind it, on its line.",
            )
        elif node.type == "expression_statement" and inner[0].type == "assignment_expression":
            left = inner[0].child_by_field_name("left")
            right = inner[0].child_by_field_name("right")
            if left is None or right is None or left.type != "identifier":
                kind = left.type if left is not None else ""
                what = "destructuring" if "pattern" in kind else "a field"
                what = f"`{kind}`" if kind == "undefined" else what
                self._note(
                    "excluded",
                    f"{what} is bound; only a name can be.",
                    node,
                    "Write `name = value;`.",
                )
                return None
            name = self._atoms.name(left, is_alias=True)
            value = self._expressions.tried(right)
            return (name, value) if name is not None else None
        elif node.type == "expression_statement":
            if self._expressions.tried(inner[0]) is not None:
                what = "a value stands alone."
                hint = (
                    "Bind it and return it, as in `name = ...;` and `return {name: name, ...};`: a plan "
                    "makes only the calls that what it returns reads."
                )
                self._note("bare_expression", what, node, hint)
        else:
            self._refuse(node)
        return None

    def _assembled(
        self,
        statements: list[tuple[str, Expression | None, Node, list[str]]],
        left: list[str],
        root: Node,
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
            self._note(
                "no_return", "the plan returns nothing.", root, "End it with `return value;`."
            )
        if self.diagnostics or result is None:
            return None
        value, place, comments = result
        return Plan(tuple(aliases.values()), value, (*comments, *left), place)


Mode: TypeAlias = typing.Literal["strict", "relaxed"]
MAX_TEXT = 64_000
"""Characters of the longest plan that is read."""
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
            f"the plan was mended at {repair.place}: {repair.message}" for repair in self.repairs
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
            (`refract_asp.plan.mending` lists them) and reads templates with plain references. A plan that is
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
    choice("mode", mode, ("strict", "relaxed"))
    reading = _Reading(text, mode, is_expression=False)
    plan = reading.read()
    return Parsed(plan, reading.diagnostics, reading.repairs)


def parse_expression(text: str, mode: Mode = "strict") -> ParsedExpression:
    """
    Read an expression alone, as `next(Thursday).at('9:00am')`; a semicolon may end it.

    Raises:
        InputError: there is no such mode, or the extra `plan` is not installed.

    Example:
        >>> parse_expression("{a: [1, 'x']}").expression is not None
        True
    """
    choice("mode", mode, ("strict", "relaxed"))
    reading = _Reading(text, mode, is_expression=True)
    plan = reading.read()
    expression = plan.result if plan is not None and not plan.aliases else None
    return ParsedExpression(expression, reading.diagnostics, reading.repairs)


class _Reading:
    """Reads a text once as it stands, and where that fails once more after it was mended."""

    def __init__(self, text: str, mode: Mode, *, is_expression: bool) -> None:
        if not isinstance(text, str):
            kind = shown(type(text).__name__)
            raise InputError(f"a plan cannot be a value of type {kind}.", hint="Give its text.")
        self._text = text
        self._relaxed = mode == "relaxed"
        self._is_expression = is_expression
        self.diagnostics: tuple[PlanDiagnostic, ...] = ()
        self.repairs: tuple[PlanDiagnostic, ...] = ()

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, in characters."""
        return [0, *(line_break.end() for line_break in re.finditer("\n", self._text))]

    def read(self) -> Plan | None:
        """Return the plan; None where something is wrong, which `diagnostics` tell then."""
        if not self._is_readable():
            return None
        plan, problems = self._tried(self._text, None)
        if plan is not None:
            return plan
        change = mended(self._text, is_expression=self._is_expression)
        if change.outside is not None:
            self.diagnostics = (self._outside(change.outside),)
            return None
        is_around = any(slip.code == "surroundings" for slip in change.slips)
        if is_around or all(problem.code in MENDABLE for problem in problems):
            slips = [self._slip(slip) for slip in change.slips]
            plan, left = self._tried(
                change.text, change, templates=slips if self._relaxed else None
            )
            if plan is not None and self._relaxed:
                self.repairs = tuple(sorted(slips, key=lambda slip: slip.place))
                return plan
            if plan is not None or (
                slips and not any(each.code == "syntax_error" for each in left)
            ):
                problems = left if self._relaxed else [*slips, *left]  # what is mended stops nobody
            elif change.cut_off is not None:
                problems = [self._cut_off(change.cut_off)]
        self.diagnostics = tuple(sorted(problems, key=lambda each: each.place))
        return None

    def _is_readable(self) -> bool:
        start = Place(1, 1)
        if len(self._text) > MAX_TEXT:
            what = f"the plan has {len(self._text):,} characters; at most {MAX_TEXT:,} are read."
            self.diagnostics = (PlanDiagnostic("too_long", what, start),)
        elif not self._text.strip():
            what = "the plan is empty."
            self.diagnostics = (
                PlanDiagnostic("no_return", what, start, None, "End it with `return value;`."),
            )
        elif _DEEP.search(self._text):
            what = f"brackets are nested deeper than {MAX_DEPTH}."
            self.diagnostics = (PlanDiagnostic("too_deep", what, start, None, "Use aliases."),)
        elif half := _HALF.search(self._text):
            what = "the text holds half a character (a lone surrogate)."
            place = self._place(half.start())
            self.diagnostics = (
                PlanDiagnostic("half_character", what, place, None, "Write it whole."),
            )
        elif (comment := self._open_comment()) is not None:
            what = "the comment is not closed."
            place = self._place(comment)
            self.diagnostics = (
                PlanDiagnostic("syntax_error", what, place, None, "Close it with `*/`."),
            )
        else:
            return True
        return False

    def _open_comment(self) -> int | None:
        """Return where a comment begins that does not end: tree-sitter takes long to find that out."""
        if self._text.rfind("/*") <= self._text.rfind("*/"):
            return None
        found = (
            each for each in tokens_of(self._text) if each.kind == "other" and each.text[:2] == "/*"
        )
        return next((each.start for each in found), None)

    def _outside(self, position: int) -> PlanDiagnostic:
        what = "code stands outside of the block that holds the plan."
        hint = "Give the plan alone, in one block."
        return PlanDiagnostic("surroundings", what, self._place(position), None, hint)

    def _cut_off(self, position: int) -> PlanDiagnostic:
        what = f"`{self._text[position]}` is not closed; the plan may be cut off."
        return PlanDiagnostic(
            "unclosed_bracket", what, self._place(position), None, "Ask for all of it."
        )

    def _tried(
        self, text: str, change: Mended | None, templates: list[PlanDiagnostic] | None = None
    ) -> tuple[Plan | None, list[PlanDiagnostic]]:
        """Read a text as it stands; templates that are met are noted in the list, without one refused."""
        prefix = _RETURN if self._is_expression else ""
        data = (prefix + text).encode()
        tree: Tree = _parser().parse(data)
        reader = Reader(self._places(data, change), templates=templates is not None)
        plan = reader.plan(tree.root_node)
        if templates is not None:
            what = "a template puts values into a text."
            templates += [PlanDiagnostic("template", what, place) for place in reader.templates_met]
        return plan, reader.diagnostics

    def _places(self, data: bytes, change: Mended | None) -> Callable[[tuple[int, int]], Place]:
        """Return what gives the place in the given text for a row and a column in bytes of the parsed one."""
        prefix = len(_RETURN) if self._is_expression else 0
        if change is None and not prefix and data.isascii():
            return lambda point: Place(point[0] + 1, point[1] + 1)
        lines = data.split(b"\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line.decode()) + 1)

        def place(point: tuple[int, int]) -> Place:
            row, column = point
            characters = len(lines[row][:column].decode()) if row < len(lines) else 0
            position = max(0, starts[row] + characters - prefix)
            return self._place(position if change is None else change.origin(position))

        return place

    def _place(self, position: int) -> Place:
        line = bisect_right(self._starts, position)
        return Place(line, position - self._starts[line - 1] + 1)

    def _slip(self, slip: Slip) -> PlanDiagnostic:
        start, end = self._place(slip.start), self._place(slip.end)
        return PlanDiagnostic(slip.code, slip.message, start, end, _HINTS.get(slip.code, ""))


_HINTS = {
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
def _language() -> object:
    try:
        import tree_sitter
        import tree_sitter_javascript
    except ImportError as error:
        raise InputError(
            f"reading plans needs tree-sitter, which cannot be imported ({shown(error)}).",
            hint="Install it with: pip install 'refract-asp[plan]'",
        ) from None
    return tree_sitter.Language(tree_sitter_javascript.language())


def _parser() -> Parser:
    """Return a parser of its own for each reading, so that threads do not share one."""
    language = _language()
    import tree_sitter

    return tree_sitter.Parser(language)  # type: ignore[arg-type]
