"""In front of tools: a decorator for functions, and a hook for loops of agents."""

from refract_asp.integrations.answering import answers
from refract_asp.integrations.decision import CallDecision, Decision, Policy
from refract_asp.integrations.decorator import guarded
from refract_asp.integrations.hook import Hook

__all__ = ["CallDecision", "Decision", "Hook", "Policy", "answers", "guarded"]
