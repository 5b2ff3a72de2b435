"""Commands in processes of their own: Ctrl-C, terminals, pipes, readers that have gone, bounds."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import ENVIRONMENT, finished, interrupted_on_a_terminal, started
from waiting import PATIENCE, is_running, until

pytestmark = pytest.mark.slow

# -- Ctrl-C --------------------------------------------------------------------

PRESSED = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.{handler})  # the background of a shell ignores it

class Press:
    def find_spec(self, name, *more):
        if name == {imported!r}:
            sys.meta_path.remove(self)
            os.write(2, b"pressed")
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
"""
"""Presses Ctrl-C when a module is imported."""


def run_python(program: str, words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of Python with arguments to its end."""
    command = [sys.executable, "-c", program, *words.split()]
    how: Any = {"capture_output": True, "text": True, "timeout": PATIENCE, "env": ENVIRONMENT}
    return subprocess.run(command, check=False, **how)


ENTRIES = {
    "command": "from refract_asp.cli import main; sys.exit(main())",
    "module": "runpy.run_module('refract_asp', run_name='__main__')",
}


IMPORTED = [("command", "typer"), ("module", "refract_asp.cli.solve"), ("command", "clingo")]


@pytest.mark.parametrize(("entry", "imported"), IMPORTED)
def test_an_interrupt_while_it_loads_is_quiet(folder: Path, entry: str, imported: str) -> None:
    for handler, wanted in (("default_int_handler", (130, "")), ("SIG_IGN", (0, "valid"))):
        program = PRESSED.format(imported=imported, handler=handler) + ENTRIES[entry]
        done = run_python(program, "solve good.txt --catalog travel")
        assert (done.returncode, done.stdout[:5], done.stderr) == (*wanted, "pressed")


def test_ctrl_c_cancels_what_runs(folder: Path) -> None:
    words = "run good.txt --tools run_tools:slow --catalog travel"
    with started(*words.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, b"Traceback" in errors) == (130, False)


def test_an_interrupted_generation_leaves_nothing_behind(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    words = "bench generate --tools 200 --count 5000 -o made/here"
    with started(*words.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: len(list(folder.rglob("catalogs/*.json"))) > 3, "some cases")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, (b"", b""))
    assert sorted(folder.rglob("*")) == before


COUNTING = [
    "costs compare default refraction many.jsonl --format json",
    "bench run many.jsonl -o run.json",
    "bench run many.jsonl --jobs 2 -o run.json",
    "batch many.jsonl --workers 1 -o out.jsonl",
]


@pytest.mark.parametrize("command", COUNTING)
def test_on_a_terminal_a_bar_counts_and_ctrl_c_keeps_the_rest(folder: Path, command: str) -> None:
    shown = r"/5000.*/s" if command.startswith("batch") else r"[1-9]\d*/5000"
    data = folder / ("examples.jsonl" if command.startswith("costs") else "cases.jsonl")
    case = json.loads(data.read_text().splitlines()[0])
    many = (json.dumps({**case, "id": str(number)}) for number in range(5_000))
    (folder / "many.jsonl").write_text("".join(f"{line}\n" for line in many))
    words = f"{command} --catalog travel"
    code, output = interrupted_on_a_terminal(shown, *words.split())
    assert code == 130
    if command.startswith("costs"):
        found = json.loads(output)
        assert found["interrupted"]
        assert 0 < found["examples"] < 5_000
    elif command.startswith("bench"):
        found = json.loads((folder / "run.json").read_text("utf-8"))
        assert not found["complete"]
        assert 0 < len(found["rows"]) < 5_000
        assert "interrupted: this is what was found so far." in output
    else:
        assert (output, (folder / "out.jsonl.part").exists()) == ("", True)


def children_of(pid: int) -> set[int]:
    """Return the processes below another one."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | children_of(child)
    return found


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_batch_that_was_stopped_goes_on(folder: Path, sign: signal.Signals) -> None:
    many = folder / "traces.jsonl"
    many.write_bytes(many.read_bytes() * 400)
    command = ("batch", "traces.jsonl", "--catalog", "travel", "-o", "out.jsonl")
    part = folder / "out.jsonl.part"
    with started(*command, "--workers", "2", stderr=subprocess.PIPE) as process:
        until(lambda: part.exists() and part.stat().st_size, "the first row")
        below = children_of(process.pid)
        assert len(below) >= 2
        process.send_signal(sign)
        code = process.wait(PATIENCE)
        said = process.stderr.read().decode()
    assert code == (130 if sign is signal.SIGINT else -sign)
    if sign is signal.SIGINT:
        assert ("--resume" in said, "Traceback" in said) == (True, False)
    until(lambda: not any(map(is_running, below)), "the end of all processes")
    assert not (folder / "out.jsonl").exists()
    kept = part.read_bytes().count(b"\n")
    many.write_bytes(b"".join(many.read_bytes().splitlines(keepends=True)[: kept + 7]))
    assert finished(*command, "--workers", "1", "--resume").returncode == 0
    assert finished(*command[:-1], "again.jsonl", "--workers", "1").returncode == 0
    assert (folder / "out.jsonl").read_bytes() == (folder / "again.jsonl").read_bytes()


# -- pipes and terminals -------------------------------------------------------


UNREAD = [
    ("solve no_date.txt --catalog travel", {3}),
    ("batch traces.jsonl --catalog travel --workers 1 -o -", {0}),
    ("--help", {0, 1, 120}),
]


@pytest.mark.parametrize(("arguments", "code"), UNREAD)
def test_a_reader_that_has_gone_is_no_mistake(folder: Path, arguments: str, code: set[int]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = finished(*arguments.split(), stdout=writing)
    os.close(writing)
    assert (done.stderr, done.returncode in code) == ("", True)


PIPED = [('a = SkyScrapperSearchAirport(query="x")', 0), ("", 2), ("[]", 0)]


@pytest.mark.parametrize(("text", "code"), PIPED)
def test_a_pipe_by_name_is_read_once(text: str, code: int) -> None:
    """As bash makes it of `check <(command)`."""
    source, target = os.pipe()
    os.write(target, text.encode())
    os.close(target)
    name = f"/dev/fd/{source}"
    done = finished("check", name, "--catalog", "travel", "--format", "github", pass_fds=[source])
    os.close(source)
    assert done.returncode == code
    assert text or f"{name}: it is empty" in done.stderr


# -- bounds --------------------------------------------------------------------

# a join without end that makes no rule, so that counting rules does not stop it
BITS = "bit(0..9).\n"
JOINED = ", ".join(f"bit({each})" for each in "ABCDEFGHI")
ENDLESS = f"{BITS}n :- {JOINED}, A + B + C + D + E + F + G + H + I > 81.\n"
MEMORY = BITS + "n :- #count { A, B, C, D, E, F, G, H, I : " + JOINED + " } > 2000000000.\n"


def test_isolated_the_answer_and_the_exit_code_are_the_same(folder: Path) -> None:
    for words in ("solve no_date.txt --catalog travel", "costs check nothing"):
        plain = finished(*words.split())
        alone = finished(*words.split(), "--isolate", "--time-limit", f"{PATIENCE:g}")
        assert (alone.stdout, alone.stderr) == (plain.stdout, plain.stderr)
        assert alone.returncode == plain.returncode


@pytest.mark.parametrize("command", ["solve", "check"])
def test_rules_that_ground_without_end_are_stopped(folder: Path, command: str) -> None:
    """By the time limit, or by the memory, whichever comes first."""
    (folder / "endless.lp").write_text(ENDLESS, "utf-8")
    words = "unlabelled.txt --catalog travel --encoding endless.lp --time-limit 0.1 --isolate"
    done = finished(command, *words.split())
    assert done.returncode == 5
    assert "after 10.1 s" in done.stderr or "were not enough" in done.stderr
    assert re.search("ever more atoms", done.stderr)


def test_a_limit_ends_rules_that_ground_without_end(folder: Path) -> None:
    """Nobody waits for clingo, neither for the answer nor for the process to end."""
    (folder / "endless.lp").write_text(ENDLESS.replace("n :-", "n :- in_name(_, _),"), "utf-8")
    words = "unlabelled.txt --catalog travel --encoding endless.lp --time-limit 1"
    done = finished("solve", *words.split())
    assert (done.returncode, "the time ran out" in done.stdout) == (4, True)


BEGUN = """
from refract_asp.cli import main
from refract_asp.rules.program import Program

control = Program.control

def told(self, *given, **more):
    if self.parts.users:
        print("begun", flush=True)
    return control(self, *given, **more)

Program.control = told
main()
"""


@pytest.mark.parametrize("needs", ["", "in_name(_, _),"], ids=["read", "asked"])
def test_ctrl_c_is_heard_while_rules_ground_without_end(folder: Path, needs: str) -> None:
    (folder / "endless.lp").write_text(ENDLESS.replace("n :-", f"n :- {needs}"), "utf-8")
    words = "solve unlabelled.txt --catalog travel --encoding endless.lp"
    command = [sys.executable, "-c", BEGUN, *words.split()]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as process:
        assert process.stdout is not None
        for _ in range(2 if needs else 1):  # it is read before it is asked
            assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, b"Traceback" in errors) == (130, False)


@pytest.mark.skipif(sys.platform == "win32", reason="memory is not bounded there")
def test_memory_is_bounded(folder: Path) -> None:
    """Whoever started the program may have bounded it already; then that counts."""
    script = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20));"
        "sys.argv = ['refract-asp', *sys.argv[1:]]; runpy.run_module('refract_asp', run_name='__main__')"
    )
    (folder / "endless.lp").write_text(MEMORY, "utf-8")
    done = run_python(script, "costs check default --encoding endless.lp --isolate")
    assert done.returncode == 5
    assert "memory" in done.stderr or "broke off" in done.stderr
