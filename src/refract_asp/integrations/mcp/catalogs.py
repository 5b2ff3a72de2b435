"""
Catalogs that MCP servers give: of a command, of a URL, or of all servers in a configuration file.

Servers are started or asked only where the caller, or the command line, names them; nothing that is read does.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, RefractError, shown
from refract_asp.formats import load_catalog
from refract_asp.integrations.mcp.connections import Connection, StdioServer, command_text
from refract_asp.integrations.mcp.http import HttpServer
from refract_asp.integrations.mcp.messages import (
    CAPABILITIES,
    VERSION,
    Message,
    UnreadableLineError,
    error,
    is_answer,
    line_of,
    listed_tools,
    members,
    notification,
    read_message,
)
from refract_asp.model import Catalog
from refract_asp.model.paths import object_of
from refract_asp.settings import seconds

__all__ = ["PREFIX", "ServerSource", "server_catalog", "server_tools"]

PREFIX = "mcp:"
"""What the name of a catalog begins with that a server gives."""
TIMEOUT = 30.0
_OLD, _NEW = "2025-06-18", "2026-07-28"
_CLIENT = {"name": "refract-asp", "version": "0"}
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


@dataclass(frozen=True, kw_only=True)
class ServerSource:
    """
    Where a server is: a command with variables of its environment, or a URL with headers.

    Attributes:
        name: what it is called in a configuration; its tools are then `mcp__NAME__TOOL`.
        command: the program and its arguments.
        environment: variables on top of our own.
        url: the URL, where there is no command.
        headers: what is sent with each request to the URL.
    """

    name: str = ""
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return what is started or asked, safe to show; variables and headers may be secret."""
        return command_text(self.command) if self.command else shown(self.url, LONGEST_TEXT)


def server_catalog(
    source: str, *, timeout: float = TIMEOUT, say: Callable[[str], None] = lambda _: None
) -> Catalog:
    """
    Return the tools of an MCP server as a catalog.

    Args:
        source: a command as in a shell, a URL, or the path of a configuration file with `mcpServers`, whose
            tools are then called `mcp__NAME__TOOL`, as agents call them; `FILE.json#NAME` is one of them. It may
            begin with `mcp:`.
        timeout: seconds for each server.
        say: gets the command or address of each server before it is started or asked.

    Raises:
        InputError: a server cannot be started or reached, is too slow, or lists no tools.
    """
    limit = seconds(timeout, "timeout", zero=False)
    catalogs = []
    for each in _sources(source.removeprefix(PREFIX).strip()):
        say(f"{'starting' if each.command else 'asking'} {each}")
        tools = asyncio.run(_tools_in_time(each, limit))
        if each.name:
            tools = [
                {**tool, "name": f"mcp__{each.name}__{tool.get('name')}"}
                for tool in tools
                if isinstance(tool, dict)
            ]
        try:
            catalogs.append(load_catalog({"tools": tools}, "mcp"))
        except InputError as wrong:
            place = f"{each}: {wrong.where}" if wrong.where else str(each)
            raise type(wrong)(wrong.what, where=place, hint=wrong.hint) from None
    found = tuple(tool for catalog in catalogs for tool in catalog.tools)
    return Catalog(tools=found, format="mcp")


async def server_tools(connection: Connection) -> list[Message]:
    """
    Return the tools that a server lists, in either era of the protocol.

    Raises:
        FormatError: it answers otherwise, or ends.
    """
    greeting = {"protocolVersion": _OLD, "capabilities": {}, "clientInfo": _CLIENT}
    answered = await _asked(connection, 0, "initialize", greeting)
    params: Message = {}
    if "error" in answered:  # since 2026 each request says who asks
        known = {VERSION: _NEW, CAPABILITIES: {}}
        params = {"_meta": {**known, "io.modelcontextprotocol/clientInfo": _CLIENT}}
    else:
        await connection.send(line_of(notification("notifications/initialized", {})))
    numbers = count(1)
    return await listed_tools(
        lambda each: _asked(connection, next(numbers), "tools/list", each), params
    )


async def _asked(connection: Connection, id: int, method: str, params: Message) -> Message:
    """Send a request and return its answer; what the server wants to know meanwhile is refused."""
    await connection.send(line_of({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    while (line := await connection.receive()) is not None:
        try:
            message = read_message(line)
        except UnreadableLineError:
            continue  # servers print to the wrong stream at times
        for each in members(message):
            if not isinstance(each, dict):
                continue
            if is_answer(each) and each["id"] == id:
                return each
            if "method" in each and "id" in each:
                refused = error(each["id"], -32601, "Only tools are listed here.")
                ping = {"jsonrpc": "2.0", "id": each["id"], "result": {}}
                await connection.send(line_of(ping if each["method"] == "ping" else refused))
    raise FormatError(f"the server ended before it answered {method}.")


async def _tools_in_time(source: ServerSource, limit: float | None) -> list[Message]:
    """Start or reach a server, and return its tools."""
    connection: Connection
    if source.command:
        connection = await StdioServer.started(source.command, source.environment)
    else:
        connection = await HttpServer.opened(source.url, source.headers)
    try:
        return await asyncio.wait_for(server_tools(connection), limit)
    except TimeoutError:
        what = f"the server did not list its tools in {limit:g} s."
        raise InputError(what, where=str(source)) from None
    except ConnectionError:
        raise InputError("the server ended at once.", where=str(source)) from None
    except RefractError as wrong:
        raise InputError(wrong.what, where=str(source), hint=wrong.hint) from None
    finally:
        await connection.close()


def _sources(text: str) -> list[ServerSource]:
    """Return the servers that a text names."""
    if text.startswith(("http://", "https://")):
        return [ServerSource(url=text)]
    file, _, name = text.partition("#")
    if file.endswith(".json") and Path(file).is_file():
        found = list(_configured(Path(file)))
        chosen = [each for each in found if name in ("", each.name)]
        if not chosen:
            hint = f"There are: {', '.join(shown(each.name) for each in found) or 'none'}."
            raise InputError("it configures no such server.", where=shown(text), hint=hint)
        return chosen
    try:
        command = tuple(shlex.split(text))
    except ValueError as wrong:
        raise InputError(f"this is no command: {wrong}.", where=shown(text)) from None
    if not command:
        hint = "Write mcp:COMMAND ARGS, mcp:URL or mcp:FILE.json."
        raise InputError("no server is named.", hint=hint)
    return [ServerSource(command=command)]


def _configured(path: Path) -> Iterator[ServerSource]:
    """Yield the servers in a configuration file, but for those that are switched off."""
    where = shown(path, LONGEST_TEXT)
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as wrong:
        raise FormatError(f"this is no JSON: {shown(wrong)}.", where=where) from None
    held = object_of(data)
    servers = held.get("mcpServers", held.get("servers"))
    if not isinstance(servers, dict):
        hint = 'Write {"mcpServers": {"NAME": {"command": ..., "args": [...]}}}.'
        raise FormatError("it configures no MCP servers.", where=where, hint=hint)
    for name, said in servers.items():
        place = f"{where}: mcpServers.{shown(name)}"
        if not isinstance(said, dict) or not isinstance(said.get("command", said.get("url")), str):
            hint = 'Write "command" and "args", or "url".'
            raise FormatError("this says neither a command nor a URL.", where=place, hint=hint)
        if said.get("disabled") is True:
            continue
        if isinstance(said.get("command"), str):
            arguments = said.get("args", [])
            if not isinstance(arguments, list):
                raise FormatError("args is no list.", where=place)
            command = (said["command"], *map(str, arguments))
            expanded = tuple(_expanded(each, place) for each in command)
            own = _texts(said.get("env"), place)
            yield ServerSource(name=name, command=expanded, environment=own)
        else:
            headers = _texts(said.get("headers"), place)
            yield ServerSource(name=name, url=_expanded(said["url"], place), headers=headers)


def _texts(said: Any, place: str) -> dict[str, str]:
    """Return an object of texts."""
    return {str(key): _expanded(str(value), place) for key, value in object_of(said).items()}


def _expanded(text: str, place: str) -> str:
    """Return a text with the variables of the environment that it names as `${NAME}` or `${NAME:-usual}`."""

    def value_of(match: re.Match[str]) -> str:
        value = os.environ.get(match[1], match[2])
        if value is None:
            raise InputError(f"the variable {shown(match[1])} is not set.", where=place)
        return value

    return _VARIABLE.sub(value_of, text)
