"""The tool use of Anthropic's messages."""

from __future__ import annotations

from typing import Any

from .written import Structured


class TestAnthropic(Structured):
    name = "anthropic"

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        return {"type": "tool_use", "id": f"toolu_{number}x", "name": name, "input": arguments}

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        content = [{"type": "text", "text": "Let me see."}, *entries]
        message = {"role": "assistant", "content": content, "stop_reason": "tool_use"}
        return [entries, content, message, [{"role": "user", "content": "hi"}, message]]
