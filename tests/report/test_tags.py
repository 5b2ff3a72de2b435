"""Error tags: each one on a tiny case, from a check, from a repair, and against a truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Refractor, Sequence, check, compress, repair
from refract_asp.model import Call, Constant, Reference, RepairResult
from refract_asp.model.comparison import same
from refract_asp.model.tags import MEANINGS, TAG_OF_CODE, TaggedFault, Tags
from refract_asp.report.tags import tags_text
from refract_asp.report.truth import compared, tags_against

TEXT = {"type": "string"}
CATALOG = Catalog.load(
    {
        "tools": [
            {
                "name": "Search",
                "effect": "read",
                "parameters": {"query": {**TEXT, "required": True}, "limit": {"type": "integer"}},
                "returns": {"id": TEXT, "count": {"type": "integer"}, "all": {"type": "object"}},
            },
            {
                "name": "Locate",
                "effect": "read",
                "parameters": {"place": {**TEXT, "required": True}},
                "returns": {"geo": TEXT},
            },
            {
                "name": "Book",
                "effect": "write",
                "parameters": {"id": {**TEXT, "required": True}, "day": TEXT, "geo": TEXT},
                "returns": {"booking": TEXT},
            },
            {"name": "Rate", "parameters": {"stars": {"type": "integer", "minimum": "low"}}},
        ]
    }
)
TRUTH = 'a = Search(query="Rome")\nb = Book(id="$a.id$", day="Monday")'
LOST = 'Book(id="$a.id$")'

CHECKED: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "nothing": (TRUTH, {}, ()),
    "made_up_tool": ('Serch(query="Rome")', {}, ("made_up_tool",)),
    "made_up_parameter": ('Search(query="Rome", x=3)', {}, ("made_up_parameter",)),
    "missing_parameter": ("Search()", {}, ("missing_parameter",)),
    "made_up_assignment": (LOST, {}, ("made_up_assignment",)),
    "missing_memory": ("Search(query=town)", {}, ("missing_memory",)),
    "wrong_order": ('Book(id="$a.id$")\na = Search(query="Rome")', {}, ("wrong_order",)),
    "bad_repetition": ('a = Search(query="R")\na = Search(query="R")', {}, ("bad_repetition",)),
    "wrong_value": ("Search(query=[3])", {}, ("wrong_value",)),
    "wrong_assignment": ('a = Search(query="R")\nBook(id="$a.all$")', {}, ("wrong_assignment",)),
    "broken_specification": ("Rate(stars=3)", {}, ("broken_specification",)),
    "malformed": ('Search(query="R', {}, ("malformed",)),
    "missing_call": (TRUTH, {"goals": ["Locate"]}, ("missing_call",)),
    "superfluous_call": (
        'Locate(place="Rome")\n' + TRUTH,
        {"goals": ["Book"], "level": "cheapest"},
        ("superfluous_call",),
    ),
}


@pytest.mark.parametrize("name", CHECKED)
def test_check(name: str) -> None:
    """A violation has the tag of its code."""
    calls, options, wanted = CHECKED[name]
    given: Any = calls
    if name == "malformed":
        given = Sequence(calls=(Call(name="Search", malformed="it is cut off"),))
    report = check(given, CATALOG, **options)
    tags = report.tags()
    assert tags.sequence == wanted
    assert sorted(n for fault in tags.faults for n in fault.violations) == [
        *range(len(report.violations))
    ]


@pytest.mark.slow
def test_a_house_rule(tmp_path: Path) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text('forbidden(call(X)) :- name(X, "Book"), in_call(X).\n', "utf-8")
    assert check(TRUTH, CATALOG, encodings=[rule]).tags().calls == {1: ("forbidden",)}


REPAIRED: dict[str, tuple[str, dict[str, Any], dict[int | None, tuple[str, ...]]]] = {
    "nothing": (TRUTH, {}, {}),
    "a tool that is made up": (TRUTH.replace("Search", "Serch"), {}, {0: ("made_up_tool",)}),
    "a parameter that is made up is not missing, too": (
        'Search(querry="Rome")',
        {},
        {0: ("made_up_parameter",)},
    ),
    "a label that nobody bears, where a call is missing": (LOST, {}, {None: ("missing_call",)}),
    "a call without a label": (TRUTH.replace("a = ", ""), {}, {0: ("missing_label",)}),
    "a call with another label": (TRUTH.replace("a = ", "aa = "), {}, {0: ("wrong_label",)}),
    "a label that is made up": (
        TRUTH + '\nBook(id="$a9.id$", geo="$a.id$", day="Monday")',
        {},
        {2: ("made_up_assignment",)},
    ),
    "a field that is made up": (TRUTH.replace("a.id", "a.idd"), {}, {1: ("made_up_assignment",)}),
    "a field of another call": (
        'a = Search(query="R")\nc = Locate(place="R")\nBook(id="$c.id$", geo="$c.geo$")',
        {},
        {2: ("wrong_assignment",)},
    ),
    "calls in the wrong order": (
        'Book(id="$a.id$")\na = Search(query="Rome")',
        {},
        {0: ("wrong_order",)},
    ),
    "a value in the wrong form": ('Search(query="Rome", limit="3")', {}, {0: ("wrong_value",)}),
    "a goal under a name that is made up": (
        TRUTH.replace("Book", "Bok"),
        {"goals": ["Book"]},
        {1: ("made_up_tool",)},
    ),
    "a goal that nobody meets": (TRUTH, {"goals": ["Locate"]}, {None: ("missing_call",)}),
    "a goal of order": (
        'Book(id="x")\na = Search(query="Rome")',
        {"goals": ["Search before Book"]},
        {0: ("wrong_order",)},
    ),
    "a call that no goal needs": (
        'Locate(place="Rome")\n' + TRUTH,
        {"goals": ["Book"], "level": "cheapest"},
        {0: ("superfluous_call",)},
    ),
}


def by_call(tags: Tags) -> dict[int | None, tuple[str, ...]]:
    """Return the tags of each call, and under None those that lie in no call."""
    outside = tuple(fault.tag for fault in tags.faults if fault.call is None)
    return {**tags.calls, **({None: outside} if outside else {})}


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


def test_every_tag_has_a_meaning_and_every_code_a_tag() -> None:
    assert set(TAG_OF_CODE.values()) <= MEANINGS.keys()


AGAINST: dict[str, tuple[str, str, dict[int | None, tuple[str, ...]]]] = {
    "the same": (TRUTH, TRUTH, {}),
    "other labels": (TRUTH.replace("a = ", "x = ").replace("$a.", "$x."), TRUTH, {}),
    "another order of independent calls": (
        'b = Search(query="Bonn")\na = Search(query="Rome")\nBook(id="$a.id$", day="$b.id$")',
        'a = Search(query="Rome")\nb = Search(query="Bonn")\nBook(id="$a.id$", day="$b.id$")',
        {},
    ),
    "made_up_tool": (TRUTH.replace("Search", "Serch"), TRUTH, {0: ("made_up_tool",)}),
    "wrong_tool": ('Search(query="Rome")', 'Locate(query="Rome")', {0: ("wrong_tool",)}),
    "missing_call": (TRUTH, TRUTH + '\nLocate(place="R")', {None: ("missing_call",)}),
    "a call that is missing is told once": (
        LOST,
        'a = Search(query="Rome")\nBook(id="$a.id$")',
        {None: ("missing_call",)},
    ),
    "superfluous_call": ('Locate(place="R")\n' + TRUTH, TRUTH, {0: ("superfluous_call",)}),
    "bad_repetition": (TRUTH + '\nc = Search(query="Rome")', TRUTH, {2: ("bad_repetition",)}),
    "wrong_order": ("\n".join(TRUTH.splitlines()[::-1]), TRUTH, {0: ("wrong_order",)}),
    "a label of memory that a later call bears, too": (
        'Book(id="$a.id$")\na = Search(query="Rome")',
        'Book(id="$a.id$")\na = Search(query="Rome")',
        {},
    ),
    "missing_label": (TRUTH.replace("a = ", ""), TRUTH, {0: ("missing_label",)}),
    "wrong_label": (TRUTH.replace("a = ", "aa = "), TRUTH, {0: ("wrong_label",)}),
    "made_up_parameter": (TRUTH.replace("query", "querry"), TRUTH, {0: ("made_up_parameter",)}),
    "missing_parameter": (TRUTH.replace(', day="Monday"', ""), TRUTH, {1: ("missing_parameter",)}),
    "superfluous_parameter": (
        TRUTH.replace('day="Monday"', 'day="Monday", geo="x"'),
        TRUTH,
        {1: ("superfluous_parameter",)},
    ),
    "a field that is made up": (
        TRUTH.replace("a.id", "a.idd"),
        TRUTH,
        {1: ("made_up_assignment",)},
    ),
    "a label that is made up": (
        TRUTH + '\nBook(id="$q.id$")',
        TRUTH + '\nBook(id="$a.id$")',
        {2: ("made_up_assignment",)},
    ),
    "wrong_assignment": (TRUTH.replace("a.id", "a.count"), TRUTH, {1: ("wrong_assignment",)}),
    "wrong_value": (TRUTH.replace("Rome", "Bonn"), TRUTH, {0: ("wrong_value",)}),
    "a value inside a text": (
        'a = Search(query="Rome")\nBook(id="x $a.id$")',
        'a = Search(query="Rome")\nBook(id="y $a.id$")',
        {1: ("wrong_value",)},
    ),
}


@pytest.mark.parametrize("name", AGAINST)
def test_against(name: str) -> None:
    """What differs from the truth has a tag; what is the same has none."""
    given, truth, wanted = AGAINST[name]
    tags = tags_against(given, truth, CATALOG)
    assert by_call(tags) == wanted
    assert bool(tags.faults) is not same(Sequence.load(given), Sequence.load(truth))


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


def test_an_argument_by_position_is_understood() -> None:
    assert not tags_against("Search('Rome')", "Search(query='Rome')", CATALOG).faults


def test_malformed_against_a_truth() -> None:
    given = Sequence(calls=(Call(name="Search", malformed="it is cut off"),))
    assert tags_against(given, 'Search(query="Rome")').calls == {0: ("malformed",)}


# -- real sequences ------------------------------------------------------------


def changed(sequence: Sequence, number: int, **fields: Any) -> Sequence:
    """Return a sequence with another call at an index."""
    calls = list(sequence.calls)
    calls[number] = calls[number].model_copy(update=fields)
    return sequence.model_copy(update={"calls": tuple(calls)})


def mutations(gold: Sequence) -> dict[str, tuple[Sequence, str]]:
    """Return the sequence with one mistake each, and the tag that is expected of it."""
    made: dict[str, tuple[Sequence, str]] = {}
    for number, call in enumerate(gold.calls):
        made["tool"] = changed(gold, number, name=call.name + "Zq"), "made_up_tool"
        for name, source in call.arguments.items():
            rest = {key: value for key, value in call.arguments.items() if key != name}
            made["absent"] = changed(gold, number, arguments=rest), "missing_parameter"
            named = changed(gold, number, arguments={**rest, name + "Zq": source})
            made["renamed"] = named, "made_up_parameter"
            if isinstance(source, Constant):
                other = {**call.arguments, name: Constant(value="zq")}
                made["value"] = changed(gold, number, arguments=other), "wrong_value"
            if isinstance(source, Reference):
                lost = Reference(label=source.label, path=(*source.path, "zq"))
                other = {**call.arguments, name: lost}
                made["field"] = (
                    changed(gold, number, arguments=other),
                    "made_up_assignment|wrong_assignment",
                )
    made["removed"] = gold.model_copy(update={"calls": gold.calls[1:]}), "missing_call"
    extra = Call(name=gold.calls[0].name, arguments={"zq": Constant(value=1)}, label="zq")
    made["extra"] = gold.model_copy(update={"calls": (extra, *gold.calls)}), "superfluous_call"
    return made


@pytest.mark.data
@pytest.mark.parametrize("name", ["executable", "glaive"])
def test_real_sequences(name: str, data_dir: Path) -> None:
    """Gold against itself has no tags; a single mistake has its own one, and no other."""
    folder = data_dir / "nestful"
    refractor = Refractor(Catalog.load(folder / f"{name}-spec.json"))
    examples = json.loads((folder / f"{name}-data.json").read_text("utf-8"))
    for example in examples[:60:3]:
        gold = Sequence.load(example["output"])
        assert not tags_against(gold, gold, refractor).faults
        for kind, (given, wanted) in mutations(gold).items():
            found = tags_against(given, gold, refractor).sequence
            assert len(found) == 1, (kind, found, str(given))
            assert found[0] in wanted.split("|"), (kind, found, str(given))


@pytest.mark.parametrize(
    ("given", "truth", "told"),
    [
        ('Search(query="a")', 'Search(query="b")', '"a", where the truth has "b"'),
        ('Search(query="a", limit=1)', 'Search(query="a")', "1, which the truth does not pass"),
        ('Search(query="a")', 'Search(query="a", limit=2)', "absent, where the truth has 2"),
        (
            'Search(qery="a")',
            'Search(query="a")',
            "Search has no such parameter; the truth passes query",
        ),
        ('Serch(query="a")', 'Search(query="a")', "Serch, where the truth calls Search"),
        (
            'Search(query="a")\nBook(id="1")',
            'Search(query="a")',
            "the truth has no such call of Book",
        ),
        ('Search(query="a")', 'Search(query="a")\nBook(id="1")', 'the truth calls Book(id="1")'),
        (
            'Search(query="a")\nBook(id="$a.id$")',
            'a = Search(query="a")\nBook(id="$a.id$")',
            "the call bears no label; the truth reads from it",
        ),
    ],
)
def test_text_says_what_differs(given: str, truth: str, told: str) -> None:
    found = compared(given, truth, CATALOG)
    text = tags_text(found.tags, found.given, found.truth, secrets=found.secrets, width=1000)
    assert text.splitlines()[-1].endswith(f"{found.tags.faults[-1].tag}: {told}")


def test_text_of_differences_is_bounded_and_tells_no_secret() -> None:
    tool = {
        "name": "Log",
        "parameters": {"code": {"type": "string", "format": "password"}, "note": TEXT},
    }
    catalog = Catalog.load({"tools": [tool]})
    pairs = [
        ('Log(code="hunter2")', 'Log(code="hunter3")'),
        ('Log(code="hunter2")', "Log()"),
        ("Log()", 'Log(code="hunter2")'),
        ('Lgo(code="hunter2")', 'Log(code="hunter3")'),
        ('Log(cde="hunter2")', 'Log(code="hunter3")'),
        ('Log(note="x")', 'Log(note="x")\nLog(code="hunter2")'),
    ]
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
