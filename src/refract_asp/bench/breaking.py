"""Cases in which something is broken on purpose, made of cases in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf

from refract_asp.bench.mutations import Mutation, kind_of, mutate, mutate_many
from refract_asp.evaluation.cases import Case
from refract_asp.model import Memory
from refract_asp.refractor import Refractor

__all__ = ["break_cases"]


def break_cases(
    cases: Iterable[Case],
    kinds: SequenceOf[str],
    *,
    count: int = 1,
    mix: int = 0,
    seed: str | int = 0,
    left_out: Callable[[Case], None] = lambda _: None,
) -> Iterator[Case]:
    """
    Break every case in several ways, one after the other.

    Nothing is broken that would have to be asked for while memory knows a value of that name: a repair may
    take it.

    Args:
        cases: sequences in which nothing is wrong; what is expected of them counts for nothing.
        kinds: the kinds of mutations.
        count: how many cases are made of each, for each kind; equal ones are made once.
        mix: how many mutations are put into each case, 0 for one, a case for each kind.
        seed: the same one breaks the same cases in the same way.
        left_out: is told of each case that is not broken, because something is wrong with it.

    Raises:
        InputError: no kind bears a name, or the mix is out of range.

    Example:
        >>> from refract_asp.evaluation.cases import read_cases
        >>> tools = {"tools": [{"name": "Pay", "parameters": {"amount": {}}}]}
        >>> row = {"id": "a", "catalog": tools, "sequence": "Pay(amount=3)", "expected": "Pay(amount=3)"}
        >>> [case.id for case in break_cases(read_cases([row]), ["tool_name", "made_up_argument"])]
        ['a/tool_name/0', 'a/made_up_argument/0']
    """
    for kind in kinds:
        kind_of(kind)
    judges: dict[int, Refractor] = {}
    for case in cases:
        judge = judges.get(id(case.catalog))
        if judge is None:
            judge = judges[id(case.catalog)] = Refractor(case.catalog)
        if judge.check(case.sequence, case.memory).verdict != "valid":
            left_out(case)
            continue
        names = ["mix"] if mix else kinds
        for kind in names:
            made: list[Mutation] = []
            for number in range(count):
                own = f"{seed}:{case.id}:{number}"
                if mix:
                    mutation = mutate_many(case.sequence, case.catalog, kinds, mix, own)
                else:
                    mutation = mutate(case.sequence, case.catalog, kind, own)
                if mutation is None or _is_known(mutation, case.memory):
                    continue
                if mutation.broken not in [other.broken for other in made]:
                    yield _case(case, mutation, f"{case.id}/{kind}/{len(made)}")
                    made.append(mutation)


def _is_known(mutation: Mutation, memory: Memory | None) -> bool:
    """Whether memory knows a value by the name of one that is to be asked for: then that may be taken."""
    return memory is not None and any(
        part.asks and part.token.parameter in memory.values
        for part in mutation.parts or (mutation,)
    )


def _case(case: Case, mutation: Mutation, id: str) -> Case:
    return Case.of(
        mutation,
        case.catalog,
        id,
        memory=case.memory,
        catalog_name=case.catalog_name,
        dials={**case.dials, "mutations": len(mutation.parts) or 1},
    )
