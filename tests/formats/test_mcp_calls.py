"""The requests of the Model Context Protocol."""

from __future__ import annotations

from typing import Any

from refract_asp import Sequence

from .written import Structured


class TestMcp(Structured):
    name = "mcp"

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        params = {"name": name, "arguments": arguments, "_meta": {"progressToken": number}}
        return {"jsonrpc": "2.0", "id": number + 6, "method": "tools/call", "params": params}

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        return [entries, [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, *entries]]


def test_arguments_may_be_absent_and_ids_keep_their_type() -> None:
    data = [
        {"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "f"}}
        for i in (1, "1x", 0)
    ]
    sequence = Sequence.load(data)
    assert [call.id for call in sequence.calls] == ["1", "1x", "0"]
    assert sequence.dump() == data
