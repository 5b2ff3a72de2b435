"""Sequences of tool calls."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from refract_asp.model.paths import Frozen
from refract_asp.model.sources import Ask, Source, slots_of
from refract_asp.ports import port

__all__ = ["Call", "Confirm", "ConfirmArgument", "ConfirmDrop", "ConfirmTool", "Sequence"]


class ConfirmArgument(Frozen):
    """The value of one argument is to be confirmed: `confirm(date="$var7.date$")`."""

    kind: Literal["argument"] = "argument"
    parameter: str


class ConfirmTool(Frozen):
    """The use of the call's tool is to be confirmed: `confirm(NewsAPISearchByKeyWord)`."""

    kind: Literal["tool"] = "tool"


class ConfirmDrop(Frozen):
    """That an argument is left out is to be confirmed: `confirm(without originalSkyId)`."""

    kind: Literal["drop"] = "drop"
    parameter: str


Confirm = Annotated[ConfirmArgument | ConfirmTool | ConfirmDrop, Field(discriminator="kind")]


class Call(Frozen):
    """
    One use of a tool.

    Attributes:
        name: the tool.
        arguments: parameter to source, in the order in which they were written.
        label: the name that its output is bound to, or None.
        confirms: what has to be confirmed before this call is made.
        id: by which its result is given back to the model, in formats that have ids.
        malformed: why its arguments cannot be read, or None; such a call is never repaired, only told.
        written: how it stood in the input; a format prints a call that did not change as it stood there.
    """

    name: str
    arguments: dict[str, Source] = {}
    label: str | None = None
    confirms: tuple[Confirm, ...] = ()
    id: str | None = None
    malformed: str | None = None
    written: Any = Field(default=None, exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        """Whether two calls say the same, however they were written."""
        if not isinstance(other, Call):
            return NotImplemented
        return self._said() == other._said()

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_open(self) -> bool:
        """Whether something has to be confirmed before it, or asked for it."""
        slots = (slot for source in self.arguments.values() for slot in slots_of(source))
        return bool(self.confirms) or any(isinstance(slot, Ask) for slot in slots)

    def _said(self) -> tuple[object, ...]:
        return self.name, self.arguments, self.label, self.confirms, self.id, self.malformed


class Sequence(Frozen):
    """
    Calls in order, with what is still to be asked and what the sequence gives back.

    Attributes:
        calls: the calls.
        asks: names of the values that the user has to give before the first call.
        returns: what the sequence returns as a whole (`var_result` in NESTFUL), or None.
        format: the format it was read from; `dump()` without a name prints it back in that format.
        written: what stood around the calls in the input, for formats that print it back.
        unlabelled: whether the format has no labels of its own, so that `$x$` may well be text.
        names: the only names that its texts refer to beside its own labels, where it was judged so; every
            other `$x$` is text. None where each is a reference.
        notes: what was mended to read it, for the notes of a report.

    Example:
        >>> sequence = Sequence.load('var1 = Search(query="London")')
        >>> sequence.calls[0].label
        'var1'
    """

    calls: tuple[Call, ...] = ()
    asks: tuple[str, ...] = ()
    returns: dict[str, Source] | None = None
    format: str | None = Field(default=None, exclude=True)
    written: Any = Field(default=None, exclude=True, repr=False)
    unlabelled: bool = Field(default=False, exclude=True, repr=False)
    names: frozenset[str] | None = Field(default=None, exclude=True, repr=False)
    notes: tuple[str, ...] = Field(default=(), exclude=True, repr=False)

    @classmethod
    def load(cls, data: Any, format: str | None = None) -> Sequence:
        """
        Read a sequence: a `Path` is a file, a text is content; lists, dicts, dataclasses and objects with
        `model_dump`, as the messages of SDKs are, are data.

        Raises:
            NotDataError: something is given that no model writes, such as a function; it is a `TypeError`.
            FormatError: the data is not of the format; the message names the place.
            UnknownFormatError: no format fits.
        """
        found: Sequence = port("load_sequence")(data, format)
        return found

    def dump(self, format: str | None = None) -> Any:
        """
        Print the sequence in a format, by default the one it was read from.

        `"pretty"` gives a list of lines, `"nestful"` a list of `{"name", "arguments", "label"}`, `"python"`
        a text; the others give data, `"loose"` data or a text as it came in. In the format that it was
        read from, everything around the calls and every call that did not change is printed as it stood.

        Raises:
            FormatError: the format cannot say what is open, unreadable or given back.
            UnknownFormatError: no format bears the name.
        """
        return port("dump_sequence")(self, format)

    def __eq__(self, other: object) -> bool:
        """Whether two sequences say the same, whatever format they were read from."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return (self.calls, self.asks, self.returns) == (other.calls, other.asks, other.returns)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_open(self) -> bool:
        """Whether something has still to be asked or confirmed."""
        return bool(self.asks) or any(call.confirms for call in self.calls)

    @property
    def result(self) -> int | None:
        """
        The index of the call whose output the sequence gives back, or their number where `returns` says it.

        None where there are no calls and nothing is returned. In a plan it is the call behind `return`, else
        the last one.
        """
        if self.returns is not None:
            return len(self.calls)
        marked = (
            n for n, call in enumerate(self.calls) if getattr(call.written, "is_result", False)
        )
        return next(marked, len(self.calls) - 1 if self.calls else None)

    def __str__(self) -> str:
        """Print the sequence, one call a line."""
        return "\n".join(self.dump("pretty"))
