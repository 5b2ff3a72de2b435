"""
How good repairs are: cases with what is expected, systems that answer them, runs, and reports.

    from refract_asp.bench.evaluation import Refract, nearest, read_cases, run, unchanged

    systems = {"refract": Refract(), "none": unchanged, "nearest": nearest}
    found = run(read_cases(Path("cases.jsonl")), systems)

See docs/evaluation.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refract_asp.bench.evaluation.baselines import nearest
    from refract_asp.bench.evaluation.case import Broken, Case
    from refract_asp.bench.evaluation.cases import read_cases
    from refract_asp.bench.evaluation.recorded import Recorded
    from refract_asp.bench.evaluation.running import run
    from refract_asp.bench.evaluation.runs import Run, RunRow, read_run
    from refract_asp.bench.evaluation.scoring import Score, score_of
    from refract_asp.bench.evaluation.systems import Answer, Refract, System, unchanged
    from refract_asp.bench.evaluation.writing import write_cases

__all__ = [
    "Answer",
    "Broken",
    "Case",
    "Recorded",
    "Refract",
    "Run",
    "RunRow",
    "Score",
    "System",
    "nearest",
    "read_cases",
    "read_run",
    "run",
    "score_of",
    "unchanged",
    "write_cases",
]

_MODULES = {
    "baselines": ("nearest",),
    "case": ("Broken", "Case"),
    "cases": ("read_cases",),
    "recorded": ("Recorded",),
    "runs": ("Run", "RunRow", "read_run"),
    "running": ("run",),
    "scoring": ("Score", "score_of"),
    "systems": ("Answer", "Refract", "System", "unchanged"),
    "writing": ("write_cases",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load what is asked for: reading cases needs no solver."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
