"""What a hook decides: an outcome for the calls of a model, one for each of them, and the policy behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from refract_asp.model import Call, RepairResult, Sequence
from refract_asp.model.sequence import constants_of
from refract_asp.runtime.outcomes import Run
from refract_asp.runtime.replies import Reply, reply_ids, text_of
from refract_asp.settings import choice, function, tool_names

__all__ = ["CallDecision", "Decision", "Policy", "ToolCall", "Validation", "answers"]

Action: TypeAlias = Literal["pass", "repair", "retry", "refuse"]
Reason: TypeAlias = Literal[
    "", "repaired", "asks", "confirms", "destructive", "unrepairable", "reads_from", "stands_after", "denied",
    "judged", "unreadable", "bounds", "time", "retries", "internal",
]  # fmt: skip
STRICTER: dict[Action, int] = {"pass": 0, "repair": 1, "retry": 2, "refuse": 3}
"""How strict each outcome is; the strictest of its calls is that of the whole."""
HELD = ("retry", "refuse")
"""The outcomes with which a call may not run."""


class ToolCall(NamedTuple):
    """
    A call as plain data, whatever the framework: what a hook takes, and what it says is to be run.

    Attributes:
        id: by which its result is given back to the model, or None.
        name: the tool.
        arguments: the values by parameter; also the JSON text of them, as models write it, on the way in.

    Example:
        >>> from refract_asp.integrations import Hook
        >>> amount = {"type": "number", "required": True}
        >>> hook = Hook({"tools": [{"name": "Pay", "effect": "write", "parameters": {"amount": amount}}]})
        >>> hook([ToolCall("c1", "Pay", '{"amount": "3"}')]).calls[0].runs
        (ToolCall(id='c1', name='Pay', arguments={'amount': 3}),)
    """

    id: str | None
    name: str
    arguments: Any


def plain_call(call: Call, id: str | None = None) -> ToolCall | None:
    """Return a call as plain data, or None where it reads what another one has to give first."""
    values = constants_of(call.arguments)
    if len(values) < len(call.arguments):
        return None
    return ToolCall(call.id if id is None else id, call.name, values)


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
            whole: `unreadable`, beyond `bounds`, out of `time` before anything is known to be wrong, `retries`
            used up, an `internal` error.
        feedback: what to answer under its id where it is not run; empty where it may be.
        positions: its indexes in the repaired sequence; none where it was left out.
        runs: what is to be run for it, as plain calls, the first one under its id; several where it was
            spread over a list. None where it is held back, or reads what another call has to give first.
    """

    call: int
    id: str | None
    tool: str
    outcome: Action
    reason: Reason = ""
    feedback: str = ""
    positions: tuple[int, ...] = ()
    runs: tuple[ToolCall, ...] = ()


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


class Validation(NamedTuple):
    """
    What validators in the style of requirements answer: see `Hook.validate`.

    Attributes:
        passed: whether the output may be used as it is.
        reason: what is wrong, and what to send instead; empty where it passed.
        corrected: the repaired output, in the form in which it came; None where it passed, or where a value
            has to be asked for, an edit confirmed, or no repair was found.
    """

    passed: bool
    reason: str = ""
    corrected: Any = None

    def __bool__(self) -> bool:
        """Return whether it passed."""
        return self.passed


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
        on_unrepairable: a call that cannot be mended, or not in time: "retry", or "refuse".
        on_unreadable: calls of which no format can be made out: "retry", or "refuse".
        on_sibling: a right call that may change something, behind such a one that is held back: "run" it or
            "hold" it. By default ("auto") it runs where the calls of a message have no order, in formats
            without labels (OpenAI, Anthropic, Gemini, LangChain, MCP), and is held where they have one.
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
    on_sibling: Literal["auto", "run", "hold"] = "auto"
    deny: Collection[str] = ()
    judge: Judge | None = None

    def __post_init__(self) -> None:
        """Refuse what no policy can be."""
        for name in ("on_repair", "on_confirm", "on_destructive"):
            choice(name, getattr(self, name), ("repair", "retry", "refuse"))
        for name in ("on_ask", "on_unrepairable", "on_unreadable"):
            choice(name, getattr(self, name), ("retry", "refuse"))
        choice("on_sibling", self.on_sibling, ("auto", "run", "hold"))
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
        call_3 Not run: Add requires x. Add x (number, required).
        call_4 Not run: Add before it is held back. Send it again after that.
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
