"""What holds of every plan: it reads back, nothing changes it, and it survives being a sequence."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Sequence
from refract_asp.errors import InputError
from refract_asp.plan import Plan, parse_plan, to_plan, to_sequence

from .made import plans, shape

PIECES = st.sampled_from(
    [*"{}()[],:;.='\"`$#\n -af1\\", "return ", "await ", "True", "//", "/*", "*/", "“", "”", "’", "```",
     "const ", "```js\n", "...", "=>", "?.", "${", "é", "\u202e", "\x00", "undefined", "__proto__", "use "]
)  # fmt: skip


def read(text: str) -> Plan:
    parsed = parse_plan(text)
    assert parsed.plan is not None, (text, parsed.diagnostics)
    return parsed.plan


@pytest.mark.slow
@given(plans())
def test_what_is_printed_reads_back_as_the_same_plan_and_is_never_mended(plan: Plan) -> None:
    assert read(str(plan)) == plan
    relaxed = parse_plan(str(plan), "relaxed")
    assert relaxed.repairs == ()
    assert relaxed.plan == plan


def lowered(plan: Plan) -> Sequence:
    """Return a plan as a sequence; those that read a field of what has none cannot be said as one."""
    try:
        return to_sequence(plan)
    except InputError as error:
        assume("there is nothing of that name" not in str(error))
        raise


@pytest.mark.slow
@given(plans())
def test_a_plan_comes_back_from_its_sequence_and_that_from_what_is_printed(plan: Plan) -> None:
    sequence = lowered(plan)
    raised = to_plan(sequence)
    assert shape(raised) == shape(plan)
    assert read(str(raised)) == raised
    comments = [each for alias in plan.aliases for each in alias.comments]
    kept = [*(each for alias in raised.aliases for each in alias.comments), *raised.comments]
    assert sorted(kept) == sorted(comments)
    assert Sequence.load(sequence.dump("pretty")) == sequence


@given(plans(templates=True))
@settings(max_examples=examples(50))
def test_a_plan_with_templates_comes_back(plan: Plan) -> None:
    relaxed = parse_plan(str(plan), "relaxed")
    assert relaxed.plan == plan
    assert {each.code for each in relaxed.repairs} == {"template"}
    sequence = lowered(plan)
    assert shape(to_plan(sequence)) == shape(plan)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60))
@settings(max_examples=examples(300))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    for mode in ("strict", "relaxed"):
        parsed = parse_plan(text, mode)
        assert (parsed.plan is None) == bool(parsed.diagnostics)
        lines = text.split("\n")
        for each in (*parsed.diagnostics, *parsed.repairs):
            assert 1 <= each.place.line <= len(lines)
            assert 1 <= each.place.column <= len(lines[each.place.line - 1]) + 1
        if parsed.plan is not None:
            again = parse_plan(str(parsed.plan), "relaxed").plan
            assert again == parsed.plan


@pytest.mark.slow
@given(plans(), st.data())
def test_one_piece_more_or_less_never_changes_a_plan_in_silence(plan: Plan, data: Any) -> None:
    """What was mended is told; a text in which nothing was mended is a plan as it stands."""
    text = str(plan)
    at = data.draw(st.integers(0, len(text)))
    broken = text[:at] + data.draw(PIECES | st.just("")) + text[at + data.draw(st.integers(0, 1)) :]
    relaxed = parse_plan(broken, "relaxed")
    strict = parse_plan(broken)
    if strict.plan is not None:
        assert relaxed.plan == strict.plan
        assert relaxed.repairs == ()
    elif relaxed.plan is not None:
        assert relaxed.repairs
