"""
What becomes of each call of a model, after its repair and under a policy.

A model whose calls are not run is answered in words: what is wrong, and what to send in place of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from refract_asp.errors import meant, shown
from refract_asp.integrations.decisions import HELD, STRICTER, Action, CallDecision, Policy, Reason
from refract_asp.model import Call, Catalog, RepairResult, Violation
from refract_asp.model.result import AskFor, Outcome
from refract_asp.model.sequence import Ask, constants_of, slots_of
from refract_asp.model.stages import needs_of
from refract_asp.report.edits import supply_text
from refract_asp.report.secrets import without_secrets

MAX_FEEDBACK = 1_000
"""The most characters of the feedback about one call."""
MAX_VIOLATIONS = 5
"""The most mistakes that the feedback about one call lists."""
MAX_CALL = 500
"""Characters of a call that is told to be sent; of a longer one the changes are told."""
MAX_TOOLS = 20
"""So many tools are named where a call names none of them."""
_PLACE = re.compile(r"( cannot be read: )(?:[\w.\[\]/-]*[\]/.][\w.\[\]/-]*(?:, line \d+)?: )+")


class Words:
    """
    Says what to send in place of calls that are not run; every text is bounded, and shows no secret.

    Args:
        result: the repair of the calls.
        catalog: the tools that may be called.
    """

    def __init__(self, result: RepairResult, catalog: Catalog) -> None:
        """Hide what is secret in the result."""
        self._result = without_secrets(result)
        self._is_open = self._result is result
        self._tools = catalog.by_name
        self._diagnostics = result.diagnostics()

    def to_send(self, made: CallDecision) -> str:
        """Say what the model is to send in place of a call, in sentences; empty where nobody knows."""
        given, asks = self._result.given.calls[made.call], self._asks(made)
        if given.name not in self._tools and made.reason == "unrepairable":
            if near := self._result.suggestions.get(made.call, ()):
                return f"Nearest: {', '.join(map(shown, near))}."
            return meant("", self._tools, "Tools", MAX_TOOLS)
        proposed = self._proposed(made) if not asks and made.reason != "unrepairable" else ""
        if proposed:
            is_unsure = made.reason in ("confirms", "destructive")
            return f"{'If that is what you mean, send' if is_unsure else 'Send'} {proposed}"
        about = [each for each in self._diagnostics if each.call == made.call and each.fix]
        fixes = (
            str(each.fix)
            for each in about
            if not isinstance(getattr(each.edit, "after", None), Ask)
        )
        texts = (*map(sentence, dict.fromkeys(fixes)), *map(supply_text, asks))
        return " ".join(islice(texts, MAX_VIOLATIONS))

    def _asks(self, made: CallDecision) -> list[AskFor]:
        return [each for each in self._result.asks if each.call in made.positions]

    def _proposed(self, made: CallDecision) -> str:
        """Return the calls that a repair makes of one, as JSON; empty where they cannot be sent so."""
        calls = [self._result.sequence.calls[position] for position in made.positions]
        if not self._is_open or not calls:
            return ""
        texts = []
        for call in calls:
            values = constants_of(call.arguments)
            if len(values) < len(call.arguments):
                return ""
            written = json.dumps(values, ensure_ascii=False, default=str)
            texts.append(f"{shown(call.name)} with {shown(written, MAX_CALL + 1)}")
        text = " and ".join(texts)
        return f"{text}." if len(text) <= MAX_CALL else ""


def sentence(text: str) -> str:
    """Return a text of one line that ends as a sentence."""
    return shown(text, 300).rstrip(".") + "."


def violations_text(outcome: Outcome) -> str:
    """Return what is wrong with a call, as sentences."""
    told = [sentence(_message(each)) for each in outcome.violations[:MAX_VIOLATIONS]]
    more = len(outcome.violations) - len(told)
    return " ".join(told) + (f" And {more} more." if more else "")


def _message(violation: Violation) -> str:
    """Return what is wrong, for somebody who knows nothing of files and cannot ask for a call."""
    if violation.code != "malformed_arguments":
        return violation.message
    message = _PLACE.sub(r"\1", violation.message, count=1)
    return message.replace("Ask for the call again", "Send the whole call again")


MENDABLE = ("repaired", "asks", "confirms", "destructive", "unrepairable")
"""Reasons that lie in the call itself, so that the model can mend it."""


class Found(NamedTuple):
    """What becomes of a call, why, and what is wrong with it."""

    outcome: Action = "pass"
    reason: Reason = ""
    told: str = ""


def worst(found: Iterable[Found]) -> Found:
    """Return the strictest of what was found; without any a call passes."""
    return max(found, key=lambda each: STRICTER[each.outcome], default=Found())


class Judging:
    """
    Finds out what becomes of each given call.

    It is that of the calls of the repaired sequence which it became, or of those which it reads from if they
    are held back; and, where calls have an order, nothing that may change something runs after such a one
    that is held back.
    """

    def __init__(self, result: RepairResult, catalog: Catalog, policy: Policy) -> None:
        """Judge each call of the repaired sequence by itself."""
        self._result, self._policy, self._tools = result, policy, catalog.by_name
        self._calls = result.sequence.calls
        self._told_of = cache(lambda: Words(result, catalog))
        self._at = dict(enumerate(map(self._alone, self._calls)))
        """What becomes of each call of the repaired sequence, by its position."""
        self.reads = needs_of(result.sequence)
        """The positions of the calls from which each of them reads."""

    def decided(self) -> tuple[tuple[CallDecision, ...], Action, Reason]:
        """Return what becomes of each given call, and of all of them together."""
        result, policy, at = self._result, self._policy, self._at
        decided: list[CallDecision] = []
        for outcome in result.outcomes:
            for position in outcome.positions:
                at[position] = self._alone(self._calls[position], outcome)
            alone = worst(at[position] for position in outcome.positions)
            if not outcome.positions:  # it was left out
                alone = Found(policy.on_repair, "repaired", violations_text(outcome))
            name = result.given.calls[outcome.call].name
            made = CallDecision(outcome.call, outcome.id, name, *alone, outcome.positions)
            judged = policy.judged(made, result)
            if judged != made.outcome:
                held = Found(judged, "judged", "it is held back by policy.")
                made = CallDecision(outcome.call, outcome.id, name, *held, outcome.positions)
                at |= dict.fromkeys(outcome.positions, held)
            decided.append(made)
        self._hold_readers()
        unordered = result.given.unlabelled
        if policy.on_sibling == "hold" or (policy.on_sibling == "auto" and not unordered):
            self._hold_writers()
            self._hold_readers()
        told = tuple(map(self._told, decided))
        found = [*(Found(each.outcome, each.reason) for each in told), *at.values()]
        if result.verdict != "valid":  # what the repair means beside its calls
            found.append(Found(policy.on_repair, "repaired"))
            returned = chain.from_iterable(map(slots_of, (result.sequence.returns or {}).values()))
            if any(isinstance(slot, Ask) for slot in returned):
                found.append(Found(policy.on_ask, "asks"))
            if result.verdict == "unrepairable":
                found.append(Found(policy.on_unrepairable, "unrepairable"))
        strictest = worst(found)
        return told, strictest.outcome, strictest.reason

    def _alone(self, call: Call, outcome: Outcome | None = None) -> Found:
        """Return what becomes of a call by itself; without an outcome it is one that the repair added."""
        policy = self._policy
        given, wrong = call.name, ""
        said = f"a call of {shown(call.name)} is missing."
        if outcome is not None:
            given = self._result.given.calls[outcome.call].name
            wrong = said = violations_text(outcome)
        found = [
            Found("refuse", "denied", f"{shown(name)} may not be called.")
            for name in (given, call.name)
            if name in policy.deny
        ]
        if outcome is not None and outcome.verdict == "unrepairable":
            found.append(Found(policy.on_unrepairable, "unrepairable", said))
        elif outcome is None or outcome.edits or outcome.violations:
            found.append(Found(policy.on_repair, "repaired", said))
            tool = self._tools.get(call.name)
            is_destructive = tool is not None and tool.effect == "destructive"
            if is_destructive and (outcome is None or outcome.edits):
                found.append(Found(policy.on_destructive, "destructive", said))
        slots = chain.from_iterable(map(slots_of, call.arguments.values()))
        asked = dict.fromkeys(shown(slot.name) for slot in slots if isinstance(slot, Ask))
        if asked:
            told = wrong or f"nobody knows its {shown(', '.join(asked), 300)}."
            found.append(Found(policy.on_ask, "asks", told))
        if call.confirms:
            found.append(Found(policy.on_confirm, "confirms", wrong))
        return worst(found)

    def _hold_readers(self) -> None:
        """Hold back what reads from a call that is held back."""
        at = self._at
        for position in at:
            for producer in sorted(self.reads[position]):
                outcome, _, told = at[producer]
                if outcome in HELD and STRICTER[outcome] > STRICTER[at[position].outcome]:
                    name = shown(self._calls[producer].name)
                    held = f"it reads from {name}, which is held back: {told}"
                    at[position] = Found(outcome, "reads_from", shown(held, MAX_FEEDBACK))

    def _hold_writers(self) -> None:
        """Hold back what may change something behind what may change something and is held back."""
        held = ""
        for position, call in enumerate(self._calls):
            tool = self._tools.get(call.name)
            if tool is not None and tool.effect == "read":
                continue
            if self._at[position].outcome in HELD:
                held = held or call.name
            elif held:
                told = f"{shown(held)} before it is held back. Send it again after that."
                self._at[position] = Found("retry", "stands_after", told)

    def _told(self, made: CallDecision) -> CallDecision:
        """Return a decision with what its place in the sequence adds to it, and with its feedback."""
        outcome, reason, told = worst(self._at[position] for position in made.positions)
        if STRICTER[outcome] > STRICTER[made.outcome]:
            made = replace(made, outcome=outcome, reason=reason, feedback=told)
        if made.outcome not in HELD and made.positions:
            return replace(made, feedback="")
        said = {"refuse": "Refused", "retry": "Not run"}.get(made.outcome, "Left out")
        told = f"{said}: {made.feedback}"
        if made.outcome == "retry" and made.reason in MENDABLE:
            told = f"{told} {self._told_of().to_send(made)}"
        return replace(made, feedback=shown(told.strip(), MAX_FEEDBACK))
