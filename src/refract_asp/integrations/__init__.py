"""In front of tools: a decorator for functions, and a hook for loops of agents."""

from refract_asp.integrations.decorator import guarded
from refract_asp.integrations.hook import CallDecision, Decision, Hook, Policy, answers

__all__ = ["CallDecision", "Decision", "Hook", "Policy", "answers", "guarded"]
