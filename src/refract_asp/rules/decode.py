"""Turns the choices of an answer set into a repaired sequence, its edits, asks and confirms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from refract_asp.model import (
    AskFor,
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmFor,
    ConfirmTool,
    Edit,
    Sequence,
)
from refract_asp.model.paths import FieldPath
from refract_asp.model.sources import slot_paths
from refract_asp.rules.choices import CallId, Choices
from refract_asp.rules.edits import RISKS, edits_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.repaired import Repaired

__all__ = ["Decoded", "decode"]


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
        return _asked(self.repaired)


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


def _asked(repaired: Repaired) -> list[AskFor]:
    position = {number: index for index, number in enumerate(repaired.order)}
    asked = [AskFor(name=name) for name in repaired.given.asks]
    for (call, parameter, number), name in repaired.asks.items():
        tool = repaired.instance.index.get(repaired.tool_of(call)) if call in position else None
        target = (
            repaired.choices.renamed.get((call, parameter), parameter) if isinstance(call, int) else parameter
        )
        declared = tool.parameters.get(target) if tool else None
        asked.append(
            AskFor(
                name=name,
                call=position.get(call),
                parameter=target,
                path=_path_inside(repaired, call, parameter, number),
                description=declared.description if declared else "",
            )
        )
    return asked


def _path_inside(repaired: Repaired, call: CallId, parameter: str, number: int) -> FieldPath:
    """Return where inside an argument a reference stood in whose place is asked."""
    given = repaired.instance.call(call).arguments.get(parameter) if isinstance(call, int) else None
    if given is None or number == 0:
        return ()
    return next(islice(slot_paths(given), number - 1, None), ())


def _confirms(repaired: Repaired) -> dict[CallId, list[tuple[Confirm, str]]]:
    """Return what has to be confirmed before each call, with the reasons."""
    found: dict[CallId, list[tuple[Confirm, str]]] = {}
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
        found.setdefault(call, []).append((confirm, reason))
    return found
