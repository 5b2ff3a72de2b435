"""Sequences made over real catalogs with types, enumerations and bounds, of which NESTFUL has few."""

from __future__ import annotations

from functools import cache

from nestful_data import ALTERNATIVES, Case, data_folder
from refract_asp import Catalog, Refractor
from refract_asp.bench.generating import from_catalog

__all__ = ["CATALOGS", "FEW", "made_cases", "made_refractor"]

CATALOGS = {
    "github": "mcp/github-mcp-server.tools_list.json",
    "seal": "seal_tools/tool.jsonl",
    "kubernetes": "openapi/kubeappsapi.json",
}
CALLS = 3
FEW = (
    "lost_index", "json_text", "as_text", "as_number", "scalar_for_list", "enum_spelling", "null_optional",
    "wrong_member", "out_of_range",
)  # fmt: skip
"""The kinds that need typed parameters; NESTFUL has few places for them."""


@cache
def made_refractor(name: str) -> Refractor:
    """Compile a catalog, once."""
    return Refractor(_catalog(name), alternatives=ALTERNATIVES)


@cache
def _catalog(name: str) -> Catalog:
    return Catalog.load(data_folder() / CATALOGS[name])


def made_cases(count: int) -> list[Case]:
    """Make so many sequences of three calls over each catalog."""
    return [
        Case(name, number, from_catalog(_catalog(name), CALLS, number).sequence, _catalog(name))
        for name in CATALOGS
        for number in range(count)
    ]
