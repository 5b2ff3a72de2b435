"""How much the calls of a plan are given and give, all together; each value is copied on its way."""

from __future__ import annotations

from typing import Any

from refract_asp.errors import InputError
from refract_asp.plan.access import wrong
from refract_asp.plan.limits import Limits, Sizes, checked
from refract_asp.plan.syntax import Place

__all__ = ["Volume"]


class Volume:
    """
    Copies what is passed on, and counts it.

    Args:
        limits: how large a value may be, and all of them together.
    """

    def __init__(self, limits: Limits) -> None:
        """Begin with nothing passed on."""
        self._limits = limits
        self._sizes = Sizes(limits)
        self._passed = 0

    def measured(self, value: Any) -> int:
        """Return the size of a value that the evaluation made; a `LimitError` says that it is too large."""
        return self._sizes.of(value)

    def copied(self, value: Any, place: Place) -> Any:
        """Return a copy of a value that is handed out."""
        try:
            copied = checked(value, self._sizes)
        except InputError as error:
            raise wrong(f"a value cannot be used: {error.what}", place, error.hint) from None
        self.weighed(self._sizes.of(value), place)
        return copied

    def taken_in(self, value: Any, place: Place) -> Any:
        """Return a copy of a value that others hold, and may change."""
        sizes = Sizes(self._limits)
        copied = checked(value, sizes)
        self.weighed(sizes.of(value), place)
        return copied

    def weighed(self, size: int, place: Place) -> None:
        """Count what calls are given and give."""
        self._passed += size
        if self._passed > self._limits.volume:
            most = f"{self._limits.volume:,}"
            message = f"all calls together pass on more than {most} elements, ten characters being one."
            raise wrong(message, place, "Pass on only what is needed.")
