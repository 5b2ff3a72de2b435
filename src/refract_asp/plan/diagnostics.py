"""What is wrong with a plan, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from refract_asp.errors import PlanError
from refract_asp.plan.syntax import Place

__all__ = ["PlanDiagnostic", "Severity", "refused"]

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class PlanDiagnostic:
    """
    Something that is wrong with a plan, or that was mended in it.

    Attributes:
        code: what is wrong, as one word; docs/plan-language.md tells what each means.
        message: the same as a sentence.
        place: where it begins.
        end: where it ends, the first place behind it; None where that says nothing.
        hint: what to do about it, as a sentence, or the empty text.
        severity: a plan with an error cannot be used.

    Example:
        >>> print(PlanDiagnostic("trailing_comma", "a comma stands before the bracket.", Place(3, 5)))
        line 3, column 5: a comma stands before the bracket.
    """

    code: str
    message: str
    place: Place
    end: Place | None = None
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        """Print it on one line, its place first."""
        return f"{self.place}: {self.message}{f' {self.hint}' if self.hint else ''}"


def refused(diagnostics: Sequence[PlanDiagnostic], where: str = "") -> PlanError:
    """Return the error that a plan with these errors raises; the first comes first, each on a line."""
    errors = [each for each in diagnostics if each.severity == "error"]
    first, *others = errors
    at = f"{where}, {first.place}" if where else str(first.place)
    more = "".join(f"\n{other}" for other in others[:20])
    left = f"\nand {len(others) - 20} more." if len(others) > 20 else ""
    hint = f" {first.hint}" if first.hint else ""
    return PlanError(f"{first.message}{hint}{more}{left}", where=at)
