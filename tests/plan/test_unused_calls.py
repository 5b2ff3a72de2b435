"""Calls of a plan that nobody reads: check, repair, run and the stages agree that they are not made."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, RefractError, RepairResult, Sequence, check, repair
from refract_asp.model.stages import stages, unmade, without_unmade
from refract_asp.plan import Context, described, parse_plan, to_sequence
from refract_asp.runtime import run

TOOLS = Catalog.load(
    {
        "tools": [
            {"name": "sendEmail", "effect": "write", "parameters": {"to": {"type": "string"}},
             "returns": {"id": {"type": "string"}}},
            {"name": "find", "effect": "read", "parameters": {"q": {"type": "string"}},
             "returns": {"id": {"type": "string"}, "name": {"type": "string"}}},
            {"name": "frobnicate", "parameters": {"q": {"type": "string"}}},
            {"name": "getReport", "effect": "destructive", "parameters": {"q": {"type": "string"}}},
            {"name": "deleteNothing", "effect": "read", "parameters": {"q": {"type": "string"}}},
        ]
    }
)  # fmt: skip
MAIL = "mail = sendEmail({to: 'ada'});\n"
DROPPED = {
    "declared": MAIL + "return find({q: 'x'});",
    "declared, whatever the name says": "r = getReport({q: 'x'}); return find({q: 'y'});",
    "returns a constant": MAIL + "return 3;",
    "returns nothing of it": MAIL + "return {};",
    "read by what nobody reads": MAIL + "f = find({q: mail.id}); return find({q: 'x'});",
    "inside what nobody reads": "f = find({q: sendEmail({to: 'ada'}).id}); return find({q: 'x'});",
    "after the return in order of data": "a = find({q: 'x'}); " + MAIL + "return a;",
    "in a list that nobody reads": "all = [sendEmail({to: 'ada'}), 1]; return find({q: 'x'});",
}
MADE = {
    "returned beside the result": MAIL + "return {mail: mail, found: find({q: 'x'})};",
    "returned in a list": MAIL + "return [mail, find({q: 'x'})];",
    "read by what is returned": MAIL + "return find({q: mail.id});",
    "read through another call": MAIL + "f = find({q: mail.id}); return find({q: f.name});",
    "the result": "return sendEmail({to: 'ada'});",
    "the result by its name": MAIL + "return mail;",
    "in an alias that is read": "all = [sendEmail({to: 'ada'}), 1]; return all;",
    "only reads": "f = find({q: 'x'}); return 3;",
    "only reads, whatever the name says": "d = deleteNothing({q: 'x'}); return find({q: 'y'});",
}
"""Nothing in these is wrong."""


def functions(log: list[str]) -> dict[str, Any]:
    """Return the tools as functions that write down that they are called."""

    def of(name: str) -> Any:
        def tool(**_: Any) -> dict[str, str]:
            log.append(name)
            return {"id": "1", "name": "n"}

        return tool

    return {tool.name: of(tool.name) for tool in TOOLS}


def forms(text: str) -> list[Any]:
    """Return a plan in each form in which it can be run."""
    parsed = parse_plan(text)
    return [text, parsed, parsed.require(), Sequence.load(text), to_sequence(parsed.require())]


@pytest.mark.slow
@pytest.mark.parametrize("name", DROPPED)
def test_a_write_is_never_dropped_without_a_word(name: str) -> None:
    text = DROPPED[name]
    report = check(text, TOOLS)
    assert (report.verdict, [each.code for each in report.violations]) == (
        "invalid",
        ["unused_call"],
    )
    wrong = report.violations[0].call
    for form in forms(text):
        made: list[str] = []
        with pytest.raises(RefractError, match=r"line \d+, column \d+: .*nothing was called"):
            run(form, functions(made), catalog=TOOLS)
        assert made == []
    assert wrong in unmade(Sequence.load(text))
    assert all(wrong not in stage for stage in stages(Sequence.load(text)))


@pytest.mark.parametrize("name", DROPPED)
def test_a_repair_leaves_it_to_whoever_wrote_it(name: str) -> None:
    result = repair(DROPPED[name], TOOLS)
    assert (result.verdict, result.is_executable) == ("unrepairable", False)
    assert result.unresolved == (result.violations[0].call,)
    assert result.sequence == result.given
    assert result.diff() == ""
    made: list[str] = []
    done = run(result, functions(made), catalog=TOOLS)
    assert "failed" in [outcome.status for outcome in done.outcomes]
    assert not {"sendEmail", "getReport"} & set(made)


@pytest.mark.parametrize("name", MADE)
def test_what_is_read_is_made_and_what_only_reads_need_not(name: str) -> None:
    text = MADE[name]
    assert check(text, TOOLS).verdict == "valid"
    assert repair(text, TOOLS).verdict == "valid"
    wanted = [call.name for call in without_unmade(Sequence.load(text)).calls]
    for form in forms(text):
        made: list[str] = []
        assert run(form, functions(made), catalog=TOOLS).error is None
        assert made == wanted
    assert sum(len(stage) for stage in stages(Sequence.load(text))) == len(wanted)


@pytest.mark.parametrize(
    ("tool", "code"),
    [
        ("createInvoice", "unused_call"),
        ("slack.postMessage", "unused_call"),
        ("REMOVE_ITEM", "unused_call"),
        ("bookHotel", "unused_call"),
        ("getOrCreateUser", "unused_call"),
        ("getPost", None),
        ("search_orders", None),
        ("lookupUser", None),
    ],
)
def test_the_name_counts_where_the_catalog_says_nothing(tool: str, code: str | None) -> None:
    catalog = {"tools": [*TOOLS.dump()["tools"], {"name": tool, "parameters": {"q": {}}}]}
    report = check(f"a = {tool}({{q: 'x'}}); return find({{q: 'y'}});", catalog)
    assert [each.code for each in report.violations] == ([code] if code else [])
    assert report.notes == ()


def test_what_nobody_knows_is_noted() -> None:
    text = "a = frobnicate({q: 'x'});\nreturn find({q: 'y'});"
    for report in (check(text, TOOLS), repair(text, TOOLS)):
        assert report.verdict == "valid"
        (note,) = report.notes
        assert note.startswith(
            "call 1 (a) is never made, as nothing that the plan returns reads it"
        )
    made: list[str] = []
    for form in (text, Sequence.load(text)):
        done = run(form, functions(made), catalog=TOOLS)
        (note,) = done.notes
        assert note.startswith("line 1, column ")
    assert made == ["find", "find"]


def test_without_a_catalog_the_names_count() -> None:
    made: list[str] = []
    with pytest.raises(RefractError, match="line 1, column 8: sendEmail may change something"):
        run(MAIL + "return find({q: 'x'});", functions(made))
    computed = "return find({q: a[0][a[0][0]]});"  # which no sequence can say
    with pytest.raises(RefractError, match="line 2, column 8: sendEmail may change something"):
        run("a = [[1]];\n" + MAIL + computed, functions(made))
    assert made == []


def test_local_functions_only_read() -> None:
    context = Context({"sendOff": lambda name: name})
    text = "a = sendOff('x'); return find({q: 'y'});"
    made: list[str] = []
    assert run(text, functions(made), catalog=TOOLS, context=context).error is None
    assert made == ["find"]
    assert check(text, described(context, TOOLS)).verdict == "valid"


# -- with other mistakes ---------------------------------------------------------


def mended(text: str) -> RepairResult:
    result = repair(text, TOOLS)
    assert check(result.sequence, TOOLS).verdict == ("invalid" if result.unresolved else "valid")
    return result


def test_a_reference_that_was_misspelt_may_have_meant_it() -> None:
    result = mended(MAIL + "return {sent: mial.id};")
    assert result.verdict == "repaired"
    assert unmade(result.sequence) == frozenset()


def test_its_siblings_are_repaired_all_the_same() -> None:
    result = mended(MAIL + "return find({query: 'x'});")
    assert (result.verdict, result.unresolved) == ("unrepairable", (0,))
    assert "return find({q: 'x'});" in str(result.sequence.dump("plan"))


def test_its_tool_may_be_misspelt_too() -> None:
    result = mended("mail = sendEmial({to: 'ada'}); return find({q: 'x'});")
    assert (result.verdict, result.unresolved) == ("unrepairable", (0,))
    result = mended(
        "mail = sndEmial({to: 'ada'}); return find({q: 'x'});"
    )  # no word that says anything
    assert (result.verdict, result.unresolved) == ("unrepairable", (0,))
    assert any(note.startswith("call 1 (mail) is never made") for note in result.notes)


@pytest.mark.parametrize(
    "rest",
    [
        "return find({q: 'x', bogus: mail.id});",  # an argument goes
        "f = find({q: 'y'}); return find({q: mail.name});",  # a reference reads elsewhere
        "f = find({q: mail.id}); return find({q: 'x', bogus: f.id});",
    ],
)
def test_a_repair_that_cuts_a_write_off_tells_of_it(rest: str) -> None:
    assert "unused_call" not in [each.code for each in check(MAIL + rest, TOOLS).violations]
    result = mended(MAIL + rest)
    assert (0 in unmade(result.sequence)) == (0 in result.unresolved)
    assert (result.verdict == "unrepairable") == bool(result.unresolved)
    if result.unresolved:
        assert any(note.startswith("call 1 (mail) is never made") for note in result.notes)


def test_the_advice_says_how_to_have_it_made() -> None:
    (found,) = check(DROPPED["declared"], TOOLS).diagnostics()
    assert (
        found.tip
        == "Return what it gives, too, as in return {mail: mail, ...}, or leave the call out"
    )
    (found,) = check(DROPPED["inside what nobody reads"], TOOLS).diagnostics()
    assert found.tip == "Return what it gives, too, or leave the call out"
    (found,) = parse_plan("sendEmail({to: 'ada'});\nreturn 1;").diagnostics
    assert found.hint.startswith(
        "Bind it and return it, as in `name = ...;` and `return {name: name, ...};`"
    )
    assert check(MAIL + "return {mail: mail, now: find({q: 'x'})};", TOOLS).verdict == "valid"
