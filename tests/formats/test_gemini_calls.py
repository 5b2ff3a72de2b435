"""The function calls of Gemini."""

from __future__ import annotations

from typing import Any

from refract_asp import Sequence

from .written import Structured


class TestGemini(Structured):
    name = "gemini"

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        return {
            "functionCall": {"id": f"{number}x", "name": name, "args": arguments},
            "thoughtSignature": "a",
        }

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        content = {"role": "model", "parts": [{"text": "Let me see."}, *entries]}
        return [entries, content, [content], {"candidates": [{"content": content, "index": 0}]}]


def test_the_names_of_the_python_library() -> None:
    data = [{"function_call": {"name": "f", "args": {"a": 1}, "id": None}}]
    assert Sequence.load(data).format == "gemini"
    assert Sequence.load(data).dump() == data


def test_a_part_without_a_name_is_not_lost() -> None:
    data = [{"functionCall": {"args": {}}}, {"functionCall": 5}, TestGemini.entry("f", {})]
    assert [bool(call.malformed) for call in Sequence.load(data).calls] == [True, True, False]
