"""
A hook between a model and its tools: it lets calls pass, repairs them, sends them back or refuses them.

    hook = Hook(catalog, memory=memory)
    decision = hook(message["tool_calls"], conversation=thread)

Nothing passes by accident: whatever goes wrong inside is a refusal with an id that stands in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import Any

from refract_asp.errors import (
    FormatError,
    InputError,
    LimitError,
    NotDataError,
    UnknownFormatError,
    shown,
)
from refract_asp.formats import dump_sequence, load_memory, load_sequence
from refract_asp.formats.values import DECODER, UnreadableError
from refract_asp.integrations import events
from refract_asp.integrations.decisions import (
    HELD,
    Action,
    CallDecision,
    Decision,
    Policy,
    Reason,
    ToolCall,
    Validation,
    plain_call,
)
from refract_asp.integrations.shapes import Shapes
from refract_asp.integrations.verdicts import Judging, violations_text
from refract_asp.model import Call, Memory, RepairResult, Sequence
from refract_asp.model.result import NO_TIME
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.runtime.scripts import with_values
from refract_asp.settings import choice, function, refuse, seconds, whole_number

__all__ = ["Hook"]

MAX_CONVERSATIONS = 10_000
"""So many conversations are counted at once; of more the one that was heard of longest ago is forgotten."""
TIME_LIMIT = 5.0
# Tokens of a prompt that asks a model for its calls again.
MAX_TOKENS = 2_000
MAX_WARMED = 40
"""So many tools are looked at before the first decision."""

MAX_LIKE = 10
"""So many calls of one message are compared with calls that passed."""
MAX_LIKE_TEXT = 100_000
"""Characters of the arguments of such a call."""

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
        time_limit: seconds for one decision. When they are over before a repair was found, the model is told
            what is wrong; when they are over before that is known, the calls are refused. None for no limit.
        on_decision: is given every `Decision`, before it is given back; what it raises stands in the log, and
            changes nothing.
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
        on_decision: Callable[[Decision], object] | None = None,
        options: RepairOptions | None = None,
        **keywords: Any,
    ) -> None:
        """Compile the catalog, where it is not a `Refractor` already."""
        whole_number("max_retries", max_retries)
        whole_number("max_tokens", max_tokens, least=1, most=1_000_000)
        choice("prompt", prompt, ("plain", "issues", "fix", "suggestions"))
        if policy is not None and not isinstance(policy, Policy):
            refuse("policy", type(policy).__name__, "Give a Policy.")
        self.refractor = Refractor.of(catalog, options, **keywords)
        self.policy = policy or Policy()
        self.max_retries = max_retries
        function("on_decision", on_decision, "It takes a Decision.")
        self.on_decision = on_decision
        self._memory = memory if callable(memory) else load_memory(memory)
        self._prompt, self._max_tokens = prompt, max_tokens
        self._time_limit = seconds(time_limit)
        events.prepare()
        self._retries: OrderedDict[Hashable, int] = OrderedDict()
        self._lock = threading.Lock()
        self._shapes = Shapes(self.refractor)

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
            InputError: the memory, the history or the words that the program gives cannot be such.
            TypeError: the conversation cannot be hashed.
        """
        began = perf_counter()
        hash(conversation)
        if words is not None and not isinstance(words, str):
            refuse("words", type(words).__name__, "Give what the user said.")
        known, past = load_memory(memory).values, load_sequence(history or [])
        try:
            decided = self._decided(calls, known, past, words)
            decision = self._counted(decided, conversation)
        except (KeyboardInterrupt, NotDataError):
            raise
        except LimitError as error:
            decision = _refused(calls, "bounds", f"The calls are refused: {error}")
        except BaseException:
            # Nothing passes by accident, and a SystemExit of a memory ends no loop.
            number = uuid.uuid4().hex[:12]
            said = "the hook refused calls after an error of its own"
            _log.exception(said, extra={"refusal": number})
            text = f"The calls are refused: they could not be judged. (id {number})"
            decision = replace(_refused(calls, "internal", text), id=number)
        if decision.outcome == "pass" and not (self._is_watched or known or past.calls):
            self._keep(calls, decision)
        events.tell(decision, perf_counter() - began, self.on_decision)
        return decision

    def passes(self, calls: Any) -> bool:
        """
        Whether plain calls surely pass, as they are of the same kind as calls that did: in a fraction of the time.

        It is told as every decision is. False says nothing: then the hook has to be called. So it is always
        where the memory, the policy or a function of the program have a say.

        Example:
            >>> amount = {"type": "number", "required": True}
            >>> hook = Hook({"tools": [{"name": "Pay", "effect": "write", "parameters": {"amount": amount}}]})
            >>> first, like, wrong = ([ToolCall("a", "Pay", {"amount": each})] for each in (1, 2, "3"))
            >>> hook.passes(first), hook(first).outcome, hook.passes(like), hook.passes(wrong)
            (False, 'pass', True, False)
        """
        began = perf_counter()
        runs = [] if self._is_watched else _read(_plain(calls))
        if not 0 < len(runs) <= MAX_LIKE:
            return False
        named = [(run.name, run.arguments) for run in runs]
        is_known = len(runs) == 1 and self._shapes.has(*named[0])
        if not is_known and not self._shapes.has_stated(
            named, lambda: load_sequence(_as_messages(runs))
        ):
            return False
        made = tuple(
            CallDecision(number, run.id, run.name, "pass", positions=(number,), runs=(run,))
            for number, run in enumerate(runs)
        )
        events.tell(Decision("pass", data=calls, calls=made), perf_counter() - began, None)
        return True

    async def decide_async(self, calls: Any, **inputs: Any) -> Decision:
        """Do what a call of the hook does in a thread, so that an event loop goes on."""
        return await asyncio.to_thread(self, calls, **inputs)

    def validate(self, output: Any, *, memory: Any = None, history: Any = ()) -> Validation:
        """
        Judge an output as validators in the style of requirements do: passed, the reason, the corrected output.

        It counts no retries: the framework that calls it does. Arguments and errors are those of a call of
        the hook.

        Example:
            >>> amount = {"type": "number", "required": True}
            >>> tool = {"name": "Pay", "effect": "write", "parameters": {"amount": amount}}
            >>> given = [{"name": "Pay", "arguments": {"amount": "3"}}]
            >>> tuple(Hook({"tools": [tool]}).validate(given))
            (False, 'amount should be number, not "3".', [{'name': 'Pay', 'arguments': {'amount': 3}}])
        """
        decision = self(output, memory=memory, history=history)
        reason = decision.feedback
        if decision.outcome == "repair" and decision.result is not None:
            reason = "\n".join(filter(None, map(violations_text, decision.result.outcomes)))
        corrected = decision.data if decision.outcome == "repair" else None
        return Validation(decision.outcome == "pass", reason, corrected)

    def warm(self) -> Hook:
        """
        Do what the first decisions would have to wait for: load modules, compile rules and schemas.

        Each of the first 40 tools is called in a wrong way and the answer thrown away; nothing is logged,
        counted or run.

        Returns:
            The hook itself, so that it can be made and warmed in one line.
        """
        for tool in islice(self.refractor.catalog.tools, MAX_WARMED):
            required = [each.name for each in tool.parameters.values() if each.required]
            values = dict.fromkeys(tool.parameters, "")
            for name, arguments in (
                (tool.name, values),
                (tool.name, dict.fromkeys(required[1:], "")),
                (f"{tool.name}_", {**values, "_": 0}),
            ):
                wrong = [ToolCall("id", name, arguments)]
                with contextlib.suppress(InputError):
                    given = load_sequence(_as_messages(wrong))
                    result = self.refractor.repair(given, time_limit=self._time_limit)
                    self._judged(result, {}, wrong, None)
        gc.collect()  # else it may fall into the first decision
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process is made of: the lock is its own, and it counts anew."""
        return {**vars(self), "_lock": None, "_retries": OrderedDict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what another process sent."""
        vars(self).update(state, _lock=threading.Lock())
        events.prepare()

    # -- steps -----------------------------------------------------------------

    @property
    def _is_watched(self) -> bool:
        """Whether more than the rules has a say in what passes, or wants to know of it."""
        known = callable(self._memory) or self._memory.values
        looks = self.policy.judge is not None or self.policy.deny
        return bool(known or looks or self.on_decision is not None)

    def _decided(
        self, calls: Any, memory: dict[str, Any], history: Sequence, words: str | None
    ) -> Decision:
        try:
            given = load_sequence(_as_messages(calls))
        except (FormatError, UnknownFormatError) as error:
            if isinstance(error, NotDataError):
                raise
            # the hint of an unknown format lists all formats
            hint = "" if isinstance(error, UnknownFormatError) else f" {error.hint}"
            where = f"{error.where}: " if error.where else ""
            told = f"The calls cannot be read: {shown(where + error.what + hint, 500)}"
            return _whole(self.policy.on_unreadable, "unreadable", told)
        is_plain = given.format == "nestful" and not given.asks and given.returns is None
        written = [call.written for call in given.calls]
        if is_plain and all(isinstance(each, dict) and "label" not in each for each in written):
            # calls of a model that has no labels, though the format could hold them
            given = given.model_copy(update={"unlabelled": True})
        own = load_memory(self._memory() if callable(self._memory) else self._memory)
        known = {**given.results, **own.values, **memory}
        limit = self._time_limit
        result = self.refractor.repair(given, Memory(values=known), history, time_limit=limit)
        # what was found to be wrong in time is told, though no repair was found
        if result.note and not (result.note == NO_TIME and result.unresolved):
            reason: Reason = "time" if result.note == NO_TIME else "internal"
            unjudged = _whole(
                "refuse", reason, f"The calls are refused: {result.note}.", given.calls
            )
            return replace(unjudged, result=result)
        return self._judged(result, known, calls, words)

    def _keep(self, calls: Any, decision: Decision) -> None:
        """Note of which kind plain calls are that passed."""
        runs = _read(_plain(calls))
        if decision.result is None or not 0 < len(runs) <= MAX_LIKE:
            return
        named = [(run.name, run.arguments) for run in runs]
        if len(runs) == 1:
            self._shapes.keep(*named[0])
        self._shapes.keep_stated(named, decision.result._handle.instance)

    def _judged(
        self, result: RepairResult, known: dict[str, Any], calls: Any, words: str | None
    ) -> Decision:
        """Decide on a repair of the calls."""
        judging = Judging(result, self.refractor.catalog, self.policy)
        decided, outcome, reason = judging.decided()
        agreed = runs = result.answer(confirmed=True)
        kept = list(range(len(agreed.calls)))
        if outcome in HELD:  # then what may run nevertheless, with all that it reads from
            wanted = {p for each in decided if each.outcome not in HELD for p in each.positions}
            for position in reversed(kept):
                wanted |= judging.reads[position] if position in wanted else set()
            kept = sorted(wanted)
            own_format = result.given.format
            runs = Sequence(
                calls=tuple(agreed.calls[position] for position in kept),
                format=None if own_format == "plan" else own_format,  # a plan would leave some out
                unlabelled=result.given.unlabelled,
                names=result.given.names,
            )
        owners = {position: each.call for each in decided for position in each.positions}
        ready, ready_calls = with_values(runs, known), tuple(map(owners.get, kept))
        decided = _with_runs(decided, dict(zip(kept, ready.calls, strict=True)))
        decision = Decision(outcome, None, None, ready, ready_calls, decided, "", reason, result)
        if outcome == "pass":
            return replace(decision, sequence=result.given, data=calls)
        if outcome == "repair":
            return replace(decision, sequence=agreed, data=_as_given(ready, calls))
        told = "\n".join(
            f"call {call.call + 1} ({shown(call.tool)}): {call.feedback}"
            for call in decided
            if call.feedback
        )[: 4 * self._max_tokens]
        if all(call.outcome != "refuse" for call in decided):
            with contextlib.suppress(LimitError):
                limit = self._max_tokens
                told = (
                    result.prompt(self._prompt, max_tokens=limit, words=words, supply=True) or told
                )
        return replace(decision, feedback=told)

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
            while len(self._retries) > MAX_CONVERSATIONS:
                self._retries.popitem(last=False)
        if count <= self.max_retries:
            return decision
        said = f"The calls are refused: they were wrong {count} times, one after the other."
        calls = tuple(
            replace(each, outcome="refuse", reason="retries") if each.outcome == "retry" else each
            for each in decision.calls
        )
        return replace(decision, outcome="refuse", reason="retries", feedback=said, calls=calls)


def _whole(
    outcome: Action, reason: Reason, feedback: str, given: tuple[Call, ...] = ()
) -> Decision:
    """Return the same decision for all calls."""
    calls = tuple(
        CallDecision(number, call.id, call.name, outcome, reason, feedback)
        for number, call in enumerate(given)
    )
    return Decision(outcome, calls=calls, reason=reason, feedback=feedback)


def _refused(calls: Any, reason: Reason, feedback: str) -> Decision:
    """Refuse calls, each under its id where it can be read."""
    given: tuple[Call, ...] = ()
    try:
        given = load_sequence(_as_messages(calls)).calls
    except KeyboardInterrupt:
        raise
    except BaseException:  # what cannot be read has no ids to answer
        _log.debug("the ids of the refused calls cannot be read", exc_info=True)
    return _whole("refuse", reason, feedback, given)


def _as_given(sequence: Sequence, calls: Any) -> Any:
    """Return a repaired sequence in the format in which the calls came in."""
    if isinstance(calls, Sequence):
        return sequence
    if _plain(calls):
        found = [plain_call(call) for call in sequence.calls]
        return None if None in found else found
    if isinstance(calls, list | tuple) and sequence.format is None:
        return list(sequence.calls)
    with contextlib.suppress(FormatError):
        return dump_sequence(sequence)
    return None


# -- plain calls -----------------------------------------------------------------------


def _plain(calls: Any) -> list[ToolCall]:
    """Return plain calls; nothing where they are something else."""
    several = [calls] if isinstance(calls, ToolCall) else calls
    is_list = isinstance(several, list | tuple)
    return [*several] if is_list and all(isinstance(each, ToolCall) for each in several) else []


def _read(calls: list[ToolCall]) -> list[ToolCall]:
    """Return plain calls with the arguments that their texts surely say; none where one may be read otherwise."""
    found = []
    for call in calls:
        arguments = call.arguments
        if isinstance(arguments, str):
            with contextlib.suppress(UnreadableError, ValueError, RecursionError):
                arguments = DECODER.decode(arguments) if len(arguments) <= MAX_LIKE_TEXT else None
        if type(arguments) is not dict or type(call.name) is not str:
            return []
        found.append(call._replace(arguments=arguments))
    return found


def _as_messages(calls: Any) -> Any:
    """Return plain calls as those of a message; everything else as it is."""
    called = [(each.id, {"name": each.name, "arguments": each.arguments}) for each in _plain(calls)]
    return [{"id": id, "type": "function", "function": each} for id, each in called] or calls


def _with_runs(
    decided: tuple[CallDecision, ...], ready: dict[int, Call]
) -> tuple[CallDecision, ...]:
    """Return decisions with the plain calls that may be run for each, of those by position in `ready`."""
    found = []
    for each in decided:
        held = each.outcome in HELD or not ready.keys() >= set(each.positions)
        calls = [] if held else [plain_call(ready[position]) for position in each.positions]
        runs = [
            call._replace(id=each.id if not number else call.id)
            for number, call in enumerate(calls)
            if call is not None
        ]
        found.append(replace(each, runs=tuple(runs)) if len(runs) == len(calls) else each)
    return tuple(found)
