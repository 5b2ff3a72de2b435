"""Runs a command once more in a process of its own, which is stopped when it takes too long or too much."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence

import typer

from refract_asp.cli.output import complain

__all__ = ["isolated"]

PATIENCE = 60.0
"""Seconds for a command without a time limit of its own."""
GRACE = 10.0
"""Seconds beyond the time limit, for reading, printing and starting up."""
MEMORY = 2 * 1024**3
"""Bytes that the process may use, where the system can bound them."""
_ADVICE = "look for rules that make ever more atoms, in the cost model or in files of --encoding."
TOO_MUCH = 5
"""The exit code that says: no answer in time."""


def isolated(wanted: bool, time_limit: float | None = None) -> None:
    """
    Run this very command in a process of its own and exit with its code; do nothing unless it is wanted.

    Grounding cannot be interrupted from within, so rules that ground without end are stopped from outside.
    """
    if not wanted:
        return
    command = [sys.executable, "-m", "refract_asp", *_without_isolate(sys.argv[1:])]
    limit = PATIENCE if time_limit is None else time_limit + GRACE
    bound = _bound_memory if sys.platform != "win32" else None  # elsewhere only the time is bounded
    process = subprocess.Popen(command, preexec_fn=bound)  # noqa: PLW1509 - no other thread runs yet
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        _stop(process)
        complain("error", f"no answer after {limit:g} s, so it was stopped; {_ADVICE}")
        raise typer.Exit(TOO_MUCH) from None
    except KeyboardInterrupt:
        _stop(process)
        raise
    if code < 0:
        complain("error", f"it broke off, most likely since {MEMORY >> 30} GB were not enough; {_ADVICE}")
        raise typer.Exit(TOO_MUCH)
    raise typer.Exit(code)


def _without_isolate(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of the process without the option that led here; behind -- there are none."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [each for number, each in enumerate(arguments) if number > end or each != "--isolate"]


def _bound_memory() -> None:
    import resource

    with contextlib.suppress(ValueError, OSError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
