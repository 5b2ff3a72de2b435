"""Several mutations in one sequence."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.bench.mutations.test_kinds import told

from refract_asp import Catalog, Refractor, Sequence, check
from refract_asp.bench.mutations import KINDS, mutate_many
from refract_asp.errors import InputError
from refract_asp.evaluation.scoring import equivalent


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_mix_is_wrong_and_what_is_expected_of_it_is_right(
    count: int, planned: Sequence, trip: Catalog
) -> None:
    for seed in range(25):
        mix = mutate_many(planned, trip, None, count, seed)
        assert mix is not None
        assert (mix.kind, len(mix.parts)) == ("mix", count)
        assert check(mix.broken, trip).verdict == "invalid", mix.what
        assert not check(mix.expected, trip).violations, mix.what
        assert (
            len(mix.expected.asks) == len(set(mix.expected.asks)) == sum(p.asks for p in mix.parts)
        )
        assert mix.informed == all(part.informed or part.asks for part in mix.parts)


def test_a_mix_of_one_is_that_one(planned: Sequence, trip: Catalog) -> None:
    for kind in KINDS:
        if KINDS[kind].family != "harmless":
            mix = mutate_many(planned, trip, [kind], 1, 0)
            assert mix is not None
            (part,) = mix.parts
            assert (mix.broken, mix.expected, mix.open) == (part.broken, part.expected, part.open)


def test_mixes_come_back(planned: Sequence, trip: Catalog, snapshot: SnapshotAssertion) -> None:
    refractor = Refractor(trip)
    mixes = [mutate_many(planned, trip, None, 3, seed) for seed in range(6)]
    assert "\n".join(told(mix, planned, refractor) for mix in mixes if mix is not None) == snapshot


def test_parts_that_lose_the_same_parameter_are_asked_for_by_two_names(trip: Catalog) -> None:
    planned = Sequence.load('a = geo.find_city(name="Rome")\nb = geo.find_city(name="Paris")')
    mix = mutate_many(planned, trip, ["lost_constant"], 2)
    assert mix is not None
    assert mix.expected.dump("pretty") == [
        "ask(name)",
        "ask(name_b)",
        "a = geo.find_city(name=name)",
        "b = geo.find_city(name=name_b)",
    ]
    result = Refractor(trip).repair(mix.broken)
    assert equivalent(result.sequence, mix.expected)


def test_a_short_sequence_has_no_place_for_many(trip: Catalog) -> None:
    assert mutate_many(Sequence.load('geo.find_city(name="Rome")'), trip, ["tool_name"], 2) is None
    assert mutate_many(Sequence(), trip, None, 1) is None


@pytest.mark.parametrize(
    ("kinds", "count", "message"),
    [
        (None, 0, "1 to 20"),
        (None, 21, "1 to 20"),
        (["tool_name", "nothing"], 2, "no kind of mutation 'nothing'"),
        ([], 2, "nothing is to be mixed"),
        (["argument_order"], 1, "nothing is to be mixed"),
    ],
)
def test_what_cannot_be_mixed_is_refused(
    kinds: list[str] | None, count: int, message: str, planned: Sequence, trip: Catalog
) -> None:
    with pytest.raises(InputError, match=message):
        mutate_many(planned, trip, kinds, count)
