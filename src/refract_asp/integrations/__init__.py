"""In front of tools: a decorator for functions, a hook for loops of agents, and adapters for frameworks."""

from refract_asp.integrations.decisions import (
    CallDecision,
    Decision,
    Policy,
    ToolCall,
    Validation,
    answers,
)
from refract_asp.integrations.decorator import guarded
from refract_asp.integrations.hook import Hook

__all__ = [
    "CallDecision",
    "Decision",
    "Hook",
    "Policy",
    "ToolCall",
    "Validation",
    "answers",
    "guarded",
]
