"""Diagnostics: what is wrong, what could stand there, what to change; and a tag for each kind of mistake."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Literal, TypeAlias

from pydantic import Field

from refract_asp.model.edits import Edit, ViolationCode
from refract_asp.model.paths import Fault, Frozen
from refract_asp.ports import port
from refract_asp.resources import packaged

Severity: TypeAlias = Literal["error", "warning"]


class Limits(Frozen):
    """
    How much a diagnostic shows.

    Attributes:
        fields: how many of the valid options are listed.
        right_type: how many fields are listed that have the type that is wanted.
        suggestions: how many names are suggested.
        fuzzy: whether names are suggested that are only somewhat alike.
    """

    fields: int = Field(default=20, ge=0, le=10_000)
    right_type: int = Field(default=5, ge=0, le=10_000)
    suggestions: int = Field(default=3, ge=0, le=100)
    fuzzy: bool = False


class Available(Frozen):
    """
    Something that could stand where something is wrong.

    Attributes:
        text: as it would be written: a reference, or the name of a parameter, a tool or a value.
        type: its JSON type, "any" where none is declared, or None where it has none.
        note: what else is to know of it, as "required" or what it means.
    """

    text: str
    type: str | None = None
    note: str = ""


class Listing(Frozen):
    """
    The valid options in the place of something that is wrong.

    Attributes:
        title: what is listed, as "Available outputs of var1 (Search)".
        entries: the valid options, in the order of the catalog.
        more: how many there are besides.
        is_cut: whether there is more inside the entries, deeper than is listed.
    """

    title: str
    entries: tuple[Available, ...] = ()
    more: int = 0
    is_cut: bool = False


class Diagnostic(Frozen):
    """
    A violation, with all that it takes to put it right.

    Everything that came from the input is safe to print: one line, without control characters, bounded.

    Attributes:
        code: what is wrong, see `docs/diagnostics.md`.
        severity: "error", or "warning" where nothing is stopped by it.
        message: what is wrong, in one sentence.
        call: index of the call in the given sequence, from 0; its length means the `returns`, None a goal.
        id: the id of the call, in formats that have ids.
        tool: the tool that the call names.
        label: the label that the call has, or None.
        parameter: the argument that is wrong or absent, or None when the call as a whole is.
        attempted: the wrong token as it was written, or None when it is absent.
        expected: what is wanted there, in words: a type, the allowed values, a range.
        given: what stands there: the value, or the type of what is read.
        faults: what in a value does not fit its schema, each with its path.
        available: what could stand there.
        suggestions: what was probably meant, best first, as it would be written.
        fix: one change that puts it right, as "Change x to y".
        tip: what to try where no change is sure.
        edit: the edit that answers it in the repair, where there was one.
    """

    code: ViolationCode
    severity: Severity = "error"
    message: str
    call: int | None
    id: str | None = None
    tool: str = ""
    label: str | None = None
    parameter: str | None = None
    attempted: str | None = None
    expected: str | None = None
    given: str | None = None
    faults: tuple[Fault, ...] = ()
    available: Listing | None = None
    suggestions: tuple[str, ...] = ()
    fix: str | None = None
    tip: str | None = None
    edit: Edit | None = None

    def __str__(self) -> str:
        """Print it in its tiers, without colours; lines are not wrapped."""
        return str(port("diagnostic_text")(self))


_OfCalls = Literal["made_up_tool", "wrong_tool", "missing_call", "superfluous_call", "unused_call"]
_OfOrder = Literal["bad_repetition", "wrong_order", "missing_label", "wrong_label"]
_OfParameters = Literal["made_up_parameter", "missing_parameter", "superfluous_parameter"]
_OfValues = Literal["made_up_assignment", "wrong_assignment", "missing_memory", "wrong_value"]
_OfTheWhole = Literal["malformed", "forbidden", "broken_specification"]
Tag: TypeAlias = Literal[_OfCalls, _OfOrder, _OfParameters, _OfValues, _OfTheWhole]
"""The kind of a mistake; `tag_meanings` says what each one means."""


@cache
def tag_meanings() -> dict[Tag, str]:
    """
    Return what each tag means, in their order; `docs/diagnostics.md` says the same.

    Example:
        >>> tag_meanings()["forbidden"]
        'a house rule forbids it'
    """
    return dict(packaged("model/words")["tags"])


def tag_of(code: ViolationCode) -> Tag:
    """Return the tag of a violation of which no more is known; a repair may explain it by another one."""
    tag: Tag = packaged("model/words")["tag_of_code"][code]
    return tag


class TaggedFault(Frozen):
    """
    One mistake.

    Attributes:
        tag: its kind.
        call: index of the given call in which it lies, from 0; their number means what is returned, None
            that it lies in none: a call is missing.
        parameter: the argument, or None when it is the call as a whole.
        violations: index into the report of each violation that comes of it; empty against a truth.
        truth: index of the call of the truth with which it was compared; None without a truth, or where
            the truth has no such call.
    """

    tag: Tag
    call: int | None = None
    parameter: str | None = None
    violations: tuple[int, ...] = ()
    truth: int | None = None


class Tags(Frozen):
    """
    The mistakes of a sequence, by kind.

    Attributes:
        faults: each mistake once, in the order of the sequence; those in no call come last.

    Example:
        >>> tags = Tags(faults=(TaggedFault(tag="made_up_tool", call=1), TaggedFault(tag="missing_call")))
        >>> tags.sequence, tags.calls
        (('made_up_tool', 'missing_call'), {1: ('made_up_tool',)})
    """

    faults: tuple[TaggedFault, ...] = ()

    @property
    def sequence(self) -> tuple[Tag, ...]:
        """The tags of the sequence as a whole, each once, in the order of `tag_meanings`."""
        return tuple(self.counts)

    @property
    def calls(self) -> dict[int, tuple[Tag, ...]]:
        """The tags of each call that has any, each once, by the index of the call."""
        numbers = sorted({fault.call for fault in self.faults if fault.call is not None})
        found = {(fault.call, fault.tag) for fault in self.faults}
        return {n: tuple(tag for tag in tag_meanings() if (n, tag) in found) for n in numbers}

    @property
    def counts(self) -> dict[Tag, int]:
        """How many mistakes there are of each kind, the kinds that there are in the order of `tag_meanings`."""
        found = Counter(fault.tag for fault in self.faults)
        return {tag: found[tag] for tag in tag_meanings() if found[tag]}
