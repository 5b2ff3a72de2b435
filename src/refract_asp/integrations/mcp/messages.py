"""
Messages of JSON-RPC, one a line: reading them within bounds, and writing those of our own.

A line that is passed on stays the bytes that it was; only what has to be known of it is read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeAlias

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.model.paths import object_of

Message: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str]
"""The id of a request as a key, under which `1`, `"1"` and `1.0` differ."""

MAX_LINE = 256 * 2**20
"""Bytes of one message; what is longer ends the connection."""
PIECE = 2**16
# How many pages of tools a server may list.
MAX_PAGES = 1_000
LARGE = 2**20
"""Bytes of a message from which on it is read in a thread, so that others go on."""

VERSION = "io.modelcontextprotocol/protocolVersion"
"""The key in `_meta` of every request since 2026, when `initialize` went."""
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

PARSE_ERROR, INVALID_REQUEST, CLOSED = -32700, -32600, -32000


class UnreadableLineError(ValueError):
    """A line is no message that can be read surely; the text says why."""


def _once(pairs: list[tuple[str, Any]]) -> Message:
    """Return an object, or refuse one that says a key twice: servers differ in which one they take."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableLineError("a key stands twice in an object")
    return found


_STRICT = json.JSONDecoder(object_pairs_hook=_once)


def read_message(line: bytes, *, strict: bool = False) -> Any:
    """
    Return what a line says.

    Args:
        line: the message, with or without the line break.
        strict: refuse what two readers may read in two ways.

    Raises:
        UnreadableLineError: it is no JSON in UTF-8, or nested too deep.
    """
    try:
        text = line.decode("utf-8")
        return _STRICT.decode(text.strip()) if strict else json.loads(text)
    except UnreadableLineError:
        raise
    except RecursionError:
        raise UnreadableLineError("it is nested too deep") from None
    except ValueError as error:
        raise UnreadableLineError(f"it is no JSON: {error}") from None


def line_of(message: object) -> bytes:
    """
    Return a message as a line.

    Raises:
        ValueError: it holds a number that JSON has not, such as an infinite one.
    """
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def key_of(id: object) -> Key:
    """Return the key for the id of a request."""
    return type(id).__name__, json.dumps(id)


def is_answer(message: object) -> bool:
    """Whether this answers a request."""
    return isinstance(message, dict) and "method" not in message and "id" in message


def is_call(message: object) -> bool:
    """Whether this calls a tool."""
    return isinstance(message, dict) and message.get("method") == "tools/call"


def answer(id: object, result: Message) -> Message:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": id, "result": result}


def error(id: object, code: int, text: str) -> Message:
    """Return the answer that a request failed."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}


def notification(method: str, params: Message) -> Message:
    """Return a message that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def told(text: str, request: Message) -> Message:
    """Return the result of a tool call that did not run, which the model reads."""
    held = {"content": [{"type": "text", "text": text}], "isError": True}
    return {**held, "resultType": "complete"} if VERSION in meta_of(request) else held


def meta_of(message: Message) -> Message:
    """Return what a request says about itself in `_meta`."""
    return object_of(object_of(message.get("params")).get("_meta"))


class Lines:
    """
    The lines of a stream, in bounded memory: nothing is read before the line before is taken.

    Args:
        stream: where the bytes come from.
        most: bytes of a line.
    """

    def __init__(self, stream: asyncio.StreamReader, most: int = MAX_LINE) -> None:
        """Read nothing yet."""
        self._stream, self._most = stream, most
        self._ready: Iterator[bytes] = iter(())
        self._begun: list[bytes] = []
        self._size = 0

    async def next(self) -> bytes | None:
        """
        Return the next line with its break, or None at the end; a last line that nobody ended is dropped.

        Raises:
            LimitError: a line is too long.
        """
        while (line := next(self._ready, None)) is None:
            piece = await self._stream.read(PIECE)
            if not piece:
                return None
            self._ready = self._whole(piece)
        return line

    @property
    def half(self) -> int:
        """How many bytes of a line that did not end have come."""
        return self._size

    def _whole(self, piece: bytes) -> Iterator[bytes]:
        """Yield the lines that a piece ends, and keep what it begins."""
        parts = piece.split(b"\n")
        for part in parts[:-1]:
            yield b"".join((*self._begun, part, b"\n"))
            self._begun, self._size = [], 0
        if parts[-1]:
            self._begun.append(parts[-1])
            self._size += len(parts[-1])
        if self._size > self._most:
            raise LimitError(f"a message is longer than {self._most >> 20} MB.")


def members(message: object) -> Iterable[object]:
    """Return the messages of a batch, or the one message alone."""
    return message if isinstance(message, list) else (message,)


async def listed_tools(
    ask: Callable[[Message], Awaitable[Message]], params: Message
) -> list[Message]:
    """
    Return the tools that a server lists, page by page.

    Args:
        ask: sends the parameters of a request of the list, and returns the answer.
        params: those of each page, besides where it begins.

    Raises:
        FormatError: it answers otherwise, or there are too many pages.
    """
    tools: list[Message] = []
    for _ in range(MAX_PAGES):
        answered = await ask(params)
        result = object_of(answered.get("result"))
        listed = result.get("tools")
        if not isinstance(listed, list):
            why = object_of(answered.get("error")).get("message", "its answer holds none")
            raise FormatError(f"the server lists no tools: {shown(why, 200)}.")
        tools += listed
        if not result.get("nextCursor"):
            return tools
        params = {**params, "cursor": result["nextCursor"]}
    raise FormatError(f"the list of tools has more than {MAX_PAGES} pages.")
