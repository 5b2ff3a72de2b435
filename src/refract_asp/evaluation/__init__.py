"""
How good calls and repairs are: many sequences judged, systems run over cases, two runs side by side, reports.

    from refract_asp.evaluation import analyse, summarise

    summary = summarise(analyse(Path("traces.jsonl"), Path("tools.yaml")))

    from refract_asp.evaluation import Refract, nearest, read_cases, run, unchanged

    systems = {"refract": Refract(), "none": unchanged, "nearest": nearest}
    found = run(read_cases(Path("cases.jsonl")), systems)

See docs/batch.md and docs/evaluation.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refract_asp.evaluation import answering, cases, engine, page, reports, rows, summary
    from refract_asp.evaluation.cases import Broken, Case, read_cases, write_cases
    from refract_asp.evaluation.cost_models import Comparer, Comparison, compare
    from refract_asp.evaluation.engine import analyse
    from refract_asp.evaluation.rows import Row, read_row, read_rows
    from refract_asp.evaluation.runs import Run, RunRow, misses_of, read_run, run
    from refract_asp.evaluation.summary import (
        RunSummary,
        Summary,
        restored_share,
        summarise,
        summary_of,
    )
    from refract_asp.evaluation.systems import (
        Answer,
        Recorded,
        Refract,
        Score,
        System,
        nearest,
        score_of,
        unchanged,
    )
    from refract_asp.evaluation.versus import Versus, compare_rows, compare_runs

__all__ = ["answering", "cases", "engine", "page", "reports", "rows", "summary"]
__all__ += ["Broken", "Case", "read_cases", "write_cases"]
__all__ += ["Comparer", "Comparison", "analyse", "compare"]
__all__ += ["Row", "RunSummary", "Summary", "read_row", "read_rows"]
__all__ += ["Run", "RunRow", "misses_of", "read_run", "run"]
__all__ += ["Score", "restored_share", "score_of", "summarise", "summary_of"]
__all__ += ["Answer", "Recorded", "Refract", "System", "nearest", "unchanged"]
__all__ += ["Versus", "compare_rows", "compare_runs"]

_NAMES = {
    "cases": "Broken Case read_cases write_cases",
    "cost_models": "Comparer Comparison compare",
    "engine": "analyse",
    "rows": "Row read_row read_rows",
    "runs": "Run RunRow misses_of read_run run",
    "summary": "RunSummary Summary restored_share summarise summary_of",
    "systems": "Answer Recorded Refract Score System nearest score_of unchanged",
    "versus": "Versus compare_rows compare_runs",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load what is asked for: reading cases needs no solver."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULE_OF.get(name, name)}")
    return getattr(module, name) if name in _MODULE_OF else module
