"""
Reads the text of a plan: strictly, or mending what models get wrong.

A text is read as it stands (`reading`), and where it is broken once more after it was mended (`mending`).
"""

from __future__ import annotations

import re
import typing
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan.mending import mended, open_comment
from refract_asp.plan.reading import HINTS, Reader, tree_of
from refract_asp.plan.syntax import Expression, Place, Plan, PlanCode, PlanDiagnostic, refused
from refract_asp.settings import choice

__all__ = ["MAX_TEXT", "Mode", "Parsed", "ParsedExpression", "parse_expression", "parse_plan"]


Mode: TypeAlias = typing.Literal["strict", "relaxed"]
MAX_TEXT = 64_000
"""Characters of the longest plan that is read."""
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


_Wrong: TypeAlias = tuple[PlanCode, str, int, str]
"""What is wrong with a text as a whole: the code, the message, where, and a hint."""


def _parsed(text: str, mode: Mode, *, is_expression: bool) -> Parsed:
    """Read a text as it stands, and where that fails once more after it was mended."""
    choice("mode", mode, ("strict", "relaxed"))
    if not isinstance(text, str):
        kind = shown(type(text).__name__)
        raise InputError(f"a plan cannot be a value of type {kind}.", hint="Give its text.")
    starts = [0, *(line_break.end() for line_break in re.finditer("\n", text))]

    def place(position: int) -> Place:
        line = bisect_right(starts, position)
        return Place(line, position - starts[line - 1] + 1)

    relaxed = mode == "relaxed"
    wrong = _unreadable(text)
    if wrong is None:
        reader = Reader(text, place, relaxed=relaxed, is_expression=is_expression)
        if reader.problems:
            reader, wrong = _read_again(reader, text, place)
    if wrong is not None:
        code, message, at, hint = wrong
        return Parsed(None, (PlanDiagnostic(code, message, place(at), None, hint),))
    slips = tuple(sorted(reader.slips, key=lambda each: each.place))
    if relaxed and reader.plan is not None:
        return Parsed(reader.plan, (), slips)
    told = [*(() if relaxed else slips), *reader.problems]  # what is mended stops nobody
    told.sort(key=lambda each: each.place)
    return Parsed(None if told else reader.plan, tuple(told))


def _read_again(
    reader: Reader, text: str, place: Callable[[int], Place]
) -> tuple[Reader, _Wrong | None]:
    """Return what a text says after it was mended, or what is wrong with it as a whole."""
    change = mended(text, tree_of, is_expression=reader.is_expression)
    if change.outside is not None:
        message = "code stands outside of the block that holds the plan."
        hint = "Give the plan alone, in one block."
        return reader, ("surroundings", message, change.outside, hint)
    is_around = any(slip.code == "surroundings" for slip in change.slips)
    if not is_around and not all(problem.code in _MENDABLE for problem in reader.problems):
        return reader, None
    again = Reader(
        change.text,
        lambda position: place(change.origin(position)),
        relaxed=reader.relaxed,
        is_expression=reader.is_expression,
    )
    if change.slips and not any(each.code == "syntax_error" for each in again.problems):
        # a key in curly quotes is told once, as what it is
        keys = {each.place for each in again.slips if each.code == "quoted_key"}
        again.slips[:0] = [
            PlanDiagnostic(code, message, place(start), place(end), HINTS.get(code, ""))
            for code, message, start, end, _ in change.slips
            if code != "smart_quotes" or place(start) not in keys
        ]
        return again, None
    if change.cut_off is not None:
        message = f"`{text[change.cut_off]}` is not closed; the plan may be cut off."
        return reader, ("unclosed_bracket", message, change.cut_off, "Ask for all of it.")
    return reader, None


def _unreadable(text: str) -> _Wrong | None:
    """Say why a text is not given to tree-sitter at all."""
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
