"""Every command that the documents show is run, and gives what they show; their Python runs, too."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from clingo import Control
from typer.testing import CliRunner

from readme import BLOCKS, PRINTED, README, commands
from refract_asp.cli.app import app
from refract_asp.formats.catalog_cache import SETTING

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
PROVEN = 30
"""The exit code of clingo when it has found an optimum."""
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)


def blocks(language: str) -> list[Any]:
    """Return the document and the text of each block, named by its number in the document."""
    found = []
    for document in DOCUMENTS:
        matches = BLOCK.findall((ROOT / document).read_text("utf-8"))
        texts = [text for written_in, text in matches if written_in == language]
        for number, text in enumerate(texts, 1):
            found.append(pytest.param(document, text, id=f"{document}:{number}"))
    return found


def shown_commands(block: str) -> list[tuple[str, str]]:
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


@pytest.mark.slow
@pytest.mark.parametrize(("document", "block"), blocks("console"))
def test_commands(document: str, block: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(SETTING, str(tmp_path / "cache"))
    shutil.copytree(ROOT / "docs" / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / "encodings").symlink_to(ROOT / "encodings")
    for command, shown in shown_commands(block):
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


@pytest.mark.slow
@pytest.mark.parametrize(("document", "block"), blocks("python"))
def test_python(
    document: str, block: str, tmp_path: Path, monkeypatch: Any, capsys: Any, snapshot: Any
) -> None:
    # who reads the first page has no checkout yet
    monkeypatch.chdir(tmp_path if document == "README.md" else ROOT)
    exec(compile(block, document, "exec", dont_inherit=True), {"__name__": document})
    printed = capsys.readouterr().out.splitlines()[:12]  # one prints a whole cost model
    if printed:
        assert "\n".join(printed) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_a_block_of_the_readme_runs_in_an_empty_folder(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    """As `tests/wheel_smoke.py` has them run by a shell, with the installed wheel."""
    monkeypatch.chdir(tmp_path)
    language, text = BLOCKS[name]
    assert len(text.splitlines()) <= 6
    if language == "python":
        exec(compile(text, name, "exec"), {"__name__": name})
        printed = capsys.readouterr().out
    else:
        printed = "".join(map(in_a_shell, commands(text)))
    for each in PRINTED[name]:
        assert each in printed


def in_a_shell(command: str) -> str:
    """Run a command of ours, or an `echo` into a file."""
    program, *words = shlex.split(command)
    if program == "echo":
        text, arrow, name = words
        assert arrow == ">"
        Path(name).write_text(f"{text}\n", "utf-8")
        return ""
    output, code = run(command)
    assert code == (1 if words[0] == "check" else 0), command
    return output


def test_the_figures_of_the_readme_were_measured() -> None:
    (part,) = re.findall(r"^## Why not something else$.*?(?=^When not)", README, re.M | re.S)
    measured = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    figures = re.findall(r"(?<![\w.])\d+(?:[.,]\d+)*(?: m?s\b| %)?", part)
    assert len(figures) > 10
    for figure in figures:
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", measured), figure


def test_the_demo_installs_the_package_alone(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    make = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=True)
    demo, test = (make(["make", "--dry-run", target]).stdout for target in ("demo", "test"))
    assert re.findall("--editable .*", demo) == ["--editable ."]
    assert re.findall("--editable .*", test) == ["--editable '.[dev]'"]
    (tmp_path / ".venv").mkdir()
    for stamp in (".made", ".package", ".ready"):  # after `make test`
        (tmp_path / ".venv" / stamp).touch()
    assert "pip" not in make(["make", "--dry-run", "demo"]).stdout


def test_links() -> None:
    """Every relative link of a document leads to a file."""
    for document in [*DOCUMENTS, "CONTRIBUTING.md", "encodings/README.md", "benchmarks/README.md"]:
        text = (ROOT / document).read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"


@pytest.mark.slow
def test_the_demo_is_a_command_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `make demo` runs it; the others are run without a process of their own."""
    monkeypatch.chdir(ROOT)
    program = str(Path(sys.executable).with_name("refract-asp"))
    done = subprocess.run([program, "demo"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == run("refract-asp demo")
    solved = run("refract-asp solve docs/examples/demo.txt --catalog travel")
    assert run("refract-asp demo") == solved


PRINTED_BY = {"--emit", "--to", "--why-not", "--prompt", "--words", "--max-tokens", "--answer"}
PRINTED_BY |= {"-o"}
"""Options of `solve` with a value that say how an answer is printed, and nothing about the question."""
SHOWN_BY = {"--explain", "--yes", "--next-best"}
"""... and those without one."""


def questions() -> list[str]:
    """Return what the documents have repaired, without how the answer is printed."""
    found = {}
    for _, block in (each.values for each in blocks("console")):
        for program, *words in (shlex.split(command) for command, _ in shown_commands(block)):
            if program == "refract-asp" and words[0] in ("solve", "compress"):
                told = {n for n, word in enumerate(words) if word in PRINTED_BY | SHOWN_BY}
                told |= {n + 1 for n in told if words[n] in PRINTED_BY}
                asked = [word for n, word in enumerate(words) if n and n not in told]
                level = ["--level", "cheapest"] if words[0] == "compress" else []
                found[shlex.join([*asked, *level])] = "maps.yaml" not in asked  # one is made first
    return [question for question, is_whole in found.items() if is_whole]


@pytest.mark.slow
def test_plain_clingo_pays_as_much_for_what_the_documents_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever model, constant, goal, house rule or pattern of one's own a document gives."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs" / "examples", tmp_path, dirs_exist_ok=True)
    asked = questions()
    assert len(asked) > 30
    for question in asked:
        result = json.loads(run(f"refract-asp solve {question} --format json")[0])
        printed, _ = run(f"refract-asp facts {question} --command -o FACTS")
        words = shlex.split(printed)[1:]
        files = [word for word in words if word.endswith(".lp")]
        options = [word for word in words if word not in (*files, "FACTS", "-c")]
        control = Control([word if word[0] == "-" else f"-c {word}" for word in options])
        for name in (*files, "FACTS"):
            control.load(name)
        control.ground([("base", [])])
        paid: dict[str, int] = {}
        with control.solve(yield_=True) as answers:
            for model in answers:
                paid = dict(zip(map(str, model.priority), model.cost, strict=True))
            assert answers.get().exhausted, question
        # clingo tells no empty level
        assert {level: paid.get(level, 0) for level in result["total"]} == result["total"], question
