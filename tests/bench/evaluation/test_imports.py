"""What is not asked for is not loaded: start-up time counts."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("refract_asp", "refract_asp.bench"),
        ("refract_asp", "refract_asp.model"),
        ("refract_asp.cli.app", "refract_asp.bench"),
        ("refract_asp.bench.evaluation", "refract_asp.bench.mutations"),
        ("refract_asp.evaluation.cases", "jinja2"),
        ("refract_asp.evaluation.runs", "jinja2"),
    ],
)
def test_imports(imported: str, absent: str) -> None:
    code = f"import sys, {imported}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_named_is_there() -> None:
    from refract_asp.bench import evaluation

    for name in evaluation.__all__:
        assert getattr(evaluation, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        evaluation.nothing  # noqa: B018
