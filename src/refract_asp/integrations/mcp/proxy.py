"""
A proxy before an MCP server: calls of tools that are not right are repaired, everything else passes as it is.

It speaks JSON-RPC, a message a line, with a client on one side and a server on the other. Of both it needs to know
only which requests are open, which tools there are, and what tools gave. Each request is answered once, also when
the server ends or never reads.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, Literal, Protocol, TypeAlias

from refract_asp.errors import LimitError, RefractError, shown
from refract_asp.formats.values import json_text
from refract_asp.integrations.mcp.connections import Connection
from refract_asp.integrations.mcp.guard import Guard, GuardOptions, Remembered, Verdict
from refract_asp.integrations.mcp.messages import (
    CAPABILITIES,
    CLOSED,
    LARGE,
    PARSE_ERROR,
    VERSION,
    Key,
    Message,
    UnreadableLineError,
    answer,
    error,
    is_answer,
    is_call,
    key_of,
    line_of,
    listed_tools,
    members,
    meta_of,
    notification,
    read_message,
    told,
)
from refract_asp.model.paths import object_of, without
from refract_asp.settings import choice, seconds

__all__ = ["Proxy", "ProxyOptions"]

META = "refract-asp/repaired"
"""The key in `_meta` of a result under which a repair is told."""
"""So many pages of a list of tools are asked for."""
MAX_CHANGES = 3
"""So often a call waits until the tools of the server stay as they are; then the latest ones count."""
MAX_STATES = 1_000
"""So many calls for which the client was asked something are known until it sends them again."""
LINGER = 5.0
"""Seconds in which the server may answer what is open when the client has said its last."""
FORM = "refract-asp"
"""The name of our form among what a client is asked in one answer."""

_log = logging.getLogger("refract_asp.integrations")

OnFailure: TypeAlias = Literal["closed", "open"]


class Client(Protocol):
    """The side of the client: what a `Connection` has, but for its end."""

    async def send(self, line: bytes) -> None:
        """Send a line; raises `ConnectionError` where nobody reads."""

    async def receive(self) -> bytes | None:
        """Return the next line, or None when no more comes."""


@dataclass(frozen=True, kw_only=True)
class ProxyOptions:
    """
    How a proxy works.

    Attributes:
        guard: what is done with calls.
        on_failure: what becomes of a call that cannot be judged, as when the server does not list its tools:
            "closed" answers that it did not run, "open" lets it pass.
        elicit: whether the user is asked where the client can do that.
        tell: whether the result of a repaired call says so in a text of its own, besides in `_meta`.
        list_timeout: seconds in which the server has to list its tools.
        ask_timeout: seconds in which the user has to answer.
        on_call: called with each call: the request, what became of it, and what judged it, if anything did.
    """

    guard: GuardOptions = field(default_factory=GuardOptions)
    on_failure: OnFailure = "closed"
    elicit: bool = True
    tell: bool = False
    list_timeout: float = 30.0
    ask_timeout: float = 600.0
    on_call: Callable[[Message, Verdict, Guard | None], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what no option can be."""
        choice("on_failure", self.on_failure, ("closed", "open"))
        seconds(self.list_timeout, "list_timeout", zero=False)
        seconds(self.ask_timeout, "ask_timeout", zero=False)


class Batch:
    """Requests that came in one list, which are answered in one list."""

    def __init__(self, keys: list[Key]) -> None:
        """Wait for the answers to all of them."""
        self.waits_for = keys
        self.answers: list[Message] = []


@dataclass(eq=False)
class Request:
    """
    A request of the client that is not answered yet.

    Attributes:
        message: the request.
        batch: the list in which it came, if it came in one.
        task: what decides on it.
        is_sent: whether the server has it.
        sent: the call that the server has: its tool and its arguments.
        verdict: what was decided of it, where it is a call.
        guard: what decided on it.
    """

    message: Message
    batch: Batch | None = None
    task: asyncio.Task[None] | None = None
    is_sent: bool = False
    sent: tuple[str, Message] | None = None
    verdict: Verdict | None = None
    guard: Guard | None = None

    @property
    def params(self) -> Message:
        """What the request is given."""
        return object_of(self.message.get("params"))


class Proxy:
    """
    Stands between a client and a server.

    Args:
        client: the side of the client.
        server: the server.
        options: how it works.
    """

    def __init__(
        self, client: Client, server: Connection, options: ProxyOptions | None = None
    ) -> None:
        """Send nothing yet."""
        self.options = options or ProxyOptions()
        self._client, self._server = client, server
        self._client_gone = asyncio.Event()
        self._memory = Remembered()
        self._open: dict[Key, deque[Request]] = {}
        self._asked_server: dict[str, asyncio.Future[Message]] = {}
        self._asked_client: dict[str, asyncio.Future[Message]] = {}
        self._prefix = f"refract-asp-{secrets.token_hex(8)}-"
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._in_turn = asyncio.Lock()
        self._capabilities: object = {}
        self._tools: list[Message] | None = None
        self._guard: asyncio.Task[Guard] | None = None
        self._changes = 0
        self._pages: list[Message] = []
        self._cursor: object = None
        self._states: OrderedDict[str, Request] = OrderedDict()

    # -- the two directions ----------------------------------------------------------

    async def run(self) -> str:
        """
        Pass on messages until the client has gone or the server has ended; then end the server.

        Returns:
            How the server ended where it did so before the client had gone, else an empty text.
        """
        reading = asyncio.create_task(self._pump(self._client.receive, self._from_client))
        writing = asyncio.create_task(self._pump(self._server.receive, self._from_server))
        gone = asyncio.create_task(self._client_gone.wait())
        is_early = False
        try:
            both = {reading, writing, gone}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            is_early = writing.done() and not gone.done()
            if not writing.done() and not gone.done():
                await self._finish(writing)
        finally:
            for task in (reading, writing, gone, *self._tasks):
                task.cancel()
            how = await self._server.close()
            for future in (*self._asked_server.values(), *self._asked_client.values()):
                future.cancel()
            # nobody else will answer what is open
            for request in [each for there in self._open.values() for each in there]:
                why = "the server has ended; the request was not sent"
                if request.is_sent:
                    why = f"{how}; whether the request was carried out is not known"
                failed = error(request.message["id"], CLOSED, f"refract-asp: {why}.")
                await self._answer(request, failed)
            if self._guard is not None:
                self._guard.cancel()
        for task in (reading, writing):
            if task.done() and not task.cancelled() and (wrong := task.exception()) is not None:
                raise wrong
        return how if is_early else ""

    async def _pump(
        self,
        receive: Callable[[], Coroutine[Any, Any, bytes | None]],
        handle: Callable[[bytes], Coroutine[Any, Any, None]],
    ) -> None:
        """Take lines from one side, one after the other, until no more comes."""
        try:
            while (line := await receive()) is not None:
                if line.strip():
                    await handle(line)
        except (ConnectionError, LimitError) as wrong:
            _log.error("the proxy ends: %s", wrong)

    async def _finish(self, writing: asyncio.Task[None]) -> None:
        """Bring what was begun to its end when the client has sent its last message."""
        for future in self._asked_client.values():
            if not future.done():
                future.set_result({})  # nobody answers any more
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self.options.list_timeout)
        end = asyncio.get_running_loop().time() + LINGER
        while self._open and not writing.done() and asyncio.get_running_loop().time() < end:
            await asyncio.wait({writing}, timeout=0.05)
        with suppress(ConnectionError):
            await self._server.finish()
        await asyncio.wait({writing}, timeout=LINGER)

    async def _to_client(self, line: bytes) -> None:
        """Send a line to the client, unless it has gone."""
        if not self._client_gone.is_set():
            try:
                await self._client.send(line)
            except ConnectionError:
                self._client_gone.set()

    async def _to_server(self, line: bytes) -> None:
        """Send a line to the server; that it has gone is seen where nothing more comes from it."""
        with suppress(ConnectionError):
            await self._server.send(line)

    async def _from_client(self, line: bytes) -> None:
        """Pass on a line of the client, or find out what is to be done with it."""
        try:
            message = await _read(line)
            if any(map(is_call, members(message))):
                message = await _read(line, strict=True)
        except UnreadableLineError as unreadable:
            text = f"This message cannot be read: {unreadable}."
            await self._to_client(line_of(error(None, PARSE_ERROR, text)))
            return
        if not isinstance(message, list) or not any(map(is_call, message)):
            given = list(members(message))
            kept = [each for each in given if not await self._note(each, line)]
            if len(kept) == len(given):
                await self._to_server(line)
            elif kept:
                await self._to_server(line_of(kept))
            return
        # its calls are decided one by one, so each of its messages goes by itself
        requests = [each for each in message if _is_request(each)]
        batch = Batch([key_of(each["id"]) for each in requests])
        for each in message:
            own = line_of(each)
            if not await self._note(each, own, batch):
                await self._to_server(own)

    async def _note(self, message: object, line: bytes, batch: Batch | None = None) -> bool:
        """Note what matters in a message of the client; return whether it must not be passed on as it is."""
        if not isinstance(message, dict):
            return False
        if is_answer(message):
            future = self._asked_client.pop(str(message["id"]), None)
            if future is not None and not future.done():
                future.set_result(message)
            return str(message["id"]).startswith(self._prefix)
        params = object_of(message.get("params"))
        if message.get("method") == "notifications/cancelled":
            request = self._closed(key_of(params.get("requestId")))
            if request is None:
                return False
            if request.batch is not None:
                await self._collect(request, None)
            if request.task is not None and not request.is_sent:
                request.task.cancel()
            return not request.is_sent  # else the server has to forget it, too
        if is_call(message):
            await self._call(Request(message, batch), line)
            return True
        if _is_request(message):
            if message["method"] == "initialize":
                self._capabilities = params.get("capabilities")
            self._opened(Request(message, batch, is_sent=True))
        return False

    async def _from_server(self, line: bytes) -> None:
        """Pass on a line of the server, with what a repair did."""
        try:
            message = await _read(line)
        except UnreadableLineError as unreadable:
            _log.warning("the server wrote what is no message: %s", unreadable)
            await self._to_client(line)
            return
        given = list(members(message))
        kept: list[object] = []
        for each in given:
            if isinstance(each, dict) and each.get("method") == "notifications/tools/list_changed":
                self._changes += 1  # the server has other tools from now on
                self._tools, self._guard, self._pages, self._cursor = None, None, [], None
            if not isinstance(each, dict) or not is_answer(each) or each["id"] is None:
                kept.append(each)
            elif (own := self._asked_server.pop(str(each["id"]), None)) is not None:
                if not own.done():
                    own.set_result(each)
            elif (request := self._closed(key_of(each["id"]))) is None:
                _log.warning("an answer to a request that is not open: %s", shown(each["id"]))
            elif request.batch is None:
                kept.append(self._answered(request, each))
            else:
                await self._collect(request, self._answered(request, each))
        if [*map(id, kept)] == [*map(id, given)]:  # none was answered, replaced or held back
            await self._to_client(line)
        elif kept:
            await self._to_client(line_of(kept if isinstance(message, list) else kept[0]))

    # -- requests that are open ------------------------------------------------------

    def _opened(self, request: Request) -> None:
        """Note a request of the client."""
        self._open.setdefault(key_of(request.message["id"]), deque()).append(request)

    def _closed(self, key: Key, request: Request | None = None) -> Request | None:
        """Take a request from those that are open: a certain one, or that which was sent first."""
        there = self._open.get(key, deque())
        found = next((each for each in there if request in (None, each)), None)
        if found is not None:
            there.remove(found)
        if not there:
            self._open.pop(key, None)
        return found

    async def _answer(self, request: Request, message: Message) -> None:
        """Answer a request of the client, unless that was done or is not wanted any more."""
        if "id" not in request.message:
            return
        if self._closed(key_of(request.message["id"]), request) is None:
            return
        if request.batch is None:
            await self._to_client(line_of(message))
        else:
            await self._collect(request, message)

    async def _collect(self, request: Request, message: Message | None) -> None:
        """Add an answer to those of a batch, and send them when none is missing."""
        batch = request.batch
        assert batch is not None
        batch.waits_for.remove(key_of(request.message["id"]))
        if message is not None:
            batch.answers.append(message)
        if not batch.waits_for and batch.answers:
            await self._to_client(line_of(batch.answers))

    # -- tools -----------------------------------------------------------------------

    def _learn(self, tools: list[Message]) -> None:
        """Take a whole list of tools, and begin to compile it where it is a new one."""
        if self._guard is None or tools != self._tools:
            self._tools = tools
            options, memory = self.options.guard, self._memory
            self._guard = asyncio.create_task(asyncio.to_thread(Guard, tools, options, memory))

    async def _ready(self, request: Request, *, anew: bool = False) -> Guard:
        """Return what judges calls; where the tools are not known, the server is asked for them."""
        for attempt in count(1):
            if self._guard is not None and not anew:
                break
            anew, changes = False, self._changes
            tools = await asyncio.wait_for(self._list(request), self.options.list_timeout)
            if changes == self._changes or attempt == MAX_CHANGES:
                self._learn(tools)
        guard = self._guard
        assert guard is not None
        try:
            return await asyncio.shield(guard)
        except Exception:
            self._guard = None if guard is self._guard else self._guard
            raise

    async def _list(self, request: Request) -> list[Message]:
        """Ask the server for its tools, page by page."""
        meta = without(meta_of(request.message), ("progressToken",))
        ask = partial(self._ask, self._asked_server, self._to_server, "tools/list")
        return await listed_tools(ask, {"_meta": meta} if meta else {})

    async def _ask(
        self,
        asked: dict[str, asyncio.Future[Message]],
        send: Callable[[bytes], Coroutine[Any, Any, None]],
        method: str,
        params: Message,
    ) -> Message:
        """Ask one side something and return what it answers; where it is not waited for it is told so."""
        id = f"{self._prefix}{next(self._numbers)}"
        asked[id] = asyncio.get_running_loop().create_future()
        try:
            await send(line_of({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            return await asked[id]
        except (asyncio.CancelledError, TimeoutError):
            reason = {"requestId": id, "reason": "not wanted any more"}
            await send(line_of(notification("notifications/cancelled", reason)))
            raise
        finally:
            asked.pop(id, None)

    def _listed(self, request: Request, result: Message) -> Message:
        """Learn tools from the list that the client gets; return it without those that it may not call."""
        tools = result.get("tools")
        if not isinstance(tools, list):
            return result
        cursor = request.params.get("cursor")
        if cursor is None or cursor == self._cursor:
            self._pages = [*(self._pages if cursor is not None else ()), *tools]
            self._cursor = result.get("nextCursor")
            if not self._cursor:
                self._learn(self._pages)
        permits = self.options.guard.permits
        kept = [each for each in tools if not isinstance(each, dict) or permits(each.get("name"))]
        return result if len(kept) == len(tools) else {**result, "tools": kept}

    # -- calls -----------------------------------------------------------------------

    async def _call(self, request: Request, line: bytes) -> None:
        """Decide what becomes of a call, at once where it is like one that was right."""
        if "id" in request.message:
            self._opened(request)
        guard, params = self._guard, request.params
        is_observed = self.options.guard.policy == "observe"
        is_quick = guard is not None and guard.done() and not self._in_turn.locked()
        if is_quick and guard is not None and not guard.cancelled() and guard.exception() is None:
            request.guard = guard.result()
            if "requestState" not in params and request.guard.is_like_a_right_one(params):
                verdict = Verdict("pass", params["name"], params.get("arguments", {}))
                await self._send(request, verdict, line)
                self._tell(request)
                return
        if is_observed:
            await self._send(request, Verdict("pass", str(params.get("name"))), line)
        task = asyncio.create_task(self._decide(request, line))
        request.task = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _decide(self, request: Request, line: bytes) -> None:
        """Judge a call after those before it, and send it, ask for what is open, or answer it."""
        try:
            async with self._in_turn:
                verdict = await self._judged(request)
                request.verdict = verdict
                if self.options.guard.policy == "observe":
                    self._tell(request)
                    return
                if verdict.action in ("pass", "repair"):
                    await self._send(request, verdict, line)
                    self._tell(request)
                    return
            if verdict.action == "ask" and "id" in request.message:
                verdict = await self._agreed(request, verdict)
                if verdict.action == "repair":
                    await self._send(request, verdict, line)
                    self._tell(request)
                    return
            request.verdict = verdict
            self._tell(request)
            if verdict.action != "ask":
                result = told(verdict.text or "Not run.", request.message)
                await self._answer(request, answer(request.message.get("id"), result))
        except Exception:
            _log.exception("a call could not be judged")
            text = "Not run: the proxy failed. Its log says why."
            failed = answer(request.message.get("id"), told(text, request.message))
            await self._answer(request, failed)

    async def _judged(self, request: Request) -> Verdict:
        """Return what becomes of a call by the tools that the server has at that time."""
        try:
            if (resumed := self._resumed(request)) is not None:
                return resumed
            is_fresh = self._guard is None
            for _ in range(MAX_CHANGES):
                changes = self._changes
                guard = request.guard = await self._ready(request)
                name = request.params.get("name")
                if not is_fresh and isinstance(name, str) and name not in guard.names:
                    is_fresh = True  # it may have come since
                    guard = request.guard = await self._ready(request, anew=True)
                verdict = await asyncio.to_thread(guard.judged, request.params)
                if changes == self._changes:
                    break
        except (RefractError, TimeoutError) as wrong:
            why = str(wrong) or "the server did not list its tools in time"
            verdict = Verdict("failed", text=f"Not run: it could not be judged: {shown(why, 300)}")
        if verdict.action != "failed":
            return verdict
        _log.warning("a call could not be judged: %s", verdict.text)
        if self.options.on_failure == "open":
            return Verdict("pass", str(request.params.get("name")), reason="failed")
        return verdict

    async def _send(self, request: Request, verdict: Verdict, line: bytes) -> None:
        """Send a call to the server, as it is or as it was repaired."""
        request.is_sent, request.verdict = True, verdict
        arguments = request.params.get("arguments", {})
        request.sent = (verdict.name, object_of(arguments))
        params = dict(request.params)
        if str(params.get("requestState", "")).startswith(self._prefix):
            del params["requestState"]
            params.pop("inputResponses", None)
        if verdict.action == "repair":
            params |= {"name": verdict.name, "arguments": dict(verdict.arguments)}
            request.sent = (verdict.name, params["arguments"])
        if params != request.params:
            line = line_of({**request.message, "params": params})
        await self._to_server(line)

    def _tell(self, request: Request) -> None:
        """Tell what was decided of a call."""
        verdict = request.verdict
        if verdict is None:
            return
        if verdict.action == "repair":
            _log.debug("repaired a call of %s: %s", verdict.name, "; ".join(verdict.changes))
        if self.options.on_call is not None:
            self.options.on_call(request.message, verdict, request.guard)

    def _answered(self, request: Request, message: Message) -> Message:
        """Return the answer of the server to a request as the client gets it."""
        result = message.get("result")
        if not isinstance(result, dict):
            return message
        if request.message.get("method") == "tools/list":
            listed = self._listed(request, result)
            return message if listed is result else {**message, "result": listed}
        if request.sent is None or request.verdict is None:
            return message
        name, arguments = request.sent
        if result.get("resultType") == "input_required":
            if isinstance(state := result.get("requestState"), str):
                self._keep_state(state, request)
        elif self.options.guard.remember:
            self._memory.add(name, arguments, result)
        if request.verdict.action != "repair":
            return message
        given = {key: request.params[key] for key in ("name", "arguments") if key in request.params}
        changes = list(request.verdict.changes)
        note = {"from": given, "to": {"name": name, "arguments": arguments}, "changes": changes}
        result = {**result, "_meta": {**object_of(result.get("_meta")), META: note}}
        if self.options.tell and isinstance(result.get("content"), list):
            said = f"{name} ran with {json_text(arguments)}. {'. '.join(changes)}".strip()
            said = f"(refract-asp: {shown(said, 2_000)})"
            result["content"] = [*result["content"], {"type": "text", "text": said}]
        return {**message, "result": result}

    # -- what is asked of the user ---------------------------------------------------

    def _keep_state(self, state: str, request: Request) -> None:
        """Keep a call until the client sends it again with what it was asked for."""
        self._states[state] = request
        while len(self._states) > MAX_STATES:
            self._states.popitem(last=False)

    def _resumed(self, request: Request) -> Verdict | None:
        """Return what becomes of a call that is sent again with what was asked for; None for any other."""
        state = request.params.get("requestState")
        kept = self._states.pop(state, None) if isinstance(state, str) else None
        if kept is None or kept.verdict is None or kept.guard is None:
            return None
        if any(kept.params.get(key) != request.params.get(key) for key in ("name", "arguments")):
            return None  # it is another call
        if not str(state).startswith(self._prefix):  # the server asked
            return kept.verdict
        response = object_of(request.params.get("inputResponses")).get(FORM)
        request.guard = kept.guard
        return _with_response(kept.guard, kept.verdict, response)

    async def _agreed(self, request: Request, verdict: Verdict) -> Verdict:
        """
        Ask the user for what is open in a call.

        Returns:
            What becomes of the call then; with the action "ask" the client has been asked in the answer, and
            sends the call again.
        """
        refused = replace(verdict, action="answer")
        form = request.guard.form(verdict) if request.guard is not None else None
        is_modern = VERSION in meta_of(request.message)
        able = meta_of(request.message).get(CAPABILITIES) if is_modern else self._capabilities
        can = object_of(able).get("elicitation")
        has_forms = isinstance(can, dict) and (not can or "form" in can)
        if form is None or request.guard is None or not self.options.elicit or not has_forms:
            return refused
        schema = {"type": "object", "properties": dict(form.fields), "required": form.required}
        params = {"mode": "form", "message": form.message, "requestedSchema": schema}
        if is_modern:
            state = f"{self._prefix}{secrets.token_hex(8)}"
            self._keep_state(state, request)
            wanted = {FORM: {"method": "elicitation/create", "params": params}}
            asked = {"resultType": "input_required", "inputRequests": wanted, "requestState": state}
            await self._answer(request, answer(request.message["id"], asked))
            return verdict
        try:
            asking = self._ask(self._asked_client, self._to_client, "elicitation/create", params)
            answered = await asyncio.wait_for(asking, self.options.ask_timeout)
        except TimeoutError:
            return replace(refused, text=f"{verdict.text} The user did not answer.")
        return _with_response(request.guard, verdict, answered.get("result"))


def _with_response(guard: Guard, verdict: Verdict, response: object) -> Verdict:
    """Return what becomes of a call when the user has answered, or has not."""
    said = object_of(response)
    if said.get("action") == "accept":
        return guard.answered(verdict, object_of(said.get("content")))
    told_no = " The user did not agree." if said.get("action") in ("decline", "cancel") else ""
    return replace(verdict, action="answer", text=f"{verdict.text}{told_no}")


def _is_request(message: object) -> bool:
    """Whether a message wants an answer."""
    return isinstance(message, dict) and isinstance(message.get("method"), str) and "id" in message


async def _read(line: bytes, *, strict: bool = False) -> Any:
    """Read a message, a large one in a thread, so that others go on."""
    if len(line) < LARGE:
        return read_message(line, strict=strict)
    return await asyncio.to_thread(read_message, line, strict=strict)
