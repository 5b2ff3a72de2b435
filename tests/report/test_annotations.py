"""Annotations of GitHub: one command a line, at file and line, whatever the names are."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Report, Sequence, check, repair
from refract_asp.report import Limits, Places, github_annotations, places_of
from refract_asp.resources import catalog_path

from .renderings import FAULTY, HOSTILE, faulty, hostile

COMMAND = re.compile(r"::(error|warning|notice) ([^\n\r]*?)::([^\n\r]*)")


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read commands as GitHub's runner does: what is escaped is put back, percent signs last."""
    read = []
    for line in text.splitlines():
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        read.append(
            (match[1], {name: back(value) for name, value in properties.items()}, back(match[3]))
        )
    return read


def back(text: str) -> str:
    for escape, character in (
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%25", "%"),
    ):
        text = text.replace(escape, character)
    return text


def test_each_violation_is_annotated_at_its_line(snapshot: SnapshotAssertion) -> None:
    text = github_annotations(faulty(), Places("calls.txt", (1, 3, 4)))
    assert text == snapshot
    read = commands(text)
    assert [each["line"] for _, each, _ in read] == ["3", "3", "4", "4", "4"]
    assert [each["title"].split()[1] for _, each, _ in read] == [
        v.code for v in faulty().violations
    ]
    assert {each["file"] for _, each, _ in read} == {"calls.txt"}


def test_the_message_is_the_diagnostic_in_full() -> None:
    for (_, _, message), diagnostic in zip(
        commands(github_annotations(faulty())), faulty().diagnostics(), strict=True
    ):
        head, _, rest = str(diagnostic).partition("\n")
        assert message.partition("\n") == (
            head.removeprefix("error: ").removesuffix(f" [{diagnostic.code}]"),
            "\n",
            rest,
        )


def test_permissive_ones_are_warnings() -> None:
    assert {kind for kind, _, _ in commands(github_annotations(faulty(), strict=False))} == {
        "warning"
    }


def test_a_place_that_is_not_known_is_left_out() -> None:
    for places in (None, Places(None, (1, 2, 3))):
        assert [list(each) for _, each, _ in commands(github_annotations(faulty(), places))] == [
            ["title"]
        ] * 5
    first = commands(github_annotations(faulty(), Places("a", (1, None, 3))))[0][1]
    assert list(first) == ["file", "title"]


def test_nothing_wrong_is_nothing_told() -> None:
    assert github_annotations(Report(verdict="valid")) == ""


def test_notes_and_what_is_open_are_notices() -> None:
    report = check("ask(x)\nTripadvisorSearchLocation(query=x)", catalog_path("travel"))
    ((kind, _, message),) = commands(github_annotations(report))
    assert (kind, message) == (
        "notice",
        "needs_input: something has still to be asked or confirmed.",
    )
    noted = Report(verdict="valid", notes=("50% are\nmended",))
    assert commands(github_annotations(noted, Places("a"))) == [
        ("notice", {"file": "a", "title": "refract-asp note"}, "50% are\\nmended")
    ]


def test_of_a_repair_the_fix_is_the_edit() -> None:
    result = repair("TripadvisorSearchLocation(qwery=1)", catalog_path("travel"))
    assert "Change qwery to query" in github_annotations(result, limits=Limits(fields=0))


def test_hostile_names_end_nothing() -> None:
    text = github_annotations(hostile(), Places(HOSTILE, (1, 2, 3, 4, 5)))
    read = commands(text)
    assert len(read) == len(hostile().violations)
    assert all(list(each) == ["file", "line", "title"] for _, each, _ in read)
    assert text.replace("\n", "").isprintable()
    assert all(line.startswith("::error file=") for line in text.split("\n"))


@pytest.mark.parametrize("name", ["calls.txt", "sub/calls.txt", "a,b:c%.txt"])
def test_files_are_named_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / "work" / name
    path.parent.mkdir(parents=True)
    path.write_text(FAULTY, encoding="utf-8")
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path / "work")
    sequence = Sequence.load(FAULTY)
    assert places_of(Path(name), sequence) == places_of(path, sequence) == Places(name, (1, 3, 4))
    assert commands(github_annotations(faulty(), places_of(path, sequence)))[0][1]["file"] == name
    monkeypatch.chdir(path.parent)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert places_of(path, sequence).file == path.as_posix()
    above = Path("..") / "work" / name
    assert places_of(above, sequence).file == above.as_posix()


def test_files_are_named_below_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub finds a file by its path in the repository, wherever in it the command runs."""
    path = tmp_path / "repo" / "sub" / "calls.txt"
    path.parent.mkdir(parents=True)
    path.write_text(FAULTY, encoding="utf-8")
    sequence = Sequence.load(FAULTY)
    monkeypatch.chdir(path.parent)
    (tmp_path / "link").symlink_to(tmp_path / "repo")
    for folder in (tmp_path / "repo", tmp_path / "link"):
        monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
        for given in (
            Path("calls.txt"),
            path,
            Path("../sub/calls.txt"),
            tmp_path / "link" / "sub" / "calls.txt",
        ):
            assert places_of(given, sequence).file == "sub/calls.txt"
    assert (
        commands(github_annotations(faulty(), places_of(path, sequence)))[0][1]["file"]
        == "sub/calls.txt"
    )
    for elsewhere in (str(tmp_path / "other"), "", "relative"):
        monkeypatch.setenv("GITHUB_WORKSPACE", elsewhere)
        assert places_of(path, sequence).file == "calls.txt"


def test_a_pipe_is_not_read_again(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert places_of(pipe, Sequence.load(FAULTY)).lines == ()


def test_a_file_that_has_changed_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "calls.txt"
    path.write_bytes(b"\xff")
    assert places_of(path, Sequence.load(FAULTY)).lines == ()
    path.write_text("Other()")
    assert places_of(path, Sequence.load(FAULTY)).lines == (None, None, None)
