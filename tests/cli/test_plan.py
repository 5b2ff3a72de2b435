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
def test_plan(
    run: Run, plans: Path, arguments: str, code: int, snapshot: SnapshotAssertion
) -> None:
    result = run(f"plan {arguments}")
    assert result.exit_code == code, result.output
    assert result.output == snapshot


def test_a_formatted_plan_stays_as_it_is(run: Run, plans: Path) -> None:
    run("plan format broken.js -o once.js")
    assert run("plan format once.js -o twice.js").output == ""
    assert (plans / "once.js").read_text("utf-8") == (plans / "twice.js").read_text("utf-8")


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
    (folder / "h.js").write_text(
        "// \x1b[31m\nreturn f({a\u202e: '\x1b]0;x\x07'} + 1);\n", encoding="utf-8"
    )
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
    (folder / "long.js").write_text(
        f"return f({{x: '{'y' * 500}',}}, '{'日' * 500}');", encoding="utf-8"
    )
    line, mark = run("plan check long.js").stdout.split("\n")[1:3]
    assert columns - 3 < cell_len(line) <= columns
    assert line[len(mark) - 1] == ","
    assert line.startswith("    ...yyy")
    assert line.endswith("日...")


DROPPED = "mail = sendEmail({to: 'ada'});\nreturn find({q: 2});\n"
SPARE = "a = frobnicate({q: 1});\nb = look({q: a.id});\nreturn find({q: 2});\n"
TOOLS = """
tools:
  - {name: sendEmail, effect: read, parameters: {to: {type: string}}}
  - {name: find, effect: read, parameters: {q: {type: integer}}}
  - {name: look, effect: destructive, parameters: {q: {type: integer}}}
  - {name: frobnicate, parameters: {q: {type: integer}}}
"""


@pytest.fixture
def unread(folder: Path) -> Path:
    """Write plans with calls that nobody reads, and a catalog that says of tools what their names do not."""
    for name, text in {"dropped.js": DROPPED, "spare.js": SPARE, "tools.yaml": TOOLS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "command", ["stages", "to-sequence", "stages --format json", "to-sequence --to nestful"]
)
def test_a_plan_that_leaves_out_a_write_is_refused(run: Run, unread: Path, command: str) -> None:
    name, _, more = command.partition(" ")
    for file, place, tool, catalog in (
        ("dropped.js", "dropped.js:1:8", "sendEmail", ""),
        ("spare.js", "spare.js:2:5", "look", "--catalog tools.yaml"),
    ):
        result = run(f"plan {name} {file} {more} {catalog} -o out.txt")
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"error: {place}: {tool} may change something and is never called" in result.stderr
        assert "[unused_call]" in result.stderr
        assert not (unread / "out.txt").exists()
        checked = run(f"plan check {file} {catalog}")
        assert checked.exit_code == 1
        assert f"{place}: error: {tool} may change something" in checked.stdout
        assert checked.stdout.count("unused_alias") == (1 if file == "spare.js" else 0)


def test_what_is_never_made_is_in_no_stage_and_in_no_sequence(run: Run, unread: Path) -> None:
    stages = run("plan stages spare.js")
    assert (stages.exit_code, stages.stdout) == (0, "stage 1\n  var1 = find(q=2)\n")
    assert (
        "warning: spare.js:1:1: nothing reads the alias 'a': it is not evaluated." in stages.stderr
    )
    assert (
        "warning: spare.js:2:1: nothing reads the alias 'b': it is not evaluated." in stages.stderr
    )
    assert run("plan to-sequence spare.js").stdout == "var1 = find(q=2)\n"
    assert json.loads(run("plan stages spare.js --format json").stdout)["stages"] == [[2]]
    declared = run("plan to-sequence dropped.js --catalog tools.yaml")
    assert (declared.exit_code, declared.stdout) == (0, "var1 = find(q=2)\n")


@pytest.mark.slow
def test_no_call_is_made_of_a_plan_that_leaves_out_a_write(
    run: Run, unread: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (unread / "some_tools.py").write_text(
        "def find(q):\n    print('made', q)\n    return q\n", encoding="utf-8"
    )
    (unread / "written.yaml").write_text(
        TOOLS.replace("sendEmail, effect: read", "sendEmail, effect: write")
    )
    monkeypatch.syspath_prepend(unread)
    for more, code in (
        ("--tools some_tools", 1),
        ("--tools some_tools --repair", 4),
        ("--dry-run", 1),
    ):
        result = run(f"run dropped.js --catalog written.yaml {more}")
        assert result.exit_code == code
        assert "made" not in result.stderr
        assert "[unused_call]" in result.stdout
        assert "succeeded" not in result.stdout
    repaired = run("solve dropped.js --catalog written.yaml")
    assert repaired.exit_code == 4
    told = " ".join(repaired.stdout.split())
    assert "unresolved: call 1 (mail): nothing admissible mends it" in told
    drawn = run("run dropped.js --catalog tools.yaml --graph mermaid")
    assert "find" in drawn.stdout
    assert "sendEmail" not in drawn.stdout
