"""
What goes with a sequence: goals, memory, mappings; and examples, which hold all of it.

Goals say what a sequence has to bring about beyond being admissible; memory holds values already known;
a mapping says which output may fill which parameter.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from typing import Any, Literal, TypeAlias

from pydantic import Field, model_validator

from refract_asp.model.catalog import Catalog
from refract_asp.model.paths import FieldPath, Frozen
from refract_asp.model.sequence import Call, Constant, Reference, Sequence
from refract_asp.ports import port

Level: TypeAlias = Literal["admissible", "achieves_goals", "cheapest"]
"""
What a sequence has to be: allowed by the catalog; besides, it meets every goal; besides, no sequence with
fewer calls does.
"""


class Goal(Frozen):
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


class Memory(Frozen):
    """
    Values already known: what executed calls returned, by label, and context variables, by name.

    Example:
        >>> memory = Memory.load({"var1": {"skyId": "NYCA"}, "date_from_user": "2024-08-15"})
        >>> memory.holds("var1", ("skyId",)), memory.holds("var1", ("geoId",))
        (True, False)
    """

    values: dict[str, Any] = {}

    @classmethod
    def load(cls, data: Any) -> Memory:
        """
        Read a memory: a `Path` is a file, a text is JSON or YAML content, a dict is the values themselves.

        Raises:
            FormatError: the data is not a mapping of names to JSON values.
        """
        found: Memory = port("load_memory")(data)
        return found

    def holds(self, label: str, path: FieldPath = ()) -> bool:
        """Whether `label` is known and holds a value (null counts as one) at `path`."""
        try:
            self.at(label, path)
        except LookupError:
            return False
        return True

    def at(self, label: str, path: FieldPath = ()) -> Any:
        """
        Return the value that `label` holds at `path`.

        Raises:
            LookupError: it holds none.

        Example:
            >>> Memory(values={"var1": {"ids": [7, 8]}}).at("var1", ("ids", 1))
            8
        """
        value: Any = self.values[label]
        for step in path:
            kind: Any = list if isinstance(step, int) else dict
            if not isinstance(value, kind):
                raise LookupError(step)
            value = value[step]
        return value


class Mapping(Frozen):
    """
    The statement that an output field may fill a parameter.

    Attributes:
        source: `Tool.path`, or a bare path, which means that path of any tool or of memory.
        target: `Tool.parameter`, or a bare parameter, which means that parameter of any tool.
        weight: how sure that is, above 0 and at most 1.

    Example:
        >>> Mapping(source="SkyScrapperSearchAirport.skyId", target="originSkyId", weight=0.9).weight
        0.9
    """

    source: str = Field(min_length=1)
    target: str = Field(min_length=1)
    weight: float = Field(default=1.0, gt=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _pair(cls, data: Any) -> Any:
        """Take a pair for source and target, as in `("skyId", "originSkyId")`."""
        if isinstance(data, tuple | list) and len(data) in (2, 3):
            return dict(zip(("source", "target", "weight"), data, strict=False))
        return data


class Example(Frozen):
    """
    One sequence of a data set.

    Attributes:
        sequence: the calls as they were written.
        expected: the wanted repair, or None where the data gives none.
        catalog: the tools that may be called, or None for those of the whole data set.
        memory: values already known.
        history: calls that were already executed.
        mappings: which outputs may fill which parameters, here besides those for the whole data set.
        goals: what the sequence has to bring about.
        id: its name, or None.
        meta: whatever else is to be kept with it.
        place: where it stood: file and line, or file and index.
    """

    sequence: Sequence
    expected: Sequence | None = None
    catalog: Catalog | None = None
    memory: Memory | None = None
    history: Sequence | None = None
    mappings: tuple[Mapping, ...] = ()
    goals: tuple[Goal, ...] = ()
    id: str | None = None
    meta: dict[str, Any] = {}
    place: str = ""

    @property
    def name(self) -> str:
        """
        Its id, else where it stood.

        Example:
            >>> Example(sequence=Sequence(), place="calls.jsonl:3").name
            'calls.jsonl:3'
        """
        return self.id if self.id is not None else self.place
