"""What the rules rely on in the facts that Python states, as README.md tells it."""

from __future__ import annotations

from typing import Any

import pytest
from clingo import Symbol, SymbolType, parse_term

from refract_asp import Catalog, Refractor
from refract_asp.formats import load_catalog

TOOLS = """
tools:
  - name: Find
    effect: read
    parameters: {query: {type: string, required: true}, size: {type: string, enum: [small, large]}}
    returns: {key: string, title: string, roomId: string}
  - name: Book
    effect: write
    parameters:
      key: {type: string, required: true}
      day: {type: string, required: true, default: today}
      note: {type: string}
      title: {type: string}
    returns: {number: string}
  - name: Name
    effect: read
    parameters: {title: {type: string, required: true}, roomId: {type: string, required: true}}
    returns: {name: string}
"""
FIND = 'a = Find(query="x")\n'


@pytest.fixture(scope="module")
def tools() -> Catalog:
    return load_catalog(TOOLS)


def stated(facts: str, predicate: str) -> list[tuple[Any, ...]]:
    """Return the arguments of the facts of a predicate: numbers, texts, and terms as they are printed."""
    symbols = [parse_term(line.removesuffix(".")) for line in facts.splitlines()]
    found = [[plain(each) for each in symbol.arguments] for symbol in symbols if symbol.name == predicate]
    return sorted(map(tuple, found), key=str)


def plain(symbol: Symbol) -> int | str:
    if symbol.type is SymbolType.Number:
        return symbol.number
    return symbol.string if symbol.type is SymbolType.String else str(symbol)


# --- arguments ------------------------------------------------------------------------------------


def test_an_argument_is_compared_with_the_parameters_that_are_free(tools: Catalog) -> None:
    """Whichever has its argument already is not meant."""
    refractor = Refractor(tools)
    free = stated(refractor.facts('b = Book(kee="x", day="y", note="z")'), "in_parameter_distance")
    assert [found[:4] for found in free] == [(0, "kee", "Book", "key"), (0, "kee", "Book", "title")]
    taken = refractor.facts('b = Book(key="w", kee="x", day="y", note="z", title="t")')
    assert stated(taken, "in_parameter_distance") == []


def test_name_or_value_explains_it_whichever_does_it_better(tools: Catalog) -> None:
    """The value may be one of those that `size` can have, the name nearly its name."""

    def distance(argument: str) -> int:
        facts = Refractor(tools).facts(f'a = Find(query="x", {argument})')
        ((*place, found),) = stated(facts, "in_parameter_distance")
        assert place == [0, argument.partition("=")[0], "Find", "size"]
        return int(found)

    value, name, neither = (distance(each) for each in ('hue="large"', 'siez="huge"', 'hue="huge"'))
    assert value < neither
    assert name < neither
    assert distance('siez="large"') == min(value, name)


# --- memory, and what is returned -----------------------------------------------------------------


def test_memory_is_its_own_tool_and_no_call(tools: Catalog) -> None:
    """Of what it holds the rules are told what is read, or may be."""
    given = 'b = Book(key="$m.key$", day="$m.dya$")'
    facts = Refractor(tools).facts(given, memory={"m": {"key": "x", "day": "y", "far": "z"}, "n": {"day": 1}})
    label = 'memory("m")'
    assert (label, label) in stated(facts, "in_name")
    assert (label,) in stated(facts, "in_tool")
    assert {path for tool, path in stated(facts, "in_gives") if tool == label} == {"key", "day"}
    assert stated(facts, "in_producer") == [(0, "day", 0, label), (0, "key", 0, label)]
    assert stated(facts, "in_call") == [(0,)]


def test_memory_fits_what_it_is_named_like(tools: Catalog) -> None:
    facts = Refractor(tools).facts('b = Book(day="y")', memory={"m": {"key": "x", "far": "z"}})
    place = ('memory("m")', "key", "Book", "key")
    assert stated(facts, "in_fit") == [(*place, 0)]
    assert place in stated(facts, "in_source")
    assert place in stated(facts, "in_equal_name")


def test_what_is_returned_is_a_call_of_a_tool_of_its_own(tools: Catalog) -> None:
    facts = Refractor(tools).facts(FIND + 'return {"x": "$a.kye$"}')
    assert stated(facts, "in_returns") == [(1,)]
    assert (1, "returns") in stated(facts, "in_name")
    assert ("returns",) in stated(facts, "in_tool")
    assert stated(facts, "in_takes_any") == [("returns",)]
    assert stated(facts, "in_call") == [(0,)]
    mends = {(tool, path) for _, tool, path, _ in stated(facts, "in_path_distance")}
    assert ("Find", "key") in mends
    assert stated(facts, "in_fit") == sorted((*mend, "returns", "x", 20) for mend in mends)


# --- evidence -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("weight", "distance"), [(1, 0), (0.7, 3), (0.1, 9)])
def test_a_mapping_tells_the_distance(weight: float, distance: int, tools: Catalog) -> None:
    mappings = [{"source": "Find.title", "target": "Book.key", "weight": weight}]
    facts = Refractor(tools, mappings=mappings).facts(FIND + 'b = Book(day="y")')
    assert stated(facts, "in_mapping") == [("Find", "title", "Book", "key")]
    assert ("Find", "title", "Book", "key", distance) in stated(facts, "in_fit")
    assert len([fit for fit in stated(facts, "in_fit") if fit[:4] == ("Find", "title", "Book", "key")]) == 1


def test_a_call_for_a_common_name_is_offered_where_the_model_wants_it(tools: Catalog) -> None:
    """Few tools return a title or the id of a room, but a title may be that of anything."""
    common, telling = (("Find", name, "Name", name) for name in ("title", "roomId"))
    assert stated(Refractor(tools).facts("n = Name()"), "in_source") == [telling]
    refraction = Refractor(tools, cost_model="refraction")
    assert stated(refraction.facts("n = Name()"), "in_source") == [telling, common]


# --- repetition -----------------------------------------------------------------------------------


def test_a_pair_passes_values_that_can_be_compared(tools: Catalog) -> None:
    """Equal constants have one number; of what is read inside a value only the place is compared."""
    given = FIND + 'b = Book(key="no $a.key$", day="y")\nb = Book(key="no $a.title$", day="z")'
    facts = Refractor(tools).facts(given, program="check")
    assert stated(facts, "in_pair") == [(2, 1)]
    values = {(call, parameter): value for call, parameter, value in stated(facts, "in_value")}
    assert values[1, "key"] == values[2, "key"]
    assert len({values[1, "key"], values[1, "day"], values[2, "day"]}) == 3


def test_calls_that_are_no_pair_pass_no_values(tools: Catalog) -> None:
    given = FIND + 'b = Book(key="k", day="y")\nc = Book(key="k", day="y")'
    facts = Refractor(tools).facts(given, history='x = Book(key="k", day="y")', program="check")
    assert not stated(facts, "in_pair") + stated(facts, "in_value")


def test_what_was_executed_as_often_as_allowed_makes_a_pair(tools: Catalog) -> None:
    """The default of a parameter has a number too, so that it can be told what a repair would pass."""
    history = 'x = Book(key="k", day="today")\n' * 2
    refractor = Refractor(tools, max_tries=2)
    facts = refractor.facts('b = Book(key="k")', history=history)
    assert stated(facts, "in_pair") == [(0, -1)]
    values = {(call, parameter): value for call, parameter, value in stated(facts, "in_value")}
    assert values[0, "key"] == values[-1, "key"]
    assert stated(facts, "in_default") == [("Book", "day", values[-1, "day"])]
    assert stated(refractor.facts('b = Book(key="k")', history=history[:30]), "in_pair") == []


# --- computed mappings ----------------------------------------------------------------------------

SAID = """
tools:
  - name: FindAirport
    description: Finds the airport of a town.
    effect: read
    returns:
      code: {type: string, description: Short code of the airport in three letters.}
      number: {type: integer, description: Short code of the airport in three letters.}
      departFrom: {type: string, description: A place.}
  - name: FindFlights
    description: Finds flights from an airport.
    parameters:
      departure: {type: string, required: true, description: Short code of the airport in three letters.}
      from: {type: integer, required: true, description: How many days from now.}
"""


def test_a_computed_mapping_sets_apart_less_than_nothing_and_more_than_a_likeness() -> None:
    """Names have nothing in common here, so the descriptions speak, where the types fit."""
    calls = "a = FindAirport()\nb = FindFlights()"
    catalog = load_catalog(SAID)
    without = Refractor(catalog).facts(calls)
    assert ("FindAirport", "code", "FindFlights", "departure", 20) in stated(without, "in_fit")
    assert stated(without, "in_suggested") == []
    facts = Refractor(catalog, new_maps=True).facts(calls)
    assert ("FindAirport", "code", "FindFlights", "departure") in stated(facts, "in_suggested")
    distances = {found[1:4]: found[4] for found in stated(facts, "in_fit")}
    assert 14 < distances["code", "FindFlights", "departure"] < 20
    assert not any(found[:2] == ("FindAirport", "departFrom") for found in stated(facts, "in_suggested"))
    assert stated(facts, "in_mapping") == stated(facts, "in_source") == []


def test_a_given_mapping_stays_nearer_than_a_computed_one() -> None:
    given = [{"source": "FindAirport.code", "target": "departure", "weight": 0.01}]
    calls = "a = FindAirport()\nb = FindFlights()"
    facts = Refractor(load_catalog(SAID), mappings=given, new_maps=True).facts(calls)
    assert ("FindAirport", "code", "FindFlights", "departure", 10) in stated(facts, "in_fit")
