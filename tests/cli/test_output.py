"""Writing answers: files in one step, colours only where wanted."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from refract_asp.cli.output import json_text, use_color, write
from refract_asp.errors import InputError
from refract_asp.resources import catalog_path


def test_a_file_is_written_in_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    write("é\u202e😀", str(path))
    assert path.read_bytes() == "é\u202e😀\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_answer_is_an_empty_file(tmp_path: Path) -> None:
    write("", str(tmp_path / "answer"))
    assert (tmp_path / "answer").read_bytes() == b""


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


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_device_is_written_to() -> None:
    write("x", os.devnull)
    assert not Path(os.devnull).is_file()


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


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        write("x", str(tmp_path))


def test_json_is_safe_and_the_same() -> None:
    data = {"é": ["\x1b[31m\u202e\U000e0001\ud800", "😀", 1.5, None]}
    text = json_text(data)
    assert json.loads(text) == data
    assert "é" in text
    assert "😀" in text
    assert text.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("choice", "terminal", "variables", "wanted"),
    [
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
        ("auto", True, {}, True),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", False, {}, False),
    ],
)
def test_colour_is_for_terminals(
    monkeypatch: pytest.MonkeyPatch,
    choice: str,
    terminal: bool,
    variables: dict[str, str],
    wanted: bool,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert use_color(choice, None) is wanted
    assert use_color(choice, "file") is (choice == "always")


CALLS = 'var1 = SkyScrapperSearchAirport(query="London")\n'
READ = {
    "seq.txt": [
        "check seq.txt --catalog travel", "solve seq.txt --catalog travel",
        "solve seq.txt --catalog travel --format json", "solve seq.txt --catalog travel --emit diff",
        "compress seq.txt --catalog travel", "tags seq.txt --catalog travel",
        "tags good.txt --truth seq.txt --catalog travel", "facts seq.txt --catalog travel",
        "graph seq.txt --catalog travel", "run seq.txt --catalog travel --dry-run",
        "solve good.txt --catalog travel --history seq.txt", "plan from-sequence seq.txt",
        "solve good.txt --catalog travel --emit calls --history seq.txt",
        "bench mutate seq.txt --catalog travel",
        "catalog maps travel --learn seq.txt",
    ],
    "tools.yaml": [
        "check good.txt --catalog tools.yaml", "solve good.txt --catalog tools.yaml --to nestful",
        "catalog show tools.yaml", "catalog maps tools.yaml", "run good.txt --catalog tools.yaml --dry-run",
        "costs compare default prune data.jsonl --catalog tools.yaml",
        "bench generate --catalog tools.yaml",
    ],
    "memory.json": ["check good.txt --catalog travel --memory memory.json"],
    "goals.yaml": ["solve good.txt --catalog travel --goals goals.yaml"],
    "maps.yaml": [
        "solve good.txt --catalog travel --mappings maps.yaml", "catalog maps travel --merge maps.yaml"
    ],
    "rules.lp": [
        "check good.txt --catalog travel --encoding rules.lp", "costs check default --encoding rules.lp",
        "solve good.txt --catalog travel --cost-model ./rules.lp", "costs show rules.lp",
    ],
    "own/check.lp": [
        "check good.txt --catalog travel --encodings own", "costs list --encodings own"
    ],
    "words.txt": ["solve no_date.txt --catalog travel --prompt suggestions --words @words.txt"],
    "plan.js": ["plan check plan.js", "plan stages plan.js", "plan to-sequence plan.js"],
    "data.jsonl": [
        "batch data.jsonl --catalog travel", "costs compare default prune data.jsonl --catalog travel",
        "costs fit data.jsonl --catalog travel",
    ],
}  # fmt: skip


@pytest.fixture
def inputs(folder: Path) -> Path:
    """Write a file of each kind that commands read."""
    texts = {
        "seq.txt": CALLS,
        "tools.yaml": catalog_path("travel").read_text("utf-8"),
        "memory.json": "{}",
        "goals.yaml": "[]",
        "maps.yaml": "[]",
        "rules.lp": "% nothing\n",
        "own/check.lp": "% nothing\n",
        "words.txt": "Find a hotel.",
        "plan.js": "return f({a: 1});",
        "data.jsonl": json.dumps({"sequence": [CALLS], "expected": [CALLS]}) + "\n",
    }
    (folder / "own").mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "command"), [(n, each) for n, all_ in READ.items() for each in all_]
)
def test_no_command_writes_over_what_it_reads(
    run: Callable[..., Result], inputs: Path, name: str, command: str
) -> None:
    before = (inputs / name).read_bytes()
    result = run(f"{command} -o ./{name}")
    assert result.exit_code == 2
    assert "this file is read, too. Write to another file." in result.stderr
    assert (inputs / name).read_bytes() == before


def test_a_catalog_is_not_converted_onto_itself(run: Callable[..., Result], inputs: Path) -> None:
    assert run("catalog convert tools.yaml tools.yaml --to openai").exit_code == 2
    assert run("catalog convert tools.yaml new.json --to openai").exit_code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_another_name_of_what_is_read_is_no_other_file(
    run: Callable[..., Result], inputs: Path
) -> None:
    (inputs / "link.txt").symlink_to(inputs / "seq.txt")
    os.link(inputs / "seq.txt", inputs / "hard.txt")
    for name in ("link.txt", "hard.txt", inputs / "seq.txt"):
        assert run(f"check seq.txt --catalog travel -o {name}").exit_code == 2
    assert (inputs / "seq.txt").read_text("utf-8") == CALLS


def test_calls_may_be_repaired_in_their_file(run: Callable[..., Result], inputs: Path) -> None:
    slip = inputs / "slip.txt"
    for wanted in ("--emit calls", "--to pretty"):
        slip.write_text(CALLS.replace("query", "qury"), encoding="utf-8")
        assert run(f"solve slip.txt --catalog travel {wanted} -o slip.txt").exit_code == 0
        assert slip.read_text("utf-8") == CALLS
    assert run("compress slip.txt --catalog travel --emit calls -o slip.txt").exit_code == 0
    assert slip.read_text("utf-8") == CALLS
    assert run("plan format plan.js -o plan.js").exit_code == 0


def test_what_one_command_writes_the_next_one_reads(
    run: Callable[..., Result], inputs: Path
) -> None:
    assert run("catalog show travel --format json -o shown.json").exit_code == 0
    assert run("check seq.txt --catalog travel -o report.txt").exit_code == 0
    assert run("check seq.txt --catalog travel -o report.txt").exit_code == 0
    assert run("solve seq.txt --catalog travel --to nestful -o calls.json").exit_code == 0
    assert run("check calls.json --catalog travel").exit_code == 0
