"""What is wrong with a plan, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from refract_asp.errors import PlanError
from refract_asp.model.edits import ViolationCode
from refract_asp.plan.syntax import NOWHERE, Place

__all__ = ["PlanCode", "PlanDiagnostic", "Severity", "refused"]

PlanCode: TypeAlias = (
    Literal["await", "declaration", "extra_semicolon", "missing_comma", "missing_semicolon"]
    | Literal["parentheses", "python_comment", "python_word", "quoted_key", "return_alone"]
    | Literal["shorthand", "smart_quotes", "surroundings", "template", "trailing_comma"]
    | Literal["unclosed_bracket", "use"]
    # what is not mended
    | Literal["after_return", "alias_cycle", "bad_index", "bare_expression", "duplicate_key"]
    | Literal["excluded", "foreign_name", "function_as_value", "half_character", "no_return"]
    | Literal["not_a_function", "number_form", "rebound_alias", "reserved_name", "syntax_error"]
    | Literal["too_deep", "too_long", "too_many_aliases", "too_many_calls", "unknown_member"]
    | Literal["unknown_method", "unknown_name", "unused_alias"]
)
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
    first, *others = [each for each in diagnostics if each.severity == "error"]
    place = str(first.place) if first.place != NOWHERE else ""
    more = "".join(f"\n{other}" for other in others[:20])
    left = f"\nand {len(others) - 20} more." if len(others) > 20 else ""
    hint = f" {first.hint}" if first.hint else ""
    at = ", ".join(filter(None, (where, place)))
    return PlanError(f"{first.message}{hint}{more}{left}", where=at)
