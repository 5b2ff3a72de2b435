"""What a model gets for the calls of a run: one text for each that it made, in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.errors import shown
from refract_asp.model import RepairResult
from refract_asp.runtime.failures import MAX_ERROR, error_text
from refract_asp.runtime.replies import Reply, reply_ids, text_of

if TYPE_CHECKING:
    from refract_asp.runtime.outcomes import CallOutcome, Run

__all__ = ["replies_of"]


def replies_of(run: Run) -> tuple[Reply, ...]:
    """
    Return one reply for each call of what was run; of a repair, for each call that was given.

    A call that a repair spread over several is answered by the list of their values, one that it left out by
    that of the call that stands for it. Calls that a repair added have no reply. A call without an id gets
    one by its number, which is that of no other call.

    Example:
        >>> from refract_asp.runtime import run
        >>> calls = [{"id": "c1", "function": {"name": "f", "arguments": "{}"}, "type": "function"}]
        >>> [reply.to_dict() for reply in run(calls, {"f": lambda: {"ok": True}}).replies]
        [{'role': 'tool', 'tool_call_id': 'c1', 'name': 'f', 'content': '{"ok": true}'}]
    """
    if run.repair is None:
        ids = reply_ids(enumerate(outcome.id for outcome in run.outcomes))
        return tuple(
            _reply(run, id, outcome.tool, (outcome,)) for id, outcome in zip(ids, run.outcomes, strict=True)
        )
    repair = run.repair
    found: list[Reply] = []
    ids = reply_ids((given.call, given.id) for given in repair.outcomes)
    for id, given in zip(ids, repair.outcomes, strict=True):
        positions = given.positions or _instead(repair, given.call)
        outcomes = tuple(run.outcomes[position] for position in positions if position < len(run.outcomes))
        tool = outcomes[0].tool if given.positions and outcomes else repair.given.calls[given.call].name
        found.append(_reply(run, id, tool, outcomes))
    return tuple(found)


def _instead(repair: RepairResult, call: int) -> tuple[int, ...]:
    """Return where the call stands that stands for one that was left out."""
    for edit in repair.edits:
        if (
            edit.kind == "delete_call"
            and edit.call == call
            and edit.instead is not None
            and edit.instead >= 0
        ):
            return repair.outcomes[edit.instead].positions
    return ()


def _reply(run: Run, id: str, tool: str, outcomes: tuple[CallOutcome, ...]) -> Reply:
    if not outcomes:
        return Reply(id, tool, f"{shown(tool, 60)} was not called: the calls do without it.")
    absent = next((outcome for outcome in outcomes if outcome.status != "succeeded"), None)
    if absent is None:
        value = outcomes[0].value if len(outcomes) == 1 else [outcome.value for outcome in outcomes]
        return Reply(id, tool, text_of(value, run.max_reply), value=value)
    if absent.failure is None:
        return Reply(id, tool, shown(f"{shown(tool, 60)} was not called: {absent.reason}", MAX_ERROR - 3))
    failure = absent.failure
    return Reply(id, tool, error_text(run.mapper, failure, lambda _: None), failure=failure)
