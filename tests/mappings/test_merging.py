"""Mappings of several origins together."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Mapping
from refract_asp.mappings import merge

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


@pytest.mark.slow
@given(MAPPINGS, MAPPINGS, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_that_of_what_came_in(
    first: list[Mapping], second: list[Mapping], rng: random.Random
) -> None:
    mixed = [*first, *second]
    rng.shuffle(mixed)
    merged = merge(first, second)
    assert merged == merge(second, first) == merge(mixed)
    assert merge(merged) == merged
    assert [each.target for each in merged] == sorted(each.target for each in merged)
