"""The figures of a run as data: of many sequences, or of systems over cases."""

from __future__ import annotations

from typing import Literal, TypeAlias

from refract_asp.evaluation.measures import Outcome
from refract_asp.model.diagnostic import Tag
from refract_asp.model.edits import ViolationCode
from refract_asp.model.paths import Frozen
from refract_asp.model.shares import Share, Times

# What a field of the metadata holds for a group of sequences.
Value: TypeAlias = bool | int | float | str


class Figures(Frozen):
    """
    What came of some sequences.

    Attributes:
        sequences: how many they are, errors among them.
        calls: how many calls they had when they were given.
        outcomes: how many have each verdict, "error" where there is none; only those that some have, from the
            best to the worst.
        shares: by the name of each measure, see `MEASURES`; only of those that some sequence counts
            for.
    """

    sequences: int
    calls: int
    outcomes: dict[Outcome, Share]
    shares: dict[str, Share]


class FaultExample(Frozen):
    """
    One sequence that has a fault, by which to understand it.

    Attributes:
        number: the number of the sequence in the run, from 0.
        name: its id, or where it stood.
        message: what is wrong, in one sentence.
        fix: one change that puts it right, or None.
    """

    number: int
    name: str
    message: str
    fix: str | None = None


class Fault(Frozen):
    """
    What makes two faults the same.

    Attributes:
        code: what is wrong.
        tool: the tool that the call names; empty where it lies in no call.
        parameter: the argument, or None when the call as a whole is wrong.
        attempted: the wrong token as it was written, or None when it is absent.
    """

    code: ViolationCode
    tool: str
    parameter: str | None
    attempted: str | None


class FaultFigures(Fault):
    """
    The same fault in several sequences.

    Attributes:
        count: how often it occurs.
        sequences: in how many of all sequences.
        example: the first of them.
    """

    count: int
    sequences: Share
    example: FaultExample


class TagFigures(Frozen):
    """How often a kind of mistake occurs, and in how many of all sequences."""

    tag: Tag
    count: int
    sequences: Share


class ToolFigures(Frozen):
    """
    The calls that name a tool.

    Attributes:
        tool: its name, also when there is no such tool.
        faulty: in how many of its calls something is wrong.
        sequences: in how many of all sequences a call of it is faulty.
        tags: how often each kind of mistake occurs, the most frequent first.
    """

    tool: str
    faulty: Share
    sequences: Share
    tags: dict[Tag, int]


class Group(Frozen):
    """The sequences for which a field of the metadata holds one value."""

    value: Value
    figures: Figures


class Grouping(Frozen):
    """
    The sequences by what a field of their metadata holds.

    Attributes:
        field: its name, with dots where it lies deeper; "catalog" also stands for the name of the catalog.
        groups: one for each value: numbers by size, then words.
        without: how many sequences have no such field, no single value in it, or one beyond those told.
    """

    field: str
    groups: tuple[Group, ...]
    without: int = 0


class Trouble(Frozen):
    """
    A sequence that cannot be executed.

    Attributes:
        number: its number in the run, from 0.
        name: its id, or where it stood.
        outcome: its verdict, or "error".
        why: what is wrong first, in one sentence.
    """

    number: int
    name: str
    outcome: Outcome
    why: str


class Timed(Times):
    """How long sequences took, in seconds; `mean` is how long on average."""

    mean: float


class Summary(Frozen):
    """
    A run in figures.

    All names and texts are safe to print: on one line, bounded, without secrets.

    Attributes:
        modes: how many sequences were repaired, checked, compressed.
        stepwise: how many were judged step by step.
        overall: all sequences.
        times: how long they took; None where that is not known.
        tags: by kind of mistake, the most frequent first.
        tools: by tool, those with the most faulty calls first.
        groupings: by each field of the metadata that was asked for, else by each that has few values.
        faults: the most frequent ones.
        edits: how often each kind of change was made, the most frequent first.
        troubles: the first sequences that cannot be executed.
        troubled: how many of them there are.
        cut: which lists are not told in full, as "tools": what is rare is left out.
    """

    schema_version: Literal[1] = 1
    modes: dict[str, int]
    stepwise: int
    overall: Figures
    times: Timed | None = None
    tags: tuple[TagFigures, ...] = ()
    tools: tuple[ToolFigures, ...] = ()
    groupings: tuple[Grouping, ...] = ()
    faults: tuple[FaultFigures, ...] = ()
    edits: dict[str, int] = {}
    troubles: tuple[Trouble, ...] = ()
    troubled: int = 0
    cut: tuple[str, ...] = ()


# -- systems over cases -----------------------------------------------------------


class SystemFigures(Frozen):
    """
    What one system did on some cases.

    Attributes:
        shares: by the name of each measure, see `CASE_MEASURES`; only of those that some case counts
            for.
        check: how long finding what is wrong took.
        repair: how long answering took.
    """

    shares: dict[str, Share]
    check: Times | None = None
    repair: Times | None = None


class CaseGroup(Frozen):
    """
    Some cases of a run.

    Attributes:
        by: what they have in common: "kind", "variant" or a dial; "all" for all cases.
        value: what it is for these.
        cases: how many they are.
        right: in how many of them nothing is wrong.
        figures: what each system did on them.
    """

    by: str
    value: Value | None
    cases: int
    right: int
    figures: dict[str, SystemFigures]


class RunSummary(Frozen):
    """
    A run in figures.

    Attributes:
        overall: all cases.
        groups: the cases by kind, and by what else was asked for, in that order.
    """

    overall: CaseGroup
    groups: dict[str, tuple[CaseGroup, ...]]
