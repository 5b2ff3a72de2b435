"""What is found wrong with encodings: how grave it is, where it stands, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from refract_asp.errors import ConstantError, EncodingError

__all__ = ["Finding"]

Severity = Literal["error", "warning"]

_OF_CONSTANTS = frozenset({"weight", "constant"})


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One thing that is wrong with an encoding.

    Attributes:
        code: what kind of thing it is, in one word.
        what: what is wrong, in a sentence.
        where: file and line, or the file alone.
        hint: what to do.
        severity: "error" where nothing is repaired with such a file, "warning" where it may be meant.
    """

    code: str
    what: str
    where: str = ""
    hint: str = ""
    severity: Severity = "error"

    def as_error(self) -> EncodingError:
        """Return the error that `repair` raises for it."""
        kind = ConstantError if self.code in _OF_CONSTANTS else EncodingError
        return kind(self.what, where=self.where, hint=self.hint)
