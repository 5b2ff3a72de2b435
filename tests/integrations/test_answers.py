"""Every call of the model gets its reply, in its order, whether it was run or not."""

from __future__ import annotations

import json
from typing import Any

from refract_asp.integrations import Hook, answers
from refract_asp.runtime import run

NUMBER = {"type": "number", "required": True}
CATALOG = {
    "tools": [
        {
            "name": "find",
            "effect": "read",
            "parameters": {"owner": {"required": True}},
            "returns": {"id": {"type": "number"}},
        },
        {
            "name": "double",
            "effect": "read",
            "parameters": {"id": NUMBER},
            "returns": {"twice": {"type": "number"}},
        },
    ]
}
HOOK = Hook(CATALOG)


def find(owner: str) -> dict[str, int]:
    return {"id": len(owner)}


def double(id: float) -> float:
    if id > 100:
        raise ValueError("too large")
    return 2 * id


TOOLS = {"find": find, "double": double}


def contents(calls: Any, **inputs: Any) -> list[str]:
    decision = HOOK(calls, **inputs)
    return [
        reply.content for reply in answers(decision, run(decision.ready, TOOLS, catalog=CATALOG))
    ]


def test_replies_stand_in_the_order_of_the_calls() -> None:
    said = contents("double(id=1)\ndouble()\ndouble(id=1000)\ndouble(id=3)")
    assert said[0] == "2"
    assert said[1].startswith("Not run: double requires id")
    assert "double" in said[2]
    assert said[3] == "6"


def test_added_calls_have_no_reply() -> None:
    decision = HOOK('double(id="$x.id$")', memory={"owner": "Ada"})
    assert [call.name for call in decision.ready.calls] == ["find", "double"]
    replies = answers(decision, run(decision.ready, TOOLS, catalog=CATALOG))
    assert [(reply.tool_call_id, reply.content) for reply in replies] == [("call_1", "6")]


def test_the_ids_of_the_model_are_kept_though_an_added_call_might_have_them() -> None:
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "find", "arguments": '{"owner": "Bob"}'},
    }
    needs = {
        "id": "call_2",
        "type": "function",
        "function": {"name": "double", "arguments": '{"id": "$x.id$"}'},
    }
    decision = HOOK([needs, call], memory={"owner": "Ad"})
    replies = answers(decision, run(decision.ready, TOOLS, catalog=CATALOG))
    assert [(reply.tool_call_id, reply.value) for reply in replies] == [
        ("call_2", 4),
        ("call_1", {"id": 3}),
    ]


def test_ids_that_are_absent_twice_there_or_taken() -> None:
    def call(owner: str, **more: str) -> dict[str, Any]:
        function = {"name": "find", "arguments": json.dumps({"owner": owner})}
        return {"type": "function", "function": function, **more}

    decision = HOOK([call("A", id="call_2"), call("Bo"), call("Cec", id="x"), call("Dora", id="x")])
    replies = answers(decision, run(decision.ready, TOOLS, catalog=CATALOG))
    assert [(reply.tool_call_id, reply.value["id"]) for reply in replies] == [
        ("call_2", 1), ("call_2_", 2), ("x", 3), ("x", 4)
    ]  # fmt: skip


def test_nothing_was_run() -> None:
    assert [reply.content for reply in answers(HOOK("double(id=1)"))] == ["Not run."]
    assert answers(HOOK([])) == ()
