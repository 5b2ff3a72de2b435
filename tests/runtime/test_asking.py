"""What is asked for and agreed to while calls run."""

import asyncio
import logging
import threading
import time
from typing import Any

import pytest
from small_runs import CATALOG, OPEN, TOOLS, statuses

from declaring import NEEDED, tool
from refract_asp import Sequence, repair
from refract_asp.model.sequence import Ask, Constant
from refract_asp.runtime import Agreement, Question, run
from waiting import PATIENCE


def test_what_nobody_answers_stays_open() -> None:
    done = run(OPEN + '\npay(amount="$a.paid$")', TOOLS, catalog=CATALOG)
    assert statuses(done) == ["open", "succeeded", "skipped"]
    assert (done.is_open, done.outcomes[0].reason) == (True, "amount was not answered.")


@pytest.mark.parametrize("is_async", [True, False])
def test_who_is_asked_is_told_what_for(is_async: bool) -> None:
    asked: list[Question] = []

    def sync(question: Question) -> object:
        asked.append(question)
        return "three" if len(asked) == 1 else 3

    async def not_sync(question: Question) -> object:
        return sync(question)

    done = run(OPEN, TOOLS, catalog=CATALOG, ask=not_sync if is_async else sync)
    assert done.values["a"] == {"paid": 3}
    first, second = asked
    about = (first.name, first.tool, first.parameter, first.description, first.schema["type"])
    assert about == ("amount", "pay", "amount", "How much.", "number")
    assert (first.problem, second.problem) == ("", "it should be number")


@pytest.mark.parametrize("answer", [object(), float("nan"), "text", [1]])
def test_answers_that_do_not_fit_leave_it_open(answer: object) -> None:
    asks: tuple[Any, ...] = (lambda _: answer, {"amount": answer})
    for ask in asks:
        assert statuses(run(OPEN, TOOLS, catalog=CATALOG, ask=ask)) == ["open", "succeeded"]
    done = run(OPEN, TOOLS, catalog=CATALOG, ask={"amount": 3})
    assert (done.values, done.is_open) == ({"a": {"paid": 3}, "b": 1}, False)


def test_a_result_waits_for_its_answers() -> None:
    returns = {"by": Ask(name="who"), "x": Constant(value=1)}
    sequence = Sequence(calls=Sequence.load("get()").calls, asks=("who",), returns=returns)

    async def ask(question: Question) -> str:
        await asyncio.sleep(0.01)
        return "ann"

    assert run(sequence, TOOLS, ask=ask).result == {"by": "ann", "x": 1}
    done = run(sequence, TOOLS)
    told = (done.has_result, done.is_open, done.unanswered)
    assert told == (False, True, "who was not answered.")
    ended = threading.Event()
    late = run(sequence, TOOLS, ask=lambda _: ended.wait(PATIENCE) and "ann", total_timeout=0.05)
    ended.set()
    assert (late.timed_out, late.has_result) == (True, False)


def test_who_fails_to_answer_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def ask(question: Question) -> None:
        raise SystemExit("gone")

    with caplog.at_level(logging.WARNING, "refract_asp.runtime"):
        assert statuses(run(OPEN, TOOLS, ask=ask)) == ["open", "succeeded"]
    assert "gone" in caplog.text


@pytest.mark.parametrize("confirm", [None, False, lambda _: 1, True, lambda _: True])
def test_confirms(confirm: Any) -> None:
    agrees = confirm is True or (callable(confirm) and confirm(None) is True)
    done = run("confirm(amount=3)\npay(amount=3)\nget()", TOOLS, confirm=confirm)
    assert statuses(done) == ["succeeded" if agrees else "open", "succeeded"]
    said = "nobody was there to agree to the value of amount of pay."
    assert confirm is not None or done.outcomes[0].reason == said


def test_who_agrees_sees_the_arguments_and_cannot_change_them() -> None:
    seen: list[str] = []

    def confirm(agreement: Agreement) -> bool:
        seen.append(str(agreement))
        agreement.arguments["x"].append(5)
        return True

    tools = {"f": lambda: [1], "g": lambda x: x}
    done = run('a = f()\nconfirm(x="$a$")\ng(x="$a$")', tools, confirm=confirm)
    assert (seen, done.result) == (["confirm(x=[1])"], [1])


def test_who_agrees_is_told_why() -> None:
    catalog = {"tools": [tool("deleteFile", "destructive", path=NEEDED)]}
    result = repair('deleteFiles(path="x")\ndeleteFile(target="y")', catalog)
    seen: list[str] = []
    run(result, {"deleteFile": str}, confirm=lambda asked: seen.append(asked.reason) or True)
    assert seen == [each.reason for each in result.confirms] != [seen[0]] * 2


def test_one_question_at_a_time() -> None:
    busy = threading.Lock()

    def answer(asked: object) -> Any:
        assert busy.acquire(blocking=False)
        time.sleep(0.01)
        busy.release()
        return True

    text = "ask(a)\nask(b)\nf(x=a)\nf(x=b)\nconfirm(f)\nf(x=1)\nconfirm(f)\nf(x=2)"
    assert run(text, {"f": lambda x: x}, ask=answer, confirm=answer).succeeded


def test_nobody_waits_for_an_answer_that_nothing_needs() -> None:
    async def never(question: Question) -> None:
        await asyncio.Event().wait()

    tools = {"bad": lambda: 1 / 0, "f": print}
    done = run('a = bad()\nask(x)\nf(y="$a$", x=x)', tools, ask=never, total_timeout=PATIENCE)
    assert (statuses(done), done.timed_out) == (["failed", "skipped"], False)


def test_others_run_while_somebody_is_asked() -> None:
    ended = threading.Event()
    tools = {**TOOLS, "get": lambda: ended.set() or 1}
    done = run(OPEN, tools, ask=lambda _: 3 if ended.wait(PATIENCE) else 0)
    assert done.values == {"a": {"paid": 3}, "b": 1}
