"""Mutations: what each kind and mixes of them break, what is expected, and what the repair makes of it."""

import difflib
import hashlib
import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.bench.mutations import KINDS, Mutation, mutate, mutate_many
from refract_asp.errors import InputError
from refract_asp.evaluation.systems import equivalent
from yaml_files import tables

TABLES = tables(__file__)

# a small catalog with a parameter of every sort, and a valid sequence over it
TRIP = Catalog.load(Path(__file__).with_name("trip.yaml"))
PLANNED = Sequence.load(Path(__file__).with_name("trip.txt"))
REFRACTOR = Refractor(TRIP)


def told(mutation: Mutation) -> str:
    """Print a mutation as a document: what is broken, what is expected, what the repair does."""
    result = REFRACTOR.repair(mutation.broken)
    is_right = equivalent(result.sequence, mutation.expected, mutation.open)
    others = [] if is_right else changes(mutation.broken, result.sequence)
    informed = "" if mutation.informed else " (not informed)"
    lines = [
        f"{mutation.kind} {mutation.variant}".strip() + informed,
        f"  {mutation.what}",
        *(f"  {line}" for line in changes(PLANNED, mutation.broken)),
        *(f"  expected: {line}" for line in changes(PLANNED, mutation.expected) or ["as it was"]),
        f"  repair: {result.verdict}, {'as expected' if is_right else 'another one'}",
        *(f"    {line}" for line in others),
    ]
    return "\n".join(lines) + "\n"


def changes(before: Sequence, after: Sequence) -> list[str]:
    """Return the lines that differ."""
    found = difflib.ndiff(before.dump("pretty"), after.dump("pretty"))
    return [line for line in found if line.startswith(("- ", "+ "))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_breaks(kind: str, snapshot: SnapshotAssertion) -> None:
    variants: dict[str, Mutation] = {}
    for seed in range(40):
        mutation = mutate(PLANNED, TRIP, kind, seed)
        if mutation is not None:
            variants.setdefault(mutation.variant, mutation)
    found = [variants[name] for name in sorted(variants)]
    assert "\n".join(told(mutation) for mutation in found) == snapshot
    is_harmless = KINDS[kind].family == "harmless"
    for mutation in found:
        assert REFRACTOR.check(mutation.broken).verdict == ("valid" if is_harmless else "invalid")
        assert not REFRACTOR.check(mutation.expected).violations, mutation.what
        assert not (mutation.asks and mutation.informed)
        origins = mutation.origins or range(len(PLANNED.calls))
        for origin, call in zip(origins, mutation.broken.calls, strict=True):
            assert origin in (None, mutation.token.call) or call == PLANNED.calls[origin or 0]


def test_what_is_made_of_a_seed_stays_the_same() -> None:
    found = [mutate(PLANNED, TRIP, kind, seed) for kind in KINDS for seed in range(12)]
    mixed = [(count, seed) for count in (2, 3, 5) for seed in range(12)]
    found += [mutate_many(PLANNED, TRIP, None, *each) for each in mixed]
    rows = []
    for m in found:
        lost = [(each.call, sorted(each.parameters)) for each in m.open]
        rows.append((m.what, m.variant, m.informed, str(m.broken), str(m.expected), lost))
    assert hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16] == "82e43a94501a2a2c"


def test_a_sequence_without_a_place_is_not_broken() -> None:
    alone = Sequence.load('var1 = geo.find_city(name="Rome")')
    assert mutate(alone, TRIP, "made_up_label") is None
    assert mutate(Sequence(), TRIP, "tool_name") is None
    assert mutate(alone, Catalog(), "tool_name") is None
    assert mutate_many(alone, TRIP, ["tool_name"], 2) is None
    assert mutate_many(Sequence(), TRIP, None, 1) is None


@pytest.mark.parametrize(("call", "kind", "informed", "expected"), TABLES["what tells a value"])
def test_what_tells_a_value(call: str, kind: str, informed: bool, expected: str | None) -> None:
    default = {"n": {"type": "integer", "required": True, "default": 5}}
    tools = Catalog.load({"tools": [{"name": "T", "parameters": default}]})
    mutation = mutate(Sequence.load(call), tools if call.startswith("T") else TRIP, kind)
    assert mutation.informed is informed
    assert expected is None or str(mutation.expected) == expected


@pytest.mark.parametrize(("label", "informed"), [("a", True), ("b", False)])
def test_a_lost_reference_is_told_by_the_same_use_elsewhere(label: str, informed: bool) -> None:
    sequence = Sequence.load(
        'a = geo.find_city(name="Rome")\nb = geo.find_city(name="Paris")\n'
        'weather_report(city_id="$a.city.id$", days=3, units="metric")\n'
        f'weather_report(city_id="${label}.city.id$", days=1, units="metric")'
    )
    found = [mutate(sequence, TRIP, "missing_reference", seed) for seed in range(12)]
    assert {each.informed for each in found if each and each.token.call == 3} == {informed}


@pytest.mark.slow
@pytest.mark.parametrize(("extra", "is_told"), TABLES["a lost step that read by choice"])
def test_a_lost_step_that_read_by_choice_cannot_be_told(extra: str, is_told: bool) -> None:
    sequence = Sequence.load(
        'var1 = geo.find_city(name="Rome")\n'
        f'var2 = weather_report(city_id="$var1.city.id$", days=3, units="metric"{extra})\n'
        'send_message(recipient="ada@example.org", text="$var2.summary$")'
    )
    found = [mutate(sequence, TRIP, "missing_step", seed) for seed in range(12)]
    lost = next(each for each in found if each is not None and each.token.call == 1)
    assert lost.informed == is_told
    assert (lost.expected, lost.asks) == (sequence, False)
    repaired = REFRACTOR.repair(lost.broken).sequence
    assert equivalent(repaired, lost.expected, lost.open) == is_told


def test_the_documentation_tells_every_kind() -> None:
    text = (Path(__file__).parents[3] / "docs" / "evaluation.md").read_text("utf-8")
    for kind in KINDS.values():
        assert f"| `{kind.name}` | {kind.about} | {kind.informed} |\n" in text, kind.name


# -- mixes -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_mix_is_wrong_and_what_is_expected_of_it_is_right(count: int) -> None:
    for seed in range(25):
        mix = mutate_many(PLANNED, TRIP, None, count, seed)
        assert (mix.kind, len(mix.parts)) == ("mix", count)
        assert REFRACTOR.check(mix.broken).verdict == "invalid", mix.what
        assert not REFRACTOR.check(mix.expected).violations, mix.what
        asks = mix.expected.asks
        assert len(asks) == len(set(asks)) == sum(part.asks for part in mix.parts)
        assert mix.informed == all(part.informed or part.asks for part in mix.parts)


def test_a_mix_of_one_is_that_one() -> None:
    for kind in KINDS:
        if KINDS[kind].family != "harmless":
            mix = mutate_many(PLANNED, TRIP, [kind], 1, 0)
            (part,) = mix.parts
            assert (mix.broken, mix.expected, mix.open) == (part.broken, part.expected, part.open)


def test_mixes_come_back(snapshot: SnapshotAssertion) -> None:
    mixes = [mutate_many(PLANNED, TRIP, None, 3, seed) for seed in range(6)]
    assert "\n".join(told(mix) for mix in mixes if mix is not None) == snapshot


def test_parts_that_lose_the_same_parameter_are_asked_for_by_two_names() -> None:
    two = Sequence.load('a = geo.find_city(name="Rome")\nb = geo.find_city(name="Paris")')
    mix = mutate_many(two, TRIP, ["lost_constant"], 2)
    calls = ["a = geo.find_city(name=name)", "b = geo.find_city(name=name_b)"]
    assert mix.expected.dump("pretty") == ["ask(name)", "ask(name_b)", *calls]
    assert equivalent(REFRACTOR.repair(mix.broken).sequence, mix.expected)
    bare = Sequence.load("\n".join(f'geo.find_city(name="{n}")' for n in "abc"))
    three = mutate_many(bare, TRIP, ["lost_constant"], 3)
    assert three.expected.asks == ("name", "name_geo.find_city", "name_2")


@pytest.mark.parametrize(("kinds", "count", "message"), TABLES["what cannot be mixed is refused"])
def test_what_cannot_be_mixed_is_refused(kinds: list[str] | None, count: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mutate_many(PLANNED, TRIP, kinds, count)
