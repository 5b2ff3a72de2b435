"""The hook between a model and its tools: pass, repair, retry or refuse; each id gets its own answer."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import InputError
from refract_asp.integrations import CallDecision, Decision, Hook, Policy, answers

TEXT = {"type": "string", "required": True}
BANK = Catalog.load(
    {
        "tools": [
            {
                "name": "find_account",
                "effect": "read",
                "parameters": {"owner": TEXT},
                "returns": {"iban": {"type": "string"}, "balance": {"type": "number"}},
            },
            {
                "name": "pay",
                "effect": "write",
                "parameters": {"iban": TEXT, "amount": {"type": "number", "required": True}},
            },
            {"name": "close_account", "effect": "destructive", "parameters": {"iban": TEXT}},
        ]
    }
)
REFRACTOR = Refractor(BANK)

RIGHT = 'find_account(owner="Ada")'
FIXABLE = 'find_account(ownr="Ada")'
ASKING = "find_account()"
RISKY = 'pay(iban="DE1", amount=3, note="rent")'
DESTRUCTIVE = 'close_account(iban=["DE1"])'
HOPELESS = 'teleport(where="Mars")'


def hook(**policy: Any) -> Hook:
    return Hook(REFRACTOR, policy=Policy(**policy))


def openai(*calls: tuple[str, dict[str, Any] | str]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"id{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given),
                },
            }
            for number, (name, given) in enumerate(calls)
        ],
    }


def outcomes(decision: Decision) -> list[tuple[str, str]]:
    return [(call.outcome, call.reason) for call in decision.calls]


# -- the four outcomes -----------------------------------------------------------


def test_pass_gives_the_same_object_back() -> None:
    message = openai(("find_account", {"owner": "Ada"}))
    decision = hook()(message)
    assert decision.outcome == "pass"
    assert decision.data is message
    assert decision.sequence == decision.ready == Sequence.load(message)
    assert REFRACTOR.check(decision.ready).verdict == "valid"
    assert decision.feedback == decision.reason == decision.id == ""


def test_repair_comes_in_the_format_that_came_in() -> None:
    message = openai(("find_account", {"ownr": "Ada"}))
    decision = hook()(message)
    assert decision.outcome == "repair"
    assert decision.data == openai(("find_account", {"owner": "Ada"}))
    assert decision.calls == (
        CallDecision(0, "id0", "find_account", "repair", "repaired", "", (0,)),
    )


def test_a_repair_stands_with_the_values_of_memory() -> None:
    message = openai(("pay", {"iban": "$acount.iban$", "amount": 3}))
    decision = hook()(message, memory={"account": {"iban": "DE1"}})
    assert decision.outcome == "repair"
    assert decision.data == openai(("pay", {"iban": "DE1", "amount": 3}))
    assert str(decision.sequence) == 'pay(iban="$account.iban$", amount=3)'


def test_retry_tells_the_model_what_is_wrong() -> None:
    decision = hook()(openai(("find_account", {})), words="Whose account?")
    assert decision.outcome == "retry"
    assert decision.sequence is None
    assert decision.data is None
    assert "owner" in decision.feedback
    assert "Whose account?" in decision.feedback
    assert "owner" in decision.calls[0].feedback


def test_refuse_after_retries_in_a_row() -> None:
    decide = Hook(REFRACTOR, max_retries=2)
    said = [decide(HOPELESS, conversation="a") for _ in range(4)]
    assert [each.outcome for each in said] == ["retry", "retry", "refuse", "refuse"]
    assert said[2].reason == "retries"
    assert outcomes(said[2]) == [("refuse", "retries")]
    assert decide(HOPELESS, conversation="b").outcome == "retry"
    assert decide(RIGHT, conversation="a").outcome == "pass"
    assert decide(HOPELESS, conversation="a").outcome == "retry"


def test_what_is_counted_is_bounded_and_can_be_forgotten() -> None:
    decide = Hook(REFRACTOR, max_retries=1, max_conversations=2)
    for name in "abc":
        assert decide(ASKING, conversation=name).outcome == "retry"
    assert decide(ASKING, conversation="c").outcome == "refuse"
    assert (
        decide(ASKING, conversation="a").outcome == "retry"
    )  # forgotten, as it was the oldest of three
    decide.forget("c")
    assert decide(ASKING, conversation="c").outcome == "retry"


# -- policy ----------------------------------------------------------------------


STRICTNESS = ["pass", "repair", "retry", "refuse"]
OUTCOMES = {
    "on_repair": STRICTNESS[1:],
    "on_ask": STRICTNESS[2:],
    "on_confirm": STRICTNESS[1:],
    "on_destructive": STRICTNESS[1:],
    "on_unrepairable": STRICTNESS[2:],
}


@pytest.mark.slow
@pytest.mark.parametrize("chosen", list(itertools.product(*OUTCOMES.values())), ids="-".join)
def test_every_policy(chosen: tuple[str, ...]) -> None:
    policy = dict(zip(OUTCOMES, chosen, strict=True))
    decide = hook(**policy)
    assert decide(RIGHT).outcome == "pass"
    assert decide(FIXABLE).outcome == policy["on_repair"]
    # as a repair of the other calls may stand beside it, what cannot be mended is as strict at least
    for calls, name in (
        (ASKING, "on_ask"),
        (RISKY, "on_confirm"),
        (DESTRUCTIVE, "on_destructive"),
        (HOPELESS, "on_unrepairable"),
    ):
        strictest = max(policy["on_repair"], policy[name], key=STRICTNESS.index)
        assert decide(calls).outcome == strictest


def test_denied_tools_are_refused_however_they_are_written() -> None:
    decide = hook(deny=["close_account"])
    assert decide('close_account(iban="DE1")').reason == "denied"
    decision = decide('close_acount(iban="DE1")')
    assert (decision.outcome, decision.reason) == ("refuse", "denied")
    assert "close_account may not be called" in decision.feedback
    assert hook(deny=["teleport"])(HOPELESS).reason == "denied"


def test_an_added_call_may_be_denied_too() -> None:
    calls = 'pay(iban="$a.iban$", amount=3)'
    assert hook()(calls, memory={"owner": "Ada"}).outcome == "repair"
    decision = hook(deny=["find_account"])(calls, memory={"owner": "Ada"})
    assert decision.outcome == "refuse"
    assert outcomes(decision) == [("refuse", "reads_from")]
    assert decision.ready.calls == ()


def test_a_function_may_be_stricter_and_never_laxer() -> None:
    def judge(call: CallDecision, result: Any) -> Any:
        return "refuse" if call.tool == "pay" else "pass"

    decide = hook(judge=judge)
    assert decide('pay(iban="DE1", amount=3)').outcome == "refuse"
    assert decide(FIXABLE).outcome == "repair"
    assert decide(ASKING).outcome == "retry"
    assert hook(judge=lambda call, result: None)(RIGHT).outcome == "pass"


@pytest.mark.parametrize(
    "policy",
    [
        {"on_ask": "repair"},
        {"on_repair": "pass"},
        {"on_unrepairable": "repair"},
        {"deny": "pay"},
        {"judge": 3},
    ],
)
def test_policies_that_cannot_be(policy: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Policy(**policy)


@pytest.mark.parametrize(
    "options",
    [
        {"max_retries": -1},
        {"prompt": "shout"},
        {"policy": "strict"},
        {"alternatives": 1},
        {"time_limit": "x"},
        {"memory": 3},
    ],
)
def test_options_that_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Hook(REFRACTOR, **options)


# -- each call its own answer ------------------------------------------------------


def test_calls_that_are_fine_may_run_while_one_is_sent_back() -> None:
    message = openai(
        ("find_account", {"owner": "Ada"}), ("find_account", {}), ("find_account", {"ownr": "Bob"})
    )
    decision = hook()(message)
    assert decision.outcome == "retry"
    assert [call.id for call in decision.calls] == ["id0", "id1", "id2"]
    assert [call.outcome for call in decision.calls] == ["pass", "retry", "repair"]
    assert [bool(call.feedback) for call in decision.calls] == [False, True, False]
    ready = decision.ready.dump()
    assert [(each["id"], each["function"]["arguments"]) for each in ready] == [
        ("id0", '{"owner": "Ada"}'),
        ("id2", '{"owner": "Bob"}'),
    ]


def test_what_reads_from_a_call_that_is_held_back_is_held_back() -> None:
    calls = 'a = find_account()\nb = find_account(owner="Bob")\npay(iban="$a.iban$", amount=3)'
    decision = hook()(calls)
    assert outcomes(decision) == [("retry", "asks"), ("pass", ""), ("retry", "reads_from")]
    assert "reads from find_account" in decision.calls[2].feedback
    assert str(decision.ready) == 'b = find_account(owner="Bob")'


def test_writes_keep_their_order() -> None:
    calls = 'pay(iban="DE1")\npay(iban="DE2", amount=1)\nfind_account(owner="Ada")'
    decision = hook()(calls)
    assert [call.outcome for call in decision.calls] == ["retry", "retry", "pass"]
    assert decision.calls[1].reason == "stands_after"


def test_arguments_that_cannot_be_read_are_for_their_call_alone() -> None:
    message = openai(("find_account", '{"owner": "A'), ("find_account", {"owner": "Bob"}))
    decision = hook()(message)
    assert outcomes(decision) == [("retry", "unrepairable"), ("pass", "")]
    assert "cut off" in decision.calls[0].feedback
    assert [call.id for call in decision.ready.calls] == ["id1"]


def test_what_the_sequence_gives_back_is_judged_too() -> None:
    data = {"output": [
        {"name": "find_account", "label": "$var1", "arguments": {"owner": "Ada"}},
        {"name": "var_result", "arguments": {"iban": "$var1.ibn$"}},
    ]}  # fmt: skip
    given = Sequence.load(data)
    assert hook()(given).outcome == "repair"
    assert hook(on_repair="refuse")(given).outcome == "refuse"


# -- closed when it fails ----------------------------------------------------------


def test_an_error_inside_is_refused_with_an_id_that_the_log_has(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> Any:
        raise RuntimeError("the database is gone: password=hunter2")

    decide = Hook(REFRACTOR, memory=broken)
    with caplog.at_level(logging.ERROR):
        decision = decide(openai(("find_account", {"owner": "Ada"})))
    assert (decision.outcome, decision.reason) == ("refuse", "internal")
    assert decision.sequence is None
    assert decision.ready.calls == ()
    assert decision.id
    assert decision.id in decision.feedback
    assert "hunter2" not in decision.feedback
    assert [call.outcome for call in decision.calls] == ["refuse"]
    assert [getattr(record, "refusal", None) for record in caplog.records] == [decision.id]


@pytest.mark.parametrize(
    "inputs",
    [
        {"memory": 3},
        {"memory": {"a": object()}},
        {"history": 3},
        {"conversation": []},
        {"words": 3},
    ],
)
def test_inputs_that_cannot_be_are_refused(inputs: dict[str, Any]) -> None:
    assert hook()(ASKING, **inputs).outcome == "refuse"


@pytest.mark.parametrize("answer", ["run", 3, True])
def test_a_policy_that_answers_nonsense_refuses(answer: Any) -> None:
    assert hook(judge=lambda call, result: answer)(RIGHT).outcome == "refuse"


class Panic(BaseException):
    """As libraries written in Rust raise it."""


@pytest.mark.parametrize(
    "error", [Panic, SystemExit, GeneratorExit, asyncio.CancelledError, RecursionError]
)
def test_whatever_memory_raises_is_refused(error: type[BaseException]) -> None:
    def broken() -> Any:
        raise error

    decision = Hook(REFRACTOR, memory=broken)(openai(("find_account", {"owner": "Ada"})))
    assert (decision.outcome, decision.reason, len(decision.calls)) == ("refuse", "internal", 1)


def test_calls_that_raise_when_they_are_read_are_refused() -> None:
    class Evil(dict[str, Any]):
        def get(self, *args: Any) -> Any:
            raise Panic

        __getitem__ = get

    assert hook()([Evil(id="a", type="function", function={})]).outcome == "refuse"


def test_ctrl_c_goes_through() -> None:
    def stop() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Hook(REFRACTOR, memory=stop)(RIGHT)


@pytest.mark.parametrize("calls", [None, 3, "I would rather not.", {"role": "assistant"}])
def test_what_holds_no_calls(calls: Any) -> None:
    assert hook()(calls).outcome == "retry"
    decision = hook(on_unreadable="refuse")(calls)
    assert (decision.outcome, decision.reason) == ("refuse", "unreadable")


def test_too_many_calls_are_refused() -> None:
    decision = hook()(openai(*[("find_account", {"owner": "Ada"})] * 2001))
    assert (decision.outcome, decision.reason) == ("refuse", "bounds")
    assert len(decision.calls) == 2001
    assert decision.sequence is None


def test_too_deep_values_are_refused() -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    decision = hook()([{"name": "find_account", "arguments": {"owner": deep}}])
    assert decision.outcome in ("refuse", "retry")
    assert decision.sequence is None


def test_no_time_is_a_refusal() -> None:
    decide = Hook(REFRACTOR, time_limit=0)
    assert decide(RIGHT).outcome == "pass"
    decision = decide(FIXABLE)
    assert (decision.outcome, decision.reason) == ("refuse", "time")
    assert [call.outcome for call in decision.calls] == ["refuse"]


def test_feedback_is_bounded() -> None:
    calls = "\n".join(f'pay(iban="{"x" * 500}", amout{number}="many")' for number in range(40))
    decision = Hook(REFRACTOR, max_tokens=300)(calls)
    assert decision.outcome == "retry"
    assert 0 < len(decision.feedback) <= 4 * 300
    assert all(0 < len(call.feedback) <= 1_010 for call in decision.calls)


def test_feedback_of_calls_that_say_terminal_codes() -> None:
    decision = hook()('find_account(owner="\x1b[31m")\ntele\u202eport()')
    told = decision.feedback + "".join(call.feedback for call in decision.calls)
    assert "\x1b" not in told
    assert "\u202e" not in told


def test_secrets_stay_out_of_feedback() -> None:
    catalog = {
        "tools": [
            {"name": "login", "effect": "read", "parameters": {"user": TEXT, "password": TEXT}}
        ]
    }
    decision = Hook(catalog)('login(password="hunter2")')
    assert decision.outcome == "retry"
    assert "hunter2" not in decision.feedback + decision.calls[0].feedback


# -- use ---------------------------------------------------------------------------


def test_async_and_threads() -> None:
    decide = hook()

    async def main() -> list[str]:
        said = await asyncio.gather(
            *(decide.decide_async(each) for each in (RIGHT, FIXABLE, ASKING))
        )
        return [each.outcome for each in said]

    assert asyncio.run(main()) == ["pass", "repair", "retry"]
    counting = Hook(REFRACTOR, max_retries=5)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: counting(ASKING, conversation=1).outcome, range(16)))
    assert sorted(said) == ["refuse"] * 11 + ["retry"] * 5


def test_a_copy_that_is_left_out_is_answered_too() -> None:
    calls = 'a = find_account(owner="Ada")\na = find_account(owner="Ada")'
    decision = hook()(calls)
    assert decision.outcome == "repair"
    left = [call for call in decision.calls if not call.positions]
    assert len(left) == 1
    assert left[0].feedback.startswith("Left out: ")


def test_memory_of_the_hook_and_of_the_conversation() -> None:
    decide = Hook(REFRACTOR, memory=lambda: {"owner": "Ada"})
    decision = decide('pay(iban="$b.iban$", amount=1)', memory={"b": {"iban": "DE1"}})
    assert decision.outcome == "pass"
    assert str(decision.ready) == 'pay(iban="DE1", amount=1)'


@pytest.mark.slow
def test_all_that_runs_is_valid() -> None:
    """Whatever is decided, `ready` is admissible."""
    lines = [RIGHT, FIXABLE, ASKING, RISKY, DESTRUCTIVE, HOPELESS]
    for policy in (
        {},
        {"on_confirm": "repair", "on_destructive": "repair"},
        {"on_repair": "retry"},
    ):
        decide = hook(**policy)
        for size in (1, 2, 3):
            for several in itertools.permutations(lines, size):
                decision = decide("\n".join(several))
                assert REFRACTOR.check(decision.ready).verdict == "valid", several
                assert (decision.sequence is None) == (decision.outcome in ("retry", "refuse"))


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "hi", "tool_calls": None},
        {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
    ],
)
def test_a_message_without_calls_passes(message: dict[str, Any]) -> None:
    decision = Hook({"tools": [{"name": "f"}]})(message)
    assert (decision.outcome, decision.data, decision.calls) == ("pass", message, ())
    assert answers(decision) == ()
