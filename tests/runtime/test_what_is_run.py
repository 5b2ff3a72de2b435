"""What is run: checked arguments, the order of changes, repairs, memory, options and what a run tells."""

import asyncio
import json
import logging
from typing import Any

import pytest
from small_runs import CATALOG, TOOLS, statuses

from declaring import TEXT, tool
from refract_asp import Catalog, Memory, Refractor, repair
from refract_asp.errors import InputError
from refract_asp.model import Tool
from refract_asp.runtime import run, run_async
from waiting import run_timeless


def test_arguments_are_checked_before_the_call() -> None:
    """By the catalog; those of a tool that it does not have by the function, as everywhere."""
    text = 'pay(amount="x")\nother(y=1)\nother(x=1)'
    done = run(text, {**TOOLS, "other": lambda x: x}, catalog=CATALOG)
    assert statuses(done) == ["failed", "failed", "succeeded"]
    kinds = [outcome.error.kind for outcome in done.outcomes if outcome.error is not None]
    assert kinds == ["bad_argument", "bad_argument"]
    assert str(done.outcomes[0].error) == 'amount should be number, not "x".'


@pytest.mark.parametrize(("order", "made"), [("declared", [1, 2, 3]), ("data", [2, 3, 1])])
def test_what_changes_something_does_not_overtake(order: Any, made: list[int]) -> None:
    found: list[int] = []

    async def pay(amount: int) -> None:
        await asyncio.sleep(0.01 if amount == 1 else 0)
        found.append(amount)

    text = "pay(amount=1)\npay(amount=2)\npay(amount=3)"
    run_timeless(run_async(text, [pay], catalog=CATALOG, order=order))
    assert found == made


def test_one_that_is_skipped_does_not_let_others_overtake() -> None:
    order: list[int] = []
    free = asyncio.Event()

    async def pay(amount: int) -> None:
        if amount == 1:
            await free.wait()
        order.append(amount)

    async def bad() -> None:
        asyncio.get_running_loop().call_later(0.01, free.set)
        raise ValueError

    catalog = Catalog(tools=(*CATALOG.tools, Tool(name="bad", effect="read")))
    text = 'pay(amount=1)\na = bad()\npay(amount="$a$")\npay(amount=4)'
    done = run(text, [pay, bad], catalog=catalog)
    assert statuses(done) == ["succeeded", "failed", "skipped", "succeeded"]
    assert order == [1, 4]


def test_a_repair_runs_what_can_run() -> None:
    result = repair("a = pay(amunt=3)\nQqqqqq(zzz=1)\npay()", CATALOG)
    done = run(result, TOOLS, catalog=CATALOG)
    assert statuses(done) == ["succeeded", "failed", "open"]
    assert done.values == {"a": {"paid": 3}}


def test_memory_grows_by_what_succeeded() -> None:
    done = run('a = pay(amount="$sum$")\nb = nope()', TOOLS, memory={"sum": 2, "a": "old", "b": 1})
    assert done.memory == Memory(values={"sum": 2, "a": {"paid": 2}, "b": 1})


WRONG = [
    {"limit": 0}, {"limit": "3"}, {"timeout": -1}, {"retries": 1.5}, {"ask": 3}, {"confirm": "yes"},
    {"on_event": 3}, {"order": "none"}, {"total_timeout": "x"}, {"memory": [1]}, {"catalog": 3},
    {"timeout": 0}, {"total_timeout": 0.0},
]  # fmt: skip


@pytest.mark.parametrize("options", WRONG)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        run("f()", {"f": lambda: 1}, **options)


def test_two_functions_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two functions are named 'print'"):
        run("print()", [print, print])


def test_data_holds_everything_as_json() -> None:
    done = run("a = f()\nb = nope()", {"f": lambda: {"password": "k3y"}})
    data = json.loads(json.dumps(done.model_dump()))
    assert (data["schema_version"], data["values"]) == (1, {"a": {"password": "k3y"}})
    assert [outcome["status"] for outcome in data["outcomes"]] == ["succeeded", "failed"]
    assert data["outcomes"][1]["error"]["kind"] == "unknown_tool"


def test_a_summary_shows_the_beginning_of_a_huge_result() -> None:
    done = run("f()", {"f": lambda: "x" * 1_000_000})
    assert len(done.summary()) < 21_000
    assert "... (the first 20000 of 1000002 characters)" in done.summary()


# -- secrets -------------------------------------------------------------------


def test_secrets_are_not_printed() -> None:
    hidden = {"type": "object", "properties": {"word": {"type": "string", "format": "password"}}}
    catalog = Catalog(tools=(Tool(name="f", output_schema=hidden),))
    tools = {"f": lambda: {"word": "k3y", "password": "k3y", "other": 1}}
    summary = run("f()", tools, catalog=catalog).summary()
    assert ("k3y" in summary, '"other": 1' in summary) == (False, True)


def refuse(word: str, password: str = "") -> None:
    raise ValueError(f"neither {word} nor {password} is right")


def test_secrets_that_a_tool_puts_into_what_it_raises_are_not_printed() -> None:
    done = run('f(word="hunter1", password="hunter2")', {"f": refuse})
    assert "neither hunter1 nor (secret) is right" in done.summary()
    assert "hunter2" in str(done.outcomes[0].error)  # which is data


@pytest.mark.parametrize("is_repair", [True, False])
def test_a_rule_says_what_is_secret(is_repair: bool, caplog: pytest.LogCaptureFixture) -> None:
    catalog = Catalog.load({"tools": [tool("f", word=TEXT)]})
    what: Any = 'f(word="hunter1")'
    options: Any = {"secrets": lambda name, schema: name == "word"}
    if is_repair:
        what, options = Refractor(catalog, **options).repair(what), {}
    with caplog.at_level(logging.INFO, "refract_asp.runtime"):
        done = run(what, {"f": refuse}, catalog=catalog, **options)
    assert done.outcomes[0].status == "failed"
    assert "hunter1" not in done.summary() + caplog.text
    assert caplog.records[0].refract_arguments == '{"word": "(secret)"}'  # type: ignore[attr-defined]
