"""Tools for catalogs of tests, written briefly."""

from __future__ import annotations

from typing import Any

__all__ = ["NEEDED", "TEXT", "tool"]

TEXT = {"type": "string"}
NEEDED: dict[str, Any] = {**TEXT, "required": True}


def tool(name: str, effect: str = "unknown", returns: Any = None, **parameters: Any) -> Any:
    """Return a tool as a catalog declares it."""
    told = {"name": name, "effect": effect, "parameters": parameters}
    return told if returns is None else {**told, "returns": returns}
