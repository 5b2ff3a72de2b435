"""Turns the choices of an answer set into a repaired sequence, its edits, asks and confirms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from refract_asp.model import (
    Ask,
    AskFor,
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmFor,
    ConfirmTool,
    Constant,
    Edit,
    Reference,
    Sequence,
    Source,
)
from refract_asp.model.edits import (
    AddCall,
    AddLabel,
    DeleteCall,
    DropArgument,
    Fill,
    MoveCall,
    Pattern,
    Rebind,
    RenameLabel,
    RenameParameter,
    RenameTool,
)
from refract_asp.model.paths import parse_path
from refract_asp.model.sources import replace_reference, slots_of
from refract_asp.rules.choices import CallId, Choices, FromConstant, FromMemory, New, Origin, Own, Where
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.ordering import arrange

__all__ = ["Decoded", "decode"]

RISKS = {
    "by_fit": "the tool was chosen because it fits, not because of its name",
    "across_effects": "the tool changes something, and the name may have meant one that does not",
    "not_read_only": "the added call may change something",
    "not_demanded": "no reference demands the added call",
    "dropped": "an argument is left out of a call that may change something",
    "weak_evidence": "nothing but likeness says that the value belongs here",
    "ambiguous": "another repair costs the same",
    "new": "this is newly introduced",
    "given": "it was open in the given sequence",
}
"""What each reason of the rules means to a reader."""

_MEANING_OF_KIND: dict[str, tuple[str, ...]] = {
    "rename_tool": ("rename_tool", "tool_distance"),
    "rename_label": ("rename_label",),
    "add_label": ("add_label",),
    "rename_parameter": ("rename_parameter", "parameter_distance"),
    "drop_argument": ("drop_undeclared", "drop_declared"),
    "fill": ("fill", "ask", "fit_distance", "guess", "unsure_mapping", "same_twice", "busy"),
    "rebind": (
        "repoint", "repath", "ask", "path_distance", "fit_distance", "unsure_mapping", "same_twice", "busy",
    ),
    "add_call": (
        "add_call", "add_own_call", "ask_added", "ask_own", "fill_added", "reuse_constant", "fit_distance", "guess",
        "unsure_mapping", "same_twice", "busy",
    ),
    "delete_call": ("delete_call",),
    "move_call": ("move_call",),
}  # fmt: skip


@dataclass(slots=True)
class Decoded:
    """A repaired sequence and how it came about; `order` tells which call each one is."""

    sequence: Sequence
    order: list[CallId]
    edits: list[Edit] = field(default_factory=list)
    asks: list[AskFor] = field(default_factory=list)
    confirms: list[ConfirmFor] = field(default_factory=list)

    @property
    def origins(self) -> tuple[int | None, ...]:
        """For each call the number of the given one, None for an added one."""
        return tuple(call if isinstance(call, int) else None for call in self.order)


class _Decoder:
    """Builds one repaired sequence; a class because its steps share much."""

    def __init__(self, evidence: Evidence, choices: Choices, weights: Mapping[str, int]) -> None:
        self.evidence = evidence
        self.instance = evidence.instance
        self.given = self.instance.sequence
        self.choices = choices
        self.weights = weights
        self.reads = self._flow()
        kept = [number for number in range(len(self.given.calls)) if number not in choices.deleted]
        self.order = arrange(kept, choices.moved, self.reads)
        self.labels = self._labels()
        self.asks: dict[tuple[CallId, str, int], str] = {}

    # -- who reads from whom ---------------------------------------------------

    def reference_origin(self, call: int, parameter: str, number: int) -> Origin | None:
        """Return where a given reference reads from now; None when nothing is known of it."""
        place = (call, parameter, number)
        if place in self.choices.mended:
            return self.choices.mended[place][0]
        label = self.instance.references[place].label
        if place in self.instance.lost or (place in self.instance.recalled and label in self.choices.made):
            for bearer, given in self.choices.relabelled.items():
                if given == label:
                    return bearer
            if label in self.choices.made and not self._is_held(place):
                return self.choices.made[label]
        if place in self.instance.producers:
            return self.instance.producers[place]
        return FromMemory(label) if place in self.instance.recalled else None

    def _is_held(self, place: tuple[int, str, int]) -> bool:
        reference = self.instance.references[place]
        return place in self.instance.recalled and self.instance.memory.holds(reference.label, reference.path)

    def _flow(self) -> dict[CallId, list[CallId]]:
        flow: dict[CallId, dict[CallId, None]] = {}
        for call, parameter, number in self.instance.references:
            if (call, parameter) not in self.choices.dropped:
                origin = self.reference_origin(call, parameter, number)
                if isinstance(origin, int | New | Own):
                    flow.setdefault(call, {})[origin] = None
        for new in self.choices.made.values():
            flow.setdefault(new, {})
        for (call, _), (origin, _) in self.choices.filled.items():
            if isinstance(origin, int | New | Own):
                flow.setdefault(call, {})[origin] = None
                if not isinstance(origin, int):
                    flow.setdefault(origin, {})
        return {call: list(sources) for call, sources in flow.items()}

    # -- labels ----------------------------------------------------------------

    def _labels(self) -> dict[CallId, str | None]:
        """Give every call its label; a new one where it has to be told apart."""
        used = {call.label for call in (*self.given.calls, *self.instance.history) if call.label}
        used |= set(self.instance.memory.values) | {r.label for r in self.instance.references.values()}
        used |= set(self.given.asks)
        labels: dict[CallId, str | None] = {}
        for call in self.order:
            if isinstance(call, int):
                labels[call] = self.choices.relabelled.get(call, self.given.calls[call].label)
            elif isinstance(call, New) and not self._shadows(call.label):
                labels[call] = call.label
            else:
                labels[call] = None
        read = {source for sources in self.reads.values() for source in sources}
        for call in self.order:
            if call in read and labels[call] is None:
                labels[call] = _fresh(used)
        for clash in self._clashes(labels):
            labels[clash] = _fresh(used)
        return labels

    def _shadows(self, label: str) -> bool:
        """Whether a new call under this label would hide what memory still gives to somebody."""
        return any(
            reference.label == label and self._is_held(place)
            for place, reference in self.instance.references.items()
        )

    def _clashes(self, labels: Mapping[CallId, str | None]) -> list[CallId]:
        """Return the calls whose label would mean another call to one of their readers."""
        clashes: dict[CallId, None] = {}
        bearers: dict[str, CallId] = {}
        returning: list[CallId] = [len(self.given.calls)] if self.instance.is_returning else []
        for reader in [*self.order, *returning]:
            for source in self.reads.get(reader, ()):
                if isinstance(source, int) and source < 0:
                    continue
                label = labels[source]
                if label is not None and bearers.get(label) != source:
                    clashes[source] = None
            own = labels.get(reader)
            if own is not None:
                bearers[own] = reader
        return list(clashes)

    def label_of(self, call: CallId) -> str:
        """Return the label of a call that is read."""
        if isinstance(call, int) and call < 0:
            return self.instance.call(call).label or ""
        return self.labels[call] or ""

    # -- arguments -------------------------------------------------------------

    def source_of(self, origin: Origin, path: str, call: CallId, parameter: str, number: int = 0) -> Source:
        """Return the source that an origin and a path stand for."""
        if isinstance(origin, FromMemory):
            return Reference(label=origin.label, path=parse_path(path))
        if isinstance(origin, FromConstant):
            return self.evidence.constants[origin.number]
        if origin == "ask":
            return Ask(name=self.asks[call, parameter, number])
        if origin == "default":
            return Constant(value=self._default(call, parameter))
        return Reference(label=self.label_of(origin), path=parse_path(path))  # type: ignore[arg-type]

    def tool_of(self, call: CallId) -> str:
        """Return the tool of a call in the repaired sequence."""
        if isinstance(call, int):
            return self.choices.tools.get(call, self.instance.call(call).name)
        return self.choices.tools[call]

    def _default(self, call: CallId, parameter: str) -> object:
        tool = self.instance.index.get(self.tool_of(call))
        schema = tool.parameters[parameter].json_schema if tool is not None else {}
        for key in ("const", "default"):
            if key in schema:
                return schema[key]
        return schema["enum"][0]

    def name_asks(self) -> None:
        """Name what is asked after its parameter, and after the label too where two would collide."""
        wanted: list[tuple[CallId, str, int, str]] = []
        for call in [*self.order, len(self.given.calls)]:
            for (owner, parameter), (origin, _) in self.choices.filled.items():
                if owner == call and origin == "ask":
                    wanted.append((call, parameter, 0, parameter))
            for (number, parameter, slot), (origin, _) in self.choices.mended.items():
                if number == call and origin == "ask":
                    name = self.choices.renamed.get((number, parameter), parameter)
                    wanted.append((call, parameter, slot, self._ask_name(number, parameter, slot, name)))
        taken = set(self.given.asks) | set(self.instance.memory.values)
        taken |= {label for label in self.labels.values() if label}
        taken |= {r.label for r in self.instance.references.values()} - self.instance.variables
        names = [name for *_, name in wanted]
        for call, parameter, slot, name in wanted:
            if name in self.instance.variables:  # one variable is asked once, whoever reads it
                self.asks[call, parameter, slot] = name
                continue
            name = _identifier(name)
            if names.count(name) > 1 or name in taken:
                label = self.labels.get(call)
                name = f"{name}_{label}" if label else name
            self.asks[call, parameter, slot] = _unused(name, taken)

    def _ask_name(self, call: int, parameter: str, slot: int, name: str) -> str:
        """Return what an ask is named after: its parameter, its variable, or the made-up field."""
        reference = self.instance.references[call, parameter, slot]
        place = (call, parameter, slot)
        if place in self.instance.lost and reference.label in self.instance.variables:
            return reference.label
        fields = [step for step in reference.path if isinstance(step, str)]
        return fields[-1] if fields and self.weights.get("ask_named_after_field") else name

    def arguments_of(self, call: int) -> dict[str, Source]:
        """Return the arguments of a given call as they are now, in their order."""
        choices = self.choices
        arguments: dict[str, Source] = {}
        for parameter, source in self.instance.call(call).arguments.items():
            if (call, parameter) in choices.dropped:
                continue
            replacements: dict[int, Source] = {}
            for number in self._numbers(call, parameter):
                new = self._reference_now(call, parameter, number)
                if new is not None:
                    replacements[max(number, 1)] = new
            if replacements:
                source = replace_reference(source, replacements)[0]
            arguments[choices.renamed.get((call, parameter), parameter)] = source
        filled = {
            parameter: self.source_of(origin, path, call, parameter)
            for (owner, parameter), (origin, path) in choices.filled.items()
            if owner == call
        }
        return self._in_order(call, arguments, filled) if filled else arguments

    def _numbers(self, call: int, parameter: str) -> Iterable[int]:
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
                return Reference(label=label, path=reference.path)
        return None

    def _in_order(
        self, call: int, arguments: dict[str, Source], filled: dict[str, Source]
    ) -> dict[str, Source]:
        """Insert filled arguments where the tool declares them; the others keep their order."""
        tool = self.instance.index.get(self.tool_of(call))
        rank = {name: position for position, name in enumerate(tool.parameters)} if tool else {}
        names = list(arguments)
        for name in sorted(filled, key=lambda each: rank.get(each, len(rank))):
            later = (i for i, other in enumerate(names) if rank.get(other, -1) > rank.get(name, len(rank)))
            names.insert(next(later, len(names)), name)
        return {name: arguments[name] if name in arguments else filled[name] for name in names}

    # -- the whole -------------------------------------------------------------

    def call_of(self, call: CallId) -> Call:
        """Return a call of the repaired sequence, without confirms."""
        if isinstance(call, int):
            arguments = self.arguments_of(call)
        else:
            tool = self.instance.index.tools[self.tool_of(call)]
            arguments = {
                parameter: self.source_of(*self.choices.filled[call, parameter], call, parameter)
                for parameter in tool.parameters
                if (call, parameter) in self.choices.filled
            }
        return Call(name=self.tool_of(call), arguments=arguments, label=self.labels[call])

    def decode(self) -> Decoded:
        """Build the repaired sequence."""
        self.name_asks()
        calls: list[Call] = []
        confirms: list[ConfirmFor] = []
        built: dict[CallId, Call] = {}
        for position, number in enumerate(self.order):
            call = built[number] = self.call_of(number)
            kept = self.given.calls[number].confirms if isinstance(number, int) else ()
            found = [(c, reason) for c, reason in self._confirms(number) if c not in kept]
            found = [*((c, RISKS["given"]) for c in kept), *found]
            confirms += [ConfirmFor(call=position, confirm=c, reason=reason) for c, reason in found]
            every = tuple(c for c, _ in found)
            calls.append(call.model_copy(update={"confirms": every}) if every else call)
        returns = self.given.returns
        if returns:
            returns = self.arguments_of(len(self.given.calls))
        asks = [*self.given.asks, *dict.fromkeys(name for name in self.asks.values() if name not in self.given.asks)]
        sequence = Sequence(calls=tuple(calls), asks=tuple(asks), returns=returns, format=self.given.format)
        return Decoded(
            sequence=sequence,
            order=self.order,
            edits=self._edits(built),
            asks=self._asked(),
            confirms=confirms,
        )

    def _asked(self) -> list[AskFor]:
        position = {number: index for index, number in enumerate(self.order)}
        asked = [AskFor(name=name) for name in self.given.asks]
        for (call, parameter, _), name in self.asks.items():
            tool = self.instance.index.get(self.tool_of(call)) if call in position else None
            target = self.choices.renamed.get((call, parameter), parameter) if isinstance(call, int) else parameter
            declared = tool.parameters.get(target) if tool else None
            asked.append(
                AskFor(
                    name=name,
                    call=position.get(call),
                    parameter=target,
                    description=declared.description if declared else "",
                )
            )
        return asked

    def _confirms(self, call: CallId) -> list[tuple[Confirm, str]]:
        found: list[tuple[Confirm, str]] = []
        for where in sorted(self.choices.confirms, key=str):
            kind, owner, parameter, _ = where
            if owner != call:
                continue
            reason = RISKS[self.choices.risky.get(where, "new")]
            confirm: Confirm
            if kind == "call" or parameter is None:
                confirm = ConfirmTool()
            elif isinstance(call, int) and (call, parameter) in self.choices.dropped:
                confirm = ConfirmDrop(parameter=parameter)
            else:
                if isinstance(call, int):
                    parameter = self.choices.renamed.get((call, parameter), parameter)
                confirm = ConfirmArgument(parameter=parameter)
            found.append((confirm, reason))
        return found

    # -- edits -----------------------------------------------------------------

    def _edits(self, built: Mapping[CallId, Call]) -> list[Edit]:
        costs: dict[object, list[tuple[str, int]]] = {}
        for penalty in self.choices.penalties:
            weight = self.weights.get(penalty.kind, 0) * penalty.units
            costs.setdefault(penalty.place, []).append((penalty.kind, weight))
        self._costs = costs
        edits: list[Edit] = []
        for number in self.order:
            if isinstance(number, int):
                edits += self._call_edits(number, built[number])
            else:
                call = built[number]
                places: list[Where] = [("call", number, None, None)]
                places += [("argument", number, parameter, None) for parameter in call.arguments]
                risky = next((self._risk(place) for place in places if self._risk(place)), None)
                edits.append(
                    AddCall(
                        label=call.label,
                        pattern="new_call",
                        cost=self._cost("add_call", *places),
                        risky=risky,
                        added=call,
                    )
                )
        edits += self._argument_edits(len(self.given.calls), None)
        for number in sorted(self.choices.deleted):
            call = self.given.calls[number]
            cost = self._cost("delete_call", ("call", number, None, None))
            edits.append(DeleteCall(call=number, label=call.label, cost=cost, before=call))
        return edits

    def _cost(self, kind: str, *places: Where) -> dict[str, int]:
        cost: dict[str, int] = {}
        for place in places:
            for name, weight in self._costs.get(place, ()):
                if name in _MEANING_OF_KIND[kind]:
                    cost[name] = cost.get(name, 0) + weight
        return cost

    def _risk(self, *places: Where) -> str | None:
        for place in places:
            if place in self.choices.risky:
                return RISKS[self.choices.risky[place]]
        return None

    def _call_edits(self, number: int, call: Call) -> list[Edit]:
        given = self.given.calls[number]
        place: Where = ("call", number, None, None)
        edits: list[Edit] = []
        if number in self.choices.moved:
            after = self.order.index(number)
            cost = self._cost("move_call", place)
            edits.append(MoveCall(call=number, label=call.label, cost=cost, before=number, after=after))
        if call.name != given.name:
            edits.append(
                RenameTool(
                    call=number,
                    label=call.label,
                    cost=self._cost("rename_tool", place),
                    risky=self._risk(place),
                    before=given.name,
                    after=call.name,
                )
            )
        if call.label is not None and given.label is None:
            cost = self._cost("add_label", place)
            edits.append(AddLabel(call=number, label=call.label, cost=cost, after=call.label))
        elif call.label is not None and given.label is not None and call.label != given.label:
            cost = self._cost("rename_label", place)
            edits.append(
                RenameLabel(call=number, label=call.label, cost=cost, before=given.label, after=call.label)
            )
        return edits + self._argument_edits(number, call.label)

    def _new_origin(self, number: int, parameter: str) -> Origin:
        """Return the first call from which an argument reads under another label than before."""
        for slot in self._numbers(number, parameter):
            if (number, parameter, slot) in self.instance.references:
                origin = self.reference_origin(number, parameter, slot)
                if origin is not None and not isinstance(origin, FromMemory):
                    return origin
        return "default"

    def _argument_edits(self, number: int, label: str | None) -> list[Edit]:
        choices = self.choices
        edits: list[Edit] = []
        given = self.instance.call(number).arguments
        if number == len(self.given.calls) and not self.instance.is_returning:
            return []
        now = self.arguments_of(number)
        for parameter, source in given.items():
            place: Where = ("argument", number, parameter, None)
            if (number, parameter) in choices.dropped:
                edits.append(
                    DropArgument(
                        call=number,
                        label=label,
                        cost=self._cost("drop_argument", place),
                        risky=self._risk(place),
                        parameter=parameter,
                        before=source,
                    )
                )
                continue
            target = choices.renamed.get((number, parameter))
            if target is not None:
                edits.append(
                    RenameParameter(
                        call=number,
                        label=label,
                        cost=self._cost("rename_parameter", place),
                        risky=self._risk(place),
                        before=parameter,
                        after=target,
                    )
                )
            after = now[target or parameter]
            if after != source:
                slots = [n for n in self._numbers(number, parameter) if (number, parameter, n) in choices.mended]
                places: list[Where] = [("reference", number, parameter, n) for n in slots]
                origins: list[Origin] = [choices.mended[number, parameter, n][0] for n in slots]
                origins = origins or [self._new_origin(number, parameter)]
                edits.append(
                    Rebind(
                        call=number,
                        label=label,
                        pattern=_pattern(origins[0]),
                        cost=self._cost("rebind", place, *places),
                        risky=self._risk(place, *places),
                        parameter=target or parameter,
                        before=source,
                        after=after,
                    )
                )
        for parameter in now:
            if (number, parameter) in choices.filled:
                origin, _ = choices.filled[number, parameter]
                place = ("argument", number, parameter, None)
                mapped = any(
                    p.kind == "unsure_mapping" and p.place == place for p in choices.penalties
                )
                edits.append(
                    Fill(
                        call=number,
                        label=label,
                        pattern="mapping" if mapped else _pattern(origin),
                        cost=self._cost("fill", place),
                        risky=self._risk(place),
                        parameter=parameter,
                        after=now[parameter],
                    )
                )
        return edits


def _pattern(origin: Origin) -> Pattern:
    if isinstance(origin, FromMemory):
        return "memory"
    if isinstance(origin, FromConstant):
        return "constant"
    if isinstance(origin, New | Own):
        return "new_call"
    if origin == "ask":
        return "ask"
    return "default" if origin == "default" else "self_contained"


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


def decode(evidence: Evidence, choices: Choices, weights: Mapping[str, int]) -> Decoded:
    """
    Build the repaired sequence that an answer set stands for.

    Args:
        evidence: what was stated, with the instance it belongs to.
        choices: what the answer set chose.
        weights: weight of each criterion of the cost model.
    """
    return _Decoder(evidence, choices, weights).decode()
