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

from typing import TYPE_CHECKING

from refract_asp.ports import lazily

if TYPE_CHECKING:
    from refract_asp.evaluation import answering, cases, engine, page, reports, rows, summary
    from refract_asp.evaluation.cases import Broken, Case, read_cases, write_cases
    from refract_asp.evaluation.cost_models import Comparer, Comparison, compare
    from refract_asp.evaluation.engine import analyse
    from refract_asp.evaluation.rows import Row, read_row, read_rows
    from refract_asp.evaluation.runs import Run, RunRow, misses_of, read_run, run
    from refract_asp.evaluation.summary import RunSummary, Summary, restored_share
    from refract_asp.evaluation.summary import summarise as summarise
    from refract_asp.evaluation.summary import summary_of as summary_of
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

__getattr__, __dir__ = lazily(__name__)
