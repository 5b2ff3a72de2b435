"""
What `check` and `repair` found, for people, agents and CI: diffs, diagnostics, records, annotations.

Each name is loaded when it is first used, so that nothing slows the start.

Example:
    >>> from refract_asp.report import find_similar_items
    >>> find_similar_items("msg", ["user", "messages"])
    ['messages']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refract_asp.model.diagnostic import Available, Diagnostic, Limits, Listing
    from refract_asp.report.annotations import (
        Places,
        github_annotations,
        places_of,
        repair_record,
        sarif_log,
        structured_errors,
    )
    from refract_asp.report.diagnostics import check_text
    from refract_asp.report.suggestions import find_similar_items, format_did_you_mean

__all__ = [
    "Available",
    "Diagnostic",
    "Limits",
    "Listing",
    "Places",
    "check_text",
    "find_similar_items",
    "format_did_you_mean",
    "github_annotations",
    "places_of",
    "repair_record",
    "sarif_log",
    "structured_errors",
]

_MODULES = {
    "refract_asp.model.diagnostic": ("Available", "Diagnostic", "Limits", "Listing"),
    "refract_asp.report.diagnostics": ("check_text",),
    "refract_asp.report.suggestions": ("find_similar_items", "format_did_you_mean"),
}
"""Where the names stand; those not named here are in `annotations`."""


def __getattr__(name: str) -> Any:
    """Load a name when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = (module for module, names in _MODULES.items() if name in names)
    return getattr(import_module(next(found, "refract_asp.report.annotations")), name)


def __dir__() -> list[str]:
    """List the names that there are, also those not loaded yet."""
    return sorted({*globals(), *__all__})
