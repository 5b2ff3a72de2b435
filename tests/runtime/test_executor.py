"""Running: what starts when, what becomes of failures, and who is asked."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refract_asp import Catalog, Memory, Refractor, Sequence, repair
from refract_asp.errors import InputError, PlanError
from refract_asp.model import Tool
from refract_asp.model.sources import Ask, Constant
from refract_asp.plan import parse_plan
from refract_asp.plan.context import Context
from refract_asp.runtime import Agreement, Event, Question, Run, bind, run, run_async

EXAMPLE = """\
var1 = domainA(slot1="foo")
var2 = domainB(slot2="bar")
var3 = domainC(slot3="$var1.field1$", slot4="$var2[0].field2$")
"""


def trace(done: Run) -> list[str]:
    words = {"started": "start", "finished": "end"}
    return [f"{words.get(event.kind, event.kind)} {event.tool}" for event in done.events]


def statuses(done: Run) -> list[str]:
    return [outcome.status for outcome in done.outcomes]


def test_the_first_example_of_the_seed() -> None:
    """P7: A takes 40 ms, B 20 ms; C begins when both are done."""

    async def domain_a(slot1: str) -> Any:
        await asyncio.sleep(0.04)
        return {"field1": 3}

    async def domain_b(slot2: str) -> Any:
        await asyncio.sleep(0.02)
        return [{"field2": slot2}]

    async def domain_c(slot3: int, slot4: str) -> Any:
        return f"{slot3} {slot4}"

    done = run(EXAMPLE, {"domainA": domain_a, "domainB": domain_b, "domainC": domain_c})
    assert trace(done) == [
        "start domainA", "start domainB", "end domainB", "end domainA", "start domainC", "end domainC",
    ]  # fmt: skip
    assert done.result == "3 bar"
    assert done.succeeded


def test_a_ready_call_does_not_wait_for_a_slow_sibling() -> None:
    """P8: what reads the fast one begins, and lets the slow one end."""
    free = asyncio.Event()

    async def slow() -> int:
        await free.wait()
        return 1

    async def fast() -> int:
        return 2

    async def after(x: int) -> int:
        free.set()
        return x

    done = run(
        'a = slow()\nb = fast()\nc = after(x="$b$")\nd = after(x="$a$")', [slow, fast, after], timeout=5
    )
    assert done.values == {"a": 1, "b": 2, "c": 2, "d": 1}
    assert trace(done).index("start after") < trace(done).index("end slow")


def test_a_failure_skips_what_reads_it_and_nothing_else() -> None:
    def bad() -> None:
        raise ValueError("no\x1b[31m luck")

    def good(**more: Any) -> str:
        return "ok"

    text = 'a = bad()\nb = good(x="$a$")\nc = good(x="$b.y$")\nd = good()\ne = good(x="$d$")'
    done = run(text, [bad, good])
    assert statuses(done) == ["failed", "skipped", "skipped", "succeeded", "succeeded"]
    assert done.outcomes[0].error is not None
    assert done.outcomes[0].error.kind == "tool_failed"
    assert done.outcomes[1].reason == "call 1 (bad), which it reads, failed."
    assert done.outcomes[2].reason == "call 2 (good), which it reads, was skipped."
    assert done.result == "ok"
    assert done.has_result
    assert not done.succeeded
    assert "\x1b" not in done.summary()


@pytest.mark.parametrize(
    "raised", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, StopIteration]
)
@pytest.mark.parametrize("is_async", [True, False])
def test_whatever_a_tool_raises_is_its_failure(raised: type[BaseException], is_async: bool) -> None:
    async def bad_async() -> None:
        raise raised("x")

    def bad_sync() -> None:
        raise raised("x")

    done = run("a = bad()\nb = good()", {"bad": bad_async if is_async else bad_sync, "good": lambda: 1})
    assert statuses(done) == ["failed", "succeeded"]


def cancel_own_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return task


@pytest.mark.parametrize("is_left", [True, False], ids=["and returns", "and waits"])
def test_a_tool_that_cancels_itself_has_failed(is_left: bool) -> None:
    async def give_up() -> int:
        cancel_own_task()
        if not is_left:
            await asyncio.sleep(0)
        return 1

    done = run("give_up()\nf()", {"give_up": give_up, "f": lambda: 2}, total_timeout=20)
    assert statuses(done) == ["failed", "succeeded"]
    assert not done.timed_out


def test_a_tool_that_cancels_everything_ends_the_run() -> None:
    async def panic() -> int:
        for task in asyncio.all_tasks():
            task.cancel()
        return 1

    with pytest.raises(asyncio.CancelledError):
        run("panic()\nf()", {"panic": panic, "f": lambda: 2}, total_timeout=20)


def test_a_long_chain_that_fails_at_its_start() -> None:
    calls = [{"name": "f", "arguments": {"x": f"$v{n}$"}, "label": f"v{n + 1}"} for n in range(1, 3000)]
    done = run([{"name": "bad", "arguments": {}, "label": "v1"}, *calls], {"f": lambda x: x})
    assert statuses(done) == ["failed"] + ["skipped"] * 2999


def test_what_reads_a_path_that_is_not_there_fails_alone() -> None:
    done = run('a = f()\ng(x="$a.id$")\ng(x="$a.name$")', {"f": lambda: {"name": 1}, "g": lambda x: x})
    assert statuses(done) == ["succeeded", "failed", "succeeded"]
    error = done.outcomes[1].error
    assert error is not None
    assert (error.kind, error.tool) == ("bad_argument", "g")
    assert "It has: name." in str(error)
    assert done.outcomes[1].attempts == 0


def test_an_unknown_tool_fails_alone() -> None:
    done = run("a = f()\nb = nope()", {"f": lambda: 1})
    assert statuses(done) == ["succeeded", "failed"]
    assert done.outcomes[1].error is not None
    assert done.outcomes[1].error.kind == "unknown_tool"


def flaky(times: int) -> Callable[[], str]:
    left = [times]

    def tool() -> str:
        if left[0]:
            left[0] -= 1
            raise OSError("again")
        return "at last"

    return tool


def test_retries_are_for_what_may_be_done_again() -> None:
    tools = {"again": bind(flaky(2), idempotent=True), "once": bind(flaky(1))}
    done = run("again()\nonce()", tools, retries=3, pause=0)
    assert statuses(done) == ["succeeded", "failed"]
    assert [outcome.attempts for outcome in done.outcomes] == [3, 1]
    assert [event.kind for event in done.events if event.tool == "again"] == [
        "started", "retried", "retried", "finished",
    ]  # fmt: skip


def test_retries_end() -> None:
    done = run("again()", {"again": bind(flaky(9), idempotent=True)}, retries=2, pause=0)
    assert (statuses(done), done.outcomes[0].attempts) == (["failed"], 3)


def test_attempts_that_fail_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "refract_asp.runtime"):
        run("again()", {"again": bind(flaky(2), idempotent=True)}, retries=2, pause=0)
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "INFO"]
    assert [record.refract_repeated for record in caplog.records] == [0, 1, 0]  # type: ignore[attr-defined]
    assert caplog.text.count("OSError: again") >= 2  # with the traceback


def test_the_whole_time_is_over_while_a_call_waits_to_be_made_again() -> None:
    again = bind(flaky(9), idempotent=True)
    tools = {"again": again, "f": str}
    done = run('a = again()\nf(x="$a$")', tools, retries=9, pause=5, total_timeout=0.05)
    assert statuses(done) == ["failed", "skipped"]
    assert (done.outcomes[0].attempts, done.timed_out) == (1, True)


def test_a_retry_gets_the_arguments_anew() -> None:
    seen = []

    def spoil(x: list[int]) -> int:
        seen.append(list(x))
        x.append(9)
        if len(seen) == 1:
            raise OSError
        return 1

    run(
        [{"name": "spoil", "arguments": {"x": [1]}}],
        {"spoil": bind(spoil, idempotent=True)},
        retries=1,
        pause=0,
    )
    assert seen == [[1], [1]]


def test_no_tool_can_change_what_others_read() -> None:
    """P14."""

    def spoil(x: list[int]) -> int:
        x.append(9)
        return len(x)

    done = run('a = f()\nb = spoil(x="$a$")\nc = spoil(x="$a$")', {"f": lambda: [1], "spoil": spoil})
    assert done.values == {"a": [1], "b": 2, "c": 2}


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_as_many_run_as_the_limit_allows_and_no_more(limit: int) -> None:
    """Each call waits until as many run as may; one too many would be counted."""
    running, most = 0, 0
    full = asyncio.Event()

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == min(limit, 6):
            full.set()
        await asyncio.wait_for(full.wait(), 5)
        await asyncio.sleep(0)
        running -= 1

    done = run("\n".join(["work()"] * 6), [work], limit=limit)
    assert done.succeeded
    assert most == min(limit, 6)


def test_a_call_has_its_time() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    done = run(
        'a = never()\nb = f(x="$a$")\nc = g()', {"never": never, "f": print, "g": lambda: 1}, timeout=0.02
    )
    assert statuses(done) == ["failed", "skipped", "succeeded"]
    assert done.outcomes[0].error is not None
    assert done.outcomes[0].error.kind == "timeout"
    assert not done.timed_out


def test_all_of_it_has_its_time() -> None:
    cancelled = []

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    done = run(
        'f()\na = never()\nb = f(x="$a$")\nc = never()',
        {"never": never, "f": lambda: 1},
        total_timeout=0.1,
        limit=1,
    )
    assert statuses(done) == ["succeeded", "failed", "skipped", "skipped"]
    assert done.timed_out
    assert cancelled == [True]
    assert done.outcomes[1].error is not None
    assert done.outcomes[1].error.kind == "timeout"
    assert "time of the run" in done.outcomes[3].reason
    assert [event.kind for event in done.events][-3:] == ["failed", "skipped", "skipped"]


def test_a_blocking_tool_does_not_hold_the_run() -> None:
    released = threading.Event()
    done = run("block()\ng()", {"block": lambda: released.wait(20), "g": lambda: 1}, timeout=0.05)
    released.set()
    assert statuses(done) == ["failed", "succeeded"]


def test_an_async_tool_that_will_not_be_cancelled_does_not_hold_it_either() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    async def leaves() -> int:
        asyncio.get_running_loop().create_task(stubborn())
        return 1

    done = run("stubborn()\nleaves()", [stubborn, leaves], timeout=0.02)
    assert statuses(done) == ["failed", "succeeded"]


def test_ctrl_c_stops_the_run_and_comes_out() -> None:
    seen: list[str] = []

    async def never() -> None:
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        run("never()\nnever()", [never])
    assert seen == ["cancelled", "cancelled"]


def test_cancelling_cancels_all_that_runs() -> None:
    async def all_of_it() -> list[str]:
        seen: list[str] = []
        both = asyncio.Barrier(3)

        async def never(name: str) -> None:
            try:
                await both.wait()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append(name)
                raise

        work = asyncio.create_task(run_async('never(name="a")\nnever(name="b")', [never]))
        await both.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await asyncio.sleep(0)
        return seen

    assert sorted(asyncio.run(all_of_it())) == ["a", "b"]


def test_run_inside_of_a_running_loop_says_what_to_do() -> None:
    async def inside() -> None:
        run("f()", {"f": lambda: 1})

    with pytest.raises(InputError, match="await run_async"):
        asyncio.run(inside())


def test_run_from_a_thread() -> None:
    found: list[Run] = []
    thread = threading.Thread(target=lambda: found.append(run("f()", {"f": lambda: 1})))
    thread.start()
    thread.join()
    assert found[0].result == 1


# -- asking --------------------------------------------------------------------

CATALOG = Catalog.load(
    {
        "tools": [
            {"name": "pay", "effect": "write", "parameters": {
                "amount": {"type": "number", "required": True, "description": "How much."}}},
            {"name": "get", "effect": "read"},
        ]
    }
)  # fmt: skip
OPEN = "ask(amount)\na = pay(amount=amount)\nb = get()"
TOOLS: dict[str, Any] = {"pay": lambda amount: {"paid": amount}, "get": lambda: 1}


def test_what_nobody_answers_stays_open() -> None:
    done = run(OPEN + '\npay(amount="$a.paid$")', TOOLS, catalog=CATALOG)
    assert statuses(done) == ["open", "succeeded", "skipped"]
    assert done.is_open
    assert done.outcomes[0].reason == "amount was not answered."


def test_answers_by_name() -> None:
    assert run(OPEN, TOOLS, catalog=CATALOG, ask={"amount": 3}).values == {"a": {"paid": 3}, "b": 1}


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
    assert (first.name, first.tool, first.parameter, first.description) == (
        "amount",
        "pay",
        "amount",
        "How much.",
    )
    assert first.schema["type"] == "number"
    assert (first.problem, second.problem) == ("", "it should be number")


@pytest.mark.parametrize("answer", [object(), float("nan"), "text", [1]])
def test_answers_that_do_not_fit_leave_it_open(answer: object) -> None:
    done = run(OPEN, TOOLS, catalog=CATALOG, ask=lambda _: answer)
    assert statuses(done) == ["open", "succeeded"]
    assert statuses(run(OPEN, TOOLS, catalog=CATALOG, ask={"amount": answer})) == ["open", "succeeded"]


def test_a_result_waits_for_its_answers() -> None:
    sequence = Sequence(
        calls=Sequence.load("get()").calls,
        asks=("who",),
        returns={"by": Ask(name="who"), "x": Constant(value=1)},
    )

    async def ask(question: Question) -> str:
        await asyncio.sleep(0.01)
        return "ann"

    assert run(sequence, TOOLS, ask=ask).result == {"by": "ann", "x": 1}
    done = run(sequence, TOOLS)
    assert (done.has_result, done.is_open, done.unanswered) == (False, True, "who was not answered.")
    late = run(sequence, TOOLS, ask=lambda _: time.sleep(0.2) or "ann", total_timeout=0.05)
    assert (late.timed_out, late.has_result) == (True, False)


def test_who_fails_to_answer_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def ask(question: Question) -> None:
        raise SystemExit("gone")

    with caplog.at_level(logging.WARNING, "refract_asp.runtime"):
        assert statuses(run(OPEN, TOOLS, ask=ask)) == ["open", "succeeded"]
    assert "gone" in caplog.text


CONFIRM = "confirm(amount=3)\npay(amount=3)\nget()"


@pytest.mark.parametrize(
    ("confirm", "status"),
    [
        (None, "open"),
        (False, "open"),
        (True, "succeeded"),
        (lambda _: True, "succeeded"),
        (lambda _: 1, "open"),
    ],
)
def test_confirms(confirm: Any, status: str) -> None:
    assert statuses(run(CONFIRM, TOOLS, confirm=confirm)) == [status, "succeeded"]


def test_who_agrees_sees_the_arguments_and_cannot_change_them() -> None:
    seen: list[str] = []

    def confirm(agreement: Agreement) -> bool:
        seen.append(str(agreement))
        agreement.arguments["x"].append(5)
        return True

    done = run('a = f()\nconfirm(x="$a$")\ng(x="$a$")', {"f": lambda: [1], "g": lambda x: x}, confirm=confirm)
    assert seen == ["confirm(x=[1])"]
    assert done.result == [1]


def test_one_question_at_a_time() -> None:
    busy = threading.Lock()

    def answer(asked: object) -> Any:
        assert busy.acquire(blocking=False)
        time.sleep(0.01)
        busy.release()
        return True

    text = "ask(a)\nask(b)\nf(x=a)\nf(x=b)\nconfirm(f)\nf(x=1)\nconfirm(f)\nf(x=2)"
    done = run(text, {"f": lambda x: x}, ask=answer, confirm=answer)
    assert done.succeeded


def test_others_run_while_somebody_is_asked() -> None:
    ended = threading.Event()

    def ask(question: Question) -> int:
        return 3 if ended.wait(5) else 0

    def get() -> int:
        ended.set()
        return 1

    assert run(OPEN, {**TOOLS, "get": get}, ask=ask).values == {"a": {"paid": 3}, "b": 1}


# -- what is run ---------------------------------------------------------------


def test_arguments_are_checked_before_the_call() -> None:
    """By the catalog; those of a tool that it does not have by the function, as everywhere."""
    text = 'pay(amount="x")\nother(y=1)\nother(x=1)'
    done = run(text, {**TOOLS, "other": lambda x: x}, catalog=CATALOG)
    assert statuses(done) == ["failed", "failed", "succeeded"]
    kinds = [outcome.error.kind for outcome in done.outcomes if outcome.error is not None]
    assert kinds == ["bad_argument", "bad_argument"]
    assert str(done.outcomes[0].error) == 'amount should be number, not "x".'


def test_what_changes_something_does_not_overtake() -> None:
    order: list[int] = []

    async def pay(amount: int) -> None:
        await asyncio.sleep(0.01 if amount == 1 else 0)
        order.append(amount)

    text = "pay(amount=1)\npay(amount=2)\npay(amount=3)"
    run(text, [pay], catalog=CATALOG)
    assert order == [1, 2, 3]
    order.clear()
    run(text, [pay], catalog=CATALOG, order="data")
    assert order == [2, 3, 1]


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

    catalog = Catalog(
        tools=(*CATALOG.tools, *Catalog.load({"tools": [{"name": "bad", "effect": "read"}]}).tools)
    )
    done = run('pay(amount=1)\na = bad()\npay(amount="$a$")\npay(amount=4)', [pay, bad], catalog=catalog)
    assert statuses(done) == ["succeeded", "failed", "skipped", "succeeded"]
    assert order == [1, 4]


def test_a_repair_runs_what_can_run() -> None:
    result = repair("a = pay(amunt=3)\nQqqqqq(zzz=1)\npay()", CATALOG)
    done = run(result, TOOLS, catalog=CATALOG)
    assert statuses(done) == ["succeeded", "failed", "open"]
    assert done.values == {"a": {"paid": 3}}
    with pytest.raises(InputError, match="its verdict is unrepairable"):
        run(result, TOOLS, only_executable=True)


def test_memory_grows() -> None:
    done = run('a = pay(amount="$sum$")', TOOLS, memory={"sum": 2, "a": "old"})
    assert done.memory == Memory(values={"sum": 2, "a": {"paid": 2}})


def test_a_label_that_failed_keeps_what_memory_has() -> None:
    assert run("a = nope()", TOOLS, memory={"a": 1}).memory.values == {"a": 1}


def test_nothing_to_run() -> None:
    done = run(Sequence(), {})
    assert (done.outcomes, done.result, done.succeeded) == ((), None, True)


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0}, {"limit": "3"}, {"timeout": -1}, {"retries": 1.5}, {"ask": 3}, {"confirm": "yes"},
        {"on_event": 3}, {"order": "none"}, {"total_timeout": "x"}, {"memory": [1]}, {"catalog": 3},
        {"timeout": 0}, {"total_timeout": 0.0},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        run("f()", {"f": lambda: 1}, **options)


def test_data_holds_everything_as_json() -> None:
    done = run("a = f()\nb = nope()", {"f": lambda: {"password": "k3y"}})
    data = json.loads(json.dumps(done.model_dump()))
    assert data["schema_version"] == 1
    assert data["values"] == {"a": {"password": "k3y"}}
    assert [outcome["status"] for outcome in data["outcomes"]] == ["succeeded", "failed"]
    assert data["outcomes"][1]["error"]["kind"] == "unknown_tool"


def test_secrets_of_the_output_schema_are_not_printed() -> None:
    hidden = {"type": "object", "properties": {"word": {"type": "string", "format": "password"}}}
    catalog = Catalog(tools=(Tool(name="f", output_schema=hidden),))
    done = run("f()", {"f": lambda: {"word": "k3y", "other": 1}}, catalog=catalog)
    assert "k3y" not in done.summary()
    assert '"other": 1' in done.summary()


def test_secrets_are_not_printed() -> None:
    assert "k3y" not in run("f()", {"f": lambda: {"password": "k3y"}}).summary()


def refuse(word: str, password: str = "") -> None:
    raise ValueError(f"neither {word} nor {password} is right")


def is_word(name: str, schema: Any) -> bool:
    return name == "word"


def test_secrets_that_a_tool_puts_into_what_it_raises_are_not_printed() -> None:
    done = run('f(word="hunter1", password="hunter2")', {"f": refuse})
    assert "neither hunter1 nor (secret) is right" in done.summary()
    assert "hunter2" in str(done.outcomes[0].error)  # which is data


@pytest.mark.parametrize("is_repair", [True, False])
def test_a_rule_says_what_is_secret(is_repair: bool, caplog: pytest.LogCaptureFixture) -> None:
    catalog = Catalog.load({"tools": [{"name": "f", "parameters": {"word": {"type": "string"}}}]})
    what = 'f(word="hunter1")'
    with caplog.at_level(logging.INFO, "refract_asp.runtime"):
        if is_repair:
            done = run(Refractor(catalog, secrets=is_word).repair(what), {"f": refuse}, catalog=catalog)
        else:
            done = run(what, {"f": refuse}, catalog=catalog, secrets=is_word)
    assert done.outcomes[0].status == "failed"
    assert "hunter1" not in done.summary() + caplog.text
    assert caplog.records[0].refract_arguments == '{"word": "(secret)"}'  # type: ignore[attr-defined]


def test_a_summary_shows_the_beginning_of_a_huge_result() -> None:
    done = run("f()", {"f": lambda: "x" * 1_000_000})
    assert len(done.summary()) < 21_000
    assert "... (the first 20000 of 1000002 characters)" in done.summary()
    assert len(done.result) == 1_000_000


# -- events --------------------------------------------------------------------


@pytest.mark.parametrize("is_async", [True, False])
def test_events_are_told_in_order(is_async: bool) -> None:
    heard: list[Event] = []

    async def listen(event: Event) -> None:
        await asyncio.sleep(0)
        heard.append(event)

    done = run("a = f()\nb = nope()", {"f": lambda: 1}, on_event=listen if is_async else heard.append)
    assert tuple(heard) == done.events
    assert [event.kind for event in heard if event.label == "a"] == ["started", "finished"]
    assert [event.kind for event in heard if event.label == "b"] == ["failed"]
    assert [event.seconds for event in heard] == sorted(event.seconds for event in heard)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("raised", [ValueError, asyncio.CancelledError])
def test_a_listener_that_fails_is_logged(
    raised: type[BaseException], is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(event: Event) -> None:
        raise raised("deaf")

    async def fail_later(event: Event) -> None:
        raise raised("deaf")

    with caplog.at_level(logging.WARNING, "refract_asp.runtime"):
        assert run("f()", {"f": lambda: 1}, on_event=fail_later if is_async else fail).succeeded
    assert "deaf" in caplog.text


# -- any data flow -------------------------------------------------------------


@st.composite
def flows(draw: st.DrawFn) -> list[tuple[int, ...]]:
    size = draw(st.integers(1, 12))
    return [
        tuple(sorted(draw(st.sets(st.integers(0, number - 1), max_size=3)))) if number else ()
        for number in range(size)
    ]


@settings(deadline=None, max_examples=60)
@given(flows(), st.sets(st.integers(0, 11), max_size=2))
def test_every_call_runs_once_and_as_soon_as_it_can(flow: list[tuple[int, ...]], failing: set[int]) -> None:
    """
    Every call waits until all runs that could: if one was held back, nothing would go on.

    The calls are let go one by one; after each, exactly those run whose inputs are there.
    """
    begun: list[int] = []
    over: dict[int, bool] = {}
    gates: dict[int, asyncio.Event] = {}

    async def work(number: int, reads: list[int]) -> int:
        begun.append(number)
        assert all(over[each] for each in reads)
        gates[number] = asyncio.Event()
        await gates[number].wait()
        if number in failing:
            raise ValueError
        return number

    def could() -> set[int]:
        return {number for number, needs in enumerate(flow) if all(over.get(each, False) for each in needs)}

    async def drive() -> Run:
        calls = [
            {"name": "work", "label": f"v{number}",
             "arguments": {"number": number, "reads": [f"$v{each}$" for each in needs]}}
            for number, needs in enumerate(flow)
        ]  # fmt: skip
        running = asyncio.create_task(run_async(calls, [work], limit=100))
        while True:
            for _ in range(30):
                await asyncio.sleep(0)
            assert set(begun) == could()
            waiting = [number for number in begun if number not in over]
            if not waiting:
                return await running
            number = waiting[-1]
            over[number] = number not in failing
            gates[number].set()

    done = asyncio.run(drive())
    assert sorted(begun) == sorted(set(begun))
    assert {outcome.number for outcome in done.outcomes if outcome.status == "succeeded"} == set(
        begun
    ) - failing
    assert [outcome.number for outcome in done.outcomes] == list(range(len(flow)))
    last = [event for event in done.events if event.kind in ("finished", "failed", "skipped", "open")]
    assert sorted(event.number for event in last) == list(range(len(flow)))


# -- replies -------------------------------------------------------------------


def openai(*calls: tuple[str, str]) -> dict[str, Any]:
    listed = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}}
        for number, (name, text) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}


def test_every_call_id_gets_its_own_reply_in_order(caplog: pytest.LogCaptureFixture) -> None:
    """U14; the id of an error stands in the log."""

    def bad() -> None:
        raise ValueError("secret plans")

    message = openai(("get", "{}"), ("bad", "{}"), ("pay", '{"amount": '), ("nope", "{}"), ("get", "{}"))
    done = run(Sequence.load(message), {**TOOLS, "bad": bad})
    assert [reply.tool_call_id for reply in done.replies] == ["c0", "c1", "c2", "c3", "c4"]
    assert [reply.is_error for reply in done.replies] == [False, True, True, True, False]
    assert [done.replies[0].content, done.replies[4].content] == ["1", "1"]
    failure = done.replies[1].failure
    assert failure is not None
    assert done.replies[1].content == f"Error {failure.id}: bad tool_call failed"
    assert failure.id in caplog.text
    assert "secret plans" in caplog.text


def test_replies_of_a_repair_answer_the_given_calls() -> None:
    catalog = {
        "tools": [
            {"name": "Find", "effect": "read", "parameters": {"city": {"type": "string", "required": True}}}
        ]
    }
    message = openai(
        ("Find", '{"city": ["Oslo", "Rome"]}'), ("Qqqqqqq", '{"zzz": 1}'), ("Fnd", '{"city": "Bern"}')
    )
    result = repair(Sequence.load(message), catalog)
    done = run(result, {"Find": lambda city: city.upper()}, catalog=catalog, confirm=True)
    assert [(reply.tool_call_id, reply.is_error) for reply in done.replies] == [
        ("c0", False), ("c1", True), ("c2", False),
    ]  # fmt: skip
    assert [done.replies[0].content, done.replies[2].content] == ['["OSLO", "ROME"]', "BERN"]


def test_calls_that_were_not_made_have_a_reply_too() -> None:
    done = run(OPEN + '\npay(amount="$a.paid$")', TOOLS, catalog=CATALOG)
    assert [reply.content for reply in done.replies] == [
        "pay was not called: amount was not answered.",
        "1",
        "pay was not called: call 1 (pay), which it reads, is open.",
    ]


def test_replies_are_bounded_and_the_mapper_is_replaceable() -> None:
    def bad() -> None:
        raise ValueError("x" * 5000)

    done = run(
        "bad()\nlong()", {"bad": bad, "long": lambda: "y" * 5000}, mapper=lambda e, _: e.kind, max_reply=100
    )
    assert done.replies[0].content == "tool_failed"
    assert len(done.replies[1].content) <= 100
    assert "[cut:" in done.replies[1].content


# -- plans ---------------------------------------------------------------------

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


def test_ids_that_are_made_up_are_those_of_no_other_call() -> None:
    calls = openai(("f", "{}"), ("f", "{}"), ("f", "{}"))["tool_calls"]
    for call, id in zip(calls, ("", "call_1", None), strict=True):
        call["id"] = id
    catalog = {"tools": [{"name": "f"}]}
    for what in (calls, repair(calls, catalog)):
        ids = [reply.tool_call_id for reply in run(what, {"f": lambda: 1}).replies]
        assert ids == ["call_1_", "call_1", "call_3"]


def test_a_field_that_the_result_of_a_plan_lacks_is_told_with_what_there_is() -> None:
    for near, said in (("nme", "Did you mean name?"), ("q", "It has: name, id.")):
        done = run(f"return find({{}}).{near};", {"find": lambda: {"name": 1, "id": 2}})
        assert done.outcomes[0].status == "succeeded"
        assert str(done.error) == (
            f"line 1, column 8: the result cannot be read: the object has no field '{near}'. {said}"
        )
