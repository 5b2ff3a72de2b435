"""Mappings learnt from sequences: votes, uses, and what counts as neither."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Catalog, Mapping, Refractor
from refract_asp.errors import InputError
from refract_asp.mappings import learn, merge

IDS = {"type": "array", "items": {"properties": {"id": {"type": "string"}}}}
TEXT = {"type": "string", "required": True}
TOOLS = [
    {"name": "Find", "parameters": {"query": TEXT}, "returns": {"id": {}, "places": IDS}},
    {"name": "Book", "parameters": {"key": TEXT, "day": {}}},
]
CATALOG = Catalog.load({"tools": TOOLS})
FIND = 'a = Find(query="x")\n'


def found(mappings: tuple[Mapping, ...]) -> dict[tuple[str, str], float]:
    return {(mapping.source, mapping.target): mapping.weight for mapping in mappings}


NO_VOTES = ["'x'", "'$a$'", "'no $a.id$'", "['$a.id$']", "'$m.id$'", "'$b.id$'", "later"]


@pytest.mark.parametrize("key", NO_VOTES)
def test_what_is_no_vote(key: str) -> None:
    assert learn([FIND + f"b = Book(key={key})"]) == ()


def test_the_weight_is_the_share_of_all_uses_and_one_more() -> None:
    """An index of a list stands as catalogs write it, and an ask is no use."""
    read = [FIND + 'b = Book(key="$a.id$")'] * 6
    other = [FIND + 'b = Book(key="$a.places[7].id$")', FIND + 'b = Book(key="x")']
    asked = "ask(key)\n" + FIND + "b = Book(key=key)"
    assert found(learn([*read[:1], asked])) == {("Find.id", "Book.key"): 0.5}
    assert found(learn(read)) == {("Find.id", "Book.key"): round(6 / 7, 3)}
    learnt = learn(read + other)
    assert found(learnt) == {
        ("Find.id", "Book.key"): round(6 / 9, 3),
        ("Find.places[0].id", "Book.key"): round(1 / 9, 3),
    }
    assert [mapping.source for mapping in learnt] == ["Find.id", "Find.places[0].id"]
    assert found(learn(read + other, min_count=2)) == {("Find.id", "Book.key"): round(6 / 9, 3)}


def test_a_label_means_its_last_bearer_before_the_reader() -> None:
    text = 'a = Find(query="x")\na = Look(word="y")\nb = Book(key="$a.id$")\na = Find(query="z")'
    assert found(learn([text])) == {("Look.id", "Book.key"): 0.5}


WRONG = [
    FIND + 'b = Book(key="$a.id$", colour="red")',
    FIND + 'b = Book(key="$a.number$")',
    'a = Find(quarry="x")\nb = Book(key="$a.id$")',
    'a = Fnd(query="x")\nb = Book(key="$a.id$")',
    FIND + 'b = Bok(key="$a.id$")',
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_not_admissible_is_passed_over(wrong: str) -> None:
    assert learn([wrong], CATALOG) == ()
    assert len(learn([wrong])) == 1  # without a catalog nothing is known to be wrong


def test_a_learnt_mapping_answers_what_was_asked() -> None:
    broken = FIND + "b = Book()"
    assert Refractor(CATALOG).repair(broken).asks
    learnt = learn([FIND + 'b = Book(key="$a.id$")'] * 3, CATALOG)
    result = Refractor(CATALOG, mappings=learnt).repair(broken)
    assert result.verdict == "repaired"
    assert 'Book(key="$a.id$")' in str(result.sequence)


@pytest.mark.parametrize("count", [0, True, 1.5, "2"])
def test_a_count_has_to_be_one(count: Any) -> None:
    with pytest.raises(InputError, match="min_count"):
        learn([], min_count=count)


# -- mappings of several origins together -------------------------------------------

NAMES = st.sampled_from(["A.x", "B.x", "C.y", "D.z"])
MAPPINGS = st.lists(
    st.builds(Mapping, source=NAMES, target=NAMES, weight=st.sampled_from([0.1, 0.5, 0.9, 1.0])),
    max_size=12,
)


@pytest.mark.slow
@given(MAPPINGS, MAPPINGS, MAPPINGS)
def test_each_pair_once_and_given_ones_win(
    learnt: list[Mapping], computed: list[Mapping], by_hand: list[Mapping]
) -> None:
    merged = merge(learnt, computed, given=by_hand)
    pairs = {(each.source, each.target): each.weight for each in merged}
    assert len(pairs) == len(merged)
    assert set(pairs) == {(each.source, each.target) for each in (*learnt, *computed, *by_hand)}
    for group in (by_hand, [*learnt, *computed]):
        for pair in {(each.source, each.target) for each in group}:
            is_by_hand = any((each.source, each.target) == pair for each in by_hand)
            if group is by_hand or not is_by_hand:
                assert pairs[pair] == max(e.weight for e in group if (e.source, e.target) == pair)
    assert merged == merge(computed, learnt, given=by_hand)
    assert list(merged) == sorted(merged, key=lambda m: (m.target, -m.weight, m.source))
