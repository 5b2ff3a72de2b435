"""Violations and the edits that answer them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from refract_asp.model.paths import Fault, FieldPath, Frozen
from refract_asp.model.sequence import Call, Source

_OfNames = Literal["unknown_tool", "undeclared_parameter", "missing_parameter"]
_OfReferences = Literal["unknown_label", "unknown_field", "unknown_variable", "malformed_reference"]
_OfOrder = Literal["nested_call", "read_before_written", "duplicate_call", "tried_too_often"]
_OfValues = Literal[
    "invalid_value", "type_mismatch", "invalid_arguments", "malformed_arguments", "broken_schema"
]
_OfTheWhole = Literal["unmet_goal", "needless_call", "unused_call", "forbidden"]
ViolationCode: TypeAlias = Literal[_OfNames, _OfReferences, _OfOrder, _OfValues, _OfTheWhole]
"""What can be wrong with a token; `docs` explain each one."""

Pattern: TypeAlias = str
"""
The recovery pattern: where the value of an edit comes from: "self_contained", "ask", "mapping", "memory",
"new_call", "constant", "default" or "transformation", or what a pattern of the user's says of it.
"""

_OfTexts = Literal["text_to_number", "number_in_text", "text_to_boolean", "text_to_null"]
_OfForms = Literal["number_to_boolean", "to_text", "parse_text", "scalar_to_list", "unwrap"]
_OfLists = Literal["split_text", "split_words", "enum", "enum_word"]
_OfKeys = Literal["drop_null", "rename_key", "drop_key", "default", "ask"]
Rule: TypeAlias = Literal[_OfTexts, _OfForms, _OfLists, _OfKeys]
"""How a value is brought into another form; `rules.schemas.recasting` describes each one."""


class Violation(Frozen):
    """
    A token that is not admissible, or a required one that is absent.

    Attributes:
        code: what is wrong.
        call: index of the call in the given sequence, from 0; its length means the `returns`, None a goal.
        tool: the tool that the call names.
        label: the label that the call has, or None.
        parameter: the argument that is wrong or absent, or None when the call as a whole is.
        reference: which reference in the argument is wrong: 0 the whole value, 1, 2, ... inside; or None.
        given: the wrong token as it was written, or None when it is absent.
        faults: what in a value does not fit its schema, at most 20.
        message: one sentence that says what is wrong.
    """

    code: ViolationCode
    call: int | None
    tool: str
    label: str | None = None
    parameter: str | None = None
    reference: int | None = None
    given: str | None = None
    faults: tuple[Fault, ...] = ()
    message: str


class _Edit(Frozen):
    """
    What all edits have.

    Attributes:
        call: index of the given call, from 0; None for an added call.
        label: the label that the call has in the repaired sequence, or None.
        pattern: where the value comes from.
        cost: what the edit costs under the cost model, by criterion.
        answers: index into `result.violations` of each violation that the edit answers.
        risky: why the edit is risky, or None.
    """

    call: int | None = None
    label: str | None = None
    pattern: Pattern = "self_contained"
    cost: dict[str, int] = {}
    answers: tuple[int, ...] = ()
    risky: str | None = None


class RenameTool(_Edit):
    """The call uses another tool."""

    kind: Literal["rename_tool"] = "rename_tool"
    before: str
    after: str


class AddLabel(_Edit):
    """A call without a label gets one."""

    kind: Literal["add_label"] = "add_label"
    after: str


class RenameLabel(_Edit):
    """A call has another label."""

    kind: Literal["rename_label"] = "rename_label"
    before: str
    after: str


class RenameParameter(_Edit):
    """An argument goes to another parameter and keeps its source."""

    kind: Literal["rename_parameter"] = "rename_parameter"
    before: str
    after: str


class OpenArgument(_Edit):
    """An argument that only held other ones goes, and they stand in its place, each under its key."""

    kind: Literal["open_argument"] = "open_argument"
    parameter: str
    before: Source
    after: dict[str, Source]


class DropArgument(_Edit):
    """An argument is left out."""

    kind: Literal["drop_argument"] = "drop_argument"
    parameter: str
    before: Source


class Fill(_Edit):
    """A parameter that was absent gets a source."""

    kind: Literal["fill"] = "fill"
    parameter: str
    after: Source


class Rebind(_Edit):
    """A reference inside an argument is replaced; `before` and `after` are the whole argument."""

    kind: Literal["rebind"] = "rebind"
    parameter: str
    before: Source
    after: Source


class Step(Frozen):
    """
    One step by which a value came into another form.

    Attributes:
        rule: what was done.
        path: where in the value that was given; empty for the value as a whole.
        before: what stood there, as JSON, bounded.
        after: what stands there now, likewise.
    """

    rule: Rule
    path: FieldPath = ()
    before: str
    after: str


class Transform(_Edit):
    """The value of an argument is brought into the form that its parameter takes, by one or more steps."""

    kind: Literal["transform"] = "transform"
    parameter: str
    before: Source
    after: Source
    steps: tuple[Step, ...]


class SplitCall(_Edit):
    """A call that got a list where one value is wanted is made once for each element."""

    kind: Literal["split_call"] = "split_call"
    parameter: str
    before: Source
    after: tuple[Source, ...]


class AddCall(_Edit):
    """A call is added; `added` is the call with its arguments."""

    kind: Literal["add_call"] = "add_call"
    added: Call


class DeleteCall(_Edit):
    """
    A call is left out.

    Attributes:
        before: the call.
        instead: index of the given call that stands for it, counted backwards from -1 for one of the
            history; None when nothing does.
    """

    kind: Literal["delete_call"] = "delete_call"
    before: Call
    instead: int | None = None


class MoveCall(_Edit):
    """A call changes its place among the others."""

    kind: Literal["move_call"] = "move_call"
    before: int
    after: int


class KeepCall(_Edit):
    """A call of a plan is made although nothing that the plan returns reads it, before what it returns."""

    kind: Literal["keep_call"] = "keep_call"


_OfCalls = KeepCall | RenameTool | SplitCall | AddCall | DeleteCall | MoveCall
_OfLabels = AddLabel | RenameLabel
_OfArguments = RenameParameter | OpenArgument | DropArgument | Fill | Rebind | Transform
Edit = Annotated[_OfCalls | _OfLabels | _OfArguments, Field(discriminator="kind")]
"""An elementary change of tokens; `kind` says which."""
