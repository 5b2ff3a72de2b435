"""
Lets the planning-based refraction of agent-lifecycle-toolkit repair cases, each in a process of its own.

    make peer                                          # its environment, once: .venv-altk, 0.8 GB
    python benchmarks/peers/altk.py CASES.jsonl [--tools given|whole] [--limit 60] [-o ANSWERS.jsonl]
    refract-asp bench run CASES.jsonl --answers altk=ANSWERS.jsonl

A case that takes longer than the limit is killed, with all that it started, and answered by an error. `given`
offers the tools that the sequence and what is expected of it name; `whole` the whole catalog.
The rows are
{"id", "answer", "seconds", "verdict", "meta"}; the seconds are those of the repair alone, in the child.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from refract_asp.errors import RefractError
from refract_asp.evaluation.cases import Case, read_cases

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from measuring import options_of, p50  # noqa: E402

ENVIRONMENT = ROOT / ".venv-altk" / "bin" / "python"
CHILD = Path(__file__).with_name("altk_case.py")


def question(case: Case, whole: bool) -> dict[str, Any]:
    """Return what the child reads of a case."""
    named = {call.name for call in (*case.sequence.calls, *case.expected.calls)}
    catalog = case.catalog if whole else case.catalog.filter(named & case.catalog.by_name.keys())
    memory = case.memory.values if case.memory is not None else {}
    return {
        "calls": case.sequence.dump("nestful"),
        "tools": catalog.dump("nestful"),
        "memory": dict(memory),
    }


def ask(python: Path, data: dict[str, Any], limit: float) -> dict[str, Any]:
    """Let a child answer, and kill it with all that it started when the limit is over."""
    start = time.perf_counter()
    # -P: what lies beside the child, this very file among it, must not stand for the peer's modules.
    with tempfile.TemporaryFile("w+") as told, subprocess.Popen(
        [str(python), "-P", str(CHILD)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True, start_new_session=True,
    ) as child:  # fmt: skip
        try:
            out, _ = child.communicate(json.dumps(data), timeout=limit)
            found: dict[str, Any] = json.loads(out)
        except subprocess.TimeoutExpired:
            found = {"error": f"killed after {limit:g} s"}
        except json.JSONDecodeError:
            told.seek(0)
            last = (told.read().strip().splitlines() or ["nothing said"])[-1]
            found = {"error": f"ended with {child.wait()} and no answer: {last[:200]}"}
        finally:
            _end(child.pid)
    return {"lines": [], "seconds": time.perf_counter() - start, "determination": None, **found}


def _end(group: int) -> None:
    """Kill what the child and its planner left running."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def answered(case: Case, found: dict[str, Any]) -> dict[str, Any]:
    """Return the row of an answer, in the printed form that refract-asp reads."""
    text = "\n".join(found["lines"])
    for name in re.findall(r"^ask\((\w+)\)$", text, flags=re.MULTILINE):
        text = text.replace(f'"${name}$"', name)
    verdicts = {True: "valid", False: "repaired", None: "unknown"}
    row: dict[str, Any] = {
        "id": case.id,
        "answer": text or None,
        "seconds": found["seconds"],
        "verdict": verdicts[found["determination"]],
    }
    return row if found["error"] is None else {**row, "meta": {"error": found["error"]}}


def main() -> int:
    """Answer every case; 2 when the cases or the environment are not there."""
    parser = options_of(__doc__, limit=60.0)
    parser.add_argument("cases", type=Path, metavar="CASES.jsonl")
    parser.add_argument("--tools", choices=("given", "whole"), default="given")
    parser.add_argument(
        "--python", type=Path, default=ENVIRONMENT, help="of the peer's environment"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("/dev/stdout"))
    options = parser.parse_args()
    if not options.python.exists():
        parser.error(f"the peer's environment is not there ({options.python}): run make peer")
    try:
        cases = list(read_cases(options.cases))
    except RefractError as error:
        parser.error(str(error))
    rows = []
    with options.output.open("w", encoding="utf-8") as out:
        for number, case in enumerate(cases, 1):
            found = ask(options.python, question(case, options.tools == "whole"), options.limit)
            rows.append(answered(case, found))
            print(json.dumps(rows[-1]), file=out, flush=True)
            print(f"\r{number} of {len(cases)}", end="", file=sys.stderr)
    seconds = [row["seconds"] for row in rows if row["answer"] is not None]
    told = f"{p50(seconds):.2f} s" if seconds else "-"
    print(f"\n{len(rows)} cases, {len(seconds)} answered, p50 {told}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
