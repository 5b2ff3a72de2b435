"""Figures of runs, counted by hand; and two systems against each other."""

from typing import Any

import pytest

from refract_asp.errors import InputError
from refract_asp.evaluation import Refract, Run, nearest, run, unchanged
from refract_asp.evaluation.runs import RunRow
from refract_asp.evaluation.summary import restored_share, summary_of
from refract_asp.evaluation.systems import Score
from refract_asp.evaluation.versus import compare_runs
from refract_asp.model.shares import quantiles, share
from yaml_files import tables

from .small_cases import GOLD, SLIP, cases, row

FOUND = run(cases(), {"refract": Refract(alternatives=2), "none": unchanged, "nearest": nearest})


def made(restored: list[tuple[bool, ...]], kinds: str = "", **more: Any) -> Run:
    """Make a run with a row for each tuple, which says what each system restores."""
    names = [f"s{n}" for n in range(len(restored[0]))]
    rows = []
    for number, told in enumerate(restored):
        kind = kinds[number] if kinds else "x"
        scores = {name: Score(restored=each) for name, each in zip(names, told, strict=True)}
        rows.append(RunRow(id=str(number), digest=f"d{number}", kind=kind, scores=scores, **more))
    return Run(systems={name: {} for name in names}, rows=tuple(rows))


@pytest.mark.parametrize(("system", "wanted"), tables(__file__)["figures"])
def test_figures(system: str, wanted: str) -> None:
    shares = summary_of(FOUND).overall.figures[system].shares
    told = [f"{name} {found.count}/{found.of}" for name, found in shares.items()]
    assert set(wanted.split(", ")) <= set(told)
    assert ("optimal" in shares) == (system == "refract")


def test_groups_by_kind_and_dials() -> None:
    groups = summary_of(FOUND).groups
    assert list(groups) == ["kind", "tools", "coupling"]
    kinds = [(each.value, each.cases, each.right) for each in groups["kind"]]
    lost, label = ("lost_constant", 1, 0), ("missing_label", 1, 0)
    assert kinds == [lost, label, ("none", 1, 1), ("tool_name", 2, 0)]
    assert [(each.value, each.cases) for each in groups["tools"]] == [(2, 2), (10, 3)]
    assert [(each.value, each.cases) for each in groups["coupling"]] == [("chain", 1), ("none", 2)]


def test_what_is_lost_can_only_be_asked_for() -> None:
    asking = {"kind": "lost_constant", "informed": False}
    rows = [
        row("asked", ["Search()"], ["ask(query)", "Search(query=query)"], **asking),
        row("other ask", ["Search(limit=2)"], ["ask(limit)", "Search(limit=limit)"], **asking),
        row("slip", SLIP, GOLD, kind="tool_name"),
    ]
    shares = summary_of(run(cases(rows), {"refract": Refract()})).overall.figures["refract"].shares
    told = {name: (found.count, found.of) for name, found in shares.items()}
    assert (told["restored"], told["asked_rightly"]) == ((1, 1), (1, 2))


def test_the_share_that_a_run_is_judged_by() -> None:
    assert restored_share(FOUND, "nearest").value == pytest.approx(1 / 3)
    nothing = restored_share(made([(True,)], right=True), "s0")
    assert (nothing.value, nothing.of) == (None, 0)


def test_intervals_and_quantiles_known_from_tables() -> None:
    assert (share(81, 263).low, share(81, 263).high) == (0.2553, 0.3662)
    assert share(0, 20).high == 0.1611
    found = quantiles(float(n) for n in range(1, 101))
    assert (found.p50, found.p95, found.p99, found.max) == (50, 95, 99, 100)
    assert quantiles([None]) is None


def test_who_alone_is_right_decides() -> None:
    first = made([(True,), (True,), (False,), (False,), (False,)], "aabbb")
    second = made([(False,), (True,), (True,), (True,), (False,)], "aabbb")
    (found,) = compare_runs(first, second).duels
    assert (found.lost, found.won, found.p_value) == (("0",), ("2", "3"), 1.0)
    change = found.changes[0]
    told = (change.name, change.a.count, change.b.count, change.only_a, change.only_b)
    assert told == ("restored", 2, 3, 1, 2)
    (clear,) = compare_runs(made([(False,)] * 10), made([(True,)] * 10)).duels
    assert clear.p_value == pytest.approx(2 / 2**10)
    assert clear.changes[0].worse is False


def test_two_runs_are_compared_by_the_cases_that_they_share() -> None:
    a = made([(True,), (False,), (True,), (True,)])
    b = made([(True,), (True,), (False,), (True,), (True,)])
    changed = b.rows[3].model_copy(update={"digest": "other"})
    b = b.model_copy(update={"rows": (*b.rows[:3], changed, b.rows[4])})
    found = compare_runs(a, b)
    assert (found.cases, found.changed, found.only_a, found.only_b) == (3, 1, 0, 1)
    (only,) = found.duels
    assert (only.a, only.won, only.lost) == ("s0", ("1",), ("2",))


def test_systems_of_one_name_or_the_only_ones_are_compared() -> None:
    two, one = made([(True, False)]), made([(True,)])
    assert [(each.a, each.b) for each in compare_runs(two, one).duels] == [("s0", "s0")]
    scores = {"mine": one.rows[0].scores["s0"]}
    mine = Run(systems={"mine": {}}, rows=(one.rows[0].model_copy(update={"scores": scores}),))
    assert [(each.a, each.b) for each in compare_runs(one, mine).duels] == [("s0", "mine")]
    with pytest.raises(InputError, match="share no system"):
        compare_runs(two, mine)
    with pytest.raises(InputError, match="share no case"):
        compare_runs(one, one.model_copy(update={"rows": ()}))


def test_what_is_named_is_there() -> None:
    from refract_asp.bench import evaluation

    for name in evaluation.__all__:
        assert getattr(evaluation, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        evaluation.nothing  # noqa: B018
