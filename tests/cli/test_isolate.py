"""`--isolate`: the same command in a process of its own, which is stopped when it takes too long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from processes import ENVIRONMENT, finished
from waiting import PATIENCE

pytestmark = pytest.mark.slow


CALLS = 'var1 = SkyScrapperSearchAirprt(query="x")\n'

# a join without end that makes no rule, so that counting rules does not stop it
BITS = "bit(0..9).\n"
JOINED = ", ".join(f"bit({each})" for each in "ABCDEFGHI")
ENDLESS = f"{BITS}n :- {JOINED}, A + B + C + D + E + F + G + H + I > 81.\n"
MEMORY = BITS + "n :- #count { A, B, C, D, E, F, G, H, I : " + JOINED + " } > 2000000000.\n"
ISOLATED = ("--isolate", "--time-limit", f"{PATIENCE:g}")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "endless.lp").write_text(ENDLESS, "utf-8")
    return finished(*arguments, cwd=folder, input=CALLS)


@pytest.mark.parametrize("command", ["solve", "check"])
def test_the_answer_and_the_exit_code_are_the_same(command: str, tmp_path: Path) -> None:
    arguments = [command, "-", "--catalog", "travel"]
    plain, alone = run(tmp_path, *arguments), run(tmp_path, *arguments, *ISOLATED)
    assert (alone.stdout, alone.stderr, alone.returncode) == (
        plain.stdout,
        plain.stderr,
        plain.returncode,
    )
    assert plain.returncode == {"solve": 0, "check": 1}[command]


def test_mistakes_are_told_as_ever(tmp_path: Path) -> None:
    done = run(tmp_path, "costs", "check", "nothing", "--isolate")
    assert done.returncode == 2
    assert done.stderr.count("error:") == 1


@pytest.mark.parametrize("command", ["solve", "compress", "check"])
def test_rules_that_ground_without_end_are_stopped(command: str, tmp_path: Path) -> None:
    """By the time limit, or by the memory, whichever comes first."""
    words = f"{command} - --catalog travel --encoding endless.lp --time-limit 0.1"
    done = run(tmp_path, *words.split(), "--isolate")
    assert done.returncode == 5
    assert "after 10.1 s" in done.stderr or "were not enough" in done.stderr
    assert "ever more atoms" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="memory is not bounded there")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """Whoever started the program may have bounded it already; then that counts."""
    script = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20));"
        "sys.argv = ['refract-asp', *sys.argv[1:]]; runpy.run_module('refract_asp', run_name='__main__')"
    )
    (tmp_path / "endless.lp").write_text(MEMORY, "utf-8")
    words = ("costs", "check", "default", "--encoding", "endless.lp", *ISOLATED)
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=tmp_path, capture_output=True, text=True,
        check=False, timeout=PATIENCE, env=ENVIRONMENT,
    )  # fmt: skip
    assert done.returncode == 5
    assert "memory" in done.stderr or "broke off" in done.stderr
