"""Tells in which places equally cheap repairs differ in meaning."""

from __future__ import annotations

import json
from collections.abc import Iterable

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Call, Constant, Reference, RepairResult, Sequence, Source
from refract_asp.model.secrets import Secrets
from refract_asp.model.sources import replace_reference, slots_of
from refract_asp.rules.choices import CallId, Where
from refract_asp.rules.decode import Decoded

__all__ = ["means_the_same", "undecided_places"]

Meaning = dict[CallId, tuple[Call, dict[str, Source]]]


def undecided_places(
    chosen: Decoded, others: Iterable[Decoded], secrets: Secrets
) -> tuple[list[Where], list[str]]:
    """
    Return the places of the chosen repair that another one of the same cost fills otherwise, and the
    same in words, without secrets. Labels are names: repairs that differ in them alone mean the same.
    """
    places: dict[Where, None] = {}
    choices: dict[str, dict[str, str]] = {}
    meant = _meaning(chosen)
    for other in others:
        other_meant = _meaning(other)
        for key, (call, arguments) in meant.items():
            other_call, other_arguments = other_meant.get(key, (None, {}))
            if other_call is None or call.name != other_call.name:
                places["call", key, None, None] = None
                instead = "no call" if other_call is None else shown(other_call.name)
                either = choices.setdefault(call.label or "tool", {call.name: shown(call.name)})
                either[instead] = instead
                continue
            for parameter, source in arguments.items():
                if other_arguments.get(parameter) != source:
                    if source.kind != "ask":  # its answer decides
                        places["argument", key, parameter, None] = None
                    owner = f"{call.label}.{parameter}" if call.label else parameter
                    told, told_at_length = _shown(chosen, call, parameter, secrets)
                    either = choices.setdefault(shown(owner), {told_at_length: told})
                    told, told_at_length = _shown(other, other_call, parameter, secrets)
                    either[told_at_length] = told
    return list(places), [f"{owner}: {' or '.join(_told_apart(each))}" for owner, each in choices.items()]


def _told_apart(either: dict[str, str]) -> Iterable[str]:
    """Return the short texts, or those at length where two of the short ones are the same."""
    return either.values() if len(set(either.values())) == len(either) else either


def means_the_same(result: RepairResult, other: RepairResult) -> bool:
    """Whether two repairs of one sequence give the same; labels are names, and may differ."""
    if result.sequence == other.sequence:
        return True
    if result.origins != other.origins:
        return False
    own, others = _as_bound(result.sequence), _as_bound(other.sequence)
    return [_said(*each) for each in own.values()] == [_said(*each) for each in others.values()]


def _said(call: Call, arguments: dict[str, Source]) -> tuple[str, dict[str, Source], object]:
    return call.name, arguments, call.malformed


def _as_bound(sequence: Sequence) -> Meaning:
    """Return the meaning of a sequence; what it returns counts as a call behind all others."""
    calls = sequence.calls
    if sequence.returns is not None:
        calls = (*calls, Call(name="", arguments=sequence.returns))
    return _bound(range(len(calls)), calls)


def _meaning(decoded: Decoded) -> Meaning:
    """Return every call with its arguments, references bound to calls instead of labels."""
    return _bound(decoded.order, decoded.sequence.calls)


def _bound(keys: Iterable[CallId], calls: Iterable[Call]) -> Meaning:
    bearers: dict[str, CallId] = {}
    meaning: Meaning = {}
    for key, call in zip(keys, calls, strict=True):
        arguments: dict[str, Source] = {}
        for parameter, source in call.arguments.items():
            bound: dict[int, Source] = {
                number: Reference(label=f"call {bearers[slot.label]}", path=slot.path)
                for number, slot in enumerate(slots_of(source), 1)
                if isinstance(slot, Reference) and slot.label in bearers
            }
            arguments[parameter] = replace_reference(source, bound)[0] if bound else source
        meaning[key] = (call, arguments)
        if call.label is not None:
            bearers[call.label] = key
    return meaning


def _shown(decoded: Decoded, call: Call, parameter: str, secrets: Secrets) -> tuple[str, str]:
    """Return an argument in words, and at length: with the call from which it is read."""
    source = call.arguments.get(parameter)
    if source is None:
        return "nothing", "nothing"
    source = secrets.argument([call.name], [parameter], source)
    if isinstance(source, Reference):
        text = shown(str(source))
        return text, f"{text} of {shown(_read(decoded, call, source.label, secrets), LONGEST_TEXT)}"
    if isinstance(source, Constant):
        text = shown(json.dumps(source.value, ensure_ascii=False, default=str))
        return text, text
    text = "ask" if source.kind == "ask" else "another value"
    return text, text


def _read(decoded: Decoded, reader: Call, label: str, secrets: Secrets) -> str:
    """Return the call that is read under a label, without it; or "memory"."""
    found = "memory"
    for call in decoded.sequence.calls:
        if call is reader:
            break
        if call.label == label:
            bare = call.model_copy(update={"label": None, "confirms": ()})
            found = str(Sequence(calls=(secrets.call(bare),)))
    return found
