"""
Answers to calls: which calls await one, the message for each in the format of the call, failures and the log.

A failed call gets an id. The log gets everything but secrets, under one flat set of keys; the model reads a short
line with the same id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, InputError, ToolError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.chat import results_in, step_into
from refract_asp.formats.source import as_data
from refract_asp.formats.values import json_text
from refract_asp.model import Call, Catalog, Constant, Parameter, Tool
from refract_asp.model.paths import elements_of, object_of
from refract_asp.model.secrets import HIDDEN, Hidden, SecretRule, Secrets, text_without_secrets
from refract_asp.runtime.arguments import MAX_ERROR, MAX_ERRORS

NAME = 60
"""Characters of the type of an exception, or of the name of a tool, that messages show."""
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


def type_and_text(error: BaseException) -> tuple[str, str]:
    """
    Return the type of an exception and its text, as far as they can be read.

    Example:
        >>> type_and_text(ValueError("no such city"))
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
    Write everything on one line: the type and the text of what the tool raised, or of what went wrong before.

    Example:
        >>> error = ToolError("ValueError: no such city", tool="get_weather")
        >>> error.__cause__ = ValueError("no such city")
        >>> print(plain_mapper(error, Failure(id="7QK4MZ2P", error=error, tool="get_weather")))
        Error during 'get_weather' ValueError("no such city")
    """
    cause = error.__cause__
    kind, text = type_and_text(cause) if cause is not None else (type(error).__name__, str(error))
    name, limit = shown(failure.tool, NAME), _room(failure)
    line = ""
    for most in range(limit, -1, -1):  # quotes take two characters each
        quoted = json.dumps(shown(text, most), ensure_ascii=False)
        line = f"Error during '{name}' {kind}({quoted})"
        if len(line) <= limit:
            break
    return line


def default_mapper(error: ToolError, failure: Failure) -> str:
    """
    Report that a tool failed, under which id, and nothing of what it raised but the text of a `ToolError`.

    The text says what the model can correct, and that a tool ran whose answer cannot be read.

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
    """Return how many characters a message may have; more for several mistakes, or where the tool writes them."""
    error = failure.error  # what is longer than one mistake may tell several
    is_long = failure.kind == "bad_argument" and len(str(error)) > MAX_ERROR
    return MAX_ERRORS if is_long or isinstance(error.__cause__, ToolError) else MAX_ERROR


def error_text(
    mapper: Mapper, failure: Failure, complain: Callable[[BaseException], None], secrets: Secrets
) -> str:
    """
    Return what the model reads about a failure: one line of at most 2,000 characters, without secrets.

    Where a mapper raises or gives no text, `complain` is called and the default mapper used. The end of the line
    reports that the same call failed before.
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
    text = text_without_arguments(text, failure, secrets)
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
            written = json.dumps([tool, arguments], sort_keys=True, default=repr)
        except Exception:  # what could not be read may hold anything
            written = f"{tool} {shown(type(arguments).__name__)}"
        key = hashlib.sha256(written.encode("utf-8", "surrogatepass")).digest()
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
        catalog: the specification of the tools; its schemas mark what is secret.
        secrets: says which values are secret; None for `is_secret`.
        log: the logger to write to.
    """

    def __init__(
        self, catalog: Catalog | None, secrets: SecretRule | None, log: logging.Logger = LOG
    ) -> None:
        """Prepare to write to a logger."""
        self._tools = (catalog or Catalog()).by_name
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
        except Exception:  # the caller's rule for secrets may raise
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
        kind, text = type_and_text((error.__cause__ if is_own else None) or error)
        again = f", {times} times with these arguments" if failure.is_repeated else ""
        quoted = _line(shown(_without(text, texts), LONGEST_TEXT))
        message = f"errored with {kind}({quoted}) [{failure.kind}, id {failure.id}{again}]"
        trace = "".join(traceback.format_exception(error, chain=is_own)).rstrip("\n")
        self._write(level, failure, message, _without(trace, texts), arguments=given)
        return failure

    def complain(self, failure: Failure, error: BaseException) -> None:
        """Write that a mapper could not be used."""
        kind, text = type_and_text(error)
        reason = f"{kind}({_line(shown(text, LONGEST_TEXT))})"
        message = f"the mapper of errors failed with {reason}; the default one is used"
        self._write(logging.ERROR, failure, message)

    # -- steps -----------------------------------------------------------------

    def _arguments(self, made: Made, hidden: Hidden) -> Any:
        arguments = made.arguments
        if isinstance(arguments, Mapping):
            return _without_secrets(self.secrets, made, hidden)
        tool = self._tools.get(made.tool)
        names = tool.parameters if tool is not None else ()
        # it is unknown which value belongs to which parameter of arguments that could not be read
        if self._has_rule or any(self.secrets.is_argument(made.tool, name) for name in names):
            return None if arguments is None else HIDDEN
        return text_without_secrets(arguments) if isinstance(arguments, str) else arguments

    def _write(self, level: int, made: Made, message: str, trace: str = "", **details: str) -> None:
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
            **details,
        }
        extra = {f"refract_{name}": each for name, each in known.items()}
        if details:  # a complaint has none
            message = f"{shown(made.entry)} - {_line(shown(made.tool))} {message}"
        with suppress(Exception):
            name = self._log.name
            record = self._log.makeRecord(name, level, __file__, 0, message, (), None, None, extra)
            # as text, as secrets are taken out of it; half characters could not be written to a file
            record.exc_text = trace.encode("utf-8", "backslashreplace").decode() or None
            self._log.handle(record)


def _without_secrets(secrets: Secrets, made: Made, hidden: Hidden) -> dict[str, Any]:
    given = {str(name): Constant(value=value) for name, value in made.arguments.items()}
    shown_call = secrets.call(Call(name=made.tool, arguments=dict(given)), hidden)
    return {name: getattr(source, "value", HIDDEN) for name, source in shown_call.arguments.items()}


def text_without_arguments(text: str, failure: Failure, secrets: Secrets) -> str:
    """Return the text of a failure without its secret arguments, also where these are cut."""
    if not isinstance(failure.arguments, Mapping):
        return text_without_secrets(text) if isinstance(failure.arguments, str) else text
    hidden = Hidden()
    try:
        _without_secrets(secrets, failure, hidden)
    except Exception:  # the caller's rule for secrets may raise
        return default_mapper(ToolError("", tool=failure.tool), failure)
    texts = _texts(hidden)
    text = _without(text, texts)
    for secret in texts if "..." in text else ():
        for kept in range(min(len(secret) - 1, MAX_ERRORS), 3, -1):
            text = text.replace(f"{secret[:kept]}...", f"{HIDDEN}...")
    return text


def result_secrets(catalog: Catalog | None, secrets: SecretRule | None) -> Secrets:
    """Return what hides the secrets of what a tool gives: a parameter of the name of the tool, of itself."""
    tools = (catalog or Catalog()).by_name

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
            left += elements_of(value)
        elif value is not None and not isinstance(value, bool) and len(str(value)) >= SHORTEST:
            quotes = slice(1, -1) if isinstance(value, str) else slice(None)
            found |= {str(value), repr(value)[quotes], json.dumps(value)[quotes]}
    return sorted(found, key=len, reverse=True)  # one may be a part of another


def _without(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


# -- messages --------------------------------------------------------------------------

MAX_REPLY = 100_000
"""So many characters a reply has at most, unless somebody wants more: a model would not read them."""
LEAST_REPLY = 100
"""`max_reply` is not less, so that the mark of what is cut finds room."""
_REPLY_FORMATS = "openai, openai-responses, anthropic, gemini, bedrock, langchain, mcp"


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
        format: the format in which the call came, as "anthropic"; empty where it is unknown.
        entry: the call as it was written there, or None.

    Example:
        >>> reply = Reply("call_1", "get_current_temperature", "70")
        >>> reply.to_dict()
        {'role': 'tool', 'tool_call_id': 'call_1', 'name': 'get_current_temperature', 'content': '70'}
        >>> reply.to_dict("anthropic")
        {'type': 'tool_result', 'tool_use_id': 'call_1', 'content': '70'}
    """

    tool_call_id: str
    name: str
    content: str
    role: str = "tool"
    value: Any = field(default=None, repr=False)
    failure: Failure | None = field(default=None, repr=False)
    format: str = field(default="", repr=False)
    entry: Any = field(default=None, repr=False)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.failure is not None

    def to_dict(self, format: str | None = None) -> dict[str, Any]:
        """
        Return the message as data, as who wrote the call takes it.

        Args:
            format: openai, openai-responses, anthropic, gemini, bedrock, langchain or mcp; that of the call by
                default, and openai where it is unknown. `messages_of` puts several together.

        Raises:
            InputError: there is no such format.
        """
        entry = object_of(self.entry)
        match self.format if format is None else format:
            case "anthropic":
                wrong = {"is_error": True} if self.is_error else {}
                head = {"type": "tool_result", "tool_use_id": self.tool_call_id}
                return {**head, "content": self.content, **wrong}
            case "openai-responses":
                kind = entry.get("type") if str(entry.get("type")).endswith("_call") else None
                head = {"type": f"{kind or 'function_call'}_output", "call_id": self.tool_call_id}
                return {**head, "output": self.content}
            case "gemini":
                return self._part(entry)
            case "bedrock":
                status = "error" if self.is_error else "success"
                content = [{"text": self.content}]
                answer = {"toolUseId": self.tool_call_id, "content": content, "status": status}
                return {"toolResult": answer}
            case "mcp":
                content = [{"type": "text", "text": self.content}]
                result = {"content": content, "isError": self.is_error}
                id = entry.get("id", self.tool_call_id)
                return {"jsonrpc": "2.0", "id": id, "result": result}
            case "langchain":
                failed = {"status": "error"} if self.is_error else {}
            case "openai" if "function_call" in entry:  # before there were ids
                return {"role": "function", "name": self.name, "content": self.content}
            case _ as other:
                if format is not None and other not in _REPLY_FORMATS.split(", "):
                    what = f"there is no format {shown(other)!r} for replies."
                    raise InputError(what, hint=f"There are: {_REPLY_FORMATS}.")
                failed = {}
        keys = ("role", "tool_call_id", "name", "content")
        return {key: getattr(self, key) for key in keys} | failed

    def _part(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message as a part for Gemini, with an id where the call has one."""
        is_snake, key = "function_call" in entry, "error" if self.is_error else "output"
        call = entry.get("function_call" if is_snake else "functionCall")
        has_id = object_of(call).get("id") is not None
        id = {"id": self.tool_call_id} if has_id else {}
        message = {**id, "name": self.name, "response": {key: self.content}}
        return {"function_response" if is_snake else "functionResponse": message}


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
        'xxxxxxxxxxx [cut: the first 61 of 5000 characters]'
    """
    text = str.__str__(value) if isinstance(value, str) else json_text(value)
    if max_reply is None or len(text) <= max_reply:
        return text
    cuts = (
        f"{text[:kept]} [cut: the first {kept} of {len(text)} characters]"
        for kept in range(max_reply, -1, -1)
    )
    return next(cut for cut in cuts if len(cut) <= max_reply)


def messages_of(replies: Iterable[Reply]) -> list[dict[str, Any]]:
    """
    Return replies as the messages that go into the conversation, each in the format of its call.

    Blocks for Anthropic and Bedrock and parts for Gemini stand together in one message of the user; all others
    are messages by themselves.

    Example:
        >>> messages_of([Reply("toolu_1", "get", "70", format="anthropic")])
        [{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '70'}]}]
    """
    found: list[dict[str, Any]] = []
    for format, group in groupby(replies, lambda reply: reply.format):
        messages = [reply.to_dict() for reply in group]
        key = {"anthropic": "content", "bedrock": "content", "gemini": "parts"}.get(format)
        found += messages if key is None else [{"role": "user", key: messages}]
    return found


# -- which calls await an answer ---------------------------------------------------------

_INSIDE = ("messages", "choices", "candidates", "message", "response", "output", "content", "parts")
"""Keys under which messages and calls stand."""


def calls_in(data: Any) -> tuple[tuple[Call, ...], str]:
    """
    Return the calls that await an answer, in their order, and the format in which they came.

    They are those that `load_sequence` reads, and all others that a model wrote under an id, which are malformed.
    If nothing can be read and nothing has an id, one malformed call says why.
    """
    try:
        sequence = load_sequence(data)
        document, calls, format = sequence.written, sequence.calls, sequence.format or ""
        past = {call.id for call in sequence.past} | set(results_in(document))
    except InputError as error:
        document, calls, format = as_data(data), (Call(name="", malformed=str(error)),), ""
        past = set(results_in(document))
        if any(_written_calls(document)):
            calls = ()
    number = {id(call.written): index for index, call in enumerate(calls)}
    by_id = {call.id: index for index, call in enumerate(calls)}
    found: dict[int, Call] = {}
    for entry in _written_calls(document):
        index = number.get(id(entry), by_id.get(_id_of(entry) or ""))
        if index is not None:
            call = calls[index]
            own = call.id or _id_of(entry)
            found.setdefault(index, call if own == call.id else call.model_copy(update={"id": own}))
        elif _id_of(entry) and _id_of(entry) not in past:
            found[-1 - len(found)] = _other_call(entry)
            format = format or _FORMATS.get(str(entry.get("type")), "openai")
    others = (call for index, call in enumerate(calls) if index not in found)
    return (*found.values(), *others), format


_RESPONSES = ("custom_tool_call", "function_call")
_FORMATS = {"tool_use": "anthropic", **dict.fromkeys(_RESPONSES, "openai-responses")}


def _written_calls(document: Any, *, is_call: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the entries of calls that a model wrote, whatever they hold."""
    if isinstance(document, list | tuple):
        for each in document:
            yield from _written_calls(each, is_call=is_call)
    elif isinstance(document, dict):
        kind = str(document.get("type"))
        is_block = kind == "tool_use" or (kind.endswith("_call") and "call_id" in document)
        has_function = kind in ("custom", "function") or "function" in document
        is_entry = has_function and "id" in document and "role" not in document
        if is_call or is_block or is_entry:
            yield document
            return
        yield from _written_calls(document.get("tool_calls"), is_call=True)
        for key in _INSIDE:
            if isinstance(inner := document.get(key), dict | list | tuple):
                yield from _written_calls(inner)


def _id_of(entry: Mapping[str, Any]) -> str | None:
    given = entry.get("call_id") or entry.get("id")
    return given if isinstance(given, str) and given else None


def _other_call(entry: Mapping[str, Any]) -> Call:
    """Return the malformed call that stands for what cannot be read."""
    kind = str(entry.get("type"))
    own = ("custom", "name") if kind == "custom" else ("name",)
    names = (step_into(entry, keys) for keys in (own, ("function", "name")))
    name = next((each for each in names if isinstance(each, str)), kind if "_" in kind else "")
    why = "it is no call of a function that can be read."
    return Call(name=name, id=_id_of(entry), written=entry, malformed=why)
