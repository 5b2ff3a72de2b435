"""`refract-asp bench mutate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from refract_asp.bench.mutations import KINDS
from refract_asp.evaluation.cases import read_cases

Run = Callable[..., Result]

GOOD = "bench mutate good.txt --catalog travel"


def test_what_is_broken_is_told(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run(f"{GOOD} --kind tool_name,lost_constant,wrapped,several_values,repeated_call")
    assert result.exit_code == 0
    assert result.stdout == snapshot


def test_mixes_are_told(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run(f"{GOOD} --mix 2 --count 2 --seed some")
    assert result.exit_code == 0
    assert result.stdout == snapshot


def test_cases_are_written_and_read_back(run: Run, folder: Path) -> None:
    assert run(f"{GOOD} --count 3 -o broken").exit_code == 0
    cases = list(read_cases(folder / "broken" / "cases.jsonl"))
    assert len({case.id for case in cases}) == len(cases) > 10
    assert not any(case.is_right for case in cases)
    assert {case.kind for case in cases} <= set(KINDS)
    rows = [json.loads(line) for line in run(f"{GOOD} --count 3 --format json").stdout.splitlines()]
    told = list(read_cases(rows))
    assert [(c.id, c.sequence, c.expected, c.open) for c in told] == [
        (c.id, c.sequence, c.expected, c.open) for c in cases
    ]


def test_files_of_cases_are_broken(run: Run, folder: Path) -> None:
    right = {"id": "a", "sequence": "x = SkyScrapperSearchAirport(query=1)"}
    good = {"id": "b", "sequence": (folder / "good.txt").read_text("utf-8")}
    lines = "\n".join(
        json.dumps({"catalog": "travel", "expected": [], **row}) for row in (right, good)
    )
    (folder / "cases.jsonl").write_text(lines, encoding="utf-8")
    result = run("bench mutate cases.jsonl --mix 2 -o out.jsonl")
    assert result.exit_code == 0
    assert "left out: a: something is wrong with it already" in result.stderr
    assert result.stdout == "1 case: out.jsonl\n"
    (case,) = read_cases(folder / "out.jsonl")
    assert (case.id, case.kind, len(case.mutations)) == ("b/mix/0", "mix", 2)
    assert case.dials["mutations"] == 2


def test_the_kinds_are_listed(run: Run) -> None:
    result = run("bench mutate --list")
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if not line.startswith(" ")] == [
        f"{kind.name} ({kind.family})" for kind in KINDS.values()
    ]
    assert max(map(len, result.stdout.splitlines())) <= 80
