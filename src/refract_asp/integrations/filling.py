"""What an argument comes to, once the values are there that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refract_asp.errors import BadArgumentError, shown
from refract_asp.model import Constant, Reference, Sequence, Source
from refract_asp.model.paths import reference_text
from refract_asp.model.sources import Ask, slots_of
from refract_asp.runtime.scripts import at_path, value_of

__all__ = ["filled", "with_values"]


def filled(source: Source, values: Mapping[str, Any]) -> Any:
    """
    Return the value of a source; inside a text, a name that nothing is known of is text.

    Args:
        source: what an argument is bound to.
        values: what is known, by label.

    Raises:
        BadArgumentError: what it reads is not there, or has still to be asked.

    Example:
        >>> filled(Reference(label="var1", path=("geoId",)), {"var1": {"geoId": "foo"}})
        'foo'
    """

    def read(slot: Reference | Ask, in_text: bool) -> Any:
        if isinstance(slot, Ask):
            raise BadArgumentError(f"{shown(slot.name)} has still to be asked.")
        if slot.label in values:
            return at_path(values[slot.label], slot.path, slot.label)
        if in_text and not slot.path:
            return slot.spelt()
        raise BadArgumentError(
            "nothing is known of it.", where=reference_text(slot.label, slot.path)
        )

    return value_of(source, read)


def with_values(sequence: Sequence, values: Mapping[str, Any]) -> Sequence:
    """Return a sequence in which arguments stand as values where all that they read is known already."""
    labels = {call.label for call in sequence.calls}

    def known(source: Source) -> Source:
        slots = list(slots_of(source))
        if not slots or any(
            isinstance(slot, Ask) or slot.label not in values or slot.label in labels
            for slot in slots
        ):
            return source
        return Constant(value=filled(source, values))

    calls = tuple(
        call.model_copy(
            update={"arguments": {name: known(s) for name, s in call.arguments.items()}}
        )
        for call in sequence.calls
    )
    return sequence.model_copy(update={"calls": calls})
