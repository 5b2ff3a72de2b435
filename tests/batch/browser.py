"""A headless Chromium, driven over a pair of pipes with its own protocol."""

import itertools
import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from waiting import PATIENCE, until

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]
_EXEC = """
import os, sys
first, second = (os.dup(os.dup(int(each))) for each in sys.argv[1:3])
os.dup2(first, 3), os.dup2(second, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Puts the pipes where the browser looks for them, and becomes it."""


def program() -> str | None:
    """Return where Chromium is."""
    found = map(
        shutil.which, ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
    )
    return next(filter(None, found), None)


class Browser:
    """A browser with one tab; `events` are those that it told since the last page was opened."""

    def __init__(self, folder: Path) -> None:
        """Start it, with a profile of its own in `folder`."""
        self._in, to_us = os.pipe()
        from_us, self._out = os.pipe()
        command = [str(program()), *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _EXEC, str(from_us), str(to_us), *command],
            pass_fds=(from_us, to_us),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        os.close(from_us)
        os.close(to_us)
        self._buffer = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        pages = self.send("Target.getTargets")["targetInfos"]
        page = next(each for each in pages if each["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """Stop it."""
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its answer; events that come before it are kept."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while (answer := self._next()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        """Return the next message."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], PATIENCE)
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise EOFError("the browser has gone, or does not answer")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def open(
        self, path: Path, *, width: int = 1280, fragment: str = "", mode: str = "light"
    ) -> None:
        """Open a page in light or dark colours and wait until it is ready."""
        wanted = [{"name": "prefers-color-scheme", "value": mode}]
        self.send("Emulation.setEmulatedMedia", features=wanted)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        self.send("Page.navigate", url="about:blank")
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri() + fragment)
        self.wait("document.documentElement?.dataset.ready === 'yes'")

    def value(self, script: str) -> Any:
        """Return what a script gives, once it is settled."""
        how = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        answer = self.send("Runtime.evaluate", expression=script, **how)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until a condition holds in the page."""
        until(lambda: self.value(condition), condition)

    def press(self, key: str) -> None:
        """Press a key: one of those that have names."""
        codes, texts = {"Tab": 9, "Enter": 13, " ": 32}, {"Enter": "\r", " ": " "}
        common: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": codes[key]}
        down = {"type": "keyDown", "text": texts[key]} if key in texts else {"type": "rawKeyDown"}
        self.send("Input.dispatchKeyEvent", **common, **down)
        self.send("Input.dispatchKeyEvent", **common, type="keyUp")

    def told(self, *methods: str) -> list[str]:
        """Return what came of these events."""
        events = [each for each in self.events if each.get("method") in methods]
        return [json.dumps(each["params"])[:500] for each in events]

    @property
    def complaints(self) -> list[str]:
        """What the console and the log said, exceptions, and what was asked for beside the page itself."""
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [*self.told(*names), *self.told("Network.requestWillBeSent")[1:]]
