"""
Repairs sequences of tool calls against the tools' own specification, with Answer Set Programming.

Example:
    >>> from refract_asp import Catalog, repair
    >>> catalog = Catalog.load({"tools": [{"name": "Search", "parameters": {"query": {"required": True}}}]})
    >>> result = repair('var1 = Serch(query="London")', catalog)
    >>> result.verdict, str(result.sequence)
    ('repaired', 'var1 = Search(query="London")')
"""

from __future__ import annotations

from importlib import import_module

from refract_asp.ports import port

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from typing import Any

    from refract_asp.errors import RefractError
    from refract_asp.model import Catalog, Goal, Mapping, Memory, RepairResult, Report, Sequence
    from refract_asp.options import RepairOptions
    from refract_asp.refractor import Refractor, check, compress, repair

__all__ = ["Catalog", "Goal", "Mapping", "Memory", "RepairResult", "Report", "Sequence"]
__all__ += ["RefractError", "Refractor", "RepairOptions", "check", "compress", "repair"]


def __getattr__(name: str) -> Any:
    """Load what is asked for, so that the command line can listen for Ctrl-C before it loads the rest."""
    if name in ("errors", "model", "options", "refractor"):
        return import_module(f"{__name__}.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = port(name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
