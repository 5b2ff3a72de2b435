"""Error tags: each one on a tiny case, from a check, from a repair, and against a truth."""

import json
from pathlib import Path
from typing import Any

import pytest

from declaring import TEXT, tool
from refract_asp import Catalog, Report, Sequence, check, compress, repair
from refract_asp.model import Call, Reference, RepairResult
from refract_asp.model.diagnostic import TaggedFault, Tags
from refract_asp.report.tags import compared, tags_against, tags_text

from .renderings import cases

DATA = cases("tags")
CATALOG = Catalog.load({"tools": DATA["tools"]})
TRUTH = 'a = Search(query="Rome")\nb = Book(id="$a.id$", day="Monday")'


def by_call(tags: Tags) -> dict[int | None, str]:
    """Return the tags of each call, and under None those that lie in no call."""
    found: dict[int | None, str] = {call: " ".join(each) for call, each in tags.calls.items()}
    outside = " ".join(fault.tag for fault in tags.faults if fault.call is None)
    return found | {None: outside} if outside else found


def assert_each_violation_is_told_once(report: Report) -> None:
    told = sorted(number for fault in report.tags().faults for number in fault.violations)
    assert told == [*range(len(report.violations))]


@pytest.mark.parametrize("case", DATA["checked"], ids=str)
def test_check(case: dict[str, Any]) -> None:
    """A violation has the tag of its code."""
    options = dict(case)
    calls, tags = options.pop("calls"), options.pop("tags")
    report = check(calls, CATALOG, **options)
    assert " ".join(report.tags().sequence) == tags
    assert_each_violation_is_told_once(report)


def test_a_call_that_cannot_be_read() -> None:
    cut_off = Sequence(calls=(Call(name="Search", malformed="it is cut off"),))
    assert check(cut_off, CATALOG).tags().sequence == ("malformed",)
    assert by_call(tags_against(cut_off, 'Search(query="Rome")', CATALOG)) == {0: "malformed"}


@pytest.mark.slow
def test_a_house_rule(tmp_path: Path) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text('forbidden(call(X)) :- name(X, "Book"), in_call(X).\n', "utf-8")
    assert check(TRUTH, CATALOG, encodings=[rule]).tags().calls == {1: ("forbidden",)}


@pytest.mark.parametrize("name", DATA["repaired"])
def test_repair(name: str) -> None:
    """A repair shows the mistake behind the violations; each violation belongs to one mistake."""
    options = dict(DATA["repaired"][name])
    calls, tags = options.pop("calls"), options.pop("tags")
    result = repair(calls, CATALOG, **options)
    assert by_call(result.tags()) == tags
    assert_each_violation_is_told_once(result)
    loaded = RepairResult.model_validate(json.loads(json.dumps(result.model_dump(mode="json"))))
    assert loaded.tags() == result.tags()


def test_one_mistake_counts_once() -> None:
    """Two references to one lost label are one wrong label."""
    tags = repair('aa = Search(query="R")\nBook(id="$a.id$", day="$a.id$")', CATALOG).tags()
    assert tags.faults == (TaggedFault(tag="wrong_label", call=0, violations=(0, 1)),)
    assert tags.counts == {"wrong_label": 1}


def test_copies_that_compress_leaves_out() -> None:
    calls = 'a = Search(query="R")\nb = Search(query="R")\nBook(id="$b.id$")'
    assert compress(calls, CATALOG).tags().sequence == ("bad_repetition",)


@pytest.mark.parametrize("case", DATA["against"], ids=str)
def test_against(case: dict[str, Any]) -> None:
    """What differs from the truth has a tag; what is the same has none."""
    assert by_call(tags_against(case["given"], case["truth"], CATALOG)) == case["tags"]


def test_without_a_catalog_nothing_is_made_up() -> None:
    assert tags_against(TRUTH.replace("Search", "Serch"), TRUTH).sequence == ("wrong_tool",)
    tags = ("missing_parameter", "superfluous_parameter")
    assert tags_against(TRUTH.replace("query", "querry"), TRUTH).sequence == tags


def test_what_is_returned_is_compared() -> None:
    calls = Sequence.load(TRUTH).calls
    truth = Sequence(calls=calls, returns={"x": Reference(label="a", path=("id",))})
    other = Sequence(calls=calls, returns={"x": Reference(label="b", path=("booking",))})
    assert tags_against(other, truth).calls == {2: ("wrong_assignment",)}
    assert tags_against(Sequence(calls=calls), truth).calls == {2: ("missing_parameter",)}


ONE = 'Search(query="a")'


DIFFERING = [
    (ONE, 'Search(query="b")', '"a", where the truth has "b"'),
    (ONE, 'Search(query="a", limit=2)', "nothing, where the truth has 2"),
    ('Serch(query="a")', ONE, f'Serch(query="a"), where the truth has {ONE}'),
    (ONE, ONE + '\nBook(id="1")', 'nothing, where the truth has Book(id="1")'),
]


@pytest.mark.parametrize(("given", "truth", "told"), DIFFERING)
def test_text_says_what_differs(given: str, truth: str, told: str) -> None:
    found = compared(given, truth, CATALOG)
    text = tags_text(found.tags, found.given, found.truth, secrets=found.secrets, width=1000)
    assert text.splitlines()[-1].endswith(f"{found.tags.faults[-1].tag}: {told}")


def test_text_of_differences_is_bounded_and_tells_no_secret() -> None:
    log = tool("Log", code={"type": "string", "format": "password"}, note=TEXT)
    catalog = Catalog.load({"tools": [log]})
    one, other = 'Log(code="hunter2")', 'Log(code="hunter3")'
    pairs = [(one, other), (one, "Log()"), ("Log()", one), (one.replace("Log", "Lgo"), other)]
    pairs += [(one.replace("code", "cde"), other), ('Log(note="x")', f'Log(note="x")\n{one}')]
    for given, truth in pairs:
        found = compared(given, truth, catalog)
        assert found.tags.faults
        text = tags_text(found.tags, found.given, found.truth, secrets=found.secrets)
        assert "hunter" not in text
    found = compared(f'Log(note="{"x" * 9000}")', 'Log(note="y")', catalog)
    assert len(tags_text(found.tags, found.given, found.truth, width=1000)) < 300


def test_text_tells_the_violations() -> None:
    calls = 'a = Search(query="x")\nBook(id="$a.ids$")\nBook(id="$b.id$", day=3)'
    result = repair(calls, CATALOG)
    text = tags_text(result.tags(), result.given, report=result, width=1000)
    assert "made_up_assignment: $a.ids$ reads ids, which Search does not return" in text
    assert "wrong_value: day should be string, not 3" in text


def test_memory_tells_what_is_made_up_against_a_truth() -> None:
    """A path that memory does not hold is made up, with a truth as without one."""
    tools, memory = {"tools": [tool("Get", id=TEXT)]}, {"ctx": {"id": "1"}}
    given, truth = 'Get(id="$ctx.idd$")', 'Get(id="$ctx.id$")'
    assert tags_against(given, truth, tools, memory).sequence == ("made_up_assignment",)
    assert check(given, tools, memory).tags().sequence == ("made_up_assignment",)
