"""Servers that die, hang and lie, and clients that cancel, leave and send lists: each request is answered once."""

from typing import Any

import pytest
from conversing import talking

from refract_asp.integrations.mcp import connections

FORMS: dict[str, Any] = {"elicitation": {}}


def call(id: Any, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def accepted(asked: Any, **content: Any) -> dict[str, Any]:
    """Return the answer to what was asked."""
    result = {"action": "accept", "content": content}
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}


CANCELLED: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/cancelled"}


@pytest.mark.parametrize(("name", "code"), [("die", 3), ("half", 4)])
async def test_a_server_that_ends(name: str, code: int) -> None:
    async with talking() as (talk, running):
        await talk.call("add", {"a": 1, "b": 2})
        for id, tool in enumerate((name, "wait", "bash", "add")):
            talk.say(call(id, tool))
        talk.say({"jsonrpc": "2.0", "id": "x", "method": "resources/list"})
        assert f"code {code}" in await running
        found = [await talk.hear() for _ in range(5)]
        assert sorted(str(each["id"]) for each in found) == ["0", "1", "2", "3", "x"]
        assert {each.get("error", {}).get("code") for each in found} <= {None, -32000}


@pytest.mark.parametrize("on_failure", ["closed", "open"])
@pytest.mark.parametrize("how", ["hang", "no-tools"])
async def test_a_server_that_lists_no_tools(how: str, on_failure: str) -> None:
    async with talking(how, on_failure=on_failure, list_timeout=0.2) as (talk, _):
        said = await talk.told("add", {"a": 1, "b": 2})
        assert said.startswith("3" if on_failure == "open" else "Not run: it could not be judged")


async def test_a_tool_that_cannot_be_read_spoils_no_other() -> None:
    async with talking("broken-tool") as (talk, _):
        assert await talk.told("add", {"a": "1", "b": 2}) == "3"
        assert "odd" in await talk.told("odd", {"x": 1})


@pytest.mark.parametrize("how", [(), ("silent",)])
async def test_tools_that_change_in_the_middle(how: tuple[str, ...]) -> None:
    async with talking(*how) as (talk, _):
        assert "no tool" in await talk.told("fly_to_moon", {"day": "1"})
        await talk.call("grow", {})
        assert "fly_to_moon" in await talk.told("fly_to_moon", {"day": "1"})
        if not how:
            assert "fly_to_moon" in await talk.told("fly_to_moon", {"dya": "1"})


async def test_tools_that_never_stay_as_they_are() -> None:
    async with talking("restless") as (talk, _):
        assert await talk.told("add", {"a": "1", "b": 2}) == "3"
        assert await talk.told("add", {"a": 1, "b": 2}, id=2) == "3"


async def test_a_message_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_LINE", 2**24)
    async with talking("flood") as (talk, running):
        failed = await talk.rpc(1, "tools/call", name="flood", arguments={})
        assert failed["error"]["code"] == -32000
        assert "ended inside a message" in await running


async def test_a_result_of_50_mb_comes_through() -> None:
    async with talking() as (talk, _):
        size = 50 * 2**20
        assert len(await talk.told("big", {"size": str(size)})) == size
        assert len(await talk.told("big", {"size": size})) == size


async def test_ids_that_are_used_again() -> None:
    async with talking() as (talk, _):
        for number in range(3):
            talk.say(call(5, "add", a=number, b="0"))
        talk.say(call("5", "add", a=5, b=0))
        found = [await talk.hear() for _ in range(4)]
        assert [each["id"] for each in found] == [5, 5, 5, "5"]
        texts = [each["result"]["content"][0]["text"] for each in found]
        assert texts == ["0", "1", "2", "5"]


async def test_a_second_answer_is_dropped() -> None:
    async with talking() as (talk, _):
        assert await talk.told("twice", {"n": "1"}) == "first"
        assert await talk.told("add", {"a": 1, "b": 2}, id=2) == "3"
        assert not any(b"second" in line for line in talk.lines)


async def test_a_call_that_is_cancelled_while_the_user_is_asked() -> None:
    async with talking(capabilities=FORMS) as (talk, _):
        talk.say(call(1, "add", a=1))
        asked = await talk.hear()
        assert asked["method"] == "elicitation/create"
        talk.say({**CANCELLED, "params": {"requestId": 1}})
        gone = await talk.hear()
        assert gone["method"] == "notifications/cancelled"
        assert gone["params"]["requestId"] == asked["id"]
        talk.say(accepted(asked, b=1))
        assert await talk.told("add", {"a": 1, "b": 2}, id=2) == "3"
        assert len(talk.lines) == 4  # nothing answers what was cancelled


async def test_a_client_that_leaves_while_it_is_asked() -> None:
    async with talking(capabilities=FORMS) as (talk, running):
        talk.say(call(1, "add", a=1))
        assert (await talk.hear())["method"] == "elicitation/create"
        talk.leave()
        assert (await talk.hear())["result"]["isError"]
        assert await running == ""


async def test_a_client_that_does_not_read_any_more() -> None:
    async with talking() as (talk, running):
        await talk.call("add", {"a": 1, "b": 2})
        talk.is_gone = True
        talk.say(call(1, "add", a=1, b=2))
        assert await running == ""


async def test_requests_in_one_list_are_answered_in_one() -> None:
    async with talking() as (talk, _):
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
        other = {"jsonrpc": "2.0", "id": "o", "method": "x/y"}
        talk.say([call(1, "add_", a=1, b=2), note, call(2, "add", a=1), other, call(3, "bash")])
        answers = await talk.hear()
        texts = {each["id"]: str(each["result"])[:200] for each in answers}
        assert texts.keys() == {1, 2, 3, "o"}
        assert "'3'" in texts[1]
        assert "add requires b" in texts[2]
        assert "no tool bash" in texts[3]
        talk.say([other, {**other, "id": "p"}])  # without calls: as they are
        assert [(await talk.hear())["id"] for _ in range(2)] == ["o", "p"]
        talk.say([call(1, "die"), call(2, "die")])
        lost = await talk.hear()
        assert {each["id"]: each["error"]["code"] for each in lost} == {1: -32000, 2: -32000}


async def test_a_list_of_which_the_proxy_takes_a_part_goes_on_with_the_rest() -> None:
    async with talking(capabilities=FORMS) as (talk, _):
        talk.say(call(1, "add", a=1))
        asked = await talk.hear()
        heard = {"jsonrpc": "2.0", "id": 7, "method": "x/y"}
        talk.say([accepted(asked, b=2), heard])
        found = {each["id"]: each["result"] for each in [await talk.hear() for _ in range(2)]}
        assert found[7] == {"echo": heard}
        assert found[1]["content"][0]["text"] == "3"
        talk.say(call(2, "add", a=1))
        assert (await talk.hear())["method"] == "elicitation/create"
        talk.say([{**CANCELLED, "params": {"requestId": 2}}, {**heard, "id": 8}])
        assert [(await talk.hear()).get("id") for _ in range(2)] in ([None, 8], [8, None])


UNREADABLE = [
    (b"nonsense", "no JSON"),
    (b'{"method": "tools/call", \xff}', "no JSON"),
    (b"[" * 100_000, "nested too deep"),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}', "twice"),
]


@pytest.mark.parametrize(("line", "why"), UNREADABLE)
async def test_what_can_be_read_in_two_ways_goes_no_further(line: bytes, why: str) -> None:
    async with talking() as (talk, _):
        talk.say(line)
        failed = await talk.hear()
        assert (failed["id"], failed["error"]["code"]) == (None, -32700)
        assert why in failed["error"]["message"]
        assert await talk.told("add", {"a": 1, "b": 2}) == "3"


async def test_a_call_that_wants_no_answer_is_judged_as_well() -> None:
    seen: list[str] = []
    how: Any = {"on_call": lambda request, verdict, guard: seen.append(verdict.action)}
    async with talking(**how) as (talk, _):
        silent = call(1, "delete_order", orderid="1")
        del silent["id"]
        talk.say(silent)
        assert await talk.told("add", {"a": 1, "b": 2}) == "3"
        assert seen == ["ask", "pass"]
        assert not any(b"delete_order" in line for line in talk.lines)
