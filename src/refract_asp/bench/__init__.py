"""Synthetic libraries and problems, mutations of sequences, and the evaluation of repairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.ports import lazily

if TYPE_CHECKING:
    from refract_asp.bench.bridge import break_cases
    from refract_asp.bench.mutations import mutate, mutate_many
    from refract_asp.bench.problems import benchmark, evaluate, execute, get_example, grade

__all__ = ["benchmark", "break_cases", "evaluate", "execute", "get_example", "grade"]
__all__ += ["mutate", "mutate_many"]

__getattr__, __dir__ = lazily(__name__)
