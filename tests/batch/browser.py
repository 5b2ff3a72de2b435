"""A headless Chromium, driven over a pair of pipes with its own protocol."""

from __future__ import annotations

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
    fixed = "/usr/bin/chromium"
    found = (shutil.which(each) for each in ("chromium", "chromium-browser", "google-chrome"))
    return fixed if Path(fixed).exists() else next((each for each in found if each), None)


class Browser:
    """A browser with one tab; `events` are those that it told since the last page was opened."""

    def __init__(self, folder: Path) -> None:
        """Start it, with a profile of its own in `folder`."""
        from_browser, to_us = os.pipe()
        from_us, to_browser = os.pipe()
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
        self._in, self._out = from_browser, to_browser
        self._buffer = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        page = next(
            each for each in self.send("Target.getTargets")["targetInfos"] if each["type"] == "page"
        )
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """Stop it."""
        self._session = None
        try:
            self.send("Browser.close")
            self._process.wait(10)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
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
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, path: Path, *, width: int = 1280, height: int = 900, fragment: str = "") -> None:
        """Open a page and wait until it is ready."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.send("Page.navigate", url="about:blank")
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri() + fragment)
        self.wait("document.documentElement?.dataset.ready === 'yes'")

    def value(self, script: str) -> Any:
        """Return what a script gives, once it is settled."""
        answer = self.send(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until a condition holds in the page."""
        until(lambda: self.value(condition), condition)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key: one of those that have names."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key)
        common = {"key": key, "windowsVirtualKeyCode": codes[key], "modifiers": 8 if shift else 0}
        down = {
            **common,
            "type": "keyDown" if text else "rawKeyDown",
            **({"text": text} if text else {}),
        }
        self.send("Input.dispatchKeyEvent", **down)
        self.send("Input.dispatchKeyEvent", **common, type="keyUp")

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Take a picture of what is seen, or of the whole page."""
        import base64

        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    @property
    def requests(self) -> list[str]:
        """Whatever was asked for, beside the page itself; the page asks for no network."""
        found = [
            each["params"]["request"]["url"]
            for each in self.events
            if each.get("method") == "Network.requestWillBeSent"
        ]
        return found[1:]

    @property
    def complaints(self) -> list[str]:
        """What the console and the log said, and exceptions."""
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [
            json.dumps(each["params"])[:500] for each in self.events if each.get("method") in names
        ]

    def _next(self) -> dict[str, Any]:
        """Return the next message."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], PATIENCE)
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._in, 1 << 20)
            if not data:
                raise EOFError("the browser has gone")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found
