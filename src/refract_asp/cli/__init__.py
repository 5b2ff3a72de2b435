"""The command line: one module per command group, each thin over the API."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module

from refract_asp.cli.late import INTERRUPTED, loading

__all__ = ["main"]

# The thread in which clingo may still ground something for which nobody waits; the process ends all
# the same.
WORKER = "refract-asp"


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
