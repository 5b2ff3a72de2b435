"""The names of arguments that have a position only, as the 45 of `rotate(45)`: `*1`, `*2`, ..."""

from __future__ import annotations

import re

__all__ = ["POSITION", "is_position"]

POSITION = "*"
"""How the names of arguments begin that have a position only; a number from 1 follows."""

_POSITION = re.compile(r"\*[1-9][0-9]{0,5}")


def is_position(name: str) -> bool:
    """
    Whether a parameter is named by its position.

    Example:
        >>> is_position("*1"), is_position("city")
        (True, False)
    """
    return name.startswith(POSITION) and _POSITION.fullmatch(name) is not None
