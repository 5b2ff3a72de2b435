"""Two models over a data set: what is counted, and what is kept."""

import json
from itertools import product
from typing import Any

import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Refractor, Sequence, errors
from refract_asp.costs import Comparer, Comparison, compare, wanted_repairs
from refract_asp.errors import InputError
from refract_asp.formats.examples import load_examples
from refract_asp.model.shares import MAX_EXACT, sign_test
from refract_asp.report.costs import comparison_text

ANY = {"required": True}
SEARCH = tool("Search", "read", {"id": TEXT}, query=NEEDED)
TOOLS = {"tools": [SEARCH, tool("Book", "read", id=ANY, day=ANY)]}
VALID = 'a = Search(query="London")\nBook(id="$a.id$", day=3)'
FIELD = VALID.replace("$a.id$", "$a.idd$")
"""`default` reads the field that is there, `refraction` asks."""
ASKED = f"ask(idd)\n{VALID}".replace('"$a.id$"', "idd")
DATA = [
    {"sequence": VALID, "expected": VALID},
    {"sequence": FIELD, "expected": VALID, "id": "field"},
    {"sequence": FIELD, "expected": ASKED},
    {"sequence": FIELD},
]


def test_what_is_counted_and_kept() -> None:
    comparer = Comparer("default", "refraction", TOOLS, keep=1)
    empty = comparer.comparison()
    assert (empty.examples, empty.a.median_seconds, empty.closeness) == (0, None, None)
    assert list(map(comparer.add, load_examples(DATA))) == [False, True, True, True]
    found = comparer.comparison(interrupted=True)
    assert found.a.median_seconds
    counted = {"examples", "differing", "interrupted", "edits", "verdicts", "closeness"}
    halves = {each: pytest.approx(1 / 3) for each in ("a_mean", "b_mean")}
    close = {"examples": 3, "inadmissible": 0, "a_closer": 1, "b_closer": 1, "equal": 1}
    assert found.model_dump(mode="json", include=counted) == {
        "examples": 4,
        "differing": 3,
        "interrupted": True,
        "edits": [{"kind": "rebind", "only_a": 3, "only_b": 3, "both": 0}],
        "verdicts": [{"a": "repaired", "b": "needs_input", "examples": 3}],
        "closeness": {**close, "a_exact": 2, "b_exact": 2, "p_value": 1.0, **halves},
    }
    (first,) = found.differences
    assert (first.name, first.place, first.expected) == ("field", "[1]", tuple(VALID.split("\n")))
    answers = [(each.distance, each.verdict) for each in (first.a, first.b)]
    assert answers == [(0, "repaired"), (1, "needs_input")]
    assert '+ Book(id="$a.id$", day=3)' in first.a.diff
    assert Comparison.model_validate(json.loads(found.model_dump_json())) == found


def test_wanted_repairs_that_are_wrong_themselves_are_counted() -> None:
    wrong = {"sequence": FIELD, "expected": FIELD.replace("idd", "iddd")}
    found = compare([*DATA, wrong], TOOLS, "default", "refraction")
    assert (found.closeness.examples, found.closeness.inadmissible) == (4, 1)
    assert "1 wanted repair is wrong" in comparison_text(found)


def test_the_units_of_a_wanted_repair() -> None:
    result = Refractor(TOOLS).repair(FIELD)
    (cheapest,) = wanted_repairs(result, Sequence.load(VALID))
    assert dict(cheapest.units)["repath"] == 1
    assert sum(result.total.values()) == cheapest.weighed({"repath": 10, "path_distance": 1})
    assert wanted_repairs(result, Sequence.load(FIELD)) == ()


def test_constants_of_one_side_and_of_both() -> None:
    cheap = compare(DATA, TOOLS, "default", "default", constants_b={"weight_ask": 1})
    assert (cheap.a.constants, cheap.b.constants, cheap.differing) == ({}, {"weight_ask": 1}, 3)
    both = compare(DATA, TOOLS, "default", "default", constants={"weight_ask": 1})
    assert (both.differing, both.verdicts, both.a.constants) == (0, (), {"weight_ask": 1})
    assert [(e.only_a, e.only_b, e.both) for e in both.edits] == [(0, 0, 3)]


@pytest.mark.slow
def test_labels_alone_make_another_answer_with_the_same_calls() -> None:
    """One model gives the reader another label, the other one the call that is read."""
    example = {"sequence": 'b = Search(query="London")\nBook(id="$a.id$", day=3)'}
    weights = {"constants_a": {"weight_repoint": 500}, "constants_b": {"weight_rename_label": 500}}
    found = compare([example], TOOLS, "default", "default", **weights)
    assert (found.examples, found.differing, found.same_calls) == (1, 1, 1)
    changed = [(e.kind, e.only_a, e.only_b) for e in found.edits]
    assert changed == [("rebind", 0, 1), ("rename_label", 1, 0)]


def test_what_an_example_brings() -> None:
    data = [
        {"sequence": "Book(id=1, day=day)", "memory": {"day": 3}, "catalog": TOOLS},
        {"sequence": 'NewsAPISearchByKeyWord(query="x")', "catalog": "travel"},
        {"sequence": 'a = Search(query="London")\nBook(day=3)', "catalog": TOOLS}
        | {"mappings": [["Search.id", "Book.id"]]},
        {"sequence": VALID.split("\n")[1], "history": 'a = Search(query="x")', "catalog": TOOLS},
    ]
    found = compare(data)
    assert (found.examples, found.closeness) == (4, None)
    assert [(e.kind, e.both) for e in found.edits] == [("fill", 1)]


BAD_OPTIONS: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"b": "cheap"}, errors.UnknownCostModelError),
    ({"constants_b": {"no_such": 1}}, errors.ConstantError),
    ({"time_limit": -1}, InputError),
]


@pytest.mark.parametrize(("options", "error"), BAD_OPTIONS)
def test_a_bad_model_is_told_before_any_data_is_read(options: Any, error: Any) -> None:
    with pytest.raises(error):
        compare(iter(["never read ("]), TOOLS, **options)


def test_bad_entries() -> None:
    data = [{"sequence": "A("}, {"sequence": VALID, "goals": ["Bok"]}, {"sequence": VALID}]
    found = compare(data, TOOLS, keep_going=True)
    assert (found.examples, found.skipped) == (1, 2)
    assert [mistake.split(":")[0] for mistake in found.mistakes] == ["[0]", "[1]"]
    with pytest.raises(InputError, match=r"^\[0\]: there is no catalog for it"):
        compare([{"sequence": VALID}])
    late = compare(DATA, TOOLS, time_limit=0.0)
    assert (late.a.unanswered, late.b.unanswered, late.differing) == (3, 3, 0)
    assert late.a.unproven == late.b.unproven == 0


# -- the sign test against its definition ----------------------------------------


@pytest.mark.parametrize("cases", [1, 2, 5, 8])
def test_counts_all_splits_that_are_as_uneven(cases: int) -> None:
    splits = [sum(coins) for coins in product((0, 1), repeat=cases)]
    for one in range(cases + 1):
        uneven = sum(abs(2 * heads - cases) >= abs(2 * one - cases) for heads in splits)
        assert sign_test(one, cases - one) == sign_test(cases - one, one) == uneven / 2**cases


def test_many_cases_are_nearly_as_few() -> None:
    half = MAX_EXACT // 2
    few = sign_test(half + 99, half - 99)
    assert sign_test(half + 101, half - 99) == pytest.approx(few, rel=0.1)
    assert sign_test(half, half + 1) == 1.0
    assert sign_test(10 * MAX_EXACT, 0) == 0.0
