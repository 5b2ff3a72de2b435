"""Makes the repaired sequence of what an answer set chose: who reads whom, in which order, under which labels."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, count, pairwise
from typing import Any

from refract_asp.errors import EncodingError, shown
from refract_asp.model import Ask, Call, Constant, Reference, Source
from refract_asp.model.paths import Spelling, fields_of, is_number, parse_path
from refract_asp.model.sequence import replace_reference, slots_at, slots_of
from refract_asp.rules.choices import (
    Aim,
    Built,
    CallId,
    Choices,
    FromConstant,
    FromGoal,
    FromMemory,
    Given,
    Inner,
    Joined,
    New,
    Origin,
    Own,
    Part,
    Scaled,
    Weights,
    Word,
)
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.instance import Place
from refract_asp.rules.schemas.dialects import source_of, value_of
from refract_asp.rules.schemas.recasting import OPEN
from refract_asp.rules.symbols import fact

# --- values that are built of what a call was given --------------------------------------------------


def built(origin: Built, arguments: Mapping[str, Source]) -> Any:
    """
    Return the value that a pattern builds of the arguments of a call.

    Raises:
        EncodingError: an argument is not there, is no constant, or has no such part.
    """
    if isinstance(origin, Joined):
        found = (p if isinstance(p, str) else built(p, arguments) for p in origin.parts)
        texts = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in found)
        return "".join(texts)
    source = arguments.get(origin.parameter)
    value = source.value if isinstance(source, Constant) else None
    words = value.split() if isinstance(value, str) else []
    match origin:
        case Given() if value is not None:
            return value
        case Word(_, int(number)) if 0 <= number < len(words):
            return words[number]
        case Scaled(_, int(factor), int(divisor)) if is_number(value) and divisor:
            whole, rest = divmod(value * factor, divisor)
            return value * factor / divisor if rest else whole
    what = f"a pattern takes {as_term(origin)} of what the call was given, which has no such part."
    hint = "Ask in_words(X, Param, Count), in_text(X, Param) or in_number(X, Param) before it is offered."
    raise EncodingError(what, hint=hint)


def as_term(origin: Built) -> str:
    """Return a part as it is written in rules."""
    fields = (json.dumps(getattr(origin, name), default=str) for name in origin.__slots__)
    return shown(f"{type(origin).__name__.lower()}({', '.join(fields)})")


# What a value may come from, besides given calls.
_ORIGINS = (New, Own, Part, Inner, Aim, FromMemory, FromConstant, FromGoal, Built)


# --- the sequence that they make ---------------------------------------------------------------------


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

    def given_sources(call: CallId) -> set[int]:  # also through added calls
        found: set[int] = set()
        for source in sources.get(call, ()):
            found |= {source} if isinstance(source, int) else given_sources(source)
        return found

    order = sorted(kept)
    if moved:
        before = {call: given_sources(call) & set(kept) for call in kept}
        unmoved = [call for call in order if call not in moved]
        for first, second in (*pairwise(unmoved), *given):
            if first in before and second in before:
                before[second].add(first)
        order = []
        while ready := [call for call, left in before.items() if left.isdisjoint(before)]:
            order.append(min(ready))
            del before[order[-1]]
    placed: set[CallId] = set(kept)
    result: list[CallId] = []

    def place(call: CallId) -> None:
        placed.add(call)
        for source in sources.get(call, ()):
            if source not in placed:
                place(source)
        result.append(call)

    for each in order:
        place(each)
    for added in reads:
        if added not in placed and not isinstance(added, int):
            place(added)
    return result


class Repaired:
    """
    The given sequence with the choices of one answer set in it.

    Attributes:
        order: given calls, by their numbers, and added ones as they stand in the repaired sequence.
        labels: the label of each of them.
        spelling: how most references of the sequence are written, and so those that replace none.
        asks: the name of each value that is asked for, by call, parameter and number of the reference.
        end: the number under which the returns count as a call.
    """

    def __init__(self, evidence: Evidence, choices: Choices, weights: Weights) -> None:
        """Work out flow, order, labels and names of asks; `weights` are those of the cost model."""
        self.evidence = evidence
        self.instance = evidence.instance
        self.given = self.instance.sequence
        self.choices = choices
        self.weights = weights
        self.end = len(self.given.calls)
        for origin, _ in (*choices.filled.values(), *choices.mended.values()):
            is_known = isinstance(origin, _ORIGINS) or origin in ("ask", "default")
            if isinstance(origin, int):
                is_known = -len(self.instance.history) <= origin < self.end
            if not is_known:
                raise EncodingError(
                    f"the rules offer {shown(origin)}, from which nothing can be had.",
                    hint="An origin is a call, memory(Label), ask, default, constant(Index), given(Param), "
                    "word(Param, N), scaled(Param, Factor, Divisor) or join((Part, Part)).",
                )
        self.filled: dict[CallId, dict[str, tuple[Origin, str]]] = defaultdict(dict)
        for (owner, parameter), value in choices.filled.items():
            self.filled[owner][parameter] = value
        spelt = Counter(r.spelling for r in self.instance.references.values() if not r.bare)
        self.spelling: Spelling = spelt.most_common(1)[0][0] if spelt else "dollars"
        self.outside: dict[CallId, dict[str, None]] = defaultdict(dict)
        kept = [number for number in range(self.end) if number not in choices.deleted]
        self.order: list[CallId] = []
        for call in arrange(kept, choices.moved, self.reads, choices.precede):
            self.order.append(call)
            for spread, parameter in choices.spread:  # its further calls stand after it
                if spread == call:
                    parts = range(1, len(self.elements(spread, parameter)))
                    self.order += [Part(spread, element) for element in parts]

    # -- who reads from whom ---------------------------------------------------

    def reference_origin(self, place: Place) -> Origin | None:
        """Return where a given reference reads from now; None when nothing is known of it."""
        instance, choices = self.instance, self.choices
        if place in choices.mended:
            return choices.mended[place][0]
        reference = instance.references[place]
        label, is_recalled = reference.label, place in instance.recalled
        is_held = is_recalled and instance.memory.holds(label, reference.path)
        if place in instance.lost or (is_recalled and not is_held):
            for bearer, given in choices.relabelled.items():
                if given == label:
                    return bearer
            if label in choices.made:
                return choices.made[label]
        producer = instance.producers.get(place)
        if producer is not None:
            return producer if producer not in choices.deleted else None
        return FromMemory(label) if is_recalled else None

    @cached_property
    def reads(self) -> dict[CallId, list[CallId]]:
        """
        Return for each call the calls that it reads from.

        Memory and executed calls have no place in the order; under which labels they are read is noted.
        """
        choices = self.choices
        flow: dict[CallId, dict[CallId, None]] = {new: {} for new in choices.made.values()}
        flow.update({call: {} for call in choices.tools if isinstance(call, Aim)})
        read: list[tuple[CallId, Origin | None]] = []
        places = filter(self._is_read, self.instance.references)
        read += [(place[0], self.reference_origin(place)) for place in places]
        read += [(call, Inner(call, parameter)) for call, parameter in choices.hoisted]
        read += [(reader, origin) for (reader, _), (origin, _) in choices.filled.items()]
        for reader, source in read:
            if isinstance(source, FromMemory):
                self.outside[reader][source.label] = None
            elif isinstance(source, int) and source < 0:
                self.outside[reader][self.label_of(source)] = None
            elif isinstance(source, int | New | Own | Inner):
                if not isinstance(source, int):
                    flow.setdefault(source, {})
                flow.setdefault(reader, {})[source] = None
        return {call: list(sources) for call, sources in flow.items()}

    def _is_read(self, place: Place) -> bool:
        """Whether a given reference is still there, and reads from something."""
        choices, (call, parameter, number) = self.choices, place
        if place not in choices.mended and place in self.evidence.unbound:
            return False
        if (call, parameter) in choices.dropped or call in choices.deleted:
            return False
        if number and (call, parameter, 0) in choices.mended:
            return False
        form = choices.recast.get((call, parameter), -1)
        return fact("in_form_without", call, parameter, form, number) not in self.evidence.facts

    def elements(self, call: int, parameter: str) -> list[Source]:
        """Return the elements of the list that an argument is, as sources."""
        return [source_of(each) for each in value_of(self.instance.call(call).arguments[parameter])]

    # -- labels ----------------------------------------------------------------

    @cached_property
    def labels(self) -> dict[CallId, str | None]:
        """Give every call its label; a new one where it has to be told apart."""
        instance, given = self.instance, {call.label for call in self.given.calls}
        used = {*given, *(call.label for call in instance.history), *instance.memory.values}
        used |= {reference.label for reference in instance.references.values()}
        used |= {*self.given.asks, *instance.texts}
        fresh = (label for number in count(1) if (label := f"var{number}") not in used)
        labels: dict[CallId, str | None] = dict.fromkeys(self.order)
        for call in self.order:
            if isinstance(call, int):
                labels[call] = self.choices.relabelled.get(call, self.given.calls[call].label)
            elif isinstance(call, New) and call.label not in given:
                labels[call] = call.label
        for call in self.order:
            if isinstance(call, Part) and labels[call.call] is not None:
                labels[call] = next(fresh)
        read = {source for sources in self.reads.values() for source in sources}
        for call in self.order:
            if call in read and labels[call] is None:
                labels[call] = next(fresh)
        return labels | {clash: next(fresh) for clash in dict.fromkeys(self._clashes(labels))}

    def _clashes(self, labels: Mapping[CallId, str | None]) -> Iterator[CallId]:
        """Yield the calls whose label would mean another call to a reader, memory, or what was executed."""
        bearers: dict[str | None, CallId] = {}
        for call in [*self.order, *([self.end] if self.instance.is_returning else [])]:
            reader = call.call if isinstance(call, Part) else call
            for source in self.reads.get(reader, ()):
                if labels[source] is not None and bearers.get(labels[source]) != source:
                    yield source
            yield from (bearers[each] for each in self.outside.get(reader, ()) if each in bearers)
            if (own := labels.get(call)) is not None:
                bearers[own] = call

    def label_of(self, call: CallId) -> str:
        """Return the label of a call that is read."""
        is_executed = isinstance(call, int) and call < 0
        label = self.instance.call(call).label if is_executed else self.labels[call]  # type: ignore[arg-type]
        return label or ""

    # -- arguments -------------------------------------------------------------

    def source_of(
        self, origin: Origin, path: str, call: CallId, parameter: str, number: int = 0
    ) -> Source:
        """Return the source that an origin and a path stand for."""
        if isinstance(origin, FromConstant):
            return self.evidence.constants[origin.number]
        if isinstance(origin, FromGoal):
            return self.instance.goals[origin.number].arguments[parameter]
        if isinstance(origin, Built):
            return Constant(value=built(origin, self.given.calls[call].arguments))  # type: ignore[index]
        if origin == "ask":
            return Ask(name=self.asks[call, parameter, number])
        if origin == "default":
            tool = self.instance.index.get(self.tool_of(call))
            known = self.instance.index.known_value(tool.name, parameter) if tool else (None,)
            return Constant(value=known[0])
        replaced = self.instance.references.get((call, parameter, number))  # type: ignore[arg-type]
        return Reference(
            label=origin.label if isinstance(origin, FromMemory) else self.label_of(origin),  # type: ignore[arg-type]
            path=parse_path(path),
            spelling=self.spelling if replaced is None or replaced.bare else replaced.spelling,
        )

    def tool_of(self, call: CallId) -> str:
        """Return the tool of a call in the repaired sequence."""
        if isinstance(call, Inner):
            return self.instance.inner[call.call, call.parameter].name
        call = call.call if isinstance(call, Part) else call
        if isinstance(call, int) and call not in self.choices.tools:
            return self.instance.call(call).name
        return self.choices.tools[call]

    @cached_property
    def asks(self) -> dict[tuple[CallId, str, int], str]:
        """Name what is asked for after its parameter, and after the label too where two would collide."""
        instance = self.instance
        wanted: dict[tuple[CallId, str, int], str] = {}
        for call in [*self.order, self.end]:
            wanted |= self._wishes(call)
        references = instance.references.items()
        # what an unresolved call refers to is no ask
        left = {each.label for place, each in references if place[0] in self.choices.unresolved}
        asked = instance.variables - left
        taken = {reference.label for _, reference in references} - asked
        taken.update(self.given.asks, instance.memory.values, instance.texts)
        taken.update(filter(None, self.labels.values()))
        wishes, names = Counter(wanted.values()), {}
        for key, wish in wanted.items():
            names[key] = wish
            if wish in asked:  # one variable is asked for once, whoever reads it
                continue
            name = re.sub(r"[^\w-]", "_", wish[:80])
            name = name if re.match(r"[^\W\d]", name) else f"_{name}"
            label = self.labels.get(key[0])
            if label and (wishes[wish] > 1 or name in taken):
                name = f"{name}_{label}"
            numbered = chain((name,), (f"{name}_{number}" for number in count(2)))
            names[key] = next(each for each in numbered if each not in taken)
            taken.add(names[key])
        return names

    def _wishes(self, call: CallId) -> dict[tuple[CallId, str, int], str]:
        """Return what is asked for in a call, and what each is named after: parameter, variable or field."""
        choices, filled = self.choices, self.filled.get(call, {}).items()
        wishes = {(call, name, 0): name for name, (origin, _) in filled if origin == "ask"}
        for place, (origin, _) in choices.mended.items():
            if place[0] == call and origin == "ask":
                reference = self.instance.references.get(place)  # none where a value does not fit
                wish = choices.renamed.get(place[:2], place[1])
                if reference is not None:
                    fields = fields_of(reference.path)
                    if self.instance.is_variable(place):
                        wish = reference.label
                    elif fields and self.evidence.options.asks_for_field:
                        wish = fields[-1]  # the made-up one
                wishes[place] = wish
        for at in choices.recast:
            slots = slots_at(self._form(*at)) if at[0] == call else ()
            for number, (slot, path) in enumerate(slots, 1):
                if slot is OPEN:
                    fields = fields_of(path) or [choices.renamed.get(at, at[1])]
                    wishes[*at, -number] = fields[-1]
        return wishes

    def arguments_of(self, call: int, element: int = 0) -> dict[str, Source]:
        """
        Return the arguments of a given call as they are now, in their order.

        Of one that is spread over a list `element` says which of its calls is meant.
        """
        choices = self.choices
        arguments: dict[str, Source] = {}
        for parameter, source in self.instance.call(call).arguments.items():
            if (call, parameter) in choices.dropped or (call, parameter) in choices.left_out:
                continue
            replacements = {
                max(number, 1): new
                for number in self.numbers(call, parameter)
                if (new := self._reference_now((call, parameter, number))) is not None
            }
            now = self._recast(call, parameter, source, element)
            if replacements and now is not source:  # a form may leave out some of its references
                numbers = {id(slot): number for number, slot in enumerate(slots_of(source), 1)}
                kept = enumerate((numbers.get(id(slot)) for slot in slots_of(now)), 1)
                replacements = {at: replacements[old] for at, old in kept if old in replacements}
            if replacements:
                now = replace_reference(now, replacements)[0]
            arguments[choices.renamed.get((call, parameter), parameter)] = now
        if not self.filled.get(call):
            return arguments
        # what is filled stands where the tool declares it; the others keep their order
        tool = self.instance.index.get(self.tool_of(call))
        rank = {name: position for position, name in enumerate(tool.parameters if tool else ())}
        names = list(arguments)
        for name in sorted(self.filled[call], key=lambda each: rank.get(each, len(rank))):
            place = rank.get(name, len(rank))
            later = (at for at, other in enumerate(names) if rank.get(other, -1) > place)
            names.insert(next(later, len(names)), name)
            arguments.setdefault(name, self.source_of(*self.filled[call][name], call, name))
        return {name: arguments[name] for name in names}

    def _recast(self, call: int, parameter: str, source: Source, element: int) -> Source:
        """Return an argument in the form that was chosen for it, its references as they were."""
        choices, place = self.choices, (call, parameter)
        if (call, parameter, 0) in choices.mended and source.kind != "reference":
            return self.source_of(*choices.mended[call, parameter, 0], call, parameter)
        if place in choices.hoisted:
            path = parse_path(choices.hoisted[place])
            return Reference(label=self.label_of(Inner(call, parameter)), path=path)
        if place in choices.spread:
            return self.elements(call, parameter)[element]
        if place in choices.recast:
            form = self._form(call, parameter)
            named: dict[int, Source] = {
                number: Ask(name=self.asks[call, parameter, -number])
                for number, slot in enumerate(slots_of(form), 1)
                if slot is OPEN
            }
            return replace_reference(form, named)[0] if named else form
        return source

    def _form(self, call: int, parameter: str) -> Source:
        """Return the form that was chosen for an argument; what is asked for in it has no name yet."""
        number = self.choices.recast[call, parameter]
        return source_of(self.evidence.forms[call, parameter, number].value)

    def numbers(self, call: int, parameter: str) -> Iterable[int]:
        """Return the numbers of the references in a given argument: 0 the whole value, 1.. inside."""
        source = self.instance.call(call).arguments[parameter]
        if isinstance(source, Reference):
            return (0,)
        return range(1, 1 + sum(1 for _ in slots_of(source)))

    def _reference_now(self, place: Place) -> Source | None:
        """Return what a reference has become, or None when it stays as it is."""
        reference = self.instance.references.get(place)
        if reference is None:
            return None
        if place in self.choices.mended:
            origin_now, path = self.choices.mended[place]
            return self.source_of(origin_now, path, *place)
        origin = self.reference_origin(place)
        label = self.label_of(origin) if isinstance(origin, int | New | Own) else reference.label
        if label != reference.label:
            return Reference(label=label, path=reference.path, spelling=reference.spelling)
        return None

    @cached_property
    def _touched(self) -> set[CallId]:
        """Return the given calls in which something is chosen, or whose label or what they read changed."""
        choices, instance = self.choices, self.instance
        given: dict[CallId, str | None] = dict(enumerate(call.label for call in self.given.calls))
        labels = self.labels.items()
        moved = {call for call, label in labels if call not in given or label != given[call]}
        places = (
            *choices.renamed, *choices.dropped, *choices.recast, *choices.spread, *choices.hoisted,
            *choices.left_out, *choices.mended, *instance.lost, *instance.recalled,
        )  # fmt: skip
        touched = moved.union(choices.tools, self.filled, (place[0] for place in places))
        readers = self.reads.items()
        return touched | {reader for reader, read in readers if not moved.isdisjoint(read)}  # type: ignore[return-value]

    def call_of(self, call: CallId) -> Call:
        """Return a call of the repaired sequence, without confirms."""
        if isinstance(call, int):
            given = self.given.calls[call]
            if self.instance.asked is not None and call in self.choices.unresolved:
                return self.instance.asked.calls[call].model_copy(update={"confirms": ()})
            if call not in self._touched and not given.confirms:
                return given
            update = {"name": self.tool_of(call), "arguments": self.arguments_of(call)}
            return given.model_copy(update={**update, "label": self.labels[call], "confirms": ()})
        if isinstance(call, Inner):
            arguments = self.instance.inner[call.call, call.parameter].arguments
        elif isinstance(call, Part):
            arguments = self.arguments_of(call.call, call.element)
        else:
            filled = self.filled.get(call, {})
            declared = self.instance.index.tools[self.tool_of(call)].parameters
            names = [name for name in declared if name in filled]
            arguments = {name: self.source_of(*filled[name], call, name) for name in names}
        return Call(name=self.tool_of(call), arguments=arguments, label=self.labels[call])
