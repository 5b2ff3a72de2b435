"""
Compares what people do about faulty calls, on the NESTFUL gold broken once for each kind of mistake.

A schema validator judges each call by the JSON Schema of its tool, as a check of arguments does; references are
left out, as no schema knows them. `nearest` puts the nearest declared name in the place of each undeclared one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from jsonschema import Draft202012Validator

from measuring import HERE, Figure, finished, options_of
from refract_asp import Catalog, Sequence
from refract_asp.evaluation.cases import read_cases
from refract_asp.model import Constant


def said(*words: str) -> str:
    """Run a command of the package and return what it prints."""
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=True
    ).stdout


def validators(catalog: Catalog) -> dict[str, Any]:
    """Return a validator of the arguments of each tool."""
    found = {}
    for each in catalog.dump("openai"):
        tool = each["function"]
        found[tool["name"]] = Draft202012Validator(
            {"additionalProperties": False, **tool["parameters"]}
        )
    return found


def is_flagged(sequence: Sequence, known: dict[str, Any]) -> bool:
    """Whether a schema validator finds something wrong with a call, beside what refers to something."""
    for call in sequence.calls:
        if call.name not in known or call.malformed is not None:
            return True
        plain = {n: each.value for n, each in call.arguments.items() if isinstance(each, Constant)}
        for error in known[call.name].iter_errors(plain):
            missing = error.validator == "required" and error.message.split("'")[1]
            if not missing or missing not in call.arguments:
                return True
    return False


def main() -> int:
    arguments = options_of(__doc__, limit=0).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gold, broken = Path(folder, "cases.jsonl"), Path(folder, "broken.jsonl")
        said(str(HERE / "nestful_cases.py"), folder)
        said("-m", "refract_asp", "bench", "mutate", str(gold), "-o", str(broken))
        limit = ["--limit", str(arguments.limit)] if arguments.limit else []
        words = [
            "bench",
            "run",
            str(broken),
            "--system",
            "refract,nearest",
            "--format",
            "json",
            *limit,
        ]
        found = json.loads(said("-m", "refract_asp", *words))
        cases = list(read_cases(broken))[: arguments.limit or None]
        right = list(read_cases(gold))
    known: dict[int, dict[str, Any]] = {}
    seconds, flagged, alarms = [], 0, 0
    for case in cases:
        judging = known.setdefault(id(case.catalog), validators(case.catalog))
        start = time.perf_counter()
        flagged += is_flagged(case.sequence, judging)
        seconds.append(time.perf_counter() - start)
    alarms = sum(is_flagged(case.sequence, validators(case.catalog)) for case in right)
    figures = [Figure("cases", len(cases))]
    for system, each in found["overall"]["figures"].items():
        for share in ("detected", "restored"):
            told = each["shares"][share]
            figures.append(Figure(f"{system}: {share} (%)", 100 * told["count"] / told["of"]))
        figures.append(Figure(f"{system}: p50 (ms)", 1000 * each["repair"]["p50"]))
    figures += [
        Figure("schema: detected (%)", 100 * flagged / len(cases)),
        Figure("schema: gold flagged", alarms),
        Figure("schema: p50 (ms)", 1000 * median(seconds)),
    ]
    return finished(arguments.json, figures)


if __name__ == "__main__":
    sys.exit(main())
