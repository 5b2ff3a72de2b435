"""Plans that are run: as plans, whatever way they come: as text, file, sequence or repair."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import TOOLS, statuses

from refract_asp import Sequence, repair
from refract_asp.errors import InputError, PlanError
from refract_asp.plan import Context, dates, described, parse_plan
from refract_asp.runtime import run

TEXT = "spare = log(); found = search({to: 'x', date: next(Friday).at('noon')}); return {first: found.id};"
HELPERS = dates("2024-03-08")
WANTED = {"first": "x 2024-03-15T12:00:00+00:00"}


def search(to: str, date: str) -> dict[str, str]:
    """Find something."""
    return {"id": f"{to} {date}"}


def book(id: str, who: str) -> str:
    """Book it."""
    return f"{id} for {who}"


def log() -> None:
    """Must not be called: nobody reads it."""
    raise AssertionError


PARSED = parse_plan(TEXT)
WAYS = [TEXT, TEXT.replace("; ", ";\n"), Sequence.load(TEXT), PARSED, PARSED.plan]


@pytest.mark.parametrize("what", WAYS, ids=["one line", "lines", "sequence", "parsed", "plan"])
def test_only_what_is_returned_runs(what: Any) -> None:
    done = run(what, [search, log], context=HELPERS)
    assert (done.result, [outcome.tool for outcome in done.outcomes]) == (WANTED, ["search"])


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.js"
    path.write_text(TEXT, encoding="utf-8")
    assert run(path, [search, log], context=HELPERS).result == WANTED
    assert run(path, [search, log], context=HELPERS, is_plan=True).result == WANTED


def test_a_repair() -> None:
    broken = TEXT.replace("date:", "dates:")
    result = repair(broken, described(HELPERS, [search, log]), HELPERS.memory)
    done = run(result, [search, log], context=HELPERS)
    assert (result.verdict, done.result) == ("repaired", WANTED)
    assert [outcome.tool for outcome in done.outcomes] == ["search"]


def test_an_open_repair_asks_and_knows_local_functions() -> None:
    text = "a = search({to: 'x', date: next(Friday)}); return book({id: a.id});"
    result = repair(text, described(HELPERS, [search, book]), HELPERS.memory)
    names = {ask.name: "ada" for ask in result.asks}
    done = run(result, [search, book], context=HELPERS, ask=names, confirm=True)
    assert done.result == "x 2024-03-15 for ada"
    assert run(result, [search, book], context=HELPERS).is_open


def test_what_was_mended_is_told() -> None:
    text = "const found = await search({to: 'x', date: today}); return found.id;"
    for what in (text, Sequence.load(text)):
        assert len(run(what, [search], context=HELPERS).notes) == 2
    done = run("return search({to: 'x', date: 'y',});", [search])
    (note,) = done.notes
    assert note == "the plan was mended at line 1, column 34: a comma stands before `}`."


def test_a_field_that_the_result_of_a_plan_lacks_is_told_with_what_there_is() -> None:
    done = run("return find({}).nme;", {"find": lambda: {"name": 1, "id": 2}})
    assert done.outcomes[0].status == "succeeded"
    why = "the result cannot be read: the object has no field 'nme'. Did you mean name?"
    assert str(done.error) == f"line 1, column 8: {why}"


def test_what_a_lowered_plan_returns() -> None:
    text = "a = get({});\nreturn [a, {b: a}];"
    assert run(text, TOOLS).result == run(Sequence.load(text), TOOLS).result == [1, {"b": 1}]


def test_a_plan_knows_the_memory_and_its_context() -> None:
    """P13: a local function is no call."""
    context = Context({"twice": lambda x: 2 * x})
    done = run("return pay({amount: twice(sum)});", TOOLS, memory={"sum": 4}, context=context)
    assert (done.result, [event.tool for event in done.events]) == ({"paid": 8}, ["pay", "pay"])


def test_a_local_function_that_fails_fails_the_call_that_needs_it() -> None:
    context = Context({"bad": lambda: 1 / 0})
    done = run("a = get();\nreturn [a, pay({amount: bad()})];", TOOLS, context=context)
    assert (statuses(done), done.has_result) == (["succeeded", "failed"], False)


def test_a_broken_plan_is_refused_before_anything_is_called() -> None:
    for text, said in (("a = f();\nreturn nope(a);", "nope"), ("return f() + 1;", "operator")):
        with pytest.raises(PlanError, match=said):
            run(text, {"f": log})


def test_is_plan_decides() -> None:
    tools = {"f": lambda: 1}
    assert run("f();", tools, is_plan=False).result == 1
    with pytest.raises(InputError, match="a value stands alone"):
        run("f()", tools, is_plan=True)
    for what in ([{"name": "f", "arguments": {}}], Sequence.load("f()")):
        with pytest.raises(InputError, match="is no plan"):
            run(what, tools, is_plan=True)
