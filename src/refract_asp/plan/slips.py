"""Slips of syntax, the text that is left when they are mended, and where each part of it was before."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from refract_asp.plan.diagnostics import PlanCode

__all__ = ["Mended", "Slip", "applied"]


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
