"""Plans that are run: as plans, whatever way they come: as text, file, sequence or repair."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    "what",
    [TEXT, TEXT.replace("; ", ";\n"), Sequence.load(TEXT), parse_plan(TEXT), parse_plan(TEXT).plan],
    ids=["one line", "lines", "sequence", "parsed", "plan"],
)
def test_only_what_is_returned_runs(what: Any) -> None:
    done = run(what, [search, log], context=HELPERS)
    assert done.result == WANTED
    assert [outcome.tool for outcome in done.outcomes] == ["search"]


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.js"
    path.write_text(TEXT, encoding="utf-8")
    assert run(path, [search, log], context=HELPERS).result == WANTED
    assert run(path, [search, log], context=HELPERS, is_plan=True).result == WANTED


@pytest.mark.slow
def test_a_repair() -> None:
    broken = TEXT.replace("date:", "dates:")
    result = repair(broken, described(HELPERS, [search, log]), HELPERS.memory)
    assert result.verdict == "repaired"
    done = run(result, [search, log], context=HELPERS)
    assert done.result == WANTED
    assert [outcome.tool for outcome in done.outcomes] == ["search"]


def test_an_open_repair_asks_and_knows_local_functions() -> None:
    text = "a = search({to: 'x', date: next(Friday)}); return book({id: a.id});"
    result = repair(text, described(HELPERS, [search, book]), HELPERS.memory)
    assert result.asks
    names = {ask.name: "ada" for ask in result.asks}
    done = run(result, [search, book], context=HELPERS, ask=names, confirm=True)
    assert done.result == "x 2024-03-15 for ada"
    assert run(result, [search, book], context=HELPERS).is_open


def test_what_was_mended_is_told() -> None:
    text = "const found = await search({to: 'x', date: today}); return found.id;"
    for what in (text, Sequence.load(text)):
        assert len(run(what, [search], context=HELPERS).notes) == 2


def test_a_sequence_is_no_plan() -> None:
    with pytest.raises(InputError, match="is no plan"):
        run(Sequence.load('search(to="x", date="y")'), [search], is_plan=True)


def test_a_field_that_the_result_of_a_plan_lacks_is_told_with_what_there_is() -> None:
    for near, said in (("nme", "Did you mean name?"), ("q", "There are: name, id.")):
        done = run(f"return find({{}}).{near};", {"find": lambda: {"name": 1, "id": 2}})
        assert done.outcomes[0].status == "succeeded"
        assert str(done.error) == (
            f"line 1, column 8: the result cannot be read: the object has no field '{near}'. {said}"
        )


PLAN = """\
return domainC({
  slot3: domainA({slot1: 'foo'}).field1,
  slot4: domainB({slot2: 'bar'})[0].field2,
});
"""

DOMAINS: dict[str, Any] = {
    "domainA": lambda slot1: {"field1": 3},
    "domainB": lambda slot2: [{"field2": slot2}],
    "domainC": lambda slot3, slot4: f"{slot3} {slot4}",
}


def test_a_plan_as_text_mended_and_noted() -> None:
    done = run(PLAN, DOMAINS)
    assert done.result == "3 bar"
    assert done.notes == ("the plan was mended at line 3, column 43: a comma stands before `}`.",)


def test_what_a_lowered_plan_returns() -> None:
    text = "a = domainA({slot1: 'x'});\nreturn [a.field1, {b: a.field1}];"
    assert run(text, DOMAINS).result == run(Sequence.load(text), DOMAINS).result == [3, {"b": 3}]


def test_a_plan_knows_the_memory_and_its_context() -> None:
    """P13: a local function is no call."""
    context = Context({"twice": lambda x: 2 * x})
    done = run("return pay({amount: twice(sum)});", TOOLS, memory={"sum": 4}, context=context)
    assert done.result == {"paid": 8}
    assert [event.tool for event in done.events] == ["pay", "pay"]


def test_a_local_function_that_fails_fails_the_call_that_needs_it() -> None:
    def bad() -> None:
        raise ValueError("no")

    text = "a = get();\nreturn [a, pay({amount: bad()})];"
    done = run(text, TOOLS, context=Context({"bad": bad}))
    assert statuses(done) == ["succeeded", "failed"]
    assert not done.has_result


def test_a_broken_plan_is_refused_before_anything_is_called() -> None:
    called: list[int] = []
    with pytest.raises(PlanError, match="nope"):
        run("a = f();\nreturn nope(a);", {"f": lambda: called.append(1)})
    with pytest.raises(PlanError):
        run("return f() + 1;", {"f": lambda: called.append(1)})
    assert called == []


def test_is_plan_decides() -> None:
    assert run("f();", {"f": lambda: 1}, is_plan=False).result == 1
    with pytest.raises(InputError):
        run("f()", {"f": lambda: 1}, is_plan=True)
    with pytest.raises(InputError, match="is no plan"):
        run([{"name": "f", "arguments": {}}], {"f": lambda: 1}, is_plan=True)
