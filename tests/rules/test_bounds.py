"""What a bound cuts off, and could matter, is told in `truncated`, as `docs/how-it-works.md` says."""

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
from refract_asp.rules.index import BOUNDS, Bounds
from refract_asp.rules.schemas import recasting
from yaml_files import read_yaml

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-it-works.md"
ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| ([\d,]+) \| (.+?) \|$", re.M)


def rows() -> dict[str, tuple[int, str]]:
    """Return the bounds that the page lists, with what `truncated` says."""
    found = ROW.findall(PAGE.read_text("utf-8"))
    return {name: (int(number.replace(",", "")), says) for name, _, number, says in found}


def test_the_page_lists_every_bound_with_its_number() -> None:
    code = {f.name: getattr(BOUNDS, f.name) for f in fields(Bounds)}
    assert {name: number for name, (number, _) in rows().items()} == code


DATA = read_yaml(Path(__file__).with_name("bounds.yaml"))
CASES: dict[str, dict[str, Any]] = DATA["cases"]
SILENT = {"ranked", "forms", "copies", "reach"}
"""What these cut off changes nothing, or is told by another one; the page says why."""


@pytest.mark.slow
@pytest.mark.parametrize("bound", CASES)
def test_what_is_cut_off_is_told(bound: str) -> None:
    case = CASES[bound]
    asked: dict[str, Any] = case.get("asked", {})
    catalog = Catalog.load({"tools": [DATA["tools"][name] for name in case["tools"]]})
    common = Refractor(catalog)
    told = re.findall(r"`([^`]+)`", rows()[bound][1])
    reach = {"reach": 2} if bound in ("looks", "candidates") else {}
    bounds = replace(BOUNDS, **{bound: case["bound"]}, **reach)
    result = lifted(common, catalog, bounds).repair(case["given"], **asked)
    patterns = ["^" + re.sub(r"\b[A-Z]\b", ".+", part) + "$" for part in told]
    assert any(re.search(p, each) for p in patterns for each in result.truncated), result.truncated
    assert common.repair(case["given"], **asked).truncated == ()


def test_every_bound_that_tells_something_has_a_case() -> None:
    assert CASES.keys() | SILENT == rows().keys()
    assert {name for name, (_, says) in rows().items() if "`" not in says} == SILENT


def test_the_search_for_forms_tells_that_it_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recasting, "MAX_BRANCHES", 1)
    kinds = [{"type": "boolean"}, {"type": "integer"}]
    catalog = {"tools": [{"name": "Find", "parameters": {"number": {"schema": {"anyOf": kinds}}}}]}
    result = Refractor(catalog).repair('Find(number="42")')
    assert result.truncated == ("forms of number of call 1",)


def test_a_mapping_names_its_tool_however_many_return_such_a_field() -> None:
    givers = [{**DATA["tools"]["Give0"], "name": f"Give{n}"} for n in range(20)]
    place = {"name": "Place", "parameters": {"world": {"required": True}}}
    catalog = Catalog.load({"tools": [*givers, place]})
    mapping = {"source": "Give17.planet", "target": "Place.world", "weight": 1.0}
    result = Refractor(catalog, mappings=[mapping]).repair("Place()")
    assert [call.name for call in result.sequence.calls] == ["Give17", "Place"]
    assert result.truncated == ()


TIGHT = {name: case["bound"] for name, case in CASES.items()}
TIGHT |= {"forms": 1, "copies": 0, "ranked": 20, "paths": 1}


@pytest.mark.slow
@given(wide_problems(), st.sampled_from(sorted(TIGHT)), st.sampled_from(["admissible", "cheapest"]))
@profile(50)
def test_what_costs_more_by_a_bound_is_told(problem: Problem, bound: str, level: str) -> None:
    common = refractor(problem.catalog)
    tight = lifted(common, problem.catalog, replace(BOUNDS, **{bound: TIGHT[bound]}))
    few = searched(tight, problem.sequence, problem.known, level)
    many = searched(lifted(common, problem.catalog), problem.sequence, problem.known, level)
    assert few.found.cost == many.found.cost or few.evidence.truncated
