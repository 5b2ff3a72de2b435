"""Failed calls: an id for each, what the model is told of it, and which ones failed before."""

from __future__ import annotations

import hashlib
import inspect
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST, ToolError, ToolFailedError, shown
from refract_asp.formats.source import Origin
from refract_asp.formats.values import UnreadableError, json_text, plain

__all__ = [
    "LEAST_REPLY",
    "MAX_ERROR",
    "Failure",
    "Given",
    "Later",
    "Mapper",
    "Outcome",
    "Raised",
    "Repeats",
    "Reply",
    "Unusable",
    "awaited",
    "called",
    "default_mapper",
    "dropped",
    "error_text",
    "given",
    "new_id",
    "plain_mapper",
    "reply_ids",
    "text_of",
    "told",
    "value_of",
]


NAME = 60
"""Characters of the type of an exception that are told."""
STEPS = 8
"""So many steps lead to what is no JSON value, where it is told: a cycle has hundreds."""


@dataclass(frozen=True, slots=True)
class Given:
    """A function gave a JSON value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Unusable:
    """A function gave what is no JSON value, or its process gave nothing; `why` says so."""

    why: str


@dataclass(frozen=True, slots=True)
class Raised:
    """A function raised."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Later:
    """A function gave something to await."""

    awaitable: Awaitable[Any]


Outcome: TypeAlias = Given | Unusable | Raised | Later


def given(value: Any) -> Outcome:
    """Return a copy of what a function gave; an object of its own may raise while it is looked at."""
    try:
        return Given(plain(value))
    except UnreadableError as error:
        if len(error.place) > STEPS:
            error.place[STEPS:] = ["..."]
        return Unusable(f"what it gave is no JSON value: {error.at(Origin())}")
    except BaseException as error:
        return Raised(error)


def called(call: Callable[[], Any]) -> Outcome:
    """Call a function that takes nothing."""
    try:
        value = call()
        if inspect.isawaitable(value):
            return Later(value)
    except BaseException as error:
        return Raised(error)
    return given(value)


async def awaited(awaitable: Awaitable[Any]) -> Outcome:
    """Await what a function gave."""
    try:
        value = await awaitable
    except BaseException as error:
        return Raised(error)
    return given(value)


def dropped(outcome: Outcome) -> None:
    """Close what nobody began to await and nobody will, so that Python does not warn of it."""
    if not isinstance(outcome, Later) or not inspect.iscoroutine(outcome.awaitable):
        return
    if inspect.getcoroutinestate(outcome.awaitable) == inspect.CORO_CREATED:
        outcome.awaitable.close()


def told(error: BaseException) -> tuple[str, str]:
    """
    Return the type of an exception and its text, as far as they can be told.

    Example:
        >>> told(ValueError("no such city"))
        ('ValueError', 'no such city')
    """
    try:
        kind = shown(getattr(error, "kind_in_process", None) or type(error).__name__, NAME)
        return kind, str.__str__(str(error))
    except BaseException:  # an exception may raise when it is printed
        return "Exception", "its text cannot be told"


def value_of(outcome: Outcome, tool: str) -> Any:
    """
    Return the value that a function gave.

    Raises:
        ToolFailedError: it gave none; `__cause__` is what it raised.
    """
    if isinstance(outcome, Given):
        return outcome.value
    if isinstance(outcome, Raised):
        kind, text = told(outcome.error)
        what = shown(f"{kind}: {text}" if text else kind, 2 * LONGEST)
        raise ToolFailedError(what, tool=tool) from outcome.error
    dropped(outcome)
    why = outcome.why if isinstance(outcome, Unusable) else "it gave something to await twice."
    raise ToolFailedError(why, tool=tool)


MAX_ERROR = 200
"""Characters that the model is told of an error at most."""
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
    kind, text = (
        told(error.__cause__) if error.__cause__ is not None else (type(error).__name__, str(error))
    )
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
