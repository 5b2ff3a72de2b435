"""One call of a guarded function: what was given, what was judged of it, and what the function gets."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from refract_asp.errors import BadArgumentError
from refract_asp.integrations.filling import filled
from refract_asp.integrations.signature import Taken
from refract_asp.model import Call, Constant, Reference, RepairResult, Source

__all__ = ["Attempt", "Ready"]

Ready: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments that the function is called with, by position and by name."""

GIVEN = "given"
"""The tool of the calls that stand for arguments which JSON does not have; no catalog describes it."""


@dataclass(slots=True)
class Attempt:
    """
    One call of a guarded function, as it was judged.

    Attributes:
        args: what was given by position.
        kwargs: what was given by name.
        taken: the same, by parameter.
        call: the call that was judged.
        originals: what was given, by parameter of the tool.
        hidden: arguments that JSON does not have, by the label under which they were judged.
        known: what memory held.
        store: where memory is written to, if it can be.
        names: what the tool calls parameters of the function, by their own names.
        state: the parameter of the function that holds the arguments of the tool, or None.
        result: what the repair says.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    taken: Taken
    call: Call
    originals: dict[str, Any]
    hidden: dict[str, Any]
    known: dict[str, Any]
    store: MutableMapping[str, Any] | None
    names: Mapping[str, str]
    state: str | None
    result: RepairResult = field(init=False)

    def as_given(self) -> Ready | None:
        """Return the arguments of a call that is right: as given, with what references read from memory."""
        if self.result.verdict != "valid":
            return None
        if all(
            source.kind == "constant" or self._is_hidden(source) for source in self.call.arguments.values()
        ):
            return self.args, self.kwargs
        return self.arguments(self.call, self.known)

    def _is_hidden(self, source: Source) -> bool:
        return isinstance(source, Reference) and source.label in self.hidden

    @property
    def history(self) -> tuple[Call, ...]:
        """The calls that stand for arguments which JSON does not have."""
        return tuple(Call(name=GIVEN, label=label) for label in self.hidden)

    def arguments(self, call: Call, values: Mapping[str, Any]) -> Ready:
        """Return how the function is called so that it gets the arguments of a repaired call."""
        renamed = {e.after: e.before for e in self.result.edits if e.kind == "rename_parameter"}
        repaired: dict[str, Any] = {}
        for name, source in call.arguments.items():
            before = name if name in self.originals else renamed.get(name, name)
            if isinstance(source, Reference) and source.label in self.hidden:
                repaired[name] = self.hidden[source.label]
            elif isinstance(source, Constant) and self.call.arguments.get(before) == source:
                repaired[name] = self.originals[before]
            else:
                try:
                    repaired[name] = filled(source, {**values, **self.hidden})
                except BadArgumentError as error:
                    raise BadArgumentError(
                        error.what, tool=self.call.name, where=error.where, hint=error.hint
                    ) from None
        if self.state is not None:
            given = self.taken.bound.arguments.get(self.state, {})
            kept = {name: value for name, value in given.items() if name not in self.originals}
            named = {**self.taken.named(), self.state: {**kept, **repaired}}
            return self.taken.with_named(named)
        own = {called: name for name, called in self.names.items()}
        judged = {own.get(name, name) for name in self.originals}
        named = {name: value for name, value in self.taken.named().items() if name not in judged}
        named |= {own.get(name, name): value for name, value in repaired.items()}
        return self.taken.with_named(named)
