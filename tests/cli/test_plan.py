"""`refract-asp plan`, and plans where the other commands read sequences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

Run = Callable[..., Result]

SEED = """\
return domainC({
  slot3: domainA({slot1: 'foo'}).field1,
  slot4: domainB({slot2: 'bar'})[0].field2,
});
"""
BROKEN = """\
// where to
const to = SkyScrapperSearchAirprt({query: 'London'})
spare = 3;
return SkyScrapperFlightSearch({
  originSkyId: 'NYCA', originEntityId: '1', destinationSkyId: to.skyid,
  destinationEntityId: to.entityId, date: next(Thursday).at('9:00am')
});
"""
BAD = "a = x => x;\nb = “é”; c = a + 1;\na = {__proto__: 1};\n"


@pytest.fixture
def plans(folder: Path) -> Path:
    for name, text in {"seed": SEED, "broken": BROKEN, "bad": BAD}.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("check seed.js", 1),
        ("check seed.js --relaxed", 0),
        ("check seed.js --color always", 1),
        ("check bad.js --relaxed", 1),
        ("check broken.js --relaxed", 0),
        ("check broken.js --relaxed --catalog travel", 1),
        ("check broken.js --catalog travel --format json", 1),
        ("check seed.js --relaxed --format json", 0),
        ("format broken.js", 0),
        ("format bad.js", 2),
        ("stages seed.js", 0),
        ("to-sequence broken.js", 0),
        ("to-sequence seed.js --to nestful", 0),
        ("from-sequence good.txt", 0),
        ("from-sequence unlabelled.txt", 0),
    ],
)
def test_plan(run: Run, plans: Path, arguments: str, code: int, snapshot: SnapshotAssertion) -> None:
    result = run(f"plan {arguments}")
    assert result.exit_code == code, result.output
    assert result.output == snapshot


def test_stages_as_data(run: Run, plans: Path) -> None:
    assert "mended:" in run("plan stages seed.js --format json -o s.json").output
    data = json.loads((plans / "s.json").read_text("utf-8"))
    assert data["stages"] == [[0, 1], [2]]
    assert [call["name"] for call in data["sequence"]["calls"]] == ["domainA", "domainB", "domainC"]


def test_a_formatted_plan_stays_as_it_is(run: Run, plans: Path) -> None:
    run("plan format broken.js -o once.js")
    assert run("plan format once.js -o twice.js").output == ""
    assert (plans / "once.js").read_text("utf-8") == (plans / "twice.js").read_text("utf-8")


def test_a_plan_on_standard_input(run: Run) -> None:
    result = run("plan check -", stdin="return f(;")
    assert result.exit_code == 1
    assert result.output.startswith("<stdin>:1:")


def test_a_plan_is_repaired(run: Run, plans: Path) -> None:
    result = run("solve broken.js --catalog travel --to plan")
    assert result.exit_code == 0
    assert (
        result.output
        == """\
// where to
to = SkyScrapperSearchAirport({query: 'London'});
return SkyScrapperFlightSearch({
  originSkyId: 'NYCA',
  originEntityId: '1',
  destinationSkyId: to.skyId,
  destinationEntityId: to.entityId,
  date: next(Thursday).at('9:00am')
});
"""
    )
    assert run("check broken.js --catalog travel").exit_code == 1


def test_hostile_plans_are_told_safely(run: Run, folder: Path) -> None:
    (folder / "h.js").write_text("// \x1b[31m\nreturn f({a\u202e: '\x1b]0;x\x07'} + 1);\n", encoding="utf-8")
    for command in ("check", "format", "to-sequence", "stages"):
        result = run(f"plan {command} h.js")
        assert result.exit_code in (1, 2)
        assert "\x1b" not in result.output
        assert "\u202e" not in result.output


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("return f({x: '東京', y: 1,});", "    return f({x: '東京', y: 1,});"),
        ("return f({x: 'e\u0301', y: 1,});", "    return f({x: 'e\u0301', y: 1,});"),
        ("\treturn f({\tx: 1,});\r\n", "     return f({ x: 1,});"),
        ("return f({x: '\x1b', y: 1,});", "    return f({x: '\\u001b', y: 1,});"),
    ],
)
def test_the_mark_stands_below_the_place(run: Run, folder: Path, text: str, marked: str) -> None:
    (folder / "wide.js").write_bytes(text.encode())
    line, mark = run("plan check wide.js").stdout.split("\n")[1:3]
    assert line == marked
    assert cell_len(mark[:-1]) == cell_len(marked[: marked.rindex(",")])


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_long_line_is_cut_around_its_place(
    run: Run, folder: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    (folder / "long.js").write_text(f"return f({{x: '{'y' * 500}',}}, '{'日' * 500}');", encoding="utf-8")
    line, mark = run("plan check long.js").stdout.split("\n")[1:3]
    assert columns - 3 < cell_len(line) <= columns
    assert line[len(mark) - 1] == ","
    assert line.startswith("    ...yyy")
    assert line.endswith("日...")


def test_no_line_is_shown_of_an_empty_plan(run: Run) -> None:
    assert len(run("plan check -", "").stdout.splitlines()) == 3


def test_files_that_are_none(run: Run, folder: Path) -> None:
    assert run("plan check nowhere.js").exit_code == 2
    (folder / "latin.js").write_bytes(b"return '\xe9';")
    assert "not UTF-8" in run("plan check latin.js").output
