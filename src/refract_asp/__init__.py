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

from refract_asp.ports import lazily

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from refract_asp.errors import RefractError
    from refract_asp.model import Catalog, Goal, Mapping, Memory, RepairResult, Report, Sequence
    from refract_asp.options import RepairOptions
    from refract_asp.refractor import Refractor, check, compress, repair

__all__ = ["Catalog", "Goal", "Mapping", "Memory", "RepairResult", "Report", "Sequence"]
__all__ += ["RefractError", "Refractor", "RepairOptions", "check", "compress", "repair"]

# so that the command line can listen for Ctrl-C before the rest is loaded
_MODULES = {
    "errors": "RefractError",
    "model": "Catalog Goal Mapping Memory RepairResult Report Sequence",
    "options": "RepairOptions",
    "refractor": "Refractor check compress repair",
}
__getattr__, __dir__ = lazily(__name__, _MODULES)
