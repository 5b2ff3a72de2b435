"""Writing answers: files in one step, colours only where wanted."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from refract_asp.cli.options import ColorChoice
from refract_asp.cli.output import json_text, use_color, write
from refract_asp.errors import InputError


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
    monkeypatch: pytest.MonkeyPatch, choice: str, terminal: bool, variables: dict[str, str], wanted: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert use_color(ColorChoice(choice), None) is wanted
    assert use_color(ColorChoice(choice), "file") is (choice == "always")
