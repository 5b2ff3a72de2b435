"""What a bound cuts off, and could matter, is told in `truncated`, as `docs/how-it-works.md` says."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.made import Problem, profile, refractor
from properties.test_slicing import wide_problems
from properties.whole import lifted, searched
from refract_asp import Catalog, Refractor
from refract_asp.rules.bounds import BOUNDS, Bounds
from refract_asp.rules.schemas import recasting

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-it-works.md"
ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| ([\d,]+) \| (.+?) \|$", re.M)


def rows() -> dict[str, tuple[int, str]]:
    """Return the bounds that the page lists, with what `truncated` says."""
    found = ROW.findall(PAGE.read_text("utf-8"))
    return {name: (int(number.replace(",", "")), says) for name, _, number, says in found}


def test_the_page_lists_every_bound_with_its_number() -> None:
    code = {f.name: getattr(BOUNDS, f.name) for f in fields(Bounds)}
    assert {name: number for name, (number, _) in rows().items()} == code


def tool(called: str, required: str = "", returns: str = "", **more: Any) -> dict[str, Any]:
    """Return a tool as data; names are divided by blanks."""
    parameters = {each: {"required": True} for each in required.split()}
    return {
        "name": called,
        "effect": "read",
        "parameters": {**parameters, **more},
        "returns": {each: {"type": "string"} for each in returns.split()}
        or {"schema": {"type": "null"}},
    }


OPTIONAL: dict[str, Any] = {"type": "string"}
ALIKE = [tool(f"Search{kind}", "query") for kind in ("Hotel", "Motel", "Hostel")]
FIND = tool("Find", "query", "key")
TAKERS = [tool(f"Take{n}", "planet guitar") for n in range(3)]
GIVERS = [tool(f"Give{n}", returns="planet") for n in range(3)]
NAMES = "name user_name first_name last_name full_name"
PEOPLE = tool("People", returns=NAMES)
USES = tool("Use", " ".join(f"{each}_of_it" for each in NAMES.split()))
PERSON = {"type": "object", "properties": {each: {"type": "string"} for each in NAMES.split()}}
DEEP = {
    "name": "Deep",
    "effect": "read",
    "returns": {"schema": {"type": "object", "properties": {"person": PERSON}}},
}
PLACE = tool("Place", "planet", key=OPTIONAL)
FREE = tool("Free", "name", first_name=OPTIONAL, last_name=OPTIONAL, full_name=OPTIONAL)
LOST = 'var2 = Place(planet="$var1.planet$")'

OPEN = [PLACE], "Place()"
PLANET = {"planet": "x"}
LOOKING = "People()\n" * 4 + 'Place(planet="$gone.x$", key="$lost.y$")'
THRICE = 'a = Find(query="x")\nb = Find(query="x")\nc = Find(query="x")'
RELABELLED = 'a = Find(query="x")\na = Find(query="y")\na = Fnd(query="z")'
AGAIN = 'Find(query="a")\nFind(query="b")\nvar5 = Place(key="$var4.key$")'
READ = 'a = Give0()\nb = Place(planet="$a.planet$")\nc = Place(planet="$a.planet$")'
USE = tool("Use", name={"type": "string", "required": True})
KNOWN = {"a": {"b": {"guitar": "x"}}}

# tools, a sequence, how low the bound is, and what else is given
CASES: dict[str, tuple[list[dict[str, Any]], str, int, dict[str, Any]]] = {
    "neighbours": (ALIKE, 'SearchHtel(query="x")', 1, {}),
    "offered": (TAKERS, 'Qwxyz(planet="x", guitar="y")', 1, {}),
    "producers": ([*GIVERS, PLACE], LOST, 1, {}),
    "paths": ([PEOPLE, USES], "var1 = People()\nUse()", 2, {}),
    "own_paths": ([DEEP, USE], 'var1 = Deep()\nUse(name="$var1.person$")', 1, {}),
    "fields": ([PEOPLE, USES], "var1 = People()\nUse()", 2, {}),
    "renames": ([FREE], 'Free(the_name="x")', 2, {}),
    "all_renames": ([FREE], 'Free(the_name="x", a_name="y")', 1, {}),
    "constants": ([FIND, tool("Place", "key")], AGAIN, 1, {}),
    "memory_values": (*OPEN, 1, {"memory": {"a": 1, "b": 2, "c": 3}}),
    "memory_depth": (*OPEN, 1, {"memory": {"a": {"b": PLANET}}}),
    "goal_depth": (
        [FIND, *GIVERS],
        "Find(query=1)",
        1,
        {"memory": KNOWN, "goals": ["field planet"]},
    ),
    "recalled": (*OPEN, 1, {"memory": {"a": PLANET, "b": {"planet": "y"}}}),
    "looks": ([PEOPLE, PLACE], LOOKING, 1, {}),
    "pairs": ([FIND], RELABELLED, 1, {}),
    "rivals": ([FIND], THRICE, 1, {"level": "cheapest"}),
    "loose": ([*GIVERS, PLACE], READ, 1, {"level": "cheapest", "goals": ["Place"]}),
}
SILENT = {"ranked", "forms", "copies", "reach"}
"""What these cut off changes nothing, or is told by another one; the page says why."""


@pytest.mark.slow
@pytest.mark.parametrize("bound", CASES)
def test_what_is_cut_off_is_told(bound: str) -> None:
    tools, sequence, tight, asked = CASES[bound]
    catalog = Catalog.load({"tools": tools})
    common = Refractor(catalog)
    told = re.findall(r"`([^`]+)`", rows()[bound][1])
    bounds = replace(BOUNDS, **{bound: tight}, **({"reach": 2} if bound == "looks" else {}))
    result = lifted(common, catalog, bounds).repair(sequence, **asked)
    patterns = ["^" + re.sub(r"\b[A-Z]\b", ".+", part) + "$" for part in told]
    assert any(re.search(p, each) for p in patterns for each in result.truncated), result.truncated
    assert common.repair(sequence, **asked).truncated == ()


def test_every_bound_that_tells_something_has_a_case() -> None:
    assert CASES.keys() | SILENT == rows().keys()
    assert {name for name, (_, says) in rows().items() if "`" not in says} == SILENT


def test_the_search_for_forms_tells_that_it_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recasting, "MAX_BRANCHES", 1)
    kinds = [{"type": "boolean"}, {"type": "integer"}]
    catalog = {"tools": [{"name": "Find", "parameters": {"number": {"schema": {"anyOf": kinds}}}}]}
    assert Refractor(catalog).repair('Find(number="42")').truncated == (
        "forms of number of call 1",
    )


def test_a_mapping_names_its_tool_however_many_return_such_a_field() -> None:
    givers = [tool(f"Give{n}", returns="planet") for n in range(20)]
    catalog = Catalog.load({"tools": [*givers, tool("Place", "world")]})
    mapping = {"source": "Give17.planet", "target": "Place.world", "weight": 1.0}
    result = Refractor(catalog, mappings=[mapping]).repair("Place()")
    assert [call.name for call in result.sequence.calls] == ["Give17", "Place"]
    assert result.truncated == ()


TIGHT = {name: tight for name, (_, _, tight, _) in CASES.items()}
TIGHT |= {"forms": 1, "copies": 0, "ranked": 20, "paths": 1}


@pytest.mark.slow
@given(wide_problems(), st.sampled_from(sorted(TIGHT)), st.sampled_from(["admissible", "cheapest"]))
@profile(50)
def test_what_costs_more_by_a_bound_is_told(problem: Problem, bound: str, level: str) -> None:
    common = refractor(problem.catalog)
    tight = lifted(common, problem.catalog, replace(BOUNDS, **{bound: TIGHT[bound]}))
    few = searched(tight, problem.sequence, problem.known, level)
    many = searched(lifted(common, problem.catalog), problem.sequence, problem.known, level)
    assert few.cost == many.cost or few.evidence.truncated
