"""Plans that are run."""

from __future__ import annotations

from typing import Any

import pytest
from small_runs import TOOLS, statuses

from refract_asp import Sequence
from refract_asp.errors import InputError, PlanError
from refract_asp.plan import parse_plan
from refract_asp.plan.context import Context
from refract_asp.runtime import run

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


def test_a_plan_as_data() -> None:
    parsed = parse_plan(PLAN, "relaxed")
    assert run(parsed, DOMAINS).result == run(parsed.require(), DOMAINS).result == "3 bar"


def test_a_plan_lowered_to_a_sequence_gives_the_same() -> None:
    assert run(Sequence.load(PLAN), DOMAINS).result == "3 bar"


def test_what_a_lowered_plan_returns() -> None:
    text = "a = domainA({slot1: 'x'});\nreturn [a.field1, {b: a.field1}];"
    assert run(text, DOMAINS).result == run(Sequence.load(text), DOMAINS).result == [3, {"b": 3}]


def test_an_alias_runs_once_and_one_that_nothing_reads_does_not() -> None:
    """P10."""
    text = "a = f({x: 1});\nb = f({x: 2});\nreturn g({y: a, z: a, w: f({x: 1})});"
    done = run(text, {"f": lambda x: x, "g": lambda **given: given})
    assert [outcome.tool for outcome in done.outcomes] == ["f", "f", "g"]
    assert done.result == {"y": 1, "z": 1, "w": 1}
    assert any("b" in note for note in done.notes)


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


def test_a_field_that_is_not_there_in_what_a_plan_returns() -> None:
    done = run("return get().nope;", {"get": lambda: {"yes": 1}})
    assert statuses(done) == ["succeeded"]
    assert not done.succeeded
    assert done.error is not None
    assert "nope" in str(done.error)


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
