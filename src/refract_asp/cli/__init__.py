"""The command line: one module per command group, each thin over the API."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from importlib import import_module

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["loading", "main"]

INTERRUPTED = 130
WORKER = "refract-asp"
"""The thread in which clingo may still ground something for which nobody waits; the process ends all the same."""


@contextmanager
def loading() -> Iterator[None]:
    """
    Load modules: Ctrl-C ends the process at once, as there is nothing to clean up yet.

    As an exception it would come up inside an import, where it may be printed and forgotten, or become
    another error.
    """
    import signal
    import threading

    # only the main thread hears signals
    is_main = threading.current_thread() is threading.main_thread()
    is_ours = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    """Run `refract-asp` with the arguments of the process; exits with the code that the command ends in."""
    import sys
    import threading

    with loading():
        from refract_asp.cli.app import COMMANDS, app

        if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
            import_module(f"refract_asp.cli.{COMMANDS[sys.argv[1]][0]}")
    code: object = None
    try:
        app(prog_name="refract-asp")
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SystemExit as error:
        code = error.code
    if isinstance(code, int) and any(each.name == WORKER for each in threading.enumerate()):
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)
    raise SystemExit(code)
