"""Cases made by dials: valid, reproducible, and each dial changes what it says and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples
from tests.hash_seeds import printed

from refract_asp import check
from refract_asp.bench.generating import COUPLINGS, Dials, generate, grid, synthetic_catalog
from refract_asp.bench.mutations.mutation import reads_of
from refract_asp.errors import InputError
from refract_asp.evaluation.cases import case_row
from refract_asp.model import Call, Constant, Reference, Sequence
from refract_asp.rules.likeness import tokens

if TYPE_CHECKING:
    from refract_asp.evaluation.cases import Case

SHARES = st.sampled_from([0.0, 0.3, 1.0])


@st.composite
def some_dials(draw: st.DrawFn) -> Dials:
    calls = draw(st.integers(1, 12))
    return Dials(
        tools=draw(st.integers(calls, 30)),
        calls=calls,
        coupling=draw(st.sampled_from(COUPLINGS)),
        share=draw(SHARES),
        reuse=draw(SHARES),
        likeness=draw(SHARES),
        typed=draw(SHARES),
        optional=draw(SHARES),
        renamed=draw(SHARES),
        namespaces=draw(st.sampled_from([0, 1, 4, 20])),
    )


@settings(max_examples=examples(60))
@given(some_dials(), st.integers(0, 1000))
def test_generated_sequences_are_valid(dials: Dials, seed: int) -> None:
    case = generate(dials, seed)
    report = check(case.sequence, case.catalog)
    assert report.verdict == "valid", report.violations
    assert len(case.sequence.calls) == dials.calls
    assert len(case.catalog) == dials.tools
    assert len({call.name for call in case.sequence.calls}) == dials.needed
    assert case.is_right
    assert case.kind == "none"


@pytest.mark.slow
@pytest.mark.parametrize("coupling", COUPLINGS)
def test_the_largest_case_is_valid(coupling: Any) -> None:
    case = generate(Dials(tools=400, calls=300, coupling=coupling), 5)
    assert check(case.sequence, case.catalog).verdict == "valid"


@settings(max_examples=examples(20))
@given(some_dials(), st.integers(0, 1000))
def test_the_same_dials_and_seed_give_the_same_case(dials: Dials, seed: int) -> None:
    assert case_row(generate(dials, seed)) == case_row(generate(dials, seed))


def test_another_seed_gives_another_case() -> None:
    one, other = generate(Dials(), 0), generate(Dials(), 1)
    assert one.sequence != other.sequence
    assert one.catalog != other.catalog
    assert one.id != other.id


@pytest.mark.slow
def test_the_hash_seed_changes_nothing() -> None:
    program = (
        "import json; from refract_asp.bench.generating import Dials, generate;"
        "from refract_asp.evaluation.cases import case_row;"
        "print(json.dumps(case_row(generate(Dials(coupling='random', renamed=0.5, namespaces=3), 7))))"
    )
    assert printed(program)


# -- each dial -----------------------------------------------------------------


def reads(case: Case) -> list[tuple[int, int | None]]:
    return [(each.call, each.producer) for each in reads_of(case.sequence)]


@pytest.mark.parametrize(
    ("coupling", "expected"),
    [
        ("independent", []),
        ("chain", [(1, 0), (2, 1), (3, 2)]),
        ("fan-out", [(1, 0), (2, 0), (3, 0)]),
        ("fan-in", [(3, 0), (3, 1), (3, 2)]),
    ],
)
def test_coupling(coupling: Any, expected: list[tuple[int, int]]) -> None:
    assert reads(generate(Dials(calls=4, coupling=coupling), 0)) == expected


def test_random_coupling_reads_as_often_as_the_share_says() -> None:
    cases = [
        generate(Dials(tools=60, calls=60, coupling="random", share=0.5), seed) for seed in range(5)
    ]
    readers = sum(len({call for call, _ in reads(case)}) for case in cases)
    assert 100 <= readers <= 190
    assert not reads(generate(Dials(coupling="random", share=0.0), 0))
    everyone = generate(Dials(calls=9, coupling="random", share=1.0), 0)
    assert {call for call, _ in reads(everyone)} == set(range(1, 9))


def test_another_coupling_leaves_tools_and_constants_as_they_are() -> None:
    def rest(case: Case) -> list[Any]:
        return [
            (call.name, {p: s for p, s in call.arguments.items() if isinstance(s, Constant)})
            for call in case.sequence.calls
        ]

    base = generate(Dials(), 3)
    for coupling in COUPLINGS:
        other = generate(Dials(coupling=coupling), 3)
        assert rest(other) == rest(base)
        assert [tool.name for tool in other.catalog] == [tool.name for tool in base.catalog]
        assert [t.output_schema for t in other.catalog] == [t.output_schema for t in base.catalog]


def test_more_tools_are_more_distractors_around_the_same_sequence() -> None:
    small, large = generate(Dials(tools=20), 4), generate(Dials(tools=200), 4)
    assert small.sequence == large.sequence
    names = {tool.name for tool in small.catalog}
    assert [tool for tool in large.catalog if tool.name in names] == list(small.catalog)


def test_more_calls_go_on_where_fewer_end() -> None:
    short, long = generate(Dials(calls=3), 4), generate(Dials(calls=9), 4)
    assert long.sequence.calls[:3] == short.sequence.calls


def needed_and_distractors(case: Case) -> tuple[list[str], list[str]]:
    called = {call.name for call in case.sequence.calls}
    return sorted(called), [tool.name for tool in case.catalog if tool.name not in called]


@pytest.mark.parametrize("seed", range(5))
def test_without_likeness_no_word_is_shared(seed: int) -> None:
    needed, distractors = needed_and_distractors(
        generate(Dials(tools=300, calls=20, likeness=0.0), seed)
    )
    words = {word for name in needed for word in tokens(name)}
    assert len(distractors) == 280
    assert not [name for name in distractors if set(tokens(name)) & words]


@pytest.mark.parametrize("seed", range(5))
def test_with_likeness_1_every_distractor_is_one_word_from_a_needed_tool(seed: int) -> None:
    needed, distractors = needed_and_distractors(
        generate(Dials(tools=120, calls=6, likeness=1.0), seed)
    )
    known = [set(tokens(name)) for name in needed]
    assert all(any(len(set(tokens(name)) ^ words) <= 2 for words in known) for name in distractors)


def test_likeness_changes_names_of_more_and_more_distractors_only() -> None:
    cases = [generate(Dials(tools=200, likeness=share), 2) for share in (0.0, 0.25, 0.5, 1.0)]
    assert all(case.sequence == cases[0].sequence for case in cases)
    twins = [
        {tool.name for tool in case.catalog} - {t.name for t in cases[0].catalog} for case in cases
    ]
    assert twins[0] < twins[1] < twins[2] < twins[3]
    assert 30 <= len(twins[1]) <= 70
    assert len(twins[3]) == 195


def test_typed_changes_schemas_of_parameters_and_their_values_only() -> None:
    plain, typed = generate(Dials(typed=0.0), 6), generate(Dials(typed=1.0), 6)
    assert {t.name: list(t.parameters) for t in plain.catalog} == {
        t.name: list(t.parameters) for t in typed.catalog
    }
    links = {
        p
        for call in typed.sequence.calls
        for p, s in call.arguments.items()
        if isinstance(s, Reference)
    }
    for tool in typed.catalog:
        mine = [
            p
            for p in tool.parameters.values()
            if not p.name.lower().endswith(("id", "ref", "number"))
        ]
        assert all(p.json_schema["type"] != "string" or "enum" in p.json_schema for p in mine)
    for tool in plain.catalog:
        assert all(
            p.json_schema.keys() == {"type", "description"} for p in tool.parameters.values()
        )
    for one, other in zip(plain.sequence.calls, typed.sequence.calls, strict=True):
        assert one.arguments.keys() == other.arguments.keys()
        assert {p: one.arguments[p] for p in links & one.arguments.keys()} == {
            p: other.arguments[p] for p in links & other.arguments.keys()
        }


def test_optional_says_which_parameters_with_constants_are_required() -> None:
    def required(share: float) -> dict[tuple[str, str], bool]:
        case = generate(Dials(optional=share, tools=60), 6)
        return {(t.name, p.name): p.required for t in case.catalog for p in t.parameters.values()}

    none, some, most = required(0.0), required(0.5), required(1.0)
    assert none.keys() == some.keys() == most.keys()
    assert all(none.values())
    assert all(none[key] >= some[key] >= most[key] for key in none)
    assert 0 < sum(some.values()) < len(some)


def test_optional_parameters_are_passed_now_and_then() -> None:
    full = generate(Dials(optional=0.0, calls=20), 6).sequence
    some = generate(Dials(optional=1.0, calls=20), 6).sequence
    passed, all_ = (sum(len(call.arguments) for call in s.calls) for s in (some, full))
    assert 19 < passed < all_
    for one, other in zip(some.calls, full.calls, strict=True):
        assert (
            one.arguments.items() <= other.arguments.items()
            or one.arguments.keys() <= other.arguments.keys()
        )


def test_renamed_changes_the_parameters_of_references_only() -> None:
    plain, renamed = generate(Dials(renamed=0.0), 8), generate(Dials(renamed=1.0), 8)
    for one, other in zip(plain.sequence.calls, renamed.sequence.calls, strict=True):
        assert list(one.arguments.values()) == list(other.arguments.values())
        for (p, source), q in zip(one.arguments.items(), other.arguments, strict=True):
            assert (p != q) == isinstance(source, Reference)
            if isinstance(source, Reference):
                assert p == source.path[-1]


def test_namespaces_stand_before_names_and_change_nothing_else() -> None:
    plain, spaced = generate(Dials(), 9), generate(Dials(namespaces=3), 9)
    assert [tool.name.partition(".")[2] for tool in spaced.catalog] == [
        t.name for t in plain.catalog
    ]
    assert len({tool.name.partition(".")[0] for tool in spaced.catalog}) == 3

    def bare(call: Call) -> Call:
        return call.model_copy(update={"name": call.name.partition(".")[2]})

    assert Sequence(calls=tuple(map(bare, spaced.sequence.calls))) == plain.sequence


def test_reuse_calls_tools_again() -> None:
    case = generate(Dials(tools=10, calls=50, reuse=0.9, coupling="random"), 1)
    assert len({call.name for call in case.sequence.calls}) == 6
    assert check(case.sequence, case.catalog).verdict == "valid"


def test_a_tool_that_reads_twice_from_one_kind_has_a_parameter_for_each() -> None:
    case = generate(Dials(calls=5, reuse=1.0, coupling="fan-in"), 1)
    last = case.sequence.calls[-1]
    assert [s.label for s in last.arguments.values() if isinstance(s, Reference)] == [
        "var1", "var2", "var3", "var4",
    ]  # fmt: skip


# -- the smallest and largest, and what is refused -----------------------------


def test_the_smallest() -> None:
    case = generate(Dials(tools=1, calls=1), 0)
    assert len(case.catalog) == 1
    assert check(case.sequence, case.catalog).verdict == "valid"


@pytest.mark.slow
@pytest.mark.parametrize("likeness", [0.0, 1.0])
def test_ten_thousand_tools_for_one_call(likeness: float) -> None:
    assert len(generate(Dials(tools=10_000, calls=1, likeness=likeness), 0).catalog) == 10_000


@pytest.mark.slow
def test_no_name_is_given_twice_in_a_large_catalog() -> None:
    """With this seed names with two words changed are those of distractors that are unlike."""
    assert len(generate(Dials(tools=10_000), 10).catalog) == 10_000


@pytest.mark.slow
def test_synthetic_catalog() -> None:
    assert len(synthetic_catalog(1)) == 1
    assert len(synthetic_catalog(2_000, 1)) == 2_000
    with pytest.raises(InputError, match="tools"):
        synthetic_catalog(0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tools": 0}, r"tools: 0 is no number of tools\. Take a whole number from 1 to 10000\."),
        ({"tools": 10_001}, "10001 is no number of tools"),
        ({"tools": True}, "True is no number of tools"),
        ({"calls": 301, "tools": 400}, "calls: 301 is no number of calls"),
        ({"calls": 2.5}, "calls: 2.5 is no number of calls"),
        ({"namespaces": 21}, "namespaces"),
        ({"likeness": 1.01}, r"likeness: 1\.01 is no share\. Take one from 0 to 1\."),
        ({"typed": float("nan")}, "typed: nan is no share"),
        (
            {"coupling": "ring\x1b[31m"},
            r"there is no coupling 'ring\[31m'\. There are independent, chain",
        ),
        (
            {"tools": 5, "calls": 9, "reuse": 0.2},
            r"5 tools are too few for 9 calls, which use 7\. .*reuse",
        ),
    ],
)
def test_dials_out_of_range_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Dials(**wrong)


def test_a_grid_holds_every_combination() -> None:
    base = Dials(calls=2)
    found = list(grid({"tools": [5, 10], "coupling": ["chain", "fan-in"]}, base))
    assert found == [
        replace(base, tools=tools, coupling=coupling)  # type: ignore[arg-type]
        for tools in (5, 10)
        for coupling in ("chain", "fan-in")
    ]
    assert list(grid({})) == [Dials()]
    with pytest.raises(InputError, match="too few"):
        list(grid({"tools": [10, 2]}))
    with pytest.raises(InputError, match=r"there is no dial 'tool'\. Known: tools, calls"):
        list(grid({"tool": [10]}))
