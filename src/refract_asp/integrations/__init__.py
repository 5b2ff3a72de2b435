"""In front of tools: a decorator for functions, and a hook for loops of agents."""

from refract_asp.integrations.decision import CallDecision, Decision, Policy, answers
from refract_asp.integrations.decorator import guarded
from refract_asp.integrations.hook import Hook

__all__ = ["CallDecision", "Decision", "Hook", "Policy", "answers", "guarded"]
