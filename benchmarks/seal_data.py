"""The tools and the gold calls of Seal-Tools, for catalogs of thousands."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import islice
from typing import Any

from nestful_data import data_folder
from refract_asp import Catalog, Sequence
from refract_asp.bench.generating import synthetic_catalog
from refract_asp.model import Tool

__all__ = ["catalog_of_size", "seal_catalog", "seal_sequences", "seal_tools"]

_OUTPUT = re.compile(r"API_call_\d+")


@cache
def seal_catalog() -> Catalog:
    """Read the Seal-Tools catalog."""
    return Catalog.load(data_folder() / "seal_tools" / "tool.jsonl")


def seal_tools() -> list[Tool]:
    """Return the tools of Seal-Tools."""
    return list(seal_catalog().tools)


def catalog_of_size(count: int) -> Catalog:
    """Return so many tools: those of Seal-Tools as far as they go, then synthetic ones."""
    real = seal_catalog()
    more = max(0, count - len(real))
    made = (
        (tool for tool in synthetic_catalog(more + 100) if tool.name not in real.by_name)
        if more
        else ()
    )
    return Catalog(tools=(*real.tools[:count], *islice(made, more)), name=f"tools-{count}")


def seal_sequences() -> list[tuple[str, Sequence]]:
    """Read the gold calls of `dev.jsonl`, each row a sequence with the id of the row."""
    text = (data_folder() / "seal_tools" / "dev.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["id"], _sequence(row["calling"])) for row in rows]


def _sequence(calling: list[dict[str, Any]]) -> Sequence:
    """Return calls whose outputs are named `API_call_N`, one for each field, as a sequence with labels."""
    outputs: dict[str, str] = {}
    calls = []
    for number, call in enumerate(calling, 1):
        arguments = _with_references(call["parameters"], outputs)
        calls.append({"name": call["api"], "arguments": arguments, "label": f"var{number}"})
        fields = seal_catalog().by_name[call["api"]].output_fields
        for field, output in zip(fields, call["responses"], strict=False):
            outputs[output] = f"$var{number}.{field.path[0]}$"
    return Sequence.load(calls)


def _with_references(value: Any, outputs: dict[str, str]) -> Any:
    if isinstance(value, str):
        return _OUTPUT.sub(lambda match: outputs.get(match[0], match[0]), value)
    if isinstance(value, list):
        return [_with_references(inner, outputs) for inner in value]
    if isinstance(value, dict):
        return {key: _with_references(inner, outputs) for key, inner in value.items()}
    return value
