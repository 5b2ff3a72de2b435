"""Every kind of mutation: what it breaks, what is expected, and what the repair makes of it."""

from __future__ import annotations

import difflib
import hashlib
import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.bench.mutations import KINDS, Mutation, mutate, mutate_many
from refract_asp.errors import InputError
from refract_asp.evaluation.scoring import equivalent

SEEDS = range(40)


@pytest.fixture(scope="module")
def refractor(trip: Catalog) -> Refractor:
    return Refractor(trip)


def variants(planned: Sequence, trip: Catalog, kind: str) -> list[Mutation]:
    """Return the first mutation of every variant of a kind."""
    found: dict[str, Mutation] = {}
    for seed in SEEDS:
        mutation = mutate(planned, trip, kind, seed)
        if mutation is not None:
            found.setdefault(mutation.variant, mutation)
    return [found[variant] for variant in sorted(found)]


def told(mutation: Mutation, planned: Sequence, refractor: Refractor) -> str:
    """Print a mutation as a document: what is broken, what is expected, what the repair does."""
    result = refractor.repair(mutation.broken)
    is_right = equivalent(result.sequence, mutation.expected, mutation.open)
    lines = [
        f"{mutation.kind} {mutation.variant}".strip()
        + ("" if mutation.informed else " (not informed)"),
        f"  {mutation.what}",
        *(f"  {line}" for line in changes(planned, mutation.broken)),
        *(f"  expected: {line}" for line in changes(planned, mutation.expected) or ["as it was"]),
        f"  repair: {result.verdict}, {'as expected' if is_right else 'another one'}",
        *(
            f"    {line}"
            for line in (() if is_right else changes(mutation.broken, result.sequence))
        ),
    ]
    return "\n".join(lines) + "\n"


def changes(before: Sequence, after: Sequence) -> list[str]:
    """Return the lines that differ."""
    found = difflib.ndiff(before.dump("pretty"), after.dump("pretty"))
    return [line for line in found if line.startswith(("- ", "+ "))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_breaks(
    kind: str, planned: Sequence, trip: Catalog, refractor: Refractor, snapshot: SnapshotAssertion
) -> None:
    found = variants(planned, trip, kind)
    assert found
    assert "\n".join(told(mutation, planned, refractor) for mutation in found) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_broken_is_wrong_and_what_is_expected_is_right(
    kind: str, planned: Sequence, trip: Catalog, refractor: Refractor
) -> None:
    assert refractor.check(planned).verdict == "valid"
    for seed in range(12):
        mutation = mutate(planned, trip, kind, seed)
        assert mutation is not None
        is_wrong = refractor.check(mutation.broken).verdict == "invalid"
        assert is_wrong == (KINDS[kind].family != "harmless"), mutation.what
        assert not refractor.check(mutation.expected).violations, mutation.what
        assert mutation.asks == bool(mutation.expected.asks)
        assert not (mutation.asks and mutation.informed)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_are_told_by_where_they_were(kind: str, planned: Sequence, trip: Catalog) -> None:
    for mutation in variants(planned, trip, kind):
        origins = mutation.origins or range(len(planned.calls))
        for origin, call in zip(origins, mutation.broken.calls, strict=True):
            if origin is not None and origin != mutation.token.call:
                assert call == planned.calls[origin]


def test_what_is_made_of_a_seed_stays_the_same(planned: Sequence, trip: Catalog) -> None:
    found = [mutate(planned, trip, kind, seed) for kind in KINDS for seed in range(12)]
    found += [mutate_many(planned, trip, None, 3, seed) for seed in range(12)]
    rows = []
    for m in found:
        assert m is not None
        lost = [(each.call, sorted(each.parameters)) for each in m.open]
        texts = (m.note, str(m.broken), str(m.expected))
        rows.append((m.what, m.variant, m.informed, m.required, *texts, lost))
    assert hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16] == "f614035c817800b0"


def test_a_text_with_a_comma_could_be_several(trip: Catalog) -> None:
    for text, informed in (("storm", True), ("storm, hail", False)):
        calls = f'weather_report(city_id="1", days=3, units="metric", alerts=["{text}"])'
        mutation = mutate(Sequence.load(calls), trip, "scalar_for_list")
        assert mutation is not None
        assert mutation.informed is informed


def test_a_sequence_without_a_place_is_not_broken(trip: Catalog) -> None:
    alone = Sequence.load('var1 = geo.find_city(name="Rome")')
    assert mutate(alone, trip, "made_up_label") is None
    assert mutate(Sequence(), trip, "tool_name") is None
    assert mutate(alone, Catalog(), "tool_name") is None


def test_an_unknown_kind_is_refused_with_those_there_are(planned: Sequence, trip: Catalog) -> None:
    with pytest.raises(InputError, match=r"no kind of mutation 'tool_nam'.*tool_name, namespace"):
        mutate(planned, trip, "tool_nam")


def test_a_lost_constant_that_the_catalog_says_is_told() -> None:
    catalog = Catalog.load(
        {
            "tools": [
                {
                    "name": "T",
                    "parameters": {"n": {"type": "integer", "required": True, "default": 5}},
                }
            ]
        }
    )
    mutation = mutate(Sequence.load("T(n=7)"), catalog, "lost_constant")
    assert mutation is not None
    assert mutation.informed
    assert str(mutation.expected) == "T(n=5)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "is_told", "note"),
    [
        ("", True, ""),
        (', stationCode="1204"', True, ""),
        (', stationCode="$var1.matches[0].code$"', False, "nothing demands stationCode"),
        (', alerts=["near $var1.city.label$"]', False, "nothing demands alerts"),
    ],
)
def test_a_lost_step_that_read_by_choice_cannot_be_told(
    trip: Catalog, refractor: Refractor, extra: str, is_told: bool, note: str
) -> None:
    sequence = Sequence.load(
        'var1 = geo.find_city(name="Rome")\n'
        f'var2 = weather_report(city_id="$var1.city.id$", days=3, units="metric"{extra})\n'
        'send_message(recipient="ada@example.org", text="$var2.summary$")'
    )
    found = [mutate(sequence, trip, "missing_step", seed) for seed in SEEDS]
    lost = [each for each in found if each is not None and each.token.call == 1]
    assert lost
    for mutation in lost:
        assert mutation.informed == is_told
        assert note in mutation.note
        assert (mutation.expected, mutation.asks) == (sequence, False)
        repaired = refractor.repair(mutation.broken).sequence
        assert equivalent(repaired, mutation.expected, mutation.open) == is_told


def test_the_documentation_tells_every_kind() -> None:
    text = (Path(__file__).parents[3] / "docs" / "evaluation.md").read_text("utf-8")
    for kind in KINDS.values():
        assert f"| `{kind.name}` | {kind.about} | {kind.informed} |\n" in text, kind.name
