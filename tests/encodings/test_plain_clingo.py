"""Plain clingo with the same files and the facts of `refract-asp facts` gives the same answer."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clingo import Control, Model
from tests.seeds.test_seed_000 import FLIGHT, FORMS, GIVEN, NEW_YORK, PLACE

from refract_asp import Catalog, Refractor
from refract_asp.resources import catalog_path, cost_model_names, encodings_path
from refract_asp.rules.program import PLAN_GIVEN

ROOT = encodings_path()
README = (ROOT / "README.md").read_text("utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", README, re.S)
BLOCKS = [block for block in SHELL if "refract-asp facts" in block]

SEEDS = {name: text for name, text in FORMS.items() if name != "valid"}
"""The mistakes of the document that the project was created from, in isolation."""


def answer(refractor: Refractor, text: Any, **asked: Any) -> dict[int, int]:
    """Return the cost by priority of the optimum that clingo finds with the command that is told for a question."""
    _, *words = shlex.split(refractor.facts(text, emit="command", **asked))
    files = [word for word in words if word.endswith(".lp")]
    options = [word for word in words if word not in (*files, "FACTS", "-c")]
    control = Control([word if word.startswith("--") else f"-c {word}" for word in options])
    for name in files:
        control.load(name)
    control.add("base", [], refractor.facts(text, **asked))
    control.ground([("base", [])])
    last: list[dict[int, int]] = [{}]

    def keep(model: Model) -> None:
        last[:] = [dict(zip(model.priority, model.cost, strict=True))]

    assert control.solve(on_model=keep).exhausted
    return last[0]


TWICE = GIVEN + "\n" + NEW_YORK.replace("var1", "var6")
PLAN_TEXT = "a = w3({email: 'a@b.c'});\nb = concur({employee_info: a.info, travel_justification: 'x'});\nreturn a;"
"""The catalog declares that concur writes, and the plan never makes it; and w3 has no path `info`."""
FEWER = {"level": "cheapest"}
PATTERN = ROOT.parent / "docs" / "examples" / "swapped.lp"
FLIGHT_FOUND = {"goals": ["SkyScrapperFlightSearch"], **FEWER}
NUMBER_FOUND = {"goals": ["field flightId"], "level": "achieves_goals"}

RULES = """
forbidden(call(X), "once is enough") :- name(X, "TripadvisorSearchLocation"), in_call(X).
forbidden(call(X), "flights last") :-
    name(X, "SkyScrapperFlightSearch"), name(Y, "TripadvisorSearchHotels"), before(X, Y).
"""

CHEAP = {"constants": {"weight_rename_tool": 50}, "max_new_calls": 1}
# calls, catalog, how the Refractor is made, what is asked for
REPAIRS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    **{
        f"{seed}, {model}": (text, "travel", {"cost_model": model}, {})
        for seed, text in SEEDS.items()
        for model in cost_model_names()
    },
    "constants": (SEEDS["messed up tool name"], "travel", CHEAP, {}),
    "everything new": (SEEDS["missing step"], "travel", {"confirm": "new"}, {}),
    "house rules": (SEEDS["messed up tool name"], "travel", {"encodings": ["mine.lp"]}, {}),
    "a pattern": (SEEDS["messed up tool name"], "travel", {"patterns": [PATTERN]}, {}),
    "goals": (TWICE.replace(FLIGHT + "\n", ""), "travel", {}, NUMBER_FOUND),
    "the cheapest for goals": (TWICE, "travel", {}, FLIGHT_FOUND),
    "fewer calls": (TWICE, "travel", {}, FEWER),
    "a plan": (PLAN_TEXT, "hr", {}, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", REPAIRS)
def test_the_optimum_is_the_same(case: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.lp").write_text(RULES, "utf-8")
    text, catalog, made, asked = REPAIRS[case]
    refractor = Refractor(catalog_path(catalog), **made)
    result = refractor.repair(text, **asked)
    assert result.optimal
    # clingo tells no empty level
    free = {level: cost for level, cost in result.total.items() if not cost}
    assert answer(refractor, text, **asked) | free == result.total


@pytest.mark.data
def test_the_optimum_is_the_same_on_real_sequences(data_dir: Path) -> None:
    """Each of the broken sequences costs alike, whichever way it is asked."""
    nestful = data_dir / "nestful"
    specs = {name: nestful / f"{name}-spec.json" for name in ("executable", "glaive")}
    refractors = {name: Refractor(Catalog.load(path)) for name, path in specs.items()}
    lines = (nestful / "generated_errors.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        refractor = refractors["executable" if "exec" in row["source"] else "glaive"]
        result = refractor.repair(row["broken"])
        free = {level: cost for level, cost in result.total.items() if not cost}
        if result.violations and result.verdict != "unrepairable":
            assert answer(refractor, row["broken"]) | free == result.total, row["broken"]


@pytest.mark.slow
def test_the_ground_program_and_the_statistics(catalog: Catalog) -> None:
    refractor, text = Refractor(catalog), SEEDS["messed up tool name"]
    ground = refractor.facts(text, emit="ground")
    assert 'name(2,"SkyScrapperFlightSearch")' in ground
    told = json.loads(refractor.facts(text, emit="stats"))
    assert told["total"] == {"2": sum(refractor.repair(text).total.values())}
    assert list(told["milliseconds"]) == ["check", "facts", "ground", "solve"]
    assert told["ground"]["rules"] > told["statements"] > 100
    command = refractor.facts(text, program="check", emit="command").split()
    assert [Path(word).name for word in command] == ["clingo", "check.lp", "FACTS"]


CHECKS = {
    **{seed: (text, "travel", {}, ()) for seed, text in SEEDS.items()},
    "a goal": (PLACE, "travel", {"goals": ["field flightId"]}, ()),
    "a plan": (PLAN_TEXT, "hr", {}, ("plan.lp", PLAN_GIVEN)),
}


@pytest.mark.parametrize("case", CHECKS)
def test_the_violations_are_the_same(case: str) -> None:
    text, catalog, asked, files = CHECKS[case]
    refractor = Refractor(catalog_path(catalog))
    control = Control()
    for name in ("check.lp", *files):
        control.load(str(ROOT / name))
    control.add("base", [], refractor.facts(text, program="check", **asked))
    control.ground([("base", [])])
    found = control.symbolic_atoms.by_signature("violation", 2)
    codes = sorted(str(atom.symbol.arguments[0]) for atom in found)
    violations = refractor.check(text, **asked).violations
    assert codes == sorted(violation.code for violation in violations) != []


# --- the commands of README.md --------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder from which the commands of README.md can be run, and which they may fill."""
    for name in ("encodings", "docs"):
        if not (ROOT.parent / name).is_dir():
            pytest.skip(f"{name}/ is not beside the encodings: this is no checkout")
        (tmp_path / name).symlink_to(ROOT.parent / name)
    return tmp_path


def run(block: str, folder: Path) -> str:
    """Run the two commands of a block and return what the last one prints."""
    here = shlex.quote(sys.executable)
    text = re.sub(r"^python\b", here, block, flags=re.M)
    text = re.sub(r"^refract-asp\b", f"{here} -m refract_asp.cli", text, flags=re.M)
    command = ["bash", "-c", text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
def test_the_commands_for_repair_and_check_give_the_same(checkout: Path, catalog: Catalog) -> None:
    printed = run(BLOCKS[0], checkout)
    assert "OPTIMUM FOUND" in printed
    result = Refractor(catalog).repair((checkout / "docs/examples/demo.txt").read_text("utf-8"))
    optimum = re.findall(r"^Optimization: (\d+)", printed, re.M)[-1]
    assert int(optimum) == sum(result.total.values()) == sum(result.cost.values())
    codes = re.findall(r"out_violation\((\w+)", run(BLOCKS[1], checkout))
    assert sorted(codes) == sorted(violation.code for violation in result.violations)


def test_the_rules_of_ones_own_are_accepted_and_count(tmp_path: Path, catalog: Catalog) -> None:
    (block,) = re.findall(r"```prolog\n(.*?)```", README, re.S)
    mine = tmp_path / "mine.lp"
    mine.write_text(block, "utf-8")
    calls = FLIGHT.replace(', date="2024-08-15"', "")
    memory = {"var1": {"skyId": "a", "entityId": "b"}, "var2": {"skyId": "c", "entityId": "d"}}
    memory["when"] = {"date": "2024-08-15"}
    assert Refractor(catalog).repair(calls, memory=memory).verdict == "repaired"
    asking = Refractor(catalog, encodings=[mine], constants={"weight_ask": 20})
    assert [ask.name for ask in asking.repair(calls, memory=memory).asks] == ["date"]
