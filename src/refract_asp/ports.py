"""
Reaches functions of other packages by name, so that `model` imports none of them.

A model can be read, printed and reported on (`Catalog.load`, `RepairResult.diff`), which `formats` and
`report` do. The package registers which function is reached under which name; its module is loaded when it
is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from typing import Any

__all__ = ["port", "register"]

_REGISTERED: dict[str, str] = {}


def register(functions: Mapping[str, str]) -> None:
    """Register functions: the name to reach each by, and its module and name as `module:function`."""
    _REGISTERED.update(functions)


@cache
def port(name: str) -> Callable[..., Any]:
    """
    Return the function that is registered under a name.

    Example:
        >>> port("load_memory")({"day": 3}).values
        {'day': 3}
    """
    module, _, function = _REGISTERED[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
