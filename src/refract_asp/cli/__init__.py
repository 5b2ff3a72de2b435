"""The command line: one module per command group, each thin over the API."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run `refract-asp` with the arguments of the process; exits with the code that the command ends in."""
    try:
        from refract_asp.cli.app import app

        app(prog_name="refract-asp")
    except KeyboardInterrupt:
        raise SystemExit(130) from None
