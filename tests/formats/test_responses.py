"""The function calls of OpenAI's responses."""

from __future__ import annotations

import json
from typing import Any

from .written import StructuredText


class TestResponses(StructuredText):
    name = "openai-responses"

    @staticmethod
    def entry(name: str, arguments: Any, number: int = 1) -> Any:
        return {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}x",
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }

    @staticmethod
    def around(entries: list[Any]) -> list[Any]:
        return [
            entries,
            {"id": "resp_1", "object": "response", "output": [*entries, {"type": "message"}]},
        ]
