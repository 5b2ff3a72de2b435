"""Writing answers: files in one step, colours only where wanted."""

import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from refract_asp.cli.output import json_text, say, use_color, write
from refract_asp.resources import catalog_path

from .conftest import Run


def test_a_file_is_written_in_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    write("é\u202e😀", str(path))
    assert path.read_bytes() == "é\u202e😀\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_permissions_stay_or_follow_the_mask(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("")
    old.chmod(0o640)
    write("x", str(old))
    write("x", str(new))
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~mask


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write("new", str(link))
    assert link.is_symlink()
    assert target.read_text() == "new\n"


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answer"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="No space"):
        write("new", str(path))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_safe_and_the_same() -> None:
    data = {"é": ["\x1b[31m\u202e\U000e0001\ud800", "😀", 1.5, None]}
    text = json_text(data)
    assert json.loads(text) == data
    assert "é" in text
    assert "😀" in text
    assert text.replace("\n", "").isprintable()


COLOURS: list[tuple[str, bool, dict[str, str], bool]] = [
    ("always", False, {"NO_COLOR": "1"}, True),
    ("never", True, {}, False),
    ("auto", True, {}, True),
    ("auto", True, {"NO_COLOR": ""}, True),
    ("auto", True, {"NO_COLOR": "1"}, False),
    ("auto", True, {"TERM": "dumb"}, False),
    ("auto", False, {}, False),
    ("auto", False, {"FORCE_COLOR": "1"}, True),
    ("auto", False, {"FORCE_COLOR": ""}, False),
    ("auto", False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ("never", False, {"FORCE_COLOR": "1"}, False),
]


@pytest.mark.parametrize("case", COLOURS, ids=str)
def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch, case: Any) -> None:
    choice, terminal, variables, wanted = case
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert use_color(choice, None) is wanted
    assert use_color(choice, "file") is (choice == "always")


def test_it_is_known_when_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_text: str) -> None:
        raise BrokenPipeError

    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert say("x")
        pipe = SimpleNamespace(write=gone, encoding="", fileno=out.fileno)
        monkeypatch.setattr("sys.stdout", pipe)
        assert not say("x")
    monkeypatch.setattr("sys.stdout", None)
    assert not say("x")


ENDINGS = [
    ("solve right.txt --catalog travel", "answer.json", '{\n  "schema_version": 1'),
    ("solve right.txt --catalog travel", "answer.TXT", "valid"),
    ("solve right.txt --catalog travel", "answer", "valid"),
    ("solve right.txt --catalog travel --format text", "answer.json", "valid"),
    ("solve right.txt --catalog travel --emit calls", "calls.json", "var1 = "),
    ("check right.txt --catalog travel", "found.sarif", '{\n  "$schema"'),
    ("catalog show travel", "tools.json", '{\n  "schema_version": 1'),
    ("catalog maps travel", "maps.json", "["),
    ("catalog maps travel", "maps.yml", "- "),
]


@pytest.mark.parametrize(("command", "name", "begins"), ENDINGS)
def test_the_ending_says_what_is_written(
    run: Run, inputs: Path, command: str, name: str, begins: str
) -> None:
    assert run(f"{command} -o {name}").exit_code == 0
    assert (inputs / name).read_text("utf-8").startswith(begins)


def test_a_file_that_cannot_be_written_is_called_as_it_was_named(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(source: Path, _target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(source))

    monkeypatch.setattr("os.replace", refused)
    assert run("costs list -o found.txt").stderr == "error: found.txt: permission denied.\n"
    assert not [*folder.glob("*found*")]


READS = (Path(__file__).parent / "reads.txt").read_text("utf-8").splitlines()
CALLS = 'var1 = SkyScrapperSearchAirport(query="London")\n'


@pytest.fixture
def inputs(folder: Path) -> Path:
    """Write a file of each kind that commands read."""
    (folder / "tools.yaml").write_text(catalog_path("travel").read_text("utf-8"), "utf-8")
    row = json.dumps({"sequence": [CALLS], "expected": [CALLS]})
    (folder / "data.jsonl").write_text(f"{row}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("line", READS)
def test_no_command_writes_over_what_it_reads(run: Run, inputs: Path, line: str) -> None:
    command, _, name = line.partition(" | ")
    before = (inputs / name).read_bytes()
    result = run(f"{command} ./{name}" if "convert" in command else f"{command} -o ./{name}")
    assert result.exit_code == 2
    assert "this file is read, too. Write to another file." in result.stderr
    assert (inputs / name).read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_another_name_of_what_is_read_is_no_other_file(run: Run, inputs: Path) -> None:
    (inputs / "link.txt").symlink_to(inputs / "right.txt")
    os.link(inputs / "right.txt", inputs / "hard.txt")
    for name in ("link.txt", "hard.txt", inputs / "right.txt"):
        assert run(f"check right.txt --catalog travel -o {name}").exit_code == 2
    assert (inputs / "right.txt").read_text("utf-8") == CALLS


def test_calls_may_be_repaired_in_their_file(run: Run, inputs: Path) -> None:
    slip = inputs / "slip.txt"
    for wanted in ("--emit calls", "--to pretty"):
        slip.write_text(CALLS.replace("query", "qury"), encoding="utf-8")
        assert run(f"solve slip.txt --catalog travel {wanted} -o slip.txt").exit_code == 0
        assert slip.read_text("utf-8") == CALLS
    assert run("compress slip.txt --catalog travel --emit calls -o slip.txt").exit_code == 0
    assert slip.read_text("utf-8") == CALLS
    assert run("plan format plan.js -o plan.js").exit_code == 0


def test_what_is_asked_of_plain_clingo(run: Run) -> None:
    given = "unlabelled.txt --catalog travel"
    command = run(f"facts {given} --command -o facts.lp").output.split()
    names = [Path(word).name for word in command[:4]]
    assert names == ["clingo", "repair.lp", "default.lp", "facts.lp"]
    assert Path("facts.lp").read_text("utf-8") == run(f"facts {given}").output
    for line in (f"facts {given} --emit", f"solve {given} --emit"):
        assert "milliseconds" in json.loads(run(f"{line} stats").output)
        assert "penalty(" in run(f"{line} ground").output
    assert run(f"facts {given} --command --emit stats").exit_code == 2


def test_of_several_files_those_that_can_be_read_are_checked(run: Run, inputs: Path) -> None:
    (inputs / "cut.txt").write_text("a = (")
    found = run("check cut.txt right.txt unlabelled.txt --catalog travel")
    assert found.exit_code == 2
    assert "right.txt: valid" in found.output
    assert "error: cut.txt:1" in found.stderr
    assert run("check cut.txt --catalog travel").exit_code == 2
    # what is wrong with the tools is said once
    assert run("check right.txt cut.txt --catalog nothing.json").stderr.count("error") == 1
