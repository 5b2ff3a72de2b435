"""Error tags: each one on a tiny case, from a check, from a repair, and against a truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Sequence, check, compress, repair
from refract_asp.model import Call, Reference, RepairResult
from refract_asp.model.diagnostic import TaggedFault, Tags
from refract_asp.report.tags import tags_text
from refract_asp.report.truth import compared, tags_against

TEXT = {"type": "string"}
NEEDED = {**TEXT, "required": True}


def tool(name: str, parameters: Any, effect: str = "read", **returns: Any) -> dict[str, Any]:
    return {"name": name, "effect": effect, "parameters": parameters, "returns": returns}


SEARCH = {"query": NEEDED, "limit": {"type": "integer"}}
FOUND: dict[str, Any] = {"id": TEXT, "count": {"type": "integer"}, "all": {"type": "object"}}
TOOLS = [
    tool("Search", SEARCH, **FOUND),
    tool("Locate", {"place": NEEDED}, geo=TEXT),
    tool("Book", {"id": NEEDED, "day": TEXT, "geo": TEXT}, "write", booking=TEXT),
    tool("Rate", {"stars": {"type": "integer", "minimum": "low"}}),
]
CATALOG = Catalog.load({"tools": TOOLS})
TRUTH = 'a = Search(query="Rome")\nb = Book(id="$a.id$", day="Monday")'
LOST = 'Book(id="$a.id$")'

NO_GOAL = {"goals": ["Book"], "level": "cheapest"}
CUT_OFF = Sequence(calls=(Call(name="Search", malformed="it is cut off"),))

CHECKED: list[tuple[Any, dict[str, Any], str]] = [
    (TRUTH, {}, ""),
    ('Serch(query="Rome")', {}, "made_up_tool"),
    ('Search(query="Rome", x=3)', {}, "made_up_parameter"),
    ("Search()", {}, "missing_parameter"),
    (LOST, {}, "made_up_assignment"),
    ("Search(query=town)", {}, "missing_memory"),
    ('Book(id="$a.id$")\na = Search(query="Rome")', {}, "wrong_order"),
    ('a = Search(query="R")\na = Search(query="R")', {}, "bad_repetition"),
    ("Search(query=[3])", {}, "wrong_value"),
    ('a = Search(query="R")\nBook(id="$a.all$")', {}, "wrong_assignment"),
    ("Rate(stars=3)", {}, "broken_specification"),
    (CUT_OFF, {}, "malformed"),
    (TRUTH, {"goals": ["Locate"]}, "missing_call"),
    ('Locate(place="Rome")\n' + TRUTH, NO_GOAL, "superfluous_call"),
]


@pytest.mark.parametrize(("calls", "options", "wanted"), CHECKED)
def test_check(calls: Any, options: dict[str, Any], wanted: str) -> None:
    """A violation has the tag of its code."""
    report = check(calls, CATALOG, **options)
    tags = report.tags()
    assert " ".join(tags.sequence) == wanted
    told = sorted(number for fault in tags.faults for number in fault.violations)
    assert told == [*range(len(report.violations))]


@pytest.mark.slow
def test_a_house_rule(tmp_path: Path) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text('forbidden(call(X)) :- name(X, "Book"), in_call(X).\n', "utf-8")
    assert check(TRUTH, CATALOG, encodings=[rule]).tags().calls == {1: ("forbidden",)}


REPAIRED: dict[str, tuple[str, dict[str, Any], dict[int | None, str]]] = {
    "nothing": (TRUTH, {}, {}),
    "a made up tool": (TRUTH.replace("Search", "Serch"), {}, {0: "made_up_tool"}),
    "a made up parameter is not missing, too": (
        'Search(querry="Rome")',
        {},
        {0: "made_up_parameter"},
    ),
    "a label that nobody bears, where a call is missing": (LOST, {}, {None: "missing_call"}),
    "a call without a label": (TRUTH.replace("a = ", ""), {}, {0: "missing_label"}),
    "a call with another label": (TRUTH.replace("a = ", "aa = "), {}, {0: "wrong_label"}),
    "a made up label": (
        TRUTH + '\nBook(id="$a9.id$", geo="$a.id$", day="Monday")',
        {},
        {2: "made_up_assignment"},
    ),
    "a made up field": (TRUTH.replace("a.id", "a.idd"), {}, {1: "made_up_assignment"}),
    "a field of another call": (
        'a = Search(query="R")\nc = Locate(place="R")\nBook(id="$c.id$", geo="$c.geo$")',
        {},
        {2: "wrong_assignment"},
    ),
    "a wrong order": ('Book(id="$a.id$")\na = Search(query="R")', {}, {0: "wrong_order"}),
    "a value in the wrong form": ('Search(query="R", limit="3")', {}, {0: "wrong_value"}),
    "a goal under a made up name": (
        TRUTH.replace("Book", "Bok"),
        {"goals": ["Book"]},
        {1: "made_up_tool"},
    ),
    "a goal that nobody meets": (TRUTH, {"goals": ["Locate"]}, {None: "missing_call"}),
    "a goal of order": (
        'Book(id="x")\na = Search(query="Rome")',
        {"goals": ["Search before Book"]},
        {0: "wrong_order"},
    ),
    "a call that no goal needs": (
        'Locate(place="Rome")\n' + TRUTH,
        NO_GOAL,
        {0: "superfluous_call"},
    ),
}


def by_call(tags: Tags) -> dict[int | None, str]:
    """Return the tags of each call, and under None those that lie in no call."""
    found: dict[int | None, str] = {call: " ".join(each) for call, each in tags.calls.items()}
    outside = " ".join(fault.tag for fault in tags.faults if fault.call is None)
    return found | {None: outside} if outside else found


@pytest.mark.parametrize("name", REPAIRED)
def test_repair(name: str) -> None:
    """A repair shows the mistake behind the violations; each violation belongs to one mistake."""
    calls, options, wanted = REPAIRED[name]
    result = repair(calls, CATALOG, **options)
    assert by_call(result.tags()) == wanted
    told = sorted(number for fault in result.tags().faults for number in fault.violations)
    assert told == [*range(len(result.violations))]
    loaded = RepairResult.model_validate(json.loads(json.dumps(result.model_dump(mode="json"))))
    assert loaded.tags() == result.tags()


def test_one_mistake_counts_once() -> None:
    """Two references to one lost label are one wrong label."""
    tags = repair('aa = Search(query="R")\nBook(id="$a.id$", day="$a.id$")', CATALOG).tags()
    assert tags.faults == (TaggedFault(tag="wrong_label", call=0, violations=(0, 1)),)
    assert tags.counts == {"wrong_label": 1}


def test_copies_that_compress_leaves_out() -> None:
    tags = compress(
        'a = Search(query="R")\nb = Search(query="R")\nBook(id="$b.id$")', CATALOG
    ).tags()
    assert tags.sequence == ("bad_repetition",)


TWO = 'a = Search(query="Rome")\nb = Search(query="Bonn")\nBook(id="$a.id$", day="$b.id$")'
READING = 'a = Search(query="Rome")\nBook(id="$a.id$")'
LATER = 'Book(id="$a.id$")\na = Search(query="Rome")'

AGAINST: list[tuple[Any, Any, dict[int | None, str]]] = [
    (TRUTH, TRUTH, {}),
    (TRUTH.replace("a = ", "x = ").replace("$a.", "$x."), TRUTH, {}),
    ("\n".join(TWO.splitlines()[n] for n in (1, 0, 2)), TWO, {}),  # independent calls
    (LATER, LATER, {}),  # a label of memory that a later call bears, too
    ("Search('Rome')", "Search(query='Rome')", {}),  # by position
    (TRUTH.replace("Search", "Serch"), TRUTH, {0: "made_up_tool"}),
    ('Search(query="Rome")', 'Locate(query="Rome")', {0: "wrong_tool"}),
    (TRUTH, TRUTH + '\nLocate(place="R")', {None: "missing_call"}),
    (LOST, READING, {None: "missing_call"}),  # told once
    ('Locate(place="R")\n' + TRUTH, TRUTH, {0: "superfluous_call"}),
    (TRUTH + '\nc = Search(query="Rome")', TRUTH, {2: "bad_repetition"}),
    ("\n".join(TRUTH.splitlines()[::-1]), TRUTH, {0: "wrong_order"}),
    (TRUTH.replace("a = ", ""), TRUTH, {0: "missing_label"}),
    (TRUTH.replace("a = ", "aa = "), TRUTH, {0: "wrong_label"}),
    (TRUTH.replace("query", "querry"), TRUTH, {0: "made_up_parameter"}),
    (TRUTH.replace(', day="Monday"', ""), TRUTH, {1: "missing_parameter"}),
    (TRUTH.replace('"Monday"', '"Monday", geo="x"'), TRUTH, {1: "superfluous_parameter"}),
    (TRUTH.replace("a.id", "a.idd"), TRUTH, {1: "made_up_assignment"}),
    (TRUTH + '\nBook(id="$q.id$")', TRUTH + '\nBook(id="$a.id$")', {2: "made_up_assignment"}),
    (TRUTH.replace("a.id", "a.count"), TRUTH, {1: "wrong_assignment"}),
    (TRUTH.replace("Rome", "Bonn"), TRUTH, {0: "wrong_value"}),
    (READING.replace("$a", "x $a"), READING.replace("$a", "y $a"), {1: "wrong_value"}),
    (CUT_OFF, 'Search(query="Rome")', {0: "malformed"}),
]


@pytest.mark.parametrize(("given", "truth", "wanted"), AGAINST)
def test_against(given: Any, truth: Any, wanted: dict[int | None, str]) -> None:
    """What differs from the truth has a tag; what is the same has none."""
    assert by_call(tags_against(given, truth, CATALOG)) == wanted


def test_without_a_catalog_nothing_is_made_up() -> None:
    assert tags_against(TRUTH.replace("Search", "Serch"), TRUTH).sequence == ("wrong_tool",)
    assert tags_against(TRUTH.replace("query", "querry"), TRUTH).sequence == (
        "missing_parameter",
        "superfluous_parameter",
    )


def test_what_is_returned_is_compared() -> None:
    calls = Sequence.load(TRUTH).calls
    truth = Sequence(calls=calls, returns={"x": Reference(label="a", path=("id",))})
    other = Sequence(calls=calls, returns={"x": Reference(label="b", path=("booking",))})
    assert tags_against(other, truth).calls == {2: ("wrong_assignment",)}
    assert tags_against(Sequence(calls=calls), truth).calls == {2: ("missing_parameter",)}


ONE = 'Search(query="a")'


@pytest.mark.parametrize(
    ("given", "truth", "told"),
    [
        (ONE, 'Search(query="b")', '"a", where the truth has "b"'),
        (ONE, 'Search(query="a", limit=2)', "nothing, where the truth has 2"),
        ('Serch(query="a")', ONE, f'Serch(query="a"), where the truth has {ONE}'),
        (ONE, ONE + '\nBook(id="1")', 'nothing, where the truth has Book(id="1")'),
    ],
)
def test_text_says_what_differs(given: str, truth: str, told: str) -> None:
    found = compared(given, truth, CATALOG)
    text = tags_text(found.tags, found.given, found.truth, secrets=found.secrets, width=1000)
    assert text.splitlines()[-1].endswith(f"{found.tags.faults[-1].tag}: {told}")


def test_text_of_differences_is_bounded_and_tells_no_secret() -> None:
    log = tool("Log", {"code": {"type": "string", "format": "password"}, "note": TEXT})
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
    tools = {"tools": [{"name": "Get", "parameters": {"id": {"type": "string"}}}]}
    memory = {"ctx": {"id": "1"}}
    given, truth = 'Get(id="$ctx.idd$")', 'Get(id="$ctx.id$")'
    assert tags_against(given, truth, tools, memory).sequence == ("made_up_assignment",)
    assert check(given, tools, memory).tags().sequence == ("made_up_assignment",)
