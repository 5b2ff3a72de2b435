"""The messages of LangChain."""

from __future__ import annotations

from typing import Any

from refract_asp import Sequence

from .written import Structured


class TestLangchain(Structured):
    name = "langchain"

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        return {"name": name, "args": arguments, "id": f"call_{number}x", "type": "tool_call"}

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        message = {"content": "", "tool_calls": entries, "invalid_tool_calls": []}
        return [
            entries,
            {"type": "ai", **message},
            {"type": "ai", "data": message},
            {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": message},
            [{"type": "human", "content": "hi"}, {"type": "ai", **message}],
        ]


def test_calls_that_were_found_invalid_stay_so() -> None:
    bad = {
        "name": "g",
        "args": '{"a": ',
        "id": "2",
        "error": "cut off",
        "type": "invalid_tool_call",
    }
    data = {
        "type": "ai",
        "content": "",
        "tool_calls": [TestLangchain.entry("f", {})],
        "invalid_tool_calls": [bad],
    }
    sequence = Sequence.load(data)
    assert [call.name for call in sequence.calls] == ["f", "g"]
    assert "invalid_tool_calls[0].args: it was refused: cut off" in (
        sequence.calls[1].malformed or ""
    )
    assert sequence.dump() == data


def test_calls_without_a_type() -> None:
    data = {
        "type": "ai",
        "content": "",
        "tool_calls": [{"name": "f", "args": {"a": 1}, "id": None}],
    }
    assert Sequence.load(data).format == "langchain"
    assert Sequence.load(data).dump() == data
