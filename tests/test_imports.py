"""What is not asked for is not loaded: start-up time counts."""

import subprocess
import sys

import pytest

ABSENT = [
    ("refract_asp", "refract_asp.bench"),
    ("refract_asp", "refract_asp.model"),
    ("refract_asp.cli.app", "refract_asp.bench"),
    ("refract_asp.bench.evaluation", "refract_asp.bench.mutations"),
    ("refract_asp.evaluation.cases", "jinja2"),
    ("refract_asp.evaluation.runs", "jinja2"),
    ("refract_asp.formats as f; f.load_sequence('T()')", "yaml"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("imported", "absent"), ABSENT)
def test_imports(imported: str, absent: str) -> None:
    code = f"import sys, {imported}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
