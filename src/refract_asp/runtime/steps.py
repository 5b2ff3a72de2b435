"""What is to be run, as steps: each a call with what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from refract_asp.errors import ToolError
from refract_asp.formats.pretty import confirm_text
from refract_asp.model import Call, Confirm, Constant, Memory
from refract_asp.model.schemas import JsonSchema
from refract_asp.model.sources import Source
from refract_asp.model.stages import longest_paths

__all__ = ["Agreement", "Arguments", "Question", "Script", "Step", "stages_of"]


class Arguments(NamedTuple):
    """What a call is made with: by name, and by position before those."""

    named: dict[str, Any]
    positional: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """
    One call that is to be made.

    Attributes:
        number: its place among the steps, from 0; each needs only such as come before it.
        tool: the tool that is called.
        label: the name under which its value is kept, or None.
        id: by which its result is given back to a model, or None.
        needs: numbers of the steps whose values it reads; where one of them has none, it is left out.
        after: numbers of the steps that have to be over before it starts, whatever becomes of them.
        asks: names of the values that have to be asked for first.
        confirms: what has to be agreed to first.
        refused: why it must not be made, or None.
    """

    number: int
    tool: str
    label: str | None = None
    id: str | None = None
    needs: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    asks: tuple[str, ...] = ()
    confirms: tuple[Confirm, ...] = ()
    refused: ToolError | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """
    A value that is asked for.

    Attributes:
        name: the name under which it is asked for.
        tool: the first tool that takes it.
        parameter: the parameter of that tool.
        description: what the catalog says of the parameter.
        schema: the JSON Schema that the value has to fit; empty where nothing is known of it, or where the
            value is only a part of the argument.
        problem: what was wrong with the answer before, or the empty text.
    """

    name: str
    tool: str = ""
    parameter: str = ""
    description: str = ""
    schema: JsonSchema = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """
    Something that has to be agreed to before a call is made.

    Attributes:
        number: the number of the step.
        tool: the tool that is called.
        label: the label of the call, or None.
        arguments: the arguments with which it is called.
        confirm: what is to be agreed to.
        reason: why, where a repair says so.
    """

    number: int
    tool: str
    label: str | None
    arguments: dict[str, Any]
    confirm: Confirm
    reason: str = ""

    def __str__(self) -> str:
        """Print what is to be agreed to, as it stands in a sequence."""
        arguments: dict[str, Source] = {
            name: Constant(value=value) for name, value in self.arguments.items()
        }
        return confirm_text(Call(name=self.tool, arguments=arguments), self.confirm)


class Script(Protocol):
    """What is to be run: steps, and how their arguments and the result come from the values before."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, each behind those that it needs."""

    @property
    def questions(self) -> Mapping[str, Question]:
        """What has to be asked for, by name, in order."""

    @property
    def memory(self) -> Memory:
        """What was known before the run."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on what was read, that stop nothing."""

    @property
    def result_needs(self) -> tuple[int, ...]:
        """Numbers of the steps whose values the result is made of."""

    @property
    def result_asks(self) -> tuple[str, ...]:
        """Names of the values that are asked for and stand in the result."""

    def arguments(
        self, number: int, values: Mapping[int, Any], answers: Mapping[str, Any]
    ) -> Arguments:
        """Return the arguments of a step, from the values of those that it needs and from answers."""

    def result(self, values: Mapping[int, Any], answers: Mapping[str, Any]) -> Any:
        """Return what the whole gives back."""

    def reason(self, number: int, confirm: Confirm) -> str:
        """Say why something is to be agreed to, or return the empty text."""


def stages_of(steps: tuple[Step, ...]) -> tuple[tuple[int, ...], ...]:
    """Group the numbers of steps by how long the longest way to them is, see `plan.stages.stages`."""
    return longest_paths([(*step.needs, *step.after) for step in steps])
