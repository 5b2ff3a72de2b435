"""The hook between a model and its tools: pass, repair, retry or refuse; each id gets its own answer."""

import asyncio
import itertools
import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from declaring import called, message, nested
from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import InputError
from refract_asp.integrations import CallDecision, Decision, Hook, Policy, ToolCall, answers
from refract_asp.runtime import run
from yaml_files import tables

TABLES = tables(__file__)

BANK = Catalog.load(Path(__file__).parent / "bank.yaml")
REFRACTOR = Refractor(BANK)

RIGHT = 'find_account(owner="Ada")'
FIXABLE = 'find_account(ownr="Ada")'
ASKING = "find_account()"
RISKY = 'pay(iban="DE1", amount=3, note="rent")'
DESTRUCTIVE = 'close_account(iban=["DE1"])'
HOPELESS = 'teleport(where="Mars")'


def hook(**policy: Any) -> Hook:
    return Hook(REFRACTOR, policy=Policy(**policy))


def openai(*calls: tuple[str, dict[str, Any] | str]) -> Any:
    texts = [given if isinstance(given, str) else json.dumps(given) for _, given in calls]
    named = enumerate(zip(calls, texts, strict=True))
    return message(*(called(name, text, f"id{n}") for n, ((name, _), text) in named))


ADA = openai(("find_account", {"owner": "Ada"}))


def outcomes(decision: Decision) -> list[tuple[str, str]]:
    return [(call.outcome, call.reason) for call in decision.calls]


# -- the four outcomes -----------------------------------------------------------


def test_pass_gives_the_same_object_back() -> None:
    decision = hook()(ADA)
    assert (decision.outcome, decision.data is ADA) == ("pass", True)
    assert decision.sequence == decision.ready == Sequence.load(ADA)
    assert decision.feedback == decision.reason == decision.id == ""


def test_repair_comes_in_the_format_that_came_in() -> None:
    decision = hook()(openai(("find_account", {"ownr": "Ada"})))
    assert (decision.outcome, decision.data) == ("repair", ADA)
    runs = (ToolCall("id0", "find_account", {"owner": "Ada"}),)
    made = CallDecision(0, "id0", "find_account", "repair", "repaired", "", (0,), runs)
    assert decision.calls == (made,)


def test_a_repair_stands_with_the_values_of_memory() -> None:
    given = openai(("pay", {"iban": "$acount.iban$", "amount": 3}))
    decision = hook()(given, memory={"account": {"iban": "DE1"}})
    assert decision.data == openai(("pay", {"iban": "DE1", "amount": 3}))
    assert str(decision.sequence) == 'pay(iban="$account.iban$", amount=3)'
    decide = Hook(REFRACTOR, memory=lambda: {"owner": "Ada"})
    decision = decide('pay(iban="$b.iban$", amount=1)', memory={"b": {"iban": "DE1"}})
    assert (decision.outcome, str(decision.ready)) == ("pass", 'pay(iban="DE1", amount=1)')


def test_retry_tells_the_model_what_is_wrong() -> None:
    decision = hook()(openai(("find_account", {})), words="Whose account?")
    assert (decision.outcome, decision.sequence, decision.data) == ("retry", None, None)
    assert "owner" in decision.feedback
    assert "Whose account?" in decision.feedback
    said = "Not run: find_account requires owner. Add owner (string, required)."
    assert decision.calls[0].feedback == said


def test_it_answers_as_validators_of_requirements_do() -> None:
    guard = hook()
    assert guard.validate(ADA) == (True, "", None)
    assert guard.validate(ADA)
    wrong = openai(("find_acount", {"owner": "Ada"}))
    passed, reason, corrected = guard.validate(wrong)
    assert (passed, reason, corrected) == (False, "the catalog has no tool find_acount.", ADA)
    unread = ("Hello!", "cannot be read")
    for calls, told in ((ASKING, "owner"), (RISKY, "pay"), (HOPELESS, "teleport"), unread):
        found = guard.validate(calls)
        assert (found.passed, found.corrected) == (False, None)
        assert told in found.reason
    assert guard.validate('pay(iban="$iban$", amount=3)', memory={"iban": "DE1"})
    with pytest.raises(TypeError):
        guard.validate(object())


def test_refuse_after_retries_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refract_asp.integrations.hook.MAX_CONVERSATIONS", 2)
    decide = Hook(REFRACTOR, max_retries=2)
    said = [decide(HOPELESS, conversation="a") for _ in range(4)]
    assert [each.outcome for each in said] == ["retry", "retry", "refuse", "refuse"]
    assert (said[2].reason, outcomes(said[2])) == ("retries", [("refuse", "retries")])
    assert decide(HOPELESS, conversation="b").outcome == "retry"
    assert decide(RIGHT, conversation="a").outcome == "pass"
    assert decide(HOPELESS, conversation="a").outcome == "retry"
    strict = Hook(REFRACTOR, max_retries=1)
    for name in "abc":
        assert strict(ASKING, conversation=name).outcome == "retry"
    assert strict(ASKING, conversation="c").outcome == "refuse"
    assert strict(ASKING, conversation="a").outcome == "retry"  # the oldest of three is forgotten


# -- policy ----------------------------------------------------------------------


STRICTNESS = ["pass", "repair", "retry", "refuse"]
OUTCOMES = TABLES["outcomes"]


@pytest.mark.slow
@pytest.mark.parametrize("chosen", list(itertools.product(*OUTCOMES.values())), ids="-".join)
def test_every_policy(chosen: tuple[str, ...]) -> None:
    policy = dict(zip(OUTCOMES, chosen, strict=True))
    decide = hook(**policy)
    assert decide(RIGHT).outcome == "pass"
    assert decide(FIXABLE).outcome == policy["on_repair"]
    # as a repair of the other calls may stand beside it, what cannot be mended is as strict at least
    names = ("on_ask", "on_confirm", "on_destructive", "on_unrepairable")
    for calls, name in zip((ASKING, RISKY, DESTRUCTIVE, HOPELESS), names, strict=True):
        strictest = max(policy["on_repair"], policy[name], key=STRICTNESS.index)
        assert decide(calls).outcome == strictest


def strict_on_pay(call: CallDecision, result: Any) -> Any:
    return "refuse" if call.tool == "pay" else "pass"


POLICIES: list[tuple[dict[str, Any], Any, str, str]] = [
    ({}, RIGHT, "pass", ""),
    ({}, RISKY, "retry", "confirms"),
    ({}, DESTRUCTIVE, "retry", "destructive"),
    ({"on_confirm": "repair"}, RISKY, "repair", "repaired"),
    ({"on_destructive": "repair", "on_confirm": "repair"}, DESTRUCTIVE, "repair", "repaired"),
    ({"on_unrepairable": "refuse"}, HOPELESS, "refuse", "unrepairable"),
    ({"deny": ["close_account"]}, 'close_account(iban="DE1")', "refuse", "denied"),
    ({"deny": ["close_account"]}, 'close_acount(iban="DE1")', "refuse", "denied"),
    ({"deny": ["teleport"]}, HOPELESS, "refuse", "denied"),
    ({"judge": strict_on_pay}, 'pay(iban="DE1", amount=3)', "refuse", "judged"),
    ({"judge": strict_on_pay}, FIXABLE, "repair", "repaired"),
    ({"judge": strict_on_pay}, ASKING, "retry", "asks"),
    ({"judge": lambda call, result: None}, RIGHT, "pass", ""),
    ({"judge": lambda call, result: "run"}, RIGHT, "refuse", "internal"),
    ({"judge": lambda call, result: True}, RIGHT, "refuse", "internal"),
    ({}, None, "retry", "unreadable"),
    ({}, "I would rather not.", "retry", "unreadable"),
    ({"on_unreadable": "refuse"}, {"role": "assistant"}, "refuse", "unreadable"),
    ({}, {"role": "assistant", "content": "hi", "tool_calls": None}, "pass", ""),
]


@pytest.mark.parametrize(("policy", "calls", "outcome", "reason"), POLICIES)
def test_policies(policy: dict[str, Any], calls: Any, outcome: str, reason: str) -> None:
    """A function may be stricter and never laxer; nonsense refuses."""
    decision = hook(**policy)(calls)
    assert (decision.outcome, decision.reason) == (outcome, reason)


def test_an_added_call_may_be_denied_too() -> None:
    calls = 'pay(iban="$a.iban$", amount=3)'
    assert hook()(calls, memory={"owner": "Ada"}).outcome == "repair"
    decision = hook(deny=["find_account"])(calls, memory={"owner": "Ada"})
    assert (decision.outcome, outcomes(decision)) == ("refuse", [("refuse", "reads_from")])
    assert decision.ready.calls == ()


@pytest.mark.parametrize("name", ["on_ask", "on_unrepairable", "on_unreadable", "deny", "judge"])
def test_policies_that_cannot_be(name: str) -> None:
    for wrong in ({name: "repair"}, {"on_repair": "pass"}):
        with pytest.raises(InputError):
            Policy(**wrong)


OPTIONS = ["max_retries", "prompt", "policy", "alternatives", "time_limit", "memory"]


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_cannot_be(name: str) -> None:
    with pytest.raises(InputError):
        Hook(REFRACTOR, **{name: -1})


# -- each call its own answer ------------------------------------------------------


def test_calls_that_are_fine_may_run_while_one_is_sent_back() -> None:
    owners: list[dict[str, Any]] = [{"owner": "Ada"}, {}, {"ownr": "Bob"}]
    decision = hook()(openai(*(("find_account", each) for each in owners)))
    found = [(call.id, call.outcome, bool(call.feedback)) for call in decision.calls]
    assert found == [("id0", "pass", False), ("id1", "retry", True), ("id2", "repair", False)]
    ready = [(each["id"], each["function"]["arguments"]) for each in decision.ready.dump()]
    assert ready == [("id0", '{"owner": "Ada"}'), ("id2", '{"owner": "Bob"}')]


READS = 'a = find_account()\nb = find_account(owner="Bob")\npay(iban="$a.iban$", amount=3)'
WRITES = 'pay(iban="DE1")\npay(iban="DE2", amout=1)\nfind_account(owner="Ada")'
TWICE = 'a = find_account(owner="Ada")\na = find_account(owner="Ada")'
CUT = openai(("find_account", '{"owner": "A'), ("find_account", {"owner": "Bob"}))


HOLDING_BACK: list[tuple[Any, list[str], int, str]] = [
    (READS, ["asks", "", "reads_from"], 2, "Not run: it reads from find_account"),
    (WRITES, ["asks", "stands_after", ""], 1, "Not run: pay before it is held back."),
    (CUT, ["unrepairable", ""], 0, "cut off"),
    (TWICE, ["", "repaired"], 1, "Left out: "),
]


@pytest.mark.parametrize(("calls", "reasons", "position", "told"), HOLDING_BACK)
def test_what_holds_a_call_back(calls: Any, reasons: list[str], position: int, told: str) -> None:
    decision = hook()(calls)
    assert sorted(reason for _, reason in outcomes(decision)) == sorted(reasons)
    assert any(told in call.feedback for call in decision.calls)
    beside = [each.feedback for each in decision.calls if each.reason == "stands_after"]
    assert "Change" not in "".join(beside)
    held = {call.call for call in decision.calls if call.outcome in ("retry", "refuse")}
    assert held.isdisjoint(decision.ready_calls)
    assert position in held or told.startswith("Left out")


def test_what_the_sequence_gives_back_is_judged_too() -> None:
    sequence = Sequence.load(['var1 = find_account(owner="Ada")', 'return {"iban": "$var1.ibn$"}'])
    assert hook()(sequence).outcome == "repair"
    assert hook(on_repair="refuse")(sequence).outcome == "refuse"


# -- closed when it fails ----------------------------------------------------------


class Panic(BaseException):
    """As libraries written in Rust raise it."""


ERRORS = [RuntimeError, Panic, SystemExit, asyncio.CancelledError, RecursionError]


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_inside_is_refused_with_an_id_that_the_log_has(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> Any:
        raise error("the database is gone: password=hunter2")

    with caplog.at_level(logging.ERROR):
        decision = Hook(REFRACTOR, memory=broken)(ADA)
    assert (decision.outcome, decision.reason) == ("refuse", "internal")
    assert (decision.sequence, decision.ready.calls) == (None, ())
    assert decision.id
    assert decision.id in decision.feedback
    assert "hunter2" not in decision.feedback
    assert outcomes(decision) == [("refuse", "internal")]
    assert [getattr(record, "refusal", None) for record in caplog.records] == [decision.id]


class Evil(dict[str, Any]):
    def get(self, *args: Any) -> Any:
        raise Panic

    __getitem__ = get


NO_INPUTS: list[dict[str, Any]] = [
    {"memory": 3},
    {"memory": {"a": object()}},
    {"history": 3},
    {"conversation": []},
    {"words": 3},
    {"calls": print},
]


@pytest.mark.parametrize("inputs", NO_INPUTS)
def test_mistakes_of_the_program_raise_and_are_not_told_to_a_model(inputs: Any) -> None:
    with pytest.raises((TypeError, InputError)):
        hook()(**{"calls": ASKING, **inputs})


def test_objects_that_raise_are_refused() -> None:
    assert hook()([Evil(id="a", type="function", function={})]).outcome == "refuse"


def test_ctrl_c_goes_through() -> None:
    def stop() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Hook(REFRACTOR, memory=stop)(RIGHT)


def test_bounds_and_time_are_refusals() -> None:
    decision = hook()(openai(*[("find_account", {"owner": "Ada"})] * 2001))
    assert (decision.outcome, decision.reason, len(decision.calls)) == ("refuse", "bounds", 2001)
    decision = hook()([{"name": "find_account", "arguments": {"owner": nested(100)}}])
    assert decision.outcome in ("refuse", "retry")
    assert decision.sequence is None
    decide = Hook(REFRACTOR, time_limit=0)
    assert decide(RIGHT).outcome == "pass"
    many = openai(*[("find_account", {"ownr": "Ada"})] * 1500)
    assert (decide(many).reason, {*outcomes(decide(many))}) == ("time", {("refuse", "time")})


def test_what_is_known_to_be_wrong_is_told_though_no_repair_was_found_in_time() -> None:
    given = openai(("find_account", {"ownr": "Ada"}), ("double", {"id": 3}))
    decision = Hook(REFRACTOR, time_limit=0)(given)
    assert outcomes(decision) == [("retry", "unrepairable"), ("pass", "")]
    assert "Change ownr to owner." in decision.calls[0].feedback
    assert decision.calls[1].runs == (ToolCall("id1", "double", {"id": 3}),)
    strict = Hook(REFRACTOR, policy=Policy(on_unrepairable="refuse"), time_limit=0)
    assert strict(given).outcome == "refuse"


def test_feedback_is_bounded_clean_and_without_secrets() -> None:
    calls = "\n".join(f'pay(iban="{"x" * 500}", amout{number}="many")' for number in range(40))
    decision = Hook(REFRACTOR, max_tokens=300)(calls)
    assert 0 < len(decision.feedback) <= 4 * 300
    assert all(0 < len(call.feedback) <= 1_010 for call in decision.calls)
    for calls in ('find_account(owner="\x1b[31m")\ntele\u202eport()', 'login(password="hunter2")'):
        decision = hook()(calls)
        told = decision.feedback + "".join(call.feedback for call in decision.calls)
        assert decision.outcome == "retry"
        assert not any(bad in told for bad in ("\x1b", "\u202e", "hunter2"))


# -- calls of one message --------------------------------------------------------------


def test_plain_calls_go_in_and_come_out() -> None:
    decide = hook()
    bob = ToolCall("b", "find_account", {"owner": "Bob"})
    calls = [ToolCall("a", "find_acount", '{"owner": "Ada"}'), bob]
    decision = decide(calls)
    wanted = [ToolCall("a", "find_account", {"owner": "Ada"}), bob]
    assert (decision.outcome, decision.data) == ("repair", wanted)
    assert [call.runs for call in decision.calls] == [(each,) for each in wanted]
    assert decide(calls[1]).data is calls[1]
    held = decide([ToolCall("a", "find_account", {}), calls[1]])
    assert [(call.id, call.runs) for call in held.calls] == [("a", ()), ("b", (wanted[1],))]


PARALLEL = openai(("pay", {"iban": "DE1"}), ("pay", {"iban": "DE2", "amount": 1}))


IN_ORDER = 'pay(iban="DE1")\npay(iban="DE2", amount=1)'
SIBLINGS = [
    (PARALLEL, "auto", "pass"),
    (PARALLEL, "run", "pass"),
    (PARALLEL, "hold", "retry"),
    (IN_ORDER, "auto", "retry"),
    (IN_ORDER, "run", "pass"),
]


@pytest.mark.parametrize(("calls", "on_sibling", "outcome"), SIBLINGS)
def test_siblings_run_where_calls_have_no_order(calls: Any, on_sibling: str, outcome: str) -> None:
    decision = hook(on_sibling=on_sibling)(calls)
    assert [call.outcome for call in decision.calls] == ["retry", outcome]
    assert len(decision.ready.calls) == (outcome == "pass")


def test_a_conversation_is_judged_from_its_open_calls_on() -> None:
    done = {"role": "tool", "tool_call_id": "id0", "content": '{"iban": "DE1"}'}
    later = openai(("pay", {"iban": "DE1", "amout": 3}))
    later["tool_calls"][0]["id"] = "id7"
    decision = hook(on_confirm="repair")([ADA, done, later])
    assert [(call.id, call.tool) for call in decision.calls] == [("id7", "pay")]
    assert decision.calls[0].runs == (ToolCall("id7", "pay", {"iban": "DE1", "amount": 3}),)
    assert hook()({"messages": [ADA, done]}).ready.calls == ()


# -- words -----------------------------------------------------------------------------

TOLD = TABLES["told"]


@pytest.mark.parametrize("calls", TOLD)
def test_feedback_says_what_to_send_and_never_to_ask(calls: str) -> None:
    decision = hook()(calls)
    assert TOLD[calls] in decision.calls[0].feedback
    assert not re.search(r"(?i)\bask\b|be asked", decision.feedback + decision.calls[0].feedback)


def test_what_is_told_to_be_sent_passes_then() -> None:
    decide = hook()
    told = decide([ToolCall("a", "send_payment", {"iban": "DE1", "amount": 3})]).calls[0]
    found = re.search(r"send (\w+) with (\{.*\})\.$", told.feedback)
    assert found
    assert decide([ToolCall("a", found[1], json.loads(found[2]))]).outcome == "pass"


# -- use ---------------------------------------------------------------------------


async def test_async_and_threads() -> None:
    decide = hook()
    found = await asyncio.gather(*map(decide.decide_async, (RIGHT, FIXABLE, ASKING)))
    assert [each.outcome for each in found] == ["pass", "repair", "retry"]
    counting = Hook(REFRACTOR, max_retries=5)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: counting(ASKING, conversation=1).outcome, range(16)))
    assert sorted(said) == ["refuse"] * 11 + ["retry"] * 5


@pytest.mark.slow
def test_all_that_runs_is_valid() -> None:
    """Whatever is decided, `ready` is admissible."""
    lines = [RIGHT, FIXABLE, ASKING, RISKY, DESTRUCTIVE, HOPELESS]
    agreed = {"on_confirm": "repair", "on_destructive": "repair"}
    for policy in ({}, agreed, {"on_repair": "retry"}):
        decide = hook(**policy)
        for several in (each for size in (1, 2, 3) for each in itertools.permutations(lines, size)):
            decision = decide("\n".join(several))
            assert REFRACTOR.check(decision.ready).verdict == "valid", several
            assert (decision.sequence is None) == (decision.outcome in ("retry", "refuse"))


# -- replies: every call of the model gets its own, in its order, whether it was run or not ----------


def double(id: float) -> float:
    if id > 100:
        raise ValueError("too large")
    return 2 * id


FUNCTIONS = {"find": lambda owner: {"id": len(owner)}, "double": double}


OWN = [called("double", '{"id": "$x.id$"}', "call_2"), called("find", '{"owner": "Bob"}', "call_1")]
NAMED = [("call_2", "A"), ("", "Bo"), ("x", "Cec"), ("x", "Dora")]
ODD = [called("find", json.dumps({"owner": owner}), id) for id, owner in NAMED]


REPLIES: list[tuple[Any, list[tuple[str, Any]]]] = [
    ("double(id=1)\ndouble(id=3)", [("call_1", 2), ("call_2", 6)]),
    ('double(id="$x.id$")', [("call_1", 4)]),  # the added call has none
    (OWN, [("call_2", 4), ("call_1", {"id": 3})]),
    (ODD, [("call_2", {"id": 1}), ("call_2_", {"id": 2}), ("x", {"id": 3}), ("x", {"id": 4})]),
    ([], []),
]


@pytest.mark.parametrize(("calls", "replies"), REPLIES)
def test_replies(calls: Any, replies: list[tuple[str, Any]]) -> None:
    catalog = BANK.filter(["find", "double"])
    decision = Hook(catalog)(calls, memory={"owner": "Ad"})
    done = run(decision.ready, FUNCTIONS, catalog=catalog)
    found = answers(decision, done)
    assert [(reply.tool_call_id, reply.value) for reply in found] == replies


def test_replies_to_what_was_not_run_or_failed() -> None:
    decision = hook()("double(id=1)\ndouble()\ndouble(id=1000)\ndouble(id=3)\nfind()")
    replies = answers(decision, run(decision.ready, FUNCTIONS, catalog=BANK))
    said = [reply.content for reply in replies]
    assert (said[0], said[3]) == ("2", "6")
    assert said[1] == "Not run: double requires id. Add id (number, required)."
    assert "double" in said[2]
    assert [reply.content for reply in answers(hook()("double(id=1)"))] == ["Not run."]
