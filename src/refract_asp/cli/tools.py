"""Finding the functions of tools that the command line names as `module:registry`."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST_TEXT, InputError, shown

if TYPE_CHECKING:
    from refract_asp.runtime.tools import Tools

__all__ = ["read_tools"]

HINT = "Name them as in --tools my_tools:registry; modules are looked for in the working directory, too."


def read_tools(name: str) -> Tools:
    """
    Import a module and return the tools that it holds.

    Args:
        name: `module:registry`, where the registry is a mapping of names to functions, a list of functions,
            `Tools` or a module; or a module alone, whose functions in `__all__` are meant.

    Raises:
        InputError: there is no such module, it cannot be imported, or it holds no such thing.
    """
    from refract_asp.runtime.tools import Tools

    path, _, attribute = name.partition(":")
    where = f"--tools {shown(name)}"
    steps = [*path.split("."), *(attribute.split(".") if attribute else ())]
    if not all(step.isidentifier() for step in steps):
        raise InputError("this is not module:registry.", where=where, hint=HINT)
    found = _imported(path, where)
    try:
        for step in attribute.split(".") if attribute else ():
            if not hasattr(found, step):
                raise InputError(f"{shown(path)} holds no {shown(step)!r}.", where=where, hint=HINT)
            found = getattr(found, step)
        if isinstance(found, ModuleType):
            found = _functions(found, where)
        if isinstance(found, str | bytes) or not isinstance(found, Mapping | Iterable):
            kind = shown(type(found).__name__)
            hint = "It has to be a mapping of names to functions, a list of functions, or Tools."
            raise InputError(f"this is a value of type {kind}.", where=where, hint=hint)
        return Tools(found)
    except InputError as error:
        raise InputError(error.what, where=where, hint=error.hint) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a registry may run code of the module when it is looked at
        raise InputError(f"the registry cannot be read: {_said(error)}", where=where) from None


def _imported(path: str, where: str) -> Any:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and (path == error.name or path.startswith(f"{error.name}.")):
            raise InputError(f"there is no module {shown(path)!r}.", where=where, hint=HINT) from None
        raise _broken(error, where) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the module does, it is not a mistake of this program
        raise _broken(error, where) from None


def _broken(error: BaseException, where: str) -> InputError:
    return InputError(f"the module cannot be imported: {_said(error)}", where=where)


def _said(error: BaseException) -> str:
    return f"{shown(type(error).__name__)}: {shown(error, LONGEST_TEXT)}"


def _functions(module: ModuleType, where: str) -> dict[str, Any]:
    """Return what a module names in `__all__` and can be called."""
    names = getattr(module, "__all__", None)
    if not isinstance(names, list | tuple):
        hint = "Name a registry inside of it, or give it an __all__."
        raise InputError("the module has no __all__.", where=where, hint=hint)
    found = {str(name): getattr(module, str(name), None) for name in names}
    from refract_asp.runtime.tools import Bound

    return {name: each for name, each in found.items() if callable(each) or isinstance(each, Bound)}
