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
    from refract_asp.evaluation.cases import Broken, Case, case_line, read_cases, write_cases
    from refract_asp.evaluation.cost_models import Comparer, Comparison, compare
    from refract_asp.evaluation.engine import (
        analyse,
        engine_of,
        entries_of,
        question_of,
        record,
        workers_here,
    )
    from refract_asp.evaluation.figures import RunSummary, Summary
    from refract_asp.evaluation.page import summary_page
    from refract_asp.evaluation.recording import part_of
    from refract_asp.evaluation.reports import (
        compared_text,
        lint_annotations,
        lint_lines,
        run_text,
        summary_markdown,
        summary_text,
        verdict_on,
        versus_markdown,
        versus_text,
    )
    from refract_asp.evaluation.rows import Row, read_row, read_rows, times_of
    from refract_asp.evaluation.runs import Run, RunRow, misses_of, read_run, run
    from refract_asp.evaluation.scoring import Score, score_of
    from refract_asp.evaluation.summary import MOST, restored_share, summarise, summary_of
    from refract_asp.evaluation.systems import Answer, Recorded, Refract, System, nearest, unchanged
    from refract_asp.evaluation.versus import Versus, compare_rows, compare_runs

__all__ = [
    "MOST",
    "Answer",
    "Broken",
    "Case",
    "Comparer",
    "Comparison",
    "Recorded",
    "Refract",
    "Row",
    "Run",
    "RunRow",
    "RunSummary",
    "Score",
    "Summary",
    "System",
    "Versus",
    "analyse",
    "case_line",
    "compare",
    "compare_rows",
    "compare_runs",
    "compared_text",
    "engine_of",
    "entries_of",
    "lint_annotations",
    "lint_lines",
    "misses_of",
    "nearest",
    "part_of",
    "question_of",
    "read_cases",
    "read_row",
    "read_rows",
    "read_run",
    "record",
    "restored_share",
    "run",
    "run_text",
    "score_of",
    "summarise",
    "summary_markdown",
    "summary_of",
    "summary_page",
    "summary_text",
    "times_of",
    "unchanged",
    "verdict_on",
    "versus_markdown",
    "versus_text",
    "workers_here",
    "write_cases",
]

_MODULES = {
    "cases": "Broken Case case_line read_cases write_cases",
    "cost_models": "Comparer Comparison compare",
    "engine": "analyse engine_of entries_of question_of record workers_here",
    "figures": "RunSummary Summary",
    "page": "summary_page",
    "recording": "part_of",
    "reports": "compared_text lint_annotations lint_lines run_text summary_markdown summary_text "
    "verdict_on versus_markdown versus_text",
    "rows": "Row read_row read_rows times_of",
    "runs": "Run RunRow misses_of read_run run",
    "scoring": "Score score_of",
    "summary": "MOST restored_share summarise summary_of",
    "systems": "Answer Recorded Refract System nearest unchanged",
    "versus": "Versus compare_rows compare_runs",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load what is asked for: reading cases needs no solver."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
