"""
encodings/: tiny instances and what the rules make of them.

`cases/*.yaml` holds them, a file for a file of rules. A case has `facts`, and pieces of facts that it is
`given` by name; a case with `checks` puts several questions, each with facts of its own besides. The
question may add `rules`, take another `model` or `mode`, set `constants` or ask for `fewer` calls. What
is expected:

    violations              what `check` shows
    chosen                  what the one cheapest repair chooses; `answers` where several cost the same
    paid                    its penalties as `kind,units,place`: all of them, or those of a kind
    cost                    its cost by priority
    shows, hides            atoms that the cheapest repair shows, and that it does not show
    risky, confirms         its risky places with the reasons, and what is to be confirmed
    ranks                   what decides among equals, as `rank,place`
    patterns                how its edits get their values, as `pattern,edit,place`
    possible, impossible    atoms that some admissible repair shows, whatever it costs, and that none shows
    offers                  all that some admissible repair chooses
    admissible              whether there is any repair
    relaxed                 what is wrong with the least wrong sequence that meets a demand
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from encoding_files import heads_of
from encoding_runs import files_of, optima, possible, relaxed, violations

from refract_asp import Refractor
from refract_asp.formats import load_catalog
from yaml_files import read_yaml

CASES = Path(__file__).parent / "cases"
QUESTIONS = {"facts", "given", "rules", "model", "mode", "constants", "fewer"}
REPAIRS = {"chosen", "answers", "paid", "cost", "shows", "hides", "risky", "confirms"}
REPAIRS |= {"ranks", "patterns"}
OFFERS = {"possible", "impossible", "offers", "admissible"}
JUDGED = ("penalty", "rank", "risky", "confirm", "pattern")
"""What an answer shows besides what it chooses."""


def listed(value: str | list[str]) -> list[str]:
    """Return atoms as a list, of which one may stand alone."""
    return [value] if isinstance(value, str) else value


def chosen(answer: frozenset[str], *but: str) -> set[str]:
    """Return what an answer chooses, without `out_`."""
    bare = {atom.removeprefix("out_") for atom in answer}
    return {atom for atom in bare if not atom.startswith((*JUDGED, *but))}


def inside(answer: frozenset[str], name: str) -> set[str]:
    """Return what stands in the brackets of the atoms of a name."""
    start = f"out_{name}("
    return {atom.removeprefix(start)[:-1] for atom in answer if atom.startswith(start)}


def read() -> Iterator[Any]:
    """Yield each check with its title: the facts put together, how to ask, and what is expected."""
    for path in sorted(CASES.glob("*.yaml")):
        document = read_yaml(path)
        pieces = document.get("pieces", {})
        for case in document["cases"]:
            checks = case.get("checks", [{}])
            for number, check in enumerate(checks):
                parts = [{"model": document.get("model")}, case, check]
                names = [name for part in parts for name in part.get("given", ())]
                facts = [pieces[name] for name in names]
                facts += [part["facts"] for part in parts if "facts" in part]
                merged = {**parts[0], **case, **check, "facts": " ".join(facts)}
                asked = {name: merged[name] for name in QUESTIONS - {"given"} if merged.get(name)}
                names = merged.keys() - QUESTIONS - {"title", "why", "checks"}
                expected = {name: merged[name] for name in names}
                assert expected, case["title"]
                assert set(expected) <= REPAIRS | OFFERS | {"violations", "relaxed"}
                last = f" {number + 1}" if len(checks) > 1 else ""
                how: Any = {"marks": [pytest.mark.slow] if document.get("slow") else []}
                yield pytest.param(asked, expected, id=f"{path.stem}: {case['title']}{last}", **how)


@pytest.mark.parametrize(("asked", "expected"), list(read()))
def test_case(asked: dict[str, Any], expected: dict[str, Any]) -> None:
    if "violations" in expected:
        found = {atom.removeprefix("out_") for atom in violations(asked["facts"])}
        assert found == set(listed(expected["violations"]))
    if "relaxed" in expected:
        assert relaxed(asked["facts"]) == set(listed(expected["relaxed"]))
    if REPAIRS & set(expected):
        compare_repairs(optima(**asked), expected, asked["facts"])
    if OFFERS & set(expected):
        compare_offers(possible(**asked), expected)


def compare_repairs(found: Any, expected: dict[str, Any], facts: str) -> None:
    """Compare the cheapest repairs with what is expected of them."""
    if "answers" in expected:
        answers = {frozenset(chosen(answer, "precede")) for answer in found.answers}
        assert answers == {frozenset(listed(answer)) for answer in expected["answers"]}
    if "chosen" in expected:
        assert chosen(found.only, "precede") == set(listed(expected["chosen"]))
    if "paid" in expected:
        paid = expected["paid"]
        kinds = paid if isinstance(paid, dict) else {"": paid}
        for kind, value in kinds.items():
            assert found.paid(kind) == listed(value), kind
    if "cost" in expected:
        assert found.cost == expected["cost"]
    if {"shows", "hides"} & set(expected):
        atoms = {atom.removeprefix("out_") for atom in found.only}
        assert set(listed(expected.get("shows", []))) <= atoms
        assert not set(listed(expected.get("hides", []))) & atoms
    for answer in found.answers:
        if "risky" in expected:
            risky = set(listed(expected["risky"]))
            assert inside(answer, "risky") == risky
            # Each risky place is confirmed where the facts want that, and no other.
            if "in_confirm(risky)" in facts:
                places = {each.rpartition(",")[0] for each in risky}
                assert inside(answer, "confirm") == places
        for name in ("confirm", "rank", "pattern"):
            if f"{name}s" in expected:
                assert inside(answer, name) == set(listed(expected[f"{name}s"]))


def compare_offers(found: set[str], expected: dict[str, Any]) -> None:
    """Compare what some admissible repair does with what is expected."""
    if "admissible" in expected:
        assert bool(found) == expected["admissible"]
    if "offers" in expected:
        assert chosen(frozenset(found)) == set(listed(expected["offers"]))
    atoms = {atom.removeprefix("out_") for atom in found}
    assert set(listed(expected.get("possible", []))) <= atoms
    assert not set(listed(expected.get("impossible", []))) & atoms


def test_every_kind_of_penalty_is_paid_in_some_case() -> None:
    kinds = {kind for name in files_of("repair.lp") for kind, _, _ in heads_of(name, "penalty")}
    cases = read_yaml(CASES / "edits.yaml")["cases"]
    paid = [case["paid"] for case in cases if "paid" in case]
    assert {kind for each in paid for kind, units in each.items() if units} == kinds


# -- what the rules rely on in the facts that Python states, as README.md tells it -----


DATA = read_yaml(Path(__file__).parent / "stated_facts.yaml")
CATALOGS = {name: load_catalog(text) for name, text in DATA["catalogs"].items()}


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["title"])
def test_all_facts_of_a_predicate(case: dict[str, Any]) -> None:
    refractor = Refractor(CATALOGS[case.get("catalog", "rooms")], **case.get("options", {}))
    lines = refractor.facts(case["calls"], **case.get("with", {})).splitlines()
    for predicate, expected in case["facts"].items():
        facts = [line for line in lines if line.startswith(f"{predicate}(")]
        assert facts == [f"{predicate}({each})." for each in expected]
