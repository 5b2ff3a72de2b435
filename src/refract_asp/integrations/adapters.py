"""What the adapters for frameworks share: a hook for the tools at hand, calls mended, versions checked."""

from __future__ import annotations

import json
import marshal
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, NamedTuple, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats import load_catalog
from refract_asp.integrations.decisions import HELD, Action, Decision, ToolCall
from refract_asp.integrations.hook import Hook
from refract_asp.model import Catalog, Reference, Tool
from refract_asp.model.result import AskFor
from refract_asp.settings import choice

__all__ = ["Guard", "History", "Mended", "framework", "ran_text"]

MAX_HOOKS = 64
"""So many sets of tools are kept compiled at once; the one that was used longest ago goes first."""

History: TypeAlias = Literal["rewrite", "annotate"]
"""
How a conversation shows what ran: the message of the model is rewritten, or it stays and the result says it.
"""


@contextmanager
def framework(package: str, extra: str, tried: str) -> Iterator[None]:
    """
    Import a framework; say what to do where it is absent or of another version than those tried.

    Args:
        package: its distribution.
        extra: the extra of this package that brings it.
        tried: the versions with which the adapter was tried, as "1.4.7, 1.5.0".

    Raises:
        ImportError: it cannot be imported, or its major version is none of those tried.
    """
    try:
        found = version(package)
    except PackageNotFoundError:
        hint = f"pip install 'refract-asp[{extra}]'"
        raise ImportError(f"{package} is not installed: {hint}", name=package) from None
    said = f"the adapter was tried with {package} {tried}; installed is {found}"
    if found.split(".")[0] not in {each.strip().split(".")[0] for each in tried.split(",")}:
        raise ImportError(f"{said}, another major version.", name=package)
    try:
        yield
    except (ImportError, AttributeError) as error:
        raise ImportError(f"{said}, and it lacks something: {error}", name=package) from error


class Mended(NamedTuple):
    """
    What becomes of one call of a message.

    Attributes:
        given: the call as the model made it.
        calls: what is to be run in its place, the first under its id; none where it is held back.
        feedback: what to answer in place of a result; empty where something is to be run.
        outcome: as of a decision.
        decision: of the whole message; None where no hook judges the tool.
        number: the index of the call in the decision.
    """

    given: ToolCall
    calls: tuple[ToolCall, ...]
    feedback: str = ""
    outcome: Action = "pass"
    decision: Decision | None = None
    number: int = 0

    @property
    def is_changed(self) -> bool:
        """Whether something else is to be run than what the model wrote."""
        return self.outcome == "repair"

    @property
    def asks(self) -> list[AskFor]:
        """The values that are missing in the call."""
        if self.decision is None or self.decision.result is None:
            return []
        own = self.decision.calls[self.number].positions
        return [ask for ask in self.decision.result.asks if ask.call in own]


def ran_text(calls: Sequence[ToolCall]) -> str:
    """
    Say what ran in place of a call, for the model that reads the result.

    Example:
        >>> ran_text([ToolCall("c1", "get_weather", {"city": "Rome"})])
        '(Ran as get_weather with {"city": "Rome"}.)'
    """
    told = (f"{shown(c.name)} with {json.dumps(c.arguments, ensure_ascii=False)}" for c in calls)
    return f"(Ran as {shown(' and '.join(told), 500)}.)"


class Guard:
    """
    Mends the calls of messages, whatever tools they have at hand; thread-safe.

    Args:
        tools: the tools, as anything that `Catalog.load` takes; by default those that the framework gives
            with each message.
        options: what `Hook` takes besides the catalog. No calls are added unless `max_new_calls` says so,
            since no framework can run what the model did not call.

    Raises:
        InputError: the tools cannot be read, or an option cannot be such.
    """

    def __init__(self, tools: Any = None, **options: Any) -> None:
        """Compile the tools, where they are given."""
        self._options = {"max_new_calls": 0, **options}
        self._lock = threading.Lock()
        self._hooks: OrderedDict[Any, tuple[Hook, frozenset[str], Any]] = OrderedDict()
        self._own: tuple[Hook, frozenset[str]] | None = None
        if isinstance(tools, Hook):
            self._own = tools, frozenset()
        elif tools is not None:
            self._own = Hook(tools, **self._options).warm(), frozenset()
        else:
            Hook(Catalog(), **self._options)  # what an option cannot be is said at once

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process is made of."""
        return {**vars(self), "_lock": None, "_hooks": OrderedDict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what another process sent."""
        vars(self).update(state, _lock=threading.Lock())

    def __deepcopy__(self, memo: object) -> Guard:
        """Return itself: frameworks copy agents with each run, and what is compiled serves all of them."""
        return self

    def hook(self, tools: Iterable[Any]) -> Hook:
        """Return the hook for some tools, compiled when they are seen for the first time."""
        return self._judge(tools)[0]

    def mend(self, calls: Sequence[ToolCall], tools: Iterable[Any], **inputs: Any) -> list[Mended]:
        """
        Return what becomes of each call of one message.

        Args:
            calls: the calls, in order; arguments are values, or their JSON text.
            tools: the tools at hand.
            inputs: what the hook takes besides: `conversation`, `memory`, `history`, `words`.
        """
        hook, judged = self._judged(calls, tools, inputs)
        return _all_mended(calls, judged, hook(judged, **inputs) if judged else None)

    async def mend_async(
        self, calls: Sequence[ToolCall], tools: Iterable[Any], **inputs: Any
    ) -> list[Mended]:
        """Do the same in a thread, so that an event loop goes on."""
        hook, judged = self._judged(calls, tools, inputs)
        decided = await hook.decide_async(judged, **inputs) if judged else None
        return _all_mended(calls, judged, decided)

    def _judged(
        self, calls: Sequence[ToolCall], tools: Iterable[Any], inputs: dict[str, Any]
    ) -> tuple[Hook, list[ToolCall]]:
        """Return the hook for tools, and the calls that it has to judge."""
        hook, passing = self._judge(tools)
        judged = [call for call in calls if call.name not in passing]
        return hook, judged if inputs or not hook.passes(judged) else []

    def _judge(self, tools: Iterable[Any]) -> tuple[Hook, frozenset[str]]:
        """Return the hook for tools, and the names of those that have no schema and are not judged."""
        if self._own is not None:
            return self._own
        given = list(tools)
        key = tuple(_key(tool) for tool in given)
        with self._lock:
            kept = self._hooks.get(key)
            if kept is not None:
                self._hooks.move_to_end(key)
                return kept[:2]
        names: set[str] = set()
        try:
            catalog = load_catalog(given) if given else Catalog()
        except InputError:  # those without a schema are such as a provider runs
            found: list[Tool] = []
            for tool in given:
                try:
                    found.extend(load_catalog([tool]).tools)
                except InputError:
                    held = tool if isinstance(tool, dict) else getattr(tool, "__dict__", {})
                    names.update(str(held[each]) for each in ("name", "type") if each in held)
            catalog = Catalog(tools=tuple(found))
        hook, passing = Hook(catalog, **self._options), frozenset(names)
        with self._lock:
            # while they are kept, no other tool has their ids
            self._hooks[key] = hook, passing, given
            while len(self._hooks) > MAX_HOOKS:
                self._hooks.popitem(last=False)
        return hook, passing


def checked_history(history: str) -> None:
    """Refuse what the option `history` cannot be."""
    choice("history", history, ("rewrite", "annotate"))


def _key(tool: Any) -> Any:
    """Return what tells a tool from others: data by what it says, an object by which one it is."""
    if not isinstance(tool, dict):
        return id(tool)
    try:
        return marshal.dumps(
            tool, 2
        )  # five times as fast as JSON, which counts where tools are many
    except ValueError:  # it holds something else than plain data
        return json.dumps(tool, sort_keys=True, default=repr)


def _all_mended(
    calls: Sequence[ToolCall], judged: list[ToolCall], decision: Decision | None
) -> list[Mended]:
    found = iter(_mended(judged, decision) if decision is not None else ())
    inside = {id(call) for call in judged}
    return [next(found) if id(call) in inside else Mended(call, (call,)) for call in calls]


def _mended(calls: list[ToolCall], decision: Decision) -> Iterator[Mended]:
    """Yield what becomes of each call by a decision on all of them."""
    if len(decision.calls) != len(calls):  # they could not be read at all
        said = decision.feedback or "Not run."
        yield from (Mended(call, (), said, decision.outcome, decision) for call in calls)
        return
    added = [
        shown(call.name)
        for call, owner in zip(decision.ready.calls, decision.ready_calls, strict=True)
        if owner is None
    ]
    for number, (call, made) in enumerate(zip(calls, decision.calls, strict=True)):
        about = (made.outcome, decision, number)
        if made.outcome in HELD:
            yield Mended(call, (), made.feedback or decision.feedback, *about)
        elif made.outcome == "pass" and made.runs:
            if isinstance(call.arguments, str) and not _says(call.arguments, made.runs[0]):
                yield Mended(
                    call, made.runs, "", "repair", *about[1:]
                )  # read, though it is no JSON
            else:
                yield Mended(call, (call,), "", *about)
        elif made.runs and not added:
            first, *more = made.runs
            if first.id is not None:  # each has an id of its own
                more = [run._replace(id=f"{first.id}_{n}") for n, run in enumerate(more, 2)]
            yield Mended(call, (first, *more), "", *about)
        elif not made.positions:
            yield Mended(call, (), made.feedback or "Left out: another call does the same.", *about)
        else:
            yield Mended(call, (), _waiting_text(decision, number, added), "retry", *about[1:])


def _says(text: str, call: ToolCall) -> bool:
    """Whether a text is the JSON of the arguments of a call."""
    try:
        return bool(json.loads(text or "{}") == call.arguments)
    except ValueError:
        return False


def _waiting_text(decision: Decision, number: int, added: list[str]) -> str:
    """Say which tools are to be called before a call: those that were added, else those that it reads from."""
    labels = {call.label: call.name for call in decision.ready.calls if call.label}
    owned = zip(decision.ready.calls, decision.ready_calls, strict=True)
    sources = [each for call, owner in owned if owner == number for each in call.arguments.values()]
    read = [source.label for source in sources if isinstance(source, Reference)]
    first = added or [shown(labels[label]) for label in read if label in labels]
    said = f"Not run: call {' and '.join(first) or 'what it reads from'} first."
    return f"{said} Then send this call again with what it gave."
