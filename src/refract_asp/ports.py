"""
Reaches functions and classes by name, so that `model` imports none of the packages above it.

A model can be read, printed and reported on (`Catalog.load`, `RepairResult.diff`), which `formats` and
`report` do. Their modules are loaded when something of them is first asked for, and so are those of the public
names.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from typing import Any

__all__ = ["port"]

_REGISTERED = {
    "errors": "RefractError",
    "evaluation.cost_models": "Comparer Comparison compare",
    "formats": "dump_catalog dump_sequence load_catalog load_mappings load_memory load_partial load_sequence",
    "formats.given": "load_effects read_goal",
    "formats.pretty": "call_text",
    "mappings.computing": "CatalogMaps",
    "model": "Catalog Goal Mapping Memory RepairResult Report Sequence",
    "model.explanation": "explanation_of",
    "options": "RepairOptions",
    "plan": "parse_plan",
    "plan.sequences": "kept_text to_plan to_sequence",
    "refractor": "Refractor check compress repair",
    "report.diagnostics": "diagnostic_text diagnostics_of",
    "report.diff": "diff_text",
    "report.prompts": "prompt",
    "report.secrets": "explanation_without_secrets",
    "report.tags": "tags_of",
    "report.text": "explanation_text summary",
    "rules.explain": "explain why_not",
    "rules.schemas.validation": "is_fitting",
}
"""The names that each module is asked for."""
_MODULE_OF = {name: module for module, names in _REGISTERED.items() for name in names.split()}


@cache
def port(name: str) -> Any:
    """
    Return what is registered under a name.

    Example:
        >>> port("load_memory")({"day": 3}).values
        {'day': 3}
    """
    return getattr(import_module(f"refract_asp.{_MODULE_OF[name]}"), name)
