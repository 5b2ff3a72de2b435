"""given.lp: the sequence is judged as it stands, in the order in which it is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from encoding_facts import held, returning

CALLS = """
in_tool("Find"). in_param("Find", "query"). in_required("Find", "query"). in_gives("Find", "key").
in_call(0..1). in_name(0..1, "Find"). in_label(0, "a"). in_label(1, "b"). in_arg(0..1, "query").
"""
EARLY = 'out_violation(read_before_written,reference(0,"query",0))'

Violations = Callable[[str], set[str]]


@pytest.mark.parametrize(
    ("reader", "producer", "expected"),
    [(1, 0, set()), (0, 1, {EARLY}), (0, 0, {EARLY})],
    ids=["from the call before", "from the call after", "from itself"],
)
def test_a_call_stands_before_its_readers(
    reader: int, producer: int, expected: set[str], violations: Violations
) -> None:
    facts = (
        f'in_ref({reader}, "query", 0, "l", "key"). in_producer({reader}, "query", 0, {producer}).'
    )
    assert violations(CALLS + facts) == expected


def test_executed_calls_stand_before_all_others(violations: Violations) -> None:
    executed = 'in_call(-1). in_executed(-1). in_name(-1, "Find"). in_arg(-1, "query").'
    reads = 'in_ref(0, "query", 0, "l", "key"). in_producer(0, "query", 0, -1).'
    assert violations(CALLS + executed + reads) == set()


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        ('in_producer(1, "query", 0, 0).', "unknown_field"),
        ('in_producer(1, "query", 0, memory("c")).' + held("c", "yes"), "unknown_field"),
        ('in_lost(1, "query", 0, "c").', "unknown_label"),
    ],
    ids=["a call", "memory", "nothing"],
)
def test_a_reference_reads_from_a_call_from_memory_or_from_nothing(
    origin: str, code: str, violations: Violations
) -> None:
    """Wherever a bad reference reads from, it is told once, for what is wrong there."""
    reads = 'in_ref(1, "query", 0, "c", "no"). '
    assert violations(CALLS + reads + origin) == {f'out_violation({code},reference(1,"query",0))'}


def test_what_a_sequence_returns_is_judged_like_an_argument(violations: Violations) -> None:
    returns = returning(2) + 'in_arg(2, "answer"). in_ref(2, "answer", 0, "b", "no").'
    facts = CALLS + returns + 'in_producer(2, "answer", 0, 1).'
    assert violations(facts) == {'out_violation(unknown_field,reference(2,"answer",0))'}
