"""Goals: what a sequence has to bring about, beyond being admissible."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from refract_asp.model.sequence import Call
from refract_asp.model.sources import Constant, Reference
from refract_asp.ports import port

__all__ = ["Goal", "Level"]

Level: TypeAlias = Literal["admissible", "achieves_goals", "cheapest"]
"""
What a sequence has to be: allowed by the catalog; besides, it meets every goal; besides, no sequence with
fewer calls does.
"""


class Goal(BaseModel):
    """
    Something that a sequence has to bring about.

    Made by `Goal.tool`, `Goal.field` and `Goal.before`, or read from a text.

    Attributes:
        kind: "tool": a tool is called; "field": a value is known; "before": a tool is called before another.
        name: the tool or the field; for "before" the tool that comes first.
        then: for "before" the tool that comes later, else None.
        arguments: what the tool has to be called with: constants and references.

    Example:
        >>> str(Goal.tool("concur")), str(Goal.field("flightId")), str(Goal.before("authorise", "pay"))
        ('concur', 'field flightId', 'authorise before pay')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["tool", "field", "before"]
    name: str
    then: str | None = None
    arguments: dict[str, Constant | Reference] = {}

    @classmethod
    def tool(cls, name: str, arguments: MappingOf[str, Any] | None = None) -> Goal:
        """
        Return the goal that a tool is called, with these arguments if there are any.

        A text `"$label.path$"` is a reference, any other JSON value a constant.

        Raises:
            InputError: an argument is neither, as a text with a reference inside it.

        Example:
            >>> goal = Goal.tool("Flights", {"date": "$date_from_user$", "adults": 2})
            >>> str(goal)
            'Flights(date="$date_from_user$", adults=2)'
        """
        found: Goal = port("read_goal")({"tool": name, "arguments": dict(arguments or {})})
        return found

    @classmethod
    def field(cls, name: str) -> Goal:
        """Return the goal that a value of this name is known: memory holds it, or a call returns it."""
        return cls(kind="field", name=name)

    @classmethod
    def before(cls, first: str, then: str) -> Goal:
        """Return the goal that whenever `then` is called, `first` is called before it."""
        return cls(kind="before", name=first, then=then)

    def __str__(self) -> str:
        """Return the goal as it is written on the command line."""
        if self.kind == "field":
            return f"field {self.name}"
        if self.kind == "before":
            return f"{self.name} before {self.then}"
        if not self.arguments:
            return self.name
        return str(port("call_text")(Call(name=self.name, arguments=dict(self.arguments))))
