"""Builds the result of a repair from the answer sets that were found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refract_asp.errors import shown
from refract_asp.model import Edit, RepairResult, Verdict, Violation
from refract_asp.model.edits import DeleteCall
from refract_asp.model.result import Handle
from refract_asp.rules.ambiguity import undecided_places
from refract_asp.rules.choices import CallId, Choices, Where
from refract_asp.rules.decode import Decoded, decode
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.judge import Judgement, Verdicts

__all__ = ["decoded_result", "needless_calls", "repair_result"]


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
        if places and confirm == "risky":
            judgement.choices[0].confirms.update(places)
            for place in places:
                judgement.choices[0].risky.setdefault(place, "ambiguous")
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
    result = decoded_result(verdicts, evidence, choices, judgement.weights, decoded[0], {**same, **told})
    return result, decoded[0].order


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
    if choices.unresolved or choices.unmet:
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
        unresolved=tuple(sorted(choices.unresolved)),
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
                and (
                    violation.parameter in (None, parameter)
                    or (edit.kind == "rename_parameter" and violation.parameter == edit.after)
                )
            ) or (edit.kind == "move_call" and violation.code == "read_before_written"):
                found.append(number)
        answered.append(edit.model_copy(update={"answers": tuple(found)}) if found else edit)
    return tuple(answered)
