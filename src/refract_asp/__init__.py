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

from refract_asp.ports import register

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from typing import Any

    from refract_asp.errors import RefractError
    from refract_asp.model import Catalog, Goal, Mapping, Memory, RepairResult, Report, Sequence
    from refract_asp.options import RepairOptions
    from refract_asp.refractor import Refractor, check, compress, repair

__all__ = [
    "Catalog",
    "Goal",
    "Mapping",
    "Memory",
    "RefractError",
    "Refractor",
    "RepairOptions",
    "RepairResult",
    "Report",
    "Sequence",
    "check",
    "compress",
    "repair",
]

_MODULES = {
    "errors": ("RefractError",),
    "model": ("Catalog", "Goal", "Mapping", "Memory", "RepairResult", "Report", "Sequence"),
    "options": ("RepairOptions",),
    "refractor": ("Refractor", "check", "compress", "repair"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


register(
    {
        "CatalogMaps": "refract_asp.mappings.computing:CatalogMaps",
        "Comparer": "refract_asp.evaluation.cost_models:Comparer",
        "Comparison": "refract_asp.evaluation.cost_models:Comparison",
        "Refractor": "refract_asp.refractor:Refractor",
        "compare": "refract_asp.evaluation.cost_models:compare",
        "call_text": "refract_asp.formats.pretty:call_text",
        "diagnostic_text": "refract_asp.report.diagnostics:diagnostic_text",
        "diagnostics_of": "refract_asp.report.diagnostics:diagnostics_of",
        "diff_text": "refract_asp.report.diff:diff_text",
        "dump_catalog": "refract_asp.formats:dump_catalog",
        "dump_sequence": "refract_asp.formats:dump_sequence",
        "explain": "refract_asp.rules.explain:explain",
        "explanation_of": "refract_asp.model.explanation:explanation_of",
        "explanation_text": "refract_asp.report.explanation:explanation_text",
        "explanation_without_secrets": "refract_asp.report.secrets:explanation_without_secrets",
        "load_catalog": "refract_asp.formats:load_catalog",
        "load_memory": "refract_asp.formats:load_memory",
        "load_sequence": "refract_asp.formats:load_sequence",
        "parse_plan": "refract_asp.plan:parse_plan",
        "plan_of_sequence": "refract_asp.plan.raising:to_plan",
        "prompt": "refract_asp.report.prompts:prompt",
        "read_goal": "refract_asp.formats.given:read_goal",
        "sequence_of_plan": "refract_asp.plan.lowering:to_sequence",
        "tags_of": "refract_asp.report.tags:tags_of",
        "text_of_plan": "refract_asp.plan.lowering:kept_text",
        "why_not": "refract_asp.rules.explain:why_not",
    }
)


def __getattr__(name: str) -> Any:
    """Load what is asked for, so that the command line can listen for Ctrl-C before it loads the rest."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
