"""Runs a program under several seeds of Python's hashes, on which no answer may depend."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def printed(code: str) -> str:
    """Return what a program prints, the same under each seed; what it fails of is shown."""
    found = set()
    path = os.pathsep.join(filter(None, (str(ROOT / "tests"), os.environ.get("PYTHONPATH"))))
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    (text,) = found
    return text
