"""Builds the result of a repair from the answer sets that were found."""

from __future__ import annotations

from typing import Any

from refract_asp.model import Edit, RepairResult, Verdict
from refract_asp.rules.ambiguity import undecided_places
from refract_asp.rules.choices import CallId, Where
from refract_asp.rules.decode import Decoded, decode
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.judge import Judgement, Verdicts

__all__ = ["repair_result"]


def repair_result(
    verdicts: Verdicts,
    evidence: Evidence,
    judgement: Judgement,
    same: dict[str, Any],
    confirm: str,
    alternatives: int = 0,
) -> tuple[RepairResult, list[CallId]]:
    """
    Decode every cheapest answer set, and build the result from the first; tell which calls it has.

    Args:
        verdicts: what was wrong with the given sequence.
        evidence: what the answer sets were found with.
        judgement: the answer sets.
        same: fields that the result and its alternatives share.
        confirm: whether what is undecided has to be confirmed ("risky").
        alternatives: how many others are listed.
    """
    decoded = [decode(evidence, choices, judgement.weights) for choices in judgement.choices]
    places: list[Where] = []
    undecided: list[str] = []
    if len(decoded) > 1 and judgement.answer.optimal:
        places, undecided = undecided_places(decoded[0], decoded[1:])
        if places and confirm == "risky":
            judgement.choices[0].confirms.update(places)
            for place in places:
                judgement.choices[0].risky.setdefault(place, "ambiguous")
            decoded[0] = decode(evidence, judgement.choices[0], judgement.weights)
    same |= {
        "ambiguous": bool(places),
        "undecided": tuple(undecided),
        "truncated": tuple(evidence.truncated),
        "optimal": judgement.answer.optimal,
        "total": judgement.answer.cost,
        "lower_bound": judgement.answer.lower_bound,
    }
    results = [
        _decoded_result(verdicts, evidence, judgement, number, each, same)
        for number, each in enumerate(decoded[: alternatives + 1])
    ]
    result = results[0]
    if results[1:]:
        result = result.model_copy(update={"alternatives": tuple(results[1:])})
    return result, decoded[0].order


def _decoded_result(
    verdicts: Verdicts,
    evidence: Evidence,
    judgement: Judgement,
    number: int,
    decoded: Decoded,
    same: dict[str, Any],
) -> RepairResult:
    choices = judgement.choices[number]
    verdict: Verdict = "repaired"
    if choices.unresolved:
        verdict = "unrepairable"
    elif decoded.sequence.is_open:
        verdict = "needs_input"
    cost: dict[str, int] = {}
    for penalty in choices.penalties:
        weight = penalty.units * judgement.weights.get(penalty.kind, 0)
        cost[penalty.kind] = cost.get(penalty.kind, 0) + weight
    return RepairResult(
        verdict=verdict,
        sequence=decoded.sequence,
        origins=decoded.origins,
        edits=_answering(decoded.edits, verdicts),
        asks=tuple(decoded.asks),
        confirms=tuple(decoded.confirms),
        unresolved=tuple(sorted(choices.unresolved)),
        suggestions={
            call: evidence.index.suggestions(evidence.instance.call(call).name)
            for call in sorted(choices.unresolved)
        },
        cost={kind: value for kind, value in sorted(cost.items()) if value},
        **same,
    )


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
                and (
                    violation.parameter in (None, parameter)
                    or (edit.kind == "rename_parameter" and violation.parameter == edit.after)
                )
            ) or (edit.kind == "move_call" and violation.code == "read_before_written"):
                found.append(number)
        answered.append(edit.model_copy(update={"answers": tuple(found)}) if found else edit)
    return tuple(answered)
