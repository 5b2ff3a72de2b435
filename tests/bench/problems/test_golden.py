"""The problems and verdicts that the benchmark of seed 002 is known by, on its own libraries."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from refract_asp.bench.problems import Registry, TestCase, execute, load_libraries, make

pytestmark = pytest.mark.data
Rows = list[dict[str, Any]]


def lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def golden(data_dir: Path) -> list[tuple[dict[str, Any], TestCase]]:
    libraries = Registry(load_libraries(data_dir / "api_use" / "libraries.json"))
    return [
        (row, make(row["arguments"], libraries))
        for row in lines(data_dir / "api_use" / "golden.jsonl")
    ]


def test_the_targets(golden: list[tuple[dict[str, Any], TestCase]]) -> None:
    assert len(golden) == 200
    for row, made in golden:
        assert made.target == row.get("target_by_documentation", row["target"]), row["id"]


def test_the_calls_of_the_tests(golden: list[tuple[dict[str, Any], TestCase]]) -> None:
    for row, made in golden:
        (wanted,) = (line for line in row["test"].split("\n") if line.startswith("y = "))
        right = row.get("target_by_documentation")
        if right is not None:  # the same call with the name that the documentation asks for
            wrong = row["target"].removeprefix("return ").split("(")[0]
            assert wanted.startswith(f"y = {wrong}(")
            wanted = wanted.replace(wrong, right.removeprefix("return ").split("(")[0])
        (given,) = (line for line in made.test.split("\n") if line.startswith("y = "))
        assert given == wanted, row["id"]


def test_the_lists_of_functions(golden: list[tuple[dict[str, Any], TestCase]]) -> None:
    for row, made in golden:
        wanted = [
            (f["library"], f["name"], tuple(f["args"]), f["doc"] or "")
            for f in row["function_pool"]
        ]
        given = [(f.library_name, f.name, f.args, f.definition) for f in made.pool]
        if row.get("pool_as_set_only"):
            assert sorted(given) == sorted(set(wanted)), row["id"]
        else:
            assert given == wanted, row["id"]


def test_the_prompts(golden: list[tuple[dict[str, Any], TestCase]]) -> None:
    """All that do not depend on the hash seed of the original."""
    alike = Counter(
        (row["prompt_depends_on_hash_seed"], made.prompt == row["prompt"]) for row, made in golden
    )
    assert alike[False, True] == 155
    assert alike[False, False] == 0


def test_the_tests_but_for_the_line_that_is_added(
    golden: list[tuple[dict[str, Any], TestCase]],
) -> None:
    for row, made in golden:
        if "upstream_bug" not in row:
            kept = [
                line for line in made.test.split("\n") if not line.startswith("# parameters = ")
            ]
            assert "\n".join(kept) == row["test"], row["id"]


def test_targets_pass_both_tests(golden: list[tuple[dict[str, Any], TestCase]]) -> None:
    for row, made in golden:
        assert execute(made.target, made.test) == (True, None)
        assert execute(row["target"], row["test"]) == (True, None)


def test_the_verdicts(data_dir: Path) -> None:
    rows = lines(data_dir / "api_use" / "execute.jsonl")
    assert len(rows) == 21
    for row in rows:
        passed, reason = execute(row["sample"], row["test"])
        assert passed is (row["wanted"] is True), row[
            "sample"
        ]  # what is open, 5.0 for 5, is wrong here
        assert (reason is None) is passed
