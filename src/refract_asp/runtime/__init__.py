"""Runs calls of tools: each gets its answer, whatever the tool does."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from typing import Any

    from refract_asp.errors import ToolError
    from refract_asp.runtime.invoker import (
        Invoker,
        invoke,
        invoke_async,
        invoke_no_args,
        invoke_no_args_async,
        invoke_with_args,
        invoke_with_args_async,
    )
    from refract_asp.runtime.outcomes import CallOutcome, Event, Run
    from refract_asp.runtime.replies import (
        Failure,
        Mapper,
        Reply,
        default_mapper,
        messages_of,
        plain_mapper,
    )
    from refract_asp.runtime.running import run, run_async
    from refract_asp.runtime.scripts import Agreement, Question
    from refract_asp.runtime.tools import Tools, bind, encoded

__all__ = ["Agreement", "CallOutcome", "Event", "Question", "Run", "run", "run_async"]
__all__ += ["Failure", "Invoker", "Mapper", "Reply", "default_mapper", "plain_mapper"]
__all__ += ["invoke", "invoke_no_args", "invoke_with_args"]
__all__ += ["invoke_async", "invoke_no_args_async", "invoke_with_args_async"]
__all__ += ["ToolError", "Tools", "bind", "encoded", "messages_of"]

_MODULES = {
    "errors": "ToolError",
    "runtime.invoker": "Invoker invoke invoke_async invoke_no_args invoke_no_args_async invoke_with_args"
    " invoke_with_args_async",
    "runtime.outcomes": "CallOutcome Event Run",
    "runtime.replies": "Failure Mapper Reply default_mapper messages_of plain_mapper",
    "runtime.running": "run run_async",
    "runtime.scripts": "Agreement Question",
    "runtime.tools": "Tools bind encoded",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load the part that holds a public name when it is asked for."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"refract_asp.{_MODULE_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
