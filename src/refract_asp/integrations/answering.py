"""What the model gets for its calls after a decision: one text for each id, run or not."""

from __future__ import annotations

from refract_asp.integrations.decision import Decision
from refract_asp.runtime.outcomes import Run
from refract_asp.runtime.replies import Reply, reply_ids, text_of

__all__ = ["answers"]


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
