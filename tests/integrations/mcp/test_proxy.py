"""The proxy before a real server in a process of its own: what passes, what is repaired, what is answered."""

import json
from typing import Any

import pytest
from conversing import talking

from refract_asp.integrations.mcp import GuardOptions
from yaml_files import tables

TABLES = tables(__file__)

META = "refract-asp/repaired"
FORMS: dict[str, Any] = {"elicitation": {}}
VERSION = "io.modelcontextprotocol/protocolVersion"


def modern(*, forms: bool = True) -> dict[str, Any]:
    """What a request says of itself since there is no `initialize`."""
    can = {"elicitation": {"form": {}}} if forms else {}
    return {VERSION: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": can}


@pytest.mark.parametrize("how", [(), ("paged",)])
@pytest.mark.parametrize(("name", "arguments", "said"), TABLES["calls, name"])
async def test_calls(how: tuple[str, ...], name: Any, arguments: Any, said: str) -> None:
    async with talking(*how) as (talk, _):
        result = await talk.call(name, arguments)
        assert said in result["content"][0]["text"]
        assert bool(result.get("isError")) == said.startswith("Not run")
        given = {"name": name} | ({} if arguments is None else {"arguments": arguments})
        told = result.get("_meta", {}).get(META)
        is_right = (name, arguments) == ("add", {"a": 1, "b": 2})
        assert (told is None) == (is_right or said.startswith("Not run"))
        assert told is None or told["from"] == given


async def test_what_is_no_call_passes_as_the_bytes_that_it_is() -> None:
    odd = b'{ "id":  7.0 , "method":"x/y", "params":{"a" : "\\u00e9", "a":1e3} , "jsonrpc":"2.0"}'
    async with talking() as (talk, _):
        talk.say(odd)
        assert (await talk.hear())["result"]["echo"]["params"] == {"a": 1000.0}
        # a request of the server has an id of its own, which the client uses as well
        talk.say({"jsonrpc": "2.0", "method": "test/ask"})
        assert (await talk.hear())["method"] == "sampling/createMessage"
        talk.say({"jsonrpc": "2.0", "id": 1, "result": {"said": "yes"}})
        assert (await talk.hear())["params"]["result"] == {"said": "yes"}
        # the server writes with blanks, as Python does, and so it comes out
        await talk.call("add", {"a": 1, "b": 2})
        assert talk.lines[-1] == (
            b'{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}\n'
        )


@pytest.mark.parametrize(("action", "content", "said"), TABLES["the user is asked, action"])
@pytest.mark.parametrize("era", ["initialize", "modern"])
async def test_the_user_is_asked(era: str, action: str, content: Any, said: str) -> None:
    response = {"action": action, **({} if content is None else {"content": content})}
    async with talking(capabilities=FORMS if era == "initialize" else None) as (talk, _):
        if era == "initialize":
            talk.answer = response
            found = await talk.told("add", {"a": 1})
            (asked,) = talk.asked
        else:
            first = await talk.call("add", {"a": 1}, _meta=modern())
            assert first["resultType"] == "input_required"
            asked = first["inputRequests"]["refract-asp"]["params"]
            state, responses = first["requestState"], {"refract-asp": response}
            again = {"requestState": state, "inputResponses": responses, "_meta": modern()}
            found = await talk.told("add", {"a": 1}, id=2, **again)
        assert said in found
        schema = {"type": "object", "properties": {"b": {"type": "number"}}, "required": ["b"]}
        assert asked["requestedSchema"] == schema


async def test_a_repair_of_what_destroys_is_agreed_to_or_told() -> None:
    async with talking() as (talk, _):  # a client that cannot ask
        said = await talk.told("delete_order", {"orderid": "O-1"})
        assert said.endswith('that is what you mean, send delete_order with {"order_id": "O-1"}.')
    async with talking(capabilities=FORMS) as (talk, _):
        talk.answer = {"action": "accept"}
        assert "O-1" in await talk.told("delete_order", {"orderid": "O-1"})
        assert talk.asked[0]["message"].endswith('Run this: delete_order {"order_id": "O-1"}?')


async def test_an_earlier_result_is_offered_and_never_filled_in_silently() -> None:
    async with talking() as (talk, _):
        await talk.call("find_user", {"email": "x"})
        said = await talk.told("list_orders", {})
        assert said.endswith('If that is what you mean, send list_orders with {"user_id": "U-77"}.')
    async with talking(capabilities=FORMS) as (talk, _):
        talk.answer = {"action": "accept", "content": {"user_id": "U-78"}}
        await talk.call("find_user", {"email": "x"})
        assert "U-78" in await talk.told("list_orders", {})
        fields = talk.asked[0]["requestedSchema"]["properties"]
        assert fields == {"user_id": {"type": "string", "default": "U-77"}}
    async with talking(guard=GuardOptions(remember=False)) as (talk, _):
        await talk.call("find_user", {"email": "x"})
        assert "U-77" not in await talk.told("list_orders", {})


async def test_ids_come_from_results_where_that_is_wanted() -> None:
    async with talking(guard=GuardOptions(ids=["user_id"])) as (talk, _):
        given = {"user_id": "U-77"}
        assert "no result returned this value" in await talk.told("list_orders", given)
        await talk.call("find_user", {"email": "x"})
        assert "list_orders" in await talk.told("list_orders", given)
        said = await talk.told("list_orders", {"user_id": "U-78"})
        assert said.startswith("Not run: no result returned this value.")
        assert "U-77" in said


async def test_tools_that_are_not_allowed_are_neither_listed_nor_called() -> None:
    guard = GuardOptions(allow=["*o*"], deny=["delete_*"])
    async with talking("paged", guard=guard) as (talk, _):
        names, cursor = [], {}
        while True:
            result = (await talk.rpc(5, "tools/list", **cursor))["result"]
            names += [tool["name"] for tool in result["tools"]]
            if "nextCursor" not in result:
                break
            cursor = {"cursor": result["nextCursor"]}
        assert names == ["list_orders", "login", "grow"]
        assert "may not be called" in await talk.told("delete_order", {"order_id": "1"})
        assert "may not be called" in await talk.told("add", {"a": 1, "b": 2})
        assert "the catalog has no tool" in await talk.told("order_delete", {"order_id": "1"})
        assert "login" in await talk.told("logn", {"user": "a", "password": "b"})


async def test_policies() -> None:
    async with talking(guard=GuardOptions(policy="strict"), capabilities=FORMS) as (talk, _):
        said = await talk.told("add", {"a": "1", "b": 2})
        assert said.endswith('Send add with {"a": 1, "b": 2}.')
        assert await talk.told("add", {"a": 1, "b": 2}) == "3"
    seen: list[str] = []
    how: Any = {"on_call": lambda request, verdict, guard: seen.append(verdict.action)}
    async with talking(guard=GuardOptions(policy="observe"), **how) as (talk, _):
        assert '"lmit": 1' in await talk.told("list_orders", {"user_id": "U", "lmit": 1})
        assert "list_orders" in await talk.told("list_orders", {"user_id": "U"})
        assert "list_orders" in await talk.told("list_orders", {"user_id": "V"})
    assert seen == ["repair", "pass", "pass"]


async def test_a_repair_is_told_in_the_result_where_that_is_wanted() -> None:
    async with talking(tell=True) as (talk, _):
        result = await talk.call("add_", {"a": 1, "b": 2})
        assert [each["text"] for each in result["content"]] == [
            "3",
            '(refract-asp: add ran with {"a": 1, "b": 2}. Change add_ to add)',
        ]
        assert result["_meta"][META]["changes"] == ["Change add_ to add"]


async def test_a_call_that_the_server_continues_is_continued_as_it_was_repaired() -> None:
    async with talking("state") as (talk, _):
        first = await talk.call("add_", {"a": "1", "b": 2}, _meta=modern())
        assert first["requestState"] == "more"
        more: dict[str, Any] = {"_meta": modern(), "requestState": "more", "inputResponses": {}}
        assert await talk.told("add_", {"a": "1", "b": 2}, id=2, **more) == "3"


async def test_secrets_stand_in_no_text() -> None:
    async with talking(capabilities=FORMS) as (talk, _):
        talk.answer = {"action": "decline"}
        said = await talk.told("login", {"usr": "me", "pasword": "hunter2", "x": 1})
        assert "hunter2" not in said + json.dumps(talk.asked)
