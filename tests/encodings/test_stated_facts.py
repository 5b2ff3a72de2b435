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
    found = [
        [plain(each) for each in symbol.arguments] for symbol in symbols if symbol.name == predicate
    ]
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
    facts = Refractor(tools).facts(
        given, memory={"m": {"key": "x", "day": "y", "far": "z"}, "n": {"day": 1}}
    )
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
    assert (
        len([fit for fit in stated(facts, "in_fit") if fit[:4] == ("Find", "title", "Book", "key")])
        == 1
    )


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
    assert not any(
        found[:2] == ("FindAirport", "departFrom") for found in stated(facts, "in_suggested")
    )
    assert stated(facts, "in_mapping") == stated(facts, "in_source") == []


def test_a_given_mapping_stays_nearer_than_a_computed_one() -> None:
    given = [{"source": "FindAirport.code", "target": "departure", "weight": 0.01}]
    calls = "a = FindAirport()\nb = FindFlights()"
    facts = Refractor(load_catalog(SAID), mappings=given, new_maps=True).facts(calls)
    assert ("FindAirport", "code", "FindFlights", "departure", 10) in stated(facts, "in_fit")


# --- goals ----------------------------------------------------------------------------------------

BOOK = 'b = Book(key="k", day="y")'


def test_a_goal_for_a_tool_is_stated_with_what_it_binds(tools: Catalog) -> None:
    """The values have the numbers of those that calls of the tool pass."""
    given = FIND + 'c = Find(query="y", size="small")'
    goal = 'Find(query="y", size="$m.size$")'
    facts = Refractor(tools).facts(
        given, memory={"m": {"size": "large"}}, goals=[goal], program="check"
    )
    values = {(call, parameter): value for call, parameter, value in stated(facts, "in_value")}
    assert stated(facts, "in_goal") == [(0,)]
    assert stated(facts, "in_yields") == [(0, "Find")]
    assert stated(facts, "in_goal_value") == [(0, "query", values[1, "query"])]
    assert stated(facts, "in_goal_read") == [(0, "size", 'memory("m")', "size")]
    assert stated(facts, "in_paired") == [("goal(0)",), (0,), (1,)]


def test_a_goal_reads_from_the_last_call_that_bears_the_label(tools: Catalog) -> None:
    given = FIND + FIND.replace('"x"', '"y"') + BOOK
    facts = Refractor(tools).facts(given, goals=['Book(key="$a.key$")'], program="check")
    assert stated(facts, "in_goal_read") == [(0, "key", 1, "key")]


def test_a_goal_for_a_field_is_met_by_whoever_returns_it_or_by_memory(tools: Catalog) -> None:
    refractor = Refractor(tools, mappings=[{"source": "title", "target": "heading"}])
    facts = refractor.facts(BOOK, goals=["field key", "field heading"], program="check")
    assert stated(facts, "in_yields") == [(0, "Find"), (1, "Find")]
    assert stated(facts, "in_goal_field") == [(0,), (1,)]
    assert stated(facts, "in_known") == []
    known = refractor.facts(
        BOOK, memory={"m": {"title": "t"}}, goals=["field key", "field heading"], program="check"
    )
    assert stated(known, "in_known") == [(1,)]


def test_of_an_executed_call_memory_says_what_it_gave(tools: Catalog) -> None:
    """The label is in memory, whatever it holds; of other tools nothing is said."""
    history = FIND + BOOK + '\nc = Find(query="y")'
    memory: dict[str, object] = {"a": {}, "b": {}}
    facts = Refractor(tools).facts(BOOK, history=history, memory=memory, goals=["field key"])
    assert stated(facts, "in_recalled") == [(-3, "a")]


def test_an_order_tells_before_which_call_the_first_one_would_stand(tools: Catalog) -> None:
    given = 'n = Name(title="t", roomId="r")\n' + BOOK + "\n" + BOOK.replace("b =", "c =")
    facts = Refractor(tools).facts(given, goals=["Find before Book", "Find"])
    assert stated(facts, "in_goal_before") == [(0, "Find", "Book")]
    assert stated(facts, "in_goal_place") == [(0, 1), (1, 3)]
    assert stated(facts, "in_callable") == [("Find",)]


def test_a_goal_may_need_another_tool_first(tools: Catalog) -> None:
    """The order is kept as long as nobody books; the call for the goal would be the first to."""
    facts = Refractor(tools).facts(
        'n = Name(title="t", roomId="r")', goals=["Book", "Find before Book"]
    )
    assert {("Book",), ("Find",)} <= set(stated(facts, "in_callable"))
    alone = Refractor(tools).facts(
        'n = Name(title="t", roomId="r")', goals=["Book", "Find before Name"]
    )
    assert stated(alone, "in_callable") != []


# --- fewer calls ----------------------------------------------------------------------------------


def test_a_copy_has_the_calls_before_it_as_rivals(tools: Catalog) -> None:
    given = FIND + FIND.replace("a =", "c =") + FIND.replace("a =", "d =").replace('"x"', '"y"')
    assert stated(Refractor(tools).facts(given, level="cheapest"), "in_rival") == [(1, 0)]


def test_an_attempt_has_whatever_says_all_that_is_right_in_it(tools: Catalog) -> None:
    """And the other way round: mended, it may pass the same as a later call."""
    given = (
        'b = Book(key="k", colour=1)\n'
        + BOOK.replace("b =", "c =")
        + '\nd = Book(key="z", day="y")'
    )
    assert stated(Refractor(tools).facts(given, level="cheapest"), "in_rival") == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("memory", "rivals"),
    [(None, [(0, -1)]), ({"a": {"key": 1}}, [(0, -1)]), ({"a": {}}, []), ({"a": None}, [])],
)
def test_what_was_executed_stands_for_a_call_unless_it_gave_nothing(
    memory: object, rivals: list[tuple[int, int]], tools: Catalog
) -> None:
    given = FIND.replace("a =", "c =") + 'b = Book(key="$c.key$", day="y")'
    facts = Refractor(tools).facts(given, history=FIND, memory=memory, level="cheapest")
    assert stated(facts, "in_rival") == rivals
    assert stated(facts, "in_recalled") == ([(-1, "a")] if memory == {"a": {"key": 1}} else [])


def test_references_are_loose_where_nothing_is_wrong_and_goals_are_given(tools: Catalog) -> None:
    given = FIND + 'b = Book(key="$a.key$", day="$a.dya$", note="no $a.key$")'
    facts = Refractor(tools).facts(given, memory={"key": "k"}, goals=["Book"], level="cheapest")
    assert stated(facts, "in_loose") == [(1, "key", 0)]
    assert stated(facts, "in_same_field") == [
        ("key", "Find", "key"),
        ("key", 'memory("key")', ""),
    ]
    assert stated(Refractor(tools).facts(given, level="cheapest"), "in_loose") == []
