"""The command line: one module per command group, each thin over the API."""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["main"]

INTERRUPTED = 130


def main() -> None:
    """Run `refract-asp` with the arguments of the process; exits with the code that the command ends in."""
    try:
        app = _loaded()
        app(prog_name="refract-asp")
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _loaded() -> Any:
    """
    Load the table of commands, and the one that is called; Ctrl-C ends the process at once.

    There is nothing to clean up yet. As an exception it would come up inside an import, where it may be
    printed and forgotten, or become another error.
    """
    import signal
    import sys

    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if is_ours:
            signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    except ValueError:  # this is not the main thread, which alone hears signals
        is_ours = False
    try:
        from refract_asp.cli.app import COMMANDS, app

        if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
            import_module(f"refract_asp.cli.{COMMANDS[sys.argv[1]][0]}")
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return app
