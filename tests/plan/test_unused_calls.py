"""Calls of a plan that nobody reads: check, repair, run and the stages agree that they are not made."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, RefractError, RepairResult, Sequence, check, repair
from refract_asp.errors import FormatError
from refract_asp.model.stages import stages, unmade, without_unmade
from refract_asp.plan import Context, described, parse_plan, to_sequence
from refract_asp.runtime import run
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

CORPUS = read_yaml(Path(__file__).with_name("corpus.yaml"))
TOOLS = Catalog.load({"tools": CORPUS["tools"]})
MAIL = "mail = sendEmail({to: 'ada'});\n"
DROPPED, MADE = CORPUS["dropped"], CORPUS["made"]


def made_by(what: Any, **options: Any) -> tuple[list[str], Any]:
    """Run something; return which tools were called, and the run or the error."""
    log: list[str] = []

    def of(name: str) -> Any:
        def tool(**_: Any) -> dict[str, str]:
            log.append(name)
            return {"id": "1", "name": "n"}

        return tool

    try:
        return log, run(what, {tool.name: of(tool.name) for tool in TOOLS}, **options)
    except RefractError as error:
        return log, error


def forms(text: str) -> list[Any]:
    """Return a plan in each form in which it can be run."""
    parsed = parse_plan(text)
    return [text, parsed, parsed.require(), Sequence.load(text), to_sequence(parsed.require())]


@pytest.mark.parametrize("name", DROPPED)
def test_a_write_is_never_dropped_without_a_word(name: str) -> None:
    text = DROPPED[name]
    (wrong,) = check(text, TOOLS).violations
    assert wrong.code == "unused_call"
    for form in forms(text):
        made, error = made_by(form, catalog=TOOLS)
        assert (made, "nothing was called" in str(error)) == ([], True)
        assert str(error).startswith("line ")
    assert wrong.call in unmade(Sequence.load(text))
    assert all(wrong.call not in stage for stage in stages(Sequence.load(text)))


@pytest.mark.parametrize("name", DROPPED)
def test_a_repair_keeps_it_before_what_is_returned(name: str) -> None:
    result = repair(DROPPED[name], TOOLS)
    assert (result.verdict, result.is_executable) == ("repaired", True)
    (kept,) = result.edits
    (wrong,) = result.violations
    assert (kept.kind, kept.call, kept.answers) == ("keep_call", wrong.call, (0,))
    assert check(result.sequence, TOOLS).verdict == "valid"
    whole = made_by(result.sequence, catalog=TOOLS)
    made, done = made_by(result, catalog=TOOLS)
    assert (made, done.result) == (whole[0], whole[1].result)
    wanted = [call.name for call in without_unmade(result.sequence).calls]
    assert made == wanted
    assert {"sendEmail", "getReport"} & set(made)
    printed = result.sequence.dump("plan")
    assert (check(printed, TOOLS).verdict, repair(printed, TOOLS).edits) == ("valid", ())
    assert sorted(made_by(printed, catalog=TOOLS)[0]) == sorted(made)


def test_what_is_kept_is_made_in_written_order_and_the_result_stays() -> None:
    text = "a = sendEmail({to: 'ada'});\nb = sendEmail({to: 'bob'});\nreturn find({q: 'x'}).name;"
    seen: list[object] = []

    async def send(to: str) -> dict[str, str]:
        await asyncio.sleep(0.02 if to == "ada" else 0)
        seen.append(to)
        return {"id": "1"}

    tools = {"sendEmail": send, "find": lambda q: (seen.append(q), {"id": "2", "name": "n"})[1]}
    result = repair(text, TOOLS)
    assert stages(result.sequence) == ((0,), (1,), (2,))
    assert (run(result, tools).result, seen) == ("n", ["ada", "bob", "x"])
    *_, last = str(result.sequence.dump("plan")).splitlines()
    assert last == "return {'*1': find({q: 'x'}).name, a: a, b: b};"
    assert "kept: call 1 (a): the call is made before what the plan returns" in str(result)
    assert "would be kept" not in result.explain()


@pytest.mark.parametrize("name", MADE)
def test_what_is_read_is_made_and_what_only_reads_need_not(name: str) -> None:
    text = MADE[name]
    assert (check(text, TOOLS).verdict, repair(text, TOOLS).verdict) == ("valid", "valid")
    wanted = [call.name for call in without_unmade(Sequence.load(text)).calls]
    assert [made_by(form, catalog=TOOLS)[0] for form in forms(text)] == [wanted] * 5
    assert sum(len(stage) for stage in stages(Sequence.load(text))) == len(wanted)


@pytest.mark.parametrize(("tool", "changes"), TABLES["the name counts"])
def test_the_name_counts_where_the_catalog_says_nothing(tool: str, changes: bool) -> None:
    catalog = {"tools": [*TOOLS.dump()["tools"], {"name": tool, "parameters": {"q": {}}}]}
    report = check(f"a = {tool}({{q: 'x'}}); return find({{q: 'y'}});", catalog)
    assert [each.code for each in report.violations] == ["unused_call"] * changes
    assert report.notes == ()


def test_what_nobody_knows_is_noted() -> None:
    text = "a = frobnicate({q: 'x'});\nreturn find({q: 'y'});"
    said = "call 1 (a) never runs, as nothing that the plan returns reads its result"
    for report in (check(text, TOOLS), repair(text, TOOLS)):
        (note,) = report.notes
        assert (report.verdict, note.startswith(said)) == ("valid", True)
    for form in (text, Sequence.load(text)):
        made, done = made_by(form, catalog=TOOLS)
        (note,) = done.notes
        assert (made, note.startswith("line 1, column ")) == (["find"], True)


def test_without_a_catalog_the_names_count() -> None:
    # which no sequence can say
    computed = "a = [[1]];\n" + MAIL + "return find({q: a[0][a[0][0]]});"
    for text, line in ((MAIL + "return find({q: 'x'});", 1), (computed, 2)):
        made, error = made_by(text)
        assert made == []
        assert f"line {line}, column 8: sendEmail may change something" in str(error)


def test_local_functions_only_read() -> None:
    context = Context({"sendOff": lambda name: name})
    text = "a = sendOff('x'); return find({q: 'y'});"
    assert made_by(text, catalog=TOOLS, context=context)[0] == ["find"]
    assert check(text, described(context, TOOLS)).verdict == "valid"


# -- with other mistakes ---------------------------------------------------------


def mended(text: str) -> RepairResult:
    result = repair(text, TOOLS)
    again = check(result.sequence, TOOLS)
    assert (again.verdict, again.violations) == ("needs_input" if result.confirms else "valid", ())
    return result


def test_a_reference_that_was_misspelt_may_have_meant_it() -> None:
    result = mended(MAIL + "return {sent: mial.id};")
    assert (result.verdict, unmade(result.sequence)) == ("repaired", frozenset())


@pytest.mark.parametrize("text", TABLES["its siblings are repaired all the same"])
def test_its_siblings_are_repaired_all_the_same(text: str) -> None:
    result = mended(text)
    assert "keep_call" in [edit.kind for edit in result.edits if edit.call == 0]
    assert result.sequence.dump("pretty")[-1] == 'var1 = find(q="x")'
    made, done = made_by(result, catalog=TOOLS, confirm=True)
    assert (made, done.result) == (["sendEmail", "find"], {"id": "1", "name": "n"})


@pytest.mark.parametrize("rest", TABLES["a repair that cuts a write off keeps it"])
def test_a_repair_that_cuts_a_write_off_keeps_it(rest: str) -> None:
    assert "unused_call" not in [each.code for each in check(MAIL + rest, TOOLS).violations]
    result = mended(MAIL + rest)
    assert 0 not in unmade(result.sequence)
    assert result.verdict in ("repaired", "needs_input")


def test_the_advice_says_how_to_have_it_made() -> None:
    (found,) = check(DROPPED["declared"], TOOLS).diagnostics()
    assert found.tip == "Return its result as well, or leave the call out"
    (told,) = parse_plan("sendEmail({to: 'ada'});\nreturn 1;").diagnostics
    hint = "Bind it and return it, as in `name = ...;` and `return {name: name"
    assert told.hint.startswith(hint)


def test_a_plan_with_a_call_that_stands_alone_is_told_as_a_plan() -> None:
    with pytest.raises(FormatError, match=r"a value stands alone\. Bind it and return it"):
        check("sendEmail({to: 'ada'});\nreturn find({q: 'x'});", TOOLS)
