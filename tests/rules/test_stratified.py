"""What is evaluated in Python is what clingo grounds, rule by rule, and a repair is the same either way."""

from __future__ import annotations

import pytest
from clingo import Control, Function, parse_term
from clingo.ast import AST, ASTType, ProgramBuilder, parse_string

from refract_asp import Catalog, Refractor
from refract_asp.rules import program as programs
from refract_asp.rules.stratified import Stratified, Unwritten
from refract_asp.rules.symbols import symbol_of, term_of

FACTS = """in_edge(1,2). in_edge(2,3). in_edge(3,1). in_edge(3,"end"). in_size(1,5). in_size(2,7). in_size(3,7).
in_kind(1,good). in_kind(2,bad(1)). in_kind(3,bad(2)). in_limit(6)."""
RULES = {
    "a join": "path(X,Y) :- in_edge(X,Y). path(X,Z) :- path(X,Y), in_edge(Y,Z).",
    "not": "end(Y) :- in_edge(X,Y), not start(Y). start(X) :- in_edge(X,Y).",
    "terms": "kind(N,X) :- in_kind(X,bad(N)). made(f(X,(Y,good))) :- in_edge(X,Y).",
    "numbers": "sum(X,A+B*2-1) :- in_edge(X,Y), in_size(X,A), in_size(Y,B).",
    "order": "below(X,Y) :- in_edge(X,Y), X < Y. same(X) :- in_size(X,A), in_limit(L), not A < L.",
    "least": "least(X) :- X = #min { A : in_size(Y,A), Y > 1 }. none(X) :- X = #min { A : in_size(9,A) }.",
    "a count": "one(X) :- in_edge(X,Y), #count { Z : in_edge(X,Z) } = 1.",
    "a sum": "all(S) :- S = #sum { A,X : in_size(X,A) }. few :- #sum { A : in_size(X,A) } <= 12.",
    "a set": "some(X) :- in_size(X,A), 1 { in_kind(X,good); A = 7; not in_limit(A) } 1.",
    "not a set": "rest(X) :- in_size(X,A), not 2 { in_kind(X,good); A = 7; not in_limit(A) }.",
    "for all": "big :- in_limit(L), A >= L : in_size(X,A). any(X) :- in_size(X,A), in_edge(X,Y) : in_size(Y,A).",
    "pools": "pool(X) :- in_kind(X,(good;bad(2))). both(1;2) :- in_limit(6).",
    "words": "p(X,a) :- in_size(X,A), not p(X,b). p(X,b) :- in_size(X,7).",
    "chosen": "{ c(X) : in_size(X,A) }. d(X) :- c(X). e(X) :- in_size(X,A), not in_edge(X,2).",
    "round about": "p(X) :- in_size(X,A), not q(X). q(X) :- in_size(X,A), not p(X). r(X) :- in_size(X,7).",
}  # fmt: skip


def parsed(text: str) -> list[AST]:
    nodes: list[AST] = []
    parse_string(text, nodes.append)
    return [node for node in nodes if node.ast_type is not ASTType.Program]


@pytest.mark.parametrize("name", RULES)
def test_rules_give_what_clingo_grounds(name: str) -> None:
    nodes, control = parsed(RULES[name]), Control(["--warn=none"])
    with ProgramBuilder(control) as builder:
        for node in (*nodes, *parsed(FACTS)):
            builder.add(node)
    control.ground([("base", [])])
    stated = [term_of(parse_term(str(node).rstrip("."))) for node in parsed(FACTS)]
    stratified = Stratified(nodes, is_open=False)
    indexed = stratified.evaluate(stated)
    assert indexed is not None
    for predicate in stratified.derived:
        found = {symbol_of((predicate[0], *row)) for row in indexed.rows.get(predicate, ())}
        atoms = control.symbolic_atoms.by_signature(*predicate)
        assert found == {atom.symbol for atom in atoms if atom.is_fact}


def test_what_is_chosen_is_left_to_clingo() -> None:
    assert Stratified(parsed(RULES["chosen"]), is_open=False).derived == {("e", 1)}
    assert Stratified(parsed(RULES["round about"]), is_open=False).derived == {("r", 1)}


def test_a_statement_without_an_instance_is_left_out() -> None:
    rules = "{ c(X) : in_a(X) }. d(X) :- c(X), in_b(X), not e(X). e(X) :- in_b(X), X > 1. :- d(X), in_z(X)."
    stratified = Stratified(parsed(rules), is_open=False)
    for facts, kept in (
        ([("in_a", 1)], [0]),
        ([("in_a", 1), ("in_b", 2)], [0]),  # 2 is an e
        ([("in_a", 1), ("in_b", 1)], [0, 1]),
        ([("in_a", 1), ("in_b", 1), ("in_z", 1)], [0, 1, 3]),
    ):
        indexed = stratified.evaluate(facts)
        assert indexed is not None
        assert stratified.left(indexed)[0] == kept


def test_facts_that_rules_derive_too_are_left_to_clingo() -> None:
    stratified = Stratified(parsed("kind(a). known(X) :- kind(X), in_b(X)."), is_open=False)
    assert stratified.evaluate([("kind", ("b",))]) is None
    indexed = stratified.evaluate([("in_b", ("a",))])
    assert indexed is not None
    assert indexed.rows["known", 1] == {(("a",),)}


def test_what_cannot_be_written_is_told() -> None:
    stratified = Stratified(parsed("p(|X|) :- in_a(X)."), is_open=False)
    with pytest.raises(Unwritten):
        stratified.evaluate([("in_a", 1)])


@pytest.mark.parametrize("text", ["a", "", 'quo"te', "\x1a0000", "\0", "\ud800", "x" * 500])
def test_terms_are_symbols(text: str) -> None:
    for term in (text, ("f", 1, text, ("", text, -1)), ("a",), 7):
        assert term_of(symbol_of(term)) == term
    assert symbol_of(term_of(Function("f", []))) == Function("f", [])


SEQUENCES = (
    [{"name": "SkyScrapperSearchAirport", "arguments": {"query": "New York"}, "label": "var1"},
     {"name": "SkyScrapperFlightSearch", "label": "var2",
      "arguments": {"originSkyId": "$var7.skyId$", "date": "2024-08-15"}}],
    [{"name": "SkyScraperSearchAirports", "arguments": {"qery": "New York"}, "label": "var1"}],
    [{"name": "search_of_airports", "arguments": {"query": "New York", "more": 1}},
     {"name": "SkyScrapperFlightSearch", "arguments": {"originSkyId": "$var1.skyid$"}}],
    [],
)  # fmt: skip


def test_answers_are_the_same_with_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    refractor = Refractor(Catalog.load("travel"))
    answers = []
    for questions in (10**9, 0):
        monkeypatch.setattr(programs, "WARM_UP", questions)
        answers.append([refractor.repair(s).model_dump(mode="json") for s in SEQUENCES])
    assert answers[0] == answers[1]
