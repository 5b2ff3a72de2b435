"""Diagnostics of the real sequences of NESTFUL: none where nothing is wrong, one for each fault else."""

import json
from pathlib import Path

import pytest

from refract_asp import Catalog, Refractor

pytestmark = pytest.mark.data


@pytest.mark.parametrize(("name", "valid"), [("executable", 77), ("glaive", 127)])
def test_gold_without_faults_has_no_diagnostics(data_dir: Path, name: str, valid: int) -> None:
    """D16: no false alarms, and every fault of the others is told, what they return included."""
    folder = data_dir / "nestful"
    refractor = Refractor(Catalog.load(folder / f"{name}-spec.json"))
    rows = json.loads((folder / f"{name}-data.json").read_text(encoding="utf-8"))
    reports = list(map(refractor.check, rows))
    assert sum(report.verdict == "valid" for report in reports) == valid
    for report in reports:
        assert (report.diagnostics() == ()) is (report.verdict == "valid")
        assert (report.tags().faults == ()) is (report.verdict == "valid")


def test_generated_errors_are_told_in_words(data_dir: Path) -> None:
    """Each of the 400 broken sequences has a diagnostic that says what to change or to try."""
    folder = data_dir / "nestful"
    specs = {name: folder / f"{name}-spec.json" for name in ("executable", "glaive")}
    refractors = {name: Refractor(Catalog.load(spec)) for name, spec in specs.items()}
    lines = (folder / "generated_errors.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 400
    for line in lines:
        row = json.loads(line)
        found = refractors[row["source"]].check(row["broken"]).diagnostics()
        assert found
        assert all(each.fix or each.tip for each in found)
