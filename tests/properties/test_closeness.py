"""What is promised of the distance between two sequences."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Sequence
from refract_asp.model import Call, Constant, Source
from refract_asp.model.comparison import distance, same
from refract_asp.model.sequence import numbered
from refract_asp.report.tags import tags_against

from .made import Problem, broken_problems, profile, refractor, valid_problems
from .made import relabelled as changed


def relabelled(sequence: Sequence, seed: int) -> Sequence:
    """Give every label another name."""
    names: dict[str, str] = {}
    calls = []

    def renamed(source: Source) -> Source:
        return changed(source, lambda label: names.get(label, label))

    for number, call in enumerate(sequence.calls):
        arguments = {p: renamed(source) for p, source in call.arguments.items()}
        label = call.label
        if label is not None:
            names[label] = label = f"fresh-{seed}-{number}"
        calls.append(call.model_copy(update={"arguments": arguments, "label": label}))
    returns = sequence.returns and {p: renamed(s) for p, s in sequence.returns.items()}
    return sequence.model_copy(update={"calls": tuple(calls), "returns": returns})


def shuffled(sequence: Sequence, seed: int) -> Sequence:
    """Let neighbours change places that bear other labels and do not read from each other."""
    calls = list(sequence.calls)
    rng = random.Random(seed)
    for _ in range(3 * len(calls)):
        number = rng.randrange(len(calls) - 1) if len(calls) > 1 else 0
        pair = calls[number : number + 2]
        labels = {call.label for call in pair} - {None}
        given = [source for call in pair for source in call.arguments.values()]
        read = {slot.label for source in given for _, slot in numbered(source)}
        if not labels & read and (len(labels) == 2 or None in [call.label for call in pair]):
            calls[number : number + 2] = reversed(pair)
    return sequence.model_copy(update={"calls": tuple(calls)})


@given(broken_problems(), st.integers(0, 99))
@profile(80)
def test_labels_and_order_of_independent_calls_say_nothing(problem: Problem, seed: int) -> None:
    moved = shuffled(problem.sequence, seed)
    assert same(problem.sequence, moved)
    named = relabelled(moved, seed)
    assert same(problem.sequence, named)
    assert distance(problem.sequence, named) == 0


@pytest.mark.slow
@given(valid_problems(), broken_problems(), st.integers(0, 99))
@profile(80)
def test_a_distance_is_one(one: Problem, other: Problem, seed: int) -> None:
    left, right = one.sequence, other.sequence
    far = distance(left, right)
    assert far == distance(right, left) == distance(relabelled(left, seed), right)
    assert (far == 0) == same(left, right)
    first, second = distance(Sequence(), left), distance(Sequence(), right)
    assert abs(first - second) <= far <= first + second


@pytest.mark.slow
@given(broken_problems(), broken_problems())
@profile(80)
def test_a_changed_part_is_paid_alone(one: Problem, other: Problem) -> None:
    """What is added to both changes nothing, when it reads from none of the calls."""
    more = tuple(Call(name="Added", arguments={"x": Constant(value=n)}) for n in range(3))
    both = (one.sequence, other.sequence)
    longer = [each.model_copy(update={"calls": (*more, *each.calls)}) for each in both]
    assert distance(*longer) == distance(*both)


# -- what is promised of error tags ----------------------------------------------------


@pytest.mark.slow
@given(broken_problems())
@profile(60)
def test_each_violation_belongs_to_one_mistake(problem: Problem) -> None:
    asked = refractor(problem.catalog)
    for ask in (asked.check, asked.repair):
        report = ask(problem.sequence, **problem.known)
        told = sorted(number for fault in report.tags().faults for number in fault.violations)
        assert told == [*range(len(report.violations))]
        assert all(call <= len(problem.sequence.calls) for call in report.tags().calls)


@pytest.mark.slow
@given(valid_problems(), broken_problems())
@profile(60)
def test_what_differs_has_tags_and_nothing_else(one: Problem, other: Problem) -> None:
    for given_one, truth in ((one, other), (other, one), (other, other)):
        for catalog in (None, refractor(truth.catalog)):
            tags = tags_against(given_one.sequence, truth.sequence, catalog)
            assert bool(tags.faults) == (not same(given_one.sequence, truth.sequence))
