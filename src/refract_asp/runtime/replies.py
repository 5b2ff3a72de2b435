"""What the model gets for each call: one text, whatever happened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from refract_asp.formats.values import json_text
from refract_asp.runtime.failures import Failure

__all__ = ["LEAST_REPLY", "Reply", "reply_ids", "text_of"]

LEAST_REPLY = 100
"""`max_reply` is not less, so that the mark of what is cut finds room."""


@dataclass(frozen=True, slots=True)
class Reply:
    """
    The message that answers one call.

    Attributes:
        tool_call_id: the id of the call.
        name: the tool.
        content: what it gave, as a text, or what went wrong.
        role: always "tool".
        value: what it gave, as a JSON value; None where it failed.
        failure: what went wrong, or None.

    Example:
        >>> Reply("call_1", "get_current_temperature", "70").to_dict()
        {'role': 'tool', 'tool_call_id': 'call_1', 'name': 'get_current_temperature', 'content': '70'}
    """

    tool_call_id: str
    name: str
    content: str
    role: str = "tool"
    value: Any = field(default=None, repr=False)
    failure: Failure | None = field(default=None, repr=False)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.failure is not None

    def to_dict(self) -> dict[str, str]:
        """Return the message as data, as chat interfaces take it."""
        return {
            "role": self.role,
            "tool_call_id": self.tool_call_id,
            "name": self.name,
            "content": self.content,
        }


def reply_ids(given: Iterable[tuple[int, str | None]]) -> list[str]:
    """
    Return the ids under which calls are answered; one that is made up is that of no other call.

    Args:
        given: of each call its number, from 0, and its id; without one, or with an empty one, it is answered
            as `call_1`, `call_2`, ... by its number.

    Example:
        >>> reply_ids([(0, None), (1, "call_1"), (2, "")])
        ['call_1_', 'call_1', 'call_3']
    """
    calls = list(given)
    taken = {id for _, id in calls if id}
    ids = []
    for number, id in calls:
        made_up = f"call_{number + 1}"
        while made_up in taken:
            made_up += "_"
        ids.append(id or made_up)
        taken.add(ids[-1])
    return ids


def text_of(value: Any, max_reply: int | None = None) -> str:
    """
    Return a JSON value as a text: a text as it is, everything else (also None: `null`) as JSON.

    What is longer than `max_reply` characters is cut to that, with a mark that says so.

    Example:
        >>> text_of("70"), text_of(None), text_of({"temperature": 70})
        ('70', 'null', '{"temperature": 70}')
        >>> text_of("x" * 5000, 100)[50:]
        'xxxxxxxxxx [cut: the first 60 of 5000 characters]'
    """
    text = str.__str__(value) if isinstance(value, str) else json_text(value)
    if max_reply is None or len(text) <= max_reply:
        return text
    kept = max_reply
    while True:
        mark = f" [cut: the first {kept} of {len(text)} characters]"
        if kept + len(mark) <= max_reply:
            return text[:kept] + mark
        kept -= kept + len(mark) - max_reply
