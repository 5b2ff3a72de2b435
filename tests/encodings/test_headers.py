"""The form of the files: headers that tell the truth, words above every block, short lines."""

from __future__ import annotations

import re

import pytest
from encoding_files import ENTRIES, FILES, ROOT, Signature, read, signature


@pytest.mark.parametrize("name", [*FILES, *ENTRIES, "README.md"])
def test_lines_are_short_and_clean(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        assert line == line.rstrip(), number
        assert "\t" not in line, number
        assert len(line) <= 100 or name == "README.md", number
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", FILES)
def test_every_block_of_rules_says_why(name: str) -> None:
    """A blank line ends a block; only constants and lists under a banner go without words."""
    for block in re.split(r"\n\n+", read(name).text.strip("\n")):
        assert block.startswith(("%", "#const")), f"no comment above: {block.splitlines()[0]}"


@pytest.mark.parametrize("name", FILES)
def test_every_variable_has_a_name(name: str) -> None:
    """For `_` clingo derives a projection of the predicate, one for each pattern."""
    assert "_" not in read(name).variables


HEADER = re.compile(r"% (Purpose|Derived|Output|Constants):\s*(.*)")


def header(name: str) -> dict[str, list[str]]:
    """Return the header of a file by section, each with its lines."""
    lines = read(name).text.split("\n\n")[0].splitlines()
    assert lines[0] == "% SPDX-License-Identifier: Apache-2.0"
    found: dict[str, list[str]] = {}
    for line in lines[1:]:
        match = HEADER.fullmatch(line)
        if match:
            section = found.setdefault(match[1], [])
            section.append(match[2])
        else:
            assert re.match(r"%  {9,}\S", line), line
            section.append(line[1:].removeprefix(" " * 11))
    return found


def stated(lines: list[str]) -> set[Signature]:
    """
    Return the predicates that stand at the beginning of a line, as `moved(X)    X need not ...`.

    One without arguments has a line of its own.
    """
    found: set[Signature] = set()
    for line in lines:
        if line[:1].isspace():
            continue
        found |= {(name, 0) for name in re.findall(r"^([a-z]\w*)\s{2,}", line)}
        for term in re.findall(
            r"[a-z]\w*\((?:[^()]|\([^()]*\))*\)", re.split(r"\s{2,}|; ", line)[0]
        ):
            found.add(signature(term))
    return found


def test_the_sections_of_a_header_have_an_order() -> None:
    for name in FILES:
        order = ["Purpose", "Derived", "Output", "Constants"]
        assert [each for each in order if each in header(name)] == list(header(name)), name


@pytest.mark.parametrize("name", FILES)
def test_a_header_tells_what_the_file_gives_to_others(name: str) -> None:
    file, head = read(name), header(name)
    said = stated(head.get("Derived", [])) | stated(head.get("Output", []))
    asked = set().union(*(read(other).bodies for other in FILES if other != name))
    assert file.heads & asked <= said
    assert said <= file.heads


@pytest.mark.parametrize("name", FILES)
def test_a_header_tells_the_constants(name: str) -> None:
    said = header(name).get("Constants", [])
    if name.startswith("costs/"):
        assert bool(said) == bool(read(name).constants)
        return
    lines = [line.removeprefix(" ") for line in said]
    assert {line.split()[0] for line in lines if line[:1] != " "} == set(read(name).constants)
