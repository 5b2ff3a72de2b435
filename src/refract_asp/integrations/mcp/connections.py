"""
Connections to MCP servers: a command that speaks on its standard input and output, or a URL.

Commands and URLs come from the command line or from the caller, and never from anything that is read.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import stat
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, Protocol

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.integrations.mcp.messages import MAX_LINE, PIECE, Lines

__all__ = ["Connection", "StdioClient", "StdioServer", "command_text"]

PATIENCE = 3.0
"""Seconds in which a server may end by itself when its input is closed, and then when it is asked to."""


class Connection(Protocol):
    """What speaks with a server, one message a line."""

    async def send(self, line: bytes) -> None:
        """Send a line; raises `ConnectionError` where nobody reads."""

    async def receive(self) -> bytes | None:
        """Return the next line, or None when no more comes."""

    async def finish(self) -> None:
        """Say that nothing more is sent."""

    async def close(self) -> str:
        """End the connection; return how the server ended, in words."""


def command_text(command: Sequence[str]) -> str:
    """Return a command as it would be written in a shell, safe to show."""
    return shown(shlex.join(command), LONGEST_TEXT)


class StdioServer:
    """
    A server that is a process of ours; with all that it starts it ends with us.

    Use `StdioServer.started`.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Take a process with pipes to its input and output."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._input = process, process.stdin
        self._lines = Lines(process.stdout, MAX_LINE)

    @classmethod
    async def started(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        say: Callable[[str], None] = lambda _: None,
        *,
        is_quiet: bool = False,
    ) -> StdioServer:
        """
        Start a command, which `say` is told before.

        Args:
            command: the program and its arguments; no shell reads them.
            environment: variables on top of our own.
            say: told what is started.
            is_quiet: whether what the server writes to standard error is dropped.

        Raises:
            InputError: it cannot be started.
        """
        say(f"starting {command_text(command)}")
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL if is_quiet else None,
                env={**os.environ, **(environment or {})},
                limit=PIECE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = shown(getattr(error, "strerror", None) or error).lower()
            hint = "Give the command as in a shell, with its arguments after it."
            where = command_text(command)
            raise InputError(f"it cannot be started: {reason}.", where=where, hint=hint) from None
        return cls(process)

    async def send(self, line: bytes) -> None:
        """Send a line, and wait while the server does not read."""
        self._input.write(line)
        await self._input.drain()

    async def receive(self) -> bytes | None:
        """Return the next line."""
        return await self._lines.next()

    async def finish(self) -> None:
        """Close the input of the server."""
        self._input.close()

    async def close(self) -> str:
        """End the server: its input is closed, then it is asked to end, then it is ended."""
        self._input.close()
        for sent in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if sent is not None:
                self._signal(sent)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), PATIENCE)
                break
        code = self._process.returncode
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))  # what it started and left behind
        # else it says at the end of all that what the server wrote last was not read
        transport: asyncio.SubprocessTransport = self._process._transport  # type: ignore[attr-defined]
        transport.close()
        half = f" inside a message, after {self._lines.half} bytes" if self._lines.half else ""
        return f"the server ended{half} ({'no code' if code is None else f'code {code}'})"

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)


class StdioClient:
    """
    The client that started us, on our standard input and output.

    Use `StdioClient.opened`. Pipes are read and written by the event loop; files, and whatever the loop
    cannot wait for, in a thread.
    """

    def __init__(self, source: asyncio.StreamReader, target: BinaryIO) -> None:
        """Take what the lines come from, and the file that is written."""
        self._lines = Lines(source, MAX_LINE)
        self._target = target
        self._lock = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None

    @classmethod
    async def opened(cls, source: BinaryIO, target: BinaryIO) -> StdioClient:
        """Begin to read and write the files."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=PIECE)
        client = cls(reader, target)
        try:
            mode = os.fstat(source.fileno()).st_mode
            if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or source.isatty()):
                raise ValueError("the event loop does not wait for files and other devices")
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
        except (ValueError, NotImplementedError, OSError):

            def feed() -> None:
                with suppress(RuntimeError):  # the loop has ended
                    with suppress(OSError, ValueError):
                        while piece := source.read(PIECE):
                            loop.call_soon_threadsafe(reader.feed_data, piece)
                    loop.call_soon_threadsafe(reader.feed_eof)

            threading.Thread(target=feed, daemon=True).start()
        with suppress(ValueError, NotImplementedError, OSError):
            made = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, target)
            client._writer = asyncio.StreamWriter(*made, None, loop)
        return client

    async def receive(self) -> bytes | None:
        """Return the next line."""
        return await self._lines.next()

    async def send(self, line: bytes) -> None:
        """Send a line, and wait while the client does not read."""
        if self._writer is not None:
            self._writer.write(line)
            await self._writer.drain()
            return
        async with self._lock:
            try:
                await asyncio.to_thread(_written, self._target, line)
            except (OSError, ValueError) as error:
                raise ConnectionError(str(error)) from None


def _written(target: BinaryIO, line: bytes) -> None:
    target.write(line)
    target.flush()
