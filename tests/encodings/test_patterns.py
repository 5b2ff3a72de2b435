"""recovery/*.lp: each is a pattern on its own, so a set without one of them still answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from test_plain_clingo import SEEDS

from refract_asp import Catalog, Refractor
from refract_asp.resources import encodings_path

PATTERNS = sorted(path.name for path in (encodings_path() / "recovery").glob("*.lp"))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_set_without_the_pattern_answers(pattern: str, tmp_path: Path, catalog: Catalog) -> None:
    """With a repair of what it answers otherwise, or with none: never with an error."""
    folder = tmp_path / "set"
    shutil.copytree(encodings_path(), folder)
    (folder / "recovery" / pattern).write_text("% Nothing is recovered this way.\n", "utf-8")
    fewer = Refractor(catalog, encodings_dir=folder)
    for given in SEEDS.values():
        result = fewer.repair(given)
        assert result.verdict in ("repaired", "needs_input", "unrepairable")
        if result.verdict == "repaired":
            assert fewer.check(result.sequence).verdict == "valid"
    missing = SEEDS["missing step"]
    assert fewer.repair(missing, goals=["field flightId"]).verdict != "valid"
