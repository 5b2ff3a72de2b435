"""Annotations of GitHub: one command a line, at file and line, whatever the names are."""

import os
import re
from pathlib import Path
from typing import Any

from syrupy.assertion import SnapshotAssertion

from refract_asp import Report, Sequence, check
from refract_asp.report import Places, github_annotations, places_of
from refract_asp.resources import catalog_path

from .renderings import FAULTY, HOSTILE, faulty, hostile

COMMAND = re.compile(r"::(error|warning|notice) ([^\n\r]*?)::([^\n\r]*)")


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read commands as GitHub's runner does: what is escaped is put back, percent signs last."""
    read = []
    for line in text.splitlines():
        kind, properties, message = COMMAND.fullmatch(line).groups()
        named = (part.split("=", 1) for part in properties.split(","))
        read.append((kind, {name: back(value) for name, value in named}, back(message)))
    return read


def back(text: str) -> str:
    for code, character in (("0D", "\r"), ("0A", "\n"), ("3A", ":"), ("2C", ","), ("25", "%")):
        text = text.replace(f"%{code}", character)
    return text


def test_each_violation_is_annotated_at_its_line(snapshot: SnapshotAssertion) -> None:
    text = github_annotations(faulty(), Places("calls.txt", (1, 3, 4)))
    assert text == snapshot
    read = commands(text)
    assert [each["line"] for _, each, _ in read] == ["3", "3", "4", "4", "4"]
    assert {each["file"] for _, each, _ in read} == {"calls.txt"}


def test_the_message_is_the_diagnostic_in_full() -> None:
    for strict, kind in ((True, "error"), (False, "warning")):
        told = commands(github_annotations(faulty(), Places(None, (1, 2, 3)), strict=strict))
        for (found, place, message), each in zip(told, faulty().diagnostics(), strict=True):
            assert (found, list(place)) == (kind, ["title"])
            assert f"error: {message}" == str(each).replace(f" [{each.code}]", "", 1)
    first = commands(github_annotations(faulty(), Places("a", (1, None, 3))))[0][1]
    assert list(first) == ["file", "title"]


def test_notes_and_what_is_open_are_notices() -> None:
    assert github_annotations(Report(verdict="valid")) == ""
    report = check("ask(x)\nTripadvisorSearchLocation(query=x)", catalog_path("travel"))
    ((kind, _, message),) = commands(github_annotations(report))
    assert (kind, message.partition(": ")[0]) == ("notice", "needs_input")
    noted = Report(verdict="valid", notes=("50% are\nmended",))
    place = {"file": "a", "title": "refract-asp note"}
    told = commands(github_annotations(noted, Places("a")))
    assert told == [("notice", place, "50% are\\nmended")]


def test_hostile_names_end_nothing() -> None:
    text = github_annotations(hostile(), Places(HOSTILE, (1, 2, 3, 4, 5)))
    read = commands(text)
    assert len(read) == len(hostile().violations)
    assert all(list(each) == ["file", "line", "title"] for _, each, _ in read)
    assert text.replace("\n", "").isprintable()
    assert all(line.startswith("::error file=") for line in text.split("\n"))


def test_files_are_named_below_the_current_folder(tmp_path: Path, monkeypatch: Any) -> None:
    name = "sub/a,b:c%.txt"
    path = tmp_path / "work" / name
    path.parent.mkdir(parents=True)
    path.write_text(FAULTY, encoding="utf-8")
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    sequence = Sequence.load(FAULTY)
    monkeypatch.chdir(tmp_path / "work")
    assert places_of(Path(name), sequence) == places_of(path, sequence) == Places(name, (1, 3, 4))
    assert commands(github_annotations(faulty(), places_of(path, sequence)))[0][1]["file"] == name
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for given in (path, Path("..") / "work" / name):
        assert places_of(given, sequence).file == given.as_posix()


def test_files_are_named_below_the_repository(tmp_path: Path, monkeypatch: Any) -> None:
    """GitHub finds a file by its path in the repository, wherever in it the command runs."""
    path = tmp_path / "repo" / "sub" / "calls.txt"
    path.parent.mkdir(parents=True)
    path.write_text(FAULTY, encoding="utf-8")
    sequence = Sequence.load(FAULTY)
    monkeypatch.chdir(path.parent)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "repo")
    linked = link / "sub" / "calls.txt"
    for folder in (tmp_path / "repo", link):
        monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
        for given in (Path("calls.txt"), path, Path("../sub/calls.txt"), linked):
            assert places_of(given, sequence).file == "sub/calls.txt"
    for elsewhere in (str(tmp_path / "other"), "", "relative"):
        monkeypatch.setenv("GITHUB_WORKSPACE", elsewhere)
        assert places_of(path, sequence).file == "calls.txt"


def test_what_cannot_be_read_again_has_no_lines(tmp_path: Path) -> None:
    """A pipe gives its text only once, and a file may have changed."""
    path, pipe = tmp_path / "calls.txt", tmp_path / "pipe"
    os.mkfifo(pipe)
    path.write_bytes(b"\xff")
    assert [places_of(each, Sequence.load(FAULTY)).lines for each in (pipe, path)] == [(), ()]
    path.write_text("Other()")
    assert places_of(path, Sequence.load(FAULTY)).lines == (None, None, None)
