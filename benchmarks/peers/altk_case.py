"""
Runs one case by the refraction of agent-lifecycle-toolkit; `altk.py` starts this in the peer's environment.

Reads {"calls": [...], "tools": [...], "memory": {...}} as JSON from standard input, calls and tools in the
shapes of NESTFUL. Writes {"lines": [...], "seconds": ..., "determination": ..., "error": ...} to standard
output. Needs nothing of refract-asp.
"""

import json
import os
import sys
import time

# What the library prints while it works goes to standard error.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from altk.pre_tool.refraction.src.main import refract_sequence_object  # noqa: E402
from altk.pre_tool.refraction.src.printer import CustomPrint  # noqa: E402
from nestful import Catalog, SequencingData  # noqa: E402


def main() -> None:
    case = json.load(sys.stdin)
    memory = case["memory"]
    start = time.perf_counter()
    try:
        catalog = Catalog(apis=case["tools"])
        sequence = SequencingData(output=case["calls"])
        start = time.perf_counter()
        result = refract_sequence_object(
            sequence, catalog, episodes=[], memory_objects=memory, memory_steps=SequencingData()
        )
        seconds = time.perf_counter() - start
        plan = result.report.planner_response.best_plan
        text = ""
        if plan:
            text = CustomPrint().pretty_print_plan(
                plan, memory=memory, catalog=catalog, collapse_maps=True
            )
        answer = {
            "lines": text.splitlines(),
            "seconds": seconds,
            "determination": result.report.determination,
            "error": None if plan else "no plan",
        }
    except Exception as error:
        answer = {
            "lines": [],
            "seconds": time.perf_counter() - start,
            "determination": None,
            "error": f"{type(error).__name__}: {error}"[:300],
        }
    json.dump(answer, answers)
    answers.close()


main()
