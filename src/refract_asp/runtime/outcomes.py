"""What became of the calls of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

from refract_asp.errors import LONGEST_TEXT, ToolError, shown
from refract_asp.model import Call, Catalog, Memory, RepairResult, Sequence
from refract_asp.model.secrets import SecretRule, Secrets
from refract_asp.report.terminal import Style, count, escaped, folded, painted
from refract_asp.report.text import wrapped
from refract_asp.runtime import replies
from refract_asp.runtime.arguments import MAX_ERROR
from refract_asp.runtime.replies import Failure, Mapper, Reply, default_mapper

Status: TypeAlias = Literal["succeeded", "failed", "skipped", "open"]
"""
What became of a call: it gave a value; it gave an error; it was not made, as another one gave no value or the
time was over; or something has to be asked for or confirmed first.
"""

EventKind: TypeAlias = Literal["started", "retried", "finished", "failed", "skipped", "open"]

SCHEMA_VERSION = 1


def _data(item: Event | CallOutcome) -> dict[str, Any]:
    """Return an event or an outcome as data, its fields in their order."""
    found = {each.name: getattr(item, each.name) for each in fields(item)}
    found["error"] = _error_data(item.error)
    if isinstance(item, CallOutcome):
        failure = found.pop("failure")
        found["error_id"] = failure and failure.id
    if item.seconds is not None:
        found["seconds"] = round(item.seconds, 6)
    return found


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
        mapper: says what a model reads about a failure.
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
        """Whether something has to be asked for or confirmed before the rest can run."""
        return bool(self.unanswered) or any(outcome.status == "open" for outcome in self.outcomes)

    @cached_property
    def values(self) -> dict[str, Any]:
        """What the calls gave, by label; of a label that stands twice the last value that there is."""
        succeeded = (outcome for outcome in self.outcomes if outcome.status == "succeeded")
        return {each.label: each.value for each in succeeded if each.label is not None}

    @cached_property
    def memory(self) -> Memory:
        """What is known after the run: what was known before, and what the calls gave, by label."""
        return Memory(values={**self.before.values, **self.values})

    @cached_property
    def replies(self) -> tuple[Reply, ...]:
        """
        One answer for a model per call that it made, in the order in which it made them.

        A call that a repair spread over several is answered by the list of their values, one that it left out
        by that of the call that stands for it. Calls that a repair added have no reply. A call without an id
        gets one by its number, which is that of no other call.
        """
        if self.repair is None:
            ids = replies.reply_ids(enumerate(outcome.id for outcome in self.outcomes))
            pairs = zip(ids, self.outcomes, strict=True)
            found = [self._reply(id, each.tool, (each,)) for id, each in pairs]
            if self.sequence is None:
                return tuple(found)
            return _as_written(found, self.sequence.format, self.sequence.calls)
        repair = self.repair
        instead = {
            edit.call: repair.outcomes[edit.instead].positions
            for edit in reversed(repair.edits)
            if edit.kind == "delete_call" and edit.instead is not None and edit.instead >= 0
        }
        found = []
        ids = replies.reply_ids((given.call, given.id) for given in repair.outcomes)
        for id, given in zip(ids, repair.outcomes, strict=True):
            positions = given.positions or instead.get(given.call, ())
            outcomes = tuple(self.outcomes[each] for each in positions if each < len(self.outcomes))
            is_made = given.positions and outcomes
            tool = outcomes[0].tool if is_made else repair.given.calls[given.call].name
            found.append(self._reply(id, tool, outcomes))
        calls = [repair.given.calls[given.call] for given in repair.outcomes]
        return _as_written(found, repair.given.format, calls)

    def _reply(self, id: str, tool: str, outcomes: tuple[CallOutcome, ...]) -> Reply:
        name = shown(tool, 60)
        if not outcomes:
            return Reply(id, tool, f"{name} was not called: the calls do without it.")
        absent = next((outcome for outcome in outcomes if outcome.status != "succeeded"), None)
        if absent is None:
            values = [outcome.value for outcome in outcomes]
            value = values[0] if len(values) == 1 else values
            return Reply(id, tool, replies.text_of(value, self.max_reply), value=value)
        if absent.failure is None:
            text = shown(f"{name} was not called: {absent.reason}", MAX_ERROR - 3)
            return Reply(id, tool, text)
        text = replies.error_text(self.mapper, absent.failure, lambda _: None, self._secrets)
        return Reply(id, tool, text, failure=absent.failure)

    def model_dump(self) -> dict[str, Any]:
        """Return all of it as data that JSON can hold; secrets are in it, as it is data."""
        as_they_are = ("succeeded", "is_open", "timed_out", "has_result", "result", "unanswered")
        return {
            "schema_version": SCHEMA_VERSION,
            **{name: getattr(self, name) for name in as_they_are},
            "seconds": round(self.seconds, 6),
            "error": _error_data(self.error),
            "values": dict(self.values),
            "notes": list(self.notes),
            "outcomes": list(map(_data, self.outcomes)),
            "events": list(map(_data, self.events)),
            "sequence": None if self.sequence is None else self.sequence.model_dump(mode="json"),
        }

    def summary(self, *, color: bool = False, width: int = 80) -> str:
        """
        Print what became of each call and the result, for a reader; secrets are hidden.

        Prose is wrapped at `width` columns, 40 to 120.

        Example:
            >>> from refract_asp.runtime import run
            >>> print(run('a = f(x=1)', {"g": print}).summary())
            failed: none of 1 call succeeded, 1 failed.
            <BLANKLINE>
            call 1  a = f  failed
                unknown_tool: there is no tool 'f'. There are: g.
        """
        number = Counter(outcome.status for outcome in self.outcomes)
        total = count(len(self.outcomes), "call")
        parts = [f"{number['succeeded'] or 'none'} of {total} succeeded"]
        parts += [f"{number[each]} {each}" for each in get_args(Status)[1:] if number[each]]
        is_only_open = self.is_open and not number["failed"]
        word = "timeout" if self.timed_out else "open" if is_only_open else "failed"
        style: Style = "yellow" if word == "open" else "red"
        if self.succeeded:
            word, parts, style = "succeeded", [total], "green"
        blocks = [wrapped(word, f"{', '.join(parts)}.", width, color, style)]
        blocks.append(self._table(color, width))
        blocks.append("\n".join(wrapped("note", note, width, color) for note in self.notes))
        if why := str(self.error or self.unanswered):
            blocks.append(wrapped("no result", why, width, color, "red"))
        elif self.has_result:
            blocks.append(f"{painted('result:', 'bold', color=color)} {self._result()}")
        return "\n\n".join(block for block in blocks if block)

    def _table(self, color: bool, width: int) -> str:
        """Print a line for each call, and below it why it gave nothing."""
        listed = list(self.outcomes)
        if len(listed) > _MOST:
            listed = [outcome for outcome in listed if outcome.status != "succeeded"][:_MOST]
        pairs = [filter(None, (outcome.label, outcome.tool)) for outcome in listed]
        names = [" = ".join(shown(each, _LONGEST_NAME) for each in pair) for pair in pairs]
        numbers, space = len(f"call {len(self.outcomes)}"), max(map(len, names), default=0)
        lines = []
        for outcome, name in zip(listed, names, strict=True):
            head = f"{f'call {outcome.number + 1}':<{numbers}}  {name:<{space}}"
            word = painted(outcome.status, _STYLES[outcome.status], color=color)
            more = "" if outcome.seconds is None else f"  {duration(outcome.seconds)}"
            more += f", {outcome.attempts} attempts" if outcome.attempts > 1 else ""
            lines.append(f"{head}  {word}{more}")
            why = outcome.reason
            if outcome.error is not None:
                why = str(outcome.error)
                if outcome.failure is not None:
                    why = replies.text_without_arguments(why, outcome.failure, self._secrets)
                why = f"{outcome.error.kind}: {shown(why, LONGEST_TEXT)}"
            if why:
                limit = max(40, min(width, 120))
                lines.append(folded(shown(why, LONGEST_TEXT + 40), limit, "    "))
        return "\n".join(lines)

    def _result(self) -> str:
        """Return the result as JSON, bounded, without what is secret in it."""
        value = self._secrets.value([""], [""], self.result)
        last = self.outcomes[-1] if self.outcomes else None
        if last is not None and last.value == self.result:
            own = replies.result_secrets(self.catalog, self.secrets)
            value = own.value([last.tool], [last.tool], value)
        text = json.dumps(value, indent=2, ensure_ascii=False)
        if len(text) > _LONGEST_RESULT:
            cut = f"... (the first {_LONGEST_RESULT} of {len(text)} characters)"
            text = f"{text[:_LONGEST_RESULT]}\n{cut}"
        return escaped(text, keep="\n")

    @property
    def _secrets(self) -> Secrets:
        if self.repair is not None and self.secrets is None:
            return self.repair._secrets
        tools: dict[str, Any] = self.catalog.by_name if self.catalog is not None else {}
        return Secrets(self.secrets, tools.get)


def _as_written(given: list[Reply], format: Any, calls: Iterable[Call]) -> tuple[Reply, ...]:
    """Return replies with the format of their calls, and the calls as they were written."""
    pairs = zip(given, calls, strict=True)
    return tuple(replace(reply, format=format or "", entry=call.written) for reply, call in pairs)


def _error_data(error: ToolError | None) -> dict[str, str] | None:
    if error is None:
        return None
    return {"kind": error.kind, "tool": error.tool, "message": str(error)}


_COLORS: tuple[Style, ...] = ("green", "red", "cyan", "yellow")
_STYLES = dict(zip(get_args(Status), _COLORS, strict=True))
_MOST = 200
"""So many calls are listed one by one; of more only those that did not succeed, and no more of them."""
# So many characters of a name are shown.
_LONGEST_NAME = 40
_LONGEST_RESULT = 20_000
"""So many characters of the result are for reading; `Run.result` and `model_dump` have all of it."""


def duration(seconds: float) -> str:
    """
    Print a time.

    Example:
        >>> duration(0.0123), duration(2.5), duration(75)
        ('12 ms', '2.50 s', '75.0 s')
    """
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
