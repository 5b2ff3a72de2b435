"""How large plans and their values may become, so that none of them takes the machine."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from refract_asp.errors import InputError, LimitError
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, plain
from refract_asp.settings import whole_number

__all__ = ["Limits", "Sizes", "checked", "text_size", "too_large"]


@dataclass(frozen=True, slots=True)
class Limits:
    """
    How much a plan may ask for; beyond it the plan is refused, or its evaluation stops with an error.

    Attributes:
        depth: how deep values, and expressions, may be nested.
        size: elements of one value; ten characters of text count as one more.
        volume: the same of all that calls are given and give, and of texts that are put together, in one run.
        calls: calls of a plan, of domains and of local functions.
        arguments: arguments of one call of a local function.
        aliases: aliases of a plan.

    Raises:
        InputError: one of them is no whole number in its range.

    Example:
        >>> Limits(calls=10).calls
        10
    """

    depth: int = MAX_DEPTH
    size: int = 1_000_000
    volume: int = 5_000_000
    calls: int = 2_000
    arguments: int = 100
    aliases: int = 10_000

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        for each in fields(self):
            most = MAX_DEPTH if each.name == "depth" else 1_000_000_000
            whole_number(each.name, getattr(self, each.name), least=1, most=most)

    def both(self, other: Limits) -> Limits:
        """Return the stricter ones of both."""
        names = (each.name for each in fields(self))
        return Limits(**{name: min(getattr(self, name), getattr(other, name)) for name in names})


def text_size(text: str) -> int:
    """Return the size of a text."""
    return 1 + len(text) // 10


def too_large(limits: Limits) -> LimitError:
    """Return the error for a value beyond the limit."""
    what = f"a value is larger than {limits.size:,} elements, ten characters of text being one."
    return LimitError(what, hint="Pass on only what is needed.")


class Sizes:
    """
    Measures values, each list and object once, however often it stands in others.

    A list is one, and its elements; an object is one, its keys and its values; a text is one, and one more
    for every ten characters; everything else is one.

    Example:
        >>> Sizes(Limits()).of(["ab", {"c": None}])
        5
    """

    def __init__(self, limits: Limits) -> None:
        """Measure against these limits."""
        self._limits = limits
        self._known: dict[
            int, tuple[Any, int, int]
        ] = {}  # holds the value, so that its id stays its own

    def of(self, value: object) -> int:
        """
        Return the size of a value.

        Raises:
            LimitError: it is too large, or nested too deep, as one that holds itself is.
        """
        size, _ = self._measured(value, self._limits.depth)
        if size > self._limits.size:
            raise too_large(self._limits)
        return size

    def _measured(self, value: object, left: int) -> tuple[int, int]:
        """Return size and depth of a value that may be nested so much deeper."""
        if isinstance(value, str):
            return text_size(value), 0
        if not isinstance(value, list | tuple | dict):
            return 1, 0
        known = self._known.get(id(value))
        if known is not None and known[2] <= left:
            return known[1], known[2]
        if left <= 0:
            raise LimitError(
                f"lists and objects are nested deeper than {self._limits.depth}.",
                hint="Flatten the value.",
            )
        size, depth = 1, 0
        if isinstance(value, dict):
            size += sum(text_size(key) for key in value if isinstance(key, str))
        for inner in value.values() if isinstance(value, dict) else value:
            inner_size, inner_depth = self._measured(inner, left - 1)
            size += inner_size
            depth = max(depth, inner_depth)
        self._known[id(value)] = (value, size, depth + 1)
        return size, depth + 1


def checked(value: object, sizes: Sizes) -> Any:
    """
    Return a copy of a JSON value within the limits.

    Raises:
        InputError: it is no JSON value; the message says what is wrong with it, and where inside it.
        LimitError: it is too large, or nested too deep.
    """
    sizes.of(value)
    try:
        return plain(value)
    except UnreadableError as error:
        inside = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.place
        )
        kind = error.kind if issubclass(error.kind, LimitError) else InputError
        raise kind(
            f"{inside.lstrip('.')}: {error.what}" if inside else error.what, hint=error.hint
        ) from None
