"""What passes for its likeness to calls that passed, the rules let pass, too."""

import json
import logging
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.integrations import Hook, Policy, ToolCall
from refract_asp.integrations.adapters import Guard
from refract_asp.integrations.mcp import Guard as Before

TEXTS = [
    *("$x$", "$x.id$", "find(q='a')", "find(q='a').id", "{{x}}", "<x>", "ask(q)", "3", "true"),
    *("null", "[1]", '{"a": 1}', '{"name": "find", "arguments": {"q": "a"}}', "a (b)"),
    *("cost: $5", "\ud800", ""),
]
TEXT = st.text(st.characters(), max_size=8) | st.sampled_from(TEXTS)
PLAIN = TEXT | st.integers(-3, 12) | st.booleans() | st.none() | st.floats()
VALUES = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(TEXT, PLAIN, max_size=2)
PARAMETERS: dict[str, Any] = {
    "q": {"type": "string", "maxLength": 30},
    "n": {"type": "integer", "minimum": 0},
    "kind": {"enum": ["a", "b", 3]},
    "any": {},
    "maybe": {"type": ["number", "null"]},
    "all": {"type": "array"},
    "with": {"type": "object", "properties": {"q": {"type": "string"}}},
}
INPUT = {"type": "object", "properties": PARAMETERS, "required": ["q"]}
TOOLS: list[dict[str, Any]] = [
    {"name": "find", "inputSchema": INPUT, "annotations": {"readOnlyHint": True}},
    {"name": "pick", "inputSchema": {**INPUT, "minProperties": 2, "additionalProperties": True}},
]
PROPERTIES = [*PARAMETERS, "other"]
ARGUMENTS = st.fixed_dictionaries({"q": TEXT})
ARGUMENTS |= st.dictionaries(st.sampled_from(PROPERTIES), VALUES, max_size=4)
CALL = st.tuples(st.sampled_from(["find", "pick", "fnd"]), ARGUMENTS, st.booleans())
CALLS = st.lists(CALL, min_size=1, max_size=3)
HOOKS = [Hook({"tools": TOOLS}, max_new_calls=0, references=each) for each in ("auto", False, True)]
HOUSE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "limits.lp"
RIGHT = [ToolCall("a", "find", {"q": "x"})]


@settings(max_examples=examples(300))
@given(CALLS, st.sampled_from(HOOKS))
def test_it_agrees_with_the_rules(given: list[tuple[str, Any, bool]], hook: Hook) -> None:
    calls = [
        ToolCall(f"c{number}", name, json.dumps(arguments) if as_text else arguments)
        for number, (name, arguments, as_text) in enumerate(given)
    ]
    before = hook.passes(calls)
    decision = hook(calls)
    if before:
        assert decision.outcome == "pass", calls
        assert [each.outcome for each in decision.calls] == ["pass"] * len(calls)
    if decision.outcome != "pass":
        assert not hook.passes(calls)


GUARD = Before(TOOLS)


@settings(max_examples=examples(300))
@given(CALL)
def test_a_guard_agrees_with_the_rules(drawn: tuple[str, Any, bool]) -> None:
    params = {"name": drawn[0], "arguments": drawn[1]}
    before = GUARD.is_like_a_right_one(params)
    passes = GUARD.judged(params).action == "pass"
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert passes == (HOOKS[1](request).outcome == "pass"), params
    assert passes or not before


ALIKE: list[Any] = [
    ([{"q": "a"}], [{"q": "b"}], [{"q": "x" * 31}]),
    ([{"q": "a (b)"}], [{"q": "c [d] {e} costs $5"}], [{"q": 3}]),
    ([{"q": "a", "all": [1]}], [{"q": "b", "all": ["c", {"d": 2}]}], [{"q": "b", "all": "c"}]),
    ([{"q": "a"}, {"q": "b"}], [{"q": "c"}, {"q": "d"}], [{"q": "c"}, {"q": 4}]),
    ([{"q": "a", "any": 1.5}], [{"q": "b", "any": 2}], [{"q": "b", "any": float("nan")}]),
]


@pytest.mark.parametrize(("first", "like", "wrong"), ALIKE)
def test_what_is_alike_is_judged_once(first: Any, like: Any, wrong: Any) -> None:
    hook = Hook({"tools": TOOLS}, max_new_calls=0)
    calls = [[ToolCall(None, "find", each) for each in given] for given in (first, like, wrong)]
    assert not any(map(hook.passes, calls))
    assert [hook(each).outcome == "pass" for each in calls] == [True, True, False]
    assert [hook.passes(each) for each in calls] == [True, True, False]
    assert pickle.loads(pickle.dumps(hook))(calls[0]).outcome == "pass"


WITH_A_SAY: list[dict[str, Any]] = [
    {"policy": Policy(deny=["find"])},
    {"policy": Policy(judge=lambda call, result: None)},
    {"memory": {"x": 1}},
    {"memory": dict},
    {"on_decision": lambda decision: None},
    {"encodings": [HOUSE]},
]


@pytest.mark.parametrize("more", WITH_A_SAY)
def test_whoever_has_a_say_is_asked_each_time(more: Any) -> None:
    hook = Hook({"tools": TOOLS}, **more)
    hook(RIGHT)
    assert not hook.passes(RIGHT)


def test_history_and_memory_of_one_decision_teach_nothing() -> None:
    hook = Hook({"tools": TOOLS})
    hook(RIGHT, memory={"x": 1})
    hook(RIGHT, history=[{"name": "find", "arguments": {"q": "y"}}])
    assert not hook.passes(RIGHT)


def test_arguments_that_are_no_json_or_say_a_key_twice_are_read_by_the_hook() -> None:
    guard = Guard()
    for text in ('{"q": "a"}', '{"q": "a",}', '{"q": "a", "q": "b"}', '{"q": ', "", "[]", "NaN"):
        call = ToolCall("a", "find", text)
        (mended,) = guard.mend([call], TOOLS)
        (judged,) = Guard(on_decision=lambda decision: None).mend([call], TOOLS)
        assert (mended.calls, mended.feedback) == (judged.calls, judged.feedback)


def test_what_passes_quickly_is_told_too(caplog: pytest.LogCaptureFixture) -> None:
    hook = Hook({"tools": TOOLS})
    hook(RIGHT)
    with caplog.at_level(logging.DEBUG, "refract_asp.integrations"):
        assert hook.passes(RIGHT)
    assert caplog.messages == ["passed find (a)"]


def test_a_guard_judges_a_kind_of_call_once() -> None:
    guard = Before(TOOLS)
    first, *others = ({"name": "find", "arguments": {"q": q}} for q in ("a", "b", "f(x)"))
    assert not guard.is_like_a_right_one(first)
    assert guard.judged(first).action == "pass"
    assert all(map(guard.is_like_a_right_one, others))
    assert not guard.is_like_a_right_one({"name": "find", "arguments": {"q": "x" * 31}})


def test_the_proxy_lets_no_number_pass_that_json_has_not() -> None:
    guard = Before(TOOLS)
    good, bad = ({"any": 1.5}, {"q": "b"}), ({"any": float("nan")}, {"any": float("inf")})
    for each in (*good, *bad, {"q": "\ud800"}):
        found = guard.judged({"name": "find", "arguments": {"q": "a", **each}})
        assert found.action == ("pass" if each in good else "answer")


def test_tools_that_come_anew_are_told_apart_by_what_they_say() -> None:
    guard, call = Guard(), ToolCall("a", "find", {"q": "x"})
    numeric = {**INPUT, "properties": {**PARAMETERS, "q": {"type": "number"}}}
    odd = {**TOOLS[0], "made_by": object()}
    other = {**TOOLS[0], "inputSchema": numeric}
    for tools, outcome in ((TOOLS, "pass"), ([other], "retry"), ([odd], "pass")):
        for _ in range(2):
            (mended,) = guard.mend([call], [dict(tool) for tool in tools])
            assert mended.outcome == outcome
