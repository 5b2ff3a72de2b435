"""
Failed calls: an id for each, what the model reads about it, and what the log gets.

The log gets everything but secrets, under one flat set of keys; the model a short line with the same id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, ToolError, shown
from refract_asp.formats.values import json_text
from refract_asp.model import Call, Catalog, Constant, Parameter, Tool
from refract_asp.model.secrets import HIDDEN, Hidden, SecretRule, Secrets, text_without_secrets
from refract_asp.runtime.arguments import MAX_ERROR, MAX_ERRORS

NAME = 60
"""Characters of the type of an exception, or of the name of a tool, that are told."""
_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""No two of them look alike, so that an id can be read out."""
ID = 8
"""Characters of an id: 39 bits, by chance."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """
    A call of a tool that is over.

    Attributes:
        tool: the name under which the tool was called.
        arguments: its arguments, as far as they could be read.
        call_id: the id of the call, or None.
        seconds: how long it took.
        entry: the function through which it was called, as "invoke".
    """

    tool: str
    arguments: Any = None
    call_id: str | None = None
    seconds: float = 0.0
    entry: str = "invoke"


@dataclass(frozen=True, kw_only=True)
class Failure(Made):
    """
    A call of a tool that failed; `Made` has what is known of every call.

    Attributes:
        id: an id of this failure, which the log and the reply share; by chance, so that nobody guesses it.
        error: what went wrong; `__cause__` is what the tool raised.
        times: how often this tool failed with these arguments, this time included, as far as is known.
    """

    id: str
    error: ToolError
    times: int = 1

    @property
    def kind(self) -> str:
        """Which stage failed: `missing_arguments`, `bad_argument`, `tool_failed`, `timeout` and so on."""
        return self.error.kind

    @property
    def is_repeated(self) -> bool:
        """Whether the tool failed with these arguments before."""
        return self.times > 1


def told(error: BaseException) -> tuple[str, str]:
    """
    Return the type of an exception and its text, as far as they can be told.

    Example:
        >>> told(ValueError("no such city"))
        ('ValueError', 'no such city')
    """
    try:
        return shown(type(error).__name__, NAME), str.__str__(str(error))
    except BaseException:  # an exception may raise when it is printed
        return "Exception", "its text cannot be told"


Mapper: TypeAlias = Callable[[ToolError, Failure], str]
"""Says what the model reads about a failure."""


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
    is_own = error.__cause__ is None
    kind, text = (type(error).__name__, str(error)) if is_own else told(error.__cause__ or error)
    name, limit = shown(failure.tool, NAME), _room(failure)
    line = ""
    for most in range(limit, -1, -1):  # quotes take two characters each
        said = json.dumps(shown(text, most), ensure_ascii=False)
        line = f"Error during '{name}' {kind}({said})"
        if len(line) <= limit:
            break
    return line


def default_mapper(error: ToolError, failure: Failure) -> str:
    """
    Tell that a tool failed, under which id, and nothing of what it raised but the text of a `ToolError`.

    What the model can mend is told, and that a tool ran whose answer cannot be read.

    Example:
        >>> error = ToolError("ValueError: no such city", tool="get_weather")
        >>> print(default_mapper(error, Failure(id="7QK4MZ2P", error=error, tool="get_weather")))
        Error 7QK4MZ2P: get_weather tool_call failed
    """
    head = f"Error {failure.id}: {shown(failure.tool, NAME) or 'a'} tool_call failed"
    if failure.kind == "tool_failed" and not isinstance(error.__cause__, ToolError):
        return head
    if failure.kind == "timeout":
        return f"{head} (timeout)"
    return shown(f"{head}: {error}", _room(failure) - 3)


def _room(failure: Failure) -> int:
    """Return how many characters are told; more where there may be several mistakes, or the tool says so."""
    error = failure.error  # what is longer than one mistake may tell several
    is_long = failure.kind == "bad_argument" and len(str(error)) > MAX_ERROR
    is_long = is_long or isinstance(error.__cause__, ToolError)
    return MAX_ERRORS if is_long else MAX_ERROR


def error_text(
    mapper: Mapper,
    failure: Failure,
    complain: Callable[[BaseException], None],
    secrets: Secrets | None = None,
) -> str:
    """
    Return what the model reads about a failure: one line of at most 2,000 characters, without secrets.

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
    most = MAX_ERRORS - len(more)
    text = text_without_arguments(text, failure, secrets or Secrets(None, lambda _: None))
    line = shown(text, MAX_ERRORS)
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


# -- the log -------------------------------------------------------------------

LOG = logging.getLogger("refract_asp.runtime")
LOG.addHandler(logging.NullHandler())  # nothing is printed where nobody set up logging
SHORTEST = 4
"""Shorter secrets are not looked for in what a tool raised: they are parts of other words."""

_UNTOLD = '"(what is secret cannot be told)"'


class CallLog:
    """
    Writes a line for each call: info where it gave something, error where it failed, with the traceback.

    Each record has the attributes `refract_entry`, `refract_tool`, `refract_call_id`, `refract_error_id`,
    `refract_kind`, `refract_arguments`, `refract_value` (JSON texts), `refract_seconds` and
    `refract_repeated` (how often the same call failed). Names and texts are on one line. A handler that
    raises harms nothing.

    Args:
        catalog: what is said of the tools, for what is secret by its schema.
        secrets: says which values are secret; None for `is_secret`.
        log: the logger to write to.
    """

    def __init__(
        self, catalog: Catalog | None, secrets: SecretRule | None, log: logging.Logger = LOG
    ) -> None:
        """Prepare to write to a logger."""
        self._tools = catalog.by_name if catalog is not None else {}
        self._log, self._has_rule, self._repeats = log, secrets is not None, Repeats()
        self.secrets = Secrets(secrets, self._tools.get)
        self._results = result_secrets(catalog, secrets)

    def succeeded(self, made: Made, value: Any) -> None:
        """Write that a call gave a value."""
        if not self._log.isEnabledFor(logging.INFO):
            return
        try:
            result = _line(self._results.value([made.tool], [made.tool], value))
            given = _line(self._arguments(made, Hidden()))
        except Exception:  # a rule of the caller says what is secret
            result = given = _UNTOLD
        message = f"returned {shown(result, LONGEST_TEXT)}"
        self._write(logging.INFO, made, message, arguments=given, value=result)

    def failed(self, made: Made, error: ToolError, attempts: int = 0) -> Failure:
        """
        Return a failure under an id of its own, and write all that is known of it.

        After some attempts, where the call is made again, it is a warning and not counted.
        """
        times = attempts or self._repeats.count(made.tool, made.arguments)
        failure = Failure(**vars(made), id=new_id(), error=error, times=times)
        level = logging.WARNING if attempts else logging.ERROR
        if not self._log.isEnabledFor(level):
            return failure
        hidden = Hidden()
        try:
            given = _line(self._arguments(made, hidden))
        except Exception:
            given = _UNTOLD
        texts = _texts(hidden)
        # what others raised before the call may show its arguments
        is_own = failure.kind == "tool_failed"
        kind, text = told((error.__cause__ if is_own else None) or error)
        again = f", {times} times with these arguments" if failure.is_repeated else ""
        said = _line(shown(_without(text, texts), LONGEST_TEXT))
        message = f"errored with {kind}({said}) [{failure.kind}, id {failure.id}{again}]"
        trace = "".join(traceback.format_exception(error, chain=is_own)).rstrip("\n")
        self._write(level, failure, message, _without(trace, texts), arguments=given)
        return failure

    def complain(self, failure: Failure, error: BaseException) -> None:
        """Write that a mapper could not be used."""
        kind, text = told(error)
        said = f"{kind}({_line(shown(text, LONGEST_TEXT))})"
        message = f"the mapper of errors failed with {said}; the default one is used"
        self._write(logging.ERROR, failure, message)

    # -- steps -----------------------------------------------------------------

    def _arguments(self, made: Made, hidden: Hidden) -> Any:
        tool, arguments = made.tool, made.arguments
        if isinstance(arguments, Mapping):
            return _without_secrets(self.secrets, tool, arguments, hidden)
        tool_of = self._tools.get(tool)
        names = tool_of.parameters if tool_of is not None else ()
        # which value was meant for what cannot be told of what could not be read
        if self._has_rule or any(self.secrets.is_argument(tool, name) for name in names):
            return None if arguments is None else HIDDEN
        return text_without_secrets(arguments) if isinstance(arguments, str) else arguments

    def _write(self, level: int, made: Made, message: str, trace: str = "", **told: str) -> None:
        """Write a line, with what is known of the call as attributes of the record."""
        failure = made if isinstance(made, Failure) else None
        known = {
            "entry": shown(made.entry),
            "tool": shown(made.tool),
            "call_id": None if made.call_id is None else shown(made.call_id),
            "seconds": round(made.seconds, 6),
            "error_id": failure and failure.id,
            "kind": failure and failure.kind,
            "repeated": failure.times - 1 if failure else 0,
            **dict.fromkeys(("arguments", "value")),
            **told,
        }
        extra = {f"refract_{name}": each for name, each in known.items()}
        if told:  # of a complaint nothing is
            message = f"{shown(made.entry)} - {_line(shown(made.tool))} {message}"
        with suppress(Exception):
            name = self._log.name
            record = self._log.makeRecord(name, level, __file__, 0, message, (), None, None, extra)
            # as text, as secrets are taken out of it; half characters could not be written to a file
            record.exc_text = trace.encode("utf-8", "backslashreplace").decode() or None
            self._log.handle(record)


def _without_secrets(
    secrets: Secrets, tool: str, arguments: Mapping[str, Any], hidden: Hidden
) -> dict[str, Any]:
    given = {str(name): Constant(value=value) for name, value in arguments.items()}
    shown_call = secrets.call(Call(name=tool, arguments=dict(given)), hidden)
    return {name: getattr(source, "value", HIDDEN) for name, source in shown_call.arguments.items()}


def text_without_arguments(text: str, failure: Failure, secrets: Secrets) -> str:
    """Return what is said of a failure without those of its arguments that are secret, also where they are cut."""
    if not isinstance(failure.arguments, Mapping):
        return text_without_secrets(text) if isinstance(failure.arguments, str) else text
    hidden = Hidden()
    try:
        _without_secrets(secrets, failure.tool, failure.arguments, hidden)
    except Exception:  # a rule of the caller says what is secret
        return default_mapper(ToolError("", tool=failure.tool), failure)
    texts = _texts(hidden)
    begun = [
        secret[:kept] for secret in texts for kept in range(min(len(secret) - 1, MAX_ERRORS), 3, -1)
    ]
    text = _without(text, texts)
    if "..." in text:
        for each in begun:
            text = text.replace(f"{each}...", f"{HIDDEN}...")
    return text


def result_secrets(catalog: Catalog | None = None, secrets: SecretRule | None = None) -> Secrets:
    """Return what hides the secrets of what a tool gives: a parameter of the name of the tool, of itself."""
    tools = catalog.by_name if catalog is not None else {}

    def result_of(name: str) -> Tool:
        schema = (tools[name].output_schema if name in tools else None) or {}
        parameters = {name: Parameter(name=name, json_schema=schema)}
        return Tool(name=name, parameters=parameters, input_schema=schema)

    return Secrets(secrets, result_of)


def _line(value: Any) -> str:
    """Return a value as JSON on one line, as far as it is one."""
    try:
        return json_text(value)
    except Exception:
        return json_text(shown(f"a value of type {type(value).__name__}"))


def _texts(hidden: Hidden) -> list[str]:
    """Return the texts and numbers that were hidden, as a tool may put them into what it raises."""
    found: set[str] = set()
    left = [json.loads(text) for text in hidden.seen if text[:1] in '"[{-0123456789']
    while left:
        value = left.pop()
        if isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
        elif value is not None and not isinstance(value, bool) and len(str(value)) >= SHORTEST:
            quotes = slice(1, -1) if isinstance(value, str) else slice(None)
            found |= {str(value), repr(value)[quotes], json.dumps(value)[quotes]}
    return sorted(found, key=len, reverse=True)  # one may be a part of another


def _without(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text
