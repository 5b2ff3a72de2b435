"""What became of the calls of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from refract_asp.errors import ToolError
from refract_asp.model import Catalog, Memory, RepairResult, Sequence
from refract_asp.runtime.failures import Failure, Mapper, default_mapper

if TYPE_CHECKING:
    from refract_asp.model.secret_names import SecretRule
    from refract_asp.runtime.replies import Reply

__all__ = ["CallOutcome", "Event", "EventKind", "Run", "Status"]

Status: TypeAlias = Literal["succeeded", "failed", "skipped", "open"]
"""
What became of a call: it gave a value; it gave an error; it was not made, as another one gave no value or the
time was over; or something has to be asked or confirmed first.
"""

EventKind: TypeAlias = Literal["started", "retried", "finished", "failed", "skipped", "open"]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Event:
    """
    Something that happened in a run.

    Attributes:
        kind: what happened; each call has one of finished, failed, skipped or open as its last event.
        number: the number of the call, from 0.
        tool: the tool that is called.
        label: the label of the call, or None.
        id: the id of the call, or None.
        seconds: time since the run began.
        error: what went wrong, or None.
    """

    kind: EventKind
    number: int
    tool: str
    label: str | None
    id: str | None
    seconds: float
    error: ToolError | None = None

    def as_data(self) -> dict[str, Any]:
        """Return the event as data that JSON can hold."""
        return {
            "kind": self.kind,
            "number": self.number,
            "tool": self.tool,
            "label": self.label,
            "id": self.id,
            "seconds": round(self.seconds, 6),
            "error": _error_data(self.error),
        }


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """
    What became of one call.

    Attributes:
        number: the number of the call in the order of the sequence, from 0.
        tool: the tool that it calls.
        label: its label, or None.
        id: its id, or None.
        status: what became of it.
        value: what it gave, a JSON value; None where it gave none.
        error: why it gave none, where it was made or refused; else None.
        reason: why it was not made, as a sentence, or the empty text.
        seconds: how long it took, all attempts together; None where it was not made.
        attempts: how often it was made.
        failure: the error with the id under which the log has it, or None.
    """

    number: int
    tool: str
    label: str | None
    id: str | None
    status: Status
    value: Any = None
    error: ToolError | None = None
    reason: str = ""
    seconds: float | None = None
    attempts: int = 0
    failure: Failure | None = field(default=None, repr=False)

    def as_data(self) -> dict[str, Any]:
        """Return the outcome as data that JSON can hold."""
        return {
            "number": self.number,
            "tool": self.tool,
            "label": self.label,
            "id": self.id,
            "status": self.status,
            "value": self.value,
            "error": _error_data(self.error),
            "error_id": None if self.failure is None else self.failure.id,
            "reason": self.reason,
            "seconds": None if self.seconds is None else round(self.seconds, 6),
            "attempts": self.attempts,
        }


@dataclass(frozen=True)
class Run:
    """
    What a run gave.

    Attributes:
        outcomes: what became of each call, in the order of the calls.
        result: what the plan or the sequence gives back, else the value of the last call; None where a call
            that it needs gave no value, see `has_result`.
        has_result: whether there is a result.
        error: why there is none although all that it needs is there, or None.
        unanswered: which value that stands in the result was asked for in vain, as a sentence, or empty.
        events: what happened, in order.
        seconds: how long the run took.
        timed_out: whether its time was over before all calls were.
        notes: remarks on what was read, as what of a plan was mended.
        before: what was known before the run.
        sequence: the sequence that was run, or None for a plan.
        repair: the repair whose sequence was run, or None.
        catalog: the tools' specification, or None.
        mapper: says what a model is told of a failure.
        max_reply: characters of a reply, or None for all.
        secrets: says which values no text for readers shows, or None for those that are secret by their names
            and schemas.

    Example:
        >>> from refract_asp.runtime import run
        >>> done = run('a = add(x=1, y=2)\\nadd(x="$a$", y=4)', {"add": lambda x, y: x + y})
        >>> done.succeeded, done.values, done.result
        (True, {'a': 3}, 7)
    """

    outcomes: tuple[CallOutcome, ...]
    result: Any = None
    has_result: bool = False
    error: ToolError | None = None
    unanswered: str = ""
    events: tuple[Event, ...] = ()
    seconds: float = 0.0
    timed_out: bool = False
    notes: tuple[str, ...] = ()
    before: Memory = field(default_factory=Memory, repr=False)
    sequence: Sequence | None = field(default=None, repr=False)
    repair: RepairResult | None = field(default=None, repr=False)
    catalog: Catalog | None = field(default=None, repr=False)
    mapper: Mapper = field(default=default_mapper, repr=False)
    max_reply: int | None = field(default=None, repr=False)
    secrets: SecretRule | None = field(default=None, repr=False)

    @property
    def succeeded(self) -> bool:
        """Whether every call gave a value, and the whole a result."""
        return self.has_result and all(outcome.status == "succeeded" for outcome in self.outcomes)

    @property
    def is_open(self) -> bool:
        """Whether something has to be asked or confirmed before the rest can run."""
        return bool(self.unanswered) or any(outcome.status == "open" for outcome in self.outcomes)

    @cached_property
    def values(self) -> dict[str, Any]:
        """What the calls gave, by label; of a label that stands twice the last value that there is."""
        return {
            outcome.label: outcome.value
            for outcome in self.outcomes
            if outcome.label is not None and outcome.status == "succeeded"
        }

    @cached_property
    def memory(self) -> Memory:
        """What is known after the run: what was known before, and what the calls gave, by label."""
        return Memory(values={**self.before.values, **self.values})

    @cached_property
    def replies(self) -> tuple[Reply, ...]:
        """One answer for a model per call that it made, in the order in which it made them."""
        from refract_asp.runtime.answers import replies_of

        return replies_of(self)

    def model_dump(self) -> dict[str, Any]:
        """Return all of it as data that JSON can hold; secrets are in it, as it is data."""
        return {
            "schema_version": SCHEMA_VERSION,
            "succeeded": self.succeeded,
            "is_open": self.is_open,
            "timed_out": self.timed_out,
            "seconds": round(self.seconds, 6),
            "has_result": self.has_result,
            "result": self.result,
            "error": _error_data(self.error),
            "values": dict(self.values),
            "unanswered": self.unanswered,
            "notes": list(self.notes),
            "outcomes": [outcome.as_data() for outcome in self.outcomes],
            "events": [event.as_data() for event in self.events],
            "sequence": None if self.sequence is None else self.sequence.model_dump(mode="json"),
        }

    def summary(self, *, color: bool = False, width: int = 80) -> str:
        """Print what became of each call and the result, for a reader; secrets are hidden."""
        from refract_asp.runtime.summary import run_text

        return run_text(self, color=color, width=width)


def _error_data(error: ToolError | None) -> dict[str, str] | None:
    return None if error is None else {"kind": error.kind, "tool": error.tool, "message": str(error)}
