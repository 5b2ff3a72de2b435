"""Templates of prompts that a user replaces: found by folder, rendered within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from refract_asp import Catalog, RepairResult, repair
from refract_asp.errors import PromptTemplateError
from refract_asp.report.prompts import MAX_FILE, SHIPPED
from refract_asp.resources import catalog_path


@pytest.fixture(scope="module")
def broken() -> RepairResult:
    catalog = Catalog.load(catalog_path("travel"))
    return repair('var1 = TripadvisorSearchLocation(qery="{{ faulty }} $5$")', catalog)


def test_a_file_takes_the_place_of_a_shipped_one(broken: RepairResult, tmp_path: Path) -> None:
    """Those that are missing are the shipped ones; data is never a template."""
    (tmp_path / "_answer.j2").write_text("\nAnswer in JSON ({{ calls|length }} call).\n")
    text = broken.prompt("plain", templates=tmp_path)
    assert text.endswith("\n\nAnswer in JSON (1 call).")
    assert text.startswith("A tool call is wrong.")
    assert "{{ faulty }}" in text
    assert broken.prompt("plain", templates=str(tmp_path)) == text


def test_own_files_may_be_included(broken: RepairResult, tmp_path: Path) -> None:
    (tmp_path / "mine.j2").write_text("{% macro say(it) %}<{{ it }}>{% endmacro %}")
    (tmp_path / "fix.j2").write_text(
        '{% import "mine.j2" as mine %}{% for a in alternatives %}{{ mine.say(a.calls[0]|upper) }}'
        "{% endfor %}"
    )
    assert broken.prompt("fix", templates=tmp_path).startswith(
        "<VAR1 = TRIPADVISORSEARCHLOCATION(QUERY="
    )


@pytest.mark.parametrize(
    ("template", "what", "line"),
    [
        ("a\n{% for x in %}", "Expected an expression", 2),
        ("a\nb\n{{ nonsense }}", "'nonsense' is undefined", 3),
        ("{{ calls[0].nonsense.more }}", "has no attribute 'nonsense'", 1),
        ("\n{{ ''.__class__.__mro__ }}", "access to attribute '__class__'", 2),
        ("{{ calls.append(1) }}", "attribute 'append' of 'list' object is unsafe", 1),
        ("{{ range(999999999)|list }}", "Range too big", 1),
        ('{% include "nowhere.j2" %}', "no template nowhere.j2", 1),
        ('{% include "../../etc/passwd" %}', "no template ../../etc/passwd", 1),
        ("\n{{ 1 / 0 }}", "division by zero", 2),
        ("{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(1) }}", "without end", 1),
        ('{% include "plain.j2" %}', "without end", 1),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_template_is_told(
    broken: RepairResult, tmp_path: Path, template: str, what: str, line: int
) -> None:
    file = tmp_path / "plain.j2"
    file.write_text(template)
    with pytest.raises(PromptTemplateError) as caught:
        broken.prompt("plain", templates=tmp_path)
    assert what in caught.value.what
    assert caught.value.where == f"{file}, line {line}"
    assert "docs/prompts.md" in caught.value.hint


def test_a_text_that_is_too_long_is_refused(broken: RepairResult, tmp_path: Path) -> None:
    (tmp_path / "plain.j2").write_text("{% for a in range(9999) %}" + "x" * 500 + "{% endfor %}")
    with pytest.raises(PromptTemplateError, match="text of more than 2,000,000 characters"):
        broken.prompt("plain", templates=tmp_path)


def test_files_that_are_no_templates(broken: RepairResult, tmp_path: Path) -> None:
    for content, what in ((b"\xff\xfe\x00", "not UTF-8"), (b"x" * (MAX_FILE + 1), "longer than")):
        (tmp_path / "plain.j2").write_bytes(content)
        with pytest.raises(PromptTemplateError, match=what):
            broken.prompt("plain", templates=tmp_path)


def test_the_folder_has_to_be_one(broken: RepairResult, tmp_path: Path) -> None:
    with pytest.raises(PromptTemplateError, match="no such folder"):
        broken.prompt(templates=tmp_path / "nowhere")
    (tmp_path / "suggestion.j2").write_text("a slip in the name")
    with pytest.raises(PromptTemplateError, match=r"none of the templates.*suggestions\.j2"):
        broken.prompt(templates=tmp_path)


def test_every_shipped_template_says_what_it_is_for() -> None:
    files = sorted(SHIPPED.glob("*.j2"))
    assert [f.name for f in files if not f.name.startswith("_")] == [
        "fix.j2", "issues.j2", "plain.j2", "suggestions.j2"
    ]  # fmt: skip
    assert all(f.read_text("utf-8").startswith("{# ") for f in files)
