"""What a repair means for each call that a model wrote: run it, send it back, or refuse it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from refract_asp.errors import LimitError, shown
from refract_asp.integrations.decision import STRICTER, Action, CallDecision, Policy, Reason
from refract_asp.model import Call, Catalog, RepairResult, Sequence
from refract_asp.model.result import Outcome
from refract_asp.model.sources import Ask, Reference, slots_of

__all__ = ["calls_of", "feedback_of", "may_run", "with_fixes"]

MAX_FEEDBACK = 1_000
"""Characters of what is told of one call."""
MAX_VIOLATIONS = 5
"""So many mistakes of one call are told under its id."""
MAX_MESSAGES = 20_000
"""Characters of what is told of all, where no prompt can be written."""
HELD: tuple[Action, Action] = ("retry", "refuse")
MENDABLE = ("repaired", "asks", "confirms", "destructive", "unrepairable")
"""Reasons that lie in the call itself, so that the model can mend it."""

_Found = tuple[Action, Reason, str]
_PASSES: _Found = ("pass", "", "")


def calls_of(
    result: RepairResult, catalog: Catalog, policy: Policy
) -> tuple[tuple[CallDecision, ...], tuple[Action, Reason]]:
    """
    Return what becomes of each given call, and of all of them together.

    It is that of the calls of the repaired sequence which it became, or of those which it reads from if they
    are held back; and nothing that may change something runs after such a one that is held back.
    """
    calls = result.sequence.calls
    outcomes = result.outcomes
    at: list[_Found] = [_added(call, catalog, policy) for call in calls]
    for outcome in outcomes:
        for position in outcome.positions:
            at[position] = _given(outcome, calls[position], result, catalog, policy)
    decided: list[CallDecision] = []
    for outcome in outcomes:
        found = _worst(at[position] for position in outcome.positions)
        if not outcome.positions:  # it was left out
            found = (policy.on_repair, "repaired", _violations(outcome))
        given = result.given.calls[outcome.call]
        made = CallDecision(outcome.call, outcome.id, given.name, *found, outcome.positions)
        judged = policy.judged(made, result)
        if judged != made.outcome:
            made = replace(made, outcome=judged, reason="judged", feedback="it is held back by policy.")
            for position in outcome.positions:
                at[position] = (judged, "judged", made.feedback)
        decided.append(made)
    _hold_readers(calls, at)
    _hold_writers(calls, at, catalog)
    told = tuple(_told(each, _worst([at[p] for p in each.positions])) for each in decided)
    whole = _worst([(each.outcome, each.reason, "") for each in told] + at + _beside(result, policy))
    return told, whole[:2]


def _beside(result: RepairResult, policy: Policy) -> list[_Found]:
    """Return what a repair means beside its calls, as of what the sequence gives back."""
    if result.verdict == "valid":
        return []
    found: list[_Found] = [(policy.on_repair, "repaired", "")]
    given_back = (slot for source in (result.sequence.returns or {}).values() for slot in slots_of(source))
    if any(isinstance(slot, Ask) for slot in given_back):
        found.append((policy.on_ask, "asks", ""))
    if result.verdict == "unrepairable":
        found.append((policy.on_unrepairable, "unrepairable", ""))
    return found


def _told(decision: CallDecision, found: _Found) -> CallDecision:
    """Return a decision with what its place in the sequence adds to it, and with its feedback."""
    if STRICTER[found[0]] > STRICTER[decision.outcome]:
        decision = replace(decision, outcome=found[0], reason=found[1], feedback=found[2])
    if decision.outcome not in HELD and decision.positions:
        return replace(decision, feedback="")
    said = {"refuse": "Refused", "retry": "Not run"}.get(decision.outcome, "Left out")
    return replace(decision, feedback=shown(f"{said}: {decision.feedback}", MAX_FEEDBACK))


def _worst(found: Iterator[_Found] | list[_Found]) -> _Found:
    return max(found, key=lambda each: STRICTER[each[0]], default=_PASSES)


def _added(call: Call, catalog: Catalog, policy: Policy) -> _Found:
    """Return what becomes of a call that the repair added."""
    found: list[_Found] = [(policy.on_repair, "repaired", f"a call of {shown(call.name)} is missing.")]
    tool = catalog.by_name.get(call.name)
    if tool is not None and tool.effect == "destructive":
        found.append((policy.on_destructive, "destructive", f"a call of {shown(call.name)} is missing."))
    return _worst([*found, *_open(call, policy), *_denied(call.name, policy)])


def _given(outcome: Outcome, call: Call, result: RepairResult, catalog: Catalog, policy: Policy) -> _Found:
    """Return what becomes of a given call by itself."""
    said = _violations(outcome)
    given = result.given.calls[outcome.call].name
    found = [*_denied(given, policy), *_denied(call.name, policy)]
    if outcome.verdict == "unrepairable":
        near = result.suggestions.get(outcome.call, ()) if given not in catalog.by_name else ()
        hint = f" Nearest: {', '.join(map(shown, near))}." if near else ""
        found.append((policy.on_unrepairable, "unrepairable", said + hint))
    elif outcome.edits or outcome.violations:
        found.append((policy.on_repair, "repaired", said))
        tool = catalog.by_name.get(call.name)
        if tool is not None and tool.effect == "destructive" and outcome.edits:
            found.append((policy.on_destructive, "destructive", said))
    return _worst([*found, *_open(call, policy, said)])


def _open(call: Call, policy: Policy, said: str = "") -> Iterator[_Found]:
    asked = [
        slot.name for source in call.arguments.values() for slot in slots_of(source) if isinstance(slot, Ask)
    ]
    if asked:
        names = shown(", ".join(map(shown, dict.fromkeys(asked))), 300)
        yield policy.on_ask, "asks", said or f"nobody knows its {names}."
    if call.confirms:
        yield policy.on_confirm, "confirms", f"{said} What was meant is not sure.".strip()


def _denied(tool: str, policy: Policy) -> Iterator[_Found]:
    if tool in policy.deny:
        yield "refuse", "denied", f"{shown(tool)} may not be called."


def _violations(outcome: Outcome) -> str:
    """Return what is wrong with a call, as one text."""
    told = [violation.message for violation in outcome.violations[:MAX_VIOLATIONS]]
    more = len(outcome.violations) - len(told)
    text = " ".join(shown(each, 300).rstrip(".") + "." for each in told)
    return text + (f" And {more} more." if more > 0 else "")


def _hold_readers(calls: tuple[Call, ...], at: list[_Found]) -> None:
    """Hold back what reads from a call that is held back."""
    bearers: dict[str, int] = {}
    for position, call in enumerate(calls):
        for producer in sorted(_producers(call, bearers)):
            action = at[producer][0]
            if action in HELD and STRICTER[action] > STRICTER[at[position][0]]:
                held = f"it reads from {shown(calls[producer].name)}, which is held back: {at[producer][2]}"
                at[position] = (action, "reads_from", shown(held, MAX_FEEDBACK))
        if call.label is not None:
            bearers[call.label] = position


def _producers(call: Call, bearers: dict[str, int]) -> set[int]:
    """Return the positions of the calls that a call reads from."""
    return {
        bearers[slot.label]
        for source in call.arguments.values()
        for slot in slots_of(source)
        if isinstance(slot, Reference) and slot.label in bearers
    }


def _hold_writers(calls: tuple[Call, ...], at: list[_Found], catalog: Catalog) -> None:
    """Hold back what may change something after what may change something and is held back."""
    held: str | None = None
    for position, call in enumerate(calls):
        tool = catalog.by_name.get(call.name)
        if tool is not None and tool.effect == "read":
            continue
        if at[position][0] in HELD:
            held = held or call.name
        elif held is not None:
            at[position] = ("retry", "stands_after", f"{shown(held)} before it is held back.")
    _hold_readers(calls, at)


def may_run(
    agreed: Sequence, result: RepairResult, decided: tuple[CallDecision, ...], everything: bool
) -> tuple[Sequence, tuple[int | None, ...]]:
    """
    Return the calls that may run though others are held back, with the added ones that they read from.

    Beside them stands which given call each one came from, None for an added one. `everything` tells that
    nothing is held back.
    """
    wanted = {p for each in decided if each.outcome not in HELD for p in each.positions}
    bearers: dict[str, int] = {}
    reads: list[set[int]] = []
    for position, call in enumerate(agreed.calls):
        reads.append(_producers(call, bearers))
        if call.label is not None:
            bearers[call.label] = position
    for position in range(len(agreed.calls) - 1, -1, -1):
        if position in wanted:
            wanted |= reads[position]
    kept = range(len(agreed.calls)) if everything else sorted(wanted)
    owners = {position: each.call for each in decided for position in each.positions}
    calls = tuple(agreed.calls[position] for position in kept)
    ready = agreed if everything else Sequence(calls=calls, format=result.given.format)
    return ready, tuple(owners.get(position) for position in kept)


def feedback_of(
    result: RepairResult,
    decided: tuple[CallDecision, ...],
    kind: Literal["plain", "issues", "fix", "suggestions"],
    max_tokens: int,
    words: str | None,
) -> str:
    """Return what the model is told: a prompt to correct its calls, or call by call what is held back."""
    if all(each.outcome != "refuse" for each in decided):
        with contextlib.suppress(LimitError):
            text = result.prompt(kind, max_tokens=max_tokens, words=words)
            if text:
                return text
    lines = [
        f"call {each.call + 1} ({shown(each.tool)}): {each.feedback}" for each in decided if each.feedback
    ]
    return "\n".join(lines)[: min(MAX_MESSAGES, 4 * max_tokens)]


def with_fixes(decided: tuple[CallDecision, ...], result: RepairResult) -> tuple[CallDecision, ...]:
    """Return decisions whose feedback also says how to put right what is wrong, where a repair knows it."""
    fixes: dict[int, dict[str, None]] = {}  # in order, each once
    for diagnostic in result.diagnostics():
        if diagnostic.call is not None and diagnostic.fix:
            fixes.setdefault(diagnostic.call, {})[shown(diagnostic.fix, 300).rstrip(".") + "."] = None
    return tuple(
        replace(
            each,
            feedback=shown(
                f"{each.feedback} {' '.join(list(fixes[each.call])[:MAX_VIOLATIONS])}", MAX_FEEDBACK
            ),
        )
        if each.call in fixes and each.outcome == "retry" and each.reason in MENDABLE
        else each
        for each in decided
    )
