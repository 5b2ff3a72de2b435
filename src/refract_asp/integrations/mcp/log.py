"""A log of the calls that pass a proxy, which `batch` reads."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from refract_asp.errors import shown
from refract_asp.integrations.mcp.guard import Guard, Verdict
from refract_asp.integrations.mcp.messages import Message
from refract_asp.model.paths import object_of

__all__ = ["ProxyLog"]

_log = logging.getLogger("refract_asp.integrations")


class ProxyLog:
    """
    Appends calls to a file of JSON lines that `batch` reads; the tools stand in a file beside it.

    What cannot be written is said once as a warning: a full disk stops no call.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, which may be there already."""
        self._path = path
        self._file = path.open("ab", buffering=0)
        self._guard: Guard | None = None
        self._tools = ""
        self._is_told = False

    def __call__(self, request: Message, verdict: Verdict, guard: Guard | None) -> None:
        """Write a line of what was called, as it was called, and what became of it."""
        try:
            self._file.write(f"{json.dumps(self._row(request, verdict, guard))}\n".encode())
        except (OSError, ValueError) as wrong:
            if not self._is_told:
                _log.warning("the log %s lacks calls: %s", shown(self._path, 200), shown(wrong))
            self._is_told = True

    def _row(self, request: Message, verdict: Verdict, guard: Guard | None) -> Message:
        """Return what a line says."""
        params = object_of(request.get("params"))
        name = str(params.get("name"))
        arguments: Any = params.get("arguments", {})
        meta: Message = {"time": datetime.now(UTC).isoformat(timespec="milliseconds")}
        meta |= {"outcome": verdict.action, "reason": verdict.reason}
        row: Message = {}
        if guard is not None:
            row["catalog"] = self._tools_of(guard)
            arguments = guard.shown_arguments(name, arguments)
            if verdict.action == "repair":
                given = guard.shown_arguments(verdict.name, dict(verdict.arguments))
                meta["sent"] = {"name": verdict.name, "arguments": given}
        call = {"name": name, "arguments": arguments}
        sequence = {"jsonrpc": "2.0", "id": request.get("id"), "method": "tools/call"}
        return row | {"sequence": {**sequence, "params": call}, "meta": meta}

    def _tools_of(self, guard: Guard) -> str:
        """Return the name of the file with the tools that a guard knows; it is written before it is named."""
        if guard is not self._guard:
            text = json.dumps({"tools": guard.tools}, indent=1)
            digest = sha256(text.encode()).hexdigest()[:12]
            path = self._path.with_name(f"{self._path.stem}.tools-{digest}.json")
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            beside.write_text(f"{text}\n", "utf-8")
            beside.replace(path)
            self._guard, self._tools = guard, path.name
        return self._tools
