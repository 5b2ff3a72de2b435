"""Two models over a data set: what is counted, and what is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refract_asp.costs import Comparer, Comparison, compare
from refract_asp.errors import (
    ConstantError,
    FormatError,
    InputError,
    LimitError,
    UnknownCostModelError,
)
from refract_asp.formats.examples import load_examples

TEXT, ANY = {"type": "string", "required": True}, {"required": True}
SEARCH = {"name": "Search", "parameters": {"query": TEXT}, "returns": {"id": {"type": "string"}}}
BOOK = {"name": "Book", "effect": "read", "parameters": {"id": ANY, "day": ANY}}
TOOLS = {"tools": [{"effect": "read", **SEARCH}, BOOK]}
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


def test_what_is_counted() -> None:
    found = compare(DATA, TOOLS)
    assert (found.a.name, found.b.name, found.examples, found.differing) == (
        "default",
        "refraction",
        4,
        3,
    )
    assert [e.model_dump() for e in found.edits] == [
        {"kind": "rebind", "only_a": 3, "only_b": 3, "both": 0}
    ]
    assert [v.model_dump() for v in found.verdicts] == [
        {"a": "repaired", "b": "needs_input", "examples": 3}
    ]
    closeness = found.closeness
    assert closeness is not None
    assert closeness.model_dump() == {
        "examples": 3,
        "a_closer": 1,
        "b_closer": 1,
        "equal": 1,
        "a_exact": 2,
        "b_exact": 2,
        "a_mean": pytest.approx(1 / 3),
        "b_mean": pytest.approx(1 / 3),
        "p_value": 1.0,
    }
    assert not found.interrupted
    assert found.a.median_seconds
    assert (found.a.unproven, found.a.unanswered) == (0, 0)


def test_what_is_kept_of_a_difference() -> None:
    first, second, third = compare(DATA, TOOLS).differences
    assert (first.name, first.place, second.name) == ("field", "[1]", "[2]")
    assert [(d.a.distance, d.b.distance) for d in (first, second, third)] == [
        (0, 1),
        (1, 0),
        (None, None),
    ]
    assert (first.expected, third.expected) == (tuple(VALID.split("\n")), None)
    assert (first.a.verdict, first.b.verdict, first.same_calls) == (
        "repaired",
        "needs_input",
        False,
    )
    assert '+ Book(id="$a.id$", day=3)' in first.a.diff
    assert [edit.kind for edit in first.b.edits] == ["rebind"]
    assert set(first.b.cost) == {"ask"}
    assert first.a.optimal


def test_the_same_model_gives_the_same_answers() -> None:
    found = compare(DATA, TOOLS, "refraction", "refraction")
    assert (found.differing, found.verdicts, found.differences) == (0, (), ())
    assert [(e.only_a, e.only_b, e.both) for e in found.edits] == [(0, 0, 3)]
    assert found.closeness is not None
    assert (found.closeness.equal, found.closeness.p_value) == (3, 1.0)


@pytest.mark.slow
def test_constants_of_one_side_and_of_both() -> None:
    cheap = compare(DATA, TOOLS, "default", "default", constants_b={"weight_ask": 1})
    assert (cheap.a.constants, cheap.b.constants, cheap.differing) == ({}, {"weight_ask": 1}, 3)
    both = compare(DATA, TOOLS, "default", "default", constants={"weight_ask": 1})
    assert both.differing == 0
    assert both.a.constants == both.b.constants == {"weight_ask": 1}


@pytest.mark.slow
def test_labels_alone_make_another_answer_with_the_same_calls() -> None:
    """One model gives the reader another label, the other one the call that is read."""
    example = {"sequence": 'b = Search(query="London")\nBook(id="$a.id$", day=3)'}
    found = compare(
        [example],
        TOOLS,
        "default",
        "default",
        constants_a={"weight_repoint": 500},
        constants_b={"weight_rename_label": 500},
    )
    assert (found.examples, found.differing, found.same_calls) == (1, 1, 1)
    assert [(e.kind, e.only_a, e.only_b) for e in found.edits] == [
        ("rebind", 0, 1),
        ("rename_label", 1, 0),
    ]


def test_what_an_example_brings() -> None:
    needs = "Book(id=1, day=day_of_trip)"
    mapped = 'a = Search(query="London")\nBook(day=3)'
    data = [
        {"sequence": needs, "memory": {"day_of_trip": 3}, "catalog": TOOLS},
        {"sequence": VALID, "catalog": TOOLS},
        {"sequence": 'NewsAPISearchByKeyWord(query="x")', "catalog": "travel"},
        {"sequence": mapped, "mappings": [["Search.id", "Book.id"]], "catalog": TOOLS},
        {
            "sequence": 'Book(id="$a.id$", day=3)',
            "history": 'a = Search(query="x")',
            "catalog": TOOLS,
        },
    ]
    found = compare(data)
    assert (found.examples, found.closeness) == (5, None)
    assert [(e.kind, e.both) for e in found.edits] == [("fill", 1)]


def test_a_comparison_can_be_asked_for_at_any_time() -> None:
    comparer = Comparer("default", "refraction", TOOLS)
    empty = comparer.comparison()
    assert (empty.examples, empty.a.median_seconds, empty.closeness) == (0, None, None)
    answers = [comparer.add(example) for example in load_examples(DATA[:2])]
    assert answers == [False, True]
    part = comparer.comparison(interrupted=True)
    assert (part.examples, part.interrupted) == (2, True)


def test_nothing_is_lost_as_json() -> None:
    found = compare(DATA, TOOLS, keep=1)
    assert (found.differing, len(found.differences)) == (3, 1)
    data = json.loads(json.dumps(found.model_dump(mode="json")))
    assert data["schema_version"] == 1
    assert Comparison.model_validate(data) == found


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"a": "cheap"}, UnknownCostModelError),
        ({"b": "cheap"}, UnknownCostModelError),
        ({"constants_b": {"no_such": 1}}, ConstantError),
        ({"time_limit": -1}, InputError),
        ({"confirm": "maybe"}, InputError),
    ],
)
def test_a_bad_model_is_told_before_any_data_is_read(
    options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        compare(iter(["never read ("]), TOOLS, **options)


@pytest.mark.slow
def test_bad_entries() -> None:
    many = "\n".join(f"Serch(query={n})" for n in range(501))
    data = [
        {"sequence": "A("},
        {"sequence": VALID, "goals": ["Bok"]},
        {"sequence": many, "id": "many"},
        {"sequence": VALID},
        {"sequence": VALID, "wanted": VALID},
    ]
    found = compare(data, TOOLS, keep_going=True)
    assert (found.examples, found.skipped) == (1, 4)
    assert [mistake.split(":")[0] for mistake in found.mistakes] == ["[0]", "[1]", "[2]", "[4]"]
    for bad, error, what in (
        (0, FormatError, "brackets"),
        (1, InputError, "no tool"),
        (2, LimitError, "501"),
    ):
        with pytest.raises(error, match=what) as caught:
            compare([data[bad], data[bad]], TOOLS)
        assert str(caught.value).startswith("[0]: ")
    with pytest.raises(InputError, match=r"^\[0\]: there is no catalog for it"):
        compare([{"sequence": VALID}])
    late = compare(DATA, TOOLS, time_limit=0.0)
    assert (late.a.unanswered, late.b.unanswered, late.differing) == (3, 3, 0)
