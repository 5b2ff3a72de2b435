"""What a guard finds right without asking the rules, the rules find right, too."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from refract_asp.integrations import Hook
from refract_asp.integrations.mcp import Guard, GuardOptions

TEXT = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    [
        "$x$",
        "$find.id$",
        "find(q='a').id",
        "{{x}}",
        "<x>",
        "ask(q)",
        "3",
        "true",
        "null",
        "a, b",
        "",
    ]
)
VALUES = (
    TEXT
    | st.integers(-3, 12)
    | st.booleans()
    | st.none()
    | st.floats(-2, 2)
    | st.lists(TEXT, max_size=2)
)
PROPERTIES = {
    "q": {"type": "string", "maxLength": 6},
    "n": {"type": "integer", "minimum": 0},
    "kind": {"enum": ["a", "b", 3]},
    "any": {},
    "maybe": {"type": ["number", "null"]},
}
INPUT = {"type": "object", "properties": PROPERTIES, "required": ["q"]}
TOOLS: list[dict[str, Any]] = [
    {"name": "find", "inputSchema": INPUT},
    {"name": "pick", "inputSchema": {**INPUT, "minProperties": 2, "additionalProperties": True}},
]
GUARD, HOOK = Guard(TOOLS), Hook({"tools": TOOLS}, references=False, max_new_calls=0)


@settings(deadline=None)
@given(
    st.sampled_from(["find", "pick"]),
    st.dictionaries(st.sampled_from([*PROPERTIES, "other"]), VALUES, max_size=4),
)
def test_it_agrees_with_the_rules(name: str, arguments: dict[str, Any]) -> None:
    params = {"name": name, "arguments": arguments}
    before = GUARD.is_like_a_right_one(params)
    verdict = GUARD.judged(params)
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    outcome = HOOK(request).outcome
    assert (verdict.action == "pass") == (outcome == "pass"), json.dumps(arguments)
    assert outcome == "pass" or not before


def test_a_kind_of_call_is_judged_once() -> None:
    guard = Guard(TOOLS)
    first, like = ({"name": "find", "arguments": {"q": text}} for text in ("a", "b"))
    other = {"name": "find", "arguments": {"q": "find(q='a')"}}
    assert not guard.is_like_a_right_one(first)
    assert guard.judged(first).action == "pass"
    assert guard.is_like_a_right_one(like)
    assert guard.is_like_a_right_one({"name": "find", "arguments": {"q": "f(x)"}})
    assert not guard.is_like_a_right_one(other)
    assert not guard.is_like_a_right_one({"name": "find", "arguments": {"q": "too long"}})


def test_a_slip_in_the_name_of_a_tool_that_is_denied_runs_no_other() -> None:
    names = ("get_user", "get_users", "send_mail")
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    tools = [
        {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}
        for name in names
    ]
    for options in (GuardOptions(deny=["get_user"]), GuardOptions(allow=["get_users", "send_*"])):
        guard = Guard(tools, options)
        told = guard.judged({"name": "get_usr", "arguments": {"id": "7"}})
        assert (told.action, told.reason) == ("answer", "denied")
        assert "get_user may" not in told.text
        run = guard.judged({"name": "get_userss", "arguments": {"id": "7"}})
        assert (run.action, run.name) == ("repair", "get_users")
        run = guard.judged({"name": "sendmail", "arguments": {"id": "7"}})
        assert (run.action, run.name) == ("repair", "send_mail")
