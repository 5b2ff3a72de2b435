"""Real dask clusters on this machine."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from waiting import until

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}"}


class Cluster:
    """A scheduler in a process of its own, and workers that join it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        given = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self.scheduler = self._begin("scheduler", *given, environment=environment)
        until(lambda: self.file.is_file() and self.file.stat().st_size, "the scheduler")

    def worker(
        self, *arguments: str, environment: Mapping[str, str] = {}
    ) -> subprocess.Popen[bytes]:
        """Start one more worker; nobody waits for it."""
        given = ["--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder)]
        return self._begin("worker", *given, *arguments, environment=environment)

    def _begin(
        self, what: str, *arguments: str, environment: Mapping[str, str] = {}
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}"]
        command += ["--scheduler-file", str(self.file)]
        with (self.folder / f"{what}.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, *arguments],
                env={**ENVIRONMENT, **environment},
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a worker ends with its nanny
            )
        self.processes.append(process)
        return process

    def kill(self, *processes: subprocess.Popen[bytes]) -> None:
        """End processes and what they started, at once."""
        for process in processes or self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        for process in processes or self.processes:
            process.wait()
