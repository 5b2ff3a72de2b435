"""
Diagnostics add nothing to what the encodings say, and what they suggest is there.

Every violation has one diagnostic, in its place, whatever the input is; a suggested reference is admissible
where it is suggested, and a change changes something.
"""

from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from refract_asp import Report, Sequence
from refract_asp.costs.models import model_weights
from refract_asp.model import Reference
from refract_asp.model.comparison import same
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.model.sequence import numbered, replace_reference
from refract_asp.resources import cost_model_path
from refract_asp.rules.wanted import cheaper_repairs, wanted_repairs, why_unreachable

from .made import Problem, broken_problems, profile, refractor, valid_problems

LIMITS = [Limits(), Limits(fuzzy=True), Limits(fields=2, suggestions=1, right_type=1)]
LIMITS += [Limits(fields=0, suggestions=0, right_type=0)]
LOST = {"unknown_field", "unknown_label", "unknown_variable"}


@given(valid_problems())
@profile(60)
def test_what_is_valid_has_no_diagnostics(problem: Problem) -> None:
    """D16: no false alarms."""
    assert refractor(problem.catalog).check(problem.sequence, **problem.known).diagnostics() == ()


@pytest.mark.slow
@given(broken_problems(), st.sampled_from(LIMITS), st.booleans())
@profile(80)
def test_every_violation_has_its_diagnostic(problem: Problem, limits: Limits, strict: bool) -> None:
    """D15: one for each, none hidden, none more; D3 and D4: never more is listed than is wanted."""
    checked = refractor(problem.catalog).check(problem.sequence, **problem.known)
    repaired = refractor(problem.catalog).repair(problem.sequence, **problem.known)
    assert_diagnosed(checked, limits, strict=strict)
    assert_diagnosed(repaired, limits, strict=strict)
    for number, diagnostic in enumerate(repaired.diagnostics()):
        assert diagnostic.edit is None or number in diagnostic.edit.answers


def assert_diagnosed(report: Report, limits: Limits, *, strict: bool) -> None:
    """See that diagnostics and violations are about the same, and that each diagnostic is well formed."""
    found = report.diagnostics(limits, strict=strict)
    for diagnostic, violation in zip(found, report.violations, strict=True):
        assert (diagnostic.code, diagnostic.call) == (violation.code, violation.call)
        assert diagnostic.message == violation.message
        assert diagnostic.severity == ("error" if strict else "warning")
        assert Diagnostic.model_validate(diagnostic.model_dump(mode="json")) == diagnostic
        assert_told(diagnostic, limits)


def assert_told(diagnostic: Diagnostic, limits: Limits) -> None:
    """See that a diagnostic is within its limits, and that its change changes something."""
    assert len(diagnostic.suggestions) <= limits.suggestions
    assert len(set(diagnostic.suggestions)) == len(diagnostic.suggestions)
    assert diagnostic.attempted not in diagnostic.suggestions
    assert diagnostic.fix or diagnostic.tip
    listing = diagnostic.available
    if listing is not None:
        assert len(listing.entries) <= max(limits.fields, limits.right_type, 1)
        assert listing.more >= 0
    if diagnostic.fix is not None and diagnostic.fix.startswith("Change "):
        old, _, new = diagnostic.fix.removeprefix("Change ").partition(" to ")
        assert old != new
    blocks = str(diagnostic).split("\n\n")
    assert blocks[0].startswith(f"{diagnostic.severity}: ")
    assert blocks[0].endswith(f" [{diagnostic.code}]")
    assert blocks[-1].startswith(("  Common fix: ", "  Tip: "))


@pytest.mark.slow
@given(broken_problems(), st.sampled_from([Limits(), Limits(fuzzy=True, fields=1000)]))
@profile(80)
def test_what_is_suggested_can_be_read(problem: Problem, limits: Limits) -> None:
    """A suggested or listed reference stands for something, in the place for which it is suggested."""
    judge = refractor(problem.catalog)
    report = judge.check(problem.sequence, **problem.known)
    for diagnostic, violation in zip(report.diagnostics(limits), report.violations, strict=True):
        if violation.code not in LOST or violation.call is None or violation.parameter is None:
            continue
        if violation.call >= len(problem.sequence.calls):
            continue
        offered = [*diagnostic.suggestions]
        if violation.code == "unknown_field" and diagnostic.available is not None:
            offered += [entry.text for entry in diagnostic.available.entries]
        for text in offered:
            place = violation.call, violation.parameter, violation.reference
            number = violation.reference or 0
            changed = with_reference(problem.sequence, text, place[0], place[1], number)
            after = judge.check(changed, **problem.known).violations
            here = [e for e in after if (e.call, e.parameter, e.reference) == place]
            left = {each.code for each in here}
            assert left.isdisjoint(LOST), (text, left)


def with_reference(sequence: Any, text: str, call: int, parameter: str, number: int) -> Sequence:
    """Return a sequence with one of its references replaced by the one that is written in a text."""
    written = Sequence.load([{"name": "T", "arguments": {"a": text}}])
    argument = written.calls[0].arguments["a"]
    assert isinstance(argument, Reference), text
    source = sequence.calls[call].arguments[parameter]
    assert number in dict(numbered(source))
    new = replace_reference(source, {number or 1: argument})[0]
    arguments = {**sequence.calls[call].arguments, parameter: new}
    changed = sequence.calls[call].model_copy(update={"arguments": arguments})
    calls = [changed if place == call else each for place, each in enumerate(sequence.calls)]
    return sequence.model_copy(update={"calls": tuple(calls)})


# -- what a repair pays ----------------------------------------------------------------


LEVEL = 2
WEIGHTS = {name: model_weights(cost_model_path(name)).kinds for name in ("default", "refraction")}


@pytest.mark.slow
@given(broken_problems(), st.sampled_from(sorted(WEIGHTS)))
@profile(40)
def test_the_answer_can_be_wanted_at_what_it_costs(problem: Problem, model: str) -> None:
    result = refractor(problem.catalog, cost_model=model).repair(problem.sequence, **problem.known)
    if not result.violations:
        return
    event(result.verdict)
    found = wanted_repairs(result, result.sequence)
    assert found, why_unreachable(result, result.sequence)
    if result.unresolved:  # of tied tools none is taken, though each is cheaper
        return
    kinds = WEIGHTS[model]
    assert found[0].weighed(kinds) == result.total[LEVEL]
    for other in cheaper_repairs(result, result.sequence, result.total):
        assert other.weighed(kinds) == result.total[LEVEL]


@given(broken_problems())
@profile(30)
def test_an_alternative_can_be_wanted_and_the_answer_is_cheaper(problem: Problem) -> None:
    made = refractor(problem.catalog, alternatives=4)
    result = made.repair(problem.sequence, **problem.known)
    for other in result.alternatives:
        if same(other.sequence, result.sequence) or result.unresolved:
            continue
        found = wanted_repairs(result, other.sequence)
        assert found, why_unreachable(result, other.sequence)
        cheaper = cheaper_repairs(result, other.sequence, other.total)
        assert cheaper
        event("same cost" if other.total == result.total else "dearer")
