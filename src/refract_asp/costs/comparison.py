"""What comparing two cost models gives."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from refract_asp.model import Edit, Verdict

__all__ = ["Answer", "Closeness", "ComparedModel", "Comparison", "Difference", "EditCount", "VerdictChange"]

SCHEMA_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ComparedModel(_Part):
    """
    One of the two models, and how its repairs went.

    Attributes:
        name: the cost model as it was asked for, a name or a file.
        constants: the constants that were changed.
        median_seconds: what a repair took, the check before it included; None where nothing was repaired.
        unproven: how many answers are not proven to be the cheapest.
        unanswered: for how many examples the time ran out before any answer.
    """

    name: str
    constants: dict[str, int] = {}
    median_seconds: float | None = None
    unproven: int = 0
    unanswered: int = 0


class EditCount(_Part):
    """How often edits of one kind are made by A alone, by B alone, and by both at the same place."""

    kind: str
    only_a: int = 0
    only_b: int = 0
    both: int = 0


class VerdictChange(_Part):
    """How many examples have one verdict with A and another one with B."""

    a: Verdict
    b: Verdict
    examples: int


class Closeness(_Part):
    """
    Which model is closer to the wanted repairs.

    Attributes:
        examples: how many examples have a wanted repair.
        a_closer: for how many of them the answer of A differs from it in fewer tokens than that of B.
        b_closer: likewise for B.
        equal: for how many both differ in the same number of tokens.
        a_exact: for how many the answer of A is the wanted one, up to labels and order.
        b_exact: likewise for B.
        a_mean: in how many tokens the answers of A differ from the wanted ones, on average.
        b_mean: likewise for B.
        p_value: how likely a split between `a_closer` and `b_closer` at least as uneven would be if it were
            chance which model is closer (two-sided sign test).
    """

    examples: int
    a_closer: int
    b_closer: int
    equal: int
    a_exact: int
    b_exact: int
    a_mean: float
    b_mean: float
    p_value: float


class Answer(_Part):
    """
    The answer of one model to one example.

    Attributes:
        verdict: the answer in one word.
        optimal: whether it is proven that nothing is cheaper.
        edits: what was changed.
        cost: what it costs under this model, by criterion.
        distance: in how many tokens it differs from the wanted repair; None where none is given.
        diff: the given sequence against the repaired one.
        seconds: what the repair took.
    """

    verdict: Verdict
    optimal: bool
    edits: tuple[Edit, ...]
    cost: dict[str, int]
    distance: int | None
    diff: str
    seconds: float


class Difference(_Part):
    """
    An example to which the two models give different answers.

    Attributes:
        name: its id, else where it stands.
        place: where it stands.
        same_calls: whether both answers hold the same calls, up to labels and order.
        expected: the wanted repair, a line for each call; None where none is given.
        a: the answer of A.
        b: the answer of B.
    """

    name: str
    place: str
    same_calls: bool
    expected: tuple[str, ...] | None
    a: Answer
    b: Answer


class Comparison(_Part):
    """
    Where two cost models differ on a data set.

    Attributes:
        a: the first model.
        b: the second model.
        examples: how many were repaired by both.
        differing: how many of them have different answers: another verdict, edit or call.
        same_calls: how many of those hold the same calls all the same, up to labels and order.
        edits: for each kind of edit how often it is made.
        verdicts: which verdicts changed, the commonest change first.
        closeness: which model is closer to the wanted repairs; None where no example has one.
        differences: the examples that differ, in the order of the data; all, or as many as were to be kept.
        skipped: how many entries of the data could not be read or repaired.
        mistakes: what was wrong with the first of those.
        interrupted: whether only part of the data was looked at, since somebody stopped it.
    """

    schema_version: int = SCHEMA_VERSION
    a: ComparedModel
    b: ComparedModel
    examples: int = 0
    differing: int = 0
    same_calls: int = 0
    edits: tuple[EditCount, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()
    closeness: Closeness | None = None
    differences: tuple[Difference, ...] = ()
    skipped: int = 0
    mistakes: tuple[str, ...] = ()
    interrupted: bool = False
