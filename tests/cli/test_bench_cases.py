"""`bench generate` and `bench mutate`: cases in files, folders and pipes."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from refract_asp import Catalog, check
from refract_asp.bench.generating import Dials, from_catalog, generate
from refract_asp.bench.mutations import KINDS
from refract_asp.evaluation import Case, write_cases
from refract_asp.evaluation.cases import read_cases

from .conftest import Run


def test_a_pipe_gets_a_case_a_line_with_its_catalog(run: Run) -> None:
    result = run("bench generate --tools 8 --calls 2 --count 3 --seed 5")
    assert (result.exit_code, result.stderr) == (0, "")
    cases = list(read_cases(result.stdout))
    wanted = [generate(Dials(tools=8, calls=2), seed) for seed in (5, 6, 7)]
    for case, other in zip(cases, wanted, strict=True):
        assert (case.id, case.sequence, case.dials) == (other.id, other.sequence, other.dials)
        assert case.catalog.tools == other.catalog.tools


@pytest.mark.slow
def test_a_folder_gets_the_cases_and_the_catalogs(run: Run, folder: Path) -> None:
    result = run("bench generate -o made/here --tools 6,9 --likeness 0,1 --calls 3 --count 2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "8 cases: made/here/cases.jsonl\n"
    rows = [json.loads(line) for line in Path("made/here/cases.jsonl").read_text().splitlines()]
    ids = [f"tools=6,calls=3,likeness={each}" for each in ("0#0", "0#1", "1#0")]
    assert [row["id"] for row in rows][:3] == ids
    catalogs = {f"catalogs/{path.name}" for path in Path("made/here/catalogs").iterdir()}
    assert {row["catalog"] for row in rows} == catalogs
    for case in read_cases(Path("made/here/cases.jsonl")):
        assert check(case.sequence, case.catalog).verdict == "valid"
        assert len(case.catalog) == case.dials["tools"]


def test_a_file_holds_the_catalogs_in_its_lines(run: Run) -> None:
    result = run("bench generate -o one.jsonl --coupling fan-in,chain")
    assert result.stdout == "2 cases: one.jsonl\n"
    rows = [json.loads(line) for line in Path("one.jsonl").read_text().splitlines()]
    assert [row["dials"]["coupling"] for row in rows] == ["fan-in", "chain"]
    assert all(len(row["catalog"]["tools"]) == 20 for row in rows)
    assert not Path("catalogs").exists()


def test_over_a_shipped_catalog(run: Run) -> None:
    result = run("bench generate --catalog travel --calls 4 --count 2 --coupling chain")
    cases = list(read_cases(result.stdout))
    assert all(json.loads(line)["catalog"] == "travel" for line in result.stdout.splitlines())
    wanted = from_catalog(Catalog.load("travel"), 4, 1, coupling="chain", name="travel")
    assert (cases[1].id, cases[1].sequence) == (wanted.id, wanted.sequence)
    assert all(check(case.sequence, case.catalog).verdict == "valid" for case in cases)


def test_over_a_catalog_of_ones_own(run: Run) -> None:
    tools = [{"name": "Ping", "parameters": {"day": {"enum": ["mon"], "required": True}}}]
    Path("tools.json").write_text(json.dumps({"tools": tools}))
    result = run("bench generate --catalog tools.json --calls 1,2")
    lines = ['var1 = Ping(day="mon")', 'var2 = Ping(day="mon")']
    found = [case.sequence.dump("pretty") for case in read_cases(result.stdout)]
    assert found == [lines[:1], lines]
    by_stdin = run("bench generate --catalog - --calls 1,2", stdin=json.dumps({"tools": tools}))
    assert by_stdin.exit_code == 0
    assert len(by_stdin.stdout.splitlines()) == 2


def test_an_existing_folder(run: Run) -> None:
    Path("old").mkdir()
    assert run("bench generate -o old").exit_code == 0  # an empty one will do
    refused = run("bench generate -o old")
    assert refused.exit_code == 2
    assert "old: the folder is not empty" in refused.stderr
    assert "--force" in refused.stderr
    before = Path("old/cases.jsonl").read_text()
    assert run("bench generate -o old --force --seed 1").exit_code == 0
    assert Path("old/cases.jsonl").read_text() != before


def _interrupted(cases: Iterator[Case], after: int) -> Iterator[Case]:
    """Yield so many cases, then press Ctrl-C."""
    yield from islice(cases, after)
    raise KeyboardInterrupt


def test_what_was_there_before_an_interrupted_run_stays(folder: Path) -> None:
    target = folder / "made" / "cases.jsonl"
    cases = [generate(Dials(tools=6, calls=2), seed) for seed in range(4)]
    assert write_cases(target, cases[:2]) == 2
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(KeyboardInterrupt):
        write_cases(target, _interrupted(iter(cases), 3))
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (folder / "other").mkdir()
    with pytest.raises(KeyboardInterrupt):
        write_cases(folder / "other" / "cases.jsonl", _interrupted(iter(cases), 3))
    assert list((folder / "other").iterdir()) == []  # a folder of theirs stays


GOOD = "bench mutate good.txt --catalog travel"


def test_cases_are_written_and_read_back(run: Run, folder: Path) -> None:
    assert run(f"{GOOD} --count 3 -o broken").exit_code == 0
    cases = list(read_cases(folder / "broken" / "cases.jsonl"))
    assert len({case.id for case in cases}) == len(cases) > 10
    assert not any(case.is_right for case in cases)
    assert {case.kind for case in cases} <= set(KINDS)
    rows = [json.loads(line) for line in run(f"{GOOD} --count 3 --format json").stdout.splitlines()]
    told, kept = (
        [(case.id, case.sequence, case.expected, case.open) for case in each]
        for each in (read_cases(rows), cases)
    )
    assert told == kept


def test_the_kinds_are_listed(run: Run) -> None:
    result = run("bench mutate --list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    names = [f"{kind.name} ({kind.family})" for kind in KINDS.values()]
    assert [line for line in lines if not line.startswith(" ")] == names
    assert max(map(len, lines)) <= 80
