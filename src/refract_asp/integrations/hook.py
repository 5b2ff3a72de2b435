"""
A hook between a model and its tools: it lets calls pass, repairs them, sends them back or refuses them.

    hook = Hook(catalog, memory=memory)
    decision = hook(message["tool_calls"], conversation=thread)

Nothing passes by accident: whatever goes wrong inside is a refusal with an id that stands in the log.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import uuid
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, Literal

from refract_asp.errors import (
    FormatError,
    InputError,
    LimitError,
    NotDataError,
    UnknownFormatError,
    shown,
)
from refract_asp.formats import dump_sequence, load_memory, load_sequence
from refract_asp.integrations.decision import (
    STRICTER,
    Action,
    CallDecision,
    Decision,
    Policy,
    Reason,
)
from refract_asp.integrations.filling import with_values
from refract_asp.model import Call, Catalog, Memory, RepairResult, Sequence
from refract_asp.model.result import NO_TIME, Outcome
from refract_asp.model.sources import Ask, Reference, slots_of
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.settings import choice, seconds, whole_number

__all__ = ["Hook", "calls_of", "feedback_of", "may_run", "with_fixes"]

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
            made = replace(
                made, outcome=judged, reason="judged", feedback="it is held back by policy."
            )
            for position in outcome.positions:
                at[position] = (judged, "judged", made.feedback)
        decided.append(made)
    _hold_readers(calls, at)
    _hold_writers(calls, at, catalog)
    told = tuple(_told(each, _worst([at[p] for p in each.positions])) for each in decided)
    whole = _worst(
        [(each.outcome, each.reason, "") for each in told] + at + _beside(result, policy)
    )
    return told, whole[:2]


def _beside(result: RepairResult, policy: Policy) -> list[_Found]:
    """Return what a repair means beside its calls, as of what the sequence gives back."""
    if result.verdict == "valid":
        return []
    found: list[_Found] = [(policy.on_repair, "repaired", "")]
    given_back = (
        slot for source in (result.sequence.returns or {}).values() for slot in slots_of(source)
    )
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
    found: list[_Found] = [
        (policy.on_repair, "repaired", f"a call of {shown(call.name)} is missing.")
    ]
    tool = catalog.by_name.get(call.name)
    if tool is not None and tool.effect == "destructive":
        found.append(
            (policy.on_destructive, "destructive", f"a call of {shown(call.name)} is missing.")
        )
    return _worst([*found, *_open(call, policy), *_denied(call.name, policy)])


def _given(
    outcome: Outcome, call: Call, result: RepairResult, catalog: Catalog, policy: Policy
) -> _Found:
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
        slot.name
        for source in call.arguments.values()
        for slot in slots_of(source)
        if isinstance(slot, Ask)
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
    given = result.given
    format = given.format if given.format != "plan" else None  # a plan would leave some out
    ready = (
        agreed
        if everything
        else Sequence(calls=calls, format=format, unlabelled=given.unlabelled, names=given.names)
    )
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
        f"call {each.call + 1} ({shown(each.tool)}): {each.feedback}"
        for each in decided
        if each.feedback
    ]
    return "\n".join(lines)[: min(MAX_MESSAGES, 4 * max_tokens)]


def with_fixes(decided: tuple[CallDecision, ...], result: RepairResult) -> tuple[CallDecision, ...]:
    """Return decisions whose feedback also says how to put right what is wrong, where a repair knows it."""
    fixes: dict[int, dict[str, None]] = {}  # in order, each once
    for diagnostic in result.diagnostics():
        if diagnostic.call is not None and diagnostic.fix:
            fixes.setdefault(diagnostic.call, {})[shown(diagnostic.fix, 300).rstrip(".") + "."] = (
                None
            )
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


MAX_CONVERSATIONS = 10_000
"""So many conversations are counted at once; of more the one that was heard of longest ago is forgotten."""
TIME_LIMIT = 5.0
MAX_TOKENS = 2_000

_log = logging.getLogger("refract_asp.integrations")


class Hook:
    """
    Decides what becomes of the calls that a model wrote; thread-safe, compiled once.

    Args:
        catalog: a `Refractor`, or a catalog as `Catalog.load` takes it.
        memory: values already known, as `Memory.load` takes them, or a function without arguments that gives
            them for each decision.
        policy: what is done with calls that are not right.
        max_retries: how often a conversation may be told to try again, one after the other; then it is
            refused, until calls of it pass.
        prompt: how much help the feedback gives, as `result.prompt` takes it.
        max_tokens: how long the feedback may be, about.
        time_limit: seconds for one decision; when they are over without an answer, the calls are refused.
            None for no limit.
        max_conversations: of how many conversations retries are counted.
        options: how calls are checked and repaired; not with a `Refractor`.
        keywords: single options by name, as of `Refractor`.

    Example:
        >>> amount = {"type": "number", "required": True}
        >>> tool = {"name": "Pay", "effect": "write", "parameters": {"amount": amount}}
        >>> hook = Hook({"tools": [tool]})
        >>> [hook(calls).outcome for calls in ("Pay(amount=3)", 'Pay(amount="3")', "Pay()")]
        ['pass', 'repair', 'retry']
        >>> print(hook('Pay(amount="3")').sequence)
        Pay(amount=3)
    """

    def __init__(
        self,
        catalog: Any,
        *,
        memory: Any = None,
        policy: Policy | None = None,
        max_retries: int = 2,
        prompt: Any = "suggestions",
        max_tokens: int = MAX_TOKENS,
        time_limit: float | None = TIME_LIMIT,
        max_conversations: int = MAX_CONVERSATIONS,
        options: RepairOptions | None = None,
        **keywords: Any,
    ) -> None:
        """Compile the catalog, where it is not a `Refractor` already."""
        whole_number("max_retries", max_retries)
        whole_number("max_tokens", max_tokens, least=1, most=1_000_000)
        whole_number("max_conversations", max_conversations, least=1, most=10_000_000)
        choice("prompt", prompt, ("plain", "issues", "fix", "suggestions"))
        if policy is not None and not isinstance(policy, Policy):
            raise InputError(
                f"policy cannot be {shown(type(policy).__name__)}.", hint="Give a Policy."
            )
        self.refractor = Refractor.of(catalog, options, **keywords)
        self.policy = policy or Policy()
        self.max_retries = max_retries
        self._memory = memory if callable(memory) else load_memory(memory)
        self._prompt = prompt
        self._max_tokens = max_tokens
        self._time_limit = seconds(time_limit)
        self._max_conversations = max_conversations
        self._retries: OrderedDict[Hashable, int] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(
        self,
        calls: Any,
        *,
        conversation: Hashable | None = None,
        memory: Any = None,
        history: Any = (),
        words: str | None = None,
    ) -> Decision:
        """
        Decide what becomes of calls.

        Args:
            calls: what the model wrote, as anything that `Sequence.load` takes: a message, its tool calls, a
                text.
            conversation: by which retries are counted; None counts nothing, and the caller sets an end.
            memory: values known in this conversation, besides those of the hook.
            history: calls that were already executed.
            words: what the user asked for, which the feedback repeats.

        Raises:
            NotDataError: the calls or the history hold something that no model writes, such as a function or
                a set; it is a `TypeError`. The model could not mend that.
        """
        try:
            decision = self._decided(calls, memory, history, words)
            return self._counted(decision, conversation)
        except (KeyboardInterrupt, NotDataError):
            raise
        except (
            BaseException
        ):  # nothing passes by accident, and a SystemExit of a memory ends no loop
            return self._refused(calls)

    async def decide_async(self, calls: Any, **inputs: Any) -> Decision:
        """Do what a call of the hook does in a thread, so that an event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self, calls, **inputs)

    def forget(self, conversation: Hashable) -> None:
        """Forget the retries of a conversation that is over."""
        with self._lock:
            self._retries.pop(conversation, None)

    # -- steps -----------------------------------------------------------------

    def _decided(self, calls: Any, memory: Any, history: Any, words: str | None) -> Decision:
        try:
            given = load_sequence(calls)
            if _is_flat(given):
                given = given.model_copy(update={"unlabelled": True})
        except LimitError as error:
            return _whole("refuse", "bounds", f"The calls are refused: {error}")
        except NotDataError:
            raise
        except (FormatError, UnknownFormatError) as error:
            hint = (
                "" if isinstance(error, UnknownFormatError) else f" {error.hint}"
            )  # which lists all formats
            where = f"{error.where}: " if error.where else ""
            told = f"The calls cannot be read: {shown(where + error.what + hint, 500)}"
            return _whole(self.policy.on_unreadable, "unreadable", told)
        known = {**self._known().values, **load_memory(memory).values}
        try:
            result = self.refractor.repair(
                given, Memory(values=known), history, time_limit=self._time_limit
            )
        except LimitError as error:
            return _whole("refuse", "bounds", f"The calls are refused: {error}", given)
        if result.verdict == "unknown":
            reason: Reason = "time" if result.note == NO_TIME else "internal"
            unjudged = _whole("refuse", reason, f"The calls are refused: {result.note}.", given)
            return replace(unjudged, result=result)
        decided, (outcome, reason) = calls_of(result, self.refractor.catalog, self.policy)
        agreed = result.answer(confirmed=True)
        runs, owners = may_run(agreed, result, decided, outcome in ("pass", "repair"))
        ready = with_values(runs, known)
        decision = Decision(
            outcome, ready=ready, ready_calls=owners, calls=decided, reason=reason, result=result
        )
        if outcome == "pass":
            return replace(decision, sequence=result.given, data=calls)
        if outcome == "repair":
            return replace(decision, sequence=agreed, data=_as_given(ready, calls))
        decided = with_fixes(decided, result)
        feedback = feedback_of(result, decided, self._prompt, self._max_tokens, words)
        return replace(decision, calls=decided, feedback=feedback)

    def _known(self) -> Memory:
        return load_memory(self._memory() if callable(self._memory) else self._memory)

    def _counted(self, decision: Decision, conversation: Hashable | None) -> Decision:
        """Count a retry of a conversation, and refuse where there were enough."""
        if conversation is None:
            return decision
        with self._lock:
            if decision.outcome in ("pass", "repair"):
                self._retries.pop(conversation, None)
            if decision.outcome != "retry":
                return decision
            count = self._retries.pop(conversation, 0) + 1
            self._retries[conversation] = min(count, self.max_retries + 1)
            while len(self._retries) > self._max_conversations:
                self._retries.popitem(last=False)
        if count <= self.max_retries:
            return decision
        said = f"The calls are refused: they were wrong {count} times, one after the other."
        calls = tuple(
            replace(each, outcome="refuse", reason="retries") if each.outcome == "retry" else each
            for each in decision.calls
        )
        return replace(decision, outcome="refuse", reason="retries", feedback=said, calls=calls)

    def _refused(self, calls: Any) -> Decision:
        """Refuse after an error that nobody foresaw; the log says which."""
        number = uuid.uuid4().hex[:12]
        _log.exception(
            "the hook refused calls after an error of its own", extra={"refusal": number}
        )
        said = f"The calls are refused: they could not be judged. (id {number})"
        given = None
        try:
            given = load_sequence(calls)
        except KeyboardInterrupt:
            raise
        except BaseException:  # what cannot be read has no ids to answer
            _log.debug("the ids of the refused calls cannot be read", exc_info=True)
        return replace(_whole("refuse", "internal", said, given), id=number)


def _whole(
    outcome: Action, reason: Reason, feedback: str, given: Sequence | None = None
) -> Decision:
    """Return the same decision for all calls."""
    calls = tuple(
        CallDecision(number, call.id, call.name, outcome, reason, feedback)
        for number, call in enumerate(given.calls if given is not None else ())
    )
    return Decision(outcome, calls=calls, reason=reason, feedback=feedback)


def _is_flat(sequence: Sequence) -> bool:
    """Whether these are calls of a model that has no labels, though the format could hold them."""
    if sequence.format != "nestful" or sequence.asks or sequence.returns is not None:
        return False
    return all(
        isinstance(call.written, dict) and "label" not in call.written for call in sequence.calls
    )


def _as_given(sequence: Sequence, calls: Any) -> Any:
    """Return a repaired sequence in the format in which the calls came in."""
    if isinstance(calls, Sequence):
        return sequence
    if isinstance(calls, list | tuple) and sequence.format is None:
        return list(sequence.calls)
    try:
        return dump_sequence(sequence)
    except FormatError:
        return None
