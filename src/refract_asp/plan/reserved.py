"""Names that no plan may use: by some one reaches inside of objects, others are words of Python."""

from __future__ import annotations

__all__ = ["PYTHON_WORDS", "is_reserved"]

PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
"""What plans call a value, by the word that Python has for it."""

_OF_OBJECTS = frozenset(
    {
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "prototype",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)


def is_reserved(name: str) -> bool:
    """
    Whether no plan may use the name: a property of every JavaScript object, or a name in double underscores.

    Example:
        >>> is_reserved("__proto__"), is_reserved("constructor"), is_reserved("departs")
        (True, True, False)
    """
    return name in _OF_OBJECTS or (name.startswith("__") and name.endswith("__") and len(name) > 4)
