"""
A hook between a model and its tools: it lets calls pass, repairs them, sends them back or refuses them.

    hook = Hook(catalog, memory=memory)
    decision = hook(message["tool_calls"], conversation=thread)

Nothing passes by accident: whatever goes wrong inside is a refusal with an id that stands in the log.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from refract_asp.errors import FormatError, InputError, LimitError, UnknownFormatError, shown
from refract_asp.formats import dump_sequence, load_memory, load_sequence
from refract_asp.integrations.decision import Action, CallDecision, Decision, Policy, Reason
from refract_asp.integrations.filling import with_values
from refract_asp.integrations.verdicts import calls_of, feedback_of, may_run, with_fixes
from refract_asp.model import Memory, Sequence
from refract_asp.refractor import Refractor
from refract_asp.settings import choice, seconds, whole_number

__all__ = ["Hook"]

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
        options: what `Refractor` takes besides the catalog.

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
        **options: Any,
    ) -> None:
        """Compile the catalog, where it is not a `Refractor` already."""
        whole_number("max_retries", max_retries)
        whole_number("max_tokens", max_tokens, least=1, most=1_000_000)
        whole_number("max_conversations", max_conversations, least=1, most=10_000_000)
        choice("prompt", prompt, ("plain", "issues", "fix", "suggestions"))
        if isinstance(catalog, Refractor) and options:
            names = ", ".join(map(shown, options))
            raise InputError(
                f"a Refractor takes no more options: {names}.", hint="Give them to the Refractor."
            )
        if policy is not None and not isinstance(policy, Policy):
            raise InputError(f"policy cannot be {shown(type(policy).__name__)}.", hint="Give a Policy.")
        self.refractor = catalog if isinstance(catalog, Refractor) else Refractor(catalog, **options)
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
        """
        try:
            decision = self._decided(calls, memory, history, words)
            return self._counted(decision, conversation)
        except KeyboardInterrupt:
            raise
        except BaseException:  # nothing passes by accident, and a SystemExit of a memory ends no loop
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
        except LimitError as error:
            return _whole("refuse", "bounds", f"The calls are refused: {error}")
        except (FormatError, UnknownFormatError) as error:
            hint = (
                "" if isinstance(error, UnknownFormatError) else f" {error.hint}"
            )  # which lists all formats
            where = f"{error.where}: " if error.where else ""
            told = f"The calls cannot be read: {shown(where + error.what + hint, 500)}"
            return _whole(self.policy.on_unreadable, "unreadable", told)
        known = {**self._known().values, **load_memory(memory).values}
        try:
            result = self.refractor.repair(given, Memory(values=known), history, time_limit=self._time_limit)
        except LimitError as error:
            return _whole("refuse", "bounds", f"The calls are refused: {error}", given)
        if result.verdict == "unknown":
            late = _whole("refuse", "time", "The calls are refused: judging them took too long.", given)
            return replace(late, result=result)
        decided, (outcome, reason) = calls_of(result, self.refractor.catalog, self.policy)
        agreed = result.answer(confirmed=True)
        runs, owners = may_run(agreed, result, decided, outcome in ("pass", "repair"))
        ready = with_values(runs, known)
        decision = Decision(
            outcome, ready=ready, ready_calls=owners, calls=decided, reason=reason, result=result
        )
        if outcome == "pass":
            return replace(decision, sequence=given, data=calls)
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
        _log.exception("the hook refused calls after an error of its own", extra={"refusal": number})
        said = f"The calls are refused: they could not be judged. (id {number})"
        given = None
        try:
            given = load_sequence(calls)
        except KeyboardInterrupt:
            raise
        except BaseException:  # what cannot be read has no ids to answer
            _log.debug("the ids of the refused calls cannot be read", exc_info=True)
        return replace(_whole("refuse", "internal", said, given), id=number)


def _whole(outcome: Action, reason: Reason, feedback: str, given: Sequence | None = None) -> Decision:
    """Return the same decision for all calls."""
    calls = tuple(
        CallDecision(number, call.id, call.name, outcome, reason, feedback)
        for number, call in enumerate(given.calls if given is not None else ())
    )
    return Decision(outcome, calls=calls, reason=reason, feedback=feedback)


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
