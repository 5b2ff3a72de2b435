"""Runs calls of tools: each gets its answer, whatever the tool does."""

from __future__ import annotations

from refract_asp.ports import lazily

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
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

__getattr__, __dir__ = lazily(__name__)
