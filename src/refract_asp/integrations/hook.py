"""
A hook between a model and its tools: it lets calls pass, repairs them, sends them back or refuses them.

    hook = Hook(catalog, memory=memory)
    decision = hook(message["tool_calls"], conversation=thread)

Nothing passes by accident: whatever goes wrong inside is a refusal with an id that stands in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, TypeAlias

from refract_asp.errors import FormatError, LimitError, NotDataError, UnknownFormatError, shown
from refract_asp.formats import dump_sequence, load_memory, load_sequence
from refract_asp.model import Call, Catalog, Memory, RepairResult, Sequence
from refract_asp.model.result import NO_TIME, Outcome
from refract_asp.model.sequence import Ask, slots_of
from refract_asp.model.stages import needs_of
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.runtime.failures import Reply, reply_ids, text_of
from refract_asp.runtime.outcomes import Run
from refract_asp.runtime.scripts import with_values
from refract_asp.settings import choice, function, refuse, seconds, tool_names, whole_number

__all__ = ["CallDecision", "Decision", "Hook", "Policy", "answers"]

MAX_FEEDBACK = 1_000
"""Characters of what is told of one call."""
MAX_VIOLATIONS = 5
"""So many mistakes of one call are told under its id."""
MAX_CONVERSATIONS = 10_000
"""So many conversations are counted at once; of more the one that was heard of longest ago is forgotten."""
TIME_LIMIT = 5.0
MAX_TOKENS = 2_000

Action: TypeAlias = Literal["pass", "repair", "retry", "refuse"]
Reason: TypeAlias = Literal[
    "", "repaired", "asks", "confirms", "destructive", "unrepairable", "reads_from", "stands_after", "denied",
    "judged", "unreadable", "bounds", "time", "retries", "internal",
]  # fmt: skip
STRICTER: dict[Action, int] = {"pass": 0, "repair": 1, "retry": 2, "refuse": 3}
"""How strict each outcome is; the strictest of its calls is that of the whole."""
HELD = ("retry", "refuse")
"""The outcomes with which a call may not run."""
MENDABLE = ("repaired", "asks", "confirms", "destructive", "unrepairable")
"""Reasons that lie in the call itself, so that the model can mend it."""

_log = logging.getLogger("refract_asp.integrations")


@dataclass(frozen=True, slots=True)
class CallDecision:
    """
    What becomes of one call of the model, so that every id gets its own answer.

    Attributes:
        call: its index among the calls that came in, from 0.
        id: its id, in formats that have ids.
        tool: the tool that it names.
        outcome: "pass" and "repair" calls may be run, the others not.
        reason: why it does not simply pass: `repaired`; `asks` or `confirms` are open; an edit touches what
            is `destructive`; `unrepairable`; it `reads_from` a call that is held back, or `stands_after` one
            and both may change something; `denied`; the policy's function `judged` so; of the input as a
            whole: `unreadable`, beyond `bounds`, out of `time`, `retries` used up, an `internal` error.
        feedback: what to answer under its id where it is not run; empty where it may be.
        positions: its indexes in the repaired sequence; none where it was left out.
    """

    call: int
    id: str | None
    tool: str
    outcome: Action
    reason: Reason = ""
    feedback: str = ""
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """
    What is to be done with the calls of a model.

    Attributes:
        outcome: "pass": run them as they are; "repair": run `sequence` in place of them; "retry": give the
            model `feedback`; "refuse": stop.
        sequence: what is to be run, where the outcome is "pass" or "repair", else None.
        data: the same in the format in which the calls came in: the very object that was given where it
            passes; of a repair `ready`. None where there is nothing to run, or the format cannot say it.
        ready: the calls that may run, with those added for them, though others are held back. Arguments that
            read from memory stand with their values; references between the calls stay.
        ready_calls: for each call of `ready` the index of the call of the model that it came from, or None
            for one that was added.
        calls: what becomes of each call.
        feedback: what the model is to be told; empty where everything may run.
        reason: that of the strictest call.
        result: the repair behind it, or None where there is none.
        id: by which the log tells more of an internal error, else empty.
    """

    outcome: Action
    sequence: Sequence | None = None
    data: Any = None
    ready: Sequence = field(default_factory=Sequence)
    ready_calls: tuple[int | None, ...] = ()
    calls: tuple[CallDecision, ...] = ()
    feedback: str = ""
    reason: Reason = ""
    result: RepairResult | None = None
    id: str = ""


Judge: TypeAlias = Callable[[CallDecision, RepairResult], Action | None]


@dataclass(frozen=True, slots=True)
class Policy:
    """
    What a hook does with calls that are not simply right.

    Attributes:
        on_repair: a call that can be repaired: run it repaired ("repair"), have the model correct it
            ("retry"), or stop ("refuse").
        on_ask: a call that needs a value which nobody knows: "retry", or "refuse".
        on_confirm: a repair that is risky: "retry", "refuse", or "repair", which takes it as agreed to.
        on_destructive: a repair that adds a call of a destructive tool or changes one: "retry", "refuse",
            or "repair", which treats it as any other.
        on_unrepairable: a call that cannot be mended: "retry", or "refuse".
        on_unreadable: calls of which no format can be made out: "retry", or "refuse".
        deny: tools whose calls are refused, whether the model named them or a repair would.
        judge: looks at each call besides, and gives an outcome or None; the stricter one counts, so that it
            can hold back what would run and never run what is held back.
    """

    on_repair: Action = "repair"
    on_ask: Action = "retry"
    on_confirm: Action = "retry"
    on_destructive: Action = "retry"
    on_unrepairable: Action = "retry"
    on_unreadable: Action = "retry"
    deny: Collection[str] = ()
    judge: Judge | None = None

    def __post_init__(self) -> None:
        """Refuse what no policy can be."""
        for name in ("on_repair", "on_confirm", "on_destructive"):
            choice(name, getattr(self, name), ("repair", "retry", "refuse"))
        for name in ("on_ask", "on_unrepairable", "on_unreadable"):
            choice(name, getattr(self, name), ("retry", "refuse"))
        tool_names("deny", self.deny)
        function("judge", self.judge, "It takes a CallDecision and a RepairResult.")

    def judged(self, decision: CallDecision, result: RepairResult) -> Action:
        """Return the outcome that the function gives, or the one that there is, whichever is stricter."""
        said = self.judge(decision, result) if self.judge is not None else None
        if said is None:
            return decision.outcome
        choice("what judge gives", said, (*STRICTER, None))
        return max(said, decision.outcome, key=STRICTER.__getitem__)


def answers(decision: Decision, run: Run | None = None) -> tuple[Reply, ...]:
    """
    Return one reply for each call that the model made, in its order.

    A call that was run is answered by what it gave, or what went wrong; one that was held back or left out
    by its feedback; one that was spread over several by all that they gave. Calls that the repair added have
    no reply. A call without an id is answered as `call_1`, `call_2`, ... by its place.

    Args:
        decision: what the hook decided.
        run: what `refract_asp.runtime.run(decision.ready, ...)` gave, or None where nothing was run.

    Example:
        >>> from refract_asp.integrations import Hook
        >>> from refract_asp.runtime import run
        >>> amount = {"type": "number", "required": True}
        >>> tool = {"name": "Add", "effect": "write", "parameters": {"x": amount}}
        >>> decision = Hook({"tools": [tool]})('Add(x=1)\\nAdd(x="2")\\nAdd()\\nAdd(x=3)')
        >>> done = run(decision.ready, {"Add": lambda x: x + 1})
        >>> for reply in answers(decision, done):
        ...     print(reply.tool_call_id, reply.content)
        call_1 2
        call_2 3
        call_3 Not run: Add requires x. Ask for x.
        call_4 Not run: Add before it is held back.
    """
    given: dict[int | None, list[Reply]] = defaultdict(list)
    replies = run.replies if run is not None else ()
    for owner, reply in zip(decision.ready_calls, replies, strict=False):
        given[owner].append(reply)
    found = []
    ids = reply_ids((call.call, call.id) for call in decision.calls)
    for id, call in zip(ids, decision.calls, strict=True):
        own = given[call.call]
        wrong = [reply for reply in own if reply.is_error]
        if not own:
            found.append(Reply(id, call.tool, call.feedback or "Not run."))
        elif wrong or len(own) == 1:
            found.append(replace((wrong or own)[0], tool_call_id=id, name=call.tool))
        else:
            values = [reply.value for reply in own]
            found.append(Reply(id, call.tool, text_of(values), value=values))
    return tuple(found)


# -- the calls of one decision ---------------------------------------------------------


class _Found(NamedTuple):
    """What becomes of a call, why, and what is wrong with it."""

    outcome: Action = "pass"
    reason: Reason = ""
    told: str = ""


def _worst(found: Iterable[_Found]) -> _Found:
    return max(found, key=lambda each: STRICTER[each.outcome], default=_Found())


class _Judging:
    """
    Finds out what becomes of each given call.

    It is that of the calls of the repaired sequence which it became, or of those which it reads from if they
    are held back; and nothing that may change something runs after such a one that is held back.
    """

    def __init__(self, result: RepairResult, catalog: Catalog, policy: Policy) -> None:
        self._result, self._policy, self._tools = result, policy, catalog.by_name
        self._calls = result.sequence.calls
        self._diagnostics = cache(result.diagnostics)
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
            alone = _worst(at[position] for position in outcome.positions)
            if not outcome.positions:  # it was left out
                alone = _Found(policy.on_repair, "repaired", _violations(outcome))
            name = result.given.calls[outcome.call].name
            made = CallDecision(outcome.call, outcome.id, name, *alone, outcome.positions)
            judged = policy.judged(made, result)
            if judged != made.outcome:
                held = _Found(judged, "judged", "it is held back by policy.")
                made = CallDecision(outcome.call, outcome.id, name, *held, outcome.positions)
                at |= dict.fromkeys(outcome.positions, held)
            decided.append(made)
        self._hold_readers()
        self._hold_writers()
        self._hold_readers()
        told = tuple(map(self._told, decided))
        found = [*(_Found(each.outcome, each.reason) for each in told), *at.values()]
        if result.verdict != "valid":  # what the repair means beside its calls
            found.append(_Found(policy.on_repair, "repaired"))
            returned = chain.from_iterable(map(slots_of, (result.sequence.returns or {}).values()))
            if any(isinstance(slot, Ask) for slot in returned):
                found.append(_Found(policy.on_ask, "asks"))
            if result.verdict == "unrepairable":
                found.append(_Found(policy.on_unrepairable, "unrepairable"))
        worst = _worst(found)
        return told, worst.outcome, worst.reason

    def _alone(self, call: Call, outcome: Outcome | None = None) -> _Found:
        """Return what becomes of a call by itself; without an outcome it is one that the repair added."""
        policy = self._policy
        given, wrong = call.name, ""
        said = f"a call of {shown(call.name)} is missing."
        if outcome is not None:
            given = self._result.given.calls[outcome.call].name
            wrong = said = _violations(outcome)
        found = [
            _Found("refuse", "denied", f"{shown(name)} may not be called.")
            for name in (given, call.name)
            if name in policy.deny
        ]
        if outcome is not None and outcome.verdict == "unrepairable":
            near = () if given in self._tools else self._result.suggestions.get(outcome.call, ())
            hint = f" Nearest: {', '.join(map(shown, near))}." if near else ""
            found.append(_Found(policy.on_unrepairable, "unrepairable", said + hint))
        elif outcome is None or outcome.edits or outcome.violations:
            found.append(_Found(policy.on_repair, "repaired", said))
            tool = self._tools.get(call.name)
            is_destructive = tool is not None and tool.effect == "destructive"
            if is_destructive and (outcome is None or outcome.edits):
                found.append(_Found(policy.on_destructive, "destructive", said))
        slots = chain.from_iterable(map(slots_of, call.arguments.values()))
        asked = dict.fromkeys(shown(slot.name) for slot in slots if isinstance(slot, Ask))
        if asked:
            told = wrong or f"nobody knows its {shown(', '.join(asked), 300)}."
            found.append(_Found(policy.on_ask, "asks", told))
        if call.confirms:
            told = f"{wrong} What was meant is not sure.".strip()
            found.append(_Found(policy.on_confirm, "confirms", told))
        return _worst(found)

    def _hold_readers(self) -> None:
        """Hold back what reads from a call that is held back."""
        at = self._at
        for position in at:
            for producer in sorted(self.reads[position]):
                outcome, _, told = at[producer]
                if outcome in HELD and STRICTER[outcome] > STRICTER[at[position].outcome]:
                    name = shown(self._calls[producer].name)
                    held = f"it reads from {name}, which is held back: {told}"
                    at[position] = _Found(outcome, "reads_from", shown(held, MAX_FEEDBACK))

    def _hold_writers(self) -> None:
        """Hold back what may change something after what may change something and is held back."""
        held = ""
        for position, call in enumerate(self._calls):
            tool = self._tools.get(call.name)
            if tool is not None and tool.effect == "read":
                continue
            if self._at[position].outcome in HELD:
                held = held or call.name
            elif held:
                told = f"{shown(held)} before it is held back."
                self._at[position] = _Found("retry", "stands_after", told)

    def _told(self, made: CallDecision) -> CallDecision:
        """Return a decision with what its place in the sequence adds to it, and with its feedback."""
        outcome, reason, told = _worst(self._at[position] for position in made.positions)
        if STRICTER[outcome] > STRICTER[made.outcome]:
            made = replace(made, outcome=outcome, reason=reason, feedback=told)
        if made.outcome not in HELD and made.positions:
            return replace(made, feedback="")
        said = {"refuse": "Refused", "retry": "Not run"}.get(made.outcome, "Left out")
        is_mendable = made.outcome == "retry" and made.reason in MENDABLE
        about = (each for each in self._diagnostics() if each.fix and each.call == made.call)
        fixes = dict.fromkeys(_sentence(str(each.fix)) for each in about) if is_mendable else ()
        told = " ".join((f"{said}: {made.feedback}", *islice(fixes, MAX_VIOLATIONS)))
        return replace(made, feedback=shown(told, MAX_FEEDBACK))


def _violations(outcome: Outcome) -> str:
    """Return what is wrong with a call, as one text."""
    told = [_sentence(each.message) for each in outcome.violations[:MAX_VIOLATIONS]]
    more = len(outcome.violations) - len(told)
    return " ".join(told) + (f" And {more} more." if more else "")


def _sentence(text: str) -> str:
    return shown(text, 300).rstrip(".") + "."


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
        self._memory = memory if callable(memory) else load_memory(memory)
        self._prompt, self._max_tokens = prompt, max_tokens
        self._time_limit = seconds(time_limit)
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
            return self._counted(self._decided(calls, memory, history, words), conversation)
        except (KeyboardInterrupt, NotDataError):
            raise
        except LimitError as error:
            return _refused(calls, "bounds", f"The calls are refused: {error}")
        except BaseException:
            # Nothing passes by accident, and a SystemExit of a memory ends no loop.
            number = uuid.uuid4().hex[:12]
            said = "the hook refused calls after an error of its own"
            _log.exception(said, extra={"refusal": number})
            text = f"The calls are refused: they could not be judged. (id {number})"
            return replace(_refused(calls, "internal", text), id=number)

    async def decide_async(self, calls: Any, **inputs: Any) -> Decision:
        """Do what a call of the hook does in a thread, so that an event loop goes on."""
        return await asyncio.to_thread(self, calls, **inputs)

    # -- steps -----------------------------------------------------------------

    def _decided(self, calls: Any, memory: Any, history: Any, words: str | None) -> Decision:
        try:
            given = load_sequence(calls)
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
        known = {**given.results, **own.values, **load_memory(memory).values}
        limit = self._time_limit
        result = self.refractor.repair(given, Memory(values=known), history, time_limit=limit)
        if result.note:
            reason: Reason = "time" if result.note == NO_TIME else "internal"
            unjudged = _whole("refuse", reason, f"The calls are refused: {result.note}.", given)
            return replace(unjudged, result=result)
        return self._judged(result, known, calls, words)

    def _judged(
        self, result: RepairResult, known: dict[str, Any], calls: Any, words: str | None
    ) -> Decision:
        """Decide on a repair of the calls."""
        judging = _Judging(result, self.refractor.catalog, self.policy)
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
                told = result.prompt(self._prompt, max_tokens=limit, words=words) or told
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
    outcome: Action, reason: Reason, feedback: str, given: Sequence | None = None
) -> Decision:
    """Return the same decision for all calls."""
    calls = tuple(
        CallDecision(number, call.id, call.name, outcome, reason, feedback)
        for number, call in enumerate(given.calls if given is not None else ())
    )
    return Decision(outcome, calls=calls, reason=reason, feedback=feedback)


def _refused(calls: Any, reason: Reason, feedback: str) -> Decision:
    """Refuse calls, each under its id where it can be read."""
    given = None
    try:
        given = load_sequence(calls)
    except KeyboardInterrupt:
        raise
    except BaseException:  # what cannot be read has no ids to answer
        _log.debug("the ids of the refused calls cannot be read", exc_info=True)
    return _whole("refuse", reason, feedback, given)


def _as_given(sequence: Sequence, calls: Any) -> Any:
    """Return a repaired sequence in the format in which the calls came in."""
    if isinstance(calls, Sequence):
        return sequence
    if isinstance(calls, list | tuple) and sequence.format is None:
        return list(sequence.calls)
    with contextlib.suppress(FormatError):
        return dump_sequence(sequence)
    return None
