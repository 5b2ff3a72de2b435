"""What is wrong with a plan, and where."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from refract_asp.errors import PlanError
from refract_asp.model.edits import ViolationCode
from refract_asp.plan.syntax import NOWHERE, Place

__all__ = [
    "Mended",
    "PlanCode",
    "PlanDiagnostic",
    "Severity",
    "Slip",
    "applied",
    "refused",
]


PlanCode: TypeAlias = Literal[
    "after_return",
    "alias_cycle",
    "await",
    "bad_index",
    "bare_expression",
    "declaration",
    "duplicate_key",
    "excluded",
    "extra_semicolon",
    "foreign_name",
    "function_as_value",
    "half_character",
    "missing_comma",
    "missing_semicolon",
    "no_return",
    "not_a_function",
    "number_form",
    "parentheses",
    "python_comment",
    "python_word",
    "quoted_key",
    "rebound_alias",
    "reserved_name",
    "return_alone",
    "shorthand",
    "smart_quotes",
    "surroundings",
    "syntax_error",
    "template",
    "too_deep",
    "too_long",
    "too_many_aliases",
    "too_many_calls",
    "trailing_comma",
    "unclosed_bracket",
    "unknown_member",
    "unknown_method",
    "unknown_name",
    "unused_alias",
    "use",
]
"""What can be wrong with a plan, or was mended in it; docs/plan-language.md tells what each means."""
Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class PlanDiagnostic:
    """
    Something that is wrong with a plan, or that was mended in it.

    Attributes:
        code: what is wrong, as one word; or what the rules find wrong with its calls.
        message: the same as a sentence.
        place: where it begins.
        end: where it ends, the first place behind it; None where that says nothing.
        hint: what to do about it, as a sentence, or the empty text.
        severity: a plan with an error cannot be used.

    Example:
        >>> print(PlanDiagnostic("trailing_comma", "a comma stands before the bracket.", Place(3, 5)))
        line 3, column 5: a comma stands before the bracket.
    """

    code: PlanCode | ViolationCode
    message: str
    place: Place
    end: Place | None = None
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        """Print it on one line, its place first where it stood in a text."""
        place = f"{self.place}: " if self.place != NOWHERE else ""
        return f"{place}{self.message}{f' {self.hint}' if self.hint else ''}"


def refused(diagnostics: Sequence[PlanDiagnostic], where: str = "") -> PlanError:
    """Return the error that a plan with these errors raises; the first comes first, each on a line."""
    errors = [each for each in diagnostics if each.severity == "error"]
    first, *others = errors
    place = str(first.place) if first.place != NOWHERE else ""
    at = ", ".join(part for part in (where, place) if part)
    more = "".join(f"\n{other}" for other in others[:20])
    left = f"\nand {len(others) - 20} more." if len(others) > 20 else ""
    hint = f" {first.hint}" if first.hint else ""
    return PlanError(f"{first.message}{hint}{more}{left}", where=at)


@dataclass(frozen=True, slots=True)
class Slip:
    """
    A slip: what it is, the range of the text that is replaced, and by what.

    Of one that is mended in two places, the second is not told again.
    """

    code: PlanCode
    message: str
    start: int
    end: int
    replacement: str = ""
    is_told: bool = True


@dataclass
class Mended:
    """
    A text after it was mended.

    Attributes:
        text: the new text.
        slips: what was mended, from top to bottom.
        cut_off: where the innermost bracket stands that is open at the end and could not be closed, or None.
        outside: where code stands outside of the block that holds the plan, or None; nothing is mended then.
    """

    text: str
    slips: list[Slip]
    cut_off: int | None = None
    outside: int | None = None
    _new: list[int] = field(default_factory=list)
    _old: list[int] = field(default_factory=list)

    def origin(self, position: int) -> int:
        """Return where in the old text a position of the new one was."""
        index = bisect_right(self._new, position) - 1
        return self._old[index] + position - self._new[index]


def applied(text: str, slips: list[Slip], cut_off: int | None) -> Mended:
    """Return a text with its slips mended, from top to bottom."""
    slips = sorted(slips, key=lambda slip: (slip.start, slip.end))
    parts: list[str] = []
    new, old, length, done = [0], [0], 0, 0
    for slip in slips:
        if slip.start < done:  # it lies in what another one replaces
            continue
        kept = text[done : slip.start]
        parts += [kept, slip.replacement]
        length += len(kept)
        new += [length, length + len(slip.replacement)]
        old += [slip.start, slip.end]
        length += len(slip.replacement)
        done = slip.end
    parts.append(text[done:])
    told = [slip for slip in slips if slip.is_told]
    return Mended("".join(parts), told, cut_off, _new=new, _old=old)
