"""
Repairs sequences of tool calls against the tools' own specification, with Answer Set Programming.

Example:
    >>> from refract_asp import Catalog, repair
    >>> catalog = Catalog.load({"tools": [{"name": "Search", "parameters": {"query": {"required": True}}}]})
    >>> result = repair('var1 = Serch(query="London")', catalog)
    >>> result.verdict, str(result.sequence)
    ('repaired', 'var1 = Search(query="London")')
"""

from refract_asp.errors import RefractError
from refract_asp.model import Catalog, Goal, Mapping, Memory, RepairResult, Report, Sequence
from refract_asp.refractor import Refractor, check, compress, repair

__all__ = [
    "Catalog",
    "Goal",
    "Mapping",
    "Memory",
    "RefractError",
    "Refractor",
    "RepairResult",
    "Report",
    "Sequence",
    "check",
    "compress",
    "repair",
]
