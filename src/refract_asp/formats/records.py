"""
What a record of an agent says: the calls of its turns, what answered them, and the tools that there were.

A record is a message, a conversation, a request with its response, a run or a span, as a provider, a
framework or a tool that traces agents writes it. It is walked once, from the outside in; `traces.json` holds
where calls, answers and tools stand. Calls that a model was shown (the conversation so far) are told from
those that it made, and so are the ones that only say that a tool ran. What has no name and no arguments at
these places is no call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, TypeAlias

from refract_asp.errors import FormatError, InputError, UnknownFormatError
from refract_asp.formats import load_sequence
from refract_asp.formats.catalogs import has_name
from refract_asp.formats.chat import ABSENT, step_into
from refract_asp.formats.model_dialects import unfolded
from refract_asp.formats.values import UnreadableError, end_of_value, read_json_text
from refract_asp.model import Sequence
from refract_asp.model.paths import as_list, is_number, object_of, present
from refract_asp.resources import packaged

PLACES = packaged("formats/traces.json")

# The calls that the model made, those that it was shown, or what is only told about the record.
_Mode: TypeAlias = Literal["own", "shown", "aside"]
# How deep a record is searched.
_MAX_DEPTH = 100
_AGENT = ("assistant", "ai", "model", "gpt", "function_call", "AIMessageChunk")
_SPEAKERS = (*_AGENT, "human", "user", "system", "developer", "tool", "function", "observation")
_SOURCES = ("agent", "user", "environment")  # of the events of OpenHands
_SCHEMA = frozenset({"type", "properties", "$ref", "allOf", "anyOf", "oneOf", "$schema"})
_INPUT, _OUTPUT, _ASIDE, _TEXTS, _WRITTEN_IN, _DESCRIBED_IN = (
    frozenset(PLACES[key])
    for key in ("input", "output", "aside", "texts", "written_in", "described_in")
)
# A text that is nothing but a list of calls, and where a tool may be described in a text.
_LIST_OF_CALLS = re.compile(r"\s*\[\s*[^\W\d][\w.\-]*\(.*\)\s*\]\s*", re.S)
# The name of an event of OpenTelemetry that holds a message of the conversation so far.
_MESSAGE_EVENT = re.compile(r"gen_ai\.(?:.*\.)?message", re.S)
_BEGIN = re.compile(r"\[\s*\{|\{\s*[\"']")
# So many characters of a text are searched for the tools that it describes.
_MAX_DESCRIBED = 1_000


@dataclass
class Made:
    """A call: its id (empty for none), its tool, its arguments, and what answered it (ABSENT for nothing)."""

    id: str
    name: str
    arguments: Any
    answer: Any = ABSENT

    @property
    def key(self) -> str:
        """Its name and arguments as a text; the same for JSON text and for what it holds."""
        held = self.arguments
        if isinstance(held, str):
            with suppress(UnreadableError):
                held = read_json_text(held)[0]
        return f"{self.name} {json.dumps(held, sort_keys=True, default=str)}"


@dataclass
class Record:
    """
    What a record says.

    Attributes:
        turns: the calls that the model made, by message.
        shown: the calls that it was shown.
        ran: the calls of which only the tool tells.
        answers: what answered calls, by their ids.
        tools: the tools that there were, by name.
        meta: what is known of it: trace, id, model, time, session, score.
        cut: the key of a text that should be JSON and is cut off.
        place: where it stands.
    """

    turns: list[list[Made]] = field(default_factory=list)
    shown: list[Made] = field(default_factory=list)
    ran: list[Made] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    cut: str = ""
    place: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it matters to any call."""
        return not (self.turns or self.shown or self.ran or self.answers or self.tools)


def read_record(data: Any, place: str = "", known: dict[str, Any] | None = None) -> Record:
    """
    Read a record; `known` is what the file says of all of them.

    Example:
        >>> block = {"type": "tool_use", "id": "t", "name": "get", "input": {"a": 1}}
        >>> read_record({"role": "assistant", "model": "m", "content": [block]}).turns
        [[Made(id='t', name='get', arguments={'a': 1}, answer=<object object at ...>)]]
    """
    walk = _Walk(Record(place=place))
    data = _unpacked(data) if isinstance(data, dict) else data
    walk(data, "own")
    walk.record.meta = {**(known or {}), **meta_of(object_of(data))}
    return walk.record


def is_part(value: Any) -> bool:
    """Whether an element of a list is a message or a call, so that the list as a whole is a record."""
    if not isinstance(value, dict):
        return True
    is_call = {"name", "arguments"} <= value.keys() or _call_in(value, "") is not None
    is_event = value.get("source") in _SOURCES and bool(
        value.keys() & {"action", "observation", "kind"}
    )
    return is_call or is_event or _speaker(value) != "" or "parts" in value


def _speaker(value: dict[str, Any]) -> str:
    """Return who says a message; empty for what is no message."""
    for key in ("role", "from", "type", "kind"):
        said = value.get(key)
        if key == "kind" and said in ("request", "response") and "parts" in value:
            return "model" if said == "response" else "user"
        if isinstance(said, str) and (said in _SPEAKERS or (key == "role" and said)):
            if key == "type" and "content" not in value:
                continue
            return said
    return ""


def at(value: Any, path: str) -> Any:
    """Return what stands at a place; `*` is the first element."""
    keys = _keys(path)
    if keys[0] == "*":
        first = value[0] if isinstance(value, list) and value else None
        return step_into(first, keys[1:])
    return step_into(value, keys)


@cache
def _keys(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def _first(value: Any, paths: Iterator[str] | list[str]) -> Any:
    found = (at(value, path) for path in paths)
    return next((each for each in found if each is not ABSENT and each is not None), ABSENT)


# -- attributes of spans ---------------------------------------------------------------

_KINDS_OF_VALUE = ("stringValue", "intValue", "doubleValue", "boolValue", "string_value")
_SEVERAL = ("arrayValue", "array_value", "kvlistValue", "kvlist_value")


def _plain_value(value: Any) -> Any:
    """Return a value of OTLP as JSON."""
    if not isinstance(value, dict):
        return value
    for key in _KINDS_OF_VALUE:
        if key in value:
            return value[key]
    for key in _SEVERAL:
        if isinstance(value.get(key), dict):
            held = value[key].get("values") or []
            return _attributes(held) if key.startswith("kv") else [_plain_value(x) for x in held]
    return value


def _attributes(entries: list[Any]) -> dict[str, Any]:
    pairs = (each for each in entries if isinstance(object_of(each).get("key"), str))
    return {each["key"]: _plain_value(each.get("value")) for each in pairs}


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """
    Return an object in which keys with dots lead to objects inside, as far as nothing else stands there.

    Example:
        >>> nested({"llm.tools.0.name": "get", "llm": {"model": "m"}, "input": "hi", "input.value": "{}"})
        {'llm': {'tools': {'0': {'name': 'get'}}, 'model': 'm'}, 'input': 'hi', 'input.value': '{}'}
    """
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        inside, (*way, last) = tree, _keys(key) if len(key) < 200 else (key,)
        for step in way:
            deeper = inside.setdefault(step, {})
            if not isinstance(deeper, dict):
                inside, last = tree, key
                break
            inside = deeper
        there = inside.get(last)
        if isinstance(there, dict) and isinstance(value, dict):
            inside[last] = {**there, **value}
        elif last in inside:
            tree[key] = value
        else:
            inside[last] = value
    return tree


def _unpacked(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its attributes as objects."""
    found = dict(value)
    for key in ("attributes", "tags"):
        held = found.get(key)
        if isinstance(held, list) and held and isinstance(held[0], dict) and "key" in held[0]:
            del found[key]
            held = found["attributes"] = _attributes(held)
        if key == "attributes" and isinstance(held, dict):
            found[key] = nested(held)
    if any("." in key for key in found if isinstance(key, str)):
        found = nested(found)
    return found


# -- what is known of it ---------------------------------------------------------------


def meta_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a record."""
    meta: dict[str, Any] = {}
    for name, paths in PLACES["meta"].items():
        value = _first(data, paths)
        if name == "time":
            value = _time(value)
        elif name == "score":
            value = _score(value)
        elif isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            value = ABSENT
        if value is not ABSENT:
            meta[name] = str(value) if name in ("id", "trace", "session") else value
    epoch = data.get("epoch")
    if isinstance(epoch, int) and "id" in meta:
        meta["id"] = f"{meta['id']}/{epoch}"
    return meta


def _time(value: Any) -> Any:
    """Return a time as ISO 8601 has it; seconds since 1970 in whatever unit become one."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if is_number(value) and value > 1e8:
            while value > 1e11:
                value /= 1000
            return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds")
        if isinstance(value, str):
            datetime.fromisoformat(value)
            return value
    return ABSENT


def _score(value: Any) -> Any:
    """Return a score as a number or a word, or several by name."""
    if isinstance(value, list):
        value = {each["name"]: each for each in filter(has_name, value)}
    if isinstance(value, dict):
        keys = ("value", "score", "avg", "label", "stringValue")
        held = {n: _first(x, [*keys]) if isinstance(x, dict) else x for n, x in value.items()}
        plain = {n: x for n, x in held.items() if isinstance(x, str | int | float)}
        return plain or ABSENT
    return value if isinstance(value, str | int | float) else ABSENT


# -- calls -----------------------------------------------------------------------------


def _call_in(value: dict[str, Any], under: str) -> tuple[dict[str, Any], Made] | None:
    """Return the call that an object is, with the row that says so."""
    for row in PLACES["calls"]:
        name, cut = at(value, row["name"]), row.get("cut", "")
        if not isinstance(name, str) or not name.startswith(cut) or name == cut:
            continue
        if under not in row.get("under", (under,)):
            continue
        if "needs" in row and row["needs"] not in value:
            continue
        if "only" in row and value.keys() - row["only"]:
            continue
        marks = row.get("marks", {}).items()
        if any(at(value, path) not in as_list(wanted) for path, wanted in marks):
            continue
        if (arguments := _arguments_in(value, row)) is ABSENT:
            continue
        id = _first(value, row.get("id", []))
        id = str(id) if isinstance(id, str | int) and not isinstance(id, bool) else ""
        answer = _first(value, row.get("result", []))
        return row, Made(id, name.removeprefix(cut), arguments, answer)
    return None


def _arguments_in(value: dict[str, Any], row: dict[str, Any]) -> Any:
    """Return the arguments of the call that an object would be by a row; ABSENT where it is none."""
    held = _first(value, row["arguments"])
    if row.get("ran") and isinstance(held, str) and held.strip()[:1] != "{":
        return ABSENT  # the one text that a tool was given, which does not say what it is called
    if "keyed" in row:  # what a function was called with, by name and by position
        held, keys = _decoded(held), row["keyed"]
        if not isinstance(held, dict):
            held = held if isinstance(held, str) else ABSENT
        elif not held.keys().isdisjoint(keys):
            named = (held[key] for key in keys if isinstance(held.get(key), dict))
            held = ABSENT if held.get("args") else next(filter(None, named), {})
    if row.get("object"):
        return held if isinstance(held, dict) else ABSENT
    if held is ABSENT and (
        row.get("optional") or any(at(value, path) is None for path in row["arguments"])
    ):
        return {}
    return held


def _apart(row: dict[str, Any], made: Made) -> list[Made]:
    """Return the calls that stand as one: the names `a;b`, with the arguments of each under its name."""
    if not row.get("by_name"):
        return [made]
    names, held = made.name.split(";"), _decoded(made.arguments)
    answers = object_of(_decoded(made.answer))
    made.answer = made.answer or ABSENT
    if not isinstance(held, dict) or held.keys() != {*names}:
        is_object = isinstance(held, dict) or str(held).lstrip()[:1] == "{"
        return [made] if is_object and len(names) == 1 else []
    apart = []
    for name in names:
        id = f"{made.id}.{name}" if made.id and len(names) > 1 else made.id
        apart.append(Made(id, name, held[name], answers.get(name, made.answer)))
    return apart


def _tool_in(value: dict[str, Any], under: str) -> dict[str, Any] | None:
    """Return the tool that an object describes, as OpenAI writes one, with what MCP says beside."""
    name = value.get("name")
    if not isinstance(name, str) or not name:
        return None
    schema: Any = ABSENT
    for path in PLACES["tools"]:
        held = _decoded(at(value, path))
        # a schema, or the parameters without one around them
        if isinstance(held, dict) and (
            _SCHEMA & held.keys()
            or all(isinstance(each, dict) and "type" in each for each in held.values())
        ):
            schema = held
            break
    if schema is ABSENT:
        if under not in ("tools", "functions", "function") or "description" not in value:
            return None
        schema = {"type": "object", "properties": {}}
    told = {"name": name, "description": value.get("description"), "parameters": schema}
    more: dict[str, Any] = {
        key: value[key] for key in ("strict", "annotations", "outputSchema") if key in value
    }
    return {**present(told), **more}


def _decoded(value: Any) -> Any:
    """Return the JSON that a text holds; what holds none as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _said(value: Any) -> Any:
    """Return what a tool gave: the JSON in its text, also where the text stands in blocks."""
    if isinstance(value, list) and value and all(isinstance(x, dict) for x in value):
        texts = [x.get("text", x.get("json")) for x in value if {"text", "json"} & x.keys()]
        if len(texts) == len(value) == 1:
            value = texts[0]
    if isinstance(value, dict) and value.keys() == {"type", "value"}:
        value = value["value"]
    return _decoded(value)


class _Walk:
    """Walks a record, and notes its parts."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._turn: list[Made] | None = None
        self._message: str | None = None
        self._ids: set[tuple[str, str]] = set()

    def __call__(self, value: Any, mode: _Mode, under: str = "", depth: int = 0) -> None:
        """Note what stands in a value below the key `under`."""
        if depth > _MAX_DEPTH:
            self.record.cut = self.record.cut or under
        elif isinstance(value, str) and under in _WRITTEN_IN:
            self._text({"content": value}, mode)
        elif isinstance(value, str) and under in _DESCRIBED_IN:
            self._described(value)
        elif isinstance(value, str) and under in _TEXTS:
            held = _decoded(value)
            if held is not value:
                self(held, mode, under, depth + 1)
            elif value.lstrip()[:2] in ("[{", '{"') and under != "value":
                self.record.cut = self.record.cut or under
        elif isinstance(value, list):
            if under == "result" and mode != "aside" and self._folded(value, mode):
                return
            for each in value:
                self(each, mode, under, depth + 1)
        elif isinstance(value, dict):
            self._object(_unpacked(value), mode, under, depth)

    def _object(self, value: dict[str, Any], mode: _Mode, under: str, depth: int) -> None:
        if value and all(isinstance(key, str) and key.isdigit() for key in value):
            self([*value.values()], mode, under, depth + 1)
            return
        if self._is_done(value, mode, under):
            return
        said = _speaker(value)
        id = value.get("id")
        if said and not (isinstance(id, str) and id and id == self._message):
            self._turn, self._message = None, id if isinstance(id, str) else None
        event = value.get("name", value.get("event.name"))
        if mode == "own" and _MESSAGE_EVENT.fullmatch(str(event)):
            mode = "shown"
        before = len(self._ids), len(self.record.turns)
        has_output = not _OUTPUT.isdisjoint(value)
        for key, inner in value.items():
            self(inner, self._mode_of(key, inner, mode, has_output), key, depth + 1)
        if said in _AGENT and before == (len(self._ids), len(self.record.turns)):
            self._text(value, mode)
        elif said == "system":
            self._described(value.get("content", value.get("value")))
        elif said and said not in _AGENT:
            self._turn = None

    def _is_done(self, value: dict[str, Any], mode: _Mode, under: str) -> bool:
        """Note what an object is; return whether it is a call, an answer, a tool, or only a part of one."""
        is_partial = any(value.get(key) in words for key, words in PLACES["partial"].items())
        if is_partial and _OUTPUT.isdisjoint(value):
            return True
        if mode != "aside" and (found := _call_in(value, under)) is not None:
            row, made = found
            for each in _apart(row, made):
                self._take(row, each, mode)
            return True
        if (tool := _tool_in(value, under)) is not None:
            self.record.tools.setdefault(tool["name"], tool)
            return True
        return mode != "aside" and self._answer(value)

    def _mode_of(self, key: str, inner: Any, mode: _Mode, has_output: bool) -> _Mode:
        is_told = key == "meta" and "kind" in object_of(inner)  # of Datadog
        if mode == "aside" or (key in _ASIDE and not is_told):
            return "aside"
        if key == "events" and isinstance(inner, list) and isinstance(at(inner, "*.event"), str):
            return "aside"  # of Inspect: they tell again what the messages say
        is_request = key in _INPUT
        if key == "messages" and isinstance(inner, list) and inner and isinstance(inner[-1], dict):
            is_request = _speaker(inner[-1]) not in _AGENT
        return "shown" if has_output and is_request else mode

    def _take(self, row: dict[str, Any], made: Made, mode: _Mode) -> None:
        """Note a call, once for each id."""
        if made.answer is not ABSENT:
            made.answer = _said(made.answer)
            if made.id:
                self.record.answers.setdefault(made.id, made.answer)
        known = (made.id, made.key)
        if made.id and known in self._ids:
            return
        self._ids.add(known)
        if mode == "shown":
            self.record.shown.append(made)
        elif row.get("ran"):
            self.record.ran.append(made)
        elif self._turn is None:
            self._turn = [made]
            self.record.turns.append(self._turn)
        else:
            self._turn.append(made)

    def _answer(self, value: dict[str, Any]) -> bool:
        """Note what answers a call; return whether the object does."""
        rows = PLACES["answers"]
        id, name = _first(value, rows["id"]), _first(value, rows["name"])
        if "observation" not in value and _first(value, rows["asked"]) is not ABSENT:
            return False
        marked = any(value.get(key) in words for key, words in rows["marked"].items())
        if id is ABSENT and name is ABSENT and not marked:
            return False
        answer = _first(value, rows["answer"])
        if answer is not ABSENT and not any(value.get(key) is True for key in rows["wrong"]):
            id = (
                _first(value, ["id"])
                if id is ABSENT and value.get("type") in rows["marked"]["type"]
                else id
            )
            if isinstance(id, str | int):
                self.record.answers.setdefault(str(id), _said(answer))
            else:  # the last call that waits, of that name where there is one
                calls = [*self.record.shown, *(each for turn in self.record.turns for each in turn)]
                name = value.get("name") if name is ABSENT else name
                for made in reversed(calls):
                    if made.answer is ABSENT and not made.id and name in (made.name, None):
                        made.answer = _said(answer)
                        break
        self._turn = None
        return True

    def _text(self, value: dict[str, Any], mode: _Mode) -> None:
        """Note the calls that stand in the text of a model, where it marks them as such."""
        text = None if mode == "aside" else value.get("content", value.get("value"))
        if value.get("from") == "function_call" and isinstance(text, str):
            text = f"<tool_call>{text}</tool_call>"
        if isinstance(text, list):
            parts = (x.get("text") for x in text if object_of(x).get("type") == "text")
            text = "\n".join(part for part in parts if isinstance(part, str))
        if not isinstance(text, str):
            return
        lowered = text.lower()
        is_marked = any(mark in lowered for mark in PLACES["written"])
        if not is_marked and not _LIST_OF_CALLS.fullmatch(text):
            return
        with suppress(FormatError, UnknownFormatError, InputError):
            for call in load_sequence(text).calls:
                arguments: Any = str(call.written)
                if call.malformed is None:
                    held = Sequence(calls=(call.model_copy(update={"label": None}),))
                    arguments = held.dump("nestful")[0]["arguments"]
                self._take({}, Made(call.id or "", call.name, arguments), mode)

    def _folded(self, value: list[Any], mode: _Mode) -> bool:
        """Note calls as the results of BFCL hold them: `{"f": "{...}"}`, or call text; return whether it does."""
        if value and all(isinstance(each, str) and each[-1:] == ")" for each in value):
            self._text({"content": f"[{', '.join(value)}]"}, mode)
            return True
        is_text = all(
            isinstance(x, dict) and all(isinstance(y, str) for y in x.values()) for x in value
        )
        entries = unfolded(value) if is_text else None
        for entry in entries or ():
            self._take({}, Made("", entry["name"], entry["arguments"]), mode)
        return entries is not None

    def _described(self, text: Any) -> None:
        """Note the tools that stand as JSON in the text of a system."""
        place = begin = 0
        while isinstance(text, str) and begin < _MAX_DESCRIBED:
            if (match := _BEGIN.search(text, place)) is None:
                return
            begin, place = begin + 1, match.end()
            if (end := end_of_value(text, match.start())) is None:
                continue
            with suppress(UnreadableError):
                value = read_json_text(text[match.start() : end])[0]
                place = end
                for each in as_list(value):
                    held = each.get("function", each) if isinstance(each, dict) else None
                    if isinstance(held, dict) and (tool := _tool_in(held, "tools")) is not None:
                        self.record.tools.setdefault(tool["name"], tool)
