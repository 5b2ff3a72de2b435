"""Cases made by dials: they are valid, and each dial changes what it is for and nothing else."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import check
from refract_asp.bench.generating import COUPLINGS, Dials, generate, grid, synthetic_catalog
from refract_asp.bench.mutations.mutation import reads_of
from refract_asp.errors import InputError
from refract_asp.evaluation.cases import Case
from refract_asp.model import Constant
from refract_asp.rules.likeness import tokens

COUPLING, SHARE = st.sampled_from(COUPLINGS), st.sampled_from([0.0, 0.3, 1.0])


@settings(max_examples=examples(60))
@given(st.integers(1, 12), st.integers(0, 18), COUPLING, SHARE, SHARE, st.integers())
def test_generated_sequences_are_valid(
    calls: int, more: int, coupling: Any, share: float, likeness: float, seed: int
) -> None:
    shares = {"share": share, "reuse": share, "likeness": likeness}
    dials = Dials(tools=calls + more, calls=calls, coupling=coupling, **shares)
    case = generate(dials, seed)
    report = check(case.sequence, case.catalog)
    assert report.verdict == "valid", report.violations
    assert (len(case.sequence.calls), len(case.catalog)) == (dials.calls, dials.tools)
    assert len({call.name for call in case.sequence.calls}) == dials.needed
    assert (case.is_right, case.kind) == (True, "none")


# -- each dial -----------------------------------------------------------------


def reads(case: Case) -> list[tuple[int, int | None]]:
    return [(each.call, each.producer) for each in reads_of(case.sequence)]


COUPLED = [
    ("independent", []),
    ("chain", [(1, 0), (2, 1), (3, 2)]),
    ("fan-out", [(1, 0), (2, 0), (3, 0)]),
    ("fan-in", [(3, 0), (3, 1), (3, 2)]),
]


@pytest.mark.parametrize(("coupling", "expected"), COUPLED)
def test_coupling(coupling: Any, expected: list[tuple[int, int]]) -> None:
    assert reads(generate(Dials(calls=4, coupling=coupling), 0)) == expected


SHARES = [(0.0, 0, 0), (0.5, 100, 190), (1.0, 295, 295)]


@pytest.mark.parametrize(("share", "least", "most"), SHARES)
def test_random_coupling_reads_as_the_share_says(share: float, least: int, most: int) -> None:
    dials = Dials(tools=60, calls=60, coupling="random", share=share)
    cases = [generate(dials, seed) for seed in range(5)]
    assert least <= sum(len({call for call, _ in reads(case)}) for case in cases) <= most


def rest(case: Case) -> list[Any]:
    """Return what does not depend on the coupling."""
    constants = [
        (call.name, {p: s for p, s in call.arguments.items() if isinstance(s, Constant)})
        for call in case.sequence.calls
    ]
    return [constants, [(tool.name, tool.output_schema) for tool in case.catalog]]


def test_what_a_dial_does_not_speak_of_stays() -> None:
    base = generate(Dials(), 3)
    for coupling in COUPLINGS:
        assert rest(generate(Dials(coupling=coupling), 3)) == rest(base)
    large = generate(Dials(tools=200), 3)  # more distractors around the same sequence
    names = {tool.name for tool in base.catalog}
    assert large.sequence == base.sequence
    assert [tool for tool in large.catalog if tool.name in names] == list(base.catalog)
    long = generate(Dials(calls=9), 3)  # it goes on where the shorter one ends
    assert long.sequence.calls[:5] == base.sequence.calls
    again = generate(Dials(tools=10, calls=50, reuse=0.9, coupling="random"), 1)
    assert len({call.name for call in again.sequence.calls}) == 6


@pytest.mark.parametrize("seed", range(5))
def test_likeness_says_how_many_names_share_words_with_those_that_are_called(seed: int) -> None:
    def words(likeness: float) -> tuple[list[set[str]], list[set[str]]]:
        case = generate(Dials(tools=120, calls=6, likeness=likeness), seed)
        called = {call.name for call in case.sequence.calls}
        names = [each.name for each in case.catalog if each.name not in called]
        return [{*tokens(name)} for name in called], [{*tokens(name)} for name in names]

    needed, unlike = words(0.0)
    assert not [name for name in unlike if name & set().union(*needed)]
    assert all(any(len(name ^ known) <= 2 for known in needed) for name in words(1.0)[1])


def test_likeness_changes_names_of_more_and_more_distractors_only() -> None:
    cases = [generate(Dials(tools=200, likeness=share), 2) for share in (0.0, 0.25, 0.5, 1.0)]
    assert all(case.sequence == cases[0].sequence for case in cases)
    plain, *others = ({tool.name for tool in case.catalog} for case in cases)
    twins = [names - plain for names in others]
    assert twins[0] < twins[1] < twins[2]
    assert 30 <= len(twins[0]) <= 70
    assert len(twins[2]) == 195


# -- the smallest and largest, and what is refused -----------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("calls", "likeness", "seed"), [(1, 0.0, 0), (1, 1.0, 0), (5, 0.5, 10)])
def test_ten_thousand_tools(calls: int, likeness: float, seed: int) -> None:
    """With seed 10 names with two words changed are those of distractors that are unlike."""
    dials = Dials(tools=10_000, calls=calls, likeness=likeness)
    assert len(generate(dials, seed).catalog) == 10_000


def test_synthetic_catalog() -> None:
    assert [len(synthetic_catalog(count, 1)) for count in (1, 3, 200)] == [1, 3, 200]
    with pytest.raises(InputError, match="tools"):
        synthetic_catalog(0)


OUT_OF_RANGE = [
    ({"tools": 0}, r"tools: '0' cannot be set\. Input should be greater than or equal to 1\."),
    ({"tools": 10_001}, "less than or equal to 10000"),
    ({"tools": True}, "tools: 'True' cannot be set"),
    ({"calls": 301, "tools": 400}, "less than or equal to 300"),
    ({"calls": 2.5}, "calls: '2.5' cannot be set"),
    ({"likeness": 1.01}, "less than or equal to 1"),
    ({"share": float("nan")}, "share: 'nan' cannot be set"),
    ({"coupling": "ring\x1b[31m"}, r"coupling: 'ring\[31m' cannot be set.*'independent', 'chain'"),
    ({"tool": 5}, r"there is no dial 'tool'\. Known: tools, calls"),
    (
        {"tools": 5, "calls": 9, "reuse": 0.2},
        r"5 tools are too few for 9 calls, which use 7\. .*reuse",
    ),
]


@pytest.mark.parametrize(("wrong", "said"), OUT_OF_RANGE)
def test_dials_out_of_range_are_refused(wrong: dict[str, Any], said: str) -> None:
    for made in (lambda: Dials(**wrong), lambda: list(grid({key: [wrong[key]] for key in wrong}))):
        with pytest.raises(InputError, match=said):
            made()


def test_a_grid_holds_every_combination() -> None:
    found = list(grid({"tools": [5, 10], "coupling": ["chain", "fan-in"]}, Dials(calls=2)))
    wanted = [(tools, coupling, 2) for tools in (5, 10) for coupling in ("chain", "fan-in")]
    assert [(each.tools, each.coupling, each.calls) for each in found] == wanted
    assert list(grid({})) == [Dials()]
