"""Builds the result of a repair from the answer sets that were found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import (
    Call,
    Constant,
    Edit,
    Reference,
    RepairResult,
    Sequence,
    Source,
    Verdict,
    Violation,
)
from refract_asp.model.edits import DeleteCall
from refract_asp.model.result import Handle
from refract_asp.model.secrets import Secrets
from refract_asp.model.sources import replace_reference, slots_of
from refract_asp.rules.choices import CallId, Choices, Where
from refract_asp.rules.decode import Decoded, decode
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.judge import Judgement, Verdicts
from refract_asp.rules.messages import unmade_text

__all__ = [
    "decoded_result",
    "means_the_same",
    "needless_calls",
    "repair_result",
    "undecided_places",
]


Meaning = dict[CallId, tuple[Call, dict[str, Source]]]


def undecided_places(
    chosen: Decoded, others: Iterable[Decoded], secrets: Secrets
) -> tuple[list[Where], list[str]]:
    """
    Return the places of the chosen repair that another one of the same cost fills otherwise, and the
    same in words, without secrets. Labels are names: repairs that differ in them alone mean the same.

    What is returned has its place in the calls that give it, so that somebody can confirm it before they are
    made; only where none does, in the number that follows the last given call.
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
                    places.update(dict.fromkeys(_places(chosen, key, call, parameter)))
                    owner = f"{call.label}.{parameter}" if call.label else parameter
                    told, told_at_length = _shown(chosen, call, parameter, secrets)
                    either = choices.setdefault(shown(owner), {told_at_length: told})
                    told, told_at_length = _shown(other, other_call, parameter, secrets)
                    either[told_at_length] = told
    return list(places), [
        f"{owner}: {' or '.join(_told_apart(each))}" for owner, each in choices.items()
    ]


def _places(chosen: Decoded, key: CallId, call: Call, parameter: str) -> list[Where]:
    """Return where an argument can be confirmed; nowhere where it is asked, as its answer decides."""
    source = call.arguments[parameter]
    if source.kind == "ask":
        return []
    if key == len(chosen.repaired.given.calls):
        bearers = {
            each.label: giver
            for giver, each in zip(chosen.order, chosen.sequence.calls, strict=True)
        }
        read = [slot.label for slot in slots_of(source) if isinstance(slot, Reference)]
        givers: list[Where] = [
            ("call", bearers[label], None, None) for label in read if label in bearers
        ]
        if givers:
            return givers
    return [("argument", key, parameter, None)]


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
    """Return every call with its arguments, references bound to calls instead of labels; last the returns."""
    end = len(decoded.repaired.given.calls)
    returns = Call(name="", arguments=decoded.sequence.returns or {})
    return _bound([*decoded.order, end], [*decoded.sequence.calls, returns])


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


def repair_result(
    verdicts: Verdicts, evidence: Evidence, judgement: Judgement, same: dict[str, Any], confirm: str
) -> tuple[RepairResult, list[CallId]]:
    """
    Build the result from the first of the cheapest answer sets; tell which calls it has.

    Args:
        verdicts: what was wrong with the given sequence.
        evidence: what the answer sets were found with.
        judgement: the answer sets.
        same: fields that all results about this sequence share.
        confirm: whether what is undecided has to be confirmed ("risky").
    """
    decoded = [decode(evidence, choices, judgement.weights) for choices in judgement.choices]
    places: list[Where] = []
    undecided: list[str] = []
    if len(decoded) > 1 and judgement.answer.optimal:
        places, undecided = undecided_places(decoded[0], decoded[1:], evidence.index.secrets)
        if places and confirm in ("risky", "defensive"):
            _open(places, judgement.choices[0], len(evidence.instance.sequence.calls))
            decoded[0] = decode(evidence, judgement.choices[0], judgement.weights)
    told = {
        "ambiguous": bool(places),
        "undecided": tuple(undecided),
        "truncated": tuple(evidence.truncated),
        "optimal": judgement.answer.optimal,
        "total": judgement.answer.cost,
        "lower_bound": judgement.answer.lower_bound,
    }
    choices = judgement.choices[0]
    result = decoded_result(
        verdicts, evidence, choices, judgement.weights, decoded[0], {**same, **told}
    )
    return result, decoded[0].order


def _open(places: list[Where], choices: Choices, end: int) -> None:
    """Let what is undecided be confirmed; what is returned and no call gives is asked."""
    for place in places:
        _, call, parameter, _ = place
        if call != end:
            choices.confirms.add(place)
            choices.risky.setdefault(place, "ambiguous")
            continue
        for mended in choices.mended:
            if mended[:2] == (end, parameter):
                choices.mended[mended] = ("ask", "")


def decoded_result(
    verdicts: Verdicts,
    evidence: Evidence,
    choices: Choices,
    weights: Mapping[str, int],
    decoded: Decoded,
    fields: dict[str, Any],
) -> RepairResult:
    """Build a result from an answer set as it was decoded; `fields` are those that it does not tell."""
    verdict: Verdict = "repaired"
    left = choices.unresolved | choices.unused
    if left or choices.unmet:
        verdict = "unrepairable"
    elif decoded.sequence.is_open:
        verdict = "needs_input"
    cost: dict[str, int] = {}
    for penalty in choices.penalties:
        weight = penalty.units * weights.get(penalty.kind, 0)
        cost[penalty.kind] = cost.get(penalty.kind, 0) + weight
    result = RepairResult(
        verdict=verdict,
        sequence=decoded.sequence,
        origins=decoded.origins,
        edits=_answering(decoded.edits(), verdicts),
        asks=tuple(decoded.asks()),
        confirms=tuple(decoded.confirms),
        unresolved=tuple(sorted(left)),
        unmet=tuple(
            str(evidence.index.secrets.goal(evidence.instance.goals[number]))
            for number in sorted(choices.unmet)
        ),
        suggestions={
            call: evidence.index.suggestions(evidence.instance.call(call).name)
            for call in sorted(choices.unresolved)
        },
        cost={kind: value for kind, value in sorted(cost.items()) if value},
        **fields,
    )
    told = {violation.call for violation in verdicts.violations if violation.code == "unused_call"}
    if choices.unused - told:
        notes = (unmade_text(evidence.instance, number) for number in sorted(choices.unused - told))
        result = result.model_copy(update={"notes": tuple(dict.fromkeys((*result.notes, *notes)))})
    result._handle = Handle(instance=evidence.instance)
    return result


def needless_calls(result: RepairResult) -> tuple[Violation, ...]:
    """Say of each call that the repair leaves out that it is not needed."""
    return tuple(
        Violation(
            code="needless_call",
            call=edit.call,
            tool=edit.before.name,
            label=edit.before.label,
            message=f"{shown(edit.before.name)} need not be called: {_why(result, edit)}",
        )
        for edit in result.edits
        if edit.kind == "delete_call"
    )


def _why(result: RepairResult, edit: DeleteCall) -> str:
    if edit.instead is None:
        return "the goals are met without it"
    if edit.instead < 0:
        return "it was executed before"
    other = result.given.calls[edit.instead]
    return f"call {edit.instead + 1} ({shown(other.label or other.name)}) gives the same"


def _answering(edits: list[Edit], verdicts: Verdicts) -> tuple[Edit, ...]:
    """Tell of each edit which violations it answers."""
    answered: list[Edit] = []
    for edit in edits:
        parameter = getattr(edit, "parameter", None) or (
            edit.before if edit.kind == "rename_parameter" else None
        )
        found = []
        for number, violation in enumerate(verdicts.violations):
            if edit.kind in ("add_call", "add_label", "rename_label"):
                label = edit.label or ""
                if violation.code == "unknown_label" and (violation.given or "").startswith(
                    (f"${label}.", f"${label}[", f"${label}$")
                ):
                    found.append(number)
            elif (
                violation.call == edit.call
                and violation.code != "unused_call"
                and (
                    violation.parameter in (None, parameter)
                    or (edit.kind == "rename_parameter" and violation.parameter == edit.after)
                )
            ) or (edit.kind == "move_call" and violation.code == "read_before_written"):
                found.append(number)
        answered.append(edit.model_copy(update={"answers": tuple(found)}) if found else edit)
    return tuple(answered)
