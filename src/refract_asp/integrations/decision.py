"""What a hook decides about the calls of a model, and the policy by which it does."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from refract_asp.errors import InputError, shown
from refract_asp.model import RepairResult, Sequence
from refract_asp.runtime.failures import Reply, reply_ids, text_of
from refract_asp.runtime.outcomes import Run
from refract_asp.settings import choice

__all__ = ["STRICTER", "Action", "CallDecision", "Decision", "Judge", "Policy", "Reason", "answers"]

Action: TypeAlias = Literal["pass", "repair", "retry", "refuse"]
Reason: TypeAlias = Literal[
    "", "repaired", "asks", "confirms", "destructive", "unrepairable", "reads_from", "stands_after", "denied",
    "judged", "unreadable", "bounds", "time", "retries", "internal",
]  # fmt: skip
STRICTER: dict[Action, int] = {"pass": 0, "repair": 1, "retry": 2, "refuse": 3}
"""How strict each outcome is; the strictest of its calls is that of the whole."""


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
        if isinstance(self.deny, str) or not isinstance(self.deny, Collection):
            raise InputError(
                f"deny cannot be {shown(self.deny)!r}.", hint="Give a list of names of tools."
            )
        if self.judge is not None and not callable(self.judge):
            raise InputError(
                "judge is no function.", hint="It takes a CallDecision and a RepairResult."
            )

    def judged(self, decision: CallDecision, result: RepairResult) -> Action:
        """Return the outcome that the function gives, or the one that there is, whichever is stricter."""
        said = self.judge(decision, result) if self.judge is not None else None
        if said is None:
            return decision.outcome
        if said not in get_args(Action):
            raise InputError(
                f"judge gave {shown(said)!r}.", hint=f"Give one of {', '.join(STRICTER)}, or None."
            )
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
    given: dict[int, list[Reply]] = {}
    if run is not None:
        replies = dict(enumerate(run.replies))
        for place, call in enumerate(decision.ready_calls):
            if call is not None and place in replies:
                given.setdefault(call, []).append(replies[place])
    ids = reply_ids((call.call, call.id) for call in decision.calls)
    return tuple(
        _answer(ids[number], call.tool, call.feedback, given.get(call.call, []))
        for number, call in enumerate(decision.calls)
    )


def _answer(id: str, tool: str, feedback: str, given: list[Reply]) -> Reply:
    if not given:
        return Reply(id, tool, feedback or "Not run.")
    wrong = next((reply for reply in given if reply.is_error), None)
    if len(given) == 1 or wrong is not None:
        told = wrong or given[0]
        return Reply(id, tool, told.content, value=told.value, failure=told.failure)
    values = [reply.value for reply in given]
    return Reply(id, tool, text_of(values), value=values)
