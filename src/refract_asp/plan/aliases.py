"""Which calls of a sequence are aliases in its plan, under which names, and which stand inside others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from refract_asp.model import Call, Reference, Sequence, Source, Structure, Template
from refract_asp.model.sources import slots_of
from refract_asp.plan.lowering import Written
from refract_asp.plan.spelling import is_plain

__all__ = ["Aliases", "written_of"]


class Aliases:
    """
    Finds out who reads what in a sequence, and names each call that does not stand inside another expression.

    Attributes:
        producers: for each call, and last for what is returned, which call each label means there.
        result: which call the sequence gives back, None where it says what it returns.
        names: the names of the calls that are aliases.
    """

    def __init__(self, sequence: Sequence) -> None:
        """Look at who reads what, then name the calls."""
        self.names: dict[int, str] = {}
        self._sequence = sequence
        self._is_plan = sequence.format == "plan"
        self._readers: Counter[int] = Counter()
        self._reader: dict[int, int] = {}  # the last one
        self._slot: dict[int, int] = {}  # and where in it, counted through all that is read
        self._slots_met = 0
        self._in_texts: set[int] = set()
        self.producers = self._resolved()
        self.result = self._result_index()
        self._name_all()

    def unread(self) -> list[int]:
        """Return the calls besides the result that nobody reads and that are made all the same."""
        if self._is_plan:
            return []
        every = range(len(self._sequence.calls))
        return [index for index in every if not self._readers[index] and index != self.result]

    def fresh(self, stem: str) -> str:
        """Return a name that nothing bears yet, and keep it."""
        labels = {call.label for call in self._sequence.calls}
        number = 1
        while (name := f"{stem}{number}") in self._taken or name in labels:
            number += 1
        self._taken.add(name)
        return name

    def own_name(self, index: int | None) -> str:
        """Return the name under which a call is returned beside others."""
        if index is None:
            return self.fresh("var")
        label = self._sequence.calls[index].label
        is_free = label is not None and is_plain(label) and label not in self.names.values()
        return self.names.get(index) or (label if label is not None and is_free else self.fresh("var"))

    # -- who reads what ----------------------------------------------------------

    def _resolved(self) -> list[dict[str, int]]:
        """Return for each call, and for what is returned, which call each label means there."""
        found: list[dict[str, int]] = []
        labels: dict[str, int] = {}
        returns = [self._sequence.returns] if self._sequence.returns is not None else [{}]
        for index, arguments in enumerate([*(call.arguments for call in self._sequence.calls), *returns]):
            found.append(dict(labels))
            for source in arguments.values():
                self._count(source, labels, index)
            if index < len(self._sequence.calls):
                label = self._sequence.calls[index].label
                if label is not None:
                    labels[label] = index
        return found

    def _count(self, source: Source, labels: dict[str, int], reader: int) -> None:
        for slot in slots_of(source):
            if isinstance(slot, Reference) and slot.label in labels:
                self._readers[labels[slot.label]] += 1
                self._reader[labels[slot.label]] = reader
                self._slots_met += 1
                self._slot[labels[slot.label]] = self._slots_met
        self._in_texts.update(labels[each] for each in _labels_in_texts(source) if each in labels)

    def _result_index(self) -> int | None:
        """Return which call the sequence gives back, None where it says what it returns."""
        calls = self._sequence.calls
        if self._sequence.returns is not None or not calls:
            return None
        marked = (index for index, call in enumerate(calls) if (w := written_of(call)) and w.is_result)
        return next(marked, len(calls) - 1)

    # -- names -------------------------------------------------------------------

    def _name_all(self) -> None:
        """Give a name to each call that does not stand inside another expression."""
        calls = self._sequence.calls
        self._taken = {_root(call.name) for call in calls} | self._free_names()
        named: set[int] = set()
        for index in reversed(range(len(calls))):
            if not self._stands_inside(index, named):
                named.add(index)
        for index in sorted(named):
            label = calls[index].label
            if label is None or label in self._taken or not is_plain(label):
                label = self.fresh("var")
            self._taken.add(label)
            self.names[index] = label

    def _stands_inside(self, index: int, named: set[int]) -> bool:
        """
        Whether a call stands where it is read: it does in a plan, unless an alias stands between.

        Calls are made in the order in which they are written, so none stands behind one that follows it.
        """
        written = written_of(self._sequence.calls[index])
        if index == self.result and not self._readers[index]:
            return written is None or not written.is_alias
        if written is None or written.is_alias or self._readers[index] != 1 or index in self._in_texts:
            return False
        reader, slot = self._reader[index], self._slot[index]
        return not any(
            between in named or (self._reader.get(between) == reader and self._slot[between] < slot)
            for between in range(index + 1, reader)
        )

    def _free_names(self) -> set[str]:
        found: set[str] = set()
        returns = self._sequence.returns or {}
        for index, arguments in enumerate([*(call.arguments for call in self._sequence.calls), returns]):
            for source in arguments.values():
                for slot in slots_of(source):
                    if isinstance(slot, Reference) and slot.label not in self.producers[index]:
                        found.add(slot.label)
        return found


def written_of(call: Call) -> Written | None:
    """Return how a call stood in the plan that it was read from, or None."""
    return call.written if isinstance(call.written, Written) else None


def _labels_in_texts(source: Source) -> Iterator[str]:
    if isinstance(source, Template):
        yield from (part.label for part in source.parts if isinstance(part, Reference))
    elif isinstance(source, Structure):
        inner: list[Any] = list(source.value.values()) if isinstance(source.value, dict) else source.value
        for each in inner:
            yield from _labels_in_texts(each)


def _root(name: str) -> str:
    return name.partition(".")[0]
