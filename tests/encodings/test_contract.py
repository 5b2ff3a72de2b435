"""README.md says what the encodings are: what is there is told, and what is told is there."""

from __future__ import annotations

import re

from encoding_files import (
    DECLARED,
    FILES,
    INPUTS,
    MODELS,
    OPTIONS,
    README,
    TABLES,
    code,
    derived_in,
    everywhere,
    read,
    told,
)

from refract_asp.rules.edits import RISKS
from refract_asp.rules.messages import MESSAGES
from refract_asp.rules.program import CHECK_FILES, REPAIR_FILES

NOT_IN_BODIES = {("ask_named_after", 1), ("call_for", 1), ("confirms", 1)}
"""Inputs that no shipped rule asks: Python reads them."""

ALTERNATIVES = "modes/alternatives.lp"
"""Its penalty has its criterion beside it: no cost model ranks it."""


def test_every_table_is_read_by_a_test() -> None:
    """So that a new one does not go unseen."""
    assert set(TABLES) == {
        "Files",
        "How things are written",
        *INPUTS,
        "What a cost model states besides weights",
        "Violations",
        "What the files share",
        "Output",
        "Demands",
        "The wanted sequence",
        "Risks",
        "Penalties",
        "Constants",
    }


def test_the_page_lists_every_file_and_who_loads_it() -> None:
    loaded = {code(row[0])[0]: row[2] for row in TABLES["Files"]}
    assert sorted(loaded) == FILES
    assert {name for name, by in loaded.items() if "check" in by} == set(CHECK_FILES)
    assert {name for name, by in loaded.items() if by in ("repair", "check, repair")} == set(REPAIR_FILES)
    assert {name for name, by in loaded.items() if "model" in by} == set(MODELS)
    assert {name for name, by in loaded.items() if "confirm" in by} == {"modes/defensive.lp"}
    assert {name for name, by in loaded.items() if "why_not" in by} == {
        "modes/insist.lp",
        "modes/relaxed.lp",
    }
    assert {name for name, by in loaded.items() if "next best" in by} == {ALTERNATIVES}
    assert {name for name, by in loaded.items() if "costs fit" in by} == {"modes/wanted.lp"}


def test_every_input_is_told_with_its_arity() -> None:
    assert set(told(*INPUTS)) == DECLARED - OPTIONS
    assert set(told("What a cost model states besides weights")) == OPTIONS


def test_every_input_that_is_asked_is_declared_and_the_other_way_round() -> None:
    asked = everywhere("bodies")
    assert {each for each in asked if each[0].startswith("in_")} <= DECLARED
    assert DECLARED - asked == NOT_IN_BODIES


def test_an_option_is_read_where_the_page_says() -> None:
    for option, row in told("What a cost model states besides weights").items():
        files = [name for name in code(row[3]) if name.endswith(".lp")]
        assert files == [name for name in FILES if option in read(name).bodies]
        assert (option in NOT_IN_BODIES) <= ("Python" in row[3])


def test_inputs_and_outputs_are_told_apart_by_their_names() -> None:
    assert not [name for name, _ in derived_in() if name.startswith(("in_", "out_"))]
    assert all(name.startswith("out_") for name, _ in everywhere("shown"))


def test_every_predicate_that_is_asked_is_derived_or_given() -> None:
    assert everywhere("bodies") <= set(derived_in()) | DECLARED


def test_every_predicate_that_is_derived_is_asked() -> None:
    """A rule whose head nobody asks is dead; `unranked` is read by Python."""
    assert set(derived_in()) - everywhere("bodies") == {("unranked", 1)}


def test_the_page_tells_what_files_share_and_where_it_is_derived() -> None:
    shared = {
        each: files
        for each, files in derived_in().items()
        if len(files) > 1 or any(each in read(name).bodies for name in FILES if name not in files)
    }
    rows = told("What the files share")
    assert set(rows) - set(shared) == {("precede", 2)} - set(shared)
    assert set(shared) <= set(rows)
    assert {each: set(code(row[2])) for each, row in rows.items()} == {
        each: derived_in()[each] for each in rows
    }


def test_the_page_tells_every_output() -> None:
    assert set(told("Output")) == everywhere("shown")
    terms = {code(row[0])[0] for row in TABLES["Output"]}
    assert {re.sub(r"\bNumber\b", "N", term.replace(",", ", ")) for term in shown_terms()} == terms


def shown_terms() -> set[str]:
    return {term for name in FILES for term in read(name).shown.values()}


def test_the_page_tells_every_violation() -> None:
    heads = [
        rule.head.atom.symbol
        for name in ("admissible.lp", "given.lp")
        for rule in read(name).rules
        if str(rule.head).startswith("violation(")
    ]
    places = {str(head.arguments[0]): head.arguments[1].name for head in heads}
    unmendable = code(told(*INPUTS)["in_unmendable", 2][1])
    assert places.pop("Code") == "call"
    places |= dict.fromkeys(unmendable, "call")
    told_places = {code(row[0])[0]: code(row[1])[0].partition("(")[0] for row in TABLES["Violations"]}
    assert told_places == places
    assert set(MESSAGES) == set(places)


def test_the_page_tells_every_risk_and_each_has_its_words() -> None:
    heads = [str(rule.head) for rule in read("risk.lp").rules if str(rule.head).startswith("risky(")]
    reasons = {head.rpartition(",")[2].strip(" )") for head in heads}
    assert {code(row[0])[0] for row in TABLES["Risks"]} == reasons
    assert reasons <= set(RISKS)


def test_the_page_tells_every_demand() -> None:
    heads = [str(rule.head) for rule in read("modes/insist.lp").rules if "holds(" in str(rule.head)]
    tokens = {head.removeprefix("holds(").removesuffix(")").replace(",", ", ") for head in heads}
    assert {code(row[0])[0] for row in TABLES["Demands"]} == {re.sub(", +", ", ", each) for each in tokens}


def test_the_page_tells_what_may_be_missed() -> None:
    heads = [str(rule.head) for rule in read("modes/wanted.lp").rules if "missed(" in str(rule.head)]
    tokens = {head.removeprefix("missed(").removesuffix(")").replace(",", ", ") for head in heads}
    rows = TABLES["The wanted sequence"]
    assert {code(row[0])[0] for row in rows} == {re.sub(", +", ", ", each) for each in tokens}


def kinds() -> dict[str, tuple[bool, set[str]]]:
    """Return for each kind of penalty whether a unit is one, and its places."""
    found: dict[str, tuple[bool, set[str]]] = {}
    for name in ("edits.lp", "coherence.lp", ALTERNATIVES, *MODELS):
        for kind, units, place in heads_of(name, "penalty"):
            single, places = found.get(kind, (True, set()))
            found[kind] = (single and units == "1", places | {place_shape(place)})
    return found


def heads_of(name: str, predicate: str) -> list[tuple[str, ...]]:
    """Return the arguments of each head of that predicate in a file."""
    heads = (rule.head for rule in read(name).rules if str(rule.head).startswith(f"{predicate}("))
    return [tuple(map(str, head.atom.symbol.arguments)) for head in heads]


def place_shape(place: str) -> str:
    """Return a place without its variables: `X` for a call, `Label`, or the name of the term."""
    name = place.partition("(")[0]
    return name if name or not place.startswith("(") else "pair"


def test_penalties_are_derived_in_one_file_or_by_the_only_model_that_ranks_them() -> None:
    assert derived_in()["penalty", 3] <= {"edits.lp", "coherence.lp", ALTERNATIVES, *MODELS}
    common = {kind for name in ("edits.lp", "coherence.lp") for kind, _, _ in heads_of(name, "penalty")}
    for name in MODELS:
        own = {kind for kind, _, _ in heads_of(name, "penalty")}
        assert not own & common
        for other in MODELS:
            ranked = {kind for kind, _, _ in heads_of(other, "criterion")}
            off = {kind for (kind,) in heads_of(other, "criterion_off")}
            assert own <= ranked if other == name else not own & (ranked | off)


def test_the_page_tells_which_kinds_a_model_derives_itself() -> None:
    """In the last cell of the row; the kinds of all models bear no such remark."""
    said = {code(row[0])[0]: re.findall(r"\(`(\w+)` only\)", row[3]) for row in TABLES["Penalties"]}
    own = {kind: [name] for name in MODELS for kind, _, _ in heads_of(name, "penalty")}
    assert {kind: [f"costs/{name}.lp" for name in names] for kind, names in said.items() if names} == own


def test_the_page_tells_every_kind_of_penalty_with_units_and_places() -> None:
    rows = {
        code(row[0])[0]: (row[1] == "1", {place_shape(place) for place in code(row[2])})
        for row in TABLES["Penalties"]
    }
    here = {
        kind: (single, {"X" if place == "Y" else place for place in places})
        for kind, (single, places) in kinds().items()
    }
    assert rows == here


def test_the_page_tells_every_constant() -> None:
    told_constants = {code(row[0])[0]: (int(row[1]), code(row[2])[0]) for row in TABLES["Constants"]}
    here = {
        constant: (value, name)
        for name in FILES
        if name not in MODELS
        for constant, value in read(name).constants.items()
    }
    assert told_constants == here
    for name in MODELS:
        assert all(constant.startswith(("weight_", "priority_")) for constant in read(name).constants)


def test_the_page_speaks_of_no_predicate_that_is_not_there() -> None:
    """Atoms anywhere in the text; terms that stand inside others are named here."""
    terms = {
        "new",
        "own",
        "memory",
        "each",
        "inner",
        "lost",
        "constant",
        "read",
        "call",
        "argument",
        "reference",
        *(code(row[0])[0].partition("(")[0] for row in TABLES["Demands"]),
        *(code(row[0])[0].partition("(")[0] for row in TABLES["The wanted sequence"]),
    }
    known = {name for name, _ in {*derived_in(), *DECLARED, *everywhere("shown")}} | terms
    known |= {constant for name in FILES for constant in read(name).constants}
    prose = re.sub(r"```.*?```", "", README, flags=re.S)
    mentioned = {name for span in code(prose) for name in re.findall(r"([a-z]\w*)(?=\(|/\d)", span)}
    assert mentioned <= known
