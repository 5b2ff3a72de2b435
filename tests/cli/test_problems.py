"""`refract-asp bench problems|visualize|evaluate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

Run = Callable[..., Result]
BLUR = {
    "signature": "image.blur()",
    "description": "blurs an image by a number of pixels",
    "func_name": "blur",
}
PROBLEMS = {
    "plain": {**BLUR, "num_distractors": 1},
    "numbered": {**BLUR, "num_distractors": 3, "func_noise": "number"},
    "long": {
        "signature": "image.rotate(degrees=5).blur().flip_vertical().sharpen(3).distort(pixels=7).invert()",
        "description": "rotates an image by 5 degrees, blurs it over some pixels, and goes on and on",
        "func_name": "rotate_then_blur_then_flip_then_sharpen_then_distort_then_invert_and_then_stop",
    },
}
GOOD = "return image.blur(pixels)"


@pytest.fixture
def bench(folder: Path) -> Path:
    (folder / "bench.json").write_text(json.dumps(PROBLEMS), "utf-8")
    rows = [
        {"id": "plain", "samples": [GOOD, "return image.blur(5)"]},
        {"id": "numbered", "sample": "import os\n    return os"},
        {"id": "other", "sample": GOOD},
    ]
    (folder / "samples.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return folder


def test_the_benchmarks_are_listed_and_written(run: Run, folder: Path) -> None:
    assert run("bench problems").stdout.split("\n")[0].split() == [
        "argument_fixing",
        "581",
        "problems",
    ]
    done = run("bench problems chaining -o chaining.json")
    assert (done.exit_code, done.stdout) == (0, "")
    problems = json.loads((folder / "chaining.json").read_text("utf-8"))
    assert len(problems) == 160
    assert problems["1/0"]["signature"].startswith("image.")
    assert run("bench visualize chaining.json --limit 1").stdout.endswith("... and 159 more\n")


def test_problems_are_drawn(run: Run, bench: Path, snapshot: SnapshotAssertion) -> None:
    done = run("bench visualize bench.json")
    assert done.exit_code == 0
    assert done.stdout == snapshot
    assert max(map(len, done.stdout.split("\n"))) <= 80


def test_a_wide_terminal(run: Run, bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = run("bench visualize bench.json --id long").stdout.split("\n")
    assert 80 < max(map(len, lines)) <= 120


def test_problems_as_data(run: Run, bench: Path) -> None:
    done = run("bench visualize bench.json --id numbered --id plain --limit 1 --format json")
    data = json.loads(done.stdout)
    (problem,) = data["problems"]
    assert data["schema_version"] == 1
    assert problem["id"] == "numbered"
    assert problem["prompt"].endswith("def blur(image, pixels):\n    ")
    assert problem["target"].startswith("return image.func")
    assert problem["dials"] == PROBLEMS["numbered"]


def test_answers_are_graded_and_saved(run: Run, bench: Path, snapshot: SnapshotAssertion) -> None:
    done = run("bench evaluate bench.json --samples samples.jsonl -o graded.jsonl")
    assert done.exit_code == 0
    assert done.stdout == snapshot
    rows = [json.loads(line) for line in (bench / "graded.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["passed"]) for row in rows] == [
        ("plain", True),
        ("plain", False),
        ("numbered", False),
    ]
    assert rows[2] == {
        "id": "numbered",
        "sample": "import os\n    return os",
        "passed": False,
        "error": "import is not read",
    }


def test_figures_as_data_and_in_a_folder(run: Run, bench: Path) -> None:
    (bench / "out").mkdir()
    done = run("bench evaluate bench.json --samples samples.jsonl -o out --format json")
    data = json.loads(done.stdout)
    assert data == json.loads((bench / "out" / "accuracy.json").read_text("utf-8"))
    assert (data["accuracy"], data["missing"], data["unknown"]) == (0.25, ["long"], ["other"])
    assert len((bench / "out" / "graded.jsonl").read_text("utf-8").splitlines()) == 3
    rows = run("bench evaluate bench.json --samples samples.jsonl -o -").stdout.splitlines()
    assert [json.loads(row)["id"] for row in rows] == ["plain", "plain", "numbered"]


def test_a_folder_that_is_not_there_is_made_where_a_slash_says_that_it_is_one(
    run: Run, bench: Path
) -> None:
    assert run("bench evaluate bench.json --samples none.jsonl -o new/").exit_code == 2
    assert not (bench / "new").exists()
    assert run("bench evaluate bench.json --samples samples.jsonl -o new/").exit_code == 0
    assert sorted(path.name for path in (bench / "new").iterdir()) == [
        "accuracy.json",
        "graded.jsonl",
    ]


def test_hostile_names_do_not_reach_the_terminal(run: Run, bench: Path) -> None:
    hostile = {"\x1b[31mred\u202e": {**BLUR, "description": "blurs\x1b[31m it\u202e"}}
    (bench / "hostile.json").write_text(json.dumps(hostile), "utf-8")
    (bench / "odd.jsonl").write_text(
        json.dumps({"id": "\x1b[31mred\u202e", "sample": "\x1b[31m"}), "utf-8"
    )
    for command in ("visualize hostile.json", "evaluate hostile.json --samples odd.jsonl"):
        done = run(f"bench {command}")
        assert done.exit_code == 0
        assert "\x1b" not in done.stdout
        assert "\u202e" not in done.stdout
