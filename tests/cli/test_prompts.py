"""`solve --prompt`: the prompt alone, what goes with it, and what does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.mark.parametrize("kind", ["plain", "issues", "fix", "suggestions"])
def test_the_prompt_is_printed_alone(run: Run, kind: str) -> None:
    """The exit code is that of the repair."""
    result = run(f"solve no_date.txt --catalog travel --prompt {kind}")
    assert (result.exit_code, result.stderr) == (3, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "A tool call is wrong. Correct it."
    assert '> var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15")' in lines
    assert ("What is wrong:" in lines) == (kind in ("issues", "suggestions"))


def test_the_words_of_the_user(run: Run, folder: Path) -> None:
    (folder / "said.txt").write_text("A hotel\nin London", encoding="utf-8")
    options = "solve no_date.txt --catalog travel --prompt suggestions --words"
    from_file = run(f"{options} @said.txt").output
    assert "> A hotel\n> in London\n" in from_file
    assert "Get checkOut from the user's words" in from_file
    assert run(f"{options} @-", "A hotel\nin London").output == from_file
    assert run([*options.split(), "A hotel\nin London"]).output == from_file
    assert run(f"{options} @nowhere.txt").exit_code == 2
    assert run("solve - --catalog travel --prompt plain --words @-", "A()").exit_code == 2


def test_the_budget(run: Run) -> None:
    short = run("solve no_date.txt --catalog travel --prompt issues --max-tokens 200")
    assert short.exit_code == 3
    assert len(short.stdout) < len(run("solve no_date.txt --catalog travel --prompt issues").stdout)
    result = run("solve no_date.txt --catalog travel --prompt issues --max-tokens 5")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: the faulty calls and the instruction need ")


def test_templates_of_ones_own(run: Run, folder: Path) -> None:
    (folder / "mine").mkdir()
    options = "solve no_date.txt --catalog travel --prompt plain --templates"
    assert run(f"{options} mine").exit_code == 2
    (folder / "mine" / "plain.j2").write_text("Call {{ faulty[0] }}\n{% include '_answer.j2' %}")
    assert run(f"{options} mine").stdout.startswith("Call 2\n\nAnswer with the corrected call only")
    (folder / "mine" / "plain.j2").write_text("\n{{ oops }}")
    result = run(f"{options} mine")
    assert result.exit_code == 2
    assert "plain.j2, line 2: 'oops' is undefined." in result.stderr
    assert run(f"{options} nowhere").exit_code == 2


def test_json_holds_it_too(run: Run) -> None:
    printed = run("solve no_date.txt --catalog travel --prompt fix").stdout
    data = json.loads(
        run("solve no_date.txt --catalog travel --prompt fix --format json --explain").stdout
    )
    assert data["prompt"] + "\n" == printed
    assert "explanation" in data
    assert "prompt" not in json.loads(
        run("solve no_date.txt --catalog travel --format json").stdout
    )
