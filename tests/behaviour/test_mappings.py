"""Mappings that are given: which outputs may fill which parameters."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, repair
from refract_asp.model.edits import Fill


@pytest.fixture(scope="module")
def tools() -> Catalog:
    return Catalog.load(
        {
            "tools": [
                {
                    "name": "Find",
                    "effect": "read",
                    "returns": {"key": {"type": "string"}, "tag": {"type": "string"}},
                },
                {
                    "name": "Book",
                    "effect": "read",
                    "parameters": {"room": {"type": "string", "required": True}},
                },
            ]
        }
    )


def test_a_mapping_is_told_as_the_pattern_of_the_edit(tools: Catalog) -> None:
    result = repair(
        "a = Find()\nBook()", tools, mappings=[{"source": "Find.key", "target": "room"}]
    )
    assert str(result.sequence) == 'a = Find()\nBook(room="$a.key$")'
    (edit,) = result.edits
    assert isinstance(edit, Fill)
    assert edit.pattern == "mapping"
    assert result.verdict == "repaired", "a mapping is no weak evidence"


def test_the_surer_mapping_is_taken(tools: Catalog) -> None:
    mappings = [
        {"source": "Find.key", "target": "room", "weight": 0.4},
        {"source": "Find.tag", "target": "room", "weight": 0.9},
    ]
    result = repair("a = Find()\nBook()", tools, mappings=mappings)
    assert str(result.sequence) == 'a = Find()\nBook(room="$a.tag$")'
    assert result.cost["fit_distance"] == 1


def test_a_mapping_from_memory(tools: Catalog) -> None:
    result = repair(
        "Book()",
        tools,
        memory={"user": {"key": "k"}},
        mappings=[{"source": "key", "target": "room"}],
    )
    assert str(result.sequence) == 'Book(room="$user.key$")'
    assert [edit.pattern for edit in result.edits] == ["memory"]
