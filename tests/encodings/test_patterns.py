"""recovery/*.lp: each is a pattern on its own, so a set without one of them still answers."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from test_plain_clingo import SEEDS, answer

from refract_asp import Catalog, Refractor, repair
from refract_asp.errors import EncodingError
from refract_asp.resources import encodings_path
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

PATTERNS = sorted(path.name for path in (encodings_path() / "recovery").glob("*.lp"))
EXAMPLES = encodings_path().parent / "docs" / "examples"
REFUSED = read_yaml(Path(__file__).with_name("no_patterns.yaml"))
TEXT, NUMBER = {"type": "string", "required": True}, {"type": "number", "required": True}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    shutil.copytree(encodings_path(), tmp_path / "set")
    return tmp_path / "set"


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_set_without_it_answers(pattern: str, is_there: bool, own: Path, catalog: Any) -> None:
    """With a repair of what it answers otherwise, or with none, as plain clingo does: never with an error."""
    (own / "recovery" / pattern).write_text("% Nothing is recovered this way.\n", "utf-8")
    if not is_there:
        (own / "recovery" / pattern).unlink()
        for entry in own.glob("*.lp"):
            text = entry.read_text("utf-8")
            entry.write_text(text.replace(f'#include "recovery/{pattern}".', ""))
    fewer = Refractor(catalog, encodings_dir=own)
    for given in SEEDS.values():
        result = fewer.repair(given)
        paid = answer(fewer, given)
        assert {level: paid.get(level, 0) for level in result.total} == result.total
        assert result.verdict in ("repaired", "needs_input", "unrepairable")
        if result.verdict == "repaired":
            assert fewer.check(result.sequence).verdict == "valid"
    goals = ["field flightId", "TripadvisorSearchLocation before SkyScrapperFlightSearch"]
    assert fewer.repair(SEEDS["missing step"], goals=goals).verdict != "valid"
    others = Refractor(Catalog.load("hr"), encodings_dir=own)
    for level in ("achieves_goals", "cheapest"):
        for given in ('a = w3(emial="a@b.c")', 'concur(employee_info="$b.info$")'):
            result = others.repair(given, goals=["concur", "w3 before concur"], level=level)
            assert result.verdict in ("repaired", "needs_input", "unrepairable")


# -- patterns of one's own -------------------------------------------------------------------------------


def tool(called: str, /, **parameters: Any) -> dict[str, Any]:
    return {"tools": [{"name": called, "effect": "read", "parameters": parameters}]}


SHIP, HIRE = tool("Ship", kilos=NUMBER, to=TEXT), tool("Hire", name=TEXT)


@pytest.mark.parametrize(("pattern", "given", "mended"), TABLES["a pattern of ones own"])
def test_a_pattern_of_ones_own(pattern: str, given: str, mended: str) -> None:
    catalog = {"tools": [*SHIP["tools"], *HIRE["tools"], *tool("Run", distance_km=NUMBER)["tools"]]}
    result = repair(given, catalog, patterns=[EXAMPLES / f"{pattern}.lp"])
    assert str(result.sequence).endswith(mended)
    named = {"swapped", "merged", "converted"} & {each.pattern for each in result.edits}
    assert result.asks or named
    assert sum(sum(edit.cost.values()) for edit in result.edits) == sum(result.total.values())


@pytest.mark.parametrize(("text", "error"), REFUSED)
def test_what_a_pattern_may_not_do(text: str, error: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.lp"
    mine.write_text(text, "utf-8")
    with pytest.raises(EncodingError, match=error):
        repair('Ship(to="Oslo")', SHIP, patterns=[mine])


# -- sets of one's own -----------------------------------------------------------------------------------


def test_a_pattern_is_one_file_and_one_line(own: Path) -> None:
    shutil.copy(EXAMPLES / "full_name.lp", own / "recovery")
    catalog, calls = HIRE, 'Hire(first_name="A", last_name="B")'
    said = r'Add the line #include "recovery/full_name\.lp"\. to repair\.lp'
    with pytest.raises(EncodingError, match=said):
        repair(calls, catalog, encodings_dir=own)
    entry = own / "repair.lp"
    entry.write_text(entry.read_text("utf-8") + '#include "recovery/full_name.lp".\n', "utf-8")
    assert str(repair(calls, catalog, encodings_dir=own).sequence) == 'Hire(name="A B")'


@pytest.mark.parametrize(("line", "error"), TABLES["an entry file names files of its folder"])
def test_an_entry_file_names_files_of_its_folder(line: str, error: str, own: Path) -> None:
    entry = own / "repair.lp"
    entry.write_text(f"{entry.read_text('utf-8')}{line}\n", "utf-8")
    with pytest.raises(EncodingError, match=error):
        Refractor(HIRE, encodings_dir=own)


def test_which_tools_may_be_added_is_said_in_the_rule_alone(own: Path) -> None:
    """Only what reads is called for a missing value; without that condition, what writes as well."""
    catalog, calls = tool("read_lines", file_handle=TEXT), "read_lines()"
    gives = {"name": "open_file", "effect": "write", "returns": {"file_handle": "string"}}
    catalog["tools"].append(gives)
    assert str(repair(calls, catalog).sequence).startswith("ask(file_handle)")
    pattern = own / "recovery" / "new_call.lp"
    rule = "    in_source(Tool, Path, Tool', Param),\n    in_effect(Tool, read)."
    text = pattern.read_text("utf-8")
    assert text.count(rule) == 1
    pattern.write_text(text.replace(rule, "    in_source(Tool, Path, Tool', Param)."), "utf-8")
    mended = repair(calls, catalog, encodings_dir=own)
    assert [call.name for call in mended.sequence.calls] == ["open_file", "read_lines"]


def test_a_set_that_minimises_nothing_is_refused(own: Path) -> None:
    (own / "costs" / "minimize.lp").write_text("", "utf-8")
    with pytest.raises(EncodingError, match="nothing is minimised"):
        Refractor(HIRE, encodings_dir=own)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.lp").write_text("% nothing\n", "utf-8")
    told = r"a/mine\.lp, .*b/mine\.lp: two files of rules are called mine\.lp"
    with pytest.raises(EncodingError, match=told):
        Refractor(tool("T"), patterns=[tmp_path / "a/mine.lp", tmp_path / "b/mine.lp"])


def test_a_core_of_ones_own_that_lets_something_pass_is_told(own: Path) -> None:
    """Without the rule that required parameters are passed nothing is asked for, and check finds it."""
    path = own / "recovery" / "memory.lp"
    path.write_text('offer(X, Tool, Param, given("to"), "") :- missing(X, Tool, Param).\n', "utf-8")
    with pytest.raises(EncodingError, match=r"recovery/memory\.lp:1: the rules allow"):
        repair('Ship(to="Oslo")', SHIP, encodings_dir=own)


@pytest.mark.parametrize("name", ["admissible.lp", "recovery/memory.lp", "recovery/goal_call.lp"])
def test_own_rules_that_never_end_are_stopped(name: str, own: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("refract_asp.rules.policy.MAX_RULES", 20_000)  # so that it is reached soon
    path = own / name
    path.write_text(f"{path.read_text('utf-8')}\ncounted(0). counted(N + 1) :- counted(N).\n")
    with pytest.raises(EncodingError, match=rf"{name}:\d+.*: the rules are grounded to more than"):
        repair("Ship()", SHIP, encodings_dir=own, goals=["Ship"])


@pytest.mark.slow
@pytest.mark.parametrize("given", SEEDS.values(), ids=SEEDS)
def test_all_evidence_gives_the_same_answer(given: str, catalog: Catalog) -> None:
    needed, every = (Refractor(catalog, evidence=each).repair(given) for each in ("needed", "all"))
    assert (every.sequence, every.total) == (needed.sequence, needed.total)
