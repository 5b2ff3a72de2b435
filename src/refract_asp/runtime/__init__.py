"""Runs calls of tools: each gets its answer, whatever the tool does."""

from refract_asp.runtime.failures import Failure, Mapper, Reply, default_mapper, plain_mapper
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
from refract_asp.runtime.running import run, run_async
from refract_asp.runtime.scripts import Agreement, Question
from refract_asp.runtime.tools import Tools, bind

__all__ = [
    "Agreement",
    "CallOutcome",
    "Event",
    "Failure",
    "Invoker",
    "Mapper",
    "Question",
    "Reply",
    "Run",
    "Tools",
    "bind",
    "default_mapper",
    "invoke",
    "invoke_async",
    "invoke_no_args",
    "invoke_no_args_async",
    "invoke_with_args",
    "invoke_with_args_async",
    "plain_mapper",
    "run",
    "run_async",
]
