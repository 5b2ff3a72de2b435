"""What files of the user's may say: what is refused, with file and line, and what stops grounding."""

from __future__ import annotations

from pathlib import Path

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.errors import ConstantError, EncodingError
from refract_asp.resources import cost_model_path, encodings_path

pytestmark = pytest.mark.slow


TOOLS = Catalog.load("tools: [{name: Search, parameters: {query: {type: string, required: true}}}]")
OWN = "criterion(mine, priority_edits, 5). penalty(mine, 1, X) :- in_call(X)."

# what a file for --encoding says on its second line, and what the error says
REFUSED = {
    "no instance at all": (":- not nothing.", "nothing derives nothing/0"),
    "a negative weight": (":~ in_call(X). [-3@9, X]", "out of range"),
    "a negated weight": (":~ in_ref(X, P, N, L, T). [-N@9, X]", "out of range"),
    "our level as a number": (":~ moved(X). [3@2, mine, X]", "the cost model uses the priority 2"),
    "our level by reckoning": (
        ":~ moved(X). [3@1 + 1, mine, X]",
        "the cost model uses the priority 2",
    ),
    "our level by another constant": (
        "#const at = 2. :~ moved(X). [3@at, mine, X]",
        "the cost model uses the priority 2",
    ),
    "a level that is reserved": (":~ moved(X). [3@100, mine, X]", "reserved"),
    "a level below 0": (":~ moved(X). [3@-1, X]", "the priority -1 is below 0"),
    "a weight that is reckoned from a constant": (
        ":~ moved(X). [weight_ask * 1000000@7, X]",
        "out of range",
    ),
    "a criterion on a reserved level": ("criterion(mine, 250, 1).", "reserved"),
    "a level that varies": (":~ in_call(X). [3@X, mine]", "no number and no constant"),
    "a tuple of ours": (":~ moved(X). [3@priority_edits, move_call, X]", "fall together"),
    "a tuple that may be ours": (":~ penalty(K, U, P). [U@priority_edits, K, P]", "fall together"),
    "a value that no model knows": (
        "confirms(X) :- in_call(X).",
        "confirms/1 is stated by a cost model alone",
    ),
    "a weight that is misspelt": (":~ moved(X). [weight_aks@9, X]", "Did you mean weight_ask"),
    "a level that is misspelt": (
        ":~ moved(X). [3@priority_edit, X]",
        "Did you mean priority_edits?",
    ),
    "a core predicate": ("fill(X, P, ask, ask) :- wanted(X, P).", "fill/4 belongs to the core"),
    "a core fact": ("moved(0).", "moved/1 belongs to the core"),
    "a core choice": ("{ deleted(X) : in_call(X) }.", "deleted/1 belongs to the core"),
    "a core disjunction": (
        "mine(X); unresolved(X) :- in_call(X).",
        "unresolved/1 belongs to the core",
    ),
    "an aggregate in the head": (
        "1 <= #sum { 1, X : unresolved(X) : in_call(X) }.",
        "unresolved/1 belongs",
    ),
    "a pool in the head": ("moved(0;1).", "moved/1 belongs to the core"),
    "an input": ('in_tool("Mine").', "in_tool/1 belongs to the core"),
    "an output": ("out_moved(X) :- in_call(X).", "out_moved/1 belongs to the core"),
    "a new input": ("in_mine(1).", "in_mine/1 belongs to the core"),
    "what an answer shows": ("#show out_moved(X) : in_call(X).", "shown by show.lp alone"),
    "a variable that is shown": ("#show T : T = out_deleted(1), in_call(1).", "name of its own"),
    "a pool that is shown": (
        '#show (out_mend(0, "a", 0, ask, "");b) : in_call(1).',
        "name of its own",
    ),
    "a number that is shown": ("#show 5.", "name of its own"),
    "a negated output": ("#show -out_deleted(1).", "name of its own"),
    "an edge": ("#edge (X, X) : in_call(X).", "#edge is not allowed"),
    "a heuristic": ("#heuristic moved(X). [1, true]", "#heuristic is not allowed"),
    "what stands before itself": ("precede(X, X) :- in_call(X).", "cannot stand before itself"),
    "a penalty that rewards": (
        "penalty(mine, -1, X) :- in_call(X). criterion(mine, 2, 1).",
        "out of range",
    ),
    "a penalty that is not ranked": ("penalty(mine, 1, X) :- in_call(X), X > 99.", "nothing ranks"),
    "a criterion at a level that varies": (
        "criterion(mine, 200 + X, 1) :- in_call(X). penalty(mine, 1, X) :- in_call(X).",
        "no number and no constant",
    ),
    "a pool in a tuple of ours": (
        ":~ moved(X). [3@priority_edits, (move_call;x), X]",
        "fall together",
    ),
    "what is projected": ("#project moved/1.", "#project"),
    "a function of Python": ("mine(@exit(1)).", "function of Python"),
    "a penalty of ours": (
        "penalty(ask, 1, X) :- in_call(X).",
        "penalty(ask, ...) belongs to the core",
    ),
    "a penalty of any kind": (
        "penalty(K, 1, X) :- in_call(X), criterion(K, P, W).",
        "belongs to the core",
    ),
    "a criterion of the model": (
        "criterion(ask, priority_edits, 1).",
        "ranked by the cost model already",
    ),
    "what only a model says": ("name_by(fit).", "stated by a cost model alone"),
    "an unknown predicate": (":- fil(X, P, O, Path).", "Did you mean fill?"),
    "another number of arguments": (":- fill(X, P, O).", "It has 4 arguments"),
    "an unknown predicate in a choice": ("{ mine(X) : in_cal(X) }.", "in_call"),
    "a script": ("#script (python) #end.", "#script"),
    "an include": ('#include "x.lp".', "#include"),
    "an external": ("#external mine.", "#external"),
    "a theory": ("#theory t { x {}; &a/0 : x, any }.", "theory"),
}

CONTRADICTORY = {
    "demands what need not be": ":- not in_call(0).",
    "an odd loop": "odd :- not odd.",
    "two rules that exclude each other": "{ odd }. :- odd. :- not odd.",
}

# what is grounded without end by itself, and what only with a sequence; each with the predicate that grows
ENDLESS = {
    "a number that grows": ("p(0). p(X + 1) :- p(X).", "p/1"),
    "a term that grows": ("p(0). p(f(X)) :- p(X).", "p/1"),
    "grows in a circle": ("p(X + 1) :- q(X). q(X) :- p(X). p(0). r(X) :- in_call(X).", "p/1"),
    "grows as a choice": ("{ p(0) }. { p(Y) } :- p(X), Y = X + 1.", "p/1"),
    "shrinks without end": ("p(0). p(X - 1) :- p(X), X < 5.", "p/1"),
    "a bound that is none": ("p(0). p(X + 1) :- p(X), X < #sup.", "p/1"),
    "far too many": ("b(1..200). p(X, Y, Z) :- b(X), b(Y), b(Z).", "p/3"),
}
ENDLESS_WITH_A_SEQUENCE = {
    "through what is forbidden": ("forbidden(call(X)) :- violation(Code, X).", "forbidden/1"),
    "from a given call": ("p(X) :- in_call(X). p(X + 1) :- p(X).", "p/1"),
    "what is forbidden in the end": (
        "p(X) :- in_call(X). p(X + 1) :- p(X). forbidden(call(X)) :- p(X), in_name(X, T).",
        "p/1",
    ),
}

ACCEPTED = {
    "what is bounded above": "p(0). p(X + 1) :- p(X), X < 5.",
    "what is bounded by an aggregate": "p(0). p(X + 1) :- p(X), X < #count { C : in_call(C) }.",
    "an equation that ends": "p(1). p(Y) :- p(X), Y = X * 2, Y < 4000.",
    "what is bounded by a constant": "p(0). p(X + 1) :- p(X), X < max_new_calls.",
    "what is bounded by what is given": "p(f(X)) :- p(X), in_call(X). p(X) :- in_call(X).",
    "what is bounded as a sum": "d(0). d(X + Y) :- d(X), in_call(Y), Y > 0, X + Y < 100.",
    "what goes round": "p(0). p((X + 1) \\ 10) :- p(X).",
    "what is masked": "p(0). p((X + 1) & 7) :- p(X).",
    "what counts down": "p(9). p(X - 1) :- p(X), X > 0.",
    "a transitive closure": "r(X, Y) :- feeds(X, Y). r(X, Z) :- r(X, Y), feeds(Y, Z).",
    "depth by given calls": "p(X, 1) :- in_call(X). q(X, N + 1) :- p(X, N).",
    "a house rule": "precede(X, Y) :- feeds(X, Y), in_call(X), in_call(Y), X < Y.",
    "what is forbidden": 'forbidden(call(X)) :- name(X, "Delete"), in_call(X).',
    "a constraint": ':- fill(X, "password", Origin, Path), Origin != ask.',
    "a level by its constant": ":~ moved(X). [3@priority_edits, mine, X]",
    "a level of its own": ":~ moved(X). [3@7, move_call, X]",
    "no level": ":~ moved(X). [3, X]",
    "a penalty and its criterion": OWN,
    "a weight that is reckoned": ":~ in_ref(X, P, N, L, T). [N + 1@7, X]",
    "a criterion for several kinds": (
        "penalty(mine, 1, X) :- in_call(X). kind(mine). criterion(K, priority_edits, 5) :- kind(K)."
    ),
    "a criterion with a variable": (
        "penalty(mine, 1, X) :- in_call(X). criterion(mine, priority_edits, W) :- W = weight_ask + 1."
    ),
    "an even loop": "yes(X) :- in_call(X), not no(X). no(X) :- in_call(X), not yes(X).",
    "a show of its own": "mine(X) :- in_call(X). #show mine/1.",
}


def built(text: str, folder: Path) -> Refractor:
    path = folder / "own.lp"
    path.write_text(f"% Rules of my own.\n{text}\n", "utf-8")
    return Refractor(TOOLS, encodings=[path])


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError) as caught:
        built(text, tmp_path)
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(text: str, tmp_path: Path) -> None:
    assert built(text, tmp_path).repair("var1 = Serch(query=1)").verdict


@pytest.mark.parametrize("text", CONTRADICTORY.values(), ids=CONTRADICTORY)
def test_a_contradiction_is_refused_with_its_file(text: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="no sequence at all is admissible") as caught:
        built(text, tmp_path)
    assert caught.value.where == str(tmp_path / "own.lp")


@pytest.fixture
def few_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the bound, so that it is reached soon."""
    monkeypatch.setattr("refract_asp.rules.policy.MAX_RULES", 20_000)


@pytest.mark.usefixtures("few_rules")
@pytest.mark.parametrize(("text", "predicate"), ENDLESS.values(), ids=ENDLESS)
def test_grounding_without_end_is_stopped(text: str, predicate: str, tmp_path: Path) -> None:
    with pytest.raises(
        EncodingError, match=f"more than 20,000, most of them for {predicate}"
    ) as caught:
        built(text, tmp_path)
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"


@pytest.mark.usefixtures("few_rules")
@pytest.mark.parametrize(
    ("text", "predicate"), ENDLESS_WITH_A_SEQUENCE.values(), ids=ENDLESS_WITH_A_SEQUENCE
)
def test_so_it_is_with_a_sequence(text: str, predicate: str, tmp_path: Path) -> None:
    refractor = built(text, tmp_path)
    with pytest.raises(EncodingError, match=f"most of them for {predicate}") as caught:
        refractor.repair("var1 = Serch(query=1)")
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"


@pytest.mark.parametrize("weight", ["3 - N", "N * (0 - 1)", "W"])
def test_a_weight_that_comes_to_less_than_nothing(weight: str, tmp_path: Path) -> None:
    """It is known only with the sequence; the answer would not be the cheapest."""
    value = "W = -4, " if weight == "W" else ""
    refractor = built(f":~ {value}in_arg(X, P), N = 5. [{weight}@7, X, P]", tmp_path)
    with pytest.raises(ConstantError) as caught:
        refractor.repair('var1 = Serch(query="x")')
    assert caught.value.where.endswith("own.lp:2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("penalty(mine, X - 5, X) :- in_call(X). criterion(mine, 2, 1).", "-5.* is out of range"),
        (
            "penalty(mine, 1, X) :- in_call(X). criterion(mine, 2, X - 5) :- in_call(X).",
            "is out of range",
        ),
        (
            "penalty(mine, 1000000, X) :- in_call(X). criterion(mine, 2, 4000).",
            "4000 is out of range",
        ),
        (":~ in_call(X), N = 2000000. [N@9, X]", "comes to 2000000"),
        (
            ":~ in_call(X), N = 1..5000. [1000000@9, X, N]",
            "10000000000 together|5000000000 together",
        ),
        ("precede(foo, bar) :- in_call(0).", "orders what is no call"),
    ],
)
def test_what_is_known_only_with_the_sequence(text: str, message: str, tmp_path: Path) -> None:
    refractor = built(text, tmp_path)
    with pytest.raises(EncodingError, match=message) as caught:
        refractor.repair("var1 = Serch(query=1)")
    assert caught.value.where.startswith(f"{tmp_path / 'own.lp'}:2")


def test_a_level_that_c_moves_onto_one_of_ours(tmp_path: Path) -> None:
    own = tmp_path / "own.lp"
    own.write_text("#const mine = 7.\n:~ moved(X). [1@mine, X]\n", "utf-8")
    assert Refractor(TOOLS, encodings=[own])
    with pytest.raises(EncodingError, match="uses the priority 2"):
        Refractor(TOOLS, encodings=[own], constants={"mine": 2})
    with pytest.raises(EncodingError, match="reserved"):
        Refractor(TOOLS, constants={"priority_edits": 100})


# what is added to a copy of the model, and what the error says; None where there is none
MODELS = {
    "a kind of its own": (
        "criterion(mine, priority_edits, 1). penalty(mine, 1, X) :- in_call(X).",
        None,
    ),
    "a level of its own": (":~ moved(X). [1@7, X]", None),
    "its own level": (":~ moved(X). [1@priority_edits, mine, X]", None),
    "its own level as a number": (":~ moved(X). [1@2, mine, X]", None),
    "what a model says": ("ask_named_after(field). may_delete(unknown_tool).", None),
    "a misspelt value": ("confirms(sometimes).", "confirms cannot be sometimes"),
    "a value that varies": ("confirms(X) :- X = never.", "confirms cannot be X"),
    "a tuple of ours": (":~ moved(X). [4@2, move_call, X]", "fall together"),
    "a reserved level": ("criterion(mine, 100, 1).", "reserved"),
    "what is forbidden": ("forbidden(call(X)) :- in_call(X).", "--encoding"),
    "an order": ("precede(X, Y) :- in_call(X), in_call(Y), X < Y.", "--encoding"),
    "a core predicate": ("moved(0).", "moved/1 belongs to the core"),
    "a penalty of ours": ("penalty(ask, 1, X) :- in_call(X).", "belongs to the core"),
}


@pytest.mark.parametrize(("text", "message"), MODELS.values(), ids=MODELS)
def test_a_cost_model_of_ones_own(text: str, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "mine.lp"
    whole = cost_model_path("default").read_text("utf-8")
    path.write_text(whole + text + "\n", "utf-8")
    if message is None:
        assert Refractor(TOOLS, cost_model=path).repair("var1 = Serch(query=1)").verdict
        return
    with pytest.raises(EncodingError, match=message) as caught:
        Refractor(TOOLS, cost_model=path)
    assert caught.value.where == f"{path}:{whole.count(chr(10)) + 1}"


def test_another_set_is_judged_by_itself(tmp_path: Path) -> None:
    """It may derive what it likes; what is added to it is judged against it."""
    import shutil

    shutil.copytree(encodings_path(), tmp_path / "set")
    edits = tmp_path / "set" / "edits.lp"
    edits.write_text(edits.read_text("utf-8") + "\nlonely(X) :- moved(X).\n", "utf-8")
    own = tmp_path / "own.lp"
    own.write_text("lonely(0).\n", "utf-8")
    assert Refractor(TOOLS, encodings=[own]).repair("Serch(query=1)").verdict
    with pytest.raises(EncodingError, match="lonely/1 belongs to the core"):
        Refractor(TOOLS, encodings_dir=tmp_path / "set", encodings=[own])
    assert Refractor(TOOLS, encodings_dir=tmp_path / "set").repair("Serch(query=1)").verdict
