"""Running `refract-asp` in a process of its own, also on a terminal that somebody watches."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waiting import PATIENCE

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
COMMAND = (sys.executable, "-m", "refract_asp")


def finished(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; what it prints is kept."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT, **more}
    return subprocess.run([*COMMAND, *arguments], text=True, check=False, timeout=PATIENCE, **how)


@contextmanager
def started(*arguments: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, which is gone in the end."""
    with subprocess.Popen([*COMMAND, *arguments], env=ENVIRONMENT, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupted_on_a_terminal(pattern: str, *arguments: str) -> tuple[int, str]:
    """Press Ctrl-C when the terminal shows something; return the exit code and standard output."""
    terminal, end = pty.openpty()
    how: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": end}
    with started(*arguments, **how) as process:
        os.close(end)
        seen = ""
        while not re.search(pattern, seen):
            assert select.select([terminal], [], [], PATIENCE)[0], seen[-500:]
            seen += os.read(terminal, 65536).decode("utf-8", "replace")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
    os.close(terminal)
    return process.returncode, output.decode()
