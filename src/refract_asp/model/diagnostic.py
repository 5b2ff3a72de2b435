"""Diagnostics: what is wrong, what could stand there instead, and what to change."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from refract_asp.model.edits import Edit, ViolationCode
from refract_asp.model.paths import Fault, Frozen
from refract_asp.ports import port

__all__ = ["Available", "Diagnostic", "Limits", "Listing", "Severity"]

Severity: TypeAlias = Literal["error", "warning"]


class Limits(Frozen):
    """
    How much a diagnostic shows.

    Attributes:
        fields: how many entries are listed of what there is.
        right_type: how many fields are listed that have the type that is wanted.
        suggestions: how many names are suggested.
        depth: how deep outputs are listed, in steps of their paths.
        fuzzy: whether names are suggested that are only somewhat alike.
    """

    fields: int = Field(default=20, ge=0, le=10_000)
    right_type: int = Field(default=5, ge=0, le=10_000)
    suggestions: int = Field(default=3, ge=0, le=100)
    depth: int = Field(default=5, ge=1, le=20)
    fuzzy: bool = False


class Available(Frozen):
    """
    Something that could stand where something is wrong.

    Attributes:
        text: as it would be written: a reference, or the name of a parameter, a tool or a value.
        type: its JSON type, "any" where nothing is said, or None where it has none.
        note: what else is to know of it, as "required" or what it means.
    """

    text: str
    type: str | None = None
    note: str = ""


class Listing(Frozen):
    """
    What there is in the place of something that is wrong.

    Attributes:
        title: what is listed, as "Available outputs of var1 (Search)".
        entries: what there is, in the order of the catalog.
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
        label: the label that the call bears, or None.
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
