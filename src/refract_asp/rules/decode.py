"""Turns the choices of an answer set into a repaired sequence, its edits, asks and confirms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from refract_asp.model import (
    Ask,
    AskFor,
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmFor,
    ConfirmTool,
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
    SplitCall,
    Step,
    Transform,
)
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sources import slot_paths, slots_of
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
    Where,
)
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import touches
from refract_asp.rules.repaired import Repaired
from refract_asp.rules.schemas.dialects import value_of
from refract_asp.rules.symbols import fact, text

__all__ = [
    "RISKS",
    "Decoded",
    "decode",
    "edits_of",
]


RISKS = {
    "by_fit": "the tool was chosen because it fits, not because of its name",
    "across_effects": "the name may have meant a tool that does something else: reads, changes or destroys",
    "destructive": "the call may destroy something",
    "contrary": "the tool undoes or excludes what the name says",
    "unlike": "the name was another one, and the call may change something",
    "unlike_words": "the name has a word that says something else than the tool",
    "unnamed": "no name says that the value belongs here",
    "malformed": "what was written is not a reference that can be read",
    "not_read_only": "the added call may change something",
    "not_demanded": "no reference demands the added call",
    "dropped": "an argument is left out of a call that may change something",
    "weak_evidence": "nothing but likeness says that the value belongs here",
    "repeated": "a call is left out that may change something each time",
    "ambiguous": "another repair costs the same",
    "new": "this is newly introduced",
    "given": "it was open in the given sequence",
}
"""What each reason of the rules means to a reader."""

_CRITERIA: dict[str, tuple[str, ...]] = {
    "rename_tool": ("rename_tool", "tool_distance"),
    "rename_label": ("rename_label",),
    "add_label": ("add_label",),
    "rename_parameter": ("rename_parameter", "parameter_distance"),
    "drop_argument": ("drop_undeclared", "drop_declared", "transform", "form_distance"),
    "fill": ("fill", "ask", "fit_distance", "guess", "same_twice", "busy", "crowded", "reuse_constant",
        "alternative_only"),
    "rebind": (
        "hoist", "transform", "form_distance", "repoint", "repath", "ask", "path_distance", "fit_distance",
        "same_twice", "busy", "leave_label", "reuse_constant", "alternative_only",
    ),
    "add_call": (
        "add_call", "add_own_call", "ask_added", "ask_own", "fill_added", "reuse_constant", "fit_distance",
        "guess", "same_twice", "busy", "crowded",
    ),
    "transform": ("transform", "form_distance"),
    "split_call": ("spread", "transform", "form_distance"),
    "delete_call": ("delete_call", "delete_copy", "alternative_only"),
    "move_call": ("move_call",),
}  # fmt: skip


class _Editor:
    """Builds the edits of one repair; a class because its steps share the costs."""

    def __init__(self, repaired: Repaired) -> None:
        self.repaired = repaired
        self.instance = repaired.instance
        self.given = repaired.given
        self.choices = repaired.choices
        self.costs: dict[object, list[tuple[str, int]]] = {}
        for penalty in self.choices.penalties:
            weight = repaired.weights.get(penalty.kind, 0) * penalty.units
            self.costs.setdefault(penalty.place, []).append((penalty.kind, weight))

    def edits(self, built: Mapping[CallId, Call]) -> list[Edit]:
        """Return the edits in the order of the repaired sequence; `built` holds its calls."""
        edits: list[Edit] = []
        for number in self.repaired.order:
            if isinstance(number, int):
                edits += self._call_edits(number, built[number])
            elif not isinstance(number, Part):
                call = built[number]
                places: list[Where] = [("call", number, None, None)]
                places += [("argument", number, parameter, None) for parameter in call.arguments]
                risky = next((self._risk(place) for place in places if self._risk(place)), None)
                edits.append(
                    AddCall(
                        label=call.label,
                        pattern="transformation" if isinstance(number, Inner) else "new_call",
                        cost=self._cost("add_call", *places),
                        risky=risky,
                        added=call,
                    )
                )
        edits += self._argument_edits(len(self.given.calls), None)
        for number in sorted(self.choices.deleted):
            call = self.given.calls[number]
            cost = self._cost("delete_call", ("call", number, None, None))
            instead = self.choices.replaced.get(number)
            risky = self._risk(("call", number, None, None))
            edits.append(
                DeleteCall(
                    call=number,
                    label=call.label,
                    cost=cost,
                    risky=risky,
                    before=call,
                    instead=instead,
                )
            )
        return edits

    def _cost(self, kind: str, *places: object) -> dict[str, int]:
        cost: dict[str, int] = {}
        for place in places:
            for name, weight in self.costs.get(place, ()):
                if name in _CRITERIA[kind]:
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
            after = self.repaired.order.index(number)
            cost = self._cost("move_call", place)
            edits.append(
                MoveCall(call=number, label=call.label, cost=cost, before=number, after=after)
            )
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
            cost = self._cost("add_label", place, str(text(call.label)))
            edits.append(AddLabel(call=number, label=call.label, cost=cost, after=call.label))
        elif call.label is not None and given.label is not None and call.label != given.label:
            cost = self._cost("rename_label", str(text(call.label)))
            edits.append(
                RenameLabel(
                    call=number, label=call.label, cost=cost, before=given.label, after=call.label
                )
            )
        return edits + self._argument_edits(number, call.label)

    def _split(self, number: int, parameter: str, label: str | None, source: Source) -> SplitCall:
        place: Where = ("argument", number, parameter, None)
        parts = [
            part for part in self.repaired.order if isinstance(part, Part) and part.call == number
        ]
        target = self.choices.renamed.get((number, parameter), parameter)
        after = [
            self.repaired.arguments_of(number, element)[target] for element in range(len(parts) + 1)
        ]
        return SplitCall(
            call=number,
            label=label,
            pattern="transformation",
            cost=self._cost("split_call", place),
            risky=self._risk(place),
            parameter=target,
            before=source,
            after=tuple(after),
        )

    def _steps(
        self, steps: tuple[Step, ...], number: int, parameter: str, target: str, after: Source
    ) -> tuple[Step, ...]:
        """Return steps without what is secret, under the name before or after."""
        secrets, given = self.instance.index.secrets, self.instance.call(number)
        before = given.arguments[parameter]
        tools = dict.fromkeys([given.name, self.repaired.tool_of(number)])
        places = [
            place
            for tool in tools
            for name, source in ((parameter, before), (target, before), (target, after))
            for place in secrets.places(str(tool), name, value_of(source))
        ]
        if not places:
            return steps
        return tuple(
            step.model_copy(update={"before": HIDDEN, "after": HIDDEN})
            if step.rule not in ("rename_key", "drop_null")
            and any(touches(step.path, p) for p in places)
            else step
            for step in steps
        )

    def _new_origin(self, number: int, parameter: str) -> Origin:
        """Return the first call from which an argument reads under another label than before."""
        for slot in self.repaired.numbers(number, parameter):
            if (number, parameter, slot) in self.instance.references:
                origin = self.repaired.reference_origin(number, parameter, slot)
                if origin is not None and not isinstance(origin, FromMemory):
                    return origin
        return "default"

    def _is_mapped(self, origin: Origin, path: str, call: CallId, parameter: str) -> bool:
        """Whether a given mapping allows that output of a call for the parameter."""
        if not isinstance(origin, int | New | Own):
            return False
        tools = self.repaired.tool_of(origin), self.repaired.tool_of(call)
        return (
            fact("in_mapping", tools[0], path, tools[1], parameter) in self.repaired.evidence.facts
        )

    def _argument_edits(self, number: int, label: str | None) -> list[Edit]:
        choices = self.choices
        edits: list[Edit] = []
        given = self.instance.call(number).arguments
        if number == len(self.given.calls) and not self.instance.is_returning:
            return []
        now = self.repaired.arguments_of(number)
        for parameter, source in given.items():
            place: Where = ("argument", number, parameter, None)
            if (number, parameter) in choices.dropped | choices.left_out:
                dropped = self._cost("drop_argument", place)
                edits.append(
                    DropArgument(
                        call=number,
                        label=label,
                        pattern="transformation" if "transform" in dropped else "self_contained",
                        cost=dropped,
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
            if (number, parameter) in choices.spread:
                edits.append(self._split(number, parameter, label, source))
            elif (number, parameter) in choices.recast:
                recast = self.repaired.evidence.forms[
                    number, parameter, choices.recast[number, parameter]
                ]
                edits.append(
                    Transform(
                        call=number,
                        label=label,
                        pattern="transformation",
                        cost=self._cost("transform", place),
                        risky=self._risk(place),
                        parameter=target or parameter,
                        before=source,
                        after=after,
                        steps=self._steps(
                            recast.steps, number, parameter, target or parameter, after
                        ),
                    )
                )
            elif after != source:
                slots = [
                    n
                    for n in self.repaired.numbers(number, parameter)
                    if (number, parameter, n) in choices.mended
                ]
                places: list[Where] = [("reference", number, parameter, n) for n in slots]
                origins: list[Origin] = [choices.mended[number, parameter, n][0] for n in slots]
                if (number, parameter) in choices.hoisted:
                    origins = [Inner(number, parameter)]
                origins = origins or [self._new_origin(number, parameter)]
                if source.kind != "reference" and (number, parameter, 0) in choices.mended:
                    origins = [choices.mended[number, parameter, 0][0]]
                    places.append(("reference", number, parameter, 0))
                edits.append(
                    Rebind(
                        call=number,
                        label=label,
                        pattern="transformation"
                        if _is_deeper(source, after)
                        else _pattern(origins[0]),
                        cost=self._cost("rebind", place, *places),
                        risky=self._risk(place, *places),
                        parameter=target or parameter,
                        before=source,
                        after=after,
                    )
                )
        for parameter in now:
            if (number, parameter) in choices.filled:
                origin, path = choices.filled[number, parameter]
                place = ("argument", number, parameter, None)
                mapped = self._is_mapped(origin, path, number, parameter)
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


def _is_deeper(before: Source, after: Source) -> bool:
    """Whether a reference goes on from the path that it read before, into a field or a list."""
    if (
        not isinstance(before, Reference)
        or not isinstance(after, Reference)
        or before.label != after.label
    ):
        return False
    fields = [step for step in after.path if isinstance(step, str)]
    written = [step for step in before.path if isinstance(step, str)]
    return len(after.path) > len(before.path) and fields[: len(written)] == written


def _pattern(origin: Origin) -> Pattern:
    if isinstance(origin, FromMemory):
        return "memory"
    if isinstance(origin, FromConstant | FromGoal):
        return "constant"
    if isinstance(origin, Inner):
        return "transformation"
    if isinstance(origin, New | Own | Aim):
        return "new_call"
    if origin == "ask":
        return "ask"
    return "default" if origin == "default" else "self_contained"


def edits_of(repaired: Repaired, built: Mapping[CallId, Call]) -> list[Edit]:
    """Return the edits of a repair in the order of the repaired sequence; `built` holds its calls."""
    return _Editor(repaired).edits(built)


@dataclass(frozen=True, slots=True)
class Decoded:
    """
    A repaired sequence and how it came about.

    Attributes:
        sequence: the repaired sequence.
        confirms: what has to be confirmed in it.
        repaired: the choices in the given sequence.
        built: each call as it was before confirms were opened.
    """

    sequence: Sequence
    confirms: list[ConfirmFor]
    repaired: Repaired
    built: Mapping[CallId, Call]

    @property
    def order(self) -> list[CallId]:
        """Which call each one of the sequence is."""
        return self.repaired.order

    @property
    def origins(self) -> tuple[int | None, ...]:
        """For each call the number of the given one, None for an added one."""
        return tuple(call if isinstance(call, int) else None for call in self.order)

    def edits(self) -> list[Edit]:
        """Work out what was changed; of many answer sets that is wanted of few."""
        return edits_of(self.repaired, self.built)

    def asks(self) -> list[AskFor]:
        """Work out what is asked, what was open in the given sequence first."""
        return _asked(self)


def decode(evidence: Evidence, choices: Choices, weights: Mapping[str, int]) -> Decoded:
    """
    Build the repaired sequence that an answer set stands for.

    Args:
        evidence: what was stated, with the instance it belongs to.
        choices: what the answer set chose.
        weights: weight of each criterion of the cost model.
    """
    repaired = Repaired(evidence, choices, weights)
    calls: list[Call] = []
    confirms: list[ConfirmFor] = []
    built: dict[CallId, Call] = {}
    opened = _confirms(repaired)
    for position, number in enumerate(repaired.order):
        call = built[number] = repaired.call_of(number)
        kept = repaired.given.calls[number].confirms if isinstance(number, int) else ()
        found = [(c, reason) for c, reason in opened.get(number, ()) if c not in kept]
        found = [*((c, RISKS["given"]) for c in kept), *found]
        confirms += [ConfirmFor(call=position, confirm=c, reason=reason) for c, reason in found]
        every = tuple(c for c, _ in found)
        calls.append(call.model_copy(update={"confirms": every}) if every else call)
    returns = repaired.given.returns
    if returns:
        returns = repaired.arguments_of(len(repaired.given.calls))
    asks = [
        *repaired.given.asks,
        *dict.fromkeys(name for name in repaired.asks.values() if name not in repaired.given.asks),
    ]
    sequence = repaired.given.model_copy(
        update={"calls": tuple(calls), "asks": tuple(asks), "returns": returns, "notes": ()}
    )
    return Decoded(sequence=sequence, confirms=confirms, repaired=repaired, built=built)


def _asked(decoded: Decoded) -> list[AskFor]:
    """Return what was open in the given sequence, then each place where something is asked now."""
    repaired, sequence = decoded.repaired, decoded.sequence
    asked = [AskFor(name=name) for name in repaired.given.asks]
    new: dict[str, list[AskFor]] = {name: [] for name in repaired.asks.values()}
    places = [(number, call.name, call.arguments) for number, call in enumerate(sequence.calls)]
    for number, name, arguments in [*places, (None, "", sequence.returns or {})]:
        tool = repaired.instance.index.get(name)
        for parameter, source in arguments.items():
            declared = tool.parameters.get(parameter) if tool else None
            for slot, path in zip(slots_of(source), slot_paths(source), strict=True):
                if isinstance(slot, Ask) and slot.name in new:
                    described = declared.description if declared else ""
                    new[slot.name].append(
                        AskFor(
                            name=slot.name,
                            call=number,
                            parameter=parameter,
                            path=path,
                            description=described,
                        )
                    )
    return [*asked, *chain.from_iterable(new.values())]


def _confirms(repaired: Repaired) -> dict[CallId, list[tuple[Confirm, str]]]:
    """Return what has to be confirmed before each call, each once, with all the reasons."""
    found: dict[CallId, dict[Confirm, list[str]]] = {}
    for where in sorted(repaired.choices.confirms, key=str):
        kind, call, parameter, _ = where
        reason = RISKS[repaired.choices.risky.get(where, "new")]
        confirm: Confirm
        if kind == "call" or parameter is None:
            confirm = ConfirmTool()
        elif isinstance(call, int) and (call, parameter) in repaired.choices.dropped:
            confirm = ConfirmDrop(parameter=parameter)
        else:
            if isinstance(call, int):
                parameter = repaired.choices.renamed.get((call, parameter), parameter)
            confirm = ConfirmArgument(parameter=parameter)
        found.setdefault(call, {}).setdefault(confirm, []).append(reason)
    return {
        call: [(confirm, "; ".join(dict.fromkeys(reasons))) for confirm, reasons in each.items()]
        for call, each in found.items()
    }
