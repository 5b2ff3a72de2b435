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

from processes import ENVIRONMENT, finished
from refract_asp.errors import FormatError, OutOfMemoryError
from waiting import PATIENCE

Run = Callable[..., Result]


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
@pytest.mark.parametrize(
    ("text", "code"), [('a = SkyScrapperSearchAirport(query="x")', 0), ("", 2), ("[]", 0)]
)
def test_an_empty_pipe_is_no_sequence_either(text: str, code: int) -> None:
    """As bash makes it of `check <(command)`."""
    source, target = os.pipe()
    os.write(target, text.encode())
    os.close(target)
    done = finished("check", f"/dev/fd/{source}", "--catalog", "travel", pass_fds=[source])
    os.close(source)
    assert done.returncode == code
    assert text or f"/dev/fd/{source}: it is empty" in done.stderr


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (FormatError("first\nsecond\x1b[31m"), 2, "error: first\nsecond[31m\n"),
        (
            PermissionError(13, "Permission denied", "x.json"),
            2,
            "error: x.json: permission denied.\n",
        ),
        (OutOfMemoryError("it does not suffice."), 5, "error: it does not suffice.\n"),
        (KeyboardInterrupt(), 130, ""),
        (
            ZeroDivisionError("at the \x1b[31m heart"),
            70,
            "internal error: ZeroDivisionError: at the [31m heart (`refract-asp --traceback ...` shows where; "
            "please report it)\n",
        ),
    ],
)
def test_what_is_raised_is_a_message_and_a_code(
    run: Run, answer: Any, raised: BaseException, code: int, told: str
) -> None:
    answer(raised)
    result = run("solve good.txt --catalog travel")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", told)
    assert ("Traceback" in run("--traceback solve good.txt --catalog travel").stderr) is (
        code == 70
    )


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
        capture_output=True, text=True, check=False, timeout=PATIENCE, env=ENVIRONMENT,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    "imported", ["typer", "refract_asp.cli.solve", "pydantic", "clingo", "yaml"]
)
def test_an_interrupt_while_the_program_loads_is_quiet(
    folder: Path, entry: str, imported: str
) -> None:
    assert _pressed(entry, imported) == (130, "", "pressed")


@pytest.mark.slow
def test_an_interrupt_that_is_ignored_stays_so(folder: Path) -> None:
    code, printed, complained = _pressed("command", "pydantic", handler="SIG_IGN")
    assert (code, complained) == (0, "pressed")
    assert printed.startswith("valid")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("solve no_date.txt --catalog travel", {3}),
        ("check no_date.txt --catalog travel", {1}),
        ("--help", {0, 1, 120}),
    ],
)
def test_a_reader_that_has_gone_is_no_mistake(folder: Path, arguments: str, code: set[int]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = finished(*arguments.split(), stdout=writing)
    os.close(writing)
    assert (done.stderr, done.returncode in code) == ("", True)


def test_starting_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, refract_asp\n"
        "before = set(sys.modules)\n"
        "import refract_asp.cli.app\n"
        "heavy = {'rich', 'clingo', 'yaml', 'rapidfuzz', 'refract_asp.model', 'refract_asp.formats'}\n"
        "print(*heavy & (set(sys.modules) - before), *{'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")
