"""The commands by which docs/scale.md tries a cluster on one machine."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
COUNTS = "8 sequences: 2 valid, 4 repaired, 1 in need of input, 1 unrepairable.\n"
COUNTS += "To look at it: refract-asp batch report out.jsonl\n"


@pytest.mark.slow
def test_a_cluster_on_one_machine(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "scale.md").read_text("utf-8")
    (block,) = re.findall(r"^```sh\n(dask scheduler .*?)^```$", text, re.M | re.S)
    shutil.copy(ROOT / "docs" / "examples" / "traces.jsonl", tmp_path)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with (tmp_path / "log").open("wb") as log:  # scheduler and workers say there what they do
        shell = subprocess.Popen(
            # any port, as another cluster may run on this machine
            ["bash", "-c", block.replace("dask scheduler", "dask scheduler --port 0", 1)],
            cwd=tmp_path,
            env={**os.environ, "PATH": programs, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    try:
        code = shell.wait(PATIENCE)
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        out, _ = shell.communicate()
    assert (code, out.decode()) == (0, COUNTS), (tmp_path / "log").read_text("utf-8")
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 8
