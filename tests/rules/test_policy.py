"""What files of the user's may say: what is refused, with file and line, and what stops grounding."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.errors import EncodingError
from refract_asp.resources import cost_model_path, encodings_path

pytestmark = pytest.mark.slow


TOOLS = Catalog.load("tools: [{name: Search, parameters: {query: {type: string, required: true}}}]")
# what a file for --encoding says on its second line, and what the error says
REFUSED = r"""
:- not nothing.  => does not occur in any rule head: nothing
:~ in_call(X). [-3@9, X]  => out of range
:~ in_ref(X, P, N, L, T). [-N@9, X]  => out of range
:~ moved(X). [3@100, mine, X]  => reserved
:~ moved(X). [3@-1, X]  => the priority -1 is out of range
:~ in_call(X). [3@X, mine]  => no number and no constant
:~ moved(X). [3@priority_edits, move_call, X]  => fall together
:~ penalty(K, U, P). [U@priority_edits, K, P]  => fall together
confirms(X) :- in_call(X).  => confirms/1 belongs to the core
:~ moved(X). [weight_aks@9, X]  => Did you mean weight_ask
:~ moved(X). [3@priority_edit, X]  => Did you mean priority_edits?
fill(X, P, ask, ask) :- wanted(X, P).  => fill/4 belongs to the core
moved(0).  => moved/1 belongs to the core
{ deleted(X) : in_call(X) }.  => deleted/1 belongs to the core
mine(X); unresolved(X) :- in_call(X).  => unresolved/1 belongs to the core
1 <= #sum { 1, X : unresolved(X) : in_call(X) }.  => unresolved/1 belongs
moved(0;1).  => moved/1 belongs to the core
in_tool("Mine").  => in_tool/1 belongs to the core
#show out_moved(X) : in_call(X).  => may not be shown
#show (out_mend(0, "a", 0, ask, "");b) : in_call(1).  => name of its own
#show -out_deleted(1).  => name of its own
#edge (X, X) : in_call(X).  => #edge is not allowed
#heuristic moved(X). [1, true]  => #heuristic is not allowed
penalty(mine, -1, X) :- in_call(X). criterion(mine, 2, 1).  => out of range
criterion(mine, 200 + X, 1) :- in_call(X). penalty(mine, 1, X) :- in_call(X).  => no number and no constant
:~ moved(X). [3@priority_edits, (move_call;x), X]  => fall together
#project moved/1.  => #project
mine(@exit(1)).  => function of Python
penalty(ask, 1, X) :- in_call(X).  => penalty(ask, ...) belongs to the core
penalty(K, 1, X) :- in_call(X), criterion(K, P, W).  => belongs to the core
criterion(ask, priority_edits, 1).  => ranked by the cost model already
name_by(fit).  => name_by/1 belongs to the core
:- fill(X, P, O).  => any rule head: fill(X,P,O)
{ mine(X) : in_cal(X) }.  => any rule head: in_cal(X)
#script (python) #end.  => #script
#include "x.lp".  => #include
#external mine.  => #external
#theory t { x {}; &a/0 : x, any }.  => theory
"""

ACCEPTED = """
r(X, Y) :- feeds(X, Y). r(X, Z) :- r(X, Y), feeds(Y, Z).
precede(X, Y) :- feeds(X, Y), in_call(X), in_call(Y), X < Y.
forbidden(call(X)) :- name(X, "Delete"), in_call(X).
:- fill(X, "password", Origin, Path), Origin != ask.
:~ moved(X). [3@priority_edits, mine, X]
:~ moved(X). [3@7, move_call, X]
:~ moved(X). [3@2, mine, X]
:~ moved(X). [3, X]
criterion(mine, priority_edits, 5). penalty(mine, 1, X) :- in_call(X).
:~ in_ref(X, P, N, L, T). [N + 1@7, X]
penalty(mine, 1, X) :- in_call(X). kind(mine). criterion(K, priority_edits, 5) :- kind(K).
penalty(mine, 1, X) :- in_call(X). criterion(mine, priority_edits, W) :- W = weight_ask + 1.
yes(X) :- in_call(X), not no(X). no(X) :- in_call(X), not yes(X).
mine(X) :- in_call(X). #show mine/1.
p(0). p(X + 1) :- p(X), X < 5.
"""

CONTRADICTORY = [":- not in_call(0).", "odd :- not odd.", "{ odd }. :- odd. :- not odd."]

# what is grounded without end, the last two with a sequence alone; each with the predicate that grows
ENDLESS = """
p(0). p(X + 1) :- p(X).  => p/1
p(0). p(f(X)) :- p(X).  => p/1
{ p(0) }. { p(Y) } :- p(X), Y = X + 1.  => p/1
b(1..200). p(X, Y, Z) :- b(X), b(Y), b(Z).  => p/3
forbidden(call(X)) :- violation(Code, X).  => forbidden/1
p(X) :- in_call(X). p(X + 1) :- p(X). forbidden(call(X)) :- p(X), in_name(X, T).  => p/1
"""

REFUSED_WITH_A_SEQUENCE = """
:~ in_arg(X, P), N = 5. [3 - N@7, X, P]  => comes to -2
:~ W = -4, in_arg(X, P). [W@7, X, P]  => comes to -4
penalty(mine, X - 5, X) :- in_call(X). criterion(mine, 2, 1).  => -5.* is out of range
penalty(mine, 1, X) :- in_call(X). criterion(mine, 2, X - 5) :- in_call(X).  => is out of range
penalty(mine, 1000000, X) :- in_call(X). criterion(mine, 2, 4000).  => 4000 is out of range
:~ in_call(X), N = 1..5000. [1000000@9, X, N]  => 0000000000 together|5000000000 together
precede(foo, bar) :- in_call(0).  => orders what is no call
precede(X, X) :- in_call(X).  => stands before itself
"""

# what is added to a copy of the model, and what the error says; nothing where there is none
MODELS = """
criterion(mine, priority_edits, 1). penalty(mine, 1, X) :- in_call(X).  =>
:~ moved(X). [1@7, X]  =>
:~ moved(X). [1@2, mine, X]  =>
ask_named_after(field). may_delete(unknown_tool).  =>
confirms(sometimes).  => confirms cannot be sometimes
confirms(X) :- X = never.  => confirms cannot be X
:~ moved(X). [4@2, move_call, X]  => fall together
criterion(mine, 100, 1).  => reserved
forbidden(call(X)) :- in_call(X).  => --encoding
precede(X, Y) :- in_call(X), in_call(Y), X < Y.  => --encoding
moved(0).  => moved/1 belongs to the core
penalty(ask, 1, X) :- in_call(X).  => belongs to the core
"""


def rows(table: str) -> list[tuple[str, str]]:
    """Return the rules of a table, a line each, with what is expected of them."""
    found = (line.partition("  =>") for line in table.strip().splitlines())
    return [(text, message.strip()) for text, _, message in found]


def built(text: str, folder: Path) -> Refractor:
    path = folder / "own.lp"
    path.write_text(f"% Rules of my own.\n{text}\n", "utf-8")
    return Refractor(TOOLS, encodings=[path])


@pytest.mark.parametrize(("text", "message"), rows(REFUSED))
def test_refused_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError) as caught:
        built(text, tmp_path)
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ACCEPTED.strip().splitlines())
def test_accepted(text: str, tmp_path: Path) -> None:
    assert built(text, tmp_path).repair("var1 = Serch(query=1)").verdict


@pytest.mark.parametrize("text", CONTRADICTORY)
def test_a_contradiction_is_refused_with_its_file(text: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="no sequence at all is admissible") as caught:
        built(text, tmp_path)
    assert caught.value.where == str(tmp_path / "own.lp")


@pytest.mark.parametrize(("text", "predicate"), rows(ENDLESS))
def test_grounding_without_end_is_stopped(
    text: str, predicate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refract_asp.rules.policy.MAX_RULES", 20_000)  # so that it is reached soon
    with pytest.raises(EncodingError, match=f"20,000, most of them for {predicate}") as caught:
        built(text, tmp_path).repair("var1 = Serch(query=1)")
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"


@pytest.mark.parametrize(("text", "message"), rows(REFUSED_WITH_A_SEQUENCE))
def test_what_is_known_only_with_the_sequence(text: str, message: str, tmp_path: Path) -> None:
    refractor = built(text, tmp_path)
    with pytest.raises(EncodingError, match=message) as caught:
        refractor.repair("var1 = Serch(query=1)")
    assert caught.value.where.startswith(f"{tmp_path / 'own.lp'}:2")


def test_a_level_that_c_moves_onto_one_of_ours(tmp_path: Path) -> None:
    own = tmp_path / "own.lp"
    own.write_text("#const mine = 7.\n:~ moved(X). [1@mine, move_call, X]\n", "utf-8")
    assert Refractor(TOOLS, encodings=[own])
    with pytest.raises(EncodingError, match="fall together"):
        Refractor(TOOLS, encodings=[own], constants={"mine": 2})
    with pytest.raises(EncodingError, match="reserved"):
        Refractor(TOOLS, constants={"priority_edits": 100})


@pytest.mark.parametrize(("text", "message"), rows(MODELS))
def test_a_cost_model_of_ones_own(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lp"
    whole = cost_model_path("default").read_text("utf-8")
    path.write_text(whole + text + "\n", "utf-8")
    if not message:
        assert Refractor(TOOLS, cost_model=path).repair("var1 = Serch(query=1)").verdict
        return
    with pytest.raises(EncodingError, match=message) as caught:
        Refractor(TOOLS, cost_model=path)
    assert caught.value.where == f"{path}:{whole.count(chr(10)) + 1}"


def test_another_set_is_judged_by_itself(tmp_path: Path) -> None:
    """It may derive what it likes; what is added to it is judged against it."""
    copytree(encodings_path(), tmp_path / "set")
    edits = tmp_path / "set" / "edits.lp"
    edits.write_text(edits.read_text("utf-8") + "\nlonely(X) :- moved(X).\n", "utf-8")
    own = tmp_path / "own.lp"
    own.write_text("lonely(0).\n", "utf-8")
    assert Refractor(TOOLS, encodings=[own]).repair("Serch(query=1)").verdict
    with pytest.raises(EncodingError, match="lonely/1 belongs to the core"):
        Refractor(TOOLS, encodings_dir=tmp_path / "set", encodings=[own])
    assert Refractor(TOOLS, encodings_dir=tmp_path / "set").repair("Serch(query=1)").verdict
