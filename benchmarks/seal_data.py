"""The tools of Seal-Tools, for catalogs of thousands."""

from __future__ import annotations

from nestful_data import data_folder
from refract_asp.model import Catalog, Tool

__all__ = ["seal_tools"]


def seal_tools() -> list[Tool]:
    """Read the Seal-Tools catalog."""
    return list(Catalog.load(data_folder() / "seal_tools" / "tool.jsonl").tools)
