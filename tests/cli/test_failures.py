"""What goes wrong gives a message and an exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from refract_asp.errors import FormatError
from refract_asp.resources import catalog_names
from waiting import PATIENCE

Run = Callable[..., Result]

ERRORS = {
    "no such file": ("solve none.txt --catalog travel", ["none.txt", "no such file"]),
    "a folder": ("solve . --catalog travel", ["folder"]),
    "no such catalog": ("solve good.txt --catalog travl", ["travl", *catalog_names()]),
    "no such catalog file": (
        "solve good.txt --catalog x/travel.yaml",
        ["x/travel.yaml", *catalog_names()],
    ),
    "no such memory": (
        "solve good.txt --catalog travel --memory m.json",
        ["m.json", "no such file"],
    ),
    "no such cost model": (
        "solve good.txt --catalog travel --cost-model cheap",
        ["cheap", "default"],
    ),
    "no such cost model file": ("solve good.txt --catalog travel --cost-model my.lp", ["my.lp"]),
    "no such encoding": ("solve good.txt --catalog travel --encoding my.lp", ["my.lp"]),
    "no such folder": ("solve good.txt --catalog travel --encodings there", ["there"]),
    "no such format": ("solve good.txt --catalog travel --from morse", ["morse"]),
    "no such output format": ("solve good.txt --catalog travel --to morse", ["morse"]),
    "no such constant": ("solve good.txt --catalog travel -c nothing=1", ["nothing"]),
    "not a pair": ("solve good.txt --catalog travel -c nothing", ["nothing", "NAME=VALUE"]),
    "not a number": ("solve good.txt --catalog travel -c w=much", ["much", "whole number"]),
    "standard input twice": ("solve - --catalog travel --memory -", ["standard input"]),
    "not a sequence": ("solve bad.txt --catalog travel", ["bad.txt"]),
    "not UTF-8": ("solve binary.txt --catalog travel", ["binary.txt"]),
    "not a memory": ("check good.txt --catalog travel --memory bad.txt", ["bad.txt"]),
    "not a catalog": ("check good.txt --catalog bad.txt", ["bad.txt"]),
    "output to a folder": ("solve good.txt --catalog travel -o .", ["folder"]),
    "output into nothing": ("solve good.txt --catalog travel -o there/answer", ["there", "folder"]),
    "no such tool": (
        "catalog show travel --tool SkyScraperSearchAirport",
        ["SkyScrapperSearchAirport"],
    ),
    "catalog check": ("catalog check bad.txt", ["bad.txt"]),
}
USAGE = [
    "solve",
    "solve good.txt",
    "solve good.txt --catalog",
    "solve good.txt --catalog travel --confirm maybe",
    "solve good.txt --catalog travel --max-tries 0",
    "solve good.txt --catalog travel --time-limit -1",
    "solve good.txt --catalog travel --format json --to nestful",
    "solve good.txt --catalog travel --format json --emit diff",
    "solve good.txt --catalog travel --emit diff --to nestful",
    "solve good.txt --catalog travel --frobnicate",
    "repair good.txt",
    "facts good.txt --catalog travel --program solve",
]


@pytest.fixture(autouse=True)
def _bad_files(folder: Path) -> None:
    (folder / "bad.txt").write_text("{{{ [ ) not \x1b[31m anything", encoding="utf-8")
    (folder / "binary.txt").write_bytes(b"\xff\xfe\x00\x80")


@pytest.mark.parametrize(("arguments", "told"), ERRORS.values(), ids=ERRORS.keys())
def test_bad_input_is_told(run: Run, arguments: str, told: list[str]) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert "internal" not in result.stderr
    assert result.stderr.replace("\n", "").isprintable()
    for part in told:
        assert part in result.stderr


@pytest.mark.parametrize("arguments", USAGE)
def test_bad_usage_is_told(run: Run, arguments: str) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


def test_standard_input_is_named_as_the_place(run: Run) -> None:
    result = run("solve - --catalog travel", b"\xff")
    assert result.stderr.startswith("error: standard input: this is not UTF-8 at byte 0.")
    result = run("solve - --catalog travel", "{{{ [ )")
    assert result.stderr.startswith("error: standard input")


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff"])
def test_nothing_at_all_is_not_valid(run: Run, folder: Path, content: str) -> None:
    """As when the program that should have written the calls has died."""
    (folder / "empty.txt").write_text(content, encoding="utf-8")
    for command in ("check", "solve", "compress", "facts", "graph", "tags", "run --dry-run"):
        name, _, more = command.partition(" ")
        for source, stdin in (("empty.txt", None), ("-", content)):
            result = run(f"{name} {source} --catalog travel {more}", stdin)
            assert (result.exit_code, result.stdout) == (2, "")
            place = "standard input" if source == "-" else "empty.txt"
            assert result.stderr.startswith(
                f"error: {place}: it is empty. See whether the program that should have filled it failed"
            )
    assert run("tags good.txt --catalog travel --truth empty.txt").exit_code == 2
    assert run("plan from-sequence empty.txt").exit_code == 2
    assert (
        run("check good.txt --catalog travel --history empty.txt").exit_code == 0
    )  # no call was made yet


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", ["[]", '{"role": "assistant", "content": "I cannot do that."}', "# nothing to do\n"]
)
def test_no_calls_are_valid_with_a_note(run: Run, content: str) -> None:
    for command in ("check", "solve"):
        result = run(f"{command} - --catalog travel", content)
        assert result.exit_code == 0
        assert result.stdout.startswith("valid")
        assert "note: 0 calls: nothing was judged.\n" in result.stdout
    assert "nothing was judged" in run("solve - --catalog travel --format json", content).stdout
    assert "nothing was judged" not in run("solve good.txt --catalog travel").stdout
    assert "nothing was judged" not in run("check - --catalog hr --goal concur", "[]").stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_an_empty_pipe_is_no_sequence_either(folder: Path) -> None:
    """As bash makes it of `check <(command)`."""
    for text, code in (('a = SkyScrapperSearchAirport(query="x")', 0), ("", 2), ("[]", 0)):
        source, target = os.pipe()
        os.write(target, text.encode())
        os.close(target)
        command = [
            sys.executable,
            "-m",
            "refract_asp",
            "check",
            f"/dev/fd/{source}",
            "--catalog",
            "travel",
        ]
        done = subprocess.run(command, pass_fds=[source], capture_output=True, text=True)
        os.close(source)
        assert done.returncode == code
        assert text or f"/dev/fd/{source}: it is empty" in done.stderr


def test_a_message_of_several_lines_stays_so(run: Run, answer: Any) -> None:
    answer(FormatError("first\nsecond\x1b[31m"))
    result = run("solve good.txt --catalog travel")
    assert (result.exit_code, result.stderr) == (2, "error: first\nsecond[31m\n")


def test_an_internal_error_is_one_line(run: Run, answer: Any) -> None:
    answer(ZeroDivisionError("at the \x1b[31m heart"))
    result = run("solve good.txt --catalog travel")
    assert result.exit_code == 70
    assert result.stderr.startswith("internal error: ZeroDivisionError: at the [31m heart")
    assert "--traceback" in result.stderr
    assert result.stderr.count("\n") == 1
    result = run("--traceback solve good.txt --catalog travel")
    assert result.exit_code == 70
    assert "Traceback" in result.stderr
    assert "test_failures" not in result.stdout


def test_an_interrupt_is_quiet(run: Run, answer: Any) -> None:
    answer(KeyboardInterrupt())
    result = run("solve good.txt --catalog travel")
    assert (result.exit_code, result.output) == (130, "")


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
ENTRIES = {
    "command": "from refract_asp.cli import main; sys.exit(main())",
    "module": "runpy.run_module('refract_asp', run_name='__main__')",
}


def _pressed(
    entry: str, imported: str, handler: str = "default_int_handler"
) -> tuple[int, str, str]:
    program = PRESSED.format(imported=imported, handler=handler) + ENTRIES[entry]
    done = subprocess.run(
        [sys.executable, "-c", program, "solve", "good.txt", "--catalog", "travel"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("imported", ["typer", "refract_asp.cli.solve", "pydantic", "clingo"])
def test_an_interrupt_while_the_program_loads_is_quiet(
    folder: Path, entry: str, imported: str
) -> None:
    assert _pressed(entry, imported) == (130, "", "pressed")


@pytest.mark.slow
def test_an_interrupt_while_a_command_loads_more_is_quiet(folder: Path) -> None:
    assert _pressed("command", "yaml") == (130, "", "pressed")


@pytest.mark.slow
def test_an_interrupt_that_is_ignored_stays_so(folder: Path) -> None:
    code, printed, complained = _pressed("command", "pydantic", handler="SIG_IGN")
    assert (code, complained) == (0, "pressed")
    assert printed.startswith("valid")


def test_what_the_system_refuses_is_told(run: Run, answer: Any) -> None:
    answer(PermissionError(13, "Permission denied", "secret.json"))
    result = run("solve good.txt --catalog travel")
    assert (result.exit_code, result.stderr) == (2, "error: secret.json: permission denied.\n")


def _process(*arguments: str, stdout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "refract_asp.cli", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("solve no_date.txt --catalog travel", 3),
        ("check no_date.txt --catalog travel", 1),
        ("--help", 0),
    ],
)
def test_a_reader_that_has_gone_is_no_mistake(folder: Path, arguments: str, code: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = _process(*arguments.split(), stdout=writing)
    finally:
        os.close(writing)
    assert done.stderr == ""
    if "--help" not in arguments:
        assert done.returncode == code


@pytest.mark.slow
def test_a_process_of_its_own(folder: Path) -> None:
    done = _process("solve", "no_date.txt", "--catalog", "travel", stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.startswith("needs_input: ")


def test_starting_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, refract_asp\n"
        "before = set(sys.modules)\n"
        "import refract_asp.cli.app\n"
        "heavy = {'rich', 'clingo', 'yaml', 'rapidfuzz', 'refract_asp.model', 'refract_asp.formats'}\n"
        "print(*heavy & (set(sys.modules) - before), *{'jinja2'} & set(sys.modules))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, env=env
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")


def test_tags_read_standard_input_once(run: Run) -> None:
    result = run("tags good.txt --catalog travel --truth - --memory -")
    assert result.exit_code == 2
    assert "only one input can be read from standard input" in result.stderr
