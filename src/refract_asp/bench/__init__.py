"""Synthetic libraries and problems, mutations of sequences, and the evaluation of repairs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refract_asp.bench.bridge import break_cases
    from refract_asp.bench.mutations import mutate, mutate_many
    from refract_asp.bench.problems import benchmark, evaluate, execute, get_example, grade

__all__ = ["benchmark", "break_cases", "evaluate", "execute", "get_example", "grade"]
__all__ += ["mutate", "mutate_many"]

# Where each public name is; a part is loaded when it is asked for.
_PARTS = {"break_cases": "bridge", "mutate": "mutations", "mutate_many": "mutations"}
_PARTS |= dict.fromkeys(("benchmark", "evaluate", "execute", "get_example", "grade"), "problems")


def __getattr__(name: str) -> Any:
    """Load the part that holds a public name."""
    if name in _PARTS:
        return getattr(import_module(f"refract_asp.bench.{_PARTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
