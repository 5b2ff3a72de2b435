"""README.md says what the encodings are: what is there is told, and what is told is there."""

import re
from importlib import import_module
from typing import get_args

import clingo
import pytest
from encoding_files import (
    DECLARED,
    ENTRIES,
    FILES,
    HOOKS,
    INPUTS,
    MODELS,
    OPTIONS,
    README,
    ROOT,
    TABLES,
    Signature,
    code,
    derived_in,
    everywhere,
    heads_of,
    read,
    signature,
    told,
)

from refract_asp.model.edits import ViolationCode
from refract_asp.resources import packaged
from refract_asp.rules.program import DOUBTS, NAMES_FILES

NOT_IN_BODIES = {
    ("ask_named_after", 1), ("call_for", 1), ("confirms", 1), ("in_text", 2), ("in_words", 3), ("in_number", 2),
}  # fmt: skip
"""Inputs that no shipped rule asks: Python reads them, or patterns of the user's do."""

VIOLATING = ("admissible.lp", "given.lp", "modes/unmet_goals.lp", "modes/unused_calls_given.lp")
"""The files that say what is wrong."""

COMPUTED = "What Python computes, and what it leaves out"
BOUND = re.compile("MAX_(?!JUMP)|MOST_|LONGEST_|LISTED|SHOWN|BRANCHES_EACH|.*_SECONDS")
"""Names of numbers that bound the work or what is printed."""


def test_every_table_is_read_by_a_test() -> None:
    """So that a new one does not go unseen."""
    known = {"Files", "How things are written", "What a cost model states besides weights"}
    known |= {"Violations", "What the files share", "Output", "Demands", "The wanted sequence"}
    assert set(TABLES) == known | {COMPUTED, *INPUTS, "Risks", "Penalties", "Constants"}


def test_every_input_is_told_with_its_arity() -> None:
    assert set(told(*INPUTS)) == DECLARED - OPTIONS - HOOKS
    assert set(told("What a cost model states besides weights")) == OPTIONS


@pytest.mark.slow
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
    assert everywhere("bodies") <= set(derived_in()) | everywhere("defined")


def test_every_predicate_that_is_derived_is_asked() -> None:
    """A rule whose head nobody asks is dead; Python reads `unranked` and the doubts of names."""
    asked = everywhere("bodies")
    assert set(derived_in()) - asked == {("unranked", 1), *DOUBTS} - asked
    assert {(f"in_{name}", arity) for name, arity in DOUBTS} <= DECLARED


def test_the_page_tells_what_files_share() -> None:
    shared = {("precede", 2)}
    for each, files in derived_in().items():
        if len(files) > 1 or {name for name in FILES if each in read(name).bodies} - files:
            shared.add(each)
    assert set(told("What the files share")) == shared


def test_the_page_tells_every_output() -> None:
    assert set(told("Output")) == everywhere("shown")
    terms = {term for name in FILES for term in read(name).shown.values()}
    here = {re.sub(r"\bNumber\b", "N", term.replace(",", ", ")) for term in terms}
    assert here == {code(row[0])[0] for row in TABLES["Output"]}


def test_the_page_tells_every_violation() -> None:
    heads = [head for name in VIOLATING for head in heads_of(name, "violation")]
    places = {kind: place.partition("(")[0] for kind, place in heads}
    unmendable = code(told(*INPUTS)["in_unmendable", 2][1])
    assert places.pop("Code") == "call"
    places |= dict.fromkeys(unmendable, "call")
    rows = [(code(row[0])[0], code(row[1])[0]) for row in TABLES["Violations"]]
    assert {name: place.partition("(")[0] for name, place in rows} == places
    assert derived_in()["violation", 2] == set(VIOLATING)
    assert set(packaged("model/words")["messages"]) == set(places)
    assert set(get_args(ViolationCode)) == set(places) | {"needless_call"}, "which Python tells of"


def test_the_page_tells_every_risk_and_each_has_its_words() -> None:
    reasons = {reason for name in derived_in()["risky", 2] for _, reason in heads_of(name, "risky")}
    names = [name for name, _ in DOUBTS if name.endswith("_doubt")]
    doubts = [head for file in NAMES_FILES for name in names for head in heads_of(file, name)]
    reasons = reasons - {"Reason"} | {head[-1] for head in doubts if not head[-1][0].isupper()}
    assert {code(row[0])[0] for row in TABLES["Risks"]} == reasons
    assert reasons <= set(packaged("model/words")["risks"])


IN_MODES = [("Demands", "insist", "holds"), ("The wanted sequence", "wanted", "missed")]


@pytest.mark.parametrize(("table", "mode", "predicate"), IN_MODES)
def test_the_page_tells_demands_and_what_is_missed(table: str, mode: str, predicate: str) -> None:
    heads = [str(rule.head) for rule in read(f"modes/{mode}.lp").rules]
    heads = [head for head in heads if f"{predicate}(" in head]
    tokens = {head.removeprefix(f"{predicate}(").removesuffix(")") for head in heads}
    said = {re.sub(", *", ", ", each) for each in tokens}
    assert {code(row[0])[0] for row in TABLES[table]} == said


def kinds() -> dict[str, tuple[bool, set[str]]]:
    """Return for each kind of penalty whether a unit is one, and its places."""
    found: dict[str, tuple[bool, set[str]]] = {}
    for name in sorted(derived_in()["penalty", 3]):
        for kind, units, place in heads_of(name, "penalty"):
            single, places = found.get(kind, (True, set()))
            found[kind] = (single and units == "1", places | {place_shape(place)})
    return found


def place_shape(place: str) -> str:
    """Return a place without its variables: `X` for a call, `Label`, or the name of the term."""
    name = place.partition("(")[0]
    return name if name or not place.startswith("(") else "pair"


def test_the_page_tells_which_kinds_a_model_derives_itself() -> None:
    """In the last cell of the row; the kinds of all models bear no such remark."""
    said = {code(row[0])[0]: re.findall(r"\(`(\w+)` only\)", row[3]) for row in TABLES["Penalties"]}
    own = {kind: [name] for name in MODELS for kind, _, _ in heads_of(name, "penalty")}
    named = {kind: [f"costs/{name}.lp" for name in names] for kind, names in said.items()}
    assert {kind: names for kind, names in named.items() if names} == own


def test_the_page_tells_every_kind_of_penalty_with_units_and_places() -> None:
    table = [(code(row[0])[0], row[1], code(row[2])) for row in TABLES["Penalties"]]
    rows = {kind: (units == "1", {*map(place_shape, each)}) for kind, units, each in table}
    here = {
        kind: (single, {"X" if place == "Y" else place for place in places})
        for kind, (single, places) in kinds().items()
    }
    assert rows == here


def test_the_page_tells_every_constant() -> None:
    rows = TABLES["Constants"]
    told_constants = {code(row[0])[0]: (int(row[1]), code(row[2])[0]) for row in rows}
    files = [name for name in FILES if not name.startswith("costs/")]
    here = {key: (value, name) for name in files for key, value in read(name).constants.items()}
    assert told_constants == here
    for constant in (each for name in MODELS for each in read(name).constants):
        assert constant.startswith(("weight_", "priority_"))


def test_the_page_speaks_of_no_predicate_that_is_not_there() -> None:
    """Atoms anywhere in the text; terms that stand inside others are named here."""
    terms = {"new", "own", "memory", "each", "inner", "lost", "constant", "read", "bound", "goal"}
    terms |= {"call", "argument", "reference"}
    rows = [*TABLES["Demands"], *TABLES["The wanted sequence"]]
    terms |= {code(row[0])[0].partition("(")[0] for row in rows}
    predicates = {*derived_in(), *everywhere("defined"), *everywhere("shown")}
    known = {name for name, _ in predicates} | terms
    known |= {constant for name in FILES for constant in read(name).constants}
    prose = re.sub(r"```.*?```", "", README, flags=re.S)
    mentioned = {name for span in code(prose) for name in re.findall(r"([a-z]\w*)(?=\(|/\d)", span)}
    assert mentioned <= known


def test_the_page_tells_what_python_computes() -> None:
    """Each number of the modules that state likeness, forms and the like, but for what bounds the work."""
    page = " ".join(cell for row in TABLES[COMPUTED] for cell in row)
    found: dict[str, float] = {}
    for name in {each for each in code(page) if each.endswith(".py")}:
        module = vars(import_module(f"refract_asp.{name.removesuffix('.py').replace('/', '.')}"))
        told = {key: each for key, each in module.items() if key.isupper() and not BOUND.match(key)}
        found |= {key: each for key, each in told.items() if isinstance(each, int | float)}
    assert found == {key: float(each) for key, each in re.findall(r"([A-Z_]+) = ([\d.]*\d)", page)}


# -- the form of the files -------------------------------------------------------------


@pytest.mark.parametrize("name", [*FILES, *ENTRIES, "README.md"])
def test_lines_are_short_and_clean(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        assert line == line.rstrip(), number
        assert "\t" not in line, number
        assert len(line) <= 100 or name == "README.md", number
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", FILES)
def test_every_block_of_rules_says_why(name: str) -> None:
    """A blank line ends a block; only constants and lists under a banner go without words."""
    for block in re.split(r"\n\n+", read(name).text.strip("\n")):
        assert block.startswith(("%", "#const")), f"no comment above: {block.splitlines()[0]}"


@pytest.mark.parametrize("name", FILES)
def test_every_variable_has_a_name(name: str) -> None:
    """For `_` clingo derives a projection of the predicate, one for each pattern."""
    assert "_" not in read(name).variables


HEADER = re.compile(r"% (Purpose|Derived|Output|Constants):\s*(.*)")


def header(name: str) -> dict[str, list[str]]:
    """Return the header of a file by section, each with its lines."""
    lines = read(name).text.split("\n\n")[0].splitlines()
    assert lines[0] == "% SPDX-License-Identifier: Apache-2.0"
    found: dict[str, list[str]] = {}
    for line in lines[1:]:
        match = HEADER.fullmatch(line)
        if match:
            section = found.setdefault(match[1], [])
            section.append(match[2])
        else:
            assert re.match(r"%  {9,}\S", line), line
            section.append(line[1:].removeprefix(" " * 11))
    return found


def stated(lines: list[str]) -> set[Signature]:
    """
    Return the predicates that stand at the beginning of a line, as `moved(X)    X need not ...`.

    One without arguments has a line of its own.
    """
    found: set[Signature] = set()
    for line in lines:
        if line[:1].isspace():
            continue
        found |= {(name, 0) for name in re.findall(r"^([a-z]\w*)\s{2,}", line)}
        atoms = re.split(r"\s{2,}|; ", line)[0]
        found |= set(map(signature, re.findall(r"[a-z]\w*\((?:[^()]|\([^()]*\))*\)", atoms)))
    return found


def test_the_sections_of_a_header_have_an_order() -> None:
    for name in FILES:
        order = ["Purpose", "Derived", "Output", "Constants"]
        assert [each for each in order if each in header(name)] == list(header(name)), name


@pytest.mark.parametrize("name", FILES)
def test_a_header_tells_what_the_file_gives_to_others(name: str) -> None:
    file, head = read(name), header(name)
    said = stated(head.get("Derived", [])) | stated(head.get("Output", []))
    asked = set().union(*(read(other).bodies for other in FILES if other != name))
    assert file.heads & asked <= said
    assert said <= file.heads


@pytest.mark.parametrize("name", FILES)
def test_a_header_tells_the_constants(name: str) -> None:
    said = header(name).get("Constants", [])
    if name.startswith("costs/"):
        assert bool(said) == bool(read(name).constants)
        return
    lines = [line.removeprefix(" ") for line in said]
    assert {line.split()[0] for line in lines if line[:1] != " "} == set(read(name).constants)


def test_what_is_short_is_spelt_so() -> None:
    """A value is taken for a member by its spelling, and never because of what both words mean."""
    control = clingo.Control()
    control.load(str(ROOT / "words.lp"))
    control.ground()
    pairs = [each.symbol.arguments for each in control.symbolic_atoms.by_signature("short", 2)]
    assert pairs
    for short, whole in ((first.string, second.string) for first, second in pairs):
        letters = iter(whole)
        assert short[0] == whole[0]
        assert all(letter in letters for letter in short), (short, whole)
