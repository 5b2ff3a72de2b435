"""What HTTP methods and the annotations of the Model Context Protocol say of the effect of a tool."""

from __future__ import annotations

from typing import Any

from refract_asp.model import Effect

__all__ = ["METHODS", "annotations_of", "effect_of_annotations", "effect_of_method"]

_METHODS: dict[str, Effect] = {
    "GET": "read", "HEAD": "read", "OPTIONS": "read", "TRACE": "read", "QUERY": "read",
    "PUT": "write", "POST": "write", "PATCH": "write", "DELETE": "destructive",
}  # fmt: skip
METHODS: dict[Effect, str] = {"read": "GET", "write": "POST", "destructive": "DELETE"}
"""A method for each effect, for formats that have no other word for it."""


def effect_of_method(method: Any) -> Effect:
    """
    Return what an HTTP method does.

    Example:
        >>> effect_of_method("get"), effect_of_method("DELETE"), effect_of_method(None)
        ('read', 'destructive', 'unknown')
    """
    return _METHODS.get(method.upper(), "unknown") if isinstance(method, str) else "unknown"


def effect_of_annotations(annotations: Any) -> Effect:
    """
    Return what the annotations of a tool say of its effect.

    By the protocol a tool that is not read-only is destructive unless it says otherwise. That is taken at
    its word where the tool speaks of either; where it speaks of neither, nothing is known.

    Example:
        >>> effect_of_annotations({"readOnlyHint": False}), effect_of_annotations({"title": "Search"})
        ('destructive', 'unknown')
    """
    hints = annotations if isinstance(annotations, dict) else {}
    read_only, destructive = hints.get("readOnlyHint"), hints.get("destructiveHint")
    if read_only is True:
        return "read"
    if destructive is False:
        return "write"
    return "destructive" if read_only is False or destructive is True else "unknown"


def annotations_of(effect: Effect) -> dict[str, bool]:
    """
    Return the annotations that say an effect; the inverse of `effect_of_annotations`.

    Example:
        >>> annotations_of("write")
        {'readOnlyHint': False, 'destructiveHint': False}
    """
    if effect == "unknown":
        return {}
    if effect == "read":
        return {"readOnlyHint": True}
    return {"readOnlyHint": False, "destructiveHint": effect == "destructive"}
