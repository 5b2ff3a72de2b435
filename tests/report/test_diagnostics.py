"""Diagnostics: what there is, what was probably meant, and what to change."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from declaring import NEEDED, TEXT, tool
from refract_asp import Catalog, RepairResult, check, repair
from refract_asp.model import Call, Violation
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.model.edits import AddCall, RenameTool
from refract_asp.report import find_similar_items, format_did_you_mean
from refract_asp.resources import catalog_path
from yaml_files import tables

from .renderings import cases

SLACK = Catalog.load(catalog_path("slack"))
FETCH = 'fetch-messages = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")\n'


def diagnose(sequence: str, catalog: Any = SLACK, **more: Any) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a check."""
    return check(sequence, catalog).diagnostics(**more)


def returning(count: int) -> dict[str, Any]:
    """Return a catalog of a tool with so many output fields and one that takes a text."""
    fields = {f"field{number:02}": TEXT for number in range(count)}
    return {"tools": [tool("Get", returns=fields), tool("Put", text=NEEDED)]}


def test_a_lost_field_is_told_in_three_tiers() -> None:
    """D1, D2, D6, D9, D10: the outputs with their types, in order, then what was meant, then the change."""
    (found,) = diagnose(FETCH + 'sum = LLM_GENERATE(prompt="Sum up: $fetch-messages.msg$")')
    assert str(found) == tables(__file__)["a lost field is told in three tiers"]


def test_twenty_fields_are_shown() -> None:
    """D3: 34 fields show 20 and say how many more there are; 20 have no tail."""
    for count, more in ((34, 14), (21, 1), (20, 0)):
        (found,) = diagnose('a = Get()\nPut(text="$a.x$")', returning(count))
        assert (len(found.available.entries), found.available.more) == (min(count, 20), more)
        assert (f"... and {more} more" in str(found)) is bool(more)


def test_a_wrong_type_lists_the_fields_of_the_right_one() -> None:
    """D11: five of them, and how many more."""
    (found,) = diagnose(
        'fetch = GITHUB_GET_ISSUE(repository="a/b", number=1)\n'
        'SLACK_SEND_MESSAGE(channel="C1", text="$fetch.issue_data$")'
    )
    assert (found.given, found.expected) == ("object", "string")
    names = [entry.text.rpartition(".")[2].rstrip("$") for entry in found.available.entries]
    assert names == ["title", "body", "url", "state", "author"]
    assert found.available.more == 2


def test_a_repair_says_what_it_changed() -> None:
    """The edit that answers a violation is the change that is told."""
    result = repair('fetch = GITHUB_GET_ISSUE(repository="a/b", numbr=1)', SLACK)
    found = result.diagnostics()[0]
    assert found.edit.kind == "rename_parameter"
    assert found.fix == "Change numbr to number"


@pytest.mark.parametrize("case", cases("advice"), ids=lambda case: case.get("title", case["calls"]))
def test_advice(case: dict[str, Any]) -> None:
    """One change where it is sure, else a tip."""
    goals = case.get("goals", ())
    report = check(case["calls"], {"tools": case["tools"]}, case.get("memory"), goals=goals)
    assert [each.fix or each.tip for each in report.diagnostics()] == case["advice"]


def test_each_reference_of_an_argument_has_its_own_fix() -> None:
    result = repair('a = Get()\nPut(text="$a.feld00$ and $a.feld01$")', returning(2))
    fixes = [each.fix for each in result.diagnostics()]
    assert fixes == ["Change $a.feld00$ to $a.field00$", "Change $a.feld01$ to $a.field01$"]


def test_how_much_is_shown_does_not_change_the_advice() -> None:
    calls = FETCH + 'LLM_GENERATE(promt="a", prompt="$fetch-messages.msg$", model="larg")\n'
    calls += 'LLM_GENERAT(x="$ftch.result$")'
    few = diagnose(calls, limits=Limits(suggestions=0, fields=0, right_type=0))
    assert [each.fix for each in few] == [each.fix for each in diagnose(calls)]


def test_what_changes_an_argument_answers_first(result: Callable[..., RepairResult]) -> None:
    """Before what adds a call, though both answer the violation."""
    violation = Violation(code="unknown_tool", call=0, tool="A", message="")
    added = AddCall(added=Call(name="C"), answers=(0,))
    edits = (added, RenameTool(call=0, before="A", after="B", answers=(0,)))
    more = {"violations": (violation,), "edits": edits}
    (told,) = result("A()", "C()\nB()", (None, 0), **more).diagnostics()
    assert (told.edit, told.fix) == (edits[1], "Change A to B")


# -- names that were probably meant, and how that is said ------------------------------


DATA = cases("similar")


@pytest.mark.parametrize("case", DATA["find"], ids=str)
def test_find_similar_items(case: dict[str, Any]) -> None:
    """D19, D21, and the trap that the letters of a name in their order have to be found."""
    found = find_similar_items(case["query"], case["items"], **case.get("options", {}))
    assert found == case["found"]


def test_long_names_are_compared_by_their_beginning() -> None:
    names = ["a" * 100_000, "b"]
    assert find_similar_items("a" * 10_000, names, method="fuzzy") == names[:1]


NAMES = st.text(max_size=8)


@given(NAMES, st.lists(NAMES, max_size=8), st.integers(0, 9))
def test_what_is_found_was_there(query: str, items: list[str], most: int) -> None:
    """Never twice, never more than wanted; fuzzy only adds, and behind all others."""
    plain = find_similar_items(query, items, max_results=most)
    assert set(plain) <= set(items)
    assert len(plain) == len(set(plain)) <= most
    assert find_similar_items(query, items, max_results=most, method="fuzzy")[: len(plain)] == plain


@pytest.mark.parametrize("case", DATA["say"], ids=str)
def test_format_did_you_mean(case: dict[str, Any]) -> None:
    """D9, D12, D20."""
    said = format_did_you_mean(case["query"], case["suggestions"], **case.get("options", {}))
    assert said.splitlines() == case["lines"]
