"""
MCP servers that speak streamable HTTP, by the transport of the package `mcp` (2.x, the extra `mcp`).

It keeps sessions, resumes streams that break off and follows no redirect to another origin, in both eras of the
protocol. What the protocol wants in headers is read off the messages that pass.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.integrations.mcp.messages import (
    CLOSED,
    INVALID_REQUEST,
    VERSION,
    Message,
    error,
    is_answer,
    is_call,
    line_of,
    members,
    meta_of,
    read_message,
)
from refract_asp.model.paths import list_of, object_of

if TYPE_CHECKING:
    import httpx2

__all__ = ["HttpServer"]

TRIED = "2.3"
"""The version of `mcp` with which this is tested."""
WAITING = 1_000
"""So many messages of the server wait at most until the client reads."""
_HINT = "Install it by pip install 'refract-asp[mcp]'."

_log = logging.getLogger("refract_asp.integrations")


class HttpServer:
    """
    A server at a URL.

    Use `HttpServer.opened`.
    """

    def __init__(self, url: str) -> None:
        """Open nothing yet."""
        self._url = url
        self._in: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        self._out: asyncio.Queue[Message | None] = asyncio.Queue()
        self._version = ""
        self._starting: set[str] = set()
        self._mirrored: dict[str, Any] = {}
        self._task: asyncio.Task[None] | None = None
        self._why = ""

    @classmethod
    async def opened(cls, url: str, headers: Mapping[str, str] | None = None) -> HttpServer:
        """
        Make ready to send to a server; nothing is sent yet.

        Raises:
            InputError: this is no URL of HTTP, or the package `mcp` is absent or another version.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            hint = "Write it as in https://example.com/mcp."
            raise InputError("this is no URL.", where=shown(url, LONGEST_TEXT), hint=hint)
        try:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client  # noqa: F401
            from mcp.shared.inbound import mcp_param_headers  # noqa: F401
            from mcp.shared.message import ClientMessageMetadata  # noqa: F401
            from mcp_types.jsonrpc import jsonrpc_message_adapter  # noqa: F401
        except ImportError as absent:
            what = f"for servers over HTTP mcp {TRIED} or a later 2.x is needed ({shown(absent)})."
            raise InputError(what, hint=_HINT) from None

        class Steady(httpx2.AsyncBaseTransport):  # type: ignore[misc]
            """Makes a server that cannot be reached an answer, and no end of all."""

            def __init__(self) -> None:
                self.inner = httpx2.AsyncHTTPTransport()

            async def handle_async_request(self, request: Any) -> Any:
                try:
                    return await self.inner.handle_async_request(request)
                except httpx2.TransportError as wrong:
                    text = f"the server cannot be reached: {shown(wrong, 200)}"
                    _log.warning("%s", text)
                    failed = error(None, CLOSED, text)
                    return httpx2.Response(502, json=failed, request=request)

            async def aclose(self) -> None:
                await self.inner.aclose()

        how = {"headers": dict(headers or {}), "timeout": httpx2.Timeout(30.0, read=None)}
        server = cls(url)
        client = httpx2.AsyncClient(**how, transport=Steady())
        server._task = asyncio.create_task(server._carried(client))
        return server

    async def send(self, line: bytes) -> None:
        """Send the messages in a line, each by itself."""
        if self._task is None or self._task.done():
            raise ConnectionResetError(self._why)
        for each in members(read_message(line)):
            if isinstance(each, dict):
                await self._out.put(each)

    async def receive(self) -> bytes | None:
        """Return the next message of the server."""
        return await self._in.get()

    async def finish(self) -> None:
        """Say that nothing more is sent: answers to what was sent come all the same."""

    async def close(self) -> str:
        """End the session."""
        await self._out.put(None)
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=5.0)
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        return f"the connection to the server ended{f' ({self._why})' if self._why else ''}"

    async def _carried(self, client: httpx2.AsyncClient) -> None:
        """Carry messages both ways until the connection is closed or breaks."""
        from mcp.client.streamable_http import streamable_http_client

        try:
            async with (
                client,
                streamable_http_client(self._url, http_client=client, max_sse_event_size=None) as (
                    reader,
                    writer,
                    *_,
                ),
            ):
                receiving = asyncio.create_task(self._received(reader))
                sending = asyncio.create_task(self._sent(writer))
                await asyncio.wait({receiving, sending}, return_when=asyncio.FIRST_COMPLETED)
                for task in (receiving, sending):
                    task.cancel()
                await asyncio.gather(receiving, sending, return_exceptions=True)
        except Exception as wrong:
            self._why = shown(wrong, 200)
            _log.warning("the connection to the server broke: %s", self._why)
        finally:
            await self._in.put(None)

    async def _sent(self, writer: Any) -> None:
        from mcp.shared.message import ClientMessageMetadata, SessionMessage
        from mcp_types.jsonrpc import jsonrpc_message_adapter
        from pydantic import ValidationError

        while (message := await self._out.get()) is not None:
            try:
                made = jsonrpc_message_adapter.validate_python(message, by_name=False)
            except ValidationError:
                made = None
            if made is None or hasattr(made, "id") != ("id" in message):
                if "id" in message and "method" in message:
                    text = "HTTP carries no request with such an id or such parameters."
                    await self._in.put(line_of(error(message["id"], INVALID_REQUEST, text)))
                continue
            headers = self._headers_for(message)
            metadata = ClientMessageMetadata(headers=headers) if headers else None
            await writer.send(SessionMessage(made, metadata=metadata))

    async def _received(self, reader: Any) -> None:
        async for each in reader:
            if isinstance(each, Exception):
                _log.warning("the server sent what cannot be read: %s", shown(each, 200))
                continue
            message = each.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            self._noted(message)
            await self._in.put(line_of(message))

    def _headers_for(self, message: Message) -> dict[str, str]:
        """Return what the protocol wants to have in headers, besides in the message."""
        from mcp.shared.inbound import NAME_BEARING_METHODS, encode_header_value, mcp_param_headers

        method, params = message.get("method"), message.get("params")
        version = meta_of(message).get(VERSION)
        if not isinstance(version, str):
            if method == "initialize":
                self._starting.add(repr(message.get("id")))
            return {"mcp-protocol-version": self._version} if self._version else {}
        headers = {"mcp-protocol-version": version}
        if isinstance(method, str) and isinstance(params, dict):
            headers["mcp-method"] = method
            name = params.get(NAME_BEARING_METHODS.get(method, ""))
            if isinstance(name, str):
                headers["mcp-name"] = encode_header_value(name)
            if is_call(message) and isinstance(params.get("arguments"), dict):
                mirrored = self._mirrored.get(str(name), {})
                headers |= mcp_param_headers(mirrored, params["arguments"])
        return headers

    def _noted(self, message: Message) -> None:
        """Note what later headers say: the version that was agreed on, and what tools want mirrored."""
        from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map

        result = message.get("result")
        if not is_answer(message) or not isinstance(result, dict):
            return
        if repr(message["id"]) in self._starting and isinstance(result.get("protocolVersion"), str):
            self._version = result["protocolVersion"]
        for tool in list_of(result.get("tools")):
            schema = object_of(tool).get("inputSchema")
            if isinstance(schema, dict) and find_invalid_x_mcp_header(schema) is None:
                self._mirrored[str(tool.get("name"))] = x_mcp_header_map(schema)
