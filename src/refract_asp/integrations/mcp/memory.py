"""What the tools of a server gave so far: the latest results, each under a label of its own."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

from refract_asp.formats.values import DECODER, UnreadableError, plain
from refract_asp.integrations.mcp.messages import Message
from refract_asp.model import Call, Constant, Reference, Sequence, Source
from refract_asp.model.paths import FieldPath

__all__ = ["Remembered"]

MAX_RESULTS = 50
"""So many results are remembered, the latest ones."""
MAX_RESULT = 100_000
"""Characters of a text that is remembered; a longer one is forgotten at once."""
MAX_VALUES = 2_000
"""So many values of one result are compared with the arguments of a call."""
LEAST = 3
"""Characters that a text needs to count as found inside another one."""


@dataclass(frozen=True, slots=True)
class Result:
    """A call that ran, the label of its result, the result, and whether that is a text and no data."""

    label: str
    call: Call
    value: Any
    is_text: bool


class Remembered:
    """
    The latest results of calls; thread-safe.

    Example:
        >>> memory = Remembered()
        >>> memory.add("find", {"q": "x"}, {"content": [{"type": "text", "text": '{"id": "U-7"}'}]})
        >>> memory.values()
        {'find_1': {'id': 'U-7'}}
        >>> memory.source_of("U-7", {})
        Reference(kind='reference', label='find_1', path=('id',), bare=False)
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._results: deque[Result] = deque(maxlen=MAX_RESULTS)
        self._numbers = count(1)
        self._lock = threading.Lock()

    def add(self, name: str, arguments: dict[str, Any], result: Message) -> None:
        """Remember what a call gave, unless it failed or gave too much."""
        found = _value_in(result)
        if found is None:
            return
        label = f"{re.sub(r'[^0-9A-Za-z_]', '_', name)[:60]}_{next(self._numbers)}"
        label = label if label[0].isalpha() or label[0] == "_" else f"_{label}"
        given: dict[str, Source] = {key: Constant(value=each) for key, each in arguments.items()}
        with self._lock:
            call = Call(name=name, arguments=given, label=label)
            self._results.append(Result(label, call, found, isinstance(found, str)))

    def values(self) -> dict[str, Any]:
        """Return the results that are data, by their labels."""
        with self._lock:
            return {each.label: each.value for each in self._results if not each.is_text}

    def history(self) -> Sequence:
        """Return the calls that ran."""
        with self._lock:
            return Sequence(calls=tuple(each.call for each in self._results))

    def source_of(self, value: Any, known: dict[str, Any]) -> Reference | None:
        """
        Return where the latest result holds a value, or None where none does.

        Args:
            value: what is looked for, no true, false or null, and no very short text.
            known: takes the value under a name of its own where it stands inside of a text.
        """
        if value is None or isinstance(value, bool | dict | list) or value == "":
            return None
        with self._lock:
            results = list(self._results)
        for each in reversed(results):
            if each.is_text:
                text = str(value)
                inside = rf"(?<!\w){re.escape(text)}(?!\w)"
                if len(text) >= LEAST and re.search(inside, each.value):
                    label = f"{each.label}_says_{len(known)}"
                    known[label] = value
                    return Reference(label=label)
                continue
            for number, (path, held) in enumerate(_leaves(each.value)):
                if number == MAX_VALUES:
                    break
                if type(held) is type(value) and held == value:
                    return Reference(label=each.label, path=path)
        return None


def _value_in(result: Message) -> Any:
    """Return the data that a result is, else its text; None for one that failed or is too large."""
    if result.get("isError") or result.get("resultType") == "input_required":
        return None
    data = result.get("structuredContent")
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [
        str(block.get("text"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    if sum(map(len, texts)) > MAX_RESULT:
        return None
    if data is None and len(texts) == 1:
        with suppress(UnreadableError, ValueError, RecursionError):
            data = DECODER.decode(texts[0])
    if isinstance(data, dict | list):
        with suppress(UnreadableError, ValueError, RecursionError):
            return plain(data)
    return "\n".join(texts) or None


def _leaves(value: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    """Yield each plain value inside of a value, with its path."""
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in parts:
            yield from _leaves(each, (*path, key))
    else:
        yield path, value
