"""Plain clingo with the same files and the facts of `refract-asp facts` gives the same answer."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from clingo import Control, Model

from refract_asp import Catalog, Refractor
from refract_asp.resources import catalog_path, cost_model_names, encodings_path
from refract_asp.rules.program import (
    CHEAPEST,
    CHECK_FILES,
    FEWER_CALLS,
    GOALS,
    GOALS_GIVEN,
    PLAN,
    PLAN_GIVEN,
    REPAIR_FILES,
)

ROOT = encodings_path()
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = [
    block for block in re.findall(r"```sh\n(.*?)```", README, re.S) if "refract-asp facts" in block
]

ORIGIN = 'var1 = SkyScrapperSearchAirport(query="New York")'
DESTINATION = 'var2 = SkyScrapperSearchAirport(query="London")'
FLIGHT = (
    'var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", '
    'originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")'
)
PLACE = 'var4 = TripadvisorSearchLocation(query="London")'
HOTELS = 'var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")'
CALLS = "\n".join([ORIGIN, DESTINATION, FLIGHT, PLACE, HOTELS])

SEEDS = {
    "made up tool": CALLS.replace("SkyScrapperFlight", "SkyCrapperFlight"),
    "wrong label": CALLS.replace("var2 =", "var20 ="),
    "missing label": CALLS.replace("var2 = ", ""),
    "missing parameter": CALLS.replace('originSkyId="$var1.skyId$", ', ""),
    "made up parameter": CALLS.replace("originSkyId", "originalSkyId"),
    "made up variable": CALLS.replace("$var2.skyId$", "$var20.skyId$"),
    "made up field": CALLS.replace("$var2.skyId$", "$var2.skyayeId$"),
    "missing step": CALLS.replace(PLACE + "\n", ""),
    "missing date": CALLS.replace(', date="2024-08-15"', ""),
}
"""The mistakes of the document that the project was created from, in isolation."""


def cheapest(text: str, *files: str, options: tuple[str, ...] = ()) -> dict[int, int]:
    """Return the cost by priority of the optimum that clingo finds on its own."""
    control = Control(["--opt-mode=opt", *options])
    for name in files:
        control.load(str(ROOT / name))
    control.add("base", [], text)
    control.ground([("base", [])])
    last: list[dict[int, int]] = []

    def keep(model: Model) -> None:
        last[:] = [dict(zip(model.priority, model.cost, strict=True))]

    assert control.solve(on_model=keep).exhausted
    return last[0]


@pytest.mark.slow
@pytest.mark.parametrize("model", cost_model_names())
@pytest.mark.parametrize("seed", SEEDS)
def test_the_optimum_is_the_same(seed: str, model: str, catalog: Catalog) -> None:
    refractor = Refractor(catalog, cost_model=model)
    result = refractor.repair(SEEDS[seed])
    assert result.optimal
    assert result.edits
    facts = refractor.facts(SEEDS[seed])
    free = {
        level: cost for level, cost in result.total.items() if not cost
    }  # clingo tells no empty level
    assert cheapest(facts, *REPAIR_FILES, f"costs/{model}.lp") | free == result.total


@pytest.mark.slow
def test_a_constant_means_the_same(catalog: Catalog) -> None:
    refractor = Refractor(catalog, constants={"weight_rename_tool": 50}, max_new_calls=1)
    seed = SEEDS["made up tool"]
    options = ("-c weight_rename_tool=50", "-c max_new_calls=1")
    found = cheapest(refractor.facts(seed), *REPAIR_FILES, "costs/default.lp", options=options)
    assert found == refractor.repair(seed).total
    assert found != Refractor(catalog).repair(seed).total


@pytest.mark.parametrize("seed", SEEDS)
def test_the_violations_are_the_same(seed: str, catalog: Catalog) -> None:
    refractor = Refractor(catalog)
    control = Control()
    for name in CHECK_FILES:
        control.load(str(ROOT / name))
    control.add("base", [], refractor.facts(SEEDS[seed], program="check"))
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        codes = [
            symbol.arguments[0].name for model in handle for symbol in model.symbols(shown=True)
        ]
    assert sorted(codes) == sorted(
        violation.code for violation in refractor.check(SEEDS[seed]).violations
    )


DEFINED = "modes/defined.lp"
TWICE = CALLS + "\n" + ORIGIN.replace("var1", "var6")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("goals", "level", "files"),
    [
        (["field flightId"], "achieves_goals", [DEFINED, *GOALS]),
        (["SkyScrapperFlightSearch"], "cheapest", [DEFINED, *GOALS, *CHEAPEST]),
        ([], "cheapest", [DEFINED, *FEWER_CALLS]),
    ],
    ids=["goals", "the cheapest for goals", "fewer calls"],
)
def test_the_optimum_for_goals_and_of_fewer_calls_is_the_same(
    goals: list[str],
    level: Literal["achieves_goals", "cheapest"],
    files: list[str],
    catalog: Catalog,
) -> None:
    refractor = Refractor(catalog)
    given = TWICE.replace(FLIGHT + "\n", "") if level == "achieves_goals" else TWICE
    result = refractor.repair(given, goals=goals, level=level)
    assert result.edits
    facts = refractor.facts(given, goals=goals, level=level)
    assert cheapest(facts, *REPAIR_FILES, "costs/default.lp", *files) == result.total


def test_the_violation_of_a_goal_is_the_same(catalog: Catalog) -> None:
    facts = Refractor(catalog).facts(PLACE, goals=["field flightId"], program="check")
    control = Control()
    for name in (*CHECK_FILES, *GOALS_GIVEN):
        control.load(str(ROOT / name))
    control.add("base", [], facts)
    control.ground([("base", [])])
    assert [str(a.symbol) for a in control.symbolic_atoms.by_signature("violation", 2)] == [
        "violation(unmet_goal,goal(0))"
    ]


PLAN_TEXT = "a = w3({email: 'a@b.c'});\nb = concur({employee_info: a.info, travel_justification: 'x'});\nreturn a;"


def test_what_a_plan_never_makes_is_the_same() -> None:
    """The catalog declares that concur writes; the plan reads a path of w3 that it does not have, too."""
    refractor = Refractor(catalog_path("hr"))
    report, result = refractor.check(PLAN_TEXT), refractor.repair(PLAN_TEXT)
    control = Control()
    for name in (*CHECK_FILES, *PLAN_GIVEN):
        control.load(str(ROOT / name))
    control.add("base", [], refractor.facts(PLAN_TEXT, program="check"))
    control.ground([("base", [])])
    found = [
        str(a.symbol.arguments[0]) for a in control.symbolic_atoms.by_signature("violation", 2)
    ]
    assert sorted(found) == sorted(each.code for each in report.violations)
    assert "unused_call" in found
    assert 1 in result.unresolved
    facts = refractor.facts(PLAN_TEXT)
    free = {level: cost for level, cost in result.total.items() if not cost}
    assert cheapest(facts, *REPAIR_FILES, *PLAN, "costs/default.lp") | free == result.total


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
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
def test_the_command_for_repair_names_every_file_and_gives_the_same(
    checkout: Path, catalog: Catalog
) -> None:
    command = BLOCKS[0]
    named = re.findall(r"encodings/(\S+\.lp)", command)
    assert sorted(named) == sorted([*REPAIR_FILES, "costs/default.lp"])
    printed = run(command, checkout)
    assert "OPTIMUM FOUND" in printed
    result = Refractor(catalog).repair((checkout / "docs/examples/demo.txt").read_text("utf-8"))
    optimum = re.findall(r"^Optimization: (\d+)", printed, re.M)[-1]
    assert int(optimum) == sum(result.total.values()) == sum(result.cost.values())


@pytest.mark.slow
def test_the_command_for_check_names_every_file_and_gives_the_same(
    checkout: Path, catalog: Catalog
) -> None:
    command = BLOCKS[1]
    assert sorted(re.findall(r"encodings/(\S+\.lp)", command)) == sorted(CHECK_FILES)
    printed = run(command, checkout)
    report = Refractor(catalog).check((checkout / "docs/examples/demo.txt").read_text("utf-8"))
    codes = re.findall(r"out_violation\((\w+)", printed)
    assert sorted(codes) == sorted(violation.code for violation in report.violations)


def test_the_rules_of_ones_own_are_accepted_and_count(tmp_path: Path, catalog: Catalog) -> None:
    (block,) = re.findall(r"```prolog\n(.*?)```", README, re.S)
    mine = tmp_path / "mine.lp"
    mine.write_text(block, "utf-8")
    calls = FLIGHT.replace(', date="2024-08-15"', "")
    memory = {"var1": {"skyId": "a", "entityId": "b"}, "var2": {"skyId": "c", "entityId": "d"}}
    memory["when"] = {"date": "2024-08-15"}
    assert Refractor(catalog).repair(calls, memory=memory).verdict == "repaired"
    asked = Refractor(catalog, encodings=[mine], constants={"weight_ask": 20}).repair(
        calls, memory=memory
    )
    assert [ask.name for ask in asked.asks] == ["date"]
