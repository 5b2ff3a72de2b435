"""Failed calls: an id for each, what the model is told of it, and which ones failed before."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.errors import ToolError, shown
from refract_asp.runtime.guarding import told

__all__ = [
    "MAX_ERROR",
    "Failure",
    "Mapper",
    "Repeats",
    "default_mapper",
    "error_text",
    "new_id",
    "plain_mapper",
]

MAX_ERROR = 200
"""Characters that the model is told of an error at most."""
NAME = 60
"""Characters of the name of a tool therein."""
_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""No two of them look alike, so that an id can be read out."""
ID = 8
"""Characters of an id: 39 bits, by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """
    A call of a tool that failed.

    Attributes:
        id: an id of this failure, which the log and the reply share; by chance, so that nobody guesses it.
        error: what went wrong; `__cause__` is what the tool raised.
        tool: the name under which the tool was called.
        arguments: its arguments, as far as they could be read.
        call_id: the id of the call, or None.
        times: how often this tool failed with these arguments, this time included, as far as is known.
        seconds: how long it took.
        entry: the function through which it was called, as "invoke".
    """

    id: str
    error: ToolError
    tool: str
    arguments: Any = None
    call_id: str | None = None
    times: int = 1
    seconds: float = 0.0
    entry: str = "invoke"

    @property
    def kind(self) -> str:
        """Which stage failed: `missing_arguments`, `bad_argument`, `tool_failed`, `timeout` and so on."""
        return self.error.kind

    @property
    def is_repeated(self) -> bool:
        """Whether the tool failed with these arguments before."""
        return self.times > 1


Mapper: TypeAlias = Callable[[ToolError, Failure], str]
"""Says what the model is told of a failure."""


def new_id() -> str:
    """Return an id that was not given before, and that nobody guesses."""
    return "".join(secrets.choice(_LETTERS) for _ in range(ID))


def plain_mapper(error: ToolError, failure: Failure) -> str:
    """
    Tell everything in one line: the type and the text of what the tool raised, or of what went wrong before.

    Example:
        >>> error = ToolError("ValueError: no such city", tool="get_weather")
        >>> error.__cause__ = ValueError("no such city")
        >>> print(plain_mapper(error, Failure(id="7QK4MZ2P", error=error, tool="get_weather")))
        Error during 'get_weather' ValueError("no such city")
    """
    kind, text = told(error.__cause__) if error.__cause__ is not None else (type(error).__name__, str(error))
    name = shown(failure.tool, NAME)
    left = MAX_ERROR - len(f"Error during '{name}' {kind}()") - 2
    quoted = json.dumps(shown(text, left), ensure_ascii=False)
    cut = left
    while len(quoted) > left + 2 and cut > 0:  # quotes and backslashes take two characters each
        cut -= max(1, (len(quoted) - left) // 2)
        quoted = json.dumps(shown(text, max(0, cut)), ensure_ascii=False)
    return f"Error during '{name}' {kind}({quoted})"


def default_mapper(error: ToolError, failure: Failure) -> str:
    """
    Tell that a tool failed, under which id, and nothing of what it raised; what the model can mend is told.

    Example:
        >>> error = ToolError("ValueError: no such city", tool="get_weather")
        >>> print(default_mapper(error, Failure(id="7QK4MZ2P", error=error, tool="get_weather")))
        Error 7QK4MZ2P: get_weather tool_call failed
    """
    head = f"Error {failure.id}: {shown(failure.tool, NAME) or 'a'} tool_call failed"
    if failure.kind == "tool_failed":
        return head
    return f"{head} (timeout)" if failure.kind == "timeout" else f"{head}: {error}"


def error_text(mapper: Mapper, failure: Failure, complain: Callable[[BaseException], None]) -> str:
    """
    Return what the model is told of a failure: one line of at most 200 characters.

    Where a mapper raises or gives no text, `complain` is told and the default one used. That the same call
    failed before is said at the end.
    """
    try:
        text = mapper(failure.error, failure)
        if not isinstance(text, str) or not shown(text).strip():
            raise TypeError(f"the mapper gave no text but {shown(type(text).__name__)}.")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        complain(error)
        text = default_mapper(failure.error, failure)
    more = f" (failed {failure.times} times with these arguments)" if failure.is_repeated else ""
    most = MAX_ERROR - len(more)
    line = shown(text, MAX_ERROR)
    return (line if len(line) <= most else shown(line, most - 3)) + more


class Repeats:
    """
    Counts failures of the same call, of the latest calls that failed; values are not kept.

    Example:
        >>> repeats = Repeats()
        >>> repeats.count("get", {"a": 1, "b": 2}), repeats.count("get", {"b": 2, "a": 1})
        (1, 2)
    """

    def __init__(self, most: int = 10_000) -> None:
        """Remember so many calls at most."""
        self._most = most
        self._times: OrderedDict[bytes, int] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, tool: str, arguments: Any) -> int:
        """Count a failure, and return how often this call failed."""
        try:
            said = json.dumps([tool, arguments], sort_keys=True, default=repr)
        except Exception:  # what could not be read may hold anything
            said = f"{tool} {shown(type(arguments).__name__)}"
        key = hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            times = self._times.pop(key, 0) + 1
            self._times[key] = times
            if len(self._times) > self._most:
                self._times.popitem(last=False)
        return times
