"""Tools for catalogs of tests, written briefly."""

from typing import Any

TEXT = {"type": "string"}
NEEDED: dict[str, Any] = {**TEXT, "required": True}


def tool(name: str, effect: str = "unknown", returns: Any = None, **parameters: Any) -> Any:
    """Return a tool as a catalog declares it."""
    told = {"name": name, "effect": effect, "parameters": parameters}
    return told if returns is None else {**told, "returns": returns}
