"""Runs calls of tools: each gets its answer, whatever the tool does."""

from refract_asp.runtime.outcomes import CallOutcome, Event, Run
from refract_asp.runtime.running import run, run_async
from refract_asp.runtime.steps import Agreement, Question
from refract_asp.runtime.tools import Tools, bind

__all__ = ["Agreement", "CallOutcome", "Event", "Question", "Run", "Tools", "bind", "run", "run_async"]
