"""Builds the result of a repair from the answer sets that were found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Call, Edit, RepairResult, Sequence, Verdict, Violation
from refract_asp.model.result import Handle
from refract_asp.model.secrets import Secrets
from refract_asp.model.sequence import Constant, Reference, Source, replace_reference, slots_of
from refract_asp.rules.choices import CallId, Choices, Where
from refract_asp.rules.decode import Decoded
from refract_asp.rules.messages import unmade_text
from refract_asp.rules.question import Answer, Problem

Meaning: TypeAlias = dict[CallId, tuple[Call, dict[str, Source]]]
"""Each call with its arguments, in which references are bound to calls instead of labels."""


def repair_result(problem: Problem, answer: Answer) -> RepairResult:
    """Build the result from the first of the cheapest answer sets; it holds what more can be asked."""
    decoded = list(map(answer.decode, answer.choices))
    places: list[Where] = []
    undecided: list[str] = []
    if len(decoded) > 1 and answer.optimal:
        places, undecided = _undecided(decoded, problem.secrets)
        if places and problem.engine.confirm in ("risky", "defensive"):
            _open(places, answer.choices[0], decoded[0].end)
            decoded[0] = answer.decode(answer.choices[0])
    result = decoded_result(
        problem,
        decoded[0],
        ambiguous=bool(places),
        undecided=tuple(undecided),
        optimal=answer.optimal,
        total=answer.cost,
        lower_bound=answer.lower_bound,
    )
    result._handle = Handle(replace(problem, order=tuple(decoded[0].order)), problem.instance)
    return result


def decoded_result(problem: Problem, decoded: Decoded, **fields: Any) -> RepairResult:
    """Build a result from an answer set as it was decoded; `fields` are those that it does not tell."""
    choices, evidence, instance = decoded.choices, decoded.evidence, decoded.instance
    left = choices.unresolved | choices.unused
    verdict: Verdict = "needs_input" if decoded.sequence.is_open else "repaired"
    cost: Counter[str] = Counter()
    for penalty in choices.penalties:
        cost[penalty.kind] += penalty.units * decoded.weights.get(penalty.kind, 0)
    told = {each.call for each in problem.violations if each.code == "unused_call"}
    notes = [unmade_text(instance, number) for number in sorted(choices.unused - told)]
    result = RepairResult(
        verdict="unrepairable" if left or choices.unmet else verdict,
        sequence=decoded.sequence,
        origins=decoded.origins,
        edits=tuple(_answering(edit, problem.violations) for edit in decoded.edits()),
        asks=tuple(decoded.asked()),
        confirms=tuple(decoded.confirms),
        unresolved=tuple(sorted(left)),
        unmet=tuple(
            str(problem.secrets.goal(instance.goals[goal])) for goal in sorted(choices.unmet)
        ),
        suggestions={
            call: evidence.index.suggestions(instance.call(call).name)
            for call in sorted(choices.unresolved)
        },
        cost={kind: value for kind, value in sorted(cost.items()) if value},
        truncated=tuple(evidence.truncated),
        **{**problem.same, **fields},
    )
    if notes:
        result = result.model_copy(update={"notes": tuple(dict.fromkeys((*result.notes, *notes)))})
    result._handle = Handle(instance=instance)
    return result


def _answering(edit: Edit, violations: Iterable[Violation]) -> Edit:
    """Tell of an edit which violations it answers."""

    def is_answered(violation: Violation) -> bool:
        if edit.kind in ("add_call", "add_label", "rename_label"):
            read = tuple(f"${edit.label or ''}{end}" for end in ".[$")
            return violation.code == "unknown_label" and (violation.given or "").startswith(read)
        if edit.kind == "move_call" and violation.code == "read_before_written":
            return True
        if violation.call != edit.call or violation.code == "unused_call":
            return False
        parameters = [None, getattr(edit, "parameter", None)]
        if edit.kind == "rename_parameter":
            parameters = [None, edit.before, edit.after]
        return violation.parameter in parameters

    found = tuple(number for number, each in enumerate(violations) if is_answered(each))
    return edit.model_copy(update={"answers": found}) if found else edit


def needless_calls(result: RepairResult) -> tuple[Violation, ...]:
    """Say of each call that the repair leaves out that it is not needed."""
    found = []
    for edit in result.edits:
        if edit.kind != "delete_call":
            continue
        why = "the goals are met without it"
        if edit.instead is not None and edit.instead < 0:
            why = "it was executed before"
        elif edit.instead is not None:
            other = result.given.calls[edit.instead]
            why = f"call {edit.instead + 1} ({shown(other.label or other.name)}) gives the same"
        name, label = edit.before.name, edit.before.label
        message = f"{shown(name)} need not be called: {why}"
        found.append(
            Violation(code="needless_call", call=edit.call, tool=name, label=label, message=message)
        )
    return tuple(found)


# --- what is undecided, and what means the same --------------------------------------------------


def _undecided(decoded: list[Decoded], secrets: Secrets) -> tuple[list[Where], list[str]]:
    """
    Return the places of the first repair that another one of the same cost fills otherwise, and the
    same in words, without secrets. Labels are names: repairs that differ in them alone mean the same.

    What is returned has its place in the calls that give it, so that somebody can confirm it before they are
    made; only where none does, in the number that follows the last given call.
    """
    chosen, *others = decoded
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
                if other_arguments.get(parameter) == source:
                    continue
                places |= dict.fromkeys(_places(chosen, key, call, parameter))
                owner = shown(f"{call.label}.{parameter}" if call.label else parameter)
                either = choices.setdefault(owner, dict([_told(chosen, call, parameter, secrets)]))
                either |= dict([_told(other, other_call, parameter, secrets)])
    texts = []
    for owner, either in choices.items():  # at length where two of the short ones are the same
        is_clear = len(set(either.values())) == len(either)
        texts.append(f"{owner}: {' or '.join(either.values() if is_clear else either)}")
    return list(places), texts


def _places(chosen: Decoded, key: CallId, call: Call, parameter: str) -> list[Where]:
    """Return where an argument can be confirmed; nowhere where it is asked, as its answer decides."""
    source = call.arguments[parameter]
    if source.kind == "ask":
        return []
    if key == chosen.end:
        calls = zip(chosen.order, chosen.sequence.calls, strict=True)
        bearers = {each.label: giver for giver, each in calls}
        read = [slot.label for slot in slots_of(source) if isinstance(slot, Reference)]
        givers: list[Where] = [
            ("call", bearers[label], None, None) for label in read if label in bearers
        ]
        if givers:
            return givers
    return [("argument", key, parameter, None)]


def _told(decoded: Decoded, call: Call, parameter: str, secrets: Secrets) -> tuple[str, str]:
    """Return an argument in words, at length with the call from which it is read, and in short."""
    source = call.arguments.get(parameter)
    if source is None:
        return "nothing", "nothing"
    source = secrets.argument([call.name], [parameter], source)
    if isinstance(source, Reference):
        read = "memory"
        for each in decoded.sequence.calls:
            if each is call:
                break
            if each.label == source.label:
                bare = each.model_copy(update={"label": None, "confirms": ()})
                read = str(Sequence(calls=(secrets.call(bare),)))
        return f"{shown(str(source))} of {shown(read, LONGEST_TEXT)}", shown(str(source))
    text = "ask" if source.kind == "ask" else "another value"
    if isinstance(source, Constant):
        text = shown(json.dumps(source.value, ensure_ascii=False, default=str))
    return text, text


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


def means_the_same(result: RepairResult, other: RepairResult) -> bool:
    """Whether two repairs of one sequence give the same; labels are names, and may differ."""
    if result.sequence == other.sequence:
        return True

    def calls(sequence: Sequence) -> list[object]:
        returns = () if sequence.returns is None else (Call(name="", arguments=sequence.returns),)
        every = (*sequence.calls, *returns)
        meant = _bound(range(len(every)), every).values()
        return [(call.name, arguments, call.malformed) for call, arguments in meant]

    is_alike = result.origins == other.origins
    return is_alike and calls(result.sequence) == calls(other.sequence)


def _meaning(decoded: Decoded) -> Meaning:
    """Return the meaning of a repair; last what it returns."""
    returns = Call(name="", arguments=decoded.sequence.returns or {})
    return _bound([*decoded.order, decoded.end], [*decoded.sequence.calls, returns])


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
