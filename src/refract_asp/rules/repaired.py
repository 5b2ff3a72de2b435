"""A repair in the making: who reads from whom, in which order, under which labels, with which arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from heapq import heappop, heappush
from itertools import pairwise

from refract_asp.model import Ask, Call, Constant, Reference, Source
from refract_asp.model.paths import parse_path
from refract_asp.model.sources import Spelling, replace_reference, slots_of
from refract_asp.rules.choices import (
    Aim,
    CallId,
    Choices,
    FromConstant,
    FromGoal,
    FromMemory,
    Inner,
    New,
    Origin,
    Own,
    Part,
)
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.schemas.dialects import source_of, value_of
from refract_asp.rules.symbols import fact

__all__ = [
    "Repaired",
    "arrange",
]


def arrange(
    kept: Collection[int],
    moved: Collection[int],
    reads: Mapping[CallId, Collection[CallId]],
    precede: Collection[tuple[CallId, CallId]] = (),
) -> list[CallId]:
    """
    Return given and added calls in order.

    Args:
        kept: the given calls that stay, by their numbers.
        moved: those of them that need not keep their place.
        reads: for every call the calls that it reads from; added calls appear as keys.
        precede: pairs of calls of which the first has to stand before the second.

    Calls that do not move keep their order; a moved one stands as near to its old place as the data
    flow allows; an added one directly before its first reader.
    """
    sources: dict[CallId, list[CallId]] = {call: list(found) for call, found in reads.items()}
    given: list[tuple[int, int]] = []
    for first, second in sorted(precede, key=str):
        if isinstance(first, int) and isinstance(second, int):
            given.append((first, second))
        else:  # an added call stands where it is needed, as if what comes after it read from it
            sources.setdefault(second, []).append(first)
    order = sorted(kept) if not moved else _sorted_by_flow(kept, moved, sources, given)
    result: list[CallId] = []
    placed: set[CallId] = set(kept)

    def place(call: CallId) -> None:
        for source in sources.get(call, ()):
            if source not in placed:
                placed.add(source)
                place(source)
                result.append(source)

    for call in order:
        place(call)
        result.append(call)
    for call in reads:
        if call not in placed and not isinstance(call, int):
            placed.add(call)
            place(call)
            result.append(call)
    return result


def _sorted_by_flow(
    kept: Collection[int],
    moved: Collection[int],
    reads: Mapping[CallId, Collection[CallId]],
    precede: Collection[tuple[int, int]],
) -> list[CallId]:
    before: dict[int, set[int]] = {call: _given_sources(call, reads) & set(kept) for call in kept}
    unmoved = [call for call in sorted(kept) if call not in moved]
    for first, second in (*pairwise(unmoved), *precede):
        if first in before and second in before:
            before[second].add(first)
    ready: list[int] = []
    for call, sources in before.items():
        if not sources:
            heappush(ready, call)
    order: list[CallId] = []
    while ready:
        call = heappop(ready)
        order.append(call)
        for other, sources in before.items():
            if call in sources:
                sources.discard(call)
                if not sources:
                    heappush(ready, other)
    return order


def _given_sources(call: CallId, reads: Mapping[CallId, Collection[CallId]]) -> set[int]:
    """Return the given calls that a call reads from, also through added ones."""
    found: set[int] = set()
    for source in reads.get(call, ()):
        found |= {source} if isinstance(source, int) else _given_sources(source, reads)
    return found


class Repaired:
    """
    The given sequence with the choices of one answer set in it.

    Attributes:
        order: given calls, by their numbers, and added ones as they stand in the repaired sequence.
        labels: the label of each of them.
        spelling: how most references of the sequence are written, and so those that replace none.
        asks: the name of each value that is asked, by call, parameter and number of the reference.
    """

    def __init__(self, evidence: Evidence, choices: Choices, weights: Mapping[str, int]) -> None:
        """Work out flow, order, labels and names of asks; `weights` are those of the cost model."""
        self.evidence = evidence
        self.instance = evidence.instance
        self.given = self.instance.sequence
        self.choices = choices
        self.weights = weights
        self.filled: dict[CallId, dict[str, tuple[Origin, str]]] = {}
        for (owner, parameter), value in choices.filled.items():
            self.filled.setdefault(owner, {})[parameter] = value
        spelt = Counter(r.spelling for r in self.instance.references.values() if not r.bare)
        self.spelling: Spelling = spelt.most_common(1)[0][0] if spelt else "dollars"
        self.outside: dict[CallId, dict[str, None]] = {}
        self.reads = self._flow()
        kept = [number for number in range(len(self.given.calls)) if number not in choices.deleted]
        self.order = self._spread(arrange(kept, choices.moved, self.reads, choices.precede))
        self.labels = self._labels()
        self._touched = self._touched_calls()
        self.asks: dict[tuple[CallId, str, int], str] = {}
        self._name_asks()

    # -- who reads from whom ---------------------------------------------------

    def reference_origin(self, call: int, parameter: str, number: int) -> Origin | None:
        """Return where a given reference reads from now; None when nothing is known of it."""
        place = (call, parameter, number)
        if place in self.choices.mended:
            return self.choices.mended[place][0]
        label = self.instance.references[place].label
        if place in self.instance.lost or (
            place in self.instance.recalled and not self._is_held(place)
        ):
            for bearer, given in self.choices.relabelled.items():
                if given == label:
                    return bearer
            if label in self.choices.made:
                return self.choices.made[label]
        producer = self.instance.producers.get(place)
        if producer is not None:
            return producer if producer not in self.choices.deleted else None
        return FromMemory(label) if place in self.instance.recalled else None

    def _stands(self, call: int, parameter: str, number: int) -> bool:
        """Whether a given reference is still part of the sequence."""
        choices, argument = self.choices, (call, parameter)
        if argument in choices.dropped or call in choices.deleted:
            return False
        if number and (call, parameter, 0) in choices.mended:
            return False
        form = choices.recast.get(argument)
        left = form is not None and fact("in_form_without", call, parameter, form, number)
        return left not in self.evidence.facts

    def _is_held(self, place: tuple[int, str, int]) -> bool:
        reference = self.instance.references[place]
        return place in self.instance.recalled and self.instance.memory.holds(
            reference.label, reference.path
        )

    def _flow(self) -> dict[CallId, list[CallId]]:
        """
        Return for each call the calls that it reads from.

        Memory and executed calls have no place in the order; under which labels they are read is noted.
        """
        flow: dict[CallId, dict[CallId, None]] = {new: {} for new in self.choices.made.values()}
        flow |= {call: {} for call in self.choices.tools if isinstance(call, Aim)}

        def feed(reader: CallId, source: Origin | None) -> None:
            if isinstance(source, New | Own | Inner):
                flow.setdefault(source, {})
            if isinstance(source, New | Own | Inner) or (isinstance(source, int) and source >= 0):
                flow.setdefault(reader, {})[source] = None
            elif isinstance(source, FromMemory):
                self.outside.setdefault(reader, {})[source.label] = None
            elif isinstance(source, int):
                self.outside.setdefault(reader, {})[self.label_of(source)] = None

        for place in self.instance.references:
            is_bound = place in self.choices.mended or place not in self.evidence.unbound
            if is_bound and self._stands(*place):
                feed(place[0], self.reference_origin(*place))
        for call, parameter in self.choices.hoisted:
            feed(call, Inner(call, parameter))
        for (reader, _), (origin, _) in self.choices.filled.items():
            feed(reader, origin)
        return {call: list(sources) for call, sources in flow.items()}

    def _spread(self, order: list[CallId]) -> list[CallId]:
        """Return the order with the further calls of each one that is spread over a list after it."""
        if not self.choices.spread:
            return order
        counts = {
            call: len(self._elements(call, parameter)) for call, parameter in self.choices.spread
        }
        spread: list[CallId] = []
        for call in order:
            spread.append(call)
            if isinstance(call, int):
                spread.extend(Part(call, element) for element in range(1, counts.get(call, 1)))
        return spread

    def _elements(self, call: int, parameter: str) -> list[Source]:
        """Return the elements of the list that an argument is, as sources."""
        value = value_of(self.instance.call(call).arguments[parameter])
        return [source_of(element) for element in value]

    # -- labels ----------------------------------------------------------------

    def _labels(self) -> dict[CallId, str | None]:
        """Give every call its label; a new one where it has to be told apart."""
        used = {call.label for call in (*self.given.calls, *self.instance.history) if call.label}
        used |= set(self.instance.memory.values) | {
            r.label for r in self.instance.references.values()
        }
        used |= set(self.given.asks) | self.instance.texts
        labels: dict[CallId, str | None] = {}
        for call in self.order:
            if isinstance(call, int):
                labels[call] = self.choices.relabelled.get(call, self.given.calls[call].label)
            elif isinstance(call, New) and all(
                call.label != given.label for given in self.given.calls
            ):
                labels[call] = call.label
            else:
                labels[call] = None
        for call in self.order:
            if isinstance(call, Part) and labels[call.call] is not None:
                labels[call] = _fresh(used)
        read = {source for sources in self.reads.values() for source in sources}
        for call in self.order:
            if call in read and labels[call] is None:
                labels[call] = _fresh(used)
        for clash in self._clashes(labels):
            labels[clash] = _fresh(used)
        return labels

    def _clashes(self, labels: Mapping[CallId, str | None]) -> list[CallId]:
        """
        Return the calls whose label would mean another one to a reader: another call to one of their own, or
        the call to one of memory, or of what was executed.
        """
        clashes: dict[CallId, None] = {}
        bearers: dict[str, CallId] = {}
        returning: list[CallId] = [len(self.given.calls)] if self.instance.is_returning else []
        for call in [*self.order, *returning]:
            reader = call.call if isinstance(call, Part) else call
            for source in self.reads.get(reader, ()):
                label = labels[source]
                if label is not None and bearers.get(label) != source:
                    clashes[source] = None
            for label in self.outside.get(reader, ()):
                if label in bearers:
                    clashes[bearers[label]] = None
            own = labels.get(call)
            if own is not None:
                bearers[own] = call
        return list(clashes)

    def label_of(self, call: CallId) -> str:
        """Return the label of a call that is read."""
        if isinstance(call, int) and call < 0:
            return self.instance.call(call).label or ""
        return self.labels[call] or ""

    # -- arguments -------------------------------------------------------------

    def source_of(
        self, origin: Origin, path: str, call: CallId, parameter: str, number: int = 0
    ) -> Source:
        """Return the source that an origin and a path stand for."""
        replaced = (
            self.instance.references.get((call, parameter, number))
            if isinstance(call, int)
            else None
        )
        spelling = self.spelling if replaced is None or replaced.bare else replaced.spelling
        if isinstance(origin, FromMemory):
            return Reference(label=origin.label, path=parse_path(path), spelling=spelling)
        if isinstance(origin, FromConstant):
            return self.evidence.constants[origin.number]
        if isinstance(origin, FromGoal):
            return self.instance.goals[origin.number].arguments[parameter]
        if origin == "ask":
            return Ask(name=self.asks[call, parameter, number])
        if origin == "default":
            return Constant(value=self._default(call, parameter))
        label = self.label_of(origin)  # type: ignore[arg-type]
        return Reference(label=label, path=parse_path(path), spelling=spelling)

    def tool_of(self, call: CallId) -> str:
        """Return the tool of a call in the repaired sequence."""
        if isinstance(call, Inner):
            return self.instance.inner[call.call, call.parameter].name
        if isinstance(call, Part):
            call = call.call
        if isinstance(call, int):
            return self.choices.tools.get(call, self.instance.call(call).name)
        return self.choices.tools[call]

    def _default(self, call: CallId, parameter: str) -> object:
        tool = self.instance.index.get(self.tool_of(call))
        return (
            self.instance.index.known_value(tool.name, parameter)[0] if tool is not None else None
        )

    def _name_asks(self) -> None:
        """Name what is asked after its parameter, and after the label too where two would collide."""
        wanted: list[tuple[CallId, str, int, str]] = []
        mended: dict[CallId, list[tuple[int, str, int]]] = {}
        for place, (origin, _) in self.choices.mended.items():
            if origin == "ask":
                mended.setdefault(place[0], []).append(place)
        for call in [*self.order, len(self.given.calls)]:
            for parameter, (origin, _) in self.filled.get(call, {}).items():
                if origin == "ask":
                    wanted.append((call, parameter, 0, parameter))
            for number, parameter, slot in mended.get(call, ()):
                name = self.choices.renamed.get((number, parameter), parameter)
                wanted.append(
                    (call, parameter, slot, self._ask_name(number, parameter, slot, name))
                )
        taken = set(self.given.asks) | set(self.instance.memory.values) | self.instance.texts
        taken |= {label for label in self.labels.values() if label}
        left = {  # what an unresolved call refers to is no ask
            reference.label
            for place, reference in self.instance.references.items()
            if place[0] in self.choices.unresolved
        }
        asked = self.instance.variables - left
        taken |= {r.label for r in self.instance.references.values()} - asked
        names = [name for *_, name in wanted]
        for call, parameter, slot, wish in wanted:
            if wish in asked:  # one variable is asked once, whoever reads it
                self.asks[call, parameter, slot] = wish
                continue
            name = _identifier(wish)
            label = self.labels.get(call)
            if label and (names.count(wish) > 1 or name in taken):
                name = f"{name}_{label}"
            self.asks[call, parameter, slot] = _unused(name, taken)

    def _ask_name(self, call: int, parameter: str, slot: int, name: str) -> str:
        """Return what an ask is named after: its parameter, its variable, or the made-up field."""
        place = (call, parameter, slot)
        reference = self.instance.references.get(place)
        if reference is None:  # a value that does not fit
            return name
        if place in self.instance.lost and reference.label in self.instance.variables:
            return reference.label
        fields = [step for step in reference.path if isinstance(step, str)]
        return fields[-1] if fields and self.weights.get("ask_named_after_field") else name

    def arguments_of(self, call: int, element: int = 0) -> dict[str, Source]:
        """
        Return the arguments of a given call as they are now, in their order.

        Of one that is spread over a list `element` says which of its calls is meant.
        """
        choices = self.choices
        arguments: dict[str, Source] = {}
        for parameter, source in self.instance.call(call).arguments.items():
            if (call, parameter) in choices.dropped | choices.left_out:
                continue
            replacements: dict[int, Source] = {}
            for number in self.numbers(call, parameter):
                new = self._reference_now(call, parameter, number)
                if new is not None:
                    replacements[max(number, 1)] = new
            now = source
            if (call, parameter, 0) in choices.mended and source.kind != "reference":
                now = self.source_of(*choices.mended[call, parameter, 0], call, parameter)
            elif (call, parameter) in choices.hoisted:
                inner = self.label_of(Inner(call, parameter))
                now = Reference(label=inner, path=parse_path(choices.hoisted[call, parameter]))
            elif (call, parameter) in choices.spread:
                now = self._elements(call, parameter)[element]
            elif (call, parameter) in choices.recast:
                number = choices.recast[call, parameter]
                now = source_of(self.evidence.forms[call, parameter, number].value)
            if replacements and now is not source:  # a form may leave out some of its references
                numbers = {id(slot): number for number, slot in enumerate(slots_of(source), 1)}
                kept = enumerate((numbers.get(id(slot)) for slot in slots_of(now)), 1)
                replacements = {
                    place: replacements[old] for place, old in kept if old in replacements
                }
            if replacements:
                now = replace_reference(now, replacements)[0]
            arguments[choices.renamed.get((call, parameter), parameter)] = now
        filled = {
            parameter: self.source_of(origin, path, call, parameter)
            for parameter, (origin, path) in self.filled.get(call, {}).items()
        }
        return self._in_order(call, arguments, filled) if filled else arguments

    def numbers(self, call: int, parameter: str) -> Iterable[int]:
        """Return the numbers of the references in a given argument: 0 the whole value, 1.. inside."""
        source = self.instance.call(call).arguments[parameter]
        if isinstance(source, Reference):
            return (0,)
        return range(1, 1 + sum(1 for _ in slots_of(source)))

    def _reference_now(self, call: int, parameter: str, number: int) -> Source | None:
        """Return what a reference has become, or None when it stays as it is."""
        place = (call, parameter, number)
        if place not in self.instance.references:
            return None
        if place in self.choices.mended:
            origin, path = self.choices.mended[place]
            return self.source_of(origin, path, call, parameter, number)
        origin_now = self.reference_origin(*place)
        reference = self.instance.references[place]
        if isinstance(origin_now, int | New | Own):
            label = self.label_of(origin_now)
            if label != reference.label:
                return Reference(label=label, path=reference.path, spelling=reference.spelling)
        return None

    def _in_order(
        self, call: int, arguments: dict[str, Source], filled: dict[str, Source]
    ) -> dict[str, Source]:
        """Insert filled arguments where the tool declares them; the others keep their order."""
        tool = self.instance.index.get(self.tool_of(call))
        rank = {name: position for position, name in enumerate(tool.parameters)} if tool else {}
        names = list(arguments)
        for name in sorted(filled, key=lambda each: rank.get(each, len(rank))):
            later = (
                i
                for i, other in enumerate(names)
                if rank.get(other, -1) > rank.get(name, len(rank))
            )
            names.insert(next(later, len(names)), name)
        return {name: arguments[name] if name in arguments else filled[name] for name in names}

    def _touched_calls(self) -> set[CallId]:
        """Return the given calls in which something is chosen, or whose label or what they read changed."""
        choices = self.choices
        touched: set[CallId] = {*choices.tools, *self.filled}
        for places in (
            choices.renamed,
            choices.dropped,
            choices.recast,
            choices.spread,
            choices.hoisted,
        ):
            touched |= {call for call, _ in places}
        touched |= {call for call, _ in choices.left_out} | {call for call, _, _ in choices.mended}
        moved = {
            call
            for call, label in self.labels.items()
            if not isinstance(call, int) or label != self.given.calls[call].label
        }
        touched |= moved | {call for call, _, _ in (*self.instance.lost, *self.instance.recalled)}
        return touched | {
            reader for reader, sources in self.reads.items() if not moved.isdisjoint(sources)
        }

    def call_of(self, call: CallId) -> Call:
        """Return a call of the repaired sequence, without confirms."""
        if (
            isinstance(call, int)
            and call not in self._touched
            and not self.given.calls[call].confirms
        ):
            return self.given.calls[call]
        if isinstance(call, int):
            update = {"name": self.tool_of(call), "arguments": self.arguments_of(call)}
            given = self.instance.call(call)
            return given.model_copy(update={**update, "label": self.labels[call], "confirms": ()})
        if isinstance(call, Inner):
            arguments = self.instance.inner[call.call, call.parameter].arguments
        elif isinstance(call, Part):
            arguments = self.arguments_of(call.call, call.element)
        else:
            tool = self.instance.index.tools[self.tool_of(call)]
            arguments = {
                parameter: self.source_of(*self.choices.filled[call, parameter], call, parameter)
                for parameter in tool.parameters
                if (call, parameter) in self.choices.filled
            }
        return Call(name=self.tool_of(call), arguments=arguments, label=self.labels[call])


def _fresh(used: set[str]) -> str:
    number = 1
    while f"var{number}" in used:
        number += 1
    used.add(f"var{number}")
    return f"var{number}"


def _unused(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free = f"{name}_{number}"
        number += 1
    taken.add(free)
    return free


def _identifier(name: str) -> str:
    """Return a name as the printed form can write it: a letter or `_`, then word characters or dashes."""
    clean = re.sub(r"[^\w-]", "_", name[:80])
    return clean if re.match(r"[^\W\d]", clean) else f"_{clean}"
