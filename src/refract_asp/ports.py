"""
Reaches functions and classes by name, so that `model` imports none of the packages above it.

A model can be read, printed and reported on (`Catalog.load`, `RepairResult.diff`), which `formats` and
`report` do. Their modules are loaded when something of them is first asked for, and so are the public names of
packages. Patterns are compiled so, too.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from re import compile as regex
    from typing import Any

__all__ = ["lazily", "port", "regex"]


@cache
def port(name: str) -> Any:
    """
    Return what is registered under a name in `ports.json`, which says what each module is asked for.

    Example:
        >>> port("load_memory")({"day": 3}).values
        {'day': 3}
    """
    from refract_asp.resources import packaged

    modules = packaged("ports.json").items()
    module = next(module for module, names in modules if name in names.split())
    return getattr(import_module(f"refract_asp.{module}"), name)


def lazily(
    package: str, modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """
    Return `__getattr__` and `__dir__` of a package whose parts are loaded when they are first asked for.

    Args:
        package: its name.
        modules: the names that each module holds, with spaces between; None for those of `public.json`.
    """
    if modules is None:
        from refract_asp.resources import packaged

        modules = packaged("public.json")[package]
    module_of = {name: module for module, names in modules.items() for name in names.split()}
    parts = {module.rpartition(".")[2]: module for module in modules}
    own = vars(sys.modules[package])

    def load(name: str) -> Any:
        if name not in {**parts, **module_of}:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"refract_asp.{module_of.get(name) or parts[name]}")
        found = own[name] = getattr(module, name) if name in module_of else module
        return found

    return load, lambda: sorted({*own, *parts, *module_of})


class LateRegex:
    """
    A regular expression that is compiled when it is first used.

    Example:
        >>> regex("[a-c]+").fullmatch("abc")[0]
        'abc'
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Return what the compiled pattern has of this name, which is looked up once."""
        import re

        found = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, found)
        return found


if not TYPE_CHECKING:
    regex = LateRegex
