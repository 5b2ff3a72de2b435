"""Every command that the documents show is run, and gives what they show; their Python runs, too."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from refract_asp.caching import SETTING
from refract_asp.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
PROVEN = 30
"""The exit code of clingo when it has found an optimum."""
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)


def blocks(language: str) -> list[tuple[str, int, str]]:
    found = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        found += [
            (document, text[: match.start()].count("\n") + 1, match[2])
            for match in BLOCK.finditer(text)
            if match[1] == language
        ]
    return found


def commands(block: str) -> list[tuple[str, str]]:
    """Split a console block into commands and what is shown of their output."""
    joined = re.sub(r"\\\n\s*", "", block)  # a command may go on after a backslash
    parts = re.split(r"^\$ (.*)\n", joined, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def run(command: str) -> tuple[str, int]:
    program, *arguments = shlex.split(command)
    if program == "cat":
        return Path(arguments[0]).read_text("utf-8"), 0
    if program == "refract-asp":
        result = CliRunner().invoke(app, arguments, prog_name=program)
        assert result.stderr == "", result.stderr
        return result.stdout, result.exit_code
    assert arguments[:2] == ["-m", "clingo"], command
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    return done.stdout, done.returncode


@pytest.mark.parametrize(
    ("document", "line", "block"), [pytest.param(*b, id=f"{b[0]}:{b[1]}") for b in blocks("console")]
)
def test_commands(
    document: str, line: int, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(SETTING, str(tmp_path / "cache"))
    shutil.copytree(ROOT / "docs" / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / "encodings").symlink_to(ROOT / "encodings")
    for command, shown in commands(block):
        output, code = run(command)
        assert code in (0, 1, 3) or (code == PROVEN and "-m clingo" in command), command
        wanted = re.sub(r"^\[exit code (\d)\]\n", "", shown, flags=re.M)
        codes = re.findall(r"^\[exit code (\d)\]$", shown, flags=re.M)
        assert not codes or [str(code)] == codes, command
        if command.startswith("cat") or "--emit" in command:
            assert output.rstrip() == wanted.rstrip(), command
        elif wanted.strip():
            assert_contains(output, wanted)


def assert_contains(output: str, wanted: str) -> None:
    """
    What a document shows of an output may leave lines out, but every line of it must be there.

    `...` stands for some that are left out.
    """
    lines = output.splitlines()
    shown = [line for line in wanted.rstrip().splitlines() if line != "..."]
    for line in shown:
        assert line in lines, line
    if len(shown) < len(wanted.rstrip().splitlines()):
        assert len(shown) < len(lines), "nothing is left out"


@pytest.mark.parametrize(
    ("document", "line", "block"), [pytest.param(*b, id=f"{b[0]}:{b[1]}") for b in blocks("python")]
)
def test_python(document: str, line: int, block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(block, f"{document}:{line}", "exec"), {"__name__": document})


def test_links() -> None:
    """Every relative link of a document leads to a file."""
    for document in [*DOCUMENTS, "CONTRIBUTING.md", "encodings/README.md", "benchmarks/README.md"]:
        text = (ROOT / document).read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"


def test_the_demo_is_a_command_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `make demo` runs it; the others are run without a process of their own."""
    monkeypatch.chdir(ROOT)
    command = "refract-asp solve docs/examples/demo.txt --catalog travel"
    program = Path(sys.executable).with_name("refract-asp")
    done = subprocess.run([str(program), *command.split()[1:]], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == run(command)
